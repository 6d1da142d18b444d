// Messages that programs write when a sandbox refuses something are recognised, and similar ones are not. The texts are
// those of Debian 12's programs, in the C locale and in UTF-8.
#include "engine/sandbox/refusals.h"

#include "engine/sandbox/real_path.h"
#include "support/program.h"

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <set>

namespace refusals_test {

using namespace wtool::engine;

namespace {

// An imaginary machine: /site/x may be written, /usr and /etc read. The host may do anything, except with the files in
// `locked`.
struct Machine {
  std::set<std::string> files = {"/",
                                 "/etc",
                                 "/etc/passwd",
                                 "/home",
                                 "/home/secret",
                                 "/usr",
                                 "/usr/bin/tool",
                                 "/site",
                                 "/site/x",
                                 "/site/x/a",
                                 "/site/y",
                                 "/site/y/plain",
                                 "/site/x/.git",
                                 "/opt",
                                 "/proc/7/environ",
                                 "/opt/tool",
                                 "/dev/shm",
                                 "/etc/key",
                                 "/etc/dir",
                                 "/usr/bin",
                                 "/site/x/.git/config"};
  std::set<std::string> locked = {"/etc/key"};  // Not even the host may use these files.
  int questions = 0;                            // how often the search has asked about a file
  std::set<std::string> programs = {"/opt/tool", "/usr/bin/tool", "/etc", "/site", "/home", "/", "/opt", "/site/y"};
  RefusalContext context{
      {{{"/usr", 0, 0, true}, {"/etc", 0, 0, true}, {"/site", 0, 0, true}}, {{"/site/x", 0, 0, true}}},
      {"/site/x/.git/config", "/site/x/.git/hooks"},
      "/site/x",
      true,
      false,
      false,
      [this](const std::string& path, int mode) {
        ++questions;
        if (!files.contains(path) || (mode != F_OK && locked.contains(path))) return false;
        return (mode & X_OK) == 0 || programs.contains(path);
      },
      [](const std::string& path) { return path; },
      [](pid_t pid) { return pid == 4242; },
      [] { return false; }};

  std::string told(std::string_view text) const {
    std::string all;
    for (const std::string& refusal : find_refusals(text, context)) all += (all.empty() ? "" : "; ") + refusal;
    return all;
  }
  std::string told_from(const std::string& directory, std::string_view text) {
    context.directory = directory;
    std::string all = told(text);
    context.directory = "/site/x";
    return all;
  }
};

const std::string a_write = "a write outside /site/x: ";
const std::string a_read = "a read outside /usr, /etc, /site: ";
const std::string name = "a change of the protected name ";
const std::string network = "network access (sandbox.network is deny)";

}  // namespace

BOOST_AUTO_TEST_SUITE(refusals)

BOOST_FIXTURE_TEST_CASE(refused_writes, Machine) {
  for (const char* text :
       {"/bin/sh: 1: cannot create /etc/new: Permission denied", "bash: line 1: /etc/new: Permission denied",
        "touch: cannot touch '/etc/new': Permission denied",
        "touch: cannot touch \xe2\x80\x98/etc/new\xe2\x80\x99: Permission denied",
        "mkdir: cannot create directory '/etc/new': Permission denied",
        "cp: cannot create regular file '/etc/new': Permission denied",
        "mv: cannot move 'a' to '/etc/new': Permission denied", "tee: /etc/new: Permission denied",
        "ln: failed to create symbolic link '/etc/new': Permission denied",
        "PermissionError: [Errno 13] Permission denied: '/etc/new'",
        "OSError: [Errno 18] Invalid cross-device link: 'a' -> '/etc/new'",
        "Error: EACCES: permission denied, open '/etc/new'",
        "/usr/bin/ld: cannot open output file /etc/new: Permission denied",
        "fatal: cannot mkdir /etc/new: Permission denied",
        "fatal: could not create work tree dir '/etc/new': Permission denied",
        "error: unable to create file /etc/new: Permission denied",
        "sed: couldn't open temporary file /etc/new: Permission denied"}) {
    BOOST_TEST_CONTEXT(text) { BOOST_TEST(told(text) == a_write + "/etc/new"); }
  }
  BOOST_TEST(told("Cannot create temporary file in /etc/: Permission denied") == a_write + "/etc");
  BOOST_TEST(told("rm: cannot remove '/etc/passwd': Permission denied") == a_write + "/etc/passwd");
  BOOST_TEST(told("/bin/sh: 1: cannot create ../y/new: Permission denied") == a_write + "/site/y/new");
  BOOST_TEST(told("touch: cannot touch '../y/a b': Permission denied") == a_write + "/site/y/a b");
  BOOST_TEST(told_from("/site/y", "/bin/sh: 1: cannot create new: Permission denied") == a_write + "/site/y/new");
  BOOST_TEST(told("ln: failed to create hard link 'b' => '/etc/passwd': Invalid cross-device link") ==
             a_write + "/etc/passwd");
  BOOST_TEST(told("truncate: cannot open '/etc/passwd' for writing: Permission denied") == a_write + "/etc/passwd");
}

BOOST_FIXTURE_TEST_CASE(a_refused_temporary_file_that_the_message_does_not_name, Machine) {
  const std::string message = "/bin/bash: line 1: cannot create temp file for here-document: Permission denied";
  context.temporary_folder = "/site/y";
  BOOST_TEST(told(message) == a_write + "/site/y");
  BOOST_TEST(told("/bin/bash: line 1: cannot create temp file for here-document: No space left on device").empty());
  // The sandbox allows a write there, or even the host may not write there.
  for (const char* folder : {"/site/x", "/etc/key"}) {
    context.temporary_folder = folder;
    BOOST_TEST(told(message).empty(), folder);
  }
}

BOOST_FIXTURE_TEST_CASE(refused_reads, Machine) {
  for (const char* text :
       {"cat: /home/secret: Permission denied", "/bin/sh: 1: cannot open /home/secret: Permission denied",
        "head: cannot open '/home/secret' for reading: Permission denied", "grep: /home/secret: Permission denied",
        "PermissionError: [Errno 13] Permission denied: '/home/secret'",
        "cp: cannot open '/home/secret' for reading: Permission denied"}) {
    BOOST_TEST_CONTEXT(text) { BOOST_TEST(told(text) == a_read + "/home/secret"); }
  }
  BOOST_TEST(told("ls: cannot open directory '/home': Permission denied") == a_read + "/home");
  BOOST_TEST(told("/bin/sh: 1: /opt/tool: Permission denied") == a_read + "/opt/tool");
  BOOST_TEST(told("env: '/opt/tool': Permission denied") == a_read + "/opt/tool");
}

BOOST_FIXTURE_TEST_CASE(refused_changes_of_protected_names, Machine) {
  const std::string config = name + "/site/x/.git/config";
  for (const char* text : {"/bin/sh: 1: cannot create .git/config: Read-only file system",
                           "rm: cannot remove '.git/config': Device or resource busy",
                           "error: could not write config file .git/config: Device or resource busy",
                           "mv: cannot move '.git' to 'away': Device or resource busy",
                           "ln: failed to create hard link 'l' => '.git/config': Invalid cross-device link",
                           "OSError: [Errno 30] Read-only file system: '/site/x/.git/config'"}) {
    BOOST_TEST_CONTEXT(text) { BOOST_TEST(told(text) == config); }
  }
  BOOST_TEST(told("touch: cannot touch '.git/hooks/new': Read-only file system") == name + "/site/x/.git/hooks");
  BOOST_TEST(told("touch: cannot touch '/mnt/x': Read-only file system").empty());
  BOOST_TEST(told("umount: /mnt: Device or resource busy").empty());
}

BOOST_FIXTURE_TEST_CASE(refused_network, Machine) {
  const char* const texts[] = {
      "curl: (6) Could not resolve host: example.org",
      "curl: (7) Failed to connect to 127.0.0.1 port 99 after 0 ms: Couldn't connect to server",
      "fatal: unable to access 'https://example.org/x/': Could not resolve host: example.org",
      "wget: unable to resolve host address 'example.org'",
      "socket.gaierror: [Errno -3] Temporary failure in name resolution",
      "ssh: Could not resolve hostname example.org: Temporary failure in name resolution",
      "Error: getaddrinfo EAI_AGAIN example.org",
      "ping: socket: Permission denied",
      "bash: socket: Permission denied",
      ("  File \"/usr/lib/python3.11/socketserver.py\", line 456, in __init__\n    self.socket = socket.socket()\n"
       "PermissionError: [Errno 13] Permission denied"),
      "Error: connect EACCES 127.0.0.1:80"};
  for (const char* text : texts) BOOST_TEST(told(text).empty(), text);
  context.network_refused = true;
  for (const char* text : texts) BOOST_TEST(told(text) == network, text);
  BOOST_TEST(told("bash: socket: Permission denied\nbash: line 1: /dev/tcp/127.0.0.1/80: Permission denied") ==
             network);
  BOOST_TEST(told("404 Not Found").empty());
}

BOOST_FIXTURE_TEST_CASE(a_refused_look_into_a_process_is_not_a_write, Machine) {
  context.roots.read.push_back({"/", 0, 0, true});
  const std::string environment = "a read of another process: /proc/7/environ";
  for (const char* text :
       {"cat: /proc/7/environ: Permission denied", "bash: line 1: /proc/7/environ: Permission denied",
        "PermissionError: [Errno 13] Permission denied: '/proc/7/environ'"}) {
    BOOST_TEST(told(text) == environment, text);
  }
}

BOOST_FIXTURE_TEST_CASE(refused_signals_and_changes_of_processes, Machine) {
  for (const char* text :
       {"bash: line 1: kill: (4242) - Operation not permitted", "kill: (4242): Operation not permitted",
        "pkill: killing pid 4242 failed: Operation not permitted"}) {
    BOOST_TEST(told(text) == "a signal to process 4242", text);
  }
  for (const char* text : {"renice: failed to set priority for 4242 (process ID): Operation not permitted",
                           "taskset: failed to set pid 4242's affinity: Operation not permitted"}) {
    BOOST_TEST(told(text) == "a change of process 4242", text);
  }
  for (const char* text : {"bash: line 1: kill: (77) - Operation not permitted",     // the host may not either
                           "bash: line 1: kill: (4242) - No such process",           //
                           "kill: (99999999999999999999): Operation not permitted",  // not a process id
                           "sh: 1: kill: Operation not permitted"}) {
    BOOST_TEST(told(text).empty(), text);
  }
}

BOOST_FIXTURE_TEST_CASE(refused_shared_memory, Machine) {
  const char* const text = "FATAL:  could not create shared memory segment: Operation not permitted";
  BOOST_TEST(told(text).empty());
  context.ipc_refused = true;
  BOOST_TEST(told(text) == "shared memory (sandbox.ipc is deny)");
}

// The bounds are numbers of look-ups, not times.
BOOST_FIXTURE_TEST_CASE(refused_semaphores_and_shared_memory_of_python, Machine) {
  const std::string error = "PermissionError: [Errno 13] Permission denied";
  const std::string traceback =
      "  File \"/usr/lib/python3.11/multiprocessing/synchronize.py\", line 57, in __init__\n"
      "    sl = self._semlock = _multiprocessing.SemLock(\n";
  BOOST_TEST(told(traceback + error + '\n') == a_write + "/dev/shm");
  BOOST_TEST(told(error + ": '/psm_331750a5'") == a_write + "/dev/shm");
  BOOST_TEST(told(error + '\n').empty());
  // A path that the message names is what it is about.
  BOOST_TEST(told(traceback + error + ": '/etc/new'") == a_write + "/etc/new");
  locked.insert("/dev/shm");
  BOOST_TEST(told(traceback + error + '\n').empty());
}

BOOST_FIXTURE_TEST_CASE(what_is_looked_up_has_a_bound, Machine) {
  std::string one_line = "touch: cannot touch ";
  std::string many_lines;
  for (int i = 0; i < 20'000; ++i) {
    const std::string path = "/site/y/" + std::to_string(i) + std::string(200, 'x');
    one_line += "'" + path + "' ";
    many_lines += "cat: " + path + ": Permission denied\n";
  }
  std::string deep = "touch: cannot touch '";
  for (int i = 0; i < 2000; ++i) deep += "/a";
  locked = files;  // so that nothing is found, and the search does not end early
  for (const std::string& text : {one_line + ": Permission denied", many_lines, deep + "': Permission denied"}) {
    questions = 0;
    BOOST_TEST(told(text).empty());
    BOOST_TEST(questions <= 1000);
  }
}

BOOST_FIXTURE_TEST_CASE(a_search_can_be_cancelled, Machine) {
  int asked = 0;
  context.cancelled = [&] { return ++asked > 3; };
  std::string text;
  for (int i = 0; i < 9; ++i) text += "touch: cannot touch '/etc/new" + std::to_string(i) + "': Permission denied\n";
  BOOST_TEST(find_refusals(text, context).size() == 3U);
}

BOOST_FIXTURE_TEST_CASE(errors_that_the_sandbox_did_not_cause, Machine) {
  for (const char* text : {
           "cat: /etc/missing: No such file or directory",
           "cat: /etc/key: Permission denied",                      // the host may not either
           "cat: a: Permission denied",                             // within the write root
           "touch: cannot touch '/site/x/new': Permission denied",  // the same
           "/bin/sh: 1: ../y/plain: Permission denied",             // not executable for anybody
           "bash: line 1: /site/y/plain: Permission denied",        // the same
           "git@example.org: Permission denied (publickey).",       // no file at all
           "user@host: Permission denied",                          //
           "chown: changing ownership of '/etc/passwd': Operation not permitted",
           "Permission denied",
           "Permission denied: ",
           ": Permission denied",
           "''': Permission denied",
           "mv: cannot move 'a' to 'b': Permission denied",
       }) {
    BOOST_TEST_CONTEXT(text) { BOOST_TEST(told(text).empty()); }
  }
  context.files = false;  // no Landlock
  BOOST_TEST(told("touch: cannot touch '/etc/new': Permission denied").empty());
}

BOOST_FIXTURE_TEST_CASE(a_file_that_python_could_not_start_may_not_be_a_program, Machine) {
  const std::string last = "PermissionError: [Errno 13] Permission denied: '/site/y/plain'";
  BOOST_TEST(told(last) == a_write + "/site/y/plain");
  BOOST_TEST(told("  File \"/usr/lib/python3.11/subprocess.py\", line 1901, in _execute_child\n" + last).empty());
}

BOOST_FIXTURE_TEST_CASE(each_refusal_is_reported_once_and_at_most_ten, Machine) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += "touch: cannot touch '/etc/new': Permission denied\n";
  BOOST_TEST(find_refusals(text, context).size() == 1U);
  for (int i = 0; i < 30; ++i) text += "touch: cannot touch '/etc/new" + std::to_string(i) + "': Permission denied\n";
  BOOST_TEST(find_refusals(text, context).size() == 10U);
}

BOOST_FIXTURE_TEST_CASE(a_program_outside_the_read_roots, Machine) {
  BOOST_TEST(find_refused_program({"/usr/bin/tool", "/opt/tool"}, context) == a_read + "/opt/tool");
  BOOST_TEST(find_refused_program({"/usr/bin/tool", "/site/y/plain"}, context).empty());
  BOOST_TEST(find_refused_program({"/home/secret"}, context).empty());  // not executable for the host either
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(real_paths)

BOOST_AUTO_TEST_CASE(links_are_resolved_as_far_as_the_path_exists) {
  namespace fs = std::filesystem;
  const wtool::test::ScratchFolder scratch;
  const std::string& base = scratch.path();
  fs::create_directories(base + "/a/b");
  fs::create_symlink("a/b", base + "/relative");
  fs::create_symlink(base + "/a", base + "/absolute");
  fs::create_symlink("../..", base + "/a/b/up");
  fs::create_symlink("circle", base + "/circle");
  BOOST_TEST(real_path("/") == "/");
  BOOST_TEST(real_path(base) == base);
  BOOST_TEST(real_path(base + "//a/./b/") == base + "/a/b");
  BOOST_TEST(real_path(base + "/relative/x/y") == base + "/a/b/x/y");
  BOOST_TEST(real_path(base + "/absolute/b/up/a") == base + "/a");
  BOOST_TEST(real_path(base + "/relative/..") == base + "/a");
  BOOST_TEST(real_path("/../..") == "/");
  BOOST_TEST(real_path(base + "/circle").empty());
  std::string deep = base;
  for (int i = 0; i < 1000; ++i) deep += "/a/..";
  BOOST_TEST(real_path(deep).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace refusals_test
