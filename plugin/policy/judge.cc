#include "policy/judge.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/lasting.h"
#include "base/text.h"
#include "policy/arguments.h"
#include "policy/builtins.h"
#include "policy/confinement.h"
#include "policy/covenant/repository.h"
#include "policy/directories.h"
#include "policy/entries.h"
#include "policy/environment.h"
#include "policy/expansion.h"
#include "policy/hints.h"
#include "policy/printf_format.h"
#include "policy/programs/names.h"
#include "policy/programs/reader.h"
#include "policy/verdict_builder.h"
#include "policy/wrappers.h"

namespace wtool::policy {

namespace {

// If wrappers are nested more deeply than this, the line is treated as one that could run anything.
constexpr int max_wrapping_depth = 16;

// How many directories a command may run in, after `cd` commands that may have failed.
constexpr std::size_t max_directories = 16;

// `set -e`, `set -eu -o pipefail`, `set +e`: these options decide whether later commands run, but do not change the
// commands.
bool sets_harmless_options(const std::vector<Word>& words) {
  if (words.front().text != "set" || words.size() < 2) return false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view text = words[i].text;
    if (!words[i].literal || text.size() < 2 || (text[0] != '-' && text[0] != '+') ||
        text.find_first_not_of("euf", 1) < text.size() - 1) {
      return false;
    }
    if (text.back() == 'o') {
      if (++i == words.size() || !words[i].literal) return false;
      if (!programs::is_listed("errexit nounset pipefail noglob", words[i].text)) return false;
    } else if (std::string_view("euf").find(text.back()) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

// `command -v NAME`, `type NAME`: the shell only says what the names mean.
bool only_looks_up(const std::vector<Word>& words) {
  const std::string& name = words.front().text;
  if (words.size() < 2) return false;
  return name == "type" || (name == "command" && (words[1].text == "-v" || words[1].text == "-V"));
}

// True if printf may set a variable that one of its words names (printf_format.h).
bool sets_by_format(const std::vector<Word>& words) {
  const bool is_known = words.size() > 1 && words[1].literal;
  const std::size_t format = 1 + format_index(is_known ? words[1].text : std::string_view());
  return format + 1 < words.size() && (!words[format].literal || may_assign(words[format].text));
}

// True for builtins that also exist as programs which do the same.
bool is_program_too(std::string_view name) { return name == "kill" || name == "time"; }

// True if the only argument is an option with which every program prints information and does nothing else.
bool asks_who_it_is(const std::vector<std::string>& words) {
  return words.size() == 2 && (words[1] == "--version" || words[1] == "--help");
}

// The name in NAME=value, NAME+=value and NAME[0]=value.
std::string_view variable_of(const Word& assignment) {
  const std::string_view text = assignment.text;
  return text.substr(0, text.find_first_of("+[="));
}

// The text after the = of an assignment.
std::string_view value_of(std::string_view assignment) {
  return assignment.substr(std::min(assignment.find('='), assignment.size() - 1) + 1);
}

// The context in which a command is judged.
struct Frame : TextPlace {
  int depth = 0;                         // how many wrappers are around the command
  bool by_shell = true;                  // a shell runs the command, so the name of a builtin means the builtin
  bool listed = false;                   // an entry of the allow list names all words of the command around it
  std::vector<std::string> directories;  // in which the command may run; several if a `cd` may have failed
  bool elsewhere = false;                // the command may also run in other directories
};

class Judge {
 public:
  explicit Judge(const Situation& situation)
      : situation_(situation),
        rules_(situation.commands),
        allow_(rules_),
        confined_(situation.directories.confine_arguments),
        deny_(parse_entries(rules_.deny)),
        ask_(parse_entries(rules_.ask)),
        ask_network_(parse_entries(rules_.ask_network)),
        strictest_(rules_, allow_.exists(), confined_) {}

  void line(std::string_view text, const Script& script) {
    judge_script(script, Frame{{text, std::nullopt}, 0, situation_.by_shell, false, {situation_.directory}});
  }

  void not_expanded(std::string_view line, const NotExpanded& problem) {
    strictest_.not_covered({line, std::nullopt}, problem.at, "there is " + problem.what, problem.hint);
  }

  Verdict verdict() && { return std::move(strictest_).verdict(allowed_by_); }

  // Adds the options that keep a judged command safe whatever a configuration says (git --no-pager ...). A command that
  // an entry names in full runs as it is written.
  void harden(Script& script) const {
    for (SimpleCommand& command : script.commands) {
      for (std::size_t i = command.words.size(); i-- > 0;) {
        const auto [begin, end] = hardened_.equal_range(command.words[i].at.begin);
        const auto found = std::find_if(begin, end, [&](const auto& each) {
          return command.words[i].literal && each.second.name == command.words[i].text;
        });
        if (found != end) harden(command, i, found->second.additions);
      }
    }
  }

 private:
  bool is_strict() const { return allow_.exists() || confined_; }

  static void harden(SimpleCommand& command, std::size_t first, const std::vector<AddedWords>& additions) {
    for (auto addition = additions.rbegin(); addition != additions.rend(); ++addition) {
      std::vector<Word> words;
      for (const std::string_view text : addition->words) {
        words.push_back({std::string(text), true, command.words[first].at});
      }
      command.words.insert(command.words.begin() + static_cast<std::ptrdiff_t>(first + addition->before), words.begin(),
                           words.end());
    }
  }

  // ---- Scripts.

  void judge_script(const Script& script, Frame frame) {
    if (script.error) {
      strictest_.unknown(frame, script.error->at, "the line cannot be read as shell text: " + script.error->what);
    } else if (is_strict() && script.obstacle) {
      strictest_.unknown(frame, script.obstacle->at, "there is " + script.obstacle->what);
    }
    const bool known = !script.obstacle;
    for (const SimpleCommand& command : script.commands) {
      if (confined_ && known) judge_input_file(command, frame);
      judge_command(command, frame);
      if (!is_strict()) {
        note_cd(command, frame);
      } else if (known && !command.words.empty() && command.words.front().text == "cd") {
        judge_cd(command, frame);
      }
    }
  }

  // Without an allow list, later commands may run where any `cd` so far leads, or in an unknown directory, because a
  // function, a variable or a loop may hide a `cd`.
  static void note_cd(const SimpleCommand& command, Frame& frame) {
    const auto& words = command.words;
    const auto is_one_of = [](std::string_view names) {
      return [names](const Word& word) { return word.literal && programs::is_listed(names, word.text); };
    };
    const bool moves = std::any_of(words.begin(), words.end(), is_one_of("cd chdir pushd")) &&
                       is_one_of("cd chdir pushd command builtin")(words.front());
    if (moves && words.back().literal) follow(words.back().text, frame);
  }

  // Adds the directories to which `path` leads from those of the frame.
  static void follow(std::string_view path, Frame& frame) {
    const std::vector<std::string> before = frame.directories;
    if (before.size() > max_directories) return;
    for (const std::string& from : before) {
      std::string to = resolve_folder(from, path);
      const auto& all = frame.directories;
      if (std::find(all.begin(), all.end(), to) == all.end()) frame.directories.push_back(std::move(to));
    }
  }

  // `cd DIR && ...`, `cd DIR; ...`: later commands may run in DIR or in the previous directory.
  void judge_cd(const SimpleCommand& command, Frame& frame) {
    const Range at = command.words.front().at;
    const Word* const directory = directory_of_cd(command.words);
    if (directory == nullptr) {
      return strictest_.not_covered(frame, at,
                                    "cd needs exactly one directory, after -- if it begins with a minus sign",
                                    "write cd DIRECTORY && ...");
    }
    if ((command.joint != Joint::and_then && command.joint != Joint::sequence && command.joint != Joint::end) ||
        command.negated) {
      return strictest_.not_covered(
          frame, at,
          "cd must be followed by && or ;, because the commands after it are judged for the directory that it enters",
          "write cd DIRECTORY && ..., or name the directory as working_directory");
    }
    if (!situation_.directories.roots.empty()) {
      for (const std::string& from : frame.directories) {
        const std::string to = resolve_folder(from, directory->text);
        const bool is_known = to != unknown_folder;
        if (is_within_any(is_known ? std::string_view(to) : "/", situation_.roots)) continue;
        strictest_.not_covered(frame, directory->at,
                               is_known ? "cd would lead to " + in_quotes(to) + ", outside of directories.roots"
                                        : "it is not known where cd leads; the folder may be outside of "
                                          "directories.roots",
                               roots_hint());
      }
    }
    follow(directory->text, frame);
    if (frame.directories.size() > max_directories) {
      strictest_.not_covered(frame, at, "there are too many cd commands", "use fewer cd commands");
      frame.directories.resize(max_directories);
    }
  }

  // ---- Commands.

  void judge_command(const SimpleCommand& command, const Frame& frame) {
    if (frame.depth > max_wrapping_depth)
      return strictest_.unknown(frame, {0, frame.line.size()}, "wrappers are nested too deeply");
    if (!is_strict()) judge_variables(command, frame);
    if (command.words.empty()) return;
    const Word& first = command.words.front();
    if (!first.literal)
      return strictest_.unknown(frame, first.at, "the name of a command is known only when the command runs");
    const std::string_view tool = base_name(first.text);
    judge_entries(command, frame);
    Frame within = frame;
    if (confined_) {
      if (auto followed = working_directories(command.words, command.words.size(), frame.directories)) {
        within.directories = *std::move(followed);
      } else {
        strictest_.not_covered(frame, first.at, "the command may run in too many directories",
                               "use fewer options for directories");
      }
    }
    if (is_strict() && !frame.listed) within.listed = judge_strictly(command, tool, within) == Coverage::exact;
    judge_inner(command, tool, within);
  }

  // True if the entry already matches the words before the first one that is not literal. It then matches, whatever the
  // rest becomes.
  static bool is_certain(const Entry& entry, const std::vector<Word>& words) {
    const auto open = std::find_if(words.begin(), words.end(), [](const Word& word) { return !word.literal; });
    return open == words.end() || is_about(entry, {words.begin(), open});
  }

  void judge_entries(const SimpleCommand& command, const Frame& frame) {
    for (const auto& [entries, decision, key] : {std::tuple(&deny_, Decision::deny, "commands.deny"),
                                                 std::tuple(&ask_network_, Decision::ask, "commands.ask_network"),
                                                 std::tuple(&ask_, Decision::ask, "commands.ask")}) {
      for (const Entry& entry : *entries) {
        if (!is_about(entry, command.words)) continue;
        // Words that are added when the command runs have no position in the line.
        Range at = command.words.front().at;
        for (const Word& word : command.words) at.end = std::max(at.end, std::max(at.begin, word.at.end));
        const std::string said = in_quotes(frame.line.substr(std::min(at.begin, frame.line.size()), at.end - at.begin));
        const bool denies = decision == Decision::deny;
        const bool certain = is_certain(entry, command.words);
        if (certain && entries == &ask_network_) strictest_.opens_network();
        strictest_.note(
            decision, frame, at,
            certain
                ? said + (denies ? " is denied by the entry " : " needs a person's approval because of the entry ") +
                      in_quotes(entry.text)
                : said + " might match the entry " + in_quotes(entry.text) +
                      (denies ? ", which denies it" : ", which needs a person's approval") +
                      ": a part of the command is known only when the line runs",
            std::string(key) + ": " + entry.text,
            "the person who maintains the configuration can remove the entry " + in_quotes(entry.text) + " from " + key,
            true);
      }
    }
  }

  // Coverage::exact: an entry names all of these words, and therefore also the commands that they run.
  Coverage judge_strictly(const SimpleCommand& command, std::string_view tool, const Frame& frame) {
    const std::vector<Word>& words = command.words;
    const std::string& name = words.front().text;
    const Range at = words.front().at;
    for (const Word& assignment : command.assignments) {
      const std::string variable(variable_of(assignment));
      if (const auto refusal = refuse_variable(variable, value_of(assignment.text))) {
        strictest_.not_covered(frame, assignment.at, "the variable " + variable + ' ' + refusal->reason, refusal->hint);
        return Coverage::none;
      }
    }
    const bool is_builtin = frame.by_shell && is_shell_word(name) && !is_program_too(name);
    if (is_builtin && sets_harmless_options(words)) return Coverage::program;
    if (is_builtin && !is_harmless_builtin(name) && !only_looks_up(words)) {
      strictest_.not_covered(frame, at,
                             name + " is a builtin of the shell that can change later commands, or run any command",
                             std::string(hint_for_builtin(name)));
      return Coverage::none;
    }
    if (is_builtin && name == "export" && !judge_export(words, frame)) return Coverage::none;
    // bash's printf -v sets a variable, and runs the commands in that variable's subscript.
    if (is_builtin && name == "printf" && words.size() > 1 && words[1].text.starts_with("-v")) {
      strictest_.not_covered(frame, words[1].at, "printf -v sets a variable of the shell", "leave -v out");
      return Coverage::none;
    }
    if (is_builtin && name == "printf" && sets_by_format(words)) {
      strictest_.not_covered(frame, words[1].at,
                             "printf sets a variable of the shell for %n in its format, perhaps PATH",
                             "leave %n out, or give printf no words after a format that is not known");
      return Coverage::none;
    }
    Coverage coverage = Coverage::program;
    if (allow_.exists()) {
      coverage = judge_allowed(words, frame);
      if (coverage == Coverage::none) return coverage;
      if (coverage != Coverage::exact && !is_builtin) judge_arguments_of(words, tool, coverage, frame);
    }
    if (confined_) judge_paths(words, tool, frame);
    // An entry names words. It does not name a file that the shell opens, which `bash -s` would run.
    const bool reads_file = std::any_of(command.redirections.begin(), command.redirections.end(),
                                        [](const Redirection& redirection) { return redirection.to_file; });
    if (coverage == Coverage::exact && reads_file) return Coverage::program;
    return coverage;
  }

  std::optional<NameRefusal> refuse_variable(std::string_view name, std::string_view value) const {
    static const auto& no_rules = lasting<EnvironmentRules>();
    return refuse_name(name, situation_.environment != nullptr ? *situation_.environment : no_rules, value);
  }

  // Without an allow list, a dangerous variable may make any program run a command of the deny or ask list.
  void judge_variables(const SimpleCommand& command, const Frame& frame) {
    const auto judge_variable = [&](const Word& word) {
      const std::string variable(variable_of(word));
      const std::string_view value = value_of(word.text);
      const bool is_whole = word.literal && word.text.size() == variable.size() + 1 + value.size();  // not PAGER+=cat
      if (!is_dangerous_variable(variable) || (is_whole && is_set_anyway(variable, value))) return;
      strictest_.unknown(frame, word.at, "the variable " + variable + " changes what programs do");
    };
    for (const Word& assignment : command.assignments) judge_variable(assignment);
    const std::vector<Word>& words = command.words;
    if (words.empty() || !programs::is_listed("export declare typeset local readonly", words.front().text)) return;
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i].text.find('=') != std::string::npos) judge_variable(words[i]);
    }
  }

  bool judge_export(const std::vector<Word>& words, const Frame& frame) {
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string_view text = words[i].text;
      const std::size_t equals = text.find('=');
      const std::string_view variable = text.substr(0, equals);
      const auto refusal = refuse_variable(variable, value_of(text));
      const bool by_name = refuse_variable(variable, {}).has_value();
      if (equals == std::string_view::npos || !is_variable_name(variable) || refusal) {
        strictest_.not_covered(
            frame, words[i].at,
            refusal && !by_name
                ? "the variable " + std::string(variable) + ' ' + refusal->reason
                : "export may be used here only as NAME=value, with names that do not change what programs do",
            refusal ? refusal->hint : "give the variable in the call's environment");
        return false;
      }
    }
    return true;
  }

  Coverage judge_allowed(const std::vector<Word>& words, const Frame& frame) {
    const std::string& name = words.front().text;
    if (frame.elsewhere && !name.starts_with('/') && name.find('/') != std::string::npos) {
      strictest_.not_covered(frame, words.front().at,
                             in_quotes(name) + " may run in a directory other than the working directory",
                             "name it by its absolute path");
      return Coverage::none;
    }
    const auto [best, by] = allow_.cover(words, situation_.programs, frame.directories);
    if (best == Coverage::none) {
      const Range at{words.front().at.begin, words.back().at.end};
      strictest_.not_covered(frame, allow_.names(name) ? at : words.front().at, allow_.why_not(words),
                             allow_.hint(words));
    } else if (allowed_by_.empty()) {
      allowed_by_ = "commands.allow: " + by->text;
    }
    return best;
  }

  void judge_arguments_of(const std::vector<Word>& words, std::string_view tool, Coverage coverage,
                          const Frame& frame) {
    std::vector<std::string> known;        // the known words
    std::vector<std::string> known_first;  // the words before the first unknown one
    const bool has_path = std::any_of(words.begin(), words.end(), [](const Word& word) { return word.is_path; });
    const bool any_path = has_path && takes_paths(tool, words);
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (!words[i].literal && !(words[i].is_path && any_path)) continue;
      if (known.size() == i) known_first.push_back(words[i].text);
      known.push_back(words[i].text);
    }
    if (!rules_.safe_arguments) {
      const bool said_outright = coverage == Coverage::prefix && !is_known_program(tool);
      if (known.size() < words.size() && !said_outright && may_run_programs(tool) &&
          !takes_more_arguments(tool, known_first)) {
        strictest_.not_covered(
            frame, words.front().at,
            in_quotes(tool) + " gets arguments that are known only when the command runs, and some arguments " +
                (is_known_program(tool) ? "make" : "may make") + " it run programs",
            is_known_program(tool) ? "write the arguments out, or put -- in front of them"
                                   : "write the arguments out; " + any_arguments_hint(words.front()));
      }
      return;
    }
    const ArgumentJudgement judgement = judge_arguments(tool, known);
    if (judgement.kind == ArgumentJudgement::Kind::safe) {
      Hardening made = hardening(tool, known_first);
      if (!made.additions.empty()) judge_hardened(words, tool, std::move(made), frame);
    }
    if (judgement.kind == ArgumentJudgement::Kind::unsafe) {
      not_safe(judgement, words, frame);
    } else if (judgement.kind == ArgumentJudgement::Kind::no_rules && coverage == Coverage::program &&
               !(known.size() == words.size() && asks_who_it_is(known))) {
      const programs::OptionTable* const program = programs::find_program(tool);
      const bool is_shell = program != nullptr && program->spec().runs == programs::Runs::shell;
      strictest_.not_covered(
          frame, words.front().at,
          "it is not known which arguments of " + in_quotes(tool) +
              " are safe, and commands.arguments allows only safe ones",
          is_shell ? "write the commands themselves, without " + std::string(tool) : any_arguments_hint(words.front()));
    } else if (judgement.kind == ArgumentJudgement::Kind::safe && known.size() < words.size() &&
               !takes_more_arguments(tool, known_first)) {
      known_first.emplace_back("--");
      strictest_.not_covered(
          frame, words.front().at, in_quotes(tool) + " gets arguments that are known only when the command runs",
          takes_more_arguments(tool, known_first) ? "write the arguments out, or put -- in front of them"
                                                  : "write the arguments out");
    }
  }

  // The added words keep the tool from executing or writing what a configuration names, but do not switch off git's
  // filters.
  void judge_hardened(const std::vector<Word>& words, std::string_view tool, Hardening made, const Frame& frame) {
    if (frame.outer) {
      return strictest_.not_covered(
          frame, words.front().at,
          in_quotes(tool) + " within text for a shell may run programs, or write files, that a configuration names",
          "run it as a command of its own");
    }
    hardened_.emplace(words.front().at.begin, Hardened{words.front().text, std::move(made.additions)});
    if (tool != "git") return;
    if (frame.elsewhere) {
      return strictest_.not_covered(frame, words.front().at,
                                    in_quotes(tool) +
                                        " may run in another repository, whose configuration may have filters, which "
                                        "run programs",
                                    "name that directory as working_directory");
    }
    const std::vector<std::string> own = covenant::repositories_around(situation_.directory, "/");
    for (std::string directory : frame.directories) {
      for (const std::string& next : made.directories) directory = resolve_folder(directory, next);
      const bool is_known = directory != unknown_folder;
      if (is_known && (covenant::repositories_around(directory, "/") == own || !covenant::may_filter(directory, "/"))) {
        continue;
      }
      return strictest_.not_covered(frame, words.front().at,
                                    (is_known ? "the repository at " + in_quotes(directory) + ", or one around it, has"
                                              : "the repository is known only when the command runs, and may have") +
                                        " filters, which run programs",
                                    "set working_directory to the folder of that repository");
    }
  }

  void not_safe(const ArgumentJudgement& judgement, const std::vector<Word>& words, const Frame& frame) {
    const Word& word = words[std::min(judgement.word, words.size() - 1)];
    strictest_.not_covered(frame, word.at, judgement.reason + ", and commands.arguments allows only safe arguments",
                           judgement.hint.empty() ? entry_hint(words) : judgement.hint);
  }

  void judge_paths(const std::vector<Word>& words, std::string_view tool, const Frame& frame) {
    const std::string& name = words.front().text;
    const std::vector<std::string> texts = texts_of(words);
    const ArgumentJudgement reach = judge_reach(tool, texts);
    if (reach.kind == ArgumentJudgement::Kind::unsafe) {
      return strictest_.not_covered(frame, words[std::min(reach.word, words.size() - 1)].at,
                                    reach.reason + ", which may lie outside of directories.roots",
                                    reach.hint.empty() ? "leave it out" : reach.hint);
    }
    if (const auto list = find_list_of_sums(tool, texts)) {
      return strictest_.not_covered(frame, words[*list].at,
                                    "a list names further files, which may lie outside of directories.roots",
                                    "compute the sums, and compare them");
    }
    if (!links_moved_by_.empty() && names_paths(tool, texts)) {
      return links_moved(frame, words.front().at, "the paths of " + in_quotes(name));
    }
    const auto runs_elsewhere = std::find_if(
        words.begin(), words.end(), [](const Word& word) { return word.text == "-execdir" || word.text == "-okdir"; });
    if (tool == "find" && runs_elsewhere != words.end()) {
      return strictest_.not_covered(frame, runs_elsewhere->at,
                                    runs_elsewhere->text + " runs its command in other directories", "use -exec");
    }
    for (const std::string& directory : frame.directories) {
      if (name.find('/') != std::string::npos && !situation_.programs.is_found(name)) {
        const std::string path = resolve_path(directory, name);
        if (!is_within_any(path, situation_.roots)) {
          return strictest_.not_covered(frame, words.front().at,
                                        in_quotes(name) + " is a program outside of directories.roots", roots_hint());
        }
      }
      if (const auto escape = find_escape(tool, texts, directory, situation_.roots)) {
        return leads_out(frame, words[escape->word], *escape);
      }
    }
    const auto unknown_word = std::find_if(words.begin(), words.end(), [](const Word& word) { return !word.literal; });
    if (unknown_word != words.end()) {
      strictest_.not_covered(frame, unknown_word->at,
                             "a path that is known only when the command runs may lead out of directories.roots",
                             "write the path out");
    }
    if (links_moved_by_.empty() && moves_links(tool, texts)) links_moved_by_ = tool;
  }

  // A file that the shell opens as the standard input of the command, in the directory in which the shell is then.
  void judge_input_file(const SimpleCommand& command, const Frame& frame) {
    for (const Redirection& redirection : command.redirections) {
      const Word& file = redirection.target;
      if (!redirection.to_file) continue;
      if (!links_moved_by_.empty()) return links_moved(frame, file.at, in_quotes(file.text));
      for (const std::string& directory : frame.directories) {
        const auto escape = find_escape({}, {{}, file.text}, directory, situation_.roots);
        if (escape) return leads_out(frame, file, *escape);
      }
    }
  }

  void leads_out(const Frame& frame, const Word& word, const Escape& escape) {
    strictest_.not_covered(
        frame, word.at,
        in_quotes(word.text) + (escape.path.empty() ? " may lead out of directories.roots: " + escape.why
                                : escape.path == word.text
                                    ? " is outside of directories.roots"
                                    : " leads to " + in_quotes(escape.path) + ", outside of directories.roots"),
        roots_hint());
  }

  void links_moved(const Frame& frame, Range at, const std::string& paths) {
    strictest_.not_covered(frame, at,
                           in_quotes(links_moved_by_) + " earlier in the line may make or move links, so " + paths +
                               " may lead elsewhere by then",
                           "use two calls");
  }

  // ---- What a command runs besides itself.

  void judge_inner(const SimpleCommand& command, std::string_view tool, const Frame& frame) {
    const Whereabouts where{frame.directories, frame.elsewhere || !is_strict(), is_strict()};
    for (const Inner& inner : inner_commands(tool, command, &where)) {
      Frame within = frame;
      ++within.depth;
      switch (inner.kind) {
        case Inner::Kind::command: {
          within.by_shell = false;
          follow_directories(command, inner, tool, within);
          SimpleCommand run = inner.command;
          // Arguments that are not known yet are represented by one word that may be anything.
          if (inner.open_ended) run.words.push_back({"", false, command.words.front().at});
          judge_command(run, within);
          break;
        }
        case Inner::Kind::script:
          if (!inner.text.literal) {
            strictest_.unknown(frame, inner.text.at,
                               "shell text for " + in_quotes(tool) + " is known only when the command runs");
            break;
          }
          follow_directories(command, inner, tool, within);
          within.by_shell = true;
          within.line = inner.text.text;
          within.outer = frame.outer.value_or(inner.text.at);
          judge_script(parse(inner.text.text, Shell::any, false, inner.command.reads_pipe), within);
          break;
        case Inner::Kind::code:
          if (frame.listed) break;
          strictest_.note(Decision::ask, frame, inner.text.at, inner.reason + ", which cannot be judged", "inline code",
                          "put the code into a file that is reviewed, and run the file");
          break;
        case Inner::Kind::unclear:
          if (frame.listed) break;
          strictest_.unknown(frame, inner.text.at, inner.reason);
          break;
      }
    }
    if (!frame.listed) judge_program_text_of(command.words, tool, frame);
  }

  // Determines where `inner` runs. The options before `inner` may name a directory.
  void follow_directories(const SimpleCommand& command, const Inner& inner, std::string_view tool,
                          Frame& within) const {
    const std::vector<Word>& words = command.words;
    const auto runs = std::find_if(words.begin() + 1, words.end(), [&](const Word& word) {
      return !inner.command.words.empty() && word.at.begin == inner.command.words.front().at.begin &&
             word.text == inner.command.words.front().text;
    });
    auto followed = working_directories(words, static_cast<std::size_t>(runs - words.begin()), within.directories);
    // An option before `inner` may take a found path (Word::is_path) as the directory in which `inner` runs.
    const bool is_found = std::any_of(words.begin(), runs, [](const Word& word) { return word.is_path; });
    within.elsewhere = within.elsewhere || !followed || is_found || runs_elsewhere(tool, words);
    if (followed) within.directories = *std::move(followed);
    // find -execdir runs the command in any folder that it finds, such as /dev, where "stdin" may be standard input.
    if (is_strict() && tool == "find" && runs_elsewhere(tool, words)) within.directories.emplace_back("/dev");
  }

  void judge_program_text_of(const std::vector<Word>& words, std::string_view tool, const Frame& frame) {
    const ArgumentJudgement judgement = judge_program_text(tool, texts_of(words));
    if (judgement.kind != ArgumentJudgement::Kind::unsafe) return;
    const Word& word = words[std::min(judgement.word, words.size() - 1)];
    strictest_.note(Decision::ask, frame, word.at, judgement.reason, "inline code",
                    judgement.hint.empty() ? "leave it out" : judgement.hint);
  }

  // ---- Hints.

  std::string roots_hint() const {
    std::string text = "directories.roots are: ";
    for (std::size_t i = 0; i < situation_.directories.roots.size(); ++i) {
      text += (i > 0 ? ", " : "") + situation_.directories.roots[i];
    }
    return text;
  }

  const Situation& situation_;
  const CommandRules& rules_;
  const AllowList allow_;
  const bool confined_;
  const std::vector<Entry> deny_, ask_, ask_network_;
  VerdictBuilder strictest_;
  std::string allowed_by_;
  std::string links_moved_by_;  // with confined arguments: a command of the line that may have made or moved links
  struct Hardened {
    std::string name;
    std::vector<AddedWords> additions;
  };
  std::multimap<std::size_t, Hardened> hardened_;  // by the position of the command's name in the line
};

}  // namespace

bool judges_words(const CommandRules& commands, const DirectoryRules& directories) {
  return has_allow_list(commands) || directories.confine_arguments;
}

bool judges_lines(const CommandRules& commands, const DirectoryRules& directories) {
  return judges_words(commands, directories) || !commands.deny.empty() || !commands.ask.empty() ||
         !commands.ask_network.empty();
}

LineJudgement judge(std::string_view line, const Situation& situation) {
  LineJudgement judgement;
  if (!judges_lines(situation.commands, situation.directories)) {
    judgement.verdict.reason = "no configured rule forbids it";
    return judgement;
  }
  const bool expands = situation.expands && judges_words(situation.commands, situation.directories);
  Script script = parse(line, Shell::any, expands, situation.gets_text);
  if (expands && script.lasting) script.obstacle = script.lasting;
  Judge judge(situation);
  if (expands && script.obstacle && !script.lasting && !script.error) {
    Script known = script;
    const auto problem = expand_known(
        known, {situation.directory, situation.home, situation.directories.confine_arguments, situation.roots});
    if (problem) {
      judge.not_expanded(line, *problem);
    } else {
      script = std::move(known);
      judgement.expanded = true;
    }
  }
  if (expands && (script.obstacle || script.error)) {
    // The line is not written out again. So if it runs, some shells read it otherwise: dash reads `ls &>/dev/null rm x`
    // as two commands. The reasons stay those of the first reading.
    Script as_written = parse(line, Shell::any, false, situation.gets_text);
    script.commands = std::move(as_written.commands);
    if (!script.error) script.error = std::move(as_written.error);
  }
  judge.line(line, script);
  if (judges_words(situation.commands, situation.directories) && !script.obstacle && !script.error) {
    judge.harden(script);
    judgement.script = std::move(script);
  }
  judgement.verdict = std::move(judge).verdict();
  return judgement;
}

}  // namespace wtool::policy
