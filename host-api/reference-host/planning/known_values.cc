#include "planning/known_values.h"

#include <algorithm>

#include "base/json.h"
#include "runner/actions.h"
#include "workflow/quoting/command_template.h"

namespace wtool::host::planning {
namespace {

using expressions::ExpressionError;
using expressions::NameUse;
using expressions::Placeholder;
using expressions::Template;
using expressions::Value;
using runner::Secrets;
using workflow::Assignment;
using workflow::CommandText;
using workflow::State;
using workflow::TemplateText;

// The longest chain of variables whose values depend on one another. Variables further along a chain stay open.
constexpr int max_chain = 100;

NameUse use_of(const Placeholder& placeholder) {
  return {placeholder.name, "", placeholder.offset, placeholder.has(expressions::Filter::Kind::fallback)};
}

// `<build.stdout | trim>`
std::string mark_of(const Placeholder& placeholder) {
  std::string_view inner = placeholder.source;
  const std::size_t ends = inner.starts_with("${") ? 1 : 2;
  inner.remove_prefix(2);
  inner.remove_suffix(std::min(ends, inner.size()));
  while (inner.starts_with('-')) inner.remove_prefix(1);
  while (inner.ends_with('-')) inner.remove_suffix(1);
  return "<" + std::string(workflow::trim(inner)) + ">";
}

// The template with a mark in place of each open placeholder; `kept` gets the indices of the other placeholders.
Template with_marks(const Template& text, const KnownValues& values, std::vector<std::size_t>& kept) {
  Template made;
  made.texts.push_back(text.texts[0]);
  for (std::size_t i = 0; i < text.placeholders.size(); ++i) {
    const Placeholder& placeholder = text.placeholders[i];
    if (!placeholder.literal && values.is_open(use_of(placeholder))) {
      made.texts.back() += mark_of(placeholder) + text.texts[i + 1];
      continue;
    }
    kept.push_back(i);
    made.placeholders.push_back(placeholder);
    made.texts.push_back(text.texts[i + 1]);
  }
  return made;
}

Filled result_of(std::variant<std::string, ExpressionError> rendered, const std::string& written, bool complete) {
  if (const auto* error = std::get_if<ExpressionError>(&rendered)) return {written, false, error->message};
  return {std::get<std::string>(std::move(rendered)), complete, ""};
}

Filled filled_template(const Template& text, const std::string& written, const KnownValues& values) {
  if (values.knows_all(text)) return result_of(expressions::render_text(text, values), written, true);
  if (text.has_tags()) return {written, false, ""};
  std::vector<std::size_t> kept;
  return result_of(expressions::render_text(with_marks(text, values, kept), values), written, false);
}

}  // namespace

KnownValues::KnownValues(const workflow::Workflow& workflow, std::map<std::string, Value> inputs,
                         std::set<std::string> open, const std::set<std::string>& set_by_agents, Secrets& secrets)
    : workflow_(workflow) {
  for (const workflow::Parameter& parameter : workflow.parameters) {
    const auto value = inputs.find(parameter.name);
    if (parameter.secret && value != inputs.end()) secrets.add(expressions::to_text(value->second));
  }
  for (auto& [name, value] : inputs) values_.emplace(name, std::move(value));
  for (const std::string& name : open) {
    values_.erase(name);
    open_.insert(name);
  }
  read_assignments(secrets);
  for (const std::string& name : workflow::run_names()) {
    if (!values_.contains(name)) open_.insert(name);
  }
  for (const State& state : workflow.states) {
    if (!values_.contains(state.id)) open_.insert(state.id);
  }
  for (const std::string& name : set_by_agents) {
    if (!values_.contains(name)) open_.insert(name);
  }
}

void KnownValues::read_assignments(Secrets& secrets) {
  struct Only {
    const Assignment* assignment;
    bool secret;
  };
  std::map<std::string, Only> wanted;
  const auto written = [&](const std::string& name) {
    const bool again = values_.erase(name) > 0 || wanted.erase(name) > 0 || open_.contains(name);
    open_.insert(name);
    return again;
  };
  for (const State& state : workflow_.states) {
    if (!state.action) continue;
    if (!state.action->options.result.name.empty()) written(state.action->options.result.name);
    if (const auto* service = std::get_if<workflow::ServiceAction>(&state.action->kind)) {
      if (!service->free_port.name.empty()) written(service->free_port.name);
    }
    const auto* set = std::get_if<workflow::SetAction>(&state.action->kind);
    if (set == nullptr) continue;
    for (const Assignment& assignment : set->assignments) {
      if (written(assignment.name) || workflow::is_run_name(assignment.name)) continue;
      wanted.emplace(assignment.name, Only{&assignment, set->secret});
    }
  }
  // There are several rounds, because the value of a variable may need another variable that is set further down in the
  // file.
  for (int round = 0; round < max_chain; ++round) {
    std::map<std::string, Value> found;
    for (const auto& [name, only] : wanted) {
      if (const auto* literal = std::get_if<Value>(&only.assignment->value)) {
        found.emplace(name, *literal);
        continue;
      }
      const Template& text = std::get<TemplateText>(only.assignment->value).parsed;
      if (!knows_all(text)) continue;
      auto value = runner::rendered_value(text, *this);
      if (auto* known = std::get_if<Value>(&value)) found.emplace(name, std::move(*known));
    }
    if (found.empty()) break;
    for (auto& [name, value] : found) {
      if (wanted.at(name).secret) secrets.add(expressions::to_text(value));
      values_.insert_or_assign(name, std::move(value));
      set_.insert(name);
      open_.erase(name);
      wanted.erase(name);
    }
  }
}

const Value* KnownValues::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

std::string KnownValues::why_not(std::string_view name) const {
  return "the value of '" + std::string(name) + "' is not known before the run";
}

bool KnownValues::is_open(const NameUse& use) const {
  if (values_.contains(use.name)) return use.optional && set_.contains(use.name);
  return !use.optional || open_.contains(use.name);
}

bool KnownValues::knows_all(const Template& text) const {
  const std::vector<NameUse> uses = expressions::names_used(text);
  return std::none_of(uses.begin(), uses.end(), [this](const NameUse& use) { return is_open(use); });
}

void KnownValues::set_local(const std::string& name, Value value) {
  open_.erase(name);
  values_.insert_or_assign(name, std::move(value));
}

Filled filled(const TemplateText& text, const KnownValues& values) {
  return filled_template(text.parsed, text.written.text(), values);
}

Filled filled(const CommandText& command, const KnownValues& values) {
  const std::string& written = command.written.text();
  if (values.knows_all(command.parsed)) return result_of(render_command(command, values), written, true);
  if (command.parsed.has_tags()) return {written, false, ""};
  CommandText partial;
  std::vector<std::size_t> kept;
  partial.parsed = with_marks(command.parsed, values, kept);
  for (const std::size_t index : kept) partial.places.push_back(command.places[index]);
  return result_of(render_command(partial, values), written, false);
}

nlohmann::json filled_json(const nlohmann::json& json, const KnownValues& values, bool& complete,
                           std::string& problem) {
  if (json.is_string()) {
    const auto& written = json.get_ref<const std::string&>();
    const auto parsed = expressions::parse_template(written);
    const auto* text = std::get_if<Template>(&parsed);
    if (text == nullptr) return json;  // the check of the workflow has already refused it
    if (values.knows_all(*text)) {
      std::string why;
      if (const auto value = runner::rendered_arguments(json, values, why)) return *value;
      complete = false;
      problem = why;
      return json;
    }
    complete = false;
    return filled_template(*text, written, values).text;
  }
  if (!json.is_structured()) return json;
  nlohmann::json made = json.is_object() ? nlohmann::json::object() : nlohmann::json::array();
  for (const auto& [key, entry] : json.items()) {
    nlohmann::json inner = filled_json(entry, values, complete, problem);
    if (json.is_object()) {
      made[key] = std::move(inner);
    } else {
      made.push_back(std::move(inner));
    }
  }
  return made;
}

}  // namespace wtool::host::planning
