// A trail that becomes too large continues in a new file, and so does its chain.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <thread>

#include "base/descriptor.h"
#include "support/processes.h"
#include "trail_support.h"

namespace trail_rotation_test {

using namespace wtool::test;
using wtool::Descriptor;
namespace fs = std::filesystem;

namespace {

struct RotatedTrail : TrailFolder {
  RotatedTrail() { options.max_bytes = 1000; }

  // All files, oldest first. The current file has the shortest name and is sorted first, but belongs at the end.
  std::vector<std::string> parts() const {
    std::vector<std::string> all = names();
    std::rotate(all.begin(), all.begin() + 1, all.end());
    return all;
  }
  std::string all_text() const {
    std::string text;
    for (const std::string& name : parts()) text += content_of(folder + '/' + name);
    return text;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(rotation)

BOOST_FIXTURE_TEST_CASE(the_chain_continues_over_all_files, RotatedTrail) {
  write_all(30);
  const std::vector<std::string> all = parts();
  BOOST_TEST(all.size() > 5U);
  std::string text;
  std::string previous;
  for (const std::string& name : all) {
    const std::string part = content_of(folder + '/' + name);
    BOOST_TEST(part.size() <= options.max_bytes);
    const ordered_json first = ordered_json::parse(lines_of(part).front());
    if (previous.empty()) {
      BOOST_TEST(first["event"] == "start");
    } else {
      BOOST_TEST(first["event"] == "rotated");
      BOOST_TEST(first["previous_file"].get<std::string>() == previous);
    }
    text += part;
    const auto last = std::to_string(ordered_json::parse(lines_of(part).back())["seq"].get<int>());
    if (name != all.back()) BOOST_TEST(name == "audit.jsonl." + std::string(12 - last.size(), '0') + last);
    previous = name;
  }
  BOOST_TEST(chained(text).size() == 30U + all.size() - 1);
}

BOOST_FIXTURE_TEST_CASE(however_small_the_limit_each_file_holds_an_event, RotatedTrail) {
  options.max_bytes = 1;
  write_all(4);
  BOOST_TEST(parts().size() == 4U);
  BOOST_TEST(chained(all_text()).size() == 7U);
}

BOOST_FIXTURE_TEST_CASE(no_more_files_than_configured_are_kept_and_nothing_else_is_removed, RotatedTrail) {
  options.max_bytes = 1;
  options.keep = 2;
  const std::vector<std::string> others = {"audit.jsonl.1", "audit.jsonl.bak", "audit.jsonl.00000000000x",
                                           "other.jsonl.000000000001"};
  for (const std::string& name : others) scratch.file(name, "mine");
  write_all(6);
  for (const std::string& name : others) {
    BOOST_TEST(content_of(folder + '/' + name) == "mine");
    fs::remove(folder + '/' + name);
  }
  const std::vector<std::string> all = parts();
  BOOST_REQUIRE(all.size() == 3U);
  BOOST_TEST(all[0] == "audit.jsonl.000000000007");
  BOOST_TEST(all[1] == "audit.jsonl.000000000009");
}

BOOST_FIXTURE_TEST_CASE(a_rotation_that_was_cut_short_is_completed, RotatedTrail) {
  options.max_bytes = 0;
  write_all(3);
  for (const bool made_anew : {false, true}) {
    const auto last = chained(all_text()).size();
    const std::string number = std::to_string(last);
    fs::rename(file, file + '.' + std::string(12 - number.size(), '0') + number);
    if (made_anew) put(file, "");
    BOOST_REQUIRE(write("next") == "");
    const auto events = chained(all_text());
    BOOST_REQUIRE(events.size() == last + 2);
    BOOST_TEST(events[last]["event"] == "rotated");
    BOOST_TEST(events.back()["call"] == "next");
  }
}

BOOST_FIXTURE_TEST_CASE(a_file_that_is_in_the_way_is_not_overwritten, RotatedTrail) {
  write_all(3);
  scratch.file("audit.jsonl.000000000003", "mine");
  const std::string problem = write(std::string(400, 'x'));
  check_says(problem,
             "it has reached audit.max_bytes, but cannot be renamed to " + file + ".000000000003: File exists");
  BOOST_TEST(content_of(file + ".000000000003") == "mine");
  BOOST_TEST(chained(content_of(file)).size() == 3U);
}

BOOST_FIXTURE_TEST_CASE(what_cannot_be_continued_is_refused_by_name, RotatedTrail) {
  for (const char* text : {"", "notes\n", R"({"time":"20)"}) {
    scratch.file("audit.jsonl.000000000007", text);
    check_says(write("c"), file + ".000000000007 should contain the earlier lines, but its last line is not complete");
  }
  fs::remove(file + ".000000000007");
  fs::create_symlink(file, file + ".000000000007");
  check_says(write("c"), file + ".000000000007 cannot be read");
}

// A writer that waits for the lock has the old file open when the file gets another name.
BOOST_FIXTURE_TEST_CASE(a_writer_that_waited_for_the_lock_writes_to_the_new_file, RotatedTrail) {
  options.max_bytes = 0;
  write_all(3);
  const std::string old_text = content_of(file);
  Descriptor holder(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  BOOST_REQUIRE(::flock(holder.get(), LOCK_EX) == 0);
  std::string problem = "not written";
  std::thread writer([&] { problem = write("next"); });
  BOOST_TEST(wait_until(
      [&] {
        int open = 0;
        for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
          std::error_code gone;
          open += fs::read_symlink(entry.path(), gone) == file ? 1 : 0;
        }
        return open == 2;
      },
      std::chrono::seconds(60)));
  const std::string aside = file + ".000000000003";
  fs::rename(file, aside);
  holder.reset();
  writer.join();
  BOOST_TEST(problem == "");
  BOOST_TEST((content_of(aside) == old_text));
  BOOST_TEST(chained(all_text()).size() == 5U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace trail_rotation_test
