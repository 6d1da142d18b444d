// The roots of a sandbox: folders, and files, below which something is allowed.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "base/path_text.h"
#include "engine/sandbox/policy.h"

namespace wtool::engine {

// Borrows nothing; the same folder is told again by its device and inode.
struct Root {
  std::string path;  // canonical
  dev_t device = 0;
  ino_t inode = 0;
  bool folder = false;
};

struct Roots {
  std::vector<Root> read;
  std::vector<Root> write;
};

// True where one of `roots` contains the canonical path.
bool is_within_any(std::string_view path, const std::vector<Root>& roots);
// "/a, /b", or "/a, /b, /c and 2 more"; "nothing" where there are none.
std::string list_roots(const std::vector<Root>& roots);

// Resolves the policy's roots, links included. False with `error`, a sentence that names the root. A root that lies in
// a write root by its name and leads out of it is an error as well: a command could have put that link there.
bool resolve_roots(const SandboxPolicy& policy, Roots& roots, std::string& error);

// Opens the root for Landlock, as a place alone. Without following any link, as its path was canonical. None with
// errno.
Descriptor open_root(const Root& root);

// True while the root's path leads to what it led to.
bool is_unchanged(const Root& root);

}  // namespace wtool::engine
