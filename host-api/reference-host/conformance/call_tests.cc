// Tests of the course of a call: its result, events, cancellation, end, threads and stack.
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/json_schema.h"
#include "conformance/ready_tool.h"

namespace wtool::host::conformance {

namespace {

using nlohmann::json;

constexpr std::chrono::milliseconds late_events{50};  // how long to wait for an event that comes too late
constexpr std::size_t promised_stack = 128 << 10;
constexpr std::size_t own_stack = 64 << 10;  // what this host's sink and the thread itself need of the stack
constexpr int threads_at_once = 4;
constexpr int calls_per_thread = 6;

}  // namespace

void test_call(Trial& trial) {
  ReadyTool ready(trial);
  if (!ready) return;
  const json envelope = good_result(trial, ready.tool(), {.arguments = trial.tool.arguments});
  if (envelope.is_object()) {
    trial.report.fact("works", true);
    if (trial.tool.output_schema.is_null()) {
      trial.report.skip("the tool has no output schema, so no result can be checked against one");
    } else if (envelope["is_error"] == false) {
      const std::string mistake = instance_mistake(envelope["metadata"], trial.tool.output_schema);
      if (!mistake.empty()) trial.report.finding("result-schema", "in metadata, " + mistake);
    } else {
      trial.report.skip("the call ends in an error, so its result is not checked against the output schema: " +
                        in_quotes(dumped(envelope["content"])));
    }
  }
  ready.end();
}

void test_events(Trial& trial) {
  ReadyTool ready(trial);
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
                                               ", but call_run is on " + std::to_string(outcome.thread));
      break;
    }
  }
  trial.report.step("event-late", "after a call");
  std::this_thread::sleep_for(late_events);
  ready.end();
  if (outcome.events.empty()) trial.report.skip("the call has no events");
}

void test_refusing_sink(Trial& trial) {
  ReadyTool ready(trial);
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
  ReadyTool ready(trial);
  if (!ready) return;
  const CallOutcome outcome = call(trial, ready.tool(),
                                   {.arguments = trial.tool.arguments,
                                    .rule = "cancel-before",
                                    .doing = "a call that was cancelled before it ran",
                                    .before_run = [&](wtool_call* made) {
                                      trial.report.step("cancel-before", "in call_cancel before call_run");
                                      ready.tool().call_cancel(made, WTOOL_CANCEL_GRACEFUL, view("a test"));
                                      ready.tool().call_cancel(made, 77, {nullptr, 0});
                                    }});
  const json envelope = result_of(trial, outcome, "a call that was cancelled before it ran");
  const bool is_refusal = outcome.ran == WTOOL_OK && envelope.is_object() && envelope["is_error"] == true;
  if (outcome.ran != WTOOL_E_CANCELLED && !is_refusal) {
    trial.report.finding("cancel-before", "a call that was cancelled before it ran returned " +
                                              status_name(outcome.ran) + ", with a result that is not an error");
  }
  ready.end();
}

void test_cancel_during(Trial& trial) {
  ReadyTool ready(trial);
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
                                              // Waits longer each time, to stop the call at another moment.
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
  ReadyTool ready(trial);
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
  ReadyTool ready(trial);
  if (!ready) return;
  good_result(trial, ready.tool(), {.arguments = trial.tool.arguments, .after_run = [&](wtool_call* made) {
                                      trial.report.step("cancel-after", "in call_cancel after call_run");
                                      ready.tool().call_cancel(made, WTOOL_CANCEL_GRACEFUL, view("a test"));
                                      ready.tool().call_cancel(made, WTOOL_CANCEL_NOW, {nullptr, 0});
                                    }});
  ready.end();
}

void test_run_twice(Trial& trial) {
  ReadyTool ready(trial);
  if (!ready) return;
  good_result(trial, ready.tool(),
              {.arguments = trial.tool.arguments, .sink = false, .after_run = [&](wtool_call* made) {
                 trial.report.step("call-once", "in a second call_run");
                 TestBlob result;
                 TestBlob error;
                 const wtool_status status = ready.tool().call_run(made, result.out(), error.out());
                 must_be_invalid(trial, status, "call-once", "a second call_run");
                 if (status != WTOOL_OK && status != WTOOL_E_CANCELLED && !result.untouched()) {
                   trial.report.finding("outputs", "a second call_run failed, but changed its result");
                 }
                 read_error(trial.report, *error.out(), "a second call_run");
                 trial.report.step("error", "in a second call_run with error NULL");
                 TestBlob other;
                 ready.tool().call_run(made, other.out(), nullptr);
               }});
  ready.end();
}

void test_free_unrun(Trial& trial) {
  ReadyTool ready(trial);
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
              {.arguments = trial.tool.arguments, .rule = "call-free", .doing = "a call after calls that did not run"});
  ready.end();
}

void test_threads(Trial& trial) {
  ReadyTool ready(trial);
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
        const std::string mistake = outcome.ran != WTOOL_OK ? "one returned " + status_name(outcome.ran)
                                    : !outcome.filled       ? "one has no result"
                                                            : envelope_mistake(outcome.result, envelope);
        const std::lock_guard lock(mutex);
        if (!mistake.empty()) wrong = mistake;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (!wrong.empty())
    trial.report.finding("threads-calls", "of the calls that ran on 4 threads at the same time, " + wrong);
  ready.end();
}

void test_stack(Trial& trial) {
  ReadyTool ready(trial);
  if (!ready) return;
  pthread_attr_t attributes;
  pthread_t thread{};
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, promised_stack + own_stack);
  const auto run = [](void* context) -> void* {
    auto& self = *static_cast<ReadyTool*>(context);
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

}  // namespace wtool::host::conformance
