#include "support/answered_calls.h"

#include <linux/filter.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "support/processes.h"

namespace wtool::test {

namespace {

// Returns the listener's descriptor; -1 if the kernel does not support listeners.
int install_call_listener() {
  std::vector<sock_filter> program{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const unsigned call : {SYS_exit, SYS_exit_group, SYS_rt_sigreturn, SYS_futex, SYS_clock_nanosleep}) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF));
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return static_cast<int>(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter));
}

}  // namespace

bool ListenerHandover::install() const {
  const int number = install_call_listener();
  state_->number = number < 0 ? none : number;
  if (number < 0) return false;
  while (!state_->taken) usleep(1000);
  close(number);
  return true;
}

std::unique_ptr<CallListener> ListenerHandover::take(const Descriptor& child) const {
  wait_until([&] { return state_->number != -1; }, std::chrono::seconds(30));
  if (state_->number < 0) return nullptr;
  Descriptor listener(static_cast<int>(syscall(SYS_pidfd_getfd, child.get(), state_->number.load(), 0)));
  state_->taken = true;
  return listener ? std::make_unique<CallListener>(std::move(listener)) : nullptr;
}

bool CallListener::answer_until(const std::function<bool()>& done, std::chrono::milliseconds limit,
                                const Decide& decide) const {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + limit;
  auto next_look = Clock::now();
  for (;;) {
    pollfd watched{descriptor_.get(), POLLIN, 0};
    seccomp_notif asked{};
    if (poll(&watched, 1, 1) > 0) {
      if ((watched.revents & POLLIN) == 0) {
        usleep(1000);  // No process is left under the filter, so nothing more will come.
      } else if (ioctl(descriptor_.get(), SECCOMP_IOCTL_NOTIF_RECV, &asked) == 0) {
        seccomp_notif_resp response{};
        response.id = asked.id;
        response.error = -decide(asked);
        if (response.error == 0) response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        ioctl(descriptor_.get(), SECCOMP_IOCTL_NOTIF_SEND, &response);
      }
    }
    const auto now = Clock::now();
    if (now < next_look) continue;
    if (done()) return true;
    if (now >= end) return false;
    next_look = now + std::chrono::milliseconds(2);
  }
}

}  // namespace wtool::test
