// How long a call may take, as its caller or the configuration says: it needs a pilot that lasts as long.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace wtool::cluster {

struct Need {
  std::chrono::milliseconds time{0};
  bool exact = false;  // the caller named it: a shorter time will not do

  bool operator==(const Need&) const = default;
};

// Of a call that names no timeout.
Need usual_need(const nlohmann::json& configuration);

// Of a call with these arguments. `usual` counts where they have no timeout; what is wrong with them is not judged here.
Need need_of(const std::string& arguments, const Need& usual);

}  // namespace wtool::cluster
