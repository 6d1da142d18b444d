// The tables of `arguments: safe`: what is known of a tool's command line, as data. A tool's options are written as its
// manual writes them, in one text:
//
//   -r --recursive         takes no value
//   -n=NUM --lines=NUM     takes a value: -n5, -n 5, --lines=5, --lines 5
//   -i[=SUFFIX] --color[=WHEN]
//                          may take one, in the same word: -i.bak, --color=auto
//   --arg=NAME,TEXT        takes two values, in the next two words
//   -NUM                   a number: -5, -20
//   -json                  with Style::go: a long option with one dash
//
// The name of a value says what it is: FILE and DIR are paths, LIST is a file that names further files; everything else
// is text. A `!` behind an option says that it takes the place of the tool's first operand: grep's -e=PATTERN!; a `@`
// that with it the operands are files that name further files: sha256sum's --check@
//
// An option that is in no text is unsafe. The texts of unsafe options are there to say why, and because an
// abbreviation is safe only if it can mean nothing unsafe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace wtool::policy::arguments {

struct Problem {
  std::size_t word = 0;
  std::string reason = {};
  std::string hint = {};
};

struct Reading;

// What the options and the number of operands do not tell.
using Check = std::optional<Problem> (*)(const Reading&);

enum class Operands {
  any,         // paths, names, whatever: they change nothing
  none,        // there are none
  text,        // text, never paths
  first_text,  // the first is text, unless an option took its place
  command,     // they are a command, which is judged elsewhere; options end with the first
  choose,      // the first names a subcommand, which has its own table: "git log"
  may_choose,  // it does if such a table exists, or if it could be the name of one
};

enum class Style {
  gnu,    // -abc is -a -b -c; long options may be abbreviated; options may stand behind operands
  exact,  // the same, but nothing is abbreviated
  posix,  // the same, but the first operand ends the options
  go,     // -name and --name are the same option; nothing is bundled
  none,   // there are no options: every word is an operand
  git,    // as gnu, and every --option has its --no-option
  tree,   // as exact, but a letter's value is the next word, even where the bundle goes on: -Lo 1 FILE
};

struct Tool {
  std::string_view names = {};   // "grep, egrep, fgrep"; with a subcommand: "git log, git whatchanged"
  std::string_view safe = {};    // the options that neither execute nor write
  std::string_view unsafe = {};  // "writes to a file: -o=FILE --output=FILE; executes a program: --exec=COMMAND"
  std::string_view with = {};    // names of tables that hold further options of this tool
  Operands operands = Operands::any;
  std::size_t most = static_cast<std::size_t>(-1);  // more operands than this are unsafe ...
  std::string_view beyond = {};                     // ... because "a second operand is written to"
  std::string_view never = {};                      // unsafe whatever the arguments: "removes files"
  std::string_view alone = "--help --version";      // safe all the same, as the only argument
  std::string_view bare = {};                       // unsafe without a subcommand or any operand, because ...
  Style style = Style::gnu;
  Check check = nullptr;
  std::string_view hardened = {};  // words put behind the name when it runs, so that it executes nothing by itself
  bool response_files = false;     // a word @FILE, wherever it stands, is what FILE has in it
};

enum class Value { none, optional, required };

struct Option {
  std::string name = {};  // "-n", "--lines", "-json"
  Value value = Value::none;
  bool two = false;             // there are two values; what is said of the value is said of the second
  bool path = false;            // the value is one
  bool list = false;            // the value is a file that names further files
  bool replaces_first = false;  // takes the place of the first operand
  bool lists = false;           // the operands name further files
  bool safe = true;
  bool whole = false;         // is never abbreviated
  std::string_view why = {};  // unsafe: "writes to a file"; may be empty
};

// What a long option is. `negated`: it was given as --no-OPTION, which takes it back.
struct Named {
  const Option* option = nullptr;
  bool negated = false;
};

using ToolNames = std::unordered_map<std::string_view, const Tool*>;

// A tool's table, made ready to look options up in.
class Compiled {
 public:
  Compiled(const Tool& tool, const ToolNames& tools);
  const Tool& tool() const { return *tool_; }
  // What the option letter is; null when it is not known. A digit without an option of its own begins a number.
  const Option* letter(char c) const;
  // What the long option (without its value) is. An abbreviation is the safe option that it begins, if all that it
  // begins are safe, or else the unsafe one; null when it is not known.
  Named word(std::string_view name) const;
  bool has_unsafe() const;
  // True where one of its options is unsafe because of `why`.
  bool has_option_that(std::string_view why) const;

 private:
  void add_all(const Tool& tool);
  void add(std::string_view text, bool safe, std::string_view why);
  const Option* abbreviated(std::string_view name) const;

  const Tool* tool_;
  std::vector<Option> options_;  // sorted by name when complete
  std::array<std::int16_t, 128> letters_{};
  std::int16_t number_ = -1;
};

// The table of a tool, or of "git log"; null when there is none.
const Compiled* find_tool(std::string_view name);

// The families, each in its file.
std::span<const Tool> text_tools();
std::span<const Tool> file_tools();
std::span<const Tool> system_tools();
std::span<const Tool> search_tools();
std::span<const Tool> archive_tools();
std::span<const Tool> language_tools();
std::span<const Tool> git_tools();
std::span<const Tool> package_tools();
std::span<const Tool> container_tools();
std::span<const Tool> wrapper_tools();
std::span<const Tool> writing_tools();

}  // namespace wtool::policy::arguments
