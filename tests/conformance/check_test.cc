// `wtool check` reports each fault of a plugin under the rule that the fault breaks, and no fault in plugins without
// one.
#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "conformance/built_plugin.h"
#include "support/program.h"

using namespace wtool::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

using Rules = std::set<std::string>;

// The rules that the faults of faulty_plugin.c break, by their numbers.
const std::map<int, Rules> faults{
    {1, {"descriptor-whole"}},
    {2, {"descriptor-hints"}},
    {3, {"descriptor-id"}},
    {4, {"descriptor-text"}},
    {5, {"input-schema"}},
    {6, {"schema-examples"}},
    {7, {"output-schema"}},
    {8, {"left-memory"}},
    {9, {"blob"}},
    {10, {"error"}},
    {11, {"error"}},
    {12, {"null"}},
    {13, {"size-small"}},
    {14, {"size-large"}},
    {15, {"init-once"}},
    {16, {"init-again"}},
    {17, {"guest-signals"}},
    {18, {"guest-environment"}},
    {19, {"guest-exit"}},
    {20, {"guest-output"}},
    {21, {"deinit"}},
    {22, {"descriptor-list"}},
    {23, {"tool-between"}},
    {24, {"threads-control"}},
    {25, {"tool-unknown"}},
    {26, {"outputs"}},
    {27, {"configuration"}},
    {28, {"arguments-judged"}},
    {29, {"size-small"}},
    {30, {"size-large"}},
    {31, {"arguments-survived"}},
    {32, {"size-small"}},
    {33, {"event-order"}},
    {34, {"sink-refused"}},
    {35, {"guest-mask"}},
    {36, {"guest-directory"}},
    {37, {"guest-umask"}},
    {38, {"guest-locale"}},
    {39, {"guest-limits"}},
    {40, {"left-descriptors"}},
    {41, {"left-threads", "left-memory"}},  // a thread that stays keeps its stack
    {42, {"left-children"}},
    {43, {"left-children"}},
    {44, {"left-memory"}},
    {45, {"size-small"}},
    {46, {"call-once"}},
    {47, {"outputs"}},
    {48, {"request-copied"}},
    {49, {"threads-calls"}},
    {50, {"stack"}},
    {51, {"cancel-waits"}},
    {52, {"event-thread"}},
    {53, {"event-late"}},
    {54, {"cancel-during"}},
    {55, {"result"}},
    {56, {"result-schema"}},
    {57, {"result-lives"}},
    {58, {"cancel-before"}},
    {59, {"cancel-after", "cancel-during"}},  // a cancel may come when the run has just ended
    {60, {"null"}},
    {61, {"call-free"}},
    {62, {"extension-unknown"}},
    {63, {"explain"}},
    {64, {"destroy"}},
    {65, {"tool-new"}},
    {66, {"symbol"}},
    {67, {"entry"}},
    {68, {"version"}},
    {69, {"loads"}},
    {70, {"loads"}},
    {71, {"init"}},
    {72, {"call-run"}},
};

Finished check(std::vector<std::string> words, const ProgramOptions& options = {}) {
  words.insert(words.begin(), {WTOOL_TEST_PROGRAM, "check"});
  return run(words, options);
}

json report_of(const Finished& done) { return json::parse(done.out, nullptr, false); }

Rules rules_in(const json& report) {
  Rules all;
  if (!report.is_object()) return {"no report"};
  for (const json& finding : report.at("findings")) all.insert(finding.at("rule").get<std::string>());
  return all;
}

std::string joined(const Rules& rules) {
  std::string all;
  for (const std::string& rule : rules) all += (all.empty() ? "" : ", ") + rule;
  return all;
}

// True if a process has this file in its memory.
bool is_in_use(const std::string& library) {
  for (const auto& process : fs::directory_iterator("/proc")) {
    std::ifstream maps(process.path() / "maps");
    for (std::string line; std::getline(maps, line);) {
      if (line.find(library) != std::string::npos) return true;
    }
  }
  return false;
}

void must_be_clean(const Finished& done) {
  BOOST_TEST(done.exit_code == 0, done.out << done.err);
  BOOST_TEST(done.out.find("0 findings\n") != std::string::npos, done.out);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_plugin_without_a_fault_passes_every_test) {
  const ScratchFolder scratch;
  const std::string library = scratch.path() + "/good.so";
  BOOST_REQUIRE_EQUAL(build_c_plugin("faulty_plugin.c", library), "");
  const Finished done = check({library, "--json"});
  BOOST_TEST(done.exit_code == 0, done.out << done.err);
  const json report = report_of(done);
  BOOST_REQUIRE(report.is_object());
  BOOST_TEST(report.at("counts").at("findings") == 0);
  BOOST_TEST(report.at("counts").at("skipped") == 0);
  BOOST_TEST(report.at("tools").at(0).at("arguments").get<std::string>() == R"({"name":"you"})");
  BOOST_TEST(!is_in_use(library));
}

BOOST_AUTO_TEST_CASE(each_fault_is_found_by_the_rule_that_it_breaks) {
  const ScratchFolder scratch;
  std::map<int, std::pair<Rules, std::string>> seen;
  for (const auto& [number, rules] : faults) seen[number] = {};
  std::vector<int> numbers;
  for (const auto& [number, rules] : faults) numbers.push_back(number);
  std::atomic<std::size_t> next{0};
  // Most of the time of a check is spent waiting for a plugin that hangs, or for the end of a process.
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (std::size_t at = next++; at < numbers.size(); at = next++) {
        const int number = numbers[at];
        const std::string library = scratch.path() + '/' + std::to_string(number) + ".so";
        auto& [rules, text] = seen.at(number);
        text = build_c_plugin("faulty_plugin.c", library, "-DFAULT=" + std::to_string(number));
        if (!text.empty()) continue;
        // Faults that hang are found soon. On a busy machine, a sound function may need more time, and is judged again.
        for (const char* timeout : {"4", "60"}) {
          const Finished done = check({library, "--json", "--timeout", timeout});
          rules = rules_in(report_of(done));
          text = std::to_string(done.exit_code) + ' ' + done.out + done.err;
          if (joined(rules) == joined(faults.at(number)) || text.find("did not return within") == std::string::npos)
            break;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& [number, rules] : faults) {
    BOOST_TEST_CONTEXT("fault " << number << ": " << seen.at(number).second) {
      BOOST_TEST(joined(seen.at(number).first) == joined(rules));
      BOOST_TEST(seen.at(number).second.substr(0, 2) == (rules.count("loads") == 1 ? "2 " : "1 "));
    }
    BOOST_TEST(!is_in_use(scratch.path() + '/' + std::to_string(number) + ".so"), "a process of fault " << number);
  }
}

BOOST_AUTO_TEST_CASE(each_rule_is_broken_by_a_fault_and_is_on_the_page) {
  const json list = report_of(check({"--list", "--json"}));
  BOOST_REQUIRE(list.is_object());
  Rules broken;
  for (const auto& [number, rules] : faults) broken.insert(rules.begin(), rules.end());
  std::ifstream file(WTOOL_TEST_SOURCE_DIR "/docs/abi.md");
  std::stringstream page;
  page << file.rdbuf();
  std::string table;
  for (const json& rule : list.at("rules")) {
    const std::string id = rule.at("rule");
    BOOST_TEST(broken.count(id) == 1u, "no fault breaks the rule " << id);
    table += "| `" + id + "` | " + rule.at("text").get<std::string>() + " |\n";
  }
  BOOST_TEST(page.str().find("|---|---|\n" + table + '\n') != std::string::npos,
             "the table \"Rules by id\" of docs/abi.md is not:\n"
                 << table);
}

BOOST_AUTO_TEST_CASE(the_plugins_of_this_project_have_no_finding) {
  struct Run {
    std::vector<std::string> words;
    ProgramOptions options{};
    Finished done{};
  };
  // The second run calls a command that succeeds and writes, so that there are events.
  std::vector<Run> runs{
      {{WTOOL_TEST_PLUGIN, "--timeout", "30"}},
      {{WTOOL_TEST_PLUGIN, "--tool", "shell_execute", "--arguments", R"({"command":"echo hi"})", "--timeout", "30"}}};
  const ScratchFolder scratch;
  const fs::path cluster = fs::path(WTOOL_TEST_PLUGIN).replace_filename("cluster_tools.so");
  if (fs::exists(cluster)) {
    // No cluster accepts its jobs, so every call fails after a second. Tests with many calls would take minutes, and
    // are left out.
    scratch.file("sbatch", "#!/bin/sh\necho 'no cluster is here' >&2\nexit 1\n", 0755);
    std::vector<std::string> words{cluster, "--timeout", "30", "--configuration", R"({"cluster":{"wait":1}})"};
    for (const char* test : {"order", "hosts", "unknown-tool", "configuration", "control-threads", "exit", "exit-early",
                             "unload", "cancel-before", "free-unrun", "null", "copied-request", "stack", "guest"}) {
      words.insert(words.end(), {"--test", test});
    }
    runs.push_back({words, {.directory = scratch.path(), .set = {{"PATH", scratch.path() + ":/usr/bin:/bin"}}}});
  } else {
    BOOST_TEST_MESSAGE("skipped: cluster_tools.so is not built");
  }
  std::vector<std::thread> threads;
  for (Run& one : runs) {
    threads.emplace_back([&one] { one.done = check(one.words, one.options); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Run& one : runs) must_be_clean(one.done);
  BOOST_TEST(runs[1].done.out.find("has no events") == std::string::npos, runs[1].done.out);
}

BOOST_AUTO_TEST_CASE(one_test_is_run_with_what_it_needs) {
  const ScratchFolder scratch;
  const std::string good = scratch.path() + "/good.so";
  BOOST_REQUIRE_EQUAL(build_c_plugin("faulty_plugin.c", good), "");
  const json report = report_of(check({good, "--test", "stack", "--json"}));
  BOOST_REQUIRE(report.is_object());
  std::string names;
  for (const json& test : report.at("tests")) names += test.at("test").get<std::string>() + ' ';
  BOOST_TEST(names == "load describe start call stack ");
}

BOOST_AUTO_TEST_CASE(a_clock_and_a_file_watch_in_c_have_no_finding) {
  const ScratchFolder scratch;
  const std::string library = scratch.path() + "/clock_tools.so";
  BOOST_REQUIRE_EQUAL(build_c_plugin("clock_tools.c", library), "");
  must_be_clean(check({library, "--timeout", "30"}));
}

BOOST_AUTO_TEST_CASE(what_is_not_a_plugin_is_distinguished_from_one_with_findings) {
  const ScratchFolder scratch;
  const std::string text = scratch.file("text.so", "no library");
  const std::string good = scratch.path() + "/good.so";
  BOOST_REQUIRE_EQUAL(build_c_plugin("faulty_plugin.c", good), "");
  const struct {
    std::vector<std::string> words;
    std::string says;
  } rows[] = {
      {{}, "PLUGIN"},
      {{scratch.path() + "/missing.so"}, "No such file"},
      {{scratch.path()}, "not a regular file"},
      {{text}, "it is not a library"},
      {{good, "--tool", "gret"}, "did you mean 'greet'? The tools are greet"},
      {{good, "--test", "cal"}, "there is no test cal"},
      {{good, "--arguments", "[]"}, "must be a JSON object"},
      {{good, "--configuration", "x"}, "must be a JSON object"},
      {{good, "--timeout", "0"}, "--timeout"},
  };
  for (const auto& row : rows) {
    const Finished done = check(row.words);
    BOOST_TEST(done.exit_code == 2, row.says);
    BOOST_TEST(done.out == "");
    BOOST_TEST(done.err.find(row.says) != std::string::npos, done.err);
  }
}

BOOST_AUTO_TEST_CASE(arguments_that_are_given_are_used) {
  const ScratchFolder scratch;
  const std::string good = scratch.path() + "/good.so";
  BOOST_REQUIRE_EQUAL(build_c_plugin("faulty_plugin.c", good), "");
  const Finished done = check({good, "--arguments", R"({"name":"me"})"});
  must_be_clean(done);
  BOOST_TEST(done.out.find(R"(called   greet with {"name":"me"}, --arguments)") != std::string::npos, done.out);
}
