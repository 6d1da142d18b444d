// The database of programs: what is known about their command lines, as data. A program is one ProgramSpec in the file
// of its family. Options are written as in its manual, in one text:
//
//   -r --recursive         takes no value
//   -n=NUM --lines=NUM     takes a value: -n5, -n 5, --lines=5, --lines 5
//   -i[=SUFFIX] --color[=WHEN]
//                          may take one, in the same word: -i.bak, --color=auto
//   --arg=NAME,TEXT        takes two values, in the next two words
//   --paging=never|auto    takes one of these values; any other is not safe
//   --exec=COMMAND...      takes all words behind it, which are a command (see Manner: semicolons)
//   -NUM                   a number: -5, -20
//   -json                  with Style::go: a long option with one dash
//
// The name of a value says what it is: FILE and DIR are paths, LIST is a file that names further files; everything else
// is text. A `!` after an option says that it takes the place of the program's first operand: grep's -e=PATTERN!. A `@`
// says that with this option the operands are files that name further files: sha256sum's --check@
//
// `options` only read. Those of `effects` do more. Each group begins with its effect, and may have its own clause in
// parentheses instead of the usual one (see `clause_of`):
//
//   "writes: -o=FILE --output=FILE; runs_program: --compress-program=PROGRAM; other (takes the safety off): -S"
//
// An option that is in neither text is not safe. `effects` says why, names the programs that options run, and makes an
// abbreviation unsafe if it can mean one of its options. A new program:
//
//   {.names = "rev", .options = "-0 --zero -h -V", .effects = "writes: -o=FILE"},
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

namespace wtool::policy::programs {

struct Problem {
  std::size_t word = 0;
  std::string reason = {};
  std::string hint = {};
};

struct ParsedCommand;

// What the options and the number of operands do not tell.
using Check = std::optional<Problem> (*)(const ParsedCommand&);

enum class Operands {
  any,         // paths, names, whatever: they change nothing
  none,        // there are none
  text,        // text, never paths
  first_text,  // the first is text, unless an option took its place
  command,     // they are a command, which is judged elsewhere; options end with the first
  choose,      // the first names a subcommand, which has its own table: "git log"
  may_choose,  // it does if such a table exists, or if it could be the name of one
};

// What a program, or an option of it, does to others than its own output.
enum class Effect {
  reads,          // nothing
  writes,         // changes files
  runs_program,   // runs a program that these words name
  runs_code,      // runs code that nobody here can read
  opens_network,  // speaks to other machines
  privileged,     // changes the system, other processes or rights
  interactive,    // waits for a person, or is made for one
  other,          // its clause says what
};

// "writes to a file"; empty for `reads` and `other`.
std::string_view clause_of(Effect effect);
std::string_view name_of(Effect effect);

enum class Style {
  gnu,    // -abc is -a -b -c; long options may be abbreviated; options may stand behind operands
  exact,  // the same, but nothing is abbreviated
  posix,  // the same, but the first operand ends the options
  go,     // -name and --name are the same option; nothing is bundled
  none,   // there are no options: every word is an operand
  git,    // as gnu, and every --option has its --no-option
  tree,   // as exact, but a letter's value is the next word, even where the bundle goes on: -Lo 1 FILE
};

// What a program runs besides itself, and where that stands.
enum class Runs {
  nothing,
  command,       // the words behind its own options and operands, as they stand
  joined,        // these words joined by blanks: shell text
  scripts,       // each of these words: shell text
  code,          // a package, a program from elsewhere or a file of commands: nobody here knows what it does
  options,       // only what the options in `script` and `code` say
  option_value,  // the same, for a program that does something else
  shell,         // shell text: the value of -c, a file, the standard input
  interpreter,   // code of another language: in the options of `code`, a file, the standard input
  words,         // what words of `words`, `beginnings` or `parts` name
  steered,       // whatever it is told from within: an editor, a terminal
  special,       // what the functions of policy/wrappers/ find in its words
};

enum class Bare { nothing, shell, code };  // what runs where no command is given

// How words are read that may be known only when the command runs (policy/programs/reader.h).
enum Manner : unsigned {
  permutes = 1,       // options may stand behind operands
  single_dash = 2,    // long options may have a single dash: -exec; letters are not bundled
  any_long = 4,       // long options that are not known take a value behind "=" or none
  any_valued = 8,     // long options that are not known take a value
  number = 16,        // -10 is an option
  lenient = 32,       // what is not known is passed over; the spec names only what matters
  plus = 64,          // +x is an option too, of the same letters
  no_equals = 128,    // the value of a long option stands in the next word only
  underscores = 256,  // a long option may have _ for -
  semicolons = 512,   // a COMMAND... ends with a word ";", and further options may follow
};

// What becomes of a path.
enum class Use {
  read,
  read_tree,  // with all that is below: a folder that is copied
  written,    // made, or its content or times changed
  removed,    // or moved away
  target,     // of cp and mv: written, or where it is a folder, what the first path is called in it
};

// What execute_run runs at once of the program that is the first of its names (policy/covenant.h).
struct Covenant {
  std::string_view options = {};  // as above; a value NUM is digits, INT may have a sign, FILE is a path
  std::string_view with = {};     // names of specs that hold further ones
  std::size_t least = 0;          // operands
  std::size_t most = static_cast<std::size_t>(-1);
  Use use = Use::read;             // of each operand
  std::string_view hardened = {};  // words in front of the given ones, so that it executes nothing by itself
  bool otherwise_asks = false;     // it also writes, with other options or operands
};

struct ProgramSpec {
  std::string_view names = {};    // "grep, egrep, fgrep"; with a subcommand: "git log, git whatchanged"
  std::string_view options = {};  // those that only read
  std::string_view effects = {};  // the others: "writes: -o=FILE --output=FILE; runs_program: --exec=COMMAND"
  std::string_view with = {};     // names of specs that hold further options of this program
  Operands operands = Operands::any;
  std::size_t most = static_cast<std::size_t>(-1);  // more operands than this are unsafe ...
  std::string_view beyond = {};                     // ... because "a second operand is written to"
  Effect does = Effect::reads;                      // whatever the arguments are ...
  std::string_view never = {};                      // ... because it "removes files"
  std::string_view alone = "--help --version";      // safe all the same, as the only argument
  std::string_view bare = {};                       // unsafe without a subcommand or any operand, because ...
  Style style = Style::gnu;
  std::string_view only_with = {};        // unsafe unless one of these options is in force: "-l --list" ...
  std::string_view without = {};          // ... because without one it "writes files" ...
  std::string_view instead = {};          // ... and what is safe: "cpio -t lists them"
  bool only_operands = false;             // of only_with: it is needed where there are operands
  std::string_view unsafe_operands = {};  // "init reset": an operand that is one of these ...
  std::string_view unsafe_why = {};       // ... "runs a program"
  Check check = nullptr;
  std::string_view hardened = {};  // words put behind the name when it runs, so that it executes nothing by itself
  bool response_files = false;     // a word @FILE, wherever it stands, is what FILE has in it

  std::string_view unproven = {};  // further options, of which it is not known whether they only read
  bool rules = true;               // false: it is not known which arguments only read, but what it runs is

  Runs runs = Runs::nothing;
  unsigned manner = 0;
  std::size_t before = 0;              // operands in front of the command
  std::string_view placeholders = {};  // in a COMMAND...: "{} {/}": a name that is found, which else stands behind it
  std::string_view idle = {};          // names of options with which nothing is run: "V version"
  std::string_view script = {};        // of options whose value is shell text
  std::string_view code = {};          // of options whose value is code, or a program or a file of commands that is run
  std::string_view words = {};       // Runs::words: that name a program which runs; steered: subcommands that run none
  std::string_view beginnings = {};  // the same: beginnings of words
  std::string_view letters = {};     // the same: letters that stand behind each other in a bundle of options
  std::string_view parts = {};       // the same: parts of words, in capitals
  Bare bare_runs = Bare::nothing;
  bool names_variables = false;  // its operands are names of variables, which a shell may evaluate
  bool assignments = false;      // NAME=value may stand in front of the command
  bool behind_dashes = false;    // where "--" stands behind the operands, the command is what follows it
  bool reads_input = false;  // its standard input is code; of a program without `runs`, and make, where a word names it
  // Names of options ("*": always) with which, where no command is given, a program reads the standard input that nobody
  // here knows: what a container runs, the shell of another machine.
  std::string_view hands_input_on = {};
  bool foreign = false;                    // a shell whose language is not that of a POSIX shell
  bool terminal = false;                   // made for a person at a terminal ...
  std::string_view without_terminal = {};  // ... but for these options: "-b --batch"
  bool subcommands = false;                // its first operand names one, which may have a spec of its own
  bool values_known = false;               // which of its options take a value: an entry of a deny list is read exactly
  std::string_view synonyms = {};          // for such an entry: "f=force D=delete+force"

  std::optional<Covenant> covenant = {};

  // Of git -c, in lower case: "core.pager=''|cat color.*".
  std::string_view harmless_settings = {};  // with one of these values, where there are any
  std::string_view settings = {};           // by which it runs programs, but with one of these values

  // Variables of the environment: names, and patterns with *. Whole families count as dangerous, because programs add
  // members to them; harmless members are listed one by one. A name on neither list is unknown: a program may use it.
  std::string_view variables = {};           // that change what it does: "GIT_*"
  std::string_view harmless_variables = {};  // that it only reads as data: "GIT_AUTHOR_NAME"
};

enum class Value { none, optional, required };

struct Option {
  std::string name = {};  // "-n", "--lines", "-json"
  Value value = Value::none;
  std::size_t values = 0;  // how many; what is said of the value is said of the last
  std::string_view value_name = {};
  bool chosen = false;          // the value is one of those in value_name
  bool path = false;            // the value is one
  bool list = false;            // the value is a file that names further files
  bool command = false;         // the value is a command: the words from there on
  bool replaces_first = false;  // takes the place of the first operand
  bool lists = false;           // the operands name further files
  bool whole = false;           // one that every program has, and is never abbreviated
  bool listed = false;          // whole: the spec has it too
  bool unproven = false;
  Effect effect = Effect::reads;
  std::string_view why = {};  // of an effect: "writes to a file"

  bool safe() const { return effect == Effect::reads; }
  bool is_own() const { return !whole || listed; }
};

// What a long option is. `negated`: it was given as --no-OPTION, which takes it back.
struct Named {
  const Option* option = nullptr;
  bool negated = false;
};

using SpecNames = std::unordered_map<std::string_view, const ProgramSpec*>;

// A program's spec, made ready to look options up in.
class Compiled {
 public:
  Compiled(const ProgramSpec& spec, const SpecNames& specs);
  const ProgramSpec& spec() const { return *spec_; }
  const std::vector<Option>& options() const { return options_; }  // by name
  // For words that are all known; ignores `unproven`. The option of this letter; null when it is not known. A digit
  // that is not an option itself begins a number.
  const Option* letter(char c) const;
  // What the long option (without its value) is. An abbreviation is the safe option that it begins, if all that it
  // begins are safe, or else the unsafe one; null when it is not known.
  Named word(std::string_view name) const;

  // For words that may be known only when the command runs; includes `unproven`. any_letter: the option of this letter.
  // only: the long option of this name, without its dashes, or the only one that begins with it. exact: the option of
  // exactly this name, with its dashes. Null where there is no such option, or several.
  const Option* any_letter(char c) const;
  const Option* only(std::string_view name) const;
  const Option* exact(std::string_view name) const;

  bool has_effects() const;
  // True where one of its options has this effect.
  bool has_option_that(Effect effect) const;

 private:
  void add_all(const ProgramSpec& spec);
  void add(std::string_view text, Effect effect, std::string_view why);
  std::span<const Option> beginning(std::string_view name) const;
  const Option* abbreviated(std::string_view name) const;

  const ProgramSpec* spec_;
  std::vector<Option> options_;  // sorted by name when complete
  std::array<std::int16_t, 128> letters_{};
  std::int16_t number_ = -1;
};

// The spec of a program, or of "git log"; null when there is none.
const Compiled* find_program(std::string_view name);
// The same, but null where it is not known which arguments only read.
const Compiled* find_rules(std::string_view name);
// The options of the spec's covenant; null where it has none. The covenant itself is in spec().covenant.
const Compiled* find_covenant(std::string_view name);
// All names of programs and subcommands that have specs, sorted.
const std::vector<std::string_view>& program_names();
// The lists that the specs have in this field.
std::vector<std::string_view> lists_of(std::string_view ProgramSpec::*field);

// The families, each in its file.
std::span<const ProgramSpec> text_programs();
std::span<const ProgramSpec> file_programs();
std::span<const ProgramSpec> system_programs();
std::span<const ProgramSpec> search_programs();
std::span<const ProgramSpec> archive_programs();
std::span<const ProgramSpec> language_programs();
std::span<const ProgramSpec> git_programs();
std::span<const ProgramSpec> package_programs();
std::span<const ProgramSpec> container_programs();
std::span<const ProgramSpec> wrapper_programs();
std::span<const ProgramSpec> writing_programs();
std::span<const ProgramSpec> runner_programs();
std::span<const ProgramSpec> interpreter_programs();
std::span<const ProgramSpec> variable_programs();

}  // namespace wtool::policy::programs
