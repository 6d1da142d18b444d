#include "workflow/check/checks.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "workflow/quoting/command_template.h"

namespace wtool::host::workflow {
namespace {

// Where a quote begins that the command never closes; npos if this simple reading finds all quotes closed.
std::size_t open_quote(std::string_view command) {
  std::size_t begin = std::string_view::npos;
  char quote = '\0';
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (c == '\\' && quote != '\'') {
      ++i;
    } else if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'' || c == '`') {
      quote = c;
      begin = i;
    } else if (c == '#' && (i == 0 || std::string_view(" \t\n;&|(").find(command[i - 1]) != std::string_view::npos)) {
      i = std::min(command.find('\n', i), command.size());
    }
  }
  return quote == '\0' ? std::string_view::npos : begin;
}

std::size_t line_begin(std::string_view text, std::size_t line) {
  std::size_t begin = 0;
  for (; line > 0; --line) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos || end + 1 == text.size()) break;
    begin = end + 1;
  }
  return begin;
}

void tell(const CommandText& command, const ShellMistake& mistake, Diagnostics& diagnostics) {
  const std::string_view written = command.written.text();
  std::size_t at = line_begin(written, mistake.line);
  std::string message = "the shell cannot read this command: " + mistake.message;
  const std::size_t quote = open_quote(written);
  if (quote != std::string_view::npos && mistake.message.find("nterminated quoted") != std::string::npos) {
    at = quote;
    message = std::string("this ") + (written[quote] == '`' ? "backtick" : "quote") +
              " is not closed, so the shell cannot read the command";
  } else if (const std::size_t first = written.find_first_not_of(" \t", at); first != std::string_view::npos) {
    at = first;
  }
  diagnostics.add(command.written.locate(at), std::move(message));
}

}  // namespace

void check_shell_syntax(const Workflow& workflow, const ShellReader& reader, Diagnostics& diagnostics) {
  struct Asked {
    std::vector<const CommandText*> texts;
    std::vector<std::string> commands;
  };
  std::map<std::string, Asked> by_shell;
  for (const State& state : workflow.states) {
    if (!state.action) continue;
    for (const ShellAction* shell : shell_commands_of(state.action->kind)) {
      if (shell->command.parsed.texts.empty()) continue;
      auto command = command_with_words(shell->command);
      if (!command) continue;
      Asked& asked = by_shell[shell_of(*shell, workflow)];
      asked.texts.push_back(&shell->command);
      asked.commands.push_back(std::move(*command));
    }
  }
  for (const auto& [shell, asked] : by_shell) {
    for (const ShellMistake& mistake : reader(shell, asked.commands)) {
      tell(*asked.texts[mistake.command], mistake, diagnostics);
    }
  }
}

}  // namespace wtool::host::workflow
