#include "mcp/output_read.h"

#include <wtool/tool.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/escape.h"
#include "base/json_reader.h"
#include "base/utf8.h"
#include "expressions/pattern.h"
#include "mcp/results.h"

namespace wtool::host::mcp {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view output_read_schema =
    R"({"type":"object","properties":{"output":{"type":"integer"},"stream":{"enum":["stdout","stderr"]},)"
    R"("offset":{"type":"integer","description":"Bytes"},"lines":{"type":"integer"},)"
    R"("tail":{"type":"integer","description":"Lines"},"grep":{"type":"string"}},"required":["output"]})";

constexpr std::size_t piece = 65536;
// A line that is longer than this is searched in pieces, and each piece begins with the end of the one before.
constexpr std::size_t max_searched_line = 1 << 20;
constexpr std::size_t repeated_part = 1 << 16;
constexpr std::size_t max_shown_line = 1000;

struct Wanted {
  std::uint64_t output = 0;
  std::optional<OutputStream> stream{};
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> lines{};
  std::optional<std::uint64_t> tail{};
  std::shared_ptr<const expressions::Pattern> grep{};
};

// What is wrong with the arguments; empty: nothing.
std::string read_arguments(const json& arguments, Wanted& wanted) {
  for (const auto& [name, value] : arguments.items()) {
    std::string problem;
    if (name == "output") {
      problem = number_problem(name, value, 1);
      if (problem.empty()) wanted.output = value.get<std::uint64_t>();
    } else if (name == "offset") {
      problem = number_problem(name, value, 0);
      if (problem.empty()) wanted.offset = value.get<std::uint64_t>();
    } else if (name == "lines" || name == "tail") {
      problem = number_problem(name, value, 1);
      if (problem.empty()) (name == "lines" ? wanted.lines : wanted.tail) = value.get<std::uint64_t>();
    } else if (name == "stream") {
      if (value != "stdout" && value != "stderr") {
        problem = "stream must be stdout or stderr, but is " + escaped(dumped(value));
      }
      wanted.stream = value == "stderr" ? OutputStream::standard_error : OutputStream::standard_output;
    } else if (name == "grep") {
      if (!value.is_string()) return "grep must be a regular expression, but is " + escaped(dumped(value));
      auto compiled = expressions::Pattern::compile(value.get_ref<const std::string&>());
      if (const std::string* why = std::get_if<std::string>(&compiled)) {
        problem = "grep: " + *why;
      } else {
        wanted.grep = std::get<std::shared_ptr<const expressions::Pattern>>(std::move(compiled));
      }
    } else {
      problem = unknown_argument(name, {"output", "stream", "offset", "lines", "tail", "grep"});
    }
    if (!problem.empty()) return problem;
  }
  if (wanted.output == 0) return "the parameter output is missing: the number that a result has named";
  if (wanted.tail && (wanted.grep || wanted.lines || arguments.contains("offset"))) {
    return "tail cannot be combined with offset, lines or grep";
  }
  return {};
}

// The text to show, and the range of bytes that it comes from.
struct OutputPart {
  std::string text;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string remark{};  // what the reader of the text must know
};

constexpr const char* is_not_complete = "the last line is not complete";
constexpr const char* is_not_complete_yet = "the last line is not complete yet";

std::string not_kept(std::uint64_t begin, std::uint64_t end) {
  return "bytes " + std::to_string(begin) + " to " + std::to_string(end) + " were not kept";
}

class OutputReader {
 public:
  OutputReader(const StoredOutput& output, OutputStream stream, std::size_t most)
      : output_(output),
        stream_(stream),
        max_bytes_(most),
        has_ended_(output.has_ended()),
        size_(output.size(stream)) {}

  // A page ends after a whole line if it has one, so that joined pages are the output.
  OutputPart from(std::uint64_t offset, std::optional<std::uint64_t> lines) const {
    OutputPart part;
    part.begin = output_.between_characters(stream_, size_.after_gap(std::min(offset, size_.written)));
    const bool is_before_gap = size_.lost() > 0 && part.begin < size_.gap_begin;
    const std::uint64_t last = is_before_gap ? size_.gap_begin : size_.written;
    part.end = std::min<std::uint64_t>(last, part.begin + max_bytes_);
    if (part.end < last) part.end = output_.between_characters(stream_, part.end);
    std::string bytes = bytes_of(part);
    if (lines) bytes.resize(end_of_lines(bytes, *lines));
    if (part.begin + bytes.size() < last) {
      const std::size_t newline = bytes.rfind('\n');
      if (newline == std::string::npos) part.remark = is_not_complete;
      bytes.resize(newline == std::string::npos ? bytes.size() : newline + 1);
    } else if (last == size_.written && grows_within_line(bytes)) {
      part.remark = is_not_complete_yet;
    }
    part.end = part.begin + bytes.size();
    part.text = to_utf8(std::move(bytes));
    return part;
  }

  OutputPart last(std::uint64_t lines) const {
    OutputPart part;
    part.end = size_.written;
    const std::uint64_t most = std::min<std::uint64_t>(part.end - first_of_end(), max_bytes_);
    part.begin = output_.between_characters(stream_, part.end - most);
    std::string bytes = bytes_of(part);
    std::size_t begin = bytes.empty() ? 0 : bytes.size() - 1;  // the newline at the end does not begin another line
    while (begin > 0 && (bytes[begin - 1] != '\n' || --lines > 0)) --begin;
    if (begin == 0 && part.begin > 0) {
      const bool is_after_gap = part.begin == first_of_end();
      part.remark = std::string("fewer lines than asked for, because no more bytes ") +
                    (is_after_gap ? "of the end were kept" : "fit");
      const std::size_t newline = bytes.find('\n');
      if (newline + 1 < bytes.size()) begin = newline + 1;  // not in the middle of a line, unless it is the only one
    }
    if (grows_within_line(bytes)) {
      part.remark += std::string(part.remark.empty() ? "" : "; ") + is_not_complete_yet;
    }
    part.begin += begin;
    part.text = to_utf8(bytes.substr(begin));
    return part;
  }

  // The lines in which the pattern matches, each after its offset. A line between them says where bytes are not kept.
  OutputPart matching(const expressions::Pattern& pattern, std::uint64_t offset, std::uint64_t lines,
                      const Stop& stop) const {
    OutputPart part;
    part.begin = part.end = size_.after_gap(std::min(offset, size_.written));
    std::string rest;  // from part.end on: read, but not searched yet
    while (!stop.requested()) {
      const bool has_ended = output_.has_ended();  // asked before reading: what is read then is all
      const std::string more = output_.read(stream_, part.end + rest.size(), piece);
      rest += more;
      const bool is_all = more.empty();
      // While the command writes, the gap may have grown up to here.
      const std::uint64_t end_of_rest = part.end + rest.size();
      const std::uint64_t next = is_all ? output_.size(stream_).after_gap(end_of_rest) : end_of_rest;
      const bool is_to_be_continued = is_all && next == end_of_rest && !has_ended;
      std::size_t begin = 0;
      while (begin < rest.size() && part.text.size() < max_bytes_ && lines > 0) {
        const std::size_t newline = rest.find('\n', begin);
        const bool is_cut = newline == std::string::npos;
        if (is_cut && !is_all && rest.size() - begin < max_searched_line) break;
        const std::size_t end = is_cut ? rest.size() : newline;
        std::string line = to_utf8(rest.substr(begin, end - begin));
        const bool is_found = pattern.is_in(line);
        if (is_found) {
          part.text += std::to_string(part.end + begin) + ':' + cut(line, max_shown_line) + '\n';
          --lines;
        }
        if (is_cut && is_to_be_continued) {
          // A search that continues here gets the whole line.
          part.remark += std::string(part.remark.empty() ? "" : "; ") + is_not_complete_yet;
          break;
        }
        begin = is_cut ? end : end + 1;
        if (!is_cut || is_all) continue;
        part.remark = "lines of more than 1 MiB were searched in pieces, as if each were a line";
        if (is_found) continue;
        begin -= repeated_part;
        break;
      }
      part.end += begin;
      rest.erase(0, begin);
      if (part.text.size() >= max_bytes_ || lines == 0 || is_to_be_continued) break;
      if (!is_all) continue;
      if (next == end_of_rest) break;
      if (!part.text.empty()) part.text += '[' + not_kept(part.end, next) + "]\n";
      part.end = next;
    }
    return part;
  }

 private:
  // Where the bytes begin that are kept up to the end.
  std::uint64_t first_of_end() const { return size_.lost() == 0 ? 0 : size_.gap_end; }

  // True if the command still writes, and the last of these bytes, the end of the stream, is within a line.
  bool grows_within_line(std::string_view bytes) const { return !has_ended_ && !bytes.empty() && bytes.back() != '\n'; }

  std::string bytes_of(const OutputPart& part) const {
    return output_.read(stream_, part.begin, static_cast<std::size_t>(part.end - part.begin));
  }

  static std::size_t end_of_lines(std::string_view bytes, std::uint64_t lines) {
    std::size_t end = 0;
    while (lines-- > 0 && end < bytes.size()) end = std::min(bytes.find('\n', end), bytes.size() - 1) + 1;
    return end;
  }

  const StoredOutput& output_;
  const OutputStream stream_;
  const std::size_t max_bytes_;
  const bool has_ended_;  // asked before the size: what is written then is all
  const StoredOutput::Size size_;
};

ordered_json answer_output_read(const OutputStore& store, std::size_t most, const ClientCall& call) {
  Wanted wanted;
  if (const std::string problem = read_arguments(parse_json_or_throw(call.arguments), wanted); !problem.empty()) {
    return refusal(problem);
  }
  const int number = static_cast<int>(std::min<std::uint64_t>(wanted.output, INT_MAX));
  const std::shared_ptr<StoredOutput> output = store.find(number);
  if (output == nullptr) {
    const std::string name = "output " + std::to_string(wanted.output);
    return refusal(store.was_there(number)
                       ? name + " is no longer kept: newer outputs have taken its place (mcp.stored_bytes)"
                       : "there is no " + name + " of this session");
  }
  const bool has_only_errors = output->size(OutputStream::standard_output).written == 0 &&
                               output->size(OutputStream::standard_error).written > 0;
  const OutputStream stream =
      wanted.stream.value_or(has_only_errors ? OutputStream::standard_error : OutputStream::standard_output);
  const OutputReader reader(*output, stream, most);
  OutputPart part = wanted.grep
                        ? reader.matching(*wanted.grep, wanted.offset, wanted.lines.value_or(UINT64_MAX), call.stop)
                    : wanted.tail ? reader.last(*wanted.tail)
                                  : reader.from(wanted.offset, wanted.lines);
  const StoredOutput::Size size = output->size(stream);  // the command may have written more while this was read
  const bool found_nothing = wanted.grep && part.text.empty();
  std::string text = std::move(part.text);
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += std::string("[") + (stream == OutputStream::standard_output ? "stdout" : "stderr") + ", bytes " +
          std::to_string(part.begin) + " to " + std::to_string(part.end) + " of " + std::to_string(size.written);
  if (found_nothing) text += "; no line matches";
  if (!part.remark.empty()) text += "; " + part.remark;
  const std::uint64_t next = size.after_gap(part.end);
  if (next < size.written) text += "; offset " + std::to_string(next) + " continues";
  if (size.lost() > 0) text += "; " + not_kept(size.gap_begin, size.gap_end) + " (" + size.why_lost() + ")";
  return text_result(text + ']');
}

}  // namespace

ServerTool output_read_tool(const OutputStore& store, std::size_t output_bytes) {
  return {.description = {.id = "output_read",
                          .description = "Reads cut output, or a job's output.",
                          .input_schema = std::string(output_read_schema),
                          .hints = WTOOL_HINT_READ_ONLY},
          .is_urgent = true,
          .answer = [&store, output_bytes](ClientCall& call, CallProgress::Reports&) {
            return answer_output_read(store, output_bytes, call);
          }};
}

}  // namespace wtool::host::mcp
