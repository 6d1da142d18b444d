#include "policy/covenant.h"

#include "base/execute_run_project.h"
#include "policy/commands_file.h"
#include "policy/covenant/line.h"
#include "policy/covenant/paths.h"
#include "policy/covenant/repository.h"
#include "policy/directories.h"

namespace wtool::policy {

namespace {

Verdict deny(std::string message, std::string hint) {
  Verdict verdict;
  verdict.decision = Decision::deny;
  verdict.reason = std::move(message);
  verdict.rule = covenant_rule;
  verdict.hint = std::move(hint);
  return verdict;
}

// Variables for a command of git: no prompts, no locks, no transport, and no repository above `root`.
Variables git_environment(const std::string& root) {
  Variables variables = {{"GIT_ALLOW_PROTOCOL", "/"},
                         {"GIT_NO_LAZY_FETCH", "1"},
                         {"GIT_OPTIONAL_LOCKS", "0"},
                         {"GIT_PAGER", "cat"},
                         {"GIT_TERMINAL_PROMPT", "0"}};
  if (root != "/") {
    const std::string above = root.substr(0, root.rfind('/'));
    variables.emplace_back("GIT_CEILING_DIRECTORIES", above.empty() ? "/" : above);
  }
  return variables;
}

}  // namespace

CovenantCommand::CovenantCommand(std::string_view line, std::string root, std::vector<std::string> kept)
    : line_(covenant::trimmed(line)), root_(std::move(root)), kept_(std::move(kept)) {
  covenant::Line read = covenant::read_line(line_);
  if (!read.refusal.empty()) {
    reading_ = covenant::Reading::refuse(std::move(read.refusal));
    return;
  }
  words_ = std::move(read.words);
  reading_ = covenant::read_command(words_);
}

Variables CovenantCommand::environment() const { return reading_.git ? git_environment(root_) : Variables(); }

Verdict CovenantCommand::ask() const {
  Verdict verdict;
  verdict.decision = Decision::ask;
  verdict.reason = "Allow '" + line_ + "'? (yes/no/always/never): ";
  verdict.rule = covenant_rule;
  verdict.hint = "a person can add it to \"allowed\" in .clada/commands.json";
  return verdict;
}

Verdict CovenantCommand::judge(const std::string& directory, const Programs& programs) const {
  if (reading_.tier == covenant::Tier::refused) {
    return deny(reading_.refusal, "docs/guide/execute-run.md lists the commands and their flags");
  }
  const covenant::PathFinding paths = covenant::judge_paths(reading_.paths, directory, root_, kept_);
  if (paths.invalid) {
    return deny("Invalid path: " + *paths.invalid,
                "paths must stay in " + root_ + ", and files that approve or execute commands must not change");
  }
  // A blocked command stays blocked, even if a different rule would allow it or ask about it.
  const auto known = CommandsFile(root_).look_up({line_, directory, {}});
  if (const auto* problem = std::get_if<std::string>(&known))
    return deny(*problem, "no command runs until the file is fixed");
  if (std::get<Remembered>(known) == Remembered::never) {
    return deny("Command blocked: " + line_, "a person can remove it from \"blocked\" in .clada/commands.json");
  }
  if (reading_.tier == covenant::Tier::ask || paths.ask) return ask();
  // A program in the project may have been put there by a call.
  const auto program = programs.find(words_.front());
  if (program && root_ != "/" && is_within(resolve_path("/", *program), root_)) return ask();
  if (reading_.git && covenant::may_filter(directory, root_)) return ask();
  Verdict verdict;
  verdict.rule = covenant_rule;
  verdict.reason = "execute_run runs it without asking";
  return verdict;
}

std::string project_root(const std::string& configured, const std::string& directory) {
  return configured.empty() ? find_execute_run_project(resolve_path("/", directory)) : resolve_path("/", configured);
}

}  // namespace wtool::policy
