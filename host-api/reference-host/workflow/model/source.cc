#include "workflow/model/source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/descriptor.h"
#include "base/edit_distance.h"
#include "base/files.h"
#include "base/text.h"
#include "base/utf8.h"

namespace wtool::host::workflow {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) { return std::strerror(error); }

std::string too_large(const std::string& path) {
  return path + ": the file is larger than " + std::to_string(max_file_size / (1024 * 1024)) +
         " MiB, and such a large file is not read";
}

// `; did you mean 'NAME'?` with a file of the same folder; empty: no file has a similar name.
std::string nearest_file(const std::string& path) {
  constexpr std::size_t max_entries = 2000;
  const fs::path wanted(path);
  const fs::path folder = wanted.has_parent_path() ? wanted.parent_path() : fs::path(".");
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end && names.size() < max_entries;
       entry.increment(failed)) {
    if (entry->path().extension() == wanted.extension()) names.push_back(entry->path().stem());
  }
  // The order of the entries in a folder is arbitrary, and the first of two equally near names is suggested.
  std::sort(names.begin(), names.end());
  // The names are compared without their ending, which would make short names similar.
  std::string question = did_you_mean(wanted.stem().string(), names);
  if (!question.empty()) question.insert(question.rfind('\''), wanted.extension().string());
  return question;
}

std::string read_whole(const std::string& path, std::string& error) {
  std::string why;
  const Descriptor file = open_given(path, why);
  if (!file) {
    error = why == reason(ENOENT) ? path + ": there is no such file" + nearest_file(path)
                                  : path + ": cannot be opened: " + why;
    return {};
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) {
    error = path + ": cannot be examined: " + reason(errno);
    return {};
  }
  if (S_ISDIR(status.st_mode)) {
    error = path + ": this is a directory; name a workflow file in it";
    return {};
  }
  // /dev/stdin and process substitution are pipes. They are read to their end, so reading them may block.
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) {
    error = path + ": this is neither a file nor a pipe";
    return {};
  }
  if (S_ISFIFO(status.st_mode)) {
    const int flags = ::fcntl(file.get(), F_GETFL);
    if (flags >= 0) ::fcntl(file.get(), F_SETFL, flags & ~O_NONBLOCK);
  }
  std::string text;
  const int failed = read_all(file.get(), max_file_size, text);
  if (failed == 0) return text;
  error = failed == EFBIG ? too_large(path) : path + ": cannot be read: " + reason(failed);
  return {};
}

// True if the text has a byte order mark of UTF-16, or if every second byte of its first four is NUL, as in ASCII
// letters that are encoded in UTF-16.
bool is_utf_16(std::string_view text) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) return true;
  if (text.size() < 4) return false;
  const auto is_nul = [text](std::size_t i) { return text[i] == '\0'; };
  return (is_nul(0) && is_nul(2) && !is_nul(1) && !is_nul(3)) || (is_nul(1) && is_nul(3) && !is_nul(0) && !is_nul(2));
}

std::string place(const std::string& path, std::string_view text, std::size_t offset) {
  // A source needs valid UTF-8, and the part before the bad byte is valid.
  const Position position = Source(path, std::string(text.substr(0, offset))).position(offset);
  return path + ":" + std::to_string(position.line) + ":" + std::to_string(position.column);
}

}  // namespace

Source::Source(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  content_begin_ = text_.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    const bool end = text_[i] == '\n' || (text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n'));
    if (end) line_starts_.push_back(i + 1);
  }
}

std::string_view Source::line(std::size_t index) const {
  const std::size_t begin = index == 0 ? content_begin_ : line_starts_[index];
  std::size_t end = index + 1 < line_starts_.size() ? line_starts_[index + 1] : text_.size();
  while (end > begin && (text_[end - 1] == '\n' || text_[end - 1] == '\r')) --end;
  return std::string_view(text_).substr(begin, end - begin);
}

std::size_t Source::line_at(std::size_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return static_cast<std::size_t>(after - line_starts_.begin()) - 1;
}

Position Source::position(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const std::size_t index = line_at(offset);
  const std::size_t begin = index == 0 ? std::min(content_begin_, offset) : line_starts_[index];
  return {index + 1, 1 + character_count(std::string_view(text_).substr(begin, offset - begin))};
}

Source load_source(const std::string& path, std::string& error) {
  error.clear();
  std::string text = read_whole(path, error);
  return error.empty() ? source_of(path, std::move(text), error) : Source();
}

Source load_given_source(const std::string& path, std::string& error) {
  if (path != standard_input) return load_source(path, error);
  static std::string text;
  static const int failed = read_all(STDIN_FILENO, max_file_size, text);
  error.clear();
  if (failed == 0) return source_of(path, text, error);
  error = failed == EFBIG ? too_large(path) : path + ": standard input cannot be read: " + reason(failed);
  return {};
}

Source source_of(const std::string& path, std::string text, std::string& error) {
  if (is_utf_16(text)) {
    error = path + ": the file is UTF-16; save it as UTF-8, for example with iconv -f UTF-16 -t UTF-8";
    return {};
  }
  if (const std::size_t nul = text.find('\0'); nul != std::string::npos) {
    error = path + ": this is a binary file (there is a NUL byte at offset " + std::to_string(nul) + ")";
    return {};
  }
  if (const std::size_t bad = valid_utf8_prefix(text); bad != text.size()) {
    static constexpr char hex[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(text[bad]);
    error = place(path, text, bad) + ": error: the file is not valid UTF-8: the byte 0x" + hex[byte >> 4] +
            hex[byte & 15] + " (offset " + std::to_string(bad) + ") belongs to no character";
    return {};
  }
  return {path, std::move(text)};
}

void MappedText::append(std::string_view piece, std::size_t source_offset) {
  if (piece.empty() && !runs_.empty()) return;
  if (runs_.empty() || runs_.back().source + (text_.size() - runs_.back().begin) != source_offset) {
    runs_.push_back({text_.size(), source_offset});
  }
  text_ += piece;
}

std::size_t MappedText::locate(std::size_t offset) const {
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), offset,
                                      [](std::size_t value, const Stretch& run) { return value < run.begin; });
  if (after == runs_.begin()) return 0;
  const Stretch& run = *(after - 1);
  return run.source + (offset - run.begin);
}

MappedText MappedText::part(std::size_t begin, std::size_t end) const {
  MappedText made;
  end = std::min(end, text_.size());
  auto run = std::upper_bound(runs_.begin(), runs_.end(), begin,
                              [](std::size_t value, const Stretch& one) { return value < one.begin; });
  do {
    const std::size_t next = std::min(run == runs_.end() ? end : run->begin, end);
    made.append(std::string_view(text_).substr(begin, next - begin), locate(begin));
    begin = next;
    if (run != runs_.end()) ++run;
  } while (begin < end);
  return made;
}

std::string_view trim(std::string_view text) { return trimmed(text, " \t"); }

}  // namespace wtool::host::workflow
