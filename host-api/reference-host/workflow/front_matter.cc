#include "workflow/front_matter.h"

#include <yaml-cpp/yaml.h>

#include <charconv>
#include <set>

#include "workflow/parameters.h"
#include "workflow/suggestion.h"

namespace wtool::host::workflow {
namespace {

using expressions::Value;

const std::vector<std::string> known_keys = {"name",    "title",  "description", "category", "tags",
                                             "version", "author", "parameters",  "max_steps"};
const std::vector<std::string> parameter_keys = {"name", "description", "type", "required", "default", "choices"};
const std::set<std::string> later_parameter_keys = {"pattern", "min", "max", "condition", "min_length", "max_length"};

bool is_name(const std::string& text) {
  if (text.empty() || !expressions::is_name_start(text[0])) return false;
  for (const char c : text) {
    if (!expressions::is_name_character(c)) return false;
  }
  return true;
}

class FrontMatter {
 public:
  FrontMatter(const Source& source, LineRange lines, Workflow& workflow, Findings& findings)
      : source_(source), lines_(lines), workflow_(workflow), findings_(findings) {}

  void read() {
    const std::size_t begin = source_.line_start(lines_.begin);
    const std::size_t end = lines_.end < source_.line_count() ? source_.line_start(lines_.end) : source_.text().size();
    if (end - begin > largest_front_matter) {
      findings_.add(begin, "the front matter is larger than " + std::to_string(largest_front_matter / 1024) + " KiB");
      return;
    }
    try {
      const YAML::Node root = YAML::Load(std::string(source_.text().substr(begin, end - begin)));
      if (root.IsNull()) return;
      if (!root.IsMap()) {
        findings_.add(begin, "the front matter must hold lines of the form `key: value`");
        return;
      }
      read_keys(root);
    } catch (const YAML::Exception& error) {
      findings_.add(offset(error.mark), "the front matter is not valid YAML: " + error.msg);
    }
  }

 private:
  std::size_t offset(const YAML::Mark& mark) const {
    if (mark.line < 0) return source_.line_start(lines_.begin);
    const std::size_t line = std::min(lines_.begin + static_cast<std::size_t>(mark.line), source_.line_count() - 1);
    return source_.line_start(line) + std::min(static_cast<std::size_t>(mark.column), source_.line(line).size());
  }
  void fail(const YAML::Node& node, std::string message) { findings_.add(offset(node.Mark()), std::move(message)); }

  // Calls `use(key, value node, key node)` for each pair; says which keys are no texts or come twice.
  template <class Use>
  void each(const YAML::Node& map, Use use) {
    std::set<std::string> seen;
    for (const auto& pair : map) {
      if (!pair.first.IsScalar()) {
        fail(pair.first, "a key must be a plain word");
      } else if (const std::string& key = pair.first.Scalar(); !seen.insert(key).second) {
        fail(pair.first, "the key '" + key + "' stands here a second time");
      } else {
        use(key, pair.second, pair.first);
      }
    }
  }

  void read_keys(const YAML::Node& root) {
    each(root, [this](const std::string& key, const YAML::Node& value, const YAML::Node& at) {
      if (key == "name") {
        text(value, key, workflow_.name);
      } else if (key == "title") {
        text(value, key, workflow_.title);
      } else if (key == "description") {
        text(value, key, workflow_.description);
      } else if (key == "category" || key == "version" || key == "author") {
        std::string unused;
        text(value, key, unused);
      } else if (key == "max_steps") {
        max_steps(value);
      } else if (key == "parameters") {
        parameters(value);
      } else if (key == "tags") {
        if (!value.IsSequence() && !value.IsScalar() && !value.IsNull()) fail(value, "'tags' must be a list");
      } else {
        fail(at, "unknown key '" + key + "' in the front matter" + did_you_mean(key, known_keys) +
                     "; known are name, title, description, category, tags, version, author, parameters, max_steps");
      }
    });
  }

  bool text(const YAML::Node& node, const std::string& key, std::string& out) {
    if (node.IsNull()) return true;
    if (!node.IsScalar()) {
      fail(node, "'" + key + "' must be a text");
      return false;
    }
    out = node.Scalar();
    return true;
  }

  void max_steps(const YAML::Node& node) {
    std::int64_t value = 0;
    const std::string text = node.IsScalar() ? node.Scalar() : "";
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || value < 1 ||
        value > most_steps_allowed) {
      return fail(node, "'max_steps' must be a whole number from 1 to " + std::to_string(most_steps_allowed) +
                            ", and is " + expressions::quoted_for_message(text));
    }
    workflow_.max_steps = value;
  }

  void parameters(const YAML::Node& list) {
    if (list.IsNull()) return;
    if (!list.IsSequence()) return fail(list, "'parameters' must be a list of entries `- name: ...`");
    std::set<std::string> names;
    for (const YAML::Node& entry : list) {
      if (!entry.IsMap()) {
        fail(entry, "a parameter is an entry with the keys name, description, type, required, default, choices");
        continue;
      }
      Parameter made = parameter(entry);
      if (made.name.empty()) continue;
      if (!names.insert(made.name).second) {
        fail(entry, "a second parameter '" + made.name + "'");
      } else {
        workflow_.parameters.push_back(std::move(made));
      }
    }
  }

  Parameter parameter(const YAML::Node& entry) {
    Parameter made;
    made.offset = offset(entry.Mark());
    YAML::Node fallback;
    YAML::Node choices;
    bool must_choose = false;
    bool named = false;
    each(entry, [&](const std::string& key, const YAML::Node& value, const YAML::Node& at) {
      if (key == "name") {
        named = true;
        if (!text(value, key, made.name)) return;
        if (!is_name(made.name)) {
          fail(value, "the name of a parameter is made of letters, digits and underscores, and starts with no digit; " +
                          expressions::quoted_for_message(made.name) + " is not");
          made.name.clear();
        }
      } else if (key == "description") {
        text(value, key, made.description);
      } else if (key == "type") {
        type(value, made, must_choose);
      } else if (key == "required") {
        boolean(value, key, made.required);
      } else if (key == "default") {
        fallback.reset(value);
      } else if (key == "choices") {
        choices.reset(value);
      } else if (later_parameter_keys.contains(key)) {
        fail(at, "'" + key + "' of a parameter is not supported yet");
      } else {
        fail(at, "unknown key '" + key + "' of a parameter" + did_you_mean(key, parameter_keys) +
                     "; known are name, description, type, required, default, choices");
      }
    });
    if (!named) fail(entry, "this parameter has no name");
    read_choices(choices, made);
    if (must_choose && made.choices.empty()) fail(entry, "a parameter of type choice needs a list of choices");
    read_default(fallback, made);
    return made;
  }

  void type(const YAML::Node& node, Parameter& made, bool& must_choose) {
    std::string name;
    if (!text(node, "type", name)) return;
    const std::string type = lowered(name);
    if (type == "string" || type == "choice") {
      made.type = Parameter::Type::text;
      must_choose = type == "choice";
    } else if (type == "number") {
      made.type = Parameter::Type::number;
    } else if (type == "boolean" || type == "bool") {
      made.type = Parameter::Type::boolean;
    } else if (type == "multi_choice") {
      fail(node, "the type 'multi_choice' is not supported yet");
    } else {
      fail(node, "unknown type '" + name + "'; there are string, number, boolean and choice");
    }
  }

  void boolean(const YAML::Node& node, const std::string& key, bool& out) {
    std::string value;
    if (!text(node, key, value)) return;
    if (value != "true" && value != "false") return fail(node, "'" + key + "' must be true or false");
    out = value == "true";
  }

  void read_choices(const YAML::Node& node, Parameter& made) {
    if (!node.IsDefined() || node.IsNull()) return;
    if (!node.IsSequence()) return fail(node, "'choices' must be a list");
    for (const YAML::Node& choice : node) {
      if (std::optional<Value> value = typed(choice, made)) made.choices.push_back(std::move(*value));
    }
  }

  void read_default(const YAML::Node& node, Parameter& made) {
    if (!node.IsDefined() || node.IsNull()) return;
    made.fallback = typed(node, made);
    if (!made.fallback || made.choices.empty()) return;
    for (const Value& choice : made.choices) {
      if (expressions::to_json(choice) == expressions::to_json(*made.fallback)) return;
    }
    fail(node, "the default " + expressions::to_json(*made.fallback) + " is none of the choices");
  }

  std::optional<Value> typed(const YAML::Node& node, const Parameter& made) {
    if (!node.IsScalar()) {
      fail(node, "a value of parameter '" + made.name + "' must be a plain text, number or true/false");
      return std::nullopt;
    }
    std::string why;
    auto value = parameter_value(made.type, node.Scalar(), why);
    if (!value) fail(node, "parameter '" + made.name + "': " + why);
    return value;
  }

  const Source& source_;
  LineRange lines_;
  Workflow& workflow_;
  Findings& findings_;
};

}  // namespace

void read_front_matter(const Source& source, LineRange lines, Workflow& workflow, Findings& findings) {
  if (lines.begin >= lines.end) return;
  FrontMatter(source, lines, workflow, findings).read();
}

}  // namespace wtool::host::workflow
