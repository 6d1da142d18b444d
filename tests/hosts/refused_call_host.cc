// A host under a filter that answers one system call with an error, as old kernels and containers do. The helper
// programs, which it starts with its first call, have the filter as well.
//
// Usage: refused_call_host NUMBER ERRNO ARGUMENTS   writes the answer to a call with ARGUMENTS, or why the call failed
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "support/plugin.h"

using namespace wtool::test;

namespace {

bool refuse(unsigned number, unsigned error) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog filter{sizeof program / sizeof *program, program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return 2;
  Plugin plugin;
  const ToolUnderTest tool(plugin, Json::parse(R"({"limits":{"grace_seconds":1}})"));
  if (!refuse(static_cast<unsigned>(std::atoi(words[1])), static_cast<unsigned>(std::atoi(words[2])))) return 77;
  const Answer answer = tool.run_text(words[3], {.deadline_ms = 20'000});
  std::printf("%s%s\n", answer.raw.c_str(), answer.error.c_str());
  return 0;
}
