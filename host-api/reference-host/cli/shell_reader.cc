#include "cli/shell_reader.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "base/descriptor.h"
#include "base/files.h"
#include "base/pidfd.h"
#include "base/text.h"

namespace wtool::host {

namespace {

using std::chrono::steady_clock;

constexpr int max_processes = 100;
constexpr std::chrono::seconds longest{5};  // for all processes of one call together

// Separates two commands. If the command before it is complete, this is valid shell text. If that command ends inside a
// quote, the quoted `;;)` are read as operators, and the shell reports an error.
constexpr std::string_view closing = "\n: ';;)' \";;)\"\n) fi\n";
constexpr std::string_view opening = "if :; then (\n";

// The shell's message about a text that it cannot read.
struct Complaint {
  std::size_t line = 0;  // from 0
  std::string message;
};

// Parses `/dev/fd/0: 12: Syntax error: ...` or `/dev/fd/0: line 12: syntax error ...`. Nothing: the message names no
// line, so it is not about the text.
std::optional<Complaint> complaint_of(std::string_view said) {
  said = said.substr(0, said.find('\n'));
  for (std::size_t at = said.find(": "); at != std::string_view::npos; at = said.find(": ", at + 1)) {
    std::string_view rest = said.substr(at + 2);
    if (rest.starts_with("line ")) rest.remove_prefix(5);
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits == 0 || digits > 9 || !rest.substr(digits).starts_with(": ")) continue;
    std::string_view message = rest.substr(digits + 2);
    for (const std::string_view prefix : {"Syntax error: ", "syntax error: "}) {
      if (message.starts_with(prefix)) message.remove_prefix(prefix.size());
    }
    const auto line = static_cast<std::size_t>(std::atol(std::string(rest.substr(0, digits)).c_str()));
    return Complaint{line == 0 ? 0 : line - 1, std::string(message)};
  }
  return std::nullopt;
}

class Asker {
 public:
  explicit Asker(const std::string& shell) : shell_(shell), deadline_(steady_clock::now() + longest) {}

  // Asks the shell about the text. Nothing: the shell can read the text, or could not be asked.
  std::optional<Complaint> ask(std::string_view text) {
    if (processes_ == max_processes || steady_clock::now() >= deadline_) gave_up_ = true;
    if (gave_up_) return std::nullopt;
    ++processes_;
    const Descriptor script(::memfd_create("script", MFD_CLOEXEC));
    const Descriptor said(::memfd_create("said", MFD_CLOEXEC));
    if (!script || !said || write_all(script.get(), text).error != 0) return std::nullopt;
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_adddup2(&files, script.get(), 0);
    ::posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_adddup2(&files, said.get(), 2);
    // The shell gets none of the caller's BASH_ENV, ENV and exported functions, which it might read even though it
    // runs nothing.
    std::array<char*, 4> argv = {const_cast<char*>(shell_.c_str()), const_cast<char*>("-n"),
                                 const_cast<char*>("/dev/fd/0"), nullptr};
    std::array<char*, 2> environment = {const_cast<char*>("LC_ALL=C"), nullptr};
    pid_t child = -1;
    const int failed = ::posix_spawn(&child, shell_.c_str(), &files, nullptr, argv.data(), environment.data());
    ::posix_spawn_file_actions_destroy(&files);
    if (failed != 0) return std::nullopt;
    const auto status = wait_for(child);
    if (!status || !WIFEXITED(*status) || WEXITSTATUS(*status) == 0) return std::nullopt;
    std::array<char, 1000> words;
    const ssize_t size = ::pread(said.get(), words.data(), words.size(), 0);
    return complaint_of({words.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))});
  }

  // Whether some text was not checked, because that would take too long.
  bool gave_up() const { return gave_up_; }

 private:
  std::optional<int> wait_for(pid_t child) const {
    const Descriptor watched = open_process(child);
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - steady_clock::now()).count();
    pollfd ready{.fd = watched.get(), .events = POLLIN, .revents = 0};
    bool in_time = watched.get() < 0;
    if (watched.get() >= 0) in_time = ::poll(&ready, 1, static_cast<int>(std::max<long>(left, 0))) == 1;
    if (!in_time) ::kill(child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0) {
      if (errno != EINTR) return std::nullopt;
    }
    return in_time ? std::optional(status) : std::nullopt;
  }

  const std::string& shell_;
  steady_clock::time_point deadline_;
  int processes_ = 0;
  bool gave_up_ = false;
};

// The path of a shell that may be asked; empty for any other. Only shells in the system's directories are used, and
// PATH is not searched, because a workflow file must not be able to choose which program runs here.
std::string system_shell(std::string_view shell) {
  const std::size_t slash = shell.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? shell : shell.substr(slash + 1);
  const bool is_shell =
      name == "sh" || name == "dash" || name == "bash" || name == "ksh" || name == "mksh" || name == "ash";
  if (!is_shell) return {};
  for (const std::string_view directory : {"/bin", "/usr/bin", "/usr/local/bin"}) {
    const std::string path = std::string(directory) + "/" + std::string(name);
    if (slash != std::string_view::npos && path != shell) continue;
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

// Whether each word of the command is plain text, so that no shell has anything to say about it. If all commands are
// like that, no shell is started.
bool is_plain(std::string_view command) {
  constexpr std::string_view plain = " ./-_=,:@%+";
  if (!std::all_of(command.begin(), command.end(),
                   [&](char c) { return is_letter_or_digit(c) || plain.find(c) != std::string_view::npos; })) {
    return false;
  }
  const std::string_view first =
      command.substr(0, std::min(command.find(' ', command.find_first_not_of(' ')), command.size()));
  return !is_one_of(trimmed(first), {"case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function",
                                     "if", "in", "select", "then", "time", "until", "while"});
}

// Where a command is in the text of all commands.
struct CommandLines {
  std::size_t command = 0;
  std::size_t end = 0;  // the first line after the command's closing text
};

}  // namespace

std::vector<workflow::ShellMistake> unreadable_commands(const std::string& shell,
                                                        const std::vector<std::string>& commands) {
  std::vector<workflow::ShellMistake> found;
  const std::string program = system_shell(shell);
  if (program.empty()) return found;
  Asker asker(program);
  const auto ask_alone = [&](std::size_t index) {
    if (const auto complaint = asker.ask(commands[index] + "\n")) {
      found.push_back({index, complaint->line, complaint->message});
    }
  };
  std::vector<std::size_t> together;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (is_plain(commands[i])) continue;
    // An unfinished here-document would take all following commands as its text.
    const bool reaches_far = commands[i].find("<<") != std::string::npos;
    if (reaches_far || commands.size() == 1) {
      ask_alone(i);
    } else {
      together.push_back(i);
    }
  }
  while (!together.empty()) {
    std::string text;
    std::vector<CommandLines> lines;
    std::size_t line = 0;
    for (const std::size_t index : together) {
      const std::size_t begin = text.size();
      text.append(opening).append(commands[index]).append(closing);
      line += static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), '\n'));
      lines.push_back({index, line});
    }
    const auto complaint = asker.ask(text);
    if (!complaint) break;
    auto suspect =
        std::find_if(lines.begin(), lines.end(), [&](const CommandLines& one) { return complaint->line < one.end; });
    if (suspect == lines.end()) --suspect;
    ask_alone(suspect->command);
    // The shell could read everything before this command.
    together.erase(together.begin(), together.begin() + (suspect - lines.begin()) + 1);
  }
  if (asker.gave_up() && !found.empty()) {
    found.back().message += ". There are too many such mistakes to check all commands, so others may be wrong, too";
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.command < b.command; });
  return found;
}

}  // namespace wtool::host
