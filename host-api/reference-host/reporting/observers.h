// Several observers of one run as one: each is told in the order in which they were added.
#pragma once

#include <utility>
#include <vector>

#include "runner/run_observer.h"

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

}  // namespace wtool::host::workflow
