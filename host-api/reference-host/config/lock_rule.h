// What a later layer may do with a key that an earlier one has locked: make it tighter, never looser. One rule for each
// key, in the table of keys.h. Paths are compared as text; no file is looked at.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "config/keys.h"

namespace wtool::host {

struct LockViolation {
  std::string allowed;      // what may stand there: "at most 500"
  std::string found;        // what does: "this is 900"
  std::size_t element = 0;  // of a list: which one; its size where it is about the list
};

// False where `later` is looser than `locked`; the violation says how. Where a locked list may only be added to,
// `later` becomes the union of both. Both values have passed check_value, or are built in.
bool is_tighter(const ConfigKey& key, const nlohmann::json& locked, nlohmann::json& later, LockViolation& violation);

}  // namespace wtool::host
