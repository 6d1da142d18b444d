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
  std::unique_ptr<workflow::Journal> journal;  // null: none is kept
  const workflow::PastRun* past = nullptr;     // of the run that is gone on with
  workflow::RunSettings settings{};
  std::function<std::optional<bool>(const std::string& question, Stop& stop)> confirm;  // as in RunServices
  std::function<bool()> skips_finally{};                                                // the same
};

// Blocks until the run is over. Neither `shown` nor the report contains secrets. The file .swissarmyhammer/.abort stops
// the run.
workflow::RunReport run_journaled(PreparedWorkflow& prepared, ToolCaller& tools, JournaledRun run,
                                  workflow::Secrets& secrets, Stop& stop, workflow::RunObserver& shown);

// Notices of a journal go to standard error.
workflow::Journal::Options journal_options(const workflow::Secrets& secrets);

// A sentence for each input of that run whose value the journal does not hold, because it is or contains a secret,
// without the `given` ones. `option` is as for resolve_inputs.
std::vector<std::string> lost_inputs(const workflow::RunRecord& run, const std::set<std::string>& given,
                                     const std::string& option);

// What to say where the file is another one than when the run continued last; empty: it is the same.
std::string changed_since(const workflow::Source& source, const workflow::RunRecord& run);

}  // namespace wtool::host
