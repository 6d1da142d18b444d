#include "runner/kept_files.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "base/descriptor.h"
#include "base/escape.h"
#include "base/files.h"
#include "base/utf8.h"
#include "cache/patterns.h"
#include "runner/secrets.h"
#include "runner/up_to_date.h"

namespace wtool::host::runner {
namespace {

constexpr std::size_t piece = 1UL << 20;
constexpr std::size_t max_kept = 10'000;  // files of one step
constexpr std::size_t max_told = 20;      // notices about files that are not kept

// The directory in which the tool has worked, as the tool itself says. Nothing: it is not known, for the reason `why`;
// if that is empty, policy has refused the call, which the step itself says.
std::optional<std::string> directory_of_call(const workflow::ToolAction& action, const Step& step,
                                             const ActionContext& context, std::string& why) {
  const auto arguments = rendered_arguments(*action.arguments, context.variables, why);
  if (!arguments) return std::nullopt;
  const WorkflowInvocation& invocation = context.invocation;
  workflow::Placement placed = workflow::place_of(invocation.workflow, step.state, invocation.place);
  const CallPlace place{.on = std::move(placed.on), .slot = std::move(placed.slot)};
  const auto explained = explanation_of(invocation.run.request().services.explain, place, action.tool, *arguments, why);
  if (!explained || explained->text("verdict") == "deny") return std::nullopt;
  return directory_of(*explained, action.tool, why);
}

// The directory in which the step has run. Nothing: as above.
std::optional<std::string> directory_of(const Step& step, const ActionContext& context, std::string& why) {
  const workflow::ActionKind& kind = step.of().action->kind;
  if (const auto* tool = std::get_if<workflow::ToolAction>(&kind)) {
    return directory_of_call(*tool, step, context, why);
  }
  std::error_code failed;
  std::filesystem::path directory = std::filesystem::current_path(failed);
  if (failed) {
    why = failed.message();
    return std::nullopt;
  }
  const auto* shell = std::get_if<workflow::ShellAction>(&kind);
  if (shell != nullptr && shell->working_directory) {
    const auto text = rendered_text(*shell->working_directory, context.invocation, context.variables, why);
    if (!text) return std::nullopt;
    directory /= *text;
  }
  return directory.lexically_normal().string();
}

// Copies the file. Returns why it is not kept; empty: it is kept, unless to.finish() reports an error. Links are not
// followed, because the command could have made a link to a file that it may not read itself.
std::string copy(const std::string& path, OutputFile& to, const Secrets* secrets, Stop& stop) {
  std::string why;
  const Descriptor from = open_without_links(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0, why);
  if (!from) return why;
  struct stat status {};
  if (::fstat(from.get(), &status) != 0) return ::strerror(errno);
  if (!S_ISREG(status.st_mode)) return "it is not a regular file";
  const cache::StepCache::Refuses holds_secret = secret_search(secrets);
  std::string bytes(piece, '\0');
  // Reads no more than the file's current size, because another process may be writing to it endlessly.
  for (auto left = static_cast<std::uint64_t>(status.st_size); left > 0;) {
    if (const auto asked = stop.requested(); asked && asked->how == StopHow::now) return "the run was stopped";
    const ssize_t count = ::read(from.get(), bytes.data(), std::min<std::uint64_t>(bytes.size(), left));
    if (count == 0) return {};
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ::strerror(errno);
    left -= static_cast<std::uint64_t>(count);
    const std::string_view part(bytes.data(), static_cast<std::size_t>(count));
    if (holds_secret(part, left == 0)) return "it contains a secret";
    if (!to.write(part)) return {};
  }
  return {};
}

}  // namespace

std::optional<std::string> directory_of(const Explanation& explained, const std::string& tool, std::string& why) {
  std::string directory = explained.text("directory");
  if (!directory.starts_with('/')) {
    why = "the tool " + tool + " does not say in which directory it works";
    return std::nullopt;
  }
  // A tool gives U+FFFD in place of bytes that are not UTF-8, so this may be the name of another directory.
  if (directory.find(replacement_character) != std::string::npos) {
    why = "the name of its directory is not UTF-8, or contains the character U+FFFD";
    return std::nullopt;
  }
  return directory;
}

void keep_files(Step& step, const ActionContext& context) {
  const workflow::ActionOptions& options = step.of().action->options;
  const RunRequest& request = context.invocation.run.request();
  RunOutputStore* const store = request.services.outputs;
  if (options.keep == nullptr || store == nullptr) return;
  const auto notice = [&](const std::string& what) {
    request.observer.noticed("the step '" + step.of().id + "': " + what);
  };
  std::string why;
  const auto patterns = rendered_patterns(options.keep.get(), context.variables, why);
  if (!patterns) return notice("keep: " + why);
  for (const std::string& pattern : *patterns) {
    if (const std::string problem = cache::output_problem(pattern); !problem.empty() && !pattern.starts_with('!')) {
      return notice(expressions::quoted_for_message(pattern) + " is not kept: it " + problem);
    }
  }
  const auto directory = directory_of(step, context, why);
  if (!directory && why.empty()) return;
  if (!directory) return notice("no file is kept, because the directory of the step is not known: " + why);
  const cache::FoundFiles found = cache::find_files(*directory, *patterns, {}, cache::PatternLinks::not_followed);
  if (!found.problem.empty()) return notice("no file is kept: " + found.problem);
  for (const std::string& pattern : found.unmatched) {
    std::set<std::string> checked;
    const std::string link = cache::link_above(*directory, cache::plain_path(pattern), checked);
    const std::string shown_pattern = expressions::quoted_for_message(pattern);
    notice(link.empty() ? "no file matches " + shown_pattern + ", so no file is kept for it"
                        : "no file is kept for " + shown_pattern + ": " + expressions::quoted_for_message(link) +
                              " is a link, and links are not followed");
  }
  std::size_t seen = 0;
  std::size_t failures = 0;
  const auto not_kept = [&](const std::string& what) {
    if (++failures <= max_told) notice(what);
    if (failures == max_told + 1) notice("more files could not be kept");
  };
  for (const std::string& path : found.paths) {
    if (seen++ == max_kept) return notice("no more than " + std::to_string(max_kept) + " files are kept");
    const std::string shown = cache::plain_path(path);
    if (request.secrets != nullptr && request.secrets->masked(shown) != shown) {
      not_kept("a file is not kept, because its name contains a secret");
      continue;
    }
    // No other kind of output has the ending `.kept`, so a kept file is not mistaken for an output.
    const auto file = store->create(branch_inside(step.place(), shown + ":.kept"), gives_secrets(step));
    if (why = copy(*directory + "/" + shown, *file, request.secrets, context.stop); !why.empty()) {
      file->fail(why);
      file->finish();
      not_kept(expressions::quoted_for_message(shown) + " is not kept: " + why);
      continue;
    }
    const OutputFile::Written written = file->finish();
    if (!written.trouble.empty()) {
      not_kept(expressions::quoted_for_message(shown) + " is not kept: " + written.trouble);
    } else if (!gives_secrets(step)) {
      // Two names that differ only in bytes that are not UTF-8 must stay different in the journal.
      step.kept_files.push_back({is_utf8(shown) ? shown : escaped(shown), written.file, written.bytes});
    }
  }
}

}  // namespace wtool::host::runner
