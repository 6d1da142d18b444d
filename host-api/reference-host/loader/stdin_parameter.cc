#include "loader/stdin_parameter.h"

#include "base/json_reader.h"
#include "base/utf8.h"

namespace wtool::host {

void add_stdin(nlohmann::ordered_json& schema) {
  constexpr std::string_view without_stdin = " Its standard input is empty.";
  auto& properties = schema["properties"];
  if (!properties.is_object()) return;
  nlohmann::ordered_json command = properties.value("command", nlohmann::ordered_json());
  if (command.is_object() && command["description"].is_string()) {
    auto& description = properties["command"]["description"].get_ref<std::string&>();
    if (const std::size_t at = description.find(without_stdin); at != std::string::npos) {
      description.erase(at, without_stdin.size());
    }
  }
  properties["stdin"] = {{"type", "string"}, {"description", "Text for its standard input."}};
}

std::string give_stdin(std::string& arguments, std::string_view text) {
  std::string problem;
  nlohmann::json object = parse_json_object(arguments, problem);
  if (!problem.empty()) return {};
  if (object.contains("stdin")) return "the arguments already have \"stdin\"";
  if (const std::size_t whole = valid_utf8_prefix(text); whole < text.size()) {
    return "byte " + std::to_string(whole) +
           " is not UTF-8, and a call takes text: let the command read the file (< FILE)";
  }
  object["stdin"] = text;
  arguments = object.dump();
  return {};
}

}  // namespace wtool::host
