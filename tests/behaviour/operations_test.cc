// What docs/guide/operations.md says to people who operate wtool: about new versions beside a running host, and about files
// that may be deleted.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <set>

#include "support/mcp_client.h"
#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(operations_test)

using namespace wtool::test;

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

struct Operated : Place {
  std::string home = scratch.path() + "/home";
  std::string temporary = scratch.path() + "/tmp";

  Operated() {
    fs::create_directory(home);
    fs::create_directory(temporary);
  }
  ProgramOptions options() const {
    ProgramOptions options = here();
    options.set = {{"HOME", home}, {"TMPDIR", temporary}};
    options.unset = {"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"};
    return options;
  }
};

// Replaces a file as a package manager does: the new one gets the name of the old one.
void replace(const fs::path& file, const std::string& content) {
  const fs::path fresh = file.string() + ".new";
  std::ofstream(fresh) << content;
  fs::permissions(fresh, fs::perms::owner_all);
  fs::rename(fresh, file);
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_running_server_keeps_the_files_that_it_has_loaded_when_new_ones_replace_them, Operated) {
  const fs::path built = fs::path(wtool_path).parent_path().parent_path();
  for (const char* part : {"bin/wtool", "lib/wtool/shell_tools.so", "libexec/wtool/shell-warden"}) {
    fs::create_directories((scratch.path() / fs::path(part)).parent_path());
    fs::copy_file(built / part, scratch.path() / fs::path(part));
  }
  Program server({scratch.path() + "/bin/wtool", "mcp", "--policy", "open", "--plugin",
                  scratch.path() + "/lib/wtool/shell_tools.so"},
                 Program::On::pipes, [&] {
                   ProgramOptions options = this->options();
                   options.talk = true;
                   return options;
                 }());
  const auto ask = [&](int id, const std::string& method, const Json& parameters) {
    server.say(Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", parameters}}.dump() + "\n");
  };
  // Reads until these requests are answered, and returns the answers as one text.
  const auto answers = [&](std::set<int> ids) {
    std::string all;
    for (std::string line; !ids.empty() && server.next_line(line);) {
      const Json said = Json::parse(line);
      if (ids.erase(said.value("id", 0)) == 0) continue;
      BOOST_TEST((!said.contains("error") && !said["result"].value("isError", false)), line);
      all += line;
    }
    BOOST_TEST(ids.empty());
    return all;
  };
  const auto call = [&](int id, const std::string& command) {
    ask(id, "tools/call", {{"name", "shell_execute"}, {"arguments", {{"command", command}}}});
  };
  ask(1, "initialize",
      {{"protocolVersion", "2025-11-25"},
       {"capabilities", Json::object()},
       {"clientInfo", {{"name", "t"}, {"version", "1"}}}});
  answers({1});
  call(2, "echo before");
  BOOST_TEST(holds(answers({2}), "before"));
  replace(scratch.path() + "/lib/wtool/shell_tools.so", "not a library\n");
  replace(scratch.path() + "/libexec/wtool/shell-warden", "#!/bin/sh\nexit 7\n");
  replace(scratch.path() + "/bin/wtool", "#!/bin/sh\nexit 7\n");
  // Calls at the same time: one custodian waits, and the warden makes the others.
  Gate gate(scratch);
  for (int id = 3; id < 7; ++id) call(id, gate.wait() + "; echo after");
  gate.open();
  BOOST_TEST(holds(answers({3, 4, 5, 6}), "after"));
  server.end_input();
  BOOST_TEST(server.wait().exit_code == 0);
}

BOOST_FIXTURE_TEST_CASE(what_may_be_deleted_while_nothing_runs_is_not_missed, Operated) {
  scratch.file("wtool.yaml", "output: {spill: always}\naudit: {file: audit/trail.jsonl, max_bytes: 4096}\n");
  fs::create_directory(scratch.path() + "/audit");
  const std::string file = workflow(
      "  [*] --> Make\n  Make --> Show: success\n  Show --> [*]\n",
      "- Make: Shell \"echo made > made\" inputs=[\"wtool.yaml\"] outputs=[\"made\"]\n- Show: Shell \"cat made\"\n");
  const auto is_green = [&] {
    const Finished finished = run({wtool_path, "run", file}, options());
    BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
    BOOST_TEST(holds(run({wtool_path, "show", "last"}, options()).out, "Show"));
  };
  for (int i = 0; i < 5; ++i) is_green();
  const fs::path folder = scratch.path();
  for (const fs::path& each :
       {folder / ".wtool/runs", folder / ".wtool/output", fs::path(home) / ".cache/wtool/steps"}) {
    BOOST_TEST(fs::remove_all(each) > 0U, each);
  }
  // Each process removes its own files there.
  fs::remove_all(fs::path(temporary) / ("wtool-" + std::to_string(::geteuid())));
  fs::remove_all(fs::path(home) / ".local/state/wtool/temporary");
  std::size_t rotated = 0;
  for (const auto& entry : fs::directory_iterator(folder / "audit")) {
    if (entry.path().filename() != "trail.jsonl") rotated += fs::remove(entry.path()) ? 1 : 0;
  }
  BOOST_TEST(rotated > 0U);
  is_green();
  const Finished verified = run({wtool_path, "audit", "verify", "audit/trail.jsonl"}, options());
  BOOST_TEST(verified.exit_code == 0, verified.out << verified.err);
}

BOOST_FIXTURE_TEST_CASE(commands_can_make_temporary_files_under_the_example_for_a_service, Operated) {
  std::ifstream page(WTOOL_TEST_SOURCE_DIR "/docs/guide/operations.md");
  std::string line, example;
  while (std::getline(page, line) && line != "```yaml") {
  }
  while (std::getline(page, line) && line != "```") example += line + "\n";
  const auto put = [&](const std::string& from, const std::string& to) {
    BOOST_TEST(holds(example, from));
    for (std::size_t at = 0; (at = example.find(from, at)) != std::string::npos; at += to.size())
      example.replace(at, from.size(), to);
  };
  fs::create_directory(scratch.path() + "/project");
  put("/srv/project", scratch.path() + "/project");
  put("/var/log/wtool", scratch.path());
  put("required: true", "required: false");  // this machine need not enforce everything
  scratch.file("service.yaml", example);
  ProgramOptions service = options();
  service.directory = scratch.path() + "/project";
  service.set["TMPDIR"] = "/tmp";
  const Finished made = run({wtool_path, "--config", scratch.path() + "/service.yaml", "call", "shell_execute",
                             R"({"command": "file=$(mktemp) && rm \"$file\" && echo made"})"},
                            service);
  BOOST_TEST(made.exit_code == 0, made.out << made.err);
  BOOST_TEST(holds(made.out, "made"), made.out << made.err);
}

BOOST_FIXTURE_TEST_CASE(git_does_not_see_the_runs_of_a_repository, Operated) {
  const auto git = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"/usr/bin/env", "git"});
    const Finished finished = run(words, options());
    BOOST_TEST(finished.exit_code == 0, finished.err);
    return finished.out;
  };
  git({"init", "--quiet"});
  const std::string file = workflow("  [*] --> Say\n  Say --> [*]\n", "- Say: Shell \"echo said\"\n");
  BOOST_TEST(run({wtool_path, "run", file}, options()).exit_code == 0);
  BOOST_TEST(fs::exists(scratch.path() + "/.wtool/runs"));
  BOOST_TEST(!holds(git({"status", "--porcelain", "--untracked-files=all"}), ".wtool"));
}

BOOST_AUTO_TEST_SUITE_END()
