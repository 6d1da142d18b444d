// The records of a run: the events of an observer, each as one JSON object on a line. Journals and files of events
// consist of such lines (docs/guide/runs.md has all fields):
//
//   {"v":1,"type":"run_started","time":"2026-11-21T23:15:02.123Z","run":"20261121-231502-3f9a","name":...,"sha256":...}
//   {"v":1,"type":"state_started","time":...,"step":1,"branch":"","seq":1,"state":"Build","action":"shell",
//    "action_sha256":"2c26b46b68ffc68f"}
//   {"v":1,"type":"state_ended","time":...,"step":1,"branch":"","seq":1,"state":"Build","status":"succeeded",
//    "ms":812.4,"exit_code":0,"tries":1,"outcome":{"stdout":"ok\n",...},"went_on":true,"next":["Test"]}
//   {"v":1,"type":"notice","time":...,"text":"no file matches \"dist/**\", so no file is kept for it"}
//   {"v":1,"type":"run_ended","time":...,"status":"completed","ms":2311.9}
//   {"v":1,"type":"run_resumed","time":...,"run":...,"from":{"branch":"","seq":2}}
//
// While a step runs, further records about it may follow. They begin like the record of its start:
//
//   {... "type":"node",...,"node":"node7","job":"4711"}          it runs on this node of a cluster
//   {... "type":"workflow_started",...,"name":"deploy","inputs":{"to":"test"}}  it runs this workflow
//   {... "type":"output",...,"stream":"stdout","text":"ok\n"}
//   {... "type":"log",...,"level":"info","text":"deploying"}      what a `Log` writes
//   {... "type":"service",...,"event":"ready","message":"after 20 ms"}
//   {... "type":"retry",...,"try":1,"wait_ms":500,"exit_code":7}  this try failed, and there will be another one
//   {... "type":"usage",...,"tokens":1200,"cost":0.02}            what a prompt used
//
// - `branch` and `seq` identify a step, in every process that runs a part of the run (runner/step_place.h).
// - A reader ignores unknown types and fields, and treats a field with an unexpected type as missing.
// - Values are as in json_value.h. Only the last line can be torn by a kill; it is then not a record.
//
// Each line is appended to a text that the caller reuses. So a record costs about a microsecond; a large output costs
// more.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "journal/json_value.h"
#include "journal/run_record.h"
#include "runner/run_observer.h"

namespace wtool::host::journal {

// Readers refuse records of a later version.
inline constexpr int record_version = 1;

// The workflow's name, or its title if it has none.
std::string_view name_of(const workflow::Workflow& workflow);

// The name of the step's workflow, for the records of the step; empty: the workflow is `root`.
std::string_view workflow_of(const runner::Step& step, const workflow::Workflow* root);

// "shell", "tool", "prompt", "workflow", "log", "set", "wait", "confirm", "abort", "approve", "service"; empty: the
// state has no action.
std::string_view action_word(const workflow::State& state);

// Each function appends one line with its newline. `root` is the workflow that was started. If a step belongs to
// another workflow, its records have the name of that workflow.
void append_run_started(std::string& out, Moment at, const runner::RunStart& start, std::string_view directory);
// `from` is the first step that --from has dropped; nullptr: no step was dropped.
void append_run_resumed(std::string& out, Moment at, const runner::RunStart& start, const StepPlace* from);
void append_state_started(std::string& out, Moment at, const runner::Step& step, const workflow::Workflow* root);
void append_workflow_started(std::string& out, Moment at, const runner::Step& step, const workflow::Workflow* root,
                             const runner::RunStart& start);
void append_node(std::string& out, Moment at, const runner::Step& step, const workflow::Workflow* root,
                 const CallState& state);
void append_output(std::string& out, Moment at, const runner::Step& step, const workflow::Workflow* root,
                   bool is_error_stream, std::string_view text);
void append_log(std::string& out, Moment at, const runner::Step& step, const workflow::Workflow* root,
                workflow::LogAction::Level level, std::string_view text);
void append_service(std::string& out, Moment at, const runner::Step& step, const workflow::Workflow* root,
                    const runner::ServiceEvent& event);
void append_retry(std::string& out, Moment at, const runner::Step& step, const workflow::Workflow* root,
                  const runner::Outcome& outcome, std::chrono::milliseconds wait);
// `masked`: a secret in the outcome or in what was set has been replaced, so the record is not exactly what the step
// returned. `waits`: for readers of events; the step waits for an approval, or contains one that does. In a journal,
// whose records every version of the program reads, such a step is aborted.
void append_state_ended(std::string& out, Moment at, const runner::Step& step, const workflow::Workflow* root,
                        const runner::StepEnd& end, bool masked = false, bool waits = false);
void append_usage(std::string& out, Moment at, const runner::Step& step, const workflow::Workflow* root,
                  const runner::Usage& usage);
void append_past_forgotten(std::string& out, Moment at, const std::vector<runner::StepPlace>& kept);
void append_branches_forgotten(std::string& out, Moment at, const std::string& beginning);
void append_notice(std::string& out, Moment at, std::string_view text);
void append_run_ended(std::string& out, Moment at, const runner::RunReport& report);

// Builds a RunRecord from the records of a run, one line at a time.
class RecordReader {
 public:
  // Reads a line, without its newline. Returns what is wrong with the line, which is then ignored; empty: it is valid.
  // Records of an unknown type are skipped.
  std::string take(std::string_view line);

  // True if a line had a later version, so that nothing after it can be understood; the text that take() returned says
  // so.
  bool newer() const { return newer_; }
  // True if the first record, which identifies the run, has been read.
  bool begun() const { return begun_; }

  // All that was read; afterwards, the reader is empty. `runs_at`: the run still runs at this moment, so the times of
  // the run and of its running steps are measured up to this moment, and not up to the newest record.
  RunRecord finish(std::optional<Moment> runs_at = {});

 private:
  std::string take_record(const nlohmann::json& record);
  std::string take_run_record(const std::string& type, const nlohmann::json& record, Moment at);
  std::string take_step_record(const std::string& type, const nlohmann::json& record, const StepPlace& place,
                               Moment at);
  void end_step(StepRecord& step, runner::Step::Status status, const nlohmann::json& record);
  void start(const nlohmann::json& record, Moment at);
  void resume(const nlohmann::json& record, Moment at);
  // What the records of a start and of a resumption have in common.
  void begin_part(const nlohmann::json& record);
  void read_settings(const nlohmann::json& record);
  void end(const nlohmann::json& record);
  // How long the part since the last start or resumption has taken.
  std::chrono::steady_clock::duration part_took() const;
  // The step at the place. Makes it if it is missing, or if the record says that a step `begins` there.
  StepRecord& step_of(const nlohmann::json& record, const StepPlace& place, bool begins, Moment at);
  bool is_of_earlier_part(const StepRecord& step) const { return step.part < static_cast<std::size_t>(run_.resumed); }
  void drop(std::size_t index);
  // Drops the steps for which `test` is true; they are as if they had never begun.
  template <class Test>
  void drop_if(const Test& test);
  void drop_former_combinations(const StepRecord& step);
  void forget_past(const nlohmann::json& record);
  // Drops the step at `place` and the steps that may depend on it (follows() in run_record.h), except those that have
  // begun since the run was last resumed.
  void drop_earlier_steps_from(const StepPlace& place);
  // The number of the step of the record. Each process of a run counts its steps from 1, so the highest number of the
  // earlier parts is added. 0: the record has no number.
  std::uint64_t number_of(const nlohmann::json& record);

  RunRecord run_;
  std::size_t part_begins_ = 0;  // how many of run_.steps are from before the run was last resumed
  std::vector<bool> gone_;  // by index of run_.steps: the step was replaced by a later one at its place, or dropped
  runner::ByPlace<std::size_t> index_;  // the indexes of run_.steps
  Moment part_began_;                   // when the run was last started or resumed
  Moment newest_;
  std::uint64_t lines_ = 0;                       // of records that were read
  std::chrono::steady_clock::duration before_{};  // how long the earlier parts took
  std::uint64_t numbers_before_ = 0;              // the highest number of a step in the earlier parts
  std::uint64_t highest_number_ = 0;
  bool begun_ = false;
  bool newer_ = false;
};

}  // namespace wtool::host::journal
