// Values of parameters from files and from the environment; and secrets, which must not be on any command line.
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(given_variables_test)

using namespace wtool::test;

namespace {

struct Given : Place {
  Given() {
    scratch.file(
        "w.md",
        "---\nparameters:\n  - {name: token, secret: true, required: true}\n  - {name: count, type: number}\n---\n"
        "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n## Actions\n"
        "- A: Shell \"printf '%s|' ${token} >got; echo ${token}\"\n");
  }
  Finished given(std::vector<std::string> arguments, ProgramOptions options = {}) const {
    const ProgramOptions usual = here();
    options.directory = usual.directory;
    options.set.insert(usual.set.begin(), usual.set.end());
    arguments.insert(arguments.begin(), wtool_path);
    return run(arguments, options);
  }
  void refused(const std::vector<std::string>& more, const std::string& part, ProgramOptions options = {}) const {
    std::vector<std::string> arguments{"run", "w.md"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished finished = given(arguments, std::move(options));
    BOOST_TEST_CONTEXT(Json(more)) {
      BOOST_TEST(finished.exit_code == 2);
      BOOST_TEST(holds(finished.err, part), finished.err);
      BOOST_TEST(!holds(finished.err, "sesame"), finished.err);
      BOOST_TEST(!std::filesystem::exists(scratch.path() + "/got"));
    }
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(given_variables, Given)

BOOST_AUTO_TEST_CASE(a_secret_comes_from_a_file_a_variable_or_standard_input) {
  const std::string file_ = scratch.file("token", "open sesame\n");
  ProgramOptions with_variable;
  with_variable.set["TOKEN_OF_TEST"] = "open sesame";
  ProgramOptions with_input;
  with_input.input = "open sesame\r\n";
  const std::vector<std::pair<std::vector<std::string>, ProgramOptions>> ways{
      {{"--var-file", "token=" + file_}, {}},
      {{"--var-env", "token=TOKEN_OF_TEST"}, with_variable},
      {{"--var-file", "token=-"}, with_input}};
  for (const auto& [words, options] : ways) {
    const Finished finished = given({"run", "w.md", words[0], words[1]}, options);
    BOOST_TEST(finished.exit_code == 0, finished.err);
    BOOST_TEST(file("got") == "open sesame|");
    BOOST_TEST(!holds(finished.out + finished.err, "sesame"), finished.err);
    BOOST_TEST(holds(finished.err, "***"), finished.err);
    std::filesystem::remove(scratch.path() + "/got");
  }
}

BOOST_AUTO_TEST_CASE(an_empty_file_or_variable_gives_no_required_secret) {
  ProgramOptions with_variable;
  with_variable.set["EMPTY"] = "";
  const std::string empty = " token: the value is empty, but this secret is required; put it into the file";
  refused({"--var-file", "token=" + scratch.file("empty", "\n")}, "--var-file" + empty);
  refused({"--var-env", "token=EMPTY"}, "--var-env" + empty, with_variable);
}

// Templates quote such a secret, so it looks different in a command line. The logs of the plugin show the arguments of
// a call.
BOOST_AUTO_TEST_CASE(a_secret_with_special_characters_is_shown_nowhere) {
  scratch.file("q.md",
               "---\nparameters:\n  - name: token\n    secret: true\n    required: true\n---\n\n```mermaid\n"
               "stateDiagram-v2\n[*] --> A\nA --> B\nB --> C: always\nC --> [*]\n```\n\n## Actions\n\n"
               "- A: Shell \"true \\\"u:${token}\\\"\"\n- B: Shell \"true\" working_dir=\"/none/${token}\"\n"
               "- C: Shell\n  ```sh\n  cat <<END\n  ${token}\n  END\n  ```\n");
  ProgramOptions options;
  options.set["TOKEN_OF_TEST"] = "hunter$2pa\"ss";
  options.set["WTOOL_LOG"] = "debug";
  const Finished finished = given({"run", "q.md", "--var-env", "token=TOKEN_OF_TEST", "--html", "h.html", "--junit",
                                   "j.xml", "--events", "e.jsonl"},
                                  options);
  std::string all = finished.out + finished.err;
  BOOST_TEST(holds(all, "does not exist"), all);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch.path())) {
    if (entry.is_regular_file()) all += content_of(entry.path());
  }
  BOOST_TEST(holds(all, "***"), all);
  BOOST_TEST(!holds(all, "hunter"), all);
}

BOOST_AUTO_TEST_CASE(a_secret_in_the_command_line_is_refused_with_the_ways_to_give_it) {
  for (const char* command : {"run", "plan"}) {
    const Finished finished = given({command, "w.md", "--var", "token=open sesame"});
    BOOST_TEST(finished.exit_code == 2);
    BOOST_TEST(holds(finished.err, "--var token: this parameter is secret"), finished.err);
    BOOST_TEST(
        holds(finished.err, "--var-file token=FILE (- is standard input) or --var-env token=VARIABLE, or type it"),
        finished.err);
    BOOST_TEST(!holds(finished.out + finished.err, "sesame"), finished.err);
  }
  BOOST_TEST(!std::filesystem::exists(scratch.path() + "/got"));
}

BOOST_AUTO_TEST_CASE(options_may_stand_before_the_name_of_the_workflow) {
  const std::string file_ = scratch.file("token", "open sesame");
  const Finished finished = given({"run", "--var", "count=1", "--var-file", "token=" + file_, "--env-file",
                                   scratch.file("some.env", "A=1\n"), "w.md"});
  BOOST_TEST(finished.exit_code == 0, finished.err);
  BOOST_TEST(file("got") == "open sesame|");
  BOOST_TEST(given({"lint", "--var", "count", "w.md"}).exit_code == 0);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_is_an_error_before_anything_runs) {
  refused({"--var-file", "token=missing"}, "--var-file token: missing cannot be read: No such file or directory");
  refused({"--var-file", "token=" + scratch.path()}, "cannot be read: Is a directory");
  refused({"--var-file", "token"}, "--var-file takes NAME=FILE, but got \"token\"");
  refused({"--var-file", "token="}, "--var-file takes NAME=FILE");
  refused({"--var-file", "token=" + scratch.file("nul", std::string("a\0b", 3))}, "contains a NUL byte");
  refused({"--var-file", "token=" + scratch.file("large", std::string(1024 * 1024 + 1, 'x'))},
          "is larger than 1024 KiB");
  refused({"--var-file", "token=" + scratch.file("bytes", "\xff")}, "--var-file token: the value is not valid UTF-8");
  refused({"--var-env", "token=NO_SUCH_VARIABLE"}, "--var-env token: the environment has no variable NO_SUCH_VARIABLE");
  refused({"--var-file", "token=-", "--var-file", "count=-"}, "standard input is already read for another parameter");
  const std::string number = scratch.file("number", "three\n");
  ProgramOptions options;
  options.set["SESAME"] = "open sesame";
  refused({"--var-env", "token=SESAME", "--var-file", "count=" + number}, "--var-file count: \"three\" is not a number",
          options);
  refused({"--var-env", "token=SESAME", "--var-file", "token=" + number},
          "--var-env token: this parameter is given twice", options);
  refused({"--var", "count=1", "--var-file", "count=" + number}, "--var-file count: this parameter is given twice");
  refused({"--var-file", "tokem=" + number}, "tokem");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
