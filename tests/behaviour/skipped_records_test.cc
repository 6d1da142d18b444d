// What the journal, the audit trail and the lines of a run say about steps that are up to date.
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>

#include "up_to_date_place.h"

BOOST_AUTO_TEST_SUITE(skipped_records_test)

using namespace wtool::test;
namespace fs = std::filesystem;

BOOST_FIXTURE_TEST_SUITE(skipped_records, UpToDate)

BOOST_AUTO_TEST_CASE(the_audit_trail_has_a_line_for_a_step_that_is_up_to_date) {
  build();
  scratch.file("wtool.yaml", "audit: {file: trail.jsonl}\n");
  run_it();
  const std::string first = Json::parse(wtool({"show", "last", "--json"}).out).at("run");
  run_it();
  const Finished shown = wtool({"audit", "show", "trail.jsonl", "--event", "up_to_date", "--json"});
  BOOST_REQUIRE(std::count(shown.out.begin(), shown.out.end(), '\n') == 1);
  const Json line = Json::parse(shown.out);
  BOOST_TEST(line.at("tool") == "shell_execute");
  BOOST_TEST(line.at("state") == "Build");
  BOOST_TEST(line.at("result_of") == first);
  BOOST_TEST(holds(line.at("command").get<std::string>(), "mkdir -p out"));
  BOOST_TEST(wtool({"audit", "verify", "trail.jsonl"}).exit_code == 0);
  // If the skip cannot be recorded, the step is not skipped, and the tool says what is wrong with the trail.
  scratch.file("wtool.yaml", "audit: {file: src}\n");
  const Finished refused = wtool({"run", "workflow.md"});
  BOOST_TEST(refused.exit_code != 0, refused.out << refused.err);
  BOOST_TEST(holds(refused.err, "the step 'Build' is run each time: the audit trail"), refused.err);
}

BOOST_AUTO_TEST_CASE(lines_of_steps_that_are_up_to_date_rotate_the_audit_trail) {
  scratch.file("src/a.c", "");
  one_step("Shell \"true " + std::string(3000, 'x') + "\" inputs=[\"src/**\"]");
  scratch.file("wtool.yaml", "audit: {file: trail.jsonl, max_bytes: 4096, keep: 2}\n");
  for (int i = 0; i < 8; ++i) {
    const Finished finished = run_it();
    BOOST_TEST(!holds(finished.err, "cannot be written"), finished.err);
  }
  std::size_t rotated = 0;
  for (const auto& entry : fs::directory_iterator(scratch.path())) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("trail.jsonl")) continue;
    BOOST_TEST(entry.file_size() <= 4096, name);
    rotated += name == "trail.jsonl" ? 0 : 1;
  }
  BOOST_TEST(rotated == 2);
  const Finished verified = wtool({"audit", "verify", "trail.jsonl"});
  BOOST_TEST(verified.exit_code == 0, verified.out << verified.err);
}

BOOST_AUTO_TEST_CASE(a_changed_audit_file_gets_the_lines_of_the_next_steps) {
  scratch.file("in", "");
  workflow("[*] --> Change\nChange --> Build\nBuild --> [*]\n",
           "- Change: Shell \"cp next wtool.yaml\"\n- Build: Shell \"cp in out\" inputs=[\"in\"] outputs=[\"out\"]\n");
  scratch.file("next", "audit: {file: second.jsonl}\n");
  for (int i = 0; i < 2; ++i) {
    scratch.file("wtool.yaml", "audit: {file: first.jsonl}\n");
    run_it();
  }
  BOOST_TEST(holds(file("second.jsonl"), "\"up_to_date\""));
  BOOST_TEST(!holds(file("first.jsonl"), "\"up_to_date\""));
}

BOOST_AUTO_TEST_CASE(a_long_command_is_cut_in_the_audit_trail) {
  scratch.file("src/a.c", "");
  scratch.file("wtool.yaml", "audit: {file: trail.jsonl}\n");
  one_step("Shell \"true " + std::string(100'000, 'x') + "\" with inputs=[\"src/**\"]");
  run_it();
  run_it();
  const Finished shown = wtool({"audit", "show", "trail.jsonl", "--event", "up_to_date", "--json"});
  BOOST_TEST(holds(shown.out, "... [cut: 100005 bytes, sha256 "), shown.out);
  BOOST_TEST(wtool({"audit", "verify", "trail.jsonl"}).exit_code == 0);
}

BOOST_AUTO_TEST_CASE(a_step_whose_large_inputs_are_read_has_its_line_before) {
  build();
  fs::resize_file(scratch.file("src/big.c", ""), 40UL << 20);
  BOOST_TEST(holds(run_it().err, "  > Build"));
  // Its contents are the same, but its new time makes wtool read it again.
  fs::last_write_time(scratch.path() + "/src/big.c", fs::file_time_type::clock::now());
  const Finished again = run_it();
  BOOST_TEST(ran() == 1);
  BOOST_TEST(again.err.find("  > Build") < again.err.find("  up to date Build"), again.err);
  scratch.file("src/big.c", "");
  run_it();
  BOOST_TEST(!holds(run_it().err, "  > Build"));
}

BOOST_AUTO_TEST_CASE(the_journal_and_a_resumed_run_know_what_was_skipped) {
  build();
  run_it();
  run_it();
  const Json shown = Json::parse(wtool({"show", "last", "--json"}).out);
  BOOST_TEST(shown.at("steps").at(0).at("up_to_date") == true);
  BOOST_TEST(shown.at("steps").at(0).at("stdout") == "built\n");
  BOOST_TEST(holds(wtool({"show", "last"}).out, "ok (up to date)"));
  BOOST_TEST(holds(wtool({"logs", "last"}).out, "  up to date Build  "));
  const Finished resumed = wtool({"resume", "last", "--from", "Tell"});
  BOOST_TEST(resumed.exit_code == 0, resumed.err);
  BOOST_TEST(holds(resumed.err, "it says built"), resumed.err);
  BOOST_TEST(ran() == 1);
}

BOOST_AUTO_TEST_CASE(a_command_finds_its_beginning_and_the_steps_before_it_in_the_journal) {
  scratch.file("src/a.c", "int a;\n");
  one_step("Shell \"grep -c '.state_started.' .wtool/runs/*.jsonl | tail -n 1\" inputs=[\"src/**\"]");
  BOOST_TEST(holds(run_it().err, "it says 1"));
  scratch.file(
      "workflow.md",
      "---\ntitle: A test\n---\n```mermaid\nstateDiagram-v2\n[*] --> Build\nBuild --> Count\nCount --> [*]\n```"
      "\n## Actions\n- Build: Shell \"echo built\" inputs=[\"src/**\"]\n"
      "- Count: Shell \"tail -n 9 $(ls -t .wtool/runs/*.jsonl | head -n 1) | grep -c -e .up_to_date.:true "
      "-e .state.:.Count.\" inputs=[\"count\"]\n");
  scratch.file("count", "1");
  run_it();
  scratch.file("count", "2");
  const Finished again = run_it();
  BOOST_TEST(holds(again.err, "up to date Build"), again.err);
  BOOST_TEST(holds(again.err, "    | 2\n"), again.err);
}

BOOST_AUTO_TEST_CASE(the_line_about_a_beginning_is_shown_once_and_only_for_a_call) {
  scratch.file("src/a.c", "int a;\n");
  one_step("Shell \"test -f again || { touch again; false; }\" inputs=[\"src/**\"] retry=1");
  const auto beginnings = [](const std::string& text) {
    std::size_t count = 0;
    for (std::size_t at = text.find("  > Build\n"); at != text.npos; at = text.find("  > Build\n", at + 1)) ++count;
    return count;
  };
  BOOST_TEST(beginnings(run_it().err) == 1);
  const Finished again = run_it();
  BOOST_TEST(beginnings(again.err) == 0);
  BOOST_TEST(holds(again.err, "up to date Build"), again.err);
}

BOOST_AUTO_TEST_CASE(a_matrix_and_those_of_its_combinations_that_run_have_a_line_about_their_beginning) {
  scratch.file("src/a.c", "int a;\n");
  one_step("Shell \"echo ${matrix.n}\" inputs=[\"src/**\"] matrix={\"n\": [1, 2]}");
  const Finished finished = run_it();
  for (const char* line : {"  > Build\n", "  > Build (1)\n", "  > Build (2)\n", "  ok Build "}) {
    BOOST_TEST(holds(finished.err, line), finished.err);
  }
  const Finished again = run_it();
  BOOST_TEST(holds(again.err, "  > Build\n"), again.err);
  BOOST_TEST(!holds(again.err, "  > Build ("), again.err);
}

BOOST_AUTO_TEST_CASE(a_step_that_is_up_to_date_has_ended_in_the_journal_while_another_branch_works) {
  scratch.file("src/a.c", "int a;\n");
  workflow("state F <<fork>>\nstate J <<join>>\n[*] --> F\nF --> A\nF --> B\nA --> A2\nA2 --> J\nB --> J\nJ --> [*]\n",
           "- A: Shell \"echo A\" inputs=[\"src/**\"]\n- A2: Shell \"echo A2\" inputs=[\"src/**\"]\n"
           "- B: Shell \"test ! -e wait || { touch began; sleep 61; }\"\n");
  run_it();
  scratch.file("wait", "");
  Program program({wtool_path, "run", "workflow.md"}, Program::On::pipes, with_cache());
  BOOST_REQUIRE(wait_until([&] { return fs::exists(scratch.path() + "/began"); }, std::chrono::seconds(30)));
  BOOST_TEST(wait_until(
      [&] {
        return holds(wtool({"show", "last"}).out, "A2     ok (up to date)");
      },
      std::chrono::seconds(30)));
  program.kill(SIGKILL);
  program.wait();
  const Finished shown = wtool({"show", "last"});
  BOOST_TEST(holds(shown.out, "A2     ok (up to date)"), shown.out);
}

BOOST_AUTO_TEST_CASE(the_logs_of_a_run_are_in_the_order_of_its_journal) {
  std::string edges = "[*] --> S1\n", actions;
  for (int i = 1; i <= 30; ++i) {
    const std::string name = "S" + std::to_string(i);
    edges += name + " --> " + (i == 30 ? "[*]" : "S" + std::to_string(i + 1)) + "\n";
    actions += "- " + name + (i % 3 == 0 ? ": Log \"x\"\n" : ": Shell \"echo x\" cache=true\n");
  }
  workflow(edges, actions);
  run_it();
  run_it();
  const std::string text = wtool({"logs", "last"}).out;
  std::size_t before = 0;
  for (int i = 1; i <= 30; ++i) {
    const std::string name = "S" + std::to_string(i);
    const std::size_t at = text.find(i % 3 == 0 ? "    " + name + ": x" : "  up to date " + name + "  ");
    BOOST_TEST((at != text.npos && (i == 1 || at > before)), name << " in " << text);
    before = at;
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
