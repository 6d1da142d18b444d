#include "policy/covenant/filesystem.h"

#include <algorithm>
#include <array>

#include "policy/covenant/flags.h"

namespace wtool::policy::covenant {

namespace {

enum class Operands {
  paths,
  pattern,  // the first is a pattern, unless a flag gave one
  none,
};

struct Command {
  std::string_view name;
  Flags flags;
  std::size_t least;  // paths
  std::size_t most;
  Use use = Use::read;
  Operands operands = Operands::paths;
};

constexpr std::size_t any_number = static_cast<std::size_t>(-1);

// What is left out follows links (ls -L, grep -R, cp -L), waits (tail -f), asks (rm -i), reads names from files (grep
// -f), makes links (cp -s) or takes its target first (cp -t).
const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {"ls",
       {.letters = "aAlhRrtS1dFispngGXUcukmxCQbqBfvoN",
        .names = {{"all", 'a'},
                  {"almost-all", 'A'},
                  {"human-readable", 'h'},
                  {"recursive", 'R'},
                  {"reverse", 'r'},
                  {"directory", 'd'},
                  {"size", 's'},
                  {"inode", 'i'},
                  {"classify", 'F'},
                  {"no-group", 'G'},
                  {"group-directories-first"},
                  {"full-time"},
                  {"sort", 0, Value::text},
                  {"color", 0, Value::optional_text}}},
       0,
       any_number},
      {"cat",
       {.letters = "nbAETsvet",
        .names = {{"number", 'n'}, {"number-nonblank", 'b'}, {"show-all", 'A'}, {"squeeze-blank", 's'}}},
       1,
       any_number},
      {"head",
       {.letters = "qv",
        .signed_numbers = "nc",
        .names = {{"lines", 'n', Value::signed_number}, {"bytes", 'c', Value::signed_number}, {"quiet"}, {"verbose"}},
        .digits = 'n'},
       1,
       any_number},
      {"tail",
       {.letters = "qv",
        .signed_numbers = "nc",
        .names = {{"lines", 'n', Value::signed_number}, {"bytes", 'c', Value::signed_number}, {"quiet"}, {"verbose"}},
        .digits = 'n'},
       1,
       any_number},
      {"wc",
       {.letters = "lwcmL",
        .names = {{"lines", 'l'}, {"words", 'w'}, {"bytes", 'c'}, {"chars", 'm'}, {"max-line-length", 'L'}}},
       1,
       any_number},
      {"grep",
       {.letters = "nivclLwxohHsqEFGPrIaz",
        .numbers = "ABCm",
        .texts = "e",
        .names = {{"line-number", 'n'},
                  {"ignore-case", 'i'},
                  {"invert-match", 'v'},
                  {"count", 'c'},
                  {"files-with-matches", 'l'},
                  {"files-without-match", 'L'},
                  {"word-regexp", 'w'},
                  {"line-regexp", 'x'},
                  {"only-matching", 'o'},
                  {"no-filename", 'h'},
                  {"with-filename", 'H'},
                  {"no-messages", 's'},
                  {"quiet", 'q'},
                  {"extended-regexp", 'E'},
                  {"fixed-strings", 'F'},
                  {"basic-regexp", 'G'},
                  {"perl-regexp", 'P'},
                  {"recursive", 'r'},
                  {"text", 'a'},
                  {"after-context", 'A', Value::number},
                  {"before-context", 'B', Value::number},
                  {"context", 'C', Value::number},
                  {"max-count", 'm', Value::number},
                  {"regexp", 'e', Value::text},
                  {"include", 0, Value::text},
                  {"exclude", 0, Value::text},
                  {"exclude-dir", 0, Value::text},
                  {"color", 0, Value::optional_text}},
        .digits = 'C'},
       1,
       any_number,
       Use::read,
       Operands::pattern},
      {"pwd", {.letters = "LP"}, 0, 0, Use::read, Operands::none},
      {"mkdir", {.letters = "pv", .names = {{"parents", 'p'}, {"verbose", 'v'}}}, 1, any_number, Use::written},
      {"touch", {.letters = "cam", .names = {{"no-create", 'c'}}}, 1, any_number, Use::written},
      {"cp",
       {.letters = "rRafnvpu",
        .names = {{"recursive", 'r'},
                  {"archive", 'a'},
                  {"force", 'f'},
                  {"no-clobber", 'n'},
                  {"update", 'u'},
                  {"verbose", 'v'}}},
       2,
       2,
       Use::read},
      {"mv",
       {.letters = "fnvu", .names = {{"force", 'f'}, {"no-clobber", 'n'}, {"update", 'u'}, {"verbose", 'v'}}},
       2,
       2,
       Use::removed},
      {"rm",
       {.letters = "rRfvd", .names = {{"recursive", 'r'}, {"force", 'f'}, {"verbose", 'v'}, {"dir", 'd'}}},
       1,
       any_number,
       Use::removed},
  };
  return table;
}

std::string wrong_count(const Command& command) {
  std::string text = std::string(command.name) + " requires ";
  const std::size_t count = command.least;
  text += command.most == any_number ? "at least " : "exactly ";
  return text + std::to_string(count) + (count == 1 ? " path" : " paths");
}

Reading read(const Command& command, Arguments arguments) {
  if (!arguments.refusal.empty()) return Reading::refuse(arguments.refusal);
  std::vector<std::string>& operands = arguments.operands;
  Reading reading{Tier::immediate, {}, {}, {std::string(command.name)}, true, false};
  reading.executed.insert(reading.executed.end(), arguments.flags.begin(), arguments.flags.end());
  // The covenant shows the line numbers of a search through folders.
  if (command.name == "grep" && arguments.has('r') && !arguments.has('n')) reading.executed.emplace_back("-n");
  const bool recursive = arguments.has('r') || arguments.has('R') || arguments.has('a');
  std::size_t least = command.least;
  if (command.operands == Operands::pattern) {
    if (!arguments.has('e')) {
      if (operands.empty()) return Reading::refuse(std::string(command.name) + " requires pattern");
      reading.executed.push_back("--regexp=" + operands.front());
      operands.erase(operands.begin());
    }
    if (arguments.has('r')) least = 0;
  }
  if (operands.size() < least || operands.size() > command.most) return Reading::refuse(wrong_count(command));
  // Behind `--` nothing is taken for a flag, whatever the environment says of the order of flags.
  reading.executed.push_back("--");
  reading.executed.insert(reading.executed.end(), operands.begin(), operands.end());
  if (command.operands == Operands::none) return reading;

  for (const std::string& operand : operands) reading.paths.push_back({operand, command.use});
  if (operands.empty()) reading.paths.push_back({".", command.use});
  if (command.most == 2) {
    reading.paths.back().use = Use::target;
    if (command.use == Use::read && recursive) reading.paths.front().use = Use::read_tree;
  }
  if (command.name == "rm" && recursive) reading.tier = Tier::ask;
  return reading;
}

}  // namespace

std::optional<Reading> read_filesystem_command(const std::vector<std::string>& words) {
  const std::string& name = words.front();
  if (name == "find") return read_find(words);
  // Every word is text to it, or one of its flags, none of which does more than spell.
  if (name == "echo") return Reading{Tier::immediate, {}, {}, {}, true, false};
  const auto found =
      std::find_if(commands().begin(), commands().end(), [&](const Command& command) { return command.name == name; });
  if (found == commands().end()) return std::nullopt;
  return read(*found, read_arguments({words.begin() + 1, words.end()}, found->flags));
}

}  // namespace wtool::policy::covenant
