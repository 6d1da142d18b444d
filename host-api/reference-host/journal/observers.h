// Observers that stand between a run and other observers: several as one, and one that keeps secrets from the others.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runner/run_observer.h"
#include "runner/secrets.h"

namespace wtool::host::workflow {

class Observers final : public RunObserver {
 public:
  // All must outlive this object. Nulls are left out.
  explicit Observers(std::vector<RunObserver*> all) {
    for (RunObserver* one : all) add(one);
  }
  // Before the run begins.
  void add(RunObserver* one) {
    if (one != nullptr) all_.push_back(one);
  }

  void run_started(const RunStart& start) override {
    for (RunObserver* one : all_) one->run_started(start);
  }
  void combination_begun(const std::string& branch, const expressions::Value& values) override {
    for (RunObserver* one : all_) one->combination_begun(branch, values);
  }
  void state_entered(const Step& step) override {
    for (RunObserver* one : all_) one->state_entered(step);
  }
  void output(const Step& step, bool is_error_stream, std::string_view bytes) override {
    for (RunObserver* one : all_) one->output(step, is_error_stream, bytes);
  }
  void logged(const Step& step, LogAction::Level level, std::string_view text) override {
    for (RunObserver* one : all_) one->logged(step, level, text);
  }
  void retrying(const Step& step, const Outcome& outcome, std::chrono::milliseconds wait) override {
    for (RunObserver* one : all_) one->retrying(step, outcome, wait);
  }
  void state_ended(const Step& step, const StepEnd& end) override {
    for (RunObserver* one : all_) one->state_ended(step, end);
  }
  void noticed(std::string_view text) override {
    for (RunObserver* one : all_) one->noticed(text);
  }
  void run_ended(const RunReport& report) override {
    for (RunObserver* one : all_) one->run_ended(report);
  }

 private:
  std::vector<RunObserver*> all_;
};

// What is told, with every secret in it replaced. `changed` becomes true where there was one in what a step gave (its
// outcome, or what it set): then it is not what the step gave any more.
RunStart masked(const RunStart& start, const Secrets& secrets);
Outcome masked(const Outcome& outcome, const Secrets& secrets, bool& changed);
StepEnd masked(const StepEnd& end, const Secrets& secrets, bool& changed);
RunReport masked(const RunReport& report, const Secrets& secrets);

// Stands before other observers. While there are no secrets, all is passed on as it is. A stream's last bytes are held
// back as long as they may be the beginning of a secret.
class Masking final : public RunObserver {
 public:
  // Both must outlive this object.
  Masking(const Secrets& secrets, RunObserver& next) : secrets_(secrets), next_(next) {}

  void run_started(const RunStart& start) override;
  void combination_begun(const std::string& branch, const expressions::Value& values) override;
  void state_entered(const Step& step) override { next_.state_entered(step); }
  void output(const Step& step, bool is_error_stream, std::string_view bytes) override;
  void logged(const Step& step, LogAction::Level level, std::string_view text) override;
  void retrying(const Step& step, const Outcome& outcome, std::chrono::milliseconds wait) override;
  void state_ended(const Step& step, const StepEnd& end) override;
  void noticed(std::string_view text) override;
  void run_ended(const RunReport& report) override;

 private:
  // Up to where a text can be passed on, whatever comes behind it.
  std::size_t safe_cut(const std::string& text) const;
  // What was held back of the step's streams goes on.
  void release(const Step& step);

  const Secrets& secrets_;
  RunObserver& next_;
  std::mutex mutex_;
  std::map<std::pair<std::uint64_t, bool>, std::string> held_;  // by step and stream; those that hold something
};

}  // namespace wtool::host::workflow
