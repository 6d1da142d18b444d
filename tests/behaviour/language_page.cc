#include "language_page.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "page_blocks.h"
#include "support/plugin.h"
#include "support/program.h"
#include "support/text.h"

namespace wtool::test {

namespace {

using Lines = std::vector<std::string>;

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

// The state that an item `- State: ...` names; empty if the line is not an item.
std::string state_of_item(const std::string& line) {
  const std::size_t colon = line.find(": ");
  if (!line.starts_with("- ") || colon == std::string::npos) return "";
  const std::string state = line.substr(2, colon - 2);
  return state.find_first_of(" \"`*") == std::string::npos ? state : "";
}

bool is_whole(const PageBlock& block) {
  return std::any_of(block.lines.begin(), block.lines.end(),
                     [](const std::string& line) { return line.find("stateDiagram") != std::string::npos; });
}

bool is_example(const PageBlock& block) {
  if (block.info != "markdown" && !block.info.empty()) return false;
  return is_whole(block) || std::any_of(block.lines.begin(), block.lines.end(),
                                        [](const std::string& line) { return !state_of_item(line).empty(); });
}

bool is_output(const PageBlock& block) { return block.info.starts_with("output"); }

// Workflows that are made of the items. Each visits its states one after the other.
std::vector<std::string> wrapped(const Lines& items, const std::string& parameters) {
  std::vector<std::string> made;
  std::set<std::string> seen;
  Lines states;
  Lines actions;
  const auto finish = [&] {
    if (states.empty()) return;
    std::string diagram = "```mermaid\nstateDiagram-v2\n    [*] --> " + states.front() + '\n';
    for (std::size_t i = 0; i < states.size(); ++i) {
      diagram += "    " + states[i] + " --> " + (i + 1 < states.size() ? states[i + 1] : "[*]") + '\n';
    }
    made.push_back("---\nparameters: [" + parameters + "]\n---\n" + diagram + "```\n\n## Actions\n\n" +
                   joined(actions));
    states.clear();
    actions.clear();
    seen.clear();
  };
  for (const std::string& line : items) {
    const std::string state = state_of_item(line);
    if (!state.empty() && !seen.insert(state).second) {
      finish();
      seen.insert(state);
    }
    if (!state.empty()) states.push_back(state);
    actions.push_back(line);
  }
  finish();
  return made;
}

class LanguagePage {
 public:
  LanguagePage(std::string_view name, std::string_view text) : name_(name), blocks_(read_blocks(text)) {}

  LanguagePageReport run() {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const PageBlock& block = blocks_[i];
      const bool judged = i + 1 < blocks_.size() && blocks_[i + 1].follows && is_output(blocks_[i + 1]);
      if (is_example(block)) {
        ++report_.examples;
        example(block, judged ? &blocks_[i + 1] : nullptr);
      } else if (is_output(block) && !(i > 0 && block.follows && is_example(blocks_[i - 1]))) {
        complain(block, "an output without its example");
      }
    }
    return std::move(report_);
  }

 private:
  void complain(const PageBlock& block, const std::string& what) {
    report_.problems.push_back(name_ + ":" + std::to_string(block.line) + ": " + what);
  }

  Finished wtool(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), WTOOL_TEST_PROGRAM);
    ProgramOptions options;
    options.directory = folder_.path();
    options.set["HOME"] = folder_.path();
    return test::run(arguments, options);
  }

  void example(const PageBlock& block, const PageBlock* output) {
    std::string file = "example.md";
    std::vector<std::string> variables;
    std::string parameters;
    std::optional<int> status;
    for (const std::string& need : block.needs) {
      const std::size_t blank = std::min(need.find(' '), need.size());
      const std::string word = need.substr(0, blank);
      std::string rest = need.substr(std::min(blank + 1, need.size()));
      if (word == "var") {
        parameters += std::string(parameters.empty() ? "" : ", ") + "{name: " + rest.substr(0, rest.find('=')) + "}";
        for (std::size_t at = rest.find("\\n"); at != std::string::npos; at = rest.find("\\n"))
          rest.replace(at, 2, "\n");
        variables.insert(variables.end(), {"--var", rest});
      } else if (word == "sh") {
        ProgramOptions options;
        options.directory = folder_.path();
        const Finished finished = test::run({"/bin/sh", "-ec", rest}, options);
        if (finished.exit_code != 0) complain(block, "what it needs failed: " + rest + "\n" + finished.err);
      } else if (word == "file") {
        file = rest;
      } else if (word == "exit") {
        status = std::stoi(rest);
      } else {
        complain(block, "an example has no such need: " + need);
      }
    }
    std::vector<std::string> workflows = is_whole(block) ? std::vector{block.text()} : wrapped(block.lines, parameters);
    const bool lint = output != nullptr && output->info == "output of lint";
    Lines got;
    for (const std::string& workflow : workflows) {
      folder_.file(file, workflow);
      const Lines made = lint ? linted(file) : ran(block, file, variables, status);
      got.insert(got.end(), made.begin(), made.end());
    }
    if (output == nullptr) return complain(block, "no output follows; it is\n" + joined(got));
    compare(*output, got);
  }

  Lines linted(const std::string& file) const {
    Lines said = lines_of(wtool({"lint", file}).out);
    if (!said.empty()) said.pop_back();  // The last line has the numbers of errors and warnings.
    // Below a finding, lint shows lines of the file, which come from the page itself.
    std::erase_if(said, [&](const std::string& line) { return !line.starts_with(file + ":"); });
    for (std::string& line : said) line.erase(0, file.size() + 1);
    return said;
  }

  Lines ran(const PageBlock& block, const std::string& file, const std::vector<std::string>& variables,
            std::optional<int> status) {
    std::vector<std::string> arguments{"run", file};
    arguments.insert(arguments.end(), variables.begin(), variables.end());
    const Finished finished = wtool(arguments);
    if (finished.exit_code == 2) return lines_of("not run:\n" + finished.err);
    const Json run = Json::parse(wtool({"show", "last", "--json"}).out, nullptr, false);
    if (!run.is_object()) return lines_of("no run:\n" + finished.err);
    Lines got;
    for (const Json& step : run.at("steps")) {
      for (const std::string& line : lines_of(step.value("stdout", ""))) {
        got.push_back(step.value("state", "") + ": " + line);
      }
    }
    const std::string ended = run.value("status", "");
    const std::string reason = run.value("reason", "");
    got.push_back(reason.empty() ? ended : ended + ": " + reason);
    const int expected = status.value_or(ended == "completed"   ? 0
                                         : ended == "aborted"   ? 130
                                         : ended == "suspended" ? 5
                                                                : 1);
    if (finished.exit_code != expected) complain(block, "the exit status is " + std::to_string(finished.exit_code));
    return got;
  }

  void compare(const PageBlock& output, Lines got) {
    Lines expected = output.lines;
    if (output.info == "output in any order") {
      std::sort(expected.begin(), expected.end());
      std::sort(got.begin(), got.end());
    }
    const bool same =
        expected.size() == got.size() && std::equal(expected.begin(), expected.end(), got.begin(), matches);
    if (!same) complain(output, "the output is different\nexpected\n" + joined(expected) + "got\n" + joined(got));
  }

  std::string name_;
  std::vector<PageBlock> blocks_;
  ScratchFolder folder_;
  LanguagePageReport report_;
};

}  // namespace

LanguagePageReport run_language_page(std::string_view name, std::string_view text) {
  return LanguagePage(name, text).run();
}

}  // namespace wtool::test
