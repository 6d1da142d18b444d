// base/files.h: reads and writes are whole, or say why they are not.
#include "base/files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <thread>

#include "base/descriptor.h"
#include "support/program.h"

namespace files_test {

using wtool::Descriptor;
using wtool::read_all;
using wtool::write_all;

namespace {

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    BOOST_REQUIRE(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == 0);
    reader = Descriptor(ends[0]);
    writer = Descriptor(ends[1]);
  }
  Descriptor reader, writer;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(files)

BOOST_AUTO_TEST_CASE(what_was_written_is_read_to_the_end) {
  const Descriptor file(::memfd_create("file", MFD_CLOEXEC));
  const std::string text(200'000, 'x');
  BOOST_TEST(write_all(file.get(), text).error == 0);
  BOOST_REQUIRE(::lseek(file.get(), 0, SEEK_SET) == 0);
  std::string read = "before ";
  BOOST_TEST(read_all(file.get(), text.size(), read) == 0);
  BOOST_TEST((read == "before " + text));
}

BOOST_AUTO_TEST_CASE(more_than_the_limit_is_an_error) {
  const Descriptor file(::memfd_create("file", MFD_CLOEXEC));
  write_all(file.get(), "12345");
  std::string read;
  ::lseek(file.get(), 0, SEEK_SET);
  BOOST_TEST(read_all(file.get(), 4, read) == EFBIG);
  ::lseek(file.get(), 0, SEEK_SET);
  BOOST_TEST(read_all(file.get(), 5, read) == 0);
}

// A pipe has room for 64 KiB: without the wait, the rest would be lost.
BOOST_FIXTURE_TEST_CASE(a_descriptor_that_does_not_block_is_waited_for, Pipe) {
  const std::string text(1'000'000, 'x');
  std::string read;
  std::thread consumer([&] { read_all(reader.get(), text.size(), read); });
  const wtool::Written written = write_all(writer.get(), text);
  writer.reset();
  consumer.join();
  BOOST_TEST(written.error == 0);
  BOOST_TEST(written.bytes == text.size());
  BOOST_TEST((read == text));
}

BOOST_AUTO_TEST_CASE(a_write_that_fails_says_how_much_was_written_and_why) {
  const Descriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  const wtool::Written written = write_all(full.get(), "text");
  BOOST_TEST(written.bytes == 0U);
  BOOST_TEST(written.error == ENOSPC);
}

BOOST_AUTO_TEST_CASE(a_refused_link_is_named_with_the_path_that_works_if_there_is_one) {
  const wtool::test::ScratchFolder folder;
  const std::string target = folder.file("target", ""), link = folder.path() + "/link",
                    dangling = folder.path() + "/dangling";
  BOOST_REQUIRE(::symlink(target.c_str(), link.c_str()) == 0);
  BOOST_REQUIRE(::symlink("nowhere", dangling.c_str()) == 0);
  const auto refusal = [](const std::string& file) {
    std::string why;
    BOOST_TEST(!wtool::open_without_links(file, O_WRONLY, 0, why));
    return why;
  };
  BOOST_TEST(refusal(link) ==
             link + " is a symbolic link, which a command may have made; remove it, or use the path " + target);
  BOOST_TEST(refusal(dangling) == dangling + " is a symbolic link, which a command may have made; remove it");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace files_test
