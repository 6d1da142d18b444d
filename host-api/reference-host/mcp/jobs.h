// Calls that keep running after they were answered: commands, workflows, and other calls of the plugin. A call that asks
// for this (`background`), or whose client would not wait long enough, is answered early, with the output so far and a
// number. From then on it is a job.
//
// - A job is still the same call: it keeps its thread, custody, limits and audit, and counts as a running call. The
//   next poll returns its result.
// - A call becomes a job, is answered with its result, or is cancelled: whichever comes first. A cancelled call stops
//   what it runs. A job is ended by job_stop, by its own timeout, and with the server.
// - Each piece of output of a command or a workflow is shown once, by the next poll. A job that has ended is kept until
//   it is polled; after that, its output can be read by its number for as long as the store keeps it.
// - At most max_jobs jobs exist at a time. When that number is reached, a call that asks to become a job is refused
//   before it begins. A call that would become a job because its client stops waiting is stopped instead, and answered
//   with the output so far.
// - A task of protocol 2025-11-25 is a job from its beginning. The client itself polls and ends it, so the tools job_*
//   do not show it. Its result is complete, and can be read repeatedly. It is kept until its result was read and its
//   ttl has passed. To make room for another job, tasks whose result was read are dropped first, then tasks whose ttl
//   has passed.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "loader/toolbox.h"
#include "mcp/call.h"
#include "mcp/message.h"
#include "mcp/output_store.h"
#include "mcp/progress.h"
#include "mcp/results.h"
#include "mcp/server_tools.h"

namespace wtool::host::mcp {

// Any thread may call any member.
class Jobs {
  struct Job;

 public:
  static constexpr std::size_t max_jobs = 100;
  // A call with `background` becomes a job after this time. If its command ends sooner, the call is answered with the
  // result, so a command that fails immediately does not become a job.
  static constexpr std::chrono::milliseconds background_wait{500};
  // After this time, a call that waits for a person in another terminal becomes a job. The model must tell the person,
  // who may not know of the question.
  static constexpr std::chrono::seconds approval_wait{10};
  static constexpr std::chrono::milliseconds max_ttl{24L * 60 * 60 * 1000};
  // How often a client should ask whether a task has ended.
  static constexpr std::chrono::milliseconds poll_interval{1000};

  // Answers a running call with a result; false: the call was cancelled.
  using Answer = std::function<bool(ClientCall&, nlohmann::ordered_json)>;
  using Send = std::function<void(std::string)>;
  Jobs(OutputStore& outputs, ResultSettings results, std::chrono::seconds max_poll_wait, Answer answer, Send send);

  // What a call runs: a command, or a tool of the server. The call may become a job. Used only on the call's thread.
  class Command {
   public:
    Command(Jobs& jobs, ClientCall& call, CallProgress::Reports& reports, std::shared_ptr<StoredOutput> output);
    Command(const Command&) = delete;
    Command& operator=(const Command&) = delete;
    ~Command();  // NOLINT(bugprone-exception-escape): see jobs.cc

    // If the call is a job by now, takes its result and returns true. The first overload is for commands, the second
    // for tools of the server.
    bool take(OrderedOutcome& outcome);
    bool take(nlohmann::ordered_json& result);

   private:
    bool end(OrderedOutcome& outcome, nlohmann::ordered_json& result);

    Jobs& jobs_;
    ClientCall& call_;
    const std::shared_ptr<Job> job_;
  };

  bool is_full();
  // The message for a call that cannot become a job, because there are already max_jobs jobs.
  static std::string full_text();
  // Makes a job of the call if its command is running; if there are already max_jobs jobs, stops the call instead. A
  // call that wants a task becomes a task; for such a call, this must be called on the call's thread. True: the call has
  // become a job or a task.
  bool hand_over(ClientCall& call);

  // tasks/get, tasks/result, tasks/list and tasks/cancel (tasks.cc).
  static bool is_task_method(std::string_view method);
  // The line that answers a request with such a method; empty: the answer follows when the task has ended.
  std::string answer_task_method(const Message& request);
  // True if a request with this key waits for the end of a task. cancel_waiting() drops that request, so that it is
  // never answered.
  bool has_waiting(const std::string& key) const;
  void cancel_waiting(const std::string& key);

  // job_poll, job_stop and job_list. They borrow this object.
  ServerTools tools();

 private:
  using Clock = std::chrono::steady_clock;

  struct Job {
    int number = 0;                            // 0: not a job yet
    ClientCall* call = nullptr;                // nullptr: the call has ended
    CallProgress::Reports* reports = nullptr;  // of the call
    std::shared_ptr<StoredOutput> output;
    std::string command;                   // for people; only the beginning of a long command
    std::array<std::uint64_t, 2> shown{};  // how many bytes of each stream have been shown
    Clock::time_point began = Clock::now();
    Clock::time_point ended{};
    OrderedOutcome outcome{};       // if the call runs a command
    nlohmann::ordered_json result;  // if the call runs a tool of the server; null: `outcome` has the result

    // For tasks only:
    struct Request {
      std::string id, key;
    };
    std::string task;                 // its identifier; empty: the job is not a task
    std::optional<std::int64_t> ttl;  // milliseconds from its beginning
    std::chrono::system_clock::time_point created{}, updated{};
    bool is_cancelled = false;
    bool is_read = false;           // its result was read
    std::vector<Request> requests;  // those that wait for its result
  };

  nlohmann::ordered_json poll(ClientCall& call);
  nlohmann::ordered_json stop(ClientCall& call);
  nlohmann::ordered_json list() const;
  nlohmann::ordered_json report_after(ClientCall& call, std::uint64_t number, std::chrono::seconds wait, bool stops);
  nlohmann::ordered_json report(Job& job);
  void show_new_output(Job& job, nlohmann::ordered_json& metadata);

  // The caller of these functions holds mutex_.
  void make_room();
  void drop_expired_tasks();
  template <typename Condition>
  void drop_tasks(Condition is_droppable);
  static bool has_expired(const Job& job);
  Job* find_task(const nlohmann::json& params, Error& error);
  nlohmann::ordered_json create_task(ClientCall& call, Job& job);
  static nlohmann::ordered_json task_object(const Job& job);
  std::string task_result(const std::string& id, Job& job);
  std::string cancel_task(const std::string& id, Job& job);
  void end_task(Job& job);

  OutputStore& outputs_;
  const ResultSettings results_;
  const std::chrono::seconds max_poll_wait_;
  const Answer answer_;
  const Send send_;
  mutable std::mutex mutex_;
  std::condition_variable ended_;  // a job has ended, or a request stops waiting
  std::map<const ClientCall*, std::shared_ptr<Job>> running_;
  std::map<int, std::shared_ptr<Job>> jobs_;  // by number
  int waiting_ = 0;                           // calls that wait for the end of a job
};

// Adds the parameter `background` to a tool in the list, for servers with jobs. A tool that has a parameter of this
// name stays as it is.
void add_background(nlohmann::ordered_json& tool);

// True if the client may ask for a job: with `background`, or as a task. Other calls of the plugin become jobs only when
// their client would stop waiting.
// `server_tool` is null for a tool of the plugin.
bool may_ask_for_job(const ToolDescription& tool, const ServerTool* server_tool);
// True for the pty tools. They wait for what a terminal shows, and end their wait when their client would stop waiting,
// so their calls never become jobs.
bool ends_in_time(const ToolDescription& tool);
// True if the server may add the parameter `background` to the tool: the tool itself has no parameter of this name.
bool takes_background(const ToolDescription& tool);

// The names of the tool's parameters, with `background`, which the tool itself does not know. Empty: the tool accepts
// any name.
std::vector<std::string> parameters_with_background(const ToolDescription& tool);
// If the arguments, a JSON object, have a parameter that is not in `parameters`: a sentence that names it and lists the
// known ones. Empty: all parameters are known, or the tool accepts any name.
std::string unknown_parameter(const std::vector<std::string>& parameters, std::string_view arguments);

// What the arguments of a call say about `background`, if takes_background() is true for the tool.
struct BackgroundRequest {
  bool is_given = false;
  bool wanted = false;
  std::string arguments{};  // without `background`, if that is given
  std::string problem{};    // what is wrong with `background`; empty: nothing
};
BackgroundRequest take_background(const std::string& arguments);

// True if the client waits longer while it gets progress reports. Most clients that ask for them do.
bool waits_for_progress(const ClientCall& call);

// The tool with the parameter `background`.
inline constexpr std::string_view command_tool = "shell_execute";

}  // namespace wtool::host::mcp
