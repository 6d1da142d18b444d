// The whole outputs of steps: in files for commands, for `wtool show --output`, for JSON; and the messages if a part of
// an output is missing.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(whole_outputs_test)

using namespace wtool::test;

namespace {

namespace fs = std::filesystem;

const std::string two = "    [*] --> A\n    A --> B\n    B --> [*]\n";

struct Outputs : Place {
  void keep(const std::string& settings) const { scratch.file("wtool.yaml", "output: {" + settings + "}\n"); }
  // The path of a file of the last run's outputs.
  fs::path output_file(const std::string& name) const {
    for (const auto& entry : fs::directory_iterator(scratch.path() + "/.wtool/runs")) {
      if (entry.path().extension() == ".outputs") return entry.path() / name;
    }
    return "";
  }
  std::size_t output_files() const {
    const fs::path folder = output_file("").parent_path();
    if (folder.empty()) return 0;
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(whole_outputs, Outputs)

BOOST_AUTO_TEST_CASE(a_file_has_all_of_an_output_that_is_cut_as_text) {
  const Finished finished =
      run_workflow(workflow(two,
                            "- A: Shell \"seq 1 700000; seq 1 300000 >&2\"\n"
                            "- B: Shell \"wc -c < ${A.stdout_file} >out; wc -c < ${A.stderr_file} >err\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("out") == "4788895\n");
  BOOST_TEST(file("err") == "1988895\n");
}

BOOST_AUTO_TEST_CASE(bytes_that_are_not_text_are_in_the_file_unchanged) {
  const Finished finished =
      run_workflow(workflow(two,
                            "- A: Shell \"head -c 3000 /dev/urandom | tee original; printf '\\377\\376\\000ab'\"\n"
                            "- B: Shell \"cp ${A.stdout_file} copy; printf '\\377\\376\\000ab' >>original\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST((file("copy") == file("original")));
  const Finished shown = wtool({"show", "last", "--output", "A"});
  BOOST_TEST(shown.exit_code == 0, shown.err);
  BOOST_TEST((shown.out == file("original")));
}

BOOST_AUTO_TEST_CASE(reading_bytes_that_are_not_text_as_text_is_a_mistake_that_names_the_file) {
  for (const std::string reading : {"Shell \"echo ${A} >read\"", "Log \"${A.stdout}\"", "Log \"${A.metadata.stdout}\"",
                                    "Log \"{{ A | size }}\"", "Set x=\"${result}\""}) {
    const Finished finished = run_workflow(workflow(two, "- A: Shell \"printf 'a\\377b'\"\n- B: " + reading + "\n"));
    BOOST_TEST_CONTEXT(reading << "\n" << finished.out << finished.err) {
      BOOST_TEST(finished.exit_code == 1);
      BOOST_TEST(holds(finished.out,
                       "this output has bytes that are not UTF-8, so it cannot be used as text; the whole "
                       "output is in the file "));
      BOOST_TEST(holds(finished.out, "main-1.stdout, the field stdout_file"));
      BOOST_TEST(!fs::exists(scratch.path() + "/read"));
    }
    fs::remove_all(scratch.path() + "/.wtool");
  }
}

BOOST_AUTO_TEST_CASE(what_is_text_is_read_beside_bytes_that_are_not) {
  const Finished finished = run_workflow(workflow(two,
                                                  "- A: Shell \"printf 'good \\357\\277\\275'; printf '\\377' >&2\"\n"
                                                  "- B: Shell \"echo ${A} ${A.exit_code} >read\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("read") == "good \xEF\xBF\xBD 0\n");
}

// More than is compared in memory.
BOOST_AUTO_TEST_CASE(a_long_output_with_replacement_characters_of_its_own_is_text) {
  const Finished finished = run_workflow(workflow(two,
                                                  "- A: Shell \"seq 20000; printf '\\357\\277\\275'\"\n"
                                                  "- B: Shell \"echo '{{ A | lines | size }}' >read\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("read") == "20001\n");
}

BOOST_AUTO_TEST_CASE(show_prints_all_of_an_output_though_no_state_reads_its_file) {
  const Finished finished = run_workflow(
      workflow(two, "- A: Shell \"seq 1 700000 | tee original; seq 1 300000 | tee errors >&2\"\n- B: Log \"done\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST((wtool({"show", "last", "--output", "A"}).out == file("original")));
  BOOST_TEST((wtool({"show", "last", "--output", "A", "--stderr"}).out == file("errors")));
  BOOST_TEST(holds(finished.out, "A: only a part of the 4788895 bytes of standard output was kept as text"),
             finished.out);
  BOOST_TEST(holds(wtool({"show", "last"}).out, "1988895 bytes of standard error"));
  wtool({"report", "last", "--junit", "junit.xml", "--html", "page.html"});
  BOOST_TEST(holds(file("junit.xml"), "[the output has 4788895 bytes and was cut; this is the end of it]"));
  BOOST_TEST(holds(file("page.html"), "stdout, 4788895 bytes, cut"));
}

BOOST_AUTO_TEST_CASE(an_output_that_is_kept_whole_as_text_leaves_no_file) {
  const Finished finished = run_workflow(workflow(two, "- A: Shell \"seq 1 100000\"\n- B: Log \"done\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(output_files() == 0U);
  BOOST_TEST(!holds(finished.out, "Cut outputs"), finished.out);
}

BOOST_AUTO_TEST_CASE(every_try_has_its_output) {
  const std::string action =
      "- A: Shell \"echo x >>count; n=$(wc -l <count); if test $n = 2; then seq 1 700000; fi; echo try $n; echo bad $n "
      ">&2; test $n = 3\" retry=3\n- B: Log \"done\"\n";
  const Finished finished = run_workflow(workflow(two, action));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(wtool({"show", "last", "--output", "A", "--try", "1"}).out == "try 1\n");
  BOOST_TEST(wtool({"show", "last", "--output", "A", "--try", "1", "--stderr"}).out == "bad 1\n");
  BOOST_TEST(wtool({"show", "last", "--output", "A", "--try", "2"}).out.size() == 4788895U + 6);
  BOOST_TEST(wtool({"show", "last", "--output", "A", "--try", "3"}).out == "try 3\n");
  BOOST_TEST(wtool({"show", "last", "--output", "A"}).out == "try 3\n");
  const Finished none = wtool({"show", "last", "--output", "A", "--try", "4"});
  BOOST_TEST(none.exit_code == 2);
  BOOST_TEST(holds(none.err, "had 3 tries"), none.err);
}

BOOST_AUTO_TEST_CASE(reading_the_text_of_a_cut_output_is_a_mistake_that_names_the_file) {
  keep("bytes: 4096");
  for (const std::string reading : {"{{ A | lines | size }}", "{{ A | size }}", "${A}", "{{ A.stdout | trim }}",
                                    "${result}", "${output}", "${A.content}", "${A.metadata.stdout}",
                                    "{{ A | default: 'nothing' }}", "{% if A.stdout.contains('5') %}x{% endif %}"}) {
    const Finished finished = run_workflow(workflow(two, "- A: Shell \"seq 1 9999\"\n- B: Log \"" + reading + "\"\n"));
    BOOST_TEST_CONTEXT(reading << "\n" << finished.out << finished.err) {
      BOOST_TEST(finished.exit_code == 1);
      BOOST_TEST(holds(finished.out, "workflow.md:18:"));
      BOOST_TEST(holds(finished.out, "this output was cut: the command wrote 48888 bytes"));
      BOOST_TEST(holds(finished.out, "main-1.stdout"));
    }
    fs::remove_all(scratch.path() + "/.wtool");
  }
}

BOOST_AUTO_TEST_CASE(a_condition_that_reads_a_cut_output_is_a_mistake) {
  keep("bytes: 4096");
  const Finished finished = run_workflow(
      workflow("    [*] --> A\n    A --> B: result.contains(\"5000\")\n    A --> C: default\n    B --> [*]\n"
               "    C --> [*]\n",
               "- A: Shell \"seq 1 9999\"\n- B: Log \"b\"\n- C: Log \"c\"\n"));
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST(holds(finished.out, "cannot be evaluated: this output was cut"), finished.out);
}

BOOST_AUTO_TEST_CASE(the_parts_of_an_outcome_that_were_not_cut_are_read_as_before) {
  keep("bytes: 4096");
  const Finished finished = run_workflow(
      workflow(two,
               "- A: Shell \"seq 1 9999; echo problem >&2\"\n"
               "- B: Shell \"echo ${A.exit_code} ${A.stderr} ${A.success} ${A.metadata.stdout_bytes} >read\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("read") == "0 problem\n true 48888\n");
}

BOOST_AUTO_TEST_CASE(json_is_read_from_the_whole_of_a_cut_output) {
  keep("bytes: 4096");
  const std::string list = "- A: Shell \"printf '{\\\"last\\\": [0'; seq -f ', %g' 1 9999; printf ']}'\"\n";
  const Finished finished =
      run_workflow(workflow(two, list + "- B: Shell \"echo ${A.json.last[9999]} {{ A.json.last | size }} >read\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("read") == "9999 10000\n");
  const Finished tested = run_workflow(workflow(
      two, list + "- B: Shell \"echo {% if has(A.json.last) %}yes{% endif %} {% if has(A.json.none) %}no{% endif %}"
                  "{% if A.json %}json{% endif %} {% if A %}text{% endif %} >tested\"\n"));
  BOOST_TEST(tested.exit_code == 0, tested.out << tested.err);
  BOOST_TEST(file("tested") == "yes json text\n");
  const Finished no_json =
      run_workflow(workflow(two, "- A: Shell \"printf '['; seq 1 9999\"\n- B: Log \"${A.json}\"\n"));
  BOOST_TEST(no_json.exit_code == 1);
  BOOST_TEST(holds(no_json.out, "is not JSON"), no_json.out);
}

// A command can replace the file by something that never ends, or that must be waited for.
BOOST_AUTO_TEST_CASE(what_a_command_puts_in_place_of_a_file_is_reported_and_never_waited_for) {
  keep("bytes: 4096");
  for (const char* put : {"mkfifo main-1.stdout", "ln -s /dev/zero main-1.stdout", "truncate -s 300G main-1.stdout"}) {
    const std::string text = workflow("[*] --> A\nA --> B\nB --> C\nC --> [*]\n",
                                      "- A: Shell \"printf '{\\\"last\\\": [0'; seq -f ', %g' 1 9999; printf ']}'\"\n"
                                      "- B: Shell \"cd .wtool/runs/${run_id}.outputs && rm main-1.stdout && " +
                                          std::string(put) + "\"\n- C: Log \"{{ A.json.last | size }}\"\n");
    const Finished finished = run_workflow(text);
    BOOST_TEST(finished.exit_code == 1, put << finished.out << finished.err);
    BOOST_TEST(holds(finished.out, "main-1.stdout with the whole output "), finished.out);
    BOOST_TEST(wtool({"show", "last", "--output", "A"}).exit_code == 1, put);
    const Finished resumed = wtool({"resume", "last"});
    BOOST_TEST(resumed.exit_code == 1, put);
    BOOST_TEST(holds(resumed.err, "the whole output of the state A is no longer kept"), resumed.err);
    fs::remove_all(scratch.path() + "/.wtool");
  }
}

BOOST_AUTO_TEST_CASE(json_beyond_its_limit_is_an_error_that_names_the_key) {
  keep("bytes: 4096, json_bytes: 1048576");
  const Finished finished = run_workflow(
      workflow(two, "- A: Shell \"printf '[0'; seq -f ', %g' 1 200000; printf ']'\"\n- B: Log \"${A.json[3]}\"\n"));
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST(holds(finished.out, "JSON is read from at most 1048576 (output.json_bytes)"), finished.out);
}

BOOST_AUTO_TEST_CASE(a_state_that_needs_a_file_fails_where_it_could_not_be_written) {
  keep("bytes: 4096");
  const std::string file_ =
      workflow(two, "- A: Shell \"seq 1 700000\"\n- B: Shell \"wc -c < ${A.stdout_file} >read\"\n");
  const Finished finished = run({"/bin/sh", "-c", "ulimit -f 500; exec \"$0\" run \"$1\"", wtool_path, file_}, here());
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST(!fs::exists(scratch.path() + "/read"));
  BOOST_TEST(holds(finished.out, "main-1.stdout: File too large"), finished.out << finished.err);
  BOOST_TEST(!fs::exists(output_file("main-1.stdout")));
  // Now that there is room again, the state whose output is missing runs again.
  const Finished resumed = wtool({"resume", "last"});
  BOOST_TEST(resumed.exit_code == 0, resumed.out << resumed.err);
  BOOST_TEST(file("read") == "4788895\n");
}

BOOST_AUTO_TEST_CASE(without_a_temporary_folder_a_message_names_no_path_at_the_root) {
  keep("bytes: 4096");
  ProgramOptions options = here();
  options.set["TMPDIR"] = "/proc";
  const Finished finished =
      run({wtool_path, "run", "--no-journal",
           workflow(two, "- A: Shell \"seq 1 700000\"\n- B: Shell \"wc -c < ${A.stdout_file} >read\"\n")},
          options);
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST(holds(finished.out + finished.err, "cannot be written to main-1.stdout: the folder for outputs "),
             finished.out << finished.err);
}

BOOST_AUTO_TEST_CASE(the_files_of_a_run_have_a_limit_together) {
  keep("bytes: 4096, max_bytes: 1048576");
  const Finished finished =
      run_workflow(workflow(two, "- A: Shell \"seq 1 700000\"\n- B: Shell \"wc -c < ${A.stdout_file} >read\"\n"));
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST(holds(finished.out, "raise output.max_bytes"), finished.out);
  const Finished shown = wtool({"show", "last", "--output", "A"});
  BOOST_TEST(shown.exit_code == 1);
  BOOST_TEST(holds(shown.err, "only the first and the last"), shown.err);
  BOOST_TEST(shown.out.starts_with("1\n2\n"));
}

BOOST_AUTO_TEST_CASE(a_matrix_keeps_what_each_combination_wrote) {
  keep("bytes: 4096");
  const Finished finished = run_workflow(workflow(
      two,
      "- A: Shell \"seq ${matrix.n}\" matrix={\"n\": [9999, 3]}\n"
      "- B: Shell \"cat ${A.stdout_file} >all; cat ${A.matrix[0].stdout_file} ${A.matrix[1].stdout_file} >each; "
      "echo ${A.matrix[1]} >second\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("all").size() == 48888U + 6);
  BOOST_TEST((file("each") == file("all")));
  BOOST_TEST(file("second") == "1\n2\n3\n");
  BOOST_TEST((wtool({"show", "last", "--output", "A"}).out == file("all")));
  BOOST_TEST(wtool({"show", "last", "--output", "A", "--branch", "/1:2"}).out == "1\n2\n3\n");
  const Finished cut = run_workflow(
      workflow(two, "- A: Shell \"seq ${matrix.n}\" matrix={\"n\": [9999, 3]}\n- B: Log \"${A.matrix}\"\n"));
  BOOST_TEST(cut.exit_code == 1);
  BOOST_TEST(holds(cut.out, "this output was cut"), cut.out);
}

BOOST_AUTO_TEST_CASE(the_outputs_of_a_matrix_are_there_after_a_resume) {
  const Finished finished =
      run_workflow(workflow(two,
                            "- A: Shell \"echo ran >>a; seq 1 300000\" matrix={\"n\": [1, 2, 3, 4]}\n"
                            "- B: Shell \"test -e go && wc -c < ${A.stdout_file} >read\"\n"));
  BOOST_TEST(finished.exit_code == 1);
  scratch.file("go", "");
  const Finished resumed = wtool({"resume", "last"});
  BOOST_TEST(resumed.exit_code == 0, resumed.out << resumed.err);
  BOOST_TEST(file("read") == std::to_string(4 * 1988895) + "\n");
  BOOST_TEST(file("a").size() == 4U * 4);
}

BOOST_AUTO_TEST_CASE(branches_and_inner_workflows_pass_on_their_whole_outputs) {
  keep("bytes: 4096");
  scratch.file("inner.md",
               "```mermaid\nstateDiagram-v2\n[*] --> X\nX --> [*]\n```\n## Actions\n- X: Shell \"seq 1 9999\"\n");
  const Finished finished = run_workflow(workflow(
      "    [*] --> F\n    state F <<fork>>\n    state J <<join>>\n    F --> A\n    F --> B\n    A --> J\n    B --> J\n"
      "    J --> C\n    C --> [*]\n",
      "- A: Run workflow \"inner\"\n- B: Shell \"seq 1 8888\"\n"
      "- C: Shell \"cat ${A.stdout_file} >a; cat ${B.stdout_file} >b\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("a").size() == 48888U);
  BOOST_TEST(file("b").size() == 43333U);
  const Finished cut = run_workflow(workflow(two, "- A: Run workflow \"inner\"\n- B: Log \"${A}\"\n"));
  BOOST_TEST(cut.exit_code == 1);
  BOOST_TEST(holds(cut.out, "this output was cut"), cut.out);
}

BOOST_AUTO_TEST_CASE(a_resumed_run_reads_the_file_of_the_earlier_one) {
  keep("bytes: 4096");
  const std::string file_ = workflow(
      two, "- A: Shell \"echo ran >>a; seq 1 9999\"\n- B: Shell \"test -e go && cat ${A.stdout_file} >read\"\n");
  BOOST_TEST(run_workflow(file_).exit_code == 1);
  scratch.file("go", "");
  const Finished resumed = wtool({"resume", "last"});
  BOOST_TEST(resumed.exit_code == 0, resumed.out << resumed.err);
  BOOST_TEST(file("read").size() == 48888U);
  BOOST_TEST(file("a") == "ran\n");
}

BOOST_AUTO_TEST_CASE(a_resumed_run_reads_the_json_of_an_output_that_was_cut) {
  keep("bytes: 4096");
  const std::string json = "printf '[0'; seq -f ', %g' 1 9999; printf ']'";
  const std::string file_ = workflow(
      "    [*] --> A\n    A --> M\n    M --> B\n    B --> [*]\n",
      "- A: Shell \"" + json + "\" result=\"list\"\n- M: Shell \"" + json + "\" matrix={\"n\": [1, 2]}\n" +
          "- B: Shell \"test -e go && echo ${A.json[9999]} ${list.json[9998]} ${M.matrix[1].json[9997]} >read\"\n");
  BOOST_TEST(run_workflow(file_).exit_code == 1);
  scratch.file("go", "");
  const Finished resumed = wtool({"resume", "last"});
  BOOST_TEST(resumed.exit_code == 0, resumed.out << resumed.err);
  BOOST_TEST(file("read") == "9999 9998 9997\n");
  // No state reads the file any longer. The run says that the file is gone, but no state runs again because of that.
  fs::remove_all(output_file("").parent_path());
  const Finished gone = wtool({"resume", "last", "--from", "B"});
  BOOST_TEST(gone.exit_code == 1);
  BOOST_TEST(holds(gone.err, "the whole output of the state A is no longer kept"), gone.err);
  BOOST_TEST(holds(gone.out, "is gone"), gone.out);
}

BOOST_AUTO_TEST_CASE(a_state_whose_file_has_changed_runs_again_at_a_resume) {
  keep("bytes: 4096");
  const std::string file_ = workflow(
      two, "- A: Shell \"echo ran >>a; seq 1 9999\"\n- B: Shell \"test -e go && cat ${A.stdout_file} >read\"\n");
  BOOST_TEST(run_workflow(file_).exit_code == 1);
  {
    std::fstream changed(output_file("main-1.stdout"), std::ios::in | std::ios::out | std::ios::binary);
    changed << "9";
  }
  scratch.file("go", "");
  const Finished resumed = wtool({"resume", "last"});
  BOOST_TEST(resumed.exit_code == 0, resumed.out << resumed.err);
  BOOST_TEST(holds(resumed.err, "so the states run again: A"), resumed.err);
  BOOST_TEST(file("read").starts_with("1\n2\n"));
  BOOST_TEST(file("a") == "ran\nran\n");
}

BOOST_AUTO_TEST_CASE(combinations_with_secrets_leave_no_file_of_their_joined_output) {
  keep("bytes: 4096");
  scratch.file(
      "inner.md",
      "---\nparameters:\n  - {name: n, type: number, default: 1}\n---\n```mermaid\nstateDiagram-v2\n[*] --> A\nA "
      "--> [*]\n```\n## Actions\n- A: Shell \"seq ${n} 9999\" secret\n");
  const std::pair<const char*, bool> cases[] = {{R"(Run workflow "inner.md" with n=${matrix.n})", false},
                                                {R"(Shell "seq ${matrix.n} 9999" secret)", false},
                                                {R"(Shell "seq ${matrix.n} 9999")", true}};
  for (const auto& [action, has_file] : cases) {
    const Finished finished = run_workflow(
        workflow("    [*] --> A\n    A --> [*]\n", std::string("- A: ") + action + " matrix={\"n\": [1, 2]}\n"));
    BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
    BOOST_TEST(holds(finished.out, "--output") == has_file, finished.out);
    BOOST_TEST((output_files() > 0) == has_file, action);
  }
}

BOOST_AUTO_TEST_CASE(a_file_that_holds_a_secret_only_in_the_part_that_was_cut_does_not_stay) {
  keep("bytes: 4096");
  scratch.file(
      "secret.md",
      "---\nparameters:\n  - {name: token, secret: true}\n---\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> B\n"
      "B --> [*]\n```\n## Actions\n- A: Shell \"seq 1 9999; echo ${token}; seq 1 9999\"\n"
      "- B: Shell \"grep -c hunter ${A.stdout_file} >read\"\n");
  const Finished finished =
      wtool({"run", "secret.md", "--var-file", "token=" + scratch.file("token", "hunter2hunter2")});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("read") == "1\n");
  BOOST_TEST(!fs::exists(output_file("main-1.stdout")));
  const Finished shown = wtool({"show", "last", "--output", "A"});
  BOOST_TEST(shown.exit_code == 1);
  BOOST_TEST(holds(shown.err, "is not whole: the command wrote 97791 bytes"), shown.err);
  BOOST_TEST(!holds(shown.out, "hunter"), shown.out);
}

BOOST_AUTO_TEST_CASE(thirty_megabytes_pass_by_file) {
  const Finished finished = run_workflow(
      workflow(two, "- A: Shell \"head -c 30000000 /dev/zero\"\n- B: Shell \"wc -c < ${A.stdout_file} >read\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("read") == "30000000\n");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
