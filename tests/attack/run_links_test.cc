// A command of a workflow puts symbolic links in place of the files that `wtool run` writes. Nothing at the other end
// of a link is written or removed, and the run names the link.
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "behaviour/workflow_place.h"

BOOST_AUTO_TEST_SUITE(run_links_test)

using namespace wtool::test;
namespace fs = std::filesystem;

namespace {

struct Links : Place {
  const std::string outside = make("outside");
  const std::string kept = scratch.file("outside/kept", "as it was\n");

  std::string make(const std::string& name) const {
    fs::create_directories(scratch.path() + "/" + name);
    return scratch.path() + "/" + name;
  }
  // Runs a workflow of one step, whose command first makes the attack and then writes some output.
  Finished run_with(const std::string& command, const std::vector<std::string>& more) const {
    scratch.file("attack.sh", command + "\necho payload\n");
    return run_workflow(workflow("    [*] --> A\n    A --> [*]\n", "- A: Shell \"sh attack.sh\"\n"), more);
  }
  void check_outside() const {
    BOOST_TEST(content_of(kept) == "as it was\n");
    BOOST_TEST(std::distance(fs::directory_iterator(outside), fs::directory_iterator()) == 1);
  }
  static void check_told(const Finished& finished, const std::string& link) {
    BOOST_TEST(holds(finished.err, link + " is a symbolic link"), finished.out << finished.err);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_report_is_not_written_through_a_link, Links) {
  for (const char* option : {"--html", "--junit"}) {
    check_told(run_with("ln -sf outside/kept page", {option, "page"}), "page");
    check_told(run_with("ln -sfn outside folder", {option, "folder/page"}), "folder");
    check_outside();
    fs::remove(scratch.path() + "/page");
    fs::remove(scratch.path() + "/folder");
    const Finished honest = run_with("mkdir -p made", {option, "made/page"});
    BOOST_TEST(honest.exit_code == 0, honest.err);
    BOOST_TEST(!file("made/page").empty());
  }
  BOOST_TEST(run_with("true", {"--html", "/dev/stdout"}).exit_code == 0);
}

// For example, the user's home folder may be such a link.
BOOST_FIXTURE_TEST_CASE(a_link_of_the_user_in_the_path_is_followed_as_it_was_at_the_start, Links) {
  const ScratchFolder user;
  fs::create_directories(user.path() + "/real/reports");
  fs::create_directory_symlink("real", user.path() + "/home");
  const std::string turn = "ln -sfn " + outside + " " + user.path() + "/home";
  for (const char* option : {"--html", "--junit", "--events"}) {
    const Finished finished = run_with(turn, {option, user.path() + "/home/reports/page"});
    BOOST_TEST(finished.exit_code == 0, finished.err);
    BOOST_TEST(!content_of(user.path() + "/real/reports/page").empty());
    fs::remove(user.path() + "/real/reports/page");
    check_outside();
    fs::remove(user.path() + "/home");
    fs::create_directory_symlink("real", user.path() + "/home");
  }
  // In a folder that others may write to, a link may be anybody's.
  fs::permissions(user.path(), fs::perms::all);
  check_told(run_with("true", {"--html", user.path() + "/home/page"}), user.path() + "/home");
}

BOOST_FIXTURE_TEST_CASE(a_folder_that_is_a_link_of_an_earlier_run_leads_nowhere, Links) {
  BOOST_TEST(run_with("ln -s outside folder", {}).exit_code == 0);
  for (const char* option : {"--html", "--junit", "--events"}) {
    check_told(run_with("true", {option, "folder/page"}), "folder");
    check_told(run_with("true", {option, scratch.path() + "/folder/page"}), "folder");
    check_outside();
  }
}

BOOST_FIXTURE_TEST_CASE(events_are_not_written_through_a_link_of_an_earlier_run, Links) {
  BOOST_TEST(run_with("ln -s outside/kept events", {}).exit_code == 0);
  const Finished next = run_with("true", {"--events", "events"});
  BOOST_TEST(next.exit_code == 2);
  check_told(next, "events");
  check_outside();
}

BOOST_FIXTURE_TEST_CASE(journals_are_not_written_through_a_link_of_an_earlier_run, Links) {
  run_with("rm -rf .wtool; ln -s outside .wtool", {});
  // A run that cannot have a journal continues without one.
  check_told(run_with("true", {}), ".wtool");
  check_outside();
}

BOOST_FIXTURE_TEST_CASE(outputs_are_not_written_through_a_link, Links) {
  // Puts a link in place of this run's folder of outputs before the folder exists. Its name follows from the journal's
  // name.
  const std::string plant =
      "j=$(echo .wtool/runs/*.jsonl); rm -rf ${j%.jsonl}.outputs; ln -s $PWD/outside ${j%.jsonl}.outputs";
  run_with(plant, {});
  check_outside();
  fs::remove_all(scratch.path() + "/.wtool");
  run_with("mv .wtool/runs away; ln -s $PWD/outside .wtool/runs", {});
  check_outside();
}

BOOST_AUTO_TEST_SUITE_END()
