// What a tool says that a call would do, without doing it: the answer of wtool.explain/1, an object with the text
// "verdict". docs/policy.md describes the other members that shell_tools gives.
//
//   std::string error;
//   const auto explained = toolbox.explain("shell_execute", R"({"command": "ls"})", stop, error);
//   if (explained && explained->text("verdict") == "allow") ...
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/raw_json.h"

namespace wtool::host {

class Explanation {
 public:
  // Nothing: the text is not a JSON object with the text "verdict".
  static std::optional<Explanation> parse(std::string_view json);

  // All of it, as JSON text.
  const std::string& json() const { return *json_; }
  // Missing if no member has this name. The text of the member belongs to this object and its copies.
  RawJson member(std::string_view name) const { return find_member(members_, name); }
  // Empty: no member of this name is a text.
  std::string text(std::string_view name) const { return member(name).text().value_or(""); }

 private:
  explicit Explanation(std::string_view json)
      : json_(std::make_shared<const std::string>(json)), members_(members_of(*json_)) {}

  std::shared_ptr<const std::string> json_;
  std::vector<RawJson::Member> members_;
};

inline std::optional<Explanation> Explanation::parse(std::string_view json) {
  Explanation read(json);
  if (!read.member("verdict").text()) return std::nullopt;
  return read;
}

}  // namespace wtool::host
