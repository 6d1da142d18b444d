// What the families of wrappers share: the command that is judged, and the list of what it runs. Internal to
// policy/wrappers.cc. Pure, except that it resolves paths.
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

// The command that is judged, and the list `inners` of what it is known to run so far. The member functions from runs()
// to is_unclear() add to this list.
struct Judgement {
  std::string_view tool;
  const SimpleCommand& command;
  Inners& inners;
  const Whereabouts* where = nullptr;  // the parameter of inner_commands()

  const std::vector<Word>& words() const { return command.words; }
  const Word& word(std::size_t index) const { return command.words[index]; }

  // Adds the words from `first` on as a command that runs with the standard input of this command. Does nothing if
  // there are no such words.
  Inner* runs(std::size_t first, std::vector<Word> assignments = {}) const;
  // Adds these words as a command that runs with the standard input of this command.
  Inner* runs_words(std::vector<Word> words, std::vector<Word> assignments = {}) const;
  // Adds a shell that runs without arguments.
  void runs_shell() const;
  // Adds the text as shell text, or as unclear if it is not literal.
  void runs_script(const Word& text) const;
  // Adds the words from `first` on, joined by spaces, as shell text.
  void runs_joined(std::size_t first) const;
  void runs_code(const Word& text, std::string reason) const;
  void is_unclear(const Word& text, std::string reason) const;
  // The value of an option of these words, as a word; empty if it has no value.
  Word value_of(const Given& option) const;
  // True if a path may lead to standard input or another descriptor, however it is spelled and from whatever directory.
  // This includes any path into /dev or /proc, except /dev/null and the like.
  bool is_descriptor_file(std::string_view path) const;
  // True if a word that is not literal is most likely a file that the line names: "$DIR/run.sh". False for names that
  // a program has found or read.
  bool is_named_file(const Word& word) const;
  // True if the reading ended at an obstacle, which is then added as unclear.
  bool has_obstacle(const ParsedCommand& reading) const;
};

// What a program would read if it takes its program from standard input.
struct StandardInput {
  enum class Kind {
    none,     // nothing
    text,     // a here-document or here-string of literal text
    unknown,  // a pipe, a file, or input that a surrounding construct provides; not known in advance
  };
  Kind kind = Kind::none;
  Word word;  // the text; Kind::unknown: the word that a message names
};
StandardInput standard_input(const SimpleCommand& command);

// True if a path (canonical) is in /dev or /proc, or is a folder above them.
bool reaches_devices(std::string_view path);

// True if a word that is not literal is most likely a file and not an option: "$DIR/run.sh".
bool looks_like_file(const Word& word);

// For a command that runs for each name that is found: removes `placeholder` from the words. A word that contained it
// is no longer literal, because the name is known only when the command runs. True if a word contained it.
bool open_placeholder(std::vector<Word>& words, std::string_view placeholder);
// Adds one word in place of further arguments, which are known only when the command runs.
void append_unknown(Inner& inner);
// Notes that the inner command does not read the standard input of the command that runs it.
void close_input(Inner& inner);

// Each family judges the commands that belong to it. False: this command does not belong to it.
bool judge_shell(const Judgement& judgement);
bool judge_builtin(const Judgement& judgement);
bool judge_finder(const Judgement& judgement);
bool judge_interpreter(const Judgement& judgement);
bool judge_prefix(const Judgement& judgement);
// For a command in which no family has found anything: reports standard input that the command runs as code.
void judge_code_in_input(const Judgement& judgement);
bool judge_program_option(const Judgement& judgement);

// True if a subcommand of this program belongs to judge_prefix.
bool has_prefix_subcommands(std::string_view program);

// True for a program of judge_prefix that runs the words after its own options and operands, and whose options are all
// known.
bool hands_rest_on(std::string_view tool);

}  // namespace wtool::policy
