// The policy of a fleet, /etc/wtool, applies to the program and to every host, wherever the user's own files are. A
// policy that users other than root could have written refuses everything.
//
// Each case has its own root folder, in which /etc/wtool is what the case says and everything else is as before. This
// needs a mount namespace; if this user may not make one, the cases are skipped.
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "support/shell_tool.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(fleet_policy_test)

using namespace wtool::test;

namespace {

const std::string host = WTOOL_TEST_HOSTS "/fleet_host";
const std::string program = WTOOL_TEST_PROGRAM;

bool is_root() { return geteuid() == 0; }

std::vector<std::string> in_namespaces(const std::vector<std::string>& words) {
  std::vector<std::string> all{"/usr/bin/env", "unshare", "--mount"};
  // In the namespace, files that this user makes belong to root.
  if (!is_root()) all.insert(all.end(), {"-U", "--map-root-user"});
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

boost::test_tools::assertion_result has_mounts(boost::unit_test::test_unit_id) {
  const bool allowed = run(in_namespaces({"mount", "-t", "tmpfs", "none", "/mnt"})).exit_code == 0;
  boost::test_tools::assertion_result result(allowed);
  result.message() << "this user may make no mount namespace: nothing is tested";
  return result;
}

// $1: an empty folder; $2: commands that make the folder `wtool` in a new /etc; the rest: the program and its
// arguments.
const std::string in_new_root = R"(
set -e; umask 022
new=$1; policy=$2; shift 2
mount -t tmpfs -o mode=755 none "$new"
for old in /*; do
  name=${old#/}
  if [ -L "$old" ]; then cp -P "$old" "$new/"
  elif [ "$name" != etc ] && [ -d "$old" ]; then mkdir "$new/$name"; mount --rbind "$old" "$new/$name"; fi
done
mkdir "$new/etc" "$new/.etc"; mount --rbind /etc "$new/.etc"
(cd /etc; printf '/.etc/%s\0' *) | xargs -0 ln -s -t "$new/etc"; rm -f "$new/etc/wtool"
(cd "$new/etc"; eval "$policy")
PATH=$PATH:/usr/sbin:/sbin  # which an ordinary user's PATH may lack
exec chroot "$new" "$@"
)";

struct Fleet {
  ScratchFolder scratch;
  ScratchFolder root;
  std::string policy;  // commands of sh that run in the new /etc

  // Runs the words in the new root. The user's files are where `set` says.
  Finished in_fleet(const std::vector<std::string>& words, std::map<std::string, std::string> set = {}) const {
    set.try_emplace("HOME", scratch.path());
    set.try_emplace("XDG_CONFIG_HOME", scratch.path() + "/config");
    std::vector<std::string> argv{"sh",   "-c",           in_new_root, "sh",          root.path(),
                                  policy, "/usr/bin/env", "-C",        scratch.path()};
    argv.insert(argv.end(), words.begin(), words.end());
    return run(in_namespaces(argv), {.set = std::move(set)});
  }
  Finished wtool(std::vector<std::string> words, const std::map<std::string, std::string>& set = {}) const {
    words.insert(words.begin(), program);
    return in_fleet(words, set);
  }
  Finished embedded(const std::string& configuration, const std::string& command) const {
    return in_fleet({host, configuration, command});
  }
};

// Commands that make a policy whose file wtool.yaml has this text.
std::string with(const std::string& yaml) { return "mkdir wtool; printf '%s' '" + yaml + "' > wtool/wtool.yaml"; }

const std::string deny_ls = "commands: {deny: [ls]}\nlimits: {timeout_max: 60}\nlock: [commands.deny, limits]\n";
const std::string call_ls = R"({"command": "ls /"})";

}  // namespace

BOOST_AUTO_TEST_SUITE(fleet_policy, *boost::unit_test::precondition(has_mounts))

BOOST_FIXTURE_TEST_CASE(its_locks_hold_for_the_program_wherever_the_users_files_are, Fleet) {
  policy = with(deny_ls);
  scratch.file("wtool.yaml", "commands: {deny: []}\n");
  scratch.file("loose.yaml", "limits: {timeout_max: 1800}\n");
  const std::map<std::string, std::string> elsewhere{{"HOME", "/nowhere"}, {"XDG_CONFIG_HOME", "/nowhere/else"}};
  for (const auto& set : {std::map<std::string, std::string>{}, elsewhere}) {
    const Finished refused = wtool({"call", "shell_execute", call_ls}, set);
    BOOST_TEST(refused.exit_code == 1, refused.out << refused.err);
    BOOST_TEST(holds(refused.out, "deny"), refused.out);
    const Finished loosened = wtool({"--config", "loose.yaml", "call", "shell_execute", call_ls}, set);
    BOOST_TEST(loosened.exit_code == 2);
    BOOST_TEST(
        holds(loosened.err, "limits.timeout_max is locked by /etc/wtool/wtool.yaml:3:23, which allows at most 60"),
        loosened.err);
  }
}

BOOST_FIXTURE_TEST_CASE(its_locks_hold_for_a_host_that_embeds_the_plugin, Fleet) {
  policy = with(deny_ls);
  const Finished nothing_given = embedded("{}", "ls /");
  BOOST_TEST_REQUIRE(nothing_given.exit_code == 0, nothing_given.out << nothing_given.err);
  BOOST_TEST(Json::parse(nothing_given.out).at("is_error") == true, nothing_given.out);
  const Finished emptied = embedded(R"({"commands": {"deny": []}})", "ls /");
  BOOST_TEST(Json::parse(emptied.out).at("is_error") == true, emptied.out);
  const Finished other = embedded(R"({"limits": {"timeout_max": 30}})", "echo allowed");
  BOOST_TEST(Json::parse(other.out).at("is_error") == false, other.out);
  const Finished loosened = embedded(R"({"limits": {"timeout_max": 61}})", "echo allowed");
  BOOST_TEST(loosened.exit_code == 3);
  BOOST_TEST(holds(loosened.out,
                   "the configuration of the host: limits.timeout_max is locked by "
                   "/etc/wtool/wtool.yaml:3:23, which allows at most 60, but this is 61"),
             loosened.out);
}

BOOST_FIXTURE_TEST_CASE(other_files_change_what_it_does_not_lock, Fleet) {
  policy = with("limits: {timeout_max: 60}\n");
  const Finished call = embedded(R"({"limits": {"timeout_max": 90}})", "echo allowed");
  BOOST_TEST(Json::parse(call.out).at("is_error") == false, call.out);
  scratch.file("wtool.yaml", "limits: {timeout_max: 90}\n");
  BOOST_TEST(holds(wtool({"config", "show"}).out, "timeout_max: 90"));
}

BOOST_FIXTURE_TEST_CASE(its_parts_follow_in_the_order_of_their_names, Fleet) {
  policy =
      "mkdir -p wtool/wtool.d; echo 'limits: {processes: 9, open_files: 99}' > wtool/wtool.yaml\n"
      "echo 'limits: {processes: 7}' > wtool/wtool.d/20-b.yaml\n"
      "echo 'limits: {processes: 8, cpu_seconds: 5}' > wtool/wtool.d/10-a.yaml\n"
      "echo 'lock: [limits.processes]' > wtool/wtool.d/30-c.yaml\n"
      "echo 'this is no policy: [' > wtool/wtool.d/README\n";
  const Finished shown = wtool({"config", "show", "--json"});
  BOOST_TEST_REQUIRE(shown.exit_code == 0, shown.err);
  const Json keys = Json::parse(shown.out).at("keys");
  BOOST_TEST(keys.at("limits.processes").at("value") == 7);
  BOOST_TEST(keys.at("limits.processes").at("layer") == "fleet");
  BOOST_TEST(keys.at("limits.processes").at("place") == "/etc/wtool/wtool.d/20-b.yaml:1:21");
  BOOST_TEST(keys.at("limits.processes").at("locked_by") == "/etc/wtool/wtool.d/30-c.yaml:1:8");
  BOOST_TEST(keys.at("limits.cpu_seconds").at("value") == 5);
  BOOST_TEST(keys.at("limits.open_files").at("value") == 99);
}

BOOST_FIXTURE_TEST_CASE(the_doctor_names_it_and_what_it_locks, Fleet) {
  policy = with(deny_ls);
  const Finished seen = wtool({"doctor"});
  BOOST_TEST(holds(seen.out, "fleet: /etc/wtool/wtool.yaml; it locks commands.deny, limits.timeout_default"), seen.out);
}

BOOST_FIXTURE_TEST_CASE(a_server_over_mcp_keeps_to_it_where_its_own_defaults_would_not, Fleet) {
  policy = with("lock: [shell, environment]\n");
  const Finished served = wtool({"mcp", "--root", scratch.path(), "--policy", "project"}, {{"HOME", "/nowhere"}});
  BOOST_TEST(served.exit_code == 0, served.err);
}

// Each row has what is in the place of the policy, and a part of the reason why everything is refused.
BOOST_FIXTURE_TEST_CASE(a_policy_that_cannot_be_trusted_or_read_refuses_everything, Fleet) {
  const std::string good = with("limits: {timeout_max: 60}\n");
  const std::string file = "/etc/wtool/wtool.yaml";
  struct Row {
    std::string policy, reason;
  };
  std::vector<Row> rows{
      {good + "; chmod g+w wtool/wtool.yaml",
       file + " can be written by users other than root (chmod go-w " + file + ")"},
      {good + "; chmod o+w wtool/wtool.yaml", file + " can be written by users other than root"},
      {good + "; chmod 777 wtool", "/etc/wtool can be written by users other than root (chmod go-w /etc/wtool)"},
      {good + "; chmod 777 .", "/etc can be written by users other than root"},
      {good + "; chmod 777 ..", "/ can be written by users other than root"},
      {good + "; mv wtool/wtool.yaml x; ln -s ../x wtool/wtool.yaml", file + " is a symbolic link"},
      {good + "; mv wtool x; ln -s x wtool", "/etc/wtool is a symbolic link"},
      {"ln -s /nowhere wtool", "/etc/wtool is a symbolic link"},
      {"touch wtool", "/etc/wtool is not a folder"},
      {"mkdir wtool; mkfifo wtool/wtool.yaml", file + " is not a regular file"},
      {"mkdir -p wtool/wtool.yaml", file + " is not a regular file"},
      {"mkdir wtool; head -c 1048577 /dev/zero > wtool/wtool.yaml", file + " has more than 1048576 bytes"},
      {with("limits: {"), file + ":1:9: this is not YAML"},
      {with("limit: {timeout_max: 5}"), file + ":1:1: unknown key limit"},
      {with("lock: [output.directory]"), file + ":1:8: the lock on output.directory has no effect"},
      {good + "; touch wtool/wtool.d", "/etc/wtool/wtool.d is not a folder"},
      {good + "; mkdir -m 777 wtool/wtool.d", "/etc/wtool/wtool.d can be written by users other than root"},
      {good + "; mkdir wtool/wtool.d; mkfifo wtool/wtool.d/a.yaml", "/etc/wtool/wtool.d/a.yaml is not a regular file"},
      {good + "; mkdir wtool/wtool.d; touch wtool/wtool.d/a.yml", "/etc/wtool/wtool.d/a.yml would be ignored"},
      {"mkdir wtool; touch wtool/wtool.yml", "/etc/wtool/wtool.yml would be ignored"},
      {good + "; mkdir wtool/wtool.d; echo 'limits: {timeout_max: 5}' > wtool/wtool.d/a.yaml;"
              "echo 'lock: [limits]' > wtool/wtool.d/b.yaml; echo 'limits: {timeout_max: 6}' > wtool/wtool.d/c.yaml",
       "/etc/wtool/wtool.d/c.yaml:1:23: limits.timeout_max is locked by /etc/wtool/wtool.d/b.yaml:1:8"},
  };
  if (is_root()) {
    rows.push_back({good + "; chown 12345 wtool/wtool.yaml",
                    file + " belongs to user 12345, but must belong to root (chown root " + file + ")"});
    rows.push_back({good + "; chown 12345 wtool", "/etc/wtool belongs to user 12345"});
    rows.push_back({"mkdir wtool; mknod wtool/wtool.yaml c 1 5", file + " is not a regular file"});
  }
  for (const Row& row : rows) {
    policy = row.policy;
    const std::string expected = "the fleet policy cannot be used, so nothing is run: " + row.reason;
    const Finished called = wtool({"call", "shell_execute", R"({"command": "echo ran"})"});
    BOOST_TEST(called.exit_code == 2, row.policy << "\n" << called.out << called.err);
    BOOST_TEST(holds(called.err, expected), row.policy << "\n" << called.err);
    const Finished hosted = embedded("{}", "echo ran");
    BOOST_TEST(hosted.exit_code == 3, row.policy << "\n" << hosted.out);
    BOOST_TEST(holds(hosted.out, expected), row.policy << "\n" << hosted.out);
  }
}

// The check reads a file in the place of the present policy, so it must find what would stop everything once the file is
// moved there, and nothing else.
BOOST_FIXTURE_TEST_CASE(a_file_is_checked_before_it_becomes_the_policy, Fleet) {
  const std::string file = "/etc/wtool/new";
  const auto checked = [&](const std::string& yaml, const std::string& more = {}) {
    policy = with("limits: {timeout_max: 60}\nlock: [limits]\n") + "; printf '%s' '" + yaml + "' > wtool/new" + more;
    return wtool({"config", "check", "--fleet", file});
  };
  const Finished raised = checked("limits: {timeout_max: 90}\nlock: [limits]\n");
  BOOST_TEST(raised.exit_code == 0, raised.err);
  BOOST_TEST(raised.out == file + " can become /etc/wtool/wtool.yaml\n");
  const std::string part = "; mkdir wtool/wtool.d; echo 'limits: {processes: 9}' > wtool/wtool.d/10.yaml";
  const Finished with_part = checked("limits: {processes: 9}\nlock: [limits]\n", part);
  BOOST_TEST(with_part.exit_code == 0, with_part.err);
  BOOST_TEST(holds(with_part.out, "read together with /etc/wtool/wtool.d/10.yaml"), with_part.out);
  struct Row {
    std::string yaml, more, reason;
  };
  const std::string good = "limits: {processes: 9}\n";
  for (const Row& row : std::vector<Row>{
           {"lock: [output.directory]", "", file + ":1:8: the lock on output.directory has no effect"},
           {"limits: {processes: 8}\nlock: [limits]\n", part,
            "/etc/wtool/wtool.d/10.yaml:1:21: limits.processes is locked by " + file + ":2:8"},
           {"limit: 1", "", file + ":1:1: unknown key limit"},
           {good, "; chmod 600 wtool/new", file + " cannot be read by every user (chmod a+rX " + file + ")"},
           {good, "; chmod g+w wtool/new", file + " can be written by users other than root"},
           {good, "; chmod 700 wtool", "/etc/wtool cannot be read by every user"},
           {good, part + "; chmod 711 wtool/wtool.d", "/etc/wtool/wtool.d cannot be read by every user"},
           {good, part + "; chmod 640 wtool/wtool.d/10.yaml", "/etc/wtool/wtool.d/10.yaml cannot be read by every"},
           {good, "; mv wtool/new x; ln -s ../x wtool/new", file + " is a symbolic link"},
           {good, "; touch wtool/wtool.yml", "/etc/wtool/wtool.yml would be ignored"}}) {
    const Finished refused = checked(row.yaml, row.more);
    BOOST_TEST(refused.exit_code == 1, row.yaml << row.more << refused.out << refused.err);
    BOOST_TEST(holds(refused.err, row.reason), row.yaml << row.more << refused.err);
    BOOST_TEST(holds(refused.err, "As /etc/wtool/wtool.yaml, this file would stop every call"), refused.err);
  }
  policy = "true";  // no policy yet
  scratch.file("first.yaml", "limit: {}\n");
  BOOST_TEST(wtool({"config", "check", "--fleet", "first.yaml"}).exit_code == 1);
  BOOST_TEST(wtool({"config", "check", "--fleet", "missing.yaml"}).exit_code == 2);
  BOOST_TEST(wtool({"config", "check"}).exit_code == 2);
}

BOOST_FIXTURE_TEST_CASE(a_policy_that_this_user_may_not_read_refuses_everything, Fleet) {
  if (!is_root()) {
    BOOST_TEST_MESSAGE("needs root, to become another user: nothing is tested");
    return;
  }
  policy = with("limits: {timeout_max: 60}\n") + "; chmod 600 wtool/wtool.yaml";
  const Finished hosted =
      in_fleet({"setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", host, "{}", "echo ran"});
  BOOST_TEST(holds(hosted.out,
                   "/etc/wtool/wtool.yaml cannot be opened: Permission denied (every user must be able to read "
                   "it: chmod a+rX /etc/wtool/wtool.yaml)"),
             hosted.out << hosted.err);
}

BOOST_FIXTURE_TEST_CASE(without_the_folder_nothing_above_it_matters, Fleet) {
  policy = "chmod 777 .";
  const Finished hosted = embedded("{}", "echo ran");
  BOOST_TEST(hosted.exit_code == 0, hosted.out << hosted.err);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
