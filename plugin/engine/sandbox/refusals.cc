#include "engine/sandbox/refusals.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "base/paths.h"
#include "base/text.h"

namespace wtool::engine {

namespace {

constexpr std::size_t max_refusals = 10;
// The command controls what it writes, and the host reads it when the command has ended. So everything is bounded: the
// text, whose beginning says what went wrong first; the number of paths that are looked up; and their length. (A line
// shorter than the shortest phrase cannot match.)
constexpr std::size_t max_text = 64UL * 1024;
constexpr std::size_t shortest_line = 8;
constexpr int max_paths = 100;
constexpr std::size_t max_path = 1024;

template <std::size_t N>
bool has_any(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// What programs write for the errors that a sandbox causes. EPERM is not among them: Landlock and read-only mounts
// never fail with it, and the calls that fail with it (changing a file's owner, mode or times) are not refused by this
// sandbox.
enum class Cause { access, cross_device, read_only, busy };
struct Phrase {
  std::string_view text;
  Cause cause;
};
constexpr std::array<Phrase, 4> phrases = {{{"permission denied", Cause::access},
                                            {"cross-device link", Cause::cross_device},
                                            {"read-only file system", Cause::read_only},
                                            {"device or resource busy", Cause::busy}}};

// Words in messages about a failed write.
constexpr std::array<std::string_view, 24> write_words = {
    "creat", "write", "writing", "touch", "remov", "unlink", "delet",    "mkdir", "rmdir", "move",  "rename", "truncat",
    "link",  "copy",  "output",  "tee: ", "lock",  "append", "for save", "mv: ",  "rm: ",  "sed: ", "mkfifo", "mknod"};
constexpr std::array<std::string_view, 3> read_words = {"for reading", "open directory", "reading directory"};

// Programs that execute what they are given, and report only its name on failure.
constexpr std::array<std::string_view, 14> executing = {
    "sh: ",    "dash: ",  "bash: ",    "ksh: ",  "zsh: ",  "env: ",  "nice: ",
    "nohup: ", "xargs: ", "timeout: ", "find: ", "make: ", "sudo: ", "time: "};

constexpr std::array<std::string_view, 9> network_phrases = {"could not resolve host",
                                                             "couldn't connect to server",
                                                             "couldn't resolve host",
                                                             "unable to resolve host",
                                                             "temporary failure in name resolution",
                                                             "name or service not known",
                                                             "eai_again",
                                                             "failed to resolve",
                                                             "temporary failure resolving"};

// What programs write about a call that the filter or Landlock's scopes refused with EPERM. Some messages have the
// number of the process, after the words or before them; other messages have no number.
struct Request {
  std::string_view words;
  std::string_view told;
  bool of_process;
};
constexpr std::string_view not_permitted = "operation not permitted";
constexpr std::array<Request, 5> requests = {{{"kill", "a signal to process ", true},
                                              {"priority for ", "a change of process ", true},
                                              {"affinity", "a change of process ", true},
                                              {"shared memory", "shared memory (sandbox.ipc is deny)", false},
                                              {"shmget", "shared memory (sandbox.ipc is deny)", false}}};

constexpr std::array<std::string_view, 4> socket_phrases = {"socket", "connect", "bind", "listen"};

struct AccessLine {
  std::string_view text;
  std::string lowered;
  std::size_t phrase = 0;  // where the phrase begins
  Cause cause = Cause::access;
};

// A word of a message that may be the path.
struct Candidate {
  std::string_view text;
  bool quoted;
};

void add_quoted(std::string_view line, std::vector<Candidate>& found) {
  constexpr std::array<std::array<std::string_view, 2>, 4> marks = {
      {{"'", "'"}, {"\"", "\""}, {"\xe2\x80\x98", "\xe2\x80\x99"}, {"`", "'"}}};
  for (const auto& [open, close] : marks) {
    for (std::size_t at = 0; (at = line.find(open, at)) != std::string_view::npos;) {
      at += open.size();
      const std::size_t end = line.find(close, at);
      if (end == std::string_view::npos) break;
      if (end > at) found.push_back({line.substr(at, end - at), true});
      if (found.size() > max_paths) return;
      at = end + close.size();
    }
  }
}

// Adds the path at the end of `before`, the text before the phrase: "cat: /a b: ", "sh: 1: cannot create /a: ".
void add_last_part(std::string_view before, std::vector<Candidate>& found) {
  while (!before.empty() && (before.back() == ' ' || before.back() == ':' || before.back() == ','))
    before.remove_suffix(1);
  const std::size_t part = before.rfind(": ");
  if (part == std::string_view::npos) {  // "Cannot create temporary file in /tmp/: "
    before.remove_prefix(before.rfind(' ') + 1);
    if (before.starts_with('/')) found.push_back({before, false});
    return;
  }
  before.remove_prefix(part + 2);
  for (const std::string_view words : {"cannot create ", "cannot open output file ", "cannot open "}) {
    // In these messages of dash and ld, everything that follows is the path, even if it has spaces.
    if (before.starts_with(words)) return found.push_back({before.substr(words.size()), false});
  }
  if (!before.starts_with('/')) before.remove_prefix(before.rfind(' ') + 1);  // npos + 1 is 0: one word stays whole.
  found.push_back({before, false});
}

// True if the path is "/proc/PID/..." of any process. Only processes that may trace that process can read such a path.
bool is_of_process(std::string_view path) {
  constexpr std::string_view folder = "/proc/";
  if (!path.starts_with(folder)) return false;
  path.remove_prefix(folder.size());
  const std::size_t digits = std::min(path.find_first_not_of("0123456789"), path.size());
  return digits > 0 && path.substr(digits).starts_with('/');
}

// The nearest existing folder above the path.
std::string nearest_existing(const std::string& path, const RefusalContext& context) {
  std::string at = path;
  while (at.size() > 1 && !context.host_may(at, F_OK)) at.erase(std::max<std::size_t>(at.rfind('/'), 1));
  return at.empty() ? "/" : at;
}

std::optional<std::string> judge_protected(const std::string& path, bool or_above, const RefusalContext& context) {
  for (const std::string& name : context.protected_paths) {
    if (is_within(path, name) || (or_above && is_within(name, path))) return "a change of the protected name " + name;
  }
  return std::nullopt;
}

class RefusalJudge {
 public:
  // Looks up at most `paths` paths, and counts `paths` down. `makes_files`: the line is about a file that could not be
  // made, whatever its words are.
  RefusalJudge(const AccessLine& line, bool runs_programs, bool makes_files, const RefusalContext& context, int& paths)
      : line_(line), context_(context), paths_(paths) {
    writes_ = makes_files || (has_any(line.lowered, write_words) && !has_any(line.lowered, read_words));
    executes_ = runs_programs || std::any_of(executing.begin(), executing.end(), [&](std::string_view name) {
                  const std::size_t at = line.lowered.find(name);
                  return at == 0 || (at != std::string::npos && line.lowered[at - 1] == '/');
                });
  }

  std::optional<std::string> operator()(const Candidate& candidate) const {
    if (candidate.text.find('\0') != std::string_view::npos || candidate.text.size() > max_path || paths_ == 0) {
      return std::nullopt;
    }
    --paths_;
    const bool absolute = candidate.text.front() == '/';
    const std::string given =
        absolute ? std::string(candidate.text) : context_.directory + '/' + std::string(candidate.text);
    // Bash's name for a connection, not a file.
    if (given.starts_with("/dev/tcp/") || given.starts_with("/dev/udp/")) return std::nullopt;
    std::string path = context_.canonical(std::filesystem::path(given).lexically_normal());
    if (path.empty()) return std::nullopt;
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    const bool exists = context_.host_may(path, F_OK);
    // A bare word may be anything (a user, a host) unless the message is about files.
    const bool about_files = writes_ || executes_ || candidate.quoted;
    if (!exists && !absolute && !about_files) return std::nullopt;
    switch (line_.cause) {
      case Cause::read_only:
        return judge_protected(path, false, context_);
      case Cause::busy:
        return judge_protected(path, true, context_);
      case Cause::cross_device:
        if (auto found = judge_protected(path, false, context_)) return found;
        [[fallthrough]];
      case Cause::access:
        return judge_access(path, exists);
    }
    return std::nullopt;
  }

 private:
  std::optional<std::string> judge_access(const std::string& path, bool exists) const {
    const Roots& roots = context_.roots;
    if (!context_.files || is_within_any(path, roots.write)) return std::nullopt;
    const std::string write =
        (roots.write.empty() ? "a write" : "a write outside " + list_roots(roots.write)) + ": " + path;
    if (!exists) {
      const std::string folder = nearest_existing(path, context_);
      if (is_within_any(folder, roots.write) || !context_.host_may(folder, W_OK | X_OK)) return std::nullopt;
      return write;
    }
    if (!context_.host_may(path, R_OK)) return std::nullopt;
    if (!is_within_any(path, roots.read) && !writes_) {
      return "a read outside " + list_roots(roots.read) + ": " + path;
    }
    if (is_of_process(path) && !writes_) return "a read of another process: " + path;
    // The command may have tried to execute the file, but even the host may not execute it.
    if (executes_ && !writes_ && !context_.host_may(path, X_OK)) return std::nullopt;
    if (has_any(line_.lowered, read_words)) return std::nullopt;
    if (!context_.host_may(path, W_OK) && !context_.host_may(parent_of(path), W_OK)) return std::nullopt;
    return write;
  }

  const AccessLine& line_;
  const RefusalContext& context_;
  int& paths_;
  bool writes_ = false;
  bool executes_ = false;
};

// `opens_sockets`: other lines show that the program opens sockets. A line that ends with "permission denied" is then
// about a socket, because a line about a file would end with the file's name.
bool is_network_failure(std::string_view lowered, bool opens_sockets) {
  if (has_any(lowered, network_phrases)) return true;
  const bool denied =
      lowered.find("permission denied") != std::string_view::npos || lowered.find("eacces") != std::string_view::npos;
  return denied && ((opens_sockets && lowered.ends_with("permission denied")) || has_any(lowered, socket_phrases));
}

// The first number after `at`, as a process number; 0 if no number follows.
pid_t process_behind(std::string_view text, std::size_t at) {
  constexpr std::string_view digits = "0123456789";
  constexpr std::size_t max_digits = 9;
  text.remove_prefix(at);
  text.remove_prefix(std::min(text.find_first_of(digits), text.size()));
  const std::size_t size = std::min(text.find_first_not_of(digits), text.size());
  return size == 0 || size > max_digits ? 0 : std::stoi(std::string(text.substr(0, size)));
}

std::optional<std::string> judge_request(std::string_view lowered, const RefusalContext& context) {
  if (lowered.find(not_permitted) == std::string_view::npos) return std::nullopt;
  for (const Request& request : requests) {
    const std::size_t at = lowered.find(request.words);
    if (at == std::string_view::npos) continue;
    if (!request.of_process) return context.ipc_refused ? std::optional<std::string>(request.told) : std::nullopt;
    pid_t pid = process_behind(lowered, at + request.words.size());
    if (pid == 0) pid = process_behind(lowered, 0);
    // If the host may change the settings of a process, the kernel also lets it send that process a signal.
    if (pid > 1 && context.host_may_signal(pid)) return std::string(request.told) + std::to_string(pid);
  }
  return std::nullopt;
}

// What the lines around a line of standard error show about the program.
struct Traceback {
  bool runs_programs = false;
  bool opens_sockets = false;
  bool makes_semaphores = false;
};

// The folder of a file that could not be made, if the message does not name the file. Empty: the message is of another
// kind.
std::string folder_of_unnamed_file(std::string_view lowered, const Traceback& around, const RefusalContext& context) {
  // Bash makes a file for a here-document that is longer than a pipe can hold (64 KiB).
  if (lowered.find("cannot create temp file") != std::string_view::npos) return context.temporary_folder;
  // A semaphore or shared memory of POSIX is a file in this folder. Python names no file for the one, and only the name
  // of the memory, "/psm_...", for the other.
  const bool is_semaphore = around.makes_semaphores && !around.opens_sockets && lowered.ends_with("permission denied");
  if (is_semaphore || lowered.find("permission denied: '/psm_") != std::string_view::npos) return "/dev/shm";
  return {};
}

void judge_line(std::string_view text, const Traceback& around, const RefusalContext& context, int& paths,
                std::vector<std::string>& refusals) {
  AccessLine line{text, lowered(text)};
  const auto add = [&](std::string refusal) {
    if (std::find(refusals.begin(), refusals.end(), refusal) == refusals.end()) refusals.push_back(std::move(refusal));
  };
  for (const Phrase& phrase : phrases) {
    line.phrase = line.lowered.find(phrase.text);
    if (line.phrase == std::string::npos) continue;
    line.cause = phrase.cause;
    std::vector<Candidate> candidates;
    const std::string folder = folder_of_unnamed_file(line.lowered, around, context);
    if (!folder.empty()) {
      candidates.push_back({folder, true});
    } else {
      add_quoted(text, candidates);
      if (candidates.empty()) add_last_part(text.substr(0, line.phrase), candidates);
    }
    const RefusalJudge judge(line, around.runs_programs, !folder.empty(), context, paths);
    for (const Candidate& candidate : candidates) {
      if (candidate.text.empty()) continue;
      if (paths == 0) break;
      if (auto refusal = judge(candidate)) return add(std::move(*refusal));
    }
  }
  if (auto refusal = judge_request(line.lowered, context)) return add(std::move(*refusal));
  if (context.network_refused && is_network_failure(line.lowered, around.opens_sockets)) {
    add(context.network_of_call ? "network access (the call's limit network is deny)"
                                : "network access (sandbox.network is deny)");
  }
}

}  // namespace

std::vector<std::string> find_refusals(std::string_view standard_error, const RefusalContext& context) {
  std::vector<std::string> refusals;
  standard_error = standard_error.substr(0, max_text);
  // Python uses the same words for a program that may not be executed, for a socket, and for a file that may not be
  // opened. For a socket and for a semaphore, it names no path. The library files that the text names show which of the
  // four it was.
  const auto names = [&](std::string_view file) { return standard_error.find(file) != std::string_view::npos; };
  const Traceback around{names("subprocess.py"), names("/socket.py") || names("/socketserver.py"),
                         names("/multiprocessing/synchronize.py")};
  int paths = max_paths;
  while (!standard_error.empty() && refusals.size() < max_refusals && !context.cancelled()) {
    const std::size_t end = std::min(standard_error.find('\n'), standard_error.size());
    if (end >= shortest_line) judge_line(standard_error.substr(0, end), around, context, paths, refusals);
    standard_error.remove_prefix(std::min(end + 1, standard_error.size()));
  }
  return refusals;
}

std::string find_refused_program(const std::vector<std::string>& paths, const RefusalContext& context) {
  if (!context.files) return {};
  for (const std::string& path : paths) {
    const std::string given = path.starts_with('/') ? path : context.directory + '/' + path;
    const std::string program = context.canonical(std::filesystem::path(given).lexically_normal());
    if (program.empty()) continue;
    if (is_within_any(program, context.roots.read) || is_within_any(program, context.roots.write)) continue;
    if (context.host_may(program, X_OK)) return "a read outside " + list_roots(context.roots.read) + ": " + program;
  }
  return {};
}

}  // namespace wtool::engine
