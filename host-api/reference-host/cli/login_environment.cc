#include "cli/login_environment.h"

#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/shell_quote.h"
#include "base/text.h"
#include "loader/toolbox.h"

namespace wtool::host {

namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

// Clients wait ten seconds or more for a server to start.
constexpr int seconds = 5;
// The most that the shell may print. With the usual stack limit of 8 MiB, exec accepts only 2 MiB of arguments and
// environment, so no environment that could be used is larger.
constexpr std::size_t max_environment_bytes = 4 << 20;

std::string login_shell() {
  if (const std::string named = environment_folder("SHELL"); !named.empty()) return named;
  const passwd* entry = ::getpwuid(::geteuid());
  return entry == nullptr || entry->pw_shell == nullptr ? std::string() : entry->pw_shell;
}

// A marker that cannot be guessed, so that no output of a script is mistaken for it.
std::string new_marker() {
  std::random_device random;
  std::string marker = "wtool";
  for (int i = 0; i < 4; ++i) marker += '-' + std::to_string(random());
  return marker;
}

// True for a variable that keeps its value, because it describes the shell or its directory, or because this program
// and its policy have already read it.
bool stays(std::string_view name) {
  constexpr std::string_view names[] = {"_",       "PWD",    "OLDPWD",          "SHLVL",          "SHELL",
                                        "HOME",    "TMPDIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "ALLOWED_COMMANDS",
                                        "COLUMNS", "LINES"};
  return name.starts_with("WTOOL_") || std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// Reads texts of the form NAME=VALUE, each ended by a zero byte.
Variables variables_in(std::string_view text) {
  Variables variables;
  for (std::size_t end; (end = text.find('\0')) != std::string_view::npos; text.remove_prefix(end + 1)) {
    const std::string_view one = text.substr(0, end);
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = one.substr(0, equals);
    // An exported function, such as BASH_FUNC_f%%, is code, so it is left out: its name is not that of a variable.
    if (is_variable_name(name) && !stays(name)) variables.emplace_back(name, one.substr(equals + 1));
  }
  return variables;
}

// Says how the shell failed, in the words of the tool.
std::string reason_in(const OrderedOutcome& outcome) {
  // The tool may belong to another plugin, so no member of its answer is taken for granted.
  const auto text_at = [&](const char* place) {
    const nlohmann::ordered_json::json_pointer pointer(place);
    const nlohmann::ordered_json& answer = outcome.result;
    return answer.contains(pointer) && answer[pointer].is_string() ? answer[pointer].get<std::string>() : std::string();
  };
  std::string reason = text_at("/metadata/error/message");
  if (reason.empty()) reason = outcome.error.empty() ? "it has failed" : outcome.error;
  const std::string written = text_at("/metadata/stderr");
  return written.empty() ? reason : reason + ": " + escaped(written.substr(0, 200));
}

}  // namespace

std::string take_login_environment(Plugin& plugin, LoginShell kind, Stop& stop) {
  const std::string shell = login_shell();
  if (shell.empty()) return "SHELL is not set, and the user has no login shell";
  const std::string marker = new_marker();
  const std::string script = "printf \"\\0%s\\0\" " + marker + "; exec /usr/bin/env -0";
  const std::string home = environment_folder("HOME", "/");
  const nlohmann::json arguments{
      {"command",
       shell_quoted(shell) + (kind == LoginShell::interactive ? " -l -i -c " : " -l -c ") + shell_quoted(script)},
      {"working_directory", home},
      {"timeout", seconds}};
  std::string error;
  const std::unique_ptr<Toolbox> toolbox = Toolbox::open(plugin, "{}", error);
  if (toolbox == nullptr) return error;
  std::string output;
  const auto sink = [&](OutputStream stream, std::string_view bytes) {
    if (stream == OutputStream::standard_output && output.size() <= max_environment_bytes) output += bytes;
  };
  const OrderedOutcome outcome = toolbox->call_text("shell_execute", dumped(arguments), stop, sink);
  if (outcome.kind != ToolOutcome::Kind::finished || outcome.is_error) return shell + ": " + reason_in(outcome);
  const std::string begin = '\0' + marker + '\0';
  const std::size_t found = output.find(begin);
  if (found == std::string::npos)
    return shell + " has not shown its environment: a profile script may have ended the shell";
  if (output.size() > max_environment_bytes)
    return shell + " has written more than " + std::to_string(max_environment_bytes) + " bytes";
  for (const auto& [name, value] : variables_in(std::string_view(output).substr(found + begin.size()))) {
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  return {};
}

}  // namespace wtool::host
