// Programs that do something else, but have an option by which they run a program: tar -I, rsync -e, sort
// --compress-program.
#include <algorithm>

#include "policy/wrappers/family.h"

namespace wtool::policy {

namespace {

struct ProgramOption {
  std::string_view names;
  Syntax syntax;
  std::string_view script;  // options whose value is shell text, or words that are run
};

constexpr unsigned anywhere = Syntax::lenient | Syntax::permutes;

constexpr ProgramOption programs[] = {
    {"tar gtar bsdtar",
     {"b:C:f:F:g:H:I:K:L:N:T:V:X:",
      "checkpoint-action= directory= file= info-script= new-volume-script= rmt-command= "
      "rsh-command= to-command= use-compress-program= files-from= exclude= exclude-from= transform=",
      anywhere},
     "I F info-script new-volume-script rmt-command rsh-command to-command use-compress-program"},
    {"rsync",
     {"e:f:T:B:M:",
      "rsh= rsync-path= exclude= include= files-from= filter= log-file= backup-dir= password-file= temp-dir=",
      anywhere},
     "e rsh rsync-path"},
    {"rg",
     {"e:f:g:t:T:A:B:C:m:j:r:M:E:", "hostname-bin= pre= pre-glob= regexp= file= glob= type= replace= max-count=",
      anywhere},
     "pre hostname-bin"},
    {"sort gsort",
     {"k:o:S:t:T:",
      "compress-program= key= output= parallel= temporary-directory= field-separator= buffer-size= batch-size= "
      "files0-from= random-source= sort=",
      anywhere},
     "compress-program"},
    {"sdiff gsdiff",
     {"o:W:I:F:", "diff-program= output= width= ignore-matching-lines= show-function-line= tabsize=", anywhere},
     "diff-program"},
    {"diff3 gdiff3", {"L:", "diff-program= label=", anywhere}, "diff-program"},
    {"split gsplit csplit",
     {"a:b:C:l:n:t:", "filter= bytes= lines= number= additional-suffix= suffix-length= line-bytes=", anywhere},
     "filter"},
    {"man apropos",
     {"C:L:m:M:P:H::p:r:S:s:R:E:e:", "pager= html? browser= locale= manpath= prompt= preprocessor=", anywhere},
     "P pager H html browser"},
    {"scp sftp", {"B:b:c:D:F:i:J:l:o:P:R:S:s:X:", "", anywhere}, "S D"},
    {"tcpdump", {"z:w:r:i:G:C:c:s:B:y:F:E:M:W:Z:", "", anywhere}, "z"},
    {"nc ncat netcat",
     {"c:e:I:i:m:O:o:P:p:q:s:T:V:W:w:X:x:", "exec= sh-exec= lua-exec=", anywhere},
     "c e exec sh-exec"},
    {"wget wget2", {"e:O:o:P:U:", "use-askpass= execute= output-document=", anywhere}, "use-askpass"},
};

}  // namespace

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
  const auto* const found = std::find_if(std::begin(programs), std::end(programs), [&](const ProgramOption& each) {
    return is_listed(each.names, judgement.tool);
  });
  if (found == std::end(programs)) return false;
  const Reading reading = read_options(judgement.words(), 1, found->syntax);
  for (const Option& option : reading.options) {
    if (!option.has_value) continue;
    if (is_listed(found->script, option.name)) judgement.runs_script(option.value);
    if (option.name == "checkpoint-action" && option.value.text.starts_with("exec=")) {
      judgement.runs_script({option.value.text.substr(5), option.value.literal, option.value.at});
    }
    if (option.name == "o" && is_listed("scp sftp", judgement.tool)) judge_ssh_option(judgement, option.value);
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
