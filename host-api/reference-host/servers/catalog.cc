#include "servers/catalog.h"

#include <fcntl.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/edit_distance.h"
#include "base/escape.h"
#include "base/files.h"
#include "base/formats.h"
#include "base/json_reader.h"
#include "base/json_schema.h"

namespace wtool::host::servers {
namespace {

using nlohmann::json;
using Offers = std::map<std::string, Offer, std::less<>>;

constexpr std::size_t lock_bytes = 64UL << 20;
constexpr const char* again = "`wtool servers lock` writes it again";

Settings settings_of(const json& value) {
  Settings made;
  for (const auto& [name, one] : value.items()) {
    if (name == "command") {
      one.get_to(made.command);
    } else if (name == "env") {
      made.env = one;
    } else if (name == "tools") {
      made.tools = one.get<std::vector<std::string>>();
    } else if (name == "timeout") {
      one.get_to(made.timeout);
    } else {
      made.limits[name] = one;
    }
  }
  return made;
}

bool matches(const std::string& pattern, const std::string& tool) {
  return pattern.ends_with('*') ? tool.starts_with(pattern.substr(0, pattern.size() - 1)) : tool == pattern;
}

Offer offer_of(const json& value) {
  Offer made;
  value.at("name").get_to(made.name);
  value.at("version").get_to(made.version);
  value.at("protocol").get_to(made.protocol);
  for (const auto& [name, tool] : value.at("tools").items()) {
    CatalogTool& one = made.tools[name];
    tool.at("description").get_to(one.description);
    one.input_schema = tool.at("input_schema");
  }
  return made;
}

}  // namespace

std::string lock_text(const Offers& servers) {
  json all = {{"v", formats::server_lock}, {"servers", json::object()}};
  for (const auto& [name, offer] : servers) {
    json tools = json::object();
    for (const auto& [tool, one] : offer.tools) {
      tools[tool] = {{"description", one.description}, {"input_schema", one.input_schema}};
    }
    all["servers"][name] = {
        {"name", offer.name}, {"version", offer.version}, {"protocol", offer.protocol}, {"tools", std::move(tools)}};
  }
  return dumped(all, 2) + '\n';
}

std::optional<Offers> read_lock(const std::string& text, std::string& problem) {
  const json all = parse_json_object(text, problem);
  if (!problem.empty()) return std::nullopt;
  try {
    if (all.at("v") != formats::server_lock) {
      problem = "it has version " + show_json(all.at("v")) + ", which this program cannot read";
      return std::nullopt;
    }
    Offers made;
    for (const auto& [name, value] : all.at("servers").items()) made.emplace(name, offer_of(value));
    return made;
  } catch (const json::exception&) {
    problem = "it is not a valid lock file";
    return std::nullopt;
  }
}

std::string CatalogTool::unreadable() const { return schema_mistake(input_schema); }

Catalog::Catalog(const json& configured, const std::string& directory) {
  if (!configured.is_object() || configured.empty()) return;
  for (const auto& [name, value] : configured.items()) servers_.emplace(name, settings_of(value));
  const std::string path = directory + "/" + lock_file;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file && errno == ENOENT) return;
  std::string text;
  const int failed = file ? read_all(file.get(), lock_bytes, text) : errno;
  std::string why = failed == 0 ? "" : ::strerror(failed);
  if (why.empty()) {
    if (auto read = read_lock(text, why)) pinned_ = std::move(*read);
  }
  if (!why.empty()) lock_problem_ = std::string(lock_file) + " cannot be used: " + why + "; " + again;
}

std::optional<Catalog::Found> Catalog::find(std::string_view id) const {
  const std::size_t slash = id.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto server = servers_.find(id.substr(0, slash));
  if (server == servers_.end()) return std::nullopt;
  Found found{.server = server->first, .tool = std::string(id.substr(slash + 1)), .settings = &server->second};
  found.pinned = pinned(found.server);
  if (found.pinned != nullptr) {
    const auto tool = found.pinned->tools.find(found.tool);
    if (tool != found.pinned->tools.end()) found.offered = &tool->second;
  }
  const auto& allowed = found.settings->tools;
  found.allowed = !allowed || std::any_of(allowed->begin(), allowed->end(),
                                          [&](const std::string& pattern) { return matches(pattern, found.tool); });
  return found;
}

std::string Catalog::problem(const Found& found) const {
  if (!lock_problem_.empty()) return lock_problem_;
  if (found.pinned == nullptr) {
    return "the tools of the server " + escaped(found.server) + " are not pinned; `wtool servers lock` pins them";
  }
  if (found.offered != nullptr) return {};
  std::vector<std::string> names;
  for (const auto& [name, tool] : found.pinned->tools) names.push_back(name);
  return "the server " + escaped(found.server) + " has no tool " + escaped(found.tool) +
         question_then(did_you_mean(found.tool, names, found.server + "/"), "`wtool servers list` shows its tools");
}

std::vector<std::string> Catalog::ids() const {
  std::vector<std::string> made;
  for (const auto& [server, settings] : servers_) {
    const Offer* offer = pinned(server);
    if (offer == nullptr) continue;
    for (const auto& [tool, one] : offer->tools) {
      if (const auto found = find(server + "/" + tool); found && found->allowed) made.push_back(server + "/" + tool);
    }
  }
  return made;
}

const Offer* Catalog::pinned(std::string_view server) const {
  const auto found = pinned_.find(server);
  return found == pinned_.end() ? nullptr : &found->second;
}

}  // namespace wtool::host::servers
