#include "conformance/check.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/descriptor.h"
#include "base/edit_distance.h"
#include "base/text.h"
#include "conformance/arguments.h"
#include "conformance/tests.h"

namespace wtool::host::conformance {

namespace {

using nlohmann::json;

// Why a file cannot be a library; empty: it may be one.
std::string unusable_file(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::string("it cannot be examined: ") + ::strerror(errno);
  if (!S_ISREG(info.st_mode)) return "it is not a regular file";
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char magic[4] = {};
  if (!file || ::read(file.get(), magic, sizeof magic) < 0)
    return std::string("it cannot be read: ") + ::strerror(errno);
  return std::string_view(magic, sizeof magic) == "\177ELF" ? "" : "it is not a library";
}

class Checker {
 public:
  explicit Checker(const CheckOptions& options) : options_(options) {
    std::error_code failed;
    report_.plugin = std::filesystem::absolute(options.plugin, failed).lexically_normal();
    if (failed) report_.plugin = options.plugin;
  }

  CheckReport check() {
    report_.unusable = unusable_file(report_.plugin);
    if (!report_.unusable.empty()) return report_;
    for (const Test& test : tests()) {
      if (test.stage == TestStage::call) break;
      if (is_wanted(test)) run_for_plugin(test);
      if (!report_.unusable.empty()) return report_;
    }
    if (tools_.empty()) skip_tool_tests("", stopped_);
    for (const ToolFacts& tool : tools_) {
      if (options_.tool.empty() || tool.id == options_.tool) check_tool(tool);
    }
    return report_;
  }

 private:
  // Tests of the stages load, describe, start and call always run, because later tests need them.
  bool is_wanted(const Test& test) const {
    const auto& names = options_.tests;
    return names.empty() || (test.stage != TestStage::plugin && test.stage != TestStage::tool) ||
           std::find(names.begin(), names.end(), test.name) != names.end();
  }

  void skip(const Test& test, const std::string& tool, const std::string& why) {
    report_.tests.push_back({test.name, tool, RanTest::Outcome::skipped, why});
  }

  void skip_tool_tests(const std::string& tool, const std::string& why) {
    for (const Test& test : tests()) {
      if (test.stage >= TestStage::call && is_wanted(test)) skip(test, tool, why);
    }
  }

  void run_for_plugin(const Test& test) {
    if (!stopped_.empty()) {
      skip(test, "", stopped_);
      return;
    }
    const std::vector<ChildReport> facts = run(test, {});
    const auto fact = [&](const char* name) {
      const auto found = std::find_if(facts.begin(), facts.end(), [&](const ChildReport& r) { return r.name == name; });
      return found == facts.end() ? json() : found->value;
    };
    if (test.stage == TestStage::load) {
      report_.loaded = fact("loaded") == true;
      const json plugin = fact("plugin");
      if (plugin.is_null()) {
        stopped_ = "its entry cannot be used";
        return;
      }
      report_.name = plugin.value("name", "");
      report_.version = plugin.value("version", "");
    } else if (test.stage == TestStage::describe) {
      take_tools(fact("tools"));
      if (tools_.empty()) stopped_ = "its descriptors cannot be used";
    } else if (test.stage == TestStage::start && fact("works") != true) {
      stopped_ = "it cannot be initialised with its tools";
      for (CheckedTool& tool : report_.tools) tool.arguments.clear();
    }
  }

  void take_tools(const json& facts) {
    std::vector<std::string> ids;
    for (const json& fact : facts) {
      const std::string id = fact.at("id");
      ids.push_back(id);
      const bool wanted = options_.tool.empty() || id == options_.tool;
      const ChosenArguments chosen = choose_arguments(wanted ? options_.arguments : "", fact.at("input"));
      tools_.push_back({id, fact.at("hints"), fact.at("input"), fact.at("output"), chosen.text});
      if (wanted) report_.tools.push_back({id, chosen.text, chosen.from});
    }
    if (!tools_.empty() && report_.tools.empty()) {
      report_.unusable = "it has no tool " + in_quotes(options_.tool) + known_names(options_.tool, "tools", ids);
    } else if (!options_.arguments.empty() && report_.tools.size() > 1) {
      report_.unusable =
          "--arguments are for one tool, but the plugin has several; name one of them with --tool: " + joined(ids);
    }
  }

  void check_tool(const ToolFacts& tool) {
    std::string why = stopped_;
    if (why.empty() && tool.arguments.empty()) why = choose_arguments("", tool.input_schema).from;
    if (!why.empty()) {
      skip_tool_tests(tool.id, why);
      return;
    }
    for (const Test& test : tests()) {
      if (test.stage < TestStage::call || !is_wanted(test)) continue;
      if (!why.empty()) {
        skip(test, tool.id, why);
        continue;
      }
      const std::vector<ChildReport> facts = run(test, tool);
      if (test.stage == TestStage::call && facts.empty()) why = "a call does not work";
    }
  }

  void found(const Test& test, const std::string& tool, const std::string& rule, const std::string& text) {
    const bool known = std::any_of(report_.findings.begin(), report_.findings.end(),
                                   [&](const Finding& f) { return f.rule == rule && f.tool == tool; });
    if (!known) report_.findings.push_back({rule, test.name, tool, text});
  }

  // Runs the test and returns the facts that it reported.
  std::vector<ChildReport> run(const Test& test, const ToolFacts& tool) {
    std::vector<std::string> ids;
    for (const ToolFacts& each : tools_) ids.push_back(each.id);
    const ChildEnd end = run_in_child(
        [&](Reporter& reporter) {
          Trial trial{reporter, report_.plugin, options_.configuration, options_.limit / 4, ids, tool};
          test.run(trial);
        },
        options_.limit, patience_);
    RanTest ran{test.name, tool.id, RanTest::Outcome::good, ""};
    std::vector<ChildReport> facts;
    const auto finding = [&](const std::string& rule, const std::string& text) {
      found(test, tool.id, rule, text);
      ran.outcome = RanTest::Outcome::finding;
    };
    for (const ChildReport& one : end.reports) {
      if (one.kind == "fact") facts.push_back(one);
      if (one.kind == "skip") ran.why = one.value;
      if (one.kind == "finding") finding(one.name, one.value);
    }
    if (!end.ended) {
      finding(end.rule, end.doing + ", the plugin " + end.death +
                            (end.output.empty() ? "" : "; it wrote " + in_quotes(end.output)));
    } else if (!end.output.empty()) {
      finding("guest-output", "it wrote to the host's standard output or standard error: " + in_quotes(end.output));
    }
    if (!end.left.empty()) {
      patience_ = {};  // The plugin is now known to leave processes, so later tests do not wait for them.
      finding("left-children",
              "after deinit and the end of the host, these processes were still alive: " + joined(end.left));
    }
    if (ran.outcome == RanTest::Outcome::good && !ran.why.empty()) ran.outcome = RanTest::Outcome::skipped;
    report_.tests.push_back(ran);
    return facts;
  }

  const CheckOptions& options_;
  CheckReport report_;
  std::vector<ToolFacts> tools_;
  std::chrono::milliseconds patience_ = options_.limit / 4;
  std::string stopped_;  // why nothing later can be tested
};

}  // namespace

std::vector<std::string> test_names() {
  std::vector<std::string> names;
  for (const Test& test : tests()) names.emplace_back(test.name);
  return names;
}

CheckReport check(const CheckOptions& options) { return Checker(options).check(); }

}  // namespace wtool::host::conformance
