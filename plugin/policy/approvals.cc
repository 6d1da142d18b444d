#include "policy/approvals.h"

#include <algorithm>

#include "base/edit_distance.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/sha256.h"
#include "base/text.h"
#include "policy/answers_file.h"

namespace wtool::policy {

namespace {

using Json = nlohmann::ordered_json;

Json entry_of(const Subject& subject) {
  Variables sorted = subject.environment;
  std::sort(sorted.begin(), sorted.end());
  Json environment = Json::object();
  for (const auto& [name, value] : sorted) environment[name] = sha256(value);
  Json entry{{"command", subject.command}, {"directory", subject.directory}, {"environment", std::move(environment)}};
  if (subject.standard_input) entry["stdin"] = sha256(*subject.standard_input);
  if (subject.lifts_network) entry["lifts"] = {"network"};
  if (subject.interactive) entry["interactive"] = true;
  return entry;
}

// A person may omit an empty environment, and may write the keys in any order.
bool is_entry_of(const nlohmann::json& entry, const nlohmann::json& wanted) {
  return entry.is_object() && entry.value("command", nlohmann::json()) == wanted["command"] &&
         entry.value("directory", nlohmann::json()) == wanted["directory"] &&
         entry.value("environment", nlohmann::json::object()) == wanted["environment"] &&
         entry.value("stdin", nlohmann::json()) == wanted.value("stdin", nlohmann::json()) &&
         entry.value("lifts", nlohmann::json()) == wanted.value("lifts", nlohmann::json()) &&
         entry.value("interactive", nlohmann::json(false)) == wanted.value("interactive", nlohmann::json(false));
}

AnswersFile as_file(const std::string& path) {
  return {.path = path, .noun = "the file of approvals", .links = Links::none};
}

// Reads the two lists, each an array of objects. False: `error` says why.
bool parse(const std::string& path, const std::string& text, Json& lists, std::string& error) {
  lists = {{"always", Json::array()}, {"never", Json::array()}};
  if (trimmed(text).empty()) return true;
  std::string problem;
  const nlohmann::json given = parse_json_object(text, problem);
  for (const auto& [key, value] : given.items()) {
    if (!problem.empty()) break;
    if (key != "always" && key != "never") {
      problem = "there is no key " + show_json(key) + known_names(key, "keys", {"always", "never"});
    } else if (!value.is_array() || !std::all_of(value.begin(), value.end(), [](const auto& entry) {
                 return entry.is_object() && entry.contains("command") && entry.contains("directory");
               })) {
      problem = key + " must be a list of objects with command and directory";
    } else {
      lists[key] = Json::parse(value.dump());
    }
  }
  if (problem.empty()) return true;
  error = "the file of approvals cannot be understood: " + path + ": " + problem + "; fix it or remove it";
  return false;
}

}  // namespace

std::string fingerprint(const Subject& subject) { return sha256(dumped(entry_of(subject))); }

std::variant<Remembered, std::string> Approvals::look_up(const Subject& subject) const {
  if (file_.empty()) return Remembered::nothing;
  std::string text, error;
  Json lists;
  if (!read_answers(as_file(file_), text, error) || !parse(file_, text, lists, error)) return error;
  const nlohmann::json wanted = parse_json_or_throw(dumped(entry_of(subject)));
  const auto has = [&](const char* list) {
    const nlohmann::json entries = parse_json_or_throw(dumped(lists[list]));
    return std::any_of(entries.begin(), entries.end(), [&](const auto& entry) { return is_entry_of(entry, wanted); });
  };
  if (has("never")) return Remembered::never;
  return has("always") ? Remembered::always : Remembered::nothing;
}

std::string Approvals::remember(const Subject& subject, bool always) const {
  if (file_.empty()) return "no file is configured for such answers (commands.approvals)";
  const AnswersFile file = as_file(file_);
  std::string text, error;
  const Descriptor lock = lock_answers(file, error);
  if (!lock) return error;
  Json lists;
  if (!read_answers(file, text, error) || !parse(file_, text, lists, error)) return error;
  const Json entry = entry_of(subject);
  const nlohmann::json wanted = parse_json_or_throw(dumped(entry));
  for (const char* list : {"always", "never"}) {
    Json kept = Json::array();
    for (const Json& other : lists[list]) {
      if (!is_entry_of(parse_json_or_throw(dumped(other)), wanted)) kept.push_back(other);
    }
    lists[list] = std::move(kept);
  }
  lists[always ? "always" : "never"].push_back(entry);
  return replace_answers(file, dumped(lists, 2) + '\n');
}

}  // namespace wtool::policy
