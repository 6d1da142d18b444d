#include "runner/prompts.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/edit_distance.h"
#include "base/json.h"
#include "base/temporary_path.h"
#include "expressions/value.h"
#include "workflow/model/diagnostics.h"
#include "workflow/quoting/command_template.h"

namespace wtool::host::runner {
namespace {

using expressions::ExpressionError;
using expressions::Value;
using nlohmann::json;

// The values that the template of the command may use.
class CommandScope final : public expressions::Scope {
 public:
  std::map<std::string, Value, std::less<>> values;

  const Value* find(std::string_view name) const override {
    const auto own = values.find(name);
    return own == values.end() ? nullptr : &own->second;
  }
  std::string why_not(std::string_view name) const override {
    return "there is no '" + std::string(name) + "' here" +
           known_names(name, "values", {"prompt", "prompt_file", "prompt_name", "values_file", "usage_file"});
  }
};

// The text of the prompt with its values filled in. If it cannot be made, `error` says why; otherwise `error` stays
// empty.
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
            ", which takes no prompt; write {{ prompt }} or {{ prompt_file }} where the prompt belongs, as in "
            "`my-model --file {{ prompt_file }}`";
    return;
  }
  workflow::Diagnostics diagnostics;
  check_command(command_, diagnostics);
  if (!diagnostics.empty()) error = "prompts.command: " + diagnostics.sorted().front().message;
}

Prompts::~Prompts() = default;

template <class Function>
auto Prompts::with_files(const std::string& from, const Function& function) const {
  if (!reads_once_) {
    PromptFiles files(prompt_folders(settings_.directories, directory_, from));
    return function(files);
  }
  const std::lock_guard lock(mutex_);
  auto& files = files_[std::filesystem::path(from).parent_path().string()];
  if (!files) {
    files = std::make_unique<PromptFiles>(prompt_folders(settings_.directories, directory_, from));
    if (reads_no_more_) files->read_no_more();
  }
  return function(*files);
}

void Prompts::expect(const std::string& from) const {
  if (reads_once_) with_files(from, [](PromptFiles&) {});
}

void Prompts::read_all(const std::vector<std::string>& from) {
  for (const std::string& file : from) expect(file);
  for (const auto& [folder, files] : files_) files->read_all();
  reads_no_more_ = true;
}

std::set<std::string, std::less<>> Prompts::settable_names(const std::string& prompt, bool is_inline,
                                                           const std::string& from) const {
  std::set<std::string, std::less<>> names;
  const std::string text =
      is_inline ? prompt : with_files(from, [&](PromptFiles& files) { return files.text(prompt); });
  for (std::size_t at = 0; at < text.size();) {
    // Skips a tag: a name that the prompt's own template reads must get its value from elsewhere.
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
  return with_files(from, [&](PromptFiles& files) { return files.check(name, known); });
}

PreparedPrompt Prompts::prepare(const std::string& prompt, bool is_inline, const std::string& from,
                                const expressions::Scope& values, const PromptAddition& addition) const {
  return make(prompt, is_inline, from, values, Purpose::run, addition);
}

PreparedPrompt Prompts::preview(const std::string& prompt, bool is_inline, const std::string& from,
                                const expressions::Scope& values, const PromptAddition* addition) const {
  return addition == nullptr ? make(prompt, is_inline, from, values, Purpose::look, {})
                             : make(prompt, is_inline, from, values, Purpose::look_at_text, *addition);
}

PreparedPrompt Prompts::make(const std::string& prompt, bool is_inline, const std::string& from,
                             const expressions::Scope& values, Purpose purpose, const PromptAddition& addition) const {
  PreparedPrompt made;
  made.timeout = settings_.timeout;
  if (!has_command()) {
    made.error = no_command();
    return made;
  }
  std::string text = prompt;
  if (!is_inline) {
    const auto names = expressions::names_used(command_.parsed);
    const bool wanted = purpose != Purpose::look ||
                        std::any_of(names.begin(), names.end(), [](const auto& use) { return use.name == "prompt"; });
    with_files(from, [&](PromptFiles& files) {
      if (wanted) {
        text = rendered_prompt(prompt, files, values, made.error);
      } else {
        files.find(prompt, made.error);
      }
    });
    if (!made.error.empty()) return made;
  }
  text += addition.text;
  made.text = text;
  CommandScope scope;
  scope.values.emplace("prompt", Value(text));
  scope.values.emplace("prompt_name", Value(is_inline ? "" : prompt));
  std::vector<TemporaryPath> files;
  // Makes a file for the command, and returns its path; empty after an error. A preview only makes up its name.
  const auto hand_over = [&](const char* what, const std::string& content, TemporaryPlace place) -> std::string {
    std::string path = TemporaryPath::example(what, place);
    if (purpose == Purpose::run) {
      path = files.emplace_back(TemporaryPath::file(what, content, made.error, place)).path();
      if (path.empty()) made.error = "a file for the prompt " + made.error;
    }
    made.own_files.push_back(path);
    return path;
  };
  // No command may change what another one is asked, but each writes its answers. Another machine may not have the home
  // folder, and `directories.roots` usually have the temporary folder only.
  const bool is_guarded = !addition.is_elsewhere && !settings_.confines_arguments;
  const TemporaryPlace asked = is_guarded ? TemporaryPlace::guarded : TemporaryPlace::shared;
  constexpr TemporaryPlace answered = TemporaryPlace::shared;
  if (settings_.command.find("prompt_file") != std::string::npos) {
    const std::string path = hand_over("prompt", text, asked);
    if (purpose != Purpose::run) made.keeps = std::make_shared<const bool>(true);
    scope.values.emplace("prompt_file", Value(path));
  }
  if (made.error.empty()) made.values_file = made.environment[values_variable] = hand_over("values", "", answered);
  if (made.error.empty()) made.usage_file = made.environment[usage_variable] = hand_over("usage", "", answered);
  if (made.error.empty() && addition.schema != nullptr) {
    made.environment[schema_variable] = hand_over("schema", dumped(*addition.schema, 2) + "\n", asked);
  }
  if (!made.error.empty()) return made;
  scope.values.emplace("values_file", Value(made.values_file));
  scope.values.emplace("usage_file", Value(made.usage_file));
  // All files are removed together, when nobody needs the prepared prompt any longer.
  if (!files.empty()) made.keeps = std::make_shared<const std::vector<TemporaryPath>>(std::move(files));
  auto command = render_command(command_, scope);
  if (const auto* error = std::get_if<ExpressionError>(&command)) {
    made.error = "prompts.command: " + error->message;
    return made;
  }
  made.command = std::get<std::string>(std::move(command));
  return made;
}

}  // namespace wtool::host::runner
