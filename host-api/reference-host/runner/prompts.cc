#include "runner/prompts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/descriptor.h"
#include "base/files.h"
#include "base/paths.h"
#include "expressions/path.h"
#include "expressions/value.h"
#include "runner/variables.h"
#include "workflow/model/diagnostics.h"
#include "workflow/quoting/command_template.h"

namespace wtool::host::runner {
namespace {

using expressions::ExpressionError;
using expressions::Value;

// What the template of the command may use.
class CommandScope final : public expressions::Scope {
 public:
  std::map<std::string, Value, std::less<>> values;

  const Value* find(std::string_view name) const override {
    const auto own = values.find(name);
    return own == values.end() ? nullptr : &own->second;
  }
  std::string why_not(std::string_view name) const override {
    return "there is no '" + std::string(name) + "' here; there are prompt, prompt_file, prompt_name and values_file";
  }
};

// A file that is removed with the last owner of the returned pointer. Empty `path`: `error` says why.
std::shared_ptr<const void> temporary_file(const std::string& content, std::string& path, std::string& error) {
  path = environment_folder("TMPDIR", "/tmp") + "/wtool-prompt-XXXXXX";
  const Descriptor file(::mkostemp(path.data(), O_CLOEXEC));
  const int failed = file ? write_all(file.get(), content).error : errno;
  if (failed != 0) {
    error = "the prompt cannot be written to " + path + ": " + std::strerror(failed);
    if (file) ::unlink(path.c_str());
    return nullptr;
  }
  return {new std::string(path), [](const void* owned) {
            const auto* name = static_cast<const std::string*>(owned);
            ::unlink(name->c_str());
            delete name;
          }};
}

// The text of a prompt with its values; empty `error` on success.
std::string rendered_prompt(const std::string& name, PromptFiles& files, const expressions::Scope& values,
                            std::string& error) {
  const expressions::Partial* prompt = files.find(name, error);
  if (prompt == nullptr) return "";
  auto rendered = expressions::render_prompt(*prompt, values, files);
  if (auto* text = std::get_if<std::string>(&rendered)) return std::move(*text);
  const auto& wrong = std::get<ExpressionError>(rendered);
  error = files.place(*prompt, wrong.offset) + ": " + wrong.message;
  return "";
}

}  // namespace

Prompts::Prompts(PromptSettings settings, std::string directory, std::string& error)
    : settings_(std::move(settings)), directory_(std::move(directory)) {
  if (settings_.command.empty()) return;
  auto parsed = expressions::parse_template(settings_.command);
  if (const auto* errors = std::get_if<std::vector<ExpressionError>>(&parsed)) {
    error = "prompts.command: " + errors->front().message;
    return;
  }
  command_.written.append(settings_.command, 0);
  command_.parsed = std::get<expressions::Template>(std::move(parsed));
  command_.places = workflow::find_places(command_.parsed);
  const bool takes = settings_.command.find("prompt_file") != std::string::npos ||
                     settings_.command.find("{{ prompt }}") != std::string::npos ||
                     settings_.command.find("{{prompt}}") != std::string::npos ||
                     settings_.command.find("${prompt}") != std::string::npos;
  if (!takes) {
    error = "prompts.command is " + expressions::quoted_for_message(settings_.command) +
            ", which takes no prompt: write {{ prompt }} or {{ prompt_file }} where it belongs, as in "
            "`my-model --file {{ prompt_file }}`";
    return;
  }
  workflow::Diagnostics diagnostics;
  check_places(command_, diagnostics);
  if (!diagnostics.empty()) error = "prompts.command: " + diagnostics.sorted().front().message;
}

bool Prompts::hands_over_values() const {
  const auto names = expressions::names_used(command_.parsed);
  return std::any_of(names.begin(), names.end(), [](const auto& use) { return use.name == "values_file"; });
}

std::set<std::string, std::less<>> Prompts::settable_names(const std::string& prompt, bool is_inline,
                                                           const std::string& from) const {
  std::set<std::string, std::less<>> names;
  if (!hands_over_values()) return names;
  const std::string text =
      is_inline ? prompt : PromptFiles(prompt_folders(settings_.directories, directory_, from)).text(prompt);
  for (std::size_t at = 0; at < text.size();) {
    // What the prompt itself reads must get its value from elsewhere.
    const std::string_view begin = std::string_view(text).substr(at, 2);
    if (begin == "{{" || begin == "{%") {
      const std::size_t close = text.find(begin == "{{" ? "}}" : "%}", at);
      if (close == std::string::npos) break;
      at = close;
    }
    std::size_t end = at;
    while (end < text.size() && expressions::is_name_character(text[end])) ++end;
    if (end > at && expressions::is_name_start(text[at])) names.insert(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return names;
}

std::string Prompts::no_command() {
  return "no command is configured for prompts; set one in wtool.yaml, such as\n"
         "  prompts: {command: \"my-model --file {{ prompt_file }}\"}";
}

std::vector<std::string> Prompts::check(const std::string& name, const std::string& from,
                                        const std::set<std::string, std::less<>>& known) const {
  return PromptFiles(prompt_folders(settings_.directories, directory_, from)).check(name, known);
}

PreparedPrompt Prompts::prepare(const std::string& prompt, bool is_inline, const std::string& from,
                                const expressions::Scope& values) const {
  return make(prompt, is_inline, from, values, Purpose::run);
}

PreparedPrompt Prompts::preview(const std::string& prompt, bool is_inline, const std::string& from,
                                const expressions::Scope& values) const {
  return make(prompt, is_inline, from, values, Purpose::look);
}

PreparedPrompt Prompts::make(const std::string& prompt, bool is_inline, const std::string& from,
                             const expressions::Scope& values, Purpose purpose) const {
  PreparedPrompt made;
  made.timeout = settings_.timeout;
  if (!has_command()) {
    made.error = no_command();
    return made;
  }
  std::string text = prompt;
  if (!is_inline) {
    const std::vector<std::string> folders = prompt_folders(settings_.directories, directory_, from);
    find_prompt(prompt, folders, made.error);
    const auto names = expressions::names_used(command_.parsed);
    const bool wanted = purpose == Purpose::run ||
                        std::any_of(names.begin(), names.end(), [](const auto& use) { return use.name == "prompt"; });
    if (made.error.empty() && wanted) {
      PromptFiles files(folders);
      text = rendered_prompt(prompt, files, values, made.error);
    }
    if (!made.error.empty()) return made;
  }
  made.text = text;
  CommandScope scope;
  scope.values.emplace("prompt", Value(text));
  scope.values.emplace("prompt_name", Value(is_inline ? "" : prompt));
  if (settings_.command.find("prompt_file") != std::string::npos) {
    std::string path = "/tmp/wtool-prompt-XXXXXX";
    if (purpose == Purpose::look) {
      made.keeps = std::make_shared<const bool>(true);
    } else {
      made.keeps = temporary_file(text, path, made.error);
    }
    if (!made.error.empty()) return made;
    made.own_files.push_back(path);
    scope.values.emplace("prompt_file", Value(path));
  }
  if (hands_over_values()) {
    made.values_file = "/tmp/wtool-prompt-XXXXXX";
    if (purpose == Purpose::run) {
      // One owner for both files.
      auto handed = temporary_file("", made.values_file, made.error);
      if (!made.error.empty()) return made;
      using Files = std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>;
      made.keeps = std::make_shared<const Files>(std::move(made.keeps), std::move(handed));
    }
    made.own_files.push_back(made.values_file);
    scope.values.emplace("values_file", Value(made.values_file));
  }
  auto command = render_command(command_, scope);
  if (const auto* error = std::get_if<ExpressionError>(&command)) {
    made.error = "prompts.command: " + error->message;
    return made;
  }
  made.command = std::get<std::string>(std::move(command));
  return made;
}

// ---- What an agent returns besides its answer.

namespace {

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
