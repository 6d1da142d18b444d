#include "cache/shared_claim.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "base/files.h"
#include "base/json.h"
#include "base/json_reader.h"

namespace wtool::host::cache {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

using Contents = SharedClaim::Contents;

constexpr std::size_t max_file = std::size_t{64} << 20;
constexpr int most_tries = 100;

std::string new_name() {
  static std::atomic<std::uint64_t> count{0};
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return std::to_string(::getpid()) + '-' + std::to_string(now) + '-' + std::to_string(++count);
}

// The first line is the claim; the next ones are the sentences of other steps.
std::string text_of(const Contents& contents) {
  return dumped(json{{"step", contents.step},
                     {"run", contents.run},
                     {"directory", contents.outputs.directory},
                     {"outputs", contents.outputs.patterns}}) +
         '\n';
}

enum class Read { all, unfinished, failed };

Read read_claim(int file, Contents& contents) {
  std::string text;
  if (::lseek(file, 0, SEEK_SET) != 0 || read_all(file, max_file, text) != 0) return Read::failed;
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return Read::unfinished;
  const json claim = parse_json(std::string_view(text).substr(0, end));
  try {
    claim.at("step").get_to(contents.step);
    claim.at("run").get_to(contents.run);
    claim.at("directory").get_to(contents.outputs.directory);
    claim.at("outputs").get_to(contents.outputs.patterns);
  } catch (const json::exception&) {
    return Read::failed;
  }
  return Read::all;
}

std::string sentence(const std::string& output, const Contents& other) {
  std::string text = "its output '" + output + "' is also an output of " + other.step;
  text += other.run.empty() ? " in another run" : " in the run " + other.run;
  return text + ", which ran at the same time";
}

}  // namespace

void SharedClaim::fail(const std::string& what, int error) {
  conflict_ =
      "it cannot claim its outputs, so that another run could write them meanwhile: " + what + ": " + ::strerror(error);
}

void SharedClaim::take(const std::string& folder, const Contents& contents) {
  if (contents.outputs.patterns.empty()) return;
  bool is_ours = false;
  int error = 0;
  for (int tries = 0; !is_ours && tries < most_tries; ++tries) {
    path_ = folder + '/' + new_name();
    file_ = Descriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file_ && errno != EEXIST) return fail(path_, errno);
    error = EEXIST;
    if (!file_) continue;
    error = ::flock(file_.get(), LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    // Whoever looks at the file before it is locked removes it.
    struct stat status {};
    is_ours = error == 0 && ::fstat(file_.get(), &status) == 0 && status.st_nlink > 0;
    if (!is_ours) release();
    if (error != 0 && error != EWOULDBLOCK) break;
  }
  if (!is_ours) return fail(folder, error != 0 ? error : ENOENT);
  error = write_all(file_.get(), text_of(contents)).error;
  if (error != 0) {
    const std::string path = path_;
    release();
    return fail(path, error);
  }
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    if (entry->path() != path_) look_at(entry->path().string(), contents);
  }
  if (failed) fail(folder, failed.value());
}

void SharedClaim::look_at(const std::string& path, const Contents& contents) {
  const Descriptor other(::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!other) return errno == ENOENT ? void() : fail(path, errno);
  if (::flock(other.get(), LOCK_SH | LOCK_NB) == 0) {
    ::unlink(path.c_str());
    return;
  }
  Contents theirs;
  const Read read = read_claim(other.get(), theirs);
  if (read == Read::failed) return fail(path, EIO);
  // That step will see our claim, because it looks after it has written its own.
  if (read == Read::unfinished) return;
  const std::string output = shared_output(contents.outputs, theirs.outputs);
  if (output.empty()) return;
  if (conflict_.empty()) conflict_ = sentence(output, theirs);
  const int error =
      write_all(other.get(), sentence(shared_output(theirs.outputs, contents.outputs), contents) + '\n').error;
  if (error != 0) fail(path, error);
}

void SharedClaim::release() {
  if (file_) ::unlink(path_.c_str());
  file_.reset();
  conflict_.clear();
}

std::string SharedClaim::conflict() const {
  if (!conflict_.empty() || !file_) return conflict_;
  std::string text;
  if (::lseek(file_.get(), 0, SEEK_SET) != 0 || read_all(file_.get(), max_file, text) != 0) {
    return "its claim of its outputs cannot be read";
  }
  const std::size_t first = text.find('\n') + 1;
  return text.substr(first, text.find('\n', first) - first);
}

}  // namespace wtool::host::cache
