#include "audit/verify.h"

#include <algorithm>
#include <optional>

#include "audit/reader.h"
#include "base/audit_trail.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/sha256.h"
#include "base/text.h"

namespace wtool::host::audit {

namespace {

using nlohmann::json;
using wtool::audit::is_intact;
using wtool::audit::line_start;
using wtool::audit::no_hash;
using wtool::audit::read_entry;
using wtool::audit::TrailEntry;
using wtool::audit::whole_line;
using wtool::audit::without_hash;

void add(std::vector<std::string>& list, std::uint64_t& count, std::string text) {
  if (++count <= max_shown) list.push_back(std::move(text));
}

std::string numbers(std::uint64_t first, std::uint64_t last) {
  return first == last ? "number " + std::to_string(first)
                       : "numbers " + std::to_string(first) + " to " + std::to_string(last);
}

// Whether this may be a torn line: the beginning of a whole line, followed by zero bytes, which a power failure may
// leave. Either part may be missing.
bool may_be_torn(std::string_view text) {
  if (text.empty()) return false;
  const std::size_t zeros = std::min(text.find('\0'), text.size());
  if (text.find_first_not_of('\0', zeros) != std::string_view::npos) return false;
  text = text.substr(0, zeros);
  const std::size_t common = std::min(text.size(), line_start.size());
  if (text.substr(0, common) != line_start.substr(0, common)) return false;
  if (const auto hashed = without_hash(text)) return whole_line(*hashed).starts_with(text);
  try {
    return text.empty() || parse_json_or_throw(text).is_discarded();
  } catch (const json::parse_error& error) {
    return error.byte > text.size();  // Nothing was wrong before the end.
  } catch (const json::out_of_range&) {
    return false;  // no writer of a trail writes such a number
  }
}

class Verifier {
 public:
  explicit Verifier(const std::string& expected) : expected_(expected) {}

  VerifyReport run(const std::string& file) {
    auto parts = find_parts(file, report_.unusable);
    if (!parts) return std::move(report_);
    for (Part& part : *parts) {
      if (const int failed = open_part(part, report_.unusable); failed != 0) {
        // The oldest file may disappear at any time: a rotation removes files beyond the limit.
        if (failed != ENOENT || report_.files > 0) return std::move(report_);
        report_.unusable.clear();
        continue;
      }
      read(part);
      if (!report_.unusable.empty()) return std::move(report_);
      part.file = Descriptor();
    }
    if (!parts->back().newest) {
      note(file + " is not there: a rotation was cut short, or somebody removed it");
    }
    if (report_.lines == 0 && report_.problem_count == 0 && report_.note_count == 0 && expected_.empty()) {
      report_.unusable = file + " has no lines: nothing has been written to it yet, or all lines were removed";
      return std::move(report_);
    }
    finish();
    return std::move(report_);
  }

 private:
  // A sequence of malformed lines, up to the next whole line.
  struct Gap {
    std::uint64_t line = 0;
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    bool torn = true;  // all of them may be torn
  };

  void problem(const Part& part, std::uint64_t line, const std::string& what) {
    add(report_.problems, report_.problem_count,
        escaped(part.name) + ", line " + std::to_string(line) + ": " + escaped(what));
  }
  void note(const std::string& what) { add(report_.notes, report_.note_count, escaped(what)); }

  void read(const Part& part) {
    ++report_.files;
    whole_lines_ = 0;
    gap_.reset();
    LineReader reader(part);
    RawLine line;
    while (reader.next(line)) {
      const auto entry = read_entry(line.text);
      intact_ = entry && is_intact(line.text);
      if (entry && (line.closed || intact_)) {
        take(part, line, *entry);
        if (!line.closed) note_missing_newline(part, line);
      } else {
        if (!gap_) gap_ = Gap{.line = line.number, .from = line.at};
        gap_->to = line.at + line.size;
        gap_->torn = gap_->torn && may_be_torn(line.text);
      }
    }
    report_.unusable = reader.error();
    if (!gap_) return;
    if (!part.newest || !gap_->torn) {
      problem_of_gap(part);
    } else {
      note(part.name + ": its last " + std::to_string(gap_->to - gap_->from) +
           " bytes are torn: a writer was killed, or the disk was full; the next writer will record this");
    }
  }

  void note_missing_newline(const Part& part, const RawLine& line) {
    constexpr const char* what = "the newline of the last line is missing";
    if (part.newest) {
      note(part.name + ": " + what);
    } else {
      problem(part, line.number, what);
    }
  }

  void problem_of_gap(const Part& part) {
    problem(part, gap_->line,
            gap_->torn ? "this line is torn, and no matching line \"recovered\" follows it"
                       : "this is not a line of an audit trail: it was changed or inserted");
    resume_ = true;
  }

  // Whether this line describes the gap before it correctly.
  bool explains(const Part& part, const RawLine& line, const TrailEntry& entry) const {
    if (!gap_->torn || !intact_ || entry.event != "recovered") return false;
    const json fields = parse_json(line.text);
    if (!fields.is_object() || fields.value("torn_bytes", json()) != json(gap_->to - gap_->from)) return false;
    Sha256 digest;
    return read_range(part, gap_->from, gap_->to, digest) &&
           fields.value("torn_sha256", json()) == json(digest.finish());
  }

  void take(const Part& part, const RawLine& line, const TrailEntry& entry) {
    const bool explained = gap_ && explains(part, line, entry);
    if (gap_ && !explained) problem_of_gap(part);
    if (explained) {
      note(part.name + ", line " + std::to_string(gap_->line) + ": torn, " + std::to_string(gap_->to - gap_->from) +
           " bytes, as line " + std::to_string(line.number) + " says");
    }
    if (!intact_) {
      problem(part, line.number, "this line was changed: its hash does not match its content");
    } else if (entry.event == "recovered" && !gap_) {
      problem(part, line.number, "this line reports a torn line before it, but that torn line is missing");
    } else if (!resume_) {
      check_order(part, line, entry, explained);
    }
    gap_.reset();
    resume_ = false;
    ++whole_lines_;
    ++report_.lines;
    if (report_.first_time.empty()) report_.first_time = escaped(entry.time);
    report_.last_time = escaped(entry.time);
    report_.head_seq = intact_ || report_.head_seq == 0 ? entry.seq : report_.head_seq + 1;
    report_.head = entry.hash;
    if (intact_ && entry.hash == expected_) lines_to_expected_ = report_.lines;
  }

  void check_order(const Part& part, const RawLine& line, const TrailEntry& entry, bool after_gap) {
    const bool first_of_file = whole_lines_ == 0;
    const bool first_of_all = report_.lines == 0;
    if (first_of_all) {
      check_beginning(part, line, entry, after_gap);
    } else if (entry.hash == report_.head) {
      problem(part, line.number, "this line repeats the line before it");
    } else if (entry.seq > report_.head_seq + 1) {
      problem(part, line.number, numbers(report_.head_seq + 1, entry.seq - 1) + " before this line are missing");
    } else if (entry.seq <= report_.head_seq) {
      problem(part, line.number,
              "number " + std::to_string(entry.seq) + " follows number " + std::to_string(report_.head_seq) +
                  ": lines were moved, repeated or inserted");
    } else if (entry.prev != report_.head) {
      problem(part, line.number,
              "this line does not continue the line before it: one of the two lines was replaced or inserted");
    } else if (first_of_file != (entry.event == "rotated") && !(first_of_file && after_gap)) {
      problem(part, line.number,
              first_of_file ? "a file that continues a trail begins with a line \"rotated\"; this line was moved, or "
                              "the line before it was removed"
                            : "this line belongs at the beginning of a file: two files were joined");
    }
  }

  void check_beginning(const Part& part, const RawLine& line, const TrailEntry& entry, bool after_gap) {
    if (entry.seq == 1 && entry.prev == no_hash && entry.event != "rotated") return;
    complete_ = false;
    if (entry.seq > 1 && (entry.event == "rotated" || after_gap)) {
      const json fields = parse_json(line.text);
      const json previous = fields.is_object() ? fields.value("previous_file", json()) : json();
      note("the trail begins with number " + std::to_string(entry.seq) + "; earlier lines were in " +
           (previous.is_string() ? previous.get<std::string>() : std::string("a file")) + ", which is not there");
    } else {
      problem(part, line.number,
              entry.seq > 1 ? numbers(1, entry.seq - 1) + " before this line are missing"
                            : "a trail cannot begin with this line");
    }
  }

  void finish() {
    if (expected_.empty()) return;
    if (lines_to_expected_ == 0) {
      add(report_.problems, report_.problem_count,
          "the expected line " + expected_ + " is not in the trail: it was cut off, or the whole trail was rewritten" +
              (complete_ ? "" : ", or it was in a file that no longer exists"));
    } else if (lines_to_expected_ < report_.lines) {
      note("the expected line is in the trail; " +
           counted(static_cast<std::int64_t>(report_.lines - lines_to_expected_), "line") + " came after it");
    } else {
      note("the expected line is the head");
    }
  }

  const std::string expected_;
  VerifyReport report_;
  std::uint64_t whole_lines_ = 0;  // that were read from this file
  bool intact_ = false;            // the hash of the line that is being read is right
  std::optional<Gap> gap_;
  bool resume_ = false;   // a problem was reported: the next line need not continue the line before it
  bool complete_ = true;  // the trail has its first line
  std::uint64_t lines_to_expected_ = 0;
};

}  // namespace

VerifyReport verify(const std::string& file, const std::string& expected) { return Verifier(expected).run(file); }

}  // namespace wtool::host::audit
