// The three notations of client_config.h: JSON with comments, TOML and YAML, each with the same three functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mcp/client_config.h"

namespace wtool::host::mcp {

using ClientText = std::optional<std::string>;
using ServerArgv = std::optional<std::vector<std::string>>;

namespace json_client {
ClientText add(ClientFormat, const std::string& text, const ClientServer&, std::string& problem);
ClientText remove(ClientFormat, const std::string& text, const std::string& name, std::string& problem);
ServerArgv argv_of(ClientFormat, const std::string& text, const std::string& name, std::string& problem);
}  // namespace json_client

namespace toml_client {
ClientText add(const std::string& text, const ClientServer&, std::string& problem);
ClientText remove(const std::string& text, const std::string& name, std::string& problem);
ServerArgv argv_of(const std::string& text, const std::string& name, std::string& problem);
}  // namespace toml_client

namespace yaml_client {
ClientText add(const std::string& text, const ClientServer&, std::string& problem);
ClientText remove(const std::string& text, const std::string& name, std::string& problem);
ServerArgv argv_of(const std::string& text, const std::string& name, std::string& problem);
}  // namespace yaml_client

// The line ending that the text uses.
inline std::string line_end(std::string_view text) {
  return text.find("\r\n") == std::string_view::npos ? "\n" : "\r\n";
}

}  // namespace wtool::host::mcp
