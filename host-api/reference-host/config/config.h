// The configuration file: YAML 1.2 (and so JSON), checked against the table in keys.h, turned into the JSON text that
// the plugin's tool_new takes. The plugin checks it again; what is caught here is told with line and column.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace wtool::host {

inline constexpr std::size_t config_size_limit = 1 << 20;  // bytes
inline constexpr const char* config_default_name = "wtool.yaml";

// The file at `path`, as JSON text of an object with the keys that the file gives. Nothing: `error` says for each
// mistake where it is and what is wrong, one a line.
std::optional<std::string> load_config(const std::string& path, std::string& error);

// `path` where it is not empty; else wtool.yaml in the current directory, if it is there; else {}.
std::optional<std::string> load_config_or_default(const std::string& path, std::string& error);

// The same of text. `name` is what errors call it, `folder` what relative paths in it are relative to.
std::optional<std::string> parse_config(const std::string& text, const std::string& name, const std::string& folder,
                                        std::string& error);

}  // namespace wtool::host
