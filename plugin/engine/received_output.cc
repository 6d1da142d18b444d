#include "engine/received_output.h"

namespace wtool::engine {

ReceivedOutput::ReceivedOutput(const RunOptions& options, const OutputSink& sink)
    : options_(options), sink_(sink), output_(options.capture_bytes), error_(options.capture_bytes) {
  if (options.spill != SpillOptions::When::never) file_.emplace(*options.spill_directory, options.name);
}

bool ReceivedOutput::add(Stream stream, std::string_view bytes) {
  Capture& capture = stream == Stream::standard_output ? output_ : error_;
  if (file_) spill(capture, bytes);
  capture.append(bytes);
  return !sink_ || sink_(stream, bytes);
}

// Like CommandRun::spill (run.cc): a file that begins late is first filled from the captures, which are still complete
// at that time.
void ReceivedOutput::spill(const Capture& capture, std::string_view bytes) {
  if (!spilling_) {
    if (options_.spill == SpillOptions::When::when_cut && capture.fits(bytes.size())) return;
    spilling_ = true;
    for (const Capture* before : {&output_, &error_}) {
      for (const std::string_view part : before->whole()) file_->write(part);
    }
  }
  file_->write(bytes);
}

StreamText ReceivedOutput::take(Capture& capture) {
  StreamText result;
  result.bytes = capture.total_bytes();
  result.truncated = capture.truncated();
  result.text = capture.take_text(result.lossy);
  return result;
}

void ReceivedOutput::finish(CommandOutcome& outcome) {
  outcome.standard_output = take(output_);
  outcome.standard_error = take(error_);
  if (file_) outcome.output_file = file_->finish();
}

}  // namespace wtool::engine
