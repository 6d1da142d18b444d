// Keeps the whole outputs of a step. A call's output is recorded as it comes, because the text in its result may be
// cut, and may have replacements for bytes that are not UTF-8.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runner/run.h"
#include "runner/run_request.h"

namespace wtool::host::runner {

// Records one call. Only one thread calls add().
class CallRecorder {
 public:
  // Records nothing if the run keeps no outputs, or if the step is secret and the workflow reads no files of outputs.
  CallRecorder(const WorkflowInvocation& invocation, const Step& step);

  void add(bool is_error_stream, std::string_view bytes);
  // Call it when the call is over. A file stays if it has more than the text of the outcome, or if the workflow reads
  // it.
  void finish(Outcome& outcome);

 private:
  struct Stream {
    std::string name;
    std::string kept;  // the bytes so far, until they are too many and go into the file
    std::uint64_t bytes = 0;
    std::unique_ptr<OutputFile> file;
  };
  void open(Stream& stream);
  // `is_utf8`: the tool says that it has replaced no bytes in its texts.
  void finish(Stream& stream, bool is_utf8, const std::string& text, WholeOutput& whole);

  RunObserver& observer_;
  RunOutputStore* store_;
  const bool wanted_;
  const bool secret_;
  std::array<Stream, 2> streams_;
};

// True if outputs are written to files because the workflow, or one that runs it, reads their names.
bool wants_files(const WorkflowInvocation& invocation);

// Makes the output files that the workflow reads, if no call has made them: because the action of the step calls
// nothing, or because the step is taken from an earlier run. Adds these files to the outcome.
void keep_outputs(const WorkflowInvocation& invocation, const Step& step, Outcome& outcome);

// Puts the whole outputs of a matrix together, in the order of its combinations.
void join_outputs(const WorkflowInvocation& invocation, const Step& step, const std::vector<const Outcome*>& parts,
                  Outcome& whole);

}  // namespace wtool::host::runner
