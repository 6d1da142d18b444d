// An HTTP server on this machine that fails a number of times before it answers.
#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace wtool::test {

class FlakyServer {
 public:
  // The first `failures` requests are answered with 503, all others with `body`.
  FlakyServer(std::size_t failures, std::string body) : failures_(failures), body_(std::move(body)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) != 0 || ::listen(listener_, 16) != 0 ||
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0 || ::pipe(end_) != 0) {
      throw std::runtime_error("no server on this machine");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~FlakyServer() {
    ::close(end_[1]);
    thread_.join();
    ::close(end_[0]);
    ::close(listener_);
  }
  FlakyServer(const FlakyServer&) = delete;
  FlakyServer& operator=(const FlakyServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/file"; }
  // The heads of all requests so far.
  std::vector<std::string> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  // False: the server ends.
  bool wait_for(int descriptor) const {
    pollfd wanted[] = {{descriptor, POLLIN, 0}, {end_[0], POLLIN, 0}};
    return ::poll(wanted, 2, -1) > 0 && wanted[1].revents == 0;
  }

  void serve() {
    while (wait_for(listener_)) {
      const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) continue;
      answer(client);
      ::close(client);
    }
  }

  void answer(int client) {
    std::string request;
    char bytes[4096];
    while (request.find("\r\n\r\n") == std::string::npos) {
      if (!wait_for(client)) return;
      const ssize_t count = ::read(client, bytes, sizeof bytes);
      if (count <= 0) return;
      request.append(bytes, static_cast<std::size_t>(count));
    }
    std::size_t number = 0;
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
      number = requests_.size();
    }
    const std::string content = number <= failures_ ? "busy" : body_;
    const std::string response = std::string("HTTP/1.1 ") + (number <= failures_ ? "503 Busy" : "200 OK") +
                                 "\r\nConnection: close\r\nContent-Length: " + std::to_string(content.size()) +
                                 "\r\n\r\n" + content;
    [[maybe_unused]] const ssize_t ignored = ::send(client, response.data(), response.size(), MSG_NOSIGNAL);
    ::shutdown(client, SHUT_WR);
  }

  const std::size_t failures_;
  const std::string body_;
  int listener_ = -1;
  int end_[2] = {-1, -1};
  int port_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

}  // namespace wtool::test
