#include "approval/question.h"

#include <algorithm>
#include <string_view>

#include "approval/once.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/text.h"
#include "base/utf8.h"

namespace wtool::host {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t least_columns = 20;

std::size_t usable(std::size_t columns) {
  return columns == not_a_terminal ? not_a_terminal : std::max(columns, least_columns);
}

// The top of a command with more lines than this may have scrolled off the screen.
constexpr std::size_t many_lines = 15;
constexpr std::string_view first_bar = "  | ";
constexpr std::string_view next_bar = "  : ";
// Begins a line that says how the lines above are to be read.
constexpr std::string_view note_bar = "  = ";
constexpr std::string_view escapes_note = "\\t, \\x1b and the like are one character each, and \\\\ is one backslash";

// The most columns that a character may take: terminals differ in how they show characters beyond ASCII.
std::size_t width(char first_byte) { return static_cast<unsigned char>(first_byte) < 0x80 ? 1 : 2; }

std::size_t total_width(std::string_view text) {
  std::size_t total = 0;
  for (const char c : text) total += continues_character(c) ? 0 : width(c);
  return total;
}

// Appends `line`, which is visible text, broken into lines that begin with a bar.
void append_broken(std::string& text, std::string_view line, std::size_t columns, std::string_view first,
                   std::string_view next) {
  text += first;
  std::size_t used = first.size();
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!continues_character(line[i])) {
      // One column stays free: some terminals go to the next line as soon as the last column is written.
      if (columns != not_a_terminal && used + width(line[i]) >= columns) {
        text += '\n';
        text += next;
        used = next.size();
      }
      used += width(line[i]);
    }
    text += line[i];
  }
  text += '\n';
}

std::string as_text(const ordered_json& value) { return value.is_string() ? value.get<std::string>() : dumped(value); }

std::string joined_names(const ordered_json& names) {
  if (!names.is_array()) return as_text(names);
  std::string text;
  for (const ordered_json& name : names) text += (text.empty() ? "" : ", ") + as_text(name);
  return text;
}

// One line for each variable: NAME="value". In the notation of JSON, a value cannot look like a further variable.
std::string lines_of_variables(const ordered_json& variables) {
  std::string text;
  for (const auto& [name, value] : variables.items()) {
    text.append(text.empty() ? "" : "\n").append(name).append("=").append(dumped(value));
  }
  return text;
}

// The title says whether the text was cut, so that the text itself cannot pretend to be cut.
std::string title_of_input(const ordered_json& input) {
  const std::string bytes = visible(as_text(input.value("bytes", ordered_json())));
  if (input.value("cut", ordered_json()) != true) {
    return "With this text of " + bytes + " bytes at its standard input:";
  }
  return "With a text of " + bytes + " bytes at its standard input. These are its first " +
         std::to_string(as_text(input.value("text", ordered_json(""))).size()) +
         " bytes (SHA-256 of the whole: " + visible(as_text(input.value("sha256", ordered_json("")))) + "):";
}

}  // namespace

std::string barred(std::string_view text, std::size_t columns) {
  const std::string shown = visible(text, "\n");
  std::string out;
  for (std::string_view rest = shown;;) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    append_broken(out, rest.substr(0, end), usable(columns), first_bar, next_bar);
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  // Without this line, a tab would look the same as a backslash and a t.
  if (shown != text) append_broken(out, escapes_note, usable(columns), note_bar, note_bar);
  return out;
}

std::string workflow_question(std::string_view who, std::string_view text, std::size_t columns,
                              std::string_view prompt) {
  const std::string name = visible(who);
  std::string line = (name.empty() ? "" : name + ": ") + std::string(text);
  if (!prompt.empty()) line.append(" ").append(prompt);
  if (visible(text) == text && (columns == not_a_terminal || total_width(line) < usable(columns))) {
    return line + (prompt.empty() ? "\n" : "");
  }
  return (name.empty() ? "The question" : "The question of " + name) + ":\n" + barred(text, columns) +
         (prompt.empty() ? "" : "Yes? " + std::string(prompt));
}

bool takes_only_yes_or_no(const Question& question) {
  const ordered_json subject = parse_ordered_json(question.subject);
  return subject.is_object() && subject.value(once_member, ordered_json()) == true;
}

std::string question_text(const Question& question, std::size_t columns, std::string_view state) {
  std::string text;
  const auto block = [&](std::string_view title, std::string_view content) {
    text.append(title).append("\n").append(barred(content, columns));
  };
  const ordered_json subject = parse_ordered_json(question.subject);
  block("wtool asks whether this may run. The tool:", question.tool);
  if (!state.empty()) block("For the state:", state);
  if (!question.reason.empty()) block("The reason for the question:", question.reason);
  if (!subject.is_object()) {
    block("What would run:", question.subject);
  } else {
    if (subject.contains("directory")) block("In the directory:", as_text(subject["directory"]));
    const auto variables = subject.find("environment");
    const bool has_values = variables != subject.end() && variables->is_object();
    if (has_values && !variables->empty()) {
      block("With these variables set:", lines_of_variables(*variables));
    } else if (const auto names = subject.find("environment_names"); names != subject.end() && !names->empty()) {
      block("With these variables set:", joined_names(*names));
    }
    for (const auto& [key, value] : subject.items()) {
      if (key == "command" || key == "directory" || key == "environment_names") continue;
      if (key == "environment" && has_values) continue;
      if (key == once_member && value == true) continue;  // the answers that are offered show this
      if (key == "hint" && value.is_string()) continue;   // it is for the caller: what would need no answer
      if (key == "lifts" || (key == "stdin" && value.is_object())) continue;
      block(visible(key) + ':', as_text(value));
    }
    if (const auto input = subject.find("stdin"); input != subject.end() && input->is_object()) {
      block(title_of_input(*input), as_text(input->value("text", ordered_json(""))));
    }
    if (const auto lifts = subject.find("lifts"); lifts != subject.end()) {
      block("A yes lifts this limit for this one call:", joined_names(*lifts));
    }
    // The command comes last, so that it is next to the prompt for the answer.
    if (const auto command = subject.find("command"); command != subject.end()) {
      const std::string line = as_text(*command);
      block("The command:", line);
      const auto lines = static_cast<std::size_t>(std::count(line.begin(), line.end(), '\n')) + 1;
      if (lines > many_lines || (columns != not_a_terminal && line.size() > many_lines * columns)) {
        text += "The command has " + counted(lines, "line") + " and " + std::to_string(line.size()) +
                " bytes. All of it is above, below the words \"The command:\".\n";
      }
    }
  }
  return text;
}

}  // namespace wtool::host
