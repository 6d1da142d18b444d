// keep=["dist/**"]: the files that a step has made are also kept beside the journal of the run.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(kept_files_test)

using namespace wtool::test;
using Json = nlohmann::json;

namespace {

struct Kept : Place {
  // What `wtool show` says about the only step of the state A.
  Json step() const {
    const Json all = Json::parse(run({wtool_path, "show", "last", "--json"}, here()).out);
    for (const Json& one : all.at("steps")) {
      if (one.at("state") == "A") return one;
    }
    return {};
  }
  Finished keeps(const std::string& command, const std::string& options) const {
    return run_workflow(workflow("[*] --> A\nA --> [*]\n", "- A: Shell \"" + command + "\" " + options + "\n"));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(kept_files, Kept)

BOOST_AUTO_TEST_CASE(files_of_a_step_are_copied_and_named_in_the_journal_and_the_report) {
  const std::string file_ = workflow(
      "[*] --> A\nA --> [*]\n",
      "- A: Shell \"mkdir -p dist.d/deep; printf one > dist.d/deep/a.tar; printf two > dist.d/b; touch other\" "
      "working_dir=\".\" keep=[\"dist.d/**\", \"!dist.d/b\"]\n");
  const Finished finished = run_workflow(file_, {"--html", "report.html"});
  BOOST_TEST(finished.exit_code == 0, finished.err);
  const Json kept = step().at("kept_files");
  BOOST_REQUIRE(kept.size() == 1U);
  BOOST_TEST(kept[0].at("path") == "dist.d/deep/a.tar");
  BOOST_TEST(kept[0].at("bytes") == 3);
  const std::string copy = kept[0].at("copy");
  BOOST_TEST(content_of(std::filesystem::path(scratch.path()) / copy) == "one");
  BOOST_TEST(holds(copy, ".outputs/"), copy);
  BOOST_TEST(holds(file("report.html"), "kept: dist.d/deep/a.tar, 3 bytes"));
  const Finished planned = run({wtool_path, "plan", file_}, here());
  BOOST_TEST(holds(planned.out, "keeps: [\"dist.d/**\",\"!dist.d/b\"]"), planned.out);
}

BOOST_AUTO_TEST_CASE(files_of_a_step_that_fails_are_kept_too_and_missing_ones_are_named) {
  const Finished finished = keeps("echo bad > log; exit 3", "keep=[\"log\", \"no/**\"]");
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST(step().at("kept_files").size() == 1U);
  BOOST_TEST(holds(finished.err, "no file matches \"no/**\", so no file is kept for it"), finished.err);
}

BOOST_AUTO_TEST_CASE(files_of_a_tool_are_looked_for_in_the_directory_of_the_call) {
  scratch.file("log", "not this");
  scratch.file("sub/before", "copied");
  ProgramOptions allowed = here();
  allowed.set["ALLOWED_COMMANDS"] = "cp";
  for (const char* call : {R"("shell_execute" with {"command": "cp before log", "working_directory": "sub"})",
                           R"("execute_command" with {"command": "cp before log", "cwd": "sub"})"}) {
    const std::string file_ =
        workflow("[*] --> A\nA --> [*]\n", std::string("- A: Call tool ") + call + " keep=[\"log\"]\n");
    const Finished finished = run({wtool_path, "run", file_}, allowed);
    BOOST_TEST_CONTEXT(call << "\n" << finished.out << finished.err) {
      const Json kept = step().value("kept_files", Json::array());
      BOOST_REQUIRE(kept.size() == 1U);
      BOOST_TEST(content_of(kept[0].at("copy").get<std::string>()) == "copied");
    }
  }
}

BOOST_AUTO_TEST_CASE(of_a_call_that_policy_refuses_only_the_refusal_is_told) {
  ProgramOptions allowed = here();
  allowed.set["ALLOWED_COMMANDS"] = "cp";
  const std::string file_ = workflow(
      "[*] --> A\nA --> [*]\n", "- A: Call tool \"execute_command\" with {\"command\": \"mv a log\"} keep=[\"log\"]\n");
  const Finished finished = run({wtool_path, "run", file_}, allowed);
  BOOST_TEST(finished.exit_code == 3);
  BOOST_TEST(!holds(finished.err, "kept"), finished.err);
}

BOOST_AUTO_TEST_CASE(a_copy_is_found_from_elsewhere_and_after_the_folder_has_moved) {
  BOOST_TEST(keeps("echo one > a", "keep=[\"a\"]").exit_code == 0);
  BOOST_TEST(content_of(step().at("kept_files")[0].at("copy").get<std::string>()) == "one\n");
  std::filesystem::create_directory(scratch.path() + "/moved");
  std::filesystem::rename(scratch.path() + "/.wtool", scratch.path() + "/moved/.wtool");
  ProgramOptions moved = here();
  moved.directory += "/moved";
  const Json shown = Json::parse(run({wtool_path, "show", "last", "--json"}, moved).out);
  BOOST_TEST(content_of(shown.at("steps")[0].at("kept_files")[0].at("copy").get<std::string>()) == "one\n");
}

BOOST_AUTO_TEST_CASE(a_link_is_not_followed_and_a_path_outside_is_a_mistake) {
  const Finished linked = keeps("ln -sf /etc/passwd l; ln -sfn /etc d; touch f", "keep=[\"l\", \"d/passwd\", \"f\"]");
  BOOST_TEST(linked.exit_code == 0, linked.err);
  const Json kept = step().at("kept_files");
  BOOST_REQUIRE(kept.size() == 1U);
  BOOST_TEST(kept[0].at("path") == "f");
  for (const char* path : {"../x", "/etc/passwd"}) {
    const Finished outside = keeps("true", std::string("keep=[\"") + path + "\"]");
    BOOST_TEST(outside.exit_code == 2);
    BOOST_TEST(holds(outside.err, "a file that is kept must be below the directory of its step"), outside.err);
  }
}

BOOST_AUTO_TEST_CASE(what_is_in_a_linked_folder_is_neither_kept_nor_named) {
  const Finished finished =
      keeps("mkdir s; ln -s /etc s/etc; ln -s / all; touch s/f", "keep=[\"s/**\", \"all/**\", \"all/etc/*\"]");
  BOOST_TEST(finished.exit_code == 0, finished.err);
  const Json kept = step().at("kept_files");
  BOOST_REQUIRE(kept.size() == 1U);
  BOOST_TEST(kept[0].at("path") == "s/f");
  BOOST_TEST(!holds(finished.err, "passwd"), finished.err);
  BOOST_TEST(holds(finished.err, "\"all/etc/*\": \"all\" is a link, and links are not followed"), finished.err);
}

BOOST_AUTO_TEST_CASE(copies_of_files_whose_names_are_not_utf8_have_names_that_a_report_can_show) {
  scratch.file("make",
               "mkdir d; printf 1 >\"d/$(printf 'a\\377')\"; printf 2 >\"d/$(printf 'a\\376')\"; printf 3 >d/ä\n");
  const Finished finished = keeps("sh make", "keep=[\"d/**\"]");
  BOOST_TEST(finished.exit_code == 0, finished.err);
  const Json kept = step().at("kept_files");
  BOOST_REQUIRE(kept.size() == 3U);
  BOOST_TEST(holds(kept.dump(), R"("d/a\\xff")"), kept.dump());
  BOOST_TEST(holds(kept.dump(), R"("d/a\\xfe")"), kept.dump());
  std::string contents;
  for (const Json& one : kept) {
    contents += content_of(std::filesystem::path(scratch.path()) / one.at("copy").get<std::string>());
  }
  std::sort(contents.begin(), contents.end());
  BOOST_TEST(contents == "123");
}

BOOST_AUTO_TEST_CASE(a_file_beyond_the_limit_is_not_read_to_its_end) {
  scratch.file("wtool.yaml", "output: {max_bytes: 2000000}\n");
  const Finished finished = keeps("truncate -s 4T big; touch f", "keep=[\"big\", \"f\"]");
  BOOST_TEST(finished.exit_code == 0, finished.err);
  BOOST_TEST(step().at("kept_files").size() == 1U);
  BOOST_TEST(holds(finished.err, "\"big\" is not kept: "), finished.err);
}

BOOST_AUTO_TEST_CASE(a_file_with_a_secret_does_not_stay) {
  const std::string file_ = workflow("[*] --> S\nS --> A\nA --> [*]\n",
                                     "- S: Set secret token=\"open sesame\"\n"
                                     "- A: Shell \"echo ${token} > a; echo b > b\" keep=[\"[ab]\"]\n");
  const Finished finished = run_workflow(file_);
  BOOST_TEST(finished.exit_code == 0);
  BOOST_TEST(holds(finished.err, "the step 'A': \"a\" is not kept: it contains a secret"), finished.err);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch.path() + "/.wtool")) {
    if (!entry.is_regular_file()) continue;
    BOOST_TEST(!holds(content_of(entry.path()), "sesame"), entry.path());
    if (entry.path().extension() == ".kept") ++files;
  }
  BOOST_TEST(files == 1U);
  const Json kept = step().at("kept_files");
  BOOST_REQUIRE(kept.size() == 1U);
  BOOST_TEST(content_of(kept[0].at("copy").get<std::string>()) == "b\n");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
