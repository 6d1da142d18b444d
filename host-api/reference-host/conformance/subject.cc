#include "conformance/subject.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "base/escape.h"
#include "base/json_reader.h"
#include "base/utf8.h"

namespace wtool::host::conformance {

namespace {

using nlohmann::json;

constexpr std::size_t shown_bytes = 100;
constexpr std::size_t max_events = 10'000;  // how many events of one call are kept

bool is_whole(const wtool_tool* tool) {
  return WTOOL_HAS(tool, destroy) && tool->call_new != nullptr && tool->call_run != nullptr &&
         tool->call_cancel != nullptr && tool->call_free != nullptr && tool->get_extension != nullptr &&
         tool->destroy != nullptr;
}

// The sink of every call. It is never freed: an event that comes too late must find it. Once `over` is set, `plan` and
// `outcome` are gone.
struct Sink {
  Trial& trial;
  const CallPlan& plan;
  CallOutcome& outcome;
  wtool_call* call = nullptr;
  std::size_t seen = 0;  // events so far; `outcome` keeps only the first max_events
  std::atomic<bool> over{false};
};

int32_t on_event(void* context, const wtool_event* event) noexcept {
  Sink& sink = *static_cast<Sink*>(context);
  if (sink.over) {
    sink.trial.report.finding("event-late", "an event came after call_run had returned");
    return 0;
  }
  if (event == nullptr || !WTOOL_HAS(event, payload)) {
    sink.trial.report.finding("event-order", event == nullptr
                                                 ? "an event was NULL"
                                                 : "an event's struct_size is " + std::to_string(event->struct_size) +
                                                       ", not " + std::to_string(sizeof(wtool_event)));
    return 0;
  }
  if (is_hollow(event->payload)) {
    sink.trial.report.finding("event-order",
                              "an event's payload has " + std::to_string(event->payload.size) + " bytes, but no data");
  }
  if (sink.outcome.events.size() < max_events) sink.outcome.events.push_back({event->seq, ::gettid()});
  ++sink.seen;
  return sink.plan.on_event ? sink.plan.on_event(sink.call, sink.seen) : 0;
}

}  // namespace

std::string status_name(wtool_status status) {
  switch (status) {
    case WTOOL_OK:
      return "WTOOL_OK";
    case WTOOL_E_INVALID_ARGUMENT:
      return "WTOOL_E_INVALID_ARGUMENT";
    case WTOOL_E_UNSUPPORTED:
      return "WTOOL_E_UNSUPPORTED";
    case WTOOL_E_CANCELLED:
      return "WTOOL_E_CANCELLED";
    case WTOOL_E_BUSY:
      return "WTOOL_E_BUSY";
    case WTOOL_E_RESOURCE:
      return "WTOOL_E_RESOURCE";
    case WTOOL_E_INTERNAL:
      return "WTOOL_E_INTERNAL";
    default:
      return "the status " + std::to_string(status);
  }
}

std::string in_quotes(std::string_view text) {
  const bool cut = text.size() > shown_bytes;
  return '"' + escaped(cut ? text.substr(0, valid_utf8_prefix(text.substr(0, shown_bytes))) : text) +
         (cut ? "...\"" : "\"");
}

bool is_hollow(wtool_view v) { return v.data == nullptr && v.size != 0; }

std::string read_error(Reporter& report, wtool_blob& error, std::string_view of) {
  if (error.release == nullptr) {
    if (error.bytes.size != 0) {
      report.finding("error", "the error of " + std::string(of) + " has " + std::to_string(error.bytes.size) +
                                  " bytes and no release");
    }
    return {};
  }
  if (is_hollow(error.bytes) || error.bytes.size == 0) {
    report.finding("error", "the error of " + std::string(of) + " has a release but no bytes");
  }
  std::string sentence(text(error.bytes));
  if (!is_utf8(sentence)) {
    report.finding("error", "the error of " + std::string(of) + " is not UTF-8: " + in_quotes(sentence));
  }
  error.release(&error);
  if (error.release != nullptr) {
    report.finding("blob", "the error of " + std::string(of) + " was released, but its release is not NULL");
  }
  error = wtool_blob{};
  error.struct_size = sizeof error;
  return sentence;
}

TestBlob::TestBlob() {
  std::memset(static_cast<void*>(&blob_), 0, sizeof blob_);
  blob_.struct_size = sizeof blob_;
  before_ = blob_;
}

TestBlob::~TestBlob() { release(); }

bool TestBlob::untouched() const { return std::memcmp(&blob_, &before_, sizeof blob_) == 0; }

bool TestBlob::release() {
  if (blob_.release == nullptr) return true;
  blob_.release(&blob_);
  const bool set = blob_.release == nullptr;
  blob_ = before_;
  return set;
}

PluginLibrary::PluginLibrary(Trial& trial) {
  trial.report.step("loads", "in dlopen");
  handle_ = ::dlopen(trial.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ != nullptr) entry_ = static_cast<const wtool_entry*>(::dlsym(handle_, WTOOL_ENTRY_SYMBOL));
}

wtool_host plain_host() {
  wtool_host host{};
  host.struct_size = sizeof host;
  host.abi_minor = WTOOL_ABI_MINOR;
  host.name = view("wtool check");
  host.version = view("1.0.0");
  host.get_extension = [](const wtool_host*, const char*) noexcept -> const void* { return nullptr; };
  return host;
}

Started::Started(Trial& trial) : PluginLibrary(trial), trial_(trial) {
  TestBlob error;
  trial.report.step("init", "in init");
  const wtool_status status = entry()->init(&host_, error.out());
  good_ = status == WTOOL_OK;
  const std::string why = read_error(trial.report, *error.out(), "init");
  if (!good_) trial.report.finding("init", "init returned " + status_name(status) + ' ' + in_quotes(why));
}

void Started::end() {
  if (!good_) return;
  trial_.report.step("deinit", "in deinit");
  entry()->deinit();
  good_ = false;
}

MadeTool::MadeTool(Trial& trial, const PluginLibrary& library, const std::string& id) : trial_(trial) {
  TestBlob error;
  trial.report.step("tool-new", "in tool_new of " + id);
  const wtool_tool* tool = nullptr;
  const wtool_status status = library.entry()->tool_new(view(id), view(trial.configuration), &tool, error.out());
  const std::string why = read_error(trial.report, *error.out(), "tool_new");
  if (status != WTOOL_OK || tool == nullptr) {
    trial.report.finding("tool-new", "tool_new of " + id + " returned " + status_name(status) +
                                         (status == WTOOL_OK ? " and gives no tool" : ' ' + in_quotes(why)));
  } else if (!is_whole(tool)) {
    trial.report.finding("tool-new", "the tool " + id + " with struct_size " + std::to_string(tool->struct_size) +
                                         " lacks functions of version 1.0");
  } else if (tool->descriptor == nullptr || text(tool->descriptor->id) != id) {
    trial.report.finding("tool-new", "the tool " + id + " has the descriptor of another tool, or no descriptor");
  } else {
    tool_ = tool;
  }
}

void MadeTool::end() {
  if (tool_ == nullptr) return;
  trial_.report.step("destroy", "in destroy");
  tool_->destroy(tool_);
  tool_ = nullptr;
}

CallOutcome call(Trial& trial, const wtool_tool& tool, const CallPlan& plan) {
  CallOutcome outcome;
  outcome.thread = ::gettid();
  // Without a sink, nothing is allocated for the call, so that memory can be measured over many calls.
  Sink* sink = plan.sink ? new Sink{trial, plan, outcome} : nullptr;
  wtool_request request = make_request(plan.arguments);
  request.call_id = view("check-1");
  if (plan.sink) {
    request.sink_ctx = sink;
    request.on_event = on_event;
  }
  const auto step = [&](const char* where) {
    if (!plan.quiet) trial.report.step(plan.rule, "in " + std::string(where) + " of " + std::string(plan.doing));
  };
  TestBlob error;
  wtool_call* made = nullptr;
  step("call_new");
  outcome.made = tool.call_new(&tool, &request, &made, error.out());
  if (outcome.made != WTOOL_OK || made == nullptr) {
    outcome.error = read_error(trial.report, *error.out(), "call_new");
    if (outcome.made == WTOOL_OK) trial.report.finding("call-run", "call_new returned WTOOL_OK, but made no call");
    if (outcome.made == WTOOL_OK) outcome.made = WTOOL_E_INTERNAL;
    outcome.ran = outcome.made;
    return outcome;
  }
  if (sink != nullptr) sink->call = made;
  if (plan.before_run) plan.before_run(made);
  TestBlob result;
  step("call_run");
  outcome.ran = tool.call_run(made, result.out(), error.out());
  if (sink != nullptr) sink->over = true;
  outcome.error = read_error(trial.report, *error.out(), "call_run");
  outcome.filled = result.filled();
  if (result.filled() && is_hollow(result.out()->bytes)) {
    trial.report.finding("blob", "a result has " + std::to_string(result.out()->bytes.size) + " bytes, but no data");
  } else if (!result.filled() && result.out()->bytes.size != 0) {
    trial.report.finding("blob", "a result has bytes, but no release");
  } else {
    outcome.result = result.text();
  }
  if (result.out()->struct_size != sizeof(wtool_blob) || result.out()->reserved != 0) {
    trial.report.finding("blob", "a result's struct_size or reserved was changed");
  }
  if (plan.after_run) plan.after_run(made);
  step("call_free");
  tool.call_free(made);
  if (result.filled() && result.text() != outcome.result) {
    trial.report.finding("result-lives", "a result changed when its call was freed: " + in_quotes(result.text()));
  }
  step("the release of the result");
  if (!result.release()) trial.report.finding("blob", "a result was released, but its release is not NULL");
  return outcome;
}

std::string envelope_mistake(const std::string& result, json& envelope) {
  if (!is_utf8(result)) return "the result is not UTF-8: " + in_quotes(result);
  envelope = parse_json(result);
  if (!envelope.is_object()) return "the result is not a JSON object: " + in_quotes(result);
  const auto has = [&](const char* key, auto&& is) {
    const auto found = envelope.find(key);
    return found != envelope.end() && is(*found);
  };
  if (!has("content", [](const json& v) { return v.is_array(); })) return "the result has no array \"content\"";
  if (!has("is_error", [](const json& v) { return v.is_boolean(); })) return "the result has no boolean \"is_error\"";
  if (!has("metadata", [](const json& v) { return v.is_object(); })) return "the result has no object \"metadata\"";
  return {};
}

}  // namespace wtool::host::conformance
