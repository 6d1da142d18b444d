// Which variables a workflow reads, and where.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

struct NameRead {
  std::string name;
  std::string field;  // the first field that is taken of it; may be empty
  // If a dash or a dot directly follows the name: the name up to the end of the words joined like that. May be empty.
  std::string longer;
  std::size_t offset = 0;
  bool may_be_missing = false;  // it has a default
  bool in_command = false;      // as ${name}
  bool whole_condition = false;
  std::size_t state = no_state;
  bool in_action = false;  // of that state; else in one of its exits
};

// `diagnostics` gets the mistakes in templates that nothing has parsed before (those in JSON); may be null.
std::vector<NameRead> name_uses(const Workflow& workflow, Diagnostics* diagnostics);

// Every name that has a value at some time in a run: those of `given`, parameters, what Set and result="..." store, the
// states, and the run's own except `matrix`.
std::set<std::string, std::less<>> names_defined(const Workflow& workflow, const std::vector<std::string>& given);

// Every variable that the workflow reads in a template or condition, sorted, each once.
std::vector<std::string> names_read(const Workflow& workflow);

}  // namespace wtool::host::workflow
