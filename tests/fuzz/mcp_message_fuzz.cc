// Fuzzes mcp/message.h. The input is a line of an MCP client. Whatever the bytes are, the line is read quickly; an
// answer with the id that was found is a line of JSON; and an id that was accepted comes back as it was.
#include "mcp/message.h"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "fuzz/require.h"

namespace {

using nlohmann::json;
using wtool::host::mcp::Message;

using wtool::test::require;

json parsed_line(const std::string& line) {
  require(line.find('\n') == line.size() - 1);
  json value = json::parse(line, nullptr, false);
  require(value.is_object() && value["jsonrpc"] == "2.0");
  return value;
}

}  // namespace

static void check(const Message& message, std::string_view line) {
  const bool is_invalid = message.kind == Message::Kind::invalid;
  require(is_invalid == (message.error.code != 0));
  require(message.kind != Message::Kind::request || (!message.id.empty() && !message.key.empty()));
  require(message.kind != Message::Kind::notification || message.id.empty());
  require((message.kind == Message::Kind::batch) == !message.batch.empty());
  const json answer = parsed_line(wtool::host::mcp::error_line(message.id, {-1, std::string(line)}));
  require(answer.contains("id") == !message.id.empty());
  if (message.kind == Message::Kind::request) {
    const json parsed = json::parse(line, nullptr, false);
    require(!parsed.is_object() || answer["id"] == parsed.at("id"));
  }
  if (!is_invalid) parsed_line(wtool::host::mcp::notification_line("m", wtool::dumped(message.body)));
  for (const Message& one : message.batch) check(one, line);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  check(wtool::host::mcp::read_message(line), line);
  return 0;
}
