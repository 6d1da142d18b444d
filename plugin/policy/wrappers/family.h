// What the families of wrappers share: the command that is judged, and the list of what it runs. Internal to
// policy/wrappers.cc. Pure.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "policy/programs/reader.h"
#include "policy/wrappers.h"

namespace wtool::policy {

using programs::Given;
using programs::is_listed;
using programs::ParsedCommand;
using programs::read_options;
using Inners = std::vector<Inner>;

// The command that is judged, and what it runs, as far as it has been found.
struct Judgement {
  std::string_view tool;
  const SimpleCommand& command;
  Inners& inners;
  const Whereabouts* where = nullptr;  // of inner_commands()

  const std::vector<Word>& words() const { return command.words; }
  const Word& word(std::size_t index) const { return command.words[index]; }

  // The words from `first` on run as a command, with the standard input of this one. Does nothing if there are no
  // words.
  Inner* runs(std::size_t first, std::vector<Word> assignments = {}) const;
  // A program is run with these words, with the standard input of this one.
  Inner* runs_words(std::vector<Word> words, std::vector<Word> assignments = {}) const;
  // A shell is run, without arguments.
  void runs_shell() const;
  // Shell text; unclear where it is not literal.
  void runs_script(const Word& text) const;
  // Several words which, joined by spaces, are shell text.
  void runs_joined(std::size_t first) const;
  void runs_code(const Word& text, std::string reason) const;
  void is_unclear(const Word& text, std::string reason) const;
  // The value of an option of these words, as a word; empty where it has no value.
  Word value_of(const Given& option) const;
  // True for names of standard input and of other descriptors as files, however they are spelled and from wherever they
  // are named: what is in /dev or /proc, but for /dev/null and the like.
  bool is_descriptor_file(std::string_view path) const;
  // True where a word that is not literal is surely a file that the line names, as far as anybody can tell:
  // "$DIR/run.sh". What is found, or read, is named by nobody.
  bool is_named_file(const Word& word) const;
  // Whether something in the reading is an obstacle.
  bool has_obstacle(const ParsedCommand& reading) const;
};

// What a program that reads its program from standard input would read.
struct Input {
  enum class Kind {
    none,     // nothing
    text,     // a here-document or here-string of literal text
    unknown,  // a pipe, a file, whatever stands around the command: known only when it runs
  };
  Kind kind = Kind::none;
  Word word;  // the text, or the word that it is about
};
Input standard_input(const SimpleCommand& command);

// True where a path (canonical) is in /dev or /proc, or is a folder above them.
bool reaches_devices(std::string_view path);

// True where a word that is not literal is surely a file and no option, as far as anybody can tell: "$DIR/run.sh".
bool looks_like_file(const Word& word);

// Of what runs for names that are found. Takes `placeholder` out of the words: what stands there is known only when it
// runs. True where there was one.
bool open_placeholder(std::vector<Word>& words, std::string_view placeholder);
// Words follow that are known only when it runs.
void append_unknown(Inner& inner);
// It does not read the standard input of the command that runs it.
void close_input(Inner& inner);

// Each family judges the commands that are its own and says whether this was one.
bool judge_shell(const Judgement& judgement);
bool judge_builtin(const Judgement& judgement);
bool judge_finder(const Judgement& judgement);
bool judge_interpreter(const Judgement& judgement);
bool judge_prefix(const Judgement& judgement);
// Of a command in which no family has found anything: that it takes its standard input for code.
void judge_code_in_input(const Judgement& judgement);
bool judge_program_option(const Judgement& judgement);

// True where a subcommand of this program is one of judge_prefix.
bool has_prefix_subcommands(std::string_view program);

// True for a program of judge_prefix all of whose options are known.
bool hands_rest_on(std::string_view tool);

}  // namespace wtool::policy
