#include "policy/interactive.h"

#include <algorithm>
#include <string_view>

#include "policy/programs.h"
#include "policy/programs/names.h"
#include "policy/wrappers/family.h"

namespace wtool::policy {

namespace {

struct Interactive {
  std::string_view names;
  std::string_view options;  // with one of which it needs no terminal
  char letter = 0;           // the same, as a letter among others behind one dash
};

constexpr Interactive interactive[] = {
    {"vi vim nvim view vimdiff rvim rview gvim", "-es -Es"},
    {"nano rnano pico joe jmacs jpico jed mcedit micro hx helix kak ne mg zile", ""},
    {"emacs emacs-nox emacs-gtk emacs-lucid", "--batch -batch --script -script"},
    {"less more most pg", ""},
    {"top", "", 'b'},
    {"atop btop htop iftop nethogs nmon glances slabtop watch", ""},
    {"iotop", "--batch", 'b'},
    {"mc ranger nnn lf ncdu alpine mutt neomutt dialog whiptail visudo vipw vigr", ""},
};

}  // namespace

bool needs_terminal(const std::vector<std::string>& words) {
  const std::string_view name = known_name(base_name(words.front()));
  const auto* found = std::find_if(std::begin(interactive), std::end(interactive),
                                   [&](const Interactive& one) { return is_listed(one.names, name); });
  if (found == std::end(interactive)) return false;
  return std::none_of(words.begin() + 1, words.end(), [&](const std::string& word) {
    if (word == "--version" || word == "--help" || is_listed(found->options, word)) return true;
    return found->letter != 0 && word.size() > 1 && word[0] == '-' && word[1] != '-' &&
           word.find(found->letter) != std::string::npos;
  });
}

}  // namespace wtool::policy
