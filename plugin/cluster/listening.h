// Where the host listens for its pilots, and the addresses that it gives them.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"

namespace wtool::cluster {

// An IPv4 or IPv6 address to listen at, with its port once a socket listens there.
struct ListenAddress {
  sockaddr_storage at{};
  socklen_t size = 0;
  bool is_six() const { return at.ss_family == AF_INET6; }
  int port() const {
    return ntohs(is_six() ? reinterpret_cast<const sockaddr_in6&>(at).sin6_port
                          : reinterpret_cast<const sockaddr_in&>(at).sin_port);
  }
};

// `address` is numeric; empty: all addresses of the family, AF_INET or AF_INET6. Nothing: `address` is of another
// family, or is not an address.
std::optional<ListenAddress> listen_address(const std::string& address, int family);

// Returns a listening socket, which does not block, and stores its port in `place`. Empty: errno says why.
Descriptor listen_at(ListenAddress& place);

// The numeric addresses of this machine: IPv4 first, loopback addresses last. `six`: also IPv6 addresses, except
// link-local ones, which are valid only on one link.
std::vector<std::string> own_addresses(bool six);

}  // namespace wtool::cluster
