// engine/spill.h and engine/spill_directory.h: the content of the file, which files are removed, and the messages when
// the file cannot be written.
#include "engine/spill.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <iterator>
#include <set>
#include <thread>

#include "support/program.h"
#include "support/text.h"

namespace spill_test {

using wtool::Descriptor;
using wtool::engine::is_spill_name;
using wtool::engine::SpillDirectory;
using wtool::engine::SpillFile;
using wtool::engine::WholeOutputFile;
using wtool::test::content_of;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t mebibyte = 1 << 20;

// A name that new_name() may have given. A lower `age` makes an older name.
std::string old_name(int age) { return "2001010" + std::to_string(age) + "T000000.000Z-call-0000000a.out"; }

struct Folder {
  wtool::test::ScratchFolder scratch;
  std::string path = scratch.path() + "/out";

  Folder() { fs::create_directory(path); }

  void put(const std::string& name, std::size_t bytes) const { scratch.file("out/" + name, std::string(bytes, 'x')); }
  bool has(const std::string& name) const { return fs::exists(fs::symlink_status(path + "/" + name)); }
  std::uint64_t spilled_bytes() const {
    std::uint64_t all = 0;
    for (const auto& entry : fs::directory_iterator(path)) {
      if (is_spill_name(entry.path().filename().string())) all += entry.file_size();
    }
    return all;
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
};

WholeOutputFile spill(SpillDirectory& directory, std::string_view bytes) {
  SpillFile file(directory, "call");
  file.write(bytes);
  return file.finish();
}

unsigned mode(const std::string& path) {
  struct stat about {};
  BOOST_REQUIRE(::stat(path.c_str(), &about) == 0);
  return about.st_mode & 07777U;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(spill_file)

BOOST_FIXTURE_TEST_CASE(a_file_holds_the_bytes_as_they_came, Folder) {
  SpillDirectory directory(path, mebibyte);
  SpillFile file(directory, "build 7/linux");
  std::string all;
  for (int i = 0; i < 300; ++i) {
    const std::string piece = std::to_string(i) + std::string("\0\xFF\r\n", 4);
    all += piece;
    file.write(piece);
  }
  const WholeOutputFile result = file.finish();
  BOOST_TEST(result.error == "");
  BOOST_TEST(result.bytes == all.size());
  BOOST_TEST((content_of(result.path) == all));
  BOOST_TEST(mode(result.path) == 0600U);
  BOOST_TEST(result.path.starts_with(path + "/2"));
  BOOST_TEST((result.path.find("Z-build_7_linux-") != std::string::npos));
}

BOOST_FIXTURE_TEST_CASE(without_a_byte_there_is_no_file_and_no_folder, Folder) {
  SpillDirectory directory(path + "/deeper", mebibyte);
  SpillFile file(directory, "call");
  file.write("");
  const WholeOutputFile result = file.finish();
  BOOST_TEST(result.path == "");
  BOOST_TEST(result.error == "");
  BOOST_TEST(entries() == 0U);
}

BOOST_FIXTURE_TEST_CASE(a_missing_folder_is_made_only_for_its_user, Folder) {
  for (const std::string& missing : {path + "/a/b/c", path + "/d/e/"}) {
    SpillDirectory directory(missing, mebibyte);
    const WholeOutputFile result = spill(directory, "x");
    BOOST_TEST(result.error == "");
    BOOST_TEST(content_of(result.path) == "x");
    BOOST_TEST((result.path.find("//") == std::string::npos));
  }
  for (const char* made : {"/a", "/a/b", "/a/b/c", "/d", "/d/e"}) BOOST_TEST(mode(path + made) == 0700U);
}

BOOST_FIXTURE_TEST_CASE(a_folder_that_is_removed_between_two_calls_is_made_again, Folder) {
  SpillDirectory directory(path, mebibyte);
  spill(directory, "x");
  fs::remove_all(path);
  const WholeOutputFile result = spill(directory, "y");
  BOOST_TEST(result.error == "");
  BOOST_TEST(content_of(result.path) == "y");
}

BOOST_FIXTURE_TEST_CASE(a_file_in_the_way_of_the_folder_is_reported, Folder) {
  put("file", 1);
  for (const std::string& bad : {path + "/file", path + "/file/below/it"}) {
    SpillDirectory directory(bad, mebibyte);
    const WholeOutputFile result = spill(directory, "x");
    BOOST_TEST(result.path == "");
    BOOST_TEST(result.bytes == 0U);
    BOOST_TEST(result.error ==
               "no output file could be written in " + bad +
                   ": Not a directory; something that is not a folder is in the way; remove it, or name "
                   "another folder as output.directory");
  }
}

BOOST_FIXTURE_TEST_CASE(one_file_alone_stops_at_the_limit_of_all, Folder) {
  SpillDirectory directory(path, mebibyte);
  SpillFile file(directory, "call");
  for (int i = 0; i < 3; ++i) file.write(std::string(400'000, static_cast<char>('a' + i)));
  file.write("more");
  const WholeOutputFile result = file.finish();
  BOOST_TEST(result.bytes == mebibyte);
  BOOST_TEST((content_of(result.path) ==
              std::string(400'000, 'a') + std::string(400'000, 'b') + std::string(mebibyte - 800'000, 'c')));
  BOOST_TEST(result.error == "the output file ends after 1048576 bytes: all output files in " + path +
                                 " may have 1048576 bytes together (output.max_bytes), and none of them can be "
                                 "removed; raise output.max_bytes, or make the command write less");
}

BOOST_FIXTURE_TEST_CASE(a_file_of_exactly_the_limit_is_complete, Folder) {
  put(old_name(1), 10);
  SpillDirectory directory(path, mebibyte);
  const WholeOutputFile result = spill(directory, std::string(mebibyte, 'x'));
  BOOST_TEST(result.bytes == mebibyte);
  BOOST_TEST(result.error == "");
  BOOST_TEST(!has(old_name(1)));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(spill_directory)

BOOST_AUTO_TEST_CASE(names_are_safe_and_recognised_whatever_the_call_is_named) {
  for (const char* call : {"", "a", "../../etc/passwd", "a b\n\t*", "é漢", "call-7_x.y",
                           "a very long name of a call that nobody would want to read in a listing"}) {
    const std::string name = SpillDirectory::new_name(call);
    BOOST_TEST(is_spill_name(name), name);
    BOOST_TEST(name.size() <= 21U + 24U + 13U);
    BOOST_TEST((name.find('/') == std::string::npos));
  }
  BOOST_TEST((SpillDirectory::new_name("").find("Z-call-") != std::string::npos));
}

BOOST_AUTO_TEST_CASE(names_differ_though_call_and_time_are_the_same) {
  std::set<std::string> names;
  for (int i = 0; i < 100; ++i) names.insert(SpillDirectory::new_name("same"));
  BOOST_TEST(names.size() == 100U);
}

BOOST_AUTO_TEST_CASE(names_of_other_files_are_not_recognised) {
  for (const char* name : {"", "notes.out", "20010101T000000.000Z--0000000a.out", "20010101T000000.000Z-0000000a.out",
                           "20010101T000000.000Z-call-0000000A.out", "20010101T000000.000Z-call-0000000a.txt",
                           "20010101T000000.000Z-call-0000000a.out~", "20010101T0000.0000Z-call-0000000a.out",
                           "x0010101T000000.000Z-call-0000000a.out", "20010101T000000.000Z-ca ll-0000000a.out",
                           "20010101T000000.000Z-a-name-longer-than-any-of-ours-0000000a.out"}) {
    BOOST_TEST(!is_spill_name(name), name);
  }
}

BOOST_FIXTURE_TEST_CASE(the_oldest_are_removed_and_no_more_than_needed, Folder) {
  for (int age = 1; age <= 4; ++age) put(old_name(age), 250'000);
  SpillDirectory directory(path, mebibyte);
  const WholeOutputFile result = spill(directory, std::string(300'000, 'n'));
  BOOST_TEST(result.error == "");
  BOOST_TEST(!has(old_name(1)));
  BOOST_TEST(!has(old_name(2)));  // To remove only the first would free 48,576 + 250,000 bytes: too few.
  BOOST_TEST(has(old_name(3)));
  BOOST_TEST(has(old_name(4)));
  BOOST_TEST(content_of(result.path).size() == 300'000U);
}

BOOST_FIXTURE_TEST_CASE(no_file_is_removed_while_there_is_room, Folder) {
  put(old_name(1), 500'000);
  SpillDirectory directory(path, mebibyte);
  BOOST_TEST(spill(directory, std::string(mebibyte - 500'000, 'n')).error == "");
  BOOST_TEST(has(old_name(1)));
}

BOOST_FIXTURE_TEST_CASE(the_oldest_is_removed_when_a_file_grows, Folder) {
  put(old_name(1), 300'000);
  put(old_name(2), 300'000);
  SpillDirectory directory(path, mebibyte);
  SpillFile file(directory, "call");
  file.write(std::string(400'000, 'a'));
  BOOST_TEST(has(old_name(1)));
  file.write(std::string(200'000, 'a'));
  BOOST_TEST(!has(old_name(1)));
  BOOST_TEST(has(old_name(2)));
  BOOST_TEST(file.finish().error == "");
  BOOST_TEST(spilled_bytes() <= mebibyte);
}

BOOST_FIXTURE_TEST_CASE(files_that_are_being_written_stay, Folder) {
  for (int age = 1; age <= 3; ++age) put(old_name(age), 300'000);
  const Descriptor other_writer(::open((path + "/" + old_name(1)).c_str(), O_WRONLY | O_CLOEXEC));
  BOOST_REQUIRE(::flock(other_writer.get(), LOCK_EX | LOCK_NB) == 0);
  SpillDirectory directory(path, mebibyte);
  BOOST_TEST(spill(directory, std::string(300'000, 'n')).error == "");
  BOOST_TEST(has(old_name(1)));
  BOOST_TEST(!has(old_name(2)));
  BOOST_TEST(has(old_name(3)));
}

BOOST_FIXTURE_TEST_CASE(a_file_is_locked_from_its_first_byte_to_its_end, Folder) {
  SpillDirectory directory(path, mebibyte);
  SpillFile file(directory, "call");
  file.write("x");
  const std::string name = fs::directory_iterator(path)->path().string();
  const Descriptor probe(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
  BOOST_TEST(::flock(probe.get(), LOCK_EX | LOCK_NB) != 0);
  file.finish();
  BOOST_TEST(::flock(probe.get(), LOCK_EX | LOCK_NB) == 0);
}

BOOST_FIXTURE_TEST_CASE(what_is_not_ours_is_neither_counted_nor_touched, Folder) {
  put("notes.txt", 5 * mebibyte);
  put(old_name(1) + "~", 10);
  scratch.file("target", std::string(2 * mebibyte, 't'));
  fs::create_symlink(scratch.path() + "/target", path + "/" + old_name(2));
  fs::create_directory(path + "/" + old_name(3));
  BOOST_REQUIRE(::mkfifo((path + "/" + old_name(4)).c_str(), 0600) == 0);
  put(old_name(5), 500'000);
  SpillDirectory directory(path, mebibyte);
  BOOST_TEST(spill(directory, std::string(mebibyte, 'n')).error == "");
  BOOST_TEST(has("notes.txt"));
  BOOST_TEST(has(old_name(1) + "~"));
  BOOST_TEST(has(old_name(2)));
  BOOST_TEST(fs::file_size(scratch.path() + "/target") == 2 * mebibyte);
  BOOST_TEST(has(old_name(3)));
  BOOST_TEST(has(old_name(4)));
  BOOST_TEST(!has(old_name(5)));
}

BOOST_FIXTURE_TEST_CASE(an_empty_file_stays_because_its_writer_may_be_about_to_lock_it, Folder) {
  put(old_name(1), 0);
  put(old_name(2), 600'000);
  SpillDirectory directory(path, mebibyte);
  BOOST_TEST(spill(directory, std::string(600'000, 'n')).error == "");
  BOOST_TEST(has(old_name(1)));
  BOOST_TEST(!has(old_name(2)));
}

BOOST_FIXTURE_TEST_CASE(empty_files_take_no_room, Folder) {
  for (int i = 0; i < 300; ++i) put(SpillDirectory::new_name("empty"), 0);
  SpillDirectory directory(path, mebibyte);
  const auto result = spill(directory, std::string(600'000, 'n'));
  BOOST_TEST(result.error == "");
  BOOST_TEST(result.bytes == 600'000U);
}

BOOST_FIXTURE_TEST_CASE(a_file_ends_where_its_message_says_if_the_folder_can_no_longer_be_read, Folder) {
  SpillDirectory directory(path, mebibyte);
  SpillFile file(directory, "call");
  file.write(std::string(100, 'x'));
  rlimit before{};
  BOOST_REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit none{0, before.rlim_max};
  BOOST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  file.write(std::string(100'000, 'x'));  // more than the room that was found with the first bytes
  BOOST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  const auto result = file.finish();
  BOOST_TEST(result.error.find("the output file ends after 100 bytes") != std::string::npos, result.error);
  BOOST_TEST(result.bytes == 100U);
  BOOST_TEST(fs::file_size(result.path) == 100U);
}

BOOST_FIXTURE_TEST_CASE(many_small_files_come_to_an_end, Folder) {
  SpillDirectory directory(path, mebibyte);
  for (int i = 0; i < 600; ++i) BOOST_TEST(spill(directory, "x").error == "");
  BOOST_TEST(entries() <= mebibyte / 4096);
  BOOST_TEST(entries() >= mebibyte / 4096 - 16);
}

BOOST_FIXTURE_TEST_CASE(room_that_is_granted_is_gone_until_it_is_settled, Folder) {
  SpillDirectory directory(path, mebibyte);
  const wtool::RealFolder opened = wtool::open_real_folder(path);
  int error = -1;
  BOOST_TEST(directory.reserve(600'000, opened, &error) == 600'000U);
  BOOST_TEST(error == 0);
  BOOST_TEST(directory.reserve(600'000, opened, &error) == mebibyte - 600'000);
  BOOST_TEST(directory.reserve(1, opened, &error) == 0U);
  directory.settle(mebibyte);  // Nothing of what was reserved was written.
  BOOST_TEST(directory.reserve(mebibyte, opened, &error) == mebibyte);
}

BOOST_FIXTURE_TEST_CASE(writers_at_once_never_pass_the_limit_and_keep_what_they_say, Folder) {
  SpillDirectory directory(path, mebibyte);
  std::vector<WholeOutputFile> results(4);
  std::vector<std::thread> writers;
  for (std::size_t i = 0; i < results.size(); ++i) {
    writers.emplace_back([&, i] {
      SpillFile file(directory, "writer");
      for (int piece = 0; piece < 40; ++piece) file.write(std::string(10'000, static_cast<char>('a' + i)));
      results[i] = file.finish();
    });
  }
  for (auto& writer : writers) writer.join();
  BOOST_TEST(spilled_bytes() <= mebibyte);
  for (std::size_t i = 0; i < results.size(); ++i) {
    BOOST_TEST((results[i].bytes == 400'000) == results[i].error.empty());
    // A file that is done may have been removed to make room for another one.
    if (results[i].path.empty() || !fs::exists(results[i].path)) continue;
    BOOST_TEST((content_of(results[i].path) == std::string(results[i].bytes, static_cast<char>('a' + i))));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace spill_test
