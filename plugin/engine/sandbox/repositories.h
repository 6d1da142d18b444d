// Protects the parts of a git repository that make git execute something, in each repository that a search has found.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/sandbox/protected_names.h"
#include "engine/sandbox/repository_search.h"
#include "engine/sandbox/roots.h"

namespace wtool::engine {

using FoundByPath = std::map<std::string, FoundRepository>;

// Adds the paths to bind and to watch, for all repositories except unchanged ones in `made`. A closed folder is bound
// as a whole if possible, so that a command can neither open it nor change what is in it. What cannot be protected is
// in names.problems.
void protect_repositories(const Repositories& repositories, const FoundByPath& made,
                          const std::vector<Root>& write_roots, bool namespaces, NamesInFolders& folders,
                          ProtectedNames& names);

struct MadeRepositories {
  FoundByPath all;                    // repositories that did not exist before, or were different ones
  std::vector<std::string> reported;  // the paths of `all`, except those inside another repository's .git
};

MadeRepositories find_made_repositories(const Repositories& before, const Repositories& after);

// The repositories of `made` that git would use when it runs in a repository of `before`. Such an intruder is in the
// existing repository's folder, is listed as a submodule in its index, or encloses its checkout. The last case applies
// only if the existing repository is broken, so that git looks in the folders above. `made` may include repositories of
// earlier commands. For those, an index is checked only if it has changed since `since_ns`, when this command began.
std::vector<Addition> find_intruders(const FoundByPath& made, const MadeRepositories& new_ones,
                                     const FoundByPath& before, std::int64_t since_ns);

}  // namespace wtool::engine
