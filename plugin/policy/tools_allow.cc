#include "policy/tools_allow.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <variant>

#include "base/descriptor.h"
#include "base/files.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/utf8.h"
#include "policy/name_list.h"

namespace wtool::policy {

namespace {

using Json = nlohmann::json;

constexpr std::string_view rule = "tools-allow.json";
constexpr std::array places{"apps/tools/caws/tools-allow.json", "tools-allow.json"};
constexpr std::size_t max_file_size = 1024UL * 1024;

// Characters that are special to a shell anywhere in a word. (A tilde is special only at the start of a word.)
constexpr std::string_view metacharacters = "|&;<>()$`\\\"'*?[]{}\n\r";

Verdict denied(std::string reason, std::string hint) {
  Verdict verdict;
  verdict.decision = Decision::deny;
  verdict.reason = std::move(reason);
  verdict.hint = std::move(hint);
  verdict.rule = rule;
  return verdict;
}

std::string quoted_excerpt(std::string_view text) { return dumped(Json(clipped(text, 200))); }

// The names, or a sentence that says what is wrong with the file.
std::variant<NameList, std::string> read(const std::string& file) {
  struct stat status {};
  const auto is_other = [&] { return !S_ISREG(status.st_mode); };
  // A device is not even opened.
  if (::stat(file.c_str(), &status) == 0 && is_other()) return file + " is not a regular file";
  // A command may put a FIFO there at any time. Opening it must not wait for a writer.
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!opened || ::fstat(opened.get(), &status) != 0) return file + " cannot be read";
  if (is_other()) return file + " is not a regular file";
  std::string text;
  const int error = read_all(opened.get(), max_file_size, text);
  if (error == EFBIG) return file + " has more than " + std::to_string(max_file_size) + " bytes";
  if (error != 0) return file + " cannot be read";
  const Json list = parse_json(text);
  std::vector<std::string> names;
  if (list.is_array()) {
    for (const Json& name : list) {
      const std::string entry = name.is_string() ? name.get<std::string>() : std::string();
      if (entry.empty() || entry == "*" || entry.find('/') != std::string::npos) {
        // show_json() recurses into a value, and nothing limits how deeply the values of this file are nested.
        return file + " has " +
               (name.is_structured() ? "a value of type " + std::string(name.type_name()) : show_json(name)) +
               ", which is not the name of a program";
      }
      names.push_back(entry);
    }
    return NameList(std::move(names));
  }
  return file + (list.is_discarded() ? " is not JSON" : " is not a JSON array of names of programs");
}

}  // namespace

std::string tools_allow_file(const std::string& configured) {
  if (!configured.empty()) return configured;
  for (const char* place : places) {
    if (::access(place, F_OK) == 0) return place;
  }
  return {};
}

Verdict judge_by_tools_allow(const std::vector<std::string>& words, const std::string& configured,
                             const Programs& programs) {
  const std::string& program = words.front();
  const std::string file = tools_allow_file(configured);
  const std::string not_allowed = "Command not allowed: " + quoted_excerpt(program);
  if (file.empty()) {
    return denied(not_allowed + ": there is no tools-allow.json",
                  std::string("the person who maintains the host can create ") + places[0] + " or " + places[1] +
                      " (a JSON array of names of programs) in the host's directory, or set sessions.tools_allow");
  }
  const auto read_file = read(file);
  if (const auto* problem = std::get_if<std::string>(&read_file)) {
    return denied(not_allowed + ": " + *problem, "the file must be a JSON array such as [\"node\", \"npm\"]");
  }
  const auto& names = std::get<NameList>(read_file);
  if (!names.allows(program, programs)) {
    const bool is_path = program.find('/') != std::string::npos;
    return denied(not_allowed + " is not in " + file, (is_path ? "give the name of a program, not a path; " : "") +
                                                          std::string("allowed are: ") +
                                                          (names.empty() ? "nothing" : names.shown()));
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t at = words[i].find_first_of(metacharacters);
    const bool home = words[i].starts_with('~');
    if (at == std::string::npos && !home) continue;
    return denied("Argument not allowed: args[" + std::to_string(i - 1) + "] is " + quoted_excerpt(words[i]) +
                      ", which contains " + quoted_excerpt(words[i].substr(home ? 0 : at, 1)) +
                      ", a shell metacharacter",
                  "no shell runs the command, so this character would have no special meaning; put the shell text "
                  "into a script file and run the file");
  }
  Verdict verdict;
  verdict.rule = std::string(rule) + ": " + std::string(base_name(program));
  verdict.reason = file + " allows " + std::string(base_name(program));
  return verdict;
}

}  // namespace wtool::policy
