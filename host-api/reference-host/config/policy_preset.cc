#include "config/policy_preset.h"

#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/paths.h"
#include "base/temporary_path.h"
#include "base/utf8.h"
#include "config/git_worktree.h"

namespace wtool::host {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* system_folders[] = {
    "/bin",         "/etc",          "/gnu",  "/lib",  "/lib32", "/lib64", "/libx32",         "/nix",
    "/opt",         "/proc",         "/sbin", "/snap", "/sys",   "/usr",   "/run/resolvconf", "/run/systemd/resolve",
    "/var/lib/apt", "/var/lib/dpkg",
};

// In the home folder: programs, libraries and settings of build tools, but nothing that contains credentials.
constexpr const char* toolchain_folders[] = {
    ".asdf",
    ".bun",
    ".cargo/bin",
    ".cargo/config.toml",
    ".cargo/env",
    ".cargo/git",
    ".cargo/registry",
    ".config/git",
    ".deno/bin",
    ".gitconfig",
    ".goenv",
    ".local/bin",
    ".local/lib",
    ".local/share/mise",
    ".nvm",
    ".pyenv",
    ".local/share/pnpm",
    ".rbenv",
    ".rustup",
    ".sdkman",
    ".volta",
    "go/bin",
    "go/pkg",
};

constexpr const char* repository_marks[] = {".git", ".hg", ".jj", ".svn"};
constexpr const char* build_marks[] = {"CMakeLists.txt", "Cargo.toml",       "Gemfile",   "Makefile", "build.gradle",
                                       "composer.json",  "deno.json",        "flake.nix", "go.mod",   "meson.build",
                                       "mix.exs",        "package.json",     "pom.xml",   "setup.py", "wtool.yaml",
                                       "pyproject.toml", "build.gradle.kts", "wtool.yml"};

std::string home_folder() { return fs::path(environment_folder("HOME")).lexically_normal().string(); }

// The path with its links resolved, or `path` itself on failure.
std::string resolved(const std::string& path) {
  std::error_code failure;
  const fs::path real = fs::canonical(path, failure);
  return failure ? path : real.string();
}

// Adds the path if it exists and is not in the list yet.
void add_existing(json& list, const fs::path& path) {
  std::error_code failure;
  if (!fs::exists(path, failure) || !is_utf8(path.native())) return;
  if (std::find(list.begin(), list.end(), path.string()) == list.end()) list.push_back(path.string());
}

struct TemporaryFolders {
  json all = json::array();
  std::string own;     // the value of TMPDIR for commands; empty: they keep that of the host
  std::string notice;  // why they do not keep it, for people; empty: nothing to say
};

// Why commands cannot have this folder for their temporary files; empty: they can.
std::string why_not_temporary(const std::string& folder) {
  if (!is_utf8(folder)) return "its name is not valid UTF-8";
  std::string tried = folder + "/wtool-XXXXXX";
  if (::mkdtemp(tried.data()) == nullptr) return std::string("nothing can be made there: ") + std::strerror(errno);
  ::rmdir(tried.c_str());
  return {};
}

// A folder that contains one of `closed` is left out: commands would reach the keys in the home folder, or write in a
// root that they may only read. If the folder for temporary files is left out, commands get one of their own inside it.
// Nothing: `error` says why.
std::optional<TemporaryFolders> temporary_folders(const std::vector<std::string>& closed, std::string& error) {
  TemporaryFolders made;
  const char* const given = std::getenv("TMPDIR");
  const bool is_set = given != nullptr && *given != '\0';
  std::string usual = resolved(environment_folder("TMPDIR", "/tmp"));
  const auto is_closed = [&](const std::string& folder) {
    return folder == "/" || std::any_of(closed.begin(), closed.end(),
                                        [&](const std::string& one) { return !one.empty() && is_within(one, folder); });
  };
  std::string why;
  if (is_set && *given != '/') {
    why = "it is not absolute";
  } else if (usual == "/") {
    why = "commands would write everywhere";
  } else if (!is_closed(usual) || !is_utf8(usual)) {
    why = why_not_temporary(usual);
  }
  if (!why.empty()) {
    for (const char* other : {"/var/tmp", "/tmp"}) {
      if (!is_closed(other) && why_not_temporary(other).empty()) made.own = other;
    }
    if (!made.own.empty()) {
      made.notice = "TMPDIR is " + escaped(is_set ? given : usual) + ", which cannot have temporary files: " + why +
                    "; commands get TMPDIR=" + made.own + " instead";
      usual = made.own;
    }
  }
  for (const std::string& folder : {std::string("/tmp"), std::string("/var/tmp"), usual}) {
    if (!is_closed(folder)) {
      add_existing(made.all, folder);
    } else if (folder == usual && folder != "/" && made.own.empty()) {
      // Not the folder of wtool's own temporary files. It stays when this process ends, as /tmp itself does: the commands of
      // other servers of this user have the same folder, and what a command has left there belongs to its author.
      made.own = temporary_folder_of_user();
      if (error = make_temporary_folder(made.own); !error.empty()) return std::nullopt;
      made.own += "/commands";
      if (error = make_temporary_folder(made.own); !error.empty()) return std::nullopt;
      made.own = resolved(made.own);
      add_existing(made.all, made.own);
    }
  }
  return made;
}

// A worktree or a submodule of git has a file `.git`, which names its folder in another repository. Why git cannot work in
// such a root; empty: the root is neither of the two, or commands can reach the folder.
std::string why_git_fails(const std::string& root, const json& read, const json& write) {
  const std::string folder = folder_of_git_file(root);
  if (folder.empty()) return {};
  for (const json* const list : {&read, &write}) {
    if (std::any_of(list->begin(), list->end(),
                    [&](const json& one) { return is_within(folder, one.get<std::string>()); }))
      return {};
  }
  return "every git command of the agent will fail, because " + root + "/.git is a file that names " + escaped(folder) +
         ", which commands cannot reach; to let the agent use git, name a folder that contains both (--root DIR)";
}

// The repository that commands need, too. Empty: the root is no worktree or contains its repository, or the repository's
// folder contains what commands must not reach, such as the root and with it perhaps other checkouts.
std::string shared_repository(const std::string& root, const std::string& home) {
  std::string repository = repository_of_worktree(root);
  const auto encloses = [&](const std::string& folder) { return !folder.empty() && is_within(folder, repository); };
  if (!is_utf8(repository) || is_within(repository, root)) return {};
  if (encloses(root) || encloses(home) || encloses(resolved(state_folder()))) return {};
  return repository;
}

// The audit trail must be where no command can write.
std::string audit_file() {
  const std::string state = state_folder();
  return state.empty() ? state : state + "/wtool/mcp-audit.jsonl";
}

bool has_landlock() { return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0; }

template <std::size_t count>
bool has_any(const fs::path& folder, const char* const (&names)[count]) {
  std::error_code failure;
  for (const char* name : names) {
    if (fs::exists(folder / name, failure)) return true;
  }
  return false;
}

}  // namespace

std::optional<PolicyPreset> policy_preset(const PolicyRequest& request, std::string& error) {
  const std::string home = resolved(home_folder());
  const std::string& root = request.root;
  if (!is_utf8(root)) {
    error = "the folder " + escaped(root) + " has a name that is not valid UTF-8";
    return std::nullopt;
  }
  if (root == "/" || (!home.empty() && is_within(home, root))) {
    error = "the folder " + root + (root == home ? " is your home folder" : " contains your home folder") +
            ", with its keys and settings: name the folder of a project (--root DIR)";
    return std::nullopt;
  }
  if (!has_landlock()) {
    error =
        "this kernel has no Landlock, so commands cannot be confined to the folder. --policy open serves without a "
        "sandbox, and a command may then do whatever you may do";
    return std::nullopt;
  }
  const bool writes_root = request.kind == PolicyPreset::Kind::project;
  const std::string repository = shared_repository(root, home);
  std::vector<std::string> closed{home, resolved(state_folder())};
  if (!writes_root) closed.insert(closed.end(), {root, repository});
  const std::optional<TemporaryFolders> temporary = temporary_folders(closed, error);
  if (!temporary) return std::nullopt;
  json write = temporary->all;
  json read = json::array();
  for (const std::string& folder : {root, repository}) {
    if (folder.empty()) continue;
    read.push_back(folder);
    if (writes_root) write.push_back(folder);
  }
  for (const char* folder : system_folders) add_existing(read, folder);
  if (!home.empty()) {
    for (const char* folder : toolchain_folders) add_existing(read, fs::path(home) / folder);
  }

  std::vector<std::string> notices;
  if (!temporary->notice.empty()) notices.push_back(temporary->notice);
  if (std::string why = why_git_fails(root, read, write); !why.empty()) notices.push_back(std::move(why));
  if (!repository.empty()) {
    notices.push_back(root + " is a worktree of git, so commands can also " +
                      (writes_root ? "write in its repository, " : "read its repository, ") + escaped(repository) +
                      (writes_root ? ": its branches, commits and stash, but not its configuration and hooks" : ""));
  }

  PolicyPreset preset;
  // The answers to the questions of execute_run are in its root, so no command may choose that folder.
  json defaults{{"environment", {{"inherit", "core"}}}};
  if (!request.project.empty()) defaults["execute_run"] = {{"root", request.project}};
  if (!temporary->own.empty()) defaults["environment"]["set"] = {{"TMPDIR", temporary->own}};
  if (const std::string file = audit_file(); !file.empty()) defaults["audit"] = {{"file", file}};
  json boundary{{"sandbox",
                 {{"read", std::move(read)},
                  {"write", std::move(write)},
                  {"network", request.network ? "allow" : "deny"},
                  {"required", true}}},
                {"lock", {"sandbox"}}};
  if (!request.trusts_last_file) {
    // commands.approvals is locked, too: if answers were remembered in a file of the project, an agent that may write
    // the file could approve its own commands.
    for (const char* key : {"environment", "shell", "audit", "output.directory", "mcp.login_environment",
                            "commands.approvals", "execute_run.root"})
      boundary["lock"].push_back(key);
  }
  preset.notices = std::move(notices);
  preset.defaults = defaults.dump();
  preset.boundary = boundary.dump();
  std::string written = root;
  std::string readable = writes_root ? "these folders" : root;
  if (!repository.empty()) {
    written += ", in its git repository " + escaped(repository) + ',';
    if (!writes_root) readable += ", its git repository " + escaped(repository);
  }
  preset.summary = std::string("Commands can ") +
                   (writes_root ? "write only below " + written + " and" : "write only") +
                   " in temporary folders. They can read " + readable +
                   ", the system and toolchains, but not the rest of the home folder. They have " +
                   (request.network ? "network access." : "no network access, not even to this machine.");
  return preset;
}

std::string project_of(const std::string& folder) {
  const std::string home = resolved(home_folder());
  std::string nearest;
  for (fs::path at = folder; at != at.root_path() && at != home; at = at.parent_path()) {
    if (has_any(at, repository_marks)) return at.string();
    if (nearest.empty() && has_any(at, build_marks)) nearest = at.string();
  }
  return nearest;
}

}  // namespace wtool::host
