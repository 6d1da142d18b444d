#include "workflow/parse/front_matter.h"

#include <charconv>
#include <set>
#include <utility>

#include "base/config/yaml_mistake.h"
#include "base/edit_distance.h"
#include "base/text.h"
#include "workflow/model/diagnostics.h"
#include "workflow/parse/action_options.h"
#include "workflow/quoting/command_template.h"

namespace wtool::host::workflow {
namespace {

const std::vector<std::string> known_keys = {
    "name",       "title",      "description",      "category",  "tags",          "version",     "author",
    "parameters", "arguments",  "variables",        "max_steps", "mode",          "fail_fast",   "finally",
    "on_failure", "on failure", "parameter_groups", "shell",     "shell_options", "failures",    "tool",
    "env",        "env_file",   "timeout",          "retry",     "working_dir",   "concurrency", "budget"};
// Known keys without an effect on a run.
const std::set<std::string> remarks = {"category", "author", "mode"};

// Without this end mark, an unclosed quote would silently reach to the end of the text.
constexpr const char* ending = "\n...\n";

class FrontMatter {
 public:
  FrontMatter(const Source& source, LineRange lines, Workflow& workflow, Diagnostics& diagnostics)
      : source_(source),
        lines_(lines),
        workflow_(workflow),
        diagnostics_(diagnostics),
        yaml_(source, lines, diagnostics) {}

  void read() {
    const std::size_t begin = source_.line_start(lines_.begin);
    const std::size_t end = lines_.end < source_.line_count() ? source_.line_start(lines_.end) : source_.text().size();
    if (end - begin > max_front_matter) {
      diagnostics_.add(begin, "the front matter is larger than " + std::to_string(max_front_matter / 1024) + " KiB");
      unread();
      return;
    }
    try {
      const YAML::Node root = YAML::Load(std::string(source_.text().substr(begin, end - begin)) + ending);
      if (root.IsNull()) return;
      if (!root.IsMap()) {
        diagnostics_.add(begin, "the front matter must contain lines of the form `key: value`");
        unread();
        return;
      }
      yaml_.each(root, [this](const std::string& key, const YAML::Node& value, const YAML::Node& at) {
        read_key(key, value, at);
      });
    } catch (const YAML::Exception& error) {
      const YamlMistake mistake =
          explain_yaml_error(source_.text().substr(begin, end - begin), error.mark.line, error.mark.column, error.msg);
      diagnostics_.add(begin + mistake.offset, "the front matter is not valid YAML: " + mistake.message);
      unread();
    }
  }

 private:
  // Notes that parameters, and the states that `on failure` and `finally` name, may be missing.
  void unread() { workflow_.names_unread = workflow_.diagram_unread = true; }

  void read_key(const std::string& key, const YAML::Node& value, const YAML::Node& at) {
    if (key == "name") {
      yaml_.text(value, key, workflow_.name);
    } else if (key == "title") {
      yaml_.text(value, key, workflow_.title);
    } else if (key == "description") {
      yaml_.text(value, key, workflow_.description);
    } else if (key == "version") {
      yaml_.text(value, key, workflow_.version);
    } else if (remarks.contains(key)) {
      std::string unused;
      yaml_.text(value, key, unused);
    } else if (key == "max_steps") {
      max_steps(value);
    } else if (key == "budget") {
      budget(value);
    } else if (key == "fail_fast") {
      if (bool fast = true; yaml_.boolean(value, key, fast)) workflow_.fail_fast = fast;
    } else if (key == "tool") {
      workflow_.says_tool = true;
      yaml_.boolean(value, key, workflow_.is_tool);
    } else if (key == "failures") {
      failures(value);
    } else if (key == "on failure" || key == "on_failure") {
      if (!failure_key_.empty()) {
        return yaml_.fail(
            at, "the key '" + key + "' occurs here a second time; the first one is written '" + failure_key_ + "'");
      }
      failure_key_ = key;
      state(value, key, workflow_.on_failure);
    } else if (key == "finally") {
      state(value, key, workflow_.finally);
    } else if (key == "shell") {
      shell(value, key);
    } else if (key == "shell_options") {
      shell_options(value, key);
    } else if (key == "concurrency") {
      if (!yaml_.text(value, key, workflow_.concurrency.name)) return;
      workflow_.concurrency.offset = yaml_.offset(value);
      const std::string why = problem_of_lock_name(workflow_.concurrency.name);
      if (!why.empty()) yaml_.fail(value, why);
    } else if (key == "env") {
      environment(value);
    } else if (key == "env_file") {
      environment_files(value);
    } else if (key == "timeout") {
      timeout(value);
    } else if (key == "retry") {
      retry(value);
    } else if (key == "working_dir") {
      std::string text;
      if (!yaml_.text(value, key, text)) return;
      if (text.empty()) return yaml_.fail(value, empty_directory);
      workflow_.defaults.working_directory = template_at(value, text);
    } else if (key == "parameters" || key == "arguments") {
      parameters(value, key);
    } else if (key == "variables") {
      variables(value);
    } else if (key == "tags") {
      if (!value.IsSequence() && !value.IsScalar() && !value.IsNull()) yaml_.fail(value, "'tags' must be a list");
    } else if (key != "parameter_groups") {
      unknown(key, at);
    }
  }

  // A key that is nearly a known one is a mistake; any other may be meant for another program.
  void unknown(const std::string& key, const YAML::Node& at) {
    const std::string hint = option_meant(key, known_keys);
    if (hint.empty())
      return yaml_.warn(at, "the key '" + key + "' in the front matter is not known, and has no effect");
    yaml_.fail(at, "unknown key '" + key + "' in the front matter" + hint);
    unread();
  }

  void failures(const YAML::Node& node) {
    const std::string text = node.IsScalar() ? node.Scalar() : "";
    workflow_.says_failures = true;
    workflow_.continues = text == "continue";
    if (workflow_.continues || text == "stop") return;
    yaml_.fail(node,
               "'failures' must be stop (a transition without a condition is taken only after a success) or continue "
               "(also after a failure), not " +
                   expressions::quoted_for_message(text) + did_you_mean(text, {"stop", "continue"}));
  }

  void state(const YAML::Node& node, const std::string& key, NamedPlace& out) {
    if (!yaml_.text(node, key, out.name)) return;
    out.offset = yaml_.offset(node);
    if (out.name.empty()) yaml_.fail(node, "'" + key + "' needs the name of a state");
  }

  void shell(const YAML::Node& node, const std::string& key) {
    if (!yaml_.text(node, key, workflow_.shell.name)) return;
    workflow_.shell.offset = yaml_.offset(node);
    if (const std::string why = problem_of_shell(workflow_.shell.name); !why.empty()) yaml_.fail(node, why);
  }

  void shell_options(const YAML::Node& node, const std::string& key) {
    std::string written;
    if (!yaml_.text(node, key, written)) return;
    const std::string why = read_shell_options(written, workflow_.shell_options.emplace());
    if (!why.empty()) yaml_.fail(node, why);
  }

  TemplateText template_at(const YAML::Node& node, const std::string& text) {
    return template_text(text, yaml_.offset(node), yaml_.diagnostics());
  }

  void environment(const YAML::Node& map) {
    if (map.IsNull()) return;
    if (!map.IsMap()) return yaml_.fail(map, "'env' needs more deeply indented lines `NAME: value`");
    yaml_.each(map, [this](const std::string& name, const YAML::Node& value, const YAML::Node&) {
      if (std::string text; yaml_.text(value, name, text)) {
        workflow_.defaults.environment.emplace_back(name, template_at(value, text));
      }
    });
  }

  void environment_files(const YAML::Node& node) {
    const auto add = [this](const YAML::Node& one) {
      std::string name;
      if (!yaml_.text(one, "env_file", name)) return;
      if (name.empty()) return yaml_.fail(one, "'env_file' needs the name of a file, or a list of names");
      workflow_.defaults.environment_files.push_back({name, yaml_.offset(one)});
    };
    if (!node.IsSequence()) return add(node);
    for (const YAML::Node& one : node) add(one);
  }

  void timeout(const YAML::Node& node) {
    std::string text, why;
    if (!yaml_.text(node, "timeout", text)) return;
    const bool is_template = text.find('{') != std::string::npos;
    if (!is_template && !timeout_value(text, why)) return yaml_.fail(node, why);
    workflow_.defaults.timeout = template_at(node, text);
  }

  void retry(const YAML::Node& node) {
    std::int64_t value = 0;
    if (!read_retries(node.IsScalar() ? node.Scalar() : "", value)) {
      return yaml_.fail(node,
                        "'retry' must be a whole number of further tries, from 0 to " + std::to_string(max_retries));
    }
    workflow_.defaults.retry = value;
  }

  void max_steps(const YAML::Node& node) {
    std::int64_t value = 0;
    const std::string text = node.IsScalar() ? node.Scalar() : "";
    if (!read_number(text, value) || value < 1 || value > max_steps_allowed) {
      return yaml_.fail(node, "'max_steps' must be a whole number from 1 to " + std::to_string(max_steps_allowed) +
                                  ", but is " + expressions::quoted_for_message(text));
    }
    workflow_.max_steps = value;
  }

  void budget(const YAML::Node& map) {
    if (!map.IsMap() || map.size() == 0) {
      return yaml_.fail(map, "'budget' must be a map such as {calls: 20, tokens: 200000, cost: 2.50, time: 30m}");
    }
    workflow_.budget.offset = yaml_.offset(map);
    yaml_.each(map, [this](const std::string& key, const YAML::Node& value, const YAML::Node& at) {
      const std::string text = value.IsScalar() ? value.Scalar() : "";
      PromptBudget& budget = workflow_.budget;
      bool good = false;
      if (key == "calls" || key == "tokens") {
        std::int64_t number = 0;
        good = read_number(text, number) && number > 0;
        if (good) (key == "calls" ? budget.calls : budget.tokens) = number;
      } else if (key == "cost") {
        double number = 0;
        good = read_number(text, number, std::chars_format::fixed) && number > 0;
        if (good) budget.cost = number;
      } else if (key == "time") {
        std::string ignored;
        budget.time = timeout_value(text, ignored);
        good = budget.time.has_value();
      } else {
        return yaml_.fail(at, "a budget may have the keys calls, tokens, cost and time, not '" + key + "'" +
                                  did_you_mean(key, {"calls", "tokens", "cost", "time"}));
      }
      if (good) return;
      yaml_.fail(value, "'" + key + "' of a budget must be " +
                            (key == "time"   ? "a duration such as 90s, 30m or 2h"
                             : key == "cost" ? "a number above 0, such as 2.50"
                                             : "a whole number of at least 1") +
                            ", not " + expressions::quoted_for_message(text));
    });
  }

  void parameters(const YAML::Node& list, const std::string& key) {
    if (list.IsNull()) return;
    if (!list.IsSequence()) workflow_.names_unread = true;
    if (!list.IsSequence()) return yaml_.fail(list, "'" + key + "' must be a list of entries `- name: ...`");
    for (const YAML::Node& entry : list) {
      if (!entry.IsMap()) {
        workflow_.names_unread = true;
        yaml_.fail(entry,
                   "a parameter must be an entry with the keys name, description, type, required, default, choices");
        continue;
      }
      add(ParameterReader(yaml_).read(entry), entry);
    }
  }

  // `variables:` of older files: names with their defaults.
  void variables(const YAML::Node& map) {
    if (map.IsNull()) return;
    if (!map.IsMap()) return yaml_.fail(map, "'variables' needs more deeply indented lines `name: value`");
    yaml_.each(map, [this](const std::string& name, const YAML::Node& value, const YAML::Node& at) {
      Parameter made;
      made.offset = yaml_.offset(at);
      std::string text;
      if (!is_parameter_name(name)) {
        yaml_.fail(at, "the name of a variable is made of letters, digits and underscores; " +
                           expressions::quoted_for_message(name) + " is not such a name");
      } else if (yaml_.text(value, name, text)) {
        made.name = name;
        made.fallback = expressions::Value(std::move(text));
        add(std::move(made), at);
      }
    });
  }

  void add(Parameter made, const YAML::Node& at) {
    if (made.name.empty()) {
      workflow_.names_unread = true;
      return;
    }
    if (!names_.insert(made.name).second) return yaml_.fail(at, "this is a second parameter '" + made.name + "'");
    workflow_.parameters.push_back(std::move(made));
  }

  const Source& source_;
  LineRange lines_;
  Workflow& workflow_;
  Diagnostics& diagnostics_;
  YamlReader yaml_;
  std::set<std::string> names_;
  std::string failure_key_;  // `on failure` or `on_failure`, as it is written; empty: there was neither
};

}  // namespace

void read_front_matter(const Source& source, LineRange lines, Workflow& workflow, Diagnostics& diagnostics) {
  if (lines.begin >= lines.end) return;
  FrontMatter(source, lines, workflow, diagnostics).read();
}

}  // namespace wtool::host::workflow
