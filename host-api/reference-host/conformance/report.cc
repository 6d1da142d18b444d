#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "base/escape.h"
#include "base/json.h"
#include "base/text.h"
#include "conformance/check.h"
#include "conformance/rules.h"
#include "conformance/tests.h"

namespace wtool::host::conformance {

namespace {

using nlohmann::ordered_json;

constexpr const char* rules_page = "docs/abi.md";

std::string_view word(RanTest::Outcome outcome) {
  switch (outcome) {
    case RanTest::Outcome::good:
      return "good";
    case RanTest::Outcome::finding:
      return "finding";
    case RanTest::Outcome::skipped:
      return "skipped";
  }
  return "";
}

std::size_t count(const CheckReport& report, RanTest::Outcome outcome) {
  return static_cast<std::size_t>(std::count_if(report.tests.begin(), report.tests.end(),
                                                [&](const RanTest& test) { return test.outcome == outcome; }));
}

std::string of_tool(const std::string& tool) { return tool.empty() ? "" : " of " + escaped(tool); }

std::string padded(std::string_view text, std::size_t width) {
  std::string all(text);
  all.append(width > all.size() ? width - all.size() : 1, ' ');
  return all;
}

// Puts the tests of a tool that were skipped for the same reason into one line. Tools with the same tests and the same
// reason share that line.
std::string skipped_lines(const CheckReport& report) {
  std::vector<std::pair<std::string, std::string>> seen;                 // tool and reason
  std::vector<std::tuple<std::string, std::string, std::string>> lines;  // tests, reason, tools
  for (const RanTest& test : report.tests) {
    const std::pair key(test.tool, test.why);
    if (test.outcome != RanTest::Outcome::skipped || std::find(seen.begin(), seen.end(), key) != seen.end()) continue;
    seen.push_back(key);
    std::string names;
    for (const RanTest& other : report.tests) {
      const bool same = other.outcome == RanTest::Outcome::skipped && other.tool == test.tool && other.why == test.why;
      if (same) names += (names.empty() ? "" : ", ") + other.test;
    }
    const auto line = std::find_if(lines.begin(), lines.end(), [&](const auto& known) {
      return std::get<0>(known) == names && std::get<1>(known) == test.why;
    });
    if (line == lines.end()) {
      lines.emplace_back(names, test.why, escaped(test.tool));
    } else {
      std::get<2>(*line) += ", " + escaped(test.tool);
    }
  }
  std::string text;
  for (const auto& [names, why, tools] : lines) {
    text += "skipped  " + names + (tools.empty() ? "" : " of " + tools) + ": " + escaped(why) + '\n';
  }
  return text;
}

}  // namespace

std::string as_text(const CheckReport& report) {
  std::string text = escaped(report.plugin) + ": " +
                     (report.name.empty() ? "a library" : escaped(report.name) + ' ' + escaped(report.version)) + '\n';
  for (const CheckedTool& tool : report.tools) {
    text += tool.arguments.empty()
                ? "not called  " + escaped(tool.id) + ": " + tool.from + '\n'
                : "called   " + escaped(tool.id) + " with " + escaped(tool.arguments) + ", " + tool.from + '\n';
  }
  text += skipped_lines(report);
  for (const Finding& finding : report.findings) {
    text += "FINDING  " + finding.rule + of_tool(finding.tool) + " (test " + finding.test + ")\n";
    text += "         " + escaped(finding.text) + '\n';
    text += "         rule: " + std::string(rule_text(finding.rule)) + " (" + rules_page + ", \"Rules by id\")\n";
  }
  text += counted(report.tests.size(), "test") + ": " + std::to_string(count(report, RanTest::Outcome::good)) +
          " good, " + std::to_string(count(report, RanTest::Outcome::skipped)) + " skipped; " +
          counted(report.findings.size(), "finding") + '\n';
  return text;
}

std::string as_json(const CheckReport& report) {
  ordered_json tools = ordered_json::array();
  for (const CheckedTool& tool : report.tools) {
    tools.push_back({{"id", tool.id}, {"arguments", tool.arguments}, {"arguments_from", tool.from}});
  }
  ordered_json tests = ordered_json::array();
  for (const RanTest& test : report.tests) {
    tests.push_back({{"test", test.test}, {"tool", test.tool}, {"outcome", word(test.outcome)}, {"why", test.why}});
  }
  ordered_json findings = ordered_json::array();
  for (const Finding& finding : report.findings) {
    findings.push_back({{"rule", finding.rule},
                        {"test", finding.test},
                        {"tool", finding.tool},
                        {"text", finding.text},
                        {"rule_text", rule_text(finding.rule)},
                        {"page", rules_page}});
  }
  const ordered_json all{{"plugin", report.plugin},
                         {"name", report.name},
                         {"version", report.version},
                         {"loaded", report.loaded},
                         {"tools", tools},
                         {"findings", findings},
                         {"tests", tests},
                         {"counts",
                          {{"tests", report.tests.size()},
                           {"good", count(report, RanTest::Outcome::good)},
                           {"skipped", count(report, RanTest::Outcome::skipped)},
                           {"findings", report.findings.size()}}}};
  return dumped(all, 2) + '\n';
}

std::string list_as_text() {
  constexpr std::size_t width = 20;
  std::string text = padded("TEST", width) + "DOES\n";
  for (const Test& test : tests()) text += padded(test.name, width) + test.what + '\n';
  text += '\n' + padded("RULE", width) + "SAYS\n";
  for (const Rule& rule : rules()) text += padded(rule.id, width) + std::string(rule.text) + '\n';
  return text;
}

std::string list_as_json() {
  ordered_json all{{"tests", ordered_json::array()}, {"rules", ordered_json::array()}};
  for (const Test& test : tests()) all["tests"].push_back({{"test", test.name}, {"does", test.what}});
  for (const Rule& rule : rules()) all["rules"].push_back({{"rule", rule.id}, {"text", rule.text}});
  return all.dump(2) + '\n';
}

}  // namespace wtool::host::conformance
