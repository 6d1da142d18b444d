// Finds the name under which the database lists a program. A version, a target or an alternative in a program's name
// does not make it a different program. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wtool::policy {

// True if one of the tables contains exactly this name.
bool is_known_program(std::string_view name);

// The known name of the same program: python3.11 is python, x86_64-linux-gnu-gcc-12 is gcc, vim.basic is vim. Any other
// name is returned unchanged. Use it to find what a program could do, not to prove what it does not do: a program
// called cat2 need not be a cat.
std::string_view known_name(std::string_view name);

// True for a program made for a person at a terminal (an editor, a pager, a monitor). Without a terminal, it waits
// forever or does something that nobody intended. False if an argument makes it work by itself (`top -b`, `emacs
// --batch`) or only print information (`vim --version`). `words`: at least one.
bool needs_terminal(const std::vector<std::string>& words);

}  // namespace wtool::policy
