// wtool audit verify FILE [--expect HASH] and wtool audit show FILE [--event E] [--last N] [--json]: verifies or shows
// an audit trail that a plugin wrote. Neither command needs the plugin.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "audit/verify.h"
#include "base/sha256.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/table.h"
#include "cli/whole_number.h"
#include "terminal/text.h"

namespace wtool::host {

namespace {

struct VerifyOptions {
  std::string file;
  std::string expect;
};

struct ShowRequest {
  std::string file;
  audit::ShowOptions options;
};

std::string as_text(const audit::VerifyReport& report) {
  std::string text = report.good() ? "good: " : "BROKEN: " + counted(report.problem_count, "problem") + " in ";
  text += counted(report.lines, "line") + " in " + counted(report.files, "file");
  if (report.lines > 0) text += ", from " + report.first_time + " to " + report.last_time;
  text += '\n';
  const auto list = [&text](const char* label, const std::vector<std::string>& all, std::uint64_t count) {
    for (const std::string& one : all) text += label + one + '\n';
    if (count > all.size()) text += label + std::to_string(count - all.size()) + " more\n";
  };
  list("problem: ", report.problems, report.problem_count);
  list("note: ", report.notes, report.note_count);
  if (!report.head.empty()) text += "head: " + report.head + " (number " + std::to_string(report.head_seq) + ")\n";
  return text;
}

int verify(VerifyOptions options) {
  options.expect = lowered(options.expect);
  if (!options.expect.empty() && !is_sha256(options.expect)) {
    complain("--expect needs the 64 hexadecimal digits of a line's hash, such as the head of `wtool audit verify`");
    return exit_unusable;
  }
  const audit::VerifyReport report = audit::verify(options.file, options.expect);
  if (!report.unusable.empty()) {
    complain(report.unusable);
    return exit_unusable;
  }
  if (!print(as_text(report))) return exit_unusable;
  return report.good() ? exit_ok : exit_failed;
}

int show(const ShowRequest& request) {
  const std::size_t columns = request.options.json ? 0 : output_columns();
  bool printed = true;
  const std::string error = audit::show(request.file, request.options, [&](std::string_view line) {
    printed = print((columns > 0 ? cut_to_width(line, columns) : std::string(line)) + '\n');
    return printed;
  });
  if (!error.empty()) complain(error);
  return error.empty() && printed ? exit_ok : exit_unusable;
}

}  // namespace

void add_audit(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("audit", "Verify an audit trail, or show it");
  command->require_subcommand(1);
  // Without a footer of its own, this command would show the footer of `wtool`.
  command->footer(
      "Examples:\n"
      "  wtool audit verify .wtool/audit.jsonl\n"
      "  wtool audit show .wtool/audit.jsonl --last 20");
  const auto file_option = [](CLI::App* to, std::string& file) {
    to->add_option("FILE", file, "The trail; its rotated files are found beside it")->required();
  };

  auto verification = std::make_shared<VerifyOptions>();
  CLI::App* verify_command = command->add_subcommand("verify", "Check that no line was changed, removed or moved");
  file_option(verify_command, verification->file);
  verify_command
      ->add_option("--expect", verification->expect,
                   "The hash of a line that the trail must have, such as an earlier head")
      ->type_name("HASH");
  verify_command->footer(
      "Exit status: 0 when the chain is whole, 1 when it is broken, 2 when it could not be read, or has no lines.\n\n"
      "Examples:\n"
      "  wtool audit verify .wtool/audit.jsonl\n"
      "  wtool audit verify .wtool/audit.jsonl --expect HASH");
  verify_command->callback(
      [&context, verification] { context.command = [verification] { return verify(*verification); }; });

  auto request = std::make_shared<ShowRequest>();
  CLI::App* show_command = command->add_subcommand("show", "Print one line per event, oldest first, with times in UTC");
  file_option(show_command, request->file);
  show_command->add_option("--event", request->options.event, "Only events of this kind")
      ->type_name("EVENT")
      ->check(CLI::IsMember(audit::event_names));
  show_command->add_option("--last", request->options.last, "Only the last N events")
      ->type_name("N")
      ->transform(whole_number(1, 100000));
  show_command->add_flag("--json", request->options.json,
                         "Print the original lines, but with non-ASCII characters escaped");
  show_command->footer(
      "Examples:\n"
      "  wtool audit show .wtool/audit.jsonl --last 20\n"
      "  wtool audit show .wtool/audit.jsonl --event refusal --json | jq .command");
  show_command->callback([&context, request] { context.command = [request] { return show(*request); }; });
}

}  // namespace wtool::host
