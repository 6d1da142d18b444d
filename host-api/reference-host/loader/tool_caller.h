// What a workflow needs of the tools: a name and arguments go in, an envelope comes out. An interface, so that the
// runner is tested without a plugin; the implementation is in loader/toolbox.h.
#pragma once

#include <compare>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/stop.h"

namespace wtool::host {

struct ToolOutcome {
  enum class Kind {
    finished,   // `result` is the tool's envelope, is_error or not
    cancelled,  // the same, with the output so far
    not_made,   // there was no call: unknown tool, plugin failure; `error` says why
  };
  Kind kind = Kind::not_made;
  nlohmann::json result;  // {"content": [...], "is_error": bool, "metadata": {...}}
  std::string error;
};

enum class OutputStream { standard_output, standard_error };

// How one call differs from what the host was started with.
struct CallPlace {
  std::string shell{};  // "sh", "bash" or an absolute path; empty: the configured one
  std::string on{};     // "local" or "cluster"; empty: where the host was told to call
  std::string slot{};   // a class of jobs, for calls on the cluster; empty: the configured one

  auto operator<=>(const CallPlace&) const = default;
};

// What a tool says of a call while it runs.
struct CallState {
  std::string state{};  // "waiting" (for a node), "started"
  std::string node{};   // where it runs; empty: on this machine, or not yet known
  std::string job{};    // of that node's cluster; may be empty
};

class ToolCaller {
 public:
  // Called on the thread that is inside call(), with raw bytes, in order.
  using OutputSink = std::function<void(OutputStream, std::string_view)>;
  // Called on the same thread. Not every tool says something.
  using StateSink = std::function<void(const CallState&)>;

  virtual ~ToolCaller() = default;

  virtual bool has_tool(std::string_view id) const = 0;
  // What to say of an unknown tool: a sentence with the nearest name. Empty: nothing more than that it is unknown.
  virtual std::string unknown_tool(std::string_view) const { return {}; }
  // The JSON schema of its arguments, as text; empty if there is no such tool, or its schema is unknown.
  virtual std::string input_schema(std::string_view) const { return {}; }

  // Blocks until the call is over. `stop` reaches the running call from any thread. Several calls may run at once, each
  // on a thread of its own.
  virtual ToolOutcome call(std::string_view id, const nlohmann::json& arguments, Stop& stop,
                           const OutputSink& output) = 0;

  // The same at another place.
  virtual ToolOutcome call_at(const CallPlace& place, std::string_view id, const nlohmann::json& arguments, Stop& stop,
                              const OutputSink& output, const StateSink& /*state*/) {
    return place == CallPlace()
               ? call(id, arguments, stop, output)
               : ToolOutcome{ToolOutcome::Kind::not_made, nullptr, "no other place can be chosen here"};
  }

  // The same for a call that lasts until `stop` ends it, while others come and go. None of them waits for it: what
  // could only be done without it fails.
  virtual ToolOutcome call_lasting(const CallPlace& place, std::string_view id, const nlohmann::json& arguments,
                                   Stop& stop, const OutputSink& output, const StateSink& state) {
    return call_at(place, id, arguments, stop, output, state);
  }
};

}  // namespace wtool::host
