// Programs that run a command for each thing that they find or read: find, xargs, parallel.
#include <algorithm>
#include <optional>

#include "base/lasting.h"
#include "base/text.h"
#include "policy/directories.h"
#include "policy/wrappers/family.h"

namespace wtool::policy {

namespace {

// Adds the words [first, last) as the inner command.
Inner* run_range(const Judgement& judgement, std::size_t first, std::size_t last) {
  const auto begin = judgement.words().begin();
  return judgement.runs_words({begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last)});
}

// An example of the paths that replace {}: one below a folder that these words name, with plain characters only. Empty:
// the folders are not certain, have other characters, or reach /dev or /proc. `expression` is the index of the word
// after the folders.
std::string path_found(const Judgement& judgement, std::size_t expression) {
  const auto& words = judgement.words();
  const auto is_plain = [](char c) { return is_word_character(c) || c == '.' || c == '/' || c == '-'; };
  std::string path;
  for (std::size_t i = 1; i < expression; ++i) {
    const std::string& folder = words[i].text;
    if (words[i].literal && is_listed("-H -L -P", folder)) continue;
    if (!words[i].literal || folder.empty() || !std::all_of(folder.begin(), folder.end(), is_plain)) return {};
    // Files below /dev and /proc are not like other files, so an example says nothing about them.
    static const auto& top = lasting<std::vector<std::string>>(1, "/");
    const auto& directories = judgement.where != nullptr ? judgement.where->directories : top;
    if ((folder.starts_with('/') || judgement.where != nullptr) &&
        std::any_of(directories.begin(), directories.end(),
                    [&](const std::string& directory) { return reaches_devices(resolve_path(directory, folder)); })) {
      return {};
    }
    if (path.empty()) path = folder + "/found";
  }
  // Other versions of find take options before the folders, and bfs takes folders anywhere.
  const std::string& first = words[expression].text;
  const bool is_certain =
      judgement.tool != "bfs" && !first.starts_with("-D") && !first.starts_with("-O") &&
      (is_listed("( !", first) || programs::find_program("find")->exact(first) != nullptr) &&
      std::none_of(words.begin(), words.end(), [](const Word& word) { return word.text == "-files0-from"; });
  if (!is_certain) return {};
  if (!path.empty()) return path;
  const bool here_too = judgement.where != nullptr && std::any_of(judgement.where->directories.begin(),
                                                                  judgement.where->directories.end(), reaches_devices);
  return here_too ? std::string() : "./found";
}

void judge_find(const Judgement& judgement) {
  const auto& words = judgement.words();
  std::size_t expression = 0;  // the index of its first word
  std::optional<std::string> path;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const Word& word = words[i];
    if (!word.literal) {
      // Before the expression, a word that is not literal is a folder. In the expression, it is a test or an action.
      if (expression == 0) continue;
      return judgement.is_unclear(word, "a word of find is known only when the command runs, and may be -exec");
    }
    if (word.text == "{}" || word.text == ";") {
      return judgement.is_unclear(word,
                                  word.text + " of find belongs to an -exec that is known only when the command runs");
    }
    const bool begins =
        (word.text.starts_with('-') && !is_listed("-H -L -P", word.text)) || word.text == "(" || word.text == "!";
    if (begins && expression == 0) expression = i;
    const programs::Option* const test = programs::find_program("find")->exact(word.text);
    const std::size_t values = test != nullptr ? test->values : word.text.starts_with("-newer") ? 1 : 0;
    i += values;
    if (values > 0 || !is_listed("-exec -execdir -ok -okdir", word.text)) continue;
    const std::size_t first = i + 1;
    for (++i; i < words.size(); ++i) {
      if (words[i].literal && words[i].text == ";") break;
      if (words[i].literal && words[i].text == "+" && words[i - 1].text == "{}") break;
    }
    if (first >= std::min(i, words.size())) continue;
    Inner* const inner = run_range(judgement, first, std::min(i, words.size()));
    if (word.text == "-exec" && i < words.size() && words[i].text == ";") {
      if (!path) path = path_found(judgement, expression);
      for (Word& each : inner->command.words) {
        if (!path->empty() && each.literal && each.text == "{}") each = {*path, false, each.at, {}, true};
      }
    }
    inner->open_ended = open_placeholder(inner->command.words, "{}");
    if (inner->open_ended && i < words.size() && words[i].text == "+") append_unknown(*inner);
  }
}

void judge_xargs(const Judgement& judgement) {
  const ParsedCommand reading = read_options(judgement.words(), 1, *programs::find_program("xargs"));
  // Without a command, xargs runs echo. --process-slot-var can set PATH to a number, so that even echo may be a
  // different program.
  if (const Given* slot = reading.find("process-slot-var")) {
    judgement.runs_code(judgement.word(slot->word), "--process-slot-var of xargs sets a variable of any name");
  }
  if (judgement.has_obstacle(reading) || reading.find("help version") != nullptr || reading.operands.empty()) return;
  Inner* const inner = judgement.runs(reading.operands.front());
  // With -a, a file contains the arguments, and the command gets the standard input of xargs.
  if (reading.find("a arg-file") == nullptr) close_input(*inner);
  std::string placeholder;
  for (const Given& option : reading.given) {
    if (!is_listed("I i J replace", option.name)) continue;
    placeholder = std::string(option.value.value_or("{}"));
  }
  inner->open_ended = true;
  if (placeholder.empty()) return append_unknown(*inner);
  inner->open_ended = open_placeholder(inner->command.words, placeholder);
}

// True for text that a shell reads as one plain word.
bool is_one_word(std::string_view text) {
  return !text.empty() && text.find_first_of(" \t\n|&;<>()$`\\\"'*?[]#~=!") == std::string_view::npos;
}

// parallel COMMAND ::: VALUES. Without a command, each value is a command; without values, standard input provides
// them.
void judge_parallel(const Judgement& judgement) {
  const ParsedCommand reading = read_options(judgement.words(), 1, *programs::find_program("parallel"));
  for (const Given& option : reading.given) {
    // -S may give the command that connects to a host, and a profile has further options.
    if (is_listed("J S sshlogin sshloginfile", option.name)) {
      judgement.runs_code(judgement.word(option.word), "an option of parallel may name a program");
    }
  }
  if (judgement.has_obstacle(reading) || reading.find("help version") != nullptr) return;
  const auto is_separator = [](const Word& word) {
    return word.literal && is_listed("::: :::+ :::: ::::+", word.text);
  };
  const std::size_t first = reading.operands.empty() ? judgement.words().size() : reading.operands.front();
  std::size_t last = first;
  while (last < judgement.words().size() && !is_separator(judgement.word(last))) ++last;
  if (first == last) {
    for (std::size_t i = last; i < judgement.words().size(); ++i) {
      const Word& word = judgement.word(i);
      if (is_separator(word)) {
        if (word.text.starts_with("::::")) judgement.is_unclear(word, "a file contains the commands of parallel");
      } else {
        judgement.runs_script(word);
      }
    }
    if (last == judgement.words().size()) {
      judgement.is_unclear(judgement.word(0), "the standard input of parallel contains its commands");
    }
    return;
  }
  Inner* const inner = run_range(judgement, first, last);
  // With --pipe, the standard input of the commands is a part of what parallel reads. If the standard input does not
  // contain the arguments, the first command gets it.
  const bool pipes = reading.find("pipe pipepart") != nullptr;
  const bool takes_input = !pipes && last == judgement.words().size() && reading.find("a arg-file") == nullptr;
  const bool plain = std::all_of(inner->command.words.begin(), inner->command.words.end(),
                                 [](const Word& word) { return word.literal && is_one_word(word.text); });
  if (!plain) {
    Word text = inner->command.words.front();
    for (std::size_t i = first + 1; i < last; ++i) {
      text.text += ' ' + judgement.word(i).text;
      text.literal = text.literal && judgement.word(i).literal;
      text.at.end = judgement.word(i).at.end;
    }
    judgement.inners.pop_back();
    judgement.runs_script(text);
    if (pipes) judgement.inners.back().command.reads_pipe = true;
    return;
  }
  for (Word& word : inner->command.words) word.literal = word.text.find('{') == std::string::npos;
  if (takes_input || pipes) close_input(*inner);
  inner->command.reads_pipe = inner->command.reads_pipe || pipes;
  append_unknown(*inner);
}

}  // namespace

bool judge_finder(const Judgement& judgement) {
  if (is_listed("find gfind bfs", judgement.tool)) {
    judge_find(judgement);
  } else if (is_listed("xargs gxargs", judgement.tool)) {
    judge_xargs(judgement);
  } else if (is_listed("parallel sem env_parallel", judgement.tool)) {
    judge_parallel(judgement);
  } else {
    return false;
  }
  return true;
}

}  // namespace wtool::policy
