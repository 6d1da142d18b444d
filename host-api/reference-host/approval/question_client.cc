#include "approval/question_client.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "approval/question_folder.h"
#include "base/calm_poll.h"
#include "base/json.h"
#include "base/json_members.h"
#include "base/json_reader.h"

namespace wtool::host {

namespace {

using nlohmann::json;

// How long to wait for a reply: the other process may be stopped, or may not be one of our servers.
constexpr std::chrono::seconds patience{5};
// Longer than any line that our servers send.
constexpr std::size_t max_server_line = std::size_t{64} << 20;
constexpr std::size_t max_questions = 10'000;
constexpr std::int64_t latest = 4'000'000'000;  // the year 2096, which the clock can represent in nanoseconds

int milliseconds_until(std::chrono::steady_clock::time_point due) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - std::chrono::steady_clock::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

// Waits until one of the sockets can be read. False: `due` has passed. If it had passed before the call, the sockets
// are not looked at.
bool can_read(std::vector<pollfd>& polled, std::chrono::steady_clock::time_point due) {
  while (const int left = milliseconds_until(due)) {
    if (calm_poll(polled.data(), polled.size(), left) > 0) return true;
  }
  return false;
}

// Whether the id is `prefix` and a number. An id must be harmless, because it is shown to a person as it is.
bool is_id(std::string_view id, std::string_view prefix) {
  if (!id.starts_with(prefix)) return false;
  id.remove_prefix(prefix.size());
  return !id.empty() && id.size() <= 20 && id.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

bool QuestionClient::watch(std::string& why) {
  changes_ = Descriptor(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  bool watches = false;
  why = changes_ ? "there is no folder for questions: set HOME or XDG_RUNTIME_DIR" : ::strerror(errno);
  for (const std::string& path : question_folders()) {
    // The folder is made here, so that it can be watched.
    if (!changes_ || !open_question_folder(path, true, why)) continue;
    if (::inotify_add_watch(changes_.get(), path.c_str(), IN_MOVED_TO) >= 0) {
      watches = true;
    } else {
      why = path + ": " + ::strerror(errno);
    }
  }
  return watches;
}

void QuestionClient::look() {
  for (const std::string& path : question_folders()) {
    std::string why;
    const Descriptor folder = open_question_folder(path, false, why);
    if (!folder) continue;
    for (const std::string& name : question_sockets(folder)) connect_to(folder, path, name);
  }
  // Waits for all servers at the same time, so that the waits for silent ones do not add up.
  const auto due = std::chrono::steady_clock::now() + patience;
  for (bool in_time = true; in_time;) {
    std::vector<Server*> awaited;
    std::vector<pollfd> polled;
    for (Server& server : servers_) {
      if (server.is_ready || server.is_gone) continue;
      awaited.push_back(&server);
      polled.push_back({server.socket.get(), POLLIN, 0});
    }
    if (awaited.empty()) break;
    in_time = can_read(polled, due);
    for (std::size_t i = 0; i < awaited.size(); ++i) {
      Server& server = *awaited[i];
      if (!in_time) {
        refusals_.push_back("the process of " + server.place + " did not send its questions in time");
        forget(server);
      } else if (polled[i].revents != 0) {
        read_from(server);
      }
    }
  }
  servers_.remove_if([](const Server& server) { return server.is_gone; });
}

void QuestionClient::connect_to(const Descriptor& folder, const std::string& path, const std::string& name) {
  const std::string place = path + '/' + name;
  if (std::any_of(servers_.begin(), servers_.end(), [&](const Server& one) { return one.place == place; })) return;
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un address = socket_address(folder, name);
  if (!socket) return refusals_.push_back(place + ": " + ::strerror(errno));
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    // These two errors mean that the socket's process has ended, even if another process has its number by now.
    if (errno != ECONNREFUSED && errno != ENOENT) refusals_.push_back(place + ": " + ::strerror(errno));
    return;
  }
  // The name is PID.sock, and the ids of the questions begin with `PID-`.
  std::string prefix = name.substr(0, name.find('.')) + '-';
  servers_.push_back({.place = place, .prefix = std::move(prefix), .socket = std::move(socket)});
}

bool QuestionClient::wait(int wake) {
  std::vector<pollfd> polled{{wake, POLLIN, 0}, {changes_.get(), POLLIN, 0}};
  for (const Server& server : servers_) polled.push_back({server.socket.get(), POLLIN, 0});
  while (::poll(polled.data(), polled.size(), -1) < 0) {
    if (errno != EINTR) return false;
  }
  if (polled[0].revents != 0) return false;
  std::array<char, 4096> names;
  if (polled[1].revents != 0) {
    while (::read(changes_.get(), names.data(), names.size()) > 0) {
    }
  }
  std::size_t next = 2;
  for (Server& server : servers_) {
    if (polled[next++].revents != 0) read_from(server);
  }
  servers_.remove_if([](const Server& server) { return server.is_gone; });
  return true;
}

// Reads once. False: the connection is over.
bool QuestionClient::read_from(Server& server) {
  std::array<char, 65536> bytes;
  const ssize_t size = ::recv(server.socket.get(), bytes.data(), bytes.size(), 0);
  if (size < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (size <= 0) {
    forget(server);
    return false;
  }
  const std::size_t known = server.in.size();  // there is no newline in these bytes
  server.in.append(bytes.data(), static_cast<std::size_t>(size));
  std::size_t begin = 0;
  for (std::size_t end = server.in.find('\n', known); end != std::string::npos; end = server.in.find('\n', begin)) {
    take(server, server.in.substr(begin, end - begin));
    begin = end + 1;
  }
  server.in.erase(0, begin);
  if (server.in.size() > max_server_line) {
    refusals_.push_back("the process of " + server.place + " sent a line that is too long");
    forget(server);
    return false;
  }
  return true;
}

void QuestionClient::take(Server& server, const std::string& line) {
  const json said = parse_json(line);
  if (!said.is_object()) return;
  if (said.contains("nonce")) server.nonce = text_member(said, "nonce");
  if (said.contains("ready")) server.is_ready = true;
  if (said.contains("refused")) {
    server.answered = text_member(said, "refused");
    refusals_.push_back(server.answered);
    forget(server);
  }
  if (said.contains("taken")) server.answered = "taken";
  if (said.contains("problem")) server.answered = text_member(said, "problem");
  if (const auto asks = said.find("asks"); asks != said.end() && asks->is_object()) {
    AskedQuestion asked{.id = text_member(*asks, "id"),
                        .place = server.place,
                        .question = {.tool = text_member(*asks, "tool"),
                                     .subject = text_member(*asks, "subject"),
                                     .reason = text_member(*asks, "reason")},
                        .client = text_member(*asks, "client"),
                        .run = text_member(*asks, "run"),
                        .until = {}};
    if (const auto until = asks->find("until"); until != asks->end() && until->is_number_integer()) {
      const std::int64_t seconds = std::clamp<std::int64_t>(until->get<std::int64_t>(), 0, latest);
      asked.until = std::chrono::system_clock::time_point(std::chrono::seconds(seconds));
    }
    if (is_id(asked.id, server.prefix) && !waits(asked) && questions_.size() < max_questions) {
      questions_.push_back(std::move(asked));
    }
  }
  if (const std::string over = text_member(said, "over"); !over.empty()) {
    std::erase_if(questions_, [&](const AskedQuestion& one) { return one.id == over && one.place == server.place; });
  }
}

void QuestionClient::forget(Server& server) {
  server.is_gone = true;
  std::erase_if(questions_, [&](const AskedQuestion& one) { return one.place == server.place; });
}

const AskedQuestion* QuestionClient::find(std::string_view id) const {
  const auto found =
      std::find_if(questions_.begin(), questions_.end(), [&](const AskedQuestion& one) { return one.id == id; });
  return found == questions_.end() ? nullptr : &*found;
}

bool QuestionClient::waits(const AskedQuestion& asked) const {
  return std::any_of(questions_.begin(), questions_.end(),
                     [&](const AskedQuestion& one) { return one.id == asked.id && one.place == asked.place; });
}

std::vector<std::string> QuestionClient::take_refusals() { return std::exchange(refusals_, {}); }

std::string QuestionClient::answer(const AskedQuestion& asked, std::string_view word) {
  const auto found =
      std::find_if(servers_.begin(), servers_.end(), [&](const Server& one) { return one.place == asked.place; });
  if (found == servers_.end() || !waits(asked)) return "the question " + asked.id + " no longer waits";
  Server& server = *found;
  const std::string line = json{{"id", asked.id}, {"answer", word}, {"nonce", server.nonce}}.dump() + '\n';
  server.answered.clear();
  if (::send(server.socket.get(), line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size())) {
    return std::string("the process that asks cannot be reached: ") + ::strerror(errno);
  }
  const auto due = std::chrono::steady_clock::now() + patience;
  while (server.answered.empty() && !server.is_gone) {
    std::vector<pollfd> polled{{server.socket.get(), POLLIN, 0}};
    if (!can_read(polled, due)) return "the process that asks did not say whether it accepts the answer";
    read_from(server);
  }
  const std::string answered = server.answered;
  servers_.remove_if([](const Server& one) { return one.is_gone; });
  if (answered.empty()) return "the process that asks has ended";
  return answered == "taken" ? std::string() : answered;
}

}  // namespace wtool::host
