// The limits of one call (wtool_request.limits): they tighten the configuration with which the tool was made.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "configuration/configuration.h"

namespace wtool {

// Returns `configuration` tightened by `limits`, the JSON text of an object: the stricter of two values applies. The
// result shares the audit trail, and everything else that calls share, with `configuration`. nullptr: `error` says
// which key is wrong, its value, and what is allowed.
std::shared_ptr<const Configuration> tightened(const Configuration& configuration, std::string_view limits,
                                               std::string& error);

// Tightens the configuration of one tool for many calls: calls with equal limits share a sandbox. Any thread may use
// it.
class LimitedConfigurations {
 public:
  std::shared_ptr<const Configuration> find(const Configuration& configuration, std::string_view limits,
                                            std::string& error);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Configuration>, std::less<>> known_;
};

}  // namespace wtool
