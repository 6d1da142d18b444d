#include "base/json.h"
#include "workflow/check/checks.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "expressions/template_parts.h"
#include "workflow/actions/action_type.h"

namespace wtool::host::workflow {
namespace {

using expressions::Placeholder;
using expressions::TemplateCursor;

// Whether `${name}` is a placeholder with exactly this name.
bool is_readable(const std::string& name) {
  const std::string written = name + "}";
  TemplateCursor cursor(written, 0);
  Placeholder placeholder;
  return expressions::parse_dollar(cursor, placeholder) && placeholder.path.empty();
}

bool is_plain(const std::string& name) {
  return expressions::is_name_start(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return expressions::is_name_character(c); });
}

// A name for a variable that resembles the name of the state.
std::string variable_for(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !expressions::is_name_character(c); }, '_');
  return expressions::is_name_start(name[0]) ? name : "step_" + name;
}

// Where reading continues after the tag at `at`: for {% raw %}, at its {% endraw %}.
std::size_t after_tag(std::string_view all, std::size_t at) {
  at += 2;
  TemplateCursor cursor(all, at);
  cursor.take("-");
  cursor.skip_blanks();
  return all.substr(cursor.at()).starts_with("raw") ? std::min(all.find("endraw", at), all.size()) : at;
}

class UnreadStates final : public TextVisitor {
 public:
  UnreadStates(const Workflow& workflow, Diagnostics& diagnostics) : diagnostics_(diagnostics) {
    for (const State& state : workflow.states) {
      if (state.hidden || state.id.empty()) continue;
      (is_plain(state.id) ? values_ : states_).insert(state.id);
      if (!state.action) continue;
      values_.insert(state.action->options.result.name);
      const auto* set = std::get_if<SetAction>(&state.action->kind);
      if (set == nullptr) continue;
      for (const Assignment& assignment : set->assignments) values_.insert(assignment.name);
    }
    for (const Parameter& parameter : workflow.parameters) values_.insert(parameter.name);
  }

  void run(const Workflow& workflow) {
    for (const State& state : workflow.states) {
      if (!state.action) continue;
      text(state.action->options.timeout);
      text(state.action->options.total_timeout);
      text(state.action->options.lock);
      if (state.action->options.matrix) json(*state.action->options.matrix, state.action->options.matrix_offset);
      const CacheOptions& cache = state.action->options.cache;
      if (cache.inputs) json(*cache.inputs, cache.offset);
      if (cache.outputs) json(*cache.outputs, cache.offset);
      if (state.action->options.keep) json(*state.action->options.keep, state.action->options.keep_offset);
      type_of(state.action->kind).texts(state.action->kind, *this);
    }
  }

 private:
  using TextVisitor::text;
  void text(const TemplateText& one) override { look(one.written); }
  void command(const CommandText& one) override { look(one.written, std::nullopt, true); }
  void arguments(const std::vector<Argument>& arguments) override {
    for (const Argument& argument : arguments) value(argument.value);
  }

  void json(const nlohmann::json& value, std::size_t offset) override {
    if (value.is_string()) {
      MappedText written;
      written.append(value.get_ref<const std::string&>(), offset);
      look(written, offset);
    } else if (value.is_structured()) {
      for (const auto& entry : value) json(entry, offset);
    }
  }

  // `place`: where to report a diagnostic, if not at the text itself. `for_shell`: a shell reads the text.
  void look(const MappedText& written, std::optional<std::size_t> place = std::nullopt, bool for_shell = false) {
    const std::string_view all = written.text();
    for (std::size_t at = all.find_first_of("${"); at < all.size(); at = all.find_first_of("${", at)) {
      const std::string_view two = all.substr(at, 2);
      // `$${` is a literal `${`.
      if (all.substr(at).starts_with("$${")) {
        at += 3;
        continue;
      }
      if (two == "{%") {
        at = after_tag(all, at);
        continue;
      }
      if (two != "${" && two != "{{") {
        ++at;
        continue;
      }
      TemplateCursor cursor(all, at + 2);
      Placeholder placeholder;
      bool is_ours = false;
      if (two == "${") {
        is_ours = expressions::parse_dollar(cursor, placeholder);
      } else {
        cursor.take("-");
        cursor.skip_blanks();
        is_ours = cursor.at_quote() || cursor.at_name();
      }
      if (!is_ours) {
        const std::size_t offset = place.value_or(written.locate(at));
        tell(all.substr(two == "${" ? at + 2 : cursor.at()), two, offset);
        if (two == "${" && !for_shell) tell_of_element(all.substr(at + 2), offset);
      }
      at += 2;
    }
  }

  // Reports `${list[0]}` in a text that no shell reads, where it would stay as it is. `inside`: what follows the `${`.
  void tell_of_element(std::string_view inside, std::size_t offset) {
    const std::string element(inside.substr(0, inside.find('}')));
    const std::size_t end = element.find('[');
    if (element.size() == inside.size() || end == std::string::npos || !values_.contains(element.substr(0, end)))
      return;
    diagnostics_.warn(offset, "${" + element + "} stays as it is, because only a shell reads it; write {{ " + element +
                                  " }} for the element, or $${ for this text");
  }

  static std::string unread_rest(const std::string& state) {
    return "'" + state + "' is a state, but what follows its name here cannot be read; write ${" + state + "} or {{ " +
           state + " | default: \"text\" }}, or $${ for a variable of the shell";
  }
  static std::string unread_name(const std::string& state, std::string_view braces) {
    const std::string name = variable_for(state);
    return "'" + state + "' is a state, but a placeholder cannot have such a name; give its action result=\"" + name +
           "\" and write " + (braces == "${" ? "${" + name + "}" : "{{ " + name + " }}");
  }

  // Reports the name of a state in `inside`, the text after the opening braces.
  void tell(std::string_view inside, std::string_view braces, std::size_t offset) {
    inside = inside.substr(0, inside.find_first_of(" \t\r\n:\"{}[]<>;%"));
    constexpr std::size_t longest = 256;
    for (std::size_t end = std::min(inside.size(), longest); end > 0; --end) {
      if (end < inside.size() && expressions::is_name_character(inside[end])) continue;
      const auto found = states_.find(std::string(inside.substr(0, end)));
      if (found == states_.end()) continue;
      diagnostics_.add(offset, is_readable(*found) ? unread_rest(*found) : unread_name(*found, braces));
      return;
    }
  }

  Diagnostics& diagnostics_;
  std::set<std::string, std::less<>> states_;  // those whose names are not read in ${...}
  std::set<std::string, std::less<>> values_;  // names that are read there
};

}  // namespace

void check_unread_states(const Workflow& workflow, Diagnostics& diagnostics) {
  UnreadStates(workflow, diagnostics).run(workflow);
}

}  // namespace wtool::host::workflow
