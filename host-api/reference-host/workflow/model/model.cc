#include "workflow/model/model.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/json.h"
#include "base/sha256.h"
#include "base/text.h"
#include "expressions/value.h"

namespace wtool::host::workflow {

Placement place_of(const Workflow& workflow, std::size_t state, const Placement& around) {
  Placement found;
  const auto take = [](std::string& into, const std::string& word) {
    if (into.empty()) into = word;
  };
  while (state != no_state) {
    const State& at = workflow.states[state];
    const PlaceOptions& own = at.action ? at.action->options.place : at.place;
    take(found.on, own.on.name);
    take(found.slot, own.slot.name);
    found.limits = stricter(found.limits, own.limits);
    state = at.around == no_state ? no_state : workflow.states[at.around].other_half;
  }
  take(found.on, around.on);
  take(found.slot, around.slot);
  found.limits = stricter(found.limits, around.limits);
  return found;
}

bool is_inside(const Workflow& workflow, std::size_t state, std::size_t end) {
  for (std::size_t at = workflow.states[state].around; at != no_state; at = workflow.states[at].around) {
    if (at == end) return true;
  }
  return false;
}

StepLimits stricter(const StepLimits& one, const StepLimits& other) {
  const auto least = [](auto a, auto b) { return a == 0 || (b != 0 && b < a) ? b : a; };
  return {one.read_only || other.read_only, one.no_network || other.no_network,
          least(one.memory_bytes, other.memory_bytes), least(one.cpu_seconds, other.cpu_seconds),
          least(one.processes, other.processes)};
}

std::string limits_text(const StepLimits& limits) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  if (limits.read_only) object["sandbox"] = "read-only";
  if (limits.no_network) object["network"] = "deny";
  if (limits.memory_bytes != 0) object["memory_bytes"] = limits.memory_bytes;
  if (limits.cpu_seconds != 0) object["cpu_seconds"] = limits.cpu_seconds;
  if (limits.processes != 0) object["processes"] = limits.processes;
  return object.empty() ? std::string() : object.dump();
}

std::vector<std::pair<std::string, std::string>> limit_words(const StepLimits& limits) {
  std::vector<std::pair<std::string, std::string>> words;
  if (limits.read_only) words.emplace_back("sandbox", "read-only");
  if (limits.no_network) words.emplace_back("network", "deny");
  if (limits.memory_bytes != 0) {
    constexpr const char* units[] = {" bytes", " KiB", " MiB", " GiB", " TiB"};
    std::uint64_t amount = limits.memory_bytes;
    std::size_t unit = 0;
    for (; unit + 1 < std::size(units) && amount % 1024 == 0; ++unit) amount /= 1024;
    words.emplace_back("memory", std::to_string(amount) + units[unit]);
  }
  if (limits.cpu_seconds != 0) {
    words.emplace_back("cpu", duration_words(std::chrono::seconds(static_cast<std::int64_t>(limits.cpu_seconds))));
  }
  if (limits.processes != 0) words.emplace_back("processes", std::to_string(limits.processes));
  return words;
}

std::vector<const ShellAction*> shell_commands_of(const ActionKind& kind) {
  if (const auto* shell = std::get_if<ShellAction>(&kind)) return {shell};
  const auto* service = std::get_if<ServiceAction>(&kind);
  if (service == nullptr) return {};
  if (!service->ready) return {&service->run};
  return {&service->run, &*service->ready};
}

const std::vector<std::string>& run_names() {
  static const std::vector<std::string> names = {
      "success",       "failure", "exit_code", "is_error",  "result", "last_action_result", "output", "error",
      "workflow_name", "run_id",  "matrix",    "exhausted", "budget"};
  return names;
}

bool is_settable_run_name(std::string_view name) {
  return name == "result" || name == "output" || name == "error" || name == "budget" || name == "exhausted";
}

bool is_run_name(std::string_view name) {
  return std::find(run_names().begin(), run_names().end(), name) != run_names().end();
}

const std::vector<std::string>& outcome_fields() {
  static const std::vector<std::string> fields = {
      "stdout", "stderr", "content",  "exit_code",   "is_error",  "success", "failure",     "message",
      "error",  "json",   "metadata", "duration_ms", "variables", "matrix",  "stdout_file", "stderr_file"};
  return fields;
}

TemplateText template_text(MappedText written, Diagnostics& diagnostics) {
  TemplateText made;
  made.written = std::move(written);
  auto parsed = expressions::parse_template(made.written.text());
  if (const auto* errors = std::get_if<std::vector<expressions::ExpressionError>>(&parsed)) {
    for (const auto& error : *errors) diagnostics.add(made.written.locate(error.offset), error.message);
  } else {
    made.parsed = std::get<expressions::Template>(std::move(parsed));
  }
  return made;
}

TemplateText template_text(const std::string& written, std::size_t offset, Diagnostics& diagnostics) {
  MappedText text;
  text.append(written, offset);
  return template_text(std::move(text), diagnostics);
}

namespace {

bool is_literal(const expressions::Template& parsed, const std::string& written) {
  return parsed.placeholders.empty() && written.find("{%") == std::string::npos;
}

}  // namespace

std::string action_sha256(std::string_view written) { return sha256(written).substr(0, 16); }

bool is_literal(const TemplateText& text) { return is_literal(text.parsed, text.written.text()); }

bool is_literal(const CommandText& text) { return is_literal(text.parsed, text.written.text()); }

std::string problem_of_lock_name(const std::string& name) {
  constexpr std::size_t longest = 100;
  const bool fits =
      !name.empty() && name.size() <= longest && name.front() != '.' &&
      std::all_of(name.begin(), name.end(), [](char c) { return is_word_character(c) || c == '-' || c == '.'; });
  if (fits) return "";
  return "the name of a lock must have at most " + std::to_string(longest) +
         " characters, only letters, digits, _, - and dots, and no dot at its beginning; this is " +
         expressions::quoted_for_message(name);
}

std::optional<std::chrono::milliseconds> timeout_value(const std::string& text, std::string& why) {
  const auto duration = duration_value(text, max_timeout);
  if (duration && duration->count() > 0) return duration;
  why =
      "a timeout must be a number of seconds, or a duration such as 300ms, 30s, 5m or 2h, and at least 1ms and at "
      "most " +
      std::to_string(max_timeout / 3600) + "h (100 years); this is " + expressions::quoted_for_message(text);
  return std::nullopt;
}

std::optional<std::chrono::milliseconds> duration_value(std::string_view text, std::int64_t longest) {
  static constexpr std::array<std::pair<std::string_view, double>, 4> units = {
      {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}}};
  double unit = 1000;
  for (const auto& [name, milliseconds] : units) {
    if (!text.ends_with(name)) continue;
    text.remove_suffix(name.size());
    unit = milliseconds;
    break;
  }
  double number = 0;
  if (!read_number(text, number, std::chars_format::fixed)) return std::nullopt;
  if (!(number >= 0) || number * unit > static_cast<double>(longest) * 1000) return std::nullopt;
  return std::chrono::milliseconds(std::llround(number * unit));
}

std::vector<std::string> answer_fields(const nlohmann::json& schema) {
  std::vector<std::string> names;
  std::vector<const nlohmann::json*> todo = {&schema};
  while (!todo.empty()) {
    const nlohmann::json& one = *todo.back();
    todo.pop_back();
    if (!one.is_object()) continue;
    if (const auto properties = one.find("properties"); properties != one.end() && properties->is_object()) {
      for (const auto& [name, ignored] : properties->items()) names.push_back(name);
    }
    for (const char* key : {"allOf", "anyOf", "oneOf"}) {
      if (const auto parts = one.find(key); parts != one.end()) {
        for (const nlohmann::json& part : *parts) todo.push_back(&part);
      }
    }
    for (const char* key : {"then", "else"}) {
      if (const auto part = one.find(key); part != one.end()) todo.push_back(&*part);
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

nlohmann::json as_seconds(std::chrono::milliseconds duration) {
  if (duration.count() % 1000 == 0) return duration.count() / 1000;
  return static_cast<double>(duration.count()) / 1000;
}

std::string duration_words(std::chrono::milliseconds duration) {
  const std::int64_t count = duration.count();
  if (count > 0 && count % 60'000 == 0) return std::to_string(count / 60'000) + " min";
  if (count % 1000 == 0) return std::to_string(count / 1000) + " s";
  return std::to_string(count) + " ms";
}

}  // namespace wtool::host::workflow
