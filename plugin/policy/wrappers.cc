#include "policy/wrappers.h"

#include "policy/programs/names.h"
#include "policy/wrappers/family.h"

namespace wtool::policy {

namespace {

bool judge_as(const Judgement& judgement) {
  return judge_shell(judgement) || judge_builtin(judgement) || judge_finder(judgement) ||
         judge_interpreter(judgement) || judge_prefix(judgement) || judge_program_option(judgement);
}

}  // namespace

std::vector<Inner> inner_commands(std::string_view tool, const SimpleCommand& command, const Whereabouts* where) {
  std::vector<Inner> inners;
  if (command.words.empty()) return inners;
  const Judgement judgement{known_name(tool), command, inners, where};
  judge_as(judgement);
  if (inners.empty()) judge_code_in_input(judgement);
  return inners;
}

bool is_wrapper(std::string_view tool) {
  Inners inners;
  SimpleCommand alone;
  alone.words.push_back({std::string(tool), true, {}});
  return has_prefix_subcommands(tool) || judge_as({tool, alone, inners});
}

bool hands_words_on(std::string_view tool) {
  Inners inners;
  SimpleCommand alone;
  alone.words.push_back({std::string(tool), true, {}});
  const Judgement judgement{tool, alone, inners};
  return judge_shell(judgement) || judge_builtin(judgement) || judge_finder(judgement) || hands_rest_on(tool);
}

}  // namespace wtool::policy
