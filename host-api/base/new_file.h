// Opens the files that this host writes itself while commands run, or after them: events, reports, journals.
//
// A command that may write beside such a file, in this run or an earlier one, could put a symbolic link in its place,
// or in place of a folder above it, and this host, which no sandbox holds, would write at the other end. So:
//
// - The links of the user's own, such as a home folder that is one, are followed once, before any command runs
//   (resolve_links_above). Those in the working directory and in folders where other users may write are not: an
//   earlier command may have made them.
// - From there on no link is followed: not at the end of the path and not on its way. Below /dev and /proc, where a
//   command can put none, links are (`/dev/stdout`).
#pragma once

#include <sys/types.h>

#include <string>

#include "base/descriptor.h"

namespace wtool {

// Where `file` lies, as far as its folders exist: to be named before the first command runs, and opened later. The same
// text where no link has to be followed.
std::string resolve_links_above(const std::string& file);

// As open(2) with `flags`, close-on-exec. None with `why`, words to be read after "cannot write FILE: ".
Descriptor open_without_links(const std::string& file, int flags, mode_t mode, std::string& why);

// The folder, with those above it made where they are not there, below `base`, to which links may lead. None with
// `why`. `made`: whether the last of them was not there; it is made with `mode`.
Descriptor make_folder_without_links(const std::string& base, const std::string& folder, mode_t mode, bool& made,
                                     std::string& why);

}  // namespace wtool
