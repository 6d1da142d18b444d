// Where the outputs of steps are kept whole: in files, byte for byte, for commands that read them by name
// (`${build.stdout_file}`) and for `wtool show --output`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace wtool::host::runner {

// One file that is being written. One thread at a time. Without finish() the file does not stay.
class OutputFile {
 public:
  virtual ~OutputFile() = default;
  // After a failure, which finish() reports, nothing more is written.
  virtual void write(std::string_view bytes) = 0;
  // Gives the file up, for that reason.
  virtual void fail(const std::string& why) = 0;

  struct Written {
    std::string file;  // its path; empty when it could not be written: `trouble` says why
    std::string sha256;
    std::uint64_t bytes = 0;
    std::string trouble;
  };
  virtual Written finish() = 0;
};

// All members: any thread.
class OutputStore {
 public:
  virtual ~OutputStore() = default;
  // Makes a file of that name, which is unique in the run, or replaces it. `secret`: the file is removed at the end of
  // the run.
  virtual std::unique_ptr<OutputFile> create(const std::string& name, bool secret) = 0;
  // `json` reads no larger file.
  virtual std::uint64_t json_limit() const = 0;
};

}  // namespace wtool::host::runner
