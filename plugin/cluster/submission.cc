#include "cluster/submission.h"

#include <filesystem>

#include "base/json.h"
#include "base/json_reader.h"

namespace wtool::cluster {

std::string with_submission(std::string_view explained, const Options& options, const char* authentication) {
  nlohmann::ordered_json all = parse_ordered_json(explained);
  if (!all.is_object()) return std::string(explained);
  std::error_code failed;
  const std::string comment = "slots:" + std::to_string(options.slots) + " pool:ID";
  const std::string name = options.job_name.empty() ? "wtool-RUN" : options.job_name;
  all["cluster"] = {{"slots", options.slots},
                    {"nodes", options.nodes},
                    {"cpus", options.cpus},
                    {"minutes", options.minutes},
                    {"authentication", authentication},
                    {"sbatch", submission(options, name, comment, "wtool", options.directory + "/TICKET",
                                          std::filesystem::current_path(failed).string())}};
  return dumped(all);
}

}  // namespace wtool::cluster
