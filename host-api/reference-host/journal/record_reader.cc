#include <algorithm>
#include <cstdlib>

#include "base/hex.h"
#include "base/json.h"
#include "base/json_members.h"
#include "base/json_reader.h"
#include "journal/record.h"

namespace wtool::host::journal {
namespace {

using nlohmann::json;
using runner::Outcome;
using runner::RunReport;
using runner::Step;
using runner::StepEnd;
using runner::WholeOutput;
using std::chrono::steady_clock;
using workflow::LogAction;

// A field of the wrong type is treated as missing, so that the rest of the record is still shown.
std::int64_t number_at(const json& record, const char* key, std::int64_t missing = 0) {
  const auto found = record.find(key);
  return found != record.end() && found->is_number_integer() ? found->get<std::int64_t>() : missing;
}

bool flag_at(const json& record, const char* key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_boolean() && found->get<bool>();
}

// The bytes of a path: those of the field NAME_hex, if the record has it.
std::string path_at(const json& record, const std::string& name) {
  const std::string hex = text_member(record, (name + "_hex").c_str());
  std::string path;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
    const int high = hex_value(hex[at]);
    const int low = hex_value(hex[at + 1]);
    if (high < 0 || low < 0) return text_member(record, name.c_str());
    path += static_cast<char>(high * 16 + low);
  }
  return path.empty() ? text_member(record, name.c_str()) : path;
}

// A field that may be missing, and is then neither true nor false.
std::optional<bool> choice_at(const json& record, const char* key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_boolean() ? std::optional(found->get<bool>()) : std::nullopt;
}

// No step and no part of a run takes longer than this (370 days). With the limit, sums of times from a forged journal
// cannot overflow.
constexpr std::chrono::milliseconds max_part{32'000'000'000};
constexpr std::chrono::milliseconds max_earlier_parts{100 * max_part};

steady_clock::duration duration_at(const json& record, const char* key) {
  const auto found = record.find(key);
  if (found == record.end() || !found->is_number()) return {};
  const double ms = found->get<double>();
  if (!(ms >= 0 && ms < static_cast<double>(max_part.count()))) return {};
  return std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double, std::milli>(ms));
}

steady_clock::duration between(Moment begin, Moment end) {
  return std::clamp<steady_clock::duration>(end - begin, steady_clock::duration::zero(), max_part);
}

expressions::Value value_at(const json& record, const char* key) {
  const auto found = record.find(key);
  if (found == record.end()) return {};
  return value_from_json(*found).value_or(expressions::Value());
}

std::map<std::string, expressions::Value> values_at(const json& object) {
  std::map<std::string, expressions::Value> values;
  for (const auto& [name, value] : object.items()) {
    values.insert_or_assign(name, value_from_json(value).value_or(expressions::Value()));
  }
  return values;
}

std::vector<std::string> texts_at(const json& record, const char* key) {
  std::vector<std::string> texts;
  const auto found = record.find(key);
  if (found == record.end() || !found->is_array()) return texts;
  for (const json& one : *found) {
    if (one.is_string()) texts.push_back(one.get<std::string>());
  }
  return texts;
}

std::optional<StepPlace> place_at(const json& record) {
  const auto branch = record.find("branch");
  const std::int64_t sequence = number_at(record, "seq");
  if (branch == record.end() || !branch->is_string() || sequence <= 0) return std::nullopt;
  return StepPlace{branch->get<std::string>(), static_cast<std::uint64_t>(sequence)};
}

std::optional<Step::Status> status_of_step(std::string_view text) {
  for (const auto status : {Step::Status::succeeded, Step::Status::failed, Step::Status::aborted}) {
    if (text == word(status)) return status;
  }
  if (text == waiting_word) return Step::Status::aborted;  // in events
  // The status of a state without an action.
  return text == "passed" ? std::optional(Step::Status::succeeded) : std::nullopt;
}

std::optional<RunReport::Status> status_of_run(std::string_view text) {
  for (const auto status : {RunReport::Status::completed, RunReport::Status::failed, RunReport::Status::aborted,
                            RunReport::Status::suspended}) {
    if (text == word(status)) return status;
  }
  return std::nullopt;
}

LogAction::Level level_at(const json& record) {
  const std::string text = text_member(record, "level");
  if (text == word(LogAction::Level::error)) return LogAction::Level::error;
  return text == word(LogAction::Level::warning) ? LogAction::Level::warning : LogAction::Level::info;
}

// `file` is only a name here; read_journal() adds the folder.
WholeOutput whole_at(const json& outcome, const char* name) {
  WholeOutput whole;
  const auto found = outcome.find(name);
  if (found == outcome.end() || !found->is_object()) return whole;
  whole.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(number_at(*found, "bytes"), 0));
  whole.cut = flag_at(*found, "cut");
  whole.lossy = flag_at(*found, "lossy");
  whole.wanted = flag_at(*found, "wanted");
  whole.file = text_member(*found, "file");
  whole.sha256 = text_member(*found, "sha256");
  whole.trouble = text_member(*found, "trouble");
  return whole;
}

Outcome outcome_at(const json& record) {
  Outcome outcome;
  outcome.exit_code = number_at(record, "exit_code");
  const auto found = record.find("outcome");
  if (found == record.end() || !found->is_object()) return outcome;
  outcome.exit_code = number_at(*found, "exit_code", outcome.exit_code);
  outcome.is_error = flag_at(*found, "is_error");
  outcome.aborted = flag_at(*found, "aborted");
  outcome.error = text_member(*found, "error");
  outcome.duration_ms = number_at(*found, "duration_ms");
  outcome.standard_output = text_member(*found, "stdout");
  outcome.standard_error = text_member(*found, "stderr");
  outcome.whole_output = whole_at(*found, "stdout_whole");
  outcome.whole_error = whole_at(*found, "stderr_whole");
  outcome.message = text_member(*found, "message");
  outcome.metadata = value_at(*found, "metadata");
  if (const auto flag = found->find("metadata_has_outputs"); flag != found->end() && flag->is_boolean() && *flag) {
    expressions::Map whole = outcome.metadata.as_map() == nullptr ? expressions::Map{} : *outcome.metadata.as_map();
    whole.fields.insert_or_assign("stdout", expressions::Value(outcome.standard_output));
    whole.fields.insert_or_assign("stderr", expressions::Value(outcome.standard_error));
    outcome.metadata = expressions::Value(std::move(whole));
  }
  outcome.variables = value_at(*found, "variables");
  outcome.answer = value_at(*found, "answer");
  outcome.matrix = value_at(*found, "matrix");
  return outcome;
}

std::vector<runner::KeptFile> kept_files_at(const json& record) {
  std::vector<runner::KeptFile> files;
  const auto found = record.find("kept_files");
  if (found == record.end() || !found->is_array()) return files;
  for (const json& one : *found) {
    if (!one.is_object()) continue;
    files.push_back({text_member(one, "path"), text_member(one, "copy"),
                     static_cast<std::uint64_t>(std::max<std::int64_t>(0, number_at(one, "bytes")))});
  }
  return files;
}

std::vector<runner::MadeFile> made_files_at(const json& record) {
  std::vector<runner::MadeFile> files;
  const auto found = record.find("made_files");
  if (found == record.end() || !found->is_array()) return files;
  for (const json& one : *found) {
    if (one.is_object()) files.push_back({text_member(one, "path"), text_member(one, "sha256")});
  }
  return files;
}

StepEnd end_at(const json& record) {
  StepEnd end;
  end.outcome = outcome_at(record);
  end.command = text_member(record, "command");
  end.result_name = text_member(record, "result");
  end.secret = flag_at(record, "secret");
  end.ends_workflow = flag_at(record, "ends_workflow");
  end.transitioned = flag_at(record, "went_on");
  end.failed_before = text_member(record, "failed_before");
  end.next = texts_at(record, "next");
  const auto set = record.find("set");
  if (set == record.end() || !set->is_object()) return end;
  for (const auto& [name, value] : set->items()) {
    end.assigned.emplace_back(name, value_from_json(value).value_or(expressions::Value()));
  }
  return end;
}

runner::PastCall call_at(const json& record) {
  runner::PastCall call{text_member(record, "state"), text_member(record, "name"), {}};
  if (const auto inputs = record.find("inputs"); inputs != record.end() && inputs->is_object()) {
    call.inputs.values = values_at(*inputs);
  }
  call.inputs.unknown = texts_at(record, "secret_inputs");
  for (std::string& name : texts_at(record, "masked_inputs")) call.inputs.unknown.push_back(std::move(name));
  return call;
}

runner::Usage usage_at(const json& record) {
  const auto cost = record.find("cost");
  return {number_at(record, "calls"), number_at(record, "tokens"),
          cost != record.end() && cost->is_number() ? cost->get<double>() : 0,
          std::chrono::milliseconds(number_at(record, "time_ms"))};
}

// True if a record of this type is read only with the place of its step.
bool is_about_a_step(std::string_view type) {
  constexpr std::string_view types[] = {"state_started", "state_ended", "workflow_started", "node", "retry", "usage"};
  return std::find(std::begin(types), std::end(types), type) != std::end(types);
}

// Whether the resumed run takes another path from here on: the record names another state than the earlier step at this
// place, or another action (runner::Run::past).
bool leaves_earlier_path(const StepRecord& earlier, const json& record) {
  const auto before = known_action(earlier.action, earlier.action_sha256);
  const auto now = known_action(text_member(record, "action"), text_member(record, "action_sha256"));
  return earlier.state != text_member(record, "state") || (before && now && *before != *now);
}

// In a resumed run, a step that contains others begins again, after those of them that are kept. Puts it before them, as
// it was at first.
void put_before_contents(std::vector<StepRecord>& steps) {
  runner::ByPlace<std::size_t> first_inside;  // by the place of the step that contains them
  for (std::size_t i = 0; i < steps.size(); ++i) {
    auto above = parent_of(steps[i].place.branch);
    while (above && first_inside.try_emplace(*above, i).second) above = parent_of(above->branch);
  }
  std::vector<std::pair<std::size_t, std::size_t>> order;  // the place in the order, and the index of the step
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto inside = first_inside.find(steps[i].place);
    const bool is_late = inside != first_inside.end() && inside->second < i;
    order.emplace_back(is_late ? 2 * inside->second : 2 * i + 1, i);
  }
  std::sort(order.begin(), order.end());
  std::vector<StepRecord> ordered;
  ordered.reserve(steps.size());
  for (const auto& [ignored, index] : order) ordered.push_back(std::move(steps[index]));
  steps = std::move(ordered);
}

}  // namespace

std::string RecordReader::take(std::string_view line) {
  const json record = parse_json(line);
  if (!record.is_object()) return "it is not a JSON object";
  const std::int64_t version = number_at(record, "v", -1);
  if (version > record_version) {
    newer_ = true;
    return "it is a record of version " + std::to_string(version) + ", but this wtool reads version " +
           std::to_string(record_version) + "; use the wtool that wrote it, or a later one";
  }
  if (version < 1) return "it has no version \"v\", so it is not the record of a run";
  return take_record(record);
}

std::string RecordReader::take_record(const json& record) {
  const auto at = time_from_text(text_member(record, "time"));
  if (!at) return "it has no \"time\" such as 2026-11-21T23:15:02.123Z";
  const std::string type = text_member(record, "type");
  if (type == "run_started") {
    if (begun_) return "the run begins here a second time";
    start(record, *at);
    return {};
  }
  if (!begun_)
    return "a journal begins with the record run_started, but the type of this record is " +
           (type.empty() ? std::string("missing") : type);
  if (type == "run_resumed") {
    resume(record, *at);
    return {};
  }
  newest_ = *at;
  ++lines_;
  if (!is_about_a_step(type)) return take_run_record(type, record, *at);
  const auto place = place_at(record);
  if (!place) return "it has no \"branch\" and \"seq\" that identify its step";
  return take_step_record(type, record, *place, *at);
}

std::string RecordReader::take_run_record(const std::string& type, const json& record, Moment at) {
  if (type == "run_ended") {
    if (!status_of_run(text_member(record, "status"))) return "it has no \"status\" with which a run can end";
    end(record);
  } else if (type == "notice") {
    run_.logs.push_back({at, 0, LogAction::Level::warning, text_member(record, "text"), lines_});
  } else if (type == "log") {
    run_.logs.push_back({at, number_of(record), level_at(record), text_member(record, "text"), lines_});
  } else if (type == "service") {
    run_.logs.push_back(service_log(at, number_of(record), text_member(record, "event"), flag_at(record, "failed"),
                                    text_member(record, "message")));
    run_.logs.back().line = lines_;
  } else if (type == "past_forgotten") {
    forget_past(record);
  } else if (type == "branches_forgotten") {
    const std::string beginning = text_member(record, "beginning");
    drop_if([&](const StepRecord& step) {
      const std::string& branch = step.place.branch;
      return branch.starts_with(beginning) ||
             (beginning.size() == branch.size() + 1 && beginning.back() == '/' && beginning.starts_with(branch));
    });
  }
  return {};
}

std::string RecordReader::take_step_record(const std::string& type, const json& record, const StepPlace& place,
                                           Moment at) {
  if (type == "state_started") {
    step_of(record, place, true, at);
  } else if (type == "state_ended") {
    const auto status = status_of_step(text_member(record, "status"));
    if (!status) return "it has no \"status\" with which a step can end";
    end_step(step_of(record, place, false, at), *status, record);
  } else if (type == "workflow_started") {
    step_of(record, place, false, at).call = call_at(record);
  } else if (type == "node") {
    step_of(record, place, false, at).node = text_member(record, "node");
  } else if (type == "retry") {
    // The next try runs all steps inside again. Those that it does not reach must not be taken by a resumed run.
    StepRecord& step = step_of(record, place, false, at);
    step.earlier_tries.push_back(outcome_at(record));
    if (step.action == "workflow") {
      drop_if([&](const StepRecord& inner) { return is_inside(inner.place.branch, place); });
    }
  } else {
    run_.usage.emplace_back(place, usage_at(record));
  }
  return {};
}

void RecordReader::end_step(StepRecord& step, Step::Status status, const json& record) {
  step.status = status;
  step.exit_code = number_at(record, "exit_code");
  step.tries = static_cast<int>(number_at(record, "tries", 1));
  step.replayed = flag_at(record, "replayed");
  step.masked = flag_at(record, "masked");
  step.up_to_date = flag_at(record, "up_to_date");
  step.took = duration_at(record, "ms");
  step.kept_files = kept_files_at(record);
  step.made_files = made_files_at(record);
  for (const runner::MadeFile& file : step.made_files) run_.dropped_files.erase(file.path);
  step.end = end_at(record);
  step.line = lines_;
  if (run_.resumed > 0) drop_former_combinations(step);
}

std::uint64_t RecordReader::number_of(const json& record) {
  const std::int64_t written = number_at(record, "step");
  if (written <= 0) return 0;
  const std::uint64_t number = numbers_before_ + static_cast<std::uint64_t>(written);
  highest_number_ = std::max(highest_number_, number);
  return number;
}

void RecordReader::drop(std::size_t index) {
  gone_[index] = true;
  for (const runner::MadeFile& file : run_.steps[index].made_files) run_.dropped_files.insert(file.path);
}

// In an earlier part, the matrix may have had more combinations.
void RecordReader::drop_former_combinations(const StepRecord& step) {
  const expressions::List* combinations = step.end.outcome.matrix.as_list();
  if (combinations == nullptr) return;
  const std::size_t count = combinations->size();
  const std::string below = runner::beginning_inside(step.place);
  drop_if([&](const StepRecord& other) {
    const std::string& branch = other.place.branch;
    return branch.starts_with(below) && std::strtoul(branch.c_str() + below.size(), nullptr, 10) > count;
  });
}

template <class Test>
void RecordReader::drop_if(const Test& test) {
  for (std::size_t i = 0; i < run_.steps.size(); ++i) {
    if (gone_[i] || !test(run_.steps[i])) continue;
    drop(i);
    index_.erase(run_.steps[i].place);
  }
}

void RecordReader::drop_earlier_steps_from(const StepPlace& place) {
  drop_if([&](const StepRecord& step) { return is_of_earlier_part(step) && follows(place, step.place); });
}

// Drops all steps of earlier parts except those that the record names as kept, with what is inside them.
void RecordReader::forget_past(const json& record) {
  runner::Places kept;
  if (const auto found = record.find("kept"); found != record.end() && found->is_array()) {
    for (const json& one : *found) {
      if (const auto place = place_at(one)) kept.insert(*place);
    }
  }
  const auto is_kept_as_a_whole = [&](const StepPlace& place) {
    const auto found = index_.find(place);
    // The steps inside a fork are kept one by one.
    return kept.contains(place) && found != index_.end() && !run_.steps[found->second].action.empty();
  };
  drop_if([&](const StepRecord& step) {
    if (!is_of_earlier_part(step) || kept.contains(step.place)) return false;
    for (auto above = parent_of(step.place.branch); above; above = parent_of(above->branch)) {
      if (is_kept_as_a_whole(*above)) return false;
    }
    return true;
  });
}

StepRecord& RecordReader::step_of(const json& record, const StepPlace& place, bool begins, Moment at) {
  const auto found = index_.find(place);
  // If the record of a step's beginning is missing, its end still makes a step.
  if (!begins && found != index_.end()) return run_.steps[found->second];
  if (found != index_.end()) {
    drop(found->second);
    if (text_member(record, "action") == "workflow") {
      drop_if([&](const StepRecord& step) {
        const std::string& branch = step.place.branch;
        return is_inside(branch, place) &&
               runner::is_in_last_states(std::string_view(branch).substr(place.branch.size() + 1));
      });
    }
    if (leaves_earlier_path(run_.steps[found->second], record)) drop_earlier_steps_from(place);
  }
  index_[place] = run_.steps.size();
  gone_.push_back(false);
  StepRecord& step = run_.steps.emplace_back();
  step.number = number_of(record);
  step.part = static_cast<std::size_t>(run_.resumed);
  step.place = place;
  step.workflow = text_member(record, "workflow");
  step.state = text_member(record, "state");
  step.action = text_member(record, "action");
  step.action_sha256 = text_member(record, "action_sha256");
  step.hidden = flag_at(record, "hidden");
  step.began = at;
  return step;
}

void RecordReader::start(const json& record, Moment at) {
  begun_ = true;
  run_.run = text_member(record, "run");
  run_.name = text_member(record, "name");
  run_.file = path_at(record, "file");
  run_.directory = path_at(record, "directory");
  run_.pid_namespace = number_at(record, "pid_namespace");
  begin_part(record);
  run_.began = part_began_ = newest_ = at;
}

void RecordReader::begin_part(const json& record) {
  run_.host = text_member(record, "host");
  run_.pid = number_at(record, "pid");
  read_settings(record);
  const auto inputs = record.find("inputs");
  if (inputs != record.end() && inputs->is_object()) {
    run_.inputs = values_at(*inputs);
    run_.secret_inputs = texts_at(record, "secret_inputs");
    run_.masked_inputs = texts_at(record, "masked_inputs");
  }
  PartRecord& part =
      run_.parts.emplace_back(PartRecord{text_member(record, "sha256"), {run_.inputs, run_.secret_inputs}});
  std::vector<std::string>& unknown = part.inputs.unknown;
  unknown.insert(unknown.end(), run_.masked_inputs.begin(), run_.masked_inputs.end());
}

void RecordReader::read_settings(const json& record) {
  runner::RunSettings& settings = run_.settings;
  settings.on = text_member(record, "on");
  settings.jobs = text_member(record, "jobs");
  settings.env_files = texts_at(record, "env_files");
  settings.part = {text_member(record, "until"), text_member(record, "only")};
  settings.fail_fast = choice_at(record, "fail_fast");
  settings.force = flag_at(record, "force");
  settings.server = flag_at(record, "server");
  settings.max_parallel = static_cast<std::size_t>(std::max<std::int64_t>(number_at(record, "max_parallel"), 0));
  // A run that was once under a policy stays under it, even if a person continues it.
  const auto policy = record.find("policy");
  if (policy == record.end() || !policy->is_object()) return;
  settings.policy = {text_member(*policy, "name"), text_member(*policy, "root"), flag_at(*policy, "network")};
}

void RecordReader::resume(const json& record, Moment at) {
  before_ = std::min<steady_clock::duration>(before_ + part_took(), max_earlier_parts);
  part_began_ = newest_ = at;
  numbers_before_ = highest_number_;
  ++run_.resumed;
  run_.status.reset();
  run_.reason.clear();
  run_.refused = run_.missed_until = false;
  begin_part(record);
  part_begins_ = run_.steps.size();
  std::optional<StepPlace> from;
  if (const auto found = record.find("from"); found != record.end() && found->is_object()) from = place_at(*found);
  if (from) drop_earlier_steps_from(*from);
  // They run again (runner::Run::past). Those of an inner workflow stay if the step that runs it is kept.
  drop_if([](const StepRecord& step) { return step.place.branch.starts_with(runner::last_states_beginning); });
  for (StepRecord& step : run_.steps) step.replayed = step.end.transitioned;
}

void RecordReader::end(const json& record) {
  // `wtool stop` ends a suspended run a second time. Only the first record says how long this part has taken.
  if (!run_.status) run_.took = duration_at(record, "ms");
  run_.status = status_of_run(text_member(record, "status"));
  run_.reason = text_member(record, "reason");
  run_.refused = flag_at(record, "refused");
  run_.missed_until = flag_at(record, "missed_until");
}

steady_clock::duration RecordReader::part_took() const {
  if (run_.status) return run_.took;
  return between(part_began_, newest_);
}

RunRecord RecordReader::finish(std::optional<Moment> runs_at) {
  if (runs_at && !run_.status) {
    newest_ = std::max(newest_, *runs_at);
    for (std::size_t i = part_begins_; i < run_.steps.size(); ++i) {
      StepRecord& step = run_.steps[i];
      if (step.status == Step::Status::running) step.took = between(step.began, newest_);
    }
  }
  run_.took = before_ + part_took();
  std::vector<StepRecord> steps;
  for (std::size_t i = 0; i < run_.steps.size(); ++i) {
    if (!gone_[i]) steps.push_back(std::move(run_.steps[i]));
  }
  // Parallel steps may be recorded in another order than that of their numbers, which the summary of the run follows.
  std::stable_sort(steps.begin(), steps.end(),
                   [](const StepRecord& one, const StepRecord& other) { return one.number < other.number; });
  if (run_.resumed > 0) put_before_contents(steps);
  run_.steps = std::move(steps);
  RunRecord done = std::move(run_);
  *this = {};
  return done;
}

}  // namespace wtool::host::journal
