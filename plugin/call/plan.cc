#include "call/plan.h"

#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "engine/outcome.h"
#include "policy/interactive.h"
#include "policy/judge.h"
#include "policy/words.h"

namespace wtool {

namespace {

// True for shells that read a plain line in the same way as policy::plain_command. Not for ksh: it evaluates the value of
// a variable in `[ NAME -eq 0 ]`, and runs the commands in it.
bool is_posix_shell(std::string_view program) {
  const std::string_view name = policy::base_name(program);
  return name == "sh" || name == "dash" || name == "bash" || name == "ash";
}

// True for variables that make bash run code instead of the line or in addition to it. If such a variable is set, the
// line must go through the shell, which then runs that code.
bool changes_shell(std::string_view variable) {
  return variable.starts_with("BASH_ENV=") || variable.starts_with("BASH_FUNC_");
}

void run_through_shell(const Configuration& configuration, const std::string& line, bool judged, CommandPlan& plan) {
  // A line that was rebuilt from its judged words needs a POSIX shell, even if a different shell is configured.
  const std::string shell = judged && !is_posix_shell(configuration.shell) ? "/bin/sh" : configuration.shell;
  plan.command.arguments = {shell};
  // -p makes bash ignore functions from the environment. A function would run in place of the program of the same name,
  // even if the line has that name in quotes.
  if (judged && policy::base_name(shell) == "bash") plan.command.arguments.push_back("-p");
  plan.command.arguments.insert(plan.command.arguments.end(), {"-c", line});
  plan.command.paths = {shell};
  plan.through_shell = true;
}

void run_directly(std::vector<std::string> words, CommandPlan& plan) {
  plan.command.arguments = std::move(words);
  plan.command.paths =
      engine::candidate_paths(plan.command.arguments.front(),
                              policy::find_variable(plan.command.variables, "PATH", engine::default_search_path));
}

// Executing a program directly takes half the time that it takes through a shell, and its errors are exact. Only lines
// that mean the same without a shell are executed directly.
void decide_program(const CommandRequest& request, const Configuration& configuration, CommandPlan& plan) {
  if (configuration.direct_exec && is_posix_shell(configuration.shell) &&
      std::none_of(plan.command.variables.begin(), plan.command.variables.end(), changes_shell)) {
    if (auto words = policy::plain_command(request.line)) return run_directly(std::move(*words), plan);
  }
  run_through_shell(configuration, request.line, false, plan);
}

// A line that was judged word by word is rebuilt from those words, so that the shell runs exactly what was judged.
void decide_judged_program(const policy::Script& script, const Configuration& configuration, CommandPlan& plan) {
  const auto& commands = script.commands;
  if (commands.size() == 1 && !commands.front().negated && commands.front().redirections.empty() &&
      commands.front().assignments.empty() && !commands.front().words.empty()) {
    const policy::Word& program = commands.front().words.front();
    if (!program.text.empty() &&
        (!policy::is_shell_word(program.text) || program.text == "time" || program.text == "kill")) {
      return run_directly(policy::texts_of(commands.front().words), plan);
    }
  }
  run_through_shell(configuration, policy::regenerate(script), true, plan);
}

void run_words(const CommandRequest& request, CommandPlan& plan) {
  run_directly(request.executed.empty() ? request.words : request.executed, plan);
}

void refuse(CommandPlan& plan, CallError error, std::string rule) {
  plan.verdict.decision = policy::Decision::deny;
  plan.verdict.reason = error.message;
  plan.verdict.rule = std::move(rule);
  plan.verdict.hint = error.hint;
  plan.error = std::move(error);
}

// The command is one argument of the shell, and the kernel limits an argument's size (MAX_ARG_STRLEN, with the zero
// byte).
void check_size(bool takes_stdin, CommandPlan& plan) {
  const auto longest = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) * 32 - 1;
  const std::size_t size = plan.command.arguments.back().size();
  if (size <= longest) return;
  refuse(
      plan,
      {"invalid_parameters",
       "command: got a command of " + std::to_string(size) + " bytes; allowed is at most " + std::to_string(longest),
       std::string(takes_stdin ? "give long text as stdin, and let the command read it there (cat > FILE), or " : "") +
           "write a file in parts (>> FILE) with several calls; nothing was run"},
      "command");
}

// Opens the working directory. False: the plan is refused.
bool open_directory(const CommandRequest& request, const Configuration& configuration, CommandPlan& plan) {
  auto opened = policy::open_directory(request.directory.value_or(std::string()));
  if (auto* error = std::get_if<policy::DirectoryError>(&opened)) {
    const bool exhausted = engine::is_exhaustion(error->error);
    refuse(plan,
           {exhausted ? "resource_exhausted" : "working_directory_invalid",
            request.directory_parameter + ": " + error->message, error->hint},
           request.directory_parameter);
    return false;
  }
  plan.directory = std::get<policy::Directory>(std::move(opened));
  const std::vector<std::string>& configured = configuration.directories.roots;
  if (configured.empty() || policy::is_within_any(plan.directory.path, plan.roots)) return true;
  refuse(
      plan,
      {"policy_denied", request.directory_parameter + ": " + plan.directory.path + " is outside of directories.roots",
       "the allowed folders, with all that is below them, are: " + joined(configured)},
      "directories.roots");
  return false;
}

// Refuses the plan if the call sets variables that a call under an allow list may not set. `where` says where that
// counts: "under an allow list".
void refuse_variables(const CommandRequest& request, const Configuration& configuration, std::string_view where,
                      const std::string& rule, CommandPlan& plan) {
  for (const auto& [name, value] : request.environment) {
    const auto refusal = policy::refuse_name(name, configuration.environment, value);
    if (!refusal) continue;
    refuse(plan,
           {"policy_denied",
            "environment: " + name + " may not be set " + std::string(where) + ", because it " + refusal->reason,
            refusal->hint},
           rule);
    return;
  }
}

// Refuses the plan if the call sets variables that it may not set, whatever its command is.
void judge_environment(const CommandRequest& request, const Configuration& configuration, bool trusted,
                       CommandPlan& plan) {
  if (const auto denied = policy::find_denied_name(request.environment, configuration.environment)) {
    refuse(plan,
           {"policy_denied",
            "environment: " + denied->name + " may not be set: environment.deny has the pattern " + denied->pattern,
            "leave it out"},
           "environment.deny: " + denied->pattern);
    return;
  }
  if (!trusted) return;
  refuse_variables(request, configuration, "under an allow list",
                   request.interactive ? "commands.interactive" : "commands.allow", plan);
}

}  // namespace

secrets::Masker CommandPlan::masker(const CommandRequest& request) const {
  secrets::Masker masker(command.variables);
  masker.learn_from(request.line);
  return masker;
}

void set_words(CommandRequest& request, std::vector<std::string> words) {
  request.line = policy::written_out(words);
  request.words = std::move(words);
}

CommandPlan plan_place(const CommandRequest& request, const Configuration& configuration) {
  CommandPlan plan;
  const policy::CommandRules& rules = configuration.commands;
  plan.roots = policy::canonical_roots(configuration.directories.roots);
  if (!open_directory(request, configuration, plan)) return plan;
  plan.command.directory = plan.directory.descriptor.get();
  plan.command.shell = "/bin/sh";
  if (request.standard_input) plan.command.standard_input = *request.standard_input;

  const bool judged = policy::judges_lines(rules, configuration.directories);
  // True if the rules trust certain programs. A variable such as PATH could then put other programs in their place.
  const bool trusted =
      request.tool_rules || policy::judges_words(rules, configuration.directories) || (request.interactive && judged);
  if (trusted || judged) {
    // A deny list compares only the programs' names. Programs are looked up only if the rules trust certain ones.
    const char* const search_path = request.host_environment->find("PATH");
    plan.programs.emplace(trusted ? rules.path : std::vector<std::string>(),
                          search_path != nullptr ? search_path : engine::default_search_path, plan.roots);
  }
  policy::Variables added = request.environment;
  added.insert(added.end(), request.tool_environment.begin(), request.tool_environment.end());
  plan.command.variables = policy::compose_environment(
      {request.host_environment->variables(), configuration.environment, added, plan.directory.path,
       engine::default_search_path,
       trusted ? std::optional<std::string_view>(plan.programs->search_path()) : std::nullopt});
  judge_environment(request, configuration, trusted, plan);
  if (!configuration.temporary_folder.empty()) {
    policy::set_variable(plan.command.variables, "TMPDIR", configuration.temporary_folder);
  }
  return plan;
}

CommandPlan make_plan(const CommandRequest& request, const Configuration& configuration) {
  CommandPlan plan = plan_place(request, configuration);
  if (plan.error) return plan;
  policy::Verdict own;
  if (request.tool_rules) own = request.tool_rules(plan.directory.path, *plan.programs);
  if (own.decision == policy::Decision::deny) {
    refuse(plan, {own.code.empty() ? "policy_denied" : own.code, own.reason, own.hint}, own.rule);
    return plan;
  }
  const bool judged = policy::judges_lines(configuration.commands, configuration.directories);
  if (request.interactive && judged) {
    policy::Verdict typed = policy::judge_interactive(request.line, configuration.commands, *plan.programs);
    if (typed.decision == policy::Decision::deny) {
      refuse(plan, {"policy_denied", "Command refused: " + typed.reason, typed.hint}, typed.rule);
      plan.verdict = std::move(typed);
      return plan;
    }
  }
  policy::LineJudgement judgement;
  judgement.verdict.reason = "no configured rule forbids it";
  if (judged) {
    judgement = policy::judge(
        request.line,
        {configuration.commands, configuration.directories, *plan.programs, plan.roots, plan.directory.path,
         request.words.empty(), &configuration.environment, request.expands,
         std::string(policy::find_variable(plan.command.variables, "HOME", "")), request.standard_input.has_value()});
    if (judgement.expanded) plan.expanded = policy::regenerate(*judgement.script);
  }
  plan.verdict = std::move(judgement.verdict);
  if (request.interactive && plan.verdict.decision == policy::Decision::ask) {
    plan.verdict.reason += "; what is typed into it will not be judged";
  }
  if (own.decision > plan.verdict.decision) {
    plan.asked_by_tool_rules = true;
    plan.verdict = std::move(own);
  }
  // The person answers for the command that the question shows. A variable such as PATH could make it another one.
  if (plan.verdict.decision == policy::Decision::ask) {
    refuse_variables(request, configuration, "for a command that needs an approval", plan.verdict.rule, plan);
    if (plan.error) return plan;
  }
  plan.lifts_network = plan.verdict.opens_network && configuration.sandbox && !configuration.sandbox->network &&
                       !configuration.network_stays_closed;
  // The note about the network goes into the reason, because every host shows the reason, whatever else it shows.
  if (plan.lifts_network) {
    plan.verdict.reason += request.interactive ? "; a yes opens the network for as long as this program runs"
                                               : "; a yes opens the network for this one call";
  }
  if (!request.words.empty()) {
    run_words(request, plan);
  } else if (judgement.script) {
    decide_judged_program(*judgement.script, configuration, plan);
  } else {
    decide_program(request, configuration, plan);
  }
  if (plan.through_shell && plan.verdict.decision != policy::Decision::deny)
    check_size(configuration.takes_stdin, plan);
  return plan;
}

}  // namespace wtool
