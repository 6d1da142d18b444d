// What a workflow needs from the tools: a name and arguments go in, an envelope comes out. An interface, so that the
// runner can be tested without a plugin; the implementation is in loader/toolbox.h.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/stop.h"

namespace wtool::host {

// NOLINTNEXTLINE(bugprone-exception-escape): moving JSON is noexcept; the check does not know that
struct ToolOutcome {
  enum class Kind {
    finished,   // `result` is the tool's envelope, even if it reports an error
    cancelled,  // the same, with the output so far
    not_made,   // there was no call: unknown tool, plugin failure; `error` says why
  };
  Kind kind = Kind::not_made;
  nlohmann::json result;  // {"content": [...], "is_error": bool, "metadata": {...}}
  std::string error;
};

enum class OutputStream { standard_output, standard_error };

// The span of the host's tracing around one call.
struct CallSpan {
  std::string name{};  // empty: the call has no span
  std::vector<std::pair<std::string, std::string>> fields{};

  // NOLINTNEXTLINE(modernize-use-nullptr): the check takes a comparison with 0 for one with a null pointer
  auto operator<=>(const CallSpan&) const = default;
};

// How one call differs from what the host was started with. The first three members decide which tool object is called,
// the others concern only this call.
struct CallPlace {
  std::string shell{};        // "sh", "bash" or an absolute path; empty: the configured one
  std::string on{};           // "local" or "cluster"; empty: the default of the host
  std::string slot{};         // a class of jobs, for calls on the cluster; empty: the configured one
  std::string limits{};       // of its commands: wtool_request.limits; empty: none
  std::string traceparent{};  // the W3C trace context of the call; empty: none
  CallSpan span{};
  std::uint64_t deadline_ms = 0;  // wtool_request.deadline_ms; 0: none

  // NOLINTNEXTLINE(modernize-use-nullptr): the check takes a comparison with 0 for one with a null pointer
  auto operator<=>(const CallPlace&) const = default;
  // The members that decide which tool object is called.
  CallPlace where() const { return {.shell = shell, .on = on, .slot = slot}; }
};

// What a tool reports about the command of a call while it runs.
struct CallState {
  std::string state{};   // "queued", "started", "stopping", "ended", or a state that this host does not know
  std::string node{};    // where the command runs; empty: on this machine, or not yet known
  std::string job{};     // the id of the Slurm job that has that node; may be empty
  std::string reason{};  // "node": it waits for a node; "timeout", "cancelled": why it is being stopped
  std::int64_t pid = 0;  // of its main process on this machine; 0: not known

  // True if it waits until a cluster has a node for it.
  bool waits_for_node() const { return state == "queued" && reason == "node"; }
};

// Any thread may call any member, even while calls run.
class ToolCaller {
 public:
  // Called on the thread that is inside call(), with raw bytes, in order.
  using OutputSink = std::function<void(OutputStream, std::string_view)>;
  // Called on the same thread. Not every tool reports states.
  using StateSink = std::function<void(const CallState&)>;

  virtual ~ToolCaller() = default;

  virtual bool has_tool(std::string_view id) const = 0;
  // The message for an unknown tool: a sentence with the nearest name. Empty: this object has no such message.
  virtual std::string unknown_tool(std::string_view) const { return {}; }
  // The JSON schema of its arguments, as text; empty if there is no such tool, or its schema is unknown.
  virtual std::string input_schema(std::string_view) const { return {}; }
  // Why the schema of the tool's arguments cannot be used: a place and a mistake. Empty: it can be used, or the
  // tool has no schema.
  virtual std::string unreadable_schema(std::string_view) const { return {}; }

  // Blocks until the call is over. Several calls may run at the same time, each on a thread of its own. `stop` reaches
  // the running call from any thread.
  virtual ToolOutcome call(std::string_view id, const nlohmann::json& arguments, Stop& stop,
                           const OutputSink& output) = 0;

  // Like call(), with the changes that `place` describes.
  virtual ToolOutcome call_at(const CallPlace& place, std::string_view id, const nlohmann::json& arguments, Stop& stop,
                              const OutputSink& output, const StateSink& /*state*/) {
    return place.where() == CallPlace() && place.limits.empty()
               ? call(id, arguments, stop, output)
               : ToolOutcome{ToolOutcome::Kind::not_made, nullptr, "no other place can be chosen here"};
  }

  // Like call_at(), for a call that lasts until `stop` ends it, while other calls are made. No other call waits for the
  // end of this one: a call that cannot be made while this one runs fails.
  virtual ToolOutcome call_lasting(const CallPlace& place, std::string_view id, const nlohmann::json& arguments,
                                   Stop& stop, const OutputSink& output, const StateSink& state) {
    return call_at(place, id, arguments, stop, output, state);
  }
};

}  // namespace wtool::host
