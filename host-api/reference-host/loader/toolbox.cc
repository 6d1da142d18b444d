#include "loader/toolbox.h"

#include <algorithm>
#include <exception>
#include <utility>
#include <wtool/cpp/host.hpp>

#include "base/edit_distance.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/json_text.h"
#include "loader/stdin_parameter.h"
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

// "REASON (STATUS)", or only one of the two.
std::string why(wtool_status status, std::string_view reason) {
  return reason.empty() ? status_text(status) : escaped(reason) + " (" + status_text(status) + ')';
}

bool is_complete(const wtool_tool* tool) {
  return tool != nullptr && WTOOL_HAS(tool, destroy) && tool->call_new != nullptr && tool->call_run != nullptr &&
         tool->call_cancel != nullptr && tool->call_free != nullptr && tool->destroy != nullptr;
}

struct SinkState {
  const ToolCaller::OutputSink& output;
  const ToolCaller::StateSink& state;
  std::exception_ptr thrown;
};

std::string no_limits(std::string_view id) {
  return "the tool " + escaped(id) + " does not support limits of a call; call it without sandbox, network, " +
         "memory, cpu and processes";
}

// A member that is not a text counts as missing.
CallState state_in(std::string_view payload) {
  const nlohmann::json told = parse_json(payload);
  const auto text_at = [&](const char* key) {
    return told.is_object() && told.contains(key) && told[key].is_string() ? told[key].get<std::string>()
                                                                           : std::string();
  };
  CallState state{text_at("state"), text_at("node"), text_at("job"), text_at("reason")};
  if (told.is_object() && told.contains("pid") && told["pid"].is_number_integer()) state.pid = told["pid"];
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

// Empty: it is an envelope, and `is_error` is set.
std::string check_envelope(const nlohmann::json& envelope, bool& is_error) {
  if (envelope.is_discarded()) return "a result that is not JSON";
  if (!envelope.is_object()) return "a result that is not a JSON object";
  const auto found = envelope.find("is_error");
  if (found == envelope.end() || !found->is_boolean()) return "a result without \"is_error\"";
  is_error = found->get<bool>();
  return {};
}

// The answer to a call while the configuration cannot be used.
nlohmann::json refusal(const std::string& reason) {
  const std::string message = "The configuration is not valid, so nothing is run: " + reason;
  return {
      {"content", {{{"type", "text"}, {"text", message}}}},
      {"is_error", true},
      {"metadata",
       {{"error",
         {{"code", "configuration_invalid"},
          {"message", message},
          {"hint", "Fix the file; the next call reads it again. `wtool config show` says what is wrong with it."}}}}}};
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
  return limits.empty() || holds ? std::string() : no_limits(id);
}

}  // namespace

// The right to use the tools, for the time that a call needs them.
class Toolbox::Use {
 public:
  Use(Toolbox& toolbox, Stop& stop, const CallPlace& place = {}, std::string_view id = {}, bool lasting = false)
      : toolbox_(toolbox), variant_(toolbox.normal(place), id), lasting_(lasting) {
    std::atomic<bool> stopped{false};
    const Stop::Subscription listening = stop.subscribe([&](const StopRequest&) {
      // Under the lock, so that nobody checks before this and begins to wait after it.
      const std::lock_guard lock(toolbox_.mutex_);
      stopped.store(true);
      toolbox_.changed_.notify_all();
    });
    std::unique_lock lock(toolbox_.mutex_);
    toolbox_.look_for_change();
    while (true) {
      if (!toolbox_.config_error_.empty()) {
        invalid_ = true;
        error_ = toolbox_.config_error_;
        return;
      }
      if (toolbox_.made_with_ == toolbox_.wanted_ && toolbox_.is_ready(variant_)) {
        // Expected tools are made now; if they were made later, their first call might have to wait for this call.
        if (toolbox_.running_ == 0) toolbox_.make_variants();
        granted_ = true;
        ++toolbox_.running_;
        if (lasting_) ++toolbox_.lasting_;
        return;
      }
      if (!is_plain()) toolbox_.variants_.try_emplace(variant_);
      if (toolbox_.running_ == 0) {
        if (toolbox_.made_with_ != toolbox_.wanted_) {
          toolbox_.make_tools();
        } else {
          toolbox_.make_variants();
        }
      } else if (stopped.load()) {
        const bool changed = toolbox_.made_with_ != toolbox_.wanted_;
        error_ = std::string(changed ? "the configuration has changed"
                                     : "a tool with another shell or for another place had to be made") +
                 ", and the call was stopped while it waited for others to end";
        return;
      } else if (toolbox_.running_ == toolbox_.lasting_) {
        const bool changed = toolbox_.made_with_ != toolbox_.wanted_;
        error_ = std::string(changed ? "the configuration has changed, and takes effect only"
                                     : "a tool with another shell or for another place can be made only") +
                 " while no service runs; end the run, and resume it";
        return;
      } else {
        toolbox_.changed_.wait(lock);
        toolbox_.look_for_change();
      }
    }
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  ~Use() {
    if (!granted_) return;
    const std::lock_guard lock(toolbox_.mutex_);
    if (lasting_) --toolbox_.lasting_;
    if (--toolbox_.running_ == toolbox_.lasting_) toolbox_.changed_.notify_all();
  }

  // nullptr where the tool cannot be used; error() says why.
  const wtool_tool* tool(std::string_view id) const {
    if (!granted_) return nullptr;
    return is_plain() ? toolbox_.tools_.find(id)->second : toolbox_.variants_.find(variant_)->second.tool;
  }
  const std::string& error() const {
    return granted_ && !is_plain() ? toolbox_.variants_.find(variant_)->second.error : error_;
  }
  // Whether the configuration is the reason.
  bool configuration_is_invalid() const { return invalid_; }

 private:
  bool is_plain() const { return variant_.first == CallPlace(); }

  Toolbox& toolbox_;
  const Which variant_;
  const bool lasting_;
  bool granted_ = false;
  bool invalid_ = false;
  std::string error_;
};

namespace {

// Loads the configuration, and adds to it the names of its files and the settings for what this host offers.
std::optional<std::string> load_whole(ConfigSource& source, const Plugin& plugin, std::string& error) {
  std::optional<std::string> config = source.load(error);
  const std::vector<std::string> paths = source.paths_in_force();
  const auto& tools = plugin.tools();
  const bool takes_stdin =
      std::any_of(tools.begin(), tools.end(), [](const ToolDescription& tool) { return tool.id == stdin_tool; });
  if (!config || (paths.empty() && !takes_stdin)) return config;
  try {
    nlohmann::json all = parse_json_or_throw(*config);
    if (!paths.empty()) all["in_force"]["configuration"] = paths;
    if (takes_stdin) all["shell"]["stdin"] = true;
    return all.dump();
  } catch (const nlohmann::json::exception&) {
    error = "the path of a configuration file is not valid UTF-8, so no plugin can be told to keep it";
    return std::nullopt;
  }
}

}  // namespace

Toolbox::Toolbox(Plugin& plugin) : plugin_(plugin), own_place_(plugin.is_cluster() ? "cluster" : "local") {}

std::unique_ptr<Toolbox> Toolbox::open(Plugin& plugin, const std::string& config, std::string& error) {
  if (!plugin.start(error)) return nullptr;
  std::unique_ptr<Toolbox> toolbox(new Toolbox(plugin));
  toolbox->wanted_ = config;
  toolbox->make_tools();
  if (toolbox->config_error_.empty()) return toolbox;
  error = toolbox->config_error_;
  return nullptr;
}

std::unique_ptr<Toolbox> Toolbox::open(Plugin& plugin, ConfigSource& source, std::string& error) {
  const std::optional<std::string> config = load_whole(source, plugin, error);
  if (!config) return nullptr;
  std::unique_ptr<Toolbox> toolbox = open(plugin, *config, error);
  if (toolbox) toolbox->source_ = &source;
  return toolbox;
}

Toolbox::~Toolbox() { end_tools(tools_, variants_); }

void Toolbox::end_tools(Tools& tools, Variants& variants) {
  for (const auto& [id, tool] : tools) tool->destroy(tool);
  tools.clear();
  for (auto& [which, variant] : variants) {
    if (variant.tool != nullptr) variant.tool->destroy(variant.tool);
    variant = {};
  }
}

void Toolbox::set_other(OtherPlugin open) {
  const std::lock_guard lock(mutex_);
  open_other_ = std::move(open);
}

// The plugin for that place. nullptr: `error` says why it is missing.
Plugin* Toolbox::plugin_at(std::string_view on, std::string& error) {
  if (on.empty() || on == own_place_) return &plugin_;
  if (open_other_) return open_other_(error);
  error = "calls cannot be placed on \"" + escaped(on) + "\" here";
  return nullptr;
}

CallPlace Toolbox::normal(CallPlace place) const {
  place = place.where();
  if (place.on == own_place_) place.on.clear();
  if ((place.on.empty() ? own_place_ : place.on) != "cluster") place.slot.clear();
  return place;
}

std::string Toolbox::place_problem(const CallPlace& wanted, std::string_view id) {
  const std::lock_guard lock(mutex_);
  const CallPlace place = normal(wanted);
  std::string error;
  const Plugin* plugin = plugin_at(place.on, error);
  if (plugin == nullptr) return error;
  const auto& tools = plugin->tools();
  const auto found = std::find_if(tools.begin(), tools.end(), [&](const auto& tool) { return tool.id == id; });
  if (!wanted.limits.empty() && found != tools.end() && (found->hints & WTOOL_HINT_LIMITS) == 0) return no_limits(id);
  if (found == tools.end()) {
    return "the tool " + escaped(id) + " cannot be called there: " + plugin->path() + " has no such tool";
  }
  if (place.slot.empty()) return {};
  const nlohmann::json all = parse_json(wanted_);
  const nlohmann::json::json_pointer classes("/cluster/classes");
  std::vector<std::string> names;
  if (all.is_object() && all.contains(classes)) {
    for (const auto& [name, keys] : all[classes].items()) names.push_back(name);
  }
  if (std::find(names.begin(), names.end(), place.slot) != names.end()) return {};
  const std::string_view close = nearest(place.slot, names);
  return "the configuration has no cluster.classes." + escaped(place.slot) +
         (close.empty() ? "" : "; did you mean " + std::string(close) + "?");
}

void Toolbox::name_jobs(const std::string& name) {
  const std::lock_guard lock(mutex_);
  job_name_ = name;
  made_with_.reset();  // The next call makes the tools with it.
}

// Only the cluster plugin takes the section `cluster`; others would report it as a mistake.
std::string Toolbox::config_for(const Plugin& plugin, const std::string& config, const std::string& slot) const {
  nlohmann::json all = parse_json(config);
  if (!all.is_object()) return config;
  if (!plugin.is_cluster() && all.erase("cluster") == 0) return config;
  if (plugin.is_cluster() && !job_name_.empty()) all["cluster"]["job_name"] = job_name_;
  if (plugin.is_cluster() && !slot.empty()) all["cluster"]["slot"] = slot;
  return all.dump();
}

const wtool_tool* Toolbox::make_tool(const Plugin& plugin, const std::string& id, const std::string& config,
                                     std::string& error) {
  const Plugin* owner = plugin.owner_of(id);
  if (owner == nullptr) return error = "there is no tool " + id, nullptr;
  // A plugin that has joined gets no configuration.
  const std::string_view for_it = owner == &plugin ? std::string_view(config) : std::string_view("{}");
  const wtool_tool* tool = nullptr;
  Blob reason;
  const wtool_status status = owner->entry().tool_new(view(id), view(for_it), &tool, reason.out());
  if (status != WTOOL_OK) {
    error = "the tool " + id + " cannot be made: " + why(status, reason.text());
    return nullptr;
  }
  if (is_complete(tool)) return tool;
  error = "the tool " + id + " of " + escaped(owner->path()) + " lacks functions of version 1.0";
  return nullptr;
}

// Makes tools_ again with wanted_, while no call runs.
void Toolbox::make_tools() {
  config_error_.clear();
  Tools made;
  const std::string config = config_for(plugin_, wanted_);
  for (const ToolDescription& description : plugin_.tools()) {
    const wtool_tool* tool = make_tool(plugin_, description.id, config, config_error_);
    if (tool == nullptr) break;
    made.emplace(description.id, tool);
  }
  Tools earlier;
  tools_.swap(earlier);
  tools_.swap(made);
  Variants earlier_variants = variants_;
  for (auto& [which, variant] : variants_) variant = {};
  made_with_.reset();
  if (config_error_.empty()) {
    made_with_ = wanted_;
    make_variants();
  }
  // The earlier tools end once the new ones exist, so that what both share lives on.
  end_tools(earlier, earlier_variants);
}

// Makes the variants that are missing, while no call runs.
void Toolbox::make_variants() {
  for (auto& [which, variant] : variants_) {
    if (variant.tool == nullptr && variant.error.empty()) make_variant(which, variant);
  }
}

void Toolbox::make_variant(const Which& which, Variant& variant) {
  const auto& [place, id] = which;
  std::optional<std::string> config = wanted_;
  if (!place.shell.empty()) {
    config.reset();
    variant.error = "no shell can be chosen here";
    if (source_ != nullptr) {
      variant.error.clear();
      config = source_->with_shell(wanted_, place.shell, variant.error);
    }
  }
  if (!config) return;
  Plugin* plugin = plugin_at(place.on, variant.error);
  if (plugin == nullptr || !plugin->start(variant.error)) return;
  variant.tool = make_tool(*plugin, id, config_for(*plugin, *config, place.slot), variant.error);
}

bool Toolbox::is_ready(const Which& variant) const {
  if (variant.first == CallPlace()) return true;
  const auto found = variants_.find(variant);
  return found != variants_.end() && (found->second.tool != nullptr || !found->second.error.empty());
}

void Toolbox::expect(CallPlace place, std::string_view id) {
  place = normal(std::move(place));
  if (place == CallPlace()) return;
  const std::lock_guard lock(mutex_);
  variants_.try_emplace({std::move(place), std::string(id)});
}

std::string Toolbox::make_expected() {
  const std::lock_guard lock(mutex_);
  if (running_ > 0 || made_with_ != wanted_) return {};
  make_variants();
  for (const auto& [which, variant] : variants_) {
    const bool elsewhere = !which.first.on.empty() || !which.first.slot.empty();
    if (elsewhere && variant.tool == nullptr) return variant.error;
  }
  return {};
}

void Toolbox::look_for_change() {
  if (source_ == nullptr || !source_->changed()) return;
  std::string error;
  const std::optional<std::string> config = load_whole(*source_, plugin_, error);
  if (!config) {
    config_error_ = error;
  } else if (*config != wanted_ || !config_error_.empty()) {
    config_error_.clear();
    wanted_ = *config;
  } else {
    return;
  }
  plugin_.tracing().log(LogLevel::info, "wtool::loader",
                        config ? "the configuration has changed" : "the configuration can no longer be used");
}

bool Toolbox::has_tool(std::string_view id) const {
  const std::vector<ToolDescription>& all = plugin_.tools();
  return std::any_of(all.begin(), all.end(), [&](const ToolDescription& tool) { return tool.id == id; });
}

std::string Toolbox::unknown_tool(std::string_view id) const {
  std::vector<std::string> names;
  for (const ToolDescription& tool : plugin_.tools()) names.push_back(tool.id);
  std::string text = "there is no tool \"" + escaped(id) + "\"";
  if (const std::string_view close = nearest(id, names); !close.empty()) {
    text += "; did you mean " + std::string(close) + "?";
  }
  return text + (names.empty() ? " (the plugin has none)" : " (there are: " + joined(names) + ')');
}

std::string Toolbox::input_schema(std::string_view id) const {
  for (const ToolDescription& tool : plugin_.tools()) {
    if (tool.id != id) continue;
    if (id != stdin_tool || source_ == nullptr) return tool.input_schema;
    nlohmann::ordered_json schema = parse_ordered_json_or_throw(tool.input_schema);
    add_stdin(schema);
    return schema.dump();
  }
  return {};
}

TextOutcome Toolbox::call_text(std::string_view id, std::string_view arguments, Stop& stop, const OutputSink& output,
                               const CallPlace& place, const StateSink& state) {
  nlohmann::json envelope;
  return run(false, place, id, arguments, stop, output, state, envelope);
}

nlohmann::ordered_json Toolbox::explain(std::string_view id, std::string_view arguments, Stop& stop, std::string& error,
                                        const CallPlace& place) {
  if (!has_tool(id)) {
    error = unknown_tool(id);
    return nullptr;
  }
  const Use use(*this, stop, place, id);
  const wtool_tool* tool = use.tool(id);
  if (tool == nullptr) {
    error = use.error();
    return nullptr;
  }
  const std::string name(id);
  const wtool_tool_explain* extension = explain_of(*tool);
  if (extension == nullptr) {
    error = "the tool " + name + " does not tell what a call would do: it has no extension " + WTOOL_EXT_EXPLAIN;
    return nullptr;
  }
  if (error = limits_problem(*tool, id, place.limits); !error.empty()) return nullptr;
  wtool_request request = make_request(arguments);
  request.limits = view(place.limits);
  Blob result, reason;
  const wtool_status status = extension->explain(tool, &request, result.out(), reason.out());
  if (status != WTOOL_OK) {
    error = "the call of " + name + " could not be explained: " + why(status, reason.text());
    return nullptr;
  }
  nlohmann::ordered_json explained = parse_ordered_json(result.text());
  if (!explained.is_object() || !explained.contains("verdict") || !explained["verdict"].is_string()) {
    error = "the tool " + name +
            " explained a call with something other than a JSON object with a \"verdict\"; this is " +
            "a defect of the plugin";
    return nullptr;
  }
  return explained;
}

TextOutcome Toolbox::run(bool lasting, const CallPlace& place, std::string_view id, std::string_view arguments,
                         Stop& stop, const OutputSink& output, const StateSink& state, nlohmann::json& envelope) {
  TextOutcome outcome;
  if (!has_tool(id)) {
    outcome.error = unknown_tool(id);
    return outcome;
  }
  const Use use(*this, stop, place, id, lasting);
  const wtool_tool* tool = use.tool(id);
  if (tool == nullptr && use.configuration_is_invalid()) {
    envelope = refusal(use.error());
    outcome.kind = ToolOutcome::Kind::finished;
    outcome.is_error = true;
    outcome.result = envelope.dump();
    return outcome;
  }
  if (tool == nullptr) {
    outcome.error = use.error();
    return outcome;
  }
  if (outcome.error = limits_problem(*tool, id, place.limits); !outcome.error.empty()) return outcome;
  const std::string name(id);
  const OpenSpan span(plugin_.tracing(), place.span);
  SinkState sink{output, state, nullptr};
  const std::string call_id = "call-" + std::to_string(++calls_);
  wtool_request request = make_request(arguments);
  request.call_id = view(call_id);
  request.limits = view(place.limits);
  request.traceparent = view(place.traceparent);
  request.parent_span = span.number();
  if (output || state) {
    request.sink_ctx = &sink;
    request.on_event = on_event;
  }
  Call call(*tool, request);
  if (call.status() != WTOOL_OK) {
    outcome.error = "the call of " + name + " could not be made: " + why(call.status(), call.error());
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
    outcome.error = "the call of " + name + " could not be made: " + why(status, call.error());
    return outcome;
  }
  envelope = parse_json(call.result());
  if (const std::string problem = check_envelope(envelope, outcome.is_error); !problem.empty()) {
    outcome.error = "the tool " + name + " answered with " + problem + "; this is a defect of the plugin";
    return outcome;
  }
  outcome.kind = status == WTOOL_OK ? ToolOutcome::Kind::finished : ToolOutcome::Kind::cancelled;
  outcome.result = call.result();
  return outcome;
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
  } catch (const nlohmann::json::type_error& e) {
    outcome.error = "the arguments for " + escaped(id) + " are not valid UTF-8: " + escaped(e.what());
    return outcome;
  }
  TextOutcome answer = run(lasting, place, id, text, stop, output, state, outcome.result);
  outcome.kind = answer.kind;
  outcome.error = std::move(answer.error);
  return outcome;
}

}  // namespace wtool::host
