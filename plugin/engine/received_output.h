// The output of a command that runs on another machine, as it arrives: captured, spilled and passed on, as run.cc does
// with the pipes of a command that runs here.
#pragma once

#include <string_view>

#include "engine/capture.h"
#include "engine/event_batch.h"
#include "engine/run.h"

namespace wtool::engine {

// Not thread-safe.
class ReceivedOutput {
 public:
  // Borrows the sink. The sender has already gathered the bytes (EventBatch), so they are passed on immediately.
  ReceivedOutput(const RunOptions& options, const OutputSink& sink);

  // False: the receiver wants the command stopped.
  bool add(Stream stream, std::string_view bytes);

  // Moves the streams and the spill file into the outcome.
  void finish(CommandOutcome& outcome);

 private:
  const OutputSink& sink_;
  Capture output_, error_;
  Spill spill_;
};

}  // namespace wtool::engine
