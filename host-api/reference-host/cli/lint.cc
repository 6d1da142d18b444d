// wtool lint [FILE|FOLDER...]: reads and checks workflow files, and runs nothing. The findings go to standard output.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/escape.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/configured.h"
#include "cli/context.h"
#include "cli/explained_call.h"
#include "cli/given_variables.h"
#include "cli/lint.h"
#include "cli/workflow_list.h"
#include "servers/server_tools.h"
#include "workflow/check/checker.h"
#include "workflow/check/older_rule.h"
#include "workflow/parse/parser.h"

namespace wtool::host {

namespace {

using workflow::Diagnostic;
using workflow::PlacedDiagnostic;

struct LintOptions {
  std::vector<std::string> files;
  std::vector<std::string> variables;
  bool json = false;
  bool strict = false;
  bool fix = false;
  bool before_run = false;  // findings go to standard error, and a workflow without findings is not mentioned
};

struct Totals {
  std::size_t files = 0;
  std::size_t errors = 0;
  std::size_t warnings = 0;
};

class Linter {
 public:
  Linter(Context& context, const LintOptions& options)
      : options_(options),
        loaded_(loaded_config(context)),
        prompts_(loaded_ ? configured_prompts(*loaded_, directory()) : nullptr),
        servers_(prompts_ ? std::optional(configured_servers(*loaded_, directory())) : std::nullopt),
        toolbox_(servers_ ? context.workflow_toolbox() : nullptr),
        config_(context.workflow_config()),
        shell_(loaded_ ? configured_shell(*loaded_) : nullptr),
        library_(directory(), shared_workflow_folders()) {
    environment_.directory = directory();
    environment_.must_exist = false;
    library_.read_environment(environment_);
    for (const std::string& variable : options.variables) given_.push_back(variable.substr(0, variable.find('=')));
  }

  int run() {
    bool shown = true;
    if (toolbox_ == nullptr) ++totals_.errors;  // printed where it was found
    for (const std::string& file : wanted_files()) shown = lint(file) && shown;
    if (options_.json) {
      nlohmann::ordered_json all = {{"files", files_}, {"errors", totals_.errors}, {"warnings", totals_.warnings}};
      if (options_.fix) all["fixes"] = fixes_;
      shown = print(dumped(all, 2) + '\n');
    } else if (!options_.before_run) {
      shown = print(counted(totals_.files, "file") + ": " + counted(totals_.errors, "error") + ", " +
                    counted(totals_.warnings, "warning") + "\n") &&
              shown;
    }
    const bool clean = totals_.errors == 0 && (!options_.strict || totals_.warnings == 0);
    if (options_.before_run && !clean) {
      complain(options_.files.front() + ": the workflow was not run: " + counted(totals_.errors, "error") + ", " +
               counted(totals_.warnings, "warning") + ", and with --strict a warning counts as an error");
    }
    return clean && shown ? exit_ok : exit_unusable;
  }

 private:
  bool show(const std::string& text) const {
    return options_.before_run ? write_all(STDERR_FILENO, text).error == 0 : print(text);
  }

  static std::string directory() {
    std::error_code ignored;
    return std::filesystem::current_path(ignored).string();
  }

  // The files that the command line means. A folder stands for the workflows in it, and no word for those that
  // `wtool list` shows. What keeps files from being found counts as an error, so that nothing passes unseen.
  std::vector<std::string> wanted_files() {
    if (options_.before_run) return options_.files;
    std::vector<std::string> files;
    const auto cannot = [this](const std::string& why) {
      ++totals_.errors;
      complain(why);
    };
    for (const std::string& wanted : options_.files) {
      std::error_code ignored;
      if (wanted == workflow::standard_input || !std::filesystem::is_directory(wanted, ignored)) {
        files.push_back(wanted);
        continue;
      }
      std::string error;
      std::vector<std::string> found = workflow_files_in(wanted, error);
      if (!error.empty()) cannot(error);
      if (error.empty() && found.empty()) cannot("there are no workflows in the folder " + escaped(wanted));
      std::move(found.begin(), found.end(), std::back_inserter(files));
    }
    if (!options_.files.empty()) return files;
    for (OfferedWorkflow& offered : offered_workflows(directory())) files.push_back(std::move(offered.file));
    const std::vector<std::string> unreadable = unreadable_folders(directory());
    for (const std::string& problem : unreadable) cannot(problem);
    if (files.empty() && unreadable.empty()) {
      cannot("there are no workflows in " + joined(workflow_folders(directory())) +
             "; `wtool init workflow` writes one");
    }
    return files;
  }

  bool lint(const std::string& wanted) {
    ++totals_.files;
    std::string error;
    const std::string found = workflow_file(wanted, directory(), error);
    const std::string& file = found.empty() ? wanted : found;
    workflow::Source source;
    if (!found.empty()) source = workflow::load_given_source(file, error);
    if (!error.empty()) {
      ++totals_.errors;
      return unreadable(file, error);
    }
    workflow::Diagnostics diagnostics;
    workflow::Workflow parsed = workflow::parse_workflow(source, diagnostics, &environment_);
    if (options_.fix && !diagnostics.empty()) not_fixed(file, "it has errors");
    if (options_.fix && diagnostics.empty() && !parsed.says_failures) {
      if (auto fixed = fix(source, parsed)) {
        source = std::move(*fixed);
        diagnostics = {};
        parsed = workflow::parse_workflow(source, diagnostics, &environment_);
      }
    }
    workflow::CheckContext around;
    std::optional<servers::ServerTools> tools;
    if (toolbox_ != nullptr && servers_) around.tools = &tools.emplace(*toolbox_, *servers_);
    around.file = file;
    around.library = &library_;
    around.unreadable_commands = shell_;
    if (prompts_) look_for_prompts(*prompts_, around);
    if (toolbox_ != nullptr && servers_) {
      around.timeout_max = config_.timeout_max();
      around.shell_problem = [this](const std::string& shell) { return config_.shell_problem(shell); };
      around.place_problem = [this](const workflow::Placement& place, const std::string& tool) {
        return place_problem(*toolbox_, *servers_, place, tool);
      };
      around.verdict = [this](const std::string& command, const std::map<std::string, std::string>& environment) {
        return verdict(command, environment);
      };
      around.tool_verdict = [this](const std::string& tool) {
        return servers_->find(tool) ? explained(*toolbox_, *servers_, tool, nlohmann::json::object())
                                    : workflow::CommandVerdict{};
      };
    }
    workflow::check_workflow(parsed, given_, around, diagnostics);
    const std::vector<PlacedDiagnostic> placed = diagnostics.placed(source);
    for (const PlacedDiagnostic& one : placed) {
      ++(one.diagnostic.severity == Diagnostic::Severity::error ? totals_.errors : totals_.warnings);
    }
    totals_.errors += diagnostics.dropped_errors();
    totals_.warnings += diagnostics.dropped_warnings();
    if (!options_.json) return show(diagnostics.with_lines(source));
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const PlacedDiagnostic& one : placed) list.push_back(as_json(one));
    files_.push_back({{"file", file}, {"findings", std::move(list)}});
    return true;
  }

  // An explanation takes a tenth of a millisecond, which adds up for thousands of commands. So each command is
  // explained only once. If there are no rules about commands, only commands that may be refused anyway are explained:
  // empty ones, very long ones, ones with a NUL byte, and ones with environment variables.
  workflow::CommandVerdict verdict(const std::string& command, const std::map<std::string, std::string>& environment) {
    constexpr std::size_t surely_short = 64UL * 1024;
    if (!allows_any_) allows_any_ = allows_any_command(*toolbox_);
    const bool is_usual = !command.empty() && command.size() <= surely_short && command.find('\0') == std::string::npos;
    if (*allows_any_ && is_usual && environment.empty()) return {workflow::CommandVerdict::Kind::allow, ""};
    nlohmann::json arguments{{"command", command}};
    if (!environment.empty()) arguments["environment"] = environment;
    const auto [known, is_new] = verdicts_.try_emplace({command, environment});
    if (is_new) known->second = explained(*toolbox_, {}, std::string(workflow::shell_tool), arguments);
    return known->second;
  }

  // Adds `failures: continue` to a file that seems to rely on the older rule for plain arrows, as a warning says, and
  // reports the change. Other files are meant to stop at a failure. Nothing: the file needs no change, or cannot be
  // changed.
  std::optional<workflow::Source> fix(const workflow::Source& source, const workflow::Workflow& parsed) {
    workflow::Diagnostics warnings;
    workflow::check_older_rule(parsed, source.name(), warnings);
    if (warnings.count() == 0) return std::nullopt;
    const auto changed = workflow::changed_exits(parsed);
    std::string error;
    std::string text = workflow::with_failures_continue(source, error);
    if (!text.empty()) error = write_in_place(source.name(), text);
    if (!error.empty()) {
      ++totals_.errors;
      not_fixed(source.name(), error);
      return std::nullopt;
    }
    fixes_.push_back({{"file", source.name()}, {"added", "failures: continue"}});
    workflow::Source fixed(source.name(), std::move(text));
    const std::size_t added = fixed.line_count() - source.line_count();
    std::string lines;
    for (const workflow::Transition* exit : changed) {
      lines += (lines.empty() ? "" : ", ") + std::to_string(source.position(exit->offset).line + added);
    }
    if (!options_.json) {
      print(escaped(source.name()) +
            ": fixed: added `failures: continue` to the front matter, so these transitions are taken " +
            "even after failures: line" + (changed.size() == 1 ? " " : "s ") + lines + "\n");
    }
    return fixed;
  }

  void not_fixed(const std::string& file, const std::string& why) {
    fixes_.push_back({{"file", file}, {"error", why}});
    if (!options_.json) print(escaped(file) + ": not fixed: " + escaped(why) + "\n");
  }

  // Writes a new file with the same permissions and owner, and then replaces the old file with it; symbolic links are
  // followed. All of the text is written, or the file stays as it was.
  static std::string write_in_place(const std::string& file, const std::string& text) {
    std::error_code failure;
    const std::filesystem::path real = std::filesystem::canonical(file, failure);
    const std::filesystem::path other = real.string() + ".wtool-fix";
    const auto cannot = [&](const std::string& why) { return file + " cannot be written: " + why; };
    const auto message = [](int error) { return std::generic_category().message(error); };
    struct stat before {};
    if (failure) return cannot(failure.message());
    if (::stat(real.c_str(), &before) != 0) return cannot(message(errno));
    const Descriptor out(::open(other.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!out) {
      return errno == EEXIST ? other.string() + " is in the way; remove it and try again" : cannot(message(errno));
    }
    const auto written = [&]() -> std::string {
      struct stat made {};
      if (::fstat(out.get(), &made) != 0) return message(errno);
      const bool has_owner = before.st_uid == made.st_uid && before.st_gid == made.st_gid;
      if (!has_owner && ::fchown(out.get(), before.st_uid, before.st_gid) != 0) {
        return "the new file cannot get the owner and the group of the old one: " + message(errno);
      }
      if (::fchmod(out.get(), before.st_mode & 07777U) != 0) return message(errno);
      if (const int error = write_all(out.get(), text).error; error != 0) return message(error);
      return ::rename(other.c_str(), real.c_str()) == 0 ? std::string() : message(errno);
    };
    const std::string why = written();
    if (why.empty()) return "";
    ::unlink(other.c_str());
    return cannot(why);
  }

  // `error` is what load_source() says: the file, perhaps a line and a column, and what is wrong.
  bool unreadable(const std::string& file, std::string error) {
    PlacedDiagnostic whole{{}, {0, Diagnostic::Severity::error, "", ""}};
    if (error.starts_with(file + ":")) error.erase(0, file.size() + 1);
    if (unsigned long line = 0, column = 0; std::sscanf(error.c_str(), "%lu:%lu:", &line, &column) == 2) {
      whole.position = {line, column};
      error.erase(0, error.find("error:") + 6);
    }
    whole.diagnostic.message = error.substr(std::min(error.find_first_not_of(' '), error.size()));
    if (!options_.json) {
      return show(escaped(file) + ":" + std::to_string(whole.position.line) + ":" +
                  std::to_string(whole.position.column) + ": error: " + escaped(whole.diagnostic.message) + "\n");
    }
    files_.push_back({{"file", file}, {"findings", nlohmann::ordered_json::array({as_json(whole)})}});
    return true;
  }

  static nlohmann::ordered_json as_json(const PlacedDiagnostic& one) {
    const Diagnostic& diagnostic = one.diagnostic;
    return {{"line", one.position.line},
            {"column", one.position.column},
            {"offset", diagnostic.offset},
            {"severity", diagnostic.severity == Diagnostic::Severity::error ? "error" : "warning"},
            {"message", diagnostic.message},
            {"suggestion", diagnostic.suggestion}};
  }

  const LintOptions& options_;
  const std::optional<Config> loaded_;
  std::unique_ptr<runner::Prompts> prompts_;  // null: they could not be made, which was reported
  std::optional<servers::Catalog> servers_;   // nothing: `prompts_` is null
  Toolbox* toolbox_;                          // null: the configuration or plugin has an error, which was reported
  WorkflowConfig& config_;
  workflow::ShellReader shell_;
  workflow::Library library_;
  workflow::EnvironmentSource environment_;
  std::vector<std::string> given_;
  std::optional<bool> allows_any_;  // nothing: not asked yet
  std::map<std::pair<std::string, std::map<std::string, std::string>>, workflow::CommandVerdict> verdicts_;
  Totals totals_;
  nlohmann::ordered_json files_ = nlohmann::ordered_json::array();
  nlohmann::ordered_json fixes_ = nlohmann::ordered_json::array();
};

}  // namespace

bool passes_strict_lint(Context& context, const std::string& workflow, std::vector<std::string> given) {
  LintOptions options;
  options.files = {workflow};
  options.variables = std::move(given);
  options.strict = options.before_run = true;
  return Linter(context, options).run() == exit_ok;
}

namespace {

int lint(Context& context, const LintOptions& options) {
  const bool reads_input =
      std::find(options.files.begin(), options.files.end(), workflow::standard_input) != options.files.end();
  if (options.fix && reads_input) {
    complain("--fix changes files, so it cannot be used with -, which is standard input");
    return exit_unusable;
  }
  if (options.fix && options.files.empty()) {
    complain("--fix changes files, so name them, or a folder: wtool lint --fix workflows");
    return exit_unusable;
  }
  return Linter(context, options).run();
}

}  // namespace

void add_lint(CLI::App& app, Context& context) {
  auto options = std::make_shared<LintOptions>();
  CLI::App* command = app.add_subcommand("lint", "Check workflow files without running anything");
  command->add_option(
      "FILE", options->files,
      "Workflow files, names of workflows, folders, or - for standard input\n(default: all that `wtool list` shows)");
  add_repeated_option(*command, "--var,--set", options->variables, "NAME=VALUE",
                      "A variable that the run will get, as NAME=VALUE or NAME; may be given several times");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->add_flag("--strict", options->strict, "Let warnings count as errors for the exit status");
  command->add_flag("--fix", options->fix,
                    "Add `failures: continue` to the front matter of each file with a warning that it seems to rely on "
                    "the older rule, by which a plain arrow is also taken after a failure");
  command->footer(
      "A folder stands for all workflows in it and in the folders below it. Without FILE, --fix changes nothing: name\n"
      "what it may change.\n"
      "\n"
      "Each finding is a line FILE:LINE:COLUMN: error: MESSAGE (or warning), followed by that line of the file with a\n"
      "caret below the place; the last line counts the findings. `wtool run` refuses a file that has errors.\n"
      "Workflows, prompts and commands are looked up as they are on this machine now; if one is missing, or if the\n"
      "policy would refuse a command, that is a warning. Exit status: 0 without errors, 2 with errors, or (with\n"
      "--strict) with warnings.\n"
      "\n"
      "A plain arrow `A --> B` means success. --fix changes each file that has a warning that it seems to rely on the\n"
      "older rule, under which the arrow was taken after a failure, too: it adds the line `failures: continue` to the\n"
      "front matter (or a front matter with this line), keeps everything else byte for byte, and reports the change.\n"
      "Files with errors, and files that have the key `failures`, are left alone.\n"
      "\n"
      "Examples:\n"
      "  wtool lint\n"
      "  wtool lint workflows other.md\n"
      "  wtool lint release.md --var version=1.2.0 --strict\n"
      "  wtool lint release.md --json\n"
      "  wtool lint --fix .swissarmyhammer/workflows");
  command->callback([&context, options] { context.command = [&context, options] { return lint(context, *options); }; });
}

}  // namespace wtool::host
