// What is recorded about a call: log records for the host's tracing, and lines of the audit trail if one is configured.
// Secrets are masked in both.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/secrets/secrets.h"
#include "call/call.h"

namespace wtool {

// Writes the line to the audit trail, which must be configured. Problems are logged under `target`. Returns why the
// call must not continue; empty: the line is written, or audit.when_unwritable is "continue".
std::string write_to_trail(const CallContext& context, std::string_view event, const nlohmann::ordered_json& line,
                           std::string_view target, std::uint64_t span);

// What all lines of a call begin with.
nlohmann::ordered_json line_of(const CallContext& context, const Labels& labels);

// Any one thread at a time may use it.
class CallRecord {
 public:
  // Borrows all of its arguments.
  CallRecord(const CommandRequest& request, const CommandPlan& plan, const CallContext& context)
      : request_(request), plan_(plan), context_(context) {}

  // Each of these functions records one event. It returns the result of write_to_trail(), or an empty text if no audit
  // trail is configured.
  std::string refused(const CallError& error, std::uint64_t span) const;
  std::string approval(const CallApproval& approval, std::uint64_t span) const;
  std::string start(const CallResult& result, std::uint64_t span) const;
  std::string end(const CallResult& result, std::uint64_t span) const;
  // The end of a call that the host could not bring to its end. Does nothing if there is no memory for the record.
  void failed(std::string_view why, std::uint64_t span) const noexcept;

  // Masks the secrets in the command's line and environment. It is made when it is first used: most calls need none.
  const secrets::Masker& masker() const;

 private:
  const CommandRequest& request_;
  const CommandPlan& plan_;
  const CallContext& context_;
  mutable std::optional<secrets::Masker> masker_;
};

}  // namespace wtool
