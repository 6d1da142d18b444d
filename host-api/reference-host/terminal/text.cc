#include "terminal/text.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/character_width.h"
#include "base/escape.h"
#include "base/text.h"
#include "base/utf8.h"

namespace wtool::host {
namespace {

using namespace std::string_view_literals;

// Reads the variables that name the terminal's character set, in their order of precedence.
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string locale = lowered(value);
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

// The position after the escape sequence that begins at `at`.
std::size_t skip_escape(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size()) return text.size();
  const char kind = text[at + 1];
  at += 2;
  if (kind == '[') {
    while (at < text.size() && (text[at] < 0x40 || text[at] > 0x7e)) ++at;
    return std::min(at + 1, text.size());
  }
  if (kind == ']' || kind == 'P' || kind == '_' || kind == '^') {
    while (at < text.size() && text[at] != '\a' && text[at] != '\x1b' && text[at] != '\n') ++at;
    at += text.substr(at).starts_with("\x1b\\") ? 2U : 1U;
    return std::min(at, text.size());
  }
  return at;
}

}  // namespace

std::string duration_text(std::chrono::steady_clock::duration duration) {
  const double seconds = std::chrono::duration<double>(duration).count();
  const auto whole = static_cast<long>(seconds);
  char text[64];
  if (seconds < 1) {
    std::snprintf(text, sizeof text, "%.3f s", seconds);
  } else if (seconds < 10) {
    std::snprintf(text, sizeof text, "%.2f s", seconds);
  } else if (seconds < 100) {
    std::snprintf(text, sizeof text, "%.1f s", seconds);
  } else if (whole < 3600) {
    std::snprintf(text, sizeof text, "%ld min %02ld s", whole / 60, whole % 60);
  } else {
    std::snprintf(text, sizeof text, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
  }
  return text;
}

namespace {

// Newlines and tabs become blanks, except for those in `kept`.
std::string cleaned(std::string_view text, std::string_view kept) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '\x1b') {
      i = skip_escape(text, i);
      continue;
    }
    const Character next = first_character(text.substr(i));
    const bool is_blank = c == '\n' || c == '\t';
    if (is_blank) {
      out += kept.find(c) == std::string_view::npos ? ' ' : c;
    } else if (next.valid && !is_control(next.code_point)) {
      out += text.substr(i, next.length);
    } else if (!next.valid || next.length > 1) {
      out += '?';
    }
    i += next.length;
  }
  return out;
}

}  // namespace

std::string cleaned_for_terminal(std::string_view text, bool keep_newlines) {
  return cleaned(text, keep_newlines ? "\n\t" : "");
}

std::string cleaned_line(std::string_view line) { return cleaned(line, "\t"); }

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character next = first_character(text);
    width += character_width(next.code_point);
    text.remove_prefix(next.length);
  }
  return width;
}

std::string cut_to_width(std::string_view text, std::size_t columns) {
  const std::string_view ellipsis = columns == 0 ? "" : locale_is_utf8() ? "…" : "..."sv.substr(0, columns);
  const std::size_t ellipsis_width = display_width(ellipsis);
  std::size_t width = 0;
  std::size_t room = 0;  // the end of the part that fits together with the ellipsis
  for (std::size_t i = 0; i < text.size();) {
    const Character next = first_character(text.substr(i));
    i += next.length;
    width += character_width(next.code_point);
    if (width + ellipsis_width <= columns) room = i;
    if (width > columns) return std::string(text.substr(0, room)) + std::string(ellipsis);
  }
  return std::string(text);
}

std::string padded(std::string_view text, std::size_t columns) {
  const std::size_t width = display_width(text);
  return std::string(text) + std::string(width < columns ? columns - width : 0, ' ');
}

void append_excerpt(std::string& out, const std::string& title, std::string_view text, std::size_t lines, bool tail) {
  constexpr std::size_t max_bytes = 8 * 1024;
  if (text.find_first_not_of(" \t\n") == std::string_view::npos) return;
  std::string clean = cleaned_for_terminal(
      tail && text.size() > max_bytes ? text.substr(text.size() - max_bytes) : text.substr(0, max_bytes), true);
  while (clean.ends_with('\n')) clean.pop_back();
  bool cut = text.size() > max_bytes;
  std::vector<std::string_view> all;
  for (std::size_t begin = 0; begin <= clean.size();) {
    const std::size_t end = std::min(clean.find('\n', begin), clean.size());
    all.push_back(std::string_view(clean).substr(begin, end - begin));
    begin = end + 1;
  }
  if (all.size() > lines) {
    cut = true;
    if (tail) {
      all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(lines));
    } else {
      all.resize(lines);
    }
  }
  out += "  " + title + (cut ? (tail ? " (the end of it)" : " (the beginning of it)") : "") + ":\n";
  for (const std::string_view line : all) out += "    | " + std::string(line) + "\n";
}

// ---- The outputs of a step, as lines.

namespace {

constexpr std::size_t max_kept_line = 64UL * 1024;   // bytes
constexpr std::size_t max_kept = 4UL * 1024 * 1024;  // bytes, of one step

OutputLine line_of(bool is_error_stream, std::string& begun) {
  OutputLine line{is_error_stream, cleaned_line(begun)};
  begun.clear();
  return line;
}

}  // namespace

std::vector<OutputLine> StepOutput::add(bool is_error_stream, std::string_view bytes) {
  Stream& stream = streams_[is_error_stream ? 1 : 0];
  std::vector<OutputLine> lines;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find_first_of("\r\n"), bytes.size());
    if (end > 0) {
      // A carriage return clears the line only when other text follows: before a newline, it has no effect.
      if (std::exchange(stream.returned, false)) stream.begun.clear();
      const std::size_t taken = std::min(end, max_kept_line - stream.begun.size());
      stream.begun += bytes.substr(0, taken);
      bytes.remove_prefix(taken);
      if (stream.begun.size() == max_kept_line) lines.push_back(line_of(is_error_stream, stream.begun));
      continue;
    }
    if (bytes.front() == '\n') lines.push_back(line_of(is_error_stream, stream.begun));
    stream.returned = bytes.front() == '\r';
    bytes.remove_prefix(1);
  }
  return lines;
}

std::vector<OutputLine> StepOutput::finish() {
  std::vector<OutputLine> lines;
  for (const bool is_error_stream : {false, true}) {
    Stream& stream = streams_[is_error_stream ? 1 : 0];
    if (!stream.begun.empty()) lines.push_back(line_of(is_error_stream, stream.begun));
    stream.returned = false;
  }
  return lines;
}

void KeptLines::add(std::vector<OutputLine> lines) {
  for (OutputLine& line : lines) {
    bytes_ += line.text.size() + sizeof line;
    lines_.push_back(std::move(line));
  }
  while (bytes_ > max_kept) {
    bytes_ -= lines_.front().text.size() + sizeof lines_.front();
    lines_.pop_front();
    ++left_out_;
  }
}

}  // namespace wtool::host
