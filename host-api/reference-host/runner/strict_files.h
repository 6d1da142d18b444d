// cache=strict: the command of a step may read only the files that its inputs name and the files of the system, and may
// write only in the folders of its outputs. If it needs another file, it fails, and the sandbox names that file.
//
//   StrictFiles files;
//   std::string why = files.prepare(directory, inputs, outputs);   // empty: it is prepared
//   place.limits = files.added_to(place.limits);
#pragma once

#include <string>
#include <vector>

#include "base/temporary_path.h"

namespace wtool::host::runner {

class StrictFiles {
 public:
  // `inputs` and `outputs` are patterns (cache/patterns.h), relative to `place`, which is an absolute path. Makes the
  // folders of the outputs, without following links, and a folder for the temporary files of this step. Returns why
  // that cannot be done, as a sentence without its full stop; empty: it is done.
  std::string prepare(const std::string& place, const std::vector<std::string>& inputs,
                      const std::vector<std::string>& outputs);

  // The limits of a call (wtool_request.limits) with these files added.
  std::string added_to(const std::string& limits) const;

 private:
  std::vector<std::string> read_, list_, write_;
  TemporaryPath temporary_;
};

}  // namespace wtool::host::runner
