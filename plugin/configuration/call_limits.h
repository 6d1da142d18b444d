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
// result shares the audit trail and the spill folder with `configuration`. If the limits concern files, the sandbox or
// the network, it has a sandbox of its own. nullptr: `error` says what is wrong.
std::shared_ptr<const Configuration> tightened(const Configuration& configuration, std::string_view limits,
                                               std::string& error);

// Tightens the configuration of one tool for many calls, and keeps the results for limits that name no files: calls
// with equal limits of this kind share a sandbox. Always pass the same `configuration`. Any thread may use it.
class LimitedConfigurations {
 public:
  std::shared_ptr<const Configuration> find(const Configuration& configuration, std::string_view limits,
                                            std::string& error);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Configuration>, std::less<>> known_;
};

}  // namespace wtool
