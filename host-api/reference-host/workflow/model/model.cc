#include "workflow/model/model.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

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
    state = at.around == no_state ? no_state : workflow.states[at.around].other_half;
  }
  take(found.on, around.on);
  take(found.slot, around.slot);
  return found;
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
      "success", "failure", "exit_code",     "is_error", "result", "last_action_result",
      "output",  "error",   "workflow_name", "run_id",   "matrix"};
  return names;
}

bool is_settable_run_name(std::string_view name) { return name == "result" || name == "output" || name == "error"; }

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

bool is_literal(const TemplateText& text) { return is_literal(text.parsed, text.written.text()); }

bool is_literal(const CommandText& text) { return is_literal(text.parsed, text.written.text()); }

std::optional<std::chrono::milliseconds> timeout_value(const std::string& text, std::string& why) {
  const auto duration = duration_value(text, max_timeout);
  if (duration && duration->count() > 0) return duration;
  why = "a timeout is a number of seconds, or a duration such as 300ms, 30s, 5m or 2h, and at least 1ms; this is " +
        expressions::quoted_for_message(text);
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
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  if (!(number >= 0) || number * unit > static_cast<double>(longest) * 1000) return std::nullopt;
  return std::chrono::milliseconds(std::llround(number * unit));
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
