#include "mcp/results.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/edit_distance.h"
#include "base/escape.h"
#include "base/json_members.h"
#include "base/json_reader.h"
#include "base/utf8.h"
#include "base/yaml_text.h"

namespace wtool::host::mcp {

namespace {

using nlohmann::ordered_json;

// The names of the members for one stream: its text, whether it was cut, and how many bytes it had. The last one is what
// terminal_execute_command calls the number of bytes; it has the member only if it has cut the stream.
struct StreamMembers {
  std::string_view text, flag, bytes, cut_bytes;
};
constexpr std::array<StreamMembers, 5> streams{{{"stdout", "stdout_truncated", "stdout_bytes", "stdoutBytes"},
                                                {"stderr", "stderr_truncated", "stderr_bytes", "stderrBytes"},
                                                {"partial_stdout", "stdout_truncated", "stdout_bytes", ""},
                                                {"partial_stderr", "stderr_truncated", "stderr_bytes", ""},
                                                {"output", "", "", ""}}};

constexpr std::string_view gap_begin = "[... ";
constexpr std::string_view gap_end = " bytes left out ...]\n";

// Room for the words that a text has in addition to its streams.
constexpr std::size_t room_for_the_rest = 4096;

ordered_json text_block(std::string text) { return {{"type", "text"}, {"text", std::move(text)}}; }

// How many bytes of an output the text shows. `replaced`: each mark of an invalid byte is one of them.
std::size_t shown_bytes(std::string_view text, bool replaced) {
  std::size_t bytes = text.size();
  for (std::size_t at = replaced ? text.find(replacement_character) : text.npos; at != text.npos;
       at = text.find(replacement_character, at + replacement_character.size())) {
    bytes -= replacement_character.size() - 1;
  }
  return bytes;
}

// How many bytes the stream had, if the metadata says so; else 0.
std::size_t counted_bytes(const ordered_json& metadata, const StreamMembers& stream) {
  for (const std::string_view name : {stream.bytes, stream.cut_bytes}) {
    const auto counted = metadata.find(name);
    if (counted != metadata.end() && counted->is_number_unsigned()) return counted->get<std::size_t>();
  }
  return 0;
}

// What a stream was before it was put into a text.
struct Whole {
  std::size_t bytes = 0;
  bool is_replaced = false;  // each U+FFFD of the text stands for one byte
};

Whole whole_of(const ordered_json& metadata, const StreamMembers& stream, std::string_view text) {
  // The tool itself may have left out a part, even in the middle, and bytes that are not UTF-8 are longer in the text.
  const std::size_t written = counted_bytes(metadata, stream);
  const std::string encoding = text_member(metadata, "encoding");
  const bool is_replaced = written < text.size() || (!encoding.empty() && encoding != "utf-8");
  return {std::max(written, shown_bytes(text, is_replaced)), is_replaced};
}

// The first `head` bytes of `text` and its last `tail` bytes, with a line between them. `bytes` and `replaced` are those
// of cut().
std::string cut_to(std::string_view text, std::size_t head, std::size_t tail, std::size_t bytes, bool replaced) {
  const std::string_view first = text.substr(0, cut_before(text, head));
  const std::string_view last = text.substr(cut_after(text, text.size() - tail));
  std::string kept(first);
  if (!kept.empty() && kept.back() != '\n') kept += '\n';
  const std::size_t shown = shown_bytes(first, replaced) + shown_bytes(last, replaced);
  const std::size_t all = bytes == 0 ? shown_bytes(text, replaced) : bytes;
  return kept.append(gap(all - std::min(all, shown))).append(last);
}

// Says that the stream was cut, in a result of terminal_execute_command, which has only one flag and one warning
// for both streams.
void warn(ordered_json& metadata, const StreamMembers& stream, std::size_t bytes, std::size_t most) {
  metadata["truncated"] = true;
  if (!stream.cut_bytes.empty()) metadata[std::string(stream.cut_bytes)] = bytes;
  const std::string subject = std::string(stream.text) + " had ";
  const std::string before = text_member(metadata, "warning");
  // What the tool says of this stream is true only of the part that the tool itself has kept.
  std::string warning;
  for (std::size_t begin = 0; begin < before.size();) {
    const std::size_t end = std::min(before.find("; ", begin), before.size());
    const std::string clause = before.substr(begin, end - begin);
    if (!clause.starts_with(subject)) warning += (warning.empty() ? "" : "; ") + clause;
    begin = end + 2;
  }
  warning += (warning.empty() ? "" : "; ") + subject + std::to_string(bytes) + " bytes, and only " +
             std::to_string(most) + " of them are shown: its beginning and its end";
  metadata["warning"] = warning;
}

// The schema without the member that names its language, which some clients refuse.
ordered_json schema_of(const std::string& text) {
  ordered_json schema = parse_ordered_json_or_throw(text);
  schema.erase("$schema");
  return schema;
}

bool is_shell_execute(const ToolDescription& tool) { return tool.id == "shell_execute"; }

// True if the text of this tool contains everything that a model needs of its metadata.
bool says_all_in_text(const ToolDescription& tool) { return tool.id.starts_with("pty_"); }

std::string joined_texts(const ordered_json& list) {
  std::string text;
  for (const ordered_json& one : list) {
    text += (text.empty() ? "" : ", ") + (one.is_string() ? one.get<std::string>() : dumped(one));
  }
  return text;
}

// How the command ended: the last line of the text.
std::string ending(const ordered_json& metadata) {
  if (const std::string waits = text_member(metadata, "waits_for"); !waits.empty()) {
    return "job " + dumped(metadata["job"]) + " waits until a person allows it: tell them to " + waits +
           ", and then use job_poll";
  }
  if (metadata.contains("waits_for_form")) {
    return "job " + dumped(metadata["job"]) +
           " waits for the person's answer to a form that the client shows; job_poll shows more";
  }
  if (text_member(metadata, "status") == "running") {
    return "job " + dumped(metadata["job"]) + " has been running for " +
           std::to_string(metadata.value("execution_time_ms", std::int64_t{0}) / 1000) + " s; job_poll shows more";
  }
  const auto error = metadata.value("error", ordered_json::object());
  const std::string code = text_member(error, "code");
  std::string text = text_member(error, "message");
  if (metadata.contains("exit_code") && (code.empty() || code == "exit_nonzero")) {
    text = "exit " + dumped(metadata["exit_code"]);
  }
  if (metadata.contains("execution_time_ms")) text += ", " + dumped(metadata["execution_time_ms"]) + " ms";
  return text;
}

// The member of the metadata with the arguments with which output_read shows the rest of the stream.
std::string output_read_member(std::string_view stream) {
  return stream == "stdout" ? "output_read" : "output_read_stderr";
}

// True if the configuration was the reason why a command could not use the network. (A limit of the call is worded in a
// different way.)
bool is_network_refused(const ordered_json& sandbox) {
  const auto refused = sandbox.find("refused");
  if (refused == sandbox.end() || !refused->is_array()) return false;
  return std::any_of(refused->begin(), refused->end(), [](const ordered_json& one) {
    return one.is_string() && one.get_ref<const std::string&>().find("sandbox.network") != std::string::npos;
  });
}

// What a model has to know besides the ending, in words that use the metadata's names.
std::vector<std::string> remarks(const ordered_json& metadata, const ResultSettings& settings) {
  std::vector<std::string> remarks;
  const auto error = metadata.value("error", ordered_json::object());
  if (const std::string hint = text_member(error, "hint"); !hint.empty()) remarks.push_back(hint);
  for (const char* stream : {"stdout", "stderr"}) {
    const std::string name(stream);
    if (!metadata.value(name + "_truncated", false)) continue;
    remarks.push_back(name + (metadata.value(name + "_binary", false) ? " is binary and had " : " had ") +
                      dumped(metadata.value(name + "_bytes", ordered_json(0))) + " bytes");
  }
  // The text ends each stream with a newline, even if more of the line is still to come.
  for (const char* stream : {"stdout", "stderr"}) {
    if (text_member(metadata, "status") != "running") break;
    const std::string text = text_member(metadata, stream);
    if (text.empty() || text.back() == '\n') continue;
    remarks.push_back("the last line of " + std::string(stream) + " is not complete yet");
  }
  std::string rest;
  for (const char* stream : {"stdout", "stderr"}) {
    if (const auto arguments = metadata.find(output_read_member(stream)); arguments != metadata.end()) {
      rest += (rest.empty() ? "the rest: output_read " : " and ") + dumped(*arguments);
    }
  }
  if (!rest.empty()) remarks.push_back(rest);
  if (const auto lost = metadata.find("lost_bytes"); lost != metadata.end()) {
    remarks.push_back(dumped(*lost) + " bytes were not kept (" + text_member(metadata, "lost_because") + ")");
  }
  if (const std::string file = text_member(metadata, "output_file"); !file.empty()) {
    remarks.push_back("all output is in " + file +
                      (metadata.value("output_file_complete", true) ? "" : ", except its end"));
  }
  if (const std::string problem = text_member(metadata, "output_file_error"); !problem.empty())
    remarks.push_back(problem);
  const auto add_list = [&](const char* name, const std::string& words) {
    if (const auto list = metadata.find(name); list != metadata.end() && list->is_array() && !list->empty()) {
      remarks.push_back(words + joined_texts(*list));
    }
  };
  // The metadata names only the first of many processes.
  const auto count_rest = [&](const char* list, const char* count) {
    const std::size_t all = metadata.value(count, std::size_t{0});
    const std::size_t named = metadata.value(list, ordered_json::array()).size();
    if (all > named && named > 0) remarks.back() += " and " + std::to_string(all - named) + " more";
  };
  const bool kept = metadata.contains("background_processes_kept");
  add_list("background_processes", kept ? "left running: " : "ended with the command: ");
  count_rest("background_processes", kept ? "background_processes_kept" : "background_processes_ended");
  if (const std::string why = text_member(metadata, "background_processes_ended_because"); !why.empty()) {
    remarks.push_back("they were not left running, because " + why);
  }
  add_list("processes_left", "could not be ended: ");
  count_rest("processes_left", "processes_left_count");
  add_list("protected_changed", "protected files changed meanwhile: ");
  count_rest("protected_changed", "protected_changed_count");
  add_list("put_aside", "put aside: ");
  count_rest("put_aside", "put_aside_count");
  const auto sandbox = metadata.value("sandbox", ordered_json::object());
  // If the result has an error, its hint already names what the sandbox refused.
  if (const auto refused = sandbox.find("refused"); refused != sandbox.end() && !metadata.contains("error")) {
    remarks.push_back("the sandbox refused " + joined_texts(*refused));
  }
  if (settings.network_is_option && is_network_refused(sandbox)) {
    remarks.push_back(
        "commands cannot use the network, not even on this machine, unless the person starts this server with "
        "--network: tell them, if you need it");
  }
  if (const auto gaps = sandbox.find("not_enforced"); gaps != sandbox.end() && !gaps->empty()) {
    remarks.push_back("not enforced: " + joined_texts(*gaps));
  }
  if (const std::string encoding = text_member(metadata, "encoding"); !encoding.empty() && encoding != "utf-8") {
    remarks.push_back(encoding);
  }
  if (const std::string problem = text_member(metadata, "audit_error"); !problem.empty()) remarks.push_back(problem);
  return remarks;
}

std::string shell_text(const ordered_json& metadata, const ResultSettings& settings) {
  std::string text;
  const auto add_stream = [&](const char* name, const char* partial, std::string_view mark) {
    const auto stream = metadata.find(metadata.contains(partial) ? partial : name);
    if (stream == metadata.end() || !stream->is_string()) return;
    const auto& written = stream->get_ref<const std::string&>();
    if (written.empty()) return;
    text.reserve(text.size() + mark.size() + written.size() + room_for_the_rest);
    text.append(mark).append(written);
    if (written.back() != '\n') text += '\n';
  };
  add_stream("stdout", "partial_stdout", "");
  add_stream("stderr", "partial_stderr", "[stderr]\n");
  text += '[' + ending(metadata);
  for (const std::string& remark : remarks(metadata, settings)) text += "; " + remark;
  text += ']';
  return text;
}

// True if the sandbox enforced all that it was asked for, and refused nothing: then its report is the same for each call.
bool is_usual_sandbox(const ordered_json& sandbox) {
  for (const auto& [name, value] : sandbox.items()) {
    if (name != "enforced" && !value.empty()) return false;
  }
  return true;
}

// The metadata without members that have their default, and without the command, which the model wrote itself.
ordered_json without_defaults(const ordered_json& metadata) {
  ordered_json shown = ordered_json::object();
  for (const auto& [name, value] : metadata.items()) {
    const bool is_default = value == false || value == "" || name == "command" || name == "resources" ||
                            (name == "encoding" && value == "utf-8") || name == "working_directory" ||
                            (name == "sandbox" && is_usual_sandbox(value));
    const bool is_count = name == "stdout_bytes" || name == "stderr_bytes";
    const bool is_whole = is_count && !metadata.value(name.substr(0, 6) + "_truncated", false);
    if (!is_default && !is_whole) shown[name] = value;
  }
  if (const auto error = shown.find("error"); error != shown.end() && text_member(*error, "hint").empty()) {
    if (error->is_object()) error->erase("hint");
  }
  return shown;
}

// Keeps only the beginning of the streams that have NUL bytes.
void shorten_binary(ordered_json& metadata) {
  for (const StreamMembers& members : streams) {
    const auto stream = metadata.find(members.text);
    if (members.flag.empty() || stream == metadata.end() || !stream->is_string()) continue;
    const auto& text = stream->get_ref<const std::string&>();
    if (text.size() <= max_shown_binary || text.find('\0') == std::string::npos) continue;
    const Whole whole = whole_of(metadata, members, text);
    *stream = cut_to(text, max_shown_binary, 0, whole.bytes, whole.is_replaced);
    const std::string name(members.flag.substr(0, members.flag.find('_')));
    metadata[name + "_truncated"] = true;
    metadata[name + "_binary"] = true;
  }
}

// Adds the arguments with which output_read shows the rest of the streams that are cut.
void add_rests(ordered_json& metadata, const std::function<int()>& number_of_output, const StoredOutput* output) {
  std::optional<int> number;
  for (const std::string name : {"stdout", "stderr"}) {
    const OutputStream stream = name == "stdout" ? OutputStream::standard_output : OutputStream::standard_error;
    const StoredOutput::Size size = output == nullptr ? StoredOutput::Size() : output->size(stream);
    const std::optional<LeftOut> rest = left_out(metadata, name, size.written);
    if (!rest) continue;
    add_lost_bytes(metadata, size, rest->begin, rest->end);
    if (output != nullptr && size.after_gap(rest->begin) >= size.written) continue;
    if (!number) number = number_of_output();
    add_output_read(metadata, *number, name, rest->begin);
  }
}

// Says how output_read shows the outputs that the metadata of a tool other than shell_execute has not or only in part;
// empty: it has all of them. Such a tool may put more into a text than its command wrote, so no offset is named.
std::string rest_of_outputs(const ordered_json& metadata, const StoredOutput& output,
                            const std::function<int()>& number_of_output) {
  // execute_run has both streams in one, and after a success one level deeper.
  const std::string merged = text_member(object_member(metadata, "value"), "output") + text_member(metadata, "output");
  std::string rest;
  for (const OutputStream stream : {OutputStream::standard_output, OutputStream::standard_error}) {
    const bool is_out = stream == OutputStream::standard_output;
    if (output.size(stream).written == 0) continue;
    const std::string text = is_out && !merged.empty() ? merged : text_member(metadata, is_out ? "stdout" : "stderr");
    if (!text.empty() && text.find(gap_end) == std::string::npos) continue;
    ordered_json arguments{{"output", number_of_output()}};
    if (!is_out) arguments["stream"] = "stderr";
    rest += (rest.empty() ? "[the whole output: output_read " : " and ") + dumped(arguments);
  }
  return rest.empty() ? rest : rest + ']';
}

// The text of a tool, short enough for a client. `metadata`: the tool's, already cut.
std::string shortened(const ToolDescription& tool, const std::string& text, const ordered_json& metadata,
                      std::size_t output_bytes) {
  // The YAML of execute_command would no longer be YAML if it were cut like another text. It repeats the metadata.
  if (tool.id == "execute_command" && text.starts_with("exit_code: ")) {
    const auto code = metadata.find("exit_code");
    return yaml_result(code != metadata.end() && code->is_number_integer() ? code->get<int>() : 0,
                       text_member(metadata, "stdout"), text_member(metadata, "stderr"));
  }
  return cut(text, 2 * output_bytes + room_for_the_rest);
}

// Whether the metadata has all members that the schema requires. An answer that does not come from the tool itself,
// such as the answer while the configuration is invalid, may lack some of them.
bool has_what_is_required(const ToolDescription& tool, const ordered_json& metadata) {
  if (!metadata.is_object()) return false;
  if (tool.output_schema.empty()) return true;
  const ordered_json schema = parse_ordered_json(tool.output_schema);
  const auto required = schema.find("required");
  if (required == schema.end() || !required->is_array()) return true;
  return std::all_of(required->begin(), required->end(), [&](const ordered_json& name) {
    return name.is_string() && metadata.contains(name.get_ref<const std::string&>());
  });
}

}  // namespace

void cut_streams(ordered_json& metadata, std::size_t most) {
  for (const StreamMembers& members : streams) {
    const auto stream = metadata.find(members.text);
    if (stream == metadata.end() || !stream->is_string()) continue;
    const auto& text = stream->get_ref<const std::string&>();
    if (text.size() <= most) continue;
    const Whole whole = whole_of(metadata, members, text);
    *stream = cut(text, most, whole.bytes, whole.is_replaced);
    const auto said = metadata.find(members.flag);
    if (said != metadata.end() && said->is_boolean()) {
      *said = true;
      if (metadata.contains("truncated")) metadata["truncated"] = true;
    } else if (!members.flag.empty()) {
      warn(metadata, members, whole.bytes, most);
    }
  }
}

std::optional<LeftOut> left_out(const ordered_json& metadata, const std::string& stream, std::uint64_t written) {
  if (!metadata.value(stream + "_truncated", false)) return std::nullopt;
  const std::string partial = "partial_" + stream;
  const std::string text = text_member(metadata, metadata.contains(partial) ? partial.c_str() : stream.c_str());
  const std::size_t mark = text.find(gap_begin);
  const std::size_t mark_end = text.rfind(gap_end);
  if (mark == std::string::npos || mark_end == std::string::npos) return LeftOut{0, written};
  // The mark may follow an added newline, and a replaced byte became three.
  const bool is_replaced = text_member(metadata, "encoding") != "utf-8";
  std::size_t begin = mark > 0 ? mark - 1 : 0;
  if (is_replaced) begin /= 3;
  const std::size_t shown = shown_bytes(std::string_view(text).substr(mark_end + gap_end.size()), is_replaced);
  return LeftOut{begin, written - std::min<std::uint64_t>(written, shown)};
}

void add_lost_bytes(ordered_json& metadata, const StoredOutput::Size& size, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t lost = size.lost(begin, end);
  if (lost == 0) return;
  metadata["lost_bytes"] = metadata.value("lost_bytes", std::uint64_t{0}) + lost;
  metadata["lost_because"] = size.why_lost();
}

ordered_json command_result(const ordered_json& metadata, bool is_error, const ResultSettings& settings) {
  if (settings.style == ResultStyle::text) return text_result(shell_text(metadata, settings), is_error);
  ordered_json structured = without_defaults(metadata);
  const bool is_structured_alone = settings.style == ResultStyle::structured;
  ordered_json result =
      text_result(is_structured_alone ? dumped(structured) : shell_text(metadata, settings), is_error);
  result["structuredContent"] = std::move(structured);
  return result;
}

void add_output_read(ordered_json& metadata, int number, const std::string& stream, std::uint64_t offset) {
  ordered_json& arguments = metadata[output_read_member(stream)] = {{"output", number}};
  if (stream != "stdout") arguments["stream"] = stream;
  arguments["offset"] = offset;
}

std::string gap(std::uint64_t bytes) { return std::string(gap_begin) + std::to_string(bytes) + std::string(gap_end); }

std::string cut(std::string_view text, std::size_t most, std::size_t bytes, bool replaced) {
  if (text.size() <= most) return std::string(text);
  return cut_to(text, most / 2, most / 2, bytes, replaced);
}

ordered_json tool_object(const ToolDescription& tool, bool has_output_schema) {
  ordered_json object{{"name", tool.id}};
  if (!tool.title.empty()) object["title"] = tool.title;
  object["description"] = tool.description;
  object["inputSchema"] = schema_of(tool.input_schema);
  if (has_output_schema && !tool.output_schema.empty()) object["outputSchema"] = schema_of(tool.output_schema);
  ordered_json annotations = ordered_json::object();
  const auto add = [&](const char* name, std::uint32_t bit, bool is_default) {
    const bool is_set = (tool.hints & bit) != 0;
    if (is_set != is_default) annotations[name] = is_set;
  };
  add("readOnlyHint", WTOOL_HINT_READ_ONLY, false);
  // A tool that changes nothing needs no other hints.
  if (annotations.empty()) {
    add("destructiveHint", WTOOL_HINT_DESTRUCTIVE, true);
    add("idempotentHint", WTOOL_HINT_IDEMPOTENT, false);
    add("openWorldHint", WTOOL_HINT_OPEN_WORLD, true);
  }
  if (!annotations.empty()) object["annotations"] = std::move(annotations);
  return object;
}

ordered_json text_result(std::string text, bool is_error) {
  return {{"content", ordered_json::array({text_block(std::move(text))})}, {"isError", is_error}};
}

ordered_json refusal(const std::string& why) { return text_result(why, true); }

std::string number_problem(const std::string& name, const nlohmann::json& value, std::uint64_t least) {
  if (value.is_number_unsigned() && value.get<std::uint64_t>() >= least) return {};
  return name + " must be a whole number from " + std::to_string(least) + ", but is " + escaped(dumped(value));
}

std::string unknown_argument(const std::string& name, std::initializer_list<std::string_view> known) {
  return "there is no parameter " + escaped(name) + known_names(name, "parameters", {known.begin(), known.end()});
}

ordered_json call_result(const ToolDescription& tool, OrderedOutcome outcome, const ResultSettings& settings,
                         const std::function<int()>& number_of_output, const StoredOutput* output) {
  if (outcome.kind == ToolOutcome::Kind::not_made) return refusal(outcome.error);
  ordered_json content = ordered_json::array();
  ordered_json envelope = std::move(outcome.result);
  ordered_json metadata = envelope.is_object() ? std::move(envelope["metadata"]) : ordered_json();
  // The metadata before it is cut, because texts are compared with it below. The texts of shell_execute are not
  // compared, so its metadata, which may be large, is not copied.
  const ordered_json whole = metadata.is_object() && !is_shell_execute(tool) ? metadata : ordered_json();
  if (metadata.is_object()) {
    cut_streams(metadata, settings.output_bytes);
    // execute_run nests the output one level deeper.
    if (const auto value = metadata.find("value"); value != metadata.end() && value->is_object()) {
      cut_streams(*value, settings.output_bytes);
    }
  }
  if (is_shell_execute(tool) && metadata.is_object()) {
    if (number_of_output && settings.has_output_read) {
      if (settings.style == ResultStyle::text) shorten_binary(metadata);
      add_rests(metadata, number_of_output, output);
    }
    return command_result(metadata, outcome.is_error, settings);
  }
  if (envelope.is_object() && envelope["content"].is_array()) {
    for (const ordered_json& block : envelope["content"]) {
      const auto text = block.is_object() ? block.find("text") : block.end();
      if (!block.is_object() || text == block.end() || !text->is_string()) continue;
      const auto& words = text->get_ref<const std::string&>();
      // Skip a text that only repeats the metadata.
      if (words.starts_with('{') && parse_ordered_json(words) == whole) continue;
      content.push_back(text_block(shortened(tool, words, metadata, settings.output_bytes)));
    }
  }
  const bool is_text = settings.style == ResultStyle::text;
  const bool is_complete = is_text && says_all_in_text(tool) && !content.empty();
  if (metadata.is_object() && !is_complete) content.push_back(text_block(dumped(metadata)));
  if (number_of_output && settings.has_output_read && output != nullptr) {
    if (const std::string rest = rest_of_outputs(metadata, *output, number_of_output); !rest.empty()) {
      content.push_back(text_block(rest));
    }
  }
  ordered_json result{{"content", std::move(content)}, {"isError", outcome.is_error}};
  if (!is_text && has_what_is_required(tool, metadata)) result["structuredContent"] = std::move(metadata);
  return result;
}

}  // namespace wtool::host::mcp
