// Questions that wait until the person answers them in another terminal, by `wtool approve`.
//
//   WaitingQuestions waiting(std::chrono::seconds(600), complain);
//   const Approval answer = waiting.ask(question, "the client's name");   // makes the socket, and waits for the answer
//
// - Only this user has access to the socket (question_folder.h). It is made with the first question, and removed at the
//   end.
// - Each line on the socket is a JSON object. The server sends {"nonce"}, then {"asks": {...}} for each question that
//   waits, then {"ready": true}, and from then on {"asks"} and {"over": ID}. A client sends {"id", "answer", "nonce"}
//   and gets {"id", "taken"} or {"id", "problem"}; {"refused": WHY} ends the connection.
// - The process that answers is examined (question_folder.h) when it connects and at each answer. The kernel reports
//   which process has sent a line. A line is accepted only if it has the nonce, which only the examined process has
//   received, and comes from that process's number while the process is still alive. So no process can answer through
//   another one.
// - A question that nobody answers in time ends with the answer `expired`.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>

#include "approval/question.h"
#include "base/descriptor.h"
#include "base/wake_up.h"

namespace wtool::host {

// Any thread may call any member.
class WaitingQuestions {
 public:
  using Tell = std::function<void(const std::string&)>;

  // `within`: how long a question waits. `tell`: gets sentences for people, such as how to answer a question.
  WaitingQuestions(std::chrono::seconds within, Tell tell);
  WaitingQuestions(const WaitingQuestions&) = delete;
  WaitingQuestions& operator=(const WaitingQuestions&) = delete;
  ~WaitingQuestions();  // No thread may still be in ask().

  // Waits for the answer. `client`: the name that the asking client gives itself. `how`: gets, before the wait, the
  // words that say how to answer: "run `wtool approve 4711-1` in another terminal, until 14:03:00 UTC".
  // `by`: the time by which the client needs an answer, if that is sooner than the end of `within`.
  Approval ask(const Question& question, const std::string& client, const Tell& how = {},
               std::optional<std::chrono::steady_clock::time_point> by = {});
  void withdraw(std::uint64_t id);

  // Keeps a question for which `run` is suspended: no thread waits, and take() returns the answer when the run
  // continues.
  void leave(const std::string& run, const Question& question, const std::string& client);
  // The answer to the run's question with this fingerprint, if there is one. Each answer is returned once.
  std::optional<Approval> take(const std::string& run, const std::string& fingerprint);
  // Call this when the run continues: drops the run's questions that have no answer.
  void continues(const std::string& run);

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    Question question;
    std::string client;
    std::chrono::system_clock::time_point until;
    std::string run{};  // the run that is suspended; empty: a call waits
    std::optional<Approval> answer{};
    bool withdrawn = false;
  };
  struct Peer;

  // The caller of these functions holds mutex_, which tell_ must not be called with: it writes to a person.
  // False: nobody can be asked, and `why` says why.
  bool start(std::string& why);
  std::string next_id();
  void drop_late();
  std::string description(const std::string& id, const Waiting& waiting) const;
  std::string settle(const std::string& id, std::string_view answer);
  // These functions run on the thread that serves the socket.
  void serve();
  void accept_peer();
  void greet(Peer& peer);
  bool take_from(Peer& peer);
  void take_line(Peer& peer, const std::string& line);
  void show_changes(Peer& peer);

  const std::chrono::seconds within_;
  const Tell tell_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Orders ids by their numbers, so that questions are shown in the order in which they were asked.
  struct ByNumber {
    bool operator()(const std::string& one, const std::string& other) const {
      return one.size() != other.size() ? one.size() < other.size() : one < other;
    }
  };
  std::map<std::string, Waiting, ByNumber> waiting_;  // by the id that a person types: PID-NUMBER
  std::deque<std::uint64_t> withdrawn_;               // the latest questions that were withdrawn before they were asked
  std::uint64_t asked_ = 0;
  bool ending_ = false;
  Descriptor folder_;
  std::string name_;  // of the socket in folder_
  Descriptor listening_;
  bool cannot_accept_ = false;  // for lack of descriptors or memory; used only by the thread that serves
  WakeUp wake_;                 // wakes the thread that serves
  std::list<Peer> peers_;
  std::thread server_;
};

}  // namespace wtool::host
