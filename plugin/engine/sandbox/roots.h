// The roots of a sandbox: the folders and files to which it allows access.
#pragma once

#include <sys/types.h>

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

// True if one of `roots` contains the canonical path.
bool is_within_any(std::string_view path, const std::vector<Root>& roots);
// "/a, /b", or "/a, /b, /c and 2 more"; "nothing" for an empty list.
std::string list_roots(const std::vector<Root>& roots);

// Resolves the policy's roots, links included. False with `error`, a sentence that names the root. It is also an error
// if a root's path is below a write root but a link in it leads out of the write root, because a command could have put
// that link there.
bool resolve_roots(const SandboxPolicy& policy, Roots& roots, std::string& error);

// The roots of the files that a call is limited to. False with `error`: one of the files has become a link.
bool resolve_held(const HeldFiles& held, Roots& roots, std::string& error);

// Opens the root for Landlock, with O_PATH and without following links, since its path is canonical. Empty, with
// errno, on failure.
Descriptor open_root(const Root& root);

// True while the root's path still leads to the same file or folder.
bool is_unchanged(const Root& root);

}  // namespace wtool::engine
