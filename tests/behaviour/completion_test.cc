// What `wtool complete` offers to a shell, and what zsh and fish make of it.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "support/shell_tool.h"
#include "support/text.h"
#include "wtool_program.h"

BOOST_AUTO_TEST_SUITE(completion_test)

using namespace wtool::test;
using namespace wtool::test::cli;

BOOST_FIXTURE_TEST_CASE(completion_offers_what_fits_and_is_quiet_where_nothing_does, Place) {
  scratch.file("wtool.yaml", "limits: {timeout_max: never}\n");  // With this file, no call could be made.
  ProgramOptions here;
  here.directory = scratch.path();
  const auto offered = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "complete");
    const Finished finished = wtool_with(std::move(words), here);
    BOOST_TEST(finished.exit_code == 0);
    BOOST_TEST(finished.err == "");
    return finished.out;
  };
  BOOST_TEST(offered({"ru"}) == "run\nruns\n");
  BOOST_TEST(offered({"audit", ""}) == "show\nverify\n");
  BOOST_TEST(offered({"--log", "info", "run", "--fail"}) == "--fail-fast\n");
  BOOST_TEST(offered({"mcp", "--policy", "re"}) == "read-only\n");
  BOOST_TEST(offered({"mcp", "--policy=re"}) == "--policy=read-only\n");
  BOOST_TEST(offered({"--log-format", ""}) == "json\ntext\n");
  BOOST_TEST(offered({"tools", "--log-format=j"}) == "--log-format=json\n");
  BOOST_TEST(offered({"--log", "in"}) == "info\n");
  BOOST_TEST(offered({"run", "x.md", "--junit="}) == ":files\n");
  BOOST_TEST(offered({"--directory=i"}) == ":files\n");
  BOOST_TEST(offered({"run", "--nonsense=a"}) == "");
  BOOST_TEST(offered({"run", "--fail-fast="}) == "");
  BOOST_TEST(offered({"config", ""}) == "check\nschema\nshow\n");
  BOOST_TEST(offered({"run", "x.md", "--junit", ""}) == ":files\n");
  BOOST_TEST(offered({"call", "shell"}) == "shell_execute\n");
  BOOST_TEST(offered({"call", "shell_execute", "t"}) == "timeout=\n");
  BOOST_TEST(offered({"call", "shell_execute", "command=ls", ""}) ==
             "environment=\nstdin=\ntimeout=\nworking_directory=\n");
  BOOST_TEST(offered({"call", "no_such_tool", "x=1", ""}) == "");
  BOOST_TEST(offered({"logs", "last", ""}) == "");
  BOOST_TEST(offered({"run", "no-such-workflow", "--var", ""}) == "");
  BOOST_TEST(offered({"nonsense", "--nonsense", "\xff"}) == "");
  std::filesystem::create_directories(scratch.path() + "/in/workflows");
  scratch.file("in/workflows/ship.md", "```mermaid\nstateDiagram-v2\n  [*] --> Pack\n  Pack --> [*]\n```\n");
  BOOST_TEST(offered({"-C", "in", "run", ""}) == "ship\n");
  BOOST_TEST(offered({"--directory=in", "run", "ship", "--until", ""}) == "Pack\n");
  BOOST_TEST(offered({"-C", "none", "run", "sh"}) == "");
  BOOST_TEST(offered({"-C", ""}) == ":files\n");
  BOOST_TEST(holds(offered({}), "workflow") == false);
  BOOST_TEST(holds(offered({}), "call\n"));
}

namespace {

constexpr const char* completions = WTOOL_TEST_SOURCE_DIR "/host-api/reference-host/packaging/completion";

ProgramOptions with_wtool_in_path(const ScratchFolder& scratch) {
  ProgramOptions options;
  options.directory = scratch.path();
  options.set = {{"PATH", wtool_path.substr(0, wtool_path.rfind('/')) + ":/usr/bin:/bin"},
                 {"HOME", scratch.path()},
                 {"PS1", "ask> "}};
  return options;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_files_for_the_shells_are_printed) {
  for (const auto& [shell, file] : std::vector<std::pair<std::string, std::string>>{
           {"bash", "wtool.bash"}, {"zsh", "_wtool"}, {"fish", "wtool.fish"}}) {
    const Finished printed = wtool_with({"completion", shell});
    BOOST_TEST(printed.exit_code == 0, printed.err);
    BOOST_TEST(printed.out == content_of(std::string(completions) + "/" + file), file);
  }
  const Finished other = wtool_with({"completion", "bsh"});
  BOOST_TEST(other.exit_code == 2);
  BOOST_TEST(holds(other.err, "did you mean 'bash'?"), other.err);
  BOOST_TEST(holds(wtool_with({"completion"}).err, "SHELL is required: bash, zsh or fish"));
}

BOOST_FIXTURE_TEST_CASE(bash_completes_with_what_is_printed, Place) {
  const std::string script =
      "source <(wtool completion bash); COMP_WORDS=(wtool run --max); COMP_CWORD=2; compopt() { :; }; _wtool; "
      "printf '%s\\n' \"${COMPREPLY[@]}\"";
  const Finished finished = run({"/usr/bin/env", "bash", "--norc", "-c", script}, with_wtool_in_path(scratch));
  BOOST_TEST(finished.out == "--max-parallel\n", finished.err);
}

BOOST_FIXTURE_TEST_CASE(bash_completes_values_after_an_equals_sign, Place) {
  scratch.file("report.xml", "");
  std::filesystem::create_directories(scratch.path() + "/bin");
  std::filesystem::create_symlink(wtool_path, scratch.path() + "/bin/wtool");
  // The words as bash splits them.
  const auto offered = [&](std::vector<std::string> words, const std::string& line = {}) {
    const std::string script =
        ". " + std::string(completions) +
        "/wtool.bash; compopt() { :; }; COMP_LINE=$1 COMP_POINT=${#1}; shift; COMP_WORDS=(\"$@\") "
        "COMP_CWORD=$(($# - 1)); _wtool; printf '%s\\n' \"${COMPREPLY[@]}\"";
    words.insert(words.begin(), {"/usr/bin/env", "bash", "--norc", "-c", script, "bash", line});
    const Finished finished = run(words, with_wtool_in_path(scratch));
    BOOST_TEST(finished.exit_code == 0, finished.err);
    return finished.out;
  };
  BOOST_TEST(offered({"wtool", "run", "--max"}) == "--max-parallel\n");
  BOOST_TEST(offered({"wtool", "mcp", "--policy", "=", "re"}) == "read-only\n");
  BOOST_TEST(offered({"wtool", "mcp", "--policy=re"}) == "--policy=read-only\n");  // if = does not split words
  BOOST_TEST(offered({"wtool", "--log-format", "="}) == "json\ntext\n");
  BOOST_TEST(offered({"wtool", "run", "x", "--junit", "=", "rep"}) == "report.xml\n");
  BOOST_TEST(offered({"wtool", "run", "x", "--junit=rep"}) == "--junit=report.xml\n");
  // After a blank, the next word begins.
  BOOST_TEST(offered({"wtool", "--log", "=", ""}, "wtool --log=") == "debug\nerror\ninfo\noff\ntrace\nwarn\n");
  BOOST_TEST(!holds(offered({"wtool", "--log", "=", ""}, "wtool --log= "), "debug\n"));
  BOOST_TEST(offered({"~/bin/wtool", "audit", "ver"}) == "verify\n");
}

BOOST_FIXTURE_TEST_CASE(fish_offers_the_same, Place) {
  if (!is_installed("fish")) {
    BOOST_TEST_MESSAGE("not tested: fish is not installed");
    return;
  }
  const auto offered = [&](const std::string& line) {
    const std::string script =
        "source " + std::string(completions) + "/wtool.fish; complete --do-complete '" + line + "'";
    const Finished finished = run({"/usr/bin/env", "fish", "--no-config", "-c", script}, with_wtool_in_path(scratch));
    BOOST_TEST(finished.exit_code == 0, finished.err);
    return finished.out;
  };
  BOOST_TEST(offered("wtool run --max") == "--max-parallel\n");
  BOOST_TEST(offered("wtool ru") == "run\nruns\n");
  BOOST_TEST(offered("wtool mcp --policy=re") == "--policy=read-only\n");
  scratch.file("report.xml", "");
  BOOST_TEST(offered("wtool run x --junit=rep") == "--junit=report.xml\n");
}

BOOST_FIXTURE_TEST_CASE(zsh_completes_on_its_terminal, Place) {
  if (!is_installed("zsh")) {
    BOOST_TEST_MESSAGE("not tested: zsh is not installed");
    return;
  }
  Program zsh({"/usr/bin/env", "zsh", "-f", "-i"}, Program::On::terminal, with_wtool_in_path(scratch));
  BOOST_REQUIRE(zsh.wait_for_output("ask> "));
  zsh.type("fpath+=(" + std::string(completions) + "); autoload -U compinit; compinit -u -D; echo lo'a'ded\r");
  BOOST_REQUIRE(zsh.wait_for_output("loaded"));
  zsh.type("wtool run --max\t");
  BOOST_TEST(zsh.wait_for_output("--max-parallel"), zsh.output());
}

BOOST_FIXTURE_TEST_CASE(completion_of_approve_offers_the_runs_that_wait, Place) {
  const auto journal = [&](const std::string& id, const std::string& status) {
    const std::string begin = R"({"v":1,"time":"2026-11-21T23:15:02.045Z","type":)";
    scratch.file(".wtool/runs/" + id + ".jsonl", begin + R"("run_started","run":"x","file":"x.md"})" + "\n" + begin +
                                                     R"("run_ended","status":")" + status + "\"}\n");
  };
  ProgramOptions here;
  here.directory = scratch.path();
  const auto offered = [&] { return wtool_with({"complete", "approve", ""}, here).out; };
  BOOST_TEST(offered() == "");
  journal("20261121-231502-0001", "suspended");
  journal("20261121-231502-0002", "completed");
  BOOST_TEST(offered() == "20261121-231502-0001\n");
  journal("20261121-231502-0003", "suspended");
  BOOST_TEST(offered() == "20261121-231502-0001\n20261121-231502-0003\nlast\n");
}

BOOST_FIXTURE_TEST_CASE(completion_offers_no_name_that_would_control_the_terminal, Place) {
  scratch.file("workflows/fine.md", "# fine\n");
  scratch.file("workflows/\x1b]0;owned\a.md", "# owned\n");
  scratch.file("workflows/two\nlines.md", "# two\n");
  scratch.file(".wtool/runs/20991123-000000-0a0b.jsonl", "");
  scratch.file(".wtool/runs/20991123-\x1b[31m.jsonl", "");
  ProgramOptions here;
  here.directory = scratch.path();
  BOOST_TEST(wtool_with({"complete", "run", ""}, here).out == ":files\nfine\n");
  BOOST_TEST(wtool_with({"complete", "show", ""}, here).out == "20991123-000000-0a0b\nlast\n");
}

BOOST_AUTO_TEST_SUITE_END()
