// What a tool is and what it has answered, in the protocol's words. Pure.
//
// - shell_execute answers as `mcp.results` says. As text: what the command wrote, then one line that says how it ended:
//
//     main.c  Makefile
//     [stderr]
//     ls: cannot access 'lib': No such file or directory
//     [exit 2, 4 ms]
//
//   Structured: the metadata without what is at its default, and without the command, which the model has written itself.
//   Text alone is the default, and has no output schema then: clients that see structured content show a model nothing
//   else, as JSON.
// - The other tools have their specified text, and their metadata as structured content and as JSON text.
// - A stream of a command keeps its beginning and its end, each half of a limit, with a line between them that says how
//   much is missing: whoever reads it is a model, and a megabyte in two copies would drown it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "loader/plugin.h"
#include "loader/toolbox.h"

namespace wtool::host::mcp {

enum class ResultStyle { text, structured, both };

struct ResultSettings {
  std::size_t output_bytes = 0;  // kept of each stream
  ResultStyle style = ResultStyle::text;
  bool has_output_read = false;  // there is such a tool, for the rest of what is cut
};

// As in tools/list.
nlohmann::ordered_json tool_object(const ToolDescription& tool, ResultStyle style);

// The same of a tool that the server itself answers. Hints that are the protocol's defaults are left out.
nlohmann::ordered_json server_tool_object(const ToolDescription& tool);

// As tools/call answers: "content", "isError", and "structuredContent" where it is what the tool's schema promises.
// `number_of_output` gives the number under which the whole output of a command can be read; it is called where an
// output is cut.
nlohmann::ordered_json call_result(const ToolDescription& tool, const TextOutcome& outcome,
                                   const ResultSettings& settings, const std::function<int()>& number_of_output = {});

// Cuts the outputs in the metadata of a tool that runs commands, each to so many bytes, and says so there.
void cut_streams(nlohmann::ordered_json& metadata, std::size_t most);

// What shell_execute answers, from its metadata, in which nothing is too long. That of a job that runs has "job" and
// "status".
nlohmann::ordered_json command_result(const nlohmann::ordered_json& metadata, bool is_error, ResultStyle style);

// An answer that is text alone.
nlohmann::ordered_json text_result(std::string text, bool is_error = false);

// The answer to a call that the server itself does not make, or not now: `why` is a sentence for the model.
nlohmann::ordered_json refusal(const std::string& why);

// Why an argument that a tool of the server does not know is refused.
std::string unknown_argument(const std::string& name, std::initializer_list<std::string_view> known);

// The arguments with which output_read continues where an output is cut.
nlohmann::ordered_json output_read_arguments(int number, const std::string& stream, std::uint64_t offset);

// The line in place of so many bytes.
std::string gap(std::uint64_t bytes);

// The beginning and the end of `text`, which is UTF-8, with a mark between them: together `most` bytes and a line.
// Untouched where it has no more than that. `bytes` is what there was of it once, where that is more.
std::string cut(std::string_view text, std::size_t most, std::size_t bytes = 0);

}  // namespace wtool::host::mcp
