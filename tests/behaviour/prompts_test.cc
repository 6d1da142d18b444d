// Prompts that include others: what the command gets, and what lint, plan and run say about mistakes before anything
// runs.
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>

#include "support/sandboxed.h"
#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(prompts_test)

using namespace wtool::test;
namespace fs = std::filesystem;

namespace {

boost::test_tools::assertion_result can_sandbox(boost::unit_test::test_unit_id) { return has_landlock(3); }

struct Prompts : Place {
  Prompts() { scratch.file("wtool.yaml", "prompts: {command: \"cat {{ prompt_file }}\"}\n"); }

  // A workflow with one state that executes the prompt `main` with these arguments.
  std::string asking(const std::string& arguments = "") const {
    return workflow("    [*] --> Ask\n    Ask --> [*]\n", "- Ask: Execute prompt \"main\" " + arguments + "\n");
  }
};

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(prompts, Prompts)

BOOST_AUTO_TEST_CASE(a_prompt_includes_others_with_parameters) {
  scratch.file("prompts/main.md",
               "---\nparameters:\n  - name: kind\n    required: true\n  - name: extra\n---\n"
               "{% render \"_partials/head\", title: kind -%}\n"
               "{% include \"_partials/list.md\" -%}\n"
               "{% case kind %}{% when \"bug\" %}Repair it.{% else %}Build it.{% endcase %}"
               "{% if extra != \"\" %} {{ extra }}{% endif %}");
  scratch.file("prompts/_partials/head.md",
               "---\nparameters:\n  - {name: level, default: high}\n---\n"
               "# {{ title | capitalize }} ({{ level }})\n");
  scratch.file("prompts/_partials/list.md",
               "{% assign parts = parts_text | split: \",\" %}{% for p in parts %}{{ p }};{% endfor %} ");
  const std::string file_ =
      workflow("    [*] --> Ask\n    Ask --> Keep\n    Keep --> [*]\n",
               "- Ask: Execute prompt \"main\" with kind=\"bug\" parts_text=\"a,b\" result=\"answer\"\n"
               "- Keep: Shell \"printf %s ${answer} >answer\"\n");
  const Finished finished = run_workflow(file_);
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("answer") == "# Bug (high)\na;b; Repair it.");
}

BOOST_AUTO_TEST_CASE(mistakes_in_prompts_are_found_before_a_run) {
  struct Mistake {
    const char* prompt;
    const char* partial;
    const char* said;
  };
  const Mistake mistakes[] = {
      {"Say {{ undefinedthing }}", "", "prompts/main.md:1:5: the prompt reads 'undefinedthing', which has no value"},
      {"Say {{ knd }}", "", "did you mean 'kind'?"},
      {"\n{{ kind | upcas }}", "", "prompts/main.md:2:1: there is no filter 'upcas'; did you mean 'upcase'?"},
      {"{% include \"nowhere\" %}", "", "prompts/main.md:1:1: there is no prompt \"nowhere\""},
      {"{% render \"part\" %}", "{{ kind }}", "prompts/part.md:1:1: the prompt reads 'kind', which has no value"},
      {"{% render \"part\" %}", "a {% if %}", "prompts/part.md:1:9: the expression ends"},
      {"{% include \"part\" %}", "{% render \"main\" %}", "prompts insert one another in a circle: "},
      {"{% if kind %}{% render \"part\" %}{% endif %}", "{% include \"part\" %}", "in a circle: "},
      {"{% if kind %}", "", "prompts/main.md:1:1: this {% if %} has no {% endif %}"},
      {"{% rendr \"part\" %}", "", "prompts/main.md:1:1: there is no tag {% rendr %}"},
  };
  const std::string file_ = asking("with kind=\"bug\"");
  for (const Mistake& one : mistakes) {
    scratch.file("prompts/main.md", one.prompt);
    scratch.file("prompts/part.md", one.partial);
    const Finished lint = wtool({"lint", file_});
    BOOST_TEST(holds(lint.out, one.said), one.prompt << ": " << lint.out);
    BOOST_TEST(lint.exit_code == 0);
    for (const char* command : {"run", "plan"}) {
      const Finished finished = wtool({command, file_});
      BOOST_TEST(finished.exit_code == 2, one.prompt);
      BOOST_TEST(holds(finished.err, one.said), one.prompt << ": " << finished.err);
    }
  }
}

// The prompts make 2^40 inclusions, so neither the check nor the run may follow them all.
BOOST_AUTO_TEST_CASE(checks_and_runs_of_prompts_that_each_include_the_next_one_twice_end,
                     *boost::unit_test::timeout(60)) {
  for (int i = 0; i < 40; ++i) {
    const std::string next = "{% include \"p" + std::to_string(i + 1) + "\" %}";
    scratch.file("prompts/p" + std::to_string(i) + ".md", next + next);
  }
  scratch.file("prompts/p40.md", "{{ nowhere }}");
  scratch.file("prompts/main.md", "{% include \"p0\" %}");
  const std::string file_ = asking("with kind=\"bug\"");
  const Finished lint = wtool({"lint", file_});
  BOOST_TEST(holds(lint.out, "prompts/p40.md:1:1: the prompt reads 'nowhere', which has no value"), lint.out);
  scratch.file("prompts/p40.md", "end");
  const Finished finished = run_workflow(file_);
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST(holds(finished.out, "this prompt inserts prompts more than 10000 times in all"), finished.out);
}

BOOST_AUTO_TEST_CASE(what_a_prompt_may_read_is_not_a_mistake) {
  scratch.file("prompts/main.md",
               "---\nparameters: [{name: declared}]\n---\n"
               "{{ kind }}{{ declared }}{{ Before }}{{ kept.stdout }}{{ number }}{{ exit_code }}{{ given }}"
               "{{ other | default: 1 }}{% if missing %}{{ missing }}{% endif %}{% include \"part\" %}{{ made }}"
               "{% for x in (1..2) %}{% include \"round\" %}{% endfor %}");
  scratch.file("prompts/part.md", "{{ kind }}{% assign made = \"m\" %}");
  scratch.file("prompts/round.md", "{{ x }}{{ forloop.index }}");
  const std::string file_ = workflow("    [*] --> Before\n    Before --> Ask\n    Ask --> [*]\n",
                                     "- Before: Set number=3\n- Ask: Execute prompt \"main\" with kind=\"bug\" "
                                     "result=\"kept\" given=\"g\"\n");
  const Finished lint = wtool({"lint", file_});
  BOOST_TEST(holds(lint.out, "0 errors, 0 warnings"), lint.out);
}

BOOST_AUTO_TEST_CASE(a_mistake_that_only_a_run_finds_names_both_places) {
  scratch.file("prompts/main.md", "x\n{% assign which = kind %}{% include which %}");
  const Finished missing = run_workflow(asking("with kind=\"gone\""));
  BOOST_TEST(missing.exit_code == 1);
  BOOST_TEST(holds(missing.out + missing.err, "prompts/main.md:2:26: there is no prompt \"gone\""), missing.out);
  scratch.file("prompts/part.md", "abc\n{% for x in kind %}{% endfor %}");
  const Finished wrong = run_workflow(asking("with kind=\"part\""));
  BOOST_TEST(wrong.exit_code == 1);
  BOOST_TEST(holds(wrong.out + wrong.err, "prompts/part.md:2:13: a loop needs a list"), wrong.out);
}

BOOST_AUTO_TEST_CASE(a_missing_command_for_prompts_is_reported_once_for_each_file) {
  scratch.file("wtool.yaml", "{}\n");
  scratch.file("prompts/main.md", "x");
  const std::string file_ = workflow("    [*] --> One\n    One --> Two\n    Two --> [*]\n",
                                     "- One: Execute prompt \"main\"\n- Two: Prompt \"Say hello\"\n");
  const Finished lint = wtool({"lint", file_});
  BOOST_TEST(count_of(lint.out, "no command is configured for prompts") == 1U, lint.out);
}

// In a sandbox, a command may make a link to a file that it cannot read.
BOOST_AUTO_TEST_CASE(a_prompt_behind_a_link_that_leads_out_of_the_project_is_not_read) {
  const ScratchFolder elsewhere;
  elsewhere.file("private", "private\n");
  scratch.file("shared/main.md", "shared\n");
  std::filesystem::create_directory(scratch.path() + "/prompts");
  const std::string link = scratch.path() + "/prompts/main.md";
  std::filesystem::create_symlink(elsewhere.path() + "/private", link);
  const Finished refused = wtool({"run", asking()});
  BOOST_TEST(refused.exit_code != 0);
  BOOST_TEST(holds(refused.err, "a symbolic link, which a command may have made, leads out of"), refused.err);
  BOOST_TEST(!holds(refused.err + refused.out, "private\n"), refused.err);
  // A link inside the project is followed.
  for (const std::string& target : {std::string("../shared/main.md"), scratch.path() + "/shared/main.md"}) {
    std::filesystem::remove(link);
    std::filesystem::create_symlink(target, link);
    const Finished followed = wtool({"run", asking()});
    BOOST_TEST(followed.exit_code == 0, target << followed.err);
  }
}

BOOST_AUTO_TEST_CASE(a_prompt_with_a_wrong_name_gets_the_nearest_one) {
  scratch.file("prompts/review/code.md", "x");
  const Finished lint =
      wtool({"lint", workflow("    [*] --> One\n    One --> [*]\n", "- One: Execute prompt \"review/cod\"\n")});
  BOOST_TEST(holds(lint.out, "there is no prompt \"review/cod\"; did you mean 'review/code'?"), lint.out);
}

BOOST_AUTO_TEST_CASE(the_next_run_removes_the_files_that_a_killed_run_left) {
  const std::string temporary = scratch.path() + "/temporary";
  const std::string state = scratch.path() + "/state";
  fs::create_directory(temporary);
  ::setenv("TMPDIR", temporary.c_str(), 1);
  ::setenv("XDG_STATE_HOME", state.c_str(), 1);
  scratch.file("prompts/main.md", "hidden from others");
  scratch.file("wtool.yaml", "prompts: {command: \"echo {{ prompt_file }} >path; test -e go || sleep 61\"}\n");
  const std::string asked = asking();
  {
    Program program({wtool_path, "run", asked}, Program::On::pipes, here());
    BOOST_REQUIRE(wait_until([&] { return holds(file("path"), "\n"); }, std::chrono::seconds(30)));
    program.kill(SIGKILL);
    program.wait();
  }
  std::string left = file("path");
  left.pop_back();
  BOOST_TEST(fs::exists(left), "its process could not remove it");
  scratch.file("go", "");
  const Finished next = wtool({"run", asked});
  ::unsetenv("TMPDIR");
  ::unsetenv("XDG_STATE_HOME");
  BOOST_TEST(next.exit_code == 0, next.out << next.err);
  BOOST_TEST(!fs::exists(left));
  const fs::path of_user = temporary + "/wtool-" + std::to_string(::geteuid());
  BOOST_TEST(fs::is_empty(of_user), "a run that ends leaves nothing");
  BOOST_TEST(left.starts_with(state + "/wtool/temporary/"), left);
  BOOST_TEST(fs::is_empty(state + "/wtool/temporary"));
}

BOOST_AUTO_TEST_CASE(in_a_sandbox_with_read_roots_a_command_reads_its_prompt_and_cannot_change_it,
                     *boost::unit_test::precondition(can_sandbox)) {
  const wtool::test::ScratchFolder home;
  scratch.file("prompts/main.md", "the task");
  std::string read = "[" + scratch.path();
  for (const char* folder : {"/bin", "/etc", "/lib", "/lib64", "/usr"}) {
    if (fs::exists(folder)) read += std::string(", ") + folder;
  }
  scratch.file("wtool.yaml", "sandbox: {read: " + read + "], write: [" + scratch.path() +
                                 "], protect: none}\nprompts: {command: \"echo x >>ran; (echo x >{{ prompt_file }}) || "
                                 "cat {{ prompt_file }}\"}\n");
  ProgramOptions options = here();
  options.set["XDG_STATE_HOME"] = home.path();
  options.set["XDG_CACHE_HOME"] = home.path() + "/cache";
  const std::string steps =
      workflow("    [*] --> Ask\n    Ask --> Tell\n    Tell --> [*]\n",
               "- Ask: Execute prompt \"main\" with inputs=[\"prompts/main.md\"]\n- Tell: Log \"it says ${Ask}.\"\n");
  // The second run does not ask again, although its own folder has another name.
  for (int i = 0; i < 2; ++i) {
    const Finished finished = run({wtool_path, "run", steps}, options);
    BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
    BOOST_TEST(holds(finished.err, "it says the task."), finished.out << finished.err);
    BOOST_TEST(file("ran") == "x\n");
  }
  BOOST_TEST(fs::is_empty(home.path() + "/wtool/temporary"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
