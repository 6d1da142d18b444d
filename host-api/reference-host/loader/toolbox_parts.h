// What the toolbox's two source files share: toolbox.cc makes and destroys tools, and toolbox_calls.cc calls them.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "loader/toolbox.h"

namespace wtool::host {

// The right to use the tools, for the time that a call needs them. While such a right exists, no tool is made or
// destroyed.
class Toolbox::Use {
 public:
  // Waits until the tool `id` for `place` exists, until `stop` is requested, or until waiting cannot help.
  // `lasting`: the call is one of Toolbox::call_lasting().
  Use(Toolbox& toolbox, Stop& stop, const CallPlace& place = {}, std::string_view id = {}, bool lasting = false);
  ~Use();
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  // The tool that was waited for. nullptr: it cannot be used; error() says why.
  const wtool_tool* tool(std::string_view id) const;
  const std::string& error() const;
  // True if the tool cannot be used because the configuration is invalid.
  bool configuration_is_invalid() const { return invalid_; }

 private:
  friend class Toolbox;

  // The place of this object in Toolbox::uses_, for as long as this object lives.
  class Entry {
   public:
    Entry(Toolbox& toolbox, const Stop& stop, Use& use) : toolbox_(toolbox) {
      const std::lock_guard lock(toolbox_.mutex_);
      place_ = toolbox_.uses_.emplace(&stop, &use);
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry() {
      const std::lock_guard lock(toolbox_.mutex_);
      toolbox_.uses_.erase(place_);
    }

   private:
    Toolbox& toolbox_;
    std::multimap<const Stop*, Use*>::iterator place_;
  };

  bool is_plain() const { return variant_.first == CallPlace(); }

  Toolbox& toolbox_;
  const Which variant_;
  bool lasting_;
  bool is_job_ = false;
  bool granted_ = false;
  bool invalid_ = false;
  std::string error_;
  const Entry entry_;  // last: what it makes reachable must exist
};

// The text "REASON (STATUS)", or only one of the two.
std::string failure_text(wtool_status status, std::string_view reason);

// The error of a call with limits to a tool that does not support limits.
std::string no_limits_error(std::string_view id);

}  // namespace wtool::host
