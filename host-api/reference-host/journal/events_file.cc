#include "journal/events_file.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/files.h"
#include "base/utf8.h"
#include "journal/record.h"

namespace wtool::host::journal {

using runner::Step;
EventsFile::EventsFile(Descriptor descriptor, std::string name, Journal::Notice notice)
    : descriptor_(std::move(descriptor)), name_(std::move(name)), notice_(std::move(notice)) {}

namespace {

// Opens a named pipe as soon as somebody reads it. A reader must not see a pipe that is opened, closed and opened again,
// so an attempt that succeeds is kept.
Descriptor open_pipe(const std::string& file, const Journal::Notice& notice, std::string& why) {
  Descriptor pipe = open_without_links(file, O_WRONLY | O_NONBLOCK, 0, why);
  if (pipe) {
    ::fcntl(pipe.get(), F_SETFL, O_WRONLY);
    return pipe;
  }
  if (errno != ENXIO) return pipe;
  if (notice) {
    notice("the run begins when somebody reads the named pipe " + file + ", which gets its events");
  }
  why.clear();
  return open_without_links(file, O_WRONLY, 0, why);
}

bool is_named_pipe(const std::string& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

}  // namespace

std::unique_ptr<EventsFile> EventsFile::open(const std::string& file, Journal::Notice notice, std::string& error) {
  const bool standard = file == "-";
  std::string why;
  const std::string path = standard ? file : resolve_links_above(file);
  Descriptor descriptor = standard              ? Descriptor(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3))
                          : is_named_pipe(path) ? open_pipe(path, notice, why)
                                                : open_without_links(path, O_WRONLY | O_CREAT | O_TRUNC, 0600, why);
  const std::string name = standard ? "standard output" : file;
  if (!descriptor) {
    error = "cannot open " + name + " for the events: " + (standard ? ::strerror(errno) : why);
    return nullptr;
  }
  return std::unique_ptr<EventsFile>(new EventsFile(std::move(descriptor), name, std::move(notice)));
}

template <class Append>
void EventsFile::write(Append append) {
  std::string trouble;
  {
    const std::lock_guard lock(mutex_);
    if (failed_) return;
    line_.clear();
    append(line_, std::chrono::system_clock::now());
    const int number = write_all(descriptor_.get(), line_).error;
    failed_ = number != 0;
    if (failed_) trouble = "the events end here, because " + name_ + " cannot be written: " + ::strerror(number);
  }
  if (!trouble.empty() && notice_) notice_(trouble);
}

void EventsFile::run_started(const runner::RunStart& start) {
  root_ = start.workflow;
  write([&](std::string& out, Moment at) {
    start.resumed ? append_run_resumed(out, at, start, nullptr) : append_run_started(out, at, start, "");
  });
}

void EventsFile::state_entered(const Step& step) {
  write([&](std::string& out, Moment at) { append_state_started(out, at, step, root_); });
}

void EventsFile::workflow_begun(const Step& step, const runner::RunStart& start) {
  write([&](std::string& out, Moment at) { append_workflow_started(out, at, step, root_, start); });
}

void EventsFile::output(const Step& step, bool is_error_stream, std::string_view bytes) {
  write([&](std::string& out, Moment at) {
    const auto key = std::pair(step.number, is_error_stream);
    std::string text;
    if (auto before = unfinished_.extract(key)) text = std::move(before.mapped());
    text += bytes;
    const std::size_t rest = unfinished_character(text);
    if (rest > 0) unfinished_.emplace(key, text.substr(text.size() - rest));
    text.resize(text.size() - rest);
    if (!text.empty()) append_output(out, at, step, root_, is_error_stream, text);
  });
}

void EventsFile::append_rest(std::string& out, Moment at, const Step& step) {
  for (const bool is_error_stream : {false, true}) {
    const auto rest = unfinished_.extract(std::pair(step.number, is_error_stream));
    if (rest) append_output(out, at, step, root_, is_error_stream, rest.mapped());
  }
}

void EventsFile::used(const Step& step, const runner::Usage& usage) {
  write([&](std::string& out, Moment at) { append_usage(out, at, step, root_, usage); });
}

void EventsFile::call_state(const Step& step, const CallState& state) {
  if (state.node.empty()) return;
  write([&](std::string& out, Moment at) { append_node(out, at, step, root_, state); });
}

void EventsFile::logged(const Step& step, workflow::LogAction::Level level, std::string_view text) {
  write([&](std::string& out, Moment at) { append_log(out, at, step, root_, level, text); });
}

void EventsFile::service(const Step& step, const runner::ServiceEvent& event) {
  write([&](std::string& out, Moment at) {
    if (event.kind == runner::ServiceEvent::Kind::ended) append_rest(out, at, step);
    append_service(out, at, step, root_, event);
  });
}

void EventsFile::retrying(const Step& step, const runner::Outcome& outcome, std::chrono::milliseconds wait) {
  write([&](std::string& out, Moment at) {
    append_rest(out, at, step);
    append_retry(out, at, step, root_, outcome, wait);
  });
}

void EventsFile::state_ended(const Step& step, const runner::StepEnd& end) {
  write([&](std::string& out, Moment at) {
    append_rest(out, at, step);
    append_state_ended(out, at, step, root_, end, false, waiting_.waits(step, end));
  });
}

void EventsFile::noticed(std::string_view text) {
  write([&](std::string& out, Moment at) { append_notice(out, at, text); });
}

void EventsFile::run_ended(const runner::RunReport& report) {
  write([&](std::string& out, Moment at) { append_run_ended(out, at, report); });
}

}  // namespace wtool::host::journal
