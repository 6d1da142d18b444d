#include "engine/spill.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "system/real_folder.h"

namespace wtool::engine {

namespace {

std::string spill_advice(int error) {
  switch (error) {
    case ENOENT:
      return "the folder was removed in the meantime; set output.directory to a folder that commands do not touch";
    case ENOTDIR:
    case EEXIST:
      return "something that is not a folder is in the way; remove it, or name another folder as output.directory";
    case EACCES:
    case EPERM:
    case EROFS:
      return "allow the host's user to read and write there, or name another folder as output.directory";
    default:
      return advice_for(error, {"folder", "output.directory", ""});
  }
}

}  // namespace

SpillFile::SpillFile(SpillDirectory& directory, std::string_view call)
    : directory_(directory), call_(call), folder_(open_real_folder(directory.path())) {}

void SpillFile::write(std::string_view bytes) {
  if (stopped_ || bytes.empty()) return;
  if (!make_missing(folder_, 0700)) return stop_at_folder();
  const std::uint64_t charged = charged_;
  const std::size_t most = reserve(bytes.size());
  // If the folder cannot be read, reserve() has stopped the file and said where it ends.
  if (!stopped_ && most > 0 && (file_ || create())) {
    const Written written = write_without_signal(file_.get(), bytes.substr(0, most));
    result_.bytes += written.bytes;
    if (written.error != 0) stop(written.error);
  }
  directory_.settle(charged_ - charged);
  if (!stopped_ && most < bytes.size()) {
    stop("all output files in " + directory_.path() + " may have " + std::to_string(directory_.max_bytes()) +
             " bytes together (output.max_bytes), and none of them can be removed",
         "raise output.max_bytes, or make the command write less");
  }
}

// Returns how many of the bytes there is room for. Stops the file if the folder cannot be read.
std::size_t SpillFile::reserve(std::size_t bytes) {
  int error = 0;
  const std::uint64_t charge = SpillDirectory::charge(result_.bytes + bytes);
  if (charge > charged_) charged_ += directory_.reserve(charge - charged_, folder_, &error);
  if (error != 0) stop(error);
  return static_cast<std::size_t>(std::min<std::uint64_t>(bytes, charged_ - result_.bytes));
}

bool SpillFile::create() {
  // If the name is taken, another one is tried.
  for (int attempt = 0; attempt < 5; ++attempt) {
    name_ = SpillDirectory::new_name(call_);
    file_ = Descriptor(
        ::openat(folder_.place.get(), name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file_) {
      // The lock keeps other processes from removing the file while we write. Where locks do not work, nobody can tell
      // whether a file is being written, so nobody removes it.
      ::flock(file_.get(), LOCK_EX | LOCK_NB);
      result_.path = directory_.path() + (directory_.path().ends_with('/') ? "" : "/") + name_;
      return true;
    }
    if (errno != EEXIST) {
      stop(errno);
      return false;
    }
  }
  stop(EEXIST);
  return false;
}

void SpillFile::stop_at_folder() {
  if (folder_.link.empty()) return stop(folder_.error);
  stop(folder_.link + " is a symbolic link, and a command could have put it there",
       "remove the link; or, if you made it yourself, set output.directory to " + shown_real_path(directory_.path()));
}

void SpillFile::stop(int error) { stop(std::strerror(error), spill_advice(error)); }

void SpillFile::stop(const std::string& reason, const std::string& advice) {
  stopped_ = true;
  const std::string what = result_.bytes == 0
                               ? "no output file could be written in " + directory_.path()
                               : "the output file ends after " + std::to_string(result_.bytes) + " bytes";
  result_.error = what + ": " + reason + "; " + advice;
}

WholeOutputFile SpillFile::finish() {
  if (file_) {
    if (result_.bytes == 0) {
      ::unlinkat(folder_.place.get(), name_.c_str(), 0);
      result_.path.clear();
    }
    // A process that the host forked may also have the descriptor, and would keep the lock.
    ::flock(file_.get(), LOCK_UN);
    // Some file systems report a lack of space only here.
    if (::close(file_.release()) != 0 && errno != EINTR && !stopped_) stop(errno);
  }
  return std::move(result_);
}

Spill::Spill(SpillOptions::When when, SpillDirectory* directory, std::string_view call, const Capture& output,
             const Capture& error)
    : only_cut_(when == SpillOptions::When::when_cut), output_(output), error_(error) {
  if (when != SpillOptions::When::never) file_.emplace(*directory, call);
}

void Spill::add(const Capture& capture, std::string_view bytes) {
  if (!file_) return;
  if (!begun_) {
    if (only_cut_ && capture.fits(bytes.size())) return;
    begun_ = true;
    for (const Capture* before : {&output_, &error_}) {
      for (const std::string_view part : before->whole()) file_->write(part);
    }
  }
  file_->write(bytes);
}

WholeOutputFile Spill::finish() { return file_ ? file_->finish() : WholeOutputFile(); }

}  // namespace wtool::engine
