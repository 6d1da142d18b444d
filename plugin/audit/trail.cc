#include "audit/trail.h"

#include <nlohmann/json.hpp>

#include "audit/trail_file.h"

namespace wtool::audit {

Trail::Trail(TrailOptions options) : options_(std::move(options)) {}

Trail::~Trail() = default;

std::string Trail::write(std::string_view event, const nlohmann::ordered_json& fields) {
  if (options_.file.empty()) return {};
  TrailFile file(options_);
  std::string problem = file.open();
  if (problem.empty()) problem = file.append(event, fields);
  if (problem.empty()) problem = file.finish();
  return problem.empty() ? problem : "the audit trail " + options_.file + " cannot be written: " + problem;
}

}  // namespace wtool::audit
