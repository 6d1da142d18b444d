#include "workflow/model/diagnostics.h"

#include <algorithm>

#include "workflow/model/source_line.h"
#include "workflow/model/suggestion.h"

namespace wtool::host::workflow {

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
      for (; offset < at; ++offset) {
        position.column += (static_cast<unsigned char>(source.text()[offset]) & 0xc0) != 0x80 ? 1 : 0;
      }
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
  std::string out;
  std::size_t shown = 0;
  for (const auto& [position, diagnostic] : all) {
    if (shown++ == max_diagnostics_shown) {
      const std::size_t more = all.size() - max_diagnostics_shown + dropped_errors_ + dropped_warnings_;
      out += source.name() + ": and " + std::to_string(more) + (more == 1 ? " more finding\n" : " more findings\n");
      break;
    }
    out += source.name() + ":" + std::to_string(position.line) + ":" + std::to_string(position.column) +
           (diagnostic.severity == Diagnostic::Severity::error ? ": error: " : ": warning: ") + diagnostic.message +
           "\n";
    if (lines) out += line_with_caret(source, diagnostic.offset);
  }
  return out;
}

}  // namespace wtool::host::workflow
