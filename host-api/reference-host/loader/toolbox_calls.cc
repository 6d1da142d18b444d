// Calling the tools of a toolbox: the request, events during the call, the check of the result, and explanations.
#include <exception>
#include <utility>
#include <wtool/cpp/host.hpp>

#include "base/escape.h"
#include "base/json.h"
#include "base/json_members.h"
#include "base/json_reader.h"
#include "base/json_text.h"
#include "base/utf8.h"
#include "loader/toolbox_parts.h"
#include "tracing/tracing.h"

namespace wtool::host {

namespace {

struct SinkState {
  const ToolCaller::OutputSink& output;
  const ToolCaller::StateSink& state;
  std::exception_ptr thrown;
};

CallState state_in(std::string_view payload) {
  const nlohmann::json told = parse_json(payload);
  CallState state{text_member(told, "state"), text_member(told, "node"), text_member(told, "job"),
                  text_member(told, "reason")};
  if (const auto pid = told.find("pid"); pid != told.end() && pid->is_number_integer()) state.pid = *pid;
  return state;
}

// The sink of every call. An exception is kept until the call is over.
int32_t on_event(void* context, const wtool_event* event) noexcept {
  auto& state = *static_cast<SinkState*>(context);
  if (state.thrown) return 1;
  if (event == nullptr || !WTOOL_HAS(event, payload)) return 0;
  const bool is_state = event->kind == WTOOL_EVENT_STATE;
  if (!is_state && event->kind != WTOOL_EVENT_STDOUT && event->kind != WTOOL_EVENT_STDERR) return 0;
  const auto stream = event->kind == WTOOL_EVENT_STDOUT ? OutputStream::standard_output : OutputStream::standard_error;
  try {
    if (is_state && state.state) state.state(state_in(text(event->payload)));
    if (!is_state && state.output) state.output(stream, text(event->payload));
    return 0;
  } catch (...) {
    state.thrown = std::current_exception();
    return 1;
  }
}

// Why a tool cannot be called: JSON cannot hold one of the arguments.
std::string not_utf8(std::string_view id, const nlohmann::json& arguments) {
  for (const auto& [name, value] : arguments.items()) {
    if (!value.is_string() || is_utf8(value.get_ref<const std::string&>())) continue;
    return "the argument " + escaped(name) + " of " + escaped(id) +
           " is not valid UTF-8: " + escaped(value.get_ref<const std::string&>());
  }
  return "an argument of " + escaped(id) + " contains a text that is not valid UTF-8";
}

// What is wrong with the envelope. Empty: it is valid, and `is_error` is set. `Json`: json or ordered_json.
template <class Json>
std::string check_envelope(const Json& envelope, bool& is_error) {
  if (envelope.is_discarded()) return "a result that is not JSON";
  if (!envelope.is_object()) return "a result that is not a JSON object";
  const auto found = envelope.find("is_error");
  if (found == envelope.end() || !found->is_boolean()) return "a result without \"is_error\"";
  is_error = found->template get<bool>();
  return {};
}

// The result of a call while the configuration cannot be used.
nlohmann::json refusal(const std::string& reason) {
  const std::string message = "The configuration is not valid, so nothing is run: " + reason;
  return {{"content", {{{"type", "text"}, {"text", message}}}},
          {"is_error", true},
          {"metadata",
           {{"error",
             {{"code", "configuration_invalid"},
              {"message", message},
              {"hint", "Fix the file; the next call reads it again. `wtool config show` describes the mistake."}}}}}};
}

// A span for one call.
class OpenSpan {
 public:
  OpenSpan(Tracing& tracing, const CallSpan& span) : tracing_(tracing) {
    if (span.name.empty()) return;
    std::vector<std::string> values;
    for (const auto& [key, value] : span.fields) append_json_string(values.emplace_back(), value);
    std::vector<LogField> fields;
    for (std::size_t i = 0; i < values.size(); ++i) fields.push_back({span.fields[i].first, values[i]});
    number_ = tracing.open_span(0, span.name, fields);
  }
  OpenSpan(const OpenSpan&) = delete;
  OpenSpan& operator=(const OpenSpan&) = delete;
  ~OpenSpan() {
    if (number_ != 0) tracing_.close_span(number_);
  }
  std::uint64_t number() const { return number_; }

 private:
  Tracing& tracing_;
  std::uint64_t number_ = 0;
};

// Why this tool cannot be called with limits; empty: it can.
std::string limits_problem(const wtool_tool& tool, std::string_view id, const std::string& limits) {
  const wtool_descriptor* descriptor = tool.descriptor;
  const bool holds =
      descriptor != nullptr && WTOOL_HAS(descriptor, hints) && (descriptor->hints & WTOOL_HINT_LIMITS) != 0;
  return limits.empty() || holds ? std::string() : no_limits_error(id);
}

}  // namespace

OrderedOutcome Toolbox::call_text(std::string_view id, std::string_view arguments, Stop& stop, const OutputSink& output,
                                  const CallPlace& place, const StateSink& state) {
  OrderedOutcome outcome;
  const auto read = [&outcome](std::string_view answer) {
    outcome.result = parse_ordered_json(answer);
    return check_envelope(outcome.result, outcome.is_error);
  };
  outcome.kind = run(false, place, id, arguments, stop, output, state, read, outcome.error);
  return outcome;
}

std::optional<Explanation> Toolbox::explain(std::string_view id, std::string_view arguments, Stop& stop,
                                            std::string& error, const CallPlace& place) {
  if (!has_tool(id)) {
    error = unknown_tool(id);
    return std::nullopt;
  }
  const Use use(*this, stop, place, id);
  const wtool_tool* tool = use.tool(id);
  if (tool == nullptr) {
    error = use.error();
    return std::nullopt;
  }
  const std::string name(id);
  const wtool_tool_explain* extension = explain_of(*tool);
  if (extension == nullptr) {
    error = "the tool " + name + " cannot explain what a call would do: it has no extension " + WTOOL_EXT_EXPLAIN;
    return std::nullopt;
  }
  if (error = limits_problem(*tool, id, place.limits); !error.empty()) return std::nullopt;
  wtool_request request = make_request(arguments);
  request.limits = view(place.limits);
  Blob result, reason;
  const wtool_status status = extension->explain(tool, &request, result.out(), reason.out());
  if (status != WTOOL_OK) {
    error = "the call of " + name + " could not be explained: " + failure_text(status, reason.text());
    return std::nullopt;
  }
  auto explained = Explanation::parse(result.text());
  if (!explained) {
    error = "the tool " + name +
            " explained a call with something other than a JSON object with a \"verdict\"; this is " +
            "a defect of the plugin";
  }
  return explained;
}

ToolOutcome::Kind Toolbox::run(bool lasting, const CallPlace& place, std::string_view id, std::string_view arguments,
                               Stop& stop, const OutputSink& output, const StateSink& state, const ReadAnswer& read,
                               std::string& error) {
  using Kind = ToolOutcome::Kind;
  if (!has_tool(id)) {
    error = unknown_tool(id);
    return Kind::not_made;
  }
  const Use use(*this, stop, place, id, lasting);
  const wtool_tool* tool = use.tool(id);
  if (tool == nullptr && use.configuration_is_invalid()) {
    error = read(refusal(use.error()).dump());
    return error.empty() ? Kind::finished : Kind::not_made;
  }
  if (tool == nullptr) {
    error = use.error();
    return Kind::not_made;
  }
  if (error = limits_problem(*tool, id, place.limits); !error.empty()) return Kind::not_made;
  const std::string name(id);
  const OpenSpan span(plugin_.tracing(), place.span);
  SinkState sink{output, state, nullptr};
  const std::string call_id = "call-" + std::to_string(++calls_);
  wtool_request request = make_request(arguments);
  request.call_id = view(call_id);
  request.limits = view(place.limits);
  request.traceparent = view(place.traceparent);
  request.parent_span = span.number();
  request.deadline_ms = place.deadline_ms;
  if (output || state) {
    request.sink_ctx = &sink;
    request.on_event = on_event;
  }
  Call call(*tool, request);
  if (call.status() != WTOOL_OK) {
    error = "the call of " + name + " could not be made: " + failure_text(call.status(), call.error());
    return Kind::not_made;
  }
  wtool_status status = WTOOL_OK;
  {
    const Stop::Subscription listening = stop.subscribe([&call](const StopRequest& request_to_stop) {
      call.cancel(static_cast<std::uint32_t>(request_to_stop.how), request_to_stop.reason);
    });
    status = call.run();
  }
  if (sink.thrown) std::rethrow_exception(sink.thrown);
  if (status != WTOOL_OK && status != WTOOL_E_CANCELLED) {
    error = "the call of " + name + " could not be made: " + failure_text(status, call.error());
    return Kind::not_made;
  }
  if (const std::string problem = read(call.result()); !problem.empty()) {
    error = "the tool " + name + " answered with " + problem + "; this is a defect of the plugin";
    return Kind::not_made;
  }
  return status == WTOOL_OK ? Kind::finished : Kind::cancelled;
}

ToolOutcome Toolbox::call(std::string_view id, const nlohmann::json& arguments, Stop& stop, const OutputSink& output) {
  return call_at({}, id, arguments, stop, output, nullptr);
}

ToolOutcome Toolbox::call_at(const CallPlace& place, std::string_view id, const nlohmann::json& arguments, Stop& stop,
                             const OutputSink& output, const StateSink& state) {
  return call_for(false, place, id, arguments, stop, output, state);
}

ToolOutcome Toolbox::call_lasting(const CallPlace& place, std::string_view id, const nlohmann::json& arguments,
                                  Stop& stop, const OutputSink& output, const StateSink& state) {
  return call_for(true, place, id, arguments, stop, output, state);
}

ToolOutcome Toolbox::call_for(bool lasting, const CallPlace& place, std::string_view id,
                              const nlohmann::json& arguments, Stop& stop, const OutputSink& output,
                              const StateSink& state) {
  ToolOutcome outcome;
  std::string text;
  try {
    text = arguments.dump();
  } catch (const nlohmann::json::type_error&) {
    outcome.error = not_utf8(id, arguments);
    return outcome;
  }
  const auto read = [&outcome](std::string_view answer) {
    bool is_error = false;
    outcome.result = parse_json(answer);
    return check_envelope(outcome.result, is_error);
  };
  outcome.kind = run(lasting, place, id, text, stop, output, state, read, outcome.error);
  return outcome;
}

}  // namespace wtool::host
