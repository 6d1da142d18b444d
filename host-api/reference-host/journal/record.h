// The records of a run: what an observer is told, each as one JSON object on a line of its own. docs/guide/runs.md
// describes them. A line is appended to a text that the caller uses again, so that a record costs about a microsecond.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "journal/json_value.h"
#include "journal/run_record.h"
#include "runner/run_observer.h"

namespace wtool::host::workflow {

// Readers refuse records of a later version.
inline constexpr int record_version = 1;

// The workflow's name, or its title where it has none.
std::string_view name_of(const Workflow& workflow);

// What a record of a step calls it, beside its place: the name of its workflow, or nothing where that is `root`.
std::string_view workflow_of(const Step& step, const Workflow* root);

// "shell", "tool", "prompt", "workflow", "log", "set", "wait", "confirm", "abort"; empty: the state has no action.
std::string_view action_word(const State& state);

// All append one line with its newline. `root` is the workflow that was started; steps of others name theirs.
void append_run_started(std::string& out, Moment at, const RunStart& start, std::string_view directory);
// `from` is what --from has dropped; null: nothing.
void append_run_resumed(std::string& out, Moment at, const RunStart& start, const StepPlace* from);
void append_state_started(std::string& out, Moment at, const Step& step, const Workflow* root);
void append_output(std::string& out, Moment at, const Step& step, const Workflow* root, bool is_error_stream,
                   std::string_view text);
void append_log(std::string& out, Moment at, const Step& step, const Workflow* root, LogAction::Level level,
                std::string_view text);
void append_retry(std::string& out, Moment at, const Step& step, const Workflow* root, const Outcome& outcome,
                  std::chrono::milliseconds wait);
// `masked`: a secret in the outcome or in what was set has been replaced, so that it is not what the step gave.
void append_state_ended(std::string& out, Moment at, const Step& step, const Workflow* root, const StepEnd& end,
                        bool masked = false);
void append_notice(std::string& out, Moment at, std::string_view text);
void append_run_ended(std::string& out, Moment at, const RunReport& report);

}  // namespace wtool::host::workflow
