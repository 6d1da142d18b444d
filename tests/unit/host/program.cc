#include "program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <filesystem>

namespace wtool::host {

namespace {

struct PipeEnds {
  PipeEnds() { BOOST_REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0); }
  std::array<int, 2> ends{};
};

struct TemporaryFolder {
  TemporaryFolder() {
    char name[] = "/tmp/wtool-program-XXXXXX";
    BOOST_REQUIRE(::mkdtemp(name) != nullptr);
    path = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  std::string path;
};

// Runs in the child, which must never return into the test.
[[noreturn]] void become(const std::vector<std::string>& arguments, const Program::Options& options, int in, int out,
                         int err) {
  if (!options.out_file.empty()) out = ::open(options.out_file.c_str(), O_WRONLY | O_CLOEXEC);
  if (::dup2(in, 0) < 0 || ::dup2(out, 1) < 0 || ::dup2(err, 2) < 0 || ::chdir(program_folder().c_str()) != 0)
    ::_exit(99);
  if (options.no_out) ::close(1);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(number, SIG_DFL);
  for (const char* name : {"WTOOL_LOG", "WTOOL_PLUGIN_PATH"}) ::unsetenv(name);
  for (const auto& [name, value] : options.environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words{const_cast<char*>("wtool")};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  ::execv(WTOOL_TEST_PROGRAM, words.data());
  ::_exit(98);
}

}  // namespace

const std::string& program_folder() {
  static const TemporaryFolder folder;
  return folder.path;
}

Program::Program(const std::vector<std::string>& arguments, const Options& options) {
  program_folder();
  const PipeEnds in, out, err;
  out_ = out.ends[0];
  err_ = err.ends[0];
  // The reading end is closed before there is a program that could write into the pipe.
  if (options.close_out) ::close(std::exchange(out_, -1));
  pid_ = ::fork();
  BOOST_REQUIRE(pid_ >= 0);
  if (pid_ == 0) become(arguments, options, in.ends[0], out.ends[1], err.ends[1]);
  ::close(in.ends[0]);
  ::close(out.ends[1]);
  ::close(err.ends[1]);
  ::signal(SIGPIPE, SIG_IGN);
  BOOST_REQUIRE(options.input.size() < 60000);
  if (::write(in.ends[1], options.input.data(), options.input.size()) < 0) {
  }
  ::close(in.ends[1]);
}

Program::~Program() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    finish();
  }
}

// Reads what is available on both outputs, and closes an output that has ended.
void Program::read_some() {
  std::array<pollfd, 2> wanted{pollfd{out_, POLLIN, 0}, pollfd{err_, POLLIN, 0}};
  if (::poll(wanted.data(), wanted.size(), -1) < 0) return;
  const auto take = [](const pollfd& ready, int& descriptor, std::string& text) {
    if (ready.revents == 0) return;
    std::array<char, 65536> buffer;
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(got));
    } else {
      ::close(std::exchange(descriptor, -1));
    }
  };
  take(wanted[0], out_, finished_.out);
  take(wanted[1], err_, finished_.err);
}

bool Program::wait_for_error_text(const std::string& text) {
  while (finished_.err.find(text) == std::string::npos) {
    if (err_ < 0) return false;
    read_some();
  }
  return true;
}

void Program::signal(int number) const { ::kill(pid_, number); }

Finished Program::finish() {
  while (out_ >= 0 || err_ >= 0) read_some();
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  finished_.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return finished_;
}

Finished run_program(const std::vector<std::string>& arguments, const Program::Options& options) {
  return Program(arguments, options).finish();
}

}  // namespace wtool::host
