// JSON-RPC messages, one per line: pure functions that parse what a client sends, and make the lines of a server's
// answers.
//
// - Every request with an id is answered: if a line cannot be parsed, the error has the id that is found in the line. A
//   notification is never answered, whatever is wrong with it.
// - An id is a string or a number. It is sent back with the same value; a number with a fraction, or of more than 64
//   bits, or -0, also keeps its spelling. Any other id (null, objects) is refused with an error without an id.
// - A \u escape that is one half of a surrogate pair, without the other half, is read as U+FFFD: clients that count in
//   UTF-16 may cut a text between the two halves.
// - A batch of more than 1000 messages is refused as a whole, with one error.
// - The depth of nesting is checked before anything is parsed, because later steps recurse.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "mcp/id_scanner.h"

namespace wtool::host::mcp {

inline constexpr int parse_error = -32700;
inline constexpr int invalid_request = -32600;
inline constexpr int method_not_found = -32601;
inline constexpr int invalid_params = -32602;
inline constexpr int internal_error = -32603;

struct Error {
  int code = 0;
  std::string message;                     // one sentence, for people
  nlohmann::json data = nlohmann::json();  // null: none
};

struct Message {
  enum class Kind {
    request,
    notification,
    response,  // to a request of the server: `body` is its result, or its error if `failed`
    batch,     // several messages, in `batch`; at least one
    invalid,   // `error` says why; `id` is set if the id of a request was found
  };
  Kind kind = Kind::invalid;
  std::string id;  // JSON text with the value of the client's id; empty: none
  // The same for two spellings of one id, except if it is a number of more than 64 bits. In notifications/cancelled: the
  // key of the request that is cancelled.
  std::string key;
  std::string method;                      // of requests and notifications
  nlohmann::json body = nlohmann::json();  // params (null if they are missing), result, or error
  bool failed = false;
  Error error{};
  std::vector<Message> batch{};
};

Message read_message(std::string_view line);

// The error for a line longer than `most` bytes. `scanned` has seen the whole line.
Message too_long_message(const IdScanner& scanned, std::size_t most);

// Every returned line ends with its newline.
std::string result_line(std::string_view id, const nlohmann::ordered_json& result);
std::string error_line(std::string_view id, const Error& error);  // with an empty id, the line has none
std::string request_line(std::string_view id, std::string_view method, std::string_view params);
std::string notification_line(std::string_view method, std::string_view params);

// The key of an id, or the JSON text of a progress token. Nothing: it is neither a string nor a number.
std::optional<std::string> id_key(const nlohmann::json& value);

}  // namespace wtool::host::mcp
