#include "workflow/parse/action_options.h"

#include <algorithm>
#include <set>

#include "base/edit_distance.h"
#include "base/text.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/model/parameters.h"

namespace wtool::host::workflow {
namespace {

constexpr const char* how_to_guard =
    "an argument that is not always passed must be alone between {% if ... %} and {% endif %}; instead of an "
    "{% else %}, write a second {% if ... %} with the opposite condition";

// The first word of a tag.
std::string tag_word(const MappedText& tag) {
  std::string_view inside = std::string_view(tag.text()).substr(2, tag.text().size() - 4);
  if (inside.starts_with('-')) inside.remove_prefix(1);
  inside = trim(inside);
  return std::string(inside.substr(0, inside.find_first_of(" \t\n-")));
}

class ArgumentReader {
 public:
  ArgumentReader(ActionCursor& cursor, OptionReader& options, ActionOptions& read_options,
                 std::vector<Argument>& arguments, Diagnostics& diagnostics)
      : cursor_(cursor),
        options_(options),
        read_options_(read_options),
        arguments_(arguments),
        diagnostics_(diagnostics) {}

  bool read() {
    cursor_.take_word("with");
    while (!cursor_.at_end()) {
      const std::size_t at = cursor_.here();
      if (const auto tag = cursor_.take_tag()) {
        if (!take_tag(*tag, at)) return false;
        continue;
      }
      if (guard_ && cursor_.take_word("with")) continue;
      const auto outcome = options_.take(read_options_);
      if (outcome == OptionReader::Result::failed) return false;
      if (outcome == OptionReader::Result::taken) {
        if (!guard_) continue;
        diagnostics_.add(at, "an option cannot be in {% if ... %}; only arguments can");
        return false;
      }
      if (take_ignored_line(at)) continue;
      if (!pair(at)) return false;
    }
    if (!guard_) return true;
    diagnostics_.add(guard_->locate(0), "this {% if ... %} is not closed by {% endif %}");
    return false;
  }

 private:
  // Skips a line such as `Store As: name`, with a warning: SwissArmyHammer ignores such lines without an error.
  bool take_ignored_line(std::size_t at) {
    const auto line = cursor_.take_labelled_line();
    if (!line) return false;
    std::string message =
        "this line is not part of the action, and is ignored: " + expressions::quoted_for_message(*line);
    const std::string label = lowered(line->substr(0, line->find(':')));
    if (label == "store as" || label == "result") message += "; to store the result, write result=\"name\"";
    diagnostics_.warn(at, message);
    return true;
  }

  bool take_tag(const MappedText& tag, std::size_t at) {
    const std::string word = tag_word(tag);
    if (word == "if" && !guard_) {
      guard_ = tag;
      return true;
    }
    if (word == "endif" && guard_) {
      guard_.reset();
      return true;
    }
    diagnostics_.add(at, word == "endif" ? "this {% endif %} ends no {% if ... %}" : how_to_guard);
    return false;
  }

  bool pair(std::size_t at) {
    Argument made;
    made.offset = at;
    made.name = cursor_.take_name();
    if (made.name.empty() || !cursor_.take_symbol('=')) {
      if (made.name.empty() && cursor_.explain_quotes()) return false;
      diagnostics_.add(at,
                       "name=\"value\" pairs are expected here, and options such as result=\"name\"; " +
                           expressions::quoted_for_message(made.name.empty() ? cursor_.take_to_blank() : made.name) +
                           " is neither" + did_you_mean(lowered(made.name), options_.names()));
      return false;
    }
    const std::vector<std::string>& options = options_.names();
    // If the name is exactly that of an option, its value has shown that it is an argument, as in `output="x"`.
    const bool is_named_so = std::find(options.begin(), options.end(), made.name) != options.end();
    if (const std::string hint = did_you_mean(lowered(made.name), options); !is_named_so && !hint.empty()) {
      diagnostics_.warn(at, "'" + made.name + "' is passed on as an argument, and is not an option" + hint);
    }
    auto value = take_value(cursor_, diagnostics_, "the value of " + made.name);
    if (!value) return false;
    made.value = std::move(*value);
    if (guard_) {
      MappedText text = *guard_;
      text.append("1", at);
      text.append("{% endif %}", at + 1);
      made.guard = template_text(std::move(text), diagnostics_);
    } else if (!seen_.insert(made.name).second) {
      diagnostics_.add(at, "the argument " + made.name + " is given twice");
    }
    arguments_.push_back(std::move(made));
    return true;
  }

  ActionCursor& cursor_;
  OptionReader& options_;
  ActionOptions& read_options_;
  std::vector<Argument>& arguments_;
  Diagnostics& diagnostics_;
  std::set<std::string> seen_;
  std::optional<MappedText> guard_;
};

}  // namespace

std::optional<std::variant<expressions::Value, TemplateText>> take_value(ActionCursor& cursor, Diagnostics& diagnostics,
                                                                         const std::string& what) {
  const std::size_t at = cursor.here();
  if (const auto bare = cursor.take_bare_literal()) {
    std::string why;
    const bool truth = *bare == "true" || *bare == "false";
    auto value = parameter_value(truth ? Parameter::Type::boolean : Parameter::Type::number, *bare, why);
    if (value) return *value;
    diagnostics.add(at, why);
    return std::nullopt;
  }
  if (auto placeholder = cursor.take_placeholder()) {
    TemplateText made = template_text(std::move(*placeholder), diagnostics);
    made.is_value = true;
    return made;
  }
  auto text = cursor.take_text(what);
  if (!text) return std::nullopt;
  return template_text(std::move(*text), diagnostics);
}

bool take_arguments(ActionCursor& cursor, OptionReader& options, ActionOptions& read_options,
                    std::vector<Argument>& arguments, Diagnostics& diagnostics) {
  return ArgumentReader(cursor, options, read_options, arguments, diagnostics).read();
}

}  // namespace wtool::host::workflow
