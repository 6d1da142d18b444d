#include "base/json.h"
#include "base/text.h"
#include "workflow/check/checks.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/edit_distance.h"

namespace wtool::host::workflow {
namespace {

using expressions::Node;

enum class ConditionType { unknown, text, number, truth };

std::string_view name_of(ConditionType type) {
  return type == ConditionType::text ? "a text" : type == ConditionType::number ? "a number" : "true or false";
}

class TypeChecker {
 public:
  TypeChecker(const Workflow& workflow, Diagnostics& diagnostics) : diagnostics_(diagnostics) {
    for (const Parameter& parameter : workflow.parameters) {
      if (parameter.type == Parameter::Type::list) continue;
      parameters_[parameter.name] = parameter.type == Parameter::Type::number    ? ConditionType::number
                                    : parameter.type == Parameter::Type::boolean ? ConditionType::truth
                                                                                 : ConditionType::text;
    }
    for (const State& state : workflow.states) {
      if (!state.action) continue;
      take_choices(state);
      if (std::holds_alternative<ShellAction>(state.action->kind) && !state.action->options.matrix) {
        shells_.insert(state.id);
      }
      forget(state.action->options.result.name);
      if (const auto* set = std::get_if<SetAction>(&state.action->kind)) {
        for (const Assignment& assignment : set->assignments) forget(assignment.name);
      }
    }
  }

  void check(const Transition& exit) {
    if (!exit.condition.root) return;
    const Node& root = *exit.condition.root;
    walk(root, exit.label_offset);
    const std::string name = root.kind == Node::Kind::name ? root.text : field_of_shell(root);
    if (name.empty() || parameters_.contains(name)) return;
    const ConditionType type = type_of(root);
    const bool is_text = type == ConditionType::text && (is_shell(name) || root.kind != Node::Kind::name);
    if (type != ConditionType::number && !is_text) return;
    const std::string test = name + (is_text ? " != \"\"" : " == 0");
    diagnostics_.add(exit.label_offset + (root.kind == Node::Kind::name ? root : *root.operands[0]).offset,
                     "'" + name + "' is " + std::string(name_of(type)) +
                         ", but a condition must be true or false; write `" + test + "`",
                     test);
  }

 private:
  using Choices = std::vector<std::string>;

  // Notes the texts that a field of a typed answer may have, if `output` lists them.
  void take_choices(const State& state) {
    const ActionOptions& options = state.action->options;
    if (!options.output || options.matrix || !options.output->is_object()) return;
    const auto properties = options.output->find("properties");
    if (properties == options.output->end() || !properties->is_object()) return;
    const auto& own = outcome_fields();
    for (const auto& [field, schema] : properties->items()) {
      // If every outcome has a field of this name, the name means that field, and not the answer's.
      if (std::find(own.begin(), own.end(), field) != own.end()) continue;
      const auto listed = schema.is_object() ? schema.find("enum") : schema.end();
      if (!schema.is_object() || listed == schema.end() || !listed->is_array()) continue;
      Choices choices;
      for (const auto& choice : *listed) {
        if (choice.is_string()) choices.push_back(choice.get<std::string>());
      }
      if (choices.size() == listed->size()) answers_[state.id][field] = std::move(choices);
    }
  }

  static ConditionType type_of_field(std::string_view field) {
    static const std::unordered_map<std::string_view, ConditionType> types = {
        {"stdout", ConditionType::text},        {"stderr", ConditionType::text},
        {"content", ConditionType::text},       {"message", ConditionType::text},
        {"error", ConditionType::text},         {"stdout_file", ConditionType::text},
        {"stderr_file", ConditionType::text},   {"exit_code", ConditionType::number},
        {"duration_ms", ConditionType::number}, {"success", ConditionType::truth},
        {"failure", ConditionType::truth},      {"is_error", ConditionType::truth}};
    const auto found = types.find(field);
    return found == types.end() ? ConditionType::unknown : found->second;
  }

  // True if the name is that of a state that runs a command, and of nothing else.
  bool is_shell(const std::string& name) const {
    return shells_.contains(name) && !is_run_name(name) && !set_.contains(name) && !parameters_.contains(name);
  }

  // `State.field`, for a state that runs a command; empty: the node is something else.
  std::string field_of_shell(const Node& node) const {
    if (node.kind != Node::Kind::field || node.operands[0]->kind != Node::Kind::name) return "";
    const std::string& state = node.operands[0]->text;
    return is_shell(state) ? state + "." + node.text : "";
  }

  // Warns if a whole output is compared with a text without the newline that ends nearly every output.
  void compare_output(const Node& output, const Node& value, std::size_t label) {
    const std::string name = field_of_shell(output);
    const std::string* const text = value.kind == Node::Kind::literal ? value.value.as_text() : nullptr;
    if (name.empty() || (output.text != "stdout" && output.text != "stderr")) return;
    if (text == nullptr || text->empty() || text->ends_with('\n')) return;
    const std::string& state = output.operands[0]->text;
    diagnostics_.warn(label + output.operands[0]->offset,
                      "'" + name + "' ends with a newline, and " + expressions::quoted_for_message(*text) +
                          " does not, so they differ" +
                          (output.text == "stdout" ? "; write '" + state + ".content', which has no newline there"
                                                   : "; write '" + name + ".contains(...)'"));
  }

  // Warns if a field of an answer is compared with a text that the field never has.
  void compare(const Node& answer, const Node& value, std::size_t label) {
    if (answer.kind != Node::Kind::field || answer.operands[0]->kind != Node::Kind::name) return;
    const std::string& state = answer.operands[0]->text;
    const std::string* const text = value.kind == Node::Kind::literal ? value.value.as_text() : nullptr;
    const auto fields = answers_.find(state);
    if (text == nullptr || fields == answers_.end() || set_.contains(state) || parameters_.contains(state)) return;
    const auto choices = fields->second.find(answer.text);
    if (choices == fields->second.end()) return;
    const Choices& known = choices->second;
    if (std::find(known.begin(), known.end(), *text) != known.end()) return;
    diagnostics_.warn(label + value.offset,
                      "'" + state + "." + answer.text + "' is never " + expressions::quoted_for_message(*text) +
                          question_then(did_you_mean(*text, known), "`output` lists " + joined(known)));
  }

  // Notes that a state sets the name, so that its value may be of any type.
  void forget(const std::string& name) {
    parameters_.erase(name);
    set_.emplace(name, true);
  }

  // The recursion is bounded, because the parser bounds the depth of an expression.
  void walk(const Node& node, std::size_t label) {
    for (const auto& operand : node.operands) {
      if (operand) walk(*operand, label);
    }
    if (node.kind != Node::Kind::comparison || node.operands.size() != 2) return;
    const Node& left = *node.operands[0];
    const Node& right = *node.operands[1];
    if (node.text == "==" || node.text == "!=") {
      compare(left, right, label);
      compare(right, left, label);
      compare_output(left, right, label);
      compare_output(right, left, label);
    }
    const ConditionType left_type = type_of(left);
    const ConditionType right_type = type_of(right);
    if (left_type == ConditionType::unknown || right_type == ConditionType::unknown || left_type == right_type) return;
    const Node& named = left.kind == Node::Kind::name ? left : right;
    const ConditionType named_type = &named == &left ? left_type : right_type;
    const ConditionType other = &named == &left ? right_type : left_type;
    if (named.kind != Node::Kind::name) {
      return diagnostics_.add(label + node.offset, std::string(name_of(left_type)) + " is never " +
                                                       std::string(name_of(right_type)) +
                                                       ": this comparison always fails");
    }
    std::string message = "'" + named.text + "' is " + std::string(name_of(named_type)) + ", but is compared with " +
                          std::string(name_of(other)) + " here, which fails";
    const bool is_output = is_shell(named.text) && other == ConditionType::number;
    if (is_output) message += "; write int(" + named.text + ")";
    if (!parameters_.contains(named.text)) {
      return diagnostics_.add(label + named.offset, std::move(message), is_output ? "int(" + named.text + ")" : "");
    }
    if (named_type == ConditionType::text && other == ConditionType::number) {
      message += "; write int(" + named.text + "), or declare it with `type: number`";
      return diagnostics_.warn(label + named.offset, std::move(message), "int(" + named.text + ")");
    }
    diagnostics_.warn(label + named.offset, std::move(message));
  }

  ConditionType type_of(const Node& node) const {
    if (node.kind == Node::Kind::literal) {
      if (node.value.as_bool() != nullptr) return ConditionType::truth;
      if (node.value.as_int() != nullptr || node.value.as_double() != nullptr) return ConditionType::number;
      return node.value.as_text() != nullptr ? ConditionType::text : ConditionType::unknown;
    }
    if (!field_of_shell(node).empty()) return type_of_field(node.text);
    if (node.kind != Node::Kind::name) return ConditionType::unknown;
    if (is_shell(node.text)) return ConditionType::text;
    const auto found = parameters_.find(node.text);
    if (found != parameters_.end()) return found->second;
    if (set_.contains(node.text)) return ConditionType::unknown;
    if (node.text == "exit_code") return ConditionType::number;
    if (node.text == "success" || node.text == "failure" || node.text == "is_error") return ConditionType::truth;
    const bool is_text =
        node.text == "output" || node.text == "error" || node.text == "workflow_name" || node.text == "run_id";
    return is_text ? ConditionType::text : ConditionType::unknown;
  }

  Diagnostics& diagnostics_;
  std::unordered_map<std::string, ConditionType> parameters_;
  std::unordered_map<std::string, bool> set_;
  std::unordered_set<std::string> shells_;  // the states that run a command once
  // The texts that `output` lists for a field, by state and field.
  std::unordered_map<std::string, std::unordered_map<std::string, Choices>> answers_;
};

}  // namespace

void check_condition_types(const Workflow& workflow, Diagnostics& diagnostics) {
  TypeChecker checker(workflow, diagnostics);
  for (const State& state : workflow.states) {
    for (const Transition& exit : state.exits) checker.check(exit);
  }
}

}  // namespace wtool::host::workflow
