#include "cli/output_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "audit/entry.h"
#include "cli/output.h"

namespace wtool::host {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_name = 200;  // bytes; file systems take 255

// A different one for each name, and short enough.
std::string file_name(std::string_view name) {
  std::string safe;
  for (const char c : name) {
    if (c == '/') {
      safe += "%s";
    } else if (c == ':') {
      safe += "%c";
    } else if (c == '%' || c == '\0') {
      safe += c == '%' ? "%%" : "%0";
    } else {
      safe += c;
    }
  }
  if (safe.size() <= longest_name) return safe;
  audit::Digest digest;
  digest.add(name);
  return digest.finish() + safe.substr(safe.rfind('.'));
}

std::string beside(const std::string& journal) {
  return journal.empty() ? "" : fs::path(journal).replace_extension(".outputs").string();
}

}  // namespace

OutputFiles::OutputFiles(const std::string& journal, const workflow::Secrets& secrets)
    : secrets_(secrets), temporary_(journal.empty()), folder_(beside(journal)) {}

OutputFiles::~OutputFiles() {
  if (temporary_) {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
    return;
  }
  if (secrets_.empty()) return;
  for (const std::string& file : files_) {
    std::ostringstream content;
    content << std::ifstream(file, std::ios::binary).rdbuf();
    if (secrets_.masked(content.str()) == content.str() || ::unlink(file.c_str()) == 0 || errno == ENOENT) continue;
    complain("the file " + file + " holds a secret and cannot be removed: " + ::strerror(errno));
  }
}

bool OutputFiles::make_folder(std::string& error) {
  if (temporary_ && folder_.empty()) {
    const char* place = ::getenv("TMPDIR");
    std::string made = std::string(place != nullptr && *place == '/' ? place : "/tmp") + "/wtool-outputs-XXXXXX";
    if (::mkdtemp(made.data()) != nullptr) {
      folder_ = made;
      return true;
    }
    error = "a folder for outputs cannot be made as " + made + ": " + ::strerror(errno);
    return false;
  }
  if (::mkdir(folder_.c_str(), 0700) == 0 || errno == EEXIST) return true;
  error = "the folder " + folder_ + " cannot be made: " + ::strerror(errno);
  return false;
}

std::string OutputFiles::write(std::string_view name, const std::string& content, std::string& error) {
  std::string file;
  {
    const std::lock_guard lock(mutex_);
    if (!make_folder(error)) return "";
    file = folder_ + "/" + file_name(name);
    files_.insert(file);
  }
  const int out = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  const int failed = out < 0 ? errno : write_all(out, content);
  if (out >= 0) ::close(out);
  if (failed == 0) return file;
  error = "the output of a step cannot be written to " + file + ": " + ::strerror(failed);
  return "";
}

}  // namespace wtool::host
