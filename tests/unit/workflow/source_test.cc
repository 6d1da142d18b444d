#include "workflow/model/source.h"

#include <stdlib.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

#include "workflow/model/diagnostics.h"

namespace source_test {

using namespace wtool::host::workflow;

namespace {

struct OwnDirectory {
  OwnDirectory() {
    char name[] = "/tmp/wtool-source-XXXXXX";
    BOOST_REQUIRE(::mkdtemp(name) != nullptr);
    path = name;
  }
  ~OwnDirectory() { std::filesystem::remove_all(path); }
  std::string error_for(const std::string& name) const {
    std::string error;
    load_source(path + "/" + name, error);
    return error;
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path + "/" + name) << text; }
  std::string path;
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(files_that_cannot_be_read_say_why, OwnDirectory) {
  BOOST_TEST(error_for("none") == path + "/none: there is no such file");
  BOOST_TEST(error_for(".") == path + "/.: this is a directory; name a workflow file in it");
  write("binary", std::string("ab\0c", 4));
  BOOST_TEST(error_for("binary") == path + "/binary: this is a binary file (there is a NUL byte at offset 2)");
  write("latin1", "a\nü\xe4x\n");
  BOOST_TEST(error_for("latin1") ==
             path +
                 "/latin1:2:2: error: the file is not valid UTF-8: the byte 0xe4 (offset 4) belongs "
                 "to no character");
  write("large", std::string(max_file_size + 1, 'x'));
  BOOST_TEST(error_for("large").find("larger than 10 MiB") != std::string::npos);
  write("full", std::string(max_file_size, 'x'));
  BOOST_TEST(error_for("full").empty());
  BOOST_REQUIRE(::symlink("loop", (path + "/loop").c_str()) == 0);
  BOOST_TEST(error_for("loop").find("cannot be opened") != std::string::npos);
  std::string error;
  load_source("/dev/zero", error);
  BOOST_TEST(error == "/dev/zero: this is neither a file nor a pipe");
}

BOOST_AUTO_TEST_CASE(positions_count_lines_and_characters) {
  const Source source("x",
                      "\xEF\xBB\xBF"
                      "aü漢b\r\n\rc\n");
  BOOST_TEST(source.line_count() == 4U);
  BOOST_TEST(source.line(0) == "aü漢b");
  BOOST_TEST(source.line(2) == "c");
  BOOST_TEST(source.position(source.text().find('b')).column == 4U);
  BOOST_TEST(source.position(source.text().find('c')).line == 3U);
  BOOST_TEST(source.position(1000).line == 4U);
}

BOOST_AUTO_TEST_CASE(the_caret_is_in_the_column_in_which_a_terminal_shows_the_place) {
  const std::pair<std::string, std::size_t> rows[] = {
      {"ab", 2},
      {"漢字", 4},
      {"\xF0\xA0\xAE\xB7", 2},   // U+20BB7, a Chinese character of plane 2
      {"e\xCC\x81", 1},          // an accent that combines with the letter before it
      {"a\xE2\x80\x8B\x62", 2},  // a space without a width
      {"\xE2\x80\x8F", 1},       // a mark of the writing direction, which is shown as '?'
      {"\x1b", 1},               // likewise
  };
  for (const auto& [before, columns] : rows) {
    const Source source("x", before + "here\n");
    Diagnostics diagnostics;
    diagnostics.add(source.text().find("here"), "wrong");
    const std::string shown = diagnostics.with_lines(source);
    BOOST_TEST(shown.ends_with("here\n      | " + std::string(columns, ' ') + "^\n"), shown);
  }
}

BOOST_AUTO_TEST_CASE(a_mapped_text_knows_where_its_bytes_were) {
  MappedText text;
  text.append("ab", 10);
  text.append("cd", 12);
  text.append("ef", 20);
  BOOST_TEST(text.text() == "abcdef");
  BOOST_TEST(text.locate(3) == 13U);
  BOOST_TEST(text.locate(4) == 20U);
  BOOST_TEST(text.locate(6) == 22U);
}

}  // namespace source_test
