// Tests of arguments that a tool must refuse or survive.
#include "base/json_reader.h"
#include "base/json_schema.h"
#include "conformance/ready_tool.h"

namespace wtool::host::conformance {

using nlohmann::json;

namespace {

json of_another_type(const json& schema) {
  for (const json& value :
       {json::object({{"wrong", true}}), json(17.5), json("wrong"), json::array({1}), json(nullptr)}) {
    if (!instance_mistake(value, schema).empty()) return value;
  }
  return json::value_t::discarded;
}

// Arguments that the schema excludes, each with what is wrong with it.
std::vector<std::pair<std::string, std::string>> wrong_arguments(const ToolFacts& tool) {
  std::vector<std::pair<std::string, std::string>> all{
      {"nonsense", "no JSON"},
      {"{", "half an object"},
      {"[]", "a list"},
      {"5", "a number"},
      {"null", "null"},
      {tool.arguments + " x", "an object and more"},
      {tool.arguments + std::string("\0{}", 3), "an object, NUL, and more"},
      {"{\"a\xff\": \"\xc3\x28\"}", "text that is not UTF-8"},
  };
  const json valid = parse_json(tool.arguments);
  const auto add = [&](const json& value, const std::string& what) {
    if (!instance_mistake(value, tool.input_schema).empty()) all.emplace_back(dumped(value), what);
  };
  const json properties = tool.input_schema.value("properties", json::object());
  for (const auto& [name, schema] : properties.items()) {
    json wrong = valid;
    wrong[name] = of_another_type(schema);
    if (!wrong[name].is_discarded()) add(wrong, "a \"" + name + "\" of a wrong type");
  }
  for (const json& name : tool.input_schema.value("required", json::array())) {
    json less = valid;
    less.erase(name.get<std::string>());
    add(less, "no \"" + name.get<std::string>() + '"');
  }
  json more = valid;
  more["no_such_parameter_is_there"] = 1;
  add(more, "an unknown parameter");
  return all;
}

}  // namespace

void test_wrong_arguments(Trial& trial) {
  ReadyTool ready(trial);
  if (!ready) return;
  for (const auto& [arguments, what] : wrong_arguments(trial.tool)) {
    const std::string doing = "a call with " + what + " for arguments, " + in_quotes(arguments) + ',';
    const json envelope =
        good_result(trial, ready.tool(), {.arguments = arguments, .rule = "arguments-judged", .doing = doing});
    if (envelope.is_object() && envelope["is_error"] != true) {
      trial.report.finding("arguments-judged", doing + " ends in a result whose is_error is false");
    }
  }
  ready.end();
}

void test_garbage_arguments(Trial& trial) {
  ReadyTool ready(trial);
  if (!ready) return;
  const auto deep = [](const char* open, const char* middle, const char* close) {
    std::string text = "{\"a\":";
    for (int i = 0; i < 100'000; ++i) text += open;
    text += middle;
    for (int i = 0; i < 100'000; ++i) text += close;
    return text + '}';
  };
  const std::pair<std::string, const char*> rows[] = {
      {"", "no bytes"},
      {std::string(1, '\0'), "a NUL"},
      {std::string("{\"a\":\"\0\"}", 9), "a NUL in a text"},
      {"{\"a\":\"\\u0000\\ud800\"}", "an escaped NUL and half a character"},
      {deep("[", "", "]"), "100,000 nested lists"},
      {deep("{\"a\":", "1", "}"), "100,000 nested objects"},
      {std::string(100'000, '['), "100,000 brackets"},
      {"{\"" + std::string(4 << 20, 'a') + "\":1}", "a name of 4 MiB"},
      {"{\"a\":\"" + std::string(17 << 20, 'a') + "\"}", "17 MiB"},
      {"{\"a\":1e999999,\"b\":" + std::string(10'000, '9') + '}', "numbers that are too large"},
      {"\xef\xbb\xbf{}", "a byte order mark"},
      {"{\"a\":\"\xed\xa0\x80\xf8\x88\"}", "bytes that are not UTF-8"},
  };
  for (const auto& [arguments, what] : rows) {
    const std::string doing = std::string("a call with ") + what + " for arguments";
    const CallOutcome outcome =
        call(trial, ready.tool(), {.arguments = arguments, .rule = "arguments-survived", .doing = doing});
    if (outcome.ran != WTOOL_OK) continue;
    json envelope;
    const std::string mistake = outcome.filled ? envelope_mistake(outcome.result, envelope) : "there is no result";
    if (!mistake.empty()) trial.report.finding("arguments-survived", "of " + doing + ", " + mistake);
  }
  ready.end();
}

}  // namespace wtool::host::conformance
