// A file is read again only if it may have changed since its hash was made.
#include "cache/file_hashes.h"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/sha256.h"
#include "cached_project.h"

using namespace wtool::test;

BOOST_FIXTURE_TEST_SUITE(file_hashes, CachedProject)

BOOST_AUTO_TEST_CASE(a_file_that_is_old_is_read_once) {
  FileHashes hashes;
  const FileState state = hashes.look(project("src/a.c"));
  BOOST_TEST(state.hash == wtool::sha256("int a;\n"));
  hashes.look(project("src/a.c"));
  BOOST_TEST(hashes.files_read() == 2);  // The file is too recent to be trusted.
  const auto before = hashes.files_read();
  hashes.look("/bin/sh");
  hashes.look("/bin/sh");
  BOOST_TEST(hashes.files_read() == before + 1);
}

BOOST_AUTO_TEST_CASE(hashes_are_kept_on_disk_until_their_record_is_damaged) {
  const std::string record = scratch.path() + "/record";
  const auto files_read = [&] {
    FileHashes hashes(record);
    BOOST_TEST(hashes.look("/bin/sh").hash == wtool::sha256(content("/bin/sh")));
    const auto count = hashes.files_read();
    hashes.save();
    return count;
  };
  BOOST_TEST(files_read() == 1);
  BOOST_TEST(files_read() == 0);
  const std::string good = content(record);
  const std::size_t line = good.find('\n') + 1;
  const auto rewritten = [&](const std::string& rest) {
    std::ofstream(record, std::ios::binary | std::ios::trunc)
        << good.substr(0, line - 1 - wtool::sha256_size) << wtool::sha256(rest) << '\n'
        << rest;
    return files_read();
  };
  const std::string rest = good.substr(line);
  BOOST_TEST(rewritten(rest) == 0);
  const std::size_t numbers = rest.find('\0') + 1;
  BOOST_TEST(rewritten(rest.substr(0, numbers) + "x" + rest.substr(numbers)) == 1);
  BOOST_TEST(rewritten(rest.substr(0, rest.size() - 2) + "\n") == 1);  // The hash lacks a digit.
  BOOST_TEST(rewritten(rest.substr(0, numbers - 1)) == 1);             // There is only the path.
  for (const std::string& damaged : {good.substr(0, line - 1), good.substr(1), good + "x", std::string("wtool")}) {
    std::ofstream(record, std::ios::binary | std::ios::trunc) << damaged;
    BOOST_TEST(files_read() == 1);
    BOOST_TEST(files_read() == 0);
  }
}

BOOST_AUTO_TEST_CASE(a_record_that_cannot_be_written_leaves_no_file) {
  const std::string record = scratch.file("records/record/inside", "");
  FileHashes hashes(fs::path(record).parent_path());
  hashes.look("/bin/sh");
  hashes.save();
  BOOST_TEST(std::distance(fs::directory_iterator(scratch.path() + "/records"), fs::directory_iterator()) == 1);
}

BOOST_AUTO_TEST_SUITE_END()
