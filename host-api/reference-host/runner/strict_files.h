// cache=strict: the command of a step reads the files that its inputs name and the system's, and writes into the folders of
// its outputs. So what it needs and its inputs do not name makes it fail, and the sandbox names the file.
//
//   StrictFiles files;
//   std::string why = files.prepare(directory, inputs, outputs);   // empty: it is prepared
//   place.limits = files.added_to(place.limits);
#pragma once

#include <string>
#include <vector>

namespace wtool::host::runner {

class StrictFiles {
 public:
  StrictFiles() = default;
  // Removes the temporary folder.
  ~StrictFiles();
  StrictFiles(const StrictFiles&) = delete;
  StrictFiles& operator=(const StrictFiles&) = delete;

  // `inputs` and `outputs` are patterns (cache/patterns.h) that begin in `place`, an absolute path. Makes the folders of
  // the outputs, without following links, and a folder for temporary files that only this step has. Returns a sentence, without its
  // end, that says why that cannot be done; empty: it is done.
  std::string prepare(const std::string& place, const std::vector<std::string>& inputs,
                      const std::vector<std::string>& outputs);

  // The limits of a call (wtool_request.limits) with these files.
  std::string added_to(const std::string& limits) const;

 private:
  std::vector<std::string> read_, list_, write_;
  std::string temporary_;
};

}  // namespace wtool::host::runner
