// What is read from git's files, and how repositories are found, each part by itself.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/descriptor.h"
#include "base/environment_snapshot.h"
#include "engine/sandbox/folder_watches.h"
#include "engine/sandbox/git_files.h"
#include "engine/sandbox/repositories.h"
#include "engine/sandbox/repository_search.h"
#include "support/program.h"

namespace repositories_test {

using namespace wtool::engine;
using wtool::test::ScratchFolder;

namespace {

using Texts = std::vector<std::string>;

Texts settings(std::string_view text) {
  Texts texts;
  for (const GitSetting& setting : read_git_settings(text)) texts.push_back(setting.key + " = " + setting.value);
  return texts;
}

// Big-endian, as in the index.
std::string number(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xffU);
  return bytes;
}

struct Entry {
  std::string path;
  bool submodule = false;
};

std::string index_of(std::uint32_t version, std::size_t hash_size, const std::vector<Entry>& entries) {
  std::string bytes = "DIRC" + number(version) + number(static_cast<std::uint32_t>(entries.size()));
  for (const Entry& entry : entries) {
    std::string one(24, '\0');
    one += number(entry.submodule ? 0160000 : 0100644) + std::string(12 + hash_size, 'h');
    one += static_cast<char>(entry.path.size() >> 8);
    one += static_cast<char>(entry.path.size() & 0xffU);
    if (version == 4) {
      one += '\0';  // Keeps the whole path before, and then adds one letter: each path is one letter longer.
      one += entry.path.back();
      one += '\0';
    } else {
      one += entry.path;
      one.resize((one.size() + 8) & ~std::size_t{7}, '\0');
    }
    bytes += one;
  }
  return bytes + std::string(hash_size, 's');
}

struct Search : ScratchFolder {
  RepositorySearch search;
  const std::string root = [this] {
    std::filesystem::create_directory(path() + "/root");
    return path() + "/root";
  }();

  Texts found(std::chrono::milliseconds limit = std::chrono::seconds(60)) {
    struct stat status {};
    BOOST_REQUIRE(::stat(root.c_str(), &status) == 0);
    const Repositories result = search.look({{root, status.st_dev, status.st_ino, true}}, limit);
    left_out = result.left_out;
    closed = result.closed;
    Texts paths;
    for (const auto& [path, one] : result.found) paths.push_back(path.substr(root.size()));
    return paths;
  }
  void make(const std::string& name) const { std::filesystem::create_directories(root + '/' + name); }

  // Searches so often that the search begins to watch the folders.
  void watch_folders() {
    for (int looks = 0; looks < 3; ++looks) found();
  }
  // Calls `look` until no change before this call is too recent for the search to rely on what it has seen, and then a few
  // times more.
  template <class Look>
  static void look_until_settled(const Look& look) {
    const auto settled = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
    for (int looks = 0; looks < 6;) {
      if (std::chrono::steady_clock::now() >= settled) ++looks;
      look();
    }
  }
  // Needs a root that has the folders a/b/c and no repository.
  void see_every_change() {
    make("a/b/c/.git");
    BOOST_TEST((found() == Texts{"/a/b/c/.git"}));
    std::filesystem::rename(root + "/a/b", root + "/a/z");
    BOOST_TEST((found() == Texts{"/a/z/c/.git"}));
    std::filesystem::remove_all(root + "/a/z/c");
    file("root/a/z/c", "");
    BOOST_TEST(found().empty());
    std::filesystem::remove_all(root + "/a");
    std::filesystem::create_directories(path() + "/made/.git");
    std::filesystem::rename(path() + "/made", root + "/a");
    BOOST_TEST((found() == Texts{"/a/.git"}));
  }

  Texts left_out, closed;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(repositories)

BOOST_AUTO_TEST_CASE(settings_are_read_as_git_reads_them) {
  BOOST_TEST(settings("[core]\n\tbare = false\n") == Texts{"core.bare = false"}, boost::test_tools::per_element());
  BOOST_TEST((settings("\xEF\xBB\xBF# c\n; c\n[Core] HooksPath= a b  # c\n") == Texts{"core.hookspath = a b"}));
  BOOST_TEST((settings("[includeIf \"gitdir:\\\"x]\\\"\"]path=\"a#b\"\n") == Texts{"includeif.path = a#b"}));
  BOOST_TEST((settings("[filter \"x\"]\nclean = a \\\n  b\\tc\nrequired\n") ==
              Texts{"filter.clean = a   b\tc", "filter.required = "}));
  BOOST_TEST((settings("[a.b]x=\" q \" \n[c]y=z\r\n") == Texts{"a.x =  q ", "c.y = z"}));
  BOOST_TEST((settings("[core]\r\nx = 1\r\n[broken\ny = 2\n") == Texts{"core.x = 1"}));
  for (const char* odd : {"[", "[\"", "[a \"\\", "[a]x=\\", "[a]x=\"", "]", "\\", "[a]\n1=2"}) settings(odd);
}

BOOST_AUTO_TEST_CASE(words_with_a_slash_are_the_paths_of_a_command) {
  BOOST_TEST((paths_in_command("!sh -c './a \"b/c\"' d") == Texts{"./a", "b/c"}));
  BOOST_TEST((paths_in_command("X=/y cmd;./z|w") == Texts{"/y", "./z"}));
  BOOST_TEST(paths_in_command("").empty());
}

BOOST_AUTO_TEST_CASE(submodules_are_found_in_an_index_of_each_version) {
  for (const std::size_t hash_size : {20U, 32U}) {
    for (const std::uint32_t version : {2U, 3U, 4U}) {
      const std::string index = index_of(version, hash_size, {{"a"}, {"ab", true}, {"abc"}});
      BOOST_TEST_CONTEXT(version << " " << hash_size) {
        BOOST_TEST(is_submodule(index, "ab"));
        BOOST_TEST(!is_submodule(index, "abc"));
        BOOST_TEST(!is_submodule(index, "other"));
        // A file that is cut off must not crash the reader. It is not a valid index, so the answer is a cautious yes.
        for (std::size_t size = 0; size + 1 < index.size(); size += 7) is_submodule(index.substr(0, size), "other");
        BOOST_TEST(is_submodule(index.substr(0, 40), "other"));
      }
    }
  }
  std::string split = index_of(2, 20, {{"a"}});
  split.insert(split.size() - 20, "link" + number(4) + "1234");
  BOOST_TEST(is_submodule(split, "other"));
  BOOST_TEST(is_submodule("", "other"));
}

BOOST_FIXTURE_TEST_CASE(repositories_of_each_kind_are_found_without_following_links, Search) {
  make(".git/modules/a/b/objects");
  make(".git/modules/a/b/refs");
  make(".git/worktrees/w");
  make(".git/objects/x/.git");
  make("bare/objects/y/.git");
  make("bare/refs");
  make("not/objects");
  make("tree/deep/er");
  for (const char* name : {".git/HEAD", ".git/modules/a/b/HEAD", ".git/worktrees/w/HEAD", ".git/worktrees/w/commondir",
                           "bare/HEAD", "not/HEAD", "tree/.git", "tree/deep/er/.gitignore"}) {
    file("root/" + std::string(name), "");
  }
  std::filesystem::create_directories(path() + "/elsewhere/.git");
  BOOST_REQUIRE(::symlink((path() + "/elsewhere").c_str(), (root + "/link").c_str()) == 0);
  BOOST_REQUIRE(::symlink("nowhere", (root + "/tree/deep/.git").c_str()) == 0);
  const Texts expected = {"/.git",      "/.git/modules/a/b", "/.git/worktrees/w", "/bare", "/bare/objects/y/.git",
                          "/tree/.git", "/tree/deep/.git"};
  BOOST_TEST(found() == expected, boost::test_tools::per_element());
  BOOST_TEST(found() == expected, boost::test_tools::per_element());
  BOOST_TEST(left_out.empty());
}

// The folders of objects may be very many, and contain no checkout.
BOOST_FIXTURE_TEST_CASE(a_root_that_is_a_git_folder_is_searched_only_where_it_may_have_repositories, Search) {
  make(".git/objects/x/.git");
  make(".git/refs");
  make(".git/modules/a/objects/y/.git");
  make(".git/modules/a/refs");
  for (const char* name : {".git/HEAD", ".git/modules/a/HEAD"}) file("root/" + std::string(name), "");
  const std::string git = root + "/.git";
  struct stat status {};
  BOOST_REQUIRE(::stat(git.c_str(), &status) == 0);
  const Repositories result = search.look({{git, status.st_dev, status.st_ino, true}}, std::chrono::seconds(60));
  Texts paths;
  for (const auto& [path, one] : result.found) paths.push_back(path.substr(root.size()));
  BOOST_TEST(paths == (Texts{"/.git", "/.git/modules/a"}), boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(every_change_between_two_searches_is_seen, Search) {
  make("a/b/c");
  BOOST_TEST(found().empty());
  see_every_change();
}

BOOST_FIXTURE_TEST_CASE(a_search_with_watches_sees_every_change, Search) {
  make("a/b/c");
  watch_folders();
  see_every_change();
}

BOOST_FIXTURE_TEST_CASE(a_search_looks_at_no_folder_as_long_as_the_watches_report_no_change, Search) {
  for (int i = 0; i < 30; ++i) make("folder" + std::to_string(i) + "/sub");
  make("folder7/sub/.git");
  std::filesystem::create_directories(path() + "/other/a/b");
  const auto root_at = [](const std::string& folder) {
    struct stat status {};
    BOOST_REQUIRE(::stat(folder.c_str(), &status) == 0);
    return Root{folder, status.st_dev, status.st_ino, true};
  };
  const std::vector<Root> roots{root_at(root), root_at(path() + "/other")};
  int asked = 0;  // A search asks while it goes through the folders.
  const auto look = [&] {
    asked = 0;
    return search.look(roots, std::chrono::seconds(60), [&asked] { return ++asked == 0; });
  };
  // A root is listed again as long as its last change is too recent.
  const auto look_until_nothing_is_asked = [&] {
    for (int looks = 0; looks < 200'000; ++looks) {
      const Repositories result = look();
      if (asked == 0) return result;
    }
    BOOST_FAIL("the search goes through the folders each time");
    return Repositories{};
  };
  BOOST_TEST(look_until_nothing_is_asked().found.size() == 1U);
  BOOST_TEST(look().found.contains(root + "/folder7/sub/.git"));
  std::filesystem::create_directories(path() + "/other/a/b/.git");
  BOOST_TEST(look().found.size() == 2U);
  BOOST_TEST(asked > 0);
  BOOST_TEST(look_until_nothing_is_asked().found.size() == 2U);
  std::filesystem::remove(root + "/folder7/sub/.git");
  make("folder8/.git");
  std::filesystem::create_directories(path() + "/other/.git");
  const Repositories last = look();
  BOOST_TEST(last.found.size() == 3U);
  BOOST_TEST(last.found.contains(root + "/folder8/.git"));
  BOOST_TEST(last.found.contains(path() + "/other/.git"));
}

BOOST_FIXTURE_TEST_CASE(a_change_in_a_folder_for_which_no_watch_was_left_is_seen, Search) {
  make("a/b/c");
  struct stat status {};
  BOOST_REQUIRE(::stat(root.c_str(), &status) == 0);
  RepositorySearch bounded(1000, 1000, 1);
  const auto look = [&] {
    return bounded.look({{root, status.st_dev, status.st_ino, true}}, std::chrono::seconds(60));
  };
  look_until_settled(look);
  make("a/b/c/.git");
  BOOST_TEST(look().found.contains(root + "/a/b/c/.git"));
}

BOOST_FIXTURE_TEST_CASE(a_folder_that_replaces_a_watched_one_is_searched, Search) {
  make("a/b/c");
  make("other/b/c/.git");
  watch_folders();
  // The old folder stays open, so its own watch does not report that it was removed.
  const wtool::Descriptor kept(::open((root + "/a/b/c").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  BOOST_TEST(found() == Texts{"/other/b/c/.git"}, boost::test_tools::per_element());
  std::filesystem::remove_all(root + "/a");
  std::filesystem::rename(root + "/other", root + "/a");
  BOOST_TEST(found() == Texts{"/a/b/c/.git"}, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(many_folders_that_change_at_once_are_all_seen, Search) {
  for (int i = 0; i < 300; ++i) make("folder" + std::to_string(i));
  watch_folders();
  for (int i = 0; i < 300; ++i) {
    for (int more = 0; more < 20; ++more) make("folder" + std::to_string(i) + "/sub" + std::to_string(more));
  }
  make("folder7/sub7/.git");
  BOOST_TEST(found() == Texts{"/folder7/sub7/.git"}, boost::test_tools::per_element());
  make("folder299/sub19/.git");
  BOOST_TEST(found() == (Texts{"/folder299/sub19/.git", "/folder7/sub7/.git"}), boost::test_tools::per_element());
  std::filesystem::remove_all(root + "/folder7");
  BOOST_TEST(found() == Texts{"/folder299/sub19/.git"}, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(a_watch_ends_with_the_change_that_it_reports, Search) {
  make("one");
  make("two");
  const auto open_folder = [&](const char* name) {
    return wtool::Descriptor(::open((root + name).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  };
  const wtool::Descriptor one = open_folder("/one"), two = open_folder("/two");
  FolderWatches watches(3);
  FolderWatches::Watched first, second, third, same;
  watches.watch(one.get(), first);
  watches.watch(one.get(), same);
  watches.watch(two.get(), second);
  watches.watch(one.get(), third);
  BOOST_TEST((first.unchanged() && second.unchanged() && same.unchanged()));
  make("one/x");
  BOOST_TEST(first.unchanged());
  watches.forget(same);
  watches.hear();
  BOOST_TEST(!first.unchanged());
  BOOST_TEST(!third.unchanged());
  BOOST_TEST(second.unchanged());
  watches.watch(one.get(), first);
  watches.hear();
  BOOST_TEST(first.unchanged());
  BOOST_REQUIRE(::chmod((root + "/two").c_str(), 0500) == 0);
  watches.hear();
  BOOST_TEST(!second.unchanged());
  watches.forget(first);
}

BOOST_FIXTURE_TEST_CASE(no_more_folders_are_watched_than_may_be, Search) {
  make("one");
  make("two");
  const wtool::Descriptor one(::open((root + "/one").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const wtool::Descriptor two(::open((root + "/two").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  FolderWatches watches(1);
  FolderWatches::Watched first, second;
  watches.watch(one.get(), first);
  watches.watch(two.get(), second);
  BOOST_TEST(first.unchanged());
  BOOST_TEST(!second.unchanged());
  watches.forget(first);
  watches.watch(two.get(), second);
  BOOST_TEST(second.unchanged());
}

BOOST_FIXTURE_TEST_CASE(another_file_at_the_same_path_is_distinguished_from_the_first, Search) {
  const auto look = [&] {
    struct stat status {};
    BOOST_REQUIRE(::stat(root.c_str(), &status) == 0);
    return search.look({{root, status.st_dev, status.st_ino, true}}, std::chrono::seconds(60)).found.at(root + "/.git");
  };
  make(".git");
  const FoundRepository first = look();
  BOOST_TEST((look() == first));
  std::filesystem::rename(root + "/.git", root + "/old");
  make(".git");
  BOOST_TEST(!(look() == first));
}

BOOST_FIXTURE_TEST_CASE(a_search_that_has_no_time_left_says_so, Search) {
  for (int i = 0; i < 1000; ++i) make("folder" + std::to_string(i));
  found(std::chrono::milliseconds(0));
  BOOST_REQUIRE(left_out.size() == 1U);
  BOOST_TEST(left_out.front().find(root) != std::string::npos);
  BOOST_TEST(found().empty());
  BOOST_TEST(left_out.empty());
}

BOOST_FIXTURE_TEST_CASE(a_search_sees_the_folders_near_the_root_first_and_no_more_than_it_may, Search) {
  make("a/b/c/.git");
  make("z/.git");
  struct stat status {};
  BOOST_REQUIRE(::stat(root.c_str(), &status) == 0);
  RepositorySearch bounded(4);
  const Repositories result = bounded.look({{root, status.st_dev, status.st_ino, true}}, std::chrono::seconds(60));
  BOOST_TEST(result.found.size() == 1U);
  BOOST_TEST(result.found.contains(root + "/z/.git"));
  BOOST_REQUIRE(result.left_out.size() == 1U);
  BOOST_TEST(result.left_out.front().find("4 folders") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_search_continues_with_what_earlier_ones_have_seen, Search) {
  make("a/b/c/.git");
  make("z/.git");
  for (int i = 0; i < 20; ++i) make("m/folder" + std::to_string(i));
  struct stat status {};
  BOOST_REQUIRE(::stat(root.c_str(), &status) == 0);
  RepositorySearch bounded(4);
  Repositories result;
  // A folder is listed again as long as its last change is too recent, so several searches may get no further.
  for (int looks = 0; looks < 200'000; ++looks) {
    result = bounded.look({{root, status.st_dev, status.st_ino, true}}, std::chrono::seconds(60));
    if (result.left_out.empty()) break;
  }
  BOOST_TEST(result.left_out.empty());
  BOOST_TEST(result.found.size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(many_folders_in_one_root_do_not_end_the_search_in_another, Search) {
  for (int i = 0; i < 20; ++i) make("many/folder" + std::to_string(i));
  make("few/a/.git");
  const auto root_at = [&](const std::string& name) {
    struct stat status {};
    BOOST_REQUIRE(::stat((root + name).c_str(), &status) == 0);
    return Root{root + name, status.st_dev, status.st_ino, true};
  };
  const std::vector<Root> roots{root_at("/many"), root_at("/few")};
  for (const std::size_t max_folders : {10U, 1000U}) {
    RepositorySearch bounded(10, max_folders);
    const Repositories result = bounded.look(roots, std::chrono::seconds(60));
    BOOST_TEST(result.found.contains(root + "/few/a/.git"));
    BOOST_REQUIRE(result.left_out.size() == 1U);
    BOOST_TEST(result.left_out.front().find(root + "/many ended") != std::string::npos);
  }
}

BOOST_FIXTURE_TEST_CASE(a_root_with_more_folders_than_are_remembered_is_left_out_until_they_are_removed, Search) {
  make("a/b/c/d/.git");
  struct stat status {};
  BOOST_REQUIRE(::stat(root.c_str(), &status) == 0);
  RepositorySearch bounded(1000, 10);
  const auto look = [&] {
    return bounded.look({{root, status.st_dev, status.st_ino, true}}, std::chrono::seconds(60));
  };
  for (int looks = 0; looks < 4; ++looks) BOOST_TEST(look().found.size() == 1U);
  // In one folder there are too many, in two of them only together.
  for (const char* more : {"many/", "a/", "z/y/"}) {
    const int count = more == std::string_view("z/y/") ? 6 : 20;
    for (int i = 0; i < count; ++i) make(more + ("folder" + std::to_string(i)));
    for (int looks = 0; looks < 4; ++looks) {
      const Repositories result = look();
      BOOST_REQUIRE(result.left_out.size() == 1U);
      BOOST_TEST(result.left_out.front().ends_with("10 folders, before it had seen all folders; remove folders there"));
    }
    for (int i = 0; i < count; ++i) std::filesystem::remove(root + "/" + more + "folder" + std::to_string(i));
    BOOST_TEST(look().left_out.empty());
    BOOST_TEST(look().found.size() == 1U);
  }
}

BOOST_FIXTURE_TEST_CASE(a_search_ends_when_its_caller_gives_up, Search) {
  for (int i = 0; i < 1000; ++i) make("folder-" + std::to_string(i));
  struct stat status {};
  BOOST_REQUIRE(::stat(root.c_str(), &status) == 0);
  int asked = 0;
  const auto later = [&] { return ++asked == 2; };
  const Repositories result =
      search.look({{root, status.st_dev, status.st_ino, true}}, std::chrono::seconds(60), later);
  BOOST_TEST(asked == 2);
  BOOST_TEST(result.left_out.size() == 1U);
  make("folder-999/.git");
  BOOST_TEST(found() == Texts{"/folder-999/.git"}, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(a_folder_that_its_owner_has_closed_is_named, Search) {
  if (::geteuid() == 0) return;
  make("open/.git");
  make("shut/.git");
  // The folder may be neither entered nor listed, only entered, or only listed.
  for (const mode_t mode : {0000U, 0300U, 0600U}) {
    BOOST_REQUIRE(::chmod((root + "/shut").c_str(), mode) == 0);
    BOOST_TEST(found() == Texts{"/open/.git"}, boost::test_tools::per_element());
    BOOST_TEST(closed == Texts{root + "/shut"}, boost::test_tools::per_element());
    BOOST_TEST(left_out.empty());
    BOOST_REQUIRE(::chmod((root + "/shut").c_str(), 0700) == 0);
    BOOST_TEST(found().size() == 2U);
    BOOST_TEST(closed.empty());
  }
}

BOOST_FIXTURE_TEST_CASE(a_closed_folder_below_watched_ones_is_named_by_each_search, Search) {
  if (::geteuid() == 0) return;
  make("a/b/shut");
  BOOST_REQUIRE(::chmod((root + "/a/b/shut").c_str(), 0000) == 0);
  std::size_t looks = 0, named = 0;
  look_until_settled([&] {
    found();
    ++looks;
    if (closed == Texts{root + "/a/b/shut"}) ++named;
  });
  BOOST_REQUIRE(::chmod((root + "/a/b/shut").c_str(), 0700) == 0);
  BOOST_TEST(named == looks);
}

BOOST_FIXTURE_TEST_CASE(a_closed_root_is_left_out_and_reported, Search) {
  if (::geteuid() == 0) return;
  make("shut/.git");
  BOOST_REQUIRE(::chmod(root.c_str(), 0000) == 0);
  found();
  BOOST_REQUIRE(::chmod(root.c_str(), 0700) == 0);
  BOOST_TEST(closed.empty());
  BOOST_REQUIRE(left_out.size() == 1U);
  BOOST_TEST(left_out.front() ==
             root + " cannot be searched for repositories: Permission denied (chmod u+rwx would allow the search)");
}

// Without namespaces, closed folders cannot be protected. Three of them are named, and the others are counted.
BOOST_AUTO_TEST_CASE(no_folder_that_cannot_be_protected_is_left_out_of_the_report) {
  Repositories repositories;
  for (const char* folder : {"/a", "/b", "/c", "/d", "/e"}) repositories.closed.emplace_back(folder);
  NamesInFolders folders;
  ProtectedNames names;
  protect_repositories(repositories, {}, {}, false, folders, names);
  BOOST_REQUIRE(names.problems.size() == 4U);
  BOOST_TEST(names.problems[2].starts_with("/c cannot be searched"));
  BOOST_TEST(names.problems[3] == "2 more folders cannot be searched for repositories, for the same reason");
}

namespace {

// A repository whose configuration has these lines, in a folder that commands may write.
struct Configured : ScratchFolder {
  explicit Configured() { std::filesystem::create_directories(repository); }

  ProtectedNames protect(const std::string& config) const {
    file("top/.git/config", config);
    struct stat status {};
    BOOST_REQUIRE(::stat(path().c_str(), &status) == 0);
    Repositories repositories;
    repositories.found[repository] = {.path = repository, .kind = FoundRepository::Kind::folder};
    NamesInFolders folders;
    ProtectedNames names;
    protect_repositories(repositories, {}, {{path(), status.st_dev, status.st_ino, true}}, true, folders, names);
    return names;
  }
  bool would_add(const ProtectedNames& names, const std::string& file) const {
    return std::find(names.missing.begin(), names.missing.end(), path() + '/' + file) != names.missing.end();
  }
  const std::string repository = path() + "/top/.git";
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(hooks_in_a_folder_that_contains_the_repository_are_reported, Configured) {
  const ProtectedNames names = protect("[core]\n\thooksPath = .\n");
  BOOST_REQUIRE(names.problems.size() == 1U);
  BOOST_TEST(names.problems[0] == "core.hooksPath of " + repository + " is " + path() +
                                      "/top, which contains the whole repository, so the hooks are not protected");
  BOOST_TEST(protect("[core]\n\thooksPath = own\n").problems.empty());
}

BOOST_FIXTURE_TEST_CASE(a_configuration_that_names_too_many_files_is_reported, Configured) {
  const std::string problem = "the configuration of " + repository + " names more files than can be protected";
  const auto commands = [](int count) {
    std::string config = "[filter \"x\"]\n";
    for (int i = 0; i < count; ++i) config += "\tclean = ./run-" + std::to_string(i) + "\n";
    return config;
  };
  const ProtectedNames all = protect(commands(64));
  BOOST_TEST(all.problems.empty());
  BOOST_TEST(would_add(all, "top/run-63"));
  BOOST_TEST(protect(commands(65)).problems == Texts{problem}, boost::test_tools::per_element());

  const auto includes = [](int count) {
    std::string config;
    for (int i = 0; i < count; ++i) config += "[include]\n\tpath = more-" + std::to_string(i) + "\n";
    return config;
  };
  // The two files in the repository's own folder count.
  BOOST_TEST(protect(includes(14)).problems.empty());
  const ProtectedNames many = protect(includes(15));
  BOOST_TEST(many.problems == Texts{problem}, boost::test_tools::per_element());
  BOOST_TEST(would_add(many, "top/.git/more-14"));
}

BOOST_FIXTURE_TEST_CASE(without_a_home_folder_a_path_in_it_names_no_file, Configured) {
  const char* const home = std::getenv("HOME");
  const std::string before = home == nullptr ? "" : home;
  const std::string config = "[core]\n\thooksPath = ~/hooks\n";
  ::setenv("HOME", path().c_str(), 1);
  wtool::snapshot_environment();
  BOOST_TEST(would_add(protect(config), "hooks"));
  ::unsetenv("HOME");
  wtool::snapshot_environment();
  const ProtectedNames names = protect(config);
  if (home != nullptr) ::setenv("HOME", before.c_str(), 1);
  wtool::snapshot_environment();
  BOOST_TEST(names.problems.empty());
  BOOST_TEST(!would_add(names, "hooks"));
}

BOOST_FIXTURE_TEST_CASE(repositories_beyond_what_one_command_can_bind_are_counted, Configured) {
  struct stat status {};
  BOOST_REQUIRE(::stat(path().c_str(), &status) == 0);
  Repositories repositories;
  for (const char* name : {"/one/.git", "/two/.git"}) {
    std::filesystem::create_directories(path() + name);
    repositories.found[path() + name] = {.path = path() + name, .kind = FoundRepository::Kind::folder};
  }
  NamesInFolders folders;
  ProtectedNames names;
  for (int i = 0; i < 1000; ++i) names.binds["/bound-" + std::to_string(i)] = true;
  protect_repositories(repositories, {}, {{path(), status.st_dev, status.st_ino, true}}, true, folders, names);
  BOOST_TEST(names.problems == Texts{"2 of 2 repositories are not protected, because there are too many"},
             boost::test_tools::per_element());
  BOOST_TEST(names.binds.size() == 1000U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace repositories_test
