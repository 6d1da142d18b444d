// base/files.h: reads and writes are whole, or say why they are not.
#include "base/files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <filesystem>
#include <thread>

#include "base/descriptor.h"
#include "support/program.h"

namespace files_test {

using wtool::Descriptor;
using wtool::read_all;
using wtool::write_all;
namespace fs = std::filesystem;

namespace {

// A folder that is the working directory for as long as the object lives, and another one outside of it. Meanwhile, the
// umask is the usual one.
struct Places {
  Places() { fs::current_path(inside.path()); }
  ~Places() {
    fs::current_path(before);
    ::umask(mask);
  }

  // What the function reads in the file, or the reason why it cannot be opened, in brackets.
  static std::string read(const std::string& file) {
    std::string why, text;
    const Descriptor opened = wtool::open_for_reading(file, why);
    if (!opened) return "(" + why + ")";
    BOOST_TEST(why == "");
    BOOST_TEST(read_all(opened.get(), 1000, text) == 0);
    return text;
  }

  const fs::path before = fs::current_path();
  const mode_t mask = ::umask(022);
  const wtool::test::ScratchFolder inside, outside;
};

mode_t mode_of(const std::string& path) {
  struct stat status {};
  BOOST_TEST_REQUIRE(::lstat(path.c_str(), &status) == 0, path);
  return status.st_mode & 07777U;
}

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

BOOST_FIXTURE_TEST_CASE(links_below_the_working_directory_are_followed_only_if_they_stay_there, Places) {
  const std::string real = inside.file("folder/file", "inside");
  const std::string secret = outside.file("secret", "outside");
  fs::create_symlink("folder/file", "relative");
  fs::create_symlink(real, "absolute");
  fs::create_symlink(secret, "leading out");
  fs::create_directory_symlink(outside.path(), "folder out");
  BOOST_TEST(read("folder/file") == "inside");
  BOOST_TEST(read("./folder/../relative") == "inside");
  BOOST_TEST(read("absolute") == "inside");
  BOOST_TEST(read(real) == "inside");
  const std::string refused = "(a symbolic link, which a command may have made, leads out of " + inside.path() + ")";
  BOOST_TEST(read("leading out") == refused);
  BOOST_TEST(read("folder out/secret") == refused);
  BOOST_TEST(read(inside.path() + "/leading out") == refused);
  BOOST_TEST(read("missing") == "(No such file or directory)");
  // Outside of the working directory, a person's links are followed.
  fs::create_symlink(secret, outside.path() + "/link");
  BOOST_TEST(read(outside.path() + "/link") == "outside");
  BOOST_REQUIRE(::mkfifo("fifo", 0600) == 0);
  BOOST_TEST(read("fifo") == "");  // does not wait for somebody who writes
}

BOOST_FIXTURE_TEST_CASE(what_was_written_is_read_only_if_it_is_still_a_file_of_that_size, Places) {
  const std::string text(300'000, 'x');
  const std::string file = inside.file("file", text);
  std::string content = "before ";
  BOOST_TEST(wtool::read_written(file, text.size(), content) == "");
  BOOST_TEST((content == "before " + text));
  const std::string changed = "has changed since it was written";
  BOOST_TEST(wtool::read_written(file, text.size() - 1, content) == changed);
  BOOST_TEST(wtool::read_written(file, text.size() + 1, content) == changed);
  BOOST_TEST(wtool::read_written("missing", 0, content) == "is gone");
  BOOST_REQUIRE(::mkfifo("fifo", 0600) == 0);
  BOOST_TEST(wtool::read_written("fifo", 0, content) == changed);
  fs::create_symlink(outside.file("secret", "x"), "link");
  BOOST_TEST(wtool::read_written("link", 1, content).starts_with("cannot be opened: a symbolic link"));
  std::size_t pieces = 0;
  BOOST_TEST(wtool::read_written(file, text.size(), [&](std::string_view) { return ++pieces, false; }) == "");
  BOOST_TEST(pieces == 1U);
}

BOOST_AUTO_TEST_CASE(pieces_are_read_until_nobody_wants_more_or_the_file_ends) {
  const Descriptor file(::memfd_create("file", MFD_CLOEXEC));
  write_all(file.get(), std::string(600'000, 'x'));
  const auto read = [&](std::uint64_t bytes) {
    ::lseek(file.get(), 0, SEEK_SET);
    std::size_t got = 0;
    const bool all =
        wtool::read_pieces(file.get(), bytes, [&](std::string_view piece) { return got += piece.size(), true; });
    return std::to_string(got) + (all ? "" : " and no more");
  };
  BOOST_TEST(read(0) == "0");
  BOOST_TEST(read(1) == "1");
  BOOST_TEST(read(599'999) == "599999");
  BOOST_TEST(read(600'000) == "600000");
  BOOST_TEST(read(600'001) == "600000 and no more");
  BOOST_TEST(!wtool::read_pieces(-1, 1, [](std::string_view) { return true; }));
}

BOOST_FIXTURE_TEST_CASE(only_a_regular_file_is_opened_as_one, Places) {
  const std::string file = inside.file("file", "12345");
  struct stat status {};
  BOOST_TEST(static_cast<bool>(wtool::open_regular(file, status)));
  BOOST_TEST(status.st_size == 5);
  BOOST_TEST(static_cast<bool>(wtool::open_regular(file)));
  fs::create_symlink(file, "link");
  BOOST_REQUIRE(::mkfifo("fifo", 0600) == 0);
  for (const char* other : {"link", "fifo", ".", "missing"}) BOOST_TEST(!wtool::open_regular(other), other);
}

BOOST_FIXTURE_TEST_CASE(a_file_is_written_through_no_link_on_its_way, Places) {
  fs::create_directory("folder");
  fs::create_directory_symlink("folder", "link");
  const auto opened = [](const std::string& file) {
    std::string why;
    const bool good = static_cast<bool>(wtool::open_without_links(file, O_WRONLY | O_CREAT, 0640, why));
    BOOST_TEST(good == why.empty());
    return good ? "opened" : why;
  };
  BOOST_TEST(opened("folder/new") == "opened");
  BOOST_TEST(mode_of("folder/new") == 0640U);
  BOOST_TEST(opened(inside.path() + "/folder//./new") == "opened");
  const std::string why =
      "link is a symbolic link, which a command may have made; remove it, or use the path " + inside.path() + "/folder";
  BOOST_TEST(opened("link/new") == why);
  BOOST_TEST(opened(inside.path() + "/link/new") == inside.path() + "/" + why);
  BOOST_TEST(opened("missing/new") == "No such file or directory");
  BOOST_TEST(opened("folder") == "Is a directory");
  BOOST_TEST(opened("/dev/null") == "opened");
  BOOST_TEST(opened("/dev/missing/x") == "No such file or directory");
  BOOST_REQUIRE(::mkfifo("fifo", 0600) == 0);
  std::string words;
  BOOST_TEST(!wtool::open_without_links("fifo", O_WRONLY | O_NONBLOCK, 0, words));
  BOOST_TEST(words == "nobody reads this named pipe");
}

BOOST_FIXTURE_TEST_CASE(links_are_resolved_once_except_where_a_command_may_have_made_them, Places) {
  const std::string out = outside.path();
  fs::create_directories(out + "/real/inner");
  fs::create_directory_symlink("real", out + "/link");
  fs::create_directory_symlink(out + "/link/inner", out + "/twice");
  BOOST_TEST(wtool::resolve_links_above(out + "/real/file") == out + "/real/file");
  BOOST_TEST(wtool::resolve_links_above(out + "/link/file") == out + "/real/file");
  BOOST_TEST(wtool::resolve_links_above(out + "/link/./inner/../file") == out + "/real/file");
  BOOST_TEST(wtool::resolve_links_above(out + "/twice/file") == out + "/real/inner/file");
  BOOST_TEST(wtool::resolve_links_above(out + "/link/missing/file") == out + "/real/missing/file");
  // The link at the end stays: it is refused when the file is opened.
  BOOST_TEST(wtool::resolve_links_above(out + "/link") == out + "/link");
  BOOST_TEST(wtool::resolve_links_above("/proc/self/fd/1") == "/proc/self/fd/1");
  fs::create_directory_symlink(out, "here");
  BOOST_TEST(wtool::resolve_links_above("here/file") == "here/file");
  BOOST_TEST(wtool::resolve_links_above(inside.path() + "/here/file") == inside.path() + "/here/file");
  // Everybody may write in this folder.
  fs::create_directory(out + "/open");
  BOOST_REQUIRE(::chmod((out + "/open").c_str(), 0777) == 0);
  fs::create_directory_symlink(out + "/real", out + "/open/link");
  BOOST_TEST(wtool::resolve_links_above(out + "/open/link/file") == out + "/open/link/file");
  BOOST_TEST(wtool::resolve_links_above(out + "/link/../open/link/file") == out + "/open/link/file");
  // A link that leads to itself ends somewhere.
  fs::create_directory_symlink("loop", out + "/loop");
  BOOST_TEST(wtool::resolve_links_above(out + "/loop/file") == out + "/loop/file");
}

BOOST_FIXTURE_TEST_CASE(folders_are_made_below_a_base_and_through_no_link, Places) {
  bool made = false;
  std::string why;
  BOOST_TEST(static_cast<bool>(wtool::make_folder_without_links(inside.path(), "a/b", 0700, made, why)));
  BOOST_TEST(made);
  BOOST_TEST(mode_of("a") == 0755U);
  BOOST_TEST(mode_of("a/b") == 0700U);
  BOOST_TEST(static_cast<bool>(wtool::make_folder_without_links("", "a/b", 0755, made, why)));
  BOOST_TEST(!made);
  BOOST_TEST(mode_of("a/b") == 0700U);
  // Other users cannot write in it, even without a umask.
  const mode_t usual = ::umask(0);
  BOOST_TEST(static_cast<bool>(wtool::make_folder_without_links(inside.path(), "open/b", 0700, made, why)));
  BOOST_TEST(!wtool::make_folders(inside.path() + "/open2/c/"));
  ::umask(usual);
  BOOST_TEST(mode_of("open") == 0755U);
  BOOST_TEST(mode_of("open2") == 0755U);
  BOOST_TEST(mode_of("open2/c") == 0755U);
  // A link in the base is followed, but none below it.
  fs::create_directory_symlink("a", "link");
  BOOST_TEST(static_cast<bool>(wtool::make_folder_without_links(inside.path() + "/link", "c", 0700, made, why)));
  BOOST_TEST(mode_of("a/c") == 0700U);
  BOOST_TEST(why == "");
  BOOST_TEST(!wtool::make_folder_without_links(inside.path(), "link/d", 0700, made, why));
  BOOST_TEST(why == inside.path() +
                        "/link is a symbolic link, which a command may have made; remove it, or use the path " +
                        inside.path() + "/a");
  BOOST_TEST(!fs::exists("a/d"));
  inside.file("file", "");
  BOOST_TEST((wtool::make_folders(inside.path() + "/file") == std::errc::not_a_directory));
  BOOST_TEST((wtool::make_folders(inside.path() + "/file/d") == std::errc::not_a_directory));
  BOOST_TEST(!wtool::make_folder_without_links(inside.path(), "file", 0700, made, why));
  BOOST_TEST(why == "Not a directory");
  BOOST_TEST(!wtool::make_folder_without_links(inside.path() + "/missing", "x", 0700, made, why));
  BOOST_TEST(why == "No such file or directory");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace files_test
