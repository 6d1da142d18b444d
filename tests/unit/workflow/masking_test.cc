// journal/observers.h: no secret gets through, in one piece or in several.
#include "journal/observers.h"

#include <boost/test/unit_test.hpp>

#include "base/json_reader.h"
#include "base/secrets/encodings.h"
#include "reporting_support.h"
#include "support/text.h"

namespace masking_test {

using namespace wtool::host::journal;
using namespace wtool::host::runner;
using namespace wtool::host::workflow;
using namespace wtool::test;
using wtool::host::expressions::List;
using wtool::host::expressions::Map;
using wtool::host::expressions::to_json;
using wtool::host::expressions::Value;

namespace {

// Everything that an observer receives, as one text.
class Heard final : public RunObserver {
 public:
  std::string all;
  std::string out;
  void run_started(const RunStart& start) override {
    for (const auto& [name, value] : start.inputs) all += name + '=' + to_json(value) + '\n';
  }
  void output(const Step&, bool is_error_stream, std::string_view bytes) override {
    out += is_error_stream ? "E(" : "O(";
    out += std::string(bytes) + ')';
  }
  void logged(const Step&, LogAction::Level, std::string_view text) override { all += std::string(text) + '\n'; }
  void retrying(const Step&, const Outcome& outcome, std::chrono::milliseconds) override {
    all += outcome.message + '\n';
  }
  void state_ended(const Step&, const StepEnd& end) override {
    const Outcome& o = end.outcome;
    all += o.standard_output + o.standard_error + o.message + o.error + to_json(o.metadata) + to_json(o.variables) +
           to_json(o.matrix) + end.command + '\n';
    for (const auto& [name, value] : end.assigned) all += name + '=' + to_json(value) + '\n';
  }
  void noticed(std::string_view text) override { all += std::string(text) + '\n'; }
  void run_ended(const RunReport& report) override {
    all += report.reason;
    if (report.last) all += report.last->command + report.last->outcome.standard_error;
  }
};

struct Masked {
  Workflow workflow = made_workflow();
  Secrets secrets;
  Heard heard;
  Masking masking{secrets, heard};
  ToldRun run{workflow, masking};
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(nothing_is_changed_without_secrets, Masked) {
  Step step = run.enter("Build");
  masking.output(step, false, "hunt");
  masking.output(step, false, "er2");
  BOOST_TEST(heard.out == "O(hunt)O(er2)");
}

BOOST_FIXTURE_TEST_CASE(secrets_in_pieces_are_masked, Masked) {
  secrets.add("hunter2");
  Step step = run.enter("Build");
  masking.output(step, false, "the word is hun");
  masking.output(step, true, "hunt is something else, ");
  masking.output(step, false, "ter2, and hu");
  masking.output(step, true, "hunter");
  run.end(step);
  BOOST_TEST(heard.out == "O(the word is )E(hunt is something else, )O(***, and )O(hu)E(hunter)");
}

BOOST_FIXTURE_TEST_CASE(each_byte_by_itself_gives_nothing_away, Masked) {
  secrets.add("aab");
  secrets.add("abaab-longer");
  Step step = run.enter("Build");
  const std::string text = "xaabyabaab-longerzaaab";
  for (const char c : text) masking.output(step, false, std::string(1, c));
  run.end(step);
  std::string joined;
  for (const char c : heard.out) {
    if (c != 'O' && c != '(' && c != ')') joined += c;
  }
  BOOST_TEST(joined.find("aab") == std::string::npos);
  BOOST_TEST(joined.find("longer") == std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_secret_is_nowhere, Masked) {
  secrets.add("hunter2");
  secrets.add("4711");
  run.inputs.emplace("x", Value("hunter2"));
  run.start();
  Step step = run.enter("Build");
  masking.logged(step, LogAction::Level::info, "log hunter2");
  Outcome failed;
  failed.message = "retry hunter2";
  masking.retrying(step, failed, {});
  StepEnd end;
  end.command = "login hunter2";
  Outcome& o = end.outcome;
  o.standard_output = o.standard_error = o.message = o.error = "-hunter2-";
  Map map;
  map.text = "hunter2";
  map.fields.emplace("list", Value(List{Value("ok"), Value("hunter2"), Value(std::int64_t{4711})}));
  o.metadata = o.variables = Value(map);
  o.matrix = Value(List{Value(map)});
  end.assigned.emplace_back("v", Value(map));
  run.end(step, end);
  masking.noticed("notice hunter2");
  RunReport report;
  report.reason = "reason hunter2";
  report.last = LastStep{"Build", "login hunter2", o};
  masking.run_ended(report);
  BOOST_TEST(heard.all.find("hunter2") == std::string::npos);
  BOOST_TEST(heard.all.find("4711") == std::string::npos);
  BOOST_TEST(heard.all.find("login ***") != std::string::npos);
}

// Programs may print a secret in an encoding, and our own templates may quote it.
BOOST_AUTO_TEST_CASE(a_secret_is_masked_in_each_encoding) {
  Secrets secrets;
  secrets.add("hunter$2\"pa'ss&w\xc3\xb6rd\\");
  for (const char* text : {
           "hunter$2\"pa'ss&w\xc3\xb6rd\\",              // as it is
           "hunter\\$2\\\"pa'ss&w\xc3\xb6rd\\\\",        // in double quotes
           "hunter\\$2\"pa'ss&w\xc3\xb6rd\\\\",          // in a here-document
           "hunter$2\"pa'\\''ss&w\xc3\xb6rd\\",          // in single quotes
           "hunter\\$2\\\"pa\\'ss\\&w\xc3\xb6rd\\\\",    // printf %q
           "hunter$2\\\"pa'ss&w\xc3\xb6rd\\\\",          // JSON
           "hunter$2&quot;pa&#39;ss&amp;w\xc3\xb6rd\\",  // HTML
           "hunter%242%22pa%27ss%26w%C3%B6rd%5C",        // a URL
           "hunter%242%22pa%27ss%26w%c3%b6rd%5c",        // the same, in the other case
           "aHVudGVyJDIicGEnc3Mmd8O2cmRc",               // base64
       }) {
    BOOST_TEST(secrets.masked("a " + std::string(text) + " b") == "a *** b", text);
  }
  Secrets another;
  another.add("pa#ss wo~rd/\xc3\xa9\"x");
  for (const char* text : {
           "pa#ss\\ wo~rd/\xc3\xa9\\\"x",  // printf %q of bash
           "pa#ss wo~rd/\\u00e9\\\"x",     // JSON in ASCII
           "pa#ss wo~rd\\/\\u00e9\\\"x",   // JSON of PHP
           "pa%23ss%20wo~rd/%C3%A9%22x",   // a path of a URL
           "pa%23ss+wo~rd%2F%C3%A9%22x",   // a form
           "pa#ss wo~rd/\xc3\xa9&#34;x",   // HTML
       }) {
    BOOST_TEST(another.masked("a " + std::string(text) + " b") == "a *** b", text);
  }
  // A long value, wrapped at 76 columns.
  Secrets wrapped;
  const std::string value(100, 'k');
  wrapped.add(value);
  const std::string whole = wtool::secrets::base64(value);
  BOOST_TEST(wrapped.masked(whole.substr(0, 76) + "\n" + whole.substr(76)) == "***\n***");
  // base64 of other texts that contain it: "ci:" + it, "user:" + it + "\n", "x" + it
  for (const char* text : {"Y2k6aHVudGVyJDIicGEnc3Mmd8O2cmRc", "dXNlcjpodW50ZXIkMiJwYSdzcyZ3w7ZyZFwK",
                           "eGh1bnRlciQyInBhJ3NzJnfDtnJkXA=="}) {
    const std::string masked = secrets.masked(text);
    BOOST_TEST(masked.find("***") != std::string::npos, text);
    BOOST_TEST(masked.size() < 20U, masked);
  }
  // base64 with the alphabet for URLs.
  Secrets other;
  other.add("\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8");
  BOOST_TEST(other.masked("__79_Pv6-fg=") == "***");
}

BOOST_AUTO_TEST_CASE(a_part_of_a_secret_beside_what_was_left_out_is_masked) {
  Secrets secrets;
  secrets.add("huntertwopassword");
  const std::string gap = "\n[... 4711 bytes left out ...]\n";
  BOOST_TEST(secrets.masked("a huntertwopasswor" + gap + "wopassword b") == "a ***" + gap + "*** b");
  BOOST_TEST(secrets.masked("a huntertwopassword" + gap + "huntertwopassword") == "a ***" + gap + "***");
  BOOST_TEST(secrets.masked("plain" + gap + "plain") == "plain" + gap + "plain");
  BOOST_TEST(secrets.masked("a hunter\n[... some bytes left out ...]\n") ==
             "a hunter\n[... some bytes left out ...]\n");
}

BOOST_AUTO_TEST_CASE(the_beginning_of_a_long_secret_in_a_message_is_masked) {
  Secrets secrets;
  const std::string secret = "hunter2\"" + std::string(300, 'x');
  secrets.add(secret);
  const std::string quoted = wtool::host::expressions::quoted_for_message(secret);
  BOOST_TEST(secrets.masked("Wait " + quoted + " seconds") == "Wait \"***...\" seconds");
  const std::string shown = wtool::show_json(nlohmann::json(secret));
  BOOST_TEST(!holds(secrets.masked("got " + shown), "hunter2"), shown);
  const std::string excerpt = wtool::excerpt(nlohmann::json(secret));
  BOOST_TEST(!holds(secrets.masked("/token is " + excerpt + ", but"), "hunter2"), excerpt);
  BOOST_TEST(secrets.masked("a... (b) and \"c...\"") == "a... (b) and \"c...\"");
}

// One of the forms of every secret begins or ends with some letter before or after the dots.
BOOST_AUTO_TEST_CASE(dots_in_ordinary_output_mask_nothing) {
  Secrets secrets;
  secrets.add("github_pat_012345678901234567890123456789x");
  for (const std::string text : {"{\"msg\":\"Loading...\"}", "digith...\"x", "reading... (12 bytes)x"}) {
    BOOST_TEST(secrets.masked(text) == text);
  }
}

BOOST_AUTO_TEST_CASE(values_without_secrets_stay_what_they_are) {
  Secrets secrets;
  secrets.add("hunter2");
  Outcome outcome;
  Map map;
  map.fields.emplace("number", Value(2.0));
  outcome.metadata = Value(map);
  bool changed = false;
  const Outcome same = masked(outcome, secrets, changed);
  BOOST_TEST(!changed);
  BOOST_TEST(same.metadata.as_map() == outcome.metadata.as_map());
  outcome.message = "hunter2";
  masked(outcome, secrets, changed);
  BOOST_TEST(changed);
}

BOOST_AUTO_TEST_CASE(a_secret_deep_in_a_value_is_masked_whatever_follows_it) {
  Secrets secrets;
  secrets.add("hunter2");
  const Value plain(List{Value("ok")});
  Map inner;
  inner.fields.emplace("a", Value("hunter2"));
  inner.fields.emplace("b", Value("ok"));
  Map map;
  map.fields.emplace("a", Value(List{Value(List{Value("hunter2")}), plain, Value(inner), Value(Map())}));
  map.fields.emplace("b", plain);
  Outcome outcome;
  outcome.metadata = Value(map);
  bool changed = false;
  const Outcome safe = masked(outcome, secrets, changed);
  BOOST_TEST(changed);
  BOOST_TEST(to_json(safe.metadata) == R"({"a":[["***"],["ok"],{"a":"***","b":"ok"},{}],"b":["ok"]})");
}

BOOST_AUTO_TEST_CASE(several_observers_hear_the_same) {
  const Workflow workflow = made_workflow();
  Heard first;
  Heard second;
  Observers both({&first, nullptr, &second});
  ToldRun run(workflow, both);
  run.start();
  run.visit("Build", "out");
  both.noticed("n");
  run.finish();
  BOOST_TEST(first.all == second.all);
  BOOST_TEST(!first.all.empty());
}

}  // namespace masking_test
