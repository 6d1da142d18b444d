// Tasks of protocol 2025-11-25: jobs by another name.
#include <algorithm>
#include <utility>

#include "base/escape.h"
#include "base/time_text.h"
#include "mcp/jobs.h"
#include "mcp/request_state.h"
#include "mcp/tool_methods.h"

namespace wtool::host::mcp {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using std::chrono::milliseconds;

constexpr const char* related_task = "io.modelcontextprotocol/related-task";
// How many requests may wait for the end of one task; a client needs only one.
constexpr std::size_t max_requests = 16;

}  // namespace

bool Jobs::is_task_method(std::string_view method) {
  return method == "tasks/get" || method == "tasks/result" || method == "tasks/list" || method == "tasks/cancel";
}

std::string Jobs::answer_task_method(const Message& request) {
  const std::lock_guard lock(mutex_);
  drop_expired_tasks();
  Error error;
  if (request.method == "tasks/list") {
    if (member(request.body, "cursor") != nullptr) {
      return error_line(request.id, {invalid_params, "the cursor is not one that this server has given"});
    }
    ordered_json tasks = ordered_json::array();
    for (const auto& [number, job] : jobs_) {
      if (!job->task.empty()) tasks.push_back(task_object(*job));
    }
    return result_line(request.id, ordered_json{{"tasks", std::move(tasks)}});
  }
  Job* const job = find_task(request.body, error);
  if (job == nullptr) return error_line(request.id, error);
  if (request.method == "tasks/get") return result_line(request.id, task_object(*job));
  if (request.method == "tasks/cancel") return cancel_task(request.id, *job);
  if (job->call == nullptr) return task_result(request.id, *job);
  if (job->requests.size() >= max_requests) {
    return error_line(request.id, {internal_error, "too many requests already wait for the result of this task"});
  }
  job->requests.push_back({request.id, request.key});
  return {};
}

bool Jobs::has_waiting(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(jobs_.begin(), jobs_.end(), [&](const auto& entry) {
    const auto& requests = entry.second->requests;
    return std::any_of(requests.begin(), requests.end(), [&](const auto& one) { return one.key == key; });
  });
}

void Jobs::cancel_waiting(const std::string& key) {
  const std::lock_guard lock(mutex_);
  for (const auto& [number, job] : jobs_) std::erase_if(job->requests, [&](const auto& one) { return one.key == key; });
}

// Drops the tasks that have ended, and for which the condition is true.
template <typename Condition>
void Jobs::drop_tasks(Condition is_droppable) {
  std::erase_if(jobs_, [&](const auto& entry) {
    const Job& job = *entry.second;
    return !job.task.empty() && job.call == nullptr && is_droppable(job);
  });
}

bool Jobs::has_expired(const Job& job) { return job.ttl && Clock::now() - job.began >= milliseconds(*job.ttl); }

void Jobs::drop_expired_tasks() {
  drop_tasks([](const Job& job) { return job.is_read && has_expired(job); });
}

void Jobs::make_room() {
  drop_expired_tasks();
  if (jobs_.size() >= max_jobs) drop_tasks([](const Job& job) { return job.is_read; });
  if (jobs_.size() >= max_jobs) drop_tasks(has_expired);
}

Jobs::Job* Jobs::find_task(const json& params, Error& error) {
  const json* id = member(params, "taskId");
  if (id == nullptr || !id->is_string()) {
    error = {invalid_params, "the request needs the taskId of a task, as a string"};
    return nullptr;
  }
  const auto& wanted = id->get_ref<const std::string&>();
  const auto found = std::find_if(jobs_.begin(), jobs_.end(), [&](const auto& entry) {
    return !entry.second->task.empty() && entry.second->task == wanted;
  });
  if (found != jobs_.end()) return found->second.get();
  error = {invalid_params, "there is no task " + escaped(wanted) +
                               "; a task that has ended is forgotten once its result was read and its ttl is over"};
  return nullptr;
}

ordered_json Jobs::create_task(ClientCall& call, Job& job) {
  job.task = new_identifier();
  job.ttl = call.task_ttl;
  job.created = job.updated = std::chrono::system_clock::now();
  call.task = job.task;
  return {{"task", task_object(job)}};
}

ordered_json Jobs::task_object(const Job& job) {
  const auto failed = [&] {
    if (!job.result.is_null()) return job.result.value("isError", false);
    return job.outcome.kind == ToolOutcome::Kind::not_made || job.outcome.is_error;
  };
  const char* status = "working";
  if (job.is_cancelled) {
    status = "cancelled";
  } else if (job.call == nullptr) {
    status = failed() ? "failed" : "completed";
  } else if (job.call->open_forms.load() > 0) {
    status = "input_required";
  }
  return {{"taskId", job.task},
          {"status", status},
          {"createdAt", iso_time(job.created)},
          {"lastUpdatedAt", iso_time(job.updated)},
          {"ttl", job.ttl ? ordered_json(*job.ttl) : ordered_json()},
          {"pollInterval", poll_interval.count()}};
}

// The result that the call would have had. It can be asked for repeatedly.
std::string Jobs::task_result(const std::string& id, Job& job) {
  job.is_read = true;
  job.shown = {};
  ordered_json result = report(job);
  result["_meta"][related_task] = {{"taskId", job.task}};
  return result_line(id, result);
}

std::string Jobs::cancel_task(const std::string& id, Job& job) {
  if (job.call == nullptr || job.is_cancelled) {
    const std::string status = task_object(job).at("status");
    return error_line(id, {invalid_params, "the task cannot be cancelled: it is already " + status});
  }
  job.is_cancelled = true;
  job.is_read = true;  // a client that cancels wants no result: the task stays only while there is room
  job.updated = std::chrono::system_clock::now();
  job.call->stop.request(StopHow::graceful, "the client has cancelled the task");
  return result_line(id, task_object(job));
}

void Jobs::end_task(Job& job) {
  if (!job.is_cancelled) job.updated = std::chrono::system_clock::now();
  for (const Job::Request& request : std::exchange(job.requests, {})) send_(task_result(request.id, job));
}

}  // namespace wtool::host::mcp
