// Prompts: template files that a workflow passes to a configured command.
//
// - A prompt NAME is the file NAME.md (or .md.liquid, .liquid, .txt). It is looked for in the configured folders, in
//   `prompts` beside the workflow or beside its folder, in .wtool/prompts and .swissarmyhammer/prompts of the run's
//   directory and of the home directory, and in `prompts` of the run's directory. A prompt is a Liquid template
//   (template.h), and may include other prompts. From its front matter, only the defaults of its parameters are used.
// - The command is a template with {{ prompt }} (the text, as one word of the shell) or {{ prompt_file }} (a file with
//   the text, which is removed when the command has ended); {{ prompt_name }} is the name of the prompt. The command
//   may set variables by writing to {{ values_file }} or $WTOOL_STEER, which name the same file (PromptValues, below),
//   and report what it used by writing to {{ usage_file }} or $WTOOL_USAGE (PromptUsage). If the answer has a schema,
//   $WTOOL_SCHEMA names a file with the schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expressions/template_renderer.h"
#include "expressions/value.h"
#include "runner/run_request.h"
#include "workflow/model/model.h"
#include "workflow/model/source.h"

namespace wtool::host::runner {

class PromptFiles;

struct PromptSettings {
  std::string command;  // empty: none is configured
  std::vector<std::string> directories;
  std::int64_t timeout = 1800;      // seconds
  bool confines_arguments = false;  // the policy refuses commands that name files outside of certain folders
};

// Any thread may call any member.
class Prompts {
 public:
  // `directory` is the directory of the run. `error` says what is wrong with the configured command; empty: it is
  // valid.
  Prompts(PromptSettings settings, std::string directory, std::string& error);
  ~Prompts();

  // From now on, each file is read at most once, so that runs get what check() has read, whatever commands do to the
  // files. Call it before any other thread uses the object.
  void read_each_file_once() { reads_once_ = true; }
  // Call this after read_each_file_once(). Reads all prompts that the workflow files `from`, and those that were passed
  // to expect(), may name, even by a template: up to 1000 entries of the folders of each workflow file. From then on,
  // no further file is read. Call it before any other thread uses the object.
  void read_all(const std::vector<std::string>& from);
  void expect(const std::string& from) const;

  bool has_command() const { return !settings_.command.empty(); }
  // The error if no command is configured.
  static std::string no_command();

  // The mistakes in the prompt that the workflow file `from` names, and in the prompts that it includes: missing files,
  // mistakes in the texts, and names that are not in `known`. One sentence each.
  std::vector<std::string> check(const std::string& name, const std::string& from,
                                 const std::set<std::string, std::less<>>& known) const;

  // The names that an agent with this prompt may set: each word of the prompt's text outside of its tags. Other names
  // are not settable, so a check can still report a misspelled name: no prompt has it.
  std::set<std::string, std::less<>> settable_names(const std::string& prompt, bool is_inline,
                                                    const std::string& from) const;

  PreparedPrompt prepare(const std::string& prompt, bool is_inline, const std::string& from,
                         const expressions::Scope& values, const PromptAddition& addition = {}) const;
  // Like prepare(), but makes no files: their names are made up. `keeps` is set if the command takes the prompt as a
  // file. Without an addition, the text of a prompt that is only passed as a file is not rendered.
  PreparedPrompt preview(const std::string& prompt, bool is_inline, const std::string& from,
                         const expressions::Scope& values, const PromptAddition* addition) const;

 private:
  enum class Purpose { run, look, look_at_text };
  PreparedPrompt make(const std::string& prompt, bool is_inline, const std::string& from,
                      const expressions::Scope& values, Purpose purpose, const PromptAddition& addition) const;

  // Calls `function` with the files of prompts that the workflow `from` may name.
  template <class Function>
  auto with_files(const std::string& from, const Function& function) const;

  PromptSettings settings_;
  std::string directory_;
  workflow::CommandText command_;
  bool reads_once_ = false;
  bool reads_no_more_ = false;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::unique_ptr<PromptFiles>> files_;  // by the folder of `from`; only with reads_once_
};

// The environment variables that give the command the names of its files.
inline constexpr const char* values_variable = "WTOOL_STEER";
inline constexpr const char* usage_variable = "WTOOL_USAGE";
inline constexpr const char* schema_variable = "WTOOL_SCHEMA";

// ---- prompt_returns.cc: what an agent returns besides its answer (values for variables of the workflow, and the end
// of the workflow), and what the command reports about what it used.
//
//   wtool.yaml:  prompts: {command: "my-model --file {{ prompt_file }} --values {{ values_file }}"}
//   the agent:   echo 'tests_pass=true' >>"$values"      sets the variable tests_pass
//                echo 'exit' >>"$values"                 ends the workflow, as completed
//
// `values_file` is a new, empty file for each call. It is read if the command has succeeded, and is removed in any
// case. A line is NAME=VALUE or `exit`; empty lines are skipped. VALUE is JSON if it can be parsed as such (true, 3,
// "a", [1, 2]), and a text otherwise. A line of another form makes the step fail, so that nothing an agent wrote is
// lost silently.

inline constexpr std::size_t max_prompt_values = 64 * 1024;  // bytes of the file

struct PromptValues {
  std::vector<std::pair<std::string, expressions::Value>> assigned;
  bool ends_workflow = false;
  std::string error;  // what is wrong with the lines; empty: they are valid
};

PromptValues parse_prompt_values(std::string_view lines);

// Reads the lines of the file. A file that cannot be read, or is too large, is an error.
PromptValues read_prompt_values(const std::string& file);

// What a call has used. The file has one JSON object, or one on each line, whose amounts are added up. Examples:
// {"tokens": 1200, "cost": 0.03} and {"input_tokens": 1000, "output_tokens": 200}. Other keys are ignored.
struct PromptUsage {
  std::optional<std::int64_t> tokens;  // nothing: not reported
  std::optional<double> cost;
  std::string error;  // what is wrong with the report; empty: it is valid
};

PromptUsage parse_prompt_usage(std::string_view text);
PromptUsage read_prompt_usage(const std::string& file);

// ---- prompt_files.cc: where prompt files are, and what they contain.
//
// A prompt may include others by their names ({% render "name" %}, {% include "name" %}), which are looked up in the
// same folders as the prompt itself. The beginning of this file lists the folders.

inline constexpr std::size_t max_prompt_files = 1000;  // the most files that one check or one rendering reads

// The folders that are searched, in this order, for the prompts that the workflow file `from` names.
std::vector<std::string> prompt_folders(const std::vector<std::string>& configured, const std::string& directory,
                                        const std::string& from);

// The file of a prompt; empty: `error` is a sentence with the reason.
std::string find_prompt(const std::string& name, const std::vector<std::string>& folders, std::string& error);

// The prompts that one check or one rendering reads: each file is read once. Only one thread may use an object of this
// class.
class PromptFiles final : public expressions::Partials {
 public:
  explicit PromptFiles(std::vector<std::string> folders) : folders_(std::move(folders)) {}

  // Reads the prompts in the folders, up to 1000 entries. From then on, no further file is read.
  void read_all();
  void read_no_more() { reads_no_more_ = true; }

  const expressions::Partial* find(const std::string& name, std::string& error) override;
  // The text of the prompt as it was written, without the front matter.
  std::string text(const std::string& name);
  std::string place(const expressions::Partial& partial, std::size_t offset) const override;

  // The mistakes in the prompt and in the prompts that it includes by a quoted name, each with its place. At most
  // twenty are returned, not counting mistakes of syntax. `known` are the names that have a value.
  std::vector<std::string> check(const std::string& name, const std::set<std::string, std::less<>>& known);

 private:
  struct File {
    workflow::Source source;
    std::size_t begin = 0;  // after the front matter
    expressions::Partial partial;
    std::vector<std::string> mistakes;  // of the text, with their places
  };
  class Checker;

  const File* open(const std::string& name, std::string& error);
  static void read(File& file);

  std::vector<std::string> folders_;
  bool reads_no_more_ = false;
  std::map<std::string, std::unique_ptr<const File>> files_;  // by path
  std::map<std::string, const File*> by_name_;                // the prompts that were found
  std::map<const expressions::Partial*, const File*> files_of_;
};

}  // namespace wtool::host::runner
