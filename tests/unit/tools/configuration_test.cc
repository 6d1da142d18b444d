// configuration/configuration.h: every key has its rule, and what is not a key is an error.
#include "configuration/configuration.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>

namespace configuration_test {

namespace {

std::string problem(std::string_view json) {
  std::string error;
  wtool::parse_configuration(json, error);
  return error;
}

// A policy of one file.
wtool::FleetPolicy policy_of(const std::string& yaml) {
  wtool::Layer layer{.title = "fleet", .file = "/etc/wtool/wtool.yaml", .folder = "/etc/wtool", .base = ""};
  wtool::ConfigDiagnostics mistakes;
  wtool::parse_layer(yaml, layer, mistakes);
  BOOST_REQUIRE_MESSAGE(mistakes.empty(), mistakes.text());
  std::string error;
  auto policy = wtool::fleet_policy({layer}, error);
  BOOST_REQUIRE_MESSAGE(policy, error);
  return *policy;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(configuration)

BOOST_AUTO_TEST_CASE(nothing_means_the_defaults) {
  std::string error;
  for (const char* json : {"", "{}", R"({"limits":{}})"}) {
    const auto configuration = wtool::parse_configuration(json, error);
    BOOST_REQUIRE(configuration);
    BOOST_TEST(configuration->shell == "/bin/sh");
    BOOST_TEST(configuration->timeout_default.count() == 300);
    BOOST_TEST(configuration->timeout_max.count() == 1800);
    BOOST_TEST(configuration->grace.count() == 2000);
    BOOST_TEST(configuration->output_bytes == 1024U * 1024U);
  }
}

BOOST_AUTO_TEST_CASE(values_are_taken) {
  std::string error;
  const auto configuration = wtool::parse_configuration(
      R"({"shell":{"program":"/bin/bash","direct_exec":false},
          "limits":{"timeout_max":10,"timeout_default":5,"grace_seconds":0.25},"output":{"bytes":4096}})",
      error);
  BOOST_REQUIRE(configuration);
  BOOST_TEST(configuration->shell == "/bin/bash");
  BOOST_TEST(!configuration->direct_exec);
  BOOST_TEST(configuration->timeout_max.count() == 10);
  BOOST_TEST(configuration->timeout_default.count() == 5);
  BOOST_TEST(configuration->grace.count() == 250);
  BOOST_TEST(configuration->output_bytes == 4096U);
}

BOOST_AUTO_TEST_CASE(limits_spill_and_sandbox_are_taken) {
  std::string error;
  const auto configuration = wtool::parse_configuration(
      R"({"limits":{"cpu_seconds":1,"memory_bytes":1048576,"processes":3,"open_files":16,"file_bytes":5},
          "output":{"spill":"always","directory":"/tmp/x","max_bytes":1048576},
          "sandbox":{"read":["/usr"],"write":["/tmp"],"protect":["a/b"],"network":"deny","ipc":"allow","required":true}})",
      error);
  BOOST_REQUIRE_MESSAGE(configuration, error);
  BOOST_TEST(configuration->limits.cpu_seconds == 1U);
  BOOST_TEST(configuration->limits.memory_bytes == 1048576U);
  BOOST_TEST(configuration->limits.processes == 3U);
  BOOST_TEST(configuration->limits.open_files == 16U);
  BOOST_TEST(configuration->limits.file_bytes == 5U);
  BOOST_TEST((configuration->spill.when == wtool::engine::SpillOptions::When::always));
  BOOST_TEST(configuration->spill.directory == "/tmp/x");
  BOOST_TEST(configuration->spill.max_bytes == 1048576U);
  BOOST_REQUIRE(configuration->sandbox);
  BOOST_TEST(configuration->sandbox->read == std::vector<std::string>{"/usr"}, boost::test_tools::per_element());
  BOOST_TEST(configuration->sandbox->write == std::vector<std::string>{"/tmp"}, boost::test_tools::per_element());
  BOOST_TEST(configuration->sandbox->protect == std::vector<std::string>{"a/b"}, boost::test_tools::per_element());
  BOOST_TEST(!configuration->sandbox->network);
  BOOST_TEST(configuration->sandbox->ipc);
  BOOST_TEST(configuration->sandbox->required);
  BOOST_TEST(configuration->sandbox->put_aside);
  BOOST_TEST(!configuration->sandbox->repositories);
}

BOOST_AUTO_TEST_CASE(the_word_repositories_protects_them_and_put_aside_follows_required) {
  const auto sandbox = [](const char* keys) {
    std::string error;
    const auto configuration = wtool::parse_configuration(R"({"sandbox":{)" + std::string(keys) + "}}", error);
    BOOST_REQUIRE_MESSAGE(configuration, error);
    return *configuration->sandbox;
  };
  BOOST_TEST(sandbox("").repositories);
  BOOST_TEST(!sandbox("").put_aside);
  BOOST_TEST(sandbox(R"("put_aside":true)").put_aside);
  BOOST_TEST(!sandbox(R"("put_aside":false,"required":true)").put_aside);
  BOOST_TEST(!sandbox(R"("protect":"none")").repositories);
  const auto named = sandbox(R"("protect":["x","repositories"])");
  BOOST_TEST(named.repositories);
  BOOST_TEST(named.protect == std::vector<std::string>{"x"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_empty_sandbox_section_is_a_sandbox_that_may_read_all_and_write_nothing) {
  std::string error;
  BOOST_TEST(!wtool::parse_configuration("{}", error)->sandbox);
  const auto configuration = wtool::parse_configuration(R"({"sandbox":{}})", error);
  BOOST_REQUIRE_MESSAGE(configuration, error);
  BOOST_REQUIRE(configuration->sandbox);
  BOOST_TEST(configuration->sandbox->read == std::vector<std::string>{"/"}, boost::test_tools::per_element());
  BOOST_TEST(configuration->sandbox->write.empty());
  BOOST_TEST(!configuration->sandbox->protect.empty());
  BOOST_TEST(configuration->sandbox->network);
  BOOST_TEST(!configuration->sandbox->ipc);
  BOOST_TEST(!configuration->sandbox->required);
}

BOOST_AUTO_TEST_CASE(without_a_policy_everything_is_allowed_and_nothing_is_recorded) {
  std::string error;
  for (const char* json : {"{}", R"({"commands":{},"directories":{},"environment":{},"audit":{}})"}) {
    const auto configuration = wtool::parse_configuration(json, error);
    BOOST_REQUIRE_MESSAGE(configuration, error);
    BOOST_TEST(!configuration->commands.allow);
    BOOST_TEST(configuration->commands.deny.empty());
    BOOST_TEST(configuration->commands.ask.empty());
    BOOST_TEST(configuration->commands.ask_network.empty());
    BOOST_TEST(!configuration->commands.safe_arguments);
    BOOST_TEST(!configuration->commands.ask_unlisted);
    BOOST_TEST(!configuration->commands.path);
    BOOST_TEST(configuration->commands.approvals == "");
    BOOST_TEST(configuration->directories.roots.empty());
    BOOST_TEST(!configuration->directories.confine_arguments);
    BOOST_TEST((configuration->environment.inherit == wtool::policy::EnvironmentRules::Inherit::all));
    BOOST_TEST(configuration->environment.deny.empty());
    BOOST_TEST(configuration->environment.set.empty());
    BOOST_TEST(configuration->audit.file == "");
    BOOST_TEST(!configuration->trail);
  }
}

BOOST_AUTO_TEST_CASE(the_policy_is_taken) {
  using Texts = std::vector<std::string>;
  std::string error;
  const auto configuration = wtool::parse_configuration(
      R"({"commands":{"allow":["ls","git log *","npm test","[","*"],"deny":["git push","rm -rf *","*"],"ask":["npm publish"],
                      "arguments":"safe","unlisted":"ask","path":["/usr/bin"],"approvals":"/home/u/approvals.json"},
          "directories":{"roots":["/work","/tmp"],"confine_arguments":true},
          "environment":{"inherit":"core","deny":["*_TOKEN","*SECRET*","A?"],"set":{"CI":"1","EMPTY":""}},
          "audit":{"file":"/var/log/a.jsonl","sync":"data","output":"captured","when_unwritable":"continue",
                   "max_bytes":0,"keep":7}})",
      error);
  BOOST_REQUIRE_MESSAGE(configuration, error);
  const wtool::policy::CommandRules& commands = configuration->commands;
  BOOST_REQUIRE(commands.allow);
  BOOST_TEST(*commands.allow == (Texts{"ls", "git log *", "npm test", "[", "*"}), boost::test_tools::per_element());
  BOOST_TEST(commands.deny == (Texts{"git push", "rm -rf", "*"}), boost::test_tools::per_element());
  BOOST_TEST(commands.ask == Texts{"npm publish"}, boost::test_tools::per_element());
  BOOST_TEST(commands.safe_arguments);
  BOOST_TEST(commands.ask_unlisted);
  BOOST_REQUIRE(commands.path);
  BOOST_TEST(*commands.path == Texts{"/usr/bin"}, boost::test_tools::per_element());
  BOOST_TEST(commands.approvals == "/home/u/approvals.json");
  BOOST_TEST(configuration->directories.roots == (Texts{"/work", "/tmp"}), boost::test_tools::per_element());
  BOOST_TEST(configuration->directories.confine_arguments);
  const wtool::policy::EnvironmentRules& environment = configuration->environment;
  BOOST_TEST((environment.inherit == wtool::policy::EnvironmentRules::Inherit::core));
  BOOST_TEST(environment.deny == (Texts{"*_TOKEN", "*SECRET*", "A?"}), boost::test_tools::per_element());
  BOOST_TEST((environment.set == wtool::policy::Variables{{"CI", "1"}, {"EMPTY", ""}}));
  const wtool::audit::TrailOptions& audit = configuration->audit;
  BOOST_TEST(audit.file == "/var/log/a.jsonl");
  BOOST_TEST(audit.sync_data);
  BOOST_TEST(audit.output);
  BOOST_TEST(audit.continue_when_unwritable);
  BOOST_TEST(audit.max_bytes == 0U);
  BOOST_TEST(audit.keep == 7U);
}

BOOST_AUTO_TEST_CASE(an_empty_allow_list_counts_and_the_usual_path_can_be_named) {
  std::string error;
  const auto configuration = wtool::parse_configuration(R"({"commands":{"allow":[],"path":"default"}})", error);
  BOOST_REQUIRE_MESSAGE(configuration, error);
  BOOST_REQUIRE(configuration->commands.allow);
  BOOST_TEST(configuration->commands.allow->empty());
  BOOST_TEST(!configuration->commands.path);
}

BOOST_AUTO_TEST_CASE(an_entry_is_literal_words_with_one_space_between) {
  for (const char* entry :
       {"",    " ls",   "ls ",   "git  log", "git log  *", "* ls",  "git * log", "git log*", "*.sh",      "a | b",
        "a;b", "a&&b",  "$HOME", "`a`",      "a > b",      "<a",    "(a)",       "'a'",      "\\\"a\\\"", "a\\\\b",
        "a?",  "[a-z]", "~",     "rm ~/x",   "#x",         "a\\nb", "a\\tb",     "a\\u0000", " *"}) {
    for (const char* key : {"allow", "deny", "ask", "ask_network"}) {
      const std::string json = std::string(R"({"commands":{")") + key + R"(":["ls",")" + entry + "\"]}}";
      const std::string wrong = problem(json);
      BOOST_TEST(wrong.find("configuration: commands." + std::string(key) + " is \"") == 0, json << ": " << wrong);
      BOOST_TEST(wrong.find("literal words") != std::string::npos, json << ": " << wrong);
    }
  }
  for (const char* entry : {"a=b", "x{}", "%1", "a~", "C#", "-", "--x=/y:z,w@v+u^", "/usr/bin/ls", "\u00e4"}) {
    BOOST_TEST(problem(std::string(R"({"commands":{"allow":[")") + entry + "\"]}}") == "", entry);
  }
}

BOOST_AUTO_TEST_CASE(the_protected_names_can_be_added_to) {
  std::string error;
  const auto defaults = wtool::parse_configuration(R"({"sandbox":{}})", error)->sandbox->protect;
  const auto more = wtool::parse_configuration(R"({"sandbox":{"protect":["default","x"]}})", error)->sandbox->protect;
  BOOST_REQUIRE(more.size() == defaults.size() + 1);
  BOOST_TEST(more.front() == defaults.front());
  BOOST_TEST(more.back() == "x");
}

BOOST_AUTO_TEST_CASE(the_files_in_which_clients_name_their_servers_are_protected) {
  std::string error;
  const auto names = wtool::parse_configuration(R"({"sandbox":{}})", error)->sandbox->protect;
  for (const std::string_view name :
       {".mcp.json", ".cursor", ".vscode", "opencode.json", "opencode.jsonc", ".roo", ".kiro", ".crush.json"}) {
    BOOST_TEST((std::find(names.begin(), names.end(), name) != names.end()), name);
  }
}

// mise runs the hooks of each of these files when a shell enters the folder.
BOOST_AUTO_TEST_CASE(the_files_that_act_when_a_folder_is_entered_are_protected) {
  std::string error;
  const auto names = wtool::parse_configuration(R"({"sandbox":{}})", error)->sandbox->protect;
  for (const std::string_view name : {".envrc", ".tool-versions", "mise.toml", ".mise.toml", "mise.local.toml",
                                      ".mise.local.toml", "mise/config.toml", ".config/mise", ".config/mise.toml"}) {
    BOOST_TEST((std::find(names.begin(), names.end(), name) != names.end()), name);
  }
}

BOOST_AUTO_TEST_CASE(a_lower_maximum_lowers_the_default_too) {
  std::string error;
  const auto configuration = wtool::parse_configuration(R"({"limits":{"timeout_max":10}})", error);
  BOOST_REQUIRE(configuration);
  BOOST_TEST(configuration->timeout_default.count() == 10);
}

BOOST_AUTO_TEST_CASE(an_unlimited_maximum_allows_any_time_and_keeps_the_default) {
  std::string error;
  const auto configuration =
      wtool::parse_configuration(R"({"limits":{"timeout_max":"none","timeout_fractions":true}})", error);
  BOOST_REQUIRE_MESSAGE(configuration, error);
  BOOST_TEST((configuration->timeout_max == wtool::max_timeout));
  BOOST_TEST(configuration->timeout_default.count() == 300);
  BOOST_TEST(configuration->timeout_fractions);
}

BOOST_AUTO_TEST_CASE(each_mistake_names_its_key) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {R"({"limit":{}})", "limit"},
      {R"({"limits":[]})", "limits"},
      {R"({"limits":{"timeout":1}})", "limits.timeout"},
      {R"({"limits":{"timeout_max":1801}})", "limits.timeout_max is 1801; allowed is a whole number from 1 to 1800"},
      {R"({"limits":{"timeout_max":"never"}})", "limits.timeout_max is \"never\""},
      {R"({"limits":{"memory_bytes":4096}})", "limits.memory_bytes is 4096; allowed is a whole number from 1048576 to"},
      {R"({"limits":{"processes":-1}})", "limits.processes is -1"},
      {R"({"output":{"spill":"maybe"}})", "output.spill is \"maybe\"; allowed is never, when_cut or always"},
      {R"({"output":{"spill":"always"}})", "output.spill needs output.directory"},
      {R"({"output":{"directory":"x"}})", "output.directory is \"x\"; allowed is an absolute path"},
      {R"({"sandbox":[]})", "sandbox is []"},
      {R"({"sandbox":{"write":["."]}})", "sandbox.write is [\".\"]; allowed is a list of absolute paths"},
      {R"({"sandbox":{"protect":["../x"]}})", "sandbox.protect is [\"../x\"]"},
      {R"({"sandbox":{"protect":"all"}})", "sandbox.protect is \"all\""},
      {R"({"sandbox":{"network":true}})", "sandbox.network is true; allowed is allow or deny"},
      {R"({"sandbox":{"ipc":"none"}})", "sandbox.ipc is \"none\"; allowed is deny or allow"},
      {R"({"sandbox":{"nets":1}})", "there is no key sandbox.nets"},
      {R"({"limits":{"timeout_default":2.5}})", "limits.timeout_default is 2.5"},
      {R"({"limits":{"timeout_default":null}})", "limits.timeout_default is null"},
      {R"({"limits":{"timeout_max":5,"timeout_default":6}})", "limits.timeout_default is 6"},
      {R"({"limits":{"grace_seconds":-1}})", "limits.grace_seconds"},
      {R"({"shell":{"program":"sh"}})", "shell.program is \"sh\"; allowed is an absolute path"},
      {R"({"shell":{"direct_exec":1}})", "shell.direct_exec"},
      {R"({"output":{"bytes":1}})", "output.bytes"},
      {R"({"commands":{"allow":"ls"}})", "commands.allow is \"ls\"; allowed is a list of commands"},
      {R"({"commands":{"allow":[1]}})", "commands.allow is 1; allowed is a list of commands"},
      {R"({"commands":{"arguments":"none"}})", "commands.arguments is \"none\"; allowed is any or safe"},
      {R"({"commands":{"unlisted":"allow"}})", "commands.unlisted is \"allow\"; allowed is deny or ask"},
      {R"({"commands":{"path":["bin"]}})",
       "commands.path is [\"bin\"]; allowed is default, or a list of absolute paths"},
      {R"({"commands":{"approvals":"a.json"}})", "commands.approvals is \"a.json\"; allowed is an absolute path"},
      {R"({"commands":{"alow":[]}})", "there is no key commands.alow"},
      {R"({"directories":{"roots":["."]}})", "directories.roots is [\".\"]; allowed is a list of absolute paths"},
      {R"({"directories":{"confine_arguments":true}})",
       "directories.confine_arguments needs directories.roots, the folders to confine them to"},
      {R"({"directories":{"confine_arguments":1}})", "directories.confine_arguments is 1; allowed is true or false"},
      {R"({"environment":{"inherit":"some"}})", "environment.inherit is \"some\"; allowed is all, core or none"},
      {R"({"environment":{"deny":["A=*"]}})", "environment.deny is \"A=*\"; allowed is a list of names"},
      {R"({"environment":{"deny":[""]}})", "environment.deny is \"\"; allowed is a list of names"},
      {R"({"environment":{"set":["A"]}})", "environment.set is [\"A\"]; allowed is an object of texts"},
      {R"({"environment":{"set":{"A-B":"1"}}})", "environment.set is \"A-B\"; allowed is names of letters"},
      {R"({"environment":{"set":{"A":1}}})", "environment.set.A is 1; allowed is a text without NUL"},
      {R"({"environment":{"set":{"A":"\u0000"}}})",
       "environment.set.A is \"a text with NUL\"; allowed is a text without NUL"},
      {R"({"limits":{"processors":[1024]}})", "limits.processors is [1024]; allowed is a list of whole numbers"},
      {R"({"limits":{"processors":2}})", "limits.processors is 2; allowed is a list of whole numbers"},
      {R"({"audit":{"file":"a.jsonl"}})", "audit.file is \"a.jsonl\"; allowed is an absolute path"},
      {R"({"audit":{"sync":true}})", "audit.sync is true; allowed is none or data"},
      {R"({"audit":{"output":"all"}})", "audit.output is \"all\"; allowed is none or captured"},
      {R"({"audit":{"when_unwritable":"ignore"}})",
       "audit.when_unwritable is \"ignore\"; allowed is refuse or continue"},
      {R"({"audit":{"max_bytes":1}})", "audit.max_bytes is 1; allowed is a whole number from 4096"},
      {R"({"audit":{"keep":-1}})", "audit.keep is -1; allowed is a whole number from 0"},
      {R"({"background":"stay"})", "configuration: background is \"stay\"; allowed is end or keep"},
      {R"({"background":true})", "background is true; allowed is end or keep"},
      {R"({"sessions":{"max":0}})", "sessions.max is 0; allowed is a whole number from 1 to 1000"},
      {R"({"sessions":{"tools_allow":"a.json"}})", "sessions.tools_allow is \"a.json\"; allowed is an absolute path"},
      {R"({"pty":{"max":65}})", "pty.max is 65; allowed is a whole number from 1 to 64"},
      {R"({"pty":{"idle_seconds":0}})", "pty.idle_seconds is 0; allowed is a whole number from 1 to 86400"},
      {R"({"commands":{"interactive":["/bin/sh"]}})",
       "commands.interactive is \"/bin/sh\"; allowed is a list of names of programs"},
      {R"({"commands":{"interactive":["sh -i"]}})", "commands.interactive is \"sh -i\"; allowed is a list of names"},
      {R"({"execute_run":{"root":"."}})", "execute_run.root is \".\"; allowed is an absolute path"},
      {R"({"extras":{}})", "there is no section extras; the sections are shell, commands, directories"},
      {R"([])", "object"},
      {R"({"shell":{},"shell":{}})", "occurs twice"},
  };
  for (const auto& [json, expected] : rows)
    BOOST_TEST(problem(json).find(expected) != std::string::npos, problem(json));
}

BOOST_AUTO_TEST_CASE(a_host_may_only_tighten_what_the_fleets_policy_locks) {
  struct Row {
    const char* policy;
    const char* json;
    const char* expected;  // a part of the error; empty: the JSON is accepted
  };
  const Row rows[] = {
      {"limits: {timeout_max: 60}\nlock: [limits]", R"({"limits":{"timeout_max":60}})", ""},
      {"limits: {timeout_max: 60}\nlock: [limits]", R"({"limits":{"timeout_max":"none"}})",
       "at most 60, but this is none"},
      {"limits: {timeout_max: 60}", R"({"limits":{"timeout_max":90}})", ""},
      {"limits: {timeout_max: 60}", R"({"limits":{"timeout_default":90}})", "must not be above limits.timeout_max"},
      {"commands: {allow: [ls]}\nlock: [commands]", R"({"commands":{"allow":["ls -l"]}})", ""},
      {"commands: {allow: [ls]}\nlock: [commands]", R"({"commands":{"allow":["ls","rm"]}})", "but this has \"rm\""},
      {"lock: [shell]", R"({"shell":{"program":"/bin/bash"}})", "allows only \"/bin/sh\""},
      {"lock: [shell]", R"({"shell":{"stdin":true}})", ""},
      {"directories: {roots: [/home]}\nlock: [directories]", R"({"directories":{"roots":["/home/a"]}})", ""},
      {"directories: {roots: [/home]}\nlock: [directories]", R"({"directories":{"roots":["/home/../etc"]}})",
       "but this has \"/etc\""},
      {"directories: {roots: [/home]}\nlock: [directories]", R"({"directories":{"roots":["home"]}})",
       "must be an absolute path"},
      {"sandbox: {write: [/home]}\nlock: [sandbox]", R"({"sandbox":{"write":["/"]}})", "only paths in or below"},
      {"lock: [audit]", R"({"audit":{"file":"/a"}})", "allows nothing, because it is not set there"},
      // A host chooses these values for each user or project, unless the policy does.
      {"lock: [commands, output]", R"({"commands":{"approvals":"/a"},"output":{"directory":"/b"}})", ""},
      {"commands: {approvals: /c}\nlock: [commands]", R"({"commands":{"approvals":"/a"}})", "allows only \"/c\""},
      // An invalid value is refused even where a lock applies.
      {"lock: [limits]", R"({"limits":5})", "limits is 5, but must be an object"},
      {"lock: [limits]", R"({"limits":{"timeout_max":"x"}})", "limits.timeout_max must be a whole number"},
      {"lock: [limits]", R"({"limits":{"x":1}})", "no key limits.x"},
      {"lock: [limits]", R"({"in_force":5})", "in_force is 5"},
      {"cluster: {slots: 2}\nlock: [cluster]", "{}", ""},
  };
  for (const Row& row : rows) {
    std::string error;
    const auto configuration = wtool::parse_configuration(row.json, error, policy_of(row.policy));
    const bool is_accepted = std::string_view(row.expected).empty();
    BOOST_TEST((configuration != nullptr) == is_accepted, row.policy << "\n" << row.json << "\n" << error);
    BOOST_TEST(error.find(row.expected) != std::string::npos, row.policy << "\n" << row.json << "\n" << error);
  }
}

BOOST_AUTO_TEST_CASE(commands_read_what_the_host_has_made_for_them_whatever_the_fleets_policy_locks) {
  std::string state = std::filesystem::current_path().string() + "/state-XXXXXX";
  BOOST_REQUIRE(::mkdtemp(state.data()) != nullptr);
  const std::string own = state + "/wtool/temporary/process-5e884898-8sKq2L";
  std::filesystem::create_directories(own);
  std::filesystem::permissions(own, std::filesystem::perms::owner_all);
  const auto policy = policy_of("sandbox: {read: [/usr], write: [/srv]}\nlock: [sandbox]\n");
  std::string error;
  const auto configuration =
      wtool::parse_configuration(R"({"sandbox":{"read":["/usr/bin",")" + own + R"("]}})", error, policy);
  BOOST_REQUIRE_MESSAGE(configuration, error);
  BOOST_TEST((configuration->sandbox->read == std::vector<std::string>{"/usr/bin", own}));
  BOOST_TEST(!wtool::parse_configuration(R"({"sandbox":{"read":["/usr",")" + state + R"("]}})", error, policy));
  BOOST_TEST(!wtool::parse_configuration(R"({"sandbox":{"write":[")" + own + R"("]}})", error, policy));
  std::filesystem::remove_all(state);
}

BOOST_AUTO_TEST_CASE(what_a_host_leaves_open_is_as_the_fleets_policy_says) {
  std::string error;
  const auto configuration = wtool::parse_configuration(
      R"({"commands":{"deny":["b"]},"sandbox":{}})", error,
      policy_of("commands: {deny: [a]}\nlimits: {timeout_max: 60, open_files: 99}\nlock: [commands]\n"));
  BOOST_REQUIRE_MESSAGE(configuration, error);
  BOOST_TEST((configuration->commands.deny == std::vector<std::string>{"a", "b"}));
  BOOST_TEST(configuration->timeout_max.count() == 60);
  BOOST_TEST(configuration->timeout_default.count() == 60);
  BOOST_TEST(configuration->limits.open_files == 99U);
  // If a host names no folder, its sandbox lets commands write nowhere; and no command may write the policy.
  BOOST_TEST_REQUIRE(configuration->sandbox.has_value());
  BOOST_TEST(configuration->sandbox->write.empty());
  const auto& files = configuration->files_in_force;
  BOOST_TEST((std::find(files.begin(), files.end(), "/etc/wtool/wtool.yaml") != files.end()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace configuration_test
