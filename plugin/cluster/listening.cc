#include "cluster/listening.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>

#include "base/pilot/channel.h"

namespace wtool::cluster {

namespace {

bool is_link_local(const in6_addr& address) { return IN6_IS_ADDR_LINKLOCAL(&address); }

// The address as text. Empty: the address is neither IPv4 nor IPv6, or is valid only on one link.
std::string address_text(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address->sa_family == AF_INET) {
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text, sizeof text);
  } else if (address->sa_family == AF_INET6) {
    const in6_addr& six = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
    if (!is_link_local(six)) ::inet_ntop(AF_INET6, &six, text, sizeof text);
  }
  return text;
}

}  // namespace

std::vector<std::string> own_addresses(bool six) {
  std::vector<std::string> all[3];
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return {"127.0.0.1"};
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || (entry->ifa_flags & IFF_UP) == 0) continue;
    const bool is_six = entry->ifa_addr->sa_family == AF_INET6;
    const std::string text = is_six && !six ? "" : address_text(entry->ifa_addr);
    if (!text.empty()) all[(entry->ifa_flags & IFF_LOOPBACK) != 0 ? 2 : is_six ? 1 : 0].push_back(text);
  }
  ::freeifaddrs(list);
  for (const auto& later : {all[1], all[2]}) all[0].insert(all[0].end(), later.begin(), later.end());
  return all[0];
}

std::optional<ListenAddress> listen_address(const std::string& address, int family) {
  ListenAddress place;
  auto& four = reinterpret_cast<sockaddr_in&>(place.at);
  auto& six = reinterpret_cast<sockaddr_in6&>(place.at);
  if (family == AF_INET6 && (address.empty() || ::inet_pton(AF_INET6, address.c_str(), &six.sin6_addr) == 1)) {
    six.sin6_family = AF_INET6;
    place.size = sizeof six;
    return place;
  }
  if (family == AF_INET && (address.empty() || ::inet_pton(AF_INET, address.c_str(), &four.sin_addr) == 1)) {
    four.sin_family = AF_INET;
    place.size = sizeof four;
    return place;
  }
  return std::nullopt;
}

Descriptor listen_at(ListenAddress& place) {
  Descriptor listener(::socket(place.at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int no = 0;
  if (listener && place.is_six()) ::setsockopt(listener.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  if (listener) pilot::make_room_for_window(listener.get());
  auto* address = reinterpret_cast<sockaddr*>(&place.at);
  if (!listener || ::bind(listener.get(), address, place.size) != 0 || ::listen(listener.get(), 4096) != 0 ||
      ::getsockname(listener.get(), address, &place.size) != 0) {
    const int error = errno;
    listener.reset();
    errno = error;
  }
  return listener;
}

}  // namespace wtool::cluster
