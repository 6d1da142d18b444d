#include "mcp/server.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/text.h"
#include "mcp/message.h"
#include "mcp/output_read.h"

namespace wtool::host::mcp {

namespace {

// Urgent calls end quickly, or as soon as the job that they stop has ended; a few may wait for the end of a job.
constexpr int max_urgent_calls = 16;

// True for tools that end something or report its state.
bool is_urgent(const ClientCall& call) {
  if (call.server_tool != nullptr) return call.server_tool->is_urgent;
  constexpr std::string_view urgent[] = {"terminal_close_session", "terminal_get_status", "pty_read", "pty_stop",
                                         "pty_list"};
  return std::find(std::begin(urgent), std::end(urgent), call.tool->id) != std::end(urgent);
}

bool has_commands(const Plugin& plugin) {
  const auto& tools = plugin.tools();
  return std::any_of(tools.begin(), tools.end(), [](const ToolDescription& tool) { return tool.id == command_tool; });
}

bool is_served(const ServerSettings& settings, std::string_view tool) {
  const auto& served = settings.served;
  return served.empty() || std::find(served.begin(), served.end(), tool) != served.end();
}

ServerSettings with_output_read(ServerSettings settings, const Plugin& plugin) {
  settings.results.has_output_read = has_commands(plugin) && is_served(settings, "output_read");
  return settings;
}

ServerTools all_tools(const ServerSettings& settings, Jobs& jobs, const OutputStore& outputs, bool has_commands) {
  ServerTools tools = settings.tools;
  const bool has_lasting =
      std::any_of(tools.begin(), tools.end(), [](const auto& tool) { return tool.may_become_job; });
  if (has_commands || has_lasting) {
    for (ServerTool& tool : jobs.tools()) tools.push_back(std::move(tool));
  }
  if (has_commands) tools.push_back(output_read_tool(outputs, settings.results.output_bytes));
  return tools;
}

// A poll, like any other call, must be answered before its client stops waiting.
std::chrono::seconds max_poll_wait(const ServerSettings& settings) {
  constexpr std::chrono::seconds longest{600};
  return std::min(longest, settings.answer_within.value_or(longest));
}

// JSON-RPC 2.0 and the protocol want the id in each error whose request has a readable id. The running call is still
// answered when it has ended, so a client that uses an id twice gets two answers with it.
std::string id_in_use(const std::string& id) {
  return error_line(id, {invalid_request, "the id " + id + " belongs to a running call, which will still be answered"});
}

}  // namespace

Server::Server(const Plugin& plugin, Toolbox& toolbox, Elicitation& elicitation, Output& output,
               ServerSettings settings)
    : toolbox_(toolbox),
      elicitation_(elicitation),
      output_(output),
      settings_(with_output_read(std::move(settings), plugin)),
      outputs_(settings_.stored_bytes),
      jobs_(
          outputs_, settings_.results, max_poll_wait(settings_),
          [this](ClientCall& call, nlohmann::ordered_json result) {
            return calls_of(call).answer_now(call, completed(call, std::move(result)));
          },
          [this](std::string line) { output_.send(std::move(line)); }),
      server_tools_(all_tools(settings_, jobs_, outputs_, has_commands(plugin))),
      tools_(plugin, server_tools_,
             {.served = settings_.served,
              .not_served = settings_.not_served,
              .style = settings_.results.style,
              .shell = settings_.shell}),
      has_jobs_(tools_.has("job_poll")),
      command_parameters_(has_jobs_ ? tools_.command_parameters() : std::vector<std::string>()),
      logs_(plugin.tracing(), output),
      protocol_2025_(tools_, jobs_, logs_, settings_.about),
      protocol_2026_(tools_, logs_, settings_.about),
      progress_(output),
      calls_(settings_.max_calls, settings_.max_wait, handlers()),
      urgent_calls_(max_urgent_calls, settings_.max_wait, handlers()) {
  elicitation_.set_on_wait([this](ClientCall& call) {
    // `mcp.answer_within: none` means that no call becomes a job by itself.
    if (has_jobs_ && settings_.answer_within) calls_of(call).remind(call, Calls::Clock::now() + Jobs::approval_wait);
  });
  output_.set_on_room([this] {
    calls_.resume();
    urgent_calls_.resume();
  });
}

Server::~Server() { output_.set_on_room({}); }

Calls::Handlers Server::handlers() {
  return {.run = [this](ClientCall& call) { return run(call); },
          .refuse =
              [this](ClientCall& call) {
                const int most = settings_.max_calls;
                const std::string running =
                    is_urgent(call) ? std::to_string(max_urgent_calls) + " calls of such tools are"
                                    : counted(most, "call") + " (mcp.max_calls) " + (most == 1 ? "is" : "are");
                return answered(call, refusal("the call has waited " + std::to_string(settings_.max_wait.count()) +
                                              " s (mcp.queue_seconds) for its turn, because " + running +
                                              " already running; the call was not run" +
                                              (has_jobs_ && !is_urgent(call)
                                                   ? " (job_list lists the jobs among them; job_stop ends one)"
                                                   : "")));
              },
          .drop =
              [this](ClientCall& call, const std::string& reason) {
                return answered(call, refusal("the call was stopped before its turn, because " + reason +
                                              "; the call was not run"));
              },
          .due =
              [this](ClientCall& call) {
                try {
                  hand_over(call);
                } catch (const std::exception&) {
                  // Memory has run out, so the call does not become a job. It is answered when it ends.
                }
              },
          .send = [this](const std::shared_ptr<Batch>& batch, std::string line) { send(batch, std::move(line)); },
          .is_full = [this] { return output_.is_full(); }};
}

Calls& Server::calls_of(const ClientCall& call) { return is_urgent(call) ? urgent_calls_ : calls_; }

void Server::send(const std::shared_ptr<Batch>& batch, std::string line) {
  if (batch == nullptr) return output_.send(std::move(line));
  batch->add(line);
}

bool Server::serve(Input& input) {
  std::string line;
  while (true) {
    switch (input.next(line)) {
      case Input::Next::line:
        take_line(line);
        break;
      case Input::Next::too_long:
        take(too_long_message(input.too_long_line(), settings_.message_bytes), nullptr);
        break;
      case Input::Next::end:
      case Input::Next::woken:
        return true;
      case Input::Next::failed:
        return false;
    }
  }
}

void Server::end(const std::string& reason) {
  calls_.end(reason);
  urgent_calls_.end(reason);
}

void Server::take_line(std::string_view line) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  const Message message = read_message(line);
  message.kind == Message::Kind::batch ? take_batch(message) : take(message, nullptr);
}

void Server::take_batch(const Message& batch) {
  if (!protocol_2025_.takes_batches()) {
    return output_.send(error_line({}, {invalid_request,
                                        "only the protocol versions 2024-11-05 and 2025-03-26 have batches: send "
                                        "one message per line"}));
  }
  const auto answers = std::make_shared<Batch>([this](std::string line) { output_.send(std::move(line)); });
  for (const Message& message : batch.batch) take(message, answers);
}

void Server::take(const Message& message, const std::shared_ptr<Batch>& batch) {
  switch (message.kind) {
    case Message::Kind::request:
      return take_request(message, batch);
    case Message::Kind::notification:
      return take_notification(message);
    case Message::Kind::response:
      return elicitation_.take(message);
    case Message::Kind::batch:  // A batch cannot contain a batch.
    case Message::Kind::invalid:
      return send(batch, error_line(message.id, message.error));
  }
}

void Server::take_request(const Message& request, const std::shared_ptr<Batch>& batch) {
  // Calls, and requests about a task, may stay unanswered for long.
  if (calls_.contains(request.key) || urgent_calls_.contains(request.key) || jobs_.has_waiting(request.key)) {
    return send(batch, id_in_use(request.id));
  }
  Reply reply = Protocol2026::is_spoken_by(request) ? protocol_2026_.answer(request) : protocol_2025_.answer(request);
  if (!reply.call) {
    if (!reply.line.empty()) send(batch, std::move(reply.line));
    return;
  }
  const std::shared_ptr<ClientCall> call = std::move(reply.call);
  call->batch = batch;
  switch (calls_of(*call).add(call)) {
    case Calls::Added::yes:
      return;
    case Calls::Added::too_many:
      return send(batch, answered(*call, refusal("too many calls are already waiting; try again later")));
    case Calls::Added::no_thread:
      return send(batch, answered(*call, refusal("the system has no memory or no thread left for the call; the call "
                                                 "was not run; try again later")));
  }
}

void Server::take_notification(const Message& notification) {
  if (notification.method != "notifications/cancelled") return;
  if (notification.key.empty()) return;
  const nlohmann::json* reason = member(notification.body, "reason");
  const std::string why =
      reason != nullptr && reason->is_string() ? reason->get<std::string>() : "the client has cancelled the call";
  calls_.cancel(notification.key, why);
  urgent_calls_.cancel(notification.key, why);
  jobs_.cancel_waiting(notification.key);
}

std::string Server::run(ClientCall& call) {
  nlohmann::ordered_json result;
  {
    CallProgress::Reports reports(progress_, call.progress_token);
    if (call.server_tool == nullptr) {
      result = call_plugin(call, reports);
    } else {
      const bool may_last = (has_jobs_ || call.wants_task) && call.server_tool->may_become_job;
      result = may_last ? run_lasting_tool(call, reports) : call.server_tool->answer(call, reports);
    }
  }
  return answered(call, std::move(result));
}

namespace {

// The client's trace, and a span that names the request.
CallPlace place_for(const ClientCall& call) {
  CallPlace place{.traceparent = call.traceparent, .span = {.name = "request", .fields = {{"id", call.id}}}};
  if (!call.client.empty()) place.span.fields.emplace_back("client", call.client);
  return place;
}

// Ends an output, however its call ends: only then is its last line complete.
class OutputEnd {
 public:
  explicit OutputEnd(StoredOutput& output) : output_(output) {}
  OutputEnd(const OutputEnd&) = delete;
  OutputEnd& operator=(const OutputEnd&) = delete;
  ~OutputEnd() { output_.end(); }

 private:
  StoredOutput& output_;
};

// Keeps what the command writes, and shows it as progress. Borrows all arguments.
ToolCaller::OutputSink sink_for(const ClientCall& call, StoredOutput& output, CallProgress::Reports& reports) {
  return [&](OutputStream stream, std::string_view bytes) {
    output.add(stream, bytes);
    if (!call.progress_token.empty()) reports.take(stream, bytes);
  };
}

// The time that a terminal has until then, in which it answers. A question that nobody has answered by then ends first.
std::uint64_t milliseconds_until(Calls::Clock::time_point time) {
  constexpr std::chrono::milliseconds for_a_question{200};
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(time - Calls::Clock::now()) + for_a_question;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(left.count(), 1));
}

ToolCaller::StateSink states_for(const ClientCall& call, CallProgress::Reports& reports) {
  if (call.progress_token.empty()) return nullptr;
  return [&reports](const CallState& state) { reports.take(state); };
}

}  // namespace

// Calls a tool of the plugin, and returns the result. Null: the call was already answered, and a job has taken the
// result.
nlohmann::ordered_json Server::call_plugin(ClientCall& call, CallProgress::Reports& reports) {
  if (call.tool->id == command_tool) return run_command(call, reports);
  CallPlace place = place_for(call);
  const std::shared_ptr<StoredOutput> output = outputs_.open();
  std::optional<Jobs::Command> command;
  if (has_jobs_ && !ends_in_time(*call.tool)) {
    command.emplace(jobs_, call, reports, output);
    hand_over_when_due(call, false);
  } else {
    call.answer_by = due(call, false);
    if (call.answer_by && ends_in_time(*call.tool)) place.deadline_ms = milliseconds_until(*call.answer_by);
  }
  OrderedOutcome outcome = [&] {
    const OutputEnd end(*output);
    return toolbox_.call_text(call.tool->id, call.arguments, call.stop, sink_for(call, *output, reports), place,
                              states_for(call, reports));
  }();
  nlohmann::ordered_json result = call_result(
      *call.tool, std::move(outcome), settings_.results, [&] { return outputs_.number(output); }, output.get());
  // Released before the job takes the result: a report of the job holds the mutex of jobs_ when it asks for this one.
  const bool has_expired = [&] {
    const std::lock_guard lock(call.waits_mutex);
    return call.has_expired;
  }();
  if (has_expired && result.contains("content")) {
    result["content"].push_back({{"type", "text"},
                                 {"text",
                                  "A person must allow this. Tell them to run `wtool approve --watch` in "
                                  "another terminal, and then call again."}});
  }
  if (command && command->take(result)) return {};
  return result;
}

// Reads the call's `background` into `asked`. Returns why the call is refused, or an empty text.
std::string Server::take_background_of(ClientCall& call, BackgroundRequest& asked) {
  if (has_jobs_ && (call.server_tool == nullptr || takes_background(*call.tool))) {
    asked = take_background(call.arguments);
    call.has_wrong_arguments = !asked.problem.empty();
    if (call.has_wrong_arguments) return asked.problem;
  }
  const bool must_become_job = asked.wanted || call.wants_task;
  return must_become_job && jobs_.is_full() ? Jobs::full_text() + "; nothing has been run" : "";
}

// Runs one of the server's own tools, and returns the result. Null: the call was already answered, and a job has taken
// the result.
nlohmann::ordered_json Server::run_lasting_tool(ClientCall& call, CallProgress::Reports& reports) {
  BackgroundRequest asked;
  if (const std::string problem = take_background_of(call, asked); !problem.empty()) return refusal(problem);
  const std::shared_ptr<StoredOutput> output = outputs_.open();
  reports.copy_to(output);
  Jobs::Command running(jobs_, call, reports, output);
  hand_over_when_due(call, asked.wanted);
  // The tool itself has no parameter `background`. The client's arguments are restored below, because a question of
  // protocol 2026 is bound to them.
  const std::string sent = call.arguments;
  if (asked.is_given) call.arguments = asked.arguments;
  nlohmann::ordered_json result = [&] {
    const OutputEnd end(*output);
    return call.server_tool->answer(call, reports);
  }();
  call.arguments = sent;
  if (running.take(result)) return {};
  return result;
}

// Runs a command, and returns the result. Null: the call was already answered, and a job has taken the result.
nlohmann::ordered_json Server::run_command(ClientCall& call, CallProgress::Reports& reports) {
  BackgroundRequest asked;
  if (const std::string problem = take_background_of(call, asked); !problem.empty()) return refusal(problem);
  if (const std::string problem = unknown_parameter(command_parameters_, call.arguments); !problem.empty()) {
    call.has_wrong_arguments = true;
    const nlohmann::ordered_json error{{"code", "invalid_parameters"},
                                       {"message", "Invalid parameters: " + problem},
                                       {"hint", "correct the parameter and call again; nothing was run"}};
    return command_result({{"error", error}}, true, settings_.results);
  }
  const std::string_view arguments = asked.is_given ? asked.arguments : call.arguments;
  const std::shared_ptr<StoredOutput> output = outputs_.open();
  std::optional<Jobs::Command> command;
  if (has_jobs_ || call.wants_task) {
    command.emplace(jobs_, call, reports, output);
    hand_over_when_due(call, asked.wanted);
  }
  OrderedOutcome outcome = [&] {
    const OutputEnd end(*output);
    return toolbox_.call_text(call.tool->id, arguments, call.stop, sink_for(call, *output, reports), place_for(call),
                              states_for(call, reports));
  }();
  if (command && command->take(outcome)) return {};
  return call_result(
      *call.tool, std::move(outcome), settings_.results, [&] { return outputs_.number(output); }, output.get());
}

void Server::hand_over(ClientCall& call) {
  if (jobs_.hand_over(call)) toolbox_.becomes_job(call.stop);
}

void Server::hand_over_when_due(ClientCall& call, bool is_background) {
  if (call.wants_task) return hand_over(call);
  if (const auto time = due(call, is_background)) calls_of(call).remind(call, *time);
}

// The time at which a call becomes a job if its command is still running. Nothing: it does not become one.
std::optional<Calls::Clock::time_point> Server::due(const ClientCall& call, bool is_background) const {
  if (is_background) return Calls::Clock::now() + Jobs::background_wait;
  if (!settings_.answer_within) return std::nullopt;
  if (settings_.waits_for_progress && waits_for_progress(call)) return std::nullopt;
  return call.arrived + *settings_.answer_within;
}

std::string Server::answered(const ClientCall& call, nlohmann::ordered_json result) {
  // The client accepts only a task, and the call did not become one, so the only possible answer is an error.
  if (call.wants_task && result.is_object()) {
    const int code = call.has_wrong_arguments ? invalid_params : internal_error;
    return error_line(call.id, {code, result.at("content").at(0).at("text").get<std::string>()});
  }
  return call.speaks_2026 ? protocol_2026_.answer_call(call, std::move(result)) : completed(call, std::move(result));
}

std::string Server::completed(const ClientCall& call, nlohmann::ordered_json result) const {
  return call.speaks_2026 ? protocol_2026_.complete(call.id, std::move(result)) : result_line(call.id, result);
}

}  // namespace wtool::host::mcp
