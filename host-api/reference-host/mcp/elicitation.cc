#include "mcp/elicitation.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "approval/once.h"
#include "base/escape.h"
#include "base/json_members.h"
#include "base/json_reader.h"
#include "base/utf8.h"
#include "mcp/call.h"
#include "mcp/tool_methods.h"

namespace wtool::host::mcp {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// The oldest withdrawals beyond this number are forgotten: a question that is never asked would keep its withdrawal
// forever.
constexpr std::size_t max_withdrawn = 1024;
constexpr std::size_t columns = 100;

constexpr std::array<std::pair<std::string_view, Approval>, 4> answers{
    {{"yes", Approval::yes}, {"no", Approval::no}, {"always", Approval::always}, {"never", Approval::never}}};

}  // namespace

bool shows_forms(const json& capabilities) {
  // An elicitation capability that does not say what it supports means forms.
  const json* elicitation = member(capabilities, "elicitation");
  if (elicitation == nullptr || !elicitation->is_object()) return false;
  return elicitation->contains("form") || !elicitation->contains("url");
}

ordered_json approval_form(const Question& question) {
  const bool is_once = takes_only_yes_or_no(question);
  ordered_json names = ordered_json::array();
  for (const auto& [name, meaning] : answers) {
    if (!is_once || meaning == Approval::yes || meaning == Approval::no) names.push_back(name);
  }
  return {{"message", question_text(question, columns)},
          {"requestedSchema",
           {{"type", "object"},
            {"properties",
             {{"answer",
               {{"type", "string"},
                {"title", "May this run?"},
                {"description",
                 is_once ? "the answer counts only this once"
                         : "yes and no count only this once; always and never are kept for the same command"},
                {"enum", std::move(names)}}}}},
            {"required", {"answer"}}}}};
}

Approval approval_of(const json& result) {
  const json* action = member(result, "action");
  if (action == nullptr || *action != "accept") return Approval::no;
  const json* content = member(result, "content");
  const json* answer = content == nullptr ? nullptr : member(*content, "answer");
  if (answer == nullptr) return Approval::no;
  const auto found =
      std::find_if(answers.begin(), answers.end(), [&](const auto& known) { return *answer == known.first; });
  return found == answers.end() ? Approval::no : found->second;
}

namespace {

// Why the person is asked, and what needs no answer: a model may then choose another command. Empty: not known.
std::string why_asked(const Question& question) {
  constexpr std::size_t most = 1000;
  const std::string hint = text_member(parse_ordered_json(question.subject), "hint");
  const std::string text = escaped(question.reason + (hint.empty() ? "" : "; " + hint));
  return text.size() <= most ? text : text.substr(0, cut_before(text, most)) + " ...";
}

// Shows how one question of the call can be answered, as long as this object lives.
class ShownWait {
 public:
  explicit ShownWait(ClientCall& call) : call_(call) {}
  ShownWait(const ShownWait&) = delete;
  ShownWait& operator=(const ShownWait&) = delete;
  ~ShownWait() {
    const std::lock_guard lock(call_.waits_mutex);
    if (is_shown_) call_.waits.erase(place_);
  }

  void show(const std::string& how) {
    const std::lock_guard lock(call_.waits_mutex);
    place_ = call_.waits.insert(call_.waits.end(), how);
    is_shown_ = true;
  }

 private:
  ClientCall& call_;
  bool is_shown_ = false;
  std::list<std::string>::iterator place_;
};

}  // namespace

Approval Elicitation::ask(const Question& question) {
  ClientCall* call = Calls::current();
  if (call == nullptr) return Approval::unavailable;
  if (waiting_ != nullptr && !call->continues.empty()) {
    if (const auto answer = waiting_->take(call->continues, question.fingerprint)) return *answer;
  }
  if (call->asks == ClientCall::Asks::client) return ask_client(question, *call);
  if (call->asks == ClientCall::Asks::nobody && waiting_ != nullptr) {
    ShownWait shown(*call);
    const std::string why = why_asked(question);
    const auto show = [&](const std::string& how) {
      shown.show(how + (why.empty() ? "" : " (the reason: " + why + ")"));
      if (on_wait_) on_wait_(*call);
    };
    const Approval answer = waiting_->ask(question, call->client, show, call->answer_by);
    const std::lock_guard lock(call->waits_mutex);
    call->has_expired = call->has_expired || answer == Approval::expired;
    return answer;
  }
  if (!call->speaks_2026) return Approval::unavailable;
  const std::lock_guard lock(call->asking);
  const auto given = std::find_if(call->given.begin(), call->given.end(), [&](const ClientCall::Given& one) {
    return one.fingerprint == question.fingerprint;
  });
  if (!question.fingerprint.empty() && given != call->given.end()) {
    // Each answer is used once: a call that asks the same question twice needs two answers.
    const Approval answer = given->answer;
    call->given.erase(given);
    return answer;
  }
  const bool is_later = call->asks == ClientCall::Asks::later;
  // A tool of the server itself handles the case that nobody can be asked.
  if (!call->question && (is_later || call->server_tool == nullptr)) call->question = question;
  if (!is_later) return Approval::unavailable;
  Calls::innermost()->defer();
  return Approval::deferred;
}

void Elicitation::suspended(const ClientCall& call) {
  if (waiting_ != nullptr && call.question) waiting_->leave(call.continues, *call.question, call.client);
}

void Elicitation::continues(const std::string& run) {
  if (waiting_ != nullptr) waiting_->continues(run);
}

bool Elicitation::is_withdrawn(std::uint64_t id) {
  return std::find(withdrawn_.begin(), withdrawn_.end(), id) != withdrawn_.end();
}

Approval Elicitation::ask_client(const Question& question, ClientCall& call) {
  ordered_json params = approval_form(question);
  if (!call.task.empty()) params["_meta"]["io.modelcontextprotocol/related-task"] = {{"taskId", call.task}};
  const std::string form = dumped(params);
  std::unique_lock lock(mutex_);
  if (is_withdrawn(question.id)) {
    std::erase(withdrawn_, question.id);
    return Approval::unavailable;
  }
  const std::string id = "\"approval-" + std::to_string(++asked_) + '"';
  Open& open = open_[id];  // A reference into a map stays valid when the map changes.
  open.question = question.id;
  ++call.open_forms;
  output_.send(request_line(id, "elicitation/create", form));
  changed_.wait(lock, [&] { return open.over || is_withdrawn(question.id); });
  --call.open_forms;
  const Approval answer = open.over ? open.answer : Approval::unavailable;
  if (!open.over) {
    output_.send(notification_line("notifications/cancelled",
                                   R"({"requestId":)" + id + R"(,"reason":"the call was cancelled"})"));
  }
  std::erase(withdrawn_, question.id);
  open_.erase(id);
  return answer;
}

void Elicitation::withdraw(std::uint64_t id) {
  if (waiting_ != nullptr) waiting_->withdraw(id);
  const std::lock_guard lock(mutex_);
  withdrawn_.push_back(id);
  if (withdrawn_.size() > max_withdrawn) withdrawn_.pop_front();
  changed_.notify_all();
}

void Elicitation::take(const Message& response) {
  const std::lock_guard lock(mutex_);
  const auto asked = open_.find(response.id);
  if (asked == open_.end()) return;
  asked->second.over = true;
  // If the client cannot show the form, nobody was asked.
  asked->second.answer = response.failed ? Approval::unavailable : approval_of(response.body);
  changed_.notify_all();
}

}  // namespace wtool::host::mcp
