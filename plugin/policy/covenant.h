// The rules of execute_run: which commands run immediately, because they only read the project or manage its files
// (tier one), which need approval (tier two), and which are refused. docs/guide/execute-run.md has the tables.
//
// - Tier one is an allow list: it names the commands, the flags and numbers that each may have, and how many paths it
//   takes. Anything else is refused, or needs approval.
// - The paths of tier one stay in the project. Tier one never writes files that approve commands or make commands run.
// - The judgement looks at the file system. If a link is swapped before the command runs, the command uses another file
//   than the one that was judged. The guide describes the consequences.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/environment.h"
#include "policy/programs.h"
#include "policy/programs/spec.h"
#include "policy/verdict.h"

namespace wtool::policy {

namespace covenant {

using programs::Use;

struct NamedPath {
  std::string text;  // as written in the command
  Use use = Use::read;
};

enum class Tier { refused, immediate, ask };

// What the words alone say about a command.
struct Reading {
  Tier tier = Tier::ask;
  std::string refusal;                // with Tier::refused: the message
  std::vector<NamedPath> paths;       // judged even if the command needs approval
  std::vector<std::string> executed;  // the words that run, in an unambiguous form; empty: the given words run
  bool listed = false;                // its program belongs to tier one
  bool git = false;                   // it reads a repository

  static Reading refuse(std::string message) { return {Tier::refused, std::move(message), {}, {}, true, false}; }
};

// A pure function. `words` must not be empty.
Reading read_command(const std::vector<std::string>& words);

}  // namespace covenant

// A line of execute_run: read once, and judged for the directory in which it would run.
class CovenantCommand {
 public:
  // `root` is the project's folder; `kept` are files that no command may write without approval, such as the
  // configuration's. All are canonical.
  CovenantCommand(std::string_view line, std::string root, std::vector<std::string> kept = {});

  const std::string& line() const { return line_; }                 // trimmed
  const std::vector<std::string>& words() const { return words_; }  // empty: the line is refused
  const std::vector<std::string>& executed() const { return reading_.executed; }
  Variables environment() const;  // variables that make the command safe to run

  // The reason for a refusal becomes the error message. The reason for an ask becomes the prompt.
  Verdict judge(const std::string& directory, const Programs& programs) const;

 private:
  Verdict ask() const;

  std::string line_;
  std::string root_;
  std::vector<std::string> kept_;
  std::vector<std::string> words_;
  covenant::Reading reading_;
};

// The rule that the verdicts of CovenantCommand name.
inline constexpr std::string_view covenant_rule = "execute_run";

// The project's folder, canonical: `configured` if it is not empty; otherwise what find_execute_run_project() finds from
// `directory` (the host's).
std::string project_root(const std::string& configured, const std::string& directory);

}  // namespace wtool::policy
