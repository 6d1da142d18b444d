// Finds steps of a run that may write the same files at the same time. What such a step finds in its outputs at its end
// may be the work of the other one, so neither result may be kept.
#pragma once

#include <condition_variable>
#include <list>
#include <mutex>
#include <string>

#include "base/stop.h"
#include "cache/patterns.h"

namespace wtool::host::runner {

// Any thread may call any member.
class OutputClaims {
 public:
  struct Claim {
    std::string step;  // for people: "'Build'"
    cache::Outputs outputs;
    bool is_exclusive = false;  // no other step may claim its outputs: it is looked for in the cache, or being kept
    std::string conflict{};     // why its result may not be kept, as a sentence without its full stop
  };

  // The outputs of one step, from before its call until its result is kept or it has ended.
  class Held {
   public:
    Held() = default;
    ~Held() { release(); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

    // Waits while another step with the same outputs has an exclusive claim, unless `stop` is requested. After a stop,
    // neither step may keep its result.
    void take(OutputClaims& claims, Claim claim, Stop& stop);
    // From now on, other steps may claim the outputs, too: the step will write them.
    void share();
    void release();
    // Why the result may not be kept: another step has claimed some of its outputs since take(). Empty: it may.
    std::string conflict() const;
    // The same. If the result may be kept, no other step claims its outputs until release().
    std::string begin_keeping();

   private:
    OutputClaims* claims_ = nullptr;
    std::list<Claim>::iterator claim_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable released_;
  std::list<Claim> claims_;
};

}  // namespace wtool::host::runner
