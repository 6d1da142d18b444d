#include "configuration.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "json_text.h"

namespace wtool {

namespace {

using Json = nlohmann::json;

// Reads the keys of one section, each once, and then says which are left.
class Section {
 public:
  Section(const Json& all, std::string name, std::string& error) : name_(std::move(name)), error_(error) {
    const auto found = all.find(name_);
    if (found == all.end()) return;
    if (found->is_object()) {
      rest_ = *found;
    } else {
      complain("", *found, "an object");
    }
  }

  template <typename Number>
  void number(const char* key, Number lowest, Number highest, bool whole, Number& value) {
    if (!take(key)) return;
    const Json& given = taken_;
    const double wanted = given.is_number() ? given.get<double>() : std::nan("");
    if (!(wanted >= static_cast<double>(lowest) && wanted <= static_cast<double>(highest)) ||
        (whole && wanted != std::floor(wanted))) {
      return complain(
          key, given,
          (whole ? "a whole number from " : "a number from ") + Json(lowest).dump() + " to " + Json(highest).dump());
    }
    value = static_cast<Number>(wanted);
  }

  void flag(const char* key, bool& value) {
    if (!take(key)) return;
    const Json& given = taken_;
    if (!given.is_boolean()) return complain(key, given, "true or false");
    value = given.get<bool>();
  }

  void absolute_path(const char* key, std::string& value) {
    if (!take(key)) return;
    const Json& given = taken_;
    if (!given.is_string() || !given.get_ref<const std::string&>().starts_with('/') ||
        given.get_ref<const std::string&>().find('\0') != std::string::npos) {
      return complain(key, given, "an absolute path");
    }
    value = given.get<std::string>();
  }

  void end() {
    if (error_.empty() && !rest_.empty()) {
      error_ = "configuration: there is no key " + name_ + "." + rest_.begin().key();
    }
  }

 private:
  bool take(const char* key) {
    const auto found = rest_.find(key);
    if (found == rest_.end()) return false;
    taken_ = std::move(*found);
    rest_.erase(found);
    return true;
  }

  void complain(const std::string& key, const Json& given, const std::string& allowed) {
    if (!error_.empty()) return;
    error_ = "configuration: " + name_ + (key.empty() ? "" : "." + key) + " is " + show_json(given) + "; allowed is " +
             allowed;
  }

  const std::string name_;
  std::string& error_;
  Json rest_ = Json::object();
  Json taken_;
};

}  // namespace

std::shared_ptr<const Configuration> parse_configuration(std::string_view text, std::string& error) {
  error.clear();
  Json all = Json::object();
  if (!text.empty()) {
    std::string problem;
    all = parse_json_object(text, problem);
    if (!problem.empty()) {
      error = "configuration: " + problem;
      return nullptr;
    }
  }
  auto configuration = std::make_shared<Configuration>();
  for (const auto& [key, value] : all.items()) {
    if (key != "shell" && key != "limits" && key != "output") {
      error = "configuration: there is no section " + key + "; there are shell, limits and output";
      return nullptr;
    }
  }
  Section shell(all, "shell", error);
  shell.absolute_path("program", configuration->shell);
  shell.flag("direct_exec", configuration->direct_exec);
  shell.end();

  Section limits(all, "limits", error);
  std::int64_t timeout_max = configuration->timeout_max.count();
  limits.number<std::int64_t>("timeout_max", 1, 1800, true, timeout_max);
  std::int64_t timeout_default = std::min<std::int64_t>(configuration->timeout_default.count(), timeout_max);
  limits.number<std::int64_t>("timeout_default", 1, timeout_max, true, timeout_default);
  double grace_seconds = 2;
  limits.number<double>("grace_seconds", 0, 60, false, grace_seconds);
  limits.end();
  configuration->timeout_max = std::chrono::seconds(timeout_max);
  configuration->timeout_default = std::chrono::seconds(timeout_default);
  configuration->grace = std::chrono::milliseconds(static_cast<std::int64_t>(grace_seconds * 1000));

  Section output(all, "output", error);
  output.number<std::size_t>("bytes", 4096, 64UL * 1024 * 1024, true, configuration->output_bytes);
  output.end();
  return error.empty() ? configuration : nullptr;
}

}  // namespace wtool
