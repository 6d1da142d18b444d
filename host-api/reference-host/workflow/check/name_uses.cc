#include "base/json.h"
#include "workflow/check/checker.h"

#include <set>
#include <utility>

#include "workflow/actions/action_type.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {
namespace {

// The names in the condition of `{% if condition %}1{% endif %}`, and whether the condition is a single name.
struct Guard {
  std::set<std::string> names;
  bool is_name = false;
};

Guard guard_of(const std::string& text) {
  Guard made;
  const std::size_t begin = text.find("if");
  const std::size_t end = text.find("%}");
  if (begin == std::string::npos || end == std::string::npos || end < begin) return made;
  std::string_view condition = trim(std::string_view(text).substr(begin + 2, end - begin - 2));
  if (condition.ends_with('-')) condition = trim(condition.substr(0, condition.size() - 1));
  for (std::size_t i = 0; i < condition.size();) {
    std::size_t after = i;
    while (after < condition.size() && expressions::is_name_character(condition[after])) ++after;
    if (after > i) made.names.insert(std::string(condition.substr(i, after - i)));
    i = after > i ? after : i + 1;
  }
  made.is_name = made.names.size() == 1 && *made.names.begin() == condition;
  return made;
}

// The longer name at the beginning of `text`: the name of `name_size` bytes, and the words that dashes and dots join
// to it. Empty: no such word follows.
std::string longer_name(std::string_view text, std::size_t name_size) {
  if (name_size >= text.size() || (text[name_size] != '-' && text[name_size] != '.')) return "";
  std::size_t end = name_size;
  const auto is_part = [](char c) { return expressions::is_name_character(c) || c == '-' || c == '.'; };
  while (end < text.size() && is_part(text[end])) ++end;
  while (end > name_size && (text[end - 1] == '-' || text[end - 1] == '.')) --end;
  return end == name_size ? "" : std::string(text.substr(0, end));
}

class Collector final : public TextVisitor {
 public:
  Collector(std::vector<NameRead>& uses, Diagnostics* diagnostics) : uses_(uses), diagnostics_(diagnostics) {}

  void state(std::size_t index, const State& state) {
    state_ = index;
    for (const Transition& exit : state.exits) {
      for (const expressions::NameUse& name : exit.condition.names) {
        NameRead use{name.name, name.field, "", exit.label_offset + name.offset};
        use.longer = longer_name(std::string_view(exit.label).substr(name.offset), name.name.size());
        use.may_be_missing = name.optional;
        use.whole_condition = name.name == exit.label;
        use.state = index;
        uses_.push_back(std::move(use));
      }
    }
    if (!state.action) return;
    options(state.action->options);
    type_of(state.action->kind).texts(state.action->kind, *this);
  }

 private:
  using TextVisitor::text;
  void text(const TemplateText& one) override { names(one.parsed, one.written); }
  void command(const CommandText& one) override { names(one.parsed, one.written, true); }

  void names(const expressions::Template& parsed, const MappedText& written, bool in_command = false) {
    const std::size_t tags = written.text().find("{%");
    for (const expressions::NameUse& name : expressions::names_used(parsed)) {
      NameRead use{name.name, name.field, "", written.locate(name.offset)};
      std::string_view at = std::string_view(written.text()).substr(std::min(name.offset, written.text().size()));
      at.remove_prefix(std::min(at.find_first_not_of("${- \t\n"), at.size()));
      use.longer = longer_name(at, name.name.size());
      use.may_be_missing = name.optional;
      use.in_command = in_command && std::string_view(written.text()).substr(name.offset).starts_with("${");
      use.state = state_;
      use.in_action = true;
      use.after_tag = tags < name.offset;
      uses_.push_back(std::move(use));
    }
  }

  // Collects the names in the strings of a JSON value, which are templates. Mistakes are reported at `offset`.
  void json(const nlohmann::json& value, std::size_t offset) override {
    if (value.is_string()) {
      const auto& written = value.get_ref<const std::string&>();
      auto parsed = expressions::parse_template(written);
      if (const auto* errors = std::get_if<std::vector<expressions::ExpressionError>>(&parsed)) {
        if (diagnostics_ == nullptr) return;
        for (const auto& error : *errors) {
          diagnostics_->add(offset, "in the text " + expressions::quoted_for_message(written) + ": " + error.message);
        }
        return;
      }
      const std::size_t first = uses_.size();
      names(std::get<expressions::Template>(parsed), MappedText());
      for (std::size_t i = first; i < uses_.size(); ++i) {
        uses_[i].offset = offset;
        uses_[i].after_tag = written.find("{%") != std::string::npos;
      }
      return;
    }
    if (!value.is_structured()) return;
    for (const auto& entry : value) json(entry, offset);
  }

  void options(const ActionOptions& options) {
    text(options.timeout);
    text(options.total_timeout);
    text(options.lock);
    if (options.matrix) json(*options.matrix, options.matrix_offset);
    if (options.cache.inputs) json(*options.cache.inputs, options.cache.offset);
    if (options.cache.outputs) json(*options.cache.outputs, options.cache.offset);
    if (options.keep) json(*options.keep, options.keep_offset);
  }

  void arguments(const std::vector<Argument>& arguments) override {
    for (const Argument& argument : arguments) {
      const std::size_t first = uses_.size();
      value(argument.value);
      if (!argument.guard) continue;
      // Where the argument uses a name that the guard tests, the name may be missing. If the guard is only that name,
      // it may be missing in the guard, too.
      const Guard guard = guard_of(argument.guard->written.text());
      for (std::size_t i = first; i < uses_.size(); ++i) {
        if (guard.names.contains(uses_[i].name)) uses_[i].may_be_missing = true;
      }
      const std::size_t own = uses_.size();
      text(*argument.guard);
      for (std::size_t i = own; i < uses_.size(); ++i) uses_[i].may_be_missing |= guard.is_name;
    }
  }

  std::vector<NameRead>& uses_;
  Diagnostics* diagnostics_;
  std::size_t state_ = no_state;
};

}  // namespace

std::vector<NameRead> name_uses(const Workflow& workflow, Diagnostics* diagnostics) {
  std::vector<NameRead> uses;
  Collector collector(uses, diagnostics);
  for (std::size_t i = 0; i < workflow.states.size(); ++i) collector.state(i, workflow.states[i]);
  return uses;
}

std::set<std::string, std::less<>> names_defined(const Workflow& workflow, const std::vector<std::string>& given) {
  std::set<std::string, std::less<>> names(given.begin(), given.end());
  names.insert(run_names().begin(), run_names().end());
  names.insert(workflow.ambiguous_names.begin(), workflow.ambiguous_names.end());
  for (const Parameter& parameter : workflow.parameters) names.insert(parameter.name);
  for (const State& state : workflow.states) {
    names.insert(state.id);
    if (!state.action) continue;
    names.insert(state.action->options.result.name);
    if (const auto* set = std::get_if<SetAction>(&state.action->kind)) {
      for (const Assignment& assignment : set->assignments) names.insert(assignment.name);
    }
    if (const auto* service = std::get_if<ServiceAction>(&state.action->kind)) names.insert(service->free_port.name);
  }
  names.erase("");
  names.erase("matrix");  // it has a value only in states with the option `matrix`
  return names;
}

std::vector<std::string> names_read(const Workflow& workflow) {
  std::set<std::string> names;
  for (NameRead& use : name_uses(workflow, nullptr)) names.insert(std::move(use.name));
  return {names.begin(), names.end()};
}

}  // namespace wtool::host::workflow
