#include "runner/prompts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include "workflow/command_template.h"
#include "workflow/findings.h"
#include "workflow/source.h"

namespace wtool::host::workflow {
namespace {

namespace fs = std::filesystem;
using expressions::ExpressionError;
using expressions::Value;

constexpr std::array<std::string_view, 4> extensions = {".md", ".md.liquid", ".liquid", ".txt"};

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// A name that cannot lead out of the folders that prompts are looked for in.
bool is_prompt_name(const std::string& name) {
  if (name.empty() || name.front() == '/' || name.find('\0') != std::string::npos) return false;
  const fs::path path(name);
  return std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

// Values by name, over those of another scope where there is one.
class Layer final : public expressions::Scope {
 public:
  explicit Layer(const expressions::Scope* below = nullptr) : below_(below) {}
  std::map<std::string, Value, std::less<>> values;
  bool defaults = false;  // they only stand in for what is missing below

  const Value* find(std::string_view name) const override {
    const Value* under = below_ == nullptr ? nullptr : below_->find(name);
    if (defaults && under != nullptr) return under;
    const auto own = values.find(name);
    return own == values.end() ? under : &own->second;
  }
  std::string why_not(std::string_view name) const override {
    if (below_ != nullptr) return below_->why_not(name);
    return "there is no '" + std::string(name) + "' here; there are prompt, prompt_file and prompt_name";
  }

 private:
  const expressions::Scope* below_;
};

// The front matter's lines, and where the text behind it begins.
std::pair<std::string, std::size_t> front_matter(const Source& source) {
  const std::string_view text = source.text();
  if (source.line_count() == 0 || trim(source.line(0).substr(source.content_begin())) != "---") {
    return {"", source.content_begin()};
  }
  for (std::size_t i = 1; i < source.line_count(); ++i) {
    if (trim(source.line(i)) != "---") continue;
    const std::size_t begin = source.line_start(1);
    const std::size_t behind = i + 1 < source.line_count() ? source.line_start(i + 1) : text.size();
    return {std::string(text.substr(begin, source.line_start(i) - begin)), behind};
  }
  return {"", source.content_begin()};
}

// Of `parameters` (or `arguments`, as older files call them). What is not understood there is the prompt's own affair.
void read_defaults(const std::string& yaml, Layer& out) {
  try {
    const YAML::Node root = YAML::Load(yaml);
    for (const char* key : {"parameters", "arguments"}) {
      if (!root.IsMap() || !root[key] || !root[key].IsSequence()) continue;
      for (const YAML::Node& entry : root[key]) {
        if (!entry.IsMap() || !entry["name"] || !entry["name"].IsScalar()) continue;
        if (entry["default"] && entry["default"].IsScalar()) {
          out.values.emplace(entry["name"].Scalar(), Value(entry["default"].Scalar()));
        }
      }
    }
  } catch (const YAML::Exception&) {
  }
}

// A file that is removed with the last owner of what this returns. Empty `path`: `error` says why there is none.
std::shared_ptr<const void> temporary_file(const std::string& content, std::string& path, std::string& error) {
  const char* folder = ::getenv("TMPDIR");
  path = std::string(folder != nullptr && *folder == '/' ? folder : "/tmp") + "/wtool-prompt-XXXXXX";
  const int file = ::mkostemp(path.data(), O_CLOEXEC);
  std::size_t written = 0;
  while (file >= 0 && written < content.size()) {
    const ssize_t count = ::write(file, content.data() + written, content.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    written += static_cast<std::size_t>(count);
  }
  if (file < 0 || written < content.size()) {
    error = "the prompt cannot be written to " + path + ": " + std::strerror(errno);
    if (file >= 0) ::unlink(path.c_str());
  }
  if (file >= 0) ::close(file);
  if (!error.empty()) return nullptr;
  return {new std::string(path), [](const void* owned) {
            const auto* name = static_cast<const std::string*>(owned);
            ::unlink(name->c_str());
            delete name;
          }};
}

// The text of a prompt file with its values; empty `error` on success.
std::string rendered_prompt(const std::string& file, const expressions::Scope& values, std::string& error) {
  const Source source = load_source(file, error);
  if (!error.empty()) return "";
  const auto [yaml, begin] = front_matter(source);
  Layer scope(&values);
  scope.defaults = true;
  read_defaults(yaml, scope);
  auto parsed = expressions::parse_template(source.text().substr(begin));
  const ExpressionError* wrong = nullptr;
  if (const auto* errors = std::get_if<std::vector<ExpressionError>>(&parsed)) wrong = &errors->front();
  std::variant<std::string, ExpressionError> rendered = std::string();
  if (wrong == nullptr) {
    rendered = expressions::render_text(std::get<expressions::Template>(parsed), scope);
    wrong = std::get_if<ExpressionError>(&rendered);
  }
  if (wrong == nullptr) return std::get<std::string>(std::move(rendered));
  const Position position = source.position(begin + wrong->offset);
  error = file + ":" + std::to_string(position.line) + ":" + std::to_string(position.column) + ": " + wrong->message;
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
  command_.places = find_places(command_.parsed);
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
  Findings findings;
  check_places(command_, findings);
  if (!findings.empty()) error = "prompts.command: " + findings.sorted().front().message;
}

std::string Prompts::no_command() {
  return "no command is configured for prompts; set one in wtool.yaml, such as\n"
         "  prompts: {command: \"my-model --file {{ prompt_file }}\"}";
}

std::string Prompts::find(const std::string& name, const std::string& from, std::string& error) const {
  if (!is_prompt_name(name)) {
    error = expressions::quoted_for_message(name) + " is no name of a prompt; it is a relative path without '..'";
    return "";
  }
  std::vector<fs::path> folders(settings_.directories.begin(), settings_.directories.end());
  const fs::path beside = fs::path(from).parent_path();
  folders.push_back(beside / "prompts");
  folders.push_back((beside.empty() ? fs::path("..") : beside.parent_path()) / "prompts");
  std::vector<fs::path> bases = {fs::path(directory_)};
  if (const char* home = ::getenv("HOME"); home != nullptr && *home == '/') bases.emplace_back(home);
  for (const fs::path& base : bases) {
    folders.push_back(base / ".wtool" / "prompts");
    folders.push_back(base / ".swissarmyhammer" / "prompts");
  }
  folders.push_back(fs::path(directory_) / "prompts");
  for (const fs::path& folder : folders) {
    for (const std::string_view extension : extensions) {
      const fs::path file = folder / (name + std::string(extension));
      if (is_file(file)) return file.string();
    }
  }
  error = "there is no prompt " + expressions::quoted_for_message(name) + "; looked for " + name + ".md in ";
  for (std::size_t i = 0; i < folders.size(); ++i) error += (i == 0 ? "" : ", ") + folders[i].string();
  return "";
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
    const std::string file = find(prompt, from, made.error);
    const auto names = expressions::names_used(command_.parsed);
    const bool wanted = purpose == Purpose::run ||
                        std::any_of(names.begin(), names.end(), [](const auto& use) { return use.name == "prompt"; });
    if (made.error.empty() && wanted) text = rendered_prompt(file, values, made.error);
    if (!made.error.empty()) return made;
  }
  Layer scope;
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
    scope.values.emplace("prompt_file", Value(path));
  }
  auto command = render_command(command_, scope);
  if (const auto* error = std::get_if<ExpressionError>(&command)) {
    made.error = "prompts.command: " + error->message;
    return made;
  }
  made.command = std::get<std::string>(std::move(command));
  return made;
}

}  // namespace wtool::host::workflow
