// Tests of calls of one tool.
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <thread>

#include "base/json_reader.h"
#include "base/json_schema.h"
#include "conformance/guarded.h"
#include "conformance/tests.h"

namespace wtool::host::conformance {

namespace {

using nlohmann::json;

constexpr std::chrono::milliseconds late_events{50};  // how long to wait for an event that comes too late
constexpr std::size_t promised_stack = 128 << 10;
constexpr std::size_t own_stack = 64 << 10;  // what this host's sink and the thread itself need of the stack
constexpr int threads_at_once = 4;
constexpr int calls_per_thread = 6;

// The plugin and one of its tools, for the length of a test.
class Ready {
 public:
  explicit Ready(Trial& trial) : trial_(trial), plugin_(trial) {
    if (plugin_.good()) tool_.emplace(trial, plugin_, trial.tool.id);
  }
  explicit operator bool() const { return tool_ && tool_->good(); }
  const wtool_tool& tool() const { return **tool_; }
  const wtool_entry& entry() const { return *plugin_.entry(); }
  void end() {
    if (tool_) tool_->end();
    plugin_.end();
  }
  Trial& trial() { return trial_; }

 private:
  Trial& trial_;
  Started plugin_;
  std::optional<MadeTool> tool_;
};

// The envelope of the result that a call must have; null after a finding.
json result_of(Trial& trial, const CallOutcome& outcome, const std::string& doing) {
  json envelope;
  if (!outcome.filled) {
    trial.report.finding("result", doing + " says " + status_name(outcome.ran) + " and has no result");
    return {};
  }
  if (const std::string mistake = envelope_mistake(outcome.result, envelope); !mistake.empty()) {
    trial.report.finding("result", "of " + doing + ", " + mistake);
    return {};
  }
  return envelope;
}

// Makes a call that must end with WTOOL_OK and a result. Returns the envelope; null after a finding.
json good_result(Trial& trial, const wtool_tool& tool, const CallPlan& plan) {
  const CallOutcome outcome = call(trial, tool, plan);
  const std::string doing(plan.doing);
  if (outcome.ran != WTOOL_OK) {
    trial.report.finding(plan.rule, doing + " says " + status_name(outcome.ran) + ' ' + in_quotes(outcome.error));
    return {};
  }
  return result_of(trial, outcome, doing);
}

// Checks a call that was stopped: it must have completed or report the cancellation.
void check_stopped(Trial& trial, const CallOutcome& outcome, const char* rule, const std::string& doing) {
  if (outcome.ran != WTOOL_OK && outcome.ran != WTOOL_E_CANCELLED) {
    trial.report.finding(rule, doing + " says " + status_name(outcome.ran) + ' ' + in_quotes(outcome.error));
  } else {
    result_of(trial, outcome, doing);
  }
}

void must_be_invalid(Trial& trial, wtool_status status, const char* rule, const std::string& doing) {
  if (status == WTOOL_E_INVALID_ARGUMENT) return;
  trial.report.finding(rule, doing + " says " + status_name(status) + ", not WTOOL_E_INVALID_ARGUMENT");
}

// A call for tests that speak the interface themselves; NULL after a finding.
wtool_call* new_call(Trial& trial, const wtool_tool& tool, const wtool_request& request, const char* rule,
                     const std::string& doing) {
  wtool_call* made = nullptr;
  trial.report.step(rule, "in call_new of " + doing);
  TestBlob error;
  const wtool_status status = tool.call_new(&tool, &request, &made, error.out());
  if (status == WTOOL_OK && made != nullptr) return made;
  trial.report.finding(rule, "call_new of " + doing + " says " + status_name(status));
  return nullptr;
}

json of_another_type(const json& schema) {
  for (const json& value :
       {json::object({{"wrong", true}}), json(17.5), json("wrong"), json::array({1}), json(nullptr)}) {
    if (!instance_mistake(value, schema).empty()) return value;
  }
  return json::value_t::discarded;
}

// Arguments that the schema excludes, each with what is wrong with it.
std::vector<std::pair<std::string, std::string>> wrong_arguments(const ToolFacts& tool) {
  std::vector<std::pair<std::string, std::string>> all{
      {"nonsense", "no JSON"},
      {"{", "half an object"},
      {"[]", "a list"},
      {"5", "a number"},
      {"null", "null"},
      {tool.arguments + " x", "an object and more"},
      {tool.arguments + std::string("\0{}", 3), "an object, NUL, and more"},
      {"{\"a\xff\": \"\xc3\x28\"}", "text that is not UTF-8"},
  };
  const json valid = parse_json(tool.arguments);
  const auto add = [&](const json& value, const std::string& what) {
    if (!instance_mistake(value, tool.input_schema).empty()) all.emplace_back(dumped(value), what);
  };
  const json properties = tool.input_schema.value("properties", json::object());
  for (const auto& [name, schema] : properties.items()) {
    json wrong = valid;
    wrong[name] = of_another_type(schema);
    if (!wrong[name].is_discarded()) add(wrong, "a \"" + name + "\" of a wrong type");
  }
  for (const json& name : tool.input_schema.value("required", json::array())) {
    json less = valid;
    less.erase(name.get<std::string>());
    add(less, "no \"" + name.get<std::string>() + '"');
  }
  json more = valid;
  more["no_such_parameter_is_there"] = 1;
  add(more, "a parameter that is not there");
  return all;
}

}  // namespace

void test_call(Trial& trial) {
  Ready ready(trial);
  if (!ready) return;
  const json envelope = good_result(trial, ready.tool(), {.arguments = trial.tool.arguments});
  if (envelope.is_object()) {
    trial.report.fact("works", true);
    if (trial.tool.output_schema.is_null()) {
      trial.report.skip("it has no output schema to judge results by");
    } else if (envelope["is_error"] == false) {
      const std::string mistake = instance_mistake(envelope["metadata"], trial.tool.output_schema);
      if (!mistake.empty()) trial.report.finding("result-schema", "in metadata, " + mistake);
    } else {
      trial.report.skip("the call ends in an error, so the output schema does not judge it: " +
                        in_quotes(dumped(envelope["content"])));
    }
  }
  ready.end();
}

void test_events(Trial& trial) {
  Ready ready(trial);
  if (!ready) return;
  const CallOutcome outcome = call(trial, ready.tool(), {.arguments = trial.tool.arguments, .rule = "event-order"});
  std::uint64_t expected = 0;
  for (const SeenEvent& event : outcome.events) {
    if (event.seq != ++expected) {
      trial.report.finding("event-order",
                           "event number " + std::to_string(expected) + " has the seq " + std::to_string(event.seq));
      break;
    }
  }
  for (const SeenEvent& event : outcome.events) {
    if (event.thread != outcome.thread) {
      trial.report.finding("event-thread", "an event came on thread " + std::to_string(event.thread) +
                                               ", and call_run is on " + std::to_string(outcome.thread));
      break;
    }
  }
  trial.report.step("event-late", "after a call");
  std::this_thread::sleep_for(late_events);
  ready.end();
  if (outcome.events.empty()) trial.report.skip("the call has no events");
}

void test_refusing_sink(Trial& trial) {
  Ready ready(trial);
  if (!ready) return;
  const CallOutcome outcome =
      call(trial, ready.tool(),
           {.arguments = trial.tool.arguments,
            .rule = "sink-refused",
            .doing = "a call whose sink refuses",
            .on_event = [](wtool_call*, std::size_t number) { return number % 2 == 1 ? 1 : -1; }});
  check_stopped(trial, outcome, "sink-refused", "a call whose sink refuses");
  ready.end();
  if (outcome.events.empty()) trial.report.skip("the call has no events");
}

void test_cancel_before(Trial& trial) {
  Ready ready(trial);
  if (!ready) return;
  const CallOutcome outcome = call(trial, ready.tool(),
                                   {.arguments = trial.tool.arguments,
                                    .rule = "cancel-before",
                                    .doing = "a call that was cancelled before",
                                    .before_run = [&](wtool_call* made) {
                                      trial.report.step("cancel-before", "in call_cancel before call_run");
                                      ready.tool().call_cancel(made, WTOOL_CANCEL_GRACEFUL, view("a test"));
                                      ready.tool().call_cancel(made, 77, {nullptr, 0});
                                    }});
  const json envelope = result_of(trial, outcome, "a call that was cancelled before");
  const bool is_refusal = outcome.ran == WTOOL_OK && envelope.is_object() && envelope["is_error"] == true;
  if (outcome.ran != WTOOL_E_CANCELLED && !is_refusal) {
    trial.report.finding("cancel-before", "a call that was cancelled before it ran says " + status_name(outcome.ran) +
                                              ", with a result that is not an error");
  }
  ready.end();
}

void test_cancel_during(Trial& trial) {
  Ready ready(trial);
  if (!ready) return;
  for (int i = 0; i < 8; ++i) {
    std::atomic<bool> over{false};
    std::thread other;
    const CallOutcome outcome = call(trial, ready.tool(),
                                     {.arguments = trial.tool.arguments,
                                      .rule = "cancel-during",
                                      .doing = "a call that is cancelled",
                                      .before_run =
                                          [&](wtool_call* made) {
                                            other = std::thread([&, made, i] {
                                              // A little later each time, so that the stop comes at different moments.
                                              std::this_thread::sleep_for(std::chrono::microseconds(200 * i));
                                              ready.tool().call_cancel(made, WTOOL_CANCEL_GRACEFUL, view("a test"));
                                              while (!over) {
                                                ready.tool().call_cancel(made, WTOOL_CANCEL_NOW, view("again"));
                                                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                              }
                                            });
                                          },
                                      .after_run =
                                          [&](wtool_call*) {
                                            over = true;
                                            other.join();
                                          }});
    check_stopped(trial, outcome, "cancel-during", "a call that is cancelled while it runs");
  }
  ready.end();
}

void test_cancel_waits(Trial& trial) {
  Ready ready(trial);
  if (!ready) return;
  std::thread other;
  std::mutex mutex;
  std::condition_variable returned;
  bool done = false;
  bool waited = false;
  const CallOutcome outcome =
      call(trial, ready.tool(),
           {.arguments = trial.tool.arguments,
            .rule = "cancel-during",
            .doing = "a call that is cancelled while its sink blocks",
            .after_run =
                [&](wtool_call*) {
                  if (other.joinable()) other.join();
                },
            .on_event =
                [&](wtool_call* made, std::size_t number) {
                  if (number > 1) return 0;
                  other = std::thread([&, made] {
                    ready.tool().call_cancel(made, WTOOL_CANCEL_GRACEFUL, view("a test"));
                    ready.tool().call_cancel(made, WTOOL_CANCEL_NOW, view("again"));
                    const std::lock_guard lock(mutex);
                    done = true;
                    returned.notify_all();
                  });
                  {
                    std::unique_lock lock(mutex);
                    waited = !returned.wait_for(lock, trial.patience, [&] { return done; });
                  }
                  if (waited) {
                    trial.report.finding("cancel-waits", "call_cancel did not return while the sink blocked");
                  } else {
                    trial.report.step("cancel-waits", "in call_cancel on the thread of the sink");
                    ready.tool().call_cancel(made, WTOOL_CANCEL_NOW, view("a test"));
                    trial.report.step("cancel-during", "in call_run of a call that was cancelled in its sink");
                  }
                  return 0;
                }});
  check_stopped(trial, outcome, "cancel-during", "a call that was cancelled in its sink");
  ready.end();
  if (outcome.events.empty()) trial.report.skip("the call has no events");
}

void test_cancel_after(Trial& trial) {
  Ready ready(trial);
  if (!ready) return;
  good_result(trial, ready.tool(), {.arguments = trial.tool.arguments, .after_run = [&](wtool_call* made) {
                                      trial.report.step("cancel-after", "in call_cancel after call_run");
                                      ready.tool().call_cancel(made, WTOOL_CANCEL_GRACEFUL, view("a test"));
                                      ready.tool().call_cancel(made, WTOOL_CANCEL_NOW, {nullptr, 0});
                                    }});
  ready.end();
}

void test_run_twice(Trial& trial) {
  Ready ready(trial);
  if (!ready) return;
  good_result(trial, ready.tool(),
              {.arguments = trial.tool.arguments, .sink = false, .after_run = [&](wtool_call* made) {
                 trial.report.step("call-once", "in a second call_run");
                 TestBlob result;
                 TestBlob error;
                 const wtool_status status = ready.tool().call_run(made, result.out(), error.out());
                 must_be_invalid(trial, status, "call-once", "a second call_run");
                 if (status != WTOOL_OK && status != WTOOL_E_CANCELLED && !result.untouched()) {
                   trial.report.finding("outputs", "a second call_run failed and changed its result all the same");
                 }
                 read_error(trial.report, *error.out(), "a second call_run");
                 trial.report.step("error", "in a second call_run with error NULL");
                 TestBlob other;
                 ready.tool().call_run(made, other.out(), nullptr);
               }});
  ready.end();
}

void test_free_unrun(Trial& trial) {
  Ready ready(trial);
  if (!ready) return;
  const wtool_request request = make_request(trial.tool.arguments);
  for (const bool cancelled : {false, true, false}) {
    wtool_call* made = new_call(trial, ready.tool(), request, "call-free", "a call that will not run");
    if (made == nullptr) break;
    trial.report.step("call-free", cancelled ? "in call_free of a call that was only cancelled"
                                             : "in call_free of a call that has not run");
    if (cancelled) ready.tool().call_cancel(made, WTOOL_CANCEL_NOW, view("a test"));
    ready.tool().call_free(made);
  }
  good_result(trial, ready.tool(),
              {.arguments = trial.tool.arguments, .rule = "call-free", .doing = "a call after these"});
  ready.end();
}

void test_null(Trial& trial) {
  Ready ready(trial);
  if (!ready) return;
  const wtool_tool& tool = ready.tool();
  const wtool_request request = make_request(trial.tool.arguments);
  wtool_call* made = nullptr;
  const auto refused = [&](const std::string& doing, const std::function<wtool_status(wtool_blob*)>& act) {
    trial.report.step("null", "in " + doing);
    TestBlob error;
    must_be_invalid(trial, act(error.out()), "null", doing);
  };
  refused("call_new without a tool", [&](wtool_blob* error) { return tool.call_new(nullptr, &request, &made, error); });
  refused("call_new without a request", [&](wtool_blob* error) { return tool.call_new(&tool, nullptr, &made, error); });
  refused("call_new without an out", [&](wtool_blob* error) { return tool.call_new(&tool, &request, nullptr, error); });
  if (made != nullptr) trial.report.finding("outputs", "call_new failed and made a call all the same");
  TestBlob result;
  refused("call_run without a call", [&](wtool_blob* error) { return tool.call_run(nullptr, result.out(), error); });
  if (wtool_call* unheard = new_call(trial, tool, request, "null", "a call")) {
    refused("call_run without a result", [&](wtool_blob* error) { return tool.call_run(unheard, nullptr, error); });
    trial.report.step("call-free", "in call_free of a call that has not run");
    tool.call_free(unheard);
  }
  trial.report.step("null", "in call_cancel of NULL");
  tool.call_cancel(nullptr, WTOOL_CANCEL_NOW, view("a test"));
  trial.report.step("null", "in call_free of NULL");
  tool.call_free(nullptr);
  trial.report.step("null", "in destroy of NULL");
  tool.destroy(nullptr);
  ready.end();
}

void test_small_request(Trial& trial) {
  Ready ready(trial);
  if (!ready) return;
  const wtool_tool& tool = ready.tool();
  const wtool_request model = make_request(trial.tool.arguments);
  for (const std::size_t size :
       {std::size_t{8}, std::size_t{16}, offsetof(wtool_request, call_id), offsetof(wtool_request, traceparent),
        offsetof(wtool_request, parent_span), offsetof(wtool_request, deadline_ms), offsetof(wtool_request, sink_ctx),
        offsetof(wtool_request, on_event), offsetof(wtool_request, limits)}) {
    const std::string doing = "a call whose request has the struct_size " + std::to_string(size);
    const bool enough = size >= offsetof(wtool_request, call_id);
    Guarded<wtool_request> small(model, static_cast<std::uint32_t>(size));
    trial.report.step("size-small", "in call_new of " + doing);
    wtool_call* made = nullptr;
    TestBlob error;
    const wtool_status status = tool.call_new(&tool, small.get(), &made, error.out());
    if (!enough || status != WTOOL_OK) must_be_invalid(trial, status, "size-small", "call_new of " + doing);
    if (status != WTOOL_OK || made == nullptr) continue;
    TestBlob result;
    trial.report.step("size-small", "in call_run of " + doing);
    const wtool_status ran = tool.call_run(made, result.out(), error.out());
    if (enough && ran != WTOOL_OK) trial.report.finding("size-small", doing + " says " + status_name(ran));
    tool.call_free(made);
  }
  ready.end();
}

void test_small_blob(Trial& trial) {
  Ready ready(trial);
  if (!ready) return;
  const wtool_tool& tool = ready.tool();
  const wtool_request request = make_request(trial.tool.arguments);
  const wtool_blob empty{};
  for (const std::uint32_t size : {8U, 24U, 32U}) {
    const std::string doing = "with a blob of struct_size " + std::to_string(size);
    Guarded<wtool_blob> result(empty, size);
    if (wtool_call* made = new_call(trial, tool, request, "size-small", "a call")) {
      trial.report.step("size-small", "in call_run " + doing);
      TestBlob why;
      must_be_invalid(trial, tool.call_run(made, result.get(), why.out()), "size-small", "call_run " + doing);
      if (result.differs_from(empty)) trial.report.finding("size-small", "call_run wrote to a blob " + doing);
      trial.report.step("call-free", "in call_free of a call that has not run");
      tool.call_free(made);
    }
    Guarded<wtool_blob> error(empty, size);
    trial.report.step("size-small", "in tool_new with an error " + doing);
    const wtool_tool* none = nullptr;
    ready.entry().tool_new(view("no_such_tool_is_here"), view(""), &none, error.get());
    if (error.differs_from(empty)) trial.report.finding("size-small", "tool_new wrote to an error " + doing);
  }
  ready.end();
}

void test_large_structs(Trial& trial) {
  Ready ready(trial);
  if (!ready) return;
  const wtool_tool& tool = ready.tool();
  Enlarged<wtool_request> request(make_request(trial.tool.arguments));
  Enlarged<wtool_blob> result(wtool_blob{});
  if (wtool_call* made = new_call(trial, tool, *request.get(), "size-large", "a call with a larger request")) {
    trial.report.step("size-large", "in call_run with a larger blob");
    const wtool_status status = tool.call_run(made, result.get(), nullptr);
    if (status != WTOOL_OK || result.get()->release == nullptr) {
      trial.report.finding("size-large", "call_run with a larger blob says " + status_name(status));
    } else {
      result.get()->release(result.get());
    }
    tool.call_free(made);
  }
  if (request.unknown_was_changed() || result.unknown_was_changed()) {
    trial.report.finding("size-large", "a part of a struct was written that version 1.0 does not know");
  }
  ready.end();
}

void test_copied_request(Trial& trial) {
  Ready ready(trial);
  if (!ready) return;
  const std::string& arguments = trial.tool.arguments;
  const std::size_t size = sizeof(wtool_request) + arguments.size() + 16;
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  auto* request = static_cast<wtool_request*>(memory);
  char* texts = static_cast<char*>(memory) + sizeof(wtool_request);
  std::memcpy(texts, arguments.data(), arguments.size());
  std::memcpy(texts + arguments.size(), "check-1", 7);
  *request = make_request({texts, arguments.size()});
  request->call_id = view({texts + arguments.size(), 7});
  if (wtool_call* made = new_call(trial, ready.tool(), *request, "request-copied", "a call")) {
    ::munmap(memory, size);
    TestBlob result;
    trial.report.step("request-copied", "in call_run after the request had gone");
    const wtool_status status = ready.tool().call_run(made, result.out(), nullptr);
    if (status != WTOOL_OK)
      trial.report.finding("request-copied", "a call whose request has gone says " + status_name(status));
    ready.tool().call_free(made);
  }
  ready.end();
}

void test_wrong_arguments(Trial& trial) {
  Ready ready(trial);
  if (!ready) return;
  for (const auto& [arguments, what] : wrong_arguments(trial.tool)) {
    const std::string doing = "a call with " + what + " for arguments, " + in_quotes(arguments) + ',';
    const json envelope =
        good_result(trial, ready.tool(), {.arguments = arguments, .rule = "arguments-judged", .doing = doing});
    if (envelope.is_object() && envelope["is_error"] != true) {
      trial.report.finding("arguments-judged", doing + " ends in a result whose is_error is false");
    }
  }
  ready.end();
}

void test_garbage_arguments(Trial& trial) {
  Ready ready(trial);
  if (!ready) return;
  const auto deep = [](const char* open, const char* middle, const char* close) {
    std::string text = "{\"a\":";
    for (int i = 0; i < 100'000; ++i) text += open;
    text += middle;
    for (int i = 0; i < 100'000; ++i) text += close;
    return text + '}';
  };
  const std::pair<std::string, const char*> rows[] = {
      {"", "no bytes"},
      {std::string(1, '\0'), "a NUL"},
      {std::string("{\"a\":\"\0\"}", 9), "a NUL in a text"},
      {"{\"a\":\"\\u0000\\ud800\"}", "an escaped NUL and half a character"},
      {deep("[", "", "]"), "100,000 lists in each other"},
      {deep("{\"a\":", "1", "}"), "100,000 objects in each other"},
      {std::string(100'000, '['), "100,000 brackets"},
      {"{\"" + std::string(4 << 20, 'a') + "\":1}", "a name of 4 MiB"},
      {"{\"a\":\"" + std::string(17 << 20, 'a') + "\"}", "17 MiB"},
      {"{\"a\":1e999999,\"b\":" + std::string(10'000, '9') + '}', "numbers that are too large"},
      {"\xef\xbb\xbf{}", "a byte order mark"},
      {"{\"a\":\"\xed\xa0\x80\xf8\x88\"}", "bytes that are not UTF-8"},
  };
  for (const auto& [arguments, what] : rows) {
    const std::string doing = std::string("a call with ") + what + " for arguments";
    const CallOutcome outcome =
        call(trial, ready.tool(), {.arguments = arguments, .rule = "arguments-survived", .doing = doing});
    if (outcome.ran != WTOOL_OK) continue;
    json envelope;
    const std::string mistake = outcome.filled ? envelope_mistake(outcome.result, envelope) : "there is no result";
    if (!mistake.empty()) trial.report.finding("arguments-survived", "of " + doing + ", " + mistake);
  }
  ready.end();
}

void test_threads(Trial& trial) {
  Ready ready(trial);
  if (!ready) return;
  trial.report.step("threads-calls", "in calls on several threads");
  std::mutex mutex;
  std::string wrong;
  std::vector<std::thread> threads;
  for (int t = 0; t < threads_at_once; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < calls_per_thread; ++i) {
        const CallOutcome outcome =
            call(trial, ready.tool(), {.arguments = trial.tool.arguments, .rule = "threads-calls", .quiet = true});
        json envelope;
        const std::string mistake = outcome.ran != WTOOL_OK ? "one says " + status_name(outcome.ran)
                                    : !outcome.filled       ? "one has no result"
                                                            : envelope_mistake(outcome.result, envelope);
        const std::lock_guard lock(mutex);
        if (!mistake.empty()) wrong = mistake;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (!wrong.empty()) trial.report.finding("threads-calls", "of calls on 4 threads at once, " + wrong);
  ready.end();
}

void test_stack(Trial& trial) {
  Ready ready(trial);
  if (!ready) return;
  pthread_attr_t attributes;
  pthread_t thread{};
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, promised_stack + own_stack);
  const auto run = [](void* context) -> void* {
    auto& self = *static_cast<Ready*>(context);
    call(self.trial(), self.tool(),
         {.arguments = self.trial().tool.arguments, .rule = "stack", .doing = "a call on a stack of 128 KiB"});
    return nullptr;
  };
  if (::pthread_create(&thread, &attributes, run, &ready) == 0) {
    ::pthread_join(thread, nullptr);
  } else {
    trial.report.skip("no thread could be started");
  }
  ::pthread_attr_destroy(&attributes);
  ready.end();
}

void test_extensions(Trial& trial) {
  Ready ready(trial);
  if (!ready) return;
  const wtool_tool& tool = ready.tool();
  for (const char* id : {"no.such.extension/1", "wtool.explain/999", "", static_cast<const char*>(nullptr)}) {
    const std::string name = id == nullptr ? "NULL" : in_quotes(id);
    trial.report.step("extension-unknown", "in get_extension of " + name);
    if (tool.get_extension(&tool, id) != nullptr) {
      trial.report.finding("extension-unknown", "get_extension of " + name + " is not NULL");
    }
  }
  if (const wtool_tool_explain* extension = explain_of(tool)) {
    const wtool_request request = make_request(trial.tool.arguments);
    TestBlob result;
    TestBlob error;
    trial.report.step("explain", "in explain");
    const wtool_status status = extension->explain(&tool, &request, result.out(), error.out());
    read_error(trial.report, *error.out(), "explain");
    const json answer = parse_json(result.text());
    const json verdict = answer.is_object() ? answer.value("verdict", json()) : json();
    if (status != WTOOL_OK || (verdict != "allow" && verdict != "ask" && verdict != "deny")) {
      trial.report.finding("explain", "explain says " + status_name(status) + " and " + in_quotes(result.text()));
    }
  }
  ready.end();
}

}  // namespace wtool::host::conformance
