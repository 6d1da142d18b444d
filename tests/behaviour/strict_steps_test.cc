// cache=strict: a step reads and writes only the files that it names and those of the system.
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "up_to_date_place.h"

BOOST_AUTO_TEST_SUITE(strict_steps_test)

using namespace wtool::test;
namespace fs = std::filesystem;

BOOST_FIXTURE_TEST_SUITE(strict_steps, UpToDate)

BOOST_AUTO_TEST_CASE(a_strict_step_sees_only_what_it_names_and_the_system) {
  scratch.file("src/a.c", "int a;\n");
  scratch.file("src/secret.h", "int hidden;\n");
  const auto step = [&](const std::string& command, const std::string& inputs) {
    one_step("Shell \"" + command + "\" inputs=[" + inputs + "] outputs=[\"out/app\", \"out/ran\"] cache=strict");
  };
  step("sort src/a.c > out/app; mktemp > out/ran; ls src", "\"src/*.c\"");
  const Finished first = run_it();
  BOOST_TEST(holds(first.err, "it says a.c\n    secret.h\n"), first.out << first.err);
  BOOST_TEST(file("out/app") == "int a;\n");
  const std::string temporary = file("out/ran");
  BOOST_TEST(holds(temporary, "/step-"));
  BOOST_TEST(!fs::exists(fs::path(temporary.substr(0, temporary.find('\n'))).parent_path()));
  run_it();
  BOOST_TEST(file("out/ran") == temporary, "the step was not up to date");
  // Reading a file that the step does not name makes it fail, and the error names the file.
  step("cat src/secret.h src/a.c > out/app && echo > out/ran", "\"src/*.c\"");
  const Finished refused = wtool({"run", "workflow.md"});
  BOOST_TEST(refused.exit_code == 1);
  BOOST_TEST(holds(refused.out + refused.err, "src/secret.h"), refused.out << refused.err);
  BOOST_TEST(holds(refused.out + refused.err, "cache=strict"), refused.out << refused.err);
  step("cat src/secret.h src/a.c > out/app && echo > out/ran", "\"src/*.[ch]\"");
  run_it();
  BOOST_TEST(file("out/app") == "int hidden;\nint a;\n");
}

BOOST_AUTO_TEST_CASE(a_strict_step_that_hides_what_it_was_refused_is_not_kept) {
  scratch.file("src/a.c", "int a;\n");
  scratch.file("else", "more\n");
  one_step(
      "Shell \"cat else || cat src/a.c; echo x > out/ran\" inputs=[\"src/**\"] outputs=[\"out/ran\"] cache=strict");
  for (int i = 0; i < 2; ++i) {
    const Finished finished = run_it();
    BOOST_TEST(holds(finished.err, "needs a file that its inputs and outputs do not name (cache=strict)"),
               finished.err);
    BOOST_TEST(!holds(finished.out + finished.err, "up to date"), finished.out << finished.err);
  }
}

BOOST_AUTO_TEST_CASE(a_strict_step_runs_under_an_allow_list_and_beside_folders_that_hold_only_outputs) {
  scratch.file("src/a.c", "int a;\n");
  scratch.file("wtool.yaml", "commands: {allow: [cat]}\n");
  one_step("Shell \"cat src/a.c\" inputs=[\"src/a.c\"] cache=strict");
  run_it();
  scratch.file("wtool.yaml", "");
  // A step may read the whole folder of its output. If an input were in that folder, the step could read files there
  // that it does not name, and nobody would notice.
  one_step("Shell \"cat src/a.c > src/a.o\" inputs=[\"src/a.c\"] outputs=[\"src/a.o\"] cache=strict");
  const Finished mixed = wtool({"run", "workflow.md"});
  BOOST_TEST(mixed.exit_code != 0);
  BOOST_TEST(holds(mixed.out + mixed.err, "an output's folder must contain no inputs"), mixed.err);
  fs::create_directory_symlink("src", scratch.path() + "/link");
  one_step("Shell \"true\" outputs=[\"link/new/x\"] cache=strict");
  BOOST_TEST(wtool({"run", "workflow.md"}).exit_code != 0);
  BOOST_TEST(!fs::exists(scratch.path() + "/src/new"));
}

BOOST_AUTO_TEST_CASE(a_strict_step_writes_only_into_the_folders_of_its_outputs) {
  one_step("Shell \"echo x > out/app; echo y > beside\" outputs=[\"out/app\"] cache=strict");
  BOOST_TEST(wtool({"run", "workflow.md"}).exit_code == 1);
  BOOST_TEST(file("out/app") == "x\n");
  BOOST_TEST(!fs::exists(scratch.path() + "/beside"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
