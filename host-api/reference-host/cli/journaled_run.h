// One run of a prepared workflow with everything around it: its journal, its whole outputs, and the masking of its
// secrets. Shared by `wtool run` and `wtool mcp --workflows`.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/stop.h"
#include "cli/prepared_workflow.h"
#include "journal/journal.h"
#include "journal/run_record.h"
#include "loader/tool_caller.h"
#include "runner/executor.h"
#include "runner/secrets.h"

namespace wtool::host {

struct JournaledRun {
  std::map<std::string, expressions::Value> inputs;
  std::unique_ptr<journal::Journal> journal;  // null: none is kept
  const runner::PastRun* past = nullptr;      // of the run that is gone on with
  runner::RunSettings settings{};
  std::function<std::optional<bool>(const std::string& question, Stop& stop)> confirm;  // as in RunServices
  std::function<bool()> skips_finally{};                                                // the same
};

// Blocks until the run is over. Neither `shown` nor the report contains secrets. The file .swissarmyhammer/.abort stops
// the run.
runner::RunReport run_journaled(PreparedWorkflow& prepared, ToolCaller& tools, JournaledRun run,
                                runner::Secrets& secrets, Stop& stop, runner::RunObserver& shown);

// Notices of a journal go to standard error.
journal::Journal::Options journal_options(const runner::Secrets& secrets);

// A sentence for each input of that run whose value the journal does not hold, because it is or contains a secret,
// without the `given` ones. `option` is as for resolve_inputs.
std::vector<std::string> lost_inputs(const journal::RunRecord& run, const std::set<std::string>& given,
                                     const std::string& option);

// What to say where the file is another one than when the run continued last; empty: it is the same.
std::string changed_since(const workflow::Source& source, const journal::RunRecord& run);

}  // namespace wtool::host
