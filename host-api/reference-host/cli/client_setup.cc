#include "cli/client_setup.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include "base/descriptor.h"
#include "base/environment.h"
#include "base/files.h"
#include "base/sha256.h"
#include "base/shell_quote.h"
#include "base/stop.h"
#include "cli/context.h"
#include "cli/interrupts.h"
#include "cli/questions.h"
#include "cli/table.h"
#include "terminal/text.h"

namespace wtool::host {

namespace {

namespace fs = std::filesystem;
using Place = mcp::Client::Place;

constexpr std::size_t max_bytes = 16 * 1024 * 1024;
constexpr mode_t private_file = 0600;
constexpr mode_t private_folder = 0700;

// A file below the existing folder `base`. Below that folder, no link is followed.
struct Target {
  std::string base;
  std::string folder;  // relative to `base`; may be empty, and need not exist
  std::string name;
  mode_t file_mode = private_file;  // for a new file
  mode_t folder_mode = private_folder;

  std::string path() const { return (fs::path(base) / folder / name).lexically_normal().string(); }
};

struct Content {
  bool is_there = false;
  std::string text;
  mode_t mode = 0;
};

std::string home() { return environment_folder("HOME"); }

// The folder to which the path of a client's file is relative. Empty: HOME is not set, or there is no project.
std::string folder_of(Place place, const std::string& project) {
  std::string own = home();
  switch (place) {
    case Place::project:
      return project;
    case Place::home:
      return own;
    case Place::config_home:
      return environment_folder("XDG_CONFIG_HOME", own.empty() ? own : own + "/.config");
    case Place::codex_home:
      return environment_folder("CODEX_HOME", own.empty() ? own : own + "/.codex");
  }
  return {};
}

bool is_something(const fs::path& path) {
  std::error_code none;
  return fs::exists(fs::symlink_status(path, none));
}

// Follows all links in the path, also if the file itself is a link.
std::optional<Target> resolve(const fs::path& path, std::string& problem) {
  std::error_code failure;
  if (is_something(path)) {
    const fs::path real = fs::canonical(path, failure);
    if (!failure) return Target{real.parent_path().string(), "", real.filename().string()};
    problem = "it is a link that leads nowhere";
    return std::nullopt;
  }
  fs::path base = path.parent_path();
  while (base.has_relative_path() && !is_something(base)) base = base.parent_path();
  const fs::path real = fs::canonical(base, failure);
  if (!failure) return Target{real.string(), path.parent_path().lexically_relative(base).string(), path.filename()};
  problem = base.string() + " is a link that leads nowhere";
  return std::nullopt;
}

std::optional<Target> target_of(const mcp::Client& client, const std::string& project, std::string& problem) {
  const std::string folder = folder_of(client.place, project);
  if (folder.empty()) {
    problem = client.place == Place::project ? "the working directory is in no project; name a folder (--root DIR)"
                                             : "HOME is not set, so the client's folder is not known";
    return std::nullopt;
  }
  const fs::path other = fs::path(folder) / client.other_path;
  const fs::path path = !client.other_path.empty() && is_something(other) ? other : fs::path(folder) / client.path;
  if (client.place != Place::project) return resolve(path, problem);
  const fs::path below = path.lexically_relative(folder);
  return Target{folder, below.parent_path().string(), below.filename().string(), 0666, 0777};
}

std::optional<Content> read_target(const Target& target, std::string& problem) {
  Content content;
  // This check follows links in the path; opening the file refuses them.
  if (!is_something(target.path())) return content;
  const Descriptor file = open_without_links(target.path(), O_RDONLY | O_NONBLOCK, 0, problem);
  if (!file) return std::nullopt;
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    problem = "it is not a file";
    return std::nullopt;
  }
  if (status.st_uid != ::geteuid()) {
    problem = "it belongs to another user";
    return std::nullopt;
  }
  if (const int failed = read_all(file.get(), max_bytes, content.text); failed != 0) {
    problem = ::strerror(failed);
    return std::nullopt;
  }
  content.is_there = true;
  content.mode = status.st_mode & 07777;
  return content;
}

bool fail(const char* what, std::string& problem) {
  problem = std::string(what) + ": " + ::strerror(errno);
  return false;
}

// Locks the folder. False: another process has kept it locked for two seconds.
bool lock_soon(const Descriptor& folder) {
  for (int tries = 0; ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0; ++tries) {
    if (errno != EWOULDBLOCK) return true;  // The file system has no locks.
    if (tries == 200) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

// Replaces the file, or removes it if `text` is nothing. Fails if the file is no longer as `before` says.
bool write_target(const Target& target, const Content& before, const std::optional<std::string>& text,
                  std::string& problem) {
  bool made = false;
  const std::string path = target.path();
  const Descriptor folder = make_folder_without_links(target.base, target.folder, target.folder_mode, made, problem);
  if (!folder) return false;
  // Of several wtool processes, only one at a time compares and replaces files of the folder.
  const Descriptor held(::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (held && !lock_soon(held)) {
    problem = "another program is changing files in its folder; try again";
    return false;
  }
  const std::string beside = "." + target.name + ".wtool-" + std::to_string(::getpid());
  if (text) {
    const Descriptor file(::openat(folder.get(), beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                   before.is_there ? private_file : target.file_mode));
    if (!file) return fail("a file beside it cannot be created", problem);
    const int failed = write_all(file.get(), *text).error;
    if (failed != 0) errno = failed;
    if (failed != 0 || (before.is_there && ::fchmod(file.get(), before.mode) != 0) || ::fsync(file.get()) != 0) {
      fail("a file beside it cannot be written", problem);
      ::unlinkat(folder.get(), beside.c_str(), 0);
      return false;
    }
  }
  const auto now = read_target(target, problem);
  bool done = now.has_value();
  if (done && (now->is_there != before.is_there || now->text != before.text)) {
    problem = "another program has changed it in the meantime; try again";
    done = false;
  }
  if (done) {
    done = (text ? ::renameat(folder.get(), beside.c_str(), folder.get(), target.name.c_str())
                 : ::unlinkat(folder.get(), target.name.c_str(), 0)) == 0;
    if (!done) fail("it cannot be replaced", problem);
  }
  if (!done && text) ::unlinkat(folder.get(), beside.c_str(), 0);
  return done;
}

// The place of the backup, the copy of the file that is made before this server is added.
std::optional<Target> backup_of(const Target& target, const std::string& server, std::string& problem) {
  const std::string state = state_folder();
  if (state.empty()) {
    problem = "no folder for a copy of the file is known; set HOME";
    return std::nullopt;
  }
  const std::string id = sha256(target.path() + '\n' + server).substr(0, 16);
  return resolve(fs::path(state) / "wtool" / "clients" / (id + "-" + target.name), problem);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(cleaned_for_terminal(text.substr(at, end - at), false));
    at = end + 1;
  }
  return lines;
}

// The lines that change, with two lines of context on either side.
std::string changes(const std::string& before, const std::string& after) {
  constexpr std::ptrdiff_t context = 2;
  const std::vector<std::string> old = lines_of(before);
  const std::vector<std::string> now = lines_of(after);
  const auto same = std::mismatch(old.begin(), old.end(), now.begin(), now.end()).first - old.begin();
  std::ptrdiff_t tail = 0;
  const auto shorter = static_cast<std::ptrdiff_t>(std::min(old.size(), now.size()));
  while (tail < shorter - same && *(old.rbegin() + tail) == *(now.rbegin() + tail)) ++tail;
  std::string out;
  const auto add = [&out](const char* mark, auto from, auto to) {
    for (; from < to; ++from) out += mark + *from + '\n';
  };
  add("  ", old.begin() + std::max<std::ptrdiff_t>(0, same - context), old.begin() + same);
  add("- ", old.begin() + same, old.end() - tail);
  add("+ ", now.begin() + same, now.end() - tail);
  add("  ", old.end() - tail, old.end() - std::max<std::ptrdiff_t>(0, tail - context));
  return out;
}

// Asks whether to make the change, unless `yes` is set. Nothing: the change is to be made. Otherwise,
// returns the exit status of the program.
std::optional<int> confirmed(bool yes, const std::string& question) {
  if (yes) return std::nullopt;
  Stop stop;
  const Interrupts interrupts(stop);
  const std::optional<bool> answer = confirm_on_terminal(question, stop);
  if (answer == true) return std::nullopt;
  if (interrupts.signal() != 0) return interrupts.exit_status();
  complain(answer ? "nothing was changed"
                  : "nothing was changed, because nobody has answered on a terminal; --yes makes the change without a "
                    "question");
  return answer ? exit_failed : exit_unusable;
}

bool is_ours(const std::vector<std::string>& argv) {
  return argv.size() >= 2 && fs::path(argv.front()).filename() == "wtool" && argv[1] == "mcp";
}

int unusable(const std::string& path, const std::string& problem) {
  complain(path + ": " + problem + "; nothing was changed");
  return exit_unusable;
}

// Whether `text` is the backup with this server added.
bool is_made_of(const mcp::Client& client, const Content& backup, const mcp::ClientServer& server,
                const std::string& text) {
  std::string problem;
  return mcp::add_server(client.format, backup.text, server, problem) == text;
}

struct Files {
  Target target;
  Content now;
  Target kept;
  Content backup;
};

std::optional<Files> open_files(const ClientSetup& setup, const std::string& name) {
  std::string problem;
  Files files;
  const auto target = target_of(*setup.client, setup.project, problem);
  if (target) files.target = *target;
  const auto now = target ? read_target(*target, problem) : std::nullopt;
  const auto kept = now ? backup_of(*target, name, problem) : std::nullopt;
  if (kept) files.kept = *kept;
  const auto backup = kept ? read_target(*kept, problem) : std::nullopt;
  if (!backup) {
    unusable(target ? target->path() : std::string(setup.client->title), problem);
    return std::nullopt;
  }
  files.now = *now;
  files.backup = *backup;
  return files;
}

}  // namespace

std::string snippet(const mcp::Client& client, const mcp::ClientServer& server) {
  std::string problem;
  return mcp::add_server(client.format, "", server, problem).value_or("");
}

std::string client_file(const mcp::Client& client, const std::string& project) {
  std::string problem;
  if (const auto target = target_of(client, project, problem)) return target->path();
  return std::string(client.path) + (client.place == Place::project ? " in the project" : "");
}

int install_server(const ClientSetup& setup, const mcp::ClientServer& server) {
  const mcp::Client& client = *setup.client;
  const auto files = open_files(setup, server.name);
  if (!files) return exit_unusable;
  const auto& [target, now, kept, backup] = *files;
  const std::string path = target.path();
  std::string problem;
  const auto present = mcp::server_argv(client.format, now.text, server.name, problem);
  if (present && !present->empty() && !is_ours(*present)) {
    return unusable(
        path, "a different server is already named \"" + server.name + "\" there; choose another name (--name NAME)");
  }
  const auto text = present ? mcp::add_server(client.format, now.text, server, problem) : std::optional<std::string>();
  if (!text) {
    unusable(path, problem);
    complain("put this text into the file:");
    print(snippet(client, server));
    return exit_unusable;
  }
  if (now.is_there && *text == now.text) {
    return print(cleaned_for_terminal(path, false) + " already has this server; nothing was changed\n") ? exit_ok
                                                                                                        : exit_unusable;
  }
  if (!print(cleaned_for_terminal(path, false) + (now.is_there ? ":\n" : " (a new file):\n") +
             changes(now.text, *text))) {
    return exit_unusable;
  }
  const std::string title(client.title);
  if (const auto status = confirmed(setup.yes, "Put this server into the configuration of " + title + "?")) {
    return *status;
  }
  // A backup must be a copy without the server. If the file already has the server, no copy is made: an earlier backup
  // stays if it still fits the file, and is removed if it does not.
  const bool keeps_copy = present->empty() || !is_made_of(client, backup, {server.name, *present}, now.text);
  if (keeps_copy && (now.is_there || backup.is_there)) {
    const auto copy = present->empty() ? std::optional<std::string>(now.text) : std::nullopt;
    if ((copy || backup.is_there) && !write_target(kept, backup, now.is_there ? copy : std::nullopt, problem)) {
      return unusable(path, "a copy of it, " + kept.path() + ", cannot be kept: " + problem);
    }
  }
  if (!write_target(target, now, text, problem)) return unusable(path, problem);
  // Without --root, `wtool mcp --uninstall` would look in the project of the working directory.
  std::string end =
      "Done. `wtool mcp --uninstall " + std::string(client.name) +
      (client.place == Place::project ? " --root " + cleaned_for_terminal(shell_quoted(setup.project), false) : "") +
      (server.name == "shell" ? "" : " --name " + server.name) + "` removes the server again";
  if (now.is_there && present->empty())
    end += "; the original file is kept as " + cleaned_for_terminal(kept.path(), false);
  end += ". Start " + title + " again.\n";
  if (!client.note.empty()) end += std::string(client.note) + ".\n";
  return print(end) ? exit_ok : exit_unusable;
}

int uninstall_server(const ClientSetup& setup, const std::string& name) {
  const mcp::Client& client = *setup.client;
  const auto files = open_files(setup, name);
  if (!files) return exit_unusable;
  const auto& [target, now, kept, backup] = *files;
  const std::string path = target.path();
  std::string problem;
  const auto argv = mcp::server_argv(client.format, now.text, name, problem);
  if (!argv) return unusable(path, problem);
  if (argv->empty()) {
    complain(path + " has no server \"" + name + "\"; nothing was changed");
    return exit_failed;
  }
  if (!is_ours(*argv)) return unusable(path, "its server \"" + name + "\" is not this program");
  const bool goes_back = is_made_of(client, backup, {name, *argv}, now.text);
  // If there is no backup, the file did not exist before the server was added.
  std::optional<std::string> text;
  if (goes_back && backup.is_there) text = backup.text;
  if (!goes_back) {
    text = mcp::remove_server(client.format, now.text, name, problem);
    if (!text) return unusable(path, problem);
  }
  if (!print(cleaned_for_terminal(path, false) + (text ? ":\n" : " (the file will be removed):\n") +
             changes(now.text, text.value_or("")))) {
    return exit_unusable;
  }
  if (const auto status =
          confirmed(setup.yes, "Take this server out of the configuration of " + std::string(client.title) + "?")) {
    return *status;
  }
  if (!write_target(target, now, text, problem)) return unusable(path, problem);
  if (backup.is_there && !write_target(kept, backup, std::nullopt, problem)) {
    complain("the copy " + kept.path() + " cannot be removed: " + problem);
  }
  return print("Done. Start " + std::string(client.title) + " again.\n") ? exit_ok : exit_unusable;
}

int list_clients(const std::string& project, const std::string& name) {
  std::string out = padded("CLIENT", 14) + "  " + padded("SERVER", 9) + "  FILE\n";
  for (const mcp::Client& client : mcp::clients()) {
    std::string problem;
    std::string state = "unclear";
    const auto target = target_of(client, project, problem);
    const auto content = target ? read_target(*target, problem) : std::nullopt;
    const auto argv = content ? mcp::server_argv(client.format, content->text, name, problem) : std::nullopt;
    if (argv) state = argv->empty() ? "-" : is_ours(*argv) ? "installed" : "another";
    out += padded(client.name, 14) + "  " + padded(state, 9) + "  " +
           cleaned_for_terminal(client_file(client, project), false) +
           (content && content->is_there ? "" : " (not there)") +
           (argv ? "" : ": " + cleaned_for_terminal(problem, false)) + '\n';
  }
  return print(wrapped(out, output_columns(), out.find("FILE"))) ? exit_ok : exit_unusable;
}

}  // namespace wtool::host
