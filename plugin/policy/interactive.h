// Decides whether a program may run interactively. Keystrokes cannot be judged: a shell, an editor or a debugger runs
// whatever is typed. If rules for commands apply (an allow, deny or ask list, or confined arguments), the person who
// writes these rules must therefore list the program in commands.interactive. Pure, except that it looks up the
// files of programs.
#pragma once

#include <string_view>

#include "policy/programs.h"
#include "policy/rules.h"
#include "policy/verdict.h"

namespace wtool::policy {

// Returns allow or deny. A listed program is allowed only if the line is a single command of literal words that needs
// no shell. In addition, judge() judges the line like any other.
Verdict judge_interactive(std::string_view line, const CommandRules& rules, const Programs& programs);

}  // namespace wtool::policy
