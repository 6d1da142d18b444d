// A request to stop, shared by all who may make it (Ctrl-C, an abort file, another branch) and all who must react to it
// (the running tool calls). Making a request never waits. The request is kept: a listener that subscribes later is
// called immediately.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>

namespace wtool {

// How urgent a request is. The numbers are those of call_cancel.
enum class StopHow : std::uint32_t { graceful = 1, now = 2 };

struct StopRequest {
  StopHow how = StopHow::graceful;
  std::string reason;  // one sentence or less, for people
};

// Any thread may call any member.
class Stop {
 public:
  using Listener = std::function<void(const StopRequest&)>;

  // Its destructor unsubscribes the listener. When the destructor returns, the listener is not running, and it is never
  // called again.
  class Subscription {
   public:
    Subscription() = default;
    Subscription(Subscription&& other) noexcept;
    Subscription& operator=(Subscription&& other) noexcept;
    Subscription(const Subscription&) = delete;
    Subscription& operator=(const Subscription&) = delete;
    ~Subscription();

   private:
    friend class Stop;
    Subscription(Stop* stop, std::list<Listener>::iterator where) : stop_(stop), where_(where) {}
    void end() noexcept;
    Stop* stop_ = nullptr;
    std::list<Listener>::iterator where_;
  };

  // The first reason is kept. `now` after `graceful` strengthens the request and calls the listeners again; any other
  // repetition is ignored.
  void request(StopHow how, std::string reason);

  std::optional<StopRequest> requested() const;

  // The listener must neither wait nor call this object. It is called on the thread that makes the request. If the
  // request was made before, the listener is called immediately, on the thread that subscribes.
  [[nodiscard]] Subscription subscribe(Listener listener);

 private:
  mutable std::mutex mutex_;
  std::optional<StopRequest> request_;
  std::list<Listener> listeners_;
};

}  // namespace wtool
