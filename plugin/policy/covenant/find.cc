#include <algorithm>
#include <array>
#include <string_view>

#include "policy/covenant/filesystem.h"
#include "policy/covenant/flags.h"

namespace wtool::policy::covenant {

namespace {

struct Primary {
  std::string_view name;
  Value value = Value::none;
  bool path = false;  // its value is one
};

// What is left out executes (-exec, -ok), removes (-delete), writes files (-fprint, -fls), follows links (-follow, and
// -L, -H in front) or reads names from files (-files0-from).
constexpr std::array primaries = std::to_array<Primary>({
    {"-name", Value::text},
    {"-iname", Value::text},
    {"-path", Value::text},
    {"-ipath", Value::text},
    {"-wholename", Value::text},
    {"-regex", Value::text},
    {"-iregex", Value::text},
    {"-regextype", Value::text},
    {"-type", Value::text},
    {"-size", Value::text},
    {"-perm", Value::text},
    {"-user", Value::text},
    {"-group", Value::text},
    {"-printf", Value::text},
    {"-newer", Value::text, true},
    {"-maxdepth", Value::number},
    {"-mindepth", Value::number},
    {"-mtime", Value::signed_number},
    {"-mmin", Value::signed_number},
    {"-atime", Value::signed_number},
    {"-amin", Value::signed_number},
    {"-ctime", Value::signed_number},
    {"-cmin", Value::signed_number},
    {"-links", Value::signed_number},
    {"-empty"},
    {"-executable"},
    {"-readable"},
    {"-writable"},
    {"-print"},
    {"-print0"},
    {"-ls"},
    {"-prune"},
    {"-quit"},
    {"-depth"},
    {"-daystart"},
    {"-mount"},
    {"-xdev"},
    {"-true"},
    {"-false"},
    {"-not"},
    {"-a"},
    {"-and"},
    {"-o"},
    {"-or"},
    {"!"},
    {"("},
    {")"},
    {","},
});

bool begins_expression(const std::string& word) {
  return (word.size() > 1 && word.front() == '-') || word == "!" || word == "(";
}

}  // namespace

Reading read_find(const std::vector<std::string>& words) {
  Reading reading{Tier::immediate, {}, {}, {}, true, false};
  std::size_t at = 1;
  for (; at < words.size() && !begins_expression(words[at]); ++at) reading.paths.push_back({words[at], Use::read});
  if (reading.paths.empty()) reading.paths.push_back({".", Use::read});
  for (; at < words.size(); ++at) {
    const std::string& word = words[at];
    const auto* const found =
        std::find_if(primaries.begin(), primaries.end(), [&](const Primary& one) { return one.name == word; });
    if (found == primaries.end()) return Reading::refuse(unknown_flag(word));
    if (found->value == Value::none) continue;
    const bool has_value = ++at < words.size();
    const std::string flag = word.substr(1);
    if (found->value == Value::text) {
      if (!has_value) return Reading::refuse("Missing value for flag: " + flag);
      if (found->path) reading.paths.push_back({words[at], Use::read});
    } else if (!has_value || !is_number(words[at], found->value == Value::signed_number)) {
      return Reading::refuse(invalid_number(flag));
    }
  }
  return reading;
}

}  // namespace wtool::policy::covenant
