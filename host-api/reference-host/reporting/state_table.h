// A table of the states of a run, one row a state, with what became of them and the time they took.
#pragma once

#include <chrono>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runner/run_observer.h"

namespace wtool::host::workflow {

class StateTable {
 public:
  struct Visit {
    std::string_view workflow{};  // empty: the one that was started
    std::string_view state{};
    std::string_view branch{};
    Step::Status status = Step::Status::running;
    int tries = 1;
    bool acts = true;  // its state has an action
    bool replayed = false;
    std::chrono::steady_clock::duration took{};
    bool combinations = false;  // it stands for those of its matrix, which are visits of their own
  };
  // In the order in which the steps began.
  void add(const Visit& visit);

  // Lines for people, safe for a terminal.
  std::string text() const;

 private:
  struct Row {
    std::string name;
    bool acts = true;
    std::size_t visits = 0;
    std::size_t matrices = 0;  // visits that stand for their combinations; not counted among the others
    std::size_t failures = 0;
    std::size_t kept = 0;
    int further_tries = 0;
    std::set<std::string, std::less<>> branches;
    Step::Status status = Step::Status::running;  // of the last visit
    std::chrono::steady_clock::duration took{};
    std::chrono::steady_clock::duration matrix_took{};  // of matrices
    std::chrono::steady_clock::duration longest{};
  };
  static std::string status_of(const Row& row);

  std::vector<Row> rows_;
  std::unordered_map<std::string, std::size_t> index_;  // by name
};

}  // namespace wtool::host::workflow
