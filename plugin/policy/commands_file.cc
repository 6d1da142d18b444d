#include "policy/commands_file.h"

#include <algorithm>

#include "base/json.h"
#include "base/json_reader.h"
#include "base/text.h"
#include "policy/directories.h"

namespace wtool::policy {

namespace {

using Json = nlohmann::ordered_json;

// Reads the object, with both lists and its other keys. False: `error` says why.
bool parse_lists(const std::string& path, const std::string& text, Json& object, std::string& error) {
  object = Json::object();
  std::string problem;
  if (!trimmed(text).empty()) {
    static_cast<void>(parse_json_object(text, problem));
    if (problem.empty()) object = Json::parse(text);
  }
  for (const char* key : {"allowed", "blocked"}) {
    if (!problem.empty()) break;
    Json& list = object[key];
    if (list.is_null()) list = Json::array();
    if (!list.is_array() || !std::all_of(list.begin(), list.end(), [](const Json& one) { return one.is_string(); })) {
      problem = std::string(key) + " must be a list of commands, each a text";
    }
  }
  if (problem.empty()) return true;
  error = "the file of commands cannot be understood: " + path + ": " + problem + "; fix it or remove it";
  return false;
}

bool has(const Json& list, const std::string& command) {
  return std::find(list.begin(), list.end(), Json(command)) != list.end();
}

}  // namespace

CommandsFile::CommandsFile(std::string root) : root_(std::move(root)) {
  file_.path = (root_ == "/" ? "" : root_) + "/.clada/commands.json";
  file_.noun = "the file of commands";
  // The file belongs to the project, so it gets the permissions of an ordinary file.
  file_.mode = 0644;
  file_.folder_mode = 0755;
  file_.not_by = S_IWOTH;
  file_.links = Links::none_at_end;
  struct stat status {};
  if (::stat(root_.c_str(), &status) == 0) file_.owner = status.st_uid;
}

std::variant<Remembered, std::string> CommandsFile::look_up(const Subject& subject) const {
  std::string text, error;
  Json object;
  if (!read_answers(file_, text, error) || !parse_lists(file_.path, text, object, error)) return error;
  if (has(object["blocked"], subject.command)) return Remembered::never;
  const bool allowed = is_within(subject.directory, root_) && has(object["allowed"], subject.command);
  return allowed ? Remembered::always : Remembered::nothing;
}

std::string CommandsFile::remember(const Subject& subject, bool always) const {
  std::string text, error;
  const Descriptor lock = lock_answers(file_, error);
  if (!lock) return error;
  Json object;
  if (!read_answers(file_, text, error) || !parse_lists(file_.path, text, object, error)) return error;
  Json& list = object[always ? "allowed" : "blocked"];
  Json& other = object[always ? "blocked" : "allowed"];
  other.erase(std::remove(other.begin(), other.end(), Json(subject.command)), other.end());
  if (!has(list, subject.command)) list.push_back(subject.command);
  return replace_answers(file_, dumped(object, 2) + '\n');
}

}  // namespace wtool::policy
