// Classes between a run and its observers: Observers passes each event on to several observers, and Masking hides
// secrets from the next observer.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runner/run_observer.h"
#include "runner/secrets.h"

namespace wtool::host::journal {

class Observers final : public runner::RunObserver {
 public:
  // All observers must outlive this object. Null pointers are left out.
  explicit Observers(const std::vector<runner::RunObserver*>& all) {
    for (runner::RunObserver* one : all) add(one);
  }
  // Call it before the run begins.
  void add(runner::RunObserver* one) {
    if (one != nullptr) all_.push_back(one);
  }

  void run_started(const runner::RunStart& start) override {
    for (runner::RunObserver* one : all_) one->run_started(start);
  }
  void combination_begun(const std::string& branch, const expressions::Value& values) override {
    for (runner::RunObserver* one : all_) one->combination_begun(branch, values);
  }
  void state_entered(const runner::Step& step) override {
    for (runner::RunObserver* one : all_) one->state_entered(step);
  }
  void workflow_begun(const runner::Step& step, const runner::RunStart& start) override {
    for (runner::RunObserver* one : all_) one->workflow_begun(step, start);
  }
  void work_begins(const runner::Step& step) override {
    for (runner::RunObserver* one : all_) one->work_begins(step);
  }
  void call_state(const runner::Step& step, const CallState& state) override {
    for (runner::RunObserver* one : all_) one->call_state(step, state);
  }
  void output(const runner::Step& step, bool is_error_stream, std::string_view bytes) override {
    for (runner::RunObserver* one : all_) one->output(step, is_error_stream, bytes);
  }
  void logged(const runner::Step& step, workflow::LogAction::Level level, std::string_view text) override {
    for (runner::RunObserver* one : all_) one->logged(step, level, text);
  }
  void service(const runner::Step& step, const runner::ServiceEvent& event) override {
    for (runner::RunObserver* one : all_) one->service(step, event);
  }
  void retrying(const runner::Step& step, const runner::Outcome& outcome, std::chrono::milliseconds wait) override {
    for (runner::RunObserver* one : all_) one->retrying(step, outcome, wait);
  }
  void used(const runner::Step& step, const runner::Usage& usage) override {
    for (runner::RunObserver* one : all_) one->used(step, usage);
  }
  void state_ended(const runner::Step& step, const runner::StepEnd& end) override {
    for (runner::RunObserver* one : all_) one->state_ended(step, end);
  }
  void past_forgotten(const std::vector<runner::StepPlace>& kept) override {
    for (runner::RunObserver* one : all_) one->past_forgotten(kept);
  }
  void branches_forgotten(const std::string& beginning) override {
    for (runner::RunObserver* one : all_) one->branches_forgotten(beginning);
  }
  void noticed(std::string_view text) override {
    for (runner::RunObserver* one : all_) one->noticed(text);
  }
  void run_ended(const runner::RunReport& report) override {
    for (runner::RunObserver* one : all_) one->run_ended(report);
  }

 private:
  std::vector<runner::RunObserver*> all_;
};

// An event with every secret in it masked. `changed` becomes true if the results of a step (its outcome, or what it
// set) contained a secret, so that they are incomplete now.
runner::RunStart masked(const runner::RunStart& start, const runner::Secrets& secrets);
runner::Outcome masked(const runner::Outcome& outcome, const runner::Secrets& secrets, bool& changed);
runner::StepEnd masked(const runner::StepEnd& end, const runner::Secrets& secrets, bool& changed);
runner::ServiceEvent masked(const runner::ServiceEvent& event, const runner::Secrets& secrets);
runner::RunReport masked(const runner::RunReport& report, const runner::Secrets& secrets);

// Masks secrets, and passes the events on to the next observer. Without secrets, everything is passed on unchanged,
// except the output of a step whose output is secret: nobody gets it. The last bytes of a stream are held back as long
// as they may be the beginning of a secret.
class Masking final : public runner::RunObserver {
 public:
  // Both must outlive this object.
  Masking(const runner::Secrets& secrets, runner::RunObserver& next) : secrets_(secrets), next_(next) {}

  void run_started(const runner::RunStart& start) override;
  void combination_begun(const std::string& branch, const expressions::Value& values) override;
  void state_entered(const runner::Step& step) override { next_.state_entered(step); }
  void workflow_begun(const runner::Step& step, const runner::RunStart& start) override;
  void work_begins(const runner::Step& step) override { next_.work_begins(step); }
  void call_state(const runner::Step& step, const CallState& state) override { next_.call_state(step, state); }
  void output(const runner::Step& step, bool is_error_stream, std::string_view bytes) override;
  void logged(const runner::Step& step, workflow::LogAction::Level level, std::string_view text) override;
  void service(const runner::Step& step, const runner::ServiceEvent& event) override;
  void retrying(const runner::Step& step, const runner::Outcome& outcome, std::chrono::milliseconds wait) override;
  void used(const runner::Step& step, const runner::Usage& usage) override { next_.used(step, usage); }
  void state_ended(const runner::Step& step, const runner::StepEnd& end) override;
  void past_forgotten(const std::vector<runner::StepPlace>& kept) override { next_.past_forgotten(kept); }
  void branches_forgotten(const std::string& beginning) override { next_.branches_forgotten(beginning); }
  void noticed(std::string_view text) override;
  void run_ended(const runner::RunReport& report) override;

 private:
  // How many bytes of the text can be passed on, whatever follows them.
  std::size_t safe_cut(const std::string& text) const;
  // Passes on the bytes of the step's streams that were held back.
  void release(const runner::Step& step);

  const runner::Secrets& secrets_;
  runner::RunObserver& next_;
  std::mutex mutex_;
  std::map<std::pair<std::uint64_t, bool>, std::string> held_;  // the bytes that are held back, by step and stream
};

}  // namespace wtool::host::journal
