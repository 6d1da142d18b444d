// The action `Service "command"`; services.h supervises the service.
#include "runner/actions/action_runner.h"
#include "runner/services.h"

namespace wtool::host::workflow {

void ServiceAction::perform(const ServiceAction& action, runner::ActionRunner& runner) {
  runner.result = runner.invocation.run.services().start(runner.step, runner.context, action);
}

}  // namespace wtool::host::workflow
