#include "mcp/message.h"

#include <cmath>

#include "base/json_reader.h"
#include "base/raw_json.h"
#include "base/text.h"

namespace wtool::host::mcp {

namespace {

using nlohmann::json;

constexpr std::size_t max_depth = 128;
// Each message of a batch costs memory for its answer, however short the message is.
constexpr std::size_t max_batch = 1000;

Message refused(int code, std::string why, std::string id = {}) {
  Message message;
  message.id = std::move(id);
  message.error = {code, std::move(why)};
  return message;
}

// The message for a line that cannot be parsed.
Message unreadable(const IdScanner& scanned, int code, std::string why) {
  if (!scanned.is_notification()) return refused(code, std::move(why), scanned.id());
  Message message;
  message.kind = Message::Kind::notification;
  return message;
}

Message unreadable(std::string_view line, std::string why) {
  IdScanner scanner;
  scanner.feed(line);
  return unreadable(scanner, parse_error, std::move(why));
}

// The code unit of the escape at `at` (such as \ud83d). Nothing: no such escape begins there.
std::optional<unsigned> escaped_unit(std::string_view text, std::size_t at) {
  unsigned unit = 0;
  if (text.substr(at, 2) != "\\u" || text.size() < at + 6) return std::nullopt;
  return read_number(text.substr(at + 2, 4), unit, 16) ? std::optional(unit) : std::nullopt;
}

bool is_high(std::optional<unsigned> unit) { return unit && *unit >= 0xd800 && *unit < 0xdc00; }
bool is_low(std::optional<unsigned> unit) { return unit && *unit >= 0xdc00 && *unit < 0xe000; }

// The text with U+FFFD in place of each unpaired half of a surrogate pair.
std::string without_lone_surrogates(std::string_view text) {
  std::string whole(text);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (whole[i] != '\\') continue;
    const std::optional<unsigned> unit = escaped_unit(whole, i);
    if (!unit) {
      ++i;  // An escape of one character, such as \n.
    } else if (is_high(unit) && is_low(escaped_unit(whole, i + 6))) {
      i += 11;
    } else {
      if (is_high(unit) || is_low(unit)) whole.replace(i + 2, 4, "fffd");
      i += 5;
    }
  }
  return whole;
}

Message read_response(json& parsed, std::string id) {
  Message message;
  const bool has_result = parsed.contains("result");
  message.failed = parsed.contains("error");
  if (!has_result && !message.failed) {
    return refused(invalid_request, "a message must have a method, a result or an error", std::move(id));
  }
  // A client that could not read one of our requests reports that without an id. Nothing can be done about it.
  message.kind = Message::Kind::response;
  message.id = std::move(id);
  message.body = std::move(parsed[message.failed ? "error" : "result"]);
  return message;
}

// The key of the id that has this text. Whole numbers of more than 64 bits become doubles, and several of them the same
// one, so the key of such an id is its text.
std::optional<std::string> exact_key(const json& id, std::string_view text) {
  constexpr double first_inexact = 9007199254740992;  // 2^53
  const bool is_inexact = id.is_number_float() && std::abs(id.get<double>()) >= first_inexact;
  return is_inexact && !text.empty() ? std::string(text) : id_key(id);
}

// `text` is that of the object.
Message read_object(json& parsed, std::string_view text) {
  if (!parsed.is_object()) return refused(invalid_request, "a message must be a JSON object");
  Message message;
  const auto given = parsed.find("id");
  const bool has_id = given != parsed.end();
  const auto method = parsed.find("method");
  const bool has_method = method != parsed.end();
  if (has_id) {
    // The number 0 may be spelled -0.
    const std::string_view spelling =
        given->is_number_float() || *given == 0 ? find_member(members_of(text), "id").raw() : std::string_view();
    const std::optional<std::string> key = exact_key(*given, spelling);
    const bool may_be_null = parsed.contains("error") && !has_method;
    if (!key && !(may_be_null && given->is_null())) {
      return refused(invalid_request, "the id must be a string or a number");
    }
    message.id = message.key = key.value_or("");
    if (!spelling.empty()) message.id = spelling;
  }
  const bool is_notification = has_method && !has_id;
  const auto version = parsed.find("jsonrpc");
  if ((version == parsed.end() || *version != "2.0") && !is_notification) {
    return refused(invalid_request, "the member jsonrpc must be \"2.0\"", message.id);
  }
  if (!has_method) return read_response(parsed, std::move(message.id));
  message.kind = is_notification ? Message::Kind::notification : Message::Kind::request;
  if (method->is_string()) {
    message.method = method->get<std::string>();
  } else if (!is_notification) {
    return refused(invalid_request, "the method must be a string", message.id);
  }
  // Some clients send null for params that they leave out.
  if (const auto params = parsed.find("params"); params != parsed.end() && !params->is_null()) {
    if (params->is_object()) {
      if (const auto cancelled = params->find("requestId"); is_notification && cancelled != params->end()) {
        const RawJson given_params = find_member(members_of(text), "params");
        message.key = exact_key(*cancelled, find_member(given_params.members(), "requestId").raw()).value_or("");
      }
      message.body = std::move(*params);
    } else if (!is_notification) {
      return refused(invalid_params, "params must be an object", message.id);
    }
  }
  return message;
}

}  // namespace

std::optional<std::string> id_key(const json& value) {
  if (value.is_string() || value.is_number()) return dumped(value);
  return std::nullopt;
}

Message too_long_message(const IdScanner& scanned, std::size_t most) {
  return unreadable(
      scanned, invalid_request,
      "the message is longer than " + std::to_string(most) + " bytes (mcp.message_bytes), and was skipped");
}

Message read_message(std::string_view line) {
  if (nests_deeper(line, max_depth)) {
    return unreadable(line, "the message is nested deeper than " + std::to_string(max_depth) + " levels");
  }
  json parsed = parse_json(line);
  std::string repaired;
  if (parsed.is_discarded()) {
    repaired = without_lone_surrogates(line);
    parsed = parse_json(repaired);
    if (!parsed.is_discarded()) line = repaired;
  }
  if (parsed.is_discarded()) {
    return unreadable(line, "the line is not JSON in UTF-8, or has a number that is too large");
  }
  if (!parsed.is_array()) return read_object(parsed, line);
  if (parsed.empty()) return refused(invalid_request, "a batch must have at least one message");
  if (parsed.size() > max_batch) {
    return refused(invalid_request, "a batch can have at most " + std::to_string(max_batch) + " messages, but has " +
                                        std::to_string(parsed.size()) + "; none of them was taken");
  }
  Message message;
  message.kind = Message::Kind::batch;
  const std::vector<RawJson> texts = RawJson::parse(line).elements();
  for (std::size_t i = 0; i < parsed.size(); ++i) {
    message.batch.push_back(read_object(parsed[i], i < texts.size() ? texts[i].raw() : std::string_view()));
  }
  return message;
}

std::string result_line(std::string_view id, const nlohmann::ordered_json& result) {
  std::string line = R"({"jsonrpc":"2.0","id":)";
  line.append(id).append(R"(,"result":)");
  append_dumped(line, result);
  line += "}\n";
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
