// What of a git repository leads to something being executed: protected in each repository that a search has found.
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

// Adds what is to be held and what is to be watched of all repositories but those in `made`.
void protect_repositories(const Repositories& repositories, const FoundByPath& made,
                          const std::vector<Root>& write_roots, bool namespaces, NamesInFolders& folders,
                          ProtectedNames& names);

struct MadeRepositories {
  FoundByPath all;                    // that were not there before, or were others
  std::vector<std::string> reported;  // their paths, but for those inside another one's .git
};

MadeRepositories find_made_repositories(const Repositories& before, const Repositories& after);

// Which of `made` have git in a repository of `before`, or around one, run git in them: its index takes one for a
// submodule, one is around a checkout of its own, or it is broken and git would look in the folders above it. `made`
// may be of earlier commands as well; `since` is when this one began, and what an index said before is not looked at
// again.
std::vector<Addition> find_intruders(const FoundByPath& made, const MadeRepositories& new_ones,
                                     const FoundByPath& before, std::int64_t since_ns);

}  // namespace wtool::engine
