#include "tools/result.h"

#include <algorithm>
#include <cstring>

#include "base/json_text.h"
#include "base/utf8.h"

namespace wtool::tools {

namespace {

using Json = nlohmann::ordered_json;
using Stage = engine::NotStarted::Stage;

std::string spawn_hint(const engine::NotStarted& how, const CallResult& result) {
  if (how.stage == Stage::binds) return "another program was changing a protected name at that moment; try again";
  if (how.stage == Stage::namespaces || how.stage == Stage::sandbox) {
    return "no command runs without its sandbox, and this one could not be set up";
  }
  if (how.error == E2BIG) {
    return "the kernel limits each argument to 128 KiB, and limits the size of all arguments and variables together; "
           "write long text to a file, and pass its name";
  }
  if (how.error == EFBIG) return "the host may not write a file of this size; raise that limit (ulimit -f)";
  if (engine::is_exhaustion(how.error)) {
    return "the machine, this user or the host has no more of this resource; try again later, or raise its limit";
  }
  if (result.through_shell && how.stage == Stage::exec) return "shell.program of the configuration must name a shell";
  return "";
}

}  // namespace

// Frees each member as soon as it is written, because a command's output can need as much memory as the rest of the
// host. Room for the whole text is reserved first, so that the text is not copied while it grows.
std::string envelope(std::string text, bool is_error, Json metadata) {
  constexpr std::size_t keys = 1024;  // bytes, for keys and short values
  std::size_t size = text.size();
  for (const Json& value : metadata) size += value.is_string() ? value.get_ref<const std::string&>().size() : 0;
  std::string result;
  result.reserve(size + size / 16 + keys);  // size / 16 for the escapes of line ends
  result += R"({"content":[{"type":"text","text":)";
  append_json_string(result, text);
  std::string().swap(text);
  result += R"(}],"is_error":)";
  result += is_error ? "true" : "false";
  result += R"(,"metadata":)";
  char before = '{';
  for (auto& [key, value] : metadata.get_ref<Json::object_t&>()) {
    result += before;
    append_json_string(result, key);
    result += ':';
    append_dumped(result, value);
    value = nullptr;
    before = ',';
  }
  result += before == '{' ? "{}}" : "}}";
  return result;
}

Json error_object(const CallError& error) {
  return {{"code", error.code}, {"message", error.message}, {"hint", error.hint}};
}

void add_processes_left(const engine::ProcessesLeft& left, const char* list, const char* count, Json& object) {
  if (left.count == 0) return;
  object[count] = left.count;
  // A process can give itself any name, even one that is not UTF-8.
  for (const auto& process : left.names)
    object[list].push_back({{"pid", process.pid}, {"name", to_utf8(process.name)}});
}

ToolResult not_begun(const std::string& reason) {
  const CallError error{"aborted", "Call aborted: " + to_utf8(reason),
                        "it was cancelled before it began; nothing was done"};
  return {envelope(error.message, true, {{"error", error_object(error)}}), true};
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
            "the directory's permissions forbid it, or the directory was removed"};
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

std::string aborted_text(const engine::Cancelled& how) {
  return "Command aborted: " + (how.reason.empty() ? std::string("no reason was given") : how.reason);
}

std::string what_was_ended(bool begun) {
  return begun ? "the command and everything that it had started were ended" : "the command was not started";
}

CallError no_node(const engine::NoNode& how) {
  if (how.unshared) {
    return {"no_shared_directory", how.detail,
            "work in a directory that all nodes see, and set cluster.directory to such a directory"};
  }
  return {"no_node", how.detail, "look at the queue with squeue, and at the `cluster` section of the configuration"};
}

}  // namespace wtool::tools
