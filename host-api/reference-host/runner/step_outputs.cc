#include "runner/step_outputs.h"

#include <algorithm>

#include "base/files.h"
#include "base/utf8.h"

namespace wtool::host::runner {
namespace {

// How many bytes of an output are kept in memory, so that a command that writes little needs no file while it runs.
constexpr std::size_t kept_in_memory = 64UL * 1024;

// Together, the outputs of a matrix may be large, so no more than this is kept as text.
constexpr std::size_t max_joined = 16UL * 1024 * 1024;

// The beginning and the end of the text, max_joined / 2 bytes of each, just as the tools shorten an output.
std::string shortened(const std::string& text) {
  const std::size_t head = cut_before(text, max_joined / 2);
  const std::size_t tail = cut_after(text, text.size() - max_joined / 2);
  return text.substr(0, head) + "\n[... " + std::to_string(tail - head) + " bytes left out ...]\n" + text.substr(tail);
}

std::string file_name(const Step& step, bool of_call, const char* stream) {
  std::string name = (step.branch.empty() ? "main" : step.branch) + "-" + std::to_string(step.sequence);
  if (of_call && step.tries > 1) name += ".try" + std::to_string(step.tries);
  return name + "." + stream;
}

// Closes the file, and copies the result into `whole`.
void close(OutputFile& file, WholeOutput& whole, RunObserver& observer) {
  OutputFile::Written written = file.finish();
  whole.file = std::move(written.file);
  whole.sha256 = std::move(written.sha256);
  whole.trouble = std::move(written.trouble);
  if (whole.file.empty()) {
    observer.noticed(whole.trouble);
  } else {
    whole.bytes = written.bytes;
  }
}

}  // namespace

bool wants_files(const WorkflowInvocation& invocation) {
  return invocation.reads_output_files && invocation.run.request().services.outputs != nullptr;
}

CallRecorder::CallRecorder(const WorkflowInvocation& invocation, const Step& step)
    : observer_(invocation.run.observer()),
      store_(invocation.run.request().services.outputs),
      wanted_(wants_files(invocation)),
      secret_(gives_secrets(step)) {
  if (secret_ && !wanted_) store_ = nullptr;
  streams_[0].name = file_name(step, true, "stdout");
  streams_[1].name = file_name(step, true, "stderr");
}

void CallRecorder::add(bool is_error_stream, std::string_view bytes) {
  if (store_ == nullptr) return;
  Stream& stream = streams_[is_error_stream ? 1 : 0];
  stream.bytes += bytes.size();
  if (stream.file == nullptr && stream.kept.size() + bytes.size() <= kept_in_memory) {
    stream.kept += bytes;
    return;
  }
  if (stream.file == nullptr) open(stream);
  stream.file->write(bytes);
}

void CallRecorder::open(Stream& stream) {
  stream.file = store_->create(stream.name, secret_);
  stream.file->write(stream.kept);
  stream.kept = {};
}

void CallRecorder::finish(Outcome& outcome) {
  if (store_ == nullptr) return;
  const expressions::Value* encoding = expressions::field_of(&outcome.metadata, "encoding");
  const bool is_utf8 = encoding != nullptr && encoding->as_text() != nullptr && *encoding->as_text() == "utf-8";
  finish(streams_[0], is_utf8, outcome.standard_output, outcome.whole_output);
  finish(streams_[1], is_utf8, outcome.standard_error, outcome.whole_error);
}

void CallRecorder::finish(Stream& stream, bool is_utf8, const std::string& text, WholeOutput& whole) {
  whole.json_limit = store_->json_limit();
  if (!whole.streamed) return;
  // Where bytes may have been replaced, an equal size does not mean equal bytes.
  const bool same = stream.file == nullptr ? stream.kept == text
                                           : stream.bytes == text.size() && !whole.cut &&
                                                 (is_utf8 || text.find(replacement_character) == std::string::npos);
  whole.cut = whole.cut && !same;
  whole.lossy = !same && (whole.lossy || !whole.cut);
  if (whole.bytes > stream.bytes) {
    whole.trouble = "only " + std::to_string(stream.bytes) + " of the " + std::to_string(whole.bytes) +
                    " bytes of an output were recorded, so no file has all of them";
    return observer_.noticed(whole.trouble);
  }
  whole.bytes = stream.bytes;
  if (same && !wanted_) return;
  if (stream.file == nullptr) open(stream);
  close(*stream.file, whole, observer_);
}

void keep_outputs(const WorkflowInvocation& invocation, const Step& step, Outcome& outcome) {
  if (!wants_files(invocation)) return;
  RunOutputStore& store = *invocation.run.request().services.outputs;
  for (const bool is_error_stream : {false, true}) {
    WholeOutput& whole = is_error_stream ? outcome.whole_error : outcome.whole_output;
    const std::string& text = is_error_stream ? outcome.standard_error : outcome.standard_output;
    whole.wanted = true;
    if (!whole.file.empty() || !whole.trouble.empty()) continue;
    if (whole.cut || whole.lossy) {
      whole.trouble = "the whole output was not kept when the state ran, and the text that was kept is incomplete";
      continue;
    }
    const auto file = store.create(file_name(step, false, is_error_stream ? "stderr" : "stdout"), gives_secrets(step));
    file->write(text);
    close(*file, whole, invocation.run.observer());
  }
}

void join_outputs(const WorkflowInvocation& invocation, const Step& step, const std::vector<const Outcome*>& parts,
                  Outcome& whole) {
  RunOutputStore* store = invocation.run.request().services.outputs;
  // CallRecorder has kept no files of the combinations under the same condition.
  if (gives_secrets(step) && !wants_files(invocation)) store = nullptr;
  for (const bool is_error_stream : {false, true}) {
    WholeOutput& joined = is_error_stream ? whole.whole_error : whole.whole_output;
    std::string& text = is_error_stream ? whole.standard_error : whole.standard_output;
    for (const Outcome* part : parts) {
      const WholeOutput& one = is_error_stream ? part->whole_error : part->whole_output;
      joined.bytes += one.cut ? one.bytes : (is_error_stream ? part->standard_error : part->standard_output).size();
      joined.cut |= one.cut;
      joined.lossy |= one.lossy;
      joined.json_limit = one.json_limit;
      if (joined.trouble.empty()) joined.trouble = one.trouble;
    }
    if (text.size() > max_joined) {
      joined.cut = true;
      text = shortened(text);
    }
    if (store == nullptr || !joined.trouble.empty()) continue;
    if (!joined.cut && !joined.lossy && !wants_files(invocation)) continue;
    // A combination with secret outputs has no file, even if only a step of a workflow that it runs is secret.
    const bool is_incomplete = std::any_of(parts.begin(), parts.end(), [&](const Outcome* part) {
      const WholeOutput& one = is_error_stream ? part->whole_error : part->whole_output;
      return one.file.empty() && (one.cut || one.lossy);
    });
    if (is_incomplete) {
      if (wants_files(invocation)) joined.trouble = "the whole output of a combination was not kept";
      continue;
    }
    const auto file = store->create(file_name(step, false, is_error_stream ? "stderr" : "stdout"), gives_secrets(step));
    for (const Outcome* part : parts) {
      const WholeOutput& one = is_error_stream ? part->whole_error : part->whole_output;
      if (one.file.empty()) {
        file->write(is_error_stream ? part->standard_error : part->standard_output);
        continue;
      }
      const std::string why = read_written(one.file, one.bytes, [&file](std::string_view piece) {
        file->write(piece);
        return true;
      });
      if (!why.empty()) file->fail("the file " + one.file + " " + why);
    }
    close(*file, joined, invocation.run.observer());
  }
}

}  // namespace wtool::host::runner
