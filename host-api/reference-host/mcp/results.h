// Pure functions that put the description of a tool and the result of a call into the protocol's form.
//
// - shell_execute answers in the style that `mcp.results` says. As text: the command's output, then one line that says
//   how it ended:
//
//     main.c  Makefile
//     [stderr]
//     ls: cannot access 'lib': No such file or directory
//     [exit 2, 4 ms]
//
//   Structured: the metadata, without members that have their default, and without the command, which the model wrote
//   itself. Text is the default, and has no output schema: clients that get structured content show a model nothing
//   else, and show it as JSON.
// - The other tools return their specified text, and their metadata as JSON text unless the first says everything; and,
//   unless the style is text, their metadata as structured content.
// - If a command's stream is longer than a limit, its beginning and its end are kept, each half of the limit, with a
//   line between them that says how much is missing: the reader is a model, and a megabyte of output would fill its
//   context. Of an output with NUL bytes, the text has only the beginning, if output_read can show the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "loader/plugin.h"
#include "loader/toolbox.h"
#include "mcp/output_store.h"

namespace wtool::host::mcp {

enum class ResultStyle { text, structured, both };

struct ResultSettings {
  std::size_t output_bytes = 0;  // how much of each stream is kept
  ResultStyle style = ResultStyle::text;
  bool has_output_read = false;    // the tool output_read exists, which shows the rest of a cut output
  bool network_is_option = false;  // commands have no network, because the server was started without --network
};

// The tool as tools/list describes it, without the hints that have the protocol's defaults.
nlohmann::ordered_json tool_object(const ToolDescription& tool, bool has_output_schema);

// The result of tools/call: "content", "isError", and "structuredContent" if that matches the tool's schema.
// `number_of_output` returns the number under which the whole output of a command can be read; it is only called when
// an output is cut, and some of the rest is kept in `output` (nullptr: all of it is kept).
nlohmann::ordered_json call_result(const ToolDescription& tool, OrderedOutcome outcome, const ResultSettings& settings,
                                   const std::function<int()>& number_of_output = {},
                                   const StoredOutput* output = nullptr);

// Notes in the metadata how many bytes of a stream are neither shown nor kept, and why. Notes nothing if every byte is
// shown or kept. What is shown does not have the bytes from `begin` to `end`.
void add_lost_bytes(nlohmann::ordered_json& metadata, const StoredOutput::Size& size, std::uint64_t begin,
                    std::uint64_t end);

// The bytes that the text of a stream ("stdout" or "stderr") in the metadata leaves out; nothing: it is not cut.
// `written`: how many bytes the stream has. The result may have some bytes at both ends that the text shows.
struct LeftOut {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};
std::optional<LeftOut> left_out(const nlohmann::ordered_json& metadata, const std::string& stream,
                                std::uint64_t written);

// As text, an output with NUL bytes is shown only up to this byte: JSON writes each NUL byte with six.
constexpr std::size_t max_shown_binary = 512;

// Cuts each output in a tool's metadata to at most `most` bytes, and notes in the metadata which outputs were cut.
void cut_streams(nlohmann::ordered_json& metadata, std::size_t most);

// The result of shell_execute, from metadata whose streams are already cut. The metadata of a running job has "job" and
// "status".
nlohmann::ordered_json command_result(const nlohmann::ordered_json& metadata, bool is_error,
                                      const ResultSettings& settings);

// An answer that is only text.
nlohmann::ordered_json text_result(std::string text, bool is_error = false);

// The answer to a call that the server refuses, for now or for good: `why` is a sentence for the model.
nlohmann::ordered_json refusal(const std::string& why);

// What is wrong with an argument that must be a whole number, at least `least`; empty: nothing.
std::string number_problem(const std::string& name, const nlohmann::json& value, std::uint64_t least);

// The message for an argument that a tool of the server does not have.
std::string unknown_argument(const std::string& name, std::initializer_list<std::string_view> known);

// Notes in the metadata with which arguments output_read continues after the cut of a stream.
void add_output_read(nlohmann::ordered_json& metadata, int number, const std::string& stream, std::uint64_t offset);

// The line that replaces `bytes` bytes.
std::string gap(std::uint64_t bytes);

// The beginning and the end of `text` (UTF-8), together `most` bytes, with a line between them that says how much is
// missing. Unchanged if `text` is no longer than `most`. `bytes`: how many bytes the text stands for, if that is known;
// more than it has if it was cut before. `replaced`: each U+FFFD stands for one byte that was not UTF-8.
std::string cut(std::string_view text, std::size_t most, std::size_t bytes = 0, bool replaced = false);

}  // namespace wtool::host::mcp
