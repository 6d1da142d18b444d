// Stores the whole outputs of a run's steps as files.
//
// If the run has a journal, the files are kept beside it, in a folder that only this user may read. If not, they are in
// a temporary folder, and are removed with this object. Outputs that contain a secret are always removed. If a command
// replaces the folder or a file with a symbolic link, the link is not followed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/descriptor.h"
#include "base/temporary_path.h"
#include "runner/run_request.h"
#include "runner/secrets.h"

namespace wtool::host {

struct OutputLimits {
  std::uint64_t max_bytes = 1ULL << 30;    // for all files of the run together
  std::uint64_t json_bytes = 64ULL << 20;  // for a file that is read as JSON
};

class OutputFiles final : public runner::RunOutputStore {
 public:
  // `journal` is the journal's file; empty without a journal. `secrets` must outlive this object.
  OutputFiles(const std::string& journal, const runner::Secrets& secrets, OutputLimits limits);
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;
  // Removes files with secrets; without a journal, removes all files. Destroy this object only when the run is over,
  // because a secret may become known after a file that contains it was written.
  ~OutputFiles() override;

  std::unique_ptr<runner::OutputFile> create(const std::string& name, bool secret, Earlier earlier) override;
  std::uint64_t json_limit() const override { return limits_.json_bytes; }

 private:
  class File;
  bool make_folder(std::string& error);
  void remove_unwanted();
  bool holds_secret(const std::string& file) const;

  const runner::Secrets& secrets_;
  const OutputLimits limits_;
  const bool is_temporary_;
  std::mutex mutex_;
  TemporaryPath temporary_;
  std::string folder_;   // empty: a temporary one that is not made yet
  Descriptor place_;     // the parent folder, if the outputs are kept: opened before a command can replace it
  int place_error_ = 0;  // why it could not be opened
  Descriptor made_;      // the folder itself, once it is made; files are opened and removed in it only by their names
  std::atomic<std::uint64_t> bytes_{0};  // in all files so far
};

}  // namespace wtool::host
