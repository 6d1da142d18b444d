#include "warden/protocol.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/formats.h"

namespace wtool::warden {

static_assert(protocol_version == formats::warden_protocol);

namespace {

// Aligned as the kernel requires for control data.
union ControlData {
  char bytes[CMSG_SPACE(sizeof(int) * max_descriptors)];
  cmsghdr align;
};

}  // namespace

bool send_message(int socket, const void* bytes, std::size_t size, const int* descriptors, std::size_t count) noexcept {
  return send_parts(socket, bytes, size, nullptr, 0, descriptors, count);
}

bool send_parts(int socket, const void* bytes, std::size_t size, const void* rest, std::size_t rest_size,
                const int* descriptors, std::size_t count) noexcept {
  iovec parts[] = {{const_cast<void*>(bytes), size}, {const_cast<void*>(rest), rest_size}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = rest_size > 0 ? 2 : 1;
  ControlData control{};
  if (count > 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int) * count);
    std::memcpy(CMSG_DATA(head), descriptors, sizeof(int) * count);
  }
  ssize_t sent;
  do {
    // MSG_NOSIGNAL: a peer that is gone causes only an errno. A SIGPIPE could end the host.
    sent = ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(size + rest_size);
}

void continue_on_message(int socket) noexcept {
  ::fcntl(socket, F_SETSIG, SIGCONT);
  ::fcntl(socket, F_SETOWN, ::getpid());
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_ASYNC);
}

Received receive_message(int socket, void* buffer, std::size_t size, int flags) noexcept {
  Received received;
  iovec part{buffer, size};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  ControlData control{};
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  do {
    received.size = ::recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
  } while (received.size < 0 && errno == EINTR);
  if (received.size < 0) return received;
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr; head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    received.descriptor_count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    std::memcpy(received.descriptors, CMSG_DATA(head), sizeof(int) * received.descriptor_count);
  }
  if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0) return received;
  for (std::size_t i = 0; i < received.descriptor_count; ++i) ::close(received.descriptors[i]);
  const ssize_t size_of_message = received.size;
  received = Received{};
  if ((message.msg_flags & MSG_TRUNC) != 0) {
    errno = EMSGSIZE;
  } else {
    received.size = size_of_message;
    received.descriptors_lost = true;
  }
  return received;
}

}  // namespace wtool::warden
