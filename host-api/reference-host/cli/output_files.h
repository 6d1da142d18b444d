// The outputs of steps as files, for workflows that hand them on by name (`${build.stdout_file}`).
//
// With a journal they lie beside it, in a folder of their own that nobody else may read, and stay; without one they are
// somewhere temporary, and go with this object. What holds a secret never stays.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "runner/secrets.h"

namespace wtool::host {

class OutputFiles {
 public:
  // `journal` is the journal's file; empty: there is none. `secrets` must outlive this object.
  OutputFiles(const std::string& journal, const workflow::Secrets& secrets);
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;
  // When the run is over: secrets may have become known after they were written.
  ~OutputFiles();

  // Writes a file of that name, and gives its path; empty: `error` says why not. Any thread.
  std::string write(std::string_view name, const std::string& content, std::string& error);

 private:
  bool make_folder(std::string& error);

  const workflow::Secrets& secrets_;
  const bool temporary_;
  std::mutex mutex_;
  std::string folder_;  // empty: a temporary one that is not made yet
  std::set<std::string> files_;
};

}  // namespace wtool::host
