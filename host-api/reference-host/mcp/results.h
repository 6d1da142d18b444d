// What a tool is and what it has answered, in the protocol's words. Pure.
//
// - The metadata of a result is its structured content, and stands in the text once more for models that see only text.
// - A stream of a command keeps its beginning and its end, each half of a limit, with a line between them that says how
//   much is missing: whoever reads it is a model, and a megabyte in two copies would drown it.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "loader/plugin.h"
#include "loader/toolbox.h"

namespace wtool::host::mcp {

// As in tools/list.
nlohmann::ordered_json tool_object(const ToolDescription& tool);

// As tools/call answers: "content", "isError", and "structuredContent" where it is what the tool's schema promises.
nlohmann::ordered_json call_result(const ToolDescription& tool, const TextOutcome& outcome, std::size_t output_bytes);

// The answer to a call that the server itself does not make, or not now: `why` is a sentence for the model.
nlohmann::ordered_json refusal(const std::string& why);

// The beginning and the end of `text`, which is UTF-8, with a mark between them: together `most` bytes and a line.
// Untouched where it has no more than that. `bytes` is what there was of it once, where that is more.
std::string cut(std::string_view text, std::size_t most, std::size_t bytes = 0);

}  // namespace wtool::host::mcp
