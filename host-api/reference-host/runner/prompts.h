// Prompts: template files that a workflow passes to a configured command.
//
// - A prompt NAME is the file NAME.md (or .md.liquid, .liquid, .txt) in one of the configured folders, in `prompts`
//   beside the workflow or beside its folder, or in .wtool/prompts, .swissarmyhammer/prompts or prompts of the run's
//   directory or of the home directory. Of its front matter, only the defaults of its parameters are used. It is a
//   template of Liquid (template.h), and may include other prompts.
// - The command is a template with {{ prompt }} (the text, as one word of the shell) or {{ prompt_file }} (a file with
//   the text, which is removed when the command has ended); {{ prompt_name }} is its name. In {{ values_file }} it may
//   set variables (prompt_values.h).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runner/run_request.h"
#include "workflow/model/model.h"

namespace wtool::host::runner {

struct PromptSettings {
  std::string command;  // empty: none is configured
  std::vector<std::string> directories;
  std::int64_t timeout = 1800;  // seconds
};

// Immutable; any thread.
class Prompts {
 public:
  // `directory` is that of the run. `error` says what is wrong with the configured command; empty: nothing.
  Prompts(PromptSettings settings, std::string directory, std::string& error);

  bool has_command() const { return !settings_.command.empty(); }
  // The error if no command is configured.
  static std::string no_command();

  // The mistakes in the prompt that the workflow file `from` names, and in those that it includes: a missing file,
  // mistakes in their texts, and names that are not in `known`. A sentence each.
  std::vector<std::string> check(const std::string& name, const std::string& from,
                                 const std::set<std::string, std::less<>>& known) const;

  // The names that the agent with that prompt may set, if the command passes values_file (prompt_values.h): each word
  // of the prompt's own text outside of its templates. So a misspelt name that no prompt mentions is still found.
  std::set<std::string, std::less<>> settable_names(const std::string& prompt, bool is_inline,
                                                    const std::string& from) const;

  PreparedPrompt prepare(const std::string& prompt, bool is_inline, const std::string& from,
                         const expressions::Scope& values) const;
  // The same without making a file: a name like that of a file is used, and `keeps` is set. The text of a prompt that
  // is only passed as a file is not rendered.
  PreparedPrompt preview(const std::string& prompt, bool is_inline, const std::string& from,
                         const expressions::Scope& values) const;

 private:
  enum class Purpose { run, look };
  PreparedPrompt make(const std::string& prompt, bool is_inline, const std::string& from,
                      const expressions::Scope& values, Purpose purpose) const;

  bool hands_over_values() const;

  PromptSettings settings_;
  std::string directory_;
  workflow::CommandText command_;
};

}  // namespace wtool::host::runner
