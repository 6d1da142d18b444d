#include "runner/typed_answer.h"

#include <optional>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/json_schema.h"
#include "base/text.h"
#include "base/utf8.h"

namespace wtool::host::runner {
namespace {

using expressions::Value;
using nlohmann::json;

constexpr std::size_t max_answer_repeated = 4000;  // bytes of a wrong answer that are shown to the agent again

// The whole standard output; nothing: `why` says why it cannot be read.
std::optional<std::string> text_of(const Outcome& outcome, std::string& why) {
  const WholeOutput& whole = outcome.whole_output;
  if (!whole.cut && !whole.lossy) return outcome.standard_output;
  if (!whole.cut) {
    why = "has bytes that are not UTF-8, so it is not JSON";
    return std::nullopt;
  }
  if (whole.file.empty() || whole.bytes > whole.json_limit) {
    why = "has " + std::to_string(whole.bytes) + " bytes, which is too much to be read as JSON" +
          (whole.trouble.empty() ? "" : ": " + whole.trouble);
    return std::nullopt;
  }
  std::string text;
  if (const std::string problem = read_written(whole.file, whole.bytes, text); !problem.empty()) {
    why = "is in the file " + whole.file + ", which " + problem;
    return std::nullopt;
  }
  return text;
}

// The contents of the blocks between lines that begin with three backquotes.
std::vector<std::string> fenced_blocks(std::string_view text) {
  std::vector<std::string> blocks;
  bool inside = false;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos && line.substr(first).starts_with("```")) {
      inside = !inside;
      if (inside) blocks.emplace_back();
    } else if (inside) {
      blocks.back().append(line).append("\n");
    }
  }
  return blocks;
}

// The JSON in the text; nothing: the text has no JSON. If an object in it has a key twice, `repeated` becomes that key,
// because it is unclear which of the two values was meant.
std::optional<json> json_in(const std::string& text, std::string& repeated) {
  std::vector<std::string> blocks = fenced_blocks(text);
  blocks.push_back(text);
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    json made = parse_json(*block);
    if (made.is_discarded()) continue;
    repeated = repeated_key(*block);
    return made;
  }
  return std::nullopt;
}

}  // namespace

std::variant<Value, std::string> typed_answer(const Outcome& outcome, const json& schema) {
  std::string why;
  const auto text = text_of(outcome, why);
  if (!text) return why;
  std::string repeated;
  auto answer = json_in(*text, repeated);
  if (!answer) {
    return is_blank(*text) ? std::string("is empty, but must be JSON")
                           : "is not JSON: " + expressions::quoted_for_message(*text);
  }
  if (!repeated.empty()) return "has the key " + repeated + " twice";
  if (!expressions::from_json(*answer)) {
    return "is nested too deeply: at most " + std::to_string(expressions::max_json_depth) + " levels";
  }
  if (std::string wrong = instance_mistake(*answer, schema); !wrong.empty()) return "is not valid: " + wrong;
  // In a condition, a double cannot be combined with a whole number.
  if (const std::string number = make_integers(*answer, schema); !number.empty()) {
    return "has the integer " + number + ", which does not fit into 64 bits";
  }
  return expressions::from_json(*answer).value_or(Value());
}

std::string form_of_answer(const json& schema, const std::string& wrong, const std::string& last) {
  std::string text =
      "\n\nAnswer with one JSON value and nothing else. It must conform to this JSON Schema:\n" + dumped(schema) + "\n";
  if (wrong.empty()) return text;
  const std::string shown = last.substr(0, cut_before(last, max_answer_repeated));
  return text + "\nYour last answer was not accepted, because it " + wrong + "\nIt was:\n" + shown +
         (shown.size() < last.size() ? "..." : "") + "\nGive the whole answer again.\n";
}

}  // namespace wtool::host::runner
