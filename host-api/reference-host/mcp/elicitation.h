// Asks for approvals through the client, where a person answers a form.
//
// - For a call whose client shows no forms, the question waits for `wtool approve`, if there is a place for that
//   (approval/waiting_questions.h); if not, the answer is unavailable.
// - In protocol 2026 a server sends no requests: the call ends with the question, and a later call brings the answer,
//   which counts for this very question only.
// - A form that is declined or dismissed counts as no, for this once. So does an answer that is not one of the four.
// - A question that is withdrawn is also withdrawn at the client.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "approval/question.h"
#include "approval/waiting_questions.h"
#include "mcp/message.h"
#include "mcp/output.h"

namespace wtool::host::mcp {

struct Call;

// Whether a client with these capabilities shows forms.
bool shows_forms(const nlohmann::json& capabilities);

// The params of elicitation/create.
nlohmann::ordered_json approval_form(const Question& question);

// The meaning of the answer to such a form.
Approval approval_of(const nlohmann::json& result);

// All members: any thread.
class Elicitation final : public Approver {
 public:
  // `waiting`: where questions wait whose client shows no forms; nullptr: there is no such place.
  explicit Elicitation(Output& output, WaitingQuestions* waiting = nullptr) : output_(output), waiting_(waiting) {}

  Approval ask(const Question& question) override;
  void withdraw(std::uint64_t id) override;

  // A run is suspended by the question that its call has left: `wtool approve` can answer it, too.
  void suspended(const Call& call);
  // It continues, by whatever has come to it.
  void continues(const std::string& run);

  // What the client answers to a request of this server's; to another one, it is ignored.
  void take(const Message& response);

 private:
  struct Open {
    std::uint64_t question = 0;
    bool over = false;
    Approval answer = Approval::unavailable;
  };

  bool is_withdrawn(std::uint64_t id);  // with mutex_ held, as is all below
  Approval ask_client(const Question& question, Call& call);

  Output& output_;
  WaitingQuestions* const waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Open> open_;     // by the request's id, as JSON text
  std::deque<std::uint64_t> withdrawn_;  // the latest of them, whether asked or not
  std::uint64_t asked_ = 0;
};

}  // namespace wtool::host::mcp
