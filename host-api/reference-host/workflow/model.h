// A workflow as it was written, parsed. Plain data, immutable after checking. Places are byte offsets into the source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "expressions/parser.h"
#include "expressions/template.h"
#include "expressions/value.h"
#include "workflow/shell_places.h"
#include "workflow/source.h"

namespace wtool::host::workflow {

inline constexpr std::size_t no_state = static_cast<std::size_t>(-1);
inline constexpr std::int64_t shortest_timeout = 1;    // seconds
inline constexpr std::int64_t longest_timeout = 1800;  // seconds; shell_execute's own bounds

// A text of the file that is, or holds, a template.
struct TemplateText {
  MappedText written;
  expressions::Template parsed;
};

struct CommandText {
  MappedText written;
  expressions::Template parsed;
  std::vector<Place> places;  // one for each placeholder
};

struct ResultName {
  std::string name;  // empty: none
  std::size_t offset = 0;
};

struct ShellAction {
  CommandText command;
  std::optional<TemplateText> timeout;  // seconds
  std::optional<TemplateText> working_directory;
  std::vector<std::pair<std::string, TemplateText>> environment;
  ResultName result;
};

struct ToolAction {
  std::string tool;
  std::size_t tool_offset = 0;
  std::shared_ptr<const nlohmann::json> arguments;  // an object; its strings are templates
  std::size_t arguments_offset = 0;
  ResultName result;
};

struct LogAction {
  enum class Level { info, warning, error };
  Level level = Level::info;
  TemplateText message;
};

struct Assignment {
  std::string name;
  std::size_t offset = 0;
  std::variant<expressions::Value, TemplateText> value;
};

struct SetAction {
  std::vector<Assignment> assignments;
};

struct AbortAction {
  TemplateText message;
};

using ActionKind = std::variant<ShellAction, ToolAction, LogAction, SetAction, AbortAction>;

struct Action {
  ActionKind kind;
  std::size_t offset = 0;  // of its line
};

struct Transition {
  enum class Kind {
    unconditional,  // A --> B, or `Always`
    fallback,       // default
    success,
    failure,
    expression,
  };
  Kind kind = Kind::unconditional;
  std::size_t target = no_state;  // no_state: the end
  std::string label;              // as written
  std::size_t label_offset = 0;
  expressions::Expression condition;  // of kind expression
  std::size_t offset = 0;             // of its line
};

struct State {
  std::string id;
  std::string description;
  std::size_t offset = 0;  // where it is first named
  bool choice = false;
  bool entered = false;  // some transition leads here
  std::vector<Transition> exits;
  std::optional<Action> action;
};

struct Parameter {
  enum class Type { text, number, boolean };
  std::string name;
  std::string description;
  Type type = Type::text;
  bool required = false;
  std::optional<expressions::Value> fallback;
  std::vector<expressions::Value> choices;
  std::size_t offset = 0;
};

struct Workflow {
  std::string name;
  std::string title;
  std::string description;
  std::vector<Parameter> parameters;
  std::optional<std::int64_t> max_steps;
  std::vector<State> states;
  std::unordered_map<std::string, std::size_t> index;  // of states by id
  std::size_t start = no_state;
  // What actions that were not understood may have set.
  std::set<std::string> doubtful_names;

  const State* find(const std::string& id) const {
    const auto found = index.find(id);
    return found == index.end() ? nullptr : &states[found->second];
  }
};

}  // namespace wtool::host::workflow
