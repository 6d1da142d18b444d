// A project for execute_run: a folder with a repository and the files of the specification's examples, a second folder
// with our own programs, and a host that answers questions.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "support/asking_host.h"
#include "support/plugin.h"
#include "support/program.h"

namespace wtool::test {

// What execute_run returns, without its envelope.
inline Json succeeded(const std::string& output) { return {{"ok", true}, {"value", {{"output", output}}}}; }
inline Json failed(const std::string& error) { return {{"ok", false}, {"error", error}}; }
inline Json failed(const std::string& error, const std::string& output) {
  return {{"ok", false}, {"error", error}, {"output", output}};
}

struct Project {
  AskingHost host;
  Plugin plugin{host.get()};
  ScratchFolder scratch;
  const std::string root = folder("project");
  const std::string programs = folder("bin");
  // Programs are found only in these folders: one for programs that a test makes, and those of the system.
  const Json config{{"execute_run", {{"root", root}}}, {"commands", {{"path", {programs, "/usr/bin", "/bin"}}}}};
  ToolUnderTest tool{plugin, config, "execute_run"};

  std::string folder(const std::string& name) const {
    std::filesystem::create_directories(scratch.path() + '/' + name);
    return scratch.path() + '/' + name;
  }
  void program(const std::string& name, const std::string& text) const {
    scratch.file("bin/" + name, "#!/bin/sh\n" + text + '\n', 0755);
  }
  std::string file(const std::string& name, const std::string& content) const {
    const std::string path = root + '/' + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << content;
    return path;
  }
  std::string content(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(root + '/' + name).rdbuf();
    return text.str();
  }
  bool exists(const std::string& name) const {
    return std::filesystem::exists(std::filesystem::symlink_status(root + '/' + name));
  }
  void link(const std::string& to, const std::string& name) const {
    std::filesystem::create_symlink(to, root + '/' + name);
  }
  // Runs the real git in the project.
  void git(std::vector<std::string> words) const {
    words.insert(words.begin(), {"/usr/bin/env", "git", "-c", "user.name=A", "-c", "user.email=a@example.org"});
    const Finished finished = wtool::test::run(words, {.directory = root});
    if (finished.exit_code != 0) throw std::runtime_error(finished.err);
  }

  Json run(const std::string& command, const std::string& cwd = {}) const { return run_with(tool, command, cwd); }
  Json run_with(const ToolUnderTest& which, const std::string& command, const std::string& cwd = {}) const {
    const Answer answer = which.run({{"command", command}, {"cwd", cwd.empty() ? root : cwd}});
    const Json& metadata = answer.metadata();
    // The envelope, the text and the metadata must say the same.
    if (answer.is_error() == metadata.at("ok").get<bool>() || Json::parse(answer.text()) != metadata) {
      throw std::runtime_error("the envelope contradicts itself: " + answer.raw);
    }
    return metadata;
  }
  std::string error(const std::string& command, const std::string& cwd = {}) const {
    return run(command, cwd).value("error", "");
  }
};

}  // namespace wtool::test
