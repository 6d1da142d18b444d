// Whether the call of a step can be left out because an earlier run has done the same, for steps with `inputs` or `cache`.
//
// The policy judges such a call as it would judge the run: only one that it allows is left out. Any other one is made,
// so that a person is asked, or the refusal is on record.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cache/step_cache.h"
#include "expressions/value.h"
#include "loader/tool_caller.h"
#include "runner/actions.h"
#include "workflow/model/model.h"

namespace wtool::host::runner {

// The texts of `inputs` or `outputs`, filled in. A text that stands for a list gives its elements. Nothing: `why`.
std::optional<std::vector<std::string>> rendered_patterns(const nlohmann::json* patterns,
                                                          const expressions::Scope& values, std::string& why);

// What the call depends on, beside its files. `explained` is what explain() says of it; `prompt` is what its command is
// given, or null. Nothing: the call is made in any case, because of `why`.
std::optional<cache::Work> work_of(const std::string& tool, const nlohmann::json& arguments, const CallPlace& place,
                                   const nlohmann::ordered_json& explained, const PreparedPrompt* prompt,
                                   std::string& why);

// What the result is judged by: what was valid for another `output` may not be valid now.
void add_output(const workflow::ActionOptions& options, cache::Work& work);

// Whether a text that comes in pieces holds a secret. They must outlive it; null: there are none.
cache::StepCache::Refuses secret_search(const Secrets* secrets);

// One call of a step. Does nothing where the step is run in any case.
class KeptCall {
 public:
  KeptCall(const Step& step, const ActionContext& context, const CallPlace& place, const std::string& tool,
           const nlohmann::json& arguments, const PreparedPrompt* prompt);

  // What is wrong with the patterns; empty: nothing.
  const std::string& mistake() const { return mistake_; }
  // True: the step is up to date. Its outputs are there, and its outcome is in `result`.
  bool take(ActionResult& result);
  // What the call has given, for a later run; with the values that the agent of a prompt has set.
  void keep(const ActionResult& result);

 private:
  void notice(const std::string& what) const;

  const Step& step_;
  Run& run_;
  cache::StepCache* cache_ = nullptr;
  cache::Work work_;
  cache::Look look_;
  std::string mistake_;
};

}  // namespace wtool::host::runner
