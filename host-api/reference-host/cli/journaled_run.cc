#include "cli/journaled_run.h"

#include <utility>

#include "base/sha256.h"
#include "cli/output.h"
#include "cli/output_files.h"
#include "journal/observers.h"
#include "runner/abort_watcher.h"

namespace wtool::host {

runner::RunReport run_journaled(PreparedWorkflow& prepared, ToolCaller& tools, JournaledRun run,
                                runner::Secrets& secrets, Stop& stop, runner::RunObserver& shown) {
  const runner::AbortWatcher watcher(prepared.directory(), stop);
  if (!watcher.error().empty()) complain("the abort file has no effect in this run: " + watcher.error());
  OutputFiles files(run.journal ? run.journal->file() : "", secrets, prepared.output_limits());
  journal::Masking masking(secrets, shown);
  journal::Observers all({run.journal.get(), &masking});
  runner::RunServices services = prepared.services();
  services.confirm = std::move(run.confirm);
  services.skips_finally = std::move(run.skips_finally);
  services.outputs = &files;
  return journal::masked(runner::run_workflow({prepared.workflow(), prepared.source(), std::move(run.inputs), tools,
                                               stop, all, run.settings, std::move(services), &secrets, run.past,
                                               run.journal ? run.journal->run() : "", prepared.shown_name()}),
                         secrets);
}

journal::Journal::Options journal_options(const runner::Secrets& secrets) {
  return {&secrets, [](const std::string& text) { complain(text); }};
}

std::vector<std::string> lost_inputs(const journal::RunRecord& run, const std::set<std::string>& given,
                                     const std::string& option) {
  std::vector<std::string> sentences;
  const auto again = [&](const std::string& name) {
    return "give it again" + (option.empty() ? "" : " with " + option + name + "=VALUE");
  };
  for (const std::string& name : run.secret_inputs) {
    if (!given.contains(name)) sentences.push_back("the secret '" + name + "' is not in the journal; " + again(name));
  }
  for (const std::string& name : run.masked_inputs) {
    if (given.contains(name)) continue;
    sentences.push_back("the input '" + name + "' holds a secret, which is not in the journal; " + again(name));
  }
  return sentences;
}

std::string changed_since(const workflow::Source& source, const journal::RunRecord& run) {
  if (sha256(source.text()) == run.sha256) return {};
  return "the file " + run.file + " is not what it was when the run " + run.run +
         " continued last; what is completed is kept as long as the states are the same";
}

}  // namespace wtool::host
