// The values of a run that are known before it begins: its inputs, and variables that are set in only one place, by a
// Set whose value is known. All other values are open: they are known only during the run, and are shown as
// `<build.stdout>`.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>

#include "expressions/expression.h"
#include "expressions/template.h"
#include "runner/secrets.h"
#include "workflow/model/model.h"

namespace wtool::host::planning {

class KnownValues final : public expressions::Scope {
 public:
  // `open` are inputs whose values are not known yet; `set_by_agents` are names that an agent may set. Secret
  // values are added to `secrets`. The workflow must outlive this object.
  KnownValues(const workflow::Workflow& workflow, std::map<std::string, expressions::Value> inputs,
              std::set<std::string> open, const std::set<std::string>& set_by_agents, runner::Secrets& secrets);

  // The value of the name; nullptr: the value is open.
  const expressions::Value* find(std::string_view name) const override;
  std::string why_not(std::string_view name) const override;

  // True if the value of this use is known only during the run. A use with a default is open even if a Set gives a
  // known value, because the run may skip the Set.
  bool is_open(const expressions::NameUse& use) const;
  bool knows_all(const expressions::Template& text) const;

  // Sets a name that has a value only in the state that is planned now: matrix.
  void set_local(const std::string& name, expressions::Value value);

 private:
  void read_assignments(runner::Secrets& secrets);

  const workflow::Workflow& workflow_;
  std::map<std::string, expressions::Value, std::less<>> values_;
  std::set<std::string, std::less<>> set_;   // names in values_ that a Set sets
  std::set<std::string, std::less<>> open_;  // names whose values are not known yet
};

// A text with the known values filled in.
struct Filled {
  std::string text;
  bool complete = true;  // nothing in it is open
  std::string problem;   // what is wrong with the text or its known values; empty: nothing is wrong
};

Filled filled(const workflow::TemplateText& text, const KnownValues& values);
// Fills in a command. The values are quoted for their places in the command.
Filled filled(const workflow::CommandText& command, const KnownValues& values);
// Fills in JSON whose strings are templates. `complete` becomes false if a value is open, or if a template cannot be
// rendered; in the second case, `problem` says why.
nlohmann::json filled_json(const nlohmann::json& json, const KnownValues& values, bool& complete, std::string& problem);

}  // namespace wtool::host::planning
