#include "cli/journaled_run.h"

#include <string_view>
#include <utility>

#include "audit/append.h"
#include "base/environment.h"
#include "base/json.h"
#include "base/secrets/secrets.h"
#include "base/sha256.h"
#include "cache/step_cache.h"
#include "cli/context.h"
#include "cli/output_files.h"
#include "journal/observers.h"
#include "runner/abort_watcher.h"
#include "runner/executor.h"
#include "runner/up_to_date.h"
#include "servers/server_tools.h"

namespace wtool::host {

runner::RunReport run_journaled(PreparedWorkflow& prepared, ToolCaller& tools, JournaledRun run,
                                runner::Secrets& secrets, Stop& stop, runner::RunObserver& shown) {
  const auto hidden = prepared.tracing().hide([&secrets](std::string_view text) { return secrets.masked(text); });
  for (const auto& [server, settings] : prepared.servers().servers()) {
    for (const auto& [name, value] : settings.env.items()) {
      if (secrets::is_secret_name(name) && value.is_string()) secrets.add(value.get_ref<const std::string&>());
    }
  }
  runner::AbortWatcher watcher(prepared.directory(), stop);
  if (!watcher.error().empty()) complain("the abort file has no effect in this run: " + watcher.error());
  OutputFiles files(run.journal ? run.journal->file() : "", secrets, prepared.output_limits());
  journal::Masking masking(secrets, shown);
  journal::Observers all({run.journal.get(), &masking});
  if (prepared.tools().own_place() == "cluster") run.settings.on = "cluster";
  runner::RunServices services = prepared.services();
  services.confirm = std::move(run.confirm);
  services.skips_finally = std::move(run.skips_finally);
  services.approve = std::move(run.approve);
  services.may_begin = std::move(run.may_begin);
  services.before_state = [&watcher] { watcher.look(); };
  services.outputs = &files;
  cache::StepCache::Options cached = prepared.cache_options();
  cached.force = run.settings.force;
  cache::StepCache cache(std::move(cached));
  services.cache = &cache;
  services.record_skipped = [&prepared, masker = secrets::Masker(own_environment())](nlohmann::ordered_json fields) {
    const audit::AppendOptions trail = prepared.trail();
    if (trail.file.empty()) return std::string();
    if (const auto command = fields.find("command"); command != fields.end()) {
      *command = masker.masked(command->get_ref<const std::string&>());
    }
    std::string why = audit::append(trail, "up_to_date", fields);
    if (why.empty() || !trail.continue_when_unwritable) return why;
    complain(why + "; the step is skipped nevertheless (audit.when_unwritable: continue)");
    return std::string();
  };
  servers::ServerTools with_servers(tools, prepared.servers());
  runner::RunReport report =
      journal::masked(runner::run_workflow({prepared.workflow(), prepared.source(), std::move(run.inputs), with_servers,
                                            stop, all, run.settings, std::move(services), &secrets, run.past,
                                            run.journal ? run.journal->run() : "", prepared.shown_name()}),
                      secrets);
  // A result that was kept may contain a secret that became known only later.
  if (!secrets.empty()) {
    for (const std::string& step : cache.recheck([&secrets] { return runner::secret_search(&secrets); })) {
      complain("the result of '" + step + "' is not kept for later runs: it contains a secret that became known later");
    }
  }
  return report;
}

journal::Journal::Options journal_options(const runner::Secrets& secrets) {
  return {&secrets, [](const std::string& text) { complain(text); }};
}

std::vector<std::string> lost_inputs(const journal::RunRecord& run, const std::set<std::string>& given,
                                     const std::string& option) {
  std::vector<std::string> sentences;
  const auto again = [&](const std::string& name) {
    return "give it again" +
           (option.empty() ? "" : " with " + option + name + "=FILE or --var-env " + name + "=VARIABLE");
  };
  for (const std::string& name : run.secret_inputs) {
    if (!given.contains(name)) sentences.push_back("the secret '" + name + "' is not in the journal; " + again(name));
  }
  for (const std::string& name : run.masked_inputs) {
    if (given.contains(name)) continue;
    sentences.push_back("the input '" + name + "' contains a secret, which is not in the journal; " + again(name));
  }
  return sentences;
}

std::string changed_since(const workflow::Source& source, const journal::RunRecord& run) {
  if (sha256(source.text()) == run.sha256()) return {};
  return "the file " + run.file + " has changed since the run " + run.run +
         "; completed steps are kept until the run comes to a state or an action that has changed";
}

}  // namespace wtool::host
