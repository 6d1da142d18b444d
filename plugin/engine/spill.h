// The spill file: a command's whole output in a file, beside the part of it that the result shows.
//
// Contract:
// - It holds the bytes as they were read, of both streams, in the order in which they were read, and stays when the
//   call is over. It is made with the first byte; without one there is none.
// - Its folder is opened when this object is made, before the command starts, and without following any symbolic link;
//   what is missing of it is made with the first byte, below the last folder that was there. So a command cannot lead
//   the file, or the removal of older ones, to another place. A link is said as what went wrong.
// - Nothing that goes wrong with it fails or stops the call. The file then ends where it went wrong, and what happened
//   is said in a sentence. Only a file system that makes its writers wait makes the command wait, too.
// - The host is not harmed: SIGXFSZ, by which the kernel ends a process that writes beyond its limit, never arrives.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "engine/outcome.h"
#include "engine/spill_directory.h"
#include "system/real_folder.h"

namespace wtool::engine {

struct SpillOptions {
  enum class When { never, when_cut, always };
  When when = When::never;
  std::string directory = {};               // absolute; made when it is missing
  std::uint64_t max_bytes = 1024ULL << 20;  // all spill files of the directory together
};

// Not for more than one thread.
class SpillFile {
 public:
  // `call` is the part of the file's name that says whose it is.
  SpillFile(SpillDirectory& directory, std::string_view call);

  // Writes all of it, or ends the file for good.
  void write(std::string_view bytes);

  // Closes, and says what became of it.
  OutputFile finish();

 private:
  bool create();
  std::size_t reserve(std::size_t bytes);
  void stop(const std::string& reason, const std::string& advice);
  void stop(int error);
  void stop_at_folder();

  SpillDirectory& directory_;
  const std::string call_;
  RealFolder folder_;
  std::string name_;  // in the folder
  Descriptor file_;
  std::uint64_t charged_ = 0;  // What the directory has granted for it.
  bool stopped_ = false;
  OutputFile result_;
};

}  // namespace wtool::engine
