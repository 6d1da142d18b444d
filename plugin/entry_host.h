// Wraps the host's extensions in the plugin's own classes. Only this file and entry.cc use the extensions' C interface.
#pragma once

#include <wtool/ext/approval.h>
#include <wtool/ext/log.h>
#include <wtool/tool.h>

#include <atomic>
#include <cstdint>
#include <vector>
#include <wtool/cpp/plugin.hpp>

#include "audit/tracing.h"
#include "call/approval.h"
#include "engine/cancellation.h"

namespace wtool {

// wtool.log/1
class LogExtension : public audit::HostTracing {
 public:
  LogExtension(const wtool_host* host, const wtool_host_log* log) : host_(host), log_(log) {}

  bool enabled(audit::Level level, std::string_view target) const override {
    return WTOOL_HAS_FN(log_, emit) &&
           (!WTOOL_HAS_FN(log_, enabled) || log_->enabled(host_, static_cast<std::uint32_t>(level), view(target)) != 0);
  }

  void emit(const audit::Record& record) override {
    const std::vector<wtool_field> fields = views(record.fields);
    wtool_log_record out{};
    out.struct_size = sizeof out;
    out.level = static_cast<std::uint32_t>(record.level);
    out.unix_ns = record.unix_ns;
    out.target = view(record.target);
    out.message = view(record.message);
    out.n_fields = static_cast<std::uint32_t>(fields.size());
    out.fields = fields.data();
    out.span = record.span;
    if (WTOOL_HAS_FN(log_, emit)) log_->emit(host_, &out);
  }

  std::uint64_t open_span(std::uint64_t parent, std::string_view name, const audit::Fields& list) override {
    if (!WTOOL_HAS_FN(log_, span_open)) return 0;
    const std::vector<wtool_field> fields = views(list);
    return log_->span_open(host_, parent, view(name), fields.data(), static_cast<std::uint32_t>(fields.size()));
  }

  void close_span(std::uint64_t span) override {
    if (WTOOL_HAS_FN(log_, span_close)) log_->span_close(host_, span);
  }

 private:
  static std::vector<wtool_field> views(const audit::Fields& fields) {
    std::vector<wtool_field> result;
    result.reserve(fields.size());
    for (const audit::Field& field : fields) result.push_back({view(field.key), view(field.json)});
    return result;
  }

  const wtool_host* host_;
  const wtool_host_log* log_;
};

// wtool.approval/1, for one call. `ask` runs on the call's thread, `cancelled` on any.
class CallApprover : public ApprovalAsker {
 public:
  // All arguments are borrowed for the life of the call; `approval` may be nullptr.
  CallApprover(const wtool_host* host, const wtool_host_approval* approval, const engine::Cancellation& cancellation)
      : host_(host), approval_(approval), cancellation_(cancellation) {}

  ApprovalReply ask(const ApprovalQuestion& question) override {
    if (approval_ == nullptr || !WTOOL_HAS_FN(approval_, ask)) return ApprovalReply::unavailable;
    static std::atomic<std::uint64_t> last{0};
    const std::uint64_t id = ++last;
    wtool_approval_question out{};
    out.struct_size = sizeof out;
    out.id = id;
    out.tool = view(question.tool);
    out.call_id = view(question.call_id);
    out.subject = view(question.subject);
    out.reason = view(question.reason);
    out.fingerprint = view(question.fingerprint);
    // Either cancelled() sees this number, or the check below sees the cancellation.
    asking_.store(id);
    const bool stopped = cancellation_.mode() != engine::Cancellation::Mode::none;
    const std::uint32_t answer = stopped ? WTOOL_APPROVAL_UNAVAILABLE : approval_->ask(host_, &out);
    asking_.store(0);
    switch (answer) {
      case WTOOL_APPROVAL_UNAVAILABLE:
        return ApprovalReply::unavailable;
      case WTOOL_APPROVAL_YES:
        return ApprovalReply::yes;
      case WTOOL_APPROVAL_ALWAYS:
        return ApprovalReply::always;
      case WTOOL_APPROVAL_NEVER:
        return ApprovalReply::never;
      case WTOOL_APPROVAL_DEFERRED:
        return ApprovalReply::deferred;
      case WTOOL_APPROVAL_EXPIRED:
        return ApprovalReply::expired;
      default:
        return ApprovalReply::no;
    }
  }

  // Must be called after the cancellation has been requested. Withdraws the question that waits, if any.
  void cancelled() noexcept {
    const std::uint64_t id = asking_.load();
    if (id != 0 && WTOOL_HAS_FN(approval_, withdraw)) approval_->withdraw(host_, id);
  }

 private:
  const wtool_host* host_;
  const wtool_host_approval* approval_;
  const engine::Cancellation& cancellation_;
  std::atomic<std::uint64_t> asking_{0};  // the number of the question that waits; 0: none
};

}  // namespace wtool
