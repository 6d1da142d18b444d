// The records of a run: the events of an observer, each as one JSON object on a line. Journals and files of events
// consist of such lines (docs/guide/runs.md has all fields):
//
//   {"v":1,"type":"run_started","time":"2026-11-21T23:15:02.123Z","run":"20261121-231502-3f9a","name":...,"sha256":...}
//   {"v":1,"type":"state_started","time":...,"step":1,"branch":"","seq":1,"state":"Build","action":"shell"}
//   {"v":1,"type":"state_ended","time":...,"step":1,"branch":"","seq":1,"state":"Build","status":"succeeded","ms":812.4,
//    "exit_code":0,"tries":1,"outcome":{"stdout":"ok\n",...},"went_on":true,"next":["Test"]}
//   {"v":1,"type":"run_ended","time":...,"status":"completed","ms":2311.9}
//
// - `branch` and `seq` identify a step, in every process that runs a part of the run (run_record.h, StepPlace).
// - A reader ignores unknown types and fields, and takes a field of another type for missing.
// - Values are as in json_value.h. Only the last line can be torn by a kill; it is then not a record.
//
// A line is appended to a text that the caller reuses, so that a record costs about a microsecond.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "journal/json_value.h"
#include "journal/run_record.h"
#include "runner/run_observer.h"

namespace wtool::host::journal {

// Readers refuse records of a later version.
inline constexpr int record_version = 1;

// The workflow's name, or its title if it has none.
std::string_view name_of(const workflow::Workflow& workflow);

// What a record of a step calls it, beside its place: the name of its workflow, or nothing where that is `root`.
std::string_view workflow_of(const runner::Step& step, const workflow::Workflow* root);

// "shell", "tool", "prompt", "workflow", "log", "set", "wait", "confirm", "abort"; empty: the state has no action.
std::string_view action_word(const workflow::State& state);

// Each appends one line with its newline. `root` is the workflow that was started; steps of other workflows name
// theirs.
void append_run_started(std::string& out, Moment at, const runner::RunStart& start, std::string_view directory);
// `from` is what --from has dropped; null: nothing.
void append_run_resumed(std::string& out, Moment at, const runner::RunStart& start, const StepPlace* from);
void append_state_started(std::string& out, Moment at, const runner::Step& step, const workflow::Workflow* root);
void append_output(std::string& out, Moment at, const runner::Step& step, const workflow::Workflow* root,
                   bool is_error_stream, std::string_view text);
void append_log(std::string& out, Moment at, const runner::Step& step, const workflow::Workflow* root,
                workflow::LogAction::Level level, std::string_view text);
void append_retry(std::string& out, Moment at, const runner::Step& step, const workflow::Workflow* root,
                  const runner::Outcome& outcome, std::chrono::milliseconds wait);
// `masked`: a secret in the outcome or in what was set has been replaced, so that it is not what the step gave.
void append_state_ended(std::string& out, Moment at, const runner::Step& step, const workflow::Workflow* root,
                        const runner::StepEnd& end, bool masked = false);
void append_notice(std::string& out, Moment at, std::string_view text);
void append_run_ended(std::string& out, Moment at, const runner::RunReport& report);

}  // namespace wtool::host::journal
