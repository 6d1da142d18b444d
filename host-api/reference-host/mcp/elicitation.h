// Asks for approvals through the client, where a person answers a form.
//
// - If the client of a call shows no forms, the question waits for `wtool approve` (approval/waiting_questions.h). If
//   questions cannot wait, the answer is `unavailable`.
// - In protocol 2026 a server sends no requests: the call ends with the question, and a later call brings the answer,
//   which is valid only for the question that was asked.
// - A form that is declined or dismissed is a no to this question only. So is an answer other than yes, no, always and
//   never.
// - A question that is withdrawn is also withdrawn at the client.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "approval/question.h"
#include "approval/waiting_questions.h"
#include "base/json.h"
#include "mcp/message.h"
#include "mcp/output.h"

namespace wtool::host::mcp {

struct ClientCall;

// True if a client with these capabilities shows forms.
bool shows_forms(const nlohmann::json& capabilities);

// The params of elicitation/create.
nlohmann::ordered_json approval_form(const Question& question);

// The meaning of the answer to such a form.
Approval approval_of(const nlohmann::json& result);

// Any thread may call any member.
class Elicitation final : public Approver {
 public:
  // `waiting`: where questions wait if the client shows no forms; nullptr: they cannot wait.
  explicit Elicitation(Output& output, WaitingQuestions* waiting = nullptr) : output_(output), waiting_(waiting) {}

  // Sets what is called on the thread of a call whose question begins to wait for `wtool approve`. Call this before the
  // first question.
  void set_on_wait(std::function<void(ClientCall&)> on_wait) { on_wait_ = std::move(on_wait); }

  Approval ask(const Question& question) override;
  void withdraw(std::uint64_t id) override;

  // The call's question has suspended a run: from now on, not only the client but also `wtool approve` can answer it.
  void suspended(const ClientCall& call);
  // Call this when the run continues: its questions no longer wait, whether the client has answered them or not.
  void continues(const std::string& run);

  // Takes the client's answer to a request of this server. Ignores answers to anything else.
  void take(const Message& response);

 private:
  struct Open {
    std::uint64_t question = 0;
    bool over = false;
    Approval answer = Approval::unavailable;
  };

  bool is_withdrawn(std::uint64_t id);  // with mutex_ held
  Approval ask_client(const Question& question, ClientCall& call);

  Output& output_;
  WaitingQuestions* const waiting_;
  std::function<void(ClientCall&)> on_wait_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Open> open_;     // by the id of the request, as JSON text
  std::deque<std::uint64_t> withdrawn_;  // ids of the latest withdrawn questions, asked or not
  std::uint64_t asked_ = 0;
};

}  // namespace wtool::host::mcp
