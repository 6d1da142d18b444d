// Programs that do something else, but have an option by which they run a program: tar -I, rsync -e, sort
// --compress-program.
#include <algorithm>

#include "policy/wrappers/family.h"

namespace wtool::policy {

// ssh -o ProxyCommand=TEXT, LocalCommand, KnownHostsCommand.
void judge_ssh_option(const Judgement& judgement, const Word& value) {
  std::string lower = value.text;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const std::string_view name : {"proxycommand", "localcommand", "knownhostscommand"}) {
    if (!lower.starts_with(name)) continue;
    const std::size_t begin = value.text.find_first_not_of(" =\t\"", name.size());
    if (begin != std::string::npos) judgement.runs_script({value.text.substr(begin), value.literal, value.at});
  }
}

bool judge_program_option(const Judgement& judgement) {
  const programs::Compiled* const found = programs::find_program(judgement.tool);
  if (found == nullptr || found->spec().runs != programs::Runs::option_value) return false;
  const ParsedCommand reading = read_options(judgement.words(), 1, *found);
  for (const Given& option : reading.given) {
    if (!option.value) continue;
    const Word value = judgement.value_of(option);
    if (is_listed(found->spec().script, option.name)) judgement.runs_script(value);
    if (option.name == "checkpoint-action" && value.text.starts_with("exec=")) {
      judgement.runs_script({value.text.substr(5), value.literal, value.at});
    }
    if (option.name == "o" && is_listed("scp sftp", judgement.tool)) judge_ssh_option(judgement, value);
  }
  // tar's bundle without a dash: "tar cIf PROGRAM ARCHIVE"; values follow in the order of their letters.
  if (is_listed("tar gtar", judgement.tool) && judgement.words().size() > 1 && judgement.word(1).literal &&
      !judgement.word(1).text.starts_with('-')) {
    std::size_t value = 2;
    for (const char letter : judgement.word(1).text) {
      if (value >= judgement.words().size()) break;
      if (letter == 'I' || letter == 'F') judgement.runs_script(judgement.word(value));
      if (std::string_view("bCfFgHIKLNTVX").find(letter) != std::string_view::npos) ++value;
    }
  }
  return true;
}

}  // namespace wtool::policy
