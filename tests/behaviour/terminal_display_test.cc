// What a person sees of a run on a terminal: a pty that is read as a screen.
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "support/screen.h"
#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(terminal_display_test)

using namespace wtool::test;

namespace {

// A program on a terminal, and what its screen shows.
class Shown {
 public:
  Shown(const std::vector<std::string>& argv, const ProgramOptions& options)
      : screen_(options.columns, options.rows), program_(argv, Program::On::terminal, options) {}

  bool wait_for(const std::function<bool()>& seen) {
    return program_.wait_for([&] {
      feed();
      return seen();
    });
  }
  // Waits until the cursor is right after the prompt.
  bool wait_for_prompt(const std::string& prompt) {
    return wait_for([&] { return screen_.cursor_line().ends_with(prompt); });
  }
  bool wait_for_text(const std::string& text) {
    return wait_for([&] { return holds(screen_.text(), text); });
  }
  void type(std::string_view keys) const { program_.type(keys); }
  void resize(unsigned short columns, unsigned short rows) {
    program_.resize(columns, rows);
    screen_.resize(columns, rows);
  }
  // Reads what the program has written so far.
  void read() {
    program_.read_now();
    feed();
  }
  Finished wait() {
    Finished finished = program_.wait();
    feed();
    return finished;
  }
  std::string text() const { return screen_.text(); }
  std::string cursor_line() const { return screen_.cursor_line(); }
  const Screen& screen() const { return screen_; }
  Program& program() { return program_; }

 private:
  void feed() {
    screen_.feed(std::string_view(program_.output()).substr(fed_));
    fed_ = program_.output().size();
  }
  Screen screen_;
  Program program_;
  std::size_t fed_ = 0;
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// The steps that the rows of the live region name, in the order of the screen.
std::vector<std::string> rows_of(const std::string& text) {
  const std::string mark = "  > ";
  std::vector<std::string> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(mark)) rows.push_back(line.substr(mark.size(), line.find("  ", mark.size()) - mark.size()));
  }
  return rows;
}

struct OnTerminal : Place {
  ProgramOptions terminal(unsigned short columns = 80, unsigned short rows = 24) const {
    ProgramOptions options = here();
    options.columns = columns;
    options.rows = rows;
    options.set["TERM"] = "xterm-256color";
    options.set["LANG"] = "C.UTF-8";
    options.unset = {"NO_COLOR", "LC_ALL", "LC_CTYPE", "XTERM_VERSION", "STY", "WTOOL_LOG"};
    return options;
  }
  std::vector<std::string> running(const std::string& file, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {wtool_path, "run", file});
    return more;
  }
  // A workflow of parallel branches, given by their names and actions.
  std::string branches(const std::map<std::string, std::string>& actions) const {
    std::string diagram = "    [*] --> F\n    state F <<fork>>\n    state J <<join>>\n    J --> [*]\n";
    std::string list;
    for (const auto& [name, action] : actions) {
      diagram += "    F --> " + name + "\n    " + name + " --> J\n";
      list += "- " + name + ": " + action + "\n";
    }
    return workflow(diagram, list);
  }
  // Prints until the file `enough` exists, and touches `printed` after each line.
  const std::string chatter =
      "Shell \"i=0; while test ! -e enough; do i=$((i+1)); echo word $i and many more words of it; sleep 0.02; "
      "touch printed; done\"";
};

constexpr const char* confirmation = "Delete it? [y/N] ";
constexpr const char* approval = "Allow this? yes / no / always / never [no]: ";

}  // namespace

static void see_questions(const OnTerminal& place, unsigned short columns) {
  const std::string file_ = place.branches({{"Ask", "Wait for user confirmation \"Delete it?\""},
                                            {"Gate", "Shell \"echo git push\""},
                                            {"Busy", place.chatter}});
  Shown shown(place.running(file_), place.terminal(columns));
  for (int question = 1; question <= 2; ++question) {
    BOOST_TEST_REQUIRE(shown.wait_for([&] {
      // The first is shown again when the other one waits, too.
      if (question == 1 && !holds(shown.text(), "1 more question waits")) return false;
      const std::string line = shown.cursor_line();
      return line.ends_with(confirmation) || line.ends_with(approval);
    }));
    const bool confirms = shown.cursor_line().ends_with(confirmation);
    if (confirms) {
      BOOST_TEST(shown.cursor_line() == "Ask: Delete it? [y/N] ");
    } else {
      for (const char* part : {"For the state:\n  | Gate\n", "The command:\n  | echo git push\n"}) {
        BOOST_TEST(holds(shown.text(), part), shown.text());
      }
    }
    const std::string before = shown.text();
    // Meanwhile the other branch prints: it makes the file again after each line.
    std::filesystem::remove(place.scratch.path() + "/printed");
    BOOST_TEST_REQUIRE(wait_until([&] { return place.there("printed"); }, std::chrono::seconds(30)));
    shown.read();
    BOOST_TEST(shown.text() == before);
    shown.type(confirms ? "y\n" : "yes\n");
    BOOST_TEST_REQUIRE(shown.wait_for([&] { return count(shown.text(), confirms ? "[y/N] y\n" : "[no]: yes\n") == 1; }),
                       shown.text());
  }
  place.scratch.file("enough", "");
  const Finished finished = shown.wait();
  BOOST_TEST_CONTEXT(shown.text()) {
    BOOST_TEST(finished.exit_code == 0);
    for (const char* state : {"  ok Ask ", "  ok Gate ", "  ok Busy "}) BOOST_TEST(count(shown.text(), state) == 1U);
    BOOST_TEST(count(shown.text(), "  > ") == 0U);
    BOOST_TEST(shown.screen().unknown() == "");
  }
}

BOOST_FIXTURE_TEST_CASE(questions_stay_readable_while_another_branch_prints, OnTerminal) {
  scratch.file("wtool.yaml", "commands: {ask: [\"echo git push\"]}\n");
  for (const unsigned short columns : {std::uint16_t{80}, std::uint16_t{60}, std::uint16_t{200}}) {
    std::filesystem::remove(scratch.path() + "/enough");
    see_questions(*this, columns);
  }
}

BOOST_FIXTURE_TEST_CASE(the_terminal_may_change_its_size_during_a_question_and_while_steps_run, OnTerminal) {
  constexpr unsigned short widths[] = {55, 90, 40, 70};
  for (const unsigned short columns : {std::uint16_t{60}, std::uint16_t{200}}) {
    std::filesystem::remove(scratch.path() + "/enough");
    const std::string file_ =
        branches({{"Ask", "Wait for user confirmation \"Delete it?\""}, {"Busy", chatter}, {"Also", chatter}});
    Shown shown(running(file_), terminal(100));
    BOOST_TEST_REQUIRE(shown.wait_for_prompt(confirmation));
    shown.resize(columns, 20);
    BOOST_TEST(shown.cursor_line() == "Ask: Delete it? [y/N] ");
    shown.type("y\n");
    BOOST_TEST_REQUIRE(shown.wait_for_text("  ok Ask "));
    BOOST_TEST_REQUIRE(shown.wait_for_text("  > Busy "));
    for (const unsigned short next : widths) {
      shown.resize(next, 20);
      BOOST_TEST_REQUIRE(shown.wait_for(
          [&, before = shown.program().output().size()] { return shown.program().output().size() > before + 200; }));
    }
    scratch.file("enough", "");
    BOOST_TEST(shown.wait().exit_code == 0);
    BOOST_TEST_CONTEXT(shown.text()) {
      BOOST_TEST(count(shown.text(), "  > ") == 0U);
      for (const char* part : {"  ok Ask ", "  ok Busy ", "  ok Also ", "Delete it? [y/N] y\n"}) {
        BOOST_TEST(count(shown.text(), part) == 1U);
      }
    }
  }
}

BOOST_FIXTURE_TEST_CASE(only_yes_confirms, OnTerminal) {
  const std::string file_ = workflow("    [*] --> One\n    One --> Two: success\n    Two --> [*]\n",
                                     "- One: Wait for user confirmation \"Delete it?\"\n- Two: Shell \"touch two\"\n");
  constexpr std::pair<const char*, int> rows[] = {{"\n", 1}, {"n\n", 1}, {"\x04", 1}, {"YES\n", 0}};
  for (const auto& [keys, code] : rows) {
    Shown shown(running(file_), terminal());
    BOOST_TEST_REQUIRE(shown.wait_for_prompt(confirmation));
    shown.type(keys);
    BOOST_TEST(shown.wait().exit_code == code, shown.text());
    BOOST_TEST(there("two") == (code == 0));
  }
  Shown shown(running(file_), terminal());
  BOOST_TEST_REQUIRE(shown.wait_for_prompt(confirmation));
  shown.type("perhaps\n");
  BOOST_TEST_REQUIRE(shown.wait_for_text("Please answer y (yes) or n (no)."));
  BOOST_TEST_REQUIRE(shown.wait_for_prompt(confirmation));
  shown.type("n\n");
  BOOST_TEST(shown.wait().exit_code == 1);
}

BOOST_FIXTURE_TEST_CASE(a_signal_ends_the_questions_of_all_branches, OnTerminal) {
  scratch.file("wtool.yaml", "commands: {ask: [\"echo git push\"]}\n");
  const std::string file_ = branches({{"A", "Wait for user confirmation \"Delete it?\""},
                                      {"B", "Wait for user confirmation \"Delete it?\""},
                                      {"C", "Shell \"echo git push\""}});
  Shown shown(running(file_), terminal());
  BOOST_TEST_REQUIRE(shown.wait_for(
      [&] { return shown.cursor_line().ends_with(confirmation) || shown.cursor_line().ends_with(approval); }));
  // All branches have begun when the journal has four starts.
  BOOST_TEST_REQUIRE(wait_until(
      [&] {
        std::string journal;
        for (const auto& file : std::filesystem::directory_iterator(scratch.path() + "/.wtool/runs")) {
          journal += content_of(file.path());
        }
        return count(journal, "state_started") >= 4;
      },
      std::chrono::seconds(30)));
  shown.type("\x03");
  const Finished finished = shown.wait();
  BOOST_TEST_CONTEXT(shown.text()) {
    BOOST_TEST(!finished.limit_passed);
    BOOST_TEST(finished.exit_code == 130);
    BOOST_TEST(count(shown.text(), "  aborted ") == 3U);
    BOOST_TEST(holds(shown.text(), "(the question is withdrawn)"));
  }
}

BOOST_FIXTURE_TEST_CASE(an_abort_file_and_a_deadline_end_a_question, OnTerminal) {
  const std::string file_ =
      workflow("    [*] --> One\n    One --> [*]\n", "- One: Wait for user confirmation \"Delete it?\"\n");
  Shown aborted(running(file_), terminal());
  BOOST_TEST_REQUIRE(aborted.wait_for_prompt(confirmation));
  scratch.file(".swissarmyhammer/.abort", "enough of it");
  BOOST_TEST(aborted.wait().exit_code == 130, aborted.text());
  std::filesystem::remove_all(scratch.path() + "/.swissarmyhammer");
  scratch.file("wtool.yaml", "commands: {ask: [\"echo git push\"]}\n");
  const std::string timed =
      workflow("    [*] --> One\n    One --> [*]\n", "- One: Shell \"echo git push\" total_timeout=1s\n");
  Shown late(running(timed), terminal());
  const Finished finished = late.wait();
  BOOST_TEST(!finished.limit_passed);
  BOOST_TEST(finished.exit_code == 1, late.text());
  BOOST_TEST(holds(late.text(), "the total_timeout of 1"), late.text());
  BOOST_TEST(holds(late.text(), "(the question is withdrawn)"), late.text());
}

BOOST_FIXTURE_TEST_CASE(in_the_background_nobody_is_asked_and_nothing_is_stopped, OnTerminal) {
  const std::string file_ =
      workflow("    [*] --> One\n    One --> [*]\n", "- One: Wait for user confirmation \"Delete it?\"\n");
  Shown shown({"/bin/bash", "-c", "set -m; " + wtool_path + " run " + file_ + " & wait $!; echo code $?"}, terminal());
  shown.wait();
  BOOST_TEST(holds(shown.text(), "nobody could be asked"), shown.text());
  BOOST_TEST(holds(shown.text(), "code 1"), shown.text());
}

namespace {

// An interactive shell with a run that asked "Delete it?" and was then stopped by Ctrl-Z. After a yes, the run makes
// the file `two`.
struct ShellWithQuestion {
  explicit ShellWithQuestion(const OnTerminal& place)
      : shown({"/bin/bash", "--norc", "--noprofile", "-i"}, options_of(place)) {
    const std::string file =
        place.workflow("    [*] --> One\n    One --> Two\n    Two --> [*]\n",
                       "- One: Wait for user confirmation \"Delete it?\"\n- Two: Shell \"touch two\"\n");
    BOOST_TEST_REQUIRE(shown.wait_for_prompt("$ "));
    shown.type(wtool_path + " run " + file + "\n");
    BOOST_TEST_REQUIRE(shown.wait_for_prompt(confirmation));
    shown.type("\x1a");
    BOOST_TEST_REQUIRE(shown.wait_for_prompt("$ "));
  }

  Shown shown;

 private:
  static ProgramOptions options_of(const OnTerminal& place) {
    ProgramOptions options = place.terminal(120);
    options.set["PS1"] = "$ ";
    return options;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_question_that_goes_to_the_background_waits_until_it_is_back, OnTerminal) {
  ShellWithQuestion session(*this);
  Shown& shown = session.shown;
  shown.type("bg\n");
  BOOST_TEST_REQUIRE(shown.wait_for_text("&\n"));
  // What is typed for the shell does not count as the answer.
  shown.type("echo y\n");
  BOOST_TEST_REQUIRE(shown.wait_for_text("\ny\n"));
  BOOST_TEST(!there("two"));
  // The program checks five times a second whether it is in the background, because no event reports that.
  shown.type("sleep 3; jobs\n");
  BOOST_TEST_REQUIRE(shown.wait_for_text("Running"));
  shown.type("fg\n");
  BOOST_TEST_REQUIRE(shown.wait_for_prompt(confirmation));
  shown.type("y\n");
  BOOST_TEST_REQUIRE(shown.wait_for_text("completed in"));
  BOOST_TEST(there("two"));
  shown.type("exit\n");
  BOOST_TEST(shown.wait().exit_code == 0);
}

BOOST_FIXTURE_TEST_CASE(a_question_is_shown_again_after_ctrl_z_and_fg, OnTerminal) {
  ShellWithQuestion session(*this);
  Shown& shown = session.shown;
  shown.type("fg\n");
  BOOST_TEST_REQUIRE(shown.wait_for_prompt(confirmation), shown.text());
  shown.type("y\n");
  BOOST_TEST_REQUIRE(shown.wait_for_text("completed in"));
  BOOST_TEST(there("two"));
  shown.type("exit\n");
  BOOST_TEST(shown.wait().exit_code == 0);
}

BOOST_FIXTURE_TEST_CASE(log_lines_do_not_tear_the_live_region, OnTerminal) {
  const std::string file_ = branches({{"A", chatter}, {"B", chatter}, {"C", "Shell \"true\" retry=3 backoff=10ms"}});
  ProgramOptions options = terminal(70);
  Shown shown(running(file_, {"--log", "debug"}), options);
  BOOST_TEST_REQUIRE(shown.wait_for_text("  > A "));
  scratch.file("enough", "");
  BOOST_TEST(shown.wait().exit_code == 0);
  BOOST_TEST_CONTEXT(shown.text()) {
    BOOST_TEST(count(shown.text(), "  > ") == 0U);
    std::size_t logged = 0;
    for (std::size_t at = 0; at < shown.text().size(); at = shown.text().find('\n', at) + 1) {
      logged += shown.text().compare(at, 2, "20") == 0 ? 1 : 0;
    }
    BOOST_TEST(logged > 3U);
    BOOST_TEST(count(shown.text(), "DEBUG ") + count(shown.text(), " INFO ") == logged);
  }
}

BOOST_FIXTURE_TEST_CASE(ctrl_c_leaves_no_torn_lines_of_many_branches, OnTerminal) {
  const std::string file_ =
      workflow("    [*] --> Many\n    Many --> [*]\n",
               "- Many: Shell \"echo of ${matrix.n}; touch begun; sleep 61\" "
               "matrix={\"n\": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,"
               "33,34,35,36,37,38,39,40]}\n");
  Shown shown(running(file_), terminal());
  BOOST_TEST_REQUIRE(shown.wait_for_text("  and 34 more"));
  // The matrix has a row, and so have six of its branches: those that began first, whichever they are.
  std::set<std::string> names;
  for (int n = 1; n <= 40; ++n) names.insert("Many (" + std::to_string(n) + ")");
  const std::vector<std::string> rows = rows_of(shown.text());
  BOOST_TEST_CONTEXT(shown.text()) {
    BOOST_TEST(rows.size() == 7U);
    BOOST_TEST(rows.front() == "Many");
    for (std::size_t i = 1; i < rows.size(); ++i) BOOST_TEST(names.erase(rows[i]) == 1U, rows[i]);
  }
  shown.type("\x03");
  const Finished finished = shown.wait();
  BOOST_TEST_CONTEXT(shown.text()) {
    BOOST_TEST(finished.exit_code == 130);
    BOOST_TEST(!holds(shown.text(), "WARN"));
    BOOST_TEST(!holds(shown.text(), "  > "));
    BOOST_TEST(!holds(shown.text(), "\n  and "));
    for (int n = 1; n <= 40; ++n) {
      BOOST_TEST(count(shown.text(), "  aborted Many (" + std::to_string(n) + ") ") == 1U);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_dumb_terminal_gets_plain_lines_and_can_still_be_asked, OnTerminal) {
  const std::string file_ =
      branches({{"Ask", "Wait for user confirmation \"Delete it?\""}, {"Busy", "Shell \"echo hi\""}});
  ProgramOptions options = terminal();
  options.set["TERM"] = "dumb";
  Shown shown(running(file_), options);
  BOOST_TEST_REQUIRE(shown.wait_for_prompt(confirmation));
  shown.type("y\n");
  const Finished finished = shown.wait();
  BOOST_TEST(finished.exit_code == 0);
  BOOST_TEST(!holds(finished.out, "\x1b"));
  BOOST_TEST(holds(shown.text(), "    | hi\n"), shown.text());
}

BOOST_FIXTURE_TEST_CASE(the_summary_on_a_terminal_does_not_repeat_the_lines_above, OnTerminal) {
  const std::string file_ =
      workflow("    [*] --> One\n    One --> [*]\n", "- One: Shell \"echo hello; echo oh >&2\"\n");
  Shown shown(running(file_), terminal());
  BOOST_TEST(shown.wait().exit_code == 0);
  BOOST_TEST_CONTEXT(shown.text()) {
    BOOST_TEST(count(shown.text(), "One") == 1U);
    BOOST_TEST(holds(shown.text(), ", 1 line on stderr\n"));
    BOOST_TEST(holds(shown.text(), "A test: run 20"));
    BOOST_TEST(holds(shown.text(), ", journal .wtool/runs/20"));
    BOOST_TEST(holds(shown.text(), "A test: completed in "));
  }
  Shown verbose(running(file_, {"-v"}), terminal());
  BOOST_TEST(verbose.wait().exit_code == 0);
  BOOST_TEST_CONTEXT(verbose.text()) {
    BOOST_TEST(holds(verbose.text(), "    $ echo hello; echo oh >&2\n"));
    BOOST_TEST(holds(verbose.text(), "    | hello\n"));
    BOOST_TEST(holds(verbose.text(), "    ! oh\n"));
  }
}

BOOST_FIXTURE_TEST_CASE(required_parameters_are_asked_for_and_secrets_are_not_shown, OnTerminal) {
  const std::string file_ =
      scratch.file("asks.md",
                   "---\nparameters:\n  - name: stage\n    description: where to\n    required: true\n"
                   "    choices: [staging, production]\n  - name: token\n    required: true\n"
                   "    secret: true\n---\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n"
                   "## Actions\n- A: Shell \"printf %s ${stage} >stage; printf %s ${token} >token\"\n");
  Shown shown(running(file_), terminal());
  BOOST_TEST_REQUIRE(shown.wait_for_prompt("stage (where to) [staging, production]: "));
  shown.type("prod\n");
  BOOST_TEST_REQUIRE(shown.wait_for_text("\"prod\""));
  BOOST_TEST_REQUIRE(shown.wait_for_prompt("stage (where to) [staging, production]: "));
  shown.type("staging\n");
  BOOST_TEST_REQUIRE(shown.wait_for_prompt("token: "));
  shown.type("hunter2hunter2\n");
  BOOST_TEST(shown.wait().exit_code == 0, shown.text());
  BOOST_TEST(file("stage") == "staging");
  BOOST_TEST(file("token") == "hunter2hunter2");
  BOOST_TEST(!holds(shown.program().output(), "hunter2"), shown.text());

  Shown left(running(file_), terminal());
  BOOST_TEST_REQUIRE(left.wait_for_prompt("production]: "));
  left.type("\x03");
  BOOST_TEST(left.wait().exit_code == 130);
  // Without a terminal, nobody can be asked.
  const Finished nobody = run_workflow(file_);
  BOOST_TEST(nobody.exit_code == 2);
  BOOST_TEST(holds(nobody.err, "the required parameter 'stage' is missing"), nobody.err);
}

BOOST_FIXTURE_TEST_CASE(a_resumed_run_asks_for_the_secrets_that_its_journal_does_not_hold, OnTerminal) {
  const std::string file_ =
      scratch.file("asks.md",
                   "---\nparameters:\n  - name: token\n    description: for the host\n    secret: true\n"
                   "  - {name: url, pattern: '^https:'}\n  - name: plain\n---\n```mermaid\nstateDiagram-v2\n"
                   "[*] --> A\nA --> [*]\n```\n"
                   "## Actions\n- A: Shell \"printf '%s %s' ${url} ${plain} >url; printf %s ${token} >token; test -e "
                   "go\"\n");
  const Finished failed = run_workflow(file_, {"--var-file", "token=" + scratch.file("secret", "hunter2hunter2"),
                                               "--var", "url=https://hunter2hunter2@host", "--var", "plain=word"});
  BOOST_TEST(failed.exit_code == 1, failed.err);
  std::filesystem::remove(scratch.path() + "/url");
  scratch.file("go", "");
  const std::vector<std::string> resume{wtool_path, "resume", "last"};

  Shown left(resume, terminal());
  BOOST_TEST_REQUIRE(left.wait_for_prompt("token (for the host): "));
  left.type("\x03");
  BOOST_TEST(left.wait().exit_code == 130, left.text());
  Shown closed(resume, terminal());
  BOOST_TEST_REQUIRE(closed.wait_for_prompt("token (for the host): "));
  closed.type("\x04");
  BOOST_TEST(closed.wait().exit_code == 2);
  BOOST_TEST(holds(closed.text(), "the secret 'token' is not in the journal"), closed.text());
  // Without a terminal, nobody can be asked.
  const Finished nobody = run(resume, here());
  BOOST_TEST(nobody.exit_code == 2);
  BOOST_TEST(holds(nobody.err, "the secret 'token' is not in the journal"), nobody.err);
  BOOST_TEST(holds(nobody.err, "the input 'url' contains a secret"), nobody.err);
  BOOST_TEST(file("url").empty());

  Shown shown(resume, terminal());
  BOOST_TEST_REQUIRE(shown.wait_for_prompt("token (for the host): "));
  shown.type("hunter2hunter2\n");
  BOOST_TEST_REQUIRE(shown.wait_for_prompt("url: "));
  shown.type("hunter2hunter2@host\n");
  BOOST_TEST_REQUIRE(shown.wait_for_text("^https:"));
  BOOST_TEST_REQUIRE(shown.wait_for_prompt("url: "));
  shown.type("https://hunter2hunter2@host\n");
  BOOST_TEST(shown.wait().exit_code == 0, shown.text());
  BOOST_TEST(file("token") == "hunter2hunter2");
  BOOST_TEST(file("url") == "https://hunter2hunter2@host word");
  BOOST_TEST(!holds(shown.program().output(), "hunter2"), shown.text());
}

BOOST_FIXTURE_TEST_CASE(events_on_the_same_terminal_are_not_torn, OnTerminal) {
  const std::string file_ = branches({{"A", "Shell \"echo a\""}, {"B", "Shell \"sleep 0.3\""}});
  Shown shown(running(file_, {"--events", "-"}), terminal(400));
  const Finished finished = shown.wait();
  BOOST_TEST(finished.exit_code == 0);
  for (const char* movement : {"\x1b[K", "\x1b[J"}) BOOST_TEST(!holds(finished.out, movement), finished.out);
}

BOOST_AUTO_TEST_SUITE_END()
