#include "support/program.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace wtool::test {
namespace {

[[noreturn]] void fail(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

void close_fd(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

// A file that is already removed, with `text` in it, to be read from its start.
int input_of(const std::string& text) {
  const int fd = static_cast<int>(syscall(SYS_memfd_create, "input", 1u /* MFD_CLOEXEC */));
  if (fd < 0) fail("memfd_create");
  if (write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size())) fail("write");
  if (lseek(fd, 0, SEEK_SET) != 0) fail("lseek");
  return fd;
}

std::vector<std::string> environment_of(const ProgramOptions& options) {
  std::map<std::string, std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view line = *entry;
    const auto equals = line.find('=');
    if (equals != std::string_view::npos) all.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  for (const auto& name : options.unset) all.erase(name);
  for (const auto& [name, value] : options.set) all[name] = value;
  std::vector<std::string> lines;
  for (const auto& [name, value] : all) lines.push_back(name + "=" + value);
  return lines;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (auto& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

bool is_installed(const std::string& program) {
  const char* const path = std::getenv("PATH");
  const std::string folders = path == nullptr ? "" : path;
  for (std::size_t at = 0; at <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', at), folders.size());
    if (::access((folders.substr(at, end - at) + "/" + program).c_str(), X_OK) == 0) return true;
    at = end + 1;
  }
  return false;
}

Finished run(const std::vector<std::string>& argv, const ProgramOptions& options) {
  return Program(argv, Program::On::pipes, options).wait();
}

Program::Program(const std::vector<std::string>& argv, On on, const ProgramOptions& options)
    : began_(std::chrono::steady_clock::now()), limit_(began_ + options.limit) {
  std::vector<std::string> words = argv;
  std::vector<std::string> environment = environment_of(options);
  const std::vector<char*> argv_pointers = pointers(words);
  const std::vector<char*> env_pointers = pointers(environment);
  int in = -1;
  int out[2] = {-1, -1};
  int err[2] = {-1, -1};
  std::string terminal;
  if (on == On::terminal) {
    out_ = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    char name[64];
    if (out_ < 0 || grantpt(out_) != 0 || unlockpt(out_) != 0 || ptsname_r(out_, name, sizeof name) != 0) fail("pty");
    terminal = name;
    const winsize size{.ws_row = options.rows, .ws_col = options.columns, .ws_xpixel = 0, .ws_ypixel = 0};
    if (ioctl(out_, TIOCSWINSZ, &size) != 0) fail("the size of the terminal");
  } else {
    if (options.talk) {
      int pipe_in[2];
      if (pipe2(pipe_in, O_CLOEXEC) != 0) fail("pipe2");
      in = pipe_in[0];
      in_ = pipe_in[1];
    } else {
      in = input_of(options.input);
    }
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) fail("pipe2");
    out_ = out[0];
    err_ = err[0];
    if (!options.output_to.empty()) {
      close_fd(out[1]);
      out[1] = open(options.output_to.c_str(), O_WRONLY | O_CLOEXEC);
      if (out[1] < 0) fail(options.output_to);
    }
  }
  pid_ = fork();
  if (pid_ < 0) fail("fork");
  if (pid_ == 0) {
    if (on == On::terminal) {
      setsid();
      const int slave = open(terminal.c_str(), O_RDWR);
      if (slave < 0 || ioctl(slave, TIOCSCTTY, 0) != 0) _exit(125);
      for (const int fd : {0, 1, 2}) dup2(slave, fd);
      if (slave > 2) close(slave);
    } else {
      dup2(in, 0);
      dup2(out[1], 1);
      dup2(err[1], 2);
    }
    if (!options.directory.empty() && chdir(options.directory.c_str()) != 0) _exit(125);
    execve(argv_pointers[0], argv_pointers.data(), env_pointers.data());
    _exit(124);
  }
  close_fd(in);
  close_fd(out[1]);
  close_fd(err[1]);
  pidfd_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
}

Program::~Program() {
  if (!ended_) {
    ::kill(pid_, SIGKILL);
    reap(true);
  }
  close_fd(in_);
  close_fd(pidfd_);
  close_fd(out_);
  close_fd(err_);
}

bool Program::reap(bool block) {
  int status = 0;
  if (ended_ || waitpid(pid_, &status, block ? 0 : WNOHANG) != pid_) return ended_;
  ended_ = true;
  finished_.took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began_);
  if (WIFEXITED(status)) finished_.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) finished_.signal = WTERMSIG(status);
  return true;
}

bool Program::read_some(std::chrono::milliseconds patience) {
  pollfd watched[3] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}, {ended_ ? -1 : pidfd_, POLLIN, 0}};
  if (poll(watched, 3, static_cast<int>(patience.count())) <= 0) return false;
  for (int* fd : {&out_, &err_}) {
    if (*fd < 0 || watched[fd == &out_ ? 0 : 1].revents == 0) continue;
    char buffer[65536];
    const ssize_t n = read(*fd, buffer, sizeof buffer);
    if (n > 0) (fd == &out_ ? finished_.out : finished_.err).append(buffer, static_cast<std::size_t>(n));
    // At the end of a terminal, read() fails with EIO instead of returning 0.
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) close_fd(*fd);
  }
  if (watched[2].revents != 0) reap(false);
  return true;
}

bool Program::wait_for_output(std::string_view text) {
  while (finished_.out.find(text) == std::string::npos) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(limit_ - std::chrono::steady_clock::now());
    if (out_ < 0 || left.count() <= 0) return false;
    read_some(ended_ ? std::chrono::milliseconds(0) : left);
    if (ended_ && !read_some(std::chrono::milliseconds(0))) break;
  }
  return finished_.out.find(text) != std::string::npos;
}

bool Program::next_line(std::string& line) {
  return next_line(line,
                   std::chrono::duration_cast<std::chrono::milliseconds>(limit_ - std::chrono::steady_clock::now()));
}

bool Program::next_line(std::string& line, std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  std::size_t searched = line_;
  while (true) {
    const std::size_t newline = finished_.out.find('\n', searched);
    if (newline != std::string::npos) {
      line = finished_.out.substr(line_, newline - line_);
      line_ = newline + 1;
      return true;
    }
    searched = finished_.out.size();
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (out_ < 0 || left.count() <= 0) return false;
    if (!read_some(ended_ ? std::chrono::milliseconds(0) : left) && ended_) return false;
  }
}

bool Program::say(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t written = write(in_, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void Program::end_input() { close_fd(in_); }

void Program::stop_listening() {
  close_fd(out_);
  close_fd(err_);
}

void Program::type(std::string_view keys) const {
  if (write(out_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size())) fail("write to the terminal");
}

void Program::hang_up() { close_fd(out_); }

void Program::resize(unsigned short columns, unsigned short rows) const {
  const winsize size{.ws_row = rows, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  if (ioctl(out_, TIOCSWINSZ, &size) != 0) fail("the size of the terminal");
}

bool Program::wait_for(const std::function<bool()>& seen) {
  while (!seen()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(limit_ - std::chrono::steady_clock::now());
    if (out_ < 0 || left.count() <= 0) return seen();
    if (!read_some(ended_ ? std::chrono::milliseconds(0) : left) && ended_) return seen();
  }
  return true;
}

void Program::read_now() {
  while ((out_ >= 0 || err_ >= 0) && read_some(std::chrono::milliseconds(0))) {
  }
}

void Program::kill(int signal) const {
  if (!ended_) ::kill(pid_, signal);
}

Finished Program::wait() {
  while (!ended_) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(limit_ - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      finished_.limit_passed = true;
      ::kill(pid_, SIGKILL);
      reap(true);
      break;
    }
    read_some(left);
  }
  while ((out_ >= 0 || err_ >= 0) && read_some(std::chrono::milliseconds(0))) {
  }
  return finished_;
}

ScratchFolder::ScratchFolder() {
  std::string pattern = (std::filesystem::canonical(std::filesystem::temp_directory_path()) / "wtool-test-XXXXXX");
  if (mkdtemp(pattern.data()) == nullptr) fail("mkdtemp");
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  namespace fs = std::filesystem;
  std::error_code failed;
  fs::remove_all(path_, failed);
  if (!failed) return;
  // A test has closed a folder to its own user, who may not be root.
  const auto opened = [](const fs::path& folder) {
    std::error_code ignored;
    fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add | fs::perm_options::nofollow, ignored);
    return folder;
  };
  std::vector<fs::path> folders{opened(path_)};
  while (!folders.empty()) {
    const fs::path folder = folders.back();
    folders.pop_back();
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
      if (entry->symlink_status(failed).type() == fs::file_type::directory) folders.push_back(opened(entry->path()));
    }
  }
  fs::remove_all(path_, failed);
}

std::string ScratchFolder::file(std::string_view name, std::string_view content, unsigned mode) const {
  const std::filesystem::path where = std::filesystem::path(path_) / name;
  std::filesystem::create_directories(where.parent_path());
  std::ofstream(where, std::ios::binary) << content;
  if (chmod(where.c_str(), mode) != 0) fail("chmod " + where.string());
  return where;
}

Gate::Gate(const ScratchFolder& folder) : pipe_(folder.path() + "/gate") {
  if (mkfifo(pipe_.c_str(), 0666) != 0) fail("mkfifo");
}

Gate::~Gate() {
  open();  // for commands that still wait because the test ended early
  close_fd(writer_);
  unlink(pipe_.c_str());
}

// Opened for both reading and writing, so that nobody waits for a writer any longer.
void Gate::open() {
  if (writer_ < 0) writer_ = ::open(pipe_.c_str(), O_RDWR | O_CLOEXEC);
}

}  // namespace wtool::test
