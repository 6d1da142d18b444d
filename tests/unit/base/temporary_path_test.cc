// base/temporary_path.h: what a process made temporarily does not stay, even if the process was killed.
#include "base/temporary_path.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "support/program.h"

namespace temporary_path_test {

using wtool::Descriptor;
using wtool::TemporaryPath;
namespace fs = std::filesystem;

namespace {

// Another process, which runs `work`, writes what that returns, and then lives until it is killed.
class Process {
 public:
  template <typename Work>
  explicit Process(Work work) {
    std::array<int, 2> ends{};
    BOOST_REQUIRE(::pipe(ends.data()) == 0);
    const Descriptor reader(ends[0]);
    Descriptor writer(ends[1]);
    number_ = ::fork();
    if (number_ == 0) {
      const std::string text = work();
      (void)!::write(writer.get(), text.data(), text.size());
      writer.reset();
      for (;;) ::pause();
    }
    writer.reset();
    BOOST_REQUIRE(number_ > 0);
    std::array<char, 4096> buffer{};
    for (ssize_t got; (got = ::read(reader.get(), buffer.data(), buffer.size())) > 0;) {
      said_.append(buffer.data(), static_cast<std::size_t>(got));
    }
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() { kill(); }

  void kill() {
    if (number_ <= 0) return;
    ::kill(number_, SIGKILL);
    ::waitpid(std::exchange(number_, -1), nullptr, 0);
  }
  const std::string& said() const { return said_; }

 private:
  pid_t number_ = -1;
  std::string said_;
};

struct Folder {
  Folder() { ::setenv("TMPDIR", scratch.path().c_str(), 1); }
  ~Folder() { ::unsetenv("TMPDIR"); }

  std::string of_user() const { return scratch.path() + "/wtool-" + std::to_string(::geteuid()); }
  std::size_t processes() const {
    std::error_code none;
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(of_user(), none), {}));
  }

  wtool::test::ScratchFolder scratch;
};

// Makes a file and keeps it. Returns its path, or the error.
std::string make_file() {
  std::string error;
  static TemporaryPath file;
  file = TemporaryPath::file("text", "content", error);
  return file ? file.path() : error;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(temporary_path, Folder)

BOOST_AUTO_TEST_CASE(a_file_and_a_folder_go_with_their_owner) {
  const Process process([&]() -> std::string {
    std::string error, seen, gone;
    {
      const TemporaryPath file = TemporaryPath::file("text", "content", error);
      const TemporaryPath folder = TemporaryPath::folder("place", error);
      struct stat status {};
      ::stat(file.path().c_str(), &status);
      const bool is_private = (status.st_mode & 0777U) == 0600;
      std::ofstream(folder.path() + "/inside") << "x";
      seen = content_of(file.path()) + (is_private ? " private " : " open ") + content_of(folder.path() + "/inside");
      gone = file.path() + "\n" + folder.path();
    }
    const std::size_t cut = gone.find('\n');
    return seen + (fs::exists(gone.substr(0, cut)) ? " stays" : " gone") +
           (fs::exists(gone.substr(cut + 1)) ? " stays" : " gone") + error;
  });
  BOOST_TEST(process.said() == "content private x gone gone");
}

BOOST_AUTO_TEST_CASE(what_a_killed_process_left_is_removed_by_the_next_one) {
  Process killed(make_file);
  const Process alive(make_file);
  BOOST_REQUIRE(content_of(killed.said()) == "content");
  BOOST_TEST(killed.said().starts_with(of_user() + "/process-"), killed.said());
  killed.kill();
  BOOST_TEST(fs::exists(killed.said()), "nobody can have removed it yet");
  const Process next(make_file);
  BOOST_TEST(!fs::exists(fs::path(killed.said()).parent_path()));
  BOOST_TEST(content_of(alive.said()) == "content");
  BOOST_TEST(content_of(next.said()) == "content");
  BOOST_TEST(processes() == 2U);
}

BOOST_AUTO_TEST_CASE(a_child_process_does_not_use_its_parents_folder) {
  const Process parent([]() -> std::string {
    const std::string own = make_file();
    const Process child([]() -> std::string {
      std::string error;
      return TemporaryPath::folder("place", error).path();
    });
    return fs::path(own).parent_path() == fs::path(child.said()).parent_path() ? "the same" : "others";
  });
  BOOST_TEST(parent.said() == "others");
}

BOOST_AUTO_TEST_CASE(no_link_is_followed_and_nothing_else_is_removed) {
  scratch.file("outside/kept", "x");
  ::mkdir(of_user().c_str(), 0700);
  fs::create_directory_symlink(scratch.path() + "/outside", of_user() + "/process-linked");
  fs::create_directories(of_user() + "/process-left/deep");
  fs::create_directory_symlink(scratch.path() + "/outside", of_user() + "/process-left/deep/linked");
  fs::create_directory(of_user() + "/other");
  ::mkfifo((of_user() + "/process-pipe").c_str(), 0600);
  const Process process(make_file);
  BOOST_TEST(content_of(process.said()) == "content");
  BOOST_TEST(content_of(scratch.path() + "/outside/kept") == "x");
  BOOST_TEST(!fs::exists(of_user() + "/process-left"));
  BOOST_TEST(fs::exists(of_user() + "/other"));
}

BOOST_AUTO_TEST_CASE(a_folder_that_others_may_use_is_not_used) {
  ::mkdir(of_user().c_str(), 0755);
  ::chmod(of_user().c_str(), 0755);
  const Process process(make_file);
  BOOST_TEST(process.said().starts_with(scratch.path() + "/wtool-process-"), process.said());
  BOOST_TEST(content_of(process.said()) == "content");
}

BOOST_AUTO_TEST_CASE(the_folder_is_made_again_if_somebody_has_removed_it) {
  const Process process([&]() -> std::string {
    make_file();
    fs::remove_all(of_user());
    return make_file();
  });
  BOOST_TEST(content_of(process.said()) == "content", process.said());
}

BOOST_AUTO_TEST_CASE(an_error_names_the_path) {
  ::setenv("TMPDIR", (scratch.path() + "/nowhere").c_str(), 1);
  const Process process(make_file);
  BOOST_TEST(process.said().starts_with(scratch.path() + "/nowhere/wtool-process-"), process.said());
  BOOST_TEST(process.said().ends_with(" cannot be created: No such file or directory"), process.said());
}

BOOST_AUTO_TEST_CASE(processes_that_begin_and_end_at_the_same_time_do_not_lose_their_files) {
  constexpr int rounds = 20;
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = ::fork();
    if (child != 0) {
      children.push_back(child);
      continue;
    }
    for (int round = 0; round < rounds; ++round) {
      const pid_t one = ::fork();
      if (one == 0) {
        std::string error;
        const TemporaryPath folder = TemporaryPath::folder("place", error);
        const TemporaryPath file = TemporaryPath::file("text", "content", error);
        const bool good = folder && fs::exists(folder.path()) && content_of(file.path()) == "content";
        ::_exit(good ? 0 : 1);  // as if it were killed: nothing is removed
      }
      int status = 0;
      if (::waitpid(one, &status, 0) != one || status != 0) ::_exit(1);
    }
    ::_exit(0);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    BOOST_TEST(status == 0);
  }
  const Process last(make_file);
  BOOST_TEST(processes() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace temporary_path_test
