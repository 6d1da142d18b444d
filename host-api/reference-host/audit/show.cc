#include "audit/verify.h"

#include <array>
#include <cstdio>
#include <deque>
#include <utility>
#include <vector>

#include "audit/reader.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/utf8.h"

namespace wtool::host::audit {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t event_width = 9;

// A member as text: strings escaped for a terminal, numbers and truth values as JSON writes them, everything else as an
// empty text.
std::string text_of(const ordered_json& event, const char* key) {
  const auto found = event.find(key);
  if (found == event.end()) return {};
  if (found->is_string()) return escaped(found->get_ref<const std::string&>());
  return found->is_primitive() && !found->is_null() ? found->dump() : std::string();
}

// "12 ms", "3.4 s", "5 min 06 s"
std::string duration_of(const ordered_json& event) {
  const auto found = event.find("duration_ms");
  if (found == event.end() || !found->is_number_unsigned()) return {};
  const auto ms = found->get<std::uint64_t>();
  char text[64];
  if (ms < 1000) {
    std::snprintf(text, sizeof text, "%d ms", static_cast<int>(ms));
  } else if (ms < 60'000) {
    std::snprintf(text, sizeof text, "%d.%d s", static_cast<int>(ms / 1000), static_cast<int>(ms % 1000 / 100));
  } else {
    std::snprintf(text, sizeof text, "%llu min %02d s", static_cast<unsigned long long>(ms / 60'000),
                  static_cast<int>(ms / 1000 % 60));
  }
  return text;
}

std::string ending_of(const ordered_json& event) {
  if (std::string how = text_of(event, "how"); !how.empty()) return how;
  if (const std::string signal = text_of(event, "signal"); !signal.empty()) return "signal " + signal;
  const std::string code = text_of(event, "exit_code");
  return code.empty() ? code : "exit " + code;
}

std::string labelled(const char* label, const std::string& text) {
  return text.empty() ? text : std::string(label) + ' ' + text;
}

std::string in_brackets(const std::string& text) { return text.empty() ? text : '(' + text + ')'; }

// What is shown for a kind of event, in this order. The command comes last, where a cut does the least harm.
std::vector<std::string> details_of(const std::string& kind, const ordered_json& event) {
  const auto text = [&](const char* key) { return text_of(event, key); };
  if (kind == "start") {
    return {text("tool"), text("verdict"), in_brackets(text("rule")), text("directory"), text("command")};
  }
  if (kind == "end") {
    return {text("tool"), ending_of(event), duration_of(event), labelled("stdout", text("stdout_bytes")),
            labelled("stderr", text("stderr_bytes"))};
  }
  if (kind == "refusal") {
    return {text("tool"), text("code"), in_brackets(text("rule")), text("reason"), text("directory"), text("command")};
  }
  if (kind == "approval" && event.contains("run")) {
    return {text("answer"), text("who"), text("run"), text("state"), text("question"), in_brackets(text("comment"))};
  }
  if (kind == "approval") return {text("answer"), text("directory"), text("command")};
  if (kind == "up_to_date") {
    return {text("tool"),      text("run"),    text("state"), labelled("from", text("result_of")),
            text("directory"), text("command")};
  }
  std::vector<std::string> all;
  for (const auto& [key, value] : event.items()) {
    bool of_every_line = false;
    for (const char* known : {"time", "seq", "event", "call", "prev", "hash"}) of_every_line |= key == known;
    if (of_every_line) continue;
    if (const std::string shown = text_of(event, key.c_str()); !shown.empty())
      all.push_back(escaped(key) + '=' + shown);
  }
  return all;
}

// In JSON, characters beyond ASCII occur only in strings, where they can be written as \uNNNN as well.
std::string in_ascii(std::string_view line) {
  std::string out;
  const auto unit = [&out](unsigned value) {
    char text[16];
    std::snprintf(text, sizeof text, "\\u%04x", value);
    out += text;
  };
  for (std::size_t i = 0; i < line.size();) {
    const auto [code, length, valid] = first_character(line.substr(i));
    i += length;
    if (code < 0x7f) {
      out += static_cast<char>(code);
    } else if (code < 0x10000) {
      unit(code);
    } else {
      unit(0xd800U + ((code - 0x10000U) >> 10U));
      unit(0xdc00U + ((code - 0x10000U) & 0x3ffU));
    }
  }
  return out;
}

ordered_json parsed(std::string_view line) {
  ordered_json event = parse_ordered_json(line);
  return event.is_object() && event.contains("time") && event.contains("event") ? event : ordered_json();
}

std::string described(const ordered_json& event) {
  const std::string kind = text_of(event, "event");
  std::string text = text_of(event, "time") + "  " + kind;
  text.append(kind.size() < event_width ? event_width - kind.size() : 0, ' ');
  std::vector<std::string> parts = details_of(kind, event);
  parts.insert(parts.begin(), text_of(event, "call"));
  for (const std::string& part : parts) {
    if (!part.empty()) text += "  " + part;
  }
  return text;
}

using Print = std::function<bool(std::string_view line)>;

// Prints lines immediately or, if only the last lines are wanted, at the end.
class LastLines {
 public:
  LastLines(std::uint64_t last, const Print& print) : last_(last), print_(print) {}

  // Takes the next line. False: `print` wants no more lines.
  bool add(std::string text) {
    if (last_ == 0) return print_(text);
    kept_.push_back(std::move(text));
    if (kept_.size() > last_) kept_.pop_front();
    return true;
  }
  void finish() const {
    for (const std::string& text : kept_) {
      if (!print_(text)) return;
    }
  }

 private:
  const std::uint64_t last_;
  const Print& print_;
  std::deque<std::string> kept_;
};

// Keeps unreadable lines back until the first event shows that the file is a trail, because nobody wants to see the
// text of another file. Only the first of these lines are kept, and the others are counted.
class Doubtful {
 public:
  explicit Doubtful(LastLines& lines) : lines_(lines) {}

  bool add(std::string text) {
    if (is_trail_) return lines_.add(std::move(text));
    if (waiting_.size() < max_waiting) {
      waiting_.push_back(std::move(text));
    } else {
      ++left_out_;
    }
    return true;
  }
  // Call it when an event was read: the file is a trail. False: `print` wants no more lines.
  bool confirm() {
    if (std::exchange(is_trail_, true)) return true;
    if (left_out_ > 0) waiting_.push_back("... and " + std::to_string(left_out_) + " more lines cannot be read");
    for (std::string& text : std::exchange(waiting_, {})) {
      if (!lines_.add(std::move(text))) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t max_waiting = 16;
  LastLines& lines_;
  bool is_trail_ = false;
  std::vector<std::string> waiting_;
  std::uint64_t left_out_ = 0;
};

}  // namespace

std::string describe(std::string_view line) {
  const ordered_json event = parsed(line);
  return event.is_null() ? std::string() : described(event);
}

std::string show(const std::string& file, const ShowOptions& options,
                 const std::function<bool(std::string_view line)>& print) {
  std::string error;
  auto parts = find_parts(file, error);
  if (!parts) return error;
  LastLines lines(options.last, print);
  Doubtful doubtful(lines);
  bool shown_first = false;
  bool is_trail = false;
  bool has_lines = false;
  for (Part& part : *parts) {
    if (const int failed = open_part(part, error); failed != 0) {
      // The oldest file may disappear at any time: a rotation removes files beyond the limit.
      if (failed != ENOENT || shown_first) return error;
      continue;
    }
    shown_first = true;
    LineReader reader(part);
    RawLine line;
    while (reader.next(line)) {
      has_lines = true;
      const ordered_json event = line.size == line.text.size() ? parsed(line.text) : ordered_json();
      if (event.is_null()) {
        if (!options.event.empty() || options.json) continue;
        if (!doubtful.add(escaped(part.name) + ", line " + std::to_string(line.number) +
                          ", cannot be read: " + escaped(line.text))) {
          return {};
        }
        continue;
      }
      is_trail = true;
      if (!doubtful.confirm()) return {};
      if (!options.event.empty() && text_of(event, "event") != options.event) continue;
      if (!lines.add(options.json ? in_ascii(line.text) : described(event))) return {};
    }
    if (!reader.error().empty()) return reader.error();
    part.file = Descriptor();
  }
  lines.finish();
  if (has_lines && !is_trail) return escaped(file) + " is not an audit trail: none of its lines is an event";
  return {};
}

}  // namespace wtool::host::audit
