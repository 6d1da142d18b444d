#include "workflow/legacy/legacy.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "workflow/parse/front_matter.h"
#include "workflow/parse/markdown.h"
#include "workflow/parse/parser.h"

namespace wtool::host::workflow {
namespace {

std::string_view without_list_mark(std::string_view line) {
  line = trim(line);
  while (line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ")) line = trim(line.substr(2));
  return line;
}

// The text without the marks of bold text or code around it, and without quotes.
std::string_view without_marks(std::string_view text) {
  for (const std::string_view mark : {"**", "`", "\""}) {
    if (text.size() > 2 * mark.size() && text.starts_with(mark) && text.ends_with(mark)) {
      text = trim(text.substr(mark.size(), text.size() - 2 * mark.size()));
    }
  }
  return text;
}

struct LegacyField {
  std::string key;         // in lower case
  std::string_view value;  // a part of the source
};

// `**Key**: value` or `**Key:** value`; an empty key if the line has neither form.
LegacyField field_of(std::string_view line) {
  line = without_list_mark(line);
  if (!line.starts_with("**")) return {};
  const std::size_t close = line.find("**", 2);
  if (close == std::string_view::npos) return {};
  std::string_view key = line.substr(2, close - 2);
  std::string_view value = line.substr(close + 2);
  if (key.ends_with(':')) {
    key.remove_suffix(1);
  } else if (value.starts_with(':')) {
    value.remove_prefix(1);
  } else {
    return {};
  }
  return {lowered(trim(key)), trim(value)};
}

class SectionReader {
 public:
  SectionReader(const Source& source, const std::vector<bool>& code_lines, Document& document)
      : source_(source), code_lines_(code_lines), document_(document) {}

  void run(std::size_t first) {
    for (std::size_t i = first; i < source_.line_count(); ++i) {
      const std::string_view line = source_.line(i);
      if (code_lines_[i]) {
        open_ = nullptr;
      } else if (is_heading(line)) {
        keep();
        heading(line);
      } else if (parameters_level_ > 0) {
        parameter(line);
      } else {
        read_line(line);
      }
    }
    keep();
  }

 private:
  std::size_t offset(std::string_view part) const {
    return static_cast<std::size_t>(part.data() - source_.text().data());
  }

  void keep() {
    const bool says_something = !section_.action.empty() || !section_.store_as.empty() || !section_.type.empty() ||
                                !section_.description.empty();
    if (says_something) document_.sections.push_back(std::move(section_));
    section_ = StateSection{};
    open_ = nullptr;
  }

  void heading(std::string_view line) {
    line = trim(line);
    const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
    std::string_view title = trim(line.substr(level));
    while (title.ends_with('#')) title = trim(title.substr(0, title.size() - 1));
    if (level <= states_level_) states_level_ = 0;
    if (level <= parameters_level_) parameters_level_ = 0;
    const std::string name = lowered(title);
    if (name == "states") states_level_ = level;
    if (name == "parameters") parameters_level_ = level;
    section_.name = std::string(without_marks(title));
    section_.offset = title.empty() ? offset(line) : offset(title);
    section_.in_states = states_level_ > 0 && level > states_level_;
  }

  void parameter(std::string_view line) {
    if (!is_list_line(line)) return;
    line = without_list_mark(line);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    const std::string name(without_marks(trim(line.substr(0, colon))));
    if (!is_parameter_name(name)) return;
    document_.parameters.push_back({name, std::string(trim(line.substr(colon + 1))), offset(line)});
  }

  // A value continues in the next lines, up to a blank one, another field or an item of a list.
  void read_line(std::string_view line) {
    const LegacyField field = field_of(line);
    if (field.key.empty()) {
      line = trim(line);
      if (line.empty() || is_list_line(line) || line.starts_with("**")) {
        open_ = nullptr;
      } else if (open_ != nullptr) {
        open_->append("\n", offset(line) - 1);
        open_->append(line, offset(line));
      }
      return;
    }
    open_ = field.key == "action"        ? &section_.action
            : field.key == "store as"    ? &section_.store_as
            : field.key == "type"        ? &section_.type
            : field.key == "description" ? &section_.description
                                         : nullptr;
    if (open_ == nullptr || field.value.empty()) return;
    if (open_ == &section_.action) section_.action_offset = offset(field.value);
    if (open_->empty()) open_->append(field.value, offset(field.value));
  }

  const Source& source_;
  const std::vector<bool>& code_lines_;
  Document& document_;
  StateSection section_;
  MappedText* open_ = nullptr;  // the field of section_ that the next line may belong to
  std::size_t states_level_ = 0;
  std::size_t parameters_level_ = 0;
};

// The text without the backticks around it, if there are any: an action may be written as code.
MappedText without_code_mark(const MappedText& text) {
  const std::string& all = text.text();
  const bool is_code = all.size() > 2 && all.starts_with('`') && all.ends_with('`');
  return is_code ? text.part(1, all.size() - 1) : text;
}

void apply_type(const StateSection& section, State& state) {
  const std::string type = lowered(trim(section.type.text()));
  if (type == "choice") state.kind = State::Kind::choice;
  if (type == "fork") state.kind = State::Kind::fork;
  if (type == "join") state.kind = State::Kind::join;
}

void apply_store_as(const StateSection& section, State& state, Diagnostics& diagnostics) {
  if (section.store_as.empty() || !state.action) return;
  const std::size_t at = section.store_as.locate(0);
  NamedPlace& result = state.action->options.result;
  if (!result.name.empty())
    return diagnostics.add(at, "the result of this action is named twice, here and as '" + result.name + "'");
  result = {std::string(without_marks(trim(section.store_as.text()))), at};
  state.action->sha256 = action_sha256(state.action->sha256 + " " + result.name);
}

void apply(const StateSection& section, bool has_list, Workflow& workflow, Diagnostics& diagnostics) {
  const std::size_t index = workflow.index_of(section.name);
  if (index == no_state) {
    if (section.action.empty()) return;
    if (section.in_states) {
      return read_action_of(section.name, section.offset, section.action, {}, workflow, diagnostics);
    }
    return diagnostics.warn(section.action_offset, "this is not an action of a state: no state is called " +
                                                       expressions::quoted_for_message(section.name));
  }
  State& state = workflow.states[index];
  apply_type(section, state);
  if (state.description.empty()) state.description = section.description.text();
  if (section.action.empty()) return;
  if (!has_list) {
    read_action_of(section.name, section.action_offset, without_code_mark(section.action), {}, workflow, diagnostics);
    apply_store_as(section, workflow.states[index], diagnostics);
  } else if (state.action) {
    diagnostics.add(
        section.action_offset,
        "the state '" + section.name + "' has an action here and another one under `Actions`; keep one of them");
  } else {
    diagnostics.warn(section.action_offset,
                     "this action is ignored, because the file has a list of actions under "
                     "`Actions`; write `- " +
                         section.name + ": ...` there");
  }
}

}  // namespace

void read_sections(const Source& source, std::size_t first, const std::vector<bool>& code_lines, Document& document) {
  SectionReader(source, code_lines, document).run(first);
}

void apply_sections(const Document& document, Workflow& workflow, Diagnostics& diagnostics) {
  for (const StateSection& section : document.sections) apply(section, !document.items.empty(), workflow, diagnostics);
  if (!workflow.parameters.empty()) return;
  std::set<std::string> names;
  for (const ParameterItem& item : document.parameters) {
    if (!names.insert(item.name).second) continue;
    Parameter made;
    made.name = item.name;
    made.description = item.description;
    made.offset = item.offset;
    workflow.parameters.push_back(std::move(made));
  }
}

}  // namespace wtool::host::workflow
