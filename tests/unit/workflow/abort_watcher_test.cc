// The abort file, in a directory of its own. Every wait is for the event itself. A watcher makes its inotify watches a
// short time after its start. Most cases wait for the watches; some change files before the watches exist.
#include "runner/abort_watcher.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace abort_watcher_test {

using namespace wtool::host;
using wtool::Stop;
using wtool::StopHow;
using wtool::StopRequest;
using wtool::host::runner::AbortWatcher;

namespace {

namespace fs = std::filesystem;

struct Scene {
  Scene() {
    char name[] = "/tmp/wtool-abort-XXXXXX";
    BOOST_REQUIRE(::mkdtemp(name) != nullptr);
    path = name;
    subscription = stop.subscribe([this](const StopRequest& request) {
      const std::lock_guard lock(mutex);
      requested = request;
      changed.notify_all();
    });
  }
  ~Scene() { fs::remove_all(path); }

  // Waits until inotify watches the directory, which /proc shows.
  static void wait_for_watches() {
    for (;;) {
      for (const auto& entry : fs::directory_iterator("/proc/self/fdinfo")) {
        std::ifstream info(entry.path());
        const std::string text{std::istreambuf_iterator<char>(info), {}};
        if (text.find("inotify wd:") != std::string::npos) return;
      }
      std::this_thread::yield();
    }
  }

  void write(const std::string& text) const { std::ofstream(path / ".swissarmyhammer/.abort") << text; }
  void make_folder() const { fs::create_directory(path / ".swissarmyhammer"); }

  // The reason of the stop; "(nothing)" if none comes for a long time.
  std::string reason() {
    std::unique_lock lock(mutex);
    const bool came = changed.wait_for(lock, std::chrono::seconds(20), [this] { return requested.has_value(); });
    return came ? requested->reason : "(nothing)";
  }

  fs::path path;
  Stop stop;
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<StopRequest> requested;
  Stop::Subscription subscription;
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_file_that_appears_stops_gracefully_with_its_text, Scene) {
  make_folder();
  const AbortWatcher watcher(path, stop);
  wait_for_watches();
  BOOST_REQUIRE(watcher.error().empty());
  write("  the disk is full\n");
  BOOST_TEST(reason() == "the disk is full");
  BOOST_TEST((requested->how == StopHow::graceful));
}

BOOST_FIXTURE_TEST_CASE(the_folder_may_come_later, Scene) {
  const AbortWatcher watcher(path, stop);
  wait_for_watches();
  make_folder();
  write("late");
  BOOST_TEST(reason() == "late");
}

BOOST_FIXTURE_TEST_CASE(the_folder_may_vanish_and_return, Scene) {
  make_folder();
  const AbortWatcher watcher(path, stop);
  wait_for_watches();
  fs::remove_all(path / ".swissarmyhammer");
  make_folder();
  write("again");
  BOOST_TEST(reason() == "again");
}

BOOST_FIXTURE_TEST_CASE(a_folder_that_is_moved_here_with_the_file_counts, Scene) {
  fs::create_directory(path / "other");
  std::ofstream(path / "other/.abort") << "moved";
  const AbortWatcher watcher(path, stop);
  wait_for_watches();
  fs::rename(path / "other", path / ".swissarmyhammer");
  BOOST_TEST(reason() == "moved");
}

BOOST_FIXTURE_TEST_CASE(a_stale_file_is_ignored_and_a_rewritten_one_counts, Scene) {
  make_folder();
  write("stale");
  const AbortWatcher watcher(path, stop);
  wait_for_watches();
  // Another file in the same folder is not a reason. Events come in order, so the watcher sees that file first.
  std::ofstream(path / ".swissarmyhammer/other") << "x";
  write("fresh");
  BOOST_TEST(reason() == "fresh");
}

BOOST_FIXTURE_TEST_CASE(a_stale_file_alone_stops_nothing, Scene) {
  make_folder();
  write("stale");
  { const AbortWatcher watcher(path, stop); }
  BOOST_TEST(!stop.requested().has_value());
}

BOOST_FIXTURE_TEST_CASE(a_file_that_is_renamed_into_place_counts, Scene) {
  make_folder();
  write("stale");
  const AbortWatcher watcher(path, stop);
  wait_for_watches();
  std::ofstream(path / "new") << "renamed";
  fs::rename(path / "new", path / ".swissarmyhammer/.abort");
  BOOST_TEST(reason() == "renamed");
}

BOOST_FIXTURE_TEST_CASE(links_and_files_that_stay_open_count, Scene) {
  make_folder();
  std::ofstream(path / "text") << "linked";
  {
    const AbortWatcher watcher(path, stop);
    wait_for_watches();
    fs::create_hard_link(path / "text", path / ".swissarmyhammer/.abort");
    BOOST_TEST(reason() == "linked");
  }
}

// A command in a sandbox could make a link to a file that it may not read, and then read the reason.
BOOST_FIXTURE_TEST_CASE(the_text_behind_a_symbolic_link_is_not_read, Scene) {
  make_folder();
  std::ofstream(path / "private") << "private";
  const AbortWatcher watcher(path, stop);
  fs::create_symlink(path / "private", path / ".swissarmyhammer/.abort");
  BOOST_TEST(reason() == "the file .swissarmyhammer/.abort appeared");
}

BOOST_FIXTURE_TEST_CASE(an_empty_file_gets_a_reason_of_our_own, Scene) {
  make_folder();
  const AbortWatcher watcher(path, stop);
  write("");
  BOOST_TEST(reason() == "the file .swissarmyhammer/.abort appeared");
}

BOOST_FIXTURE_TEST_CASE(the_text_is_bounded_and_cleaned, Scene) {
  make_folder();
  const AbortWatcher watcher(path, stop);
  write("a\x1b[31mb\nc\xff" + std::string(10'000, 'x'));
  const std::string text = reason();
  BOOST_TEST(text.starts_with("a [31mb c?xxx"));
  BOOST_TEST(text.size() == 4096U);
}

BOOST_FIXTURE_TEST_CASE(something_that_is_not_a_file_has_no_text, Scene) {
  make_folder();
  const AbortWatcher watcher(path, stop);
  wait_for_watches();
  fs::create_directory(path / ".swissarmyhammer/.abort");
  BOOST_TEST(reason() == "the file .swissarmyhammer/.abort appeared");
}

BOOST_FIXTURE_TEST_CASE(a_file_that_appears_before_the_watches_counts, Scene) {
  const AbortWatcher watcher(path, stop);
  make_folder();
  write("early");
  BOOST_TEST(reason() == "early");
}

BOOST_FIXTURE_TEST_CASE(a_stale_file_that_is_rewritten_before_the_watches_counts, Scene) {
  make_folder();
  write("stale");
  const AbortWatcher watcher(path, stop);
  write("early and longer");
  BOOST_TEST(reason() == "early and longer");
}

BOOST_FIXTURE_TEST_CASE(a_look_before_the_watches_stops_at_once, Scene) {
  make_folder();
  write("stale");
  AbortWatcher watcher(path, stop);
  watcher.look();
  BOOST_TEST(!stop.requested().has_value());
  write("early and longer");
  watcher.look();
  BOOST_TEST(stop.requested().has_value());
  BOOST_TEST(reason() == "early and longer");
}

// A hard link or another mode changes the change time of the file, but not its content.
BOOST_FIXTURE_TEST_CASE(a_stale_file_that_gets_a_link_or_another_mode_stops_nothing, Scene) {
  make_folder();
  write("stale");
  AbortWatcher watcher(path, stop);
  fs::create_hard_link(path / ".swissarmyhammer/.abort", path / "copy");
  fs::permissions(path / ".swissarmyhammer/.abort", fs::perms::owner_read | fs::perms::owner_write);
  watcher.look();
  BOOST_TEST(!stop.requested().has_value());
  wait_for_watches();
  write("fresh");
  BOOST_TEST(reason() == "fresh");
}

// Each of these files wakes the watcher, which must notice the abort file all the same.
BOOST_FIXTURE_TEST_CASE(an_early_file_counts_in_a_directory_in_which_files_appear_all_the_time, Scene) {
  make_folder();
  const AbortWatcher watcher(path, stop);
  write("early");
  std::atomic<bool> over = false;
  std::thread busy([&] {
    for (int i = 0; !over; ++i) std::ofstream(path / std::to_string(i % 100)) << i;
  });
  BOOST_TEST(reason() == "early");
  over = true;
  busy.join();
}

// In a user namespace of its own, a process can set its own limit of watches.
BOOST_FIXTURE_TEST_CASE(without_enough_watches_the_file_is_looked_for, Scene) {
  make_folder();
  constexpr int no_namespace = 77;
  for (const char* limit : {"0", "1"}) {
    fs::remove(path / ".swissarmyhammer/.abort");
    const pid_t child = ::fork();
    if (child == 0) {
      if (::unshare(CLONE_NEWUSER) != 0) ::_exit(no_namespace);
      std::ofstream file("/proc/sys/user/max_inotify_watches");
      if (!(file << limit << std::flush)) ::_exit(no_namespace);
      const AbortWatcher watcher(path, stop);
      if (limit == std::string_view("1")) wait_for_watches();
      write("seen");
      ::_exit(watcher.error().empty() && reason() == "seen" ? 0 : 1);
    }
    int status = 0;
    BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
    BOOST_REQUIRE(WIFEXITED(status));
    if (WEXITSTATUS(status) == no_namespace) {
      BOOST_TEST_MESSAGE("skipped: this user may not limit the watches of a user namespace");
    } else {
      BOOST_TEST(WEXITSTATUS(status) == 0, limit);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_directory_that_cannot_be_watched_is_reported) {
  Stop stop;
  const AbortWatcher watcher("/nonexistent/directory", stop);
  BOOST_TEST(watcher.error().find("/nonexistent/directory") != std::string::npos);
}

}  // namespace abort_watcher_test
