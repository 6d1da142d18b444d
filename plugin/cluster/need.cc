#include "cluster/need.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace wtool::cluster {

namespace {

using nlohmann::json;

constexpr double usual_seconds = 300;
constexpr double most_seconds = 366 * 86400.0;

// Nothing of it: `otherwise`.
double seconds(const json& object, const char* name, double otherwise) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? std::clamp(found->get<double>(), 0.0, most_seconds) : otherwise;
}

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

}  // namespace

Need usual_need(const json& configuration) {
  const auto limits = configuration.find("limits");
  if (limits == configuration.end() || !limits->is_object()) return {milliseconds(usual_seconds)};
  const double most = seconds(*limits, "timeout_max", most_seconds);
  return {milliseconds(seconds(*limits, "timeout_default", std::min(usual_seconds, most)))};
}

Need need_of(const std::string& arguments, const Need& usual) {
  // Most calls have none, and arguments can be large.
  if (arguments.find("\"timeout\"") == std::string::npos) return usual;
  const json parsed = json::parse(arguments, nullptr, false);
  if (!parsed.is_object()) return usual;
  const double named = seconds(parsed, "timeout", 0);
  return named > 0 ? Need{milliseconds(named), true} : usual;
}

}  // namespace wtool::cluster
