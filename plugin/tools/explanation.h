// The verdict of the policy as JSON, in results and in the answers of wtool.explain/1. docs/policy.md describes each
// key.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "call/plan.h"

namespace wtool::tools {

// {"verdict", "reason", "rule"}, and "word" with its "range" where it is about one. Text is valid UTF-8.
nlohmann::ordered_json policy_object(const policy::Verdict& verdict);

// What a call of this request would do, as a JSON object.
std::string explanation(const CommandRequest& request, const Configuration& configuration);

// The same of a call whose parameters are wrong: it is denied.
std::string explanation(const std::string& problem);

}  // namespace wtool::tools
