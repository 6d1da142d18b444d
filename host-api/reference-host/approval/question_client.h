// The questions that wait in this user's processes (waiting_questions.h), as seen by the program that answers them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "approval/question.h"
#include "base/descriptor.h"

namespace wtool::host {

struct AskedQuestion {
  std::string id;     // by which a person names the question
  std::string place;  // the socket of the process that asks
  Question question;
  std::string client;  // the name that the asking client gives itself; empty: none
  std::string run;     // the suspended run that needs the answer; empty: a call waits
  std::chrono::system_clock::time_point until;
};

// Only one thread at a time may use an object of this class.
class QuestionClient {
 public:
  // From now on, wait() also notices processes that begin to ask. False: the folders cannot be watched; `why` says why.
  bool watch(std::string& why);

  // Connects to all processes that ask, and reads the questions that wait there.
  void look();
  // Waits until something has changed. False: `wake` can be read, or waiting failed. A process that begins to ask
  // counts as a change only after watch(); look() then reads its questions.
  bool wait(int wake);

  const std::vector<AskedQuestion>& questions() const { return questions_; }
  const AskedQuestion* find(std::string_view id) const;
  bool waits(const AskedQuestion& asked) const;
  // Why some processes do not show their questions, or refuse answers from this process: one sentence for each process.
  // Each sentence is returned once.
  std::vector<std::string> take_refusals();

  // Sends the answer to the very process that asked, since any process of this user can use the id of another process's
  // question. Returns what is wrong with the answer; empty: it was accepted.
  std::string answer(const AskedQuestion& asked, std::string_view word);

 private:
  struct Server {
    std::string place;   // of the socket
    std::string prefix;  // of the ids of its questions
    Descriptor socket;
    std::string nonce{};
    std::string in{};
    bool is_ready = false;
    bool is_gone = false;
    std::string answered{};  // "taken", or why the last answer was not accepted; empty: no reply has come
  };

  void connect_to(const Descriptor& folder, const std::string& path, const std::string& name);
  bool read_from(Server& server);
  void take(Server& server, const std::string& line);
  void forget(Server& server);

  Descriptor changes_;  // an inotify descriptor, which reports changes of the folders
  std::list<Server> servers_;
  std::vector<AskedQuestion> questions_;
  std::vector<std::string> refusals_;
};

}  // namespace wtool::host
