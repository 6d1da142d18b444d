// wtool cluster status: shows the partitions and this user's pilots. wtool cluster test: makes two calls on each node,
// through a pilot that is started there for the test.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>
#include <wtool/cpp/host.hpp>

#include "base/json.h"
#include "base/json_reader.h"
#include "base/shell_quote.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/interrupts.h"
#include "cli/slurm.h"
#include "cli/whole_number.h"
#include "terminal/text.h"

namespace wtool::host {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using std::chrono::steady_clock;

constexpr std::size_t max_nodes = 100;        // of one test: each has a thread and a job
constexpr std::uint64_t call_ms = 30 * 1000;  // for each test call, once there is a slot

struct ClusterOptions {
  bool as_json = false;
  std::size_t nodes = 0;  // 0: all
  int wait = 60;          // seconds for a pilot
};

int slurm_failed(const std::string& error) {
  complain(error);
  return exit_unusable;
}

bool print_object(const ordered_json& all) { return print(dumped(all, 2) + '\n'); }

// A line for each row, with aligned columns.
std::string columns_of(std::vector<std::vector<std::string>> rows) {
  std::vector<std::size_t> widths;
  for (auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = cleaned_for_terminal(row[i], false);
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += ' ' + padded(row[i], widths[i]) + ' ';
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::vector<std::vector<std::string>> fields_of(const std::string& text, std::size_t count) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> row(count);
    std::istringstream fields(line);
    for (std::string& field : row) {
      std::getline(fields, field, '|');
      field.erase(field.find_last_not_of(' ') + 1);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// ---- status

int show_status(Context& context, const ClusterOptions& options) {
  std::string error;
  Plugin* local = context.local_plugin(error);
  if (local == nullptr) return slurm_failed(error);
  Stop stop;
  const Interrupts interrupts(stop);
  const auto client = SlurmClient::open(*local, error);
  if (client == nullptr) return slurm_failed(error);
  const auto partitions = client->run("sinfo --noheader --format='%R|%a|%l|%D|%T|%N'", stop, error);
  const auto pilots = partitions ? client->jobs("", stop, error) : std::nullopt;
  if (interrupts.signal() != 0) return interrupts.exit_status();
  if (!pilots) return slurm_failed("Slurm does not answer: " + error);
  const auto rows = fields_of(*partitions, 6);
  if (options.as_json) {
    ordered_json all = {{"partitions", ordered_json::array()}, {"pilots", ordered_json::array()}};
    for (const auto& row : rows) {
      all["partitions"].push_back({{"partition", row[0]},
                                   {"available", row[1] == "up"},
                                   {"time_limit", row[2]},
                                   {"count", std::atoi(row[3].c_str())},
                                   {"state", row[4]},
                                   {"nodes", row[5]}});
    }
    for (const SlurmClient::Job& job : *pilots) {
      ordered_json one = {{"job", job.id}, {"name", job.name}, {"state", job.state}, {"node", job.node}};
      one["slots"] = job.slots == 0 ? ordered_json() : ordered_json(job.slots);
      one["reason"] = job.reason;
      all["pilots"].push_back(std::move(one));
    }
    return print_object(all) ? exit_ok : exit_unusable;
  }
  std::vector<std::vector<std::string>> shown{{"PARTITION", "AVAILABLE", "TIME LIMIT", "COUNT", "STATE", "NODES"}};
  shown.insert(shown.end(), rows.begin(), rows.end());
  std::string out = "Partitions:\n" + columns_of(shown);
  if (pilots->empty()) return print(out + "\nYou have no running or waiting pilots.\n") ? exit_ok : exit_unusable;
  shown = {{"JOB", "NAME", "STATE", "NODE", "SLOTS", "REASON"}};
  for (const SlurmClient::Job& job : *pilots) {
    shown.push_back({job.id, job.name, job.state, job.node.empty() ? "-" : job.node,
                     job.slots == 0 ? "-" : std::to_string(job.slots), job.reason == "None" ? "" : job.reason});
  }
  return print(out + "\nYour pilots:\n" + columns_of(shown)) ? exit_ok : exit_unusable;
}

// ---- test

struct TestedNode {
  std::string name;
  const wtool_tool* tool = nullptr;
  std::string error{};  // empty: both calls succeeded there
  std::chrono::milliseconds first{0};
  std::chrono::microseconds second{0};
};

// The nodes, without duplicates. Those that can accept work come first.
std::optional<std::vector<TestedNode>> nodes_of(SlurmClient& client, const std::string& partition, Stop& stop,
                                                std::string& error) {
  std::string command = "sinfo --noheader --Node --format='%N|%T'";
  if (!partition.empty()) command += " --partition=" + shell_quoted(partition);
  const auto out = client.run(command, stop, error);
  if (!out) return error.insert(0, "Slurm does not answer: "), std::nullopt;
  std::vector<TestedNode> ready, others;
  std::set<std::string> seen;
  for (const auto& row : fields_of(*out, 2)) {
    if (row[0].empty() || !seen.insert(row[0]).second) continue;
    const bool is_ready = row[1] == "idle" || row[1] == "mixed" || row[1] == "allocated";
    (is_ready ? ready : others).push_back({row[0]});
  }
  ready.insert(ready.end(), others.begin(), others.end());
  if (!ready.empty()) return ready;
  error = partition.empty()
              ? "sinfo names no node"
              : "sinfo names no node of the partition " + partition + "; set cluster.partition to another one";
  return std::nullopt;
}

constexpr std::string_view test_arguments = R"({"command": "printf %s \"$SLURMD_NODENAME\"", "timeout": 20})";

// How the pilots of the tool get their key: "munge" or "key". Empty: the tool does not say.
std::string authentication_of(const wtool_tool& tool) {
  const wtool_tool_explain* extension = explain_of(tool);
  const wtool_request request = make_request(test_arguments);
  Blob explained, error;
  if (extension == nullptr || extension->explain(&tool, &request, explained.out(), error.out()) != WTOOL_OK) return {};
  const json all = parse_json(explained.text());
  return all.is_object() ? all.value(json::json_pointer("/cluster/authentication"), std::string()) : std::string();
}

// Makes one call. Returns what went wrong; empty: the call succeeded on that node.
std::string try_call(const TestedNode& node, std::uint64_t wait_ms, Stop& stop) {
  wtool_request request = make_request(test_arguments);
  request.deadline_ms = wait_ms + call_ms;
  Call call(*node.tool, request);
  if (call.status() != WTOOL_OK) return "the call could not be made: " + std::string(call.error());
  const Stop::Subscription listening = stop.subscribe(
      [&call](const StopRequest& asked) { call.cancel(static_cast<std::uint32_t>(asked.how), asked.reason); });
  const wtool_status status = call.run();
  if (status != WTOOL_OK && status != WTOOL_E_CANCELLED) return "the call failed: " + std::string(call.error());
  const json result = parse_json(call.result());
  if (!result.is_object() || !result.contains("metadata")) return "the call gave no valid result";
  const json& metadata = result["metadata"];
  if (result.value("is_error", true)) {
    const std::string text = result.value(json::json_pointer("/metadata/error/message"), std::string());
    return text.empty() ? result.value(json::json_pointer("/content/0/text"), std::string("it failed")) : text;
  }
  const std::string where = metadata.value("node", "");
  return where == node.name ? "" : "the call ran on " + where;
}

void test_node(TestedNode& node, int wait, Stop& stop) {
  const auto wait_ms = static_cast<std::uint64_t>(wait) * 1000;
  try {
    const auto began = steady_clock::now();
    node.error = try_call(node, wait_ms, stop);
    const auto then = steady_clock::now();
    node.first = std::chrono::duration_cast<std::chrono::milliseconds>(then - began);
    if (!node.error.empty()) return;
    node.error = try_call(node, wait_ms, stop);
    node.second = std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - then);
  } catch (const std::exception& problem) {  // An exception that leaves a thread ends the program.
    node.error = std::string("the call could not be made: ") + problem.what();
  }
}

// The partition that a `cluster` section or its class asks for; empty: the default one.
std::string partition_of(const json& section) {
  const json classes = section.value("classes", json::object());
  const auto chosen = classes.find(section.value("slot", ""));
  if (chosen != classes.end() && chosen->contains("partition")) return chosen->value("partition", "");
  return section.value("partition", "");
}

// The `cluster` section of the configuration, for one pilot on `node`. The rules for commands are left out, because the
// test is about the nodes.
std::string test_config(json section, const std::string& node, int wait) {
  section["test_node"] = node;
  section["test_wait"] = wait;
  section["job_name"] = "wtool-test-" + std::to_string(::getpid());
  return json{{"cluster", std::move(section)}}.dump();
}

std::string as_ms(double ms) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f ms", ms);
  return text;
}

bool print_test(const std::vector<TestedNode>& nodes, const std::string& authentication, bool as_json) {
  if (as_json) {
    ordered_json list = ordered_json::array();
    std::size_t bad = 0;
    for (const TestedNode& node : nodes) {
      const bool ok = node.error.empty();
      ordered_json one = {{"node", node.name}, {"ok", ok}, {"first_ms", node.first.count()}};
      one["second_ms"] = ok ? ordered_json(static_cast<double>(node.second.count()) / 1000) : ordered_json();
      one["error"] = node.error;
      list.push_back(std::move(one));
      bad += ok ? 0 : 1;
    }
    return print_object({{"authentication", authentication}, {"nodes", std::move(list)}, {"failed", bad}});
  }
  std::vector<std::vector<std::string>> rows{{"NODE", "", "FIRST CALL", "SECOND CALL", ""}};
  for (const TestedNode& node : nodes) {
    const bool ok = node.error.empty();
    rows.push_back({node.name, ok ? "ok" : "failed", as_ms(static_cast<double>(node.first.count())),
                    ok ? as_ms(static_cast<double>(node.second.count()) / 1000) : "-", node.error});
  }
  return print("Authentication: " + authentication + '\n' + columns_of(rows));
}

int test_nodes(Context& context, const ClusterOptions& options) {
  std::string error;
  const auto config = context.config_files().load_config(error);
  if (!config) return slurm_failed(error);
  const json section = config->json.value("cluster", json::object());
  Plugin* local = context.local_plugin(error);
  Plugin* cluster = local == nullptr ? nullptr : context.cluster_plugin(error);
  if (cluster == nullptr) return slurm_failed(error);
  Stop stop;
  const Interrupts interrupts(stop);
  std::optional<std::vector<TestedNode>> nodes;
  if (const auto client = SlurmClient::open(*local, error)) {
    nodes = nodes_of(*client, partition_of(section), stop, error);
  }
  if (interrupts.signal() != 0) return interrupts.exit_status();
  if (!nodes) return slurm_failed(error);
  if (options.nodes == 0 && nodes->size() > max_nodes) {
    complain("of " + std::to_string(nodes->size()) + " nodes, only " + std::to_string(max_nodes) + " are tested");
  }
  nodes->resize(std::min({nodes->size(), options.nodes == 0 ? max_nodes : options.nodes, max_nodes}));
  if (!cluster->start(error)) return slurm_failed(error);

  bool made = true;
  std::string authentication;
  for (TestedNode& node : *nodes) {
    Blob why;
    const std::string text = test_config(section, node.name, options.wait);
    if (cluster->entry().tool_new(view("shell_execute"), view(text), &node.tool, why.out()) == WTOOL_OK) continue;
    complain("the configuration cannot be used: " + std::string(why.text()));
    made = false;
    break;
  }
  if (made) {
    authentication = authentication_of(*nodes->front().tool);
    std::vector<std::thread> threads;
    for (TestedNode& node : *nodes) {
      try {
        threads.emplace_back([&node, &options, &stop] { test_node(node, options.wait, stop); });
      } catch (const std::system_error& problem) {
        node.error = std::string("no thread could be started: ") + problem.what();
      }
    }
    for (std::thread& thread : threads) thread.join();
  }
  for (TestedNode& node : *nodes) {
    if (node.tool != nullptr) node.tool->destroy(node.tool);
  }
  if (!made) return exit_unusable;
  const bool printed = print_test(*nodes, authentication, options.as_json);
  if (interrupts.signal() != 0) return interrupts.exit_status();
  const bool ok = std::all_of(nodes->begin(), nodes->end(), [](const TestedNode& node) { return node.error.empty(); });
  return !printed ? exit_unusable : ok ? exit_ok : exit_failed;
}

}  // namespace

void add_cluster(CLI::App& app, Context& context) {
  auto options = std::make_shared<ClusterOptions>();
  CLI::App* group = app.add_subcommand("cluster", "Show or test the Slurm cluster that --on cluster uses");
  group->require_subcommand(1);
  group->footer(
      "Examples:\n"
      "  wtool cluster status\n"
      "  wtool cluster test --nodes 2");
  CLI::App* status_command = group->add_subcommand("status", "Show the partitions and your pilots");
  status_command->add_flag("--json", options->as_json, "Print one JSON object");
  status_command->footer(
      "Asks sinfo and squeue, each for at most 10 seconds. A pilot is a job whose name begins with wtool-.\n"
      "Exit status: 0; 2 if Slurm does not answer.\n"
      "\n"
      "Example:\n"
      "  wtool cluster status --json");
  CLI::App* test_command = group->add_subcommand("test", "Test each node with calls, through a new pilot on that node");
  test_command
      ->add_option("--nodes", options->nodes, "Test at most N nodes, starting with those that are free for work")
      ->type_name("N")
      ->transform(whole_number(1, static_cast<std::int64_t>(max_nodes)));
  test_command->add_option("--wait", options->wait, "How many seconds to wait for a pilot (default: 60)")
      ->type_name("SECONDS")
      ->transform(whole_number(1, 3600));
  test_command->add_flag("--json", options->as_json, "Print one JSON object");
  test_command->footer(
      "The first call includes the time that Slurm needs to start the job; the second call uses the same pilot.\n"
      "The `cluster` section of the configuration applies, but each job has one slot. The rules for commands do not\n"
      "apply.\n"
      "Exit status: 0 if all nodes answered, 1 if a node did not, 2 if nothing could be tested, 130 after Ctrl-C.\n"
      "\n"
      "Example:\n"
      "  wtool cluster test --nodes 2");
  status_command->callback(
      [&context, options] { context.command = [&context, options] { return show_status(context, *options); }; });
  test_command->callback(
      [&context, options] { context.command = [&context, options] { return test_nodes(context, *options); }; });
}

}  // namespace wtool::host
