// What the tests of quoting need: a command of a text, a shell that runs it, and a directory in which it may do harm.
#pragma once

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "workflow/quoting/command_template.h"

namespace wtool::test {

inline host::workflow::CommandText parsed_command(const std::string& text) {
  host::workflow::CommandText command;
  command.written.append(text, 0);
  auto result = host::expressions::parse_template(text);
  BOOST_REQUIRE(std::holds_alternative<host::expressions::Template>(result));
  command.parsed = std::get<host::expressions::Template>(std::move(result));
  command.places = host::workflow::find_places(command.parsed);
  return command;
}

// What a program prints on both streams.
inline std::string output_of(const std::vector<std::string>& words) {
  int ends[2];
  BOOST_REQUIRE(::pipe(ends) == 0);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  ::posix_spawn_file_actions_addclose(&actions, ends[0]);
  ::posix_spawn_file_actions_addclose(&actions, ends[1]);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = -1;
  BOOST_REQUIRE(::posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ) == 0);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string output;
  char buffer[4096];
  for (ssize_t count; (count = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    output.append(buffer, static_cast<std::size_t>(count));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return output;
}

// What the shell prints for the command. The shell gets the command as one argument, as it does from the engine.
inline std::string output_of(const char* shell, const std::string& command) {
  return output_of({shell, "-c", command});
}

// What the shell prints for each of the commands. One shell reads all of them, one after the other: to start thousands of
// shells takes minutes. The commands run in the current directory; their texts and outputs are kept in `files`. A command
// that ends the shell leaves those after it without output.
inline std::vector<std::string> outputs_of(const char* shell, const std::vector<std::string>& commands,
                                           const std::filesystem::path& files) {
  for (std::size_t i = 0; i < commands.size(); ++i) std::ofstream(files / std::to_string(i)) << commands[i];
  const std::string all = "for i in $(seq 0 " + std::to_string(commands.size() - 1) + "); do . " + files.string() +
                          "/$i >" + files.string() + "/$i.out 2>&1 </dev/null; done";
  BOOST_TEST(output_of({shell, "-c", all}) == "");
  std::vector<std::string> outputs;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    std::ifstream file(files / (std::to_string(i) + ".out"), std::ios::binary);
    outputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return outputs;
}

inline const std::vector<const char*>& shells() {
  static const std::vector<const char*> found = [] {
    std::vector<const char*> out = {"/bin/sh"};
    for (const char* shell : {"/bin/bash", "/bin/busybox-sh", "/bin/ksh"}) {
      if (::access(shell, X_OK) == 0) out.push_back(shell);
    }
    return out;
  }();
  return found;
}

// A directory of our own to run in, so that what a value might do to files can be seen.
struct InOwnDirectory {
  InOwnDirectory() {
    char name[] = "/tmp/wtool-quoting-XXXXXX";
    BOOST_REQUIRE(::mkdtemp(name) != nullptr);
    path = name;
    before = std::filesystem::current_path();
    std::filesystem::current_path(path);
  }
  ~InOwnDirectory() {
    std::filesystem::current_path(before);
    std::filesystem::remove_all(path);
  }
  std::filesystem::path path;
  std::filesystem::path before;
};

}  // namespace wtool::test
