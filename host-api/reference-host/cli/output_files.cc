#include "cli/output_files.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "cli/context.h"
#include "journal/runs_folder.h"

namespace wtool::host {
namespace {

namespace fs = std::filesystem;

constexpr int open_folder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr std::size_t max_name = 200;  // bytes; file systems allow 255

// A file name that is different for each `name`, not longer than file systems allow, and UTF-8, so that a report can
// show it.
std::string file_name(std::string_view name, bool secret) {
  const std::size_t dot = std::min(name.rfind('.'), name.size());
  const std::string end = (secret ? ".secret" : "") + std::string(name.substr(dot));
  const bool escapes_bytes = !is_utf8(name);
  constexpr std::string_view digits = "0123456789abcdef";
  std::string safe;
  for (const char c : name.substr(0, dot)) {
    if (c == '/') {
      safe += "%s";
    } else if (c == ':') {
      safe += "%c";
    } else if (c == '%' || c == '\0') {
      safe += c == '%' ? "%%" : "%0";
    } else if (const auto byte = static_cast<unsigned char>(c); escapes_bytes && byte >= 0x80) {
      safe.append("%x").append(1, digits[byte >> 4U]).append(1, digits[byte & 0xfU]);
    } else {
      safe += c;
    }
  }
  if (safe.size() + end.size() <= max_name) return safe + end;
  Sha256 digest;
  digest.add(name);
  return digest.finish() + end;
}

// True if the file is removed at the end of the run, whatever it contains: its name says that it is secret.
bool is_named_secret(const fs::path& file) {
  const std::string stem = file.stem().string();
  return stem.ends_with(".secret");
}

std::string beside(const std::string& journal) { return journal.empty() ? "" : journal::outputs_folder(journal); }

}  // namespace

class OutputFiles::File final : public runner::OutputFile {
 public:
  File(OutputFiles& all, std::string path) : all_(all), path_(std::move(path)) {
    descriptor_ =
        Descriptor(::openat(all_.made_.get(), name(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!descriptor_) fail(::strerror(errno));
  }
  File(OutputFiles& all, std::string path, const std::string& why) : all_(all), path_(std::move(path)) { fail(why); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() override { give_up(); }

  bool write(std::string_view bytes) override {
    if (!descriptor_) return false;
    written_ += bytes.size();
    if ((all_.bytes_ += bytes.size()) > all_.limits_.max_bytes) {
      fail("the files with the outputs of a run may have at most " + std::to_string(all_.limits_.max_bytes) +
           " bytes together; raise output.max_bytes, or make the command write less");
      return false;
    }
    if (const int failed = write_all(descriptor_.get(), bytes).error; failed != 0) {
      fail(::strerror(failed));
      return false;
    }
    digest_.add(bytes);
    return true;
  }

  void fail(const std::string& why) override {
    if (!trouble_.empty()) return;
    trouble_ = "the output of a step cannot be written to " + path_ + ": " + why;
    give_up();
  }

  Written finish() override {
    // Some file systems report a lack of space only here.
    if (descriptor_ && ::close(descriptor_.release()) != 0 && errno != EINTR) {
      const int failed = errno;
      remove();
      trouble_ = "the output of a step cannot be written to " + path_ + ": " + ::strerror(failed);
    }
    if (!trouble_.empty()) return {"", "", 0, trouble_};
    return {path_, digest_.finish(), written_, ""};
  }

 private:
  const char* name() const { return path_.c_str() + path_.rfind('/') + 1; }
  void give_up() {
    if (!descriptor_) return;
    descriptor_.reset();
    remove();
  }
  void remove() {
    ::unlinkat(all_.made_.get(), name(), 0);
    all_.bytes_ -= std::exchange(written_, 0);
  }

  OutputFiles& all_;
  const std::string path_;
  Descriptor descriptor_;
  Sha256 digest_;
  std::uint64_t written_ = 0;
  std::string trouble_;
};

OutputFiles::OutputFiles(const std::string& journal, const runner::Secrets& secrets, OutputLimits limits)
    : secrets_(secrets), limits_(limits), is_temporary_(journal.empty()), folder_(beside(journal)) {
  if (!is_temporary_) {
    const std::string above = fs::path(folder_).parent_path().string();
    place_ = Descriptor(::open(above.empty() ? "." : above.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!place_) place_error_ = errno;
  }
}

OutputFiles::~OutputFiles() { remove_unwanted(); }

void OutputFiles::remove_unwanted() {
  std::error_code ignored;
  if (is_temporary_ || folder_.empty()) return;
  if (!made_) made_ = Descriptor(::openat(place_.get(), fs::path(folder_).filename().c_str(), open_folder));
  if (!made_) return;
  // The folder itself, whatever is at its path by now.
  const fs::path folder = "/proc/self/fd/" + std::to_string(made_.get());
  // The files to remove, including those that an earlier process of the run left when it was killed.
  std::vector<std::string> unwanted;
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    if (is_named_secret(entry->path()) || holds_secret(entry->path().string())) {
      unwanted.push_back(entry->path().filename().string());
    }
  }
  for (const std::string& file : unwanted) {
    if (::unlinkat(made_.get(), file.c_str(), 0) == 0 || errno == ENOENT) continue;
    complain("the file " + folder_ + "/" + file + " contains a secret and cannot be removed: " + ::strerror(errno));
  }
}

bool OutputFiles::holds_secret(const std::string& file) const {
  if (secrets_.empty()) return false;
  const Descriptor opened = open_regular(file);
  if (!opened) return false;  // not a file of this run
  std::string text;
  bool found = false;
  // A command may have made the file huge, but this run wrote at most `max_bytes`.
  read_pieces(opened.get(), limits_.max_bytes, [&](std::string_view piece) {
    text += piece;
    found = secrets_.masked(text) != text;
    text.erase(0, text.size() - secrets_.undecided_tail(text));
    return !found;
  });
  return found;
}

// Call it with mutex_ held.
bool OutputFiles::make_folder(std::string& error) {
  if (made_) return true;
  if (is_temporary_ && folder_.empty()) {
    temporary_ = TemporaryPath::folder("outputs", error);
    folder_ = temporary_.path();
    if (temporary_) made_ = Descriptor(::open(folder_.c_str(), open_folder));
    if (temporary_ && !made_) error = folder_ + " cannot be opened: " + ::strerror(errno);
    if (!made_) error = "the folder for outputs " + error;
    return static_cast<bool>(made_);
  }
  if (!place_) {
    error = "the folder " + folder_ +
            " cannot be created, because the folder around it could not be opened: " + ::strerror(place_error_);
    return false;
  }
  const std::string name = fs::path(folder_).filename().string();
  if (::mkdirat(place_.get(), name.c_str(), 0700) == 0 || errno == EEXIST) {
    made_ = Descriptor(::openat(place_.get(), name.c_str(), open_folder));
  }
  if (made_) {
    std::error_code ignored;
    for (fs::directory_iterator entry("/proc/self/fd/" + std::to_string(made_.get()), ignored), end;
         !ignored && entry != end; entry.increment(ignored)) {
      std::error_code gone;
      const std::uintmax_t size = entry->file_size(gone);
      if (!gone) bytes_ += size;
    }
    return true;
  }
  error = "the folder " + folder_ + " cannot be created: " + ::strerror(errno);
  return false;
}

std::unique_ptr<runner::OutputFile> OutputFiles::create(const std::string& name, bool secret, Earlier earlier) {
  const std::lock_guard lock(mutex_);
  std::string error;
  const bool has_folder = make_folder(error);
  // Without a temporary folder, there is no path, so the message names only the file.
  const std::string path = (folder_.empty() ? "" : folder_ + "/") + file_name(name, secret);
  if (!has_folder) return std::make_unique<File>(*this, path, error);
  struct stat before {};
  const std::string own = fs::path(path).filename().string();
  if (earlier == Earlier::kept) {
    constexpr int most = 1000;  // then the file is replaced
    for (int i = 1; i < most; ++i) {
      const std::string aside = own + "." + std::to_string(i);
      if (::renameat2(made_.get(), own.c_str(), made_.get(), aside.c_str(), RENAME_NOREPLACE) == 0) break;
      if (errno != EEXIST) break;
    }
  }
  if (::fstatat(made_.get(), own.c_str(), &before, AT_SYMLINK_NOFOLLOW) == 0 &&
      ::unlinkat(made_.get(), own.c_str(), 0) == 0) {
    bytes_ -= std::min<std::uint64_t>(bytes_, static_cast<std::uint64_t>(before.st_size));
  }
  return std::make_unique<File>(*this, path);
}

}  // namespace wtool::host
