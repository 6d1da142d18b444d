// A sandboxed command attacks the host, the keepers and other processes of its user, through limits, priorities and
// schedulers. It also attacks objects that belong to no folder.
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <cstring>
#include <sstream>

#include "support/sandboxed.h"

BOOST_AUTO_TEST_SUITE(neighbours_test)

using namespace wtool::test;

namespace {

const std::string attacks = WTOOL_ATTACKS;

// A process outside of the sandbox, of the same user, that uses the processor while it lives.
struct Neighbour {
  Neighbour() : pid(fork()) {
    if (pid == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (;;) sched_yield();
    }
  }
  ~Neighbour() {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  const pid_t pid;
};

std::string limits_of(pid_t pid) {
  std::ostringstream text;
  for (int resource = 0; resource < RLIM_NLIMITS; ++resource) {
    rlimit limit{};
    if (prlimit(pid, static_cast<__rlimit_resource>(resource), nullptr, &limit) != 0) text << "gone";
    text << limit.rlim_cur << ':' << limit.rlim_max << ' ';
  }
  return text.str();
}

std::string turns_of(pid_t pid) {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  sched_getaffinity(pid, sizeof processors, &processors);
  std::ostringstream text;
  text << getpriority(PRIO_PROCESS, static_cast<id_t>(pid)) << ' ' << syscall(SYS_ioprio_get, 1, pid) << ' '
       << sched_getscheduler(pid) << ' ' << CPU_COUNT(&processors);
  return text.str();
}

struct Fixture : Sandboxed {
  const ToolUnderTest tool{plugin, sandbox({{"network", "deny"}})};
  const Neighbour neighbour;
  const std::string everybody = std::to_string(neighbour.pid) + ' ' + std::to_string(getpid());

  // The custodian of a command, and the warden above it.
  std::pair<pid_t, pid_t> keepers() const {
    const pid_t custodian = std::stoi(run(tool, "echo $PPID").out());
    return {custodian, warden_above(custodian)};
  }
};

// Objects that this process owns.
struct SharedObjects {
  SharedObjects()
      : memory(shmget(key, 4096, IPC_CREAT | IPC_EXCL | 0600)),
        semaphores(semget(key, 1, IPC_CREAT | IPC_EXCL | 0600)),
        messages(msgget(key, IPC_CREAT | IPC_EXCL | 0600)),
        queue(mq_open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_NONBLOCK | O_CLOEXEC, 0600, nullptr)) {
    BOOST_REQUIRE((memory >= 0 && semaphores >= 0 && messages >= 0 && queue >= 0));
    text = static_cast<char*>(shmat(memory, nullptr, 0));
    std::strcpy(text, "kept");
    const Message message{1, "kept"};
    BOOST_REQUIRE(msgsnd(messages, &message, sizeof message.text, 0) == 0);
    BOOST_REQUIRE(mq_send(queue, "kept", 5, 0) == 0);
  }
  ~SharedObjects() {
    shmdt(text);
    shmctl(memory, IPC_RMID, nullptr);
    semctl(semaphores, 0, IPC_RMID);
    msgctl(messages, IPC_RMID, nullptr);
    mq_close(queue);
    mq_unlink(name.c_str());
  }
  bool are_untouched() const {
    msqid_ds status{};
    mq_attr attributes{};
    mq_getattr(queue, &attributes);
    const mqd_t again = mq_open(name.c_str(), O_RDONLY | O_CLOEXEC);
    if (again >= 0) mq_close(again);
    return std::string(text) == "kept" && semctl(semaphores, 0, GETVAL) == 0 &&
           msgctl(messages, IPC_STAT, &status) == 0 && status.msg_qnum == 1 && attributes.mq_curmsgs == 1 && again >= 0;
  }
  std::string arguments() const {
    std::ostringstream text_of;
    text_of << key << ' ' << memory << ' ' << semaphores << ' ' << messages << ' ' << name;
    return text_of.str();
  }

  struct Message {
    long type;
    char text[8];
  };
  const key_t key = 0x770000 | (getpid() & 0xffff);
  const std::string name = "/wtool-test-" + std::to_string(getpid());
  const int memory;
  const int semaphores;
  const int messages;
  const mqd_t queue;
  char* text = nullptr;
};

constexpr const char* calls_of_system_v[] = {"shmget", "semget", "msgget", "shmat", "semop", "msgrcv"};
constexpr const char* calls_of_posix[] = {"mq_open", "mq_timedreceive", "mq_timedsend", "mq_unlink"};

template <typename Calls>
std::string all_say(const Calls& calls, const char* word) {
  std::string text;
  for (const char* call : calls) text += std::string(call) + ' ' + word + '\n';
  return text;
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(limits_of_the_host_its_keepers_and_others_stay, Fixture) {
  const auto [custodian, warden] = keepers();
  const std::vector<pid_t> targets = {neighbour.pid, getpid(), custodian, warden};
  std::vector<std::string> before;
  for (const pid_t pid : targets) before.push_back(limits_of(pid));
  // The first attack is on a process that nobody needs. If it succeeds, the test ends before the host is attacked.
  const Answer first = run(tool, attacks + "/limits_of " + std::to_string(neighbour.pid));
  BOOST_REQUIRE_MESSAGE(first.out() == "done\n", first.raw);
  const Answer second = run(tool, attacks + "/limits_of " + everybody + " custodian warden");
  BOOST_TEST(second.out() == "done\n", second.raw);
  const Answer third = run(tool, "prlimit --pid " + std::to_string(getpid()) + " --cpu=0:0");
  BOOST_TEST(third.is_error());
  for (std::size_t i = 0; i < targets.size(); ++i) BOOST_TEST(limits_of(targets[i]) == before[i]);
  BOOST_TEST(kill(neighbour.pid, 0) == 0);
  BOOST_TEST(run(tool, "echo next").out() == "next\n");
}

BOOST_FIXTURE_TEST_CASE(priorities_schedulers_and_processors_of_other_processes_stay, Fixture) {
  const auto [custodian, warden] = keepers();
  const std::vector<pid_t> targets = {neighbour.pid, getpid(), custodian, warden};
  std::string numbers;
  std::vector<std::string> before;
  for (const pid_t pid : targets) {
    before.push_back(turns_of(pid));
    numbers += ' ' + std::to_string(pid);
  }
  const Answer answer = run(tool, attacks + "/turns_of" + numbers);
  BOOST_TEST(answer.out() == "done\n", answer.raw);
  for (std::size_t i = 0; i < targets.size(); ++i) BOOST_TEST(turns_of(targets[i]) == before[i]);
}

BOOST_FIXTURE_TEST_CASE(a_command_can_change_its_own_limits_and_priority, Fixture) {
  for (const char* command :
       {"ulimit -n 50 && test $(ulimit -n) = 50", "prlimit --nofile=50:50 sh -c 'test $(ulimit -n) = 50'",
        "prlimit --pid $$ --nofile", "nice -n 5 true", "ionice -c 3 true", "taskset -c 0 true", "chrt -b 0 true"}) {
    const Answer answer = run(tool, command);
    BOOST_TEST(!answer.is_error(), answer.raw);
  }
}

BOOST_FIXTURE_TEST_CASE(root_does_not_get_ahead_of_its_keepers, Fixture) {
  BOOST_TEST(run(tool, "nice -n -1 true 2>&1").out().find("ermission denied") != std::string::npos);
  BOOST_TEST(run(tool, "chrt -f 10 true").is_error());
}

BOOST_FIXTURE_TEST_CASE(shared_objects_of_other_processes_are_out_of_reach, Fixture) {
  const SharedObjects objects;
  const Answer answer = run(tool, attacks + "/shared_objects use " + objects.arguments());
  BOOST_TEST(answer.out() == all_say(calls_of_system_v, "EPERM") + all_say(calls_of_posix, "EPERM"), answer.raw);
  BOOST_TEST(objects.are_untouched());
}

BOOST_FIXTURE_TEST_CASE(a_command_leaves_no_shared_memory_to_others, Fixture) {
  const std::string key = std::to_string(0x780000 | (getpid() & 0xffff));
  const Answer answer = run(tool, attacks + "/shared_objects make " + key);
  BOOST_TEST(answer.out() == "shmget EPERM\n", answer.raw);
  const int made = shmget(std::stoi(key), 0, 0);
  BOOST_TEST(made == -1);
  if (made >= 0) shmctl(made, IPC_RMID, nullptr);
}

BOOST_FIXTURE_TEST_CASE(shared_objects_can_be_allowed, Fixture) {
  const SharedObjects objects;
  const ToolUnderTest open(plugin, sandbox({{"ipc", "allow"}}));
  const Answer answer = run(open, attacks + "/shared_objects use " + objects.arguments());
  // Landlock still denies access to the POSIX queues, unless their file system is one of the roots.
  BOOST_TEST(answer.out().starts_with(all_say(calls_of_system_v, "ok")), answer.raw);
  BOOST_TEST(std::string(objects.text) == "taken");
}

BOOST_AUTO_TEST_SUITE_END()
