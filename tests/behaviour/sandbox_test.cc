// A command in a sandbox reaches what its configuration says and nothing else, whatever it tries.
//
// If root runs these tests, they run once more as nobody (CMakeLists.txt). They are skipped if the kernel's version of
// Landlock is too old.
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "support/asking_host.h"
#include "support/sandboxed.h"

BOOST_AUTO_TEST_SUITE(sandbox_test)

using namespace wtool::test;

namespace {

boost::test_tools::assertion_result this_kernel_can(boost::unit_test::test_unit_id) {
  static const bool able = has_landlock(6);
  boost::test_tools::assertion_result result(able);
  if (!able) result.message() << "this kernel has no Landlock of version 6";
  return result;
}

struct Fixture : Sandboxed {
  ToolUnderTest tool{plugin, sandbox()};

  std::string probe(const std::string& call) const { return Sandboxed::probe(tool, call); }
};

// The folders that programs need in order to start, on any architecture.
Json system_folders() {
  Json folders = Json::array();
  for (const char* folder : {"/usr", "/bin", "/lib", "/lib64"}) {
    if (std::filesystem::exists(folder)) folders.push_back(folder);
  }
  return folders;
}

// A listener on the loopback interface. It never accepts a connection: the kernel completes connections by itself.
struct Listener {
  explicit Listener(int type) : fd(socket(AF_INET, type | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    BOOST_REQUIRE(bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0);
    if (type == SOCK_STREAM) BOOST_REQUIRE(listen(fd, 8) == 0);
    BOOST_REQUIRE(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port = std::to_string(ntohs(address.sin_port));
  }
  ~Listener() { close(fd); }
  int fd;
  std::string port;
};

// A listener in the file system or, where its name begins with '@', in the abstract name space.
struct UnixListener {
  explicit UnixListener(const std::string& name) : fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    name.copy(address.sun_path, sizeof address.sun_path - 1);
    if (name.front() == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    BOOST_REQUIRE(bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0);
    BOOST_REQUIRE(listen(fd, 8) == 0);
  }
  ~UnixListener() { close(fd); }
  int fd;
};

// A process outside of the sandbox, of the same user, that has a file open for writing.
struct Outsider {
  explicit Outsider(const std::string& file) : fd(open(file.c_str(), O_RDWR | O_CLOEXEC)), pid(fork()) {
    if (pid == 0) {
      prctl(PR_SET_DUMPABLE, 1);
      for (;;) pause();
    }
  }
  ~Outsider() {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    close(fd);
  }
  int fd;
  pid_t pid;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(sandbox, *boost::unit_test::precondition(this_kernel_can))

BOOST_FIXTURE_TEST_CASE(inside_a_write_root_everything_works, Fixture) {
  // The commands are run by a shell, in a pipe, and directly.
  for (const char* command : {"echo one > made; mkdir -p a/b; mv made a/b/; ln a/b/made c; ln -s c d; cat d",
                              "echo one | tee made | cat", "cp a/b/made again", "rm -r a c d made again"}) {
    const Answer answer = run(tool, command);
    BOOST_TEST_CONTEXT(answer.raw) { BOOST_TEST(!answer.is_error()); }
  }
  BOOST_TEST(std::filesystem::is_empty(inside));
}

BOOST_FIXTURE_TEST_CASE(every_change_outside_is_refused, Fixture) {
  folder("outside/empty");
  scratch.file("inside/own", "own\n");
  const std::string made = outside + "/made";
  BOOST_TEST(probe("create " + made) == "EACCES");
  BOOST_TEST(probe("write " + secret) == "EACCES");
  BOOST_TEST(probe("truncate " + secret) == "EACCES");
  BOOST_TEST(probe("open-truncating " + secret) == "EACCES");
  BOOST_TEST(probe("open-neither-truncating " + secret) == "EACCES");
  BOOST_TEST(probe("mkdir " + made) == "EACCES");
  BOOST_TEST(probe("rmdir " + outside + "/empty") == "EACCES");
  BOOST_TEST(probe("unlink " + secret) == "EACCES");
  BOOST_TEST(probe("symlink own " + made) == "EACCES");
  BOOST_TEST(probe("fifo " + made) == "EACCES");
  BOOST_TEST(probe("unix-bind " + made) == "EACCES");
  BOOST_TEST(!std::filesystem::exists(made));
  BOOST_TEST(std::filesystem::exists(outside + "/empty"));
  BOOST_TEST(content(secret) == "secret\n");
}

BOOST_FIXTURE_TEST_CASE(nothing_crosses_the_border_by_link_or_rename, Fixture) {
  const std::string own = scratch.file("inside/own", "own\n");
  for (const std::string& call :
       {"link " + secret + " taken", "link own " + outside + "/given", "rename " + secret + " taken",
        "rename own " + outside + "/given", "exchange own " + secret, "exchange " + secret + " own",
        "rename " + outside + " taken", "rename " + inside + " " + outside + "/given"}) {
    BOOST_TEST_CONTEXT(call) {
      const std::string result = probe(call);
      BOOST_TEST((result == "EXDEV" || result == "EACCES"), result);
    }
  }
  BOOST_TEST(content(secret) == "secret\n");
  BOOST_TEST(content(own) == "own\n");
  BOOST_TEST(!std::filesystem::exists(inside + "/taken"));
  BOOST_TEST(!std::filesystem::exists(outside + "/given"));
}

BOOST_FIXTURE_TEST_CASE(symbolic_links_lead_nowhere_that_is_not_allowed, Fixture) {
  BOOST_REQUIRE(symlink(outside.c_str(), (inside + "/out").c_str()) == 0);
  BOOST_TEST(probe("create out/made") == "EACCES");
  BOOST_TEST(probe("write out/secret") == "EACCES");
  BOOST_TEST(probe("create ../outside/made") == "EACCES");
  BOOST_TEST(probe("create /proc/self/root" + outside + "/made") == "EACCES");
  BOOST_TEST(probe("create /proc/self/cwd/../outside/made") == "EACCES");
  BOOST_TEST(!std::filesystem::exists(outside + "/made"));
}

BOOST_FIXTURE_TEST_CASE(a_link_that_is_turned_while_it_is_used_leads_nowhere_else, Fixture) {
  folder("inside/target");
  BOOST_TEST(probe("race-links " + inside + " " + inside + "/target " + outside) == "ok");
  BOOST_TEST(std::filesystem::exists(inside + "/target/made"));
  BOOST_TEST(!std::filesystem::exists(outside + "/made"));
}

BOOST_FIXTURE_TEST_CASE(devices_cannot_be_made_even_in_a_write_root, Fixture) {
  const std::string result = probe("block-device device");
  BOOST_TEST((result == "EACCES" || result == "EPERM"), result);
  BOOST_TEST(!std::filesystem::exists(inside + "/device"));
}

BOOST_FIXTURE_TEST_CASE(the_usual_devices_work_without_being_roots, Fixture) {
  const ToolUnderTest narrow(plugin, sandbox({{"read", system_folders()}}));
  BOOST_TEST(run(narrow, "echo x > /dev/null; head -c 2 /dev/zero /dev/urandom > /dev/null && echo ok").out() ==
             "ok\n");
  BOOST_TEST(run(narrow, "echo x > /dev/full").is_error());
}

BOOST_FIXTURE_TEST_CASE(outside_of_the_read_roots_nothing_is_read_or_executed, Fixture) {
  const ToolUnderTest narrow(plugin, sandbox({{"read", system_folders()}}));
  scratch.file("outside/program", "#!/bin/sh\necho ran\n", 0755);
  for (const std::string& command : {"cat " + secret, std::string("cat ../outside/secret; exit 1"), "ls " + outside,
                                     "sh < " + secret, outside + "/program", outside + "/program; exit 1"}) {
    const Answer answer = run(narrow, command);
    BOOST_TEST_CONTEXT(answer.raw) {
      BOOST_TEST(answer.is_error());
      BOOST_TEST(answer.out().empty());
      BOOST_TEST(answer.metadata().at("error").at("hint").get<std::string>().starts_with(
          "the sandbox refused a read outside "));
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_root_may_be_a_file, Fixture) {
  const std::string file = scratch.file("outside/log", "");
  const ToolUnderTest one(plugin, {{"sandbox", {{"write", {file}}, {"protect", "none"}}}});
  BOOST_TEST(one.shell("echo x > " + file).exit_code() == 0);
  BOOST_TEST(content(file) == "x\n");
  BOOST_TEST(one.shell("rm " + file).is_error());
}

BOOST_FIXTURE_TEST_CASE(a_root_that_is_a_symbolic_link_is_what_it_leads_to, Fixture) {
  BOOST_REQUIRE(symlink(inside.c_str(), (scratch.path() + "/link").c_str()) == 0);
  const ToolUnderTest linked(plugin, sandbox({{"write", {scratch.path() + "/link"}}}));
  BOOST_TEST(Sandboxed::probe(linked, "create made") == "ok");
  BOOST_TEST(Sandboxed::probe(linked, "create " + outside + "/made") == "EACCES");
}

BOOST_FIXTURE_TEST_CASE(a_missing_root_refuses_the_call_until_it_exists, Fixture) {
  const std::string later = scratch.path() + "/later";
  const Json config = sandbox({{"write", {inside, later}}});
  std::optional<ToolUnderTest> missing(std::in_place, plugin, config);
  const Answer answer = run(*missing, "touch ran");
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(answer.code() == "configuration_invalid");
    BOOST_TEST(answer.text().find(later) != std::string::npos);
    BOOST_TEST(!std::filesystem::exists(inside + "/ran"));
  }
  folder("later");
  BOOST_TEST(run(*missing, "touch ../later/made").exit_code() == 0);
  // A new folder of the same name counts for a tool that is made later.
  std::filesystem::rename(later, scratch.path() + "/first");
  folder("later");
  const Answer refused = run(*missing, "touch ../later/made");
  BOOST_TEST_CONTEXT(refused.raw) {
    BOOST_TEST(refused.code() == "configuration_invalid");
    BOOST_TEST(refused.text().find("has been replaced") != std::string::npos);
  }
  missing.reset();
  missing.emplace(plugin, config);
  BOOST_TEST(run(*missing, "touch ../later/made").exit_code() == 0);
}

BOOST_FIXTURE_TEST_CASE(a_command_cannot_widen_the_sandbox_by_a_link_in_place_of_a_root, Fixture) {
  const std::string nested = folder("inside/nested");
  const ToolUnderTest two(plugin, sandbox({{"write", {inside, nested}}}));
  BOOST_TEST(run(two, "rmdir nested && ln -s ../outside nested").exit_code() == 0);
  const Answer answer = run(two, "touch nested/made");
  BOOST_TEST_CONTEXT(answer.raw) { BOOST_TEST(answer.code() == "configuration_invalid"); }
  BOOST_TEST(!std::filesystem::exists(outside + "/made"));
}

BOOST_FIXTURE_TEST_CASE(a_root_inside_another_one_may_be_made_anew, Fixture) {
  const std::string nested = folder("inside/nested");
  const ToolUnderTest two(plugin, sandbox({{"write", {inside, nested}}}));
  BOOST_TEST(run(two, "rmdir nested && mkdir nested").exit_code() == 0);
  BOOST_TEST(run(two, "touch nested/made").exit_code() == 0);
}

BOOST_FIXTURE_TEST_CASE(a_root_that_appears_later_as_a_link_is_refused, Fixture) {
  const std::string later = scratch.path() + "/later";
  const ToolUnderTest missing(plugin, sandbox({{"write", {inside, later}}}));
  std::filesystem::create_directory_symlink(outside, later);
  const Answer answer = run(missing, "touch " + outside + "/made");
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(answer.code() == "configuration_invalid");
    BOOST_TEST(answer.text().find("has been replaced") != std::string::npos);
  }
  BOOST_TEST(!std::filesystem::exists(outside + "/made"));
}

BOOST_FIXTURE_TEST_CASE(without_a_network_only_unix_sockets_work, Fixture) {
  const ToolUnderTest offline(plugin, sandbox({{"network", "deny"}}));
  const Listener tcp(SOCK_STREAM);
  const Listener udp(SOCK_DGRAM);
  const UnixListener unix_socket(inside + "/socket");
  const auto offline_probe = [&](const std::string& call) { return Sandboxed::probe(offline, call); };
  BOOST_TEST(offline_probe("tcp-connect " + tcp.port) == "EACCES");
  BOOST_TEST(offline_probe("tcp-bind 0") == "EACCES");
  BOOST_TEST(offline_probe("udp-connect " + udp.port) == "EACCES");
  BOOST_TEST(offline_probe("raw-socket") == "EACCES");
  BOOST_TEST(offline_probe("netlink") == "EACCES");
  BOOST_TEST(offline_probe("unix-pair") == "ok");
  BOOST_TEST(offline_probe("unix-connect " + inside + "/socket") == "ok");
  BOOST_TEST(offline_probe("unix-bind own-socket") == "ok");
  BOOST_TEST(has(texts(run(offline, "true").metadata(), "enforced"), "network"));
  // With a network, the sockets that were refused above work.
  BOOST_TEST(probe("tcp-connect " + tcp.port) == "ok");
  BOOST_TEST(probe("tcp-bind 0") == "ok");
  BOOST_TEST(probe("udp-connect " + udp.port) == "ok");
  BOOST_TEST(!has(texts(run(tool, "true").metadata(), "enforced"), "network"));
}

BOOST_AUTO_TEST_CASE(an_approval_opens_the_network_for_one_call_where_the_list_says_so) {
  AskingHost host;
  Plugin plugin(host.get());
  const ScratchFolder folder, home;
  const Listener tcp(SOCK_STREAM), other(SOCK_STREAM);
  const std::string approvals = home.path() + "/approvals.json";
  const std::string probe = WTOOL_TEST_HOSTS "/sandbox_probe ";
  const std::string connect = probe + "tcp-connect " + tcp.port;
  const auto config = [&](Json commands, const Json& more = Json::object()) {
    if (!commands.contains("approvals")) commands["approvals"] = approvals;
    Json all{{"sandbox", {{"write", {folder.path()}}, {"protect", "none"}, {"network", "deny"}}},
             {"audit", {{"file", home.path() + "/audit.jsonl"}}},
             {"commands", std::move(commands)}};
    all.update(more);
    return all;
  };
  const auto run = [&](const ToolUnderTest& tool, const std::string& command) {
    return tool.run({{"command", command}, {"working_directory", folder.path()}});
  };
  const Json lists{{"ask", {"sandbox_probe udp-connect"}}, {"ask_network", {"sandbox_probe tcp-connect"}}};
  const ToolUnderTest tool(plugin, config(lists));
  const ToolUnderTest asking(plugin, config({{"ask", {"sandbox_probe tcp-connect"}}}));

  host.answer = WTOOL_APPROVAL_NO;
  BOOST_TEST(run(tool, connect).code() == "approval_denied");
  host.answer = WTOOL_APPROVAL_UNAVAILABLE;
  BOOST_TEST(run(tool, connect).code() == "approval_unavailable");

  // A yes counts for one call, and the question names the limit that the yes lifts.
  host.answer = WTOOL_APPROVAL_YES;
  const Answer opened = run(tool, connect);
  BOOST_TEST_CONTEXT(opened.raw) {
    BOOST_TEST(opened.out() == "ok\n");
    BOOST_TEST(has(texts(opened.metadata(), "lifted"), "network"));
    BOOST_TEST(!has(texts(opened.metadata(), "enforced"), "network"));
  }
  const auto question = host.questions().back();
  BOOST_TEST((Json::parse(question.subject).at("lifts") == Json{"network"}), question.subject);
  BOOST_TEST(question.reason.find("a yes opens the network for this one call") != std::string::npos, question.reason);
  BOOST_TEST(
      (tool.explain({{"command", connect}, {"working_directory", folder.path()}}).at("lifts") == Json{"network"}));
  BOOST_TEST(run(tool, probe + "tcp-bind 0").out() == "EACCES\n");
  BOOST_TEST(host.questions().size() == 3U);

  // If the list does not say that an approval opens the network, neither a yes nor an `always` opens it.
  BOOST_TEST(run(tool, probe + "udp-connect " + tcp.port).out() == "EACCES\n");
  BOOST_TEST(!Json::parse(host.questions().back().subject).contains("lifts"));
  host.answer = WTOOL_APPROVAL_ALWAYS;
  BOOST_TEST(run(asking, connect).out() == "EACCES\n");
  host.answer = WTOOL_APPROVAL_NO;
  BOOST_TEST(run(tool, connect).code() == "approval_denied");

  // An `always` is only for this command.
  host.answer = WTOOL_APPROVAL_ALWAYS;
  BOOST_TEST(run(tool, connect).out() == "ok\n");
  host.answer = WTOOL_APPROVAL_NO;
  BOOST_TEST(run(tool, connect).out() == "ok\n");
  BOOST_TEST(run(tool, probe + "tcp-connect " + other.port).code() == "approval_denied");
  BOOST_TEST(run(tool, connect + "; true").code() == "approval_denied");

  // Stored answers that a command can write do not count.
  const std::string here = folder.path() + "/here", elsewhere = folder.path() + "/elsewhere";
  std::filesystem::create_directory(here);
  std::filesystem::create_directory(elsewhere);
  const auto run_here = [&](const ToolUnderTest& used) {
    return used.run({{"command", connect}, {"working_directory", here}});
  };
  host.answer = WTOOL_APPROVAL_ALWAYS;
  run_here(tool);
  host.answer = WTOOL_APPROVAL_NO;
  BOOST_TEST(run_here(tool).out() == "ok\n");
  std::filesystem::copy_file(approvals, elsewhere + "/approvals.json");
  Json own = lists;
  own["approvals"] = elsewhere + "/approvals.json";
  const ToolUnderTest exposed(plugin, config(own));
  BOOST_TEST(run_here(exposed).code() == "approval_denied");

  // No process that has the network outlives the call.
  host.answer = WTOOL_APPROVAL_YES;
  const ToolUnderTest keeping(plugin, config(lists, {{"background", "keep"}}));
  const Answer ended = run(keeping, connect + "; sleep 1000 >/dev/null 2>&1 &");
  BOOST_TEST_CONTEXT(ended.raw) {
    BOOST_TEST(ended.metadata().value("background_processes_ended", 0) == 1);
    BOOST_TEST(!ended.metadata().contains("background_processes_kept"));
  }

  // Both the question and the start are recorded, each with the limit that was lifted.
  std::ifstream trail(home.path() + "/audit.jsonl");
  int approved = 0, started = 0, lifted = 0;
  for (std::string text; std::getline(trail, text);) {
    const Json line = Json::parse(text);
    if (line.value("command", "") != connect) continue;
    const bool lifts = line.value("lifts", Json()) == Json{"network"};
    approved += line.at("event") == "approval" && lifts ? 1 : 0;
    started += line.at("event") == "start" ? 1 : 0;
    lifted += line.at("event") == "start" && lifts ? 1 : 0;
  }
  BOOST_TEST(approved == 9);
  BOOST_TEST(started == 6);
  BOOST_TEST(lifted == 5);
}

BOOST_FIXTURE_TEST_CASE(processes_outside_are_out_of_reach, Fixture) {
  const Outsider outsider(secret);
  const std::string pid = std::to_string(outsider.pid);
  const UnixListener abstract("@wtool-test-" + pid);
  BOOST_TEST(probe("kill " + pid + " 0") == "EPERM");
  BOOST_TEST(probe("kill " + pid + " 9") == "EPERM");
  BOOST_TEST(probe("kill " + std::to_string(getpid()) + " 0") == "EPERM");
  BOOST_TEST(run(tool, "kill -9 $PPID").is_error());  // the custodian
  BOOST_TEST(probe("read-memory " + pid) == "EPERM");
  BOOST_TEST(probe("unix-connect @wtool-test-" + pid) == "EPERM");
  const std::string open_file = "/proc/" + pid + "/fd/" + std::to_string(outsider.fd);
  for (const std::string& command :
       {"ls /proc/" + pid + "/root/", "ls /proc/" + pid + "/cwd/", "cat /proc/" + pid + "/environ", "cat " + open_file,
        "readlink " + open_file, "echo changed > " + open_file, "ls /proc/" + pid + "/map_files"}) {
    const Answer answer = run(tool, command);
    BOOST_TEST_CONTEXT(answer.raw) {
      BOOST_TEST(answer.is_error());
      BOOST_TEST(answer.out().empty());
    }
  }
  BOOST_TEST(content(secret) == "secret\n");
  BOOST_TEST(state_of(outsider.pid) == 'S');
  // A command may signal its own processes.
  BOOST_TEST(run(tool, "sleep 60 & kill $! && wait $!; [ $? -gt 128 ] && echo ended").out() == "ended\n");
}

BOOST_FIXTURE_TEST_CASE(system_calls_that_lead_out_are_refused, Fixture) {
  for (const std::string& call :
       {std::string("trace-me"), "mount " + inside, "bind-mount " + inside, "remount " + inside, "unmount " + inside,
        "open-tree " + inside, "change-root " + inside, std::string("enter-namespace /proc/self/ns/mnt"),
        std::string("unshare-mounts"), std::string("unshare-user"), std::string("clone-user"),
        std::string("clone-network"), std::string("io_uring"), std::string("key"), std::string("bpf"),
        std::string("userfaultfd"), std::string("type-into-terminal"), std::string("type-with-high-bits")}) {
    BOOST_TEST_CONTEXT(call) { BOOST_TEST(probe(call) == "EPERM"); }
  }
  BOOST_TEST(probe("clone3") == "ENOSYS");
  BOOST_TEST(probe("clone") == "ok");
  BOOST_TEST(probe("unshare-files") == "ok");
}

#ifdef __x86_64__
BOOST_FIXTURE_TEST_CASE(calls_of_another_architecture_end_the_program, Fixture) {
  const std::string probe = WTOOL_TEST_HOSTS "/sandbox_probe";
  // Some kernels have no 32-bit calls at all, so the processor ends the program first.
  const bool has_calls = !wtool::test::run({probe, "foreign-call"}, {}).out.empty();
  const Answer answer = run(tool, probe + " foreign-call");
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(answer.metadata().at("signal").get<std::string>() == (has_calls ? "SIGSYS" : "SIGSEGV"));
  }
}
#endif

BOOST_FIXTURE_TEST_CASE(nothing_gains_rights_by_being_executed, Fixture) {
  BOOST_TEST(run(tool, "grep NoNewPrivs /proc/self/status").out() == "NoNewPrivs:\t1\n");
}

BOOST_FIXTURE_TEST_CASE(a_setuid_program_runs_as_its_caller, Fixture) {
  if (geteuid() != 0) {
    BOOST_TEST_MESSAGE("not tested: only root can make a setuid program of another user");
    return;
  }
  const std::string program = inside + "/setuid-id";
  std::filesystem::copy_file("/usr/bin/id", program);
  constexpr uid_t nobody = 65534;
  BOOST_REQUIRE(chown(program.c_str(), nobody, nobody) == 0);
  BOOST_REQUIRE(chmod(program.c_str(), 04755) == 0);
  const ToolUnderTest open(plugin);
  if (run(open, program + " -u").out() != "65534\n") {
    BOOST_TEST_MESSAGE("not tested: setuid has no effect in " << inside);
    return;
  }
  BOOST_TEST(run(tool, program + " -u").out() == "0\n");
}

// Landlock does not control changes of modes, as docs/guide/sandbox.md says. If a later Landlock does, change that
// page.
BOOST_FIXTURE_TEST_CASE(the_mode_of_an_own_file_outside_can_be_changed, Fixture) {
  BOOST_TEST(probe("chmod " + secret) == "ok");
}

BOOST_FIXTURE_TEST_CASE(a_refused_write_is_the_hint_of_the_error, Fixture) {
  for (const std::string& command :
       {"touch " + outside + "/made", "echo x > " + outside + "/made", std::string("cp /bin/sh ../outside/made")}) {
    const Answer answer = run(tool, command);
    BOOST_TEST_CONTEXT(answer.raw) {
      BOOST_TEST(answer.code() == "exit_nonzero");
      const std::string refused = "a write outside " + inside + ": " + outside + "/made";
      BOOST_TEST(
          answer.metadata().at("error").at("hint").get<std::string>().starts_with("the sandbox refused " + refused));
      BOOST_TEST(texts(answer.metadata(), "refused") == std::vector<std::string>{refused},
                 boost::test_tools::per_element());
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_refused_write_is_found_where_standard_error_joins_the_output, Fixture) {
  const std::string refused = "a write outside " + inside + ": " + outside + "/made";
  const Answer joined = run(tool, "touch " + outside + "/made 2>&1 | tail -n 3");
  BOOST_TEST_CONTEXT(joined.raw) {
    BOOST_TEST(texts(joined.metadata(), "refused") == std::vector<std::string>{refused},
               boost::test_tools::per_element());
  }
  // Output that only looks like an error.
  const Answer output = run(tool, "echo \"touch: cannot touch '" + outside + "/made': Permission denied\"");
  BOOST_TEST_CONTEXT(output.raw) { BOOST_TEST(texts(output.metadata(), "refused").empty()); }
}

BOOST_FIXTURE_TEST_CASE(a_long_here_document_without_a_temporary_folder_is_a_refused_write, Fixture) {
  scratch.file("inside/long", "cat <<'EOF'\n" + std::string(100'000, 'x') + "\nEOF\n");
  const Answer answer = run(tool, "bash long > copy; true");
  BOOST_TEST_CONTEXT(answer.raw) {
    const std::vector<std::string> refused = texts(answer.metadata(), "refused");
    BOOST_TEST_REQUIRE(refused.size() == 1U);
    BOOST_TEST(refused.front().starts_with("a write outside " + inside + ": "));
  }
}

BOOST_FIXTURE_TEST_CASE(a_refused_action_on_a_process_is_named, Fixture) {
  const Outsider outsider(secret);
  const std::string pid = std::to_string(outsider.pid);
  const std::string environment = "/proc/" + pid + "/environ";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"cat " + environment, "a read of another process: " + environment},
      {"bash -c 'kill " + pid + "; exit 1'", "a signal to process " + pid},
      {"renice -n 5 -p " + pid, "a change of process " + pid},
      {"taskset -pc 0 " + pid, "a change of process " + pid}};
  for (const auto& [command, refused] : cases) {
    const Answer answer = run(tool, command);
    BOOST_TEST_CONTEXT(answer.raw) {
      BOOST_TEST(answer.is_error());
      BOOST_TEST(texts(answer.metadata(), "refused") == std::vector<std::string>{refused},
                 boost::test_tools::per_element());
    }
  }
}

BOOST_FIXTURE_TEST_CASE(what_the_sandbox_did_not_refuse_is_not_blamed_on_it, Fixture) {
  scratch.file("outside/plain", "no program\n", 0644);
  for (const std::string& command :
       {"ls " + outside + "/missing", outside + "/plain", outside + "/plain; exit 1", std::string("cat missing"),
        std::string("false"), "echo 'x: Permission denied' >&2; exit 1; cat " + secret}) {
    const Answer answer = run(tool, command);
    BOOST_TEST_CONTEXT(answer.raw) {
      BOOST_TEST(answer.is_error());
      BOOST_TEST(texts(answer.metadata(), "refused").empty());
      BOOST_TEST(answer.metadata().at("error").at("hint").get<std::string>().find("sandbox") == std::string::npos);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(background_processes_of_a_command_are_ended, Fixture) {
  const std::string sleeper = "setsid sleep 600 & echo $!";
  const Answer answer = run(tool, sleeper);
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(answer.metadata().at("background_processes_ended").get<int>() >= 1);
    BOOST_TEST(!exists(std::stoi(answer.out())));
  }
  const Answer late = tool.run({{"command", "sleep 600"}, {"working_directory", inside}}, {.deadline_ms = 100});
  BOOST_TEST(late.code() == "timed_out");
  BOOST_TEST(late.metadata().contains("sandbox"));
}

BOOST_FIXTURE_TEST_CASE(calls_at_once_share_one_sandbox, Fixture) {
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) {
        if (run(tool, "touch own && ! touch " + outside + "/made").exit_code() == 0) ++right;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  BOOST_TEST(right == 20);
  BOOST_TEST(!std::filesystem::exists(outside + "/made"));
}

// A custodian enters the filter of the first command that allows it, and then serves only commands with this filter.
BOOST_FIXTURE_TEST_CASE(commands_with_different_filters_take_turns_and_each_has_its_own, Fixture) {
  scratch.file("inside/kept", "");
  const ToolUnderTest offline(plugin, sandbox({{"network", "deny"}}));
  const ToolUnderTest with_binds(plugin, sandbox({{"network", "deny"}, {"protect", {"kept"}}}));
  const ToolUnderTest unconfined(plugin, Json::object());
  std::map<std::string, std::set<std::string>> custodians;
  const auto filters_of = [](std::string_view status) {
    constexpr std::string_view key = "Seccomp_filters:\t";
    return std::stoi(std::string(status.substr(status.find(key) + key.size())));
  };
  const int outside_of_sandbox = filters_of(content("/proc/self/status"));
  const auto check = [&](const char* name, const ToolUnderTest& one, int filters, const char* netlink) {
    const Answer answer = run(one, "echo $PPID; " WTOOL_TEST_HOSTS "/sandbox_probe netlink; cat /proc/self/status");
    BOOST_TEST_CONTEXT(name << ": " << answer.raw) {
      std::istringstream lines(answer.out());
      std::string custodian, probed;
      std::getline(lines, custodian);
      std::getline(lines, probed);
      custodians[name].insert(custodian);
      BOOST_TEST(probed == netlink);
      BOOST_TEST(filters_of(answer.out()) == outside_of_sandbox + filters);
    }
  };
  for (int i = 0; i < 3; ++i) {
    if (i == 1) custodians.clear();  // In the first round, each filter takes a custodian that had none.
    check("online", tool, 1, "ok");
    check("unconfined", unconfined, 0, "ok");
    check("offline", offline, 1, "EACCES");
    check("with binds", with_binds, 1, "EACCES");
  }
  for (const auto& [name, numbers] : custodians) BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(numbers.size() == 1U);
    }
  // The filter refuses what a start in a cgroup needs. With a cgroup, therefore, each command enters its filter itself,
  // and one custodian serves them all.
  const bool in_cgroup = run(unconfined, "grep wtool- /proc/self/cgroup").exit_code() == 0;
  BOOST_TEST((custodians["online"] == custodians["unconfined"]) == in_cgroup);
  BOOST_TEST((custodians["online"] == custodians["offline"]) == in_cgroup);
  if (has_namespaces()) BOOST_TEST(custodians["unconfined"] == custodians["with binds"]);
}

BOOST_FIXTURE_TEST_CASE(a_custodian_that_kept_a_process_serves_only_its_filter_afterwards, Fixture) {
  Gate gate(scratch);
  const ToolUnderTest keeping(plugin, [&] {
    Json configuration = sandbox();
    configuration["background"] = "keep";
    return configuration;
  }());
  const ToolUnderTest unconfined(plugin, Json::object());
  const Answer kept = run(keeping, "( " + gate.wait() + " ) >/dev/null 2>&1 & echo $PPID");
  BOOST_TEST_CONTEXT(kept.raw) { BOOST_TEST(kept.metadata().at("background_processes_kept") == 1); }
  gate.open();
  const auto custodian = static_cast<pid_t>(std::stoi(kept.out()));
  BOOST_REQUIRE(wait_until([&] { return children_of(custodian).empty(); }, within(5000)));
  for (int i = 0; i < 3; ++i) {
    const Answer answer = run(unconfined, "true");
    BOOST_TEST(!answer.is_error(), answer.raw);
  }
}

BOOST_FIXTURE_TEST_CASE(without_a_sandbox_the_result_does_not_mention_one, Fixture) {
  const ToolUnderTest plain(plugin);
  BOOST_TEST(!plain.shell("true").metadata().contains("sandbox"));
  BOOST_TEST(Sandboxed::probe(plain, "create " + outside + "/made") == "ok");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
