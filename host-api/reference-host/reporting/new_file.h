// Opens the files that this host writes itself while commands run, or after them: events, reports, journals.
//
// A command that may write beside such a file, in this run or an earlier one, could put a symbolic link in its place,
// or in place of a folder above it, and this host, which no sandbox holds, would write at the other end. So no link is
// followed: not at the end of the path and not on its way. Below /dev and /proc, where a command can put none, links
// are
// (`/dev/stdout`).
#pragma once

#include <sys/types.h>

#include <string>

namespace wtool::host {

// As open(2) with `flags`, close-on-exec. -1 with `why`, words to be read after "cannot write FILE: ".
int open_without_links(const std::string& file, int flags, mode_t mode, std::string& why);

// The folder, with those above it made where they are not there, below `base`, to which links may lead. -1 with `why`.
// `made`: whether the last of them was not there; it is made with `mode`.
int make_folder_without_links(const std::string& base, const std::string& folder, mode_t mode, bool& made,
                              std::string& why);

}  // namespace wtool::host
