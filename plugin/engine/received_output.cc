#include "engine/received_output.h"

namespace wtool::engine {

ReceivedOutput::ReceivedOutput(const RunOptions& options, const OutputSink& sink)
    : sink_(sink),
      output_(options.capture_bytes),
      error_(options.capture_bytes),
      spill_(options.spill, options.spill_directory, options.name, output_, error_) {}

bool ReceivedOutput::add(Stream stream, std::string_view bytes) {
  Capture& capture = stream == Stream::standard_output ? output_ : error_;
  spill_.add(capture, bytes);
  capture.append(bytes);
  return !sink_ || sink_(stream, bytes);
}

void ReceivedOutput::finish(CommandOutcome& outcome) {
  outcome.standard_output = output_.take();
  outcome.standard_error = error_.take();
  outcome.output_file = spill_.finish();
}

}  // namespace wtool::engine
