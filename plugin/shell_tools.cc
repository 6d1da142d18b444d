// The plugin shell_tools. It offers all tools, and runs their commands on this machine.
#include "entry.h"

#ifndef WTOOL_VERSION
#error "the build defines WTOOL_VERSION"
#endif

namespace wtool::entry {

namespace {

class LocalBackend final : public Backend {
 public:
  explicit LocalBackend(engine::WardenClient& client) : runner_(std::make_shared<engine::LocalRunner>(client)) {}

  std::shared_ptr<engine::CommandRunner> runner(std::string&, const FleetPolicy&, std::string&) override {
    return runner_;
  }

 private:
  const std::shared_ptr<engine::CommandRunner> runner_;
};

}  // namespace

std::span<const tools::Tool> offered_tools() { return tools::all(); }

std::string no_such_tool(std::string_view id) { return "this plugin has no tool " + std::string(id); }

std::unique_ptr<Backend> make_backend(const wtool_host&, engine::WardenClient& client) {
  return std::make_unique<LocalBackend>(client);
}

}  // namespace wtool::entry

extern "C" WTOOL_EXPORT const wtool_entry wtool_entry_v1 = {
    sizeof(wtool_entry),      WTOOL_ABI_MAJOR,
    WTOOL_ABI_MINOR,          0,
    {"shell_tools", 11},      {WTOOL_VERSION, sizeof(WTOOL_VERSION) - 1},
    wtool::entry::init,       wtool::entry::deinit,
    wtool::entry::tool_count, wtool::entry::tool_at,
    wtool::entry::tool_new,
};
