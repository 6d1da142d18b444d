#include "loader/toolbox.h"

#include <exception>
#include <nlohmann/json.hpp>
#include <utility>
#include <wtool/cpp/host.hpp>

#include "loader/nearest.h"
#include "tracing/escape.h"
#include "tracing/tracing.h"

namespace wtool::host {

namespace {

std::string status_text(wtool_status status) {
  switch (status) {
    case WTOOL_E_INVALID_ARGUMENT:
      return "invalid argument";
    case WTOOL_E_UNSUPPORTED:
      return "unsupported";
    case WTOOL_E_CANCELLED:
      return "cancelled";
    case WTOOL_E_BUSY:
      return "busy";
    case WTOOL_E_RESOURCE:
      return "out of memory, descriptors or threads";
    case WTOOL_E_INTERNAL:
      return "an internal error of the plugin";
    default:
      return "status " + std::to_string(status);
  }
}

// "REASON (STATUS)", or what there is of it.
std::string why(wtool_status status, std::string_view reason) {
  return reason.empty() ? status_text(status) : escaped(reason) + " (" + status_text(status) + ')';
}

bool is_complete(const wtool_tool* tool) {
  return tool != nullptr && WTOOL_HAS(tool, destroy) && tool->call_new != nullptr && tool->call_run != nullptr &&
         tool->call_cancel != nullptr && tool->call_free != nullptr && tool->destroy != nullptr;
}

struct SinkState {
  const ToolCaller::OutputSink& output;
  std::exception_ptr thrown;
};

// The sink of every call. What it throws waits until the call is over.
int32_t on_event(void* context, const wtool_event* event) noexcept {
  auto& state = *static_cast<SinkState*>(context);
  if (state.thrown) return 1;
  if (event == nullptr || !WTOOL_HAS(event, payload)) return 0;
  if (event->kind != WTOOL_EVENT_STDOUT && event->kind != WTOOL_EVENT_STDERR) return 0;
  const auto stream = event->kind == WTOOL_EVENT_STDOUT ? OutputStream::standard_output : OutputStream::standard_error;
  try {
    state.output(stream, text(event->payload));
    return 0;
  } catch (...) {
    state.thrown = std::current_exception();
    return 1;
  }
}

// Empty when it is an envelope; sets is_error then.
std::string check_envelope(const nlohmann::json& envelope, bool& is_error) {
  if (envelope.is_discarded()) return "a result that is not JSON";
  if (!envelope.is_object()) return "a result that is not a JSON object";
  const auto found = envelope.find("is_error");
  if (found == envelope.end() || !found->is_boolean()) return "a result without \"is_error\"";
  is_error = found->get<bool>();
  return {};
}

}  // namespace

std::unique_ptr<Toolbox> Toolbox::open(Plugin& plugin, const std::string& config, std::string& error) {
  if (!plugin.start(error)) return nullptr;
  std::unique_ptr<Toolbox> toolbox(new Toolbox(plugin));
  for (const ToolDescription& description : plugin.tools()) {
    const wtool_tool* tool = nullptr;
    Blob reason;
    const wtool_status status = plugin.entry().tool_new(view(description.id), view(config), &tool, reason.out());
    if (status != WTOOL_OK) {
      error = "the tool " + description.id + " cannot be made: " + why(status, reason.text());
      return nullptr;
    }
    if (!is_complete(tool)) {
      error = "the tool " + description.id + " of " + escaped(plugin.path()) + " lacks functions of version 1.0";
      return nullptr;
    }
    toolbox->tools_.emplace(description.id, tool);
  }
  return toolbox;
}

Toolbox::~Toolbox() {
  for (const auto& [id, tool] : tools_) tool->destroy(tool);
}

bool Toolbox::has_tool(std::string_view id) const { return tools_.find(id) != tools_.end(); }

std::string Toolbox::unknown_tool(std::string_view id) const {
  std::vector<std::string> names;
  for (const auto& [name, tool] : tools_) names.push_back(name);
  std::string text = "there is no tool \"" + escaped(id) + "\"";
  if (const std::string_view close = nearest(id, names); !close.empty()) {
    text += "; did you mean " + std::string(close) + "?";
  }
  return text + (names.empty() ? " (the plugin has none)" : " (there are: " + joined(names) + ')');
}

TextOutcome Toolbox::call_text(std::string_view id, std::string_view arguments, Stop& stop, const OutputSink& output) {
  nlohmann::json envelope;
  return run(id, arguments, stop, output, envelope);
}

TextOutcome Toolbox::run(std::string_view id, std::string_view arguments, Stop& stop, const OutputSink& output,
                         nlohmann::json& envelope) {
  TextOutcome outcome;
  const auto found = tools_.find(id);
  if (found == tools_.end()) {
    outcome.error = unknown_tool(id);
    return outcome;
  }
  SinkState sink{output, nullptr};
  const std::string call_id = "call-" + std::to_string(++calls_);
  wtool_request request = make_request(arguments);
  request.call_id = view(call_id);
  if (output) {
    request.sink_ctx = &sink;
    request.on_event = on_event;
  }
  Call call(*found->second, request);
  if (call.status() != WTOOL_OK) {
    outcome.error = "the call of " + found->first + " could not be made: " + why(call.status(), call.error());
    return outcome;
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
    outcome.error = "the call of " + found->first + " could not be made: " + why(status, call.error());
    return outcome;
  }
  envelope = nlohmann::json::parse(call.result(), nullptr, false);
  if (const std::string problem = check_envelope(envelope, outcome.is_error); !problem.empty()) {
    outcome.error = "the tool " + found->first + " answered with " + problem + "; this is a defect of the plugin";
    return outcome;
  }
  outcome.kind = status == WTOOL_OK ? ToolOutcome::Kind::finished : ToolOutcome::Kind::cancelled;
  outcome.result = call.result();
  return outcome;
}

ToolOutcome Toolbox::call(std::string_view id, const nlohmann::json& arguments, Stop& stop, const OutputSink& output) {
  ToolOutcome outcome;
  std::string text;
  try {
    text = arguments.dump();
  } catch (const nlohmann::json::type_error& e) {
    outcome.error = "the arguments for " + escaped(id) + " are not valid UTF-8: " + escaped(e.what());
    return outcome;
  }
  TextOutcome answer = run(id, text, stop, output, outcome.result);
  outcome.kind = answer.kind;
  outcome.error = std::move(answer.error);
  return outcome;
}

}  // namespace wtool::host
