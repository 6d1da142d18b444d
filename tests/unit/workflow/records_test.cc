// journal/json_value.h and record.h: what happens is recorded, and can be read back.
#include "journal/record.h"

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/environment.h"
#include "base/sha256.h"
#include "journal/journal_reader.h"
#include "journal/run_record.h"
#include "reporting_support.h"

namespace records_test {

using namespace wtool::host::journal;
using namespace wtool::host::runner;
using namespace wtool::host::workflow;
using namespace wtool::test;
using nlohmann::json;
using wtool::host::expressions::List;
using wtool::host::expressions::Map;
using wtool::host::expressions::Value;

namespace {

std::string value_of(const Value& value) {
  std::string out;
  append_json_value(out, value);
  return out;
}

// Value, JSON, value and JSON again: only a loss that both JSON texts share goes unnoticed.
std::string there_and_back(const Value& value) {
  const auto back = value_from_json(json::parse(value_of(value)));
  BOOST_REQUIRE(back.has_value());
  BOOST_TEST(back->type_name() == value.type_name());
  return value_of(*back);
}

const Moment some_time = Moment(std::chrono::milliseconds(1'795'302'902'045));

void take_all(RecordReader& reader, std::string_view lines) {
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t newline = lines.find('\n', at);
    BOOST_TEST(reader.take(lines.substr(at, newline - at)) == "");
    at = newline + 1;
  }
}

RunRecord read_back(std::string_view lines) {
  RecordReader reader;
  take_all(reader, lines);
  return reader.finish();
}

Step made_step(const Workflow& workflow, std::size_t state, std::uint64_t number, const std::string& branch = "") {
  Step step;
  step.workflow = &workflow;
  step.state = state;
  step.number = step.sequence = number;
  step.branch = branch;
  step.status = Step::Status::succeeded;
  return step;
}

}  // namespace

BOOST_AUTO_TEST_CASE(values_survive_the_way_there_and_back) {
  Map as_text;
  as_text.text = "hello";
  as_text.fields.emplace("exit_code", Value(std::int64_t{3}));
  Map special;
  special.fields.emplace("$text", Value("not one"));
  special.fields.emplace("a", Value(1.0));
  for (const Value& value :
       {Value(), Value(true), Value(std::int64_t{5}), Value(5.0), Value(-0.0), Value(1e300), Value(0.1), Value("5"),
        Value(std::numeric_limits<std::int64_t>::min()), Value(std::numeric_limits<double>::infinity()),
        Value(std::nan("")), Value(List{Value("a"), Value(List{}), Value(Map{})}), Value(as_text), Value(special)}) {
    BOOST_TEST(there_and_back(value) == value_of(value));
  }
  BOOST_TEST(value_of(Value(5.0)) == "5.0");
  BOOST_TEST(value_of(Value(as_text)) == R"({"$text":"hello","fields":{"exit_code":3}})");
  BOOST_TEST(value_of(Value(special)) == R"({"$map":{"$text":"not one","a":1.0}})");
}

BOOST_AUTO_TEST_CASE(values_that_nobody_writes_are_refused) {
  for (const char* bad : {R"({"$text":1,"fields":{}})", R"({"$text":"x"})", R"({"$double":"one"})", R"({"$map":[]})"}) {
    BOOST_TEST(!value_from_json(json::parse(bad)).has_value());
  }
  BOOST_TEST(!value_from_json(json::parse(std::string(3000, '[') + std::string(3000, ']'))).has_value());
}

BOOST_AUTO_TEST_CASE(times_are_utc_with_milliseconds) {
  std::string out;
  append_json_time(out, some_time);
  BOOST_TEST(out == "\"2026-11-21T23:15:02.045Z\"");
  BOOST_TEST((time_from_text("2026-11-21T23:15:02.045Z") == some_time));
  for (const char* good : {"1970-01-01T00:00:00.000Z", "2261-12-31T23:59:59.999Z", "2028-02-29T10:20:30.405Z"}) {
    const auto time = time_from_text(good);
    BOOST_TEST_REQUIRE(time.has_value(), good);
    append_json_time(out = "", *time);
    BOOST_TEST(out == '"' + std::string(good) + '"');
  }
  for (const char* bad : {"", "2026-11-21T23:15:02Z", "2026-13-21T23:15:02.045Z", "2026-11-21 23:15:02.045Z",
                          "1969-12-31T23:59:59.999Z", "2262-01-01T00:00:00.000Z", "2026-02-29T23:15:02.045Z",
                          "2026-11-21T23:15:02.045Z0", "2026-11-21T23:15:02.0-5Z"}) {
    BOOST_TEST(!time_from_text(bad).has_value());
  }
}

BOOST_AUTO_TEST_CASE(branches_show_where_they_come_from) {
  BOOST_TEST((parent_of("/3:TaskA") == StepPlace{"", 3}));
  BOOST_TEST((parent_of("/3:a/b/2:deploy") == StepPlace{"/3:a/b", 2}));
  BOOST_TEST((parent_of("/5:2") == StepPlace{"", 5}));
  BOOST_TEST(!parent_of("").has_value());
  BOOST_TEST(!parent_of("/99999999999999999999:a").has_value());
  BOOST_TEST(!parent_of("/x:2").has_value());
  BOOST_TEST(branch_name("/3:TaskA/2:deploy") == "deploy");
}

BOOST_AUTO_TEST_CASE(what_follows_from_a_step) {
  const StepPlace from{"/3:A", 2};
  for (const StepPlace& place :
       {StepPlace{"/3:A", 2}, StepPlace{"/3:A", 3}, StepPlace{"/3:A/2:x", 1}, StepPlace{"/3:A/4:x/1:y", 1},
        StepPlace{"", 3}, StepPlace{"", 4}, StepPlace{"/4:B", 1}}) {
    BOOST_TEST(follows(from, place), place.branch << " " << place.sequence);
  }
  for (const StepPlace& place : {StepPlace{"/3:A", 1}, StepPlace{"/3:A/1:x", 7}, StepPlace{"", 2}, StepPlace{"/3:B", 1},
                                 StepPlace{"/3:B", 9}, StepPlace{"/3:B/3:A", 5}, StepPlace{"/2:A", 2}}) {
    BOOST_TEST(!follows(from, place), place.branch << " " << place.sequence);
  }
}

BOOST_AUTO_TEST_CASE(a_step_is_read_as_it_was_written) {
  const Workflow root = made_workflow("root");
  const Workflow other = made_workflow("deploy");
  Step step;
  step.number = 7;
  step.workflow = &other;
  step.state = 0;
  step.branch = "/3:deploy";
  step.sequence = 2;
  step.status = Step::Status::failed;
  step.exit_code = 124;
  step.tries = 3;
  step.took = std::chrono::microseconds(12'034'567);
  StepEnd end;
  end.command = "make 'x'";
  end.outcome.is_error = true;
  end.outcome.exit_code = 124;
  end.outcome.standard_output = "out\n\"quoted\"";
  end.outcome.standard_error = "err";
  end.outcome.message = "timed out";
  end.outcome.error = "timeout";
  end.outcome.duration_ms = 12'034;
  Map metadata;
  metadata.fields.emplace("ratio", Value(2.0));
  metadata.fields.emplace("stdout", Value(end.outcome.standard_output));
  metadata.fields.emplace("stderr", Value("err"));
  end.outcome.metadata = Value(metadata);
  end.outcome.matrix = Value(List{Value(std::int64_t{1})});
  end.assigned.emplace_back("na\"me", Value(std::int64_t{9}));
  end.result_name = "build";
  end.transitioned = true;
  end.next = {"Tell", "[*]"};

  std::string lines;
  RunStart start;
  start.run = "r1";
  start.workflow = &root;
  append_run_started(lines, some_time, start, "/somewhere");
  append_state_ended(lines, some_time, step, &root, end);
  RecordReader reader;
  take_all(reader, lines);
  const RunRecord run = reader.finish();
  BOOST_REQUIRE(run.steps.size() == 1U);
  const StepRecord& back = run.steps[0];
  BOOST_TEST(back.number == 7U);
  BOOST_TEST((back.place == StepPlace{"/3:deploy", 2}));
  BOOST_TEST(back.workflow == "deploy");
  BOOST_TEST(back.state == "Build");
  BOOST_TEST(back.action == "shell");
  BOOST_TEST((back.status == Step::Status::failed));
  BOOST_TEST(back.tries == 3);
  BOOST_TEST((back.took == step.took));
  const Outcome& outcome = back.end.outcome;
  BOOST_TEST(outcome.exit_code == 124);
  BOOST_TEST(outcome.is_error);
  BOOST_TEST(outcome.standard_output == end.outcome.standard_output);
  BOOST_TEST(outcome.standard_error == "err");
  BOOST_TEST(outcome.message == "timed out");
  BOOST_TEST(outcome.error == "timeout");
  BOOST_TEST(outcome.duration_ms == 12'034);
  BOOST_TEST(value_of(outcome.metadata) == R"({"ratio":2.0,"stderr":"err","stdout":"out\n\"quoted\""})");
  // Outputs may be large, and most tools return them twice; they are recorded once.
  BOOST_TEST(lines.find("quoted", lines.find("quoted") + 1) == std::string::npos);
  BOOST_TEST(value_of(outcome.matrix) == "[1]");
  BOOST_TEST(outcome.variables.is_null());
  BOOST_REQUIRE(back.end.assigned.size() == 1U);
  BOOST_TEST(back.end.assigned[0].first == "na\"me");
  BOOST_TEST(value_of(back.end.assigned[0].second) == "9");
  BOOST_TEST(back.end.command == "make 'x'");
  BOOST_TEST(back.end.result_name == "build");
  BOOST_TEST(back.end.transitioned);
  BOOST_TEST((back.end.next == end.next));
}

BOOST_AUTO_TEST_CASE(everything_about_a_run_is_read_as_it_was_written) {
  const Workflow root = made_workflow("root");
  const Source source("release.md", "# Release\n");
  RunStart start;
  start.run = "r1";
  start.name = "release";
  start.file = "release.md";
  start.workflow = &root;
  start.source = &source;
  start.inputs.emplace("a \"level\"", Value(std::int64_t{2}));
  start.inputs.emplace("name", Value("***"));
  start.masked_inputs = {"name", "other \"name\""};
  start.settings.on = "cluster";
  start.settings.jobs = "wtool-r1";
  start.settings.env_files = {"a.env", "b\".env"};
  start.settings.part.until = "Build";
  start.settings.part.only = "Tell";
  start.settings.policy = {"project", "/srv/project", true};
  std::string lines;
  append_run_started(lines, some_time, start, "/somewhere");
  const RunRecord run = read_back(lines);
  BOOST_TEST(run.run == "r1");
  BOOST_TEST(run.name == "release");
  BOOST_TEST(run.file == "release.md");
  BOOST_TEST(run.directory == "/somewhere");
  BOOST_TEST(run.sha256() == wtool::sha256(source.text()));
  BOOST_TEST(run.host == wtool::host_name());
  BOOST_TEST(run.pid == ::getpid());
  BOOST_TEST(run.pid_namespace == own_pid_namespace());
  BOOST_TEST(run.settings.on == "cluster");
  BOOST_TEST(run.settings.jobs == "wtool-r1");
  BOOST_TEST(run.settings.env_files == start.settings.env_files);
  BOOST_TEST(run.settings.part.until == "Build");
  BOOST_TEST(run.settings.part.only == "Tell");
  BOOST_TEST(run.settings.policy.name == "project");
  BOOST_TEST(run.settings.policy.root == "/srv/project");
  BOOST_TEST(run.settings.policy.network);
  BOOST_REQUIRE(run.inputs.size() == 2U);
  BOOST_TEST(value_of(run.inputs.at("a \"level\"")) == "2");
  BOOST_TEST(value_of(run.inputs.at("name")) == "\"***\"");
  BOOST_TEST(run.masked_inputs == start.masked_inputs);
  BOOST_TEST(run.secret_inputs.empty());
  BOOST_TEST((run.began == some_time));
  BOOST_TEST(run.resumed == 0);
  BOOST_TEST(!run.status.has_value());

  RunReport report;
  report.status = RunReport::Status::failed;
  report.reason = "the \"state\" failed";
  report.refused = true;
  report.took = std::chrono::microseconds(2'000'300);
  append_run_ended(lines, some_time, report);
  const RunRecord ended = read_back(lines);
  BOOST_TEST((ended.status == RunReport::Status::failed));
  BOOST_TEST(ended.reason == report.reason);
  BOOST_TEST(ended.refused);
  BOOST_TEST(!ended.missed_until);
  BOOST_TEST((ended.took == report.took));
  report.missed_until = true;
  append_run_ended(lines, some_time, report);
  BOOST_TEST(read_back(lines).missed_until);
}

BOOST_AUTO_TEST_CASE(paths_that_are_not_utf8_are_read_as_they_were_written) {
  const Workflow root = made_workflow("root");
  RunStart start;
  start.run = "r1";
  start.workflow = &root;
  for (const std::string path : {"caf\xe9", "\xff\x01\"\\xe9", "caf\u00e9"}) {
    start.file = path + "/a.md";
    std::string lines;
    append_run_started(lines, some_time, start, "/" + path);
    const RunRecord run = read_back(lines);
    BOOST_TEST(run.file == start.file);
    BOOST_TEST(run.directory == "/" + path);
  }
}

BOOST_AUTO_TEST_CASE(a_resumption_replaces_what_was_known_about_the_run_except_its_policy) {
  const Workflow root = made_workflow("root");
  RunStart start;
  start.run = "r1";
  start.workflow = &root;
  start.inputs.emplace("level", Value(std::int64_t{1}));
  start.inputs.emplace("old", Value(true));
  start.masked_inputs = {"old"};
  start.settings.on = start.settings.jobs = start.settings.part.until = start.settings.part.only = "before";
  start.settings.env_files = {"before.env"};
  start.settings.policy = {"read-only", "/srv", false};
  start.settings.server = true;
  std::string lines;
  append_run_started(lines, some_time, start, "/somewhere");
  BOOST_TEST(read_back(lines).settings.server);
  RunReport report;
  report.status = RunReport::Status::aborted;
  report.reason = "stopped";
  report.refused = report.missed_until = true;
  report.took = std::chrono::seconds(2);
  append_run_ended(lines, some_time, report);
  RunStart again;
  again.run = "r1";
  again.workflow = &root;
  again.resumed = true;
  again.inputs.emplace("level", Value(std::int64_t{2}));
  append_run_resumed(lines, some_time + std::chrono::hours(1), again, nullptr);
  const RunRecord run = read_back(lines);
  BOOST_TEST(run.resumed == 1);
  BOOST_TEST(!run.status.has_value());
  BOOST_TEST(run.reason == "");
  BOOST_TEST(!run.refused);
  BOOST_TEST(!run.missed_until);
  BOOST_TEST(run.settings.on == "");
  BOOST_TEST(run.settings.jobs == "");
  BOOST_TEST(run.settings.part.until == "");
  BOOST_TEST(run.settings.part.only == "");
  BOOST_TEST(run.settings.env_files.empty());
  BOOST_TEST(!run.settings.server);
  BOOST_REQUIRE(run.inputs.size() == 1U);
  BOOST_TEST(value_of(run.inputs.at("level")) == "2");
  BOOST_TEST(run.masked_inputs.empty());
  BOOST_TEST(run.settings.policy.name == "read-only");
  BOOST_TEST(run.settings.policy.root == "/srv");
  BOOST_TEST(!run.settings.policy.network);
  BOOST_TEST((run.began == some_time));
  BOOST_TEST((run.took == std::chrono::seconds(2)));

  again.settings.on = "cluster";
  again.settings.jobs = "j";
  again.settings.part.until = "Tell";
  again.settings.part.only = "Keep";
  again.settings.env_files = {"now.env"};
  again.settings.policy = {"project", "/", true};
  append_run_resumed(lines, some_time + std::chrono::hours(2), again, nullptr);
  const RunRecord third = read_back(lines);
  BOOST_TEST(third.resumed == 2);
  BOOST_TEST(third.settings.on == "cluster");
  BOOST_TEST(third.settings.jobs == "j");
  BOOST_TEST(third.settings.part.until == "Tell");
  BOOST_TEST(third.settings.part.only == "Keep");
  BOOST_TEST(third.settings.env_files == again.settings.env_files);
  BOOST_TEST(third.settings.policy.name == "project");
  BOOST_TEST(third.settings.policy.network);
}

BOOST_AUTO_TEST_CASE(everything_about_the_end_of_a_step_is_read_as_it_was_written) {
  Workflow root = made_workflow("root");
  root.states[0].hidden = true;
  root.states[0].action->sha256 = "0123";
  Step step = made_step(root, 0, 1);
  step.up_to_date = step.replayed = true;
  step.kept_files = {{"dist/a \"b\".txt", "kept/1", 12}, {"dist/c.txt", "kept/2", 0}};
  StepEnd end;
  end.ends_workflow = true;
  end.outcome.aborted = true;
  end.outcome.exit_code = 3;  // not that of the step
  end.outcome.variables = Value(Map{});
  end.outcome.answer = Value("yes");
  end.outcome.whole_output = {
      .bytes = 5'000'000'000, .cut = true, .wanted = true, .file = "/o/1.stdout", .sha256 = "ab"};
  end.outcome.whole_error = {.bytes = 7, .lossy = true, .trouble = "the disk was full"};
  std::string lines;
  RunStart start;
  start.workflow = &root;
  append_run_started(lines, some_time, start, "");
  append_state_started(lines, some_time + std::chrono::seconds(1), step, &root);
  const RunRecord running = read_back(lines);
  BOOST_REQUIRE(running.steps.size() == 1U);
  BOOST_TEST((running.steps[0].status == Step::Status::running));
  BOOST_TEST(running.steps[0].line == 0U);
  append_state_ended(lines, some_time + std::chrono::seconds(2), step, &root, end, true);
  const RunRecord run = read_back(lines);
  BOOST_REQUIRE(run.steps.size() == 1U);
  const StepRecord& back = run.steps[0];
  BOOST_TEST((back.began == some_time + std::chrono::seconds(1)));
  BOOST_TEST((back.status == Step::Status::succeeded));
  BOOST_TEST((back.place == StepPlace{"", 1}));
  BOOST_TEST(back.workflow == "");
  BOOST_TEST(back.action_sha256 == "0123");
  BOOST_TEST(back.exit_code == 0);
  BOOST_TEST(back.tries == 1);
  BOOST_TEST(back.hidden);
  BOOST_TEST(back.replayed);
  BOOST_TEST(back.up_to_date);
  BOOST_TEST(back.masked);
  BOOST_TEST(back.line == 2U);
  BOOST_REQUIRE(back.kept_files.size() == 2U);
  BOOST_TEST(back.kept_files[0].path == "dist/a \"b\".txt");
  BOOST_TEST(back.kept_files[0].copy == "kept/1");
  BOOST_TEST(back.kept_files[0].bytes == 12U);
  BOOST_TEST(back.kept_files[1].copy == "kept/2");
  BOOST_TEST(back.end.ends_workflow);
  BOOST_TEST(!back.end.secret);
  BOOST_TEST(!back.end.transitioned);
  BOOST_TEST(back.end.next.empty());
  const Outcome& outcome = back.end.outcome;
  BOOST_TEST(outcome.aborted);
  BOOST_TEST(!outcome.is_error);
  BOOST_TEST(outcome.exit_code == 3);
  BOOST_TEST(value_of(outcome.variables) == "{}");
  BOOST_TEST(value_of(outcome.answer) == "\"yes\"");
  BOOST_TEST(outcome.metadata.is_null());
  BOOST_TEST(outcome.whole_output.bytes == 5'000'000'000U);
  BOOST_TEST(outcome.whole_output.cut);
  BOOST_TEST(!outcome.whole_output.lossy);
  BOOST_TEST(outcome.whole_output.wanted);
  BOOST_TEST(outcome.whole_output.file == "1.stdout");
  BOOST_TEST(outcome.whole_output.sha256 == "ab");
  BOOST_TEST(outcome.whole_output.trouble == "");
  BOOST_TEST(outcome.whole_error.bytes == 7U);
  BOOST_TEST(!outcome.whole_error.cut);
  BOOST_TEST(outcome.whole_error.lossy);
  BOOST_TEST(!outcome.whole_error.wanted);
  BOOST_TEST(outcome.whole_error.trouble == "the disk was full");
}

BOOST_AUTO_TEST_CASE(what_happens_during_a_step_is_read_as_it_was_written) {
  const Workflow root = made_workflow("root");
  const Step step = made_step(root, 0, 1);
  std::string lines;
  RunStart start;
  start.workflow = &root;
  append_run_started(lines, some_time, start, "");
  append_state_started(lines, some_time, step, &root);
  using Level = LogAction::Level;
  for (const Level level : {Level::info, Level::warning, Level::error}) {
    append_log(lines, some_time, step, &root, level, "a \"text\"");
  }
  using Kind = ServiceEvent::Kind;
  append_service(lines, some_time, step, &root, {.kind = Kind::ready, .message = "on port 80"});
  append_service(lines, some_time, step, &root, {.kind = Kind::restarting, .failed = true, .message = "it ended"});
  append_service(lines, some_time, step, &root, {.kind = Kind::ended, .failed = true, .exit_code = 4});
  append_notice(lines, some_time, "look here");
  append_usage(lines, some_time, step, &root, {2, 300, 0.25, std::chrono::milliseconds(1500)});
  append_usage(lines, some_time, step, &root, {1, 0, 0, {}});
  Outcome failed;
  failed.is_error = true;
  failed.exit_code = 9;
  failed.message = "no answer";
  failed.standard_output = "half";
  append_retry(lines, some_time, step, &root, failed, std::chrono::seconds(2));
  const RunRecord run = read_back(lines);
  const std::pair<Level, std::string> logs[] = {{Level::info, "a \"text\""},
                                                {Level::warning, "a \"text\""},
                                                {Level::error, "a \"text\""},
                                                {Level::info, "service ready on port 80"},
                                                {Level::warning, "service restarting: it ended"},
                                                {Level::error, "service ended"},
                                                {Level::warning, "look here"}};
  BOOST_REQUIRE(run.logs.size() == std::size(logs));
  for (std::size_t i = 0; i < run.logs.size(); ++i) {
    BOOST_TEST((run.logs[i].level == logs[i].first), i);
    BOOST_TEST(run.logs[i].text == logs[i].second);
    BOOST_TEST(run.logs[i].step == (i < 6 ? 1U : 0U));
    BOOST_TEST(run.logs[i].line == i + 2);
    BOOST_TEST((run.logs[i].at == some_time));
  }
  BOOST_REQUIRE(run.usage.size() == 2U);
  BOOST_TEST((run.usage[0].first == StepPlace{"", 1}));
  const Usage all = total_usage(run);
  BOOST_TEST(all.calls == 3);
  BOOST_TEST(all.tokens == 300);
  BOOST_TEST(all.cost == 0.25);
  BOOST_TEST(all.time.count() == 1500);
  BOOST_REQUIRE(run.steps.size() == 1U);
  BOOST_REQUIRE(run.steps[0].earlier_tries.size() == 1U);
  const Outcome& tried = run.steps[0].earlier_tries[0];
  BOOST_TEST(tried.is_error);
  BOOST_TEST(tried.exit_code == 9);
  BOOST_TEST(tried.message == "no answer");
  BOOST_TEST(tried.standard_output == "half");
}

BOOST_AUTO_TEST_CASE(the_output_that_is_shown_is_that_of_its_stream_with_what_is_missing) {
  Outcome outcome;
  outcome.standard_output = "out";
  outcome.standard_error = "error";
  outcome.whole_error = {.bytes = 9, .cut = true, .trouble = "the disk was full"};
  const JournaledOutput out = stored_output(outcome, false, false);
  BOOST_TEST(out.text == "out");
  BOOST_TEST(out.whole);
  BOOST_TEST(out.notice == "");
  const JournaledOutput error = stored_output(outcome, true, false);
  BOOST_TEST(error.text == "error");
  BOOST_TEST(!error.whole);
  BOOST_TEST(error.notice ==
             "the command wrote 9 bytes, but only the first and the last bytes are shown here: the disk was full");
  const JournaledOutput masked = stored_output(outcome, false, true);
  BOOST_TEST(!masked.whole);
  BOOST_TEST(masked.notice == "secrets in it were replaced by ***");
}

BOOST_AUTO_TEST_CASE(records_that_belong_to_no_step_or_have_no_status_are_refused) {
  const auto wrong = [](const std::string& type, const std::string& rest) {
    RecordReader reader;
    reader.take(R"({"v":1,"type":"run_started","time":"2026-11-21T23:15:00.000Z"})");
    return reader.take(R"({"v":1,"type":")" + type + R"(","time":"2026-11-21T23:15:00.000Z")" + rest + "}");
  };
  for (const char* type : {"retry", "usage", "node", "state_started", "state_ended"}) {
    for (const char* place :
         {"", R"(,"branch":"")", R"(,"seq":1)", R"(,"branch":"","seq":0)", R"(,"branch":1,"seq":1)"}) {
      BOOST_TEST(wrong(type, place) == "it has no \"branch\" and \"seq\" that identify its step", type << place);
    }
  }
  const std::string place = R"(,"branch":"","seq":1)";
  BOOST_TEST(wrong("state_ended", place) == "it has no \"status\" with which a step can end");
  BOOST_TEST(wrong("state_ended", place + R"(,"status":"running")") != "");
  for (const char* status : {"succeeded", "failed", "aborted", "waiting", "passed"}) {
    BOOST_TEST(wrong("state_ended", place + R"(,"status":")" + status + "\"") == "");
  }
  BOOST_TEST(wrong("run_ended", "") == "it has no \"status\" with which a run can end");
  for (const char* status : {"completed", "failed", "aborted", "suspended"}) {
    BOOST_TEST(wrong("run_ended", R"(,"status":")" + std::string(status) + "\"") == "");
  }
  BOOST_TEST(wrong("run_started", "") == "the run begins here a second time");
  BOOST_TEST(wrong("something", "") == "");
  RecordReader reader;
  BOOST_TEST(reader.take(R"({"v":1,"type":"run_started"})") == "it has no \"time\" such as 2026-11-21T23:15:02.123Z");
}

BOOST_AUTO_TEST_CASE(the_node_of_a_step_and_the_jobs_of_a_run_are_read_back) {
  const Workflow root = made_workflow("root");
  Step step;
  step.number = 1;
  step.workflow = &root;
  step.state = 0;
  step.sequence = 1;
  std::string lines;
  RunStart start;
  start.run = "r1";
  start.workflow = &root;
  start.settings.on = "cluster";
  start.settings.jobs = "wtool-r1";
  append_run_started(lines, some_time, start, "/somewhere");
  append_state_started(lines, some_time, step, &root);
  append_node(lines, some_time, step, &root, {.state = "started", .node = "node7", .job = "4711"});
  BOOST_TEST(lines.find(R"("node":"node7","job":"4711")") != std::string::npos, lines);
  RecordReader reader;
  take_all(reader, lines);
  BOOST_TEST(reader.take(R"({"v":1,"type":"node","time":"2026-11-21T23:15:02.123Z","node":"x"})") != "");
  const RunRecord run = reader.finish();
  BOOST_TEST(run.settings.on == "cluster");
  BOOST_TEST(run.settings.jobs == "wtool-r1");
  BOOST_REQUIRE(run.steps.size() == 1U);
  BOOST_TEST(run.steps[0].node == "node7");
  BOOST_TEST((run.steps[0].status == Step::Status::running));
}

BOOST_AUTO_TEST_CASE(secret_outputs_and_inputs_are_left_out) {
  Workflow workflow = made_workflow();
  Parameter token;
  token.name = "token";
  token.secret = true;
  workflow.parameters.push_back(token);
  RunStart start;
  start.workflow = &workflow;
  start.inputs.emplace("token", Value("hunter2"));
  start.inputs.emplace("level", Value(std::int64_t{2}));
  std::string line;
  append_run_started(line, some_time, start, "");
  const json begun = json::parse(line);
  BOOST_TEST(begun["inputs"] == json::parse(R"({"level":2})"));
  BOOST_TEST(begun["secret_inputs"] == json::parse(R"(["token"])"));

  Step step;
  step.workflow = &workflow;
  step.state = 0;
  StepEnd end;
  end.secret = true;
  end.outcome.standard_output = end.outcome.standard_error = end.outcome.message = "hunter2";
  end.outcome.metadata = end.outcome.variables = end.outcome.matrix = Value("hunter2");
  end.assigned.emplace_back("x", Value("hunter2"));
  line.clear();
  append_state_ended(line, some_time, step, &workflow, end);
  BOOST_TEST(line.find("hunter2") == std::string::npos);
  BOOST_TEST(json::parse(line)["secret"] == true);
}

BOOST_AUTO_TEST_CASE(the_time_between_a_killed_run_and_its_resume_does_not_count) {
  RecordReader reader;
  for (const char* line : {R"({"v":1,"type":"run_started","time":"2026-11-21T23:15:00.000Z"})",
                           R"({"v":1,"type":"notice","time":"2026-11-21T23:15:02.000Z","text":"the last record"})",
                           R"({"v":1,"type":"run_resumed","time":"2026-11-22T23:15:00.000Z"})",
                           R"({"v":1,"type":"notice","time":"2026-11-22T23:15:03.000Z","text":"after it"})"}) {
    BOOST_TEST_REQUIRE(reader.take(line) == "");
  }
  BOOST_TEST((reader.finish().took == std::chrono::seconds(5)));
}

BOOST_AUTO_TEST_CASE(records_of_any_shape_are_read_or_refused) {
  // Every field in turn with every type: nothing may be taken for what it is not.
  const json record = {{"v", 1},
                       {"type", "state_ended"},
                       {"time", "2026-11-21T23:15:02.045Z"},
                       {"step", 1},
                       {"branch", "/1:A"},
                       {"seq", 1},
                       {"state", "A"},
                       {"status", "failed"},
                       {"ms", 1.5},
                       {"tries", 2},
                       {"outcome", {{"stdout", "x"}, {"metadata", {{"a", 1}}}}},
                       {"set", {{"a", 1}}},
                       {"next", {"B"}},
                       {"went_on", true}};
  const json begun = {{"v", 1}, {"type", "run_started"}, {"time", "2026-11-21T23:15:02.045Z"}, {"inputs", {{"a", 1}}}};
  const json resumed = {{"v", 1},
                        {"type", "run_resumed"},
                        {"time", "2026-11-21T23:15:02.045Z"},
                        {"from", {{"branch", "/1:A"}, {"seq", 1}}}};
  const json odd[] = {nullptr,
                      true,
                      -1,
                      1e300,
                      18446744073709551615ULL,
                      "",
                      "x",
                      json::array(),
                      json::array({1}),
                      json::object(),
                      {{"$text", 1}},
                      {{"x", {{"$map", 1}}}}};
  for (const json& one : {record, begun, resumed}) {
    for (const auto& [key, value] : one.items()) {
      for (const json& other : odd) {
        json changed = one;
        changed[key] = other;
        RecordReader reader;
        if (one != begun) BOOST_REQUIRE(reader.take(begun.dump()) == "");
        if (one == resumed) BOOST_REQUIRE(reader.take(record.dump()) == "");
        reader.take(changed.dump());
        reader.take(record.dump());
        BOOST_TEST(reader.finish().steps.size() <= 2U);
      }
    }
  }
}

}  // namespace records_test
