#include "journal/observers.h"

#include "runner/past_run.h"

namespace wtool::host::journal {
namespace {

using expressions::List;
using expressions::Map;
using expressions::Value;
using runner::Outcome;
using runner::RunReport;
using runner::RunStart;
using runner::Secrets;
using runner::Step;
using runner::StepEnd;

class RecordMasker {
 public:
  explicit RecordMasker(const Secrets& secrets) : secrets_(secrets) {}

  void hide(std::string& text) {
    std::string safe = secrets_.masked(text);
    if (safe == text) return;
    changed_ = true;
    text = std::move(safe);
  }

  void hide(Value& value) {
    if (const Map* map = value.as_map()) {
      Map copy = *map;
      const bool before = std::exchange(changed_, false);
      if (copy.text) hide(*copy.text);
      for (auto& [name, field] : copy.fields) hide(field);
      if (changed_) value = Value(std::move(copy));
      changed_ |= before;
    } else if (const List* list = value.as_list()) {
      List copy = *list;
      const bool before = std::exchange(changed_, false);
      for (Value& item : copy) hide(item);
      if (changed_) value = Value(std::move(copy));
      changed_ |= before;
    } else if (const std::string* text = value.as_text()) {
      std::string safe = secrets_.masked(*text);
      if (safe == *text) return;
      changed_ = true;
      value = Value(std::move(safe));
    } else if (value.as_int() != nullptr || value.as_double() != nullptr) {
      // A secret may consist of digits only.
      const std::string written = expressions::to_text(value);
      std::string safe = secrets_.masked(written);
      if (safe == written) return;
      changed_ = true;
      value = Value(std::move(safe));
    }
  }

  void hide(Outcome& outcome) {
    hide(outcome.standard_output);
    hide(outcome.standard_error);
    hide(outcome.message);
    hide(outcome.error);
    hide(outcome.metadata);
    hide(outcome.variables);
    hide(outcome.answer);
    hide(outcome.matrix);
  }

  bool changed() const { return changed_; }

 private:
  const Secrets& secrets_;
  bool changed_ = false;
};

}  // namespace

RunStart masked(const RunStart& start, const Secrets& secrets) {
  RunStart copy = start;
  RecordMasker masker(secrets);
  masker.hide(copy.name);
  // Secret inputs that need not be given again are removed before the masking, because after it, a secret could no
  // longer be compared with its default.
  if (copy.workflow != nullptr) {
    for (const workflow::Parameter& parameter : copy.workflow->parameters) {
      const auto found = copy.inputs.find(parameter.name);
      if (!parameter.secret || found == copy.inputs.end()) continue;
      if (!runner::must_be_given_again(parameter, found->second)) copy.inputs.erase(found);
    }
  }
  for (auto& [name, value] : copy.inputs) {
    RecordMasker of_input(secrets);
    of_input.hide(value);
    if (of_input.changed()) copy.masked_inputs.push_back(name);
  }
  return copy;
}

Outcome masked(const Outcome& outcome, const Secrets& secrets, bool& changed) {
  Outcome copy = outcome;
  RecordMasker masker(secrets);
  masker.hide(copy);
  changed |= masker.changed();
  return copy;
}

StepEnd masked(const StepEnd& end, const Secrets& secrets, bool& changed) {
  StepEnd copy = end;
  RecordMasker given(secrets);
  given.hide(copy.outcome);
  for (auto& [name, value] : copy.assigned) given.hide(value);
  changed |= given.changed();
  RecordMasker(secrets).hide(copy.command);
  RecordMasker(secrets).hide(copy.failed_before);
  return copy;
}

RunReport masked(const RunReport& report, const Secrets& secrets) {
  RunReport copy = report;
  RecordMasker masker(secrets);
  masker.hide(copy.reason);
  if (copy.last) {
    masker.hide(copy.last->command);
    masker.hide(copy.last->outcome);
  }
  return copy;
}

runner::ServiceEvent masked(const runner::ServiceEvent& event, const Secrets& secrets) {
  runner::ServiceEvent copy = event;
  RecordMasker(secrets).hide(copy.message);
  return copy;
}

void Masking::run_started(const RunStart& start) {
  secrets_.empty() ? next_.run_started(start) : next_.run_started(masked(start, secrets_));
}

void Masking::workflow_begun(const Step& step, const RunStart& start) {
  next_.workflow_begun(step, secrets_.empty() ? start : masked(start, secrets_));
}

void Masking::combination_begun(const std::string& branch, const Value& values) {
  if (secrets_.empty()) return next_.combination_begun(branch, values);
  Value safe = values;
  RecordMasker(secrets_).hide(safe);
  next_.combination_begun(branch, safe);
}

void Masking::output(const Step& step, bool is_error_stream, std::string_view bytes) {
  // Such an output becomes a known secret only when its step ends.
  if (gives_secrets(step)) return;
  if (secrets_.empty()) return next_.output(step, is_error_stream, bytes);
  const auto key = std::pair(step.number, is_error_stream);
  std::string text;
  {
    const std::lock_guard lock(mutex_);
    if (auto held = held_.extract(key)) text = std::move(held.mapped());
    text += bytes;
    const std::size_t cut = safe_cut(text);
    if (cut < text.size()) {
      held_.emplace(key, text.substr(cut));
      text.resize(cut);
    }
  }
  if (!text.empty()) next_.output(step, is_error_stream, secrets_.masked(text));
}

// The tail may be the beginning of one secret, but also the end of another one, which must not be cut in two.
std::size_t Masking::safe_cut(const std::string& text) const {
  std::size_t cut = text.size() - secrets_.undecided_tail(text);
  if (cut == text.size()) return cut;
  const std::string whole = secrets_.masked(text);
  while (cut > 0 && secrets_.masked(text.substr(0, cut)) + secrets_.masked(text.substr(cut)) != whole) --cut;
  return cut;
}

void Masking::release(const Step& step) {
  for (const bool is_error_stream : {false, true}) {
    std::string text;
    {
      const std::lock_guard lock(mutex_);
      auto held = held_.extract(std::pair(step.number, is_error_stream));
      if (!held) continue;
      text = std::move(held.mapped());
    }
    next_.output(step, is_error_stream, secrets_.masked(text));
  }
}

void Masking::logged(const Step& step, workflow::LogAction::Level level, std::string_view text) {
  secrets_.empty() ? next_.logged(step, level, text) : next_.logged(step, level, secrets_.masked(text));
}

void Masking::service(const Step& step, const runner::ServiceEvent& event) {
  if (secrets_.empty()) return next_.service(step, event);
  // A service writes even after its step has ended; that output may be held back as well.
  if (event.kind == runner::ServiceEvent::Kind::ended) release(step);
  next_.service(step, masked(event, secrets_));
}

void Masking::retrying(const Step& step, const Outcome& outcome, std::chrono::milliseconds wait) {
  if (secrets_.empty()) return next_.retrying(step, outcome, wait);
  release(step);
  bool changed = false;
  next_.retrying(step, masked(outcome, secrets_, changed), wait);
}

void Masking::state_ended(const Step& step, const StepEnd& end) {
  if (secrets_.empty()) return next_.state_ended(step, end);
  release(step);
  bool changed = false;
  next_.state_ended(step, masked(end, secrets_, changed));
}

void Masking::noticed(std::string_view text) {
  secrets_.empty() ? next_.noticed(text) : next_.noticed(secrets_.masked(text));
}

void Masking::run_ended(const RunReport& report) {
  secrets_.empty() ? next_.run_ended(report) : next_.run_ended(masked(report, secrets_));
}

}  // namespace wtool::host::journal
