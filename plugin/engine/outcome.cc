#include "engine/outcome.h"

#include <cerrno>

namespace wtool::engine {

bool is_exhaustion(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == EAGAIN || error == ENOBUFS ||
         error == ENOSPC;
}

}  // namespace wtool::engine
