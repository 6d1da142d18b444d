// A workflow as it was parsed. Plain data, immutable after checking. Places are byte offsets into the source.
// At the end are the names that every workflow may use (those that a run sets by itself, and the fields of an outcome),
// and functions for single texts of a file.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
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

#include "expressions/expression.h"
#include "expressions/template.h"
#include "expressions/value.h"
#include "workflow/model/boxed.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/source.h"
#include "workflow/quoting/quoting_context.h"

namespace wtool::host::runner {
class ActionRunner;
}

namespace wtool::host::workflow {

struct ActionType;

inline constexpr std::size_t no_state = static_cast<std::size_t>(-1);
inline constexpr std::string_view shell_tool = "shell_execute";
inline constexpr std::size_t max_combinations = 1000;  // of a matrix
// How many states one workflow of a run may enter, unless `max_steps` sets another limit. If its diagram has more
// states than this, the default is the number of these states.
inline constexpr std::int64_t default_max_steps = 10'000;

// A text of the file, and the template that it contains.
struct TemplateText {
  MappedText written;
  expressions::Template parsed;
  bool is_value = false;   // one placeholder without quotes, which gives the value itself and not its text
  bool from_file = false;  // it comes from an env_file, so a plan does not show it
};

struct CommandText {
  MappedText written;
  expressions::Template parsed;
  std::vector<Place> places;  // one for each placeholder
};

// A name that an option gives, and its place in the file.
struct NamedPlace {
  std::string name;  // empty: none
  std::size_t offset = 0;
};

// An argument for a prompt or for another workflow.
struct Argument {
  std::string name;
  std::size_t offset = 0;
  std::variant<expressions::Value, TemplateText> value;
  // Set if the argument is inside `{% if ... %} name="value" {% endif %}`: a text that renders to nothing when the
  // argument is to be left out. The guard is a separate text, so that a value never becomes syntax of the action.
  std::optional<TemplateText> guard;
};

// `backoff=2s..60s`: the wait before the second try, and the longest wait; each wait is twice the one before.
struct Backoff {
  std::chrono::milliseconds first{0};
  std::chrono::milliseconds longest{0};
};

// What the commands of a step, and all processes that they start, may use. Limits only tighten what the configuration
// allows.
struct StepLimits {
  bool read_only = false;          // sandbox="read-only": the commands write no file
  bool no_network = false;         // network=deny
  std::uint64_t memory_bytes = 0;  // memory=1G, of all processes together; 0: not given, here and below
  std::uint64_t cpu_seconds = 0;   // cpu=60s
  std::uint32_t processes = 0;     // processes=50, alive at the same time

  auto operator<=>(const StepLimits&) const = default;
};

// The result has the stricter value of each limit.
StepLimits stricter(const StepLimits& one, const StepLimits& other);

// The limits in the form of wtool_request.limits; empty if there are no limits.
std::string limits_text(const StepLimits& limits);

// The limits as names and values for people: ("memory", "1 GiB"), ...
std::vector<std::pair<std::string, std::string>> limit_words(const StepLimits& limits);

// Where a step runs, and within which limits. Empty members: the surrounding state or workflow decides.
struct PlaceOptions {
  NamedPlace on;    // on="cluster" or "local"
  NamedPlace slot;  // slot="big": a class of the configuration's cluster
  StepLimits limits;
  std::size_t limits_offset = 0;  // of the first option that sets a limit; 0: no limits
};

// inputs=["src/**"] outputs=["build/app"], cache=true: a step that is up to date is not run.
struct CacheOptions {
  std::optional<bool> wanted;                    // cache=true or false
  bool strict = false;                           // cache=strict: like true, but the step can read only what it names
  std::shared_ptr<const nlohmann::json> inputs;  // like `outputs`: a list of templates, not empty; nullptr: none
  std::shared_ptr<const nlohmann::json> outputs;
  std::size_t offset = 0;  // of the last of these options; 0: none was given

  bool is_on() const { return wanted.value_or(inputs != nullptr); }
};

// The options of those actions that have options: Shell, Call tool, prompts, Run workflow, Service and Approve.

struct ActionOptions {
  NamedPlace result;                    // result="name", or **Store As**: name
  std::optional<TemplateText> timeout;  // the time limit of each try; for `Call tool`, `timeout` is an argument
  std::int64_t retry = 0;               // how often a failed action is tried again
  bool says_retry = false;              // the option is given, even if its value is 0
  std::optional<Backoff> backoff;
  std::optional<TemplateText> total_timeout;  // a duration, for all tries and the waits between them
  NamedPlace on_failure;                      // the state that a failure leads to, instead of an exit
  bool secret = false;                        // its outputs are secret
  std::optional<TemplateText> lock;           // the name of a lock that the step holds
  PlaceOptions place;
  CacheOptions cache;
  std::shared_ptr<const nlohmann::json> keep;  // keep=["dist/**"]: patterns of files that are copied; nullptr: none
  std::size_t keep_offset = 0;
  // An object of lists, or of texts with a template that renders to a list: the action runs once for each combination,
  // all at the same time, with matrix.NAME in each. nullptr: no matrix.
  std::shared_ptr<const nlohmann::json> matrix;
  std::size_t matrix_offset = 0;
  // output={...}: the JSON Schema of the answer, made from the short form if the file has that form. nullptr: any text.
  std::shared_ptr<const nlohmann::json> output;
  std::size_t output_offset = 0;
  std::optional<std::int64_t> ask_again;   // how often a prompt is asked again if its answer does not match `output`
  std::optional<std::int64_t> max_visits;  // max=5: how often the state may do its action in one run of its workflow
};

inline constexpr std::int64_t usual_ask_again = 2;

// ---- The kinds of actions: each has its data here. Its type(), which is how it is read, checked and described, is in
// workflow/actions/, and its perform() in runner/actions/, each in the file with its name.

struct ShellAction {
  CommandText command;
  bool is_block = false;                     // a fenced block, not one line in quotes
  NamedPlace shell;                          // shell="bash", or the language of a ```bash block; empty: the workflow's
  std::optional<std::string> shell_options;  // shell_options="-eu"; "" means no options
  std::optional<TemplateText> working_directory;
  std::vector<std::pair<std::string, TemplateText>> environment;
  std::vector<NamedPlace> environment_files;  // after they were read, `environment` has their variables, too

  static ActionType type();
  static void perform(const ShellAction& action, runner::ActionRunner& runner);
};

// Defaults for the steps of a workflow, or of a composite state, that do not set these options themselves.
struct StepDefaults {
  std::optional<TemplateText> timeout;  // of Shell and prompts
  std::optional<std::int64_t> retry;    // of Shell, prompts and Call tool
  NamedPlace shell;                     // this and the following members: of Shell and Service
  std::optional<TemplateText> working_directory;
  std::vector<std::pair<std::string, TemplateText>> environment;
  std::vector<NamedPlace> environment_files;
};

struct ToolAction {
  std::string tool;
  std::size_t tool_offset = 0;
  std::shared_ptr<const nlohmann::json> arguments;  // an object; its strings are templates
  std::size_t arguments_offset = 0;
  std::map<std::string, std::size_t> argument_places;  // the place of each name

  static ActionType type();
  static void perform(const ToolAction& action, runner::ActionRunner& runner);
};

// `Execute prompt "name" with ...`: the configured command gets the text of a prompt file; or `Prompt "text"`.
struct PromptAction {
  TemplateText prompt;
  bool is_inline = false;  // `prompt` is the text itself, and not the name of a file
  std::vector<Argument> arguments;

  static ActionType type();
  static void perform(const PromptAction& action, runner::ActionRunner& runner);
};

// `Run workflow "name" with ...`, `Delegate to "name" with ...`.
struct WorkflowAction {
  TemplateText workflow;
  std::vector<Argument> arguments;

  static ActionType type();
  static void perform(const WorkflowAction& action, runner::ActionRunner& runner);
};

struct LogAction {
  enum class Level { info, warning, error };
  Level level = Level::info;
  TemplateText message;

  static ActionType type();
  static void perform(const LogAction& action, runner::ActionRunner& runner);
};

struct Assignment {
  std::string name;
  std::size_t offset = 0;
  std::variant<expressions::Value, TemplateText> value;
};

struct SetAction {
  std::vector<Assignment> assignments;
  bool secret = false;  // `Set secret name="value"`

  static ActionType type();
  static void perform(const SetAction& action, runner::ActionRunner& runner);
};

// `Wait 5 seconds`.
struct WaitAction {
  TemplateText amount;  // a number of units
  std::chrono::milliseconds unit{1000};

  static ActionType type();
  static void perform(const WaitAction& action, runner::ActionRunner& runner);
};

// `Wait for user confirmation ["question"]`, `Wait for user input`.
struct ConfirmAction {
  std::optional<TemplateText> question;

  static ActionType type();
  static void perform(const ConfirmAction& action, runner::ActionRunner& runner);
};

struct AbortAction {
  TemplateText message;

  static ActionType type();
  static void perform(const AbortAction& action, runner::ActionRunner& runner);
};

// `Approve "question" by="release" timeout=2h`: a person's yes or no. The timeout is in ActionOptions.
struct ApproveAction {
  TemplateText question;
  std::optional<TemplateText> by;  // the user or the group who may answer

  static ActionType type();
  static void perform(const ApproveAction& action, runner::ActionRunner& runner);
};

// How long a service may take until it is ready, unless its ready_timeout says otherwise.
inline constexpr std::chrono::milliseconds usual_ready_timeout{60'000};

// `Service "command" ready="command"`: a command that runs beside the states that follow.
struct ServiceAction {
  ShellAction run;
  Boxed<ShellAction> ready;                   // succeeds once the service can be used; runs in the directory of `run`
  std::optional<TemplateText> ready_timeout;  // a duration
  std::int64_t restart = 0;                   // how often it is started again after it has ended by itself
  NamedPlace free_port;                       // the variable that gets the number of a free TCP port

  static ActionType type();
  static void perform(const ServiceAction& action, runner::ActionRunner& runner);
};

using ActionKind = std::variant<ShellAction, ToolAction, PromptAction, WorkflowAction, LogAction, SetAction, WaitAction,
                                ConfirmAction, AbortAction, ApproveAction, ServiceAction>;

// The commands of the shell that the action runs; empty for most kinds.
std::vector<const ShellAction*> shell_commands_of(const ActionKind& kind);

struct Action {
  ActionKind kind;
  ActionOptions options;
  std::size_t offset = 0;  // of its line
  std::string sha256{};    // action_sha256() of its text in the file
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
  // Only with kind unconditional: `Always` is written out, so the exit is also taken after a failure.
  bool always = false;
  expressions::Expression condition;  // only with kind expression
  std::size_t offset = 0;             // of its line
};

struct State {
  enum class Kind {
    plain,
    choice,  // <<choice>>: only decides
    fork,    // <<fork>>: all exits are taken at the same time
    join,    // <<join>>: waits for all branches of its fork
  };
  std::string id;
  std::string description;
  std::size_t description_offset = 0;
  std::size_t offset = 0;  // where it is first named
  Kind kind = Kind::plain;
  // A composite state becomes two states: one that leads to its inner start (a fork if there are several regions), and
  // one to which its inner ends lead and which has its exits. The second state is hidden: no file names it.
  bool hidden = false;
  bool entered = false;  // some transition leads here
  // For a composite state, its hidden state; for a hidden state, its composite state; no_state: it is neither.
  std::size_t other_half = no_state;
  // The hidden state of the composite state that contains it; no_state: none does. No state is inside of itself, even in
  // a file with mistakes.
  std::size_t around = no_state;
  // A run of a part of the workflow ends after this state, with a failure of it, too: no composite state handles that.
  bool ends_part = false;
  std::vector<Transition> exits;
  PlaceOptions place;            // of a composite state without an action: where the steps inside run
  Boxed<StepDefaults> defaults;  // of such a state: the defaults for the steps inside
  Boxed<Action> action;
  std::size_t prose_offset = 0;  // of an item that names the state but is no action; 0: no such item
  bool action_unread = false;    // it has an action, which was not understood
};

struct Parameter {
  enum class Type { text, number, boolean, list };
  std::string name;
  std::string description;
  Type type = Type::text;
  bool required = false;
  std::optional<expressions::Expression> condition;  // required only if this condition is true for the other inputs
  bool secret = false;
  std::optional<expressions::Value> fallback;
  std::vector<expressions::Value> choices;
  std::string pattern;  // RE2 syntax; must match somewhere in the text. Empty: no pattern
  std::optional<double> minimum;
  std::optional<double> maximum;
  std::optional<std::int64_t> shortest;  // characters
  std::optional<std::int64_t> longest;
  std::size_t offset = 0;
};

// What the prompts of a workflow, and of the workflows that it runs, may use together. Nothing: no limit.
struct PromptBudget {
  std::optional<std::int64_t> calls;                // how often prompts.command may be called
  std::optional<std::int64_t> tokens;               // as prompts.command reports them
  std::optional<double> cost;                       // as prompts.command reports it
  std::optional<std::chrono::milliseconds> time{};  // how long these calls may take together
  std::size_t offset = 0;

  bool any() const { return calls || tokens || cost || time; }
};

struct Workflow {
  std::string name;
  std::string title;
  std::string description;
  std::string version;
  std::vector<Parameter> parameters;
  bool is_tool = false;    // `tool: true`: `wtool mcp --workflows` serves it
  bool says_tool = false;  // the key is given, even if its value is false
  std::optional<std::int64_t> max_steps;
  std::optional<bool> fail_fast;  // a branch that fails ends the others; nothing: true
  bool continues = false;         // `failures: continue`: exits without a condition are taken after failures, too
  bool says_failures = false;     // the key is given, even if its value is stop
  NamedPlace on_failure;          // the state after a failure that no exit handles
  NamedPlace finally;             // the state that every run ends with, even after a failure or an abort
  NamedPlace concurrency;         // the name of a lock that each of its runs holds
  NamedPlace shell;               // for its Shell actions: sh, bash or an absolute path; empty: the configured one
  std::optional<std::string> shell_options;  // for its code blocks; nothing: -e, and in bash also -o pipefail
  PromptBudget budget;
  StepDefaults defaults;  // without the shell, which is the member `shell`
  std::vector<State> states;
  std::unordered_map<std::string, std::size_t> index;  // of states by id
  std::size_t start = no_state;
  // Names that the file may set or use in parts that were not understood. A mistake that may be only a consequence of
  // such a part is not reported.
  std::set<std::string> ambiguous_names;
  std::set<std::string> ambiguous_states;
  bool names_unread = false;    // any name may be ambiguous
  bool diagram_unread = false;  // any state may be ambiguous

  const State* find(const std::string& id) const {
    const auto found = index.find(id);
    return found == index.end() ? nullptr : &states[found->second];
  }

  // The index of the state with this name. no_state: the name is empty, or no state has it.
  std::size_t index_of(const std::string& id) const {
    const auto found = index.find(id);
    return found == index.end() ? no_state : found->second;
  }
};

// Where an action runs, and within which limits. Empty: not specified.
struct Placement {
  std::string on{};     // "cluster" or "local"
  std::string slot{};   // the class of jobs, if it runs on a cluster
  StepLimits limits{};  // of each call that it makes

  auto operator<=>(const Placement&) const = default;
};

// Where the action of `state` runs. The place is the one that the action names, else the one that the innermost
// composite state around it names, else `around`, which the workflow inherits. For each limit, the strictest value of
// all of these applies.
Placement place_of(const Workflow& workflow, std::size_t state, const Placement& around = {});

// True if the state is in the composite state that ends with the hidden state `end`, however deep.
bool is_inside(const Workflow& workflow, std::size_t state, std::size_t end);

// True for the names that a run sets by itself: success, failure, exit_code, is_error, exhausted, result and
// last_action_result (the outcome of the last action), output (its text), error (its message; empty after a success),
// budget (what is left of it), workflow_name, run_id, and matrix (inside of a state that has one).
bool is_run_name(std::string_view name);
// True for result, output, error, budget and exhausted: a file may set these names, too. They keep the value that the
// file sets.
bool is_settable_run_name(std::string_view name);
const std::vector<std::string>& run_names();

// The fields of an outcome. `json` exists if the output is a JSON object or list; if not, it is an error to read it. A
// step with the option `output` has the fields of its answer, too. `metadata` exists if a tool was called. It is an
// error to read the text of an output that was cut, or the name of a file that could not be written.
const std::vector<std::string>& outcome_fields();

// ---- Single texts of a workflow file: templates and times.

// The beginning of the SHA-256 of an action's text in the file. A resumed run compares it, to find out whether the
// action was changed.
std::string action_sha256(std::string_view written);

// Parses the text; mistakes in the template go to `diagnostics`, with their places.
TemplateText template_text(MappedText written, Diagnostics& diagnostics);

// The same for a text that is not in the file, but replaces the file's text at `offset`.
TemplateText template_text(const std::string& written, std::size_t offset, Diagnostics& diagnostics);

// True if the text has no placeholder and no tag, so that it is known before a run.
bool is_literal(const TemplateText& text);
bool is_literal(const CommandText& text);

inline constexpr std::int64_t max_wait = 86'400;            // seconds; of Wait and a backoff
inline constexpr std::int64_t max_timeout = 3'155'760'000;  // seconds, 100 years: a larger value could overflow a clock

inline constexpr const char* empty_directory =
    "working_dir is empty; name the directory of the commands, or leave it out for the one in which wtool was started";

// Why `name` cannot be the name of a lock (`lock`, `concurrency`); empty: it can.
std::string problem_of_lock_name(const std::string& name);

// A timeout of a step, at least 1 ms. Nothing: the text is not such a timeout; `why` says why.
std::optional<std::chrono::milliseconds> timeout_value(const std::string& text, std::string& why);

// `500ms`, `2s`, `1.5m`, `1h`, or a number of seconds, from 0 to `longest`. Nothing: any other text.
std::optional<std::chrono::milliseconds> duration_value(std::string_view text, std::int64_t longest = max_wait);

// The names of the fields that `output` adds to those of an outcome: the fields of the schema's objects. Sorted.
std::vector<std::string> answer_fields(const nlohmann::json& schema);

// A duration in the form that the tools expect: in seconds, as a whole number if possible.
nlohmann::json as_seconds(std::chrono::milliseconds duration);

// The duration in words: `2 min`, `90 s`, `1500 ms`.
std::string duration_words(std::chrono::milliseconds duration);

}  // namespace wtool::host::workflow
