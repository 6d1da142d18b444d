// Fuzzes workflow/parse/parser.h and workflow/check/checker.h, with all that they read: markdown, front matter,
// diagrams, actions, templates, conditions. The input is a workflow file. Whatever the bytes are, they are read and
// checked quickly; each diagnostic is at a place in the file; and if there is no error, the arrows lead to states.
// One input in: 30
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/utf8.h"
#include "fuzz/require.h"
#include "workflow/check/checker.h"
#include "workflow/parse/parser.h"

namespace {

using namespace wtool::host::workflow;

using wtool::test::require;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  if (!wtool::is_utf8(text) || text.find('\0') != std::string::npos) return 0;
  const Source source("fuzz.md", std::move(text));
  Diagnostics diagnostics;
  const Workflow workflow = parse_workflow(source, diagnostics);
  check_workflow(workflow, {}, nullptr, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.sorted()) require(diagnostic.offset <= source.text().size());
  if (!diagnostics.empty()) return 0;
  require(workflow.start < workflow.states.size());
  for (const State& state : workflow.states) {
    for (const Transition& exit : state.exits) require(exit.target == no_state || exit.target < workflow.states.size());
  }
  return 0;
}
