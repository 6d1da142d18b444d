// Decides whether the call of a step with `inputs` or `cache` can be skipped, because an earlier run has done the same.
//
// The policy judges such a call as if it were made. Only a call that the policy allows is skipped. Any other call is
// made, so that a person is asked, or the refusal is recorded.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cache/step_cache.h"
#include "loader/tool_caller.h"
#include "runner/actions.h"
#include "runner/output_claims.h"
#include "runner/run_request.h"
#include "runner/strict_files.h"
#include "workflow/model/model.h"

namespace wtool::host::runner {

// The patterns of `inputs` or `outputs` with their values filled in. A text whose value is a list becomes the elements
// of the list. Nothing: `why` says what is wrong.
std::optional<std::vector<std::string>> rendered_patterns(const nlohmann::json* patterns,
                                                          const expressions::Scope& values, std::string& why);

// True if the step has `inputs`, but the list of their values (`rendered`) is empty, or has only patterns that exclude
// files. No change of a file would then ever make the step run again, so it runs each time, for the reason `no_input`.
bool names_no_input(const workflow::ActionOptions& options, const std::vector<std::string>& rendered);
inline constexpr const char* no_input = "its inputs name no file";

// What `explain` says about the call. Nothing: it is not known, for the reason `why`.
std::optional<Explanation> explanation_of(const Explain& explain, const CallPlace& place, const std::string& tool,
                                          const nlohmann::json& arguments, std::string& why);

// What the call depends on, besides its files. `prompt` is the prompt that its command gets, or null. Nothing: the call
// is always made, for the reason `why`.
std::optional<cache::Work> work_of(const std::string& tool, const nlohmann::json& arguments, const CallPlace& place,
                                   const Explanation& explained, const PreparedPrompt* prompt, std::string& why);

// Makes the result depend on the configuration, on `output` and on `cache=strict` as well: a result that was valid for
// another `output`, or was made with files that are not named, may not be valid now.
void add_options(const workflow::ActionOptions& options, const ConfigurationState& configuration, cache::Work& work);

// A function that finds secrets in a text that comes in pieces. `secrets` must outlive it; nullptr: no secrets.
cache::StepCache::Refuses secret_search(const Secrets* secrets);

// One call of a step, whose result may be kept for later runs. Does nothing for a step that is always run.
class KeptCall {
 public:
  KeptCall(const Step& step, const ActionContext& context, const CallPlace& place, const std::string& tool,
           const nlohmann::json& arguments, const PreparedPrompt* prompt);

  // What is wrong with the patterns; empty: they are valid.
  const std::string& mistake() const { return mistake_; }
  // For a step with cache=strict: limits the call to the files that the step names. Returns why the call cannot be
  // limited; empty: it is limited, or the step has no cache=strict.
  std::string confine(const ActionContext& context, CallPlace& place, const std::string& tool,
                      const nlohmann::json& arguments);
  // True if the step is up to date. Its output files then exist, and its outcome is in `result`.
  bool take(ActionResult& result);
  // Why the step has not done what its `outputs` say: the first of them that its call has not made. Empty: all are there,
  // or it is not known where they should be.
  std::string missing_output() const;
  // Keeps the result of the call for later runs, with the values that the agent of a prompt has set. Also notes in the
  // result which files the step has made.
  void keep(ActionResult& result);

 private:
  bool take_kept(ActionResult& result);
  // False: the result is not kept, and `outputs` stays empty.
  bool keep_result(const ActionResult& result, std::vector<cache::CachedOutput>& outputs);
  void note_made_files(ActionResult& result, const std::vector<cache::CachedOutput>& outputs) const;
  // Tells other runs that the step may write its outputs from now on.
  void claim_in_all_runs();
  void notice(const std::string& what) const;
  std::string record() const;
  // True if the sandbox denied the step a file, because of cache=strict. If so, also reports a notice about the file.
  bool was_refused_files(const Outcome& outcome) const;

  const Step& step_;
  Run& run_;
  cache::StepCache* cache_ = nullptr;
  cache::Work work_;
  cache::Look look_;
  ConfigurationState configuration_;  // when the step was looked up
  std::string mistake_;
  StrictFiles strict_files_;
  OutputClaims::Held claim_;              // in this run
  cache::SharedClaim::Contents claimed_;  // without outputs: nothing is claimed
  cache::SharedClaim shared_claim_;       // in all runs; released before claim_, so that no step of this run finds it
  bool is_confined_ = false;
  // These members are only for the audit trail.
  std::string tool_, command_, rule_;
};

}  // namespace wtool::host::runner
