#include "cli/slurm.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "base/json.h"
#include "base/shell_quote.h"
#include "base/slurm_variables.h"
#include "base/text.h"

namespace wtool::host {

namespace {

constexpr int client_seconds = 10;        // the time limit of each program of Slurm
constexpr std::size_t max_job_name = 64;  // characters
constexpr std::size_t max_ids = 1000;     // on one command line

// What the plugin writes into a job's comment before the number of slots.
constexpr std::string_view slots_mark = "slots:";

bool is_job_character(char c) { return is_letter_or_digit(c) || c == '-'; }

std::string text_of_result(const nlohmann::json& envelope, const char* place) {
  const nlohmann::json::json_pointer pointer(place);
  return envelope.contains(pointer) && envelope[pointer].is_string() ? envelope[pointer].get<std::string>() : "";
}

std::string without_end(std::string text) {
  text.erase(text.find_last_not_of(" \r\n\t") + 1);
  return text;
}

std::string client_config() {
  nlohmann::json patterns = nlohmann::json::array();
  for (const std::string_view name : variables_kept_from_slurm) patterns.push_back(std::string(name) + '*');
  return nlohmann::json{{"environment", {{"deny", std::move(patterns)}}}}.dump();
}

}  // namespace

std::string slurm_job_name(const std::string& run) {
  std::string name = std::string(slurm_job_prefix) + run.substr(0, max_job_name - slurm_job_prefix.size());
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_job_character(c); }, '-');
  return name;
}

std::unique_ptr<SlurmClient> SlurmClient::open(Plugin& local, std::string& error) {
  std::unique_ptr<Toolbox> tools = Toolbox::open(local, client_config(), error);
  if (tools == nullptr) return nullptr;
  return std::unique_ptr<SlurmClient>(new SlurmClient(std::move(tools)));
}

std::optional<std::string> SlurmClient::run(const std::string& command, Stop& stop, std::string& error) {
  const std::string program = command.substr(0, command.find(' '));
  const ToolOutcome outcome =
      tools_->call("shell_execute", {{"command", command}, {"timeout", client_seconds}}, stop, nullptr);
  if (outcome.kind == ToolOutcome::Kind::not_made) {
    error = program + ": " + outcome.error;
    return std::nullopt;
  }
  if (outcome.kind == ToolOutcome::Kind::finished && !outcome.result.value("is_error", true)) {
    return text_of_result(outcome.result, "/metadata/stdout");
  }
  error = without_end(text_of_result(outcome.result, "/metadata/stderr"));
  if (error.empty()) error = text_of_result(outcome.result, "/metadata/error/message");
  if (error.empty()) error = text_of_result(outcome.result, "/content/0/text");
  if (!error.starts_with(program)) error = program + ": " + error;
  return std::nullopt;
}

std::optional<std::vector<SlurmClient::Job>> SlurmClient::jobs(const std::string& name, Stop& stop,
                                                               std::string& error) {
  std::string command =
      "squeue --all --noheader --user=" + std::to_string(::geteuid()) + " --format='%i|%j|%T|%N|%k|%r'";
  if (!name.empty()) command += " --name=" + shell_quoted(name);
  const auto out = run(command, stop, error);
  if (!out) return std::nullopt;
  std::vector<Job> jobs;
  std::istringstream lines(*out);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    Job job;
    std::string comment;
    for (std::string* field : {&job.id, &job.name, &job.state, &job.node, &comment, &job.reason}) {
      std::getline(fields, *field, '|');
    }
    if (comment.starts_with(slots_mark)) job.slots = std::atoi(comment.c_str() + slots_mark.size());
    const bool is_id = !job.id.empty() && job.id.find_first_not_of("0123456789_[]-") == std::string::npos;
    if (is_id && (name.empty() ? job.name.starts_with(slurm_job_prefix) : job.name == name)) {
      jobs.push_back(std::move(job));
    }
  }
  return jobs;
}

std::optional<std::vector<std::string>> SlurmClient::cancel_all(const std::string& name, Stop& stop,
                                                                std::string& error) {
  const auto left = jobs(name, stop, error);
  if (!left) return std::nullopt;
  std::vector<std::string> ids;
  for (std::size_t at = 0; at < left->size();) {
    std::string command = "scancel --quiet";
    for (std::size_t i = 0; i < max_ids && at < left->size(); ++i, ++at) {
      ids.push_back((*left)[at].id);
      command += ' ' + shell_quoted(ids.back());
    }
    if (!run(command, stop, error)) {
      if (at > max_ids) error = "not all of " + std::to_string(left->size()) + " jobs were cancelled: " + error;
      return std::nullopt;
    }
  }
  return ids;
}

}  // namespace wtool::host
