// The server of the Model Context Protocol: reads messages from a client and dispatches them.
//
// - The reading thread waits only for the next line: calls run on other threads, and messages to the client go through
//   a queue. Pings are therefore answered, and cancellations noticed, whatever is running.
// - Each request says which protocol it uses; a client may change between the two with each request.
// - Calls that end something, or ask for the state of something, do not wait behind ordinary calls: up to 16 of them
//   run on separate threads.
// - A call that runs longer than the client waits for an answer becomes a job (jobs.h). A call that waits for a terminal
//   ends its wait instead. Output that a result had to cut can be read (output_read.h). The tools for jobs exist if a
//   served tool may become one, and output_read exists if the plugin has shell_execute.
// - A call that the client wants as a task (protocol 2025-11-25) is a job from its beginning.
// - When the server has ended, all calls have ended.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loader/plugin.h"
#include "loader/toolbox.h"
#include "mcp/call.h"
#include "mcp/elicitation.h"
#include "mcp/input.h"
#include "mcp/jobs.h"
#include "mcp/log_notifications.h"
#include "mcp/output.h"
#include "mcp/output_store.h"
#include "mcp/progress.h"
#include "mcp/protocol_2025.h"
#include "mcp/protocol_2026.h"
#include "mcp/results.h"
#include "mcp/server_tools.h"
#include "mcp/tool_methods.h"

namespace wtool::host::mcp {

// The tools that the server itself adds. If the plugin has shell_execute, the server adds all of them. Otherwise, it
// adds only the three for jobs, and only if calls of a tool in ServerSettings::tools may become jobs.
inline constexpr std::array<std::string_view, 4> own_tools{"job_poll", "job_stop", "job_list", "output_read"};

struct ServerSettings {
  ResultSettings results;
  std::string shell = "/bin/sh";  // runs the command lines of shell_execute
  // A command that runs longer than this becomes a job. Nothing: commands become jobs only on request.
  std::optional<std::chrono::seconds> answer_within;
  bool waits_for_progress = false;  // a client that gets progress reports waits longer than `answer_within`
  // How long a question waits if the client shows no forms. Nothing: it does not wait.
  std::optional<std::chrono::seconds> approve_within;
  std::uint64_t stored_bytes = 0;    // limit of all outputs that can be read later
  int max_calls = 1;                 // how many calls run at the same time
  std::chrono::seconds max_wait{1};  // how long a call may wait for its turn
  std::size_t message_bytes = 0;     // limit of one line from the client
  About about;
  ServerTools tools;                    // besides the plugin's
  std::vector<std::string> served;      // names of the tools that clients can use; empty: all
  std::vector<std::string> not_served;  // names of the tools that clients cannot use all the same
};

// Only one thread may use an object of this class.
class Server {
 public:
  // Borrows all objects that it gets by reference.
  Server(const Plugin& plugin, Toolbox& toolbox, Elicitation& elicitation, Output& output, ServerSettings settings);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  // Returns true when the input has ended or its reader was woken, false when the input cannot be read.
  bool serve(Input& input);

  // Stops all calls now and waits for their end. Running calls are still answered.
  void end(const std::string& reason);

 private:
  void take_line(std::string_view line);
  void take_batch(const Message& batch);
  // `batch`: the one that contains the message, or nullptr.
  void take(const Message& message, const std::shared_ptr<Batch>& batch);
  void take_request(const Message& request, const std::shared_ptr<Batch>& batch);
  void take_notification(const Message& notification);
  void send(const std::shared_ptr<Batch>& batch, std::string line);
  Calls& calls_of(const ClientCall& call);
  std::string run(ClientCall& call);
  nlohmann::ordered_json call_plugin(ClientCall& call, CallProgress::Reports& reports);
  nlohmann::ordered_json run_command(ClientCall& call, CallProgress::Reports& reports);
  nlohmann::ordered_json run_lasting_tool(ClientCall& call, CallProgress::Reports& reports);
  std::string take_background_of(ClientCall& call, BackgroundRequest& asked);
  void hand_over(ClientCall& call);
  void hand_over_when_due(ClientCall& call, bool is_background);
  std::optional<Calls::Clock::time_point> due(const ClientCall& call, bool is_background) const;
  std::string answered(const ClientCall& call, nlohmann::ordered_json result);
  std::string completed(const ClientCall& call, nlohmann::ordered_json result) const;
  Calls::Handlers handlers();

  Toolbox& toolbox_;
  Elicitation& elicitation_;
  Output& output_;
  const ServerSettings settings_;
  OutputStore outputs_;
  Jobs jobs_;
  const ServerTools server_tools_;
  ToolMethods tools_;
  const bool has_jobs_;
  // The names of the parameters of the tool that runs commands. Empty: the tool itself refuses unknown ones.
  const std::vector<std::string> command_parameters_;
  LogNotifications logs_;
  Protocol2025 protocol_2025_;
  Protocol2026 protocol_2026_;
  CallProgress progress_;
  // Last, so that all calls have ended before the other members are destroyed.
  Calls calls_;
  Calls urgent_calls_;
};

}  // namespace wtool::host::mcp
