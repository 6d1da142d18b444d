#include "workflow/model/diagnostics.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/character_width.h"
#include "base/edit_distance.h"
#include "base/escape.h"
#include "base/text.h"
#include "base/utf8.h"
#include "workflow/model/source.h"

namespace wtool::host::workflow {
namespace {

// ---- The line of a workflow file that a diagnostic is about, with a caret below the place.

// The most characters that are shown before the place, and from the place on.
constexpr std::size_t max_before = 60;
constexpr std::size_t max_after = 60;

// Two lines, each with a newline: the line of the source, and the caret. A long line is cut to the part around the
// place. Control characters are shown as '?', so that a file cannot control the terminal; tabs stay.
std::string line_with_caret(const Source& source, std::size_t offset) {
  offset = std::min(offset, source.text().size());
  const std::size_t index = source.line_at(offset);
  const std::string_view line = source.line(index);
  const auto start = static_cast<std::size_t>(line.data() - source.text().data());
  const std::size_t at = offset < start ? 0 : std::min(offset - start, line.size());

  std::size_t begin = at;
  for (std::size_t count = 0; begin > 0 && count < max_before; ++count) {
    do {
      --begin;
    } while (begin > 0 && continues_character(line[begin]));
  }
  std::string shown = begin > 0 ? "..." : "";
  std::string below(shown.size(), ' ');
  std::size_t end = begin;
  for (std::size_t count = 0; end < line.size() && count < max_after;) {
    const Character character = first_character(line.substr(end));
    const bool is_tab = character.code_point == '\t';
    const bool is_replaced = !is_tab && is_control(character.code_point);
    shown += is_replaced ? "?" : std::string(line.substr(end, character.length));
    if (end < at) {
      below += is_tab ? "\t" : std::string(is_replaced ? 1 : character_width(character.code_point), ' ');
    } else {
      ++count;
    }
    end += character.length;
  }
  if (end < line.size()) shown += "...";
  const std::string number = std::to_string(index + 1);
  const std::string margin(number.size() < 5 ? 5 - number.size() : 0, ' ');
  std::string out = margin + number + " |" + (shown.empty() ? "" : " " + shown) + "\n";
  return out + std::string(margin.size() + number.size(), ' ') + " | " + below + "^\n";
}

}  // namespace

void Diagnostics::add(std::size_t offset, std::string message, std::string suggestion) {
  ++errors_;
  if (entries_.size() == max_diagnostics_kept) {
    ++dropped_errors_;
    return;
  }
  if (suggestion.empty()) suggestion = suggested_in(message);
  entries_.push_back({offset, Diagnostic::Severity::error, std::move(message), std::move(suggestion)});
}

void Diagnostics::warn(std::size_t offset, std::string message, std::string suggestion) {
  if (entries_.size() == max_diagnostics_kept) {
    ++dropped_warnings_;
    return;
  }
  if (suggestion.empty()) suggestion = suggested_in(message);
  entries_.push_back({offset, Diagnostic::Severity::warning, std::move(message), std::move(suggestion)});
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  std::vector<Diagnostic> sorted = entries_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

std::vector<PlacedDiagnostic> Diagnostics::placed(const Source& source) const {
  std::vector<PlacedDiagnostic> placed;
  std::size_t line = static_cast<std::size_t>(-1);
  std::size_t offset = 0;
  Position position;
  for (Diagnostic& diagnostic : sorted()) {
    const std::size_t at = std::min(diagnostic.offset, source.text().size());
    if (source.line_at(at) != line) {
      line = source.line_at(at);
      position = source.position(at);
    } else {
      position.column += character_count(std::string_view(source.text()).substr(offset, at - offset));
    }
    offset = at;
    placed.push_back({position, std::move(diagnostic)});
  }
  return placed;
}

void Diagnostics::add_all(const Diagnostics& more) {
  for (const Diagnostic& one : more.entries_) {
    if (one.severity == Diagnostic::Severity::error) {
      add(one.offset, one.message, one.suggestion);
    } else {
      warn(one.offset, one.message, one.suggestion);
    }
  }
  errors_ += more.dropped_errors_;
  dropped_errors_ += more.dropped_errors_;
  dropped_warnings_ += more.dropped_warnings_;
}

std::string Diagnostics::text(const Source& source) const { return listed(source, false); }

std::string Diagnostics::with_lines(const Source& source) const { return listed(source, true); }

std::string Diagnostics::listed(const Source& source, bool lines) const {
  const std::vector<PlacedDiagnostic> all = placed(source);
  // Whoever makes a file chooses its name, which must not control the terminal or look like a line of its own.
  const std::string name = escaped(source.name());
  std::string out;
  std::size_t shown = 0;
  for (const auto& [position, diagnostic] : all) {
    if (shown++ == max_diagnostics_shown) {
      const std::size_t more = all.size() - max_diagnostics_shown + dropped_errors_ + dropped_warnings_;
      out += name + ": and " + counted(more, "more finding") + "\n";
      break;
    }
    out += name + ":" + std::to_string(position.line) + ":" + std::to_string(position.column) +
           (diagnostic.severity == Diagnostic::Severity::error ? ": error: " : ": warning: ") +
           escaped(diagnostic.message, "\n\t") + "\n";
    if (lines) out += line_with_caret(source, diagnostic.offset);
  }
  return out;
}

}  // namespace wtool::host::workflow
