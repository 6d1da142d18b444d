// The database of programs: what is known about their command lines, as data. A program is one ProgramSpec in the file
// of its family. Options are written as in its manual, in one text:
//
//   -r --recursive         takes no value
//   -n=NUM --lines=NUM     takes a value: -n5, -n 5, --lines=5, --lines 5
//   -i[=SUFFIX] --color[=WHEN]
//                          may take one, in the same word: -i.bak, --color=auto
//   --arg=NAME,TEXT        takes two values, in the next two words
//   --paging=never|auto    takes one of these values; any other is not safe
//   --exec=COMMAND...      takes all words after it, which are a command (see Manner: semicolons)
//   -NUM                   a number: -5, -20
//   -json                  with Style::go: a long option with one dash
//
// The name of a value says what it is: FILE and DIR are paths, LIST is a file that names further files; any other name
// is text. A `!` after an option says that it replaces the program's first operand: grep's -e=PATTERN!. A `@` says that
// with this option the operands are files that name further files: sha256sum's --check@
//
// `options` lists options that only read, `effects` those that do more. Each group of `effects` begins with its effect,
// and may have its own clause in parentheses instead of the usual one (see `clause_of`):
//
//   "writes: -o=FILE --output=FILE; runs_program: --compress-program=PROGRAM; other (takes the safety off): -S"
//
// An option that is in neither list is not safe. `effects` provides the reason for a refusal, shows which options name
// a program to run, and makes an abbreviation unsafe if it can mean an option of `effects`. An entry for a new program:
//
//   {.names = "rev", .options = "-0 --zero -h -V", .effects = "writes: -o=FILE"},
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wtool::policy::programs {

struct Problem {
  std::size_t word = 0;
  std::string reason = {};
  std::string hint = {};
};

struct ParsedCommand;

// Checks what the spec's options and numbers of operands cannot express.
using Check = std::optional<Problem> (*)(const ParsedCommand&);

enum class Operands {
  any,         // paths, names or anything else, none of which changes what the program does
  none,        // the program takes no operands
  text,        // text, never paths
  first_text,  // the first is text, unless an option has replaced it
  command,     // a command, which is judged separately; the first operand ends the options
  choose,      // the first names a subcommand, which has its own table: "git log"
  may_choose,  // the first names a subcommand if such a table exists, or if it could be the name of one
};

// What a program, or one of its options, does besides writing its own output.
enum class Effect {
  reads,          // nothing
  writes,         // changes files
  runs_program,   // runs a program that the words name
  runs_code,      // runs code that the policy does not read
  opens_network,  // connects to other machines
  privileged,     // changes the system, other processes or rights
  interactive,    // waits for a person, or is made for one
  other,          // something else, which its clause names
};

// The usual clause for an effect, such as "writes to a file"; empty for `reads` and `other`.
std::string_view clause_of(Effect effect);
std::string_view name_of(Effect effect);

enum class Style {
  gnu,    // -abc is -a -b -c; long options may be abbreviated; options may follow operands
  exact,  // like gnu, but nothing is abbreviated; an abbreviation of an option that runs a program is not safe
  posix,  // like gnu, but the first operand ends the options
  go,     // -name and --name are the same option; nothing is bundled
  none,   // no options: every word is an operand
  git,    // like gnu, and every --option has its --no-option
  tree,   // like exact, but a letter's value is the next word, even if the bundle continues: -Lo 1 FILE
};

// What a program runs besides itself, and which words name it.
enum class Runs {
  nothing,
  command,       // the words after its own options and operands, as they are
  joined,        // these words joined by blanks: shell text
  scripts,       // each of these words: shell text
  code,          // a package, a program from elsewhere or a file of commands: its contents are not known here
  options,       // only what the options in `script` and `code` name
  option_value,  // only what the options in `script` name, in a program made for something else: tar
  shell,         // shell text: the value of -c, a file, or the standard input
  interpreter,   // code of another language: in the options of `code`, in a file, or on standard input
  words,         // whatever is named by words that match `words`, `beginnings` or `parts`
  steered,       // whatever a person types into it while it runs: an editor, a terminal
  special,       // what the functions of policy/wrappers/ find in its words
};

enum class Bare { nothing, shell, code };  // what runs if no command is given

// How words are read if some may be known only when the command runs (policy/programs/reader.h).
enum Manner : unsigned {
  permutes = 1,       // options may follow operands
  single_dash = 2,    // long options may have a single dash: -exec; letters are not bundled
  any_long = 4,       // unknown long options take a value after "=", or none
  any_valued = 8,     // unknown long options take a value
  number = 16,        // -10 is an option
  lenient = 32,       // unknown options are skipped; the spec lists only those that matter
  plus = 64,          // +x is an option like -x
  no_equals = 128,    // the value of a long option is always the next word
  underscores = 256,  // a long option may be written with _ instead of -
  semicolons = 512,   // a COMMAND... ends with the word ";", and further options may follow
  // A shell script that does not read its options as the program that it runs does: what is a pattern there may be a
  // file here, so every word that is not an option may be a path.
  shell_script = 1024,
  splits = 2048,  // a shell script that splits its words at blanks, and expands globs in them
};

// What a command does with a path.
enum class Use {
  read,
  read_tree,  // with everything below it: a folder that is copied
  written,    // made, or its contents or times are changed
  removed,    // or moved away
  target,     // of cp and mv: it is written or, if it is a folder, an entry in it
};

// Which uses of the program (the first of `names`) execute_run runs immediately (policy/covenant.h).
struct Covenant {
  std::string_view options = {};  // as in ProgramSpec; NUM stands for digits, INT may have a sign, FILE is a path
  std::string_view with = {};     // names of specs that list further options
  std::size_t least = 0;          // the smallest and the largest number of operands
  std::size_t most = static_cast<std::size_t>(-1);
  Use use = Use::read;             // of each operand
  std::string_view hardened = {};  // words put before the given arguments, so that it executes nothing by itself
  bool otherwise_asks = false;     // with other options or operands, the program may write, so execute_run asks
};

struct ProgramSpec {
  std::string_view names = {};    // "grep, egrep, fgrep"; with a subcommand: "git log, git whatchanged"
  std::string_view options = {};  // those that only read
  std::string_view effects = {};  // the others: "writes: -o=FILE --output=FILE; runs_program: --exec=COMMAND"
  std::string_view with = {};     // names of specs that list further options of this program
  Operands operands = Operands::any;
  std::size_t most = static_cast<std::size_t>(-1);  // more operands than this are unsafe ...
  std::string_view beyond = {};                     // ... because "a second operand is written to"
  Effect does = Effect::reads;                      // the effect that it has with any arguments ...
  std::string_view never = {};                      // ... because it "removes files" ...
  // ... unless its only argument is one of these, which also takes the place of an option of `only_with`. A letter is
  // listed only for a program that is known to print and to end: -v and -V mean "verbose" in many others.
  std::string_view alone = "--help --version";
  std::string_view bare = {};  // why it is unsafe without an operand or a subcommand
  Style style = Style::gnu;
  std::string_view only_with = {};        // unsafe unless one of these options applies: "-l --list" ...
  std::string_view without = {};          // ... because without one it "writes files" ...
  std::string_view instead = {};          // ... and what is safe: "cpio -t lists them"
  bool only_operands = false;             // only_with applies only if operands are given
  std::string_view unsafe_operands = {};  // "init reset": an operand that is one of these ...
  std::string_view unsafe_why = {};       // ... "runs a program"
  Check check = nullptr;
  // Words put after the name when it runs, so that it executes and writes nothing by itself.
  std::string_view hardened = {};
  std::string_view launched = {};  // words put before the name when it runs, which set variables to the same end
  // A word with a dash is an option, even where a value is expected; for its subcommands, too.
  bool dashes_are_options = false;
  bool response_files = false;  // a word @FILE, at any place, is replaced by what FILE contains

  std::string_view unproven = {};  // further options; it is not known whether they only read
  bool rules = true;               // false: the spec says what it runs, but not which arguments only read

  Runs runs = Runs::nothing;
  unsigned manner = 0;
  std::size_t before = 0;  // how many operands come before the command
  // "{} {/}": texts that stand for a file's name in a COMMAND... If it has none of them, the name is its last argument.
  std::string_view placeholders = {};
  std::string_view idle = {};         // names of options with which it runs nothing: "V version"
  std::string_view script = {};       // options whose value is shell text
  std::string_view code = {};         // options whose value is code, or a program or a file of commands that is run
  std::string_view environment = {};  // options whose value, NAME=value or "NAME value", is a variable of the command
  // Runs::words: the program runs something if an argument is one of `words`, begins with one of `beginnings`, contains
  // one of `parts` (which are in capitals, and match in any case), or is a bundle of options with the text `letters`.
  // Runs::steered: `words` are the subcommands that run nothing.
  std::string_view words = {};
  std::string_view beginnings = {};
  std::string_view letters = {};
  std::string_view parts = {};
  Bare bare_runs = Bare::nothing;
  bool names_variables = false;  // its operands are names of variables, which a shell may evaluate
  bool assignments = false;      // NAME=value may precede the command
  bool behind_dashes = false;    // if "--" follows the operands, the command comes after it
  // It runs its standard input as code. If `runs` is nothing or words, it does so only if a word names the standard
  // input.
  bool reads_input = false;
  // Names of options ("*": always). With one of them and without a command, the program passes its standard input to
  // something unknown: to what a container runs, or to the shell of another machine.
  std::string_view hands_input_on = {};
  bool foreign = false;                    // a shell whose language is not that of a POSIX shell
  bool terminal = false;                   // made for a person at a terminal ...
  std::string_view without_terminal = {};  // ... except with these options: "-b --batch"
  bool subcommands = false;                // its first operand names a subcommand, which may have its own spec
  bool values_known = false;               // all options that take a value are listed (wrappers/deny_match.cc)
  // For entries of deny and ask lists: options that mean the same, and letters that mean several options together:
  // "f=force D=delete+force".
  std::string_view synonyms = {};

  std::optional<Covenant> covenant = {};

  // Settings for git -c, in lower case: "core.pager=''|cat color.*".
  std::string_view harmless_settings = {};  // settings that run no program; with values: only these values are harmless
  std::string_view settings = {};           // settings that make it run programs, except with one of these values

  // Environment variables: names, and patterns with *. A pattern declares a whole family of names dangerous, because
  // new versions of programs add members to it; harmless members are listed one by one. A name on neither list is
  // unknown: a program may use it.
  std::string_view variables = {};           // that change what it does: "GIT_*"
  std::string_view harmless_variables = {};  // that it only reads as data: "GIT_AUTHOR_NAME"
};

enum class OptionValue { none, optional, required };

struct Option {
  std::string name = {};  // "-n", "--lines", "-json"
  OptionValue value = OptionValue::none;
  std::size_t values = 0;  // how many values; what the spec says about the value applies to the last one
  std::string_view value_name = {};
  bool chosen = false;          // the value is one of those in value_name
  bool path = false;            // the value is a path
  bool is_text = false;         // the value is never a path; if this and `path` are false, it is one if it has a slash
  bool list = false;            // the value is a file that names further files
  bool command = false;         // the value is a command: this word and all that follow
  bool replaces_first = false;  // replaces the first operand
  bool lists = false;           // the operands name further files
  bool reads_names = false;     // the program opens files that its input or its configuration names
  bool whole = false;           // a --help or --version that OptionTable added; never abbreviated
  bool listed = false;          // meaningful only if `whole` is true: the spec lists this option, too
  bool unproven = false;
  Effect effect = Effect::reads;
  std::string_view why = {};  // the clause of its effect: "writes to a file"

  bool safe() const { return effect == Effect::reads; }
  bool is_own() const { return !whole || listed; }
};

// The meaning of a long option. `negated`: it was given as --no-OPTION, which revokes it.
struct Named {
  const Option* option = nullptr;
  bool negated = false;
};

// Returns the spec of this name, which must exist.
using SpecNames = std::function<const ProgramSpec&(std::string_view name)>;

// A program's spec, compiled for looking up options.
class OptionTable {
 public:
  OptionTable(const ProgramSpec& spec, const SpecNames& specs);
  const ProgramSpec& spec() const { return *spec_; }
  const std::vector<Option>& options() const { return options_; }  // sorted by name
  // letter() and word() are for commands whose words are all known; they ignore `unproven` options. letter() returns
  // the option of this letter; nullptr: no such option is known. A digit that is not an option itself begins a number.
  const Option* letter(char c) const;
  // The meaning of the long option (without its value). An abbreviation means a safe option only if all options that it
  // can mean are safe; otherwise it means an unsafe one. The result has no option if the name is not known.
  Named word(std::string_view name) const;

  // For commands with words that may be known only when the command runs; `unproven` options are included. any_letter:
  // the option of this letter. only: the long option of this name, without its dashes, or the only one that begins with
  // it. exact: the option of exactly this name, with its dashes. nullptr: no such option, or several.
  const Option* any_letter(char c) const;
  const Option* only(std::string_view name) const;
  const Option* exact(std::string_view name) const;

  bool has_effects() const;
  // True if one of its options has this effect.
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

// The spec of a program, or of "git log"; nullptr: it has none.
const OptionTable* find_program(std::string_view name);
// Like find_program(), but also nullptr if it is not known which arguments only read.
const OptionTable* find_rules(std::string_view name);
// The options of the spec's covenant; nullptr: it has no covenant. The covenant itself is in spec().covenant.
const OptionTable* find_covenant(std::string_view name);
// All names of programs and subcommands that have specs, sorted.
const std::vector<std::string_view>& program_names();
// The value of this field in each spec.
std::vector<std::string_view> lists_of(std::string_view ProgramSpec::*field);

// The specs of each family, which are in a file of their own.
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
