// A host that answers questions (wtool.approval/1) as the test says, and keeps what it was asked.
#pragma once

#include <wtool/ext/approval.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <vector>
#include <wtool/cpp/plugin.hpp>

namespace wtool::test {

class AskingHost {
 public:
  struct Question {
    std::string tool, call_id, subject, reason, fingerprint;
  };

  AskingHost() {
    host_.struct_size = sizeof host_;
    host_.ctx = this;
    host_.name = view("test");
    host_.version = view("1");
    host_.get_extension = [](const wtool_host* host, const char* id) noexcept -> const void* {
      return std::strcmp(id, WTOOL_EXT_APPROVAL) == 0 ? &self(host).approval_ : nullptr;
    };
    approval_.struct_size = sizeof approval_;
    approval_.ask = [](const wtool_host* host, const wtool_approval_question* question) noexcept -> std::uint32_t {
      return self(host).ask(*question);
    };
    approval_.withdraw = [](const wtool_host* host, std::uint64_t id) noexcept {
      AskingHost& me = self(host);
      if (me.on_withdrawal) me.on_withdrawal();
      const std::lock_guard lock(me.mutex_);
      me.withdrawn_.push_back(id);
      me.changed_.notify_all();
    };
  }

  const wtool_host* get() const { return &host_; }

  std::atomic<std::uint32_t> answer{WTOOL_APPROVAL_YES};
  std::atomic<bool> waits{false};  // does not answer, and waits until the question is withdrawn
  std::atomic<std::uint32_t> late_answer{WTOOL_APPROVAL_UNAVAILABLE};  // with `waits`, after the withdrawal
  std::function<void()> on_withdrawal;                                 // is called before a withdrawal counts

  std::vector<Question> questions() {
    const std::lock_guard lock(mutex_);
    return questions_;
  }

  void wait_until_asked() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !questions_.empty(); });
  }

 private:
  static AskingHost& self(const wtool_host* host) { return *static_cast<AskingHost*>(host->ctx); }

  std::uint32_t ask(const wtool_approval_question& question) {
    std::unique_lock lock(mutex_);
    questions_.push_back({std::string(text(question.tool)), std::string(text(question.call_id)),
                          std::string(text(question.subject)), std::string(text(question.reason)),
                          std::string(text(question.fingerprint))});
    changed_.notify_all();
    const auto withdrawn = [&] {
      for (const std::uint64_t id : withdrawn_) {
        if (id == question.id) return true;
      }
      return false;
    };
    if (waits) {
      changed_.wait(lock, withdrawn);
      return late_answer;
    }
    return answer;
  }

  wtool_host host_{};
  wtool_host_approval approval_{};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Question> questions_;
  std::vector<std::uint64_t> withdrawn_;
};

}  // namespace wtool::test
