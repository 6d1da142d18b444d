#include "workflow/parse/parser.h"

#include "workflow/legacy/legacy.h"
#include "workflow/parse/defaults.h"
#include "workflow/parse/front_matter.h"
#include "workflow/parse/markdown.h"

namespace wtool::host::workflow {

Workflow parse_workflow(const Source& source, Diagnostics& diagnostics, const EnvironmentSource* environment) {
  Workflow workflow;
  const Document document = read_document(source, diagnostics);
  if (document.is_broken) return workflow;
  if (document.front_matter) read_front_matter(source, *document.front_matter, workflow, diagnostics);
  // Without a diagram, every action would belong to an unknown state; the one diagnostic about the diagram is enough.
  if (!document.diagram) return workflow;
  read_diagram(source, *document.diagram, workflow, diagnostics);
  for (const ActionItem& item : document.items) read_action(item, workflow, diagnostics);
  apply_sections(document, workflow, diagnostics);
  find_lost_actions(source, document, workflow, diagnostics);
  apply_defaults(workflow, environment, diagnostics);
  return workflow;
}

}  // namespace wtool::host::workflow
