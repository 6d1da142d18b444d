// Reads the text of one action: `Shell "make" with timeout=60`, `Wait 5 seconds`, ...
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workflow/model/findings.h"
#include "workflow/model/model.h"
#include "workflow/model/source.h"
#include "workflow/parse/action_cursor.h"
#include "workflow/parse/markdown.h"

namespace wtool::host::workflow {

// The words that an action begins with, in lower case.
const std::vector<std::string>& action_words();

class ActionReader {
 public:
  // `text` is what stands behind `State:`, `blocks` the code blocks below it. Both and `findings` must outlive the
  // reader.
  ActionReader(const MappedText& text, const std::vector<CodeBlock>& blocks, Findings& findings)
      : text_(text), blocks_(blocks), cursor_(text_, findings), findings_(findings) {}

  // Nothing after a finding. `offset` is the one that the action is to have.
  std::optional<Action> read(std::size_t offset);

 private:
  ActionKind kind(const std::string& word);
  ActionKind shell();
  std::string command_in_quotes();
  void script(ShellAction& made);
  bool shell_options(ShellAction& made);
  bool shell_option(const std::string& name, ShellAction& made);
  bool shell_name(ShellAction& made);
  bool shell_settings(ShellAction& made);
  bool environment(ShellAction& made);
  ActionKind call();
  ActionKind prompt(bool is_inline);
  ActionKind workflow(const std::string& first_word);
  ActionKind log();
  ActionKind set(bool variable_said);
  ActionKind wait();
  ActionKind confirm();
  ActionKind abort();

  bool expect_word(const std::string& word, const std::string& form);
  bool quoted_template(const std::string& what, TemplateText& out);

  const MappedText& text_;
  const std::vector<CodeBlock>& blocks_;
  ActionCursor cursor_;
  Findings& findings_;
  Options options_;
};

}  // namespace wtool::host::workflow
