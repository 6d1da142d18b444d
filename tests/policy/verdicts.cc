// The policy's verdicts on many lines, for tests/policy/compare, which compiles this file against the headers and
// libraries of each build that it compares. An older build may lack some of the headers.
//
// Usage: verdicts DIRECTORY   reads records, one JSON object a line: {"line", "config"?, "deny"?}; for each one, writes
//                             what each judge says about the line, with DIRECTORY as the working directory and root
//        verdicts --programs  writes the programs of the database, with their options; compiled with LISTS_PROGRAMS
//        verdicts --time N DIRECTORY
//                             reads the same records; writes the nanoseconds of a verdict, the best of N rounds
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "policy/covenant.h"
#include "policy/judge.h"
#ifdef LISTS_PROGRAMS
#include "policy/programs/spec.h"
#endif
#if __has_include("policy/programs/names.h")
#include "policy/programs/names.h"
#define HAS_INTERACTIVE 1
#elif __has_include("policy/interactive.h")
#include "policy/interactive.h"
#define HAS_INTERACTIVE 1
#endif
#if __has_include("base/secrets/secrets.h")
#include "base/secrets/secrets.h"
#define HAS_SECRETS 1
#elif __has_include("secrets/secrets.h")
#include "secrets/secrets.h"
#define HAS_SECRETS 1
#endif

using namespace wtool::policy;
using nlohmann::json;

namespace {

std::string dumped(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

// Every part of the line that could be the name of a program. An allow list of these names lets all programs start.
std::vector<std::string> names_in(const std::string& line) {
  constexpr std::string_view parts = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-[:@";
  std::vector<std::string> names;
  for (std::size_t at = line.find_first_of(parts); at != line.npos; at = line.find_first_of(parts, at)) {
    const std::size_t end = std::min(line.find_first_not_of(parts, at), line.size());
    std::string name = line.substr(at, end - at);
    if (name.front() != '-' && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    at = end;
  }
  return names;
}

struct Rules {
  CommandRules commands;
  DirectoryRules directories;
  EnvironmentRules environment;
};

Rules rules_of(const json& config) {
  Rules rules;
  const json commands = config.value("commands", json::object());
  if (commands.contains("allow")) rules.commands.allow = commands["allow"].get<std::vector<std::string>>();
  rules.commands.deny = commands.value("deny", std::vector<std::string>());
  rules.commands.ask = commands.value("ask", std::vector<std::string>());
  rules.commands.safe_arguments = commands.value("arguments", "any") == "safe";
  rules.commands.ask_unlisted = commands.value("unlisted", "deny") == "ask";
  const json directories = config.value("directories", json::object());
  rules.directories.roots = directories.value("roots", std::vector<std::string>());
  rules.directories.confine_arguments = directories.value("confine_arguments", false);
  return rules;
}

// Sets a field that an older build may lack.
template <typename Made>
void set_expansion(Made& situation) {
  if constexpr (requires { situation.expands; }) {
    situation.expands = true;
    situation.home = "/nonexistent/home";
  }
}

LineJudgement judge_line(const std::string& line, const Rules& rules, const std::string& directory) {
  static const Programs programs(std::vector<std::string>{"/usr/bin", "/bin"}, "", {});
  Situation situation{rules.commands, rules.directories, programs, rules.directories.roots, directory};
  set_expansion(situation);
  return judge(line, situation);
}

json shown(const LineJudgement& judgement) {
  const Verdict& verdict = judgement.verdict;
  json result = {{"verdict", to_text(verdict.decision)},
                 {"reason", verdict.reason},
                 {"rule", verdict.rule},
                 {"word", verdict.word},
                 {"hint", verdict.hint}};
  if (judgement.script && verdict.decision == Decision::allow) result["runs"] = regenerate(*judgement.script);
  return result;
}

json covenant_of(const std::string& line, const std::string& directory) {
  static const Programs programs(std::vector<std::string>{"/usr/bin", "/bin"}, "", {});
  const CovenantCommand command(line, directory);
  const Verdict verdict = command.judge(directory, programs);
  json result = {{"verdict", to_text(verdict.decision)}, {"reason", verdict.reason}};
  if (verdict.decision == Decision::allow) result["runs"] = command.executed();
  return result;
}

json judged(const json& record, const std::string& directory) {
  const std::string line = record.at("line");
  json result = json::object();
  Rules rules;
  rules.commands.allow = names_in(line);
  result["any"] = shown(judge_line(line, rules, directory));
  rules.commands.safe_arguments = true;
  result["safe"] = shown(judge_line(line, rules, directory));
  rules.commands.safe_arguments = false;
  rules.directories = {{directory}, true};
  result["confined"] = shown(judge_line(line, rules, directory));
  Rules denying;
  denying.commands.deny = record.value("deny", std::vector<std::string>{"rm -rf", "git push --force", "npm install"});
  result["deny"] = shown(judge_line(line, denying, directory));
  if (record.contains("config")) result["config"] = shown(judge_line(line, rules_of(record["config"]), directory));
  result["covenant"] = covenant_of(line, directory);
#ifdef HAS_INTERACTIVE
  const Script script = parse(line);
  if (!script.commands.empty() && !script.commands.front().words.empty()) {
    result["terminal"] = needs_terminal(texts_of(script.commands.front().words));
  }
#endif
#ifdef HAS_SECRETS
  result["secrets"] = wtool::secrets::Masker().masked(line);
#endif
  return result;
}

int time_lines(int rounds, const std::string& directory) {
  for (std::string text; std::getline(std::cin, text);) {
    const json record = json::parse(text);
    const std::string line = record.at("line");
    Rules rules = rules_of(record.value("config", json::object()));
    if (!record.contains("config")) {
      rules.commands.allow = names_in(line);
      rules.commands.safe_arguments = true;
    }
    double best = 1e18;
    for (int round = 0; round < rounds; ++round) {
      constexpr int repetitions = 20;
      const auto began = std::chrono::steady_clock::now();
      for (int i = 0; i < repetitions; ++i) judge_line(line, rules, directory);
      const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - began;
      best = std::min(best, took.count() / repetitions);
    }
    std::cout << dumped({{"line", line.substr(0, 80)}, {"nanoseconds", best}}) << '\n';
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  const std::string option = argc > 1 ? argv[1] : "";
#ifdef LISTS_PROGRAMS
  if (option == "--programs") {
    const auto write = [](std::string_view name, const auto* program, bool covenant) {
      if (program == nullptr) return;
      json options = json::array();
      for (const auto& each : program->options()) {
        options.push_back({each.name, each.value != programs::OptionValue::none});
      }
      std::cout << dumped({{"name", name}, {"options", options}, {"covenant", covenant}}) << '\n';
    };
    for (const std::string_view name : programs::program_names()) {
      write(name, programs::find_program(name), false);
      write(name, programs::find_covenant(name), true);
    }
    return 0;
  }
#endif
  if (option == "--time" && argc == 4) return time_lines(std::stoi(argv[2]), argv[3]);
  if (argc != 2 || option.starts_with("-")) {
    std::cerr << "Usage: verdicts DIRECTORY | verdicts --programs | verdicts --time ROUNDS DIRECTORY\n";
    return 2;
  }
  for (std::string text; std::getline(std::cin, text);) {
    std::cout << dumped(judged(json::parse(text), option)) << '\n';
  }
  return 0;
}
