// What the command of prompts returns besides its answer (prompts.h).
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "base/descriptor.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/text.h"
#include "runner/prompts.h"
#include "runner/usage.h"

namespace wtool::host::runner {

using expressions::Value;

namespace {

bool is_name(std::string_view text) {
  return !text.empty() && expressions::is_name_start(text[0]) &&
         std::all_of(text.begin(), text.end(), expressions::is_name_character);
}

Value value_of(std::string_view text) { return expressions::from_json_text(text).value_or(Value(text)); }

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
    const std::string place = "line " + std::to_string(number) + " of $WTOOL_STEER";
    if (equals == std::string_view::npos || !is_name(name)) {
      made.error = place + " is neither NAME=VALUE nor `exit`: " + expressions::quoted_for_message(line);
    } else if (workflow::is_run_name(name)) {
      made.error = place + " sets '" + name + "', which the run itself sets; choose another name";
    } else {
      made.assigned.emplace_back(name, value_of(trimmed(line.substr(equals + 1))));
    }
  }
  return made;
}

namespace {

// Reads a file that a command was given to write to. Nothing: `error` says why. The command may have replaced the file
// with anything, such as a pipe to which nobody writes.
std::optional<std::string> read_returned_file(const std::string& file, const std::string& name, std::string& error) {
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  struct stat about {};
  if (!opened || ::fstat(opened.get(), &about) != 0) {
    error = name + " cannot be read: " + std::strerror(errno);
    return std::nullopt;
  }
  if (!S_ISREG(about.st_mode)) {
    error = name + " is no longer a file: append to it instead of replacing it";
    return std::nullopt;
  }
  std::string text(max_prompt_values + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t more = ::read(opened.get(), text.data() + size, text.size() - size);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) {
      error = name + " cannot be read: " + std::strerror(errno);
      return std::nullopt;
    }
    if (more == 0) break;
    size += static_cast<std::size_t>(more);
  }
  text.resize(size);
  if (size <= max_prompt_values) return text;
  error = name + " is larger than " + std::to_string(max_prompt_values) + " bytes";
  return std::nullopt;
}

// The amount (0 or more) at the key. Nothing: the key is missing, or `error` says why its value is not an amount.
std::optional<double> amount_at(const nlohmann::json& report, const char* key, std::string& error) {
  const auto found = report.find(key);
  if (found == report.end() || found->is_null()) return std::nullopt;
  const double amount = found->is_number() ? found->get<double>() : -1;
  if (amount >= 0 && amount <= 1e15) return amount;
  error =
      std::string("\"") + key + "\" is " + expressions::quoted_json(*found) + ", but must be a number of at least 0";
  return std::nullopt;
}

void add_report(const nlohmann::json& report, PromptUsage& made) {
  if (!report.is_object()) {
    made.error = "it is not a JSON object: " + expressions::quoted_json(report);
    return;
  }
  auto tokens = amount_at(report, "tokens", made.error);
  for (const char* key : {"input_tokens", "output_tokens"}) {
    const auto part = amount_at(report, key, made.error);
    if (part && !report.contains("tokens")) tokens = tokens.value_or(0) + *part;
  }
  const auto cost = amount_at(report, "cost", made.error);
  if (tokens) {
    made.tokens = saturated_sum(made.tokens.value_or(0), static_cast<std::int64_t>(std::llround(*tokens)));
  }
  if (cost) made.cost = made.cost.value_or(0) + *cost;
}

}  // namespace

PromptValues read_prompt_values(const std::string& file) {
  PromptValues made;
  const auto text = read_returned_file(file, "$WTOOL_STEER", made.error);
  return text ? parse_prompt_values(*text) : made;
}

PromptUsage parse_prompt_usage(std::string_view text) {
  PromptUsage made;
  if (is_blank(text)) return made;
  const auto whole = parse_json(text);
  if (!whole.is_discarded()) {
    add_report(whole, made);
    if (!made.error.empty()) made.error = "$WTOOL_USAGE is not understood: " + made.error;
    return made;
  }
  std::size_t number = 0;
  while (!text.empty() && made.error.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    ++number;
    if (is_blank(line)) continue;
    const auto report = parse_json(line);
    if (report.is_discarded()) {
      made.error = "it is not JSON: " + expressions::quoted_for_message(line);
    } else {
      add_report(report, made);
    }
    if (!made.error.empty())
      made.error = "line " + std::to_string(number) + " of $WTOOL_USAGE is not understood: " + made.error;
  }
  return made;
}

PromptUsage read_prompt_usage(const std::string& file) {
  PromptUsage made;
  const auto text = read_returned_file(file, "$WTOOL_USAGE", made.error);
  return text ? parse_prompt_usage(*text) : made;
}

}  // namespace wtool::host::runner
