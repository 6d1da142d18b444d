#include "cluster/local_tool.h"

#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>
#include <wtool/cpp/host.hpp>

#include "base/descriptor.h"

namespace wtool::cluster {

namespace {

using nlohmann::json;

const wtool_tool* client_tool = nullptr;

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(" \n\r\t") + 1);
  return text;
}

}  // namespace

namespace {

// Ends a call when a descriptor becomes readable, for as long as it lives.
class Watch {
 public:
  Watch(Call& call, int cancel) : over_(cancel < 0 ? -1 : ::eventfd(0, EFD_CLOEXEC)) {
    if (!over_) return;
    // No signal of the host may be handled on this thread.
    sigset_t all, before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      thread_ = std::thread([&call, cancel, over = over_.get()] {
        pollfd ready[2] = {{cancel, POLLIN, 0}, {over, POLLIN, 0}};
        while (::poll(ready, 2, -1) < 0) {
        }
        if (ready[1].revents == 0) call.cancel(WTOOL_CANCEL_NOW, "the call that needs it was cancelled");
      });
    } catch (...) {  // Without a thread, it ends when its time is over.
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  ~Watch() {
    if (!thread_.joinable()) return;
    eventfd_write(over_.get(), 1);
    thread_.join();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  Descriptor over_;
  std::thread thread_;
};

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

wtool_status open_client_tool(wtool_blob* error) {
  return local_plugin()->tool_new(view("shell_execute"), {}, &client_tool, error);
}

void close_client_tool() {
  if (client_tool != nullptr) client_tool->destroy(client_tool);
  client_tool = nullptr;
}

Said run_here(const std::string& command, int seconds, int cancel) {
  if (client_tool == nullptr) return {.why = "the client programs of Slurm cannot be run now"};
  Said said;
  const std::string program = command.substr(0, command.find(' '));
  {
    const std::string arguments =
        json{{"command", command}, {"timeout", seconds}}.dump(-1, ' ', false, json::error_handler_t::replace);
    Call call(*client_tool, make_request(arguments));
    wtool_status status = WTOOL_OK;
    {
      const Watch watch(call, cancel);
      status = call.run();
    }
    if (status == WTOOL_E_CANCELLED) {
      said.cancelled = true;
      said.why = program + " was cancelled";
    } else if (status != WTOOL_OK) {
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
