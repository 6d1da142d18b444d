#include "policy/wrappers/subcommand.h"

namespace wtool::policy {

Subcommand find_subcommand(std::string_view tool, const std::vector<Word>& words, bool (*is_wanted)(std::string_view)) {
  Subcommand result{std::string(tool), 1, nullptr};
  for (const programs::Compiled* known = programs::find_program(tool);
       known != nullptr && known->spec().subcommands && !is_wanted(result.name);
       known = programs::find_program(result.name)) {
    const programs::ParsedCommand reading =
        programs::read_options(words, result.next, *known, programs::Permuting::never);
    if (reading.operands.empty()) break;
    const Word& word = words[reading.operands.front()];
    if (!word.literal) {
      result.obstacle = &word;
      break;
    }
    result.name += ' ' + word.text;
    result.next = reading.operands.front() + 1;
  }
  return result;
}

}  // namespace wtool::policy
