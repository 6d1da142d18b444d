#include "workflow/findings.h"

#include <algorithm>

#include "workflow/suggestion.h"

namespace wtool::host::workflow {

void Findings::add(std::size_t offset, std::string message, std::string suggestion) {
  if (suggestion.empty()) suggestion = suggested_in(message);
  entries_.push_back({offset, Finding::Severity::error, std::move(message), std::move(suggestion)});
  ++errors_;
}

void Findings::warn(std::size_t offset, std::string message, std::string suggestion) {
  if (suggestion.empty()) suggestion = suggested_in(message);
  entries_.push_back({offset, Finding::Severity::warning, std::move(message), std::move(suggestion)});
}

std::vector<Finding> Findings::sorted() const {
  std::vector<Finding> sorted = entries_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

std::string Findings::text(const Source& source) const {
  const std::vector<Finding> all = sorted();
  std::string out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == most_findings_shown) {
      out += source.name() + ": and " + std::to_string(all.size() - i) + " more findings\n";
      break;
    }
    const Position position = source.position(all[i].offset);
    out += source.name() + ":" + std::to_string(position.line) + ":" + std::to_string(position.column) +
           (all[i].severity == Finding::Severity::error ? ": error: " : ": warning: ") + all[i].message + "\n";
  }
  return out;
}

}  // namespace wtool::host::workflow
