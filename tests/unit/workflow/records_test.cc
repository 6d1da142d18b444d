// journal/json_value.h and record.h: what happens is recorded, and can be read back.
#include "journal/record.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

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
  for (const char* bad : {"", "2026-11-21T23:15:02Z", "2026-13-21T23:15:02.045Z", "2026-11-21 23:15:02.045Z",
                          "9999-11-21T23:15:02.045Z", "0001-01-01T00:00:00.000Z"}) {
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
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t newline = lines.find('\n', at);
    BOOST_TEST(reader.take(std::string_view(lines).substr(at, newline - at)) == "");
    at = newline + 1;
  }
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
  start.on = "cluster";
  start.jobs = "wtool-r1";
  append_run_started(lines, some_time, start, "/somewhere");
  append_state_started(lines, some_time, step, &root);
  append_node(lines, some_time, step, &root, {.state = "started", .node = "node7", .job = "4711"});
  BOOST_TEST(lines.find(R"("node":"node7","job":"4711")") != std::string::npos, lines);
  RecordReader reader;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t newline = lines.find('\n', at);
    BOOST_TEST(reader.take(std::string_view(lines).substr(at, newline - at)) == "");
    at = newline + 1;
  }
  BOOST_TEST(reader.take(R"({"v":1,"type":"node","time":"2026-11-21T23:15:02.123Z","node":"x"})") != "");
  const RunRecord run = reader.finish();
  BOOST_TEST(run.on == "cluster");
  BOOST_TEST(run.jobs == "wtool-r1");
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
