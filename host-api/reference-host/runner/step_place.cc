#include "runner/step_place.h"

#include <charconv>
#include <system_error>
#include <utility>

namespace wtool::host::runner {

std::string place_name(const StepPlace& place) { return place.branch + '/' + std::to_string(place.sequence); }

std::string beginning_inside(const StepPlace& place) { return place_name(place) + ':'; }

std::string branch_inside(const StepPlace& place, std::string_view name) {
  return beginning_inside(place).append(name);
}

bool is_inside(std::string_view inner, const StepPlace& outer) { return inner.starts_with(beginning_inside(outer)); }

std::optional<StepPlace> parent_of(std::string_view branch) {
  // Names never contain a colon, but may contain a slash.
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

bool is_on_or_below(std::string_view inner, std::string_view outer) {
  std::string at(inner);
  while (at.size() > outer.size()) {
    auto parent = parent_of(at);
    if (!parent) return false;
    at = std::move(parent->branch);
  }
  return at == outer;
}

}  // namespace wtool::host::runner
