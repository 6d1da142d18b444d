// What of a git repository leads to something being executed: protected in each repository that a search has found.
#pragma once

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

struct RepositoryChanges {
  FoundByPath made;                   // that were not there before, or were others
  std::vector<std::string> reported;  // their paths, but for those inside another one's .git
  // Of these, what turns a folder of a repository that was there before into one of another repository.
  std::vector<Addition> additions;
};

RepositoryChanges compare_repositories(const Repositories& before, const Repositories& after);

}  // namespace wtool::engine
