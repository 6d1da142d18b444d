// A spill file: the file with a command's whole output, of which the result may show only a part.
//
// Contract:
// - It contains the bytes of both streams in the order in which they were read, and stays when the call is over. The
//   file is made with the first byte; without output there is no file. A file that is made later, because the output
//   had to be cut, begins with all earlier standard output, followed by all earlier standard error.
// - The folder is opened when this object is made, before the command starts, without following symbolic links. Missing
//   folders are made with the first byte, below the last existing one. So a command can redirect neither the file nor
//   the removal of older files. A symbolic link in the path is reported as an error.
// - An error here neither fails nor stops the call. The file ends where the error occurred, and a sentence says what
//   happened. The command waits for a write only if the file system makes writers wait.
// - The host is not harmed: SIGXFSZ, with which the kernel ends a process that writes beyond its file size limit, never
//   reaches it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "engine/capture.h"
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

// Not thread-safe.
class SpillFile {
 public:
  // `call` is the part of the file's name that identifies the call.
  SpillFile(SpillDirectory& directory, std::string_view call);

  // Writes all the bytes. If that fails, or the room runs out, the file ends there for good.
  void write(std::string_view bytes);

  // Closes the file, and returns the result.
  WholeOutputFile finish();

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
  std::uint64_t charged_ = 0;  // how many bytes the directory has granted for the file
  bool stopped_ = false;
  WholeOutputFile result_;
};

// The spill file of one command, if its options ask for one. Not thread-safe.
class Spill {
 public:
  // `output` and `error` are the captures of the command's streams. Borrows them and `directory`, which may be
  // nullptr if `when` is `never`.
  Spill(SpillOptions::When when, SpillDirectory* directory, std::string_view call, const Capture& output,
        const Capture& error);

  bool wanted() const { return file_.has_value(); }

  // Call it before `capture`, one of the two, gets `bytes`. If the file begins only now, the captures have left nothing
  // out so far, so the file is filled from them and is complete.
  void add(const Capture& capture, std::string_view bytes);

  // Closes the file, and returns the result.
  WholeOutputFile finish();

 private:
  const bool only_cut_;  // The file begins when a capture leaves bytes out.
  const Capture& output_;
  const Capture& error_;
  std::optional<SpillFile> file_;
  bool begun_ = false;
};

}  // namespace wtool::engine
