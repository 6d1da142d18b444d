// Steps that are up to date are skipped, and never wrongly: `inputs`, `outputs` and `cache` of a step, with the built
// program.
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "up_to_date_place.h"

BOOST_AUTO_TEST_SUITE(up_to_date_test)

using namespace wtool::test;
namespace fs = std::filesystem;

BOOST_FIXTURE_TEST_SUITE(up_to_date, UpToDate)

BOOST_AUTO_TEST_CASE(a_step_is_skipped_until_an_input_changes) {
  build();
  run_it();
  const Finished again = run_it();
  BOOST_TEST(ran() == 1);
  BOOST_TEST(holds(again.err, "up to date Build"), again.err);
  BOOST_TEST(holds(again.out, "ok (up to date)"), again.out);
  BOOST_TEST(holds(again.err, "it says built"), again.err);
  scratch.file("src/a.c", "int b;\n");
  run_it();
  BOOST_TEST(ran() == 2);
  BOOST_TEST(file("out/app") == "int b;\n");
  // The input is again what it was, so the output comes from the store.
  scratch.file("src/a.c", "int a;\n");
  run_it();
  BOOST_TEST(ran() == 2);
  BOOST_TEST(file("out/app") == "int a;\n");
}

BOOST_AUTO_TEST_CASE(a_store_whose_files_were_replaced_is_never_waited_for) {
  for (const char* kind : {"entries", "files", "latest", "blobs"}) {
    build();
    run_it();
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(scratch.path() + "/cache/wtool/steps/" + kind)) {
      if (!entry.is_directory() || entry.is_symlink()) files.push_back(entry.path());
    }
    BOOST_REQUIRE_MESSAGE(!files.empty(), kind);
    for (const std::string& path : files) {
      fs::remove(path);
      BOOST_REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    }
    fs::remove_all(scratch.path() + "/out");
    BOOST_TEST(wtool({"plan", "workflow.md"}).exit_code == 0, kind);
    BOOST_TEST(wtool({"cache", "list"}).exit_code == 0, kind);
    run_it();
    BOOST_TEST(file("out/app") == "int a;\n", kind);
    BOOST_TEST(wtool({"cache", "clear"}).exit_code == 0, kind);
  }
}

BOOST_AUTO_TEST_CASE(a_step_whose_input_changes_and_changes_back_meanwhile_is_not_kept) {
  one_step(
      "Shell \"echo b > src/a.c; cp src/a.c app; echo a > src/a.c; echo x >> ran\" with inputs=[\"src/**\"] "
      "outputs=[\"app\"]");
  scratch.file("src/a.c", "a\n");
  const Finished first = run_it();
  BOOST_TEST(holds(first.err, "' is not kept: its inputs changed while it ran"), first.err);
  run_it();
  BOOST_TEST(ran() == 2);
}

BOOST_AUTO_TEST_CASE(a_step_that_has_read_another_file_in_place_of_an_input_is_not_kept) {
  scratch.file("src/a.c", "a\n");
  fs::create_directory(scratch.path() + "/v2");
  scratch.file("v2/a.c", "b\n");
  fs::create_symlink("src/a.c", scratch.path() + "/link");
  fs::create_symlink("src", scratch.path() + "/current");
  for (const auto& [command, inputs] :
       {std::pair{"mv src/a.c a.orig; echo b > src/a.c; cat src/a.c > app; mv -f a.orig src/a.c", "src/a.c"},
        {"sed -i.bak s/a/b/ src/a.c; cat src/a.c > app; mv -f src/a.c.bak src/a.c", "src/a.c"},
        {"cp -p src/a.c a.orig; echo b > src/a.c; cat src/a.c > app; cp -p a.orig src/a.c", "src/a.c"},
        {"ln -sfn v2/a.c link; cat link > app; ln -sfn src/a.c link", "link"},
        {"ln -sfn v2 current; cat current/a.c > app; ln -sfn src current", "current/a.c"},
        {"mv src src.orig; cp -r v2 src; cat src/a.c > app; rm -r src; mv src.orig src", "src/a.c"}}) {
    for (const char* name : {"ran", "app", "cache"}) fs::remove_all(scratch.path() + "/" + name);
    one_step("Shell \"" + std::string(command) + "; echo x >> ran\" inputs=[\"" + inputs + "\"] outputs=[\"app\"]");
    const Finished first = run_it();
    BOOST_TEST(holds(first.err, " while it ran"), command << first.err);
    run_it();
    BOOST_TEST(ran() == 2, command);
    BOOST_TEST(file("src/a.c") == "a\n");
  }
  // Other files that come and go beside the inputs do not matter: many programs write temporary files there.
  fs::remove(scratch.path() + "/ran");
  one_step(
      "Shell \"touch src/x.tmp; cp src/a.c src/a.o; rm src/x.tmp; echo x >> ran\" inputs=[\"src/*.c\"] "
      "outputs=[\"src/*.o\"]");
  run_it();
  run_it();
  BOOST_TEST(ran() == 1);
}

BOOST_AUTO_TEST_CASE(each_changed_part_of_the_call_makes_the_step_run) {
  scratch.file("src/a.c", "int a;\n");
  fs::create_directory(scratch.path() + "/other");
  scratch.file("other/src/a.c", "int a;\n");
  std::size_t expected = 0;
  const auto runs = [&](const std::string& action, const std::map<std::string, std::string>& set = {}) {
    one_step(action);
    fs::remove(scratch.path() + "/ran");
    fs::remove(scratch.path() + "/other/ran");
    run_it({}, set);
    expected = fs::exists(scratch.path() + "/ran") || fs::exists(scratch.path() + "/other/ran") ? 1 : 0;
    return expected == 1;
  };
  const std::string inputs = " inputs=[\"src/**\"]";
  BOOST_TEST(runs("Shell \"echo x >> ran\" with" + inputs));
  BOOST_TEST(!runs("Shell \"echo x >> ran\" with" + inputs));
  BOOST_TEST(!runs("Shell \"echo x >> ran\" with timeout=50" + inputs));
  BOOST_TEST(runs("Shell \"echo y >> ran\" with" + inputs));
  BOOST_TEST(runs("Shell \"echo x >> ran\" with working_dir=\"other\"" + inputs));
  BOOST_TEST(runs("Shell \"echo x >> ran\" with env={\"CC\": \"gcc\"}" + inputs));
  BOOST_TEST(!runs("Shell \"echo x >> ran\" with env={\"CC\": \"gcc\"}" + inputs));
  BOOST_TEST(runs("Shell \"echo x >> ran\" with env={\"CC\": \"clang\"}" + inputs));
  BOOST_TEST(runs("Shell \"echo x >> ran\" with shell=bash" + inputs));
  BOOST_TEST(runs("Shell \"echo x >> ran\" with" + inputs + " outputs=[\"ran\"]"));
  BOOST_TEST(runs("Shell \"echo $$NAMED >> ran\" with" + inputs, {{"NAMED", "one"}}));
  BOOST_TEST(!runs("Shell \"echo $$NAMED >> ran\" with" + inputs, {{"NAMED", "one"}, {"UNNAMED", "1"}}));
  BOOST_TEST(runs("Shell \"echo $$NAMED >> ran\" with" + inputs, {{"NAMED", "two"}}));
  BOOST_TEST(runs("Shell \"echo x >> ran\" with" + inputs, {{"PATH", std::string(std::getenv("PATH")) + ":/tmp"}}));
  BOOST_TEST(runs("Shell \"echo x >> ran\" with" + inputs));
  BOOST_TEST(!runs("Shell \"echo x >> ran\" with" + inputs));
  scratch.file("wtool.yaml", "environment: {set: {CC: clang}}\n");
  BOOST_TEST(runs("Shell \"echo x >> ran\" with" + inputs));
  BOOST_TEST(!runs("Shell \"echo x >> ran\" with" + inputs));
  BOOST_TEST(runs("Shell \"echo x >> ran\" with cache=false" + inputs));
  BOOST_TEST(runs("Shell \"echo x >> ran\""));
}

BOOST_AUTO_TEST_CASE(a_configuration_that_changes_during_a_run_makes_the_next_steps_run) {
  scratch.file("in", "");
  workflow("[*] --> Change\nChange --> Build\nBuild --> [*]\n",
           "- Change: Shell \"cp next wtool.yaml\"\n"
           "- Build: Shell \"printenv NAMED > out; echo x >> ran\" inputs=[\"in\"] outputs=[\"out\"]\n");
  const auto set = [](const std::string& value) { return "environment: {set: {NAMED: " + value + "}}\n"; };
  scratch.file("wtool.yaml", set("one"));
  scratch.file("next", set("two"));
  run_it();
  BOOST_TEST(file("out") == "two\n");
  run_it();
  BOOST_TEST(ran() == 1);
  scratch.file("wtool.yaml", set("one"));
  scratch.file("next", set("one"));
  run_it();
  BOOST_TEST(file("out") == "one\n");
}

BOOST_AUTO_TEST_CASE(other_folders_in_which_programs_are_looked_for_make_a_step_run) {
  scratch.file("one/tool", "#!/bin/sh\necho one > out\n", 0755);
  scratch.file("two/tool", "#!/bin/sh\necho two > out\n", 0755);
  scratch.file("in", "");
  one_step("Shell \"tool\" inputs=[\"in\"] outputs=[\"out\"]");
  for (const char* folder : {"one", "two", "one"}) {
    scratch.file("wtool.yaml", "commands: {allow: [tool], path: [" + scratch.path() + "/" + folder + "]}\n");
    run_it();
    BOOST_TEST(file("out") == std::string(folder) + "\n");
  }
}

BOOST_AUTO_TEST_CASE(an_output_is_no_input_however_the_input_is_written) {
  fs::create_directory(scratch.path() + "/sub");
  fs::create_directory_symlink(scratch.path() + "/sub", scratch.path() + "/link");
  scratch.file("sub/in", "");
  for (const std::string& inputs : {scratch.path() + "/sub/**", scratch.path() + "/link/*", std::string("../sub/**")}) {
    for (const char* name : {"ran", "sub/out"}) fs::remove(scratch.path() + "/" + name);
    one_step("Shell \"echo made > out; echo x >> ../ran\" inputs=[\"" + inputs +
             "\"] outputs=[\"out\"] working_dir=\"sub\"");
    run_it();
    run_it();
    BOOST_TEST(ran() == 1, inputs);
  }
}

BOOST_AUTO_TEST_CASE(a_step_without_outputs_is_up_to_date_only_if_it_was_the_last_to_run) {
  one_step("Shell \"cp app installed; echo x >> ran; test ! -e stop\" inputs=[\"app\"]");
  const auto install = [&](const std::string& version, bool succeeds = true) {
    scratch.file("app", version);
    BOOST_TEST((wtool({"run", "workflow.md"}).exit_code == 0) == succeeds);
    BOOST_TEST(file("installed") == version);
  };
  for (const char* version : {"1", "2", "1"}) install(version);
  install("1");
  BOOST_TEST(ran() == 3);
  // A failure may have done a part of the work.
  scratch.file("stop", "");
  install("2", false);
  fs::remove(scratch.path() + "/stop");
  install("1");
  BOOST_TEST(ran() == 5);
  install("1");
  BOOST_TEST(ran() == 5);
}

// cache=strict needs a kernel with Landlock, which every machine that runs these tests has.
BOOST_AUTO_TEST_CASE(a_changed_variable_that_the_command_names_without_a_dollar_makes_the_step_run) {
  scratch.file("in", "");
  const std::string home = scratch.path() + "/home";
  for (const char* command :
       {"echo $((FOO+1))", "printenv FOO", "test 1 -eq $(( 2*( FOO ) )) || :", "echo x\\nprintenv FOO"}) {
    fs::remove(scratch.path() + "/ran");
    one_step("Shell \"" + std::string(command) + "; echo x >> ran\" with inputs=[\"in\"]");
    for (const char* value : {"1", "1", "2", "2"}) run_it({}, {{"FOO", value}});
    BOOST_TEST(ran() == 2, command);
  }
  for (const char* command : {"echo ~", "ls ~/x || :", "PATH=$PATH:~/bin"}) {
    fs::remove(scratch.path() + "/ran");
    one_step("Shell \"" + std::string(command) + "; echo x >> ran\" with inputs=[\"in\"]");
    for (const char* value : {"/a", "/a", "/b", "/b"}) run_it({}, {{"HOME", home + value}});
    BOOST_TEST(ran() == 2, command);
  }
  // TERM is also the name of a signal.
  for (const auto& [command, times] : {std::pair{"echo $${#TERM}", 2U},
                                       {"echo $${TERM}", 2U},
                                       {"printenv TERM", 2U},
                                       {"trap : INT; printenv TERM", 2U},
                                       {"trap : TERM", 1U},
                                       {"trap : INT TERM", 1U},
                                       {"sleep 9 & kill -TERM $!", 1U},
                                       {"sleep 9 & kill -s TERM $!", 1U}}) {
    fs::remove(scratch.path() + "/ran");
    one_step("Shell \"" + std::string(command) + "; echo x >> ran\" with inputs=[\"in\"]");
    for (const char* value : {"dumb", "dumb", "xterm", "xterm"}) run_it({}, {{"TERM", value}});
    BOOST_TEST(ran() == times, command);
  }
}

BOOST_AUTO_TEST_CASE(a_failure_is_not_kept) {
  scratch.file("src/a.c", "");
  one_step("Shell \"echo x >> ran; false\" with inputs=[\"src/**\"]");
  for (int i = 1; i <= 2; ++i) {
    BOOST_TEST(wtool({"run", "workflow.md"}).exit_code == 1);
    BOOST_TEST(ran() == static_cast<std::size_t>(i));
  }
}

BOOST_AUTO_TEST_CASE(what_output_does_not_take_is_not_kept) {
  scratch.file("in", "");
  scratch.file("answer", "no JSON");
  const auto with_output = [&](const std::string& fields) {
    one_step("Shell \"cat answer; echo x >> ran\" with inputs=[\"in\"] output={" + fields + "}");
  };
  with_output("\"n\": \"integer\"");
  BOOST_TEST(wtool({"run", "workflow.md"}).exit_code == 1);
  scratch.file("answer", "{\"n\": 1}");
  run_it();
  run_it();
  BOOST_TEST(ran() == 2);
  // An answer that matched another `output` is not reused for a step with this `output`.
  scratch.file("answer", "{\"m\": 1}");
  with_output("\"m\": \"integer\"");
  run_it();
  BOOST_TEST(ran() == 3);
}

BOOST_AUTO_TEST_CASE(a_step_without_files_is_kept_by_its_call) {
  one_step("Call tool \"shell_execute\" with {\"command\": \"echo x >> ran\"} cache=true");
  run_it();
  run_it();
  BOOST_TEST(ran() == 1);
  run_it({"--force"});
  BOOST_TEST(ran() == 2);
  run_it();
  BOOST_TEST(ran() == 2);
}

BOOST_AUTO_TEST_CASE(each_combination_of_a_matrix_is_kept) {
  scratch.file("a.in", "1");
  scratch.file("b.in", "2");
  one_step(
      "Shell \"cp ${matrix.of}.in ${matrix.of}.out; echo x >> ran\" with matrix={\"of\": [\"a\", \"b\"]} "
      "inputs=[\"${matrix.of}.in\"] outputs=[\"${matrix.of}.out\"]");
  run_it();
  BOOST_TEST(ran() == 2);
  scratch.file("b.in", "3");
  run_it();
  BOOST_TEST(ran() == 3);
  BOOST_TEST(file("b.out") == "3");
  // The state as a whole is up to date if all its combinations are.
  const Finished again = wtool({"run", "workflow.md"});
  BOOST_TEST(ran() == 3);
  BOOST_TEST(holds(again.err, "  up to date Build "), again.err);
  BOOST_TEST(!holds(again.err, "  ok "), again.err);
}

BOOST_AUTO_TEST_CASE(a_pattern_that_names_no_file_never_skips) {
  one_step("Shell \"echo x >> ran\" with inputs=[\"scr/**\"]");
  run_it();
  const Finished again = run_it();
  BOOST_TEST(ran() == 2);
  BOOST_TEST(holds(again.err, "the step 'Build' is run each time: no file matches the input 'scr/**'"), again.err);
}

BOOST_AUTO_TEST_CASE(an_empty_list_of_inputs_never_skips) {
  scratch.file("workflow.md",
               "---\ntitle: w\n---\n```mermaid\nstateDiagram-v2\n[*] --> List\nList --> Build\nBuild --> [*]\n```\n"
               "## Actions\n- List: Shell \"echo '{\\\"files\\\": []}'\" output={\"files\": [\"string\"]}\n"
               "- Build: Shell \"echo x >> ran\" inputs=[\"${List.json.files}\", \"!x\"]\n");
  run_it();
  const Finished again = run_it();
  BOOST_TEST(ran() == 2);
  BOOST_TEST(holds(again.err, "the step 'Build' is run each time: its inputs name no file"), again.err);
}

BOOST_AUTO_TEST_CASE(a_value_in_inputs_is_the_name_of_a_file) {
  scratch.file("a1.c", "");
  std::size_t expected = 0;
  for (const std::string name : {"a[1].c", "!a1.c"}) {
    one_step("Shell \"echo x >> ran\" with inputs=[\"a1.c\", \"${f}\"]", "parameters:\n  - {name: f}\n");
    for (const std::string content : {"1", "2"}) {
      scratch.file(name, content);
      run_it({"--var", "f=" + name});
      BOOST_TEST(ran() == ++expected);
      run_it({"--var", "f=" + name});
      BOOST_TEST(ran() == expected);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_policy_judges_a_step_that_is_up_to_date) {
  build();
  run_it();
  scratch.file("wtool.yaml", "commands: {deny: [mkdir]}\n");
  const Finished refused = wtool({"run", "workflow.md"});
  BOOST_TEST(refused.exit_code == 3, refused.out << refused.err);
  BOOST_TEST(ran() == 1);
}

BOOST_AUTO_TEST_CASE(a_secret_is_never_kept) {
  scratch.file("src/a.c", "");
  scratch.file("token", "hunter2hunter2");
  one_step("Shell \"cp token out; echo x >> ran\" with inputs=[\"src/**\"] outputs=[\"out\"]",
           "parameters:\n  - {name: token, secret: true}\n");
  const std::string token = "token=" + scratch.path() + "/token";
  const Finished kept = run_it({"--var-file", token});
  run_it({"--var-file", token});
  BOOST_TEST(ran() == 2);
  BOOST_TEST(holds(kept.err, "the output 'out': contains a secret"), kept.err);
  for (const auto& entry : fs::recursive_directory_iterator(scratch.path() + "/cache")) {
    if (!entry.is_directory()) BOOST_TEST(!holds(content_of(entry.path()), "hunter2hunter2"));
  }
}

BOOST_AUTO_TEST_CASE(a_result_that_turns_out_to_contain_a_secret_is_removed_and_named) {
  scratch.file("src/a.c", "");
  workflow("[*] --> Build\nBuild --> Secret\nSecret --> [*]\n",
           "- Build: Shell \"echo hunter2hunter2; echo x >> ran\" with inputs=[\"src/**\"]\n"
           "- Secret: Set secret token=\"${Build.stdout}\"\n");
  const Finished first = run_it();
  BOOST_TEST(holds(first.err, "the result of 'Build' is not kept for later runs"), first.err);
  run_it();
  BOOST_TEST(ran() == 2);
}

BOOST_AUTO_TEST_CASE(names_that_are_not_utf8_are_not_kept) {
  scratch.file("src/a\xff", "a");
  one_step("Shell \"mkdir -p out; cp src/* out; echo x >> ran\" inputs=[\"src\"] outputs=[\"out\"]");
  BOOST_TEST(holds(run_it().err, "is not UTF-8"));
  fs::remove_all(scratch.path() + "/out");
  run_it();
  BOOST_TEST(ran() == 2);
  BOOST_TEST(fs::exists(scratch.path() + "/out/a\xff"));
  // The tool names both directories alike.
  for (const char* name : {"x\xef\xbf\xbd", "x\xff"}) {
    const std::string folder = scratch.path() + "/" + name;
    fs::create_directory(folder);
    std::ofstream(folder + "/in") << "1";
    fs::copy(scratch.path() + "/workflow.md", folder + "/workflow.md");
    std::ofstream(folder + "/workflow.md") << "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n## Actions\n"
                                              "- A: Shell \"cp in out\" inputs=[\"in\"] outputs=[\"out\"]\n";
    ProgramOptions options = with_cache();
    options.directory = folder;
    const Finished finished = run({wtool_path, "run", "workflow.md"}, options);
    BOOST_TEST(holds(finished.err, "the name of its directory is not UTF-8"), finished.err);
    BOOST_TEST(fs::exists(folder + "/out"));
  }
}

BOOST_AUTO_TEST_CASE(a_tool_without_a_directory_says_why_it_is_run_each_time) {
  one_step("Call tool \"pty_list\" cache=true");
  BOOST_TEST(
      holds(run_it().err, "the step 'Build' is run each time: the tool pty_list does not say in which directory"));
}

BOOST_AUTO_TEST_CASE(a_run_that_is_killed_keeps_what_was_done_and_nothing_of_the_rest) {
  scratch.file("in", "1");
  workflow("[*] --> A\nA --> B\nB --> [*]\n",
           "- A: Shell \"cp in a; echo A >> ran\" with inputs=[\"in\"] outputs=[\"a\"]\n"
           "- B: Shell \"echo half > b; test -e go || { touch ready; sleep 61; }; echo B >> ran; cp in b\" with "
           "inputs=[\"in\"] outputs=[\"b\"]\n");
  {
    Program program({wtool_path, "run", "workflow.md"}, Program::On::pipes, with_cache());
    BOOST_REQUIRE(wait_until([&] { return fs::exists(scratch.path() + "/ready"); }, std::chrono::seconds(30)));
    program.kill(SIGKILL);
    program.wait();
  }
  scratch.file("go", "");
  run_it();
  BOOST_TEST(file("ran") == "A\nB\n");
  BOOST_TEST(file("b") == "1");
  run_it();
  BOOST_TEST(file("ran") == "A\nB\n");
}

// Only steps that run can spoil the outputs of each other.
BOOST_AUTO_TEST_CASE(a_step_that_two_branches_share_is_up_to_date_in_both) {
  scratch.file("in", "1");
  scratch.file(
      "deps.md",
      "```mermaid\nstateDiagram-v2\n[*] --> Get\nGet --> [*]\n```\n## Actions\n- Get: Shell \"mkdir -p mods; for i in "
      "$(seq 200); do echo $i > mods/$i; done; echo x >> ran\" inputs=[\"in\"] outputs=[\"mods/**\"]\n");
  BOOST_TEST(wtool({"run", "deps.md"}).exit_code == 0);
  BOOST_TEST(ran() == 1);
  workflow("state F <<fork>>\nstate J <<join>>\n[*] --> F\nF --> A\nF --> B\nA --> J\nB --> J\nJ --> [*]\n",
           "- A: Run workflow \"deps.md\"\n- B: Run workflow \"deps.md\"\n");
  for (int i = 0; i < 5; ++i) run_it();
  BOOST_TEST(ran() == 1);
}

BOOST_AUTO_TEST_CASE(variables_that_a_call_sets_and_names_of_signals_do_not_make_a_step_run) {
  scratch.file("in", "1");
  one_step("Shell \"trap 'true' TERM; echo x >> ran\" inputs=[\"in\"] env={\"MODE\": \"fast\"}");
  run_it({}, {{"MODE", "1"}, {"TERM", "xterm"}});
  run_it({}, {{"MODE", "2"}, {"TERM", "screen"}});
  BOOST_TEST(ran() == 1);
}

BOOST_AUTO_TEST_CASE(a_plan_says_what_would_be_skipped_and_why_the_rest_would_not) {
  build();
  const auto planned = [&] {
    const Finished finished = wtool({"plan", "workflow.md", "--json"});
    BOOST_REQUIRE_MESSAGE(finished.exit_code == 0, finished.err);
    const Json command = Json::parse(finished.out).at("states").at(0).at("commands").at(0);
    return command.at("up_to_date") == true ? std::string("up to date") : command.at("why_it_runs").get<std::string>();
  };
  BOOST_TEST(planned() == "no result of this step is kept");
  BOOST_TEST(!fs::exists(scratch.path() + "/cache"));
  run_it();
  BOOST_TEST(planned() == "up to date");
  BOOST_TEST(holds(wtool({"plan", "workflow.md"}).out, "up to date: it would be skipped"));
  for (const std::vector<std::string>& forced :
       {std::vector<std::string>{"plan", "workflow.md", "--force"}, {"run", "workflow.md", "-n", "--force"}}) {
    BOOST_TEST(holds(wtool(forced).out, "it would run: --force"), wtool(forced).out);
  }
  scratch.file("src/a.c", "int b;\n");
  BOOST_TEST(planned() == "'src/a.c' changed");
  BOOST_TEST(holds(wtool({"plan", "workflow.md"}).out, "it would run: 'src/a.c' changed"));
  scratch.file("src/b.c", "int b;\n");
  BOOST_TEST(planned() == "'src/a.c' changed, 'src/b.c' is new");
  for (const char* name : {"c", "d", "e"}) scratch.file("src/" + std::string(name) + ".c", "");
  BOOST_TEST(planned() == "'src/a.c' changed, 'src/b.c' is new, 'src/c.c' is new, and 2 more");
  const auto with_env = [&](const std::string& values) { one_step("Shell \"true\" cache=true env={" + values + "}"); };
  with_env("\"CC\": \"gcc\", \"A\": \"1\"");
  run_it();
  with_env("\"CC\": \"clang\", \"B\": \"1\"");
  BOOST_TEST(planned() ==
             "the variable B of its env is new, the variable CC of its env changed, the variable A of its env is gone");
  const auto with_call = [&](const std::string& arguments) {
    one_step("Call tool shell_execute with " + arguments + " cache=true");
  };
  with_call("command=\"cat\" stdin=\"one\"");
  run_it();
  BOOST_TEST(planned() == "up to date");
  with_call("command=\"cat\" stdin=\"two\"");
  BOOST_TEST(planned() == "the argument 'stdin' changed");
  with_call("command=\"cat -\"");
  BOOST_TEST(planned() == "the command changed, the argument 'stdin' is gone");
  scratch.file(
      "workflow.md",
      "```mermaid\nstateDiagram-v2\n[*] --> Build\nBuild --> Size\nSize --> [*]\n```\n"
      "## Actions\n- Build: Shell \"echo 1\"\n- Size: Shell \"wc -l ${Build} < src/a.c\" inputs=[\"src/**\"]\n");
  BOOST_TEST(holds(wtool({"plan", "workflow.md"}).out, "it would run: a value is only known during the run\n"));
}

BOOST_AUTO_TEST_CASE(what_is_kept_can_be_listed_and_removed) {
  build();
  BOOST_TEST(wtool({"cache", "list"}).out == "No results of steps are kept.\n");
  run_it();
  const Json all = Json::parse(wtool({"cache", "list", "--json"}).out);
  BOOST_REQUIRE(all.size() == 1);
  BOOST_TEST(all[0].at("step") == "Build");
  BOOST_TEST((all[0].at("outputs") == Json{"out/app"}));
  BOOST_TEST(holds(wtool({"cache", "list"}).out, "Build"));
  BOOST_TEST(holds(wtool({"cache", "clear"}).out, "Removed "));
  BOOST_TEST(wtool({"cache", "list", "--json"}).out == "[]\n");
  run_it();
  BOOST_TEST(ran() == 2);
}

BOOST_AUTO_TEST_CASE(the_store_keeps_to_its_bound) {
  scratch.file("wtool.yaml", "cache: {max_bytes: 1048576}\n");
  scratch.file("src/a.c", "");
  one_step("Shell \"head -c 2000000 /dev/zero > out; echo x >> ran\" with inputs=[\"src/**\"] outputs=[\"out\"]");
  const Finished finished = run_it();
  BOOST_TEST(holds(finished.err, "more than 1048576 bytes, the limit of the whole store"), finished.err);
  run_it();
  BOOST_TEST(ran() == 2);
}

BOOST_AUTO_TEST_CASE(mistakes_are_found_before_a_run) {
  const auto says = [&](const std::string& action) {
    one_step(action);
    const Finished finished = wtool({"lint", "workflow.md"});
    BOOST_TEST(finished.exit_code == 2);
    return finished.out + finished.err;
  };
  BOOST_TEST(holds(says("Shell \"true\" with outputs=[\"x\"]"), "the outputs alone do not show"));
  BOOST_TEST(holds(says("Shell \"true\" with inputs=[\"!x\", \"!y/**\"]"), "these inputs only exclude files"));
  BOOST_TEST(holds(says("Shell \"true\" with cache=true inputs=[\"!x\"]"), "these inputs only exclude files"));
  BOOST_TEST(holds(says("Shell \"true\" with inputs=[\"x\"] outputs=[\"x\"]"), "both an input and an output"));
  BOOST_TEST(holds(says("Shell \"true\" with inputs=[\"x\"] outputs=[\"../x\"]"), "below the directory of its step"));
  BOOST_TEST(holds(says("Shell \"true\" with inputs=[\"x\"] secret"), "never kept"));
  BOOST_TEST(holds(says("Shell \"true\" with inputs=\"x\""), "list of paths in brackets"));
  BOOST_TEST(holds(says("Shell \"true\" with inputs=[1]"), "texts in double quotes"));
  BOOST_TEST(holds(says("Shell \"true\" with cache=maybe"), "cache must be true, strict or false"));
  for (const char* output : {"app", "./app", "*/app"}) {
    BOOST_TEST(holds(says("Shell \"true\" with cache=strict outputs=[\"" + std::string(output) + "\"]"),
                     "an output must be in a folder that the step may fill"));
  }
  BOOST_TEST(holds(says("Call tool \"shell_execute\" with command=\"true\" cache=strict"), "command of a Shell step"));
  BOOST_TEST(holds(says("Shell \"true\" with inputs=[\"${nothing}\"]"), "nothing"));
  BOOST_TEST(holds(says("Run workflow \"other\" with cache=true"), "only Shell, Call tool and prompts"));
}

BOOST_AUTO_TEST_CASE(a_hundred_steps_that_are_up_to_date_start_no_process) {
  std::string diagram = "[*] --> S0\n", actions;
  for (int i = 0; i < 100; ++i) {
    const std::string number = std::to_string(i);
    scratch.file("in/" + number, number);
    diagram += "S" + number + " --> " + (i == 99 ? "[*]" : "S" + std::to_string(i + 1)) + "\n";
    actions += "- S" + number + ": Shell \"mkdir -p out; cp in/" + number +
               " out/; echo x >> ran\" with inputs=[\"in/" + number + "\"] outputs=[\"out/" + number + "\"]\n";
  }
  workflow(diagram, actions);
  run_it();
  BOOST_TEST(ran() == 100);
  run_it();
  BOOST_TEST(ran() == 100);
  scratch.file("in/50", "changed");
  run_it();
  BOOST_TEST(ran() == 101);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
