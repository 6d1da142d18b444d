#include "policy/approvals.h"

#include <fcntl.h>
#include <sha2.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "json_text.h"
#include "system/descriptor.h"

namespace wtool::policy {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t largest_file = 16UL << 20;

std::string sha256(std::string_view text) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> hex{};
  ::SHA256Data(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), hex.data());
  return hex.data();
}

std::string dump(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json entry_of(const Subject& subject) {
  Variables sorted = subject.environment;
  std::sort(sorted.begin(), sorted.end());
  Json environment = Json::object();
  for (const auto& [name, value] : sorted) environment[name] = sha256(value);
  return {{"command", subject.command}, {"directory", subject.directory}, {"environment", std::move(environment)}};
}

// A person may leave out an empty environment, and order the keys as they like.
bool is_entry_of(const nlohmann::json& entry, const nlohmann::json& wanted) {
  return entry.is_object() && entry.value("command", nlohmann::json()) == wanted["command"] &&
         entry.value("directory", nlohmann::json()) == wanted["directory"] &&
         entry.value("environment", nlohmann::json::object()) == wanted["environment"];
}

std::string cannot(const std::string& what, const std::string& path) {
  return "the file of approvals cannot be " + what + ": " + path + ": " + std::strerror(errno);
}

// The file's text; empty where there is no file. False with `error`.
bool read_all(const std::string& path, std::string& text, std::string& error) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) {
    if (errno == ENOENT || errno == ENOTDIR) return true;
    error = cannot("read", path);
    return false;
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    error = "the file of approvals is no regular file: " + path;
    return false;
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0 || (status.st_uid != ::geteuid() && status.st_uid != 0)) {
    error = "the file of approvals may be written by others, so that it proves nothing: " + path +
            "; take that permission away (chmod go-w)";
    return false;
  }
  char buffer[16384];
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      error = cannot("read", path);
      return false;
    }
    if (got == 0) return true;
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > largest_file) {
      error = "the file of approvals is larger than 16 MiB: " + path;
      return false;
    }
  }
}

// The two lists, each an array of objects. False with `error`.
bool parse(const std::string& path, const std::string& text, Json& lists, std::string& error) {
  lists = {{"always", Json::array()}, {"never", Json::array()}};
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return true;
  std::string problem;
  const nlohmann::json given = parse_json_object(text, problem);
  for (const auto& [key, value] : given.items()) {
    if (!problem.empty()) break;
    if (key != "always" && key != "never") {
      problem = "there is no key " + show_json(key) + "; there are always and never";
    } else if (!value.is_array() || !std::all_of(value.begin(), value.end(), [](const auto& entry) {
                 return entry.is_object() && entry.contains("command") && entry.contains("directory");
               })) {
      problem = key + " must be a list of objects with command, directory and environment";
    } else {
      lists[key] = Json::parse(value.dump());
    }
  }
  if (problem.empty()) return true;
  error = "the file of approvals cannot be understood: " + path + ": " + problem + "; mend it or remove it";
  return false;
}

bool make_folder(const std::string& folder) {
  if (folder.empty() || ::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return true;
  return errno == ENOENT && make_folder(folder.substr(0, folder.rfind('/'))) &&
         (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST);
}

// Empty, or what went wrong. The old file stays whole whatever happens.
std::string replace(const std::string& path, const std::string& text) {
  const std::string fresh = path + ".new";
  ::unlink(fresh.c_str());  // What a process that was killed has left; the lock is ours.
  const Descriptor file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return cannot("written", fresh);
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t put = ::write(file.get(), rest.data(), rest.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return cannot("written", fresh);
    rest.remove_prefix(static_cast<std::size_t>(put));
  }
  if (::fsync(file.get()) != 0 || ::rename(fresh.c_str(), path.c_str()) != 0) return cannot("written", path);
  return {};
}

}  // namespace

std::string fingerprint(const Subject& subject) { return sha256(dump(entry_of(subject))); }

std::variant<Remembered, std::string> Approvals::look_up(const Subject& subject) const {
  if (file_.empty()) return Remembered::nothing;
  std::string text, error;
  Json lists;
  if (!read_all(file_, text, error) || !parse(file_, text, lists, error)) return error;
  const nlohmann::json wanted = nlohmann::json::parse(dump(entry_of(subject)));
  const auto has = [&](const char* list) {
    const nlohmann::json entries = nlohmann::json::parse(dump(lists[list]));
    return std::any_of(entries.begin(), entries.end(), [&](const auto& entry) { return is_entry_of(entry, wanted); });
  };
  if (has("never")) return Remembered::never;
  return has("always") ? Remembered::always : Remembered::nothing;
}

std::string Approvals::remember(const Subject& subject, bool always) const {
  if (file_.empty()) return "no file is configured for it (commands.approvals)";
  if (!make_folder(file_.substr(0, file_.rfind('/')))) return cannot("written", file_);
  const std::string lock_path = file_ + ".lock";
  const Descriptor lock(::open(lock_path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock || ::flock(lock.get(), LOCK_EX) != 0) return cannot("locked", lock_path);
  std::string text, error;
  Json lists;
  if (!read_all(file_, text, error) || !parse(file_, text, lists, error)) return error;
  const Json entry = entry_of(subject);
  const nlohmann::json wanted = nlohmann::json::parse(dump(entry));
  for (const char* list : {"always", "never"}) {
    Json kept = Json::array();
    for (const Json& other : lists[list]) {
      if (!is_entry_of(nlohmann::json::parse(dump(other)), wanted)) kept.push_back(other);
    }
    lists[list] = std::move(kept);
  }
  lists[always ? "always" : "never"].push_back(entry);
  return replace(file_, dump(lists, 2) + '\n');
}

}  // namespace wtool::policy
