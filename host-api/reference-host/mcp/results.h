// The description of a tool and the result of a call, in the protocol's form. Pure.
//
// - shell_execute and the pty tools answer as `mcp.results` says. As text: what the command wrote, then one line that says how it ended:
//
//     main.c  Makefile
//     [stderr]
//     ls: cannot access 'lib': No such file or directory
//     [exit 2, 4 ms]
//
//   Structured: the metadata, without members that have their default, and without the command, which the model has
//   written itself. Text alone is the default, and has no output schema: clients that get structured content show a
//   model nothing else, as JSON.
// - The other tools have their specified text, and their metadata as structured content and as JSON text.
// - Of a command's stream, the beginning and the end are kept, each half of a limit, with a line between them that says
//   how much is missing: the reader is a model, and a megabyte in two copies would fill its context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
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

// The result of tools/call: "content", "isError", and "structuredContent" if that matches the tool's schema.
// `number_of_output` returns the number under which the whole output of a command can be read; it is called where an
// output is cut.
nlohmann::ordered_json call_result(const ToolDescription& tool, const TextOutcome& outcome,
                                   const ResultSettings& settings, const std::function<int()>& number_of_output = {});

// Cuts the outputs in the metadata of a tool that runs commands, each to so many bytes, and says so there.
void cut_streams(nlohmann::ordered_json& metadata, std::size_t most);

// The result of shell_execute, from its metadata, in which nothing is too long. The metadata of a running job has "job"
// and "status".
nlohmann::ordered_json command_result(const nlohmann::ordered_json& metadata, bool is_error, ResultStyle style);

// An answer that is text alone.
nlohmann::ordered_json text_result(std::string text, bool is_error = false);

// The answer to a call that the server itself does not make, or not now: `why` is a sentence for the model.
nlohmann::ordered_json refusal(const std::string& why);

// What is wrong with an argument that must be a whole number, of at least `least` if that is given; empty: nothing.
std::string number_problem(const std::string& name, const nlohmann::json& value,
                           std::optional<std::uint64_t> least = std::nullopt);

// Why an argument that a tool of the server does not know is refused.
std::string unknown_argument(const std::string& name, std::initializer_list<std::string_view> known);

// The arguments with which output_read continues where an output is cut.
nlohmann::ordered_json output_read_arguments(int number, const std::string& stream, std::uint64_t offset);

// The line in place of so many bytes.
std::string gap(std::uint64_t bytes);

// The beginning and the end of `text` (UTF-8), `most` bytes together, with a line between them that says what is
// missing. Unchanged if it has no more than that. `bytes` is its original size, where that was larger.
std::string cut(std::string_view text, std::size_t most, std::size_t bytes = 0);

}  // namespace wtool::host::mcp
