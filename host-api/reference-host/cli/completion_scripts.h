// The files of packaging/completion, which an installation puts where the shells look for them.
#pragma once

namespace wtool::host {

// Defined in completion_scripts.cc, which CMake makes from completion_scripts.cc.in and these files.
extern const char* const bash_completion;
extern const char* const zsh_completion;
extern const char* const fish_completion;

}  // namespace wtool::host
