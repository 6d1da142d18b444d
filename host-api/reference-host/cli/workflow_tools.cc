#include "cli/workflow_tools.h"

#include <unistd.h>
#include <wtool/tool.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/edit_distance.h"
#include "base/environment.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/approvals.h"
#include "cli/context.h"
#include "cli/continued_run.h"
#include "cli/journaled_run.h"
#include "cli/load_run.h"
#include "cli/prepared_workflow.h"
#include "cli/tool_results.h"
#include "cli/workflow_list.h"
#include "journal/journal_reader.h"
#include "journal/observers.h"
#include "journal/runs_folder.h"
#include "mcp/call_tools.h"
#include "mcp/results.h"
#include "runner/waiting.h"
#include "workflow/check/checker.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/parameters.h"
#include "workflow/parse/library.h"
#include "workflow/parse/parser.h"

namespace wtool::host {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;
using Values = std::map<std::string, expressions::Value>;

constexpr const char* resume_argument = "resume";
constexpr std::size_t max_tool_name = 64;  // models do not accept longer names
constexpr std::size_t max_workflows = 200;

void not_served(const std::string& file, const std::string& why) {
  complain(file + ": the workflow was not served: " + why);
}

bool is_tool_name(const std::string& name) {
  return !name.empty() && name.size() <= max_tool_name &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_word_character(c) || c == '-'; });
}

std::string name_of(const workflow::Workflow& workflow, const std::string& file) {
  return workflow.name.empty() ? fs::path(file).stem().string() : workflow.name;
}

std::string description_of(const workflow::Workflow& workflow, const std::string& name) {
  if (!workflow.description.empty()) return workflow.description;
  return workflow.title.empty() ? "Runs the workflow " + name : workflow.title;
}

std::string schema_of(const workflow::Workflow& workflow) {
  ordered_json schema = workflow::parameters_schema(workflow);
  schema["properties"][resume_argument] = {
      {"type", "string"},
      {"description", "The id of a run that has not completed, or `last`; the call continues that run"}};
  return schema.dump();
}

// The file, if its front matter says that it is a tool, or has a mistake that makes this unclear. Nothing: the file is
// not a tool, or it cannot be read at all, and the reason is on standard error.
std::optional<workflow::Source> tool_source(const std::string& file) {
  std::string error = is_utf8(file) ? "" : "its path is not valid UTF-8";
  workflow::Source source;
  if (error.empty()) source = workflow::load_source(file, error);
  if (!error.empty()) {
    not_served(escaped(file), error);
    return std::nullopt;
  }
  workflow::Diagnostics diagnostics;
  const workflow::Workflow parsed = workflow::parse_workflow(source, diagnostics);
  const bool is_unread = !diagnostics.empty() && parsed.names_unread && parsed.diagram_unread;
  const bool is_wanted = parsed.is_tool || is_unread || (parsed.says_tool && !diagnostics.empty());
  return is_wanted ? std::optional(std::move(source)) : std::nullopt;
}

// Why the workflow cannot be a tool even though it can be run; empty: it can be a tool.
std::string problem_of(const workflow::Workflow& workflow, const std::string& name) {
  if (!is_tool_name(name)) {
    return "\"" + escaped(name) +
           "\" is not a valid name for a tool: set `name` in its front matter to letters, digits, _ and -, " +
           std::to_string(max_tool_name) + " at most";
  }
  for (const workflow::Parameter& parameter : workflow.parameters) {
    if (parameter.name != resume_argument) continue;
    return "its parameter 'resume' has the name of the argument that continues a run; give it another name";
  }
  return {};
}

// True if a whole number in the value does not fit into 64 bits. A larger one than those of 64 bits without a sign was
// read as a double, which has rounded it.
bool has_rounded_integer(const json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>() > INT64_MAX;
  if (value.is_number_float()) return std::abs(value.get<double>()) >= 0x1p63;
  return value.is_structured() && std::any_of(value.begin(), value.end(), has_rounded_integer);
}

// The arguments that a client has passed to a call.
struct Arguments {
  Values values;
  std::string resume;  // the run to continue; empty: a new run begins
  std::vector<std::string> errors;
};

Arguments read_arguments(const workflow::Workflow& workflow, const std::string& text) {
  Arguments read;
  const json given = parse_json_or_throw(text);
  std::vector<std::string> known{resume_argument};
  for (const workflow::Parameter& parameter : workflow.parameters) known.push_back(parameter.name);
  for (const auto& [name, value] : given.items()) {
    if (name == resume_argument) {
      if (!value.is_string()) read.errors.emplace_back("resume: must be the id of a run, a string");
      // The caller wants to continue a run, so an empty text must not begin another one.
      if (value == "") read.errors.emplace_back("resume: must be the id of a run, or `last`, but is empty");
      if (value.is_string()) read.resume = value.get<std::string>();
      continue;
    }
    const workflow::Parameter* const declared = workflow::find_parameter(workflow, name);
    if (declared == nullptr) {
      read.errors.push_back(escaped(name) + ": the workflow has no parameter of that name" + did_you_mean(name, known));
      continue;
    }
    if (has_rounded_integer(value)) {
      read.errors.push_back(name + ": " + (declared->secret ? "a number" : show_json(value)) +
                            " does not fit into 64 bits");
      continue;
    }
    std::string why;
    if (auto made = workflow::argument_value(*declared, value, why)) {
      read.values.insert_or_assign(name, std::move(*made));
    } else {
      read.errors.push_back(name + ": " + why);
    }
  }
  return read;
}

std::string as_text(const std::vector<std::string>& sentences) {
  std::string text = "nothing was run:";
  for (const std::string& sentence : sentences) text += '\n' + sentence;
  return text;
}

// Adds a line to the reports of the call for each event of the run.
class LinesOfRun final : public runner::RunObserver {
 public:
  explicit LinesOfRun(mcp::CallProgress::Reports& reports) : reports_(reports) {}

  void combination_begun(const std::string& branch, const expressions::Value& values) override {
    const std::lock_guard lock(mutex_);
    combinations_.insert_or_assign(branch, report::combination_name(values));
  }
  void state_entered(const runner::Step& step) override {
    // A step that is kept from before the run was resumed does not run now.
    if (step.of().action && !step.of().hidden && !step.replayed) tell(label(step));
  }
  void call_state(const runner::Step& step, const CallState& state) override {
    if (!state.node.empty()) tell(label(step) + ": on " + state.node);
    if (state.waits_for_node()) tell(label(step) + ": waits for a node");
    if (state.state == "stopping") tell(label(step) + ": is being stopped: " + state.reason);
  }
  void output(const runner::Step& step, bool /*is_error_stream*/, std::string_view bytes) override {
    const std::size_t end = bytes.find_last_not_of("\r\n");
    if (end == std::string_view::npos) return;
    bytes = bytes.substr(0, end + 1);
    const std::size_t begin = bytes.find_last_of("\r\n");
    tell(label(step) + ": " + std::string(begin == std::string_view::npos ? bytes : bytes.substr(begin + 1)));
  }
  void logged(const runner::Step& step, workflow::LogAction::Level /*level*/, std::string_view text) override {
    tell(label(step) + ": " + std::string(text));
  }
  void retrying(const runner::Step& step, const runner::Outcome& /*outcome*/,
                std::chrono::milliseconds /*wait*/) override {
    tell(label(step) + ": try " + std::to_string(step.tries) + " failed");
  }

 private:
  std::string label(const runner::Step& step) {
    const std::lock_guard lock(mutex_);
    return report::step_label(step, combinations_);
  }
  void tell(std::string line) {
    line += '\n';
    const std::lock_guard lock(mutex_);
    reports_.take(OutputStream::standard_output, line);
  }

  mcp::CallProgress::Reports& reports_;
  std::mutex mutex_;
  report::CombinationNames combinations_;
};

// The run that a call continues, with the notices about it.
struct Continued {
  std::unique_ptr<PreparedWorkflow> workflow;  // cut to the part that the run is limited to
  std::unique_ptr<journal::ResumedRun> run;
  ReadyRun ready;
  std::vector<std::string> notices;
};

// Why only a person can continue the run; empty: a client can, too.
std::string needs_a_person(const PreparedWorkflow& prepared, const journal::RunRecord& earlier,
                           const runner::RunPolicy& policy) {
  const runner::RunSettings& before = earlier.settings;
  if (earlier.status == runner::RunReport::Status::completed) return "it has completed the part that --until named";
  if (!before.env_files.empty()) return "it was started with --env-file, which a client cannot give";
  if (before.on == "cluster" && prepared.tools().own_place() != "cluster") return "it was started with --on cluster";
  // Its commands may have written files that were harmless only under that policy.
  if (!before.policy.name.empty() && before.policy != policy) {
    return "it was confined by the policy " + before.policy.name + " to " + before.policy.root +
           (before.policy.network ? "" : ", without network") + ", and this server has another policy";
  }
  // A server cannot cancel jobs: its plugin is in use.
  if (!earlier.status && !before.jobs.empty()) return "it was killed and may have left jobs on the cluster";
  return {};
}

// Says that the run is still running, and what ends it. `wtool stop` refuses to stop a run of a server, this one or
// another.
std::string still_running(const std::string& id, const std::string& file) {
  std::string error;
  const auto run = journal::read_journal_ends(file, error);
  if (run && run->host == host_name() && run->pid == ::getpid()) {
    return "the run " + id +
           " is still running: another call of this server runs it. If that call is a job, job_list shows it and " +
           "job_stop ends it; if not, only its client can cancel it";
  }
  return "the run " + id + " is still running in another process" +
         (run ? ", " + std::to_string(run->pid) + " on " + run->host : "") +
         ". If that is a `wtool run`, a person can end it with `wtool stop " + id +
         "`; if it is another server, only its client can";
}

Continued continue_run(const PreparedWorkflow& prepared, Arguments& given, const runner::RunPolicy& policy,
                       runner::Secrets& secrets) {
  Continued made;
  const auto refuse = [&](std::string why) {
    given.errors.push_back("resume: " + std::move(why));
    return Continued{};
  };
  std::string error;
  const std::string id = run_of_file(prepared.directory(), prepared.source().name(), given.resume, error);
  if (id.empty()) return refuse(error);
  const std::string file = journal::journal_file(prepared.directory(), id);
  if (journal::is_being_written(file)) return refuse(still_running(id, file));
  auto resumed = journal::resume_run(prepared.directory(), id, "", journal_options(secrets), error);
  if (!resumed) return refuse(error);
  if (const std::string why = needs_a_person(prepared, resumed->run, policy); !why.empty()) {
    return refuse("the run " + id + " is not continued: " + why + "; `wtool resume " + id + "` continues it");
  }
  made.notices = resumed->notices;
  if (std::string notice = changed_since(prepared.source(), resumed->run); !notice.empty()) {
    made.notices.push_back(std::move(notice));
  }
  made.workflow = prepared.copy();
  auto ready = make_ready(*made.workflow, *resumed, {.values = given.values, .by_client = true}, given.errors);
  if (!ready) return made;
  made.ready = std::move(*ready);
  made.run = std::make_unique<journal::ResumedRun>(std::move(*resumed));
  return made;
}

// The inputs of a new run. What is wrong with them is added to `given.errors`.
std::map<std::string, expressions::Value> checked_inputs(const PreparedWorkflow& prepared, Arguments& given) {
  auto inputs = workflow::resolve_inputs(prepared.workflow(), {}, workflow::names_read(prepared.workflow()),
                                         given.errors, given.values, "");
  workflow::Diagnostics needed;
  if (given.errors.empty()) workflow::check_values(prepared.workflow(), inputs, "", needed);
  if (!needed.empty()) given.errors.emplace_back(trimmed(needed.text(prepared.source()), "\n"));
  return inputs;
}

// The journal of the continued run, or a new one. nullptr: a new notice says why the run keeps none.
std::unique_ptr<journal::Journal> journal_of(Continued& continued, const PreparedWorkflow& prepared,
                                             const runner::Secrets& secrets, std::vector<std::string>& notices) {
  if (continued.run != nullptr) return std::move(continued.run->journal);
  std::string error;
  auto journal = journal::Journal::create(prepared.directory(), journal_options(secrets), error);
  if (!journal) notices.push_back("this run keeps no journal and cannot be resumed: " + error);
  return journal;
}

}  // namespace

std::unique_ptr<WorkflowTools> WorkflowTools::open(Context& context, const std::string& folder,
                                                   const std::vector<std::string>& taken, mcp::Elicitation& elicitation,
                                                   std::size_t output_bytes, runner::RunPolicy policy) {
  std::vector<std::string> files;
  std::error_code failed;
  fs::directory_iterator entries(folder, failed);
  for (const fs::directory_iterator end; !failed && entries != end; entries.increment(failed)) {
    if (entries->path().extension() == ".md") files.push_back(entries->path().string());
  }
  if (failed) {
    complain("--workflows: the folder " + folder + " cannot be read: " + failed.message());
    return nullptr;
  }
  std::sort(files.begin(), files.end());
  std::vector<workflow::Source> sources;
  std::vector<std::string> paths;
  for (const std::string& file : files) {
    // The other workflows of the folder may be those that the tools run.
    const fs::path real = fs::canonical(file, failed);
    paths.push_back(failed ? file : real.string());
    if (auto source = tool_source(file)) sources.push_back(std::move(*source));
  }
  if (sources.size() > max_workflows) {
    complain("--workflows: the folder " + folder + " has " + std::to_string(sources.size()) +
             " workflows that are tools, more than the limit of " + std::to_string(max_workflows));
    return nullptr;
  }
  context.config_files().add_in_force(paths);
  const auto setup = WorkflowSetup::make(context);
  if (setup == nullptr) return nullptr;
  // A model can run what a person has reviewed, so commands of a run may not change the prompts of the next one.
  setup->prompts->read_each_file_once();
  std::unique_ptr<WorkflowTools> made(new WorkflowTools(*setup->tools, elicitation, output_bytes, std::move(policy)));
  for (workflow::Source& source : sources) made->add(setup, std::move(source));
  // A tool may run any workflow of the folder or of the library by a name that only the run knows.
  const workflow::Library library(setup->directory, shared_workflow_folders());
  for (workflow::Library::Listed& listed : library.list()) files.push_back(std::move(listed.file));
  setup->prompts->read_all(files);
  made->drop_taken_names(taken);
  if (!made->served_.empty()) return made;
  complain(
      "--workflows: no workflow in " + folder +
      " can be served: its file must be called NAME.md, its front matter must say `tool: true`, and `wtool lint` must "
      "find no errors in it");
  return nullptr;
}

void WorkflowTools::add(const std::shared_ptr<const WorkflowSetup>& setup, workflow::Source source) {
  const std::string file = source.name();
  auto prepared = PreparedWorkflow::open(setup, std::move(source), "served");
  if (!prepared) return;
  const workflow::Workflow& workflow = prepared->workflow();
  const std::string name = name_of(workflow, file);
  if (const std::string problem = problem_of(workflow, name); !problem.empty()) return not_served(file, problem);
  served_.push_back({{.id = name,
                      .title = workflow.title,
                      .version = workflow.version,
                      .description = description_of(workflow, name),
                      .input_schema = schema_of(workflow),
                      .hints = WTOOL_HINT_DESTRUCTIVE | WTOOL_HINT_OPEN_WORLD},
                     std::move(prepared)});
}

void WorkflowTools::drop_taken_names(const std::vector<std::string>& taken) {
  std::map<std::string, std::vector<std::string>> files;  // by name
  for (const Served& one : served_) files[one.description.id].push_back(one.workflow->source().name());
  const auto problem = [&](const Served& one) -> std::string {
    const std::string& name = one.description.id;
    if (std::find(taken.begin(), taken.end(), name) != taken.end()) {
      return "another tool has the name " + name + "; set another `name` in its front matter";
    }
    for (const std::string& file : files[name]) {
      if (file == one.workflow->source().name()) continue;
      return file + " also has the name " + name + "; set another `name` in the front matter of one of them";
    }
    return {};
  };
  std::erase_if(served_, [&](const Served& one) {
    const std::string why = problem(one);
    if (!why.empty()) not_served(one.workflow->source().name(), why);
    return !why.empty();
  });
}

mcp::ServerTools WorkflowTools::tools() {
  mcp::ServerTools tools;
  for (const Served& one : served_) {
    tools.push_back({.description = one.description,
                     .may_become_job = true,
                     // A graceful stop lets the states of `finally` run.
                     .when_cancelled = StopHow::graceful,
                     .answer = [this, &one](mcp::ClientCall& call, mcp::CallProgress::Reports& reports) {
                       return answer(one, call, reports);
                     }});
  }
  return tools;
}

ordered_json WorkflowTools::answer(const Served& served, mcp::ClientCall& call,
                                   mcp::CallProgress::Reports& reports) const {
  Arguments given = read_arguments(served.workflow->workflow(), call.arguments);
  // An earlier call has suspended this run to ask the client, and this call brings the answer.
  if (!call.continues.empty()) given.resume = call.continues;
  runner::Secrets secrets;
  Continued continued;
  if (given.errors.empty() && !given.resume.empty())
    continued = continue_run(*served.workflow, given, policy_, secrets);
  PreparedWorkflow& prepared = continued.workflow != nullptr ? *continued.workflow : *served.workflow;
  JournaledRun run;
  if (given.errors.empty() && continued.run == nullptr) run.inputs = checked_inputs(prepared, given);
  if (!given.errors.empty()) return mcp::refusal(as_text(given.errors));
  std::vector<std::string> notices = std::move(continued.notices);
  run.journal = journal_of(continued, prepared, secrets, notices);
  if (continued.run != nullptr) {
    run.past = &continued.run->past;
    run.inputs = std::move(continued.ready.inputs);
    run.settings = std::move(continued.ready.settings);
  }
  const std::string id = run.journal ? run.journal->run() : "";
  if (continued.run != nullptr) {
    call.continues = id;
    elicitation_.continues(id);
  }
  // If the run cannot be continued, an answer that comes with a later call would be useless.
  if (id.empty() && call.asks == mcp::ClientCall::Asks::later) call.asks = mcp::ClientCall::Asks::nobody;

  run.settings.traceparent = call.traceparent;
  run.settings.policy = policy_;
  run.settings.server = true;
  runner::ChildStop stop(call.stop);
  mcp::CallTools tools(toolbox_, elicitation_, call, stop.stop());
  run.confirm = [&tools](const std::string& question, Stop& asked_to_stop) {
    return tools.confirm(question, asked_to_stop);
  };
  run.skips_finally = [&tools, &call] {
    const auto asked = call.stop.requested();
    return tools.is_suspended() || (asked && asked->how == StopHow::now);
  };
  RunApprovals approvals(
      {.run = id,
       .journal = run.journal.get(),
       .asks = false,
       .not_asked = "the client of this server may be a program; a person answers with `wtool approve`",
       .trail = prepared.trail(),
       .pending = continued.run != nullptr ? pending_approvals(continued.run->run) : std::vector<PendingApproval>()},
      secrets);
  run.approve = [&approvals](const runner::ApprovalRequest& request, Stop& asked) {
    return approvals.ask(request, asked);
  };
  WorkflowToolResult result;
  report::FailedSteps failed;
  LinesOfRun lines(reports);
  journal::Observers shown({&result, &failed, reports.are_wanted() ? &lines : nullptr});
  const runner::RunPart part = run.settings.part;
  const runner::RunReport report = run_journaled(prepared, tools, std::move(run), secrets, stop.stop(), shown);
  if (tools.is_suspended()) {
    call.continues = id;
    elicitation_.suspended(call);
  } else {
    const std::lock_guard lock(call.asking);
    call.question.reset();
  }
  return result.of(report, part, failed, id, notices, output_bytes_);
}

}  // namespace wtool::host
