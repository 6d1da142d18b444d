// The program `wtool` as a person uses it: help, versions, mistakes in its words, and where its output goes.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "support/shell_tool.h"
#include "support/text.h"
#include "wtool_program.h"

BOOST_AUTO_TEST_SUITE(cli_test)

using namespace wtool::test;
using namespace wtool::test::cli;

BOOST_AUTO_TEST_CASE(help_and_version_are_for_standard_output) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"--help"}, {"call", "--help"}, {"run", "--help"}, {"tools", "--help"}, {"--version"}}) {
    const Finished finished = wtool_with(arguments);
    BOOST_TEST_CONTEXT(Json(arguments)) {
      BOOST_TEST(finished.exit_code == 0);
      BOOST_TEST(!finished.out.empty());
      BOOST_TEST(finished.err == "");
    }
  }
}

BOOST_AUTO_TEST_CASE(help_as_a_command_prints_what_the_option_prints) {
  BOOST_TEST(wtool_with({"help"}).out == wtool_with({"--help"}).out);
  BOOST_TEST(wtool_with({"help", "run"}).out == wtool_with({"run", "--help"}).out);
  BOOST_TEST(wtool_with({"help", "audit", "show"}).out == wtool_with({"audit", "show", "--help"}).out);
  const Finished unknown = wtool_with({"help", "rnu"});
  BOOST_TEST(unknown.exit_code == 2);
  BOOST_TEST(holds(unknown.err, "there is no command \"rnu\"; did you mean 'run'?"), unknown.err);
}

BOOST_AUTO_TEST_CASE(the_help_of_resume_says_that_the_options_of_the_run_still_apply) {
  const std::string out = wtool_with({"resume", "--help"}).out;
  BOOST_TEST(holds(out, "At most N calls run at the same time (default: as in the run so far)"), out);
  BOOST_TEST(holds(out, "A branch that fails ends the others (default: as in the run so far)"), out);
  BOOST_TEST(!holds(out, "default: no limit"), out);
  BOOST_TEST(holds(wtool_with({"run", "--help"}).out, "default: no limit"));
}

BOOST_AUTO_TEST_CASE(the_tools_are_listed_for_people_and_as_json) {
  BOOST_TEST(holds(wtool_with({"tools"}).out, "shell_execute"));
  const Finished finished = wtool_with({"tools", "--json"});
  const Json tools = result_of(finished);
  BOOST_TEST(holds(tools.dump(), "shell_execute"));
  BOOST_TEST(holds(tools.dump(), "working_directory"));
}

BOOST_AUTO_TEST_CASE(output_that_cannot_be_written_is_an_error) {
  ProgramOptions options;
  options.output_to = "/dev/full";
  const Finished finished = call(R"({"command":"echo hi"})", options);
  BOOST_TEST(finished.exit_code == 2);
  BOOST_TEST(holds(finished.err, "No space left"));
  BOOST_TEST(wtool_with({"tools"}, options).exit_code != 0);
  BOOST_TEST(wtool_with({"--version"}, options).exit_code != 0);
}

// Deeply nested text needs the most stack.
BOOST_FIXTURE_TEST_CASE(a_small_stack_limit_does_not_kill_the_program, Place) {
  if (under_sanitizer) return;  // The sanitizer itself needs more stack.
  const auto nested = [](const std::string& label) {
    return "---\ntitle: A test\n---\n\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]: " + label +
           "\n```\n\n## Actions\n\n- A: Log \"hi\"\n";
  };
  const std::string deep = scratch.file("deep.md", nested(std::string(400, '(') + "1" + std::string(400, ')')));
  const std::string plain = scratch.file("plain.md", nested("true"));
  ProgramOptions here;
  here.directory = scratch.path();
  const auto with_limit = [&](const std::string& words) {
    return run({"/bin/sh", "-c", "ulimit -s 64; exec " + wtool_path + " " + words}, here);
  };
  for (const auto& [words, status] : std::vector<std::pair<std::string, int>>{
           {"list", 0}, {"lint " + plain, 0}, {"lint " + deep, 2}, {"run " + plain, 0}, {"run --detach " + deep, 2}}) {
    const Finished finished = with_limit(words);
    BOOST_TEST_CONTEXT(words << finished.out << finished.err) {
      BOOST_TEST(finished.signal == 0);
      BOOST_TEST(finished.exit_code == status);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_lack_of_descriptors_is_not_an_internal_error, Place) {
  if (under_sanitizer) return;  // The sanitizer itself needs descriptors.
  const std::string file =
      scratch.file("w.md", "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n\n## Actions\n\n- A: Log \"hi\"\n");
  // ctest leaves a descriptor 3 open, with which the program could not even load its libraries.
  const std::string command = "exec 3>&-; ulimit -n 4; exec " + wtool_path + " run --no-journal " + file;
  const Finished finished = run({"/bin/sh", "-c", command});
  BOOST_TEST(finished.exit_code == 2, finished.out << finished.err);
  BOOST_TEST(holds(finished.err, "too little memory, descriptors or threads (ulimit -a): "), finished.err);
  BOOST_TEST(holds(finished.err, "Too many open files"), finished.err);
}

BOOST_FIXTURE_TEST_CASE(a_reader_that_goes_away_ends_the_program_quietly, Place) {
  // `wtool ... | head -1` must not hang.
  const Finished finished = run(
      {"/bin/sh", "-c", wtool_path + " call shell_execute '{\"command\":\"seq 1 100000\"}' --stream 2>&1 | head -n 1"});
  BOOST_TEST(!finished.limit_passed);
  BOOST_TEST(finished.out == "1\n");
}

BOOST_FIXTURE_TEST_CASE(the_plugin_is_found_through_the_environment_too, Place) {
  // A copy of the program elsewhere, without a plugin beside it.
  const std::string copy = scratch.path() + "/bin/wtool";
  std::filesystem::create_directories(scratch.path() + "/bin");
  std::filesystem::copy_file(wtool_path, copy);
  const std::vector<std::string> argv{copy, "call", "shell_execute", R"({"command":"echo hi"})"};
  ProgramOptions options;
  options.unset = {"WTOOL_PLUGIN_PATH"};
  BOOST_TEST(run(argv, options).exit_code == 2);
  options.unset.clear();
  options.set["WTOOL_PLUGIN_PATH"] = std::filesystem::path(WTOOL_TEST_PLUGIN).parent_path();
  BOOST_TEST((result_of(run(argv, options)).at("metadata").at("stdout") == Json("hi\n")));
}

BOOST_FIXTURE_TEST_CASE(text_that_must_be_read_in_full_is_wrapped_at_blanks_on_a_narrow_terminal, Place) {
  const auto words_of = [](const std::string& text) {
    std::istringstream words(text);
    std::vector<std::string> all;
    for (std::string word; words >> word;) all.push_back(word);
    return all;
  };
  ProgramOptions options;
  options.directory = scratch.path();
  options.set["HOME"] = scratch.path();
  for (const int columns : {60, 40, 16}) {
    options.columns = static_cast<unsigned short>(columns);
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"check", "--list"}, {"mcp", "--list"}, {"doctor"}}) {
      std::vector<std::string> argv{wtool_path};
      argv.insert(argv.end(), words.begin(), words.end());
      const std::string shown = Program(argv, Program::On::terminal, options).wait().out;
      std::istringstream lines(shown);
      for (std::string line; std::getline(lines, line);) {
        while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.pop_back();
        // A line that is longer than the terminal is wide ends with a word that is too long to be wrapped.
        const std::size_t last = line.find_last_of(' ') + 1;
        const bool is_long_word = line.size() - last > static_cast<std::size_t>(columns) / 4;
        BOOST_TEST((line.size() <= static_cast<std::size_t>(columns) || is_long_word), line);
      }
      // doctor shows how long its call took, which differs from call to call.
      if (words.front() != "doctor") BOOST_TEST(words_of(shown) == words_of(run(argv, options).out));
    }
  }
}

BOOST_FIXTURE_TEST_CASE(help_is_as_wide_as_the_terminal, Place) {
  ProgramOptions options;
  options.directory = scratch.path();
  const auto widest = [&](const std::string& command, unsigned short columns) {
    options.columns = columns;
    const std::string shown = Program({wtool_path, command, "--help"}, Program::On::terminal, options).wait().out;
    std::size_t most = 0;
    for (std::string line : lines_of(shown)) {
      if (line.ends_with('\r')) line.pop_back();
      const bool is_example = line.starts_with("  wtool ");  // kept as it is, so that it can be copied
      if (!is_example) most = std::max(most, line.size());
    }
    BOOST_TEST(most > 60U, shown);
    return most;
  };
  for (const char* command : {"lint", "resume", "approve", "config"}) {
    BOOST_TEST(widest(command, 80) <= 80U, command);
    BOOST_TEST(widest(command, 100) <= 100U, command);
    BOOST_TEST(widest(command, 300) <= 120U, command);
  }
  options.set["COLUMNS"] = "90";
  BOOST_TEST(widest("lint", 200) <= 90U);
  // Without a terminal, help is the same everywhere.
  BOOST_TEST(run({wtool_path, "lint", "--help"}, options).out == wtool_with({"lint", "--help"}).out);
}

BOOST_FIXTURE_TEST_CASE(wrong_words_point_to_the_command_or_workflow_that_exists, Place) {
  scratch.file("workflows/build.md", "# build\n");
  ProgramOptions here;
  here.directory = scratch.path();
  const auto says = [&](const std::vector<std::string>& words) { return wtool_with(words, here).err; };
  BOOST_TEST(
      holds(says({"build"}), "there is no command \"build\"; `wtool run build` runs the workflow of this name\n"));
  BOOST_TEST(holds(says({"bild-it"}), "there is no command \"bild-it\"\n"));
  BOOST_TEST(holds(says({"plan", "x", "--follow"}), "there is no option --follow; it is an option of `wtool logs`\n"));
  BOOST_TEST(holds(says({"tools", "--html=x"}),
                   "it is an option of `wtool run`, `wtool resume`, `wtool watch`, `wtool report`, `wtool approve`\n"));
  BOOST_TEST(holds(says({"man"}), "use `man wtool`"));
  BOOST_TEST(holds(says({"--json", "tools"}), "--json is an option of `wtool tools`, and must follow these words\n"));
  BOOST_TEST(holds(says({"-q", "run", "x"}), "-q is an option of `wtool run`, and must follow these words\n"));
  BOOST_TEST(!holds(says({"tools", "--", "--json"}), "must follow"));
  BOOST_TEST(holds(says({"run", "x", "--max-parallel"}), "--max-parallel needs a value: --max-parallel N\n"));
  BOOST_TEST(holds(says({"run", "x", "--quiet=x"}), "--quiet takes no value, but got \"x\"\n"));
  BOOST_TEST(holds(says({"run", "x", "--var"}), "--var needs a value: --var NAME=VALUE\n"));
  BOOST_TEST(holds(says({"tools", "--config"}), "--config needs a value: --config FILE\n"));
  BOOST_TEST(holds(says({"run", "x", "--output", "groups"}),
                   "--output: groups not in {group,none,prefixed,stream}; did you mean 'group'?\n"));
  BOOST_TEST(holds(says({"init", "polcy"}), "did you mean 'policy'?\n"));
  BOOST_TEST(holds(says({"init"}), "KIND is required: policy, mcp or workflow\n"));
  BOOST_TEST(holds(says({"stop"}),
                   "RUN is required: the run's id, the beginning of the id, or `last`; `wtool runs` lists the runs\n"));
  BOOST_TEST(holds(says({"run", "build", "who=x"}), "a parameter of the workflow is given as --var who=x\n"));
  BOOST_TEST(holds(says({"run", "build", "--who=x"}), "a parameter of the workflow is given as --var who=x\n"));
  BOOST_TEST(holds(says({"call", "shell_execute", "ls", "-l"}), "a command is one word, as in"));
  BOOST_TEST(holds(says({"kill"}), "`wtool stop RUN` stops a run"));
  BOOST_TEST(holds(says({"approve", "last"}), "there is no run below"));
  for (const char* command : {"show", "logs", "attach"}) {
    BOOST_TEST(holds(says({command}), "there is no run below"), command);
  }
  for (const std::string command : {"list", "runs", "tools"}) {
    BOOST_TEST(holds(says({"--config", "no.yaml", command}), "cannot read no.yaml: No such file or directory\n"));
    BOOST_TEST(holds(says({"--plugin", "no.so", command}), "no.so cannot be used: there is no such file"));
  }
  BOOST_TEST(!holds(says({"init", "everything"}), "did you mean"));
  BOOST_TEST(holds(says({"run", "workflows/biuld.md"}),
                   "workflows/biuld.md: there is no such file; did you mean 'build.md'?\n"));
}

// The current directory often belongs to a project that somebody else wrote.
BOOST_AUTO_TEST_CASE(no_library_is_looked_for_in_the_current_directory) {
  const ScratchFolder scratch;
  ProgramOptions options;
  options.directory = scratch.path();
  options.set["LD_DEBUG"] = "libs";
  const Finished finished = wtool_with({"tools"}, options);
  BOOST_TEST_REQUIRE(finished.exit_code == 0, finished.err);
  std::size_t tried = 0;
  std::istringstream lines(finished.err);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t file = line.find("trying file=");
    if (file == std::string::npos) continue;
    ++tried;
    BOOST_TEST(line.substr(file).starts_with("trying file=/"), line);
  }
  BOOST_TEST(tried > 0U);
}

BOOST_AUTO_TEST_CASE(the_version_takes_no_other_words) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--version", "extra"}, {"--version", "--jsn"}, {"run", "--version"}}) {
    const Finished finished = wtool_with(words);
    BOOST_TEST(finished.exit_code == 2);
    BOOST_TEST(finished.out.empty());
    BOOST_TEST(holds(finished.err, "--version takes --json and the options for every command, not '"), finished.err);
  }
}

BOOST_AUTO_TEST_CASE(a_program_asks_for_versions_formats_and_plugins) {
  const Finished plain = wtool_with({"--version"});
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--version", "--json"}, {"--json", "--version"}}) {
    const Finished asked = wtool_with(words);
    BOOST_TEST_REQUIRE(asked.exit_code == 0, asked.err);
    const Json all = Json::parse(asked.out);
    BOOST_TEST("wtool " + all.at("version").get<std::string>() + "\n" == plain.out);
    BOOST_TEST((all.at("interface") == Json({{"major", 1}, {"minor", 0}})));
    for (const char* format : {"journal", "audit", "configuration", "workflow", "warden_protocol"}) {
      BOOST_TEST(all.at("formats").at(format).get<int>() >= 1, format);
    }
    BOOST_TEST(all.at("plugins").at(0).at("name") == "shell_tools");
    BOOST_TEST(std::filesystem::exists(all.at("plugins").at(0).at("path").get<std::string>()));
    BOOST_TEST(all.at("features").at("cluster").is_boolean());
    BOOST_TEST(all.at("features").at("pty") == true);
  }
}

// make, git and ninja have this option, too.
BOOST_FIXTURE_TEST_CASE(a_directory_to_change_to_is_where_everything_begins, Place) {
  scratch.file("wtool.yaml", "commands: {deny: [\"id\"]}\n");
  const std::vector<std::string> where{"-C", scratch.path()};
  const auto in_there = [&](std::vector<std::string> before, std::vector<std::string> after) {
    before.insert(before.end(), after.begin(), after.end());
    return wtool_with(before);
  };
  const std::vector<std::string> pwd{"call", "shell_execute", "command=pwd"}, id{"call", "shell_execute", "command=id"};
  BOOST_TEST(result_of(in_there(where, pwd)).at("metadata").at("stdout") == scratch.path() + "\n");
  BOOST_TEST(result_of(in_there(pwd, where)).at("metadata").at("stdout") == scratch.path() + "\n");
  BOOST_TEST(result_of(in_there(where, id)).at("metadata").at("error").at("code") == "policy_denied");
  BOOST_TEST(wtool_with({"--directory", scratch.path(), "--config", "wtool.yaml", "config", "show"}).exit_code == 0);
  const Finished gone = in_there({"-C", scratch.path() + "/none"}, pwd);
  BOOST_TEST(gone.exit_code == 2);
  BOOST_TEST(holds(gone.err, "cannot change to the directory " + scratch.path() + "/none: No such file"), gone.err);
  BOOST_TEST(wtool_with({"-C", "", "tools"}).exit_code == 2);
  std::filesystem::create_directory(scratch.path() + "/in");
  BOOST_TEST(result_of(in_there({"-C", scratch.path(), "-C", "in"}, pwd)).at("metadata").at("stdout") ==
             scratch.path() + "/in\n");
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"--version", "-C", scratch.path()},
                                             {"-C" + scratch.path(), "--version"},
                                             {"--version", "--json", "--directory=" + scratch.path()}}) {
    BOOST_TEST(wtool_with(words).exit_code == 0, wtool_with(words).err);
  }
  BOOST_TEST(wtool_with({"--version", "-C", scratch.path() + "/none"}).exit_code == 2);
  BOOST_TEST(wtool_with({"--version", "-x"}).exit_code == 2);
}

BOOST_AUTO_TEST_SUITE_END()
