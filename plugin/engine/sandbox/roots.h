// The roots of a sandbox: the folders and files to which it allows access.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "engine/sandbox/policy.h"

namespace wtool::engine {

// A plain value. A folder is recognised by its device and inode.
struct Root {
  std::string path;  // canonical
  dev_t device = 0;
  ino_t inode = 0;
  bool folder = false;
};

struct Roots {
  std::vector<Root> read;
  std::vector<Root> write;
  std::vector<Root> list{};  // folders in which only the names may be read
};

// How the roots were found for the first time. A program that is not confined by this sandbox (git, or a command of
// another sandbox) can later replace a root, even by a link to the home folder. Such a root is no longer what the
// configuration meant, so it is refused for as long as the configuration is in use. What must stay the same is the path
// without links, whether it is a folder, and, for a folder that may be written, device and inode. Exceptions:
// - A folder inside another one that may be written: a command may replace it.
// - Files, and folders that are only read: programs replace them when they save or update them. They may also lead to
//   another place within another root.
// Any thread may call any member.
class KnownRoots {
 public:
  // Finds the policy's roots for the first time. Of those that are missing, the place is known.
  void learn(const SandboxPolicy& policy);
  // Returns what differs, as the end of a sentence about the root; empty if nothing differs.
  std::string check(const std::string& name, const Root& found, const SandboxPolicy& policy);
  // True if a known root of the policy is gone, or has been replaced.
  bool are_lost(const SandboxPolicy& policy);

 private:
  struct Known {
    Root root;
    bool exists = false;  // it has been found; until then, only root.path is known
  };

  // With mutex_ held.
  bool is_same(const std::string& name, Known& known, const Root& now, const SandboxPolicy& policy) const;

  std::mutex mutex_;
  std::map<std::string, Known, std::less<>> roots_;  // by their names in the configuration
};

// True if one of `roots` contains the canonical path.
bool is_within_any(std::string_view path, const std::vector<Root>& roots);
// "/a, /b", or "/a, /b, /c and 2 more"; "nothing" for an empty list.
std::string list_roots(const std::vector<Root>& roots);

// Resolves the policy's roots, links included. False with `error`, a sentence that names the root. It is also an error
// if a root's path is below a write root but a link in it leads out of the write root, because a command could have put
// that link there. With `known`, it is an error if a root has been replaced.
bool resolve_roots(const SandboxPolicy& policy, Roots& roots, std::string& error, KnownRoots* known = nullptr);

// The roots of the files that a call is limited to. False with `error`: one of the files has become a link.
bool resolve_held(const HeldFiles& held, Roots& roots, std::string& error);

// Opens the root for Landlock, with O_PATH and without following links, since its path is canonical. Empty, with
// errno, on failure; ESTALE: something else is there now.
Descriptor open_root(const Root& root);

// True while the root's path still leads to the same file or folder.
bool is_unchanged(const Root& root);

}  // namespace wtool::engine
