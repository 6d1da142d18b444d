// audit/verify.h and audit/append.h: what is reported, shown and added. The plugin's own code writes the trails.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iterator>
#include <nlohmann/json.hpp>

#include "audit/append.h"
#include "audit/trail.h"
#include "audit/verify.h"
#include "base/audit_trail.h"
#include "base/descriptor.h"
#include "support/program.h"

BOOST_AUTO_TEST_SUITE(host_audit_test)

using nlohmann::ordered_json;
using wtool::host::audit::describe;
using wtool::host::audit::show;
using wtool::host::audit::ShowOptions;
using wtool::host::audit::verify;
using wtool::host::audit::VerifyReport;
namespace fs = std::filesystem;

namespace {

using Lines = std::vector<std::string>;  // each with its newline

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void put(const std::string& path, const std::string& bytes) {
  // Some file systems write a file to the disk immediately when it is made shorter and closed again. That is slow, so
  // the file is removed first.
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << bytes;
}

Lines split(const std::string& text) {
  Lines lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at) + 1, text.size());
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

std::string all_of(const VerifyReport& report) {
  std::string text = report.unusable;
  for (const std::string& one : report.problems) text += "problem: " + one + '\n';
  for (const std::string& one : report.notes) text += "note: " + one + '\n';
  return text;
}

struct WrittenTrail {
  wtool::test::ScratchFolder scratch;
  std::string file = scratch.path() + "/audit.jsonl";
  wtool::audit::TrailOptions options = [this] {
    wtool::audit::TrailOptions all;
    all.file = file;
    return all;
  }();

  void write(int count) const {
    for (int i = 0; i < count; ++i) {
      BOOST_REQUIRE(wtool::audit::Trail(options).write("start", {{"call", i}, {"command", "true"}}) == "");
    }
  }
  // The names of rotated files, oldest first.
  std::vector<std::string> rotated() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(scratch.path())) {
      if (entry.path() != file) all.push_back(entry.path());
    }
    std::sort(all.begin(), all.end());
    return all;
  }
  VerifyReport report(const std::string& expected = {}) const { return verify(file, expected); }
  void check_good(std::uint64_t lines, const std::string& said = {}) const {
    const VerifyReport found = report();
    BOOST_TEST(found.unusable == "");
    BOOST_TEST(found.good(), all_of(found));
    BOOST_TEST(found.lines == lines);
    BOOST_TEST(all_of(found).find(said) != std::string::npos, all_of(found));
    if (said.empty()) BOOST_TEST(found.note_count == 0U, all_of(found));
  }
  void check_broken(const std::string& said) const {
    const VerifyReport found = report();
    BOOST_TEST(found.unusable == "");
    BOOST_TEST(!found.good());
    BOOST_TEST(all_of(found).find(said) != std::string::npos, all_of(found) << "does not say " << said);
  }
};

// A line as somebody who understands the format would forge it: whole, and with a correct hash.
std::string forged(const std::string& line, const std::function<void(std::string&)>& change) {
  std::string hashed(wtool::audit::without_hash(line).value());
  change(hashed);
  return wtool::audit::whole_line(hashed) + '\n';
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  BOOST_REQUIRE(text.find(from) != std::string::npos);
  text.replace(text.find(from), from.size(), to);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(audit_append)

BOOST_FIXTURE_TEST_CASE(a_line_of_the_host_continues_the_chain_of_the_plugin, WrittenTrail) {
  write(2);
  BOOST_TEST(wtool::host::audit::append({.file = file}, "approval", {{"answer", "yes"}, {"uid", 7}}) == "");
  write(1);
  check_good(4);
  BOOST_TEST(split(content(file))[2].find(R"(,"seq":3,"event":"approval","answer":"yes","uid":7,"prev":")") !=
             std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(texts_that_are_too_long_together_are_cut_so_that_the_line_of_the_host_is_whole, WrittenTrail) {
  const std::string text(8000, '\x01');  // each of these bytes takes six in JSON
  write(1);
  BOOST_TEST(wtool::host::audit::append({.file = file}, "up_to_date", {{"command", text}, {"directory", text}}) == "");
  write(1);
  check_good(3);
}

// The plugin has renamed the full file, and has not locked the new one yet.
BOOST_FIXTURE_TEST_CASE(between_the_two_steps_of_a_rotation_the_host_does_the_second, WrittenTrail) {
  write(2);
  std::uint64_t lines = 2;
  for (const bool made_anew : {false, true}) {
    const std::string aside = wtool::audit::rotated_name("audit.jsonl", lines);
    fs::rename(file, scratch.path() + '/' + aside);
    if (made_anew) put(file, "");
    BOOST_TEST(wtool::host::audit::append({.file = file}, "approval", {{"answer", "yes"}}) == "");
    const Lines written = split(content(file));
    BOOST_REQUIRE(written.size() == 2U);
    BOOST_TEST(written[0].find(R"("event":"rotated","previous_file":")" + aside + '"') != std::string::npos);
    write(1);
    lines += 3;
    check_good(lines);
  }
}

BOOST_FIXTURE_TEST_CASE(after_a_torn_line_the_host_writes_nothing, WrittenTrail) {
  write(2);
  const std::string torn = content(file) + R"({"time":"20)";
  put(file, torn);
  BOOST_TEST(wtool::host::audit::append({.file = file}, "approval", {{"answer", "yes"}}).find("torn") !=
             std::string::npos);
  BOOST_TEST(content(file) == torn);
}

BOOST_FIXTURE_TEST_CASE(the_first_line_of_the_host_makes_the_trail_and_its_folder_for_this_user_alone, WrittenTrail) {
  file = scratch.path() + "/log/audit.jsonl";
  BOOST_TEST(wtool::host::audit::append({.file = file, .sync_data = true}, "approval", {{"answer", "yes"}}) == "");
  check_good(1);
  struct stat folder {};
  struct stat trail {};
  BOOST_REQUIRE(::stat((scratch.path() + "/log").c_str(), &folder) == 0);
  BOOST_REQUIRE(::stat(file.c_str(), &trail) == 0);
  BOOST_TEST((folder.st_mode & 0777U) == 0700U);
  BOOST_TEST((trail.st_mode & 0777U) == 0600U);
}

BOOST_FIXTURE_TEST_CASE(a_trail_that_cannot_be_written_is_named_with_the_reason, WrittenTrail) {
  const auto refusal = [](const std::string& path) {
    return wtool::host::audit::append({.file = path}, "approval", {{"answer", "yes"}});
  };
  BOOST_TEST(wtool::host::audit::append({}, "approval", {{"answer", "yes"}}) == "");

  const std::string above = scratch.path() + "/missing/log/audit.jsonl";
  BOOST_TEST(refusal(above) == "the audit trail " + above +
                                   " cannot be written: its folder cannot be created: No such file or directory");

  BOOST_REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  BOOST_TEST(refusal(file) ==
             "the audit trail " + file +
                 " cannot be written: it is not a regular file; remove it, or name another file as audit.file");

  const std::string link = scratch.path() + "/link.jsonl";
  fs::create_symlink(scratch.path() + "/elsewhere", link);
  BOOST_TEST(refusal(link).starts_with("the audit trail " + link + " cannot be written: "));
  BOOST_TEST(!fs::exists(scratch.path() + "/elsewhere"));
}

BOOST_FIXTURE_TEST_CASE(a_trail_is_not_continued_from_a_rotated_file_whose_end_is_missing, WrittenTrail) {
  write(2);
  const std::string aside = scratch.path() + '/' + wtool::audit::rotated_name("audit.jsonl", 2);
  const std::string all = content(file);
  put(aside, all.substr(0, all.size() - 20));
  fs::remove(file);
  const std::string why = wtool::host::audit::append({.file = file}, "approval", {{"answer", "yes"}});
  BOOST_TEST(
      why.find(aside + " should contain the earlier lines, but its last line is not complete") != std::string::npos,
      why);
  BOOST_TEST(content(file) == "");
}

// The kernel writes only the part of the line that fits.
BOOST_FIXTURE_TEST_CASE(no_part_of_a_line_stays_if_the_line_does_not_fit, WrittenTrail) {
  write(2);
  const std::string before = content(file);
  rlimit usual{};
  BOOST_REQUIRE(::getrlimit(RLIMIT_FSIZE, &usual) == 0);
  const rlimit limit{before.size() + 50, usual.rlim_max};
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  BOOST_REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  const std::string why = wtool::host::audit::append({.file = file}, "approval", {{"answer", "yes"}});
  ::setrlimit(RLIMIT_FSIZE, &usual);
  std::signal(SIGXFSZ, old_handler);
  BOOST_TEST(why == "the audit trail " + file +
                        " cannot be written: File too large; make room for it, or name another file as audit.file");
  BOOST_TEST(content(file) == before);
  write(1);
  check_good(3);
}

// The two wait at the same time, each for five seconds.
BOOST_FIXTURE_TEST_CASE(a_lock_that_nobody_releases_is_an_error_for_writers_and_readers, WrittenTrail) {
  write(1);
  const std::string before = content(file);
  const wtool::Descriptor holder(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  BOOST_REQUIRE(::flock(holder.get(), LOCK_EX) == 0);
  auto reading = std::async(std::launch::async, [&] { return verify(file, "").unusable; });
  const std::string why = wtool::host::audit::append({.file = file}, "approval", {{"answer", "yes"}});
  BOOST_TEST(why ==
             "the audit trail " + file +
                 " cannot be written: its lock cannot be taken; look for a stopped process that holds it (`lslocks` "
                 "shows it)");
  BOOST_TEST(reading.get() == "cannot read the audit trail " + file +
                                  ": another process has held its lock for 5 s; look for a stopped process (`lslocks` "
                                  "shows it)");
  BOOST_TEST(content(file) == before);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(audit_verify)

BOOST_FIXTURE_TEST_CASE(an_untouched_trail_is_good, WrittenTrail) {
  write(5);
  check_good(5);
  const VerifyReport found = report();
  BOOST_TEST(found.files == 1U);
  BOOST_TEST(found.head_seq == 5U);
  const ordered_json last = ordered_json::parse(split(content(file)).back());
  BOOST_TEST(found.head == last["hash"].get<std::string>());
  BOOST_TEST(found.last_time == last["time"].get<std::string>());
}

BOOST_FIXTURE_TEST_CASE(a_trail_over_several_files_is_good, WrittenTrail) {
  options.max_bytes = 700;
  write(10);
  const auto files = rotated().size() + 1;
  BOOST_TEST(files > 3U);
  check_good(10 + files - 1);
  BOOST_TEST(report().files == files);
}

BOOST_FIXTURE_TEST_CASE(every_change_of_a_byte_is_found, WrittenTrail) {
  write(3);
  const std::string good = content(file);
  const auto check = [&](std::size_t at, const std::string& what, const std::string& text) {
    put(file, text);
    const VerifyReport found = report();
    BOOST_TEST(!found.good(), what << " at byte " << at << " is not found: " << all_of(found));
  };
  for (std::size_t at = 0; at < good.size(); ++at) {
    // A last brace or newline that is missing or zero may also come from a kill or a loss of power.
    const bool end = at + 2 >= good.size();
    for (const char other : {'x', '"', '0', '\n', '\0', '}', static_cast<char>(good[at] ^ 1)}) {
      if (other == good[at] || (end && other == '\0')) continue;
      std::string text = good;
      text[at] = other;
      check(at, "a change", text);
    }
    if (!end) check(at, "a removal", good.substr(0, at) + good.substr(at + 1));
    check(at, "an insertion", good.substr(0, at) + '1' + good.substr(at));
  }
}

BOOST_FIXTURE_TEST_CASE(a_number_that_no_computer_holds_is_a_change_like_any_other, WrittenTrail) {
  write(2);
  // If a hash loses its first quote, the rest may read as a number, even as one with a huge exponent.
  std::string last = split(content(file)).back();
  last.replace(last.find("\"hash\":\"") + 7, 11, "93040e5502");
  put(file, split(content(file)).front() + last);
  BOOST_TEST(!report().good());
}

BOOST_FIXTURE_TEST_CASE(what_was_done_to_the_lines_is_said, WrittenTrail) {
  write(6);
  const Lines good = split(content(file));
  const struct {
    const char* what;
    std::function<void(Lines&)> change;
    const char* said;
  } rows[] = {
      {"a word", [](Lines& l) { replace(l[2], "true", "trwe"); }, "line 3: this line was changed"},
      {"a time", [](Lines& l) { replace(l[2], "\"time\":\"2", "\"time\":\"3"); }, "line 3: this line was changed"},
      {"a number", [](Lines& l) { replace(l[2], "\"seq\":3", "\"seq\":4"); }, "line 3: this line was changed"},
      {"the first", [](Lines& l) { replace(l[0], "true", "trwe"); }, "line 1: this line was changed"},
      {"the last", [](Lines& l) { replace(l[5], "true", "trwe"); }, "line 6: this line was changed"},
      {"an empty line", [](Lines& l) { l.insert(l.begin() + 2, "\n"); },
       "line 3: this is not a line of an audit trail"},
      {"an empty line at the end", [](Lines& l) { l.push_back("\n"); }, "line 7: this is not a line of an audit trail"},
      {"a text", [](Lines& l) { l.insert(l.begin() + 2, "hello\n"); }, "line 3: this is not a line of an audit trail"},
      {"a text at the end", [](Lines& l) { l.push_back("hello\n"); }, "line 7: this is not a line of an audit trail"},
      {"a text without a newline", [](Lines& l) { l.push_back("hello"); },
       "line 7: this is not a line of an audit trail"},
      {"an object at the end", [](Lines& l) { l.push_back("{\"time\":\"now\",\"seq\":7}\n"); },
       "line 7: this is not a line of an audit trail"},
      {"a torn line in the middle", [](Lines& l) { l.insert(l.begin() + 2, l[2].substr(0, 99) + '\n'); },
       "line 3: this line is torn, and no matching line \"recovered\" follows it"},
      {"the first removed", [](Lines& l) { l.erase(l.begin()); }, "line 1: number 1 before this line are missing"},
      {"one removed", [](Lines& l) { l.erase(l.begin() + 2); }, "line 3: number 3 before this line are missing"},
      {"two removed", [](Lines& l) { l.erase(l.begin() + 2, l.begin() + 4); },
       "line 3: numbers 3 to 4 before this line are missing"},
      {"one repeated", [](Lines& l) { l.insert(l.begin() + 2, l[2]); }, "line 4: this line repeats the line before it"},
      {"the last repeated", [](Lines& l) { l.push_back(l[5]); }, "line 7: this line repeats the line before it"},
      {"an old one repeated at the end", [](Lines& l) { l.push_back(l[1]); }, "line 7: number 2 follows number 6"},
      {"two swapped", [](Lines& l) { std::swap(l[2], l[3]); }, "line 4: number 3 follows number 4"},
      {"the last two swapped", [](Lines& l) { std::swap(l[4], l[5]); },
       "line 5: number 5 before this line are missing"},
      {"all the other way round", [](Lines& l) { std::reverse(l.begin(), l.end()); },
       "line 2: number 5 follows number 6"},
      {"a forged line", [](Lines& l) { l[2] = forged(l[2], [](std::string& h) { replace(h, "true", "fals"); }); },
       "line 4: this line does not continue the line before it"},
      {"a forged beginning",
       [](Lines& l) { l[0] = forged(l[0], [](std::string& h) { replace(h, "\"prev\":\"0", "\"prev\":\"1"); }); },
       "line 1: a trail cannot begin with this line"},
      {"a forged recovery",
       [](Lines& l) { l[2] = forged(l[2], [](std::string& h) { replace(h, "\"start\"", "\"recovered\""); }); },
       "line 3: this line reports a torn line before it, but that torn line is missing"},
      {"a forged rotation",
       [](Lines& l) { l[2] = forged(l[2], [](std::string& h) { replace(h, "\"start\"", "\"rotated\""); }); },
       "line 3: this line belongs at the beginning of a file"},
      {"two lines made one", [](Lines& l) { l[2].back() = ' '; }, "line 3: this line was changed"},
      {"a newline added", [](Lines& l) { l[2].insert(100, "\n"); }, "line 3: "},
      {"blanks added", [](Lines& l) { l[2].insert(l[2].size() - 1, " "); },
       "line 3: this is not a line of an audit trail"},
      {"all of it replaced by text", [](Lines& l) { l = {"hello\n"}; }, "line 1: this is not a line of an audit trail"},
      {"a carriage return", [](Lines& l) { l[2].insert(l[2].size() - 1, "\r"); }, "line 3: this is not a line"},
  };
  for (const auto& row : rows) {
    BOOST_TEST_CONTEXT(row.what) {
      Lines lines = good;
      row.change(lines);
      put(file, joined(lines));
      check_broken(row.said);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(what_was_done_to_whole_files_is_said, WrittenTrail) {
  options.max_bytes = 700;
  write(10);
  const std::vector<std::string> names = rotated();
  BOOST_REQUIRE(names.size() >= 4U);
  const std::string saved = scratch.path() + "/../" + fs::path(scratch.path()).filename().string() + "-saved";
  const struct {
    const char* what;
    std::function<void()> change;
    std::string said;
  } rows[] = {
      {"one in the middle removed", [&] { fs::remove(names[1]); }, "before this line are missing"},
      {"two swapped",
       [&] {
         fs::rename(names[1], file + ".x");
         fs::rename(names[2], names[1]);
         fs::rename(file + ".x", names[2]);
       },
       "follows number"},
      {"two joined",
       [&] {
         put(names[1], content(names[1]) + content(names[2]));
         fs::remove(names[2]);
       },
       "files were joined"},
      {"a line moved to the next file",
       [&] {
         Lines first = split(content(names[1]));
         put(names[2], first.back() + content(names[2]));
         first.pop_back();
         put(names[1], joined(first));
       },
       "a file that continues a trail begins with a line \"rotated\""},
      {"the newline at the end of one removed",
       [&] {
         const std::string text = content(names[1]);
         put(names[1], text.substr(0, text.size() - 1));
       },
       "the newline of the last line is missing"},
      {"the end of one cut off",
       [&] {
         const std::string text = content(names[1]);
         put(names[1], text.substr(0, text.size() - 30));
       },
       "this line is torn, and no matching line \"recovered\" follows it"},
      {"a line of one changed",
       [&] {
         std::string text = content(names[1]);
         replace(text, "true", "trwe");
         put(names[1], text);
       },
       fs::path(names[1]).filename().string() + ", line 2: this line was changed"},
  };
  for (const auto& row : rows) {
    BOOST_TEST_CONTEXT(row.what) {
      fs::copy(scratch.path(), saved);
      row.change();
      check_broken(row.said);
      for (const auto& entry : fs::directory_iterator(scratch.path())) fs::remove(entry.path());
      for (const auto& entry : fs::directory_iterator(saved)) {
        fs::copy(entry.path(), scratch.path() / entry.path().filename());
      }
      fs::remove_all(saved);
    }
  }
  check_good(10 + names.size());
}

BOOST_FIXTURE_TEST_CASE(old_files_may_be_gone, WrittenTrail) {
  options.max_bytes = 700;
  options.keep = 1;
  write(10);
  BOOST_TEST(rotated().size() == 1U);
  check_good(report().lines, "earlier lines were in audit.jsonl.0000000000");
}

BOOST_FIXTURE_TEST_CASE(a_rotation_that_was_cut_short_is_good, WrittenTrail) {
  options.max_bytes = 700;
  write(10);
  const std::uint64_t lines = report().lines - split(content(file)).size();
  put(file, "");
  check_good(lines);
  fs::remove(file);
  check_good(lines, "is not there: a rotation was cut short, or somebody removed it");
}

BOOST_FIXTURE_TEST_CASE(a_torn_end_is_not_a_break_wherever_it_is_torn, WrittenTrail) {
  write(3);
  const std::string good = content(file);
  const std::size_t begin = good.rfind('\n', good.size() - 2) + 1;
  for (std::size_t size = begin + 1; size < good.size(); ++size) {
    BOOST_TEST_CONTEXT("torn after " << size - begin << " bytes") {
      const bool whole = size + 1 == good.size();
      put(file, good.substr(0, size));
      check_good(whole ? 3 : 2, whole ? "the newline of the last line is missing" : "bytes are torn");
      write(1);
      check_good(4, whole ? "" : "line 3: torn, " + std::to_string(size - begin) + " bytes, as line 4 says");
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_repair_that_was_cut_short_and_zeros_are_not_breaks, WrittenTrail) {
  write(3);
  const std::string good = content(file);
  const std::string torn = good.substr(0, 60);
  for (const std::string& rest : {torn + '\n', torn + "\n{\"ti", torn + '\n' + torn, std::string(9000, '\0'),
                                  torn + std::string(200'000, '\0'), torn + '\n' + std::string(3, '\0')}) {
    put(file, good + rest);
    check_good(3, "bytes are torn");
    write(1);
    check_good(5, "bytes, as line ");
  }
}

BOOST_FIXTURE_TEST_CASE(a_recovery_must_fit_what_is_torn, WrittenTrail) {
  write(3);
  std::string text = content(file);
  put(file, text + "{\"time\":\"2026-01-02T03");
  write(1);
  const std::string good = content(file);
  check_good(5, "torn, 22 bytes");
  const struct {
    const char* what;
    const char* from;
    const char* to;
  } rows[] = {{"other bytes", "2026-01-02T03\n", "2027-01-02T03\n"},
              {"fewer bytes", "2026-01-02T03\n", "2026-01-02T0\n"},
              {"more bytes", "2026-01-02T03\n", "2026-01-02T03:\n"},
              {"something else", "{\"time\":\"2026-01-02T03\n", "rm -rf the house now..\n"}};
  for (const auto& row : rows) {
    BOOST_TEST_CONTEXT(row.what) {
      text = good;
      replace(text, row.from, row.to);
      put(file, text);
      check_broken("line 4: this ");
    }
  }
}

BOOST_FIXTURE_TEST_CASE(added_text_stays_a_break_when_the_trail_continues, WrittenTrail) {
  write(3);
  put(file, content(file) + "hello\n");
  write(2);
  check_broken("line 4: this is not a line of an audit trail: it was changed or inserted");
}

BOOST_FIXTURE_TEST_CASE(an_expected_line_must_be_there, WrittenTrail) {
  options.max_bytes = 700;
  write(4);
  const VerifyReport before = report();
  BOOST_TEST(all_of(report(before.head)) == "note: the expected line is the head\n");
  write(2);
  const std::uint64_t since = report().lines - before.lines;
  BOOST_TEST(all_of(report(before.head)) ==
             "note: the expected line is in the trail; " + std::to_string(since) + " lines came after it\n");
  const std::string other(64, 'a');
  BOOST_TEST(!report(other).good());
  BOOST_TEST(all_of(report(other)) == "problem: the expected line " + other +
                                          " is not in the trail: it was cut off, or the whole trail was rewritten\n");
  // The end is cut off, which only the expected line shows.
  const std::string last = report().head;
  Lines lines = split(content(file));
  lines.pop_back();
  put(file, joined(lines));
  BOOST_TEST(report().good());
  BOOST_TEST(!report(last).good());
}

BOOST_FIXTURE_TEST_CASE(many_problems_are_counted_and_the_first_are_shown, WrittenTrail) {
  write(100);
  Lines lines = split(content(file));
  for (std::string& line : lines) replace(line, "true", "trwe");
  put(file, joined(lines));
  const VerifyReport found = report();
  BOOST_TEST(found.problem_count == 100U);
  BOOST_TEST(found.problems.size() == 20U);
}

BOOST_FIXTURE_TEST_CASE(what_cannot_be_read_is_unusable, WrittenTrail) {
  BOOST_TEST(report().unusable == "cannot read the audit trail " + file + ": No such file or directory");
  BOOST_TEST(verify(scratch.path(), "").unusable ==
             "cannot read the audit trail " + scratch.path() + ": it is not a regular file");
  put(file, "");
  BOOST_TEST(report().unusable ==
             file + " has no lines: nothing has been written to it yet, or all lines were removed");
}

// Text without a newline, about as long as the longest line or longer, between two good lines.
BOOST_FIXTURE_TEST_CASE(endless_lines_are_read_in_little_memory_and_do_not_hide_others, WrittenTrail) {
  write(2);
  const Lines lines = split(content(file));
  for (const std::size_t size : {65'535U, 65'536U, 65'537U, 131'072U, 1'000'000U}) {
    put(file, lines[0] + std::string(size, 'x') + '\n' + lines[1]);
    const VerifyReport found = report();
    BOOST_TEST(found.problem_count == 1U);
    BOOST_TEST(found.lines == 2U);
    BOOST_TEST(found.head == ordered_json::parse(lines[1])["hash"].get<std::string>());
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(audit_show)

BOOST_AUTO_TEST_CASE(an_event_is_one_line_for_people) {
  const std::string time = R"({"time":"2026-01-02T03:04:05.678Z","seq":1,"event":)";
  const std::pair<std::string, std::string> rows[] = {
      {R"("start","call":"c-1","tool":"shell_execute","directory":"/site","command":"git log","verdict":"allow","rule":"commands.allow: git log *"})",
       "start      c-1  shell_execute  allow  (commands.allow: git log *)  /site  git log"},
      {R"("end","call":"c-1","tool":"shell_execute","exit_code":0,"duration_ms":12,"stdout_bytes":34,"stderr_bytes":0})",
       "end        c-1  shell_execute  exit 0  12 ms  stdout 34  stderr 0"},
      {R"("end","call":"c-1","tool":"t","signal":"SIGKILL","duration_ms":3456})",
       "end        c-1  t  signal SIGKILL  3.4 s"},
      {R"("end","call":"c-1","tool":"t","how":"timed out","exit_code":null,"duration_ms":306000})",
       "end        c-1  t  timed out  5 min 06 s"},
      {R"("refusal","call":"c-2","tool":"t","command":"git push","directory":"/site","code":"policy_denied","reason":"git push is denied","rule":"commands.deny: git push"})",
       "refusal    c-2  t  policy_denied  (commands.deny: git push)  git push is denied  /site  git push"},
      {R"("approval","call":"c-3","command":"npm publish","directory":"/site","answer":"yes","fingerprint":"ab"})",
       "approval   c-3  yes  /site  npm publish"},
      {R"("up_to_date","tool":"shell_execute","run":"r-2","state":"Build","result_of":"r-1","directory":"/site","command":"make"})",
       "up_to_date  shell_execute  r-2  Build  from r-1  /site  make"},
      {R"("recovered","torn_bytes":37,"torn_sha256":"ab","prev":"00","hash":"11"})",
       "recovered  torn_bytes=37  torn_sha256=ab"},
      {R"("start","call":"c","command":"a\nb\u001b[2J\u202e\u009b\t\u007f"})",
       R"(start      c  a\nb\x1b[2J\u202e\u009b\t\x7f)"},
      {R"("start","call":7,"tool":{"a":1},"command":[1],"verdict":null,"rule":true})", "start      7  (true)"},
      {R"("\u001b[31m"})", R"(\x1b[31m)"},
  };
  for (const auto& [event, shown] : rows) {
    const std::string line = describe(time + event);
    BOOST_TEST(line.substr(0, line.find_last_not_of(' ') + 1) == "2026-01-02T03:04:05.678Z  " + shown);
  }
  for (const char* none : {"", "hello", "[1]", "{}", "{\"time\":\"x\"}", "{\"time\":\"2026"})
    BOOST_TEST(describe(none) == "");
}

BOOST_FIXTURE_TEST_CASE(events_are_chosen_and_counted_over_all_files, WrittenTrail) {
  options.max_bytes = 700;
  write(6);
  put(file, content(file) + "\x1bhello\n");
  const auto shown = [&](const ShowOptions& chosen) {
    Lines lines;
    BOOST_TEST(show(file, chosen, [&](std::string_view line) {
                 lines.emplace_back(line);
                 return true;
               }) == "");
    return lines;
  };
  const Lines all = shown({});
  BOOST_TEST(all.size() == report().lines + 1);
  BOOST_TEST(all.front().ends_with("  0  true"));
  BOOST_TEST(all.back().find("audit.jsonl, line ") == 0U);
  BOOST_TEST(all.back().ends_with(", cannot be read: \\x1bhello"));
  const Lines starts = shown({.event = "start"});
  BOOST_TEST(starts.size() == 6U);
  BOOST_TEST((shown({.event = "start", .last = 2}) == Lines(starts.end() - 2, starts.end())));
  BOOST_TEST((shown({.last = 100}) == all));
  BOOST_TEST(shown({.event = "end"}).empty());
  const Lines json = shown({.last = 1, .json = true});
  BOOST_TEST(ordered_json::parse(json.at(0))["event"] == "start");
}

BOOST_FIXTURE_TEST_CASE(lines_before_the_first_event_are_shown_when_it_is_read, WrittenTrail) {
  write(1);
  const std::string event = content(file);
  const auto shown = [&](int unreadable) {
    std::string damaged;
    for (int i = 0; i < unreadable; ++i) damaged += "hello\n";
    put(file, damaged + event);
    Lines lines;
    BOOST_TEST(show(file, {}, [&](std::string_view line) {
                 lines.emplace_back(line);
                 return true;
               }) == "");
    return lines;
  };
  const Lines few = shown(2);
  BOOST_REQUIRE(few.size() == 3U);
  BOOST_TEST(few[0] == "audit.jsonl, line 1, cannot be read: hello");
  BOOST_TEST(few[2].ends_with("  0  true"));
  const Lines many = shown(100);
  BOOST_REQUIRE(many.size() == 18U);
  BOOST_TEST(many[16] == "... and 84 more lines cannot be read");
}

BOOST_FIXTURE_TEST_CASE(as_json_a_line_says_the_same_in_ascii, WrittenTrail) {
  const std::string command = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xE2\x80\xAE\x7f\"\\";
  BOOST_REQUIRE(wtool::audit::Trail(options).write("start", {{"command", command}}) == "");
  show(file, {.json = true}, [&](std::string_view line) {
    BOOST_TEST(std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c < '\x7f'; }), line);
    BOOST_TEST(ordered_json::parse(line)["command"].get<std::string>() == command);
    return true;
  });
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
