// The tools of a plugin, configured and ready to be called: the implementation of ToolCaller.
//
//   const auto toolbox = Toolbox::open(plugin, R"({"shell": {"program": "/bin/bash"}})", error);
//   if (toolbox == nullptr) return error;
//   Stop stop;  // another thread may request a stop
//   const ToolOutcome outcome = toolbox->call("shell_execute", {{"command", "date"}}, stop, output);
//   if (outcome.kind == ToolOutcome::Kind::not_made) return outcome.error;
//   show(outcome.result["content"]);
//
// - Opening a toolbox initialises the plugin and makes every tool with the configuration; destroying the toolbox
//   destroys the tools. The plugin must outlive it, and there may be only one toolbox for a plugin at a time.
// - Before every call, the toolbox asks whether the configuration has changed. If so, new tools are made. The interface
//   allows new tools only while no call runs, so a call after a change waits for the calls before it. While the new
//   configuration is invalid, every call is refused with a result of code configuration_invalid: nothing runs with an
//   older configuration, or with none. While a call lasts (call_lasting), no new tools can be made: calls after a
//   change fail.
// - A step of a workflow may name a place: the cluster, or this machine. If that is not the toolbox's own place, the
//   tool belongs to another plugin, which is opened when it is first needed. While a call of one of the two plugins
//   runs, no tool of either plugin is made.
// - The toolbox does not check the arguments, which is the plugin's task. It does check the plugin's results.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loader/explanation.h"
#include "loader/plugin.h"
#include "loader/tool_caller.h"

namespace wtool::host {

// Where a toolbox gets its configuration from, and how it notices changes. An interface, because the loader does not
// depend on files; the implementation is in config/files.h.
// Only one thread at a time may use an object of this class.
class ConfigSource {
 public:
  virtual ~ConfigSource() = default;

  // True if load() might return something new. Must be cheap, since it is called before every call of a tool.
  virtual bool changed() = 0;

  // The configuration, as the JSON text of an object. Nothing: `error` says why; changed() then returns false until
  // another load() might have a different result.
  virtual std::optional<std::string> load(std::string& error) = 0;

  // The absolute paths of the files that load() read last. With them, the plugin can keep commands from writing to the
  // files that restrict them.
  virtual std::vector<std::string> paths_in_force() const { return {}; }

  // Something that load() has noticed and that a person should know. Each notice is returned once. Empty: there is
  // none.
  virtual std::string take_notice() { return {}; }

  // `config`, as load() last returned it, for a tool whose shell is `shell` ("sh", "bash" or an absolute path).
  // Nothing: `error` says why that shell is not allowed.
  virtual std::optional<std::string> with_shell(const std::string& config, const std::string& shell,
                                                std::string& error) {
    (void)config, (void)shell;
    error = "no shell can be chosen here";
    return std::nullopt;
  }
};

// ToolOutcome with the keys of the result in the plugin's order.
// NOLINTNEXTLINE(bugprone-exception-escape): moving JSON is noexcept; the check does not know that
struct OrderedOutcome {
  ToolOutcome::Kind kind = ToolOutcome::Kind::not_made;
  nlohmann::ordered_json result;
  bool is_error = false;  // the result reports an error
  std::string error;
};

class Toolbox final : public ToolCaller {
 public:
  // `config` is JSON text of an object. nullptr: `error` says why, and no tool is left.
  static std::unique_ptr<Toolbox> open(Plugin& plugin, const std::string& config, std::string& error);
  // The same with the configuration that `source` loads. `source` must outlive the toolbox, and nothing else may use
  // `source` while the toolbox exists.
  static std::unique_ptr<Toolbox> open(Plugin& plugin, ConfigSource& source, std::string& error);
  ~Toolbox() override;
  Toolbox(const Toolbox&) = delete;
  Toolbox& operator=(const Toolbox&) = delete;

  // Any thread may call the functions below.
  bool has_tool(std::string_view id) const override;
  // The message for an unknown tool: a sentence that names the tool with the nearest name, and all tools.
  std::string unknown_tool(std::string_view id) const override;
  std::string input_schema(std::string_view id) const override;
  ToolOutcome call(std::string_view id, const nlohmann::json& arguments, Stop& stop, const OutputSink& output) override;
  ToolOutcome call_at(const CallPlace& place, std::string_view id, const nlohmann::json& arguments, Stop& stop,
                      const OutputSink& output, const StateSink& state) override;
  ToolOutcome call_lasting(const CallPlace& place, std::string_view id, const nlohmann::json& arguments, Stop& stop,
                           const OutputSink& output, const StateSink& state) override;
  // Announces calls of the tool at that place, so that the tool is made in advance, while no call runs. Without this,
  // the tool's first call would have to wait until earlier calls end.
  void expect(CallPlace place, std::string_view id);
  // Makes the expected tools. While a call runs, or if the tools are out of date, leaves this to a later call. Returns
  // why a tool for another place cannot be made; empty: no such tool has failed.
  std::string make_expected();

  // Opens the plugin for the other place. nullptr: `error` says why.
  using OtherPlugin = std::function<Plugin*(std::string& error)>;
  // Sets how the plugin for the other place is opened. Call this before any other function names that place; without
  // it, nothing can be called there.
  void set_other(OtherPlugin open);
  // Where calls that name no place run: "cluster" or "local".
  const std::string& own_place() const { return own_place_; }
  // Why the tool cannot be called at this place, such as an unknown class of jobs; empty: it can be called there.
  std::string place_problem(const CallPlace& place, std::string_view id);
  // Sets the name of the jobs that calls on the cluster submit from now on, so that they can be found again.
  void name_jobs(const std::string& name);

  // Like call_at(), but passes the arguments to the tool byte for byte, JSON or not. An exception of the sink stops the
  // call and is thrown from this function when the call is over.
  OrderedOutcome call_text(std::string_view id, std::string_view arguments, Stop& stop, const OutputSink& output,
                           const CallPlace& place = {}, const StateSink& state = nullptr);

  // The call that `stop` belongs to was answered, and may run for long. From now on, a call that would have to wait for
  // its end, because the configuration has changed, is refused instead.
  void becomes_job(const Stop& stop);

  // What the call would do, without doing it. Nothing: that failed, or the tool cannot explain itself; `error` says
  // why.
  std::optional<Explanation> explain(std::string_view id, std::string_view arguments, Stop& stop, std::string& error,
                                     const CallPlace& place = {});

 private:
  using Tools = std::map<std::string, const wtool_tool*, std::less<>>;
  class Use;

  explicit Toolbox(Plugin& plugin);
  // A tool for another shell or place.
  struct Variant {
    const wtool_tool* tool = nullptr;
    std::string error;  // why there is no such tool
  };
  using Which = std::pair<CallPlace, std::string>;  // the place, and the id of the tool
  using Variants = std::map<Which, Variant>;

  ToolOutcome call_for(bool lasting, const CallPlace& place, std::string_view id, const nlohmann::json& arguments,
                       Stop& stop, const OutputSink& output, const StateSink& state);
  // Reads the tool's result, and returns what is wrong with it; empty: nothing is wrong.
  using ReadAnswer = std::function<std::string(std::string_view answer)>;
  // Returns how the call ended; if it was not made, `error` says why.
  ToolOutcome::Kind run(bool lasting, const CallPlace& place, std::string_view id, std::string_view arguments,
                        Stop& stop, const OutputSink& output, const StateSink& state, const ReadAnswer& read,
                        std::string& error);
  void look_for_change();
  void make_tools();
  void make_variants();
  void make_variant(const Which& which, Variant& variant);
  bool is_ready(const Which& variant) const;
  Plugin* plugin_at(std::string_view on, std::string& error);
  CallPlace normal(CallPlace place) const;
  std::string config_for(const Plugin& plugin, const std::string& config, const std::string& slot = {}) const;
  static const wtool_tool* make_tool(const Plugin& plugin, const std::string& id, const std::string& config,
                                     std::string& error);
  static void end_tools(Tools& tools, Variants& variants);

  Plugin& plugin_;
  const std::string own_place_;
  ConfigSource* source_ = nullptr;  // nullptr: the configuration never changes
  std::atomic<std::uint64_t> calls_{0};

  std::mutex mutex_;  // guards everything below
  OtherPlugin open_other_;
  std::string job_name_;  // empty: the plugin chooses it
  std::condition_variable changed_;
  Tools tools_;
  Variants variants_;                      // variants with neither a tool nor an error are still to be made
  std::string guarded_;                    // the guarded folder that tools_ and variants_ may read; empty: none
  std::optional<std::string> made_with_;   // the configuration of tools_; nothing: the tools must not be used
  std::string wanted_;                     // the configuration as it is now
  std::string config_error_;               // why the configuration cannot be used; empty: as far as is known, it can
  int running_ = 0;                        // calls that use tools_
  int lasting_ = 0;                        // how many of the running calls are services or jobs
  std::multimap<const Stop*, Use*> uses_;  // running calls and calls that wait
};

}  // namespace wtool::host
