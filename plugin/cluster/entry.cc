// The plugin cluster_tools: the tools of shell_tools, whose commands run on the nodes of a Slurm cluster.
//
// - A call is judged, approved and recorded here, by the same code as in shell_tools; only then does it take a slot
//   (remote_runner.h).
// - In a pilot (`wtool agent`), commands run on the pilot's machine. The plugin then also has the tool engine_run,
//   which carries out the orders of hosts and is never listed.
#include "entry.h"

#include <algorithm>
#include <filesystem>
#include <vector>
#include <wtool/cpp/plugin.hpp>

#include "base/config/fleet.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/lasting.h"
#include "base/pilot/channel.h"
#include "cluster/client_programs.h"
#include "cluster/engine_run.h"
#include "cluster/remote_runner.h"

#ifndef WTOOL_VERSION
#error "the build defines WTOOL_VERSION"
#endif

namespace wtool::entry {

namespace {

bool is_of_terminals(std::string_view id) { return id.starts_with("pty_"); }

class PilotBackend final : public Backend {
 public:
  explicit PilotBackend(engine::WardenClient& client) : runner_(std::make_shared<engine::LocalRunner>(client)) {}

  std::shared_ptr<engine::CommandRunner> runner(std::string&, const FleetPolicy&, std::string&) override {
    return runner_;
  }

  const tools::Tool* hidden_tool(std::string_view id) const override {
    return id == pilot::run_tool ? &cluster::engine_run() : nullptr;
  }

 private:
  const std::shared_ptr<engine::CommandRunner> runner_;
};

class ClusterBackend final : public Backend {
 public:
  explicit ClusterBackend(engine::WardenClient& client) { cluster::set_client_custody(&client); }
  ~ClusterBackend() override {
    pools_.clear();
    cluster::set_client_custody(nullptr);
  }

  std::shared_ptr<engine::CommandRunner> runner(std::string& configuration, const FleetPolicy& fleet,
                                                std::string& problem) override {
    nlohmann::json all = nlohmann::json::object();
    if (!configuration.empty()) all = parse_json_object(configuration, problem);
    if (!problem.empty()) {
      problem.insert(0, "configuration: ");
      return nullptr;
    }
    if (!hold_to(fleet, true, all, problem)) return nullptr;
    const nlohmann::json section = all.value("cluster", nlohmann::json::object());
    all.erase("cluster");
    if (all.contains("background") && all["background"] == "keep") {
      problem =
          "background is keep, but a call on a cluster gives its slot back when it ends, so none of its processes can "
          "continue; only terminal sessions keep processes there";
      return nullptr;
    }
    auto options = cluster::read_options(section, std::filesystem::current_path(), problem);
    if (!options) return nullptr;
    // When memory runs out, Slurm would kill the pilot with all of its calls; the warden kills only the call that uses
    // too much.
    const std::uint64_t memory = cluster::call_memory(*options);
    if (memory > 0 && (!all.contains("limits") || all["limits"].is_object())) {
      all["limits"].emplace("memory_bytes", memory);
    }
    configuration = dumped(all);
    return std::make_shared<cluster::RemoteRunner>(pools_.of(std::move(*options)), configuration);
  }

 private:
  cluster::Pools pools_;
};

}  // namespace

std::span<const tools::Tool> offered_tools() {
  static const auto& offered = lasting<std::vector<tools::Tool>>([] {
    std::vector<tools::Tool> list;
    for (const tools::Tool& tool : tools::all()) {
      if (!is_of_terminals(tool.description.id)) list.push_back(tool);
    }
    return list;
  }());
  return offered;
}

std::string no_such_tool(std::string_view id) {
  const std::string name(id);
  if (is_of_terminals(id))
    return "the plugin cluster_tools has no " + name + ": terminals are not available on a cluster yet";
  return "this plugin has no tool " + name;
}

std::unique_ptr<Backend> make_backend(const wtool_host& host, engine::WardenClient& client) {
  const bool in_pilot = host.get_extension != nullptr && host.get_extension(&host, pilot::pilot_extension) != nullptr;
  if (in_pilot) return std::make_unique<PilotBackend>(client);
  return std::make_unique<ClusterBackend>(client);
}

}  // namespace wtool::entry

extern "C" WTOOL_EXPORT const wtool_entry wtool_entry_v1 = {
    sizeof(wtool_entry),      WTOOL_ABI_MAJOR,
    WTOOL_ABI_MINOR,          0,
    {"cluster_tools", 13},    {WTOOL_VERSION, sizeof(WTOOL_VERSION) - 1},
    wtool::entry::init,       wtool::entry::deinit,
    wtool::entry::tool_count, wtool::entry::tool_at,
    wtool::entry::tool_new,
};
