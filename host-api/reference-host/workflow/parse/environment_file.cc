#include "workflow/parse/environment_file.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/text.h"
#include "expressions/value.h"
#include "workflow/model/source.h"

namespace wtool::host::workflow {
namespace {

// Reads a quoted value; text[0] is its opening quote. Only a comment may follow the closing quote. False: `why` says
// why.
bool unquote(std::string_view text, std::string& out, std::string& why) {
  const char quote = text[0];
  std::size_t i = 1;
  for (; i < text.size() && text[i] != quote; ++i) {
    if (quote == '\'' || text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char next = text[++i];
    if (next != '"' && next != '\\' && next != 'n' && next != 't') out += '\\';
    out += next == 'n' ? '\n' : next == 't' ? '\t' : next;
  }
  const std::string_view rest = i < text.size() ? trim(text.substr(i + 1)) : std::string_view();
  why = i >= text.size()                          ? "the quote of this value is not closed"
        : !rest.empty() && !rest.starts_with('#') ? "only a comment may follow the closing quote of a value"
                                                  : "";
  return why.empty();
}

// Adds the variable of the line to `out`. Returns what is wrong with the line; empty: nothing is wrong.
std::string read_variable_line(std::string_view line, EnvironmentVariables& out) {
  line = trim(line);
  if (line.empty() || line.front() == '#') return "";
  constexpr std::string_view word = "export ";
  if (line.starts_with(word)) line = trim(line.substr(word.size()));
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return "a line must be NAME=VALUE, or a comment that begins with #";
  const std::string name(trim(line.substr(0, equals)));
  if (!is_variable_name(name)) return expressions::quoted_for_message(name) + " cannot name an environment variable";
  const std::string_view rest = line.substr(equals + 1);
  const std::string_view written = trim(rest);
  std::string value, why;
  if (!written.empty() && (written[0] == '"' || written[0] == '\'')) {
    if (!unquote(written, value, why)) return why;
  } else {
    // Also after an empty value: `DEBUG=   # set to 1 to debug`.
    std::size_t comment = rest.find('#');
    while (comment != std::string_view::npos &&
           (comment == 0 || (rest[comment - 1] != ' ' && rest[comment - 1] != '\t'))) {
      comment = rest.find('#', comment + 1);
    }
    value = trim(rest.substr(0, comment));
  }
  std::erase_if(out, [&](const auto& known) { return known.first == name; });
  out.emplace_back(name, std::move(value));
  return "";
}

}  // namespace

std::optional<EnvironmentVariables> read_environment_file(const std::string& path, std::string& error) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    error = path + ": this is a directory, not a file of variables";
    return std::nullopt;
  }
  const Source source = load_source(path, error);
  if (!error.empty()) return std::nullopt;
  EnvironmentVariables variables;
  for (std::size_t i = 0; i < source.line_count(); ++i) {
    if (const std::string why = read_variable_line(source.line(i), variables); !why.empty()) {
      error = path + ":" + std::to_string(i + 1) + ": " + why;
      return std::nullopt;
    }
  }
  return variables;
}

}  // namespace wtool::host::workflow
