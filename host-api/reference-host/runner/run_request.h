// What a run is asked to do, and what it needs besides the tools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/stop.h"
#include "loader/explanation.h"
#include "loader/tool_caller.h"
#include "runner/approval.h"
#include "runner/past_run.h"
#include "runner/run_observer.h"
#include "runner/run_part.h"
#include "runner/secrets.h"
#include "workflow/model/model.h"
#include "workflow/model/source.h"

namespace wtool::host::cache {
class StepCache;
}

namespace wtool::host::runner {

// ---- Where the outputs of steps are kept whole: in files, byte for byte, for commands that read them by name
// (`${build.stdout_file}`) and for `wtool show --output`.

// One file that is being written. Unless finish() is called, the file is removed. Only one thread at a time may use an
// object of this class.
class OutputFile {
 public:
  virtual ~OutputFile() = default;
  // Appends the bytes. False: writing has failed, and nothing more is written. finish() reports the error.
  virtual bool write(std::string_view bytes) = 0;
  // Gives up the file, for the reason `why`.
  virtual void fail(const std::string& why) = 0;

  struct Written {
    std::string file;  // its path; empty when it could not be written: `trouble` says why
    std::string sha256;
    std::uint64_t bytes = 0;
    std::string trouble;
  };
  virtual Written finish() = 0;
};

// Any thread may call any member.
class RunOutputStore {
 public:
  virtual ~RunOutputStore() = default;
  // What happens to a file of the name that an earlier process of the run has left, before the run was resumed.
  enum class Earlier {
    replaced,
    kept,  // under the name with the first free number: NAME.1, NAME.2, ...
  };
  // Makes a file. The name is unique in this part of the run. `secret`: the file is removed at the end of the run.
  virtual std::unique_ptr<OutputFile> create(const std::string& name, bool secret,
                                             Earlier earlier = Earlier::replaced) = 0;
  // The size of the largest file from which the field `json` of an outcome is read.
  virtual std::uint64_t json_limit() const = 0;
};

// How deep workflows may run within workflows.
inline constexpr std::size_t max_workflows_depth = 50;

// A workflow that another one runs. Both objects outlive the run.
struct OtherWorkflow {
  const workflow::Workflow* workflow = nullptr;
  const workflow::Source* source = nullptr;
};

// What a prompt gets in addition to its own text.
struct PromptAddition {
  std::string text{};                      // appended to the text of the prompt
  const nlohmann::json* schema = nullptr;  // the schema of the answer, passed to the command as a file; may be null
  bool is_elsewhere = false;               // the command runs on another machine
};

// The text of a prompt and the command that gets it, both with their values filled in.
struct PreparedPrompt {
  std::string command;
  std::optional<std::int64_t> timeout;               // seconds
  std::string error;                                 // why the prompt cannot be run; empty when it can
  std::string values_file;                           // to which the command may write values (prompts.h)
  std::string usage_file;                            // to which it may write what it used (prompts.h)
  std::map<std::string, std::string> environment{};  // for the command: the names of its files
  std::string text{};                                // the text of the prompt; a preview does not always render it
  std::vector<std::string> own_files{};              // files made for this command, whose names differ each time
  std::shared_ptr<const void> keeps;  // keeps what the command needs, such as its files, until the command has ended
};

// What a call would do. Nothing: it is not known, for the reason `why`. Any thread may call this.
using Explain = std::function<std::optional<Explanation>(const CallPlace& place, const std::string& tool,
                                                         const nlohmann::json& arguments, std::string& why)>;

struct ConfigurationState {
  std::string hash{};         // of what decides what the commands of all steps see
  std::uint64_t changes = 0;  // how often the configuration has changed since the program began
};

// What a run needs besides the tools. If a function is not set, the actions that need it fail.
struct RunServices {
  // The workflow that the file `from` means by `name`; nothing: `error` says why. Any thread may call this.
  std::function<std::optional<OtherWorkflow>(const std::string& name, const std::string& from, std::string& error)>
      workflow;
  // A prompt by its name, or by its text. Any thread may call this.
  std::function<PreparedPrompt(const std::string& prompt, bool is_inline, const std::string& from,
                               const expressions::Scope& values, const PromptAddition& addition)>
      prompt;
  // Asks a person; nothing: nobody can be asked. Any thread may call this. It returns immediately when a stop is
  // requested.
  std::function<std::optional<bool>(const std::string& question, Stop& stop)> confirm;
  // Asks for an approval. Not set: nobody can give it.
  Approve approve;
  // True if the step, which does `what`, may begin. False: the run is aborted. Not set: every step may begin. Any
  // thread may call this.
  std::function<bool(const Step& step, const std::string& what, Stop& stop)> may_begin;
  // Called before each visit of a state, and may request a stop. Not set: nothing is called. Any thread may call this.
  std::function<void()> before_state;
  // True if an aborted run ends without `finally`, because it is suspended until a person answers, or no time is left.
  // Not set: `finally` always runs. Any thread may call this.
  std::function<bool()> skips_finally;
  // The longest timeout of a call, in seconds; nothing: there is no limit.
  std::optional<std::int64_t> timeout_max;
  // Where outputs are kept whole. nullptr: nowhere.
  RunOutputStore* outputs = nullptr;
  // Skips the steps that are up to date and may be skipped. nullptr: every step runs.
  cache::StepCache* cache = nullptr;
  Explain explain;  // not set: it is never known what a call would do
  // The configuration with which the next call is made. Not set: it never changes. Any thread may call this.
  std::function<ConfigurationState()> configuration;
  // Records in the audit trail that a call is skipped, because its step is up to date. Returns why the record cannot be
  // written; empty: it was written. Masks texts that look like secrets. Not set: there is no trail. Any thread may call
  // this.
  std::function<std::string(const nlohmann::ordered_json& fields)> record_skipped;
};

// All references must stay valid until run_workflow() returns.
struct RunRequest {
  const workflow::Workflow& workflow;
  const workflow::Source& source;
  std::map<std::string, expressions::Value> inputs;
  ToolCaller& tools;
  Stop& stop;
  RunObserver& observer;
  RunSettings settings{};
  RunServices services{};
  Secrets* secrets = nullptr;     // if given, secret values are added to it as they become known
  const PastRun* past = nullptr;  // the run that this one resumes
  std::string run{};              // its id
  std::string name{};             // of the workflow, for people
};

}  // namespace wtool::host::runner
