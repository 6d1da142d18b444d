// A text file with a person's answers: checked before it is read, and replaced as a whole under a lock, so that several
// processes can use it. The callers define what the text means.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <chrono>
#include <string>

#include "base/descriptor.h"

namespace wtool::policy {

// Which symbolic links in the file's path are followed. Any other link is an error, since a command could have made it.
enum class Links {
  followed,
  none_at_end,  // The file and its folder must not be links; folders above may be.
  none
};

struct AnswersFile {
  std::string path;                   // absolute
  std::string noun;                   // "the file of approvals", for messages
  mode_t mode = 0600;                 // the mode of a new file
  mode_t folder_mode = 0700;          // the mode of a folder that is made for the file
  mode_t not_by = S_IWGRP | S_IWOTH;  // a file with any of these permissions is not trusted
  uid_t owner = 0;                    // besides root and this process's user, this user may own the file
  Links links = Links::followed;
  std::chrono::milliseconds lock_wait{5000};  // how long to wait for another process's lock
};

// Reads the text; it is empty if the file does not exist. False: `error` is a sentence that names the file.
bool read_answers(const AnswersFile& file, std::string& text, std::string& error);

// Makes the file's folder if it is missing, and locks out other processes until the descriptor is closed. If the
// descriptor is empty, `error` says why.
Descriptor lock_answers(const AnswersFile& file, std::string& error);

// Must be called under the lock. Returns what went wrong; empty: nothing did. On failure, the old file stays as it was.
std::string replace_answers(const AnswersFile& file, const std::string& text);

}  // namespace wtool::policy
