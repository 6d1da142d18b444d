#include "mcp/jobs.h"

#include <wtool/tool.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "base/edit_distance.h"
#include "base/escape.h"
#include "base/json_members.h"
#include "base/json_reader.h"
#include "base/raw_json.h"
#include "base/utf8.h"
#include "loader/stdin_parameter.h"
#include "mcp/tool_methods.h"

namespace wtool::host::mcp {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using std::chrono::milliseconds;
using std::chrono::seconds;

// While this many polls wait, further polls are answered immediately, so that threads are left for calls that stop
// jobs.
constexpr int max_waiters = 8;
// Longer than limits.grace_seconds is by default, and shorter than clients wait.
constexpr seconds stop_wait{10};
constexpr std::size_t max_shown_command = 80;

constexpr std::string_view poll_schema =
    R"({"type":"object","properties":{"job":{"type":"integer"},)"
    R"("wait":{"type":"integer","description":"Seconds to wait for its end"}},"required":["job"]})";
constexpr std::string_view stop_schema =
    R"({"type":"object","properties":{"job":{"type":"integer"}},"required":["job"]})";
constexpr std::string_view list_schema = R"({"type":"object"})";

std::string command_of(const ClientCall& call) {
  if (call.server_tool != nullptr) return call.tool->id;
  const json arguments = parse_json(call.arguments);
  const json* command = member(arguments, "command");
  if (command == nullptr || !command->is_string()) return {};
  const auto& text = command->get_ref<const std::string&>();
  const std::size_t end = cut_after(text, std::min(text.size(), max_shown_command));
  return escaped(text.substr(0, end)) + (end < text.size() ? " ..." : "");
}

// The argument `name`, in which problem_of() has found nothing wrong; 0: it is absent.
std::uint64_t number_of(const json& arguments, std::string_view name) {
  const json* number = member(arguments, name);
  return number == nullptr ? 0 : number->get<std::uint64_t>();
}

// What is wrong with the arguments of a tool that has these parameters; empty: nothing.
std::string problem_of(const json& arguments, std::initializer_list<std::string_view> names) {
  for (const auto& [name, value] : arguments.items()) {
    if (std::find(names.begin(), names.end(), name) == names.end()) return unknown_argument(name, names);
    if (std::string problem = number_problem(name, value, name == "wait" ? 0 : 1); !problem.empty()) return problem;
  }
  const bool is_missing = std::find(names.begin(), names.end(), "job") != names.end() && !arguments.contains("job");
  return is_missing ? "the parameter job is missing: the number of a job (job_list lists all)" : "";
}

}  // namespace

Jobs::Jobs(OutputStore& outputs, ResultSettings results, seconds max_poll_wait, Answer answer, Send send)
    : outputs_(outputs),
      results_(results),
      max_poll_wait_(max_poll_wait),
      answer_(std::move(answer)),
      send_(std::move(send)) {}

Jobs::Command::Command(Jobs& jobs, ClientCall& call, CallProgress::Reports& reports,
                       std::shared_ptr<StoredOutput> output)
    : jobs_(jobs), call_(call), job_(std::make_shared<Job>()) {
  job_->call = &call;
  job_->reports = &reports;
  job_->output = std::move(output);
  const std::lock_guard lock(jobs_.mutex_);
  jobs_.running_.emplace(&call, job_);
}

// If there is still no result here, an exception has ended the call.
// NOLINTNEXTLINE(bugprone-exception-escape): only for want of memory for this text, and then nothing can go on
Jobs::Command::~Command() {
  OrderedOutcome none;
  none.error = "an internal error has ended the job; its output until then is kept";
  take(none);
}

bool Jobs::Command::take(OrderedOutcome& outcome) {
  ordered_json none;
  return end(outcome, none);
}

bool Jobs::Command::take(ordered_json& result) {
  OrderedOutcome none;
  return end(none, result);
}

bool Jobs::Command::end(OrderedOutcome& outcome, ordered_json& result) {
  const std::lock_guard lock(jobs_.mutex_);
  if (job_->call == nullptr) return job_->number != 0;
  jobs_.running_.erase(&call_);
  job_->call = nullptr;
  if (job_->number == 0) return false;
  job_->outcome = std::move(outcome);
  job_->result = std::move(result);
  job_->ended = Clock::now();
  if (!job_->task.empty()) jobs_.end_task(*job_);
  jobs_.ended_.notify_all();
  return true;
}

bool Jobs::is_full() {
  const std::lock_guard lock(mutex_);
  make_room();
  return jobs_.size() >= max_jobs;
}

std::string Jobs::full_text() {
  return "there are already " + std::to_string(max_jobs) +
         " jobs and tasks, so this call cannot become a job or a task: poll or stop some of them first (job_list "
         "lists the jobs, tasks/list the tasks)";
}

bool Jobs::hand_over(ClientCall& call) {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(&call);
  if (found == running_.end() || found->second->number != 0) return false;
  Job& job = *found->second;
  make_room();
  if (jobs_.size() >= max_jobs) {
    const StopHow how = call.server_tool == nullptr ? StopHow::now : call.server_tool->when_cancelled;
    call.stop.request(how, full_text());
    return false;
  }
  job.reports->end();
  const ordered_json task = call.wants_task ? create_task(call, job) : ordered_json();
  job.number = outputs_.number(job.output);
  job.command = command_of(call);
  // The job is registered before the call is answered: memory may run out here, and the client must not get the number
  // of a job that does not exist.
  const auto kept = jobs_.emplace(job.number, found->second).first;
  if (answer_(call, call.wants_task ? task : report(job))) return true;
  jobs_.erase(kept);
  job.number = 0;
  return false;
}

namespace {

std::string waits_of(ClientCall& call) {
  std::string text;
  const std::lock_guard lock(call.waits_mutex);
  for (const std::string& how : call.waits) text += (text.empty() ? "" : "; ") + how;
  return text;
}

// Where the last whole line between `begin` and `end` ends; `end` if none ends in the last `most` bytes.
std::uint64_t end_of_last_line(const StoredOutput& output, OutputStream stream, std::uint64_t begin, std::uint64_t end,
                               std::uint64_t most) {
  const StoredOutput::Size size = output.size(stream);
  if (size.lost(begin, end) > 0) begin = std::min(size.gap_end, end);
  if (end - begin > most) begin = end - most;
  const std::size_t newline = output.read(stream, begin, static_cast<std::size_t>(end - begin)).rfind('\n');
  return newline == std::string::npos ? end : begin + newline + 1;
}

}  // namespace

// Replaces the output in the metadata by the part that was not shown yet.
void Jobs::show_new_output(Job& job, ordered_json& metadata) {
  const bool runs = job.call != nullptr;
  for (const OutputStream stream : {OutputStream::standard_output, OutputStream::standard_error}) {
    const std::string name = stream == OutputStream::standard_output ? "stdout" : "stderr";
    const auto size = job.output->size(stream);
    // The store does not have the end of the stream, so the text that the tool has put into the metadata stays.
    if (!runs && size.lost() > 0 && size.gap_end == size.written) {
      if (const auto rest = left_out(metadata, name, size.written)) {
        add_lost_bytes(metadata, size, rest->begin, rest->end);
      }
      continue;
    }
    std::uint64_t& shown = job.shown[static_cast<std::size_t>(stream)];
    const std::uint64_t half = results_.output_bytes / 2;
    std::uint64_t end = size.written;
    if (runs) {
      // A line that is not complete waits for the next poll, unless it is alone: it may be a question that stays so.
      end = job.output->between_characters(stream, end);
      end = end_of_last_line(*job.output, stream, shown, end, half);
    }
    // What is left out: what is too long, and what is not kept.
    const bool is_too_long = end - shown > results_.output_bytes;
    std::uint64_t head = is_too_long ? job.output->between_characters(stream, shown + half) : end;
    std::uint64_t tail = is_too_long ? job.output->between_characters(stream, end - half) : shown;
    if (size.lost(shown, end) > 0) {
      head = std::min(head, std::max(shown, size.gap_begin));
      tail = std::max(tail, std::min(size.gap_end, end));
    }
    const auto has_nul = [&](std::uint64_t from, std::uint64_t to) {
      return job.output->read(stream, from, static_cast<std::size_t>(to - from)).find('\0') != std::string::npos;
    };
    const bool is_short = end - shown <= max_shown_binary || !results_.has_output_read;
    if (results_.style == ResultStyle::text && !is_short && (has_nul(shown, head) || has_nul(tail, end))) {
      head = std::min(head, job.output->between_characters(stream, shown + max_shown_binary));
      tail = end;
      metadata[name + "_binary"] = true;
    }
    std::string out;
    const auto add_gap = [&](std::uint64_t bytes) {
      if (!out.empty() && out.back() != '\n') out += '\n';
      out += gap(bytes);
    };
    bool is_cut = tail > head;
    const auto add = [&](std::uint64_t from, std::uint64_t to) {
      std::string bytes = job.output->read(stream, from, static_cast<std::size_t>(to - from));
      const std::uint64_t missing = to - from - bytes.size();
      out += to_utf8(std::move(bytes));
      if (missing > 0) add_gap(missing);  // The gap has grown since the size was asked for.
      is_cut = is_cut || missing > 0;
    };
    add(shown, head);
    if (tail > head) {
      add_gap(tail - head);
      add(tail, end);
      add_lost_bytes(metadata, size, head, tail);
      if (results_.has_output_read && size.lost(head, tail) < tail - head) {
        add_output_read(metadata, job.number, name, head);
      }
    }
    metadata[metadata.contains("partial_" + name) ? "partial_" + name : name] = std::move(out);
    metadata[name + "_truncated"] = is_cut;
    metadata[name + "_bytes"] = end - shown;
    shown = end;
  }
}

// The result that describes a job now. With mutex_ held.
ordered_json Jobs::report(Job& job) {
  if (job.call == nullptr && !job.result.is_null()) return job.result;
  if (job.call == nullptr) {
    if (job.outcome.kind == ToolOutcome::Kind::not_made) return refusal(job.outcome.error);
    ordered_json metadata = object_member(job.outcome.result, "metadata");
    cut_streams(metadata, results_.output_bytes);
    if (metadata.contains("stdout_bytes")) show_new_output(job, metadata);
    return command_result(metadata, job.outcome.is_error, results_);
  }
  const auto runs_for = std::chrono::duration_cast<milliseconds>(Clock::now() - job.began);
  ordered_json metadata{{"job", job.number}, {"status", "running"}, {"execution_time_ms", runs_for.count()}};
  if (std::string waits = waits_of(*job.call); !waits.empty()) {
    metadata["waits_for"] = std::move(waits);
  } else if (job.call->open_forms.load() > 0) {
    metadata["waits_for_form"] = true;
  }
  show_new_output(job, metadata);
  return command_result(metadata, false, results_);
}

ordered_json Jobs::list() const {
  std::string text;
  const std::lock_guard lock(mutex_);
  for (const auto& [number, job] : jobs_) {
    if (!job->task.empty()) continue;
    const auto until = job->call == nullptr ? job->ended : Clock::now();
    const auto time = std::to_string(std::chrono::duration_cast<seconds>(until - job->began).count()) + " s";
    const std::string waits = job->call == nullptr ? "" : waits_of(*job->call);
    const bool shows_form = job->call != nullptr && job->call->open_forms.load() > 0;
    // A command waits for the answer before it runs. A workflow may wait in one branch, and run in another one.
    const bool is_not_begun = (!waits.empty() || shows_form) && job->call->server_tool == nullptr;
    text += std::to_string(number) +
            (job->call == nullptr ? " ended after "
             : is_not_begun       ? " has waited for an answer for "
                                  : " runs for ") +
            time + (job->command.empty() ? "" : ": " + job->command) +
            (waits.empty() ? "" : " (it waits until a person allows it: " + waits + ")") +
            (waits.empty() && shows_form ? " (it waits for the person's answer to a form)" : "") + '\n';
  }
  if (text.empty()) return text_result("no jobs");
  text.pop_back();
  return text_result(std::move(text));
}

// Sends the answer itself, because output counts as shown only if the answer is really sent.
ordered_json Jobs::report_after(ClientCall& call, std::uint64_t number, seconds wait, bool stops) {
  // call.stop must not be asked below, with mutex_ held: it keeps its own lock while it calls its listeners, and this
  // listener takes mutex_.
  std::atomic<bool> cancelled{false};
  const Stop::Subscription listening = call.stop.subscribe([&](const StopRequest&) {
    cancelled.store(true);
    const std::lock_guard lock(mutex_);
    ended_.notify_all();
  });
  std::unique_lock lock(mutex_);
  const auto find = [&] {
    const auto found = number <= INT_MAX ? jobs_.find(static_cast<int>(number)) : jobs_.end();
    return found != jobs_.end() && found->second->task.empty() ? found : jobs_.end();
  };
  const std::string unknown = "there is no job " + std::to_string(number) +
                              " (job_list lists all jobs); a job that has ended is forgotten once it was polled" +
                              (results_.has_output_read ? ", but output_read still shows its output" : "");
  if (find() == jobs_.end()) return refusal(unknown);
  const std::shared_ptr<Job> job = find()->second;
  if (stops && job->call != nullptr) job->call->stop.request(StopHow::graceful, "job_stop has ended the job");
  if (wait > seconds(0) && waiting_ < max_waiters) {
    ++waiting_;
    ended_.wait_for(lock, wait, [&] { return job->call == nullptr || cancelled.load(); });
    --waiting_;
  }
  if (find() == jobs_.end()) return refusal(unknown);  // Another call has polled it in the meantime.
  const auto shown = job->shown;
  ordered_json result = report(*job);
  if (stops) result["isError"] = false;
  if (!answer_(call, std::move(result))) {
    job->shown = shown;  // The client did not get this output.
  } else if (job->call == nullptr) {
    jobs_.erase(job->number);
  }
  return {};
}

ordered_json Jobs::poll(ClientCall& call) {
  const json arguments = parse_json_or_throw(call.arguments);
  if (const std::string problem = problem_of(arguments, {"job", "wait"}); !problem.empty()) return refusal(problem);
  const auto most = static_cast<std::uint64_t>(max_poll_wait_.count());
  return report_after(call, number_of(arguments, "job"), seconds(std::min(number_of(arguments, "wait"), most)), false);
}

ordered_json Jobs::stop(ClientCall& call) {
  const json arguments = parse_json_or_throw(call.arguments);
  if (const std::string problem = problem_of(arguments, {"job"}); !problem.empty()) return refusal(problem);
  return report_after(call, number_of(arguments, "job"), stop_wait, true);
}

ServerTools Jobs::tools() {
  ServerTools tools;
  const auto add = [&](const char* name, const char* description, std::string_view schema, std::uint32_t hints,
                       std::function<ordered_json(ClientCall&)> answer) {
    tools.push_back(
        {.description = {.id = name, .description = description, .input_schema = std::string(schema), .hints = hints},
         .is_urgent = true,
         .answer = [answer = std::move(answer)](ClientCall& call, CallProgress::Reports&) { return answer(call); }});
  };
  add("job_poll", "New output of a job, and how it ended.", poll_schema, WTOOL_HINT_READ_ONLY,
      [this](ClientCall& call) { return poll(call); });
  add("job_stop", "Ends a job with all that it started.", stop_schema, 0,
      [this](ClientCall& call) { return stop(call); });
  add("job_list", "Running jobs, and jobs whose end was not polled.", list_schema, WTOOL_HINT_READ_ONLY,
      [this](ClientCall& call) {
        const std::string problem = problem_of(parse_json_or_throw(call.arguments), {});
        return problem.empty() ? list() : refusal(problem);
      });
  return tools;
}

bool may_ask_for_job(const ToolDescription& tool, const ServerTool* server_tool) {
  return server_tool == nullptr ? tool.id == command_tool : server_tool->may_become_job;
}

bool ends_in_time(const ToolDescription& tool) { return tool.id.starts_with("pty_"); }

bool takes_background(const ToolDescription& tool) {
  const json schema = parse_json(tool.input_schema);
  const json* properties = member(schema, "properties");
  return properties == nullptr || !properties->contains("background");
}

void add_background(ordered_json& tool) {
  if (tool["inputSchema"]["properties"].contains("background")) return;
  constexpr std::string_view without_jobs = "start a server and use it in one command";
  auto& description = tool["description"].get_ref<std::string&>();
  if (const std::size_t at = description.find(without_jobs); at != std::string::npos) {
    description.replace(at, without_jobs.size(), "run a server with \"background\"");
  }
  tool["inputSchema"]["properties"]["background"] = {{"type", "boolean"}, {"description", "Return a job immediately."}};
}

std::vector<std::string> parameters_with_background(const ToolDescription& tool) {
  ordered_json schema = parse_ordered_json(tool.input_schema);
  if (tool.id == stdin_tool) add_stdin(schema);
  const auto open = schema.find("additionalProperties");
  if (open == schema.end() || *open != false) return {};
  const ordered_json properties = object_member(schema, "properties");
  std::vector<std::string> names;
  for (const auto& [name, value] : properties.items()) names.push_back(name);
  names.emplace_back("background");
  return names;
}

std::string unknown_parameter(const std::vector<std::string>& parameters, std::string_view arguments) {
  if (parameters.empty()) return {};
  std::optional<std::string> unknown;
  JsonCursor cursor(arguments);
  RawJson value;
  cursor.object([&](std::string_view written) {
    std::string name = without_json_escapes(written);
    if (std::find(parameters.begin(), parameters.end(), name) == parameters.end()) unknown = std::move(name);
    return !unknown && cursor.value(value);
  });
  return unknown ? "there is no parameter " + show_json(*unknown) + known_names(*unknown, "parameters", parameters)
                 : "";
}

BackgroundRequest take_background(const std::string& arguments) {
  BackgroundRequest request;
  if (arguments.find("\"background\"") == std::string::npos) return request;
  json parsed = parse_json_or_throw(arguments);
  const auto found = parsed.find("background");
  if (found == parsed.end()) return request;
  request.is_given = true;
  if (!found->is_boolean()) {
    request.problem = "background must be true or false, but is " + escaped(dumped(*found)) + "; nothing has been run";
    return request;
  }
  request.wanted = found->get<bool>();
  parsed.erase(found);
  request.arguments = dumped(parsed);
  return request;
}

bool waits_for_progress(const ClientCall& call) {
  // Codex asks for the progress of every call, but its time limit ignores progress.
  const bool is_codex = call.client == "codex-mcp-client";
  return !call.progress_token.empty() && !is_codex;
}

}  // namespace wtool::host::mcp
