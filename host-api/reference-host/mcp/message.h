// JSON-RPC messages, one a line: what a client's line is, and the lines that a server answers with. Pure.
//
// - A line is judged as a whole: what is not JSON, a batch, or JSON of another shape is invalid, with the error to
// send.
// - An id is kept as the JSON text that the client gave, so that it goes back exactly: a string, or a whole number of
// at
//   most 64 bits. Anything else (null, fractions, more digits) is refused, because it could not be told from another.
// - Depth is looked at before anything is parsed: later steps recurse.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace wtool::host::mcp {

inline constexpr int parse_error = -32700;
inline constexpr int invalid_request = -32600;
inline constexpr int method_not_found = -32601;
inline constexpr int invalid_params = -32602;
inline constexpr int internal_error = -32603;
inline constexpr int server_busy = -32000;

struct Error {
  int code = 0;
  std::string message;                     // one sentence, for people
  nlohmann::json data = nlohmann::json();  // null: none
};

struct Message {
  enum class Kind {
    request,
    notification,
    response,  // to a request of the server's: `body` is its result, or its error where `failed`
    invalid,   // `error` says why; `id` is there where the request could be told
  };
  Kind kind = Kind::invalid;
  std::string id;                          // JSON text; empty: none
  std::string method;                      // of requests and notifications
  nlohmann::json body = nlohmann::json();  // params (null where they are missing), result, or error
  bool failed = false;
  Error error{};
};

Message read_message(std::string_view line);

// `value` is a JSON text without newlines. All lines end with their newline.
std::string result_line(std::string_view id, std::string_view value);
std::string error_line(std::string_view id, const Error& error);  // empty id: the line has none
std::string request_line(std::string_view id, std::string_view method, std::string_view params);
std::string notification_line(std::string_view method, std::string_view params);

// Compact, and valid UTF-8 whatever the texts in it are.
std::string dumped(const nlohmann::json& value);
std::string dumped(const nlohmann::ordered_json& value);

// The JSON text of an id or a progress token; nothing: it is neither a string nor a whole number of 64 bits.
std::optional<std::string> id_text(const nlohmann::json& value);

}  // namespace wtool::host::mcp
