// A file of a person's answers, as text: checked before it is read, and replaced as a whole under a lock, so that
// several processes may use it. Its callers define what the text means.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <chrono>
#include <string>

#include "base/descriptor.h"

namespace wtool::policy {

// Where a symbolic link in its path is an error: a command could have put it there.
enum class Links {
  followed,
  none_at_end,  // The file and its folder are none; what is above them may be.
  none
};

struct AnswersFile {
  std::string path;                   // absolute
  std::string noun;                   // "the file of approvals", for messages
  mode_t mode = 0600;                 // of a new file
  mode_t folder_mode = 0700;          // of a folder that is made for it
  mode_t not_by = S_IWGRP | S_IWOTH;  // whoever may write besides makes it worthless
  uid_t owner = 0;                    // one more user whom it may belong to, besides root and this process's
  Links links = Links::followed;
  std::chrono::milliseconds lock_wait{5000};  // for whoever has the lock
};

// The text; empty where there is no file. False with `error`, a sentence that names the file.
bool read_answers(const AnswersFile& file, std::string& text, std::string& error);

// Makes the file's folder if it is missing, and keeps all others out until the descriptor is closed. Empty with
// `error`.
Descriptor lock_answers(const AnswersFile& file, std::string& error);

// Under the lock. Empty, or what went wrong; the old file stays whole whatever happens.
std::string replace_answers(const AnswersFile& file, const std::string& text);

}  // namespace wtool::policy
