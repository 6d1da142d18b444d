// What git is told so that it executes nothing that a configuration names, but for filters
// (policy/covenant/repository.h), and does not write the index while it only looks: by execute_run, and by what
// `arguments: safe` has judged.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wtool::policy {

// Words behind `git`.
inline constexpr std::string_view git_without_programs =
    "--no-pager --no-optional-locks "
    "-c core.fsmonitor=false "
    "-c core.hooksPath=/dev/null "
    "-c core.pager=cat "
    "-c core.sshCommand=false "
    "-c gpg.program=false "
    "-c gpg.openpgp.program=false "
    "-c gpg.x509.program=false "
    "-c gpg.ssh.program=false "
    "-c log.showSignature=false "
    "-c protocol.allow=never "
    "-c safe.bareRepository=explicit "
    "-c status.submoduleSummary=false";

// The words of a text in which single blanks part them.
inline std::vector<std::string> words_of_text(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    words.emplace_back(text.substr(0, text.find(' ')));
    text.remove_prefix(words.back().size() < text.size() ? words.back().size() + 1 : text.size());
  }
  return words;
}

}  // namespace wtool::policy
