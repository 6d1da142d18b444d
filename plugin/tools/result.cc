#include "tools/result.h"

#include <csignal>
#include <cstring>

#include "base/json_text.h"

namespace wtool::tools {

namespace {

using Json = nlohmann::ordered_json;
using Stage = engine::NotStarted::Stage;

std::string spawn_hint(const engine::NotStarted& how, const CallResult& result) {
  if (how.stage == Stage::binds) return "a protected name was being changed just then; try again";
  if (how.stage == Stage::namespaces || how.stage == Stage::sandbox) {
    return "its sandbox could not be set up, and without it nothing is run";
  }
  if (how.error == E2BIG) {
    return "the kernel takes at most 128 KiB in one argument, and command and environment together must fit as well; "
           "write long text to a file first";
  }
  if (how.error == EFBIG) return "the host may not write a file of this size; raise that limit (ulimit -f)";
  if (engine::is_exhaustion(how.error)) {
    return "the machine, this user or the host has no more of it at the moment; try again later, or raise the limit";
  }
  if (result.through_shell && how.stage == Stage::exec) return "shell.program of the configuration must name a shell";
  return "";
}

}  // namespace

std::string envelope(std::string_view text, bool is_error, const Json& metadata) {
  std::string result = R"({"content":[{"type":"text","text":)";
  append_json_string(result, text);
  result += is_error ? R"(}],"is_error":true,"metadata":)" : R"(}],"is_error":false,"metadata":)";
  result += metadata.dump(-1, ' ', false, Json::error_handler_t::replace);
  result += '}';
  return result;
}

Json error_object(const CallError& error) {
  return {{"code", error.code}, {"message", error.message}, {"hint", error.hint}};
}

std::string signal_name(int number) {
  const char* name = ::sigabbrev_np(number);
  if (name != nullptr) return std::string("SIG") + name;
  if (number >= SIGRTMIN && number <= SIGRTMAX) return "SIGRTMIN+" + std::to_string(number - SIGRTMIN);
  return "signal " + std::to_string(number);
}

bool is_not_found(const engine::NotStarted& how) {
  return how.stage == Stage::exec &&
         (how.error == ENOENT || how.error == ENOTDIR || how.error == ELOOP || how.error == ENAMETOOLONG);
}

CallError not_started(const engine::NotStarted& how, const CallResult& result, const std::string& directory_parameter) {
  const std::string reason = how.detail.empty() ? std::strerror(how.error) : how.detail;
  if (how.stage == Stage::directory) {
    return {"working_directory_invalid",
            directory_parameter + ": " + result.directory + " cannot be entered: " + reason,
            "its permissions forbid it, or it was removed"};
  }
  if (is_not_found(how) && !result.through_shell) {
    const bool is_path = result.program.find('/') != std::string::npos;
    return {"command_not_found", "Command not found: " + result.program,
            is_path ? "there is no such file, or the interpreter that its first line names does not exist"
                    : "no directory of PATH has a program of this name; install it, or give its path"};
  }
  if (how.stage == Stage::exec && !result.through_shell && how.error == EACCES) {
    const bool by_sandbox = result.sandbox && !result.sandbox->refused.empty();
    return {"permission_denied", "Permission denied: " + result.program,
            by_sandbox ? "" : "it is a directory, or a file that is not executable"};
  }
  return {engine::is_exhaustion(how.error) ? "resource_exhausted" : "spawn_failed",
          "Command could not be started: " + result.program + ": " + reason, spawn_hint(how, result)};
}

}  // namespace wtool::tools
