#include "cluster/local_tool.h"

#include <dlfcn.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <wtool/cpp/host.hpp>

namespace wtool::cluster {

namespace {

using nlohmann::json;

const wtool_tool* client_tool = nullptr;
bool is_ours = false;  // this plugin has initialised the other one

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(" \n\r\t") + 1);
  return text;
}

}  // namespace

const std::string& local_plugin_path() {
  static const std::string path = [] {
    Dl_info here{};
    if (::dladdr(&wtool_entry_v1, &here) == 0 || here.dli_fname == nullptr) return std::string();
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(here.dli_fname, nullptr), &std::free);
    const std::string own = real ? real.get() : here.dli_fname;
    return own.substr(0, own.rfind('/') + 1) + "shell_tools.so";
  }();
  return path;
}

const wtool_entry* local_plugin(std::string* error) {
  // Never closed: it stays in memory anyway (docs/decisions/0003-never-unmapped.md).
  static std::string why;
  static const wtool_entry* const entry = []() -> const wtool_entry* {
    void* library = ::dlopen(local_plugin_path().c_str(), RTLD_NOW | RTLD_LOCAL);
    const auto* found =
        library == nullptr ? nullptr : static_cast<const wtool_entry*>(::dlsym(library, WTOOL_ENTRY_SYMBOL));
    if (found == nullptr) {
      const char* reason = ::dlerror();
      why = "the plugin shell_tools cannot be used: " + std::string(reason == nullptr ? "no reason given" : reason);
      return nullptr;
    }
    if (!WTOOL_HAS(found, tool_new) || found->abi_major != WTOOL_ABI_MAJOR) {
      why = local_plugin_path() + " speaks another version of the interface";
      return nullptr;
    }
    return found;
  }();
  if (entry == nullptr && error != nullptr) *error = why;
  return entry;
}

wtool_status start_local_plugin(const wtool_host* host, wtool_blob* error) {
  Blob why;
  const wtool_status status = local_plugin()->init(host, why.out());
  is_ours = status == WTOOL_OK;
  return is_ours || status == WTOOL_E_BUSY ? WTOOL_OK : fail(status, error, std::string(why.text()));
}

void stop_local_plugin() {
  if (is_ours) local_plugin()->deinit();
  is_ours = false;
}

wtool_status open_client_tool(wtool_blob* error) {
  return local_plugin()->tool_new(view("shell_execute"), {}, &client_tool, error);
}

void close_client_tool() {
  if (client_tool != nullptr) client_tool->destroy(client_tool);
  client_tool = nullptr;
}

Said run_here(const std::string& command, int seconds) {
  if (client_tool == nullptr) return {.why = "the client programs of Slurm cannot be run now"};
  Said said;
  const std::string program = command.substr(0, command.find(' '));
  {
    const std::string arguments =
        json{{"command", command}, {"timeout", seconds}}.dump(-1, ' ', false, json::error_handler_t::replace);
    Call call(*client_tool, make_request(arguments));
    if (call.run() != WTOOL_OK) {
      said.why = program + " could not be run: " + std::string(call.error());
    } else {
      const json result = json::parse(call.result(), nullptr, false);
      const json& metadata = result.at("metadata");
      said.done = !result.at("is_error").get<bool>();
      said.out = metadata.value("stdout", "");
      const std::string text = trimmed(metadata.value("stderr", ""));
      if (!said.done)
        said.why = text.empty() ? program + ": " + result.at("content").at(0).at("text").get<std::string>() : text;
    }
  }
  return said;
}

}  // namespace wtool::cluster
