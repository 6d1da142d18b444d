// The servers that `mcp_servers` of the configuration names, and what is pinned for them: their names, versions and
// tools, as `wtool servers lock` has found them. A tool is called SERVER/TOOL.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace wtool::host::servers {

// Below the directory of a run. The sandbox keeps commands from writing there.
inline constexpr const char* lock_file = ".wtool/mcp-servers.json";

struct Settings {
  std::string command{};  // a line for the shell
  nlohmann::json env = nlohmann::json::object();
  std::optional<std::vector<std::string>> tools{};   // tools that may be called; * at the end: any ending; nothing: all
  std::int64_t timeout = 0;                          // seconds; 0: as for every call
  nlohmann::json limits = nlohmann::json::object();  // in the form of wtool_request.limits
};

struct CatalogTool {
  std::string description{};
  nlohmann::json input_schema = nlohmann::json::object();

  bool operator==(const CatalogTool&) const = default;

  // Why no arguments can be compared with the schema: it is not well-formed. Empty: they can.
  std::string unreadable() const;
};

// What a server reports about itself.
struct Offer {
  std::string name{};
  std::string version{};
  std::string protocol{};  // the version of the protocol that was used with it
  std::map<std::string, CatalogTool, std::less<>> tools{};
};

class Catalog {
 public:
  Catalog() = default;
  // `configured` is the value of the key mcp_servers; `directory` is the directory of the runs.
  Catalog(const nlohmann::json& configured, const std::string& directory);

  const std::map<std::string, Settings, std::less<>>& servers() const { return servers_; }

  // The server of the tool, and the tool's name on that server. Nothing: `id` does not begin with a configured server.
  struct Found {
    std::string server{};
    std::string tool{};
    const Settings* settings = nullptr;
    const Offer* pinned = nullptr;         // nullptr: nothing is pinned for the server
    const CatalogTool* offered = nullptr;  // nullptr: no such tool is pinned for this server
    bool allowed = false;                  // the key `tools` of the server's configuration allows it
  };
  std::optional<Found> find(std::string_view id) const;

  // Why the tool cannot be called, whether `tools` allows it or not; empty: it can.
  std::string problem(const Found& found) const;

  // The names, SERVER/TOOL, of all tools that can be called.
  std::vector<std::string> ids() const;
  const Offer* pinned(std::string_view server) const;

  // Why the lock file cannot be used; empty: it can be used, or does not exist.
  const std::string& lock_problem() const { return lock_problem_; }

 private:
  std::map<std::string, Settings, std::less<>> servers_;
  std::map<std::string, Offer, std::less<>> pinned_;
  std::string lock_problem_;
};

// The text of a lock file with these servers.
std::string lock_text(const std::map<std::string, Offer, std::less<>>& servers);
// Reads the text of a lock file. Nothing: `problem` says why.
std::optional<std::map<std::string, Offer, std::less<>>> read_lock(const std::string& text, std::string& problem);

}  // namespace wtool::host::servers
