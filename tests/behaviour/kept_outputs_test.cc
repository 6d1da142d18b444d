// The outputs of steps that may be up to date: how they are put back, links among them, and steps that share them.
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "up_to_date_place.h"

BOOST_AUTO_TEST_SUITE(kept_outputs_test)

using namespace wtool::test;
namespace fs = std::filesystem;

BOOST_FIXTURE_TEST_SUITE(kept_outputs, UpToDate)

BOOST_AUTO_TEST_CASE(a_step_that_does_not_make_its_output_fails) {
  scratch.file("src/a.c", "int a;\n");
  for (const std::string& outputs : {std::string("out/app"), std::string("out/*.o"), std::string("gone/**")}) {
    for (const std::string& options : {std::string("inputs=[\"src/**\"]"), std::string("cache=false")}) {
      one_step("Shell \"mkdir -p out; touch out/other\" " + options + " outputs=[\"out/other\", \"" + outputs + "\"]");
      const Finished finished = wtool({"run", "workflow.md"});
      BOOST_TEST_CONTEXT(outputs << ' ' << options << '\n' << finished.out << finished.err) {
        BOOST_TEST(finished.exit_code == 1);
        BOOST_TEST(holds(finished.out, "the command succeeded, but no file matches \"" + outputs +
                                           "\" of its `outputs`, in the folder " + scratch.path() +
                                           "; let the command make the file or fail, or correct `outputs`"));
        BOOST_TEST(!holds(finished.err, "up to date"));
      }
    }
  }
  // An empty folder was made, a link counts for what it leads to, and a further try may do better.
  for (const std::string& action :
       {std::string("Shell \"mkdir -p empty\" cache=false outputs=[\"empty\"]"),
        std::string("Shell \"ln -sfn out link; touch out/app\" cache=false outputs=[\"link/app\"]"),
        std::string("Shell \"test ! -e tried || touch made; touch tried\" retry=1 cache=false outputs=[\"made\"]")}) {
    one_step(action);
    run_it();
  }
  scratch.file("workflow.md",
               "```mermaid\nstateDiagram-v2\n[*] --> Build\nBuild --> Tell: Build.error == \"missing_output\"\n"
               "Build --> [*]: default\nTell --> [*]\n```\n## Actions\n- Build: Shell \"true\" cache=false "
               "outputs=[\"never\"]\n- Tell: Log \"it is missing\"\n");
  BOOST_TEST(holds(run_it().out + run_it().err, "it is missing"));
}

BOOST_AUTO_TEST_CASE(a_missing_output_is_put_back_and_a_changed_one_is_made_again) {
  build();
  run_it();
  fs::remove_all(scratch.path() + "/out");
  run_it();
  BOOST_TEST(ran() == 1);
  BOOST_TEST(file("out/app") == "int a;\n");
  scratch.file("out/app", "by hand");
  run_it();
  BOOST_TEST(ran() == 2);
}

// A process that is killed while it restores an output leaves a part of the output in a file beside it.
BOOST_AUTO_TEST_CASE(a_part_of_a_restored_output_is_no_output) {
  one_step("Shell \"mkdir -p out; cp src/a.c out/app; echo x >> ran\" with inputs=[\"src/**\"] outputs=[\"out\"]");
  scratch.file("src/a.c", "int a;\n");
  run_it();
  scratch.file("out/.wtool-restoring-1-0123456789abcdef", "int");
  run_it();
  BOOST_TEST(ran() == 1);
}

BOOST_AUTO_TEST_CASE(a_link_to_a_folder_among_the_outputs_comes_back_as_a_link) {
  scratch.file("src/a.c", "a\n");
  one_step(
      "Shell \"mkdir -p v/1; cp src/a.c v/1/app; ln -sfn 1 v/current; echo x >> ran\" with inputs=[\"src/**\"] "
      "outputs=[\"v\"]");
  run_it();
  fs::remove_all(scratch.path() + "/v");
  run_it();
  BOOST_TEST(ran() == 1);
  BOOST_TEST(fs::is_symlink(scratch.path() + "/v/current"));
  BOOST_TEST(file("v/current/app") == "a\n");
}

// Nothing would notice that a file behind such a link changes.
BOOST_AUTO_TEST_CASE(a_step_with_a_link_to_another_folder_among_its_outputs_is_not_kept) {
  scratch.file("src/a.c", "a\n");
  const ScratchFolder elsewhere;
  const auto not_kept = [&](const std::string& link, const std::string& target, const std::string& output) {
    for (const char* folder : {"out", "ran"}) fs::remove_all(scratch.path() + "/" + folder);
    fs::create_directories((scratch.path() + "/" + link).substr(0, (scratch.path() + "/" + link).rfind('/')));
    fs::create_directory_symlink(target, scratch.path() + "/" + link);
    one_step("Shell \"cp src/a.c " + link + "/app; echo x >> ran\" with inputs=[\"src/**\"] outputs=[\"" + output +
             "\"]");
    const Finished first = run_it();
    BOOST_TEST(holds(first.err, "is not kept: the output '" + link + "' is a link to a folder"), first.err);
    fs::remove(scratch.path() + "/" + link + "/app");
    const Finished plan = wtool({"plan", "workflow.md"});
    BOOST_TEST(!holds(plan.out, "up to date"), plan.out);
    run_it();
    BOOST_TEST(ran() == 2, output << " " << target);
    BOOST_TEST(file(link + "/app") == "a\n");
  };
  fs::create_directory(scratch.path() + "/inside");
  for (const std::string& target : {elsewhere.path(), scratch.path() + "/inside"}) {
    for (const char* output : {"out", "out/**", "out/*"}) not_kept("out/deep", target, output);
    for (const char* output : {"out", "out/**", "ou?"}) not_kept("out", target, output);
  }
}

BOOST_AUTO_TEST_CASE(a_link_to_a_file_is_up_to_date_while_the_file_is_what_it_was) {
  scratch.file("src/a.c", "a\n");
  const ScratchFolder elsewhere;
  const std::string target = elsewhere.file("app", "");
  fs::create_symlink(target, scratch.path() + "/app");
  one_step("Shell \"cat src/a.c > app; echo x >> ran\" with inputs=[\"src/**\"] outputs=[\"app\"]");
  run_it();
  run_it();
  BOOST_TEST(ran() == 1);
  elsewhere.file("app", "something else");
  run_it();
  BOOST_TEST(ran() == 2);
  BOOST_TEST(file("app") == "a\n");
  // A link that is restored must lead to the same content, too.
  fs::remove(scratch.path() + "/app");
  elsewhere.file("app", "something else");
  run_it();
  BOOST_TEST(ran() == 3);
}

// In a sandbox, a command may make a link to a folder that it cannot read. If the content of that folder were kept, the
// next run would put it where the command can read it.
BOOST_AUTO_TEST_CASE(what_is_behind_a_link_that_a_command_made_is_not_kept) {
  scratch.file("src/a.c", "a\n");
  const ScratchFolder elsewhere;
  elsewhere.file("app", "private\n");
  for (const char* output : {"build", "build/**", "build/app", "build/*"}) {
    fs::remove_all(scratch.path() + "/build");
    one_step("Shell \"ln -sfn " + elsewhere.path() + " build; echo x >> ran\" with inputs=[\"src/**\"] outputs=[\"" +
             output + "\"]");
    run_it();
    fs::remove_all(scratch.path() + "/build");
    fs::create_directory(scratch.path() + "/build");
    // In a real folder, the command makes no build/app.
    const bool is_made = std::string_view(output) != "build/app";
    const Finished again = wtool({"run", "workflow.md"});
    BOOST_TEST(again.exit_code == (is_made ? 0 : 1), output << again.out << again.err);
    BOOST_TEST(holds(again.out, "no file matches") != is_made, again.out);
    BOOST_TEST((fs::is_symlink(scratch.path() + "/build") || !fs::exists(scratch.path() + "/build/app")), output);
  }
}

BOOST_AUTO_TEST_CASE(an_output_of_an_input_that_is_gone_does_not_stay) {
  one_step(
      "Shell \"rm -rf dist; mkdir dist; cp src/* dist/; echo x >> ran\" with inputs=[\"src/**\"] outputs=[\"dist\"]");
  scratch.file("src/a", "a");
  for (int i = 0; i < 2; ++i) {
    scratch.file("src/b", "b");
    run_it();
    BOOST_TEST(file("dist/b") == "b");
    fs::remove(scratch.path() + "/src/b");
    run_it();
    BOOST_TEST(!fs::exists(scratch.path() + "/dist/b"));
    BOOST_TEST(file("dist/a") == "a");
  }
}

BOOST_AUTO_TEST_CASE(steps_that_may_write_the_same_file_at_the_same_time_are_not_kept) {
  scratch.file("in", "");
  // Each of the two waits until the other one has written its output.
  const auto both = [&](const std::string& left, const std::string& right) {
    const auto action = [&](const std::string& name, const std::string& other, const std::string& output) {
      return "- " + name + ": Shell \"echo " + name + " > o/" + name + "; echo " + name + " > o/same; until [ -e o/" +
             other + " ]; do sleep 0.01; done; echo x >> ran\" inputs=[\"in\"] outputs=[\"" + output + "\"]\n";
    };
    for (const char* name : {"o", "ran", "cache"}) fs::remove_all(scratch.path() + "/" + name);
    fs::create_directory(scratch.path() + "/o");
    scratch.file("workflow.md",
                 "```mermaid\nstateDiagram-v2\nstate F <<fork>>\nstate J <<join>>\n[*] --> F\nF --> A\nF --> B\nA --> "
                 "J\nB --> J\nJ --> [*]\n```\n## Actions\n" +
                     action("A", "B", left) + action("B", "A", right));
  };
  for (const auto& [left, right] :
       {std::pair("o/same", "o/same"), {"o/same", "o"}, {"o/*e", "o/s*"}, {"o/**", "o/A"}}) {
    both(left, right);
    for (std::size_t runs = 1; runs <= 2; ++runs) {
      const Finished finished = run_it();
      BOOST_TEST(holds(finished.err, "the result of the step 'A' is not kept: its output '" + std::string(left) +
                                         "' is also an output of 'B', which ran at the same time"),
                 finished.err);
      BOOST_TEST(holds(finished.err, "is also an output of 'A', which ran at the same time"), finished.err);
      BOOST_TEST(ran() == 2 * runs);
    }
    for (const char* name : {"A", "B"}) {
      run_it({"--only", name});
      BOOST_TEST(file("o/same") == std::string(name) + "\n");
    }
  }
  both("o/A", "o/B");
  run_it();
  run_it();
  BOOST_TEST(ran() == 2);
}

BOOST_AUTO_TEST_CASE(steps_of_two_runs_that_write_the_same_file_at_the_same_time_are_not_kept) {
  scratch.file("in", "");
  fs::create_directory(scratch.path() + "/o");
  // Each of the two waits until the other one has written its output.
  const auto write = [&](const std::string& name, const std::string& other) {
    scratch.file(name + ".md", "```mermaid\nstateDiagram-v2\n[*] --> " + name + "\n" + name +
                                   " --> [*]\n```\n## Actions\n- " + name + ": Shell \"echo " + name +
                                   " > o/same; echo " + name + " > o/" + name + "; until [ -e o/" + other +
                                   " ]; do sleep 0.01; done; echo x >> ran\" inputs=[\"in\"] outputs=[\"o/same\"]\n");
  };
  write("A", "B");
  write("B", "A");
  for (std::size_t round = 1; round <= 2; ++round) {
    for (const char* name : {"A", "B"}) fs::remove(scratch.path() + "/o/" + name);
    Program one({wtool_path, "run", "A.md"}, Program::On::pipes, with_cache());
    const Finished other = wtool({"run", "B.md"});
    const Finished finished = one.wait();
    BOOST_TEST(
        holds(finished.err,
              "the result of the step 'A' is not kept: its output 'o/same' is also an output of 'B' in the run "),
        finished.err);
    BOOST_TEST(
        holds(other.err,
              "the result of the step 'B' is not kept: its output 'o/same' is also an output of 'A' in the run "),
        other.err);
    BOOST_TEST(ran() == 2 * round);
  }
  // One after the other, both are kept, and each gets its own output back.
  for (const char* name : {"A", "B"}) {
    fs::remove(scratch.path() + "/o/same");
    BOOST_TEST(wtool({"run", std::string(name) + ".md"}).exit_code == 0);
  }
  BOOST_TEST(ran() == 6);
  for (const char* name : {"A", "B"}) {
    fs::remove(scratch.path() + "/o/same");
    const Finished again = wtool({"run", std::string(name) + ".md"});
    BOOST_TEST(holds(again.err, "up to date"), again.err);
    BOOST_TEST(file("o/same") == std::string(name) + "\n");
  }
  BOOST_TEST(ran() == 6);
}

BOOST_AUTO_TEST_CASE(combinations_of_a_matrix_that_share_an_output_are_not_kept) {
  scratch.file("in", "");
  one_step(
      "Shell \"echo ${matrix.n} > o; echo > done-${matrix.n}; until [ -e done-1 -a -e done-2 ]; do sleep 0.01; done; "
      "echo ${matrix.n} >> ran\" inputs=[\"in\"] outputs=[\"o\"] matrix={\"n\": [1, 2]}");
  for (std::size_t runs = 1; runs <= 2; ++runs) {
    const Finished finished = run_it();
    BOOST_TEST(holds(finished.err, "its output 'o' is also an output of 'Build' with {\"n\":2}, which ran at the"),
               finished.err);
    BOOST_TEST(ran() == 2 * runs);
  }
  // One after the other, each combination finds the output of the other one, except that the combination that ran last
  // may be the first one of the next run: it finds its own output then.
  fs::remove(scratch.path() + "/ran");
  run_it({"--max-parallel", "1"});
  BOOST_TEST(ran() == 2);
  run_it({"--max-parallel", "1"});
  BOOST_TEST((ran() == 3 || ran() == 4));
  BOOST_TEST(file("ran").ends_with(file("o")), file("ran"));
}

BOOST_AUTO_TEST_CASE(a_step_never_puts_back_an_old_file_of_another_step) {
  workflow("[*] --> Build\nBuild --> License\nLicense --> Pack\nPack --> [*]\n",
           "- Build: Shell \"mkdir -p build; cp src/app build/app\" inputs=[\"src/**\"] outputs=[\"build/**\"]\n"
           "- License: Shell \"cp LICENSE build/LICENSE\" inputs=[\"LICENSE\"] outputs=[\"build/**\"]\n"
           "- Pack: Shell \"cat build/app > packed\" inputs=[\"build/**\"] outputs=[\"packed\"]\n");
  scratch.file("LICENSE", "free\n");
  for (const char* content : {"1\n", "2\n", "1\n", "1\n", "3\n", "2\n"}) {
    scratch.file("src/app", content);
    run_it();
    BOOST_TEST(file("build/app") == content);
    BOOST_TEST(file("packed") == content);
  }
}

BOOST_AUTO_TEST_CASE(a_step_that_changes_the_file_of_another_one_runs_after_it) {
  workflow("[*] --> Build\nBuild --> Sign\nSign --> [*]\n",
           "- Build: Shell \"cat src > app\" inputs=[\"src\"] outputs=[\"app\"]\n"
           "- Sign: Shell \"cat key >> app\" inputs=[\"key\"] outputs=[\"app\"]\n");
  for (const auto& [source, key] :
       {std::pair{"1\n", "k\n"}, {"1\n", "k\n"}, {"2\n", "k\n"}, {"2\n", "l\n"}, {"1\n", "k\n"}}) {
    scratch.file("src", source);
    scratch.file("key", key);
    run_it();
    BOOST_TEST(file("app") == std::string(source) + key);
  }
}

BOOST_AUTO_TEST_CASE(a_part_of_an_output_that_a_killed_run_was_restoring_is_removed) {
  build();
  run_it();
  // No process has so large a number.
  scratch.file("out/.wtool-restoring-2147483647-0123456789abcdef", "int");
  const std::string own =
      scratch.file("out/.wtool-restoring-" + std::to_string(::getpid()) + "-0123456789abcdef", "int");
  fs::create_symlink("x", scratch.path() + "/out/.wtool-restoring-2147483647-1123456789abcdef");
  fs::remove(scratch.path() + "/out/app");
  run_it();
  BOOST_TEST(ran() == 1);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(scratch.path() + "/out")) names.push_back(entry.path().filename());
  BOOST_TEST(names.size() == 2U);
  BOOST_TEST(fs::exists(own));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
