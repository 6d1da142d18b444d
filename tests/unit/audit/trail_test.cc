// audit/trail.h: events in a file, the file itself, and its lock.
#include "audit/trail.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "base/descriptor.h"
#include "support/processes.h"
#include "trail_support.h"

namespace trail_test {

using namespace wtool::test;
using wtool::Descriptor;
using wtool::audit::Trail;
using wtool::audit::TrailOptions;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(trail)

BOOST_FIXTURE_TEST_CASE(events_are_in_the_file_when_write_has_returned, TrailFolder) {
  Trail trail(options);
  for (int i = 0; i < 20; ++i) {
    BOOST_REQUIRE(trail.write(i % 2 == 0 ? "start" : "end", {{"call", i / 2}}) == "");
    const auto events = chained(content_of(file));
    BOOST_REQUIRE(events.size() == static_cast<std::size_t>(i) + 1);
    BOOST_TEST(events.back()["event"].get<std::string>() == (i % 2 == 0 ? "start" : "end"));
    BOOST_TEST(events.back()["call"].get<int>() == i / 2);
  }
}

BOOST_AUTO_TEST_CASE(without_a_file_nothing_is_written_and_nothing_is_wrong) {
  BOOST_TEST(Trail(TrailOptions{}).write("start", {{"call", "c"}}) == "");
}

BOOST_FIXTURE_TEST_CASE(a_trail_leaves_no_descriptor_open, TrailFolder) {
  const auto descriptors = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  const auto before = descriptors();
  options.sync_data = true;
  options.max_bytes = 600;
  write_all(10);
  BOOST_TEST(descriptors() == before);
}

// The end of the trail is read in blocks, and a line may be longer than a block.
BOOST_FIXTURE_TEST_CASE(lines_of_every_length_are_chained, TrailFolder) {
  Trail trail(options);
  std::string text(3700, 'x');
  for (; text.size() < 4200; text += "xxx") BOOST_REQUIRE(trail.write("start", {{"command", text}}) == "");
  for (const std::size_t size : {20'000U, 64'900U, 65'536U, 100'000U, 1U}) {
    BOOST_REQUIRE(trail.write("start", {{"command", std::string(size, 'y')}}) == "");
  }
  BOOST_TEST(chained(content_of(file)).size() == 167U + 5U);
}

BOOST_FIXTURE_TEST_CASE(the_file_is_its_users_alone_and_so_is_a_folder_that_is_made_for_it, TrailFolder) {
  options.file = folder + "/made/audit.jsonl";
  BOOST_TEST(write("c") == "");
  BOOST_TEST(mode(folder + "/made") == 0700U);
  BOOST_TEST(mode(options.file) == 0600U);
}

BOOST_FIXTURE_TEST_CASE(only_one_folder_is_made, TrailFolder) {
  options.file = folder + "/more/made/audit.jsonl";
  const std::string problem = write("c");
  check_says(problem,
             "the audit trail " + options.file + " cannot be written: its folder cannot be created: No such file");
  BOOST_TEST(!fs::exists(folder + "/more"));
}

BOOST_FIXTURE_TEST_CASE(a_path_that_is_not_a_regular_file_is_refused_without_waiting, TrailFolder) {
  const std::string target = scratch.file("target", "");
  fs::create_symlink(target, folder + "/link");
  fs::create_symlink(folder + "/nowhere", folder + "/dangling");
  BOOST_REQUIRE(::mkfifo((folder + "/fifo").c_str(), 0600) == 0);
  const struct {
    std::string file;
    const char* why;
  } rows[] = {
      {folder + "/link", "its name is a symbolic link"},
      {folder + "/dangling", "its name is a symbolic link"},
      {folder + "/fifo", "it is not a regular file"},
      {"/dev/null", "it is not a regular file"},
      {"/dev/full", "it is not a regular file"},
      {folder, "name a file in a folder"},
      {target + "/audit.jsonl", "name a file in a folder"},
      {"/sys/audit.jsonl", "allow the host's user to read and write it"},
      {"/proc/audit.jsonl", "make the folder for it"},
  };
  for (const auto& row : rows) {
    options.file = row.file;
    const std::string problem = write("c");
    check_says(problem, "the audit trail " + row.file + " cannot be written: ");
    check_says(problem, row.why);
  }
  BOOST_TEST(content_of(target) == "");
  BOOST_TEST(!fs::exists(folder + "/nowhere"));
}

BOOST_FIXTURE_TEST_CASE(a_link_in_the_path_of_its_folder_leads_nowhere, TrailFolder) {
  fs::create_directory(folder + "/outside");
  fs::create_symlink(folder + "/outside", folder + "/state");
  for (const char* name : {"/state/audit.jsonl", "/state/made/audit.jsonl"}) {
    options.file = folder + name;
    const std::string problem = write("c");
    check_says(problem, folder + "/state is a symbolic link, and a command could have put it there");
    check_says(problem, "name " + folder + "/outside");
  }
  BOOST_TEST(fs::is_empty(folder + "/outside"));
}

BOOST_FIXTURE_TEST_CASE(another_file_is_refused_and_stays_as_it_is, TrailFolder) {
  for (const std::string& text :
       {std::string("my notes"), std::string("my notes\n"), std::string("\n"), std::string("{\"a\":1}\n"),
        std::string(5000, 'x'), std::string(100'000, 'x') + "\n", std::string(17 << 20, 'x')}) {
    put(file, text);
    check_says(write("c"), "it is not an audit trail");
    BOOST_TEST((content_of(file) == text));
  }
}

BOOST_FIXTURE_TEST_CASE(a_lock_that_is_held_is_waited_for_and_then_named, TrailFolder) {
  write_all(1);
  options.lock_wait = std::chrono::milliseconds(30);
  Descriptor holder(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  BOOST_REQUIRE(::flock(holder.get(), LOCK_EX) == 0);
  check_says(write("c"), "another process has held its lock for 30 ms");
  // A lock of fcntl(2) would be released here, because the same process closes another descriptor of the file.
  { const Descriptor other(::open(file.c_str(), O_RDWR | O_CLOEXEC)); }
  check_says(write("c"), "another process has held its lock");
  holder.reset();
  BOOST_TEST(write("c") == "");
  BOOST_TEST(chained(content_of(file)).size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(a_lock_that_is_never_released_is_waited_for_at_length_only_once, TrailFolder) {
  write_all(1);
  options.lock_wait = std::chrono::milliseconds(200);
  Trail trail(options);
  for (int round = 0; round < 2; ++round) {
    Descriptor holder(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    BOOST_REQUIRE(::flock(holder.get(), LOCK_EX) == 0);
    check_says(trail.write("c", {}), "another process has held its lock for 200 ms");
    check_says(trail.write("c", {}), "another process has held its lock for 100 ms");
    holder.reset();
    BOOST_TEST(trail.write("c", {}) == "");
  }
}

BOOST_FIXTURE_TEST_CASE(a_child_that_has_the_open_files_too_does_not_keep_the_lock, TrailFolder) {
  write_all(1);
  options.lock_wait = std::chrono::milliseconds(10'000);
  // Children are forked while a thread writes, and outlive its writes.
  std::vector<pid_t> children;
  std::atomic<std::size_t> written = 0;
  std::atomic<bool> enough = false;
  std::atomic<bool> over = false;
  std::string problem;
  std::thread writer([&] {
    while (problem.empty() && !enough) {
      problem = write("c");
      ++written;
    }
    over = true;
  });
  for (std::size_t i = 0; i < 30; ++i) {
    while (written < i && !over) std::this_thread::yield();  // Each child is forked during a different write.
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(60);
      ::pause();
      ::_exit(0);
    }
    children.push_back(child);
  }
  enough = true;
  writer.join();
  BOOST_TEST(problem == "");
  BOOST_TEST(write("after") == "");
  for (const pid_t child : children) {
    ::kill(child, SIGKILL);
    BOOST_TEST(wait_for_end(child, std::chrono::seconds(60)));
    ::waitpid(child, nullptr, 0);
  }
  BOOST_TEST(chained(content_of(file)).size() == written + 2);
}

BOOST_FIXTURE_TEST_CASE(threads_with_one_trail_and_with_their_own_do_not_disturb_each_other, TrailFolder) {
  Trail shared(options);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      Trail own(options);
      for (int i = 0; i < 50; ++i) {
        (thread % 2 == 0 ? shared : own).write("start", {{"call", std::to_string(thread) + '-' + std::to_string(i)}});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(chained(content_of(file)).size() == 400U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace trail_test
