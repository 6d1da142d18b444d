// A stop of a part of a run: requested when the whole is, or alone.
#pragma once

#include "base/stop.h"

namespace wtool::host::runner {

class ChildStop {
 public:
  // `parent` must outlive this object.
  explicit ChildStop(Stop& parent)
      : from_parent_(
            parent.subscribe([this](const StopRequest& request) { own_.request(request.how, request.reason); })) {}
  ChildStop(const ChildStop&) = delete;
  ChildStop& operator=(const ChildStop&) = delete;

  Stop& stop() { return own_; }

 private:
  Stop own_;
  Stop::Subscription from_parent_;  // ends first
};

}  // namespace wtool::host::runner
