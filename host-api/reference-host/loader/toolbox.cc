#include "loader/toolbox.h"

#include <unistd.h>

#include <algorithm>
#include <utility>
#include <wtool/cpp/host.hpp>

#include "base/edit_distance.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/temporary_path.h"
#include "loader/stdin_parameter.h"
#include "loader/toolbox_parts.h"
#include "tracing/tracing.h"

namespace wtool::host {

namespace {

std::string status_text(wtool_status status) {
  switch (status) {
    case WTOOL_E_INVALID_ARGUMENT:
      return "invalid argument";
    case WTOOL_E_UNSUPPORTED:
      return "unsupported";
    case WTOOL_E_CANCELLED:
      return "cancelled";
    case WTOOL_E_BUSY:
      return "busy";
    case WTOOL_E_RESOURCE:
      return "out of memory, descriptors or threads";
    case WTOOL_E_INTERNAL:
      return "an internal error of the plugin";
    default:
      return "status " + std::to_string(status);
  }
}

bool is_complete(const wtool_tool* tool) {
  return tool != nullptr && WTOOL_HAS(tool, destroy) && tool->call_new != nullptr && tool->call_run != nullptr &&
         tool->call_cancel != nullptr && tool->call_free != nullptr && tool->destroy != nullptr;
}

// Loads the configuration, and adds to it the names of its files and the settings for what this host offers.
std::optional<std::string> load_whole(ConfigSource& source, const Plugin& plugin, std::string& error) {
  std::optional<std::string> config = source.load(error);
  if (const std::string notice = source.take_notice(); !notice.empty()) {
    // An error, because a terminal does not show warnings, and these rules would otherwise be missing silently.
    plugin.tracing().log(LogLevel::error, "wtool::loader", notice);
  }
  const std::vector<std::string> paths = source.paths_in_force();
  const auto& tools = plugin.tools();
  const bool takes_stdin =
      std::any_of(tools.begin(), tools.end(), [](const ToolDescription& tool) { return tool.id == stdin_tool; });
  if (!config || (paths.empty() && !takes_stdin)) return config;
  try {
    nlohmann::json all = parse_json_or_throw(*config);
    if (!paths.empty()) all["in_force"]["configuration"] = paths;
    if (takes_stdin) all["shell"]["stdin"] = true;
    return all.dump();
  } catch (const nlohmann::json::exception&) {
    error = "the path of a configuration file is not valid UTF-8, so no plugin can protect the file";
    return std::nullopt;
  }
}

}  // namespace

std::string failure_text(wtool_status status, std::string_view reason) {
  return reason.empty() ? status_text(status) : escaped(reason) + " (" + status_text(status) + ')';
}

std::string no_limits_error(std::string_view id) {
  return "the tool " + escaped(id) + " does not support limits of a call; call it without sandbox, network, " +
         "memory, cpu and processes";
}

Toolbox::Use::Use(Toolbox& toolbox, Stop& stop, const CallPlace& place, std::string_view id, bool lasting)
    : toolbox_(toolbox), variant_(toolbox.normal(place), id), lasting_(lasting), entry_(toolbox, stop, *this) {
  std::atomic<bool> stopped{false};
  const Stop::Subscription listening = stop.subscribe([&](const StopRequest&) {
    // Set under the lock. Otherwise, `stopped` could be set between this call's check and its wait, which would then
    // miss the notification.
    const std::lock_guard lock(toolbox_.mutex_);
    stopped.store(true);
    toolbox_.changed_.notify_all();
  });
  std::unique_lock lock(toolbox_.mutex_);
  toolbox_.look_for_change();
  while (true) {
    if (!toolbox_.config_error_.empty()) {
      invalid_ = true;
      error_ = toolbox_.config_error_;
      return;
    }
    if (toolbox_.made_with_ == toolbox_.wanted_ && toolbox_.is_ready(variant_)) {
      // Expected tools are made now; if they were made later, their first call might have to wait for this call.
      if (toolbox_.running_ == 0) toolbox_.make_variants();
      granted_ = true;
      ++toolbox_.running_;
      if (lasting_) ++toolbox_.lasting_;
      return;
    }
    if (!is_plain()) toolbox_.variants_.try_emplace(variant_);
    if (toolbox_.running_ == 0) {
      if (toolbox_.made_with_ != toolbox_.wanted_) {
        toolbox_.make_tools();
      } else {
        toolbox_.make_variants();
      }
    } else if (stopped.load()) {
      const bool changed = toolbox_.made_with_ != toolbox_.wanted_;
      error_ = std::string(changed ? "the configuration has changed"
                                   : "a tool with a different shell or for a different place had to be made") +
               ", and the call was stopped while it waited for the running calls to end";
      return;
    } else if (toolbox_.running_ == toolbox_.lasting_) {
      const bool changed = toolbox_.made_with_ != toolbox_.wanted_;
      const bool has_jobs = std::any_of(toolbox_.uses_.begin(), toolbox_.uses_.end(),
                                        [](const auto& use) { return use.second->granted_ && use.second->is_job_; });
      error_ = std::string(changed ? "the configuration has changed, and takes effect only"
                                   : "a tool with a different shell or for a different place can be made only") +
               (has_jobs ? " when no job runs; end the jobs, or wait for their ends, and call again"
                         : " when no service runs; end the run, and resume it");
      return;
    } else {
      toolbox_.changed_.wait(lock);
      toolbox_.look_for_change();
    }
  }
}

Toolbox::Use::~Use() {
  if (!granted_) return;
  const std::lock_guard lock(toolbox_.mutex_);
  if (lasting_) --toolbox_.lasting_;
  if (--toolbox_.running_ == toolbox_.lasting_) toolbox_.changed_.notify_all();
}

const wtool_tool* Toolbox::Use::tool(std::string_view id) const {
  if (!granted_) return nullptr;
  return is_plain() ? toolbox_.tools_.find(id)->second : toolbox_.variants_.find(variant_)->second.tool;
}

const std::string& Toolbox::Use::error() const {
  return granted_ && !is_plain() ? toolbox_.variants_.find(variant_)->second.error : error_;
}

Toolbox::Toolbox(Plugin& plugin) : plugin_(plugin), own_place_(plugin.is_cluster() ? "cluster" : "local") {}

std::unique_ptr<Toolbox> Toolbox::open(Plugin& plugin, const std::string& config, std::string& error) {
  if (!plugin.start(error)) return nullptr;
  std::unique_ptr<Toolbox> toolbox(new Toolbox(plugin));
  toolbox->wanted_ = config;
  toolbox->make_tools();
  if (toolbox->config_error_.empty()) return toolbox;
  error = toolbox->config_error_;
  return nullptr;
}

std::unique_ptr<Toolbox> Toolbox::open(Plugin& plugin, ConfigSource& source, std::string& error) {
  const std::optional<std::string> config = load_whole(source, plugin, error);
  if (!config) return nullptr;
  std::unique_ptr<Toolbox> toolbox = open(plugin, *config, error);
  if (toolbox) toolbox->source_ = &source;
  return toolbox;
}

Toolbox::~Toolbox() { end_tools(tools_, variants_); }

void Toolbox::end_tools(Tools& tools, Variants& variants) {
  for (const auto& [id, tool] : tools) tool->destroy(tool);
  tools.clear();
  for (auto& [which, variant] : variants) {
    if (variant.tool != nullptr) variant.tool->destroy(variant.tool);
    variant = {};
  }
}

void Toolbox::set_other(OtherPlugin open) {
  const std::lock_guard lock(mutex_);
  open_other_ = std::move(open);
}

// The plugin for that place. nullptr: `error` says why it is missing.
Plugin* Toolbox::plugin_at(std::string_view on, std::string& error) {
  if (on.empty() || on == own_place_) return &plugin_;
  if (open_other_) return open_other_(error);
  error = "calls cannot be placed on \"" + escaped(on) + "\" here";
  return nullptr;
}

CallPlace Toolbox::normal(CallPlace place) const {
  place = place.where();
  if (place.on == own_place_) place.on.clear();
  if ((place.on.empty() ? own_place_ : place.on) != "cluster") place.slot.clear();
  return place;
}

std::string Toolbox::place_problem(const CallPlace& wanted, std::string_view id) {
  const std::lock_guard lock(mutex_);
  const CallPlace place = normal(wanted);
  std::string error;
  const Plugin* plugin = plugin_at(place.on, error);
  if (plugin == nullptr) return error;
  const auto& tools = plugin->tools();
  const auto found = std::find_if(tools.begin(), tools.end(), [&](const auto& tool) { return tool.id == id; });
  if (!wanted.limits.empty() && found != tools.end() && (found->hints & WTOOL_HINT_LIMITS) == 0)
    return no_limits_error(id);
  if (found == tools.end()) {
    return "the tool " + escaped(id) + " cannot be called there: " + plugin->path() + " has no such tool";
  }
  if (place.slot.empty()) return {};
  const nlohmann::json all = parse_json(wanted_);
  const nlohmann::json::json_pointer classes("/cluster/classes");
  std::vector<std::string> names;
  if (all.is_object() && all.contains(classes)) {
    for (const auto& [name, keys] : all[classes].items()) names.push_back(name);
  }
  if (std::find(names.begin(), names.end(), place.slot) != names.end()) return {};
  return "the configuration has no cluster.classes." + escaped(place.slot) + did_you_mean(place.slot, names);
}

void Toolbox::name_jobs(const std::string& name) {
  const std::lock_guard lock(mutex_);
  job_name_ = name;
  made_with_.reset();  // The next call makes the tools with this name.
}

namespace {

// The folders that commands in a sandbox may read. nullptr: they may read everything.
nlohmann::json* readable_folders(nlohmann::json& config) {
  const auto sandbox = config.find("sandbox");
  if (sandbox == config.end() || !sandbox->is_object()) return nullptr;
  const auto read = sandbox->find("read");
  if (read == sandbox->end() || !read->is_array()) return nullptr;
  return std::find(read->begin(), read->end(), "/") == read->end() ? &*read : nullptr;
}

}  // namespace

// Only the cluster plugin takes the `cluster` section; other plugins would report it as a mistake. Only calls on this
// machine get the guarded folder, because nodes may not have it.
std::string Toolbox::config_for(const Plugin& plugin, const std::string& config, const std::string& slot) const {
  nlohmann::json all = parse_json(config);
  if (!all.is_object()) return config;
  if (plugin.is_cluster()) {
    if (!job_name_.empty()) all["cluster"]["job_name"] = job_name_;
    if (!slot.empty()) all["cluster"]["slot"] = slot;
    return all.dump();
  }
  const bool had_cluster = all.erase("cluster") > 0;
  nlohmann::json* const read = guarded_.empty() ? nullptr : readable_folders(all);
  if (read != nullptr) read->push_back(guarded_);
  return had_cluster || read != nullptr ? all.dump() : config;
}

const wtool_tool* Toolbox::make_tool(const Plugin& plugin, const std::string& id, const std::string& config,
                                     std::string& error) {
  const Plugin* owner = plugin.owner_of(id);
  if (owner == nullptr) {
    error = "there is no tool " + id;
    return nullptr;
  }
  // A plugin that has joined gets no configuration.
  const std::string_view for_it = owner == &plugin ? std::string_view(config) : std::string_view("{}");
  const wtool_tool* tool = nullptr;
  Blob reason;
  const wtool_status status = owner->entry().tool_new(view(id), view(for_it), &tool, reason.out());
  if (status != WTOOL_OK) {
    error = "the tool " + id + " cannot be made: " + failure_text(status, reason.text());
    return nullptr;
  }
  if (is_complete(tool)) return tool;
  if (tool != nullptr && WTOOL_HAS(tool, destroy) && tool->destroy != nullptr) tool->destroy(tool);
  error = "the tool " + id + " of " + escaped(owner->path()) + " lacks functions of version 1.0";
  return nullptr;
}

// Makes tools_ again with wanted_, while no call runs.
void Toolbox::make_tools() {
  config_error_.clear();
  // Commands in a sandbox must be able to read what this process makes for them, such as prompts and the input of servers.
  nlohmann::json wanted = parse_json(wanted_);
  guarded_ = readable_folders(wanted) != nullptr ? guarded_folder() : "";
  Tools made;
  const std::string config = config_for(plugin_, wanted_);
  for (const ToolDescription& description : plugin_.tools()) {
    const wtool_tool* tool = make_tool(plugin_, description.id, config, config_error_);
    if (tool == nullptr) break;
    made.emplace(description.id, tool);
  }
  Tools earlier;
  tools_.swap(earlier);
  tools_.swap(made);
  Variants earlier_variants = variants_;
  for (auto& [which, variant] : variants_) variant = {};
  made_with_.reset();
  if (config_error_.empty()) {
    made_with_ = wanted_;
    make_variants();
  }
  // End the old tools only after the new ones exist, so that shared resources survive.
  end_tools(earlier, earlier_variants);
}

// Makes the variants that are missing, while no call runs.
void Toolbox::make_variants() {
  for (auto& [which, variant] : variants_) {
    if (variant.tool == nullptr && variant.error.empty()) make_variant(which, variant);
  }
}

void Toolbox::make_variant(const Which& which, Variant& variant) {
  const auto& [place, id] = which;
  std::optional<std::string> config = wanted_;
  if (!place.shell.empty()) {
    config.reset();
    variant.error = "no shell can be chosen here";
    if (source_ != nullptr) {
      variant.error.clear();
      config = source_->with_shell(wanted_, place.shell, variant.error);
    }
  }
  if (!config) return;
  Plugin* plugin = plugin_at(place.on, variant.error);
  if (plugin == nullptr || !plugin->start(variant.error)) return;
  variant.tool = make_tool(*plugin, id, config_for(*plugin, *config, place.slot), variant.error);
}

bool Toolbox::is_ready(const Which& variant) const {
  if (variant.first == CallPlace()) return true;
  const auto found = variants_.find(variant);
  return found != variants_.end() && (found->second.tool != nullptr || !found->second.error.empty());
}

void Toolbox::expect(CallPlace place, std::string_view id) {
  place = normal(std::move(place));
  if (place == CallPlace()) return;
  const std::lock_guard lock(mutex_);
  variants_.try_emplace({std::move(place), std::string(id)});
}

std::string Toolbox::make_expected() {
  const std::lock_guard lock(mutex_);
  if (running_ > 0 || made_with_ != wanted_) return {};
  make_variants();
  for (const auto& [which, variant] : variants_) {
    const bool elsewhere = !which.first.on.empty() || !which.first.slot.empty();
    if (elsewhere && variant.tool == nullptr) return variant.error;
  }
  return {};
}

void Toolbox::becomes_job(const Stop& stop) {
  const std::lock_guard lock(mutex_);
  const auto [begin, end] = uses_.equal_range(&stop);
  for (auto at = begin; at != end; ++at) {
    Use& use = *at->second;
    if (use.granted_ && !use.lasting_) ++lasting_;
    use.lasting_ = use.is_job_ = true;
  }
  changed_.notify_all();
}

void Toolbox::look_for_change() {
  // The tools may read only the folder that existed when they were made. If it is gone, another one takes its place.
  if (!guarded_.empty() && ::access(guarded_.c_str(), F_OK) != 0) {
    guarded_.clear();
    made_with_.reset();
  }
  if (source_ == nullptr || !source_->changed()) return;
  std::string error;
  const std::optional<std::string> config = load_whole(*source_, plugin_, error);
  if (!config) {
    config_error_ = error;
  } else if (*config != wanted_ || !config_error_.empty()) {
    config_error_.clear();
    wanted_ = *config;
  } else {
    return;
  }
  plugin_.tracing().log(LogLevel::info, "wtool::loader",
                        config ? "the configuration has changed" : "the configuration can no longer be used");
}

bool Toolbox::has_tool(std::string_view id) const {
  const std::vector<ToolDescription>& all = plugin_.tools();
  return std::any_of(all.begin(), all.end(), [&](const ToolDescription& tool) { return tool.id == id; });
}

std::string Toolbox::unknown_tool(std::string_view id) const {
  std::vector<std::string> names;
  for (const ToolDescription& tool : plugin_.tools()) names.push_back(tool.id);
  return "there is no tool \"" + escaped(id) + "\"" + known_names(id, "tools", names);
}

std::string Toolbox::input_schema(std::string_view id) const {
  for (const ToolDescription& tool : plugin_.tools()) {
    if (tool.id != id) continue;
    if (id != stdin_tool || source_ == nullptr) return tool.input_schema;
    nlohmann::ordered_json schema = parse_ordered_json_or_throw(tool.input_schema);
    add_stdin(schema);
    return schema.dump();
  }
  return {};
}

}  // namespace wtool::host
