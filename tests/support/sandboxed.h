// The fixture of the sandbox's behaviour tests: a folder that may be written, and one beside it that may not.
#pragma once

#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/shell_tool.h"

namespace wtool::test {

struct Sandboxed {
  Plugin plugin;
  ScratchFolder scratch;
  const std::string inside = folder("inside");
  const std::string outside = folder("outside");
  const std::string secret = scratch.file("outside/secret", "secret\n");

  std::string folder(const std::string& name) const {
    std::filesystem::create_directories(scratch.path() + '/' + name);
    return scratch.path() + '/' + name;
  }

  // The `sandbox` section: `inside` may be written, no name is protected, and `more` is added.
  Json sandbox(const Json& more = Json::object()) const {
    Json section{{"write", {inside}}, {"protect", "none"}};
    section.update(more);
    return {{"sandbox", section}};
  }

  Answer run(const ToolUnderTest& tool, const std::string& command) const {
    return tool.run({{"command", command}, {"working_directory", inside}});
  }

  // The result of tests/hosts/sandbox_probe for a call made in the sandbox: "ok" or the name of an errno. If the probe
  // did not run, the whole answer.
  std::string probe(const ToolUnderTest& tool, const std::string& call) const {
    const Answer answer = run(tool, WTOOL_TEST_HOSTS "/sandbox_probe " + call);
    if (answer.is_error()) return answer.raw;
    std::string text = answer.out();
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }

  static std::string content(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
};

inline std::vector<std::string> texts(const Json& metadata, const char* key) {
  return metadata.at("sandbox").value(key, std::vector<std::string>());
}

inline bool has(const std::vector<std::string>& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

// What this machine supports, according to the kernel, not to the code under test.
inline bool has_landlock(int version) { return ::syscall(444, nullptr, std::size_t{0}, 1U) >= version; }

// True if this user can have a mount namespace.
inline bool has_namespaces() {
  const pid_t child = ::fork();
  if (child == 0) {
    const bool made = ::unshare(::geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) == 0;
    ::_exit(made && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status == 0;
}

}  // namespace wtool::test
