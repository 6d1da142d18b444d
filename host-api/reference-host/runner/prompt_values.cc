#include "runner/prompt_values.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "expressions/path.h"
#include "expressions/value.h"
#include "runner/variables.h"

namespace wtool::host::runner {
namespace {

using expressions::Value;

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool is_name(std::string_view text) {
  return !text.empty() && expressions::is_name_start(text[0]) &&
         std::all_of(text.begin(), text.end(), expressions::is_name_character);
}

Value value_of(std::string_view text) {
  const auto parsed = nlohmann::json::parse(text, nullptr, false);
  if (!parsed.is_discarded()) {
    if (auto value = expressions::from_json(parsed)) return *value;
  }
  return Value(std::string(text));
}

}  // namespace

PromptValues parse_prompt_values(std::string_view lines) {
  PromptValues made;
  std::size_t number = 0;
  while (!lines.empty() && made.error.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = trimmed(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
    ++number;
    if (line.empty()) continue;
    if (line == "exit") {
      made.ends_workflow = true;
      continue;
    }
    const std::size_t equals = line.find('=');
    const std::string name(trimmed(line.substr(0, std::min(equals, line.size()))));
    const std::string place = "line " + std::to_string(number) + " of values_file";
    if (equals == std::string_view::npos || !is_name(name)) {
      made.error = place + " is neither NAME=VALUE nor `exit`: " + expressions::quoted_for_message(line);
    } else if (workflow::is_run_name(name) && !workflow::is_settable_run_name(name)) {
      made.error = place + " sets '" + name + "', which the run itself sets; choose another name";
    } else {
      made.assigned.emplace_back(name, value_of(trimmed(line.substr(equals + 1))));
    }
  }
  return made;
}

PromptValues read_prompt_values(const std::string& file) {
  PromptValues made;
  std::string text(max_prompt_values + 1, '\0');
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in.is_open() || in.bad()) {
    made.error = "values_file cannot be read: " + std::string(std::strerror(errno));
    return made;
  }
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > max_prompt_values) {
    made.error = "values_file is larger than " + std::to_string(max_prompt_values) + " bytes";
    return made;
  }
  return parse_prompt_values(text);
}

}  // namespace wtool::host::runner
