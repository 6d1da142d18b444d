#include "reporting/step_place.h"

#include <charconv>

namespace wtool::host::workflow {

std::optional<StepPlace> parent_of(std::string_view branch) {
  // No name has a colon, and some have a slash.
  const std::size_t colon = branch.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::size_t slash = branch.rfind('/', colon);
  if (slash == std::string_view::npos) return std::nullopt;
  StepPlace parent{std::string(branch.substr(0, slash)), 0};
  const char* const end = branch.data() + colon;
  const auto read = std::from_chars(branch.data() + slash + 1, end, parent.sequence);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return parent;
}

std::string_view branch_name(std::string_view branch) {
  const std::size_t colon = branch.rfind(':');
  return colon == std::string_view::npos ? branch : branch.substr(colon + 1);
}

bool follows(const StepPlace& from, const StepPlace& place) {
  // Up from the place to the branch of `from`, or to one above it.
  for (std::optional<StepPlace> at = place; at; at = parent_of(at->branch)) {
    if (at->branch == from.branch) return at->sequence >= from.sequence;
    for (auto above = parent_of(from.branch); above; above = parent_of(above->branch)) {
      if (at->branch != above->branch) continue;
      // Below the step that leads down to `from`, there are also the branches beside it.
      return at->sequence > above->sequence || (at->sequence == above->sequence && *at == place);
    }
  }
  return false;
}

}  // namespace wtool::host::workflow
