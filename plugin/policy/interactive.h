// May a program be typed to? Nobody can judge keystrokes: a shell, an editor or a debugger runs whatever is typed. So where
// rules for commands hold (an allow, deny or ask list, or confined arguments), the person who keeps them must have listed
// the program in commands.interactive. Pure, except that it asks which file a name means.
#pragma once

#include <string_view>

#include "policy/programs.h"
#include "policy/rules.h"
#include "policy/verdict.h"

namespace wtool::policy {

// Allow or deny. A listed program counts only where the line is that one command, in literal words, which no shell has to
// read. The line is judged besides, as every line is.
Verdict judge_interactive(std::string_view line, const CommandRules& rules, const Programs& programs);

}  // namespace wtool::policy
