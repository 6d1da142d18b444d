#include "base/edit_distance.h"
#include "base/environment.h"
#include "base/files.h"
#include "runner/prompts.h"

#include <sys/stat.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

namespace wtool::host::runner {
namespace {

namespace fs = std::filesystem;
using expressions::ExpressionError;
using expressions::Inclusion;
using expressions::Partial;
using expressions::Template;
using expressions::Value;
using workflow::Source;
using Names = std::set<std::string, std::less<>>;

constexpr std::array<std::string_view, 4> extensions = {".md", ".md.liquid", ".liquid", ".txt"};

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// True: the name cannot lead out of the folders in which prompts are looked for.
bool is_prompt_name(const std::string& name) {
  if (name.empty() || name.front() == '/' || name.find('\0') != std::string::npos) return false;
  const fs::path path(name);
  return std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

// The names of the prompt files in the folders, each with its ending and without it. Looks at no more than 1000
// entries.
std::vector<std::pair<std::string, std::string>> prompt_files(const std::vector<std::string>& folders) {
  constexpr std::size_t max_looked_at = 1000;
  std::vector<std::pair<std::string, std::string>> files;
  std::size_t looked_at = 0;
  for (const std::string& folder : folders) {
    std::error_code failed;
    for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
      if (++looked_at > max_looked_at) return files;
      const std::string name = fs::path(at->path()).lexically_relative(folder).string();
      for (const std::string_view extension : extensions) {
        if (name.ends_with(extension)) files.emplace_back(name, name.substr(0, name.size() - extension.size()));
      }
    }
  }
  return files;
}

std::vector<std::string> prompt_names(const std::vector<std::string>& folders) {
  std::vector<std::string> names;
  for (auto& [file, name] : prompt_files(folders)) names.push_back(std::move(name));
  return names;
}

Source read_prompt(const std::string& path, std::string& error) {
  std::string why, text;
  const Descriptor file = open_for_reading(path, why);
  struct stat status {};
  // A command may have put a pipe in place of the file, and reading it could wait forever.
  if (file && (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))) {
    why = "it is not a regular file";
  } else if (file) {
    if (const int failed = read_all(file.get(), workflow::max_file_size, text); failed != 0) {
      why = failed == EFBIG ? "it is too large" : std::strerror(failed);
    }
  }
  if (why.empty()) return workflow::source_of(path, std::move(text), error);
  error = path + ": the prompt cannot be read: " + why;
  return {};
}

// The front matter's lines, and where the text after it begins.
std::pair<std::string, std::size_t> front_matter(const Source& source) {
  const std::string_view text = source.text();
  if (source.line_count() == 0 || workflow::trim(source.line(0).substr(source.content_begin())) != "---") {
    return {"", source.content_begin()};
  }
  for (std::size_t i = 1; i < source.line_count(); ++i) {
    if (workflow::trim(source.line(i)) != "---") continue;
    const std::size_t begin = source.line_start(1);
    const std::size_t behind = i + 1 < source.line_count() ? source.line_start(i + 1) : text.size();
    return {std::string(text.substr(begin, source.line_start(i) - begin)), behind};
  }
  return {"", source.content_begin()};
}

// The value of a parameter that was not given: its default, or else an empty text. Nothing: the parameter is required.
std::optional<Value> fallback_of(const YAML::Node& entry) {
  const YAML::Node fallback = entry["default"];
  if (fallback && fallback.IsScalar()) return Value(fallback.Scalar());
  if (fallback && fallback.IsSequence()) {
    expressions::List list;
    for (const YAML::Node& one : fallback) list.emplace_back(one.IsScalar() ? one.Scalar() : std::string());
    return Value(std::move(list));
  }
  const YAML::Node required = entry["required"];
  if (required && required.IsScalar() && required.Scalar() == "true") return std::nullopt;
  return Value("");
}

// Reads `parameters` (or `arguments`, as older files call them). Entries that cannot be understood are ignored, because
// they concern only the prompt.
void read_defaults(const std::string& yaml, Partial& out) {
  try {
    const YAML::Node root = YAML::Load(yaml);
    for (const char* key : {"parameters", "arguments"}) {
      if (!root.IsMap() || !root[key] || !root[key].IsSequence()) continue;
      for (const YAML::Node& entry : root[key]) {
        if (!entry.IsMap() || !entry["name"] || !entry["name"].IsScalar()) continue;
        if (auto value = fallback_of(entry)) out.defaults.emplace(entry["name"].Scalar(), std::move(*value));
      }
    }
  } catch (const YAML::Exception&) {
  }
}

std::string placed(const std::string& file, const Source& source, std::size_t offset) {
  const workflow::Position position = source.position(offset);
  return file + ":" + std::to_string(position.line) + ":" + std::to_string(position.column);
}

}  // namespace

std::vector<std::string> prompt_folders(const std::vector<std::string>& configured, const std::string& directory,
                                        const std::string& from) {
  std::vector<fs::path> folders(configured.begin(), configured.end());
  const fs::path beside = fs::path(from).parent_path();
  folders.push_back(beside / "prompts");
  folders.push_back((beside.empty() ? fs::path("..") : beside.parent_path()) / "prompts");
  std::vector<fs::path> bases = {fs::path(directory)};
  if (const std::string home = environment_folder("HOME"); !home.empty()) bases.emplace_back(home);
  for (const fs::path& base : bases) {
    folders.push_back(base / ".wtool" / "prompts");
    folders.push_back(base / ".swissarmyhammer" / "prompts");
  }
  folders.push_back(fs::path(directory) / "prompts");
  std::vector<std::string> names;
  names.reserve(folders.size());
  for (const fs::path& folder : folders) names.push_back(folder.string());
  return names;
}

std::string find_prompt(const std::string& name, const std::vector<std::string>& folders, std::string& error) {
  if (!is_prompt_name(name)) {
    error = expressions::quoted_for_message(name) + " is not the name of a prompt; write a relative path without '..'";
    return "";
  }
  for (const std::string& folder : folders) {
    for (const std::string_view extension : extensions) {
      const fs::path file = fs::path(folder) / (name + std::string(extension));
      if (is_file(file)) return file.string();
      // The name may include the ending of the file.
      if (name.ends_with(extension) && is_file(fs::path(folder) / name)) return (fs::path(folder) / name).string();
    }
  }
  error = "there is no prompt " + expressions::quoted_for_message(name) +
          question_then(did_you_mean(name, prompt_names(folders)),
                        "its file would be " + name +
                            ".md in a folder `prompts` beside the workflow or its folder, in one of " +
                            "prompts.directories, or in .wtool/prompts, .swissarmyhammer/prompts or prompts of the " +
                            "current directory");
  return "";
}

// --- files ---

void PromptFiles::read(File& file) {
  const auto [yaml, begin] = front_matter(file.source);
  file.begin = begin;
  read_defaults(yaml, file.partial);
  auto parsed = expressions::parse_template(file.source.text().substr(begin), expressions::Dialect::prompt);
  if (auto* made = std::get_if<Template>(&parsed)) {
    file.partial.parsed = std::move(*made);
    return;
  }
  for (const auto& wrong : std::get<std::vector<ExpressionError>>(parsed)) {
    file.mistakes.push_back(placed(file.partial.file, file.source, begin + wrong.offset) + ": " + wrong.message);
  }
}

const PromptFiles::File* PromptFiles::open(const std::string& name, std::string& error) {
  if (const auto known = by_name_.find(name); known != by_name_.end()) return known->second;
  if (reads_no_more_) {
    std::vector<std::string> known;
    for (const auto& [one, ignored] : by_name_) known.push_back(one);
    error =
        "there was no prompt " + expressions::quoted_for_message(name) + " when wtool started" +
        question_then(did_you_mean(name, known), "prompts are not read later, so start it again if the prompt is new");
    return nullptr;
  }
  const std::string path = find_prompt(name, folders_, error);
  if (path.empty()) return nullptr;
  auto& file = files_[path];
  if (!file && files_.size() > max_prompt_files) {
    error = "more than " + std::to_string(max_prompt_files) +
            " prompts are inserted, directly or by other prompts, so " + expressions::quoted_for_message(name) +
            " is not read";
    return nullptr;
  }
  if (!file) {
    auto made = std::make_unique<File>();
    made->source = read_prompt(path, error);
    if (!error.empty()) return nullptr;
    made->partial.file = path;
    read(*made);
    files_of_[&made->partial] = made.get();
    file = std::move(made);
  }
  by_name_.emplace(name, file.get());
  return file.get();
}

void PromptFiles::read_all() {
  std::string ignored;
  for (const auto& [file, name] : prompt_files(folders_)) {
    open(file, ignored);
    open(name, ignored);
  }
  reads_no_more_ = true;
}

const Partial* PromptFiles::find(const std::string& name, std::string& error) {
  const File* file = open(name, error);
  if (file == nullptr) return nullptr;
  if (file->mistakes.empty()) return &file->partial;
  error = file->mistakes.front();
  return nullptr;
}

std::string PromptFiles::text(const std::string& name) {
  std::string error;
  const File* file = open(name, error);
  return file == nullptr ? "" : std::string(file->source.text().substr(file->begin));
}

std::string PromptFiles::place(const Partial& partial, std::size_t offset) const {
  const File& file = *files_of_.at(&partial);
  return placed(partial.file, file.source, file.begin + offset);
}

// --- checking ---

class PromptFiles::Checker {
 public:
  explicit Checker(PromptFiles& files) : files_(files) {}

  std::vector<std::string> run(const std::string& name, const Names& known) {
    std::string error;
    const File* file = files_.open(name, error);
    if (file == nullptr) return {error};
    check(*file, known);
    return std::move(found_);
  }

 private:
  void tell(const File& file, std::size_t offset, const std::string& message) {
    std::string text = files_.place(file.partial, offset) + ": " + message;
    constexpr std::size_t most = 20;
    if (found_.size() < most && std::find(found_.begin(), found_.end(), text) == found_.end()) {
      found_.push_back(std::move(text));
    }
  }

  void check(const File& file, const Names& known) {
    if (!file.mistakes.empty()) {
      for (const std::string& mistake : file.mistakes) found_.push_back(mistake);
      return;
    }
    if (!checked_.emplace(&file, known).second || checked_.size() > max_prompt_files) return;
    const Template& text = file.partial.parsed;
    Names visible = known;
    for (const auto& [name, value] : file.partial.defaults) visible.insert(name);
    visible.insert({"nil", "empty", "blank"});
    inside_.push_back(&file);
    add_assigned(file, visible);
    names(file, visible);
    for (const std::string& name : expressions::names_made(text, true)) visible.insert(name);
    for (const Inclusion* inclusion : expressions::inclusions(text)) follow(file, *inclusion, visible);
    inside_.pop_back();
  }

  // Adds the names that are assigned in prompts included by {% include %}: these names have a value after the tag. Each
  // file is visited only once, since a chain of files that each include the next one twice would take exponential time.
  void add_assigned(const File& file, Names& names) {
    std::set<const File*> seen;
    std::vector<const File*> open = {&file};
    while (!open.empty()) {
      const File& one = *open.back();
      open.pop_back();
      if (!seen.insert(&one).second) continue;
      for (const std::string& name : expressions::names_made(one.partial.parsed, false)) names.insert(name);
      for (const Inclusion* inclusion : expressions::inclusions(one.partial.parsed)) {
        std::string ignored;
        const File* other = inclusion->isolated ? nullptr : files_.open(to_text(*inclusion->name.literal), ignored);
        if (other != nullptr) open.push_back(other);
      }
    }
  }

  void names(const File& file, const Names& visible) {
    const std::vector<std::string> all(visible.begin(), visible.end());
    for (const expressions::NameUse& use : expressions::names_used(file.partial.parsed)) {
      if (use.optional || visible.contains(use.name)) continue;
      tell(file, use.offset,
           "the prompt reads '" + use.name + "', which has no value" +
               question_then(
                   did_you_mean(use.name, all),
                   "pass it on as " + use.name + "=\"...\", or give it a default in the front matter of the prompt"));
    }
  }

  void follow(const File& file, const Inclusion& inclusion, const Names& visible) {
    std::string error;
    const std::string name = to_text(*inclusion.name.literal);
    const File* other = files_.open(name, error);
    if (other == nullptr) return tell(file, inclusion.offset, error);
    if (const auto open = std::find(inside_.begin(), inside_.end(), other); open != inside_.end()) {
      std::string circle;
      for (auto at = open; at != inside_.end(); ++at) circle += (*at)->partial.file + " -> ";
      return tell(file, inclusion.offset, "prompts insert one another in a circle: " + circle + other->partial.file);
    }
    if (inside_.size() == expressions::max_inclusion_depth) {
      return tell(file, inclusion.offset,
                  "prompts are nested more than " + std::to_string(expressions::max_inclusion_depth) + " deep");
    }
    Names given;
    if (!inclusion.isolated) given = visible;
    for (const auto& [key, value] : inclusion.arguments) given.insert(key);
    if (inclusion.value) given.insert(expressions::variable_of(inclusion, name));
    if (inclusion.for_each) given.insert("forloop");
    check(*other, given);
  }

  PromptFiles& files_;
  std::vector<std::string> found_;
  std::vector<const File*> inside_;
  std::set<std::pair<const File*, Names>> checked_;
};

std::vector<std::string> PromptFiles::check(const std::string& name, const Names& known) {
  return Checker(*this).run(name, known);
}

}  // namespace wtool::host::runner
