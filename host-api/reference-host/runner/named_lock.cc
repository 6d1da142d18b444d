#include "runner/named_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <vector>

#include "base/environment.h"
#include "base/files.h"
#include "runner/waiting.h"
#include "workflow/model/model.h"

namespace wtool::host::runner {
namespace {

constexpr std::size_t max_note = 4096;  // bytes
// The kernel reports a free lock only to threads that block in flock, where a stop cannot reach them. So wtool tries to
// take the lock again at this interval.
constexpr std::chrono::milliseconds look_again{100};

// The folder of the locks. Empty: `error` says why it cannot be used.
std::string lock_folder(std::string& error) {
  const std::string state = state_folder();
  if (state.empty()) {
    error = "there is no folder for locks: set HOME";
    return {};
  }
  std::string folder = state + "/wtool/locks";
  const std::error_code failed = make_folders(folder);
  // Keeps the names of locks private. A failure is ignored: if the folder belongs to another user, opening the lock
  // shows whether it can be used.
  std::error_code ignored;
  if (!failed) std::filesystem::permissions(folder, std::filesystem::perms::owner_all, ignored);
  if (!failed) return folder;
  error = "the folder for locks " + folder + " cannot be created: " + failed.message();
  return {};
}

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return text.substr(0, 1000);
}

// What a holder writes about itself into the file. The lines of the note are process, host, run, step and what.
struct Note {
  std::string process;
  std::string host;
  LockHolder holder;
};

void write_note(int file, const LockHolder& holder) {
  std::string text;
  for (const std::string& line : {std::to_string(::getpid()), host_name(), holder.run, holder.step, holder.what}) {
    text += one_line(line) + '\n';
  }
  // The note is only information for others: the lock works without it.
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, text.data(), std::min(text.size(), max_note), 0) < 0) return;
}

Note read_note(int file) {
  std::array<char, max_note> text{};
  const ssize_t size = ::pread(file, text.data(), text.size(), 0);
  Note note;
  std::size_t line = 0;
  const std::array<std::string*, 5> places{&note.process, &note.host, &note.holder.run, &note.holder.step,
                                           &note.holder.what};
  for (ssize_t i = 0; i < size && line < places.size(); ++i) {
    const char c = text[static_cast<std::size_t>(i)];
    c == '\n' ? void(++line) : places[line]->push_back(c);
  }
  return note;
}

std::string words_of(NamedLock::Kind kind, const Note& note) {
  std::string text = note.holder.what;
  // The note is still empty if the holder took the lock only a moment ago.
  if (text.empty()) text = kind == NamedLock::Kind::step ? "another step" : "another run";
  if (!note.holder.run.empty()) text += " in the run " + note.holder.run;
  if (!note.process.empty())
    text += " (process " + note.process + (note.host == host_name() ? ")" : " on " + note.host + ")");
  return text;
}

// True if `inner` is `outer`, or inside of it, so that `outer` ends no earlier than `inner`.
bool is_inside(const LockHolder& inner, const LockHolder& outer) {
  return inner.of == outer.of &&
         (outer.step.empty() || inner.step == outer.step || inner.step.starts_with(outer.step + ":"));
}

// The locks that this process holds or waits for.
struct LocksInUse {
  std::mutex mutex;
  std::vector<const NamedLock*> locks;
};

LocksInUse& in_use() {
  static LocksInUse all;
  return all;
}

}  // namespace

NamedLock::NamedLock(Kind kind, const std::string& name, const LockHolder& holder, Stop& stop,
                     const std::function<void(const std::string& sentence)>& waits, std::string& error)
    : kind_(kind), name_(name), holder_(holder) {
  error = workflow::problem_of_lock_name(name);
  if (!error.empty()) return;
  const std::string folder = lock_folder(error);
  if (folder.empty()) return;
  const std::string path = folder + (kind == Kind::step ? "/step." : "/run.") + name;
  file_ = Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file_) {
    error = "the lock " + path + " cannot be opened: " + ::strerror(errno);
    return;
  }
  while (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      error = "the lock " + path + " cannot be taken: " + ::strerror(errno);
      become(State::failed);
      return;
    }
    const bool is_first = state_ != State::waits;
    if (error = begin_waiting(); !error.empty()) return;
    if (is_first)
      waits("waits for the lock \"" + name + "\", which " + words_of(kind, read_note(file_.get())) + " holds");
    if (!wait_until(std::chrono::steady_clock::now() + look_again, stop)) {
      become(State::failed);
      return;
    }
  }
  write_note(file_.get(), holder);
  become(State::held);
}

NamedLock::~NamedLock() { become(State::failed); }

void NamedLock::become(State state) {
  LocksInUse& all = in_use();
  const std::lock_guard lock(all.mutex);
  std::erase(all.locks, this);
  if (state != State::failed) all.locks.push_back(this);
  state_ = state;
}

// Returns why the wait would be in vain. Of all waits of a circle, only the last one is refused, so the others go on.
std::string NamedLock::begin_waiting() {
  LocksInUse& all = in_use();
  const std::lock_guard lock(all.mutex);
  if (state_ != State::waits) all.locks.push_back(this);
  state_ = State::waits;
  std::string why = why_in_vain();
  if (!why.empty()) {
    std::erase(all.locks, this);
    state_ = State::failed;
  }
  return why;
}

// With the mutex of in_use() held. A lock becomes free only after all waits inside of its holder have ended.
std::string NamedLock::why_in_vain() const {
  const std::vector<const NamedLock*>& all = in_use().locks;
  std::vector<const NamedLock*> waits = {this};
  for (std::size_t i = 0; i < waits.size(); ++i) {
    const NamedLock& wait = *waits[i];
    const auto found = std::find_if(all.begin(), all.end(), [&](const NamedLock* one) {
      return one->state_ == State::held && one->kind_ == wait.kind_ && one->name_ == wait.name_;
    });
    if (found == all.end()) continue;
    const NamedLock& held = **found;
    if (is_inside(holder_, held.holder_)) {
      const std::string around = held.kind_ == Kind::step ? "the step around this one, " + held.holder_.what + ","
                                                          : "the workflow around this step, " + held.holder_.what + ",";
      if (&wait == this) return around + " already holds the lock \"" + name_ + "\", so this step would wait forever";
      return "this step would wait forever for the lock \"" + name_ + "\", which is not free before " +
             wait.holder_.what + " gets the lock \"" + wait.name_ + "\", which " + around +
             " holds; take locks that are inside of one another in the same order everywhere";
    }
    for (const NamedLock* one : all) {
      const bool is_new = std::find(waits.begin(), waits.end(), one) == waits.end();
      if (is_new && one->state_ == State::waits && is_inside(one->holder_, held.holder_)) waits.push_back(one);
    }
  }
  return {};
}

}  // namespace wtool::host::runner
