// Protected names inside a write root stay as they are, whatever a command tries. Where they cannot be protected, the
// result says what happened to them.
//
// If root runs these tests, they run once more as nobody (CMakeLists.txt). They are skipped if namespaces are not
// available.
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "support/sandboxed.h"

BOOST_AUTO_TEST_SUITE(protected_names_test)

using namespace wtool::test;

namespace {

boost::test_tools::assertion_result names_can_be_held(boost::unit_test::test_unit_id) {
  static const bool able = has_landlock(1) && has_namespaces();
  boost::test_tools::assertion_result result(able);
  if (!able) result.message() << "this machine has no Landlock, or no namespaces for this user";
  return result;
}

// A folder with the files of a repository, and the protected names that matter most in it.
struct Fixture : Sandboxed {
  const std::string config = scratch.file("inside/.git/config", "[core]\n");
  const std::string hook = scratch.file("inside/.git/hooks/pre-commit", "#!/bin/sh\n", 0755);
  const std::string head = scratch.file("inside/.git/HEAD", "ref: refs/heads/main\n");
  const Json names = {".git/config", ".git/hooks", ".bashrc"};
  ToolUnderTest tool{plugin, sandbox({{"protect", names}})};

  using Sandboxed::run;
  Answer run(const std::string& command) const { return run(tool, command); }
  std::string probe(const std::string& call) const { return Sandboxed::probe(tool, call); }

  void check_untouched() const {
    BOOST_TEST(content(config) == "[core]\n");
    BOOST_TEST(content(hook) == "#!/bin/sh\n");
    BOOST_TEST(std::distance(std::filesystem::directory_iterator(inside + "/.git/hooks"), {}) == 1);
  }
};

std::vector<std::string> changed(const Answer& answer) {
  return answer.metadata().value("protected_changed", std::vector<std::string>());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(protected_names, *boost::unit_test::precondition(names_can_be_held))

BOOST_FIXTURE_TEST_CASE(a_protected_file_cannot_be_changed_by_any_name_it_has, Fixture) {
  for (const std::string& name : {std::string(".git/config"), config, std::string("../inside/.git/config"),
                                  std::string("/proc/self/cwd/.git/config"), "/proc/self/root" + config,
                                  std::string(".git/hooks/../config"), std::string(".git/hooks/pre-commit")}) {
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(probe("write " + name) == "EROFS");
      BOOST_TEST(probe("truncate " + name) == "EROFS");
      BOOST_TEST(probe("chmod " + name) == "EROFS");
    }
  }
  BOOST_TEST(probe("create .git/hooks/post-commit") == "EROFS");
  BOOST_TEST(probe("unlink .git/hooks/pre-commit") == "EROFS");
  check_untouched();
}

BOOST_FIXTURE_TEST_CASE(a_protected_name_cannot_be_moved_removed_or_replaced, Fixture) {
  scratch.file("inside/other", "other\n");
  folder("inside/empty");
  for (const char* call :
       {"unlink .git/config", "rename .git/config away", "rename other .git/config", "exchange other .git/config",
        "rename .git/hooks away", "rename empty .git/hooks", "exchange empty .git/hooks", "rmdir .git/hooks",
        "rename .git away", "exchange .git empty", "rename .git .git2"}) {
    BOOST_TEST_CONTEXT(call) {
      const std::string result = probe(call);
      BOOST_TEST((result == "EBUSY" || result == "EXDEV" || result == "EROFS"), result);
    }
  }
  for (const char* call : {"link .git/config linked", "link .git/hooks/pre-commit linked"}) {
    BOOST_TEST(probe(call) == "EXDEV");
  }
  BOOST_TEST(run("rm -rf .git").is_error());
  check_untouched();
}

BOOST_FIXTURE_TEST_CASE(no_folder_above_a_protected_name_can_be_moved_away, Fixture) {
  // In this sandbox, the write root is itself inside another write root.
  const ToolUnderTest wide(plugin, sandbox({{"write", {scratch.path(), inside}}, {"protect", names}}));
  for (const std::string& call : {"rename " + inside + " " + outside + "/away", "rename .git " + outside + "/away"}) {
    BOOST_TEST_CONTEXT(call) {
      const std::string result = Sandboxed::probe(wide, call);
      BOOST_TEST((result == "EBUSY" || result == "EXDEV"), result);
    }
  }
  BOOST_TEST(run(wide, "echo x > ../outside/made").exit_code() == 0);
  check_untouched();
}

BOOST_FIXTURE_TEST_CASE(files_beside_a_protected_name_may_be_changed, Fixture) {
  const Answer answer =
      run("echo new > .git/HEAD.lock && mv .git/HEAD.lock .git/HEAD && mkdir .git/objects && "
          "echo x > file && mv file renamed && cat .git/config && .git/hooks/pre-commit");
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(answer.exit_code() == 0);
    BOOST_TEST(answer.out() == "[core]\n");
    BOOST_TEST(changed(answer).empty());
  }
  BOOST_TEST(content(head) == "new\n");
}

BOOST_FIXTURE_TEST_CASE(a_command_that_starts_in_a_protected_folder_cannot_change_it, Fixture) {
  const Answer answer =
      tool.run({{"command", "/bin/pwd; touch made; touch ../made"}, {"working_directory", inside + "/.git/hooks"}});
  BOOST_TEST_CONTEXT(answer.raw) { BOOST_TEST(answer.out() == inside + "/.git/hooks\n"); }
  BOOST_TEST(std::filesystem::exists(inside + "/.git/made"));
  check_untouched();
}

BOOST_FIXTURE_TEST_CASE(a_refused_change_is_the_hint_of_the_error, Fixture) {
  for (const std::string& command : {std::string("echo x > .git/config"), "rm " + config, std::string("mv .git away"),
                                     std::string("cp /bin/sh .git/config"), std::string("ln .git/config linked")}) {
    const Answer answer = run(command);
    BOOST_TEST_CONTEXT(answer.raw) {
      BOOST_TEST(answer.metadata().at("error").at("hint").get<std::string>().starts_with(
          "the sandbox refused a change of the protected name " + config));
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_name_that_did_not_exist_is_reported_when_it_is_made, Fixture) {
  BOOST_TEST(changed(run("true")).empty());
  const Answer answer = run("echo evil > .bashrc");
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(!answer.is_error());
    BOOST_TEST(changed(answer) == std::vector<std::string>{inside + "/.bashrc"}, boost::test_tools::per_element());
  }
  // Now that the file exists, it is protected like any other protected name.
  BOOST_TEST(probe("write .bashrc") == "EROFS");
}

BOOST_FIXTURE_TEST_CASE(what_pagers_shells_and_editors_read_is_among_the_default_names, Fixture) {
  const ToolUnderTest by_default(plugin, sandbox({{"protect", "default"}}));
  for (const char* name : {".lesskey", ".mkshrc", ".selected_editor", ".zshrc.zwc"}) {
    const Answer answer = Sandboxed::run(by_default, "echo evil > " + std::string(name));
    BOOST_TEST_CONTEXT(answer.raw) {
      BOOST_TEST(changed(answer) == std::vector<std::string>{inside + '/' + name}, boost::test_tools::per_element());
    }
  }
}

BOOST_FIXTURE_TEST_CASE(the_tools_own_output_file_below_a_protected_name_is_not_a_change_of_the_commands, Fixture) {
  Json sections = sandbox({{"protect", {".wtool"}}});
  sections["output"] = {{"spill", "always"}, {"directory", inside + "/.wtool/output"}};
  const ToolUnderTest spilling(plugin, sections);
  const Answer first = run(spilling, "echo hi");
  BOOST_TEST(first.metadata().at("output_file").get<std::string>().starts_with(inside + "/.wtool/output/"));
  BOOST_TEST(!first.metadata().contains("protected_changed"), first.raw);
  std::filesystem::remove_all(inside + "/.wtool");
  const Answer second = run(spilling, "mkdir .wtool && echo hi > .wtool/made");
  BOOST_TEST((second.metadata().at("protected_changed") == Json::array({inside + "/.wtool/made"})), second.raw);
}

BOOST_FIXTURE_TEST_CASE(however_much_a_command_makes_the_result_names_what_matters, Fixture) {
  const ToolUnderTest wide(plugin, sandbox({{"protect", {".idea", ".vscode", ".zshrc"}}}));
  const Answer answer =
      run(wide,
          "mkdir .idea .vscode && (cd .idea && seq 300 | xargs touch) && (cd .vscode && seq 300 | xargs touch); "
          "echo evil > .zshrc");
  const std::vector<std::string> named = changed(answer);
  BOOST_TEST(named.size() == 13U, answer.raw);
  for (const char* name : {"/.idea", "/.vscode", "/.zshrc"}) BOOST_TEST(has(named, inside + name), answer.raw);
  BOOST_TEST(answer.metadata().at("protected_changed_count").get<int>() == 603, answer.raw);
}

BOOST_FIXTURE_TEST_CASE(what_a_protected_link_leads_to_is_held_and_the_link_is_watched, Fixture) {
  const std::string dot = scratch.file("inside/dot/bashrc", "plain\n");
  BOOST_REQUIRE(symlink("dot/bashrc", (inside + "/.bashrc").c_str()) == 0);
  BOOST_TEST(probe("write .bashrc") == "EROFS");
  BOOST_TEST(probe("write " + dot) == "EROFS");
  BOOST_TEST(probe("rename dot away") == "EBUSY");
  const Answer answer = run("rm .bashrc && echo evil > .bashrc");
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(has(changed(answer), inside + "/.bashrc"));
    BOOST_TEST(texts(answer.metadata(), "not_enforced").size() == 1U);
    BOOST_TEST(!has(texts(answer.metadata(), "enforced"), "protected_names"));
  }
}

BOOST_FIXTURE_TEST_CASE(a_link_in_place_of_a_protected_name_is_refused_where_protection_is_required, Fixture) {
  const ToolUnderTest strict(plugin, sandbox({{"protect", names}, {"required", true}}));
  BOOST_TEST(run(strict, "true").exit_code() == 0);
  BOOST_REQUIRE(symlink("elsewhere", (inside + "/.bashrc").c_str()) == 0);
  const Answer answer = run(strict, "touch ran");
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(answer.code() == "policy_denied");
    BOOST_TEST(answer.text().find(inside + "/.bashrc") != std::string::npos);
    BOOST_TEST(!std::filesystem::exists(inside + "/ran"));
  }
}

BOOST_FIXTURE_TEST_CASE(the_mounts_of_the_host_stay_as_they_are, Fixture) {
  const std::string before = content("/proc/self/mountinfo");
  BOOST_TEST(run("grep -c ' " + inside + "' /proc/self/mountinfo").out() == "4\n");
  BOOST_TEST(content("/proc/self/mountinfo") == before);
}

BOOST_FIXTURE_TEST_CASE(a_protected_command_keeps_its_user_and_gains_no_rights, Fixture) {
  const std::string user = std::to_string(geteuid()) + " " + std::to_string(getegid()) + "\n";
  BOOST_TEST(run("echo $(id -u) $(id -g)").out() == user);
  BOOST_TEST(run("touch made").exit_code() == 0);
  struct stat made {};
  BOOST_REQUIRE(stat((inside + "/made").c_str(), &made) == 0);
  BOOST_TEST(made.st_uid == geteuid());
  BOOST_TEST(probe("unmount .git/config") == "EPERM");
  BOOST_TEST(probe("remount .git/config") == "EPERM");
  BOOST_TEST(probe("unshare-user") == "EPERM");
}

BOOST_FIXTURE_TEST_CASE(what_a_protected_command_leaves_in_the_background_is_ended, Fixture) {
  const Answer answer = run("setsid sleep 600 & echo $!");
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(answer.metadata().at("background_processes_ended").get<int>() >= 1);
    BOOST_TEST(!exists(std::stoi(answer.out())));
  }
}

// A sandbox inside another sandbox gets no namespaces, as on a machine without them.
BOOST_FIXTURE_TEST_CASE(without_namespaces_changes_are_reported_or_the_call_refused, Fixture) {
  const auto call_within = [&](bool required, const std::string& command) {
    const Json inner = sandbox({{"protect", names}, {"required", required}});
    const std::string file = scratch.file(required ? "inside/strict.json" : "inside/lax.json", inner.dump());
    const std::string arguments = scratch.file("inside/arguments.json", Json{{"command", command}}.dump());
    const ToolUnderTest outer(plugin, sandbox());
    const Answer answer = run(outer, WTOOL_TEST_PROGRAM " --config " + file + " call shell_execute @" + arguments);
    BOOST_TEST_MESSAGE(answer.raw);
    const std::string warning = "the sandbox is not enforced as configured";
    const std::size_t first = answer.err().find(warning);
    BOOST_TEST((first == std::string::npos) == required);
    BOOST_TEST((first == answer.err().rfind(warning)));  // the warning is given once
    return Json::parse(answer.out()).at("metadata");
  };
  const Json refused = call_within(true, "echo changed > .git/config");
  BOOST_TEST(refused.at("error").at("code").get<std::string>() == "policy_denied");
  BOOST_TEST(refused.at("error").at("message").get<std::string>().find("protected_names") != std::string::npos);
  check_untouched();
  const Json changed_names = call_within(false, "echo changed > .git/config; rm .git/hooks/pre-commit");
  BOOST_TEST(changed_names.at("exit_code").get<int>() == 0);
  BOOST_TEST(texts(changed_names, "not_enforced").size() == 1U);
  const auto paths = changed_names.at("protected_changed").get<std::vector<std::string>>();
  BOOST_TEST(has(paths, config));
  BOOST_TEST(has(paths, hook));
}

BOOST_FIXTURE_TEST_CASE(a_repository_that_the_commands_of_one_tool_have_made_is_theirs_for_another, Fixture) {
  const std::string make =
      "mkdir -p made/.git/hooks made/.git/objects made/.git/refs && echo 'ref: refs/heads/main' >made/.git/HEAD && "
      "echo '[core]' >made/.git/config";
  const std::string change = "echo changed >>made/.git/config && echo done";
  const Json rules = sandbox({{"protect", {"repositories"}}});
  const ToolUnderTest one(plugin, rules);
  const ToolUnderTest other(plugin, rules);
  BOOST_TEST(run(one, make).exit_code() == 0);
  BOOST_TEST(run(one, change).out() == "done\n");
  BOOST_TEST(run(other, change).out() == "done\n");
  // To a tool with other rules, the repository is not one that its commands made.
  Json looser = rules;
  looser["sandbox"]["ipc"] = "allow";
  BOOST_TEST(run(ToolUnderTest(plugin, looser), change).out() == "");
}

BOOST_FIXTURE_TEST_CASE(files_in_force_are_held_whatever_they_are_called, Fixture) {
  for (const char* name : {"policy.json", "conf/tools.json", "log.jsonl"})
    scratch.file("inside/" + std::string(name), "");
  Json all = sandbox({{"protect", names}});
  all["in_force"]["configuration"] = {inside + "/policy.json"};
  all["sessions"]["tools_allow"] = inside + "/conf/tools.json";
  all["commands"]["approvals"] = inside + "/conf/approvals.json";
  all["audit"]["file"] = inside + "/log.jsonl";
  const ToolUnderTest strict(plugin, all);
  for (const char* name : {"policy.json", "conf/tools.json", "log.jsonl"}) {
    BOOST_TEST(Sandboxed::probe(strict, std::string("write ") + name) == "EROFS", name);
  }
  const Answer moved = run(strict, "mv conf other; touch conf/approvals.json");
  BOOST_TEST(std::filesystem::exists(inside + "/conf/tools.json"));
  BOOST_TEST(changed(moved) == std::vector<std::string>{inside + "/conf/approvals.json"},
             boost::test_tools::per_element());
  BOOST_TEST(!content(inside + "/log.jsonl").empty());
  // If no names are protected, these files can be written.
  Json none = all;
  none["sandbox"]["protect"] = "none";
  BOOST_TEST(Sandboxed::probe(ToolUnderTest(plugin, none), "write policy.json") == "ok");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
