#include "engine/outcome.h"

#include <cerrno>
#include <string_view>

namespace wtool::engine {

bool is_exhaustion(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == EAGAIN || error == ENOBUFS ||
         error == ENOSPC;
}

void recognise_limits(const Limits& limits, Outcome& outcome) {
  int status = 0;
  if (const auto* exited = std::get_if<Exited>(&outcome.how)) status = exited->status;
  if (const auto* signalled = std::get_if<Signalled>(&outcome.how)) status = 128 + signalled->signal;
  if (status == 0) return;
  const auto says = [&](std::string_view text) { return outcome.standard_error.text.find(text) != std::string::npos; };
  // The C library's texts of EFBIG, SIGXFSZ and EMFILE.
  if (limits.file_bytes != 0 && (says("File too large") || says("File size limit exceeded"))) {
    outcome.how = Exhausted{LimitName::file_bytes, static_cast<double>(limits.file_bytes), status};
  } else if (limits.open_files != 0 && says("Too many open files")) {
    outcome.how = Exhausted{LimitName::open_files, static_cast<double>(limits.open_files), status};
  }
}

}  // namespace wtool::engine
