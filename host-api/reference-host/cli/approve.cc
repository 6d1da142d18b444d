// wtool approve [ID] [--answer WORD] [--watch]: shows and answers the questions that wait in the person's other
// processes, such as those of `wtool mcp` for a client that has no forms.
// wtool approve RUN [--answer yes|no] [--comment TEXT]: answers what a suspended run waits for (approve_run.h).

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "approval/once.h"
#include "approval/question_client.h"
#include "approval/terminal.h"
#include "base/escape.h"
#include "base/text.h"
#include "base/time_text.h"
#include "base/wake_up.h"
#include "cli/approve_run.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/table.h"
#include "terminal/asking.h"

namespace wtool::host {

namespace {

struct ApproveOptions {
  std::string id;
  std::string answer;
  bool watch = false;
  RunAnswer run{};  // used if ID is a run
};

// True if an option is given that only the answer to a run has.
bool has_run_options(const RunAnswer& run) {
  const RunFlags& flags = run.flags;
  return !run.comment.empty() || !run.state.empty() || !flags.variables.names().empty() || flags.output ||
         flags.verbose || flags.quiet || !flags.events.empty() || !flags.junit.empty() || !flags.html.empty();
}

// `others`: how many other questions wait.
std::string heading(const AskedQuestion& asked, std::size_t others) {
  return asked.id + (asked.client.empty() ? "" : ", for the client " + visible(asked.client)) + ", waits until " +
         utc_text(asked.until, "%H:%M:%S UTC") +
         (asked.run.empty() ? "" : "; the run " + visible(asked.run) + " continues with its next call") +
         (others == 0 ? "" : "; " + more_questions_wait(others)) + '\n';
}

const char* word_of(Approval approval) {
  switch (approval) {
    case Approval::yes:
      return "yes";
    case Approval::no:
      return "no";
    case Approval::always:
      return "always";
    case Approval::never:
      return "never";
    case Approval::unavailable:
    case Approval::deferred:
    case Approval::expired:
      break;
  }
  return nullptr;
}

class Answering {
 public:
  bool watch() {
    std::string why;
    if (client_.watch(why)) return true;
    complain("--watch: " + why);
    return false;
  }

  // Reads the questions that wait. False: a process that asks refuses answers from this process.
  bool look() {
    client_.look();
    bool all = true;
    for (const std::string& why : client_.take_refusals()) {
      complain(why);
      all = false;
    }
    return all;
  }

  const QuestionClient& client() const { return client_; }

  int give(const AskedQuestion& asked, const std::string& word) {
    const std::string problem = client_.answer(asked, word);
    client_.take_refusals();  // The refusals would repeat the problem.
    if (!problem.empty()) {
      complain(problem);
      return exit_failed;
    }
    return print(asked.id + ": " + word + '\n') ? exit_ok : exit_unusable;
  }

  // Asks on the terminal; without a terminal, only shows the question.
  int show(AskedQuestion asked, std::size_t others = 0) {
    if (!print(heading(asked, others))) return exit_unusable;
    asked.question.id = ++asked_;
    const Approval answer = ask(asked);
    if (const char* word = word_of(answer)) return give(asked, word);
    if (!client_.waits(asked)) return exit_failed;
    // There is no terminal, or nobody has answered there, so the person is told how to answer.
    const bool shown =
        print(question_text(asked.question, question_columns()) + "answer it with: wtool approve " + asked.id +
              (takes_only_yes_or_no(asked.question) ? " --answer yes|no\n" : " --answer yes|no|always|never\n"));
    return shown ? exit_ok : exit_unusable;
  }

  // Shows each question once, also those that have come while others were shown, from any server.
  int show_all() {
    int status = exit_ok;
    for (std::vector<AskedQuestion> unseen = unseen_questions(); !unseen.empty(); unseen = looked_again()) {
      seen_.insert(name_of(unseen.front()));
      const int one = show(unseen.front(), unseen.size() - 1);
      if (one == exit_unusable) return one;
      if (one != exit_ok) status = one;
    }
    return status;
  }

  // Shows questions as they come, until Ctrl-C ends the program or an error occurs.
  int show_those_that_come() {
    while (true) {
      if (show_all() == exit_unusable) return exit_unusable;
      if (!client_.wait(-1)) return exit_unusable;
      look();
    }
  }

 private:
  // Ids are unique only within one process that asks.
  static std::string name_of(const AskedQuestion& asked) { return asked.place + ' ' + asked.id; }

  // A copy, because the questions change while one of them is shown.
  std::vector<AskedQuestion> unseen_questions() const {
    std::vector<AskedQuestion> unseen;
    for (const AskedQuestion& asked : client_.questions()) {
      if (!seen_.contains(name_of(asked))) unseen.push_back(asked);
    }
    return unseen;
  }

  std::vector<AskedQuestion> looked_again() {
    look();
    return unseen_questions();
  }

  // Asks on the terminal. If the question is settled elsewhere meanwhile, it is withdrawn from the terminal.
  Approval ask(const AskedQuestion& asked) {
    const WakeUp end;
    std::thread listener([&] {
      while (end && client_.waits(asked)) {
        if (!client_.wait(end.descriptor())) return;
      }
      approver_.withdraw(asked.question.id);
    });
    const Approval answer = approver_.ask(asked.question);
    end.signal();
    listener.join();
    return answer;
  }

  QuestionClient client_;
  TerminalApproval approver_;
  std::uint64_t asked_ = 0;
  std::set<std::string> seen_;
};

int approve(Context& context, const ApproveOptions& options) {
  Answering answering;
  if (options.watch && !answering.watch()) return exit_unusable;
  const bool may_answer = answering.look();
  if (!options.id.empty()) {
    const AskedQuestion* asked = answering.client().find(options.id);
    if (asked == nullptr && (options.id == "last" || names_a_run(options.id))) {
      RunAnswer answer = options.run;
      answer.run = options.id;
      answer.word = options.answer;
      return approve_run(context, answer);
    }
    if (has_run_options(options.run)) {
      complain("the options of reports, --comment, --state and --var are only for a run, but " + escaped(options.id) +
               " is not a run");
      return exit_unusable;
    }
    if (asked == nullptr) {
      complain("no question " + escaped(options.id) + " is waiting; `wtool approve` shows the waiting questions");
      return exit_failed;
    }
    return options.answer.empty() ? answering.show(*asked) : answering.give(AskedQuestion(*asked), options.answer);
  }
  if (options.watch) return answering.show_those_that_come();
  std::string unread;
  const std::string runs = suspended_runs(unread) + runs_that_ask();
  if (!unread.empty()) complain(unread);
  const int read = unread.empty() ? exit_ok : exit_unusable;
  if (answering.client().questions().empty()) {
    if (!may_answer) return exit_failed;
    return print(runs.empty() && unread.empty() ? "no question waits\n" : runs) ? read : exit_unusable;
  }
  const int status = answering.show_all();
  return print(runs) ? std::max(status, read) : exit_unusable;
}

}  // namespace

void add_approve(CLI::App& app, Context& context) {
  auto options = std::make_shared<ApproveOptions>();
  CLI::App* command = app.add_subcommand(
      "approve", "Answer a suspended run, or what `wtool mcp` asks for a client that cannot ask you");
  command->add_option(
      "ID", options->id,
      "A question's id; or, to answer a suspended run, which then continues, the run's id, the beginning of\n"
      "the id, or `last` (default: all waiting questions, one after the other)");
  CLI::Option* answer =
      command->add_option("--answer", options->answer, "Answer ID without asking on the terminal (a run: yes or no)")
          ->check(CLI::IsMember({"yes", "no", "always", "never"}))
          ->type_name("WORD");
  command->add_flag("--watch", options->watch, "Wait for questions, and ask each, until Ctrl-C")->excludes("ID");
  command
      ->add_option("--comment", options->run.comment,
                   "For a run: a comment that is kept with the answer (needs --answer)")
      ->type_name("TEXT");
  command
      ->add_option("--state", options->run.state,
                   "For a run that waits for several answers: the state that asks,\nor BRANCH/STATE, as this command "
                   "prints it, if several states have that name")
      ->type_name("STATE");
  // For a run: inputs that its journal does not contain, such as secrets.
  add_variable_options(*command, options->run.flags.variables);
  add_report_options(*command, options->run.flags);
  command->footer(
      "A question is shown with the command, its directory and the reason, and the answer is yes or no (only this\n"
      "once), always or never. Without a terminal, the questions are shown but not answered. A process that\n"
      "was started by a command of a call cannot answer. Exit status: 0; 1 if the question is not waiting or may not\n"
      "be answered; for a run that continues, the exit status of `wtool run`.\n"
      "\n"
      "Examples:\n"
      "  wtool approve\n"
      "  wtool approve --watch\n"
      "  wtool approve 4711-1 --answer yes\n"
      "  wtool approve last --answer yes --comment \"looked at the diff\"");
  command->callback([&context, options, answer] {
    if (answer->count() > 0 && options->id.empty()) {
      throw CLI::ValidationError("--answer", "needs the ID of a question or a run, as `wtool approve` shows it");
    }
    if (has_run_options(options->run) && options->id.empty()) {
      throw CLI::ValidationError("--comment, --state, --var and reports",
                                 "need the id of a run, as `wtool runs` shows it");
    }
    context.shows_results = true;
    context.command = [&context, options] { return approve(context, *options); };
  });
}

}  // namespace wtool::host
