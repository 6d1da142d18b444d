// The temporary files and folders of steps, in $TMPDIR or /tmp. Each is locked while its process lives, so that a later
// process can remove what a killed one has left: the kernel releases the lock of a process that ends in any way. That
// happens before a process makes its first one, so a run that needs none does not look at all files in /tmp.
#pragma once

#include <string>

#include "base/descriptor.h"

namespace wtool::host::runner {

struct Temporary {
  std::string path;     // empty: it could not be made
  Descriptor file;      // holds the lock; a file is open for reading and writing
  std::string problem;  // why it could not be made, such as "/tmp/wtool-step.XXXXXX cannot be created: ..."
};

// Only this user can use what these functions make. The caller removes it. Any thread may call them.
Temporary make_temporary_file();
Temporary make_temporary_folder();

}  // namespace wtool::host::runner
