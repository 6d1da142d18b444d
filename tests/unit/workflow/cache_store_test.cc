// The store gives only whole and undamaged results, and takes no more room than it may.
#include "cache/store.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/sha256.h"
#include "cached_project.h"

using namespace wtool::test;

BOOST_FIXTURE_TEST_SUITE(store, CachedProject)

BOOST_AUTO_TEST_CASE(damage_is_found) {
  once();
  for (const auto& entry : fs::recursive_directory_iterator(folder() + "/blobs")) {
    if (!entry.is_directory()) std::ofstream(entry.path(), std::ios::app) << "x";
  }
  fs::remove(project("build/app"));
  BOOST_TEST(once().find("cannot be put back: the content in the store is damaged") != std::string::npos);
  BOOST_TEST(content(project("build/app")) == "app");  // made again
  BOOST_REQUIRE(once() == "");
  change_entries("made app", "made apq");
  BOOST_TEST(once() == "no result of this step is kept");
  BOOST_REQUIRE(once() == "");
  for (const auto& entry : fs::recursive_directory_iterator(folder() + "/entries")) {
    if (!entry.is_directory()) fs::resize_file(entry.path(), entry.file_size() / 2);
  }
  BOOST_TEST(once() == "no result of this step is kept");
}

// Contents are not synchronized to the disk.
BOOST_AUTO_TEST_CASE(a_content_that_is_empty_after_a_loss_of_power_is_made_again) {
  once();
  for (const auto& entry : fs::recursive_directory_iterator(folder() + "/blobs")) {
    if (!entry.is_directory()) fs::resize_file(entry.path(), 0);
  }
  fs::remove(project("build/app"));
  BOOST_TEST(once().find("cannot be put back: the content in the store is damaged") != std::string::npos);
  BOOST_TEST(content(project("build/app")) == "app");
}

BOOST_AUTO_TEST_CASE(damage_to_what_only_explains_a_difference_loses_no_result) {
  once();
  change_entries("\"the call\"", "\"the cull\"");
  BOOST_TEST(once() == "");
  Work other = work();
  other.parts["the call"] = "gcc";
  StepCache cache(options());
  BOOST_TEST(cache.look(other).why == "no result of this step is kept");
  BOOST_TEST(once() == "");
}

BOOST_AUTO_TEST_CASE(an_entry_of_another_version_is_made_again) {
  once();
  for (const auto& entry : fs::recursive_directory_iterator(folder() + "/entries")) {
    if (entry.is_directory()) continue;
    // Versions up to 2 had no part of its own for explanations.
    std::ofstream(entry.path(), std::ios::binary | std::ios::trunc)
        << R"({"v":2,"key":"k","step":"Build","file":"w.md","run":"run","made":1,"parts":{},"outputs":[]})"
        << "\nmade app";
  }
  BOOST_TEST(once() == "no result of this step is kept");
  BOOST_TEST(once() == "");
}

BOOST_AUTO_TEST_CASE(an_entry_under_the_name_of_another_key_is_removed) {
  once();
  const std::string other(64, 'a');
  fs::path entry;
  for (const auto& file : fs::recursive_directory_iterator(folder() + "/entries")) {
    if (!file.is_directory()) entry = file.path();
  }
  const std::string copy = folder() + "/entries/aa/" + other;
  fs::create_directories(folder() + "/entries/aa");
  fs::copy_file(entry, copy);
  const Store store(folder(), usual_max_bytes);
  BOOST_TEST(!store.find(other));
  BOOST_TEST(!fs::exists(copy));
  BOOST_TEST(store.find(entry.filename().string()).has_value());
}

BOOST_AUTO_TEST_CASE(an_entry_of_another_form_is_not_used) {
  const auto rewrite = [&](const std::string& from, const std::string& to) {
    for (const auto& entry : fs::recursive_directory_iterator(folder() + "/entries")) {
      if (entry.is_directory()) continue;
      std::istringstream lines(content(entry.path()));
      std::string hash, parts, rest, line;
      std::getline(lines, hash);
      std::getline(lines, parts);
      std::getline(lines, hash);
      std::getline(lines, rest, '\0');
      const std::size_t at = rest.find(from);
      BOOST_REQUIRE(at != std::string::npos);
      rest.replace(at, from.size(), to);
      std::ofstream(entry.path(), std::ios::binary | std::ios::trunc) << wtool::sha256(parts) << '\n'
                                                                      << parts << '\n'
                                                                      << wtool::sha256(rest) << '\n'
                                                                      << rest;
    }
  };
  for (const auto& [from, to] : {std::pair{"\"outputs\":[", "\"other\":["},
                                 {"\"v\":5", "\"v\":6"},
                                 {"\"own\":", "\"other\":"},
                                 {"\"sha256\":", "\"other\":"},
                                 {"\"made\":", "\"made\":1.5,\"other\":"},
                                 {"\"bytes\":", "\"bytes\":-"},
                                 {"{", "["}}) {
    once();
    BOOST_TEST(once() == "", from);
    rewrite(from, to);
    BOOST_TEST(once() != "", from);
  }
}

BOOST_AUTO_TEST_CASE(a_store_without_its_newest_entries_still_finds_all) {
  once();
  for (const char* target : {"../entries/none", "/dev/zero", "", "/etc"}) {
    fs::remove_all(folder() + "/latest");
    fs::create_directory(folder() + "/latest");
    Work changed = work();
    changed.parts["the call"] = "c++";
    once(changed);
    for (const auto& link : fs::directory_iterator(folder() + "/latest")) {
      const fs::path path = link.path();
      fs::remove(path);
      if (*target != '\0') fs::create_symlink(target, path);
    }
    BOOST_TEST(once() == "", target);
    BOOST_TEST(once() == "", target);
  }
}

BOOST_AUTO_TEST_CASE(a_folder_of_the_store_that_became_a_link_is_not_cleared) {
  once();
  scratch.file("mine/file", "mine");
  fs::remove_all(folder() + "/latest");
  fs::create_directory_symlink(scratch.path() + "/mine", folder() + "/latest");
  fs::create_directory_symlink(scratch.path() + "/mine", folder() + "/new/link");
  std::string problem;
  Store(folder(), usual_max_bytes).clear(problem);
  BOOST_TEST(problem == "");
  BOOST_TEST(content(scratch.path() + "/mine/file") == "mine");
  BOOST_TEST(!fs::exists(fs::symlink_status(folder() + "/new/link")));
}

BOOST_AUTO_TEST_CASE(a_store_that_others_may_write_is_not_used) {
  once();
  ::chmod(folder().c_str(), 0777);
  BOOST_TEST(once().find("can be written by other users") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_store_that_is_closed_to_its_owner_is_a_problem) {
  once();
  ::chmod(folder().c_str(), 0);
  BOOST_TEST(Store(folder(), usual_max_bytes).problem() == folder() + " is closed to its owner; run chmod 700 on it");
  ::chmod(folder().c_str(), 0700);
}

BOOST_AUTO_TEST_CASE(a_store_that_cannot_be_created_says_why) {
  const std::string above = scratch.path() + "/cache";
  fs::create_symlink(scratch.path() + "/missing", above);
  StepCache cache(options());
  const Work wanted = work();
  scratch.file("project/build/app", "made");
  const std::string why = cache.keep(wanted, cache.look(wanted), "result", "", nothing_refused);
  BOOST_TEST(why.starts_with("the folder " + above + " cannot be created: "), why);
}

BOOST_AUTO_TEST_CASE(the_oldest_entries_go_first) {
  StepCache::Options small = options();
  small.max_bytes = 75'000;  // two results with their outputs
  const auto step = [&](const std::string& name, char byte) {
    Work wanted = work();
    wanted.step = name;
    wanted.parts["the call"] = name;
    fs::remove(project("build/app"));  // of another step
    return once(wanted, std::string(15'000, byte), small);
  };
  const auto age = [&](int seconds) {
    for (const auto& entry : fs::recursive_directory_iterator(folder() + "/entries")) {
      if (!entry.is_directory())
        fs::last_write_time(entry.path(), entry.last_write_time() - std::chrono::seconds(seconds));
    }
  };
  step("One", '1');
  age(100);
  step("Two", '2');
  age(100);
  BOOST_TEST(step("One", '1') == "");  // used, so Two is now the oldest
  age(100);
  step("Three", '3');
  const Store store(folder(), small.max_bytes);
  std::string left;
  for (const ListedEntry& one : store.list()) left += one.entry.step + " ";
  BOOST_TEST(left == "Three One ");
  BOOST_TEST(blobs() == 2);
  BOOST_TEST(step("Two", '2') == "no result of this step is kept");
  std::string problem;
  BOOST_TEST(store.clear(problem) > 30'000);
  BOOST_TEST(problem == "");
  BOOST_TEST(store.list().empty());
}

BOOST_AUTO_TEST_CASE(the_time_of_a_use_is_written_only_if_the_last_one_is_older_than_a_minute_or_in_the_future) {
  once();
  const Store store(folder(), options().max_bytes);
  const auto used_after = [&](std::int64_t difference) {
    for (const auto& entry : fs::recursive_directory_iterator(folder() + "/entries")) {
      if (!entry.is_directory()) {
        fs::last_write_time(entry.path(), fs::file_time_type::clock::now() + std::chrono::seconds(difference));
      }
    }
    const std::int64_t before = store.list().at(0).entry.used;
    BOOST_TEST(once() == "");
    return store.list().at(0).entry.used - before;
  };
  BOOST_TEST(used_after(-20) == 0);
  BOOST_TEST(used_after(-100) >= 99);
  BOOST_TEST(used_after(100) <= -90);
}

BOOST_AUTO_TEST_CASE(a_store_is_trimmed_only_if_it_is_too_large_and_nobody_writes_to_it) {
  once();
  std::uint64_t all = 0;
  const std::string left = scratch.file("cache/steps/new/left", "left by a process that was killed");
  for (const char* kind : {"/entries", "/blobs", "/new"}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder() + kind)) {
      if (!entry.is_directory()) all += entry.file_size();
    }
  }
  Store(folder(), all).trim();
  BOOST_TEST(fs::exists(left));
  Store small(folder(), all - 1);
  {
    std::string problem;
    const Store::Keeping writes(small, problem);
    BOOST_TEST(problem == "");
    small.trim();
    BOOST_TEST(fs::exists(left));
  }
  small.trim();
  BOOST_TEST(!fs::exists(left));
  BOOST_TEST(blobs() == 1);
}

BOOST_AUTO_TEST_CASE(a_process_that_does_not_release_the_lock_is_named_and_not_waited_for) {
  once();
  const std::string lock = folder() + "/lock";
  const wtool::Descriptor held(::open(lock.c_str(), O_RDWR | O_CLOEXEC));
  Store store(folder(), usual_max_bytes, std::chrono::milliseconds(1));
  // On some file systems, such as btrfs, /proc/locks names another device than stat(), so the process is not found.
  const auto is_named = [&](const std::string& problem) {
    const std::string rest = " still held the lock " + lock + " after 1 ms; ";
    return problem.starts_with("process " + std::to_string(::getpid()) + rest) ||
           problem.starts_with("another process" + rest);
  };
  std::string problem;
  BOOST_REQUIRE(::flock(held.get(), LOCK_EX) == 0);
  { const Store::Keeping writes(store, problem); }
  BOOST_TEST(is_named(problem), problem);
  BOOST_REQUIRE(::flock(held.get(), LOCK_SH) == 0);
  BOOST_TEST(store.clear(problem) == 0U);
  BOOST_TEST(is_named(problem), problem);
  BOOST_TEST(blobs() == 1);
  BOOST_REQUIRE(::flock(held.get(), LOCK_UN) == 0);
  BOOST_TEST(store.clear(problem) > 0U);
  BOOST_TEST(problem == "");
}

BOOST_AUTO_TEST_CASE(what_a_killed_process_was_restoring_is_removed_and_nothing_else) {
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  const std::string prefix = "project/build/" + std::string(unfinished_prefix);
  const std::string unfinished = scratch.file(prefix + std::to_string(gone) + "-0123456789abcdef", "half");
  std::vector<std::string> others = {
      scratch.file(prefix + std::to_string(::getpid()) + "-0123456789abcdef", "being written"),
      scratch.file(prefix + "x-0123456789abcdef", "no number"),
      scratch.file("project/build/xwtool-restoring-" + std::to_string(gone) + "-0123456789abcdef", "no prefix"),
      scratch.file("project/build/app", "app"),
  };
  if (::geteuid() == 0) {
    others.push_back(scratch.file(prefix + std::to_string(gone) + "-other", "of another user"));
    BOOST_REQUIRE(::chown(others.back().c_str(), 65534, 65534) == 0);
  }
  Store::remove_unfinished(project(), "build");
  BOOST_TEST(!fs::exists(unfinished));
  for (const std::string& other : others) BOOST_TEST(fs::exists(other), other);
  Store::remove_unfinished(project(), "nowhere");
}

BOOST_AUTO_TEST_CASE(outputs_larger_than_the_store_are_not_kept) {
  StepCache::Options small = options();
  small.max_bytes = 1000;
  BOOST_TEST(once(work(), std::string(2000, 'x'), small).find("1000 bytes, the limit of the whole store") !=
             std::string::npos);
  BOOST_TEST(blobs() == 0);
}

BOOST_AUTO_TEST_CASE(a_kill_at_any_moment_leaves_no_half_entry) {
  const std::string big(200'000, 'x');
  for (int round = 0; round < 30; ++round) {
    int done[2];
    BOOST_REQUIRE(::pipe(done) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
      StepCache cache(options());
      for (int i = 0;; ++i) {
        Work wanted = work();
        wanted.parts["the call"] = std::to_string(round) + "." + std::to_string(i);
        const Look look = cache.look(wanted);
        scratch.file("project/build/app", big + wanted.parts["the call"]);
        cache.keep(wanted, look, "made " + wanted.parts["the call"], "", nothing_refused);
        if (::write(done[1], "x", 1) != 1) ::_exit(1);
      }
    }
    BOOST_REQUIRE(child > 0);
    char byte = 0;
    // Each round lets the process do two pieces of work, and kills it a little later than the round before.
    for (int i = 0; i < 2; ++i) BOOST_REQUIRE(::read(done[0], &byte, 1) == 1);
    for (int i = 0; i < round * 20; ++i) ::sched_yield();
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(done[0]);
    ::close(done[1]);
  }
  const Store store(folder(), usual_max_bytes);
  std::size_t entries = 0;
  for (const auto& file : fs::recursive_directory_iterator(folder() + "/entries"))
    entries += file.is_directory() ? 0 : 1;
  BOOST_TEST(entries >= 60);
  const auto all = store.list();
  BOOST_TEST(all.size() == entries);
  for (const ListedEntry& one : all) {
    BOOST_REQUIRE(one.entry.outputs.size() == 1);
    const CachedOutput& output = one.entry.outputs[0];
    BOOST_TEST(wtool::sha256(content(folder() + "/blobs/" + output.hash.substr(0, 2) + "/" + output.hash)) ==
               output.hash);
    BOOST_TEST(one.entry.result.starts_with("made "));
  }
}

BOOST_AUTO_TEST_CASE(a_lost_or_damaged_record_of_hashes_costs_only_time) {
  once();
  for (const auto& entry : fs::directory_iterator(folder() + "/files"))
    std::ofstream(entry.path(), std::ios::app) << "x";
  BOOST_TEST(once() == "");
}

BOOST_AUTO_TEST_CASE(a_command_that_writes_into_an_output_does_not_write_into_the_store) {
  once();
  fs::remove(project("build/app"));
  BOOST_TEST(once() == "");
  std::ofstream(project("build/app"), std::ios::app) << "more";
  BOOST_TEST(once() == "the output 'build/app' was changed by something else, or is no longer kept");
  BOOST_TEST(content(project("build/app")) == "app");
}

BOOST_AUTO_TEST_SUITE_END()
