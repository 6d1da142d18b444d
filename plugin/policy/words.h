// Reads shell text as a POSIX shell (and bash) would, as far as possible without running anything. The functions are
// pure, take linear time and memory, and throw only std::bad_alloc, whatever the bytes are.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/verdict.h"

namespace wtool::policy {

// One word of a command. Quotes and backslashes have been removed.
struct Word {
  std::string text;     // literal: what the program gets. Otherwise only the literal parts, in order
  bool literal = true;  // false: a part is known only when the line runs (expansion, substitution, glob, tilde, ...)
  Range at;             // in the line
  // For an argument whose only unknown parts are globs, ~, $HOME, $PWD and $?: its text, with a mark in place of each
  // of these parts. After expand_known() (policy/expansion.h), only the marks of $? are left. Empty for any other word.
  std::string open{};
  // True: the word is not literal, but is certainly one word, and a path below a folder that the line names. It is
  // therefore not an option, an address or a subcommand. `text` is an example of such a path.
  bool is_path = false;
};

// The marks in Word::open, which stays empty for a word whose text contains such a byte itself.
enum OpenMark : char { star_mark = 1, any_mark, bracket_mark, home_mark, directory_mark, status_mark };

// Words as a person would write them, with quotes where a shell needs quotes. parse() reads the same words from the
// result.
std::string written_out(const std::vector<std::string>& words);

// The texts of words, in order.
std::vector<std::string> texts_of(const std::vector<Word>& words);

// The directory to which a command named `cd` changes: its one operand, after -L, -P and --. nullptr: the words do not
// name a directory, as in `cd` and `cd -`.
const Word* directory_of_cd(const std::vector<Word>& words);

// How a command is joined to the next one.
enum class Joint {
  end,       // nothing follows (or, if nested, its construct ends)
  sequence,  // `;` or a newline
  background,
  and_then,
  or_else,
  pipe,
};

struct Redirection {
  std::string text;       // as regenerate() writes it, if it can be analysed: `2>&1`, `>/dev/null`
  Word target;            // the file, the descriptor, or the body of a here-document
  bool to_file = false;   // it reads or writes a file other than /dev/null. Only `< FILE` is not an obstacle
  bool is_input = false;  // it replaces standard input: a file, a here-document, a here-string
  bool is_here_document = false;
  Range at;
};

struct SimpleCommand {
  std::vector<Word> assignments;  // NAME=value before the program: always an obstacle, but not always a lasting one
  std::vector<Word> words;        // the program and its arguments; may be empty after assignments or redirections
  std::vector<Redirection> redirections;
  bool negated = false;     // `!` before its pipeline; set on the pipeline's first command
  bool nested = false;      // it is inside a substitution, a group, a control structure or a function
  bool reads_pipe = false;  // its standard input is a pipe, or a text that nobody has judged
  Joint joint = Joint::end;
};

// Why a line, or a part of it, cannot be judged before it runs.
struct Obstacle {
  Range at;
  std::string what;  // a noun with its article: "a command substitution", "the glob character *"
};

struct Script {
  // In the order in which they begin in the text, including nested ones.
  std::vector<SimpleCommand> commands;
  // The first part of the line that cannot be analysed. Without one, `commands` is the whole meaning of the line:
  // literal words, joined by ; && || | ! and newlines, with redirections between descriptors, to /dev/null and from files
  // outside of /dev, and at most one here-document, whose text is literal.
  std::optional<Obstacle> obstacle;
  // The first obstacle that expand_known() (policy/expansion.h) cannot remove.
  std::optional<Obstacle> lasting;
  // Why the line is not shell text, or is nested too deeply to be read. `commands` is then incomplete, and `obstacle`
  // is set as well.
  std::optional<Obstacle> error;
};

// Constructs nested more deeply than this are an error.
inline constexpr int max_nesting = 64;

// Which shell will run a text, if the shell is known. The shell affects only Script::commands: `[[ a && b ]]` is one
// condition in bash, and runs b in dash.
enum class Shell { any, bash, dash };

// With `rebuilt`, the line that runs is the regenerated one. So `time` may mean the program of that name, as in dash,
// and `&>/dev/null` what it means in bash: `>/dev/null 2>&1`. With `reads_pipe`, the standard input of the line is
// something unknown, as after a pipe.
Script parse(std::string_view line, Shell shell = Shell::any, bool rebuilt = false, bool reads_pipe = false);

// A line that means exactly the same as the script to every POSIX shell: every word in single quotes, operators and the
// names of assignments without quotes; `cd DIR` becomes `cd -P -- 'DIR'`, and $? is in double quotes. The script must
// have no obstacle.
std::string regenerate(const Script& script);

// The words of a line that needs no shell, because every shell would execute exactly these words: one simple command of
// literal words, without redirections, whose first word is neither empty nor a builtin or keyword of a shell.
std::optional<std::vector<std::string>> plain_command(std::string_view line);

// True for the builtins and keywords of dash and bash: a program of this name may exist, but the shell does not run it.
bool is_shell_word(std::string_view word);

}  // namespace wtool::policy
