// Reads and writes whole files, and opens files safely where commands may have put links.
//
// Reads and writes on a descriptor continue after signals and short transfers, and wait even if another process has
// made the descriptor non-blocking:
//
//   if (const Written written = write_all(file.get(), text); written.error != 0) return strerror(written.error);
#pragma once

#include <sys/stat.h>
#include <sys/types.h>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/descriptor.h"

namespace wtool {

struct Written {
  std::size_t bytes = 0;
  int error = 0;  // 0: all bytes were written; an errno if not
};

Written write_all(int descriptor, std::string_view bytes) noexcept;

// Appends everything up to the end of the file to `bytes`. Returns 0 or an errno; EFBIG: the file has more than `limit`
// bytes; EAGAIN: it is a regular file that would block, such as /proc/kmsg. After an error, `bytes` may have a part of
// the file.
int read_all(int descriptor, std::size_t limit, std::string& bytes);

// ---- Opens the files that this host writes itself while commands run, or afterwards: events, reports, journals.
//
// A command of this run, or of an earlier one, may be able to write in the folder of such a file. It could then put a
// symbolic link in place of the file, or of a folder above it. This host, which is not sandboxed, would write where the
// link leads. So:
//
// - The user's own links, such as a home folder that is a link, are followed once, before any command runs
//   (resolve_links_above). Links in the working directory and in folders where other users may write are not followed:
//   an earlier command may have made them.
// - From then on, no link is followed, neither at the end of the path nor on the way, except below /dev and /proc,
//   where a command cannot make links (`/dev/stdout`).

// The real path of `file`, as far as its folders exist; `file` itself if no link has to be followed. Call this before
// the first command runs, and open the result later.
std::string resolve_links_above(const std::string& file);

// Like open(2) with `flags`, and close-on-exec. Empty: opening failed, and `why` has the words that follow "cannot
// write FILE: ".
Descriptor open_without_links(const std::string& file, int flags, mode_t mode, std::string& why);

// Opens a file for reading, such as a prompt, that a person has written but that a command may have replaced. Below the
// working directory, links are followed only if they stay there: a command in a sandbox could make a link to a file
// that it may not read. Does not block. Empty: opening failed, and `why` has the reason.
Descriptor open_for_reading(const std::string& file, std::string& why);

// Opens a file for reading that a person has named on the command line. A pipe is opened only if it has no name in a file
// system: that of `/dev/stdin` behind a `|`, or the `/dev/fd/63` of a shell's `<(command)`. At a named pipe, this program
// would wait without a word until somebody writes. Does not block. Empty: opening failed, and `why` has the reason.
Descriptor open_given(const std::string& file, std::string& why);

// Reads a file that this program wrote with `bytes` bytes, and passes it to `take` in pieces, until `take` returns false.
// Only a regular file of this size is read, directly or through a link that open_for_reading() follows, because a command
// may have put a FIFO, a device or a huge file in its place. Returns why not all was read, in the words that follow "the
// file FILE ", such as "is gone". Empty: `take` has got all bytes, or has returned false.
std::string read_written(const std::string& file, std::uint64_t bytes,
                         const std::function<bool(std::string_view)>& take);
// The same in one piece, which is appended to `content`.
std::string read_written(const std::string& file, std::uint64_t bytes, std::string& content);

// Passes `bytes` bytes of the file to `take`, in pieces, until it returns false. False: the file has fewer bytes, or
// cannot be read.
bool read_pieces(int descriptor, std::uint64_t bytes, const std::function<bool(std::string_view)>& take);

// Opens a regular file for reading. Empty: the file is of another kind, is a link, or cannot be opened. Does not block.
Descriptor open_regular(const std::string& file);
// The same; `status` gets the state of the file. If the result is empty, `status` means nothing.
Descriptor open_regular(const std::string& file, struct stat& status);

// Opens `folder`, whose path begins with `base`. Makes it, and the folders above it, if they are missing. Follows links
// in `base` itself, but none below it. Empty: the folder could not be opened or made, and `why` has the reason. `made`
// says whether `folder` itself was missing; if so, it was made with `mode`. Folders above it are made with `mode` and
// 0755.
Descriptor make_folder_without_links(const std::string& base, const std::string& folder, mode_t mode, bool& made,
                                     std::string& why);

// Makes `folder`, and the folders above it, if they are missing. Follows links. No other user can write in a folder that
// it makes, whatever the umask is. Returns why it failed; false: it did not.
std::error_code make_folders(const std::string& folder);

}  // namespace wtool
