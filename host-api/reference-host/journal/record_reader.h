// Makes a run of its records, a line at a time.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "journal/run_record.h"

namespace wtool::host::journal {

class RecordReader {
 public:
  // Reads a line, without its newline. Returns an empty text, or what is wrong with the line, which is then ignored.
  // Unknown kinds of records are skipped.
  std::string take(std::string_view line);

  // A line had an unknown version, so nothing after it can be understood. take() says so in words.
  bool newer() const { return newer_; }
  // The first record, which says which run it is, was there.
  bool begun() const { return begun_; }

  // All that was read; the reader is empty then.
  RunRecord finish();

 private:
  std::string take_record(const nlohmann::json& record);
  void start(const nlohmann::json& record, Moment at);
  void resume(const nlohmann::json& record, Moment at);
  void read_inputs(const nlohmann::json& record);
  void end(const nlohmann::json& record);
  StepRecord& step_of(const nlohmann::json& record, bool begins, Moment at);

  RunRecord run_;
  std::vector<bool> gone_;  // of run_.steps: another visit of the same place has taken its place
  std::unordered_map<std::string, std::size_t> index_;  // of run_.steps by place
  Moment part_began_;                                   // of what ran since it was started or resumed
  Moment newest_;
  std::chrono::steady_clock::duration before_{};  // what the earlier parts took
  bool begun_ = false;
  bool newer_ = false;
};

}  // namespace wtool::host::journal
