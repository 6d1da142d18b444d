// Reads the parameters of a call from its JSON arguments, each by its own rule. A message about a wrong parameter names
// the parameter, describes the value that was given, and says what is allowed.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "policy/environment.h"

namespace wtool::tools {

class Parameters {
 public:
  explicit Parameters(std::string_view arguments);

  // Each of these functions returns the value, or an empty one if the parameter is absent or wrong. A text must not be
  // empty or contain NUL.
  std::string required_text(const char* name, std::size_t longest = static_cast<std::size_t>(-1));
  std::optional<std::string> optional_text(const char* name);
  // A text without line ends.
  std::optional<std::string> optional_line(const char* name);
  // False if the parameter is absent.
  bool flag(const char* name);
  // A text that becomes a file: it may be empty and may contain NUL, and has at most `longest` bytes. `advice` says
  // what to do with a longer text. Messages never show its contents.
  std::optional<std::string> content(const char* name, std::size_t longest, const std::string& advice);
  // A list of texts. The list, and each text in it, may be empty.
  std::vector<std::string> texts(const char* name);
  // A number, not a text with digits: the schemas say integer.
  std::optional<std::int64_t> whole_number(const char* name, std::int64_t lowest, std::int64_t highest,
                                           std::string_view unit);
  // A time from 1 second to `longest`; with `fractions`, from 1 ms.
  std::optional<std::chrono::milliseconds> seconds(const char* name, std::chrono::seconds longest, bool fractions);
  policy::Variables variables(const char* name);

  // Call this last: it reports parameters that are not in `known`.
  void end(std::initializer_list<const char*> known);

  // All mistakes, in one sentence; empty: there are no mistakes.
  const std::string& problem() const { return problem_; }

 private:
  const nlohmann::json* find(const char* name) const;
  std::string text(const std::string& name, const nlohmann::json& given, bool may_be_empty = false);
  void add(const std::string& problem);
  void complain(const std::string& name, const std::string& came, const std::string& allowed);

  nlohmann::json given_ = nlohmann::json::object();
  std::string problem_;
  std::size_t problems_ = 0;
  bool unreadable_ = false;  // the arguments are not a JSON object; further complaints would be noise
};

}  // namespace wtool::tools
