// base/temporary_path.h: what a process made temporarily does not stay, even if the process was killed.
#include "base/temporary_path.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
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
using wtool::TemporaryPlace;
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
  Folder() {
    ::setenv("TMPDIR", scratch.path().c_str(), 1);
    ::setenv("XDG_STATE_HOME", state().c_str(), 1);
  }
  ~Folder() {
    ::unsetenv("TMPDIR");
    ::unsetenv("XDG_STATE_HOME");
  }

  std::string state() const { return scratch.path() + "/state"; }
  std::string guarded() const { return state() + "/wtool/temporary"; }

  std::string of_user() const { return scratch.path() + "/wtool-" + std::to_string(::geteuid()); }
  std::size_t processes() const {
    std::error_code none;
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(of_user(), none), {}));
  }

  // What a killed process left, with this name.
  std::string left(const std::string& name) const {
    const std::string example = TemporaryPath::example("text");
    const std::string folder = fs::path(example).parent_path().string();
    constexpr std::size_t random = 6;
    return folder.substr(0, folder.size() - random) + name;
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

// The same in the guarded place.
std::string make_guarded_file() {
  std::string error;
  static TemporaryPath file;
  file = TemporaryPath::file("text", "content", error, TemporaryPlace::guarded);
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
  fs::create_directory_symlink(scratch.path() + "/outside", left("linked"));
  fs::create_directories(left("killed") + "/deep");
  fs::create_directory_symlink(scratch.path() + "/outside", left("killed") + "/deep/linked");
  fs::create_directory(of_user() + "/process-data");
  ::mkfifo(left("fifo00").c_str(), 0600);
  const Process process(make_file);
  BOOST_TEST(content_of(process.said()) == "content");
  BOOST_TEST(content_of(scratch.path() + "/outside/kept") == "x");
  BOOST_TEST(!fs::exists(left("killed")));
  BOOST_TEST(fs::exists(of_user() + "/process-data"));
}

BOOST_AUTO_TEST_CASE(what_is_mounted_in_a_folder_is_not_removed) {
  scratch.file("mounted/kept", "x");
  fs::create_directories(left("killed") + "/deep/place");
  fs::create_directories(left("covers"));
  const Process process([&]() -> std::string {
    const std::string mounted = scratch.path() + "/mounted";
    const auto mount = [&](const std::string& place) {
      return ::mount(mounted.c_str(), place.c_str(), nullptr, MS_BIND, nullptr) == 0;
    };
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        !mount(left("killed") + "/deep/place") || !mount(left("covers"))) {
      return "skipped";
    }
    std::string error;
    TemporaryPath own = TemporaryPath::folder("place", error);
    fs::create_directory(own.path() + "/place");
    if (!mount(own.path() + "/place")) return "skipped";
    own = {};
    return content_of(mounted + "/kept");
  });
  if (process.said() == "skipped") {
    BOOST_TEST_MESSAGE("skipped: only root may mount");
    return;
  }
  BOOST_TEST(process.said() == "x");
}

BOOST_AUTO_TEST_CASE(a_tree_that_is_closed_or_deep_is_removed) {
  ::chmod(scratch.path().c_str(), 0777);
  const Process process([]() -> std::string {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return "setuid failed";
    const rlimit few{.rlim_cur = 32, .rlim_max = 32};
    ::setrlimit(RLIMIT_NOFILE, &few);
    std::string error;
    TemporaryPath folder = TemporaryPath::folder("place", error);
    std::string deep = folder.path();
    for (int i = 0; i < 300; ++i) ::mkdir((deep += "/d").c_str(), 0700);
    std::ofstream(deep + "/file") << "x";
    fs::create_directories(folder.path() + "/closed/inner");
    std::ofstream(folder.path() + "/closed/inner/file") << "x";
    ::chmod((folder.path() + "/closed/inner").c_str(), 0500);
    ::chmod((folder.path() + "/closed").c_str(), 0);
    const std::string path = folder.path();
    folder = {};
    return (fs::exists(path) ? "stays" : "gone") + error;
  });
  BOOST_TEST(process.said() == "gone");
}

BOOST_AUTO_TEST_CASE(a_folder_that_others_may_use_is_closed_to_them) {
  for (const mode_t mode : {0755U, 0U}) {
    ::mkdir(of_user().c_str(), 0700);
    ::chmod(of_user().c_str(), mode);
    const Process process(make_file);
    BOOST_TEST(process.said().starts_with(of_user() + "/process-"), process.said());
    struct stat status {};
    BOOST_TEST(::stat(of_user().c_str(), &status) == 0);
    BOOST_TEST((status.st_mode & 0777U) == 0700U);
  }
}

BOOST_AUTO_TEST_CASE(where_the_usual_name_is_taken_folders_are_beside_it_and_are_removed_too) {
  scratch.file(fs::path(of_user()).filename().string(), "somebody else's");
  Process killed(make_file);
  BOOST_TEST(killed.said().starts_with(scratch.path() + "/wtool-process-"), killed.said());
  BOOST_TEST(content_of(killed.said()) == "content");
  killed.kill();
  const Process next(make_file);
  BOOST_TEST(!fs::exists(fs::path(killed.said()).parent_path()));
  BOOST_TEST(content_of(next.said()) == "content");
}

BOOST_AUTO_TEST_CASE(a_umask_does_not_close_the_folder_to_its_process) {
  const Process process([]() -> std::string {
    ::umask(0777);
    std::string error;
    const TemporaryPath folder = TemporaryPath::folder("place", error);
    return folder ? "made" : error;
  });
  BOOST_TEST(process.said() == "made");
  BOOST_TEST(processes() == 1U);
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

BOOST_AUTO_TEST_CASE(guarded_files_are_in_the_folder_for_state_and_are_removed_too) {
  Process killed([]() -> std::string { return wtool::guarded_folder() + "\n" + make_guarded_file(); });
  const std::size_t cut = killed.said().find('\n');
  BOOST_REQUIRE(cut != std::string::npos);
  const std::string folder = killed.said().substr(0, cut), file = killed.said().substr(cut + 1);
  BOOST_TEST(folder.starts_with(guarded() + "/process-"), folder);
  BOOST_TEST(file.starts_with(folder + "/text-"), file);
  BOOST_TEST(content_of(file) == "content");
  for (const std::string& closed : {guarded(), folder}) {
    struct stat status {};
    BOOST_TEST(::stat(closed.c_str(), &status) == 0);
    BOOST_TEST((status.st_mode & 0777U) == 0700U, closed);
  }
  killed.kill();
  const Process next(make_guarded_file);
  BOOST_TEST(!fs::exists(folder));
  BOOST_TEST(content_of(next.said()) == "content");
  BOOST_TEST(processes() == 0U);
  BOOST_TEST(TemporaryPath::example("text", TemporaryPlace::guarded).starts_with(guarded() + "/process-"));
}

BOOST_AUTO_TEST_CASE(without_a_folder_for_state_guarded_files_are_with_the_others) {
  scratch.file("file", "");
  ::mkdir((scratch.path() + "/home").c_str(), 0700);
  const std::pair<const char*, std::string> homes[] = {
      {"XDG_STATE_HOME", scratch.path() + "/file"}, {"HOME", scratch.path() + "/missing"}, {"HOME", ""}};
  for (const auto& home : homes) {
    BOOST_TEST_CONTEXT(home.first << "=" << home.second) {
      const Process process([&]() -> std::string {
        ::unsetenv("XDG_STATE_HOME");
        ::setenv(home.first, home.second.c_str(), 1);
        return wtool::guarded_folder() + make_guarded_file();
      });
      BOOST_TEST(process.said().starts_with(of_user() + "/process-"), process.said());
      BOOST_TEST(content_of(process.said()) == "content");
    }
  }
  BOOST_TEST(!fs::exists(scratch.path() + "/missing"));
  const Process at_home([&]() -> std::string {
    ::unsetenv("XDG_STATE_HOME");
    ::setenv("HOME", (scratch.path() + "/home").c_str(), 1);
    return make_guarded_file();
  });
  BOOST_TEST(at_home.said().starts_with(scratch.path() + "/home/.local/state/wtool/temporary/"), at_home.said());
}

BOOST_AUTO_TEST_CASE(only_a_guarded_folder_is_taken_for_one) {
  const Process process([]() -> std::string { return wtool::guarded_folder(); });
  const std::string folder = process.said();
  BOOST_TEST(wtool::is_guarded_folder(folder), folder);
  fs::create_directories(folder + "/inner");
  scratch.file("process-file", "");
  fs::create_directory(guarded() + "/others");
  fs::create_directory_symlink("/usr", guarded() + "/process-linked");
  fs::create_directory_symlink(state(), scratch.path() + "/linked");
  const std::string name = fs::path(folder).filename().string();
  for (const std::string& other :
       {std::string("/"), std::string("process-x"), std::string(), guarded(), folder + "/inner", folder + "/",
        scratch.path() + "/process-file", guarded() + "/others", guarded() + "/process-linked",
        scratch.path() + "/linked/wtool/temporary/" + name, guarded() + "/../temporary/" + name,
        guarded() + "/process-missing"}) {
    BOOST_TEST(!wtool::is_guarded_folder(other), other);
  }
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
