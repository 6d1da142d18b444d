#include "language_page.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "support/plugin.h"
#include "support/program.h"

namespace wtool::test {

namespace {

using Lines = std::vector<std::string>;

Lines lines_of(std::string_view text) {
  Lines lines;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

struct Block {
  std::size_t line = 0;  // of its fence
  std::string info;
  Lines content;
  Lines needs;           // of the comment before it
  bool follows = false;  // nothing but blank lines stands between it and the block before
};

// Fences may be longer than what they hold.
std::vector<Block> blocks_of(const Lines& lines) {
  std::vector<Block> blocks;
  Lines needs;
  bool follows = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    const std::size_t ticks = std::min(line.find_first_not_of('`'), line.size());
    if (line == "<!-- example") {
      for (++i; i < lines.size() && lines[i] != "-->"; ++i) needs.push_back(lines[i]);
      follows = false;
    } else if (ticks >= 3) {
      Block block{i + 1, line.substr(ticks), {}, std::move(needs), follows};
      needs.clear();
      for (++i; i < lines.size() && lines[i] != line.substr(0, ticks); ++i) block.content.push_back(lines[i]);
      blocks.push_back(std::move(block));
      follows = true;
    } else if (!line.empty()) {
      follows = false;
      needs.clear();
    }
  }
  return blocks;
}

// The state of `- State: ...`; empty: the line is no item.
std::string state_of_item(const std::string& line) {
  const std::size_t colon = line.find(": ");
  if (!line.starts_with("- ") || colon == std::string::npos) return "";
  const std::string state = line.substr(2, colon - 2);
  return state.find_first_of(" \"`*") == std::string::npos ? state : "";
}

bool is_whole(const Block& block) {
  return std::any_of(block.content.begin(), block.content.end(),
                     [](const std::string& line) { return line.find("stateDiagram") != std::string::npos; });
}

bool is_example(const Block& block) {
  if (block.info != "markdown" && !block.info.empty()) return false;
  return is_whole(block) || std::any_of(block.content.begin(), block.content.end(),
                                        [](const std::string& line) { return !state_of_item(line).empty(); });
}

bool is_output(const Block& block) { return block.info.starts_with("output"); }

// The items in workflows that pass their states one after the other.
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

// "..." in what is expected is any text.
bool fits(std::string_view expected, std::string_view got) {
  const std::size_t any = expected.find("...");
  if (any == std::string_view::npos) return expected == got;
  if (!got.starts_with(expected.substr(0, any))) return false;
  const std::string_view rest = expected.substr(any + 3);
  for (std::size_t at = any; at <= got.size(); ++at) {
    if (fits(rest, got.substr(at))) return true;
  }
  return false;
}

class Page {
 public:
  Page(std::string_view name, std::string_view text) : name_(name), blocks_(blocks_of(lines_of(text))) {}

  LanguagePageReport run() {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const Block& block = blocks_[i];
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
  void complain(const Block& block, const std::string& what) {
    report_.problems.push_back(name_ + ":" + std::to_string(block.line) + ": " + what);
  }

  Finished wtool(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), WTOOL_TEST_PROGRAM);
    ProgramOptions options;
    options.directory = folder_.path();
    options.set["HOME"] = folder_.path();
    return test::run(arguments, options);
  }

  void example(const Block& block, const Block* output) {
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
    std::vector<std::string> workflows =
        is_whole(block) ? std::vector{joined(block.content)} : wrapped(block.content, parameters);
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
    if (!said.empty()) said.pop_back();  // the numbers
    // The lines of the file below a finding are the page's own.
    std::erase_if(said, [&](const std::string& line) { return !line.starts_with(file + ":"); });
    for (std::string& line : said) line.erase(0, file.size() + 1);
    return said;
  }

  Lines ran(const Block& block, const std::string& file, const std::vector<std::string>& variables,
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
    const int expected = status.value_or(ended == "completed" ? 0 : ended == "aborted" ? 130 : 1);
    if (finished.exit_code != expected) complain(block, "the exit status is " + std::to_string(finished.exit_code));
    return got;
  }

  void compare(const Block& output, Lines got) {
    Lines expected = output.content;
    if (output.info == "output in any order") {
      std::sort(expected.begin(), expected.end());
      std::sort(got.begin(), got.end());
    }
    const bool same = expected.size() == got.size() && std::equal(expected.begin(), expected.end(), got.begin(), fits);
    if (!same) complain(output, "the output is different\nexpected\n" + joined(expected) + "got\n" + joined(got));
  }

  std::string name_;
  std::vector<Block> blocks_;
  ScratchFolder folder_;
  LanguagePageReport report_;
};

}  // namespace

LanguagePageReport run_language_page(std::string_view name, std::string_view text) { return Page(name, text).run(); }

}  // namespace wtool::test
