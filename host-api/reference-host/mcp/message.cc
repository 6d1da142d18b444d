#include "mcp/message.h"

namespace wtool::host::mcp {

namespace {

using nlohmann::json;

constexpr std::size_t most_depth = 128;

// How deep arrays and objects are nested in what may be JSON.
bool is_too_deep(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > most_depth) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

Message refused(int code, std::string why, std::string id = {}) {
  Message message;
  message.id = std::move(id);
  message.error = {code, std::move(why)};
  return message;
}

Message read_response(json& parsed, std::string id) {
  Message message;
  message.failed = parsed.contains("error");
  if (message.failed == parsed.contains("result")) {
    return refused(invalid_request, "a message has a method, or a result, or an error");
  }
  // A client that could not read a request says so without an id: there is nothing to be done about it.
  message.kind = Message::Kind::response;
  message.id = std::move(id);
  message.body = std::move(parsed[message.failed ? "error" : "result"]);
  return message;
}

}  // namespace

std::optional<std::string> id_text(const json& value) {
  if (value.is_string() || value.is_number_integer()) return dumped(value);
  return std::nullopt;
}

Message read_message(std::string_view line) {
  if (is_too_deep(line)) {
    return refused(parse_error, "the message is nested deeper than " + std::to_string(most_depth) + " levels");
  }
  json parsed = json::parse(line, nullptr, false);
  if (parsed.is_discarded()) return refused(parse_error, "the line is not JSON in UTF-8");
  if (parsed.is_array()) return refused(invalid_request, "batches are not supported: send one message a line");
  if (!parsed.is_object()) return refused(invalid_request, "a message is a JSON object");
  std::string id;
  const auto given = parsed.find("id");
  if (given != parsed.end()) {
    const std::optional<std::string> text = id_text(*given);
    const bool may_be_null = parsed.contains("error") && !parsed.contains("method");
    if (!text && !(may_be_null && given->is_null())) {
      return refused(invalid_request, "the id must be a string or a whole number of at most 64 bits");
    }
    id = text.value_or("");
  }
  const auto version = parsed.find("jsonrpc");
  if (version == parsed.end() || *version != "2.0") {
    return refused(invalid_request, "the member jsonrpc must be \"2.0\"", id);
  }
  const auto method = parsed.find("method");
  if (method == parsed.end()) return read_response(parsed, std::move(id));
  if (!method->is_string()) return refused(invalid_request, "the method must be a string", id);

  Message message;
  message.kind = given == parsed.end() ? Message::Kind::notification : Message::Kind::request;
  message.id = std::move(id);
  message.method = method->get<std::string>();
  if (const auto params = parsed.find("params"); params != parsed.end()) {
    if (!params->is_object()) {
      return refused(message.kind == Message::Kind::request ? invalid_params : invalid_request,
                     "params must be an object", message.id);
    }
    message.body = std::move(*params);
  }
  return message;
}

std::string dumped(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

std::string dumped(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string result_line(std::string_view id, std::string_view value) {
  std::string line = R"({"jsonrpc":"2.0","id":)";
  line.append(id).append(R"(,"result":)").append(value).append("}\n");
  return line;
}

std::string error_line(std::string_view id, const Error& error) {
  nlohmann::ordered_json body{{"code", error.code}, {"message", error.message}};
  if (!error.data.is_null()) body["data"] = error.data;
  std::string line = R"({"jsonrpc":"2.0")";
  if (!id.empty()) line.append(R"(,"id":)").append(id);
  return line.append(R"(,"error":)").append(dumped(body)).append("}\n");
}

std::string request_line(std::string_view id, std::string_view method, std::string_view params) {
  std::string line = R"({"jsonrpc":"2.0","id":)";
  return line.append(id).append(R"(,"method":")").append(method).append(R"(","params":)").append(params).append("}\n");
}

std::string notification_line(std::string_view method, std::string_view params) {
  std::string line = R"({"jsonrpc":"2.0","method":")";
  return line.append(method).append(R"(","params":)").append(params).append("}\n");
}

}  // namespace wtool::host::mcp
