#include "engine/custodian.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "system/process_files.h"
#include "system/process_tree.h"

namespace wtool::engine {

namespace {

void send_signal(const Descriptor& handle, int signal) {
  if (handle) ::syscall(SYS_pidfd_send_signal, handle.get(), signal, nullptr, 0U);
}

}  // namespace

warden::Received Custodian::receive(warden::Report& report) {
  warden::Received received = warden::receive_message(socket.get(), &report, sizeof report);
  if (received.size < 0 && errno == ECONNRESET) {
    // The custodian closed its end while it had unread messages. The kernel reports that before it delivers what the
    // custodian had sent, which may include the report.
    left_unread = true;
    received = warden::receive_message(socket.get(), &report, sizeof report);
  }
  if (received.size == 0 && left_unread) {
    received.size = -1;
    errno = ECONNRESET;
  }
  if (received.size != sizeof(warden::CustodianSpawned) || report.header.kind != warden::Kind::custodian_spawned)
    return received;
  warden::CustodianSpawned custodian_spawned;
  std::memcpy(&custodian_spawned, &report, sizeof custodian_spawned);
  process = custodian_spawned.pid;
  handle = Descriptor(received.descriptors[0]);
  received.descriptors[0] = -1;
  received.descriptor_count = 0;
  return received;
}

bool Custodian::inspect() const {
  const warden::Header inspect{warden::Kind::inspect, 0, 0};
  return warden::send_message(socket.get(), &inspect, sizeof inspect);
}

void Custodian::tell_end(std::uint64_t call, std::chrono::milliseconds grace) const {
  const warden::End end{{warden::Kind::end, 0, call}, static_cast<std::uint32_t>(grace.count()), 0};
  warden::send_message(socket.get(), &end, sizeof end);
}

void Custodian::send_end(std::uint64_t call, std::chrono::milliseconds grace) const {
  tell_end(call, grace);
  wake();
}

void Custodian::wake() const {
  if (warden) warden->wake();
  send_signal(handle, SIGCONT);
  if (alive()) continue_vfork_child(process);
}

bool Custodian::alive() const { return handle && !has_event(handle.get(), POLLIN); }

bool Custodian::stopped() const {
  ProcessStatus status;
  return process != 0 && read_status(process, status) && status.state == 'T' && alive();
}

void Custodian::kill() const { send_signal(handle, SIGKILL); }

bool Custodian::idle_and_alive() {
  for (;;) {
    if (!has_event(socket.get(), POLLIN)) return true;
    warden::Report report{};
    if (receive(report).size < static_cast<ssize_t>(sizeof(warden::Header))) return false;
    if (report.header.kind != warden::Kind::custodian_spawned) return false;
  }
}

std::vector<ProcessName> names_of(const NamedProcess* named, std::size_t count) {
  std::vector<ProcessName> names;
  for (std::size_t i = 0; i < std::min(count, max_named); ++i) names.push_back({named[i].pid, named[i].name});
  return names;
}

}  // namespace wtool::engine
