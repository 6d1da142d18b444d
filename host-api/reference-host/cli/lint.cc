// wtool lint FILE...: reads and checks workflow files, and runs nothing. Standard output gets what was found.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output.h"
#include "cli/prepared_workflow.h"
#include "workflow/checker.h"
#include "workflow/parser.h"

namespace wtool::host {

namespace {

using workflow::Finding;
using workflow::PlacedFinding;

struct LintOptions {
  std::vector<std::string> files;
  std::vector<std::string> variables;
  bool json = false;
  bool strict = false;
};

struct Totals {
  std::size_t files = 0;
  std::size_t errors = 0;
  std::size_t warnings = 0;
};

// What the tool says of a command, as `wtool call shell_execute --explain` does.
std::optional<workflow::CommandVerdict> explained(Toolbox& toolbox, const std::string& command) {
  nlohmann::json arguments = {{"command", command}};
  Stop stop;
  std::string error;
  const auto text = toolbox.explain(workflow::shell_tool, arguments.dump(), stop, error);
  if (!text) return std::nullopt;
  const auto answer = nlohmann::json::parse(*text, nullptr, false);
  if (!answer.is_object()) return std::nullopt;
  const std::string verdict = answer.value("verdict", "");
  using Kind = workflow::CommandVerdict::Kind;
  return workflow::CommandVerdict{verdict == "deny"  ? Kind::deny
                                  : verdict == "ask" ? Kind::ask
                                                     : Kind::allow,
                                  answer.value("reason", "")};
}

class Linter {
 public:
  Linter(Context& context, const LintOptions& options)
      : options_(options),
        prompts_(configured_prompts(context, directory())),
        toolbox_(context.toolbox()),
        library_(directory()) {
    for (const std::string& variable : options.variables) given_.push_back(variable.substr(0, variable.find('=')));
  }

  int run() {
    bool shown = true;
    for (const std::string& file : options_.files) shown = lint(file) && shown;
    if (options_.json) {
      const nlohmann::ordered_json all = {
          {"files", files_}, {"errors", totals_.errors}, {"warnings", totals_.warnings}};
      shown = print(all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
    } else {
      shown = print(counted(totals_.files, "file") + ": " + counted(totals_.errors, "error") + ", " +
                    counted(totals_.warnings, "warning") + "\n") &&
              shown;
    }
    const bool clean = totals_.errors == 0 && (!options_.strict || totals_.warnings == 0);
    return clean && shown ? exit_ok : exit_unusable;
  }

 private:
  static std::string directory() {
    std::error_code ignored;
    return std::filesystem::current_path(ignored).string();
  }

  static std::string counted(std::size_t count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  }

  bool lint(const std::string& file) {
    ++totals_.files;
    std::string error;
    const workflow::Source source = workflow::load_source(file, error);
    if (!error.empty()) {
      ++totals_.errors;
      return unreadable(file, error);
    }
    workflow::Findings findings;
    const workflow::Workflow parsed = workflow::parse_workflow(source, findings);
    workflow::Surroundings around;
    around.tools = toolbox_;
    around.file = file;
    around.library = &library_;
    if (prompts_) look_for_prompts(*prompts_, around);
    if (toolbox_ != nullptr) {
      around.verdict = [this](const std::string& command) { return explained(*toolbox_, command); };
    }
    workflow::check_workflow(parsed, given_, around, findings);
    const std::vector<PlacedFinding> placed = findings.placed(source);
    for (const PlacedFinding& one : placed) {
      ++(one.finding.severity == Finding::Severity::error ? totals_.errors : totals_.warnings);
    }
    totals_.errors += findings.dropped_errors();
    totals_.warnings += findings.dropped_warnings();
    if (!options_.json) return print(findings.text(source));
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const PlacedFinding& one : placed) list.push_back(as_json(one));
    files_.push_back({{"file", file}, {"findings", std::move(list)}});
    return true;
  }

  // `error` is what load_source() says: the file, perhaps a line and a column, and what is wrong.
  bool unreadable(const std::string& file, std::string error) {
    PlacedFinding whole{{}, {0, Finding::Severity::error, "", ""}};
    if (error.starts_with(file + ":")) error.erase(0, file.size() + 1);
    if (unsigned long line = 0, column = 0; std::sscanf(error.c_str(), "%lu:%lu:", &line, &column) == 2) {
      whole.position = {line, column};
      error.erase(0, error.find("error:") + 6);
    }
    whole.finding.message = error.substr(std::min(error.find_first_not_of(' '), error.size()));
    if (!options_.json) {
      return print(file + ":" + std::to_string(whole.position.line) + ":" + std::to_string(whole.position.column) +
                   ": error: " + whole.finding.message + "\n");
    }
    files_.push_back({{"file", file}, {"findings", nlohmann::ordered_json::array({as_json(whole)})}});
    return true;
  }

  static nlohmann::ordered_json as_json(const PlacedFinding& one) {
    const Finding& finding = one.finding;
    return {
        {"line", one.position.line},  {"column", one.position.column},
        {"offset", finding.offset},   {"severity", finding.severity == Finding::Severity::error ? "error" : "warning"},
        {"message", finding.message}, {"suggestion", finding.suggestion}};
  }

  const LintOptions& options_;
  std::unique_ptr<workflow::Prompts> prompts_;  // NULL: as with the toolbox
  Toolbox* toolbox_;  // NULL: there is none, and that was said; tools and commands are not looked up then
  workflow::Library library_;
  std::vector<std::string> given_;
  Totals totals_;
  nlohmann::ordered_json files_ = nlohmann::ordered_json::array();
};

}  // namespace

void add_lint(CLI::App& app, Context& context) {
  auto options = std::make_shared<LintOptions>();
  CLI::App* command = app.add_subcommand("lint", "Check workflow files without running anything");
  command->add_option("FILE", options->files, "The workflow files")->required();
  command
      ->add_option("--var,--set", options->variables,
                   "A variable that is to be given to the run, as NAME=VALUE or NAME; may be given several times")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->take_all();
  command->add_flag("--json", options->json, "Print one JSON object");
  command->add_flag("--strict", options->strict, "Let warnings count as errors for the exit status");
  command->footer(
      "Each finding is a line FILE:LINE:COLUMN: error: MESSAGE (or warning); the last line counts them. Errors are "
      "what\n"
      "`wtool run` refuses to run. Workflows, prompts and commands are looked up as they are here and now; what is\n"
      "missing, or what the policy would refuse, is a warning. Exit status: 0 without errors, 2 with errors, or (with\n"
      "--strict) with warnings.\n"
      "\n"
      "Examples:\n"
      "  wtool lint workflows/*.md\n"
      "  wtool lint release.md --var version=1.2.0 --strict\n"
      "  wtool lint release.md --json");
  command->callback(
      [&context, options] { context.command = [&context, options] { return Linter(context, *options).run(); }; });
}

}  // namespace wtool::host
