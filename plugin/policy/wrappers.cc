#include "policy/wrappers.h"

#include "policy/wrappers/family.h"

namespace wtool::policy {

namespace {

// "python3.11" is python, "bash-5.2" bash, "php8.2" php. Names that are only digits stay.
std::string_view without_version(std::string_view tool) {
  const std::size_t end = tool.find_last_not_of("0123456789.-");
  return end == std::string_view::npos ? tool : tool.substr(0, end + 1);
}

bool judge_as(std::string_view tool, const SimpleCommand& command, Inners& inners) {
  const Judgement judgement{tool, command, inners};
  return judge_shell(judgement) || judge_builtin(judgement) || judge_finder(judgement) ||
         judge_interpreter(judgement) || judge_prefix(judgement) || judge_program_option(judgement);
}

}  // namespace

std::vector<Inner> inner_commands(std::string_view tool, const SimpleCommand& command) {
  std::vector<Inner> inners;
  if (command.words.empty()) return inners;
  if (!judge_as(tool, command, inners)) {
    const std::string_view plain = without_version(tool);
    if (plain != tool) judge_as(plain, command, inners);
  }
  return inners;
}

}  // namespace wtool::policy
