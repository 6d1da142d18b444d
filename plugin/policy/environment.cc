#include "policy/environment.h"

#include <algorithm>
#include <unordered_set>

namespace wtool::policy {

namespace {

std::string_view name_of(std::string_view variable) { return variable.substr(0, variable.find('=')); }

}  // namespace

bool is_variable_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

std::vector<std::string> compose_environment(const char* const* inherited, const Variables& additions,
                                             std::string_view directory) {
  std::size_t count = 0;
  for (const char* const* each = inherited; each != nullptr && *each != nullptr; ++each) ++count;
  std::vector<std::string> variables;
  variables.reserve(count + additions.size() + 1);
  std::unordered_set<std::string_view> settled(count + additions.size() + 2);
  settled.insert({"PWD", "OLDPWD"});
  for (const auto& [name, value] : additions) settled.insert(name);
  for (; inherited != nullptr && *inherited != nullptr; ++inherited) {
    const std::string_view variable(*inherited);
    if (variable.find('=') == std::string_view::npos) continue;
    if (settled.insert(name_of(variable)).second) variables.emplace_back(variable);
  }
  for (const auto& [name, value] : additions) {
    if (name != "PWD") variables.push_back(name + "=" + value);
  }
  variables.push_back("PWD=" + std::string(directory));
  return variables;
}

std::string_view find_variable(const std::vector<std::string>& variables, std::string_view name,
                               std::string_view fallback) {
  for (const std::string_view variable : variables) {
    if (variable.size() > name.size() && variable[name.size()] == '=' && variable.starts_with(name)) {
      return variable.substr(name.size() + 1);
    }
  }
  return fallback;
}

}  // namespace wtool::policy
