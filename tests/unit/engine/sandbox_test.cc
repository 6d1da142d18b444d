// The parts of a sandbox, each by itself: roots, ruleset, filter, protected names and the record of files. Some tests
// simulate what other kernels can do.
#include "engine/sandbox/sandbox.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "engine/sandbox/filter.h"
#include "engine/sandbox/landlock.h"
#include "engine/sandbox/protected_names.h"
#include "engine/sandbox/roots.h"
#include "engine/sandbox/ruleset.h"
#include "engine/sandbox/sandboxed_run.h"
#include "support/program.h"

namespace sandbox_test {

using namespace wtool;
using namespace wtool::engine;
using wtool::test::ScratchFolder;

namespace {

const SandboxFeatures features = SandboxFeatures::of_kernel();

// Restricts a child of this process by ruleset and filter (each may be missing), and returns what `attempt` returns
// there: 0 or an errno.
int in_sandbox(int ruleset, std::string filter, const std::function<int()>& attempt) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (ruleset >= 0 && ::syscall(446, ruleset, 0U) != 0) ::_exit(200);
    sock_fprog program{static_cast<unsigned short>(filter.size() / sizeof(sock_filter)),
                       reinterpret_cast<sock_filter*>(filter.data())};
    if (program.len > 0 && ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0U, &program) != 0) ::_exit(201);
    ::_exit(attempt());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int error_of(long result) { return result < 0 ? errno : 0; }

SandboxPolicy policy_of(std::vector<std::string> read, std::vector<std::string> write) {
  SandboxPolicy policy;
  policy.read = std::move(read);
  policy.write = std::move(write);
  return policy;
}

struct Folders : ScratchFolder {
  Folders() {
    std::filesystem::create_directory(inside);
    std::filesystem::create_directory(outside);
    file("outside/secret", "secret\n");
  }
  SandboxPolicy policy() const { return policy_of({"/"}, {inside}); }
  Roots roots() const {
    Roots result;
    std::string error;
    BOOST_REQUIRE(resolve_roots(policy(), result, error));
    return result;
  }
  const std::string inside = path() + "/inside";
  const std::string outside = path() + "/outside";
};

bool mentions(const std::vector<std::string>& list, const std::string& text) {
  return std::any_of(list.begin(), list.end(),
                     [&](const std::string& entry) { return entry.find(text) != std::string::npos; });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sandbox_parts)

BOOST_FIXTURE_TEST_CASE(roots_are_resolved_and_a_missing_one_is_named, Folders) {
  BOOST_REQUIRE(::symlink(inside.c_str(), (path() + "/link").c_str()) == 0);
  Roots found;
  std::string error;
  BOOST_TEST(resolve_roots(policy_of({"/"}, {path() + "/link/"}), found, error));
  BOOST_TEST(found.write.at(0).path == inside);
  BOOST_TEST(is_unchanged(found.write.at(0)));
  BOOST_TEST(!resolve_roots(policy_of({"/", path() + "/missing"}, {inside}), found, error));
  BOOST_TEST(error.find("sandbox.read") != std::string::npos);
  BOOST_TEST(error.find(path() + "/missing") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_root_that_leads_out_of_a_write_root_by_a_link_is_an_error, Folders) {
  BOOST_REQUIRE(::symlink(outside.c_str(), (inside + "/nested").c_str()) == 0);
  Roots found;
  std::string error;
  BOOST_TEST(!resolve_roots(policy_of({"/"}, {inside, inside + "/nested"}), found, error));
  BOOST_TEST(!resolve_roots(policy_of({inside + "/nested"}, {inside}), found, error));
  BOOST_TEST(error.find(inside + "/nested") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_root_is_distinguished_from_another_folder_of_its_name, Folders) {
  const Root root = roots().write.at(0);
  std::filesystem::rename(inside, path() + "/moved");
  BOOST_TEST(!is_unchanged(root));
  std::filesystem::create_directory(inside);
  BOOST_TEST(!is_unchanged(root));
}

BOOST_FIXTURE_TEST_CASE(each_version_of_landlock_holds_what_it_can, Folders) {
  for (int abi = 1; abi <= features.landlock_abi; ++abi) {
    BOOST_TEST_CONTEXT("ABI " << abi) {
      std::string error;
      const Descriptor ruleset = make_ruleset(roots(), true, abi, error);
      BOOST_REQUIRE(ruleset);
      const std::string filter = make_filter({true, abi < landlock::abi_with_truncate}, error);
      BOOST_REQUIRE(!filter.empty());
      const auto attempt = [&](const std::function<long()>& call) {
        return in_sandbox(ruleset.get(), filter, [&] { return error_of(call()); });
      };
      const std::string secret = outside + "/secret";
      BOOST_TEST(attempt([&] { return ::open(secret.c_str(), O_WRONLY); }) == EACCES);
      BOOST_TEST(attempt([&] { return ::open((outside + "/made").c_str(), O_WRONLY | O_CREAT, 0644); }) == EACCES);
      // What the ruleset cannot refuse, the filter refuses.
      const int refusal = abi < landlock::abi_with_truncate ? EPERM : EACCES;
      BOOST_TEST(attempt([&] { return ::truncate(secret.c_str(), 0); }) == refusal);
      BOOST_TEST(attempt([&] { return ::open(secret.c_str(), O_RDONLY | O_TRUNC); }) == refusal);
      BOOST_TEST(attempt([&] { return ::open(secret.c_str(), 3 | O_TRUNC); }) == refusal);
      BOOST_TEST(attempt([&] { return ::open((inside + "/made").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644); }) == 0);
      BOOST_TEST(attempt([&] { return ::open(secret.c_str(), O_RDONLY); }) == 0);
      BOOST_TEST(attempt([&] { return ::mkdir((inside + "/folder").c_str(), 0755); }) == 0);
      std::filesystem::remove(inside + "/folder");
      if (::geteuid() == 0) {
        // With a device file of its own, a command of root could read and write the whole disk, or the memory.
        BOOST_TEST(attempt([&] { return ::mknod((inside + "/disk").c_str(), S_IFBLK | 0600, 7 << 8); }) == EACCES);
        BOOST_TEST(attempt([&] { return ::mknod((inside + "/memory").c_str(), S_IFCHR | 0600, 1 << 8 | 1); }) ==
                   EACCES);
      }
      BOOST_TEST(std::filesystem::file_size(secret) == 7U);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_filter_is_a_program_that_the_kernel_takes) {
  if (!features.seccomp) return;
  std::string error;
  for (const bool network : {true, false}) {
    for (const bool refuse_truncate : {true, false}) {
      const std::string filter = make_filter({network, refuse_truncate}, error);
      BOOST_TEST(filter.size() > 0U);
      BOOST_TEST(filter.size() % sizeof(sock_filter) == 0U);
      BOOST_TEST(in_sandbox(-1, filter, [] { return 0; }) == 0);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(what_this_kernel_lacks_is_named_and_refused_where_it_is_required, Folders) {
  struct Case {
    SandboxFeatures features;
    bool network;
    std::string missing;  // empty: nothing is missing
  };
  for (const Case& given :
       {Case{{0, ENOSYS, true}, true, "landlock"}, Case{{0, EOPNOTSUPP, true}, true, "landlock"},
        Case{{features.landlock_abi, 0, false}, true, "seccomp"},
        Case{{features.landlock_abi, 0, false}, false, "network"}, Case{{1, 0, false}, true, "truncate"},
        Case{{1, 0, true}, false, ""}, Case{{features.landlock_abi, 0, true}, false, ""}}) {
    if (given.features.landlock_abi > features.landlock_abi || features.landlock_abi == 0) continue;
    BOOST_TEST_CONTEXT("ABI " << given.features.landlock_abi << ", seccomp " << given.features.seccomp) {
      SandboxPolicy wanted = policy();
      wanted.network = given.network;
      SandboxRefusal refusal;
      const auto lax = Sandbox(wanted, given.features).prepare("/", "", refusal);
      BOOST_REQUIRE(lax);
      BOOST_TEST(lax->report.not_enforced.empty() == given.missing.empty());
      if (!given.missing.empty()) BOOST_TEST(mentions(lax->report.not_enforced, given.missing + ":"));
      wanted.required = true;
      const auto strict = Sandbox(wanted, given.features).prepare("/", "", refusal);
      BOOST_TEST(strict.has_value() == given.missing.empty());
      if (!strict) {
        BOOST_TEST(refusal.code == "policy_denied");
        BOOST_TEST(refusal.message.find(given.missing) != std::string::npos);
      }
    }
  }
}

// There is no warden, so an attempt to start the command would fail.
BOOST_FIXTURE_TEST_CASE(a_call_that_is_over_before_its_sandbox_is_ready_starts_nothing, Folders) {
  Sandbox sandbox(policy(), features);
  WardenClient client("/nowhere/shell-warden");
  Command command;
  command.paths = {"/bin/true"};
  command.arguments = {"true"};
  SandboxReport report;
  const auto end_of = [&](const RunOptions& options, Cancellation& cancellation) {
    auto ended = run_sandboxed(client, sandbox, command, inside, options, cancellation, {}, report);
    BOOST_REQUIRE(std::holds_alternative<CommandOutcome>(ended));
    return std::get<CommandOutcome>(ended).termination;
  };
  Cancellation cancelled;
  cancelled.request(Cancellation::Mode::graceful, "no longer wanted");
  const Termination stopped = end_of({}, cancelled);
  BOOST_REQUIRE(std::holds_alternative<Cancelled>(stopped));
  BOOST_TEST(std::get<Cancelled>(stopped).reason == "no longer wanted");
  BOOST_TEST(!has_begun(stopped));

  Cancellation none;
  RunOptions late;
  late.deadline = std::chrono::steady_clock::now();
  BOOST_TEST(std::holds_alternative<TimedOut>(end_of(late, none)));
  BOOST_TEST(std::holds_alternative<NotStarted>(end_of({}, none)));
}

BOOST_FIXTURE_TEST_CASE(a_call_whose_limits_need_what_this_kernel_lacks_is_refused, Folders) {
  const auto refused = [](const SandboxPolicy& wanted, SandboxFeatures features) {
    SandboxRefusal refusal;
    const bool made = Sandbox(wanted, features).prepare("/", "", refusal).has_value();
    BOOST_TEST(made == refusal.hint.empty());
    if (!made) BOOST_TEST(refusal.hint.find("leave that limit out") != std::string::npos, refusal.hint);
    return !made;
  };
  SandboxPolicy wanted = policy();
  wanted.network = false;
  BOOST_TEST(!refused(wanted, {0, ENOSYS, false}));
  wanted.needs_files = true;
  BOOST_TEST(refused(wanted, {0, ENOSYS, true}));
  wanted.needs_files = false;
  wanted.needs_network = true;
  BOOST_TEST(refused(wanted, {0, ENOSYS, false}));
  BOOST_TEST(!refused(wanted, {0, ENOSYS, true}));
  // A call that may use the network needs no filter for it.
  wanted.network = true;
  BOOST_TEST(!refused(wanted, {0, ENOSYS, false}));
}

// The command has closed the folders.
BOOST_FIXTURE_TEST_CASE(folders_that_a_command_has_closed_are_reported_and_not_all_are_named, Folders) {
  if (::geteuid() == 0) return;  // root may search them
  SandboxPolicy wanted = policy();
  wanted.repositories = true;
  Sandbox sandbox(wanted, features);
  SandboxRefusal refusal;
  const auto prepared = sandbox.prepare(inside, "", refusal);
  BOOST_REQUIRE(prepared);
  std::vector<std::string> closed;
  for (int i = 0; i < 8; ++i) {
    closed.push_back(inside + "/shut-" + std::to_string(i));
    std::filesystem::create_directory(closed.back());
    BOOST_REQUIRE(::chmod(closed.back().c_str(), 0) == 0);
  }
  SandboxReport report;
  sandbox.look_afterwards(*prepared, report);
  for (const std::string& folder : closed) ::chmod(folder.c_str(), 0700);
  BOOST_REQUIRE(report.not_enforced.size() == 6U);
  BOOST_TEST(mentions({report.not_enforced.front()}, "protected_names: after the command, " + inside + "/shut-"));
  BOOST_TEST(report.not_enforced.back() ==
             "protected_names: after the command, 3 more folders cannot be searched for repositories");
}

BOOST_FIXTURE_TEST_CASE(a_missing_namespace_matters_only_for_names_that_exist, Folders) {
  SandboxPolicy wanted = policy();
  wanted.protect = {"kept"};
  wanted.required = true;
  Sandbox sandbox(wanted, features);
  SandboxRefusal refusal;
  file("inside/kept", "");
  BOOST_TEST(!sandbox.prepare(inside, "Operation not permitted", refusal));
  // An older kernel lacks something else, which the refusal then names.
  if (features.landlock_abi >= 3 && features.seccomp) {
    BOOST_TEST(refusal.message.find("Operation not permitted") != std::string::npos);
  }
  wanted.required = false;
  const auto lax = Sandbox(wanted, features).prepare(inside, "Operation not permitted", refusal);
  BOOST_REQUIRE(lax);
  BOOST_TEST(lax->names.binds.empty());
  BOOST_TEST(lax->names.watched == std::vector<std::string>{inside + "/kept"}, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(all_calls_share_one_ruleset_until_a_folder_that_is_read_is_made_anew, Folders) {
  Sandbox sandbox(policy_of({outside}, {inside}), features);
  SandboxRefusal refusal;
  const auto first = sandbox.prepare(inside, "", refusal);
  const auto second = sandbox.prepare(inside, "", refusal);
  BOOST_REQUIRE((first && second));
  BOOST_TEST(first->shared == second->shared);
  std::filesystem::rename(outside, path() + "/moved");
  BOOST_TEST(!sandbox.prepare(inside, "", refusal));
  BOOST_TEST(refusal.code == "configuration_invalid");
  std::filesystem::create_directory(outside);
  const auto third = sandbox.prepare(inside, "", refusal);
  BOOST_REQUIRE(third);
  BOOST_TEST(third->shared != first->shared);
}

// A command of another sandbox, or git, could have put the link there.
BOOST_FIXTURE_TEST_CASE(a_root_that_was_replaced_is_refused_until_the_configuration_is_read_again, Folders) {
  const std::string moved = path() + "/moved";
  const auto again = std::make_shared<Sandbox>(policy(), features);  // has prepared nothing before the root is replaced
  const auto sandbox = Sandbox::shared(policy());
  SandboxPolicy without_network = policy();
  without_network.network = false;
  const auto refused = [&](Sandbox& one, const std::string& what) {
    SandboxRefusal refusal;
    BOOST_TEST(!one.prepare(path(), "", refusal));
    BOOST_TEST(refusal.code == "configuration_invalid");
    BOOST_TEST(refusal.message.find(what) != std::string::npos, refusal.message);
    BOOST_TEST(refusal.hint.find("put back what was there") == 0U, refusal.hint);
  };
  SandboxRefusal none;
  BOOST_TEST(sandbox->prepare(inside, "", none).has_value());
  std::filesystem::rename(inside, moved);
  refused(*sandbox, "No such file or directory");
  std::filesystem::create_directory_symlink(outside, inside);
  for (Sandbox* one : {sandbox.get(), again.get()}) refused(*one, "leads to " + outside + " now");
  refused(*Sandbox::shared(without_network, sandbox.get()), "leads to " + outside + " now");
  std::filesystem::remove(inside);
  std::filesystem::create_directory(inside);
  for (Sandbox* one : {sandbox.get(), again.get()}) refused(*one, "is another folder now");
  BOOST_TEST(Sandbox(policy(), features).prepare(inside, "", none).has_value());
  std::filesystem::remove(inside);
  std::filesystem::rename(moved, inside);
  BOOST_TEST(sandbox->prepare(inside, "", none).has_value());
}

BOOST_FIXTURE_TEST_CASE(a_file_may_be_replaced_by_a_file_but_not_by_a_folder_or_a_link, Folders) {
  file("inside/notes", "");
  Sandbox sandbox(policy_of({"/"}, {inside + "/notes"}), features);
  SandboxRefusal refusal;
  file("new", "");
  std::filesystem::rename(path() + "/new", inside + "/notes");
  BOOST_TEST(sandbox.prepare(inside, "", refusal).has_value());
  std::filesystem::remove(inside + "/notes");
  std::filesystem::create_symlink(outside + "/secret", inside + "/notes");
  BOOST_TEST(!sandbox.prepare(inside, "", refusal));
  BOOST_TEST(refusal.message.find("leads to " + outside + "/secret now") != std::string::npos, refusal.message);
  std::filesystem::remove(inside + "/notes");
  std::filesystem::create_directory(inside + "/notes");
  BOOST_TEST(!sandbox.prepare(inside, "", refusal));
  BOOST_TEST(refusal.message.find("is a folder now") != std::string::npos, refusal.message);
}

// The second call gives up instead of waiting for the search of the first, which continues.
BOOST_FIXTURE_TEST_CASE(a_call_whose_caller_gives_up_does_not_wait_for_a_search, Folders) {
  SandboxPolicy wanted = policy();
  wanted.repositories = true;
  Sandbox sandbox(wanted, features);
  SandboxRefusal refusal;
  bool tried = false;
  const auto first = sandbox.prepare(inside, "", refusal, [&] {
    if (tried) return false;
    tried = true;
    std::thread([&] {
      SandboxRefusal none;
      BOOST_TEST(!sandbox.prepare(inside, "", none, [] { return true; }));
      BOOST_TEST(none.message.empty());
    }).join();
    return false;
  });
  BOOST_TEST(tried);
  BOOST_TEST(first.has_value());
  BOOST_TEST(!sandbox.prepare(inside, "", refusal, [] { return true; }));
}

BOOST_FIXTURE_TEST_CASE(each_folder_above_a_protected_name_is_bound_up_to_the_outermost_root, Folders) {
  file("inside/.git/config", "");
  Roots both;
  std::string error;
  BOOST_REQUIRE(resolve_roots(policy_of({"/"}, {path(), inside}), both, error));
  NamesInFolders folders;
  const ProtectedNames names = find_protected_names(both.write, {".git/config", ".bashrc"}, true, folders);
  const std::map<std::string, bool> expected = {
      {path(), false}, {inside, false}, {inside + "/.git", false}, {inside + "/.git/config", true}};
  BOOST_TEST((names.binds == expected));
  BOOST_TEST(names.bound == std::vector<std::string>{inside + "/.git/config"}, boost::test_tools::per_element());
  BOOST_TEST(names.watched.empty());
  BOOST_TEST(names.missing.empty());
  // Both names are missing in the outer root, and .bashrc in the inner one.
  BOOST_REQUIRE(names.missing_in.size() == 2U);
  BOOST_TEST(names.missing_in.at(0).paths->size() == 2U);
  BOOST_TEST(names.missing_in.at(1).paths->size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(every_kind_of_change_is_seen, Folders) {
  const auto changes_by = [&](const std::function<void()>& change) {
    std::filesystem::remove_all(inside);
    std::filesystem::create_directory(inside);
    file("inside/file", "text");
    file("inside/folder/below/deep", "text");
    const FileRecord record({inside + "/file", inside + "/folder", inside + "/missing"});
    change();
    return record.changes();
  };
  using Paths = std::vector<std::string>;
  namespace fs = std::filesystem;
  const std::string one = inside + "/file";
  const std::string below = inside + "/folder/below";
  BOOST_TEST(changes_by([] {}).empty());
  BOOST_TEST((changes_by([&] { std::ofstream(one) << "more text"; }) == Paths{one}));
  BOOST_TEST((changes_by([&] { fs::permissions(one, fs::perms::owner_all); }) == Paths{one}));
  BOOST_TEST((changes_by([&] { fs::remove(one); }) == Paths{one}));
  BOOST_TEST((changes_by([&] { file("inside/missing", ""); }) == Paths{inside + "/missing"}));
  BOOST_TEST((changes_by([&] { file("inside/folder/below/new", ""); }) == Paths{below, below + "/new"}));
  BOOST_TEST((changes_by([&] { fs::remove(below + "/deep"); }) == Paths{below, below + "/deep"}));
  // The file is replaced by a file with the same content and time.
  BOOST_TEST((changes_by([&] {
                const auto time = fs::last_write_time(one);
                file("inside/other", "text");
                fs::last_write_time(inside + "/other", time);
                fs::rename(inside + "/other", one);
              }) == Paths{one}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sandbox_test
