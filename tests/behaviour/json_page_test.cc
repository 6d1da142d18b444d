// docs/guide/json.md describes all JSON that commands print for programs: each key that is printed is on the page, with
// its type, and each key of the page is printed.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(json_page_test)

using namespace wtool::test;
namespace fs = std::filesystem;

namespace {

// The types of the keys of each section, by their paths.
using Keys = std::map<std::string, std::string>;
using Sections = std::map<std::string, Keys>;

// Reads the tables: "## SECTION", and then rows "| `KEY` | TYPE | ...".
Sections read_page(const std::string& page) {
  Sections sections;
  Keys* keys = nullptr;
  for (const std::string& line : lines_of(page)) {
    if (line.starts_with("## ")) keys = &sections[line.substr(3)];
    if (keys == nullptr || !line.starts_with("| `")) continue;
    const std::size_t end = line.find("` | ", 3);
    const std::size_t after = end == std::string::npos ? end : line.find(" |", end + 4);
    BOOST_REQUIRE_MESSAGE(after != std::string::npos, "not a row of three cells: " << line);
    const bool is_new = keys->emplace(line.substr(3, end - 3), line.substr(end + 4, after - end - 4)).second;
    BOOST_TEST(is_new, line);
  }
  sections["show"].insert(sections["runs"].begin(), sections["runs"].end());  // as the page says
  return sections;
}

bool has_type(const Json& value, const std::string& type) {
  if (const std::size_t other = type.find(" or "); other != std::string::npos) {
    return has_type(value, type.substr(0, other)) || has_type(value, type.substr(other + 4));
  }
  const auto all = [&](auto is) { return value.is_array() && std::all_of(value.begin(), value.end(), is); };
  if (type == "text" || type == "time") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  if (type == "list of texts") return all([](const Json& each) { return each.is_string(); });
  if (type == "list of objects") return all([](const Json& each) { return each.is_object(); });
  if (type == "object" || type == "plan") return value.is_object();
  if (type == "null") return value.is_null();
  return type == "any";
}

// Compares what a command prints with a section of the page.
class Comparison {
 public:
  explicit Comparison(const Sections& sections) : sections_(sections) {}

  void take(const std::string& section, const Finished& finished) {
    const Json printed = Json::parse(finished.out, nullptr, false);
    BOOST_TEST_CONTEXT("section " << section) {
      BOOST_REQUIRE_MESSAGE(!printed.is_discarded(), finished.out << finished.err);
      walk(section, sections_.at(section), printed, "");
    }
  }

  // Keys that no command has printed.
  std::vector<std::string> unseen() const {
    std::vector<std::string> all;
    for (const auto& [section, keys] : sections_) {
      for (const auto& [key, type] : keys) {
        if (!seen_.contains({section, key})) all.push_back(section + ": " + key);
      }
    }
    return all;
  }

 private:
  void walk(const std::string& section, const Keys& keys, const Json& value, const std::string& path) {
    if (value.is_array()) {
      for (const Json& each : value) walk(section, keys, each, path.empty() ? "" : path + "[]");
    }
    if (!value.is_object()) return;
    for (const auto& [name, inner] : value.items()) {
      const std::string any_name = path + ".NAME";
      const std::string key = keys.contains(any_name) ? any_name : path.empty() ? name : path + '.' + name;
      const auto found = keys.find(key);
      if (found == keys.end()) {
        BOOST_ERROR("the page has no key " << key);
        continue;
      }
      const std::string& type = found->second;
      BOOST_TEST(has_type(inner, type), key << " should be " << type << ": " << inner);
      seen_.emplace(section, key);
      if (type != "any") walk(section, keys, inner, type.starts_with("plan") ? "" : key);
    }
  }

  const Sections& sections_;
  std::set<std::pair<std::string, std::string>> seen_;
};

// A library that is not a plugin: one that this process has loaded.
std::string other_library() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.ends_with("/libc.so.6")) return line.substr(line.find('/'));
  }
  return {};
}

std::string record(const std::string& type, const std::string& rest) {
  return R"({"v":1,"type":")" + type + R"(","time":"2026-11-21T23:15:02.045Z",)" + rest + "}\n";
}

struct Page : Place {
  const std::string text = content_of(WTOOL_TEST_SOURCE_DIR "/docs/guide/json.md");

  Finished wtool(std::vector<std::string> words) const {
    words.insert(words.begin(), wtool_path);
    ProgramOptions options = here();
    options.set["XDG_CACHE_HOME"] = scratch.path() + "/cache";
    options.set["XDG_CONFIG_HOME"] = scratch.path() + "/user";
    return run(words, options);
  }

  void write_workflows() const {
    const std::string one = "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n## Actions\n- A: ";
    scratch.file("inner.md", one + "Log \"x\"\n");
    scratch.file("bad.md", one + "Shel \"x\"\n");
    scratch.file(
        "old.md",
        "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> B\nB --> [*]\n```\n## Actions\n- A: Shell \"false\"\n- B: "
        "Log \"${A.exit_code}\"\n");
    scratch.file("build.md",
                 "---\ntitle: Build\nparameters:\n  - {name: who, default: you}\n---\n```mermaid\nstateDiagram-v2\n[*] "
                 "--> A\nA --> C\nC --> [*]\n```\n## Actions\n- A: Shell \"echo a > out; echo b\" with matrix={\"n\": "
                 "[1]} cache=true inputs=[\"inner.md\"] outputs=[\"out\"] timeout=5\n- C: Run workflow \"inner\"\n");
  }

  // Three journals that have all that a journal may have: a run of a part that completed, one that failed, and one that
  // was killed.
  void write_journals() const {
    const std::string place = R"("step":1,"branch":"","seq":1,"state":"Build","action":"shell")";
    const std::string began = record("state_started", place + R"(,"workflow":"inner")");
    const std::string start = R"("run":"x","name":"release","file":"release.md",)";
    const std::string whole = R"({"bytes":9,"cut":true,"file":"1.out"})";
    scratch.file(
        ".wtool/runs/20261121-231502-0001.jsonl",
        record("run_started",
               start + R"("inputs":{"who":"x"},"secret_inputs":["t"],"masked_inputs":["u"],"until":"Build")") +
            began + record("node", place + R"(,"node":"n1")") +
            record("usage", place + R"(,"calls":1,"tokens":5,"cost":0.5,"time_ms":20)") +
            record("state_ended",
                   place +
                       R"(,"status":"succeeded","ms":1500,"went_on":true,"tries":2,"replayed":true,"masked":true,)"
                       R"("up_to_date":true,"secret":true,"command":"make","set":{"n":1},"next":["[*]"],)"
                       R"("kept_files":[{"path":"a","copy":"b","bytes":1}],"outcome":{"stdout":"a","stderr":"b",)"
                       R"("message":"done","error":"timeout","metadata":{"n":1},"stdout_whole":)" +
                       whole + R"(,"stderr_whole":)" + whole + "}") +
            record("log", R"("step":1,"level":"info","text":"hi")") +
            record("run_ended", R"("status":"completed","ms":2000)"));
    scratch.file(".wtool/runs/20261121-231502-0002.jsonl",
                 record("run_started", start + R"("inputs":{},"only":"Build")") + began +
                     record("run_ended", R"("status":"failed","reason":"why","refused":true,"ms":1)"));
    scratch.file(".wtool/runs/20261121-231502-0003.jsonl", record("run_started", start + R"("inputs":{})") + began);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(each_key_that_is_printed_is_on_the_page_and_the_other_way_round, Page) {
  const Sections sections = read_page(text);
  Comparison comparison(sections);
  const bool has_python = fs::exists("/usr/bin/python3");
  const bool has_cluster = fs::exists(fs::path(WTOOL_TEST_PLUGIN).replace_filename("cluster_tools.so"));
  scratch.file("wtool.yaml", "lock: [commands]\nmcp_servers:\n  s: {command: \"/usr/bin/python3 " WTOOL_TEST_SOURCE_DIR
                             "/tests/data/servers/scripted.py session\"}\n  t: {command: \"true\"}\n");
  write_workflows();
  BOOST_TEST(wtool({"run", "build.md"}).exit_code == 0);
  comparison.take("plan", wtool({"plan", "build.md", "--json"}));
  std::ofstream(scratch.path() + "/inner.md", std::ios::app) << "\n";  // so that the step is no longer up to date
  comparison.take("plan", wtool({"plan", "build.md", "--json"}));
  if (has_cluster) comparison.take("plan", wtool({"plan", "build.md", "--json", "--on", "cluster"}));
  comparison.take("lint", wtool({"lint", "build.md", "bad.md", "old.md", "--fix", "--json"}));
  comparison.take("list", wtool({"list", "--json"}));
  comparison.take("cache list", wtool({"cache", "list", "--json"}));
  if (has_python) BOOST_TEST(wtool({"servers", "lock", "s"}).exit_code == 0);
  comparison.take("servers list", wtool({"servers", "list", "--json"}));
  comparison.take("tools", wtool({"tools", "--json"}));
  comparison.take("config show", wtool({"config", "show", "--json"}));
  comparison.take("doctor", wtool({"doctor", "--json"}));
  comparison.take("check",
                  wtool({"check", WTOOL_TEST_PLUGIN, "--tool", "execute_run", "--test", "describe", "--json"}));
  comparison.take("check", wtool({"check", other_library(), "--json"}));
  comparison.take("check --list", wtool({"check", "--list", "--json"}));
  comparison.take("--version", wtool({"--version", "--json"}));
  fs::remove_all(scratch.path() + "/.wtool/runs");
  fs::create_directories(scratch.path() + "/.wtool/runs");
  write_journals();
  comparison.take("runs", wtool({"runs", "--json"}));
  for (const char* run : {"20261121-231502-0001", "20261121-231502-0002", "20261121-231502-0003"}) {
    comparison.take("show", wtool({"show", run, "--json"}));
  }
  for (const std::string& key : comparison.unseen()) {
    const bool needs_slurm = key.starts_with("cluster ") || key == "plan: cluster[].problem";
    const bool needs_cluster = !has_cluster && key.starts_with("plan: cluster");
    const bool needs_python = !has_python && key.starts_with("servers list: ");
    BOOST_TEST((needs_slurm || needs_cluster || needs_python), "no command has printed " << key);
  }
}

BOOST_FIXTURE_TEST_CASE(the_help_of_each_command_on_the_page_has_the_option, Page) {
  for (const auto& [section, keys] : read_page(text)) {
    if (section == "--version") continue;
    std::istringstream words(section);
    std::vector<std::string> command;
    for (std::string word; words >> word;) {
      if (!word.starts_with('-')) command.push_back(word);
    }
    command.emplace_back("--help");
    const Finished help = wtool(command);
    BOOST_TEST(help.exit_code == 0, section);
    BOOST_TEST(holds(help.out, "\n  --json "), help.out);
  }
}

BOOST_AUTO_TEST_SUITE_END()
