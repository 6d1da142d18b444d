#include "workflow/model/findings.h"

#include <algorithm>

#include "workflow/model/source_line.h"
#include "workflow/model/suggestion.h"

namespace wtool::host::workflow {

void Findings::add(std::size_t offset, std::string message, std::string suggestion) {
  ++errors_;
  if (entries_.size() == most_findings_kept) {
    ++dropped_errors_;
    return;
  }
  if (suggestion.empty()) suggestion = suggested_in(message);
  entries_.push_back({offset, Finding::Severity::error, std::move(message), std::move(suggestion)});
}

void Findings::warn(std::size_t offset, std::string message, std::string suggestion) {
  if (entries_.size() == most_findings_kept) {
    ++dropped_warnings_;
    return;
  }
  if (suggestion.empty()) suggestion = suggested_in(message);
  entries_.push_back({offset, Finding::Severity::warning, std::move(message), std::move(suggestion)});
}

std::vector<Finding> Findings::sorted() const {
  std::vector<Finding> sorted = entries_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

std::vector<PlacedFinding> Findings::placed(const Source& source) const {
  std::vector<PlacedFinding> placed;
  std::size_t line = static_cast<std::size_t>(-1);
  std::size_t offset = 0;
  Position position;
  for (Finding& finding : sorted()) {
    const std::size_t at = std::min(finding.offset, source.text().size());
    if (source.line_at(at) != line) {
      line = source.line_at(at);
      position = source.position(at);
    } else {
      for (; offset < at; ++offset) {
        position.column += (static_cast<unsigned char>(source.text()[offset]) & 0xc0) != 0x80 ? 1 : 0;
      }
    }
    offset = at;
    placed.push_back({position, std::move(finding)});
  }
  return placed;
}

void Findings::add_all(const Findings& more) {
  for (const Finding& one : more.entries_) {
    if (one.severity == Finding::Severity::error) {
      add(one.offset, one.message, one.suggestion);
    } else {
      warn(one.offset, one.message, one.suggestion);
    }
  }
  errors_ += more.dropped_errors_;
  dropped_errors_ += more.dropped_errors_;
  dropped_warnings_ += more.dropped_warnings_;
}

std::string Findings::text(const Source& source) const { return listed(source, false); }

std::string Findings::with_lines(const Source& source) const { return listed(source, true); }

std::string Findings::listed(const Source& source, bool lines) const {
  const std::vector<PlacedFinding> all = placed(source);
  std::string out;
  std::size_t shown = 0;
  for (const auto& [position, finding] : all) {
    if (shown++ == most_findings_shown) {
      const std::size_t more = all.size() - most_findings_shown + dropped_errors_ + dropped_warnings_;
      out += source.name() + ": and " + std::to_string(more) + (more == 1 ? " more finding\n" : " more findings\n");
      break;
    }
    out += source.name() + ":" + std::to_string(position.line) + ":" + std::to_string(position.column) +
           (finding.severity == Finding::Severity::error ? ": error: " : ": warning: ") + finding.message + "\n";
    if (lines) out += line_with_caret(source, finding.offset);
  }
  return out;
}

}  // namespace wtool::host::workflow
