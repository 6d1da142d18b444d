// The tools of a plugin, configured and ready to be called: the real ToolCaller.
//
// - Opening it initialises the plugin and makes every tool with the configuration; ending it ends the tools. The plugin
//   must outlive it, and there is one toolbox of a plugin at a time.
// - It validates nothing of the arguments: that is the plugin's part. It does check what the plugin answers.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "loader/plugin.h"
#include "loader/tool_caller.h"

namespace wtool::host {

// ToolOutcome with the result as the plugin wrote it: JSON text of an object, checked.
struct TextOutcome {
  ToolOutcome::Kind kind = ToolOutcome::Kind::not_made;
  std::string result;
  bool is_error = false;  // of the result
  std::string error;
};

class Toolbox final : public ToolCaller {
 public:
  // `config` is JSON text of an object. nullptr: `error` says why, and the plugin is as before.
  static std::unique_ptr<Toolbox> open(Plugin& plugin, const std::string& config, std::string& error);
  ~Toolbox() override;
  Toolbox(const Toolbox&) = delete;
  Toolbox& operator=(const Toolbox&) = delete;

  // All below: any thread.
  bool has_tool(std::string_view id) const override;
  ToolOutcome call(std::string_view id, const nlohmann::json& arguments, Stop& stop, const OutputSink& output) override;

  // The same with the arguments passed on byte for byte, JSON or not. An exception of the sink stops the call and comes
  // out of this function when the call is over.
  TextOutcome call_text(std::string_view id, std::string_view arguments, Stop& stop, const OutputSink& output);

 private:
  explicit Toolbox(Plugin& plugin) : plugin_(plugin) {}
  std::string unknown_tool(std::string_view id) const;
  TextOutcome run(std::string_view id, std::string_view arguments, Stop& stop, const OutputSink& output,
                  nlohmann::json& envelope);

  Plugin& plugin_;
  std::map<std::string, const wtool_tool*, std::less<>> tools_;
  std::atomic<std::uint64_t> calls_{0};
};

}  // namespace wtool::host
