// The layers of the configuration: what overrides what, what a lock still allows, and which files it comes from.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/config/config.h"
#include "config/files.h"
#include "support/text.h"

using wtool::test::holds;

namespace wtool::host {

using nlohmann::json;

struct Merged {
  std::optional<Config> config;
  std::string error;

  json value(std::string_view name) const {
    for (const EffectiveKey& key : config->keys) {
      if (key.name == name) return key.value;
    }
    return "there is no such key";
  }
  std::string layer(std::string_view name) const {
    for (const EffectiveKey& key : config->keys) {
      if (key.name == name) return key.layer;
    }
    return {};
  }
};

static Layer parsed(const std::string& title, const std::string& text, ConfigDiagnostics& mistakes) {
  const std::string folder = title == "user" ? "/home/u/.config/wtool" : "/site";
  Layer layer{.title = title, .file = title + ".yaml", .folder = folder, .base = "/site"};
  parse_layer(text, layer, mistakes);
  return layer;
}

static Merged merged(const std::string& user, const std::string& project) {
  ConfigDiagnostics mistakes;
  std::vector<Layer> layers{parsed("user", user, mistakes)};
  layers.push_back(parsed("project", project, mistakes));
  Merged result;
  result.config = merge(layers, "/home/u/.config/wtool/approvals.json", mistakes);
  result.error = mistakes.text();
  return result;
}

static Merged accepted(const std::string& user, const std::string& project) {
  Merged result = merged(user, project);
  BOOST_REQUIRE_MESSAGE(result.config, result.error);
  return result;
}

BOOST_AUTO_TEST_SUITE(config_layers)

BOOST_AUTO_TEST_CASE(a_later_layer_overrides_key_by_key) {
  const Merged config = accepted("limits: {timeout_max: 100, processes: 5}\nenvironment: {set: {A: \"1\", B: \"2\"}}\n",
                                 "limits: {processes: 9}\nenvironment: {set: {C: \"3\"}}\n");
  BOOST_TEST(config.value("limits.timeout_max") == 100);
  BOOST_TEST(config.layer("limits.timeout_max") == "user");
  BOOST_TEST(config.value("limits.processes") == 9);
  BOOST_TEST(config.layer("limits.processes") == "project");
  BOOST_TEST(config.value("environment.set") == json({{"C", "3"}}));
  BOOST_TEST(config.value("limits.cpu_seconds") == 0);
  BOOST_TEST(config.layer("limits.cpu_seconds") == "built in");
  BOOST_TEST(config.config->json ==
             json::parse(R"({"limits":{"timeout_max":100,"processes":9},"environment":{"set":{"C":"3"}}})"));
}

BOOST_AUTO_TEST_CASE(the_policys_keys_are_handed_on) {
  const Merged config =
      accepted("",
               "commands:\n"
               "  allow: [ls, \"git log *\", npm test, \"[\", true, 7]\n"
               "  deny: [git push]\n"
               "  ask: [\"*\"]\n"
               "  arguments: safe\n"
               "  unlisted: ask\n"
               "  path: [/usr/bin, bin]\n"
               "directories: {roots: [., /tmp/], confine_arguments: true}\n"
               "environment: {inherit: core, deny: [\"*_TOKEN\", \"A?\"], set: {CI: 1, X: on, Y: 010, Z: \"\"}}\n"
               "audit: {file: log/audit.jsonl, sync: data, output: captured, when_unwritable: continue,\n"
               "        max_bytes: 0, keep: 3}\n");
  BOOST_TEST(config.config->json == json::parse(R"({
    "commands": {"allow": ["ls", "git log *", "npm test", "[", "true", "7"], "deny": ["git push"], "ask": ["*"], "arguments": "safe",
                 "unlisted": "ask", "path": ["/usr/bin", "/site/bin"],
                 "approvals": "/home/u/.config/wtool/approvals.json"},
    "directories": {"roots": ["/site", "/tmp"], "confine_arguments": true},
    "environment": {"inherit": "core", "deny": ["*_TOKEN", "A?"], "set": {"CI": "1", "X": "on", "Y": "010", "Z": ""}},
    "audit": {"file": "/site/log/audit.jsonl", "sync": "data", "output": "captured", "when_unwritable": "continue",
              "max_bytes": 0, "keep": 3}})"));
}

BOOST_AUTO_TEST_CASE(a_wrong_value_of_the_policy_is_reported_with_its_place) {
  const std::pair<const char*, const char*> rows[] = {
      {"commands:\n  allow:\n    - ls\n    - git  log\n",
       "project.yaml:4:7: commands.allow has the entry \"git  log\", which has an extra space"},
      {"commands: {allow: [a|b]}", "project.yaml:1:20: commands.allow has the entry \"a|b\", which has a |"},
      {"commands: {deny: [\"git log*\"]}", "commands.deny has the entry \"git log*\", which has a *"},
      {"commands: {ask: [\"rm ~/x\"]}", "which has a ~"},
      {"commands: {ask: [\"\"]}", "commands.ask has the entry \"\", which is empty"},
      {"commands: {allow: [\"a\\nb\"]}", "which has a \\n"},
      {"commands: {allow: [\"a\\0b\"]}", "which has a \\x00"},
      {"commands: {allow: ls}",
       "1:19: commands.allow must be a list of commands, such as [ls, \"git log *\"], but is \"ls\""},
      {"commands: {allow: [~]}",
       "commands.allow must be a list of commands, such as [ls, \"git log *\"], but has null"},
      {"commands: {allow: [[a]]}", "commands.allow must be a single value, but is a list"},
      {"commands: {arguments: none}", "commands.arguments must be any or safe, but is \"none\""},
      {"commands: {path: here}", "commands.path must be default, or a list of paths"},
      {"commands: {alow: []}", "unknown key commands.alow; did you mean 'commands.allow'?"},
      {"directories: {roots: /site}", "directories.roots must be a list of paths"},
      {"directories: {root: [/site]}", "did you mean 'directories.roots'?"},
      {"environment: {inherit: some}", "environment.inherit must be all, core or none"},
      {"environment: {deny: [\"A[BC]\"]}", "1:22: environment.deny must be a list of names of variables"},
      {"environment: {set: [A]}", "environment.set must be a mapping of names to texts"},
      {"environment: {set: {A-B: 1}}", "1:21: environment.set.A-B is not a valid name of a variable"},
      {"environment: {set: {A: }}", "environment.set.A must be a text"},
      {"environment: {set: {A: [1]}}", "environment.set.A must be a single value"},
      {"environment: {set: {A: 1, A: 2}}", "the key environment.set.A occurs twice"},
      {"environment: {set: {A: \"\\0\"}}", "environment.set.A must be a text (\"\" for an empty one), but has a NUL"},
      {"cluster: {classes: [big]}",
       "cluster.classes must be a mapping of names to keys, such as {big: {cpus: 8}}, but is a"},
      {"cluster: {classes: {big: 1}}",
       "cluster.classes.big must be a mapping of keys to values, but is a single value"},
      {"cluster: {classes: {a b: {cpus: 1}}}", "cluster.classes.a b is not a valid name of a class"},
      {"cluster: {classes: {big: {cpus: 0}}}", "cluster.classes.big.cpus must be a whole number, 1 to 1024"},
      {"cluster: {classes: {big: {cpu: 1}}}",
       "1:27: unknown key cluster.classes.big.cpu; did you mean 'cluster.classes.big.cpus'?"},
      {"cluster: {classes: {big: {address: x}}}", "unknown key cluster.classes.big.address"},
      {"cluster: {memory: 4GB}", "1:19: cluster.memory must be a size such as 512M or 4G, but is \"4GB\""},
      {"cluster: {memory: 4096}", "cluster.memory must be a size such as 512M or 4G, but is 4096"},
      {"cluster: {account: a b}", "cluster.account must be one word that does not begin with \"-\", but is \"a b\""},
      {"cluster: {address: localhost}",
       "cluster.address must be a numeric address such as 10.0.0.1 or fd00::1, but is"},
      {"cluster: {extra: -x}",
       "cluster.extra must be options of sbatch that begin with \"--\", such as --exclusive, and"},
      {"cluster: {classes: {big: {extra: --array=1-3}}}",
       "none of --array, --clusters, --test-only and --wait, but is \"--array=1-3\""},
      {"cluster: {slot: big}",
       "1:17: cluster.slot must be one of cluster.classes (there are no classes), but is \"big\""},
      {"cluster: {slot: bgi, classes: {big: {}}}", "cluster.slot must be one of cluster.classes (big), but is \"bgi\""},
      {"cluster: {classes: {big: {cpus: 1}, big: {cpus: 2}}}", "the key cluster.classes.big occurs twice"},
      {"audit: {file: ~/a.jsonl}",
       "audit.file must be a path, but is \"~/a.jsonl\". ~ does not mean the home folder here"},
      {"sandbox: {write: [\"~\"]}", "~ does not mean the home folder here"},
      {"audit: {file: \"\"}", "audit.file must be a path"},
      {"audit: {sync: yes}", "audit.sync must be none or data, but is \"yes\""},
      {"audit: {max_bytes: 100}", "audit.max_bytes must be a whole number, 4096 to"},
      {"lock: commands", "1:7: lock must be a list of sections and keys"},
      {"lock: [comands]", "1:8: lock has \"comands\", which is neither a section nor a key; did you mean 'commands'?"},
      {"lock: [limits.timeout]", "lock has \"limits.timeout\", which is neither"},
      {"lock: [background.end]", "lock has \"background.end\", which is neither"},
      {"lock: [[a]]", "each entry of lock must be a name, but this one is a list"},
  };
  for (const auto& [text, expected] : rows) {
    const Merged result = merged("", text);
    BOOST_TEST(!result.config, text);
    BOOST_TEST(holds(result.error, expected), text << "\n" << result.error);
  }
}

BOOST_AUTO_TEST_CASE(what_is_locked_may_be_tightened) {
  struct Row {
    const char* user;
    const char* project;
    const char* key;
    const char* value;  // the value that counts
  };
  const Row rows[] = {
      {"limits: {timeout_max: 500}\nlock: [limits]", "limits: {timeout_max: 400}", "limits.timeout_max", "400"},
      {"limits: {timeout_max: 500}\nlock: [limits]", "limits: {timeout_max: 500}", "limits.timeout_max", "500"},
      {"limits: {timeout_max: none}\nlock: [limits]", "limits: {timeout_max: 400}", "limits.timeout_max", "400"},
      {"limits: {timeout_max: none}\nlock: [limits]", "limits: {timeout_max: none}", "limits.timeout_max", "\"none\""},
      {"lock: [limits.processes]", "limits: {processes: 7, timeout_max: 1800}", "limits.processes", "7"},
      {"limits: {processes: 9}\nlock: [limits.processes]", "limits: {processes: 7}", "limits.processes", "7"},
      {"lock: [limits]", "limits: {grace_seconds: 0.5}", "limits.grace_seconds", "0.5"},
      {"lock: [commands]", "commands: {allow: [ls]}", "commands.allow", R"(["ls"])"},
      {"commands: {allow: [\"*\"]}\nlock: [commands]", "commands: {allow: [ls]}", "commands.allow", R"(["ls"])"},
      {"commands: {allow: [ls, git]}\nlock: [commands]", "commands: {allow: [\"git log *\", git status, ls]}",
       "commands.allow", R"(["git log *","git status","ls"])"},
      {"commands: {allow: [\"git log *\"]}\nlock: [commands]", "commands: {allow: [git log, \"git log -p *\"]}",
       "commands.allow", R"(["git log","git log -p *"])"},
      {"commands: {allow: [\"git *\"]}\nlock: [commands]", "commands: {allow: [git]}", "commands.allow", R"(["git"])"},
      {"commands: {allow: [ls]}\nlock: [commands]", "commands: {allow: []}", "commands.allow", "[]"},
      {"commands: {deny: [rm]}\nlock: [commands]", "commands: {deny: [mv]}", "commands.deny", R"(["rm","mv"])"},
      {"commands: {deny: [rm]}\nlock: [commands]", "commands: {deny: []}", "commands.deny", R"(["rm"])"},
      {"commands: {ask: [rm]}\nlock: [commands.ask]", "commands: {ask: [rm, mv]}", "commands.ask", R"(["rm","mv"])"},
      {"lock: [commands]", "commands: {arguments: safe}", "commands.arguments", R"("safe")"},
      {"commands: {unlisted: ask}\nlock: [commands]", "commands: {unlisted: deny}", "commands.unlisted", R"("deny")"},
      {"commands: {path: [/usr/bin]}\nlock: [commands]", "commands: {path: [/usr/bin]}", "commands.path",
       R"(["/usr/bin"])"},
      {"lock: [directories]", "directories: {roots: [.]}", "directories.roots", R"(["/site"])"},
      {"directories: {roots: [/site]}\nlock: [directories]", "directories: {roots: [sub, .]}", "directories.roots",
       R"(["/site/sub","/site"])"},
      {"directories: {roots: [/]}\nlock: [directories]", "directories: {roots: [/x]}", "directories.roots",
       R"(["/x"])"},
      {"lock: [directories]", "directories: {confine_arguments: true}", "directories.confine_arguments", "true"},
      {"environment: {inherit: core}\nlock: [environment]", "environment: {inherit: none}", "environment.inherit",
       R"("none")"},
      {"environment: {deny: [A]}\nlock: [environment]", "environment: {deny: [B]}", "environment.deny", R"(["A","B"])"},
      {"lock: [output]", "output: {bytes: 5000, spill: always}", "output.bytes", "5000"},
      {"lock: [output]", "output: {bytes: 5000, spill: always}", "output.spill", R"("always")"},
      {"lock: [sandbox]", "sandbox: {write: [/x], network: deny, required: true}", "sandbox.write", R"(["/x"])"},
      {"sandbox: {write: [/site]}\nlock: [sandbox]", "sandbox: {write: [build]}", "sandbox.write",
       R"(["/site/build"])"},
      {"sandbox: {read: [/usr, /lib]}\nlock: [sandbox]", "sandbox: {read: [/usr/bin]}", "sandbox.read",
       R"(["/usr/bin"])"},
      {"sandbox:\nlock: [sandbox]", "sandbox: {protect: [x]}", "sandbox.protect", R"(["default","x"])"},
      {"sandbox:\nlock: [sandbox]", "sandbox: {protect: none}", "sandbox.protect", R"("default")"},
      {"sandbox: {protect: none}\nlock: [sandbox]", "sandbox: {protect: none}", "sandbox.protect", R"("none")"},
      {"sandbox: {protect: [a]}\nlock: [sandbox]", "sandbox: {protect: default}", "sandbox.protect",
       R"(["a","default"])"},
      {"sandbox: {required: true}\nlock: [sandbox]", "sandbox: {put_aside: true}", "sandbox.put_aside", "true"},
      {"sandbox: {put_aside: false}\nlock: [sandbox]", "sandbox: {put_aside: false}", "sandbox.put_aside", "false"},
      {"audit: {file: /a}\nlock: [audit]", "audit: {file: /a}", "audit.file", R"("/a")"},
      {"environment: {set: {A: b}}\nlock: [environment]", "environment: {set: {A: b}}", "environment.set",
       R"({"A":"b"})"},
      {"", "cluster: {classes: {big: {cpus: 8, memory: 16G, gres: \"gpu:1\"}, none: {}}}", "cluster.classes",
       R"({"big":{"cpus":8,"memory":"16G","gres":"gpu:1"},"none":{}})"},
      {"cluster: {classes: {big: {cpus: 8}}}\nlock: [cluster]", "cluster: {classes: {big: {cpus: 8}}}",
       "cluster.classes", R"({"big":{"cpus":8}})"},
  };
  for (const Row& row : rows) {
    const Merged result = merged(row.user, row.project);
    BOOST_TEST_CONTEXT(row.user << "\n" << row.project << "\n" << result.error) {
      BOOST_TEST_REQUIRE(result.config.has_value());
      BOOST_TEST(result.value(row.key) == json::parse(row.value));
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_locked_may_not_be_loosened) {
  struct Row {
    const char* user;
    const char* project;
    const char* error;
  };
  const Row rows[] = {
      {"limits: {timeout_max: 500}\nlock: [limits]", "limits:\n  timeout_max: 501",
       "project.yaml:2:16: limits.timeout_max is locked by user.yaml:2:8, which allows at most 500, but this is 501"},
      {"lock: [limits]", "limits: {timeout_max: none}", "allows at most 1800, but this is none"},
      {"limits: {processes: 9}\nlock: [limits.processes]", "limits: {processes: 0}",
       "limits.processes is locked by user.yaml:2:8, which allows at most 9, and not 0, but this is 0"},
      {"sandbox: {required: true}\nlock: [sandbox]", "sandbox: {put_aside: false}",
       "allows only true, but this is false"},
      {"lock: [limits]", "limits: {grace_seconds: 2.5}", "allows at most 2, but this is 2.5"},
      {"commands: {allow: [ls, \"git log *\", npm test]}\nlock: [commands]",
       "commands:\n  allow:\n    - ls\n    - git push",
       "project.yaml:4:7: commands.allow is locked by user.yaml:2:8, which allows only what is covered by \"ls\", "
       "\"git log "
       "*\", \"npm test\", but this has \"git push\""},
      {"commands: {allow: [\"git log *\"]}\nlock: [commands]", "commands: {allow: [git]}", "but this has \"git\""},
      {"commands: {allow: [\"git log *\"]}\nlock: [commands]", "commands: {allow: [\"git *\"]}",
       "but this has \"git *\""},
      {"commands: {allow: [\"git log *\"]}\nlock: [commands]", "commands: {allow: [git logout]}",
       "but this has \"git logout\""},
      {"commands: {allow: [npm test]}\nlock: [commands]", "commands: {allow: [\"npm test *\"]}", "\"npm test *\""},
      {"commands: {allow: [ls]}\nlock: [commands]", "commands: {allow: [\"*\"]}", "but this has \"*\""},
      {"commands: {allow: [ls]}\nlock: [commands]", "commands: {allow: [lsof]}", "but this has \"lsof\""},
      {"commands: {allow: []}\nlock: [commands]", "commands: {allow: [ls]}",
       "which allows no command at all, but this has \"ls\""},
      {"commands: {arguments: safe}\nlock: [commands]", "commands: {arguments: any}",
       "allows only safe, but this is any"},
      {"lock: [commands]", "commands: {unlisted: ask}", "allows only deny, but this is ask"},
      {"lock: [commands]", "commands: {path: [/usr/bin]}", "allows only \"default\", but this is [\"/usr/bin\"]"},
      {"lock: [commands]", "commands: {approvals: mine.json}",
       "allows nothing, because it is not set there, but this is \"/site/mine.json\""},
      {"directories: {roots: [/site/a]}\nlock: [directories]", "directories: {roots: [/site/ab]}",
       "only paths in or below \"/site/a\", but this has \"/site/ab\""},
      {"directories: {roots: [/site/a]}\nlock: [directories]", "directories: {roots: [a/../..]}", "but this has \"/\""},
      {"directories: {roots: [/site]}\nlock: [directories]", "directories: {roots: []}", "which means any path"},
      {"directories: {confine_arguments: true}\nlock: [directories]", "directories: {confine_arguments: false}",
       "allows only true, but this is false"},
      {"environment: {inherit: core}\nlock: [environment]", "environment: {inherit: all}", "allows only core or none"},
      {"lock: [environment]", "environment: {set: {A: b}}",
       "allows only the same variables and values, but this sets \"A\""},
      {"lock: [output.bytes]", "output: {bytes: 1048577}", "at most 1048576"},
      {"lock: [output]", "output: {max_bytes: 2000000000}", "at most 1073741824"},
      {"sandbox:\nlock: [sandbox]", "sandbox: {write: [/]}", "only paths in or below \"/site\", but this has \"/\""},
      {"sandbox: {write: []}\nlock: [sandbox]", "sandbox: {write: [.]}", "allows no path at all"},
      {"sandbox: {network: deny}\nlock: [sandbox]", "sandbox: {network: allow}", "allows only deny"},
      {"sandbox:\nlock: [sandbox]", "sandbox: {ipc: allow}", "allows only deny"},
      {"sandbox: {required: true}\nlock: [sandbox]", "sandbox: {required: false}", "allows only true"},
      {"lock: [audit]", "audit: {file: x}", "audit.file is locked"},
      {"audit: {file: /a}\nlock: [audit]", "audit: {when_unwritable: continue}", "allows only \"refuse\""},
      {"lock: [commands]", "commands: {ask_network: [git push]}", "allows only [], but this is [\"git push\"]"},
      {"commands: {ask_network: [git push]}\nlock: [commands]", "commands: {ask_network: []}", "but this is []"},
      {"sandbox: {network: deny}\nlock: [sandbox]", "commands: {ask_network: [curl]}",
       "commands.ask_network is locked by user.yaml:2:8"},
      {"lock: [sandbox.network]", "commands: {ask_network: [curl]}", "commands.ask_network is locked by"},
      {"cluster: {partition: main}\nlock: [cluster.partition]", "cluster: {slot: b, classes: {b: {partition: urgent}}}",
       "cluster.classes is locked by user.yaml:2:8"},
      {"lock: [cluster.nodes]", "cluster: {extra: --exclusive}", "cluster.extra is locked by user.yaml:1:8"},
      {"lock: [shell]", "shell: {direct_exec: false}", "allows only true, but this is false"},
      {"lock: [shell.program]", "shell: {program: /bin/bash}", "allows only \"/bin/sh\", but this is \"/bin/bash\""},
  };
  for (const Row& row : rows) {
    const Merged result = merged(row.user, row.project);
    BOOST_TEST(!result.config, row.user << "\n" << row.project);
    BOOST_TEST(holds(result.error, row.error), row.user << "\n" << row.project << "\n" << result.error);
  }
}

BOOST_AUTO_TEST_CASE(a_sandbox_that_is_locked_stays_when_the_project_has_none) {
  const Merged config = accepted("sandbox: {network: deny}\nlock: [sandbox]", "limits: {timeout_max: 5}\n");
  BOOST_TEST(config.config->sandbox);
  BOOST_TEST(config.config->json["sandbox"] == json::parse(R"({"network":"deny","write":["/site"]})"));
}

BOOST_AUTO_TEST_CASE(a_lock_does_not_bind_its_own_layer) {
  accepted("", "lock: [limits]\nlimits: {timeout_max: 1800, processes: 0}\n");
  accepted("commands: {ask_network: [git push]}\nlock: [sandbox]", "commands: {deny: [rm]}\n");
}

BOOST_AUTO_TEST_CASE(a_lower_maximum_of_a_later_layer_lowers_the_default) {
  BOOST_TEST(accepted("limits: {timeout_default: 200}", "limits: {timeout_max: 100}").value("limits.timeout_default") ==
             100);
  BOOST_TEST(
      holds(merged("limits: {timeout_max: 100}", "limits: {timeout_default: 200}").error,
            "project.yaml:1:27: limits.timeout_default must not be above limits.timeout_max, which is 100 seconds "
            "(user.yaml:1:23)"));
}

BOOST_AUTO_TEST_CASE(paths_of_the_users_file_are_relative_to_it_and_its_defaults_are_about_the_project) {
  const Merged config = accepted("sandbox: {read: [x]}\noutput: {spill: always}\n", "");
  BOOST_TEST(config.value("sandbox.read") == json({"/home/u/.config/wtool/x"}));
  BOOST_TEST(config.value("sandbox.write") == json({"/site"}));
  BOOST_TEST(config.value("output.directory") == "/site/.wtool/output");
}

BOOST_AUTO_TEST_CASE(defaults_of_the_program_yield_to_what_an_earlier_layer_sets_or_locks) {
  ConfigDiagnostics mistakes;
  std::vector<Layer> layers{parsed("fleet", "environment: {inherit: all}\nlock: [shell]", mistakes)};
  layers.push_back(
      parsed("--policy", "environment: {inherit: core}\nshell: {program: /bin/bash}\nbackground: keep", mistakes));
  layers.back().yields = true;
  Merged result;
  result.config = merge(layers, "", mistakes);
  BOOST_REQUIRE_MESSAGE(result.config, mistakes.text());
  BOOST_TEST(result.value("environment.inherit") == "all");
  BOOST_TEST(result.value("shell.program") == "/bin/sh");
  BOOST_TEST(result.value("background") == "keep");
}

BOOST_AUTO_TEST_CASE(mistakes_of_all_layers_are_reported) {
  const Merged result = merged("limits: {x: 1}", "limits: {y: 1}");
  BOOST_TEST(holds(result.error, "user.yaml:1:10: unknown key limits.x"));
  BOOST_TEST(holds(result.error, "\nproject.yaml:1:10: unknown key limits.y"));
}

BOOST_AUTO_TEST_SUITE_END()

// A home with a user's configuration, and a project that is the current directory, for the time of a test.
struct Home {
  Home() : before(std::filesystem::current_path()) {
    char name[] = "/tmp/wtool-layers-XXXXXX";
    BOOST_REQUIRE(::mkdtemp(name) != nullptr);
    root = name;
    std::filesystem::create_directories(root / "user");
    std::filesystem::create_directories(root / "project");
    std::filesystem::current_path(root / "project");
  }
  ~Home() {
    std::filesystem::current_path(before);
    std::filesystem::remove_all(root);
  }
  void user(const std::string& text) const { std::ofstream(root / "user/wtool.yaml") << text; }
  void project(const std::string& text) const { std::ofstream(root / "project/wtool.yaml") << text; }
  // Sets the file's modification time so far back that this time counts as settled.
  void age(const char* name) const {
    const timespec times[2] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
    BOOST_REQUIRE(::utimensat(AT_FDCWD, (root / name).c_str(), times, 0) == 0);
  }
  ConfigFiles files(const std::string& named = "") const { return ConfigFiles(named, root / "user"); }
  std::filesystem::path before, root;
};

static json loaded(ConfigFiles& files) {
  std::string error;
  const auto text = files.load(error);
  BOOST_REQUIRE_MESSAGE(text, error);
  return json::parse(*text);
}

static std::string broken(ConfigFiles& files) {
  std::string error;
  BOOST_TEST(!files.load(error));
  return error;
}

BOOST_AUTO_TEST_SUITE(config_layer_files)

BOOST_AUTO_TEST_CASE(the_users_file_then_the_projects_or_the_named_one_in_its_place) {
  const Home home;
  home.user("limits: {timeout_max: 10, processes: 4}\nlock: [limits.timeout_max]\n");
  home.project("limits: {processes: 5}\ncommands: {}\n");
  std::ofstream("named.yaml") << "limits: {timeout_max: 9}\n";
  ConfigFiles usual = home.files();
  BOOST_TEST(loaded(usual) == json({{"limits", {{"timeout_max", 10}, {"processes", 5}}},
                                    {"commands", {{"approvals", (home.root / "user/approvals.json").string()}}}}));
  ConfigFiles named = home.files("named.yaml");
  BOOST_TEST(loaded(named) == json({{"limits", {{"timeout_max", 9}, {"processes", 4}}}}));
  std::ofstream("named.yaml") << "limits: {timeout_max: 11}\n";
  BOOST_TEST(holds(broken(named), "named.yaml:1:23: limits.timeout_max is locked by " + home.root.string() +
                                      "/user/wtool.yaml:2:8, which allows at most 10"));
}

BOOST_AUTO_TEST_CASE(without_files_only_the_built_in_values_count) {
  const Home home;
  ConfigFiles files = home.files();
  BOOST_TEST(loaded(files) == json::object());
  for (const ConfigFiles::File& file : files.files()) BOOST_TEST(!file.there, file.path);
}

BOOST_AUTO_TEST_CASE(without_a_home_folder_no_user_files_are_searched) {
  const Home home;
  home.project("commands: {deny: [rm]}\n");
  ConfigFiles files("", "");
  BOOST_TEST(loaded(files) == json({{"commands", {{"deny", {"rm"}}}}}));
}

BOOST_AUTO_TEST_CASE(the_users_folder_is_the_one_of_the_xdg_base_directories) {
  const auto with = [](const char* xdg, const char* home) {
    const std::string old_home = std::getenv("HOME") != nullptr ? std::getenv("HOME") : "";
    const auto set = [](const char* name, const char* value) {
      value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
    };
    set("XDG_CONFIG_HOME", xdg);
    set("HOME", home);
    std::string folder = user_config_folder();
    ::unsetenv("XDG_CONFIG_HOME");
    ::setenv("HOME", old_home.c_str(), 1);
    return folder;
  };
  BOOST_TEST(with("/x", "/h") == "/x/wtool");
  BOOST_TEST(with(nullptr, "/h") == "/h/.config/wtool");
  BOOST_TEST(with("relative", "/h") == "/h/.config/wtool");
  BOOST_TEST(with("", nullptr) == "");
  BOOST_TEST(with(nullptr, "h") == "");
}

BOOST_AUTO_TEST_CASE(a_users_file_that_cannot_be_used_is_an_error) {
  const Home home;
  BOOST_REQUIRE(::mkfifo((home.root / "user/wtool.yaml").c_str(), 0600) == 0);
  ConfigFiles files = home.files();
  BOOST_TEST(holds(broken(files), "user/wtool.yaml: the configuration is not a regular file"));
  std::filesystem::remove(home.root / "user/wtool.yaml");
  std::filesystem::create_symlink("nowhere", home.root / "user/wtool.yaml");
  BOOST_TEST(holds(broken(files), "a symbolic link to a missing file"));
}

BOOST_AUTO_TEST_CASE(what_a_pipe_gave_stays_when_another_layer_changes) {
  const Home home;
  int ends[2];
  BOOST_REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  BOOST_REQUIRE(::write(ends[1], "limits: {processes: 3}\n", 23) == 23);
  ::close(ends[1]);
  ConfigFiles files = home.files("/proc/self/fd/" + std::to_string(ends[0]));
  BOOST_TEST(loaded(files)["limits"]["processes"] == 3);
  home.user("limits: {timeout_max: 9}\n");
  BOOST_TEST(files.changed());
  BOOST_TEST(loaded(files) == json::parse(R"({"limits":{"timeout_max":9,"processes":3}})"));
  ::close(ends[0]);
}

BOOST_AUTO_TEST_CASE(a_folder_whose_name_is_not_utf8_is_an_error_where_it_matters) {
  const Home home;
  std::filesystem::create_directory("\xff");
  std::filesystem::current_path("\xff");
  std::ofstream("wtool.yaml") << "limits: {processes: 3}\n";
  ConfigFiles files = home.files();
  BOOST_TEST(loaded(files)["limits"]["processes"] == 3);
  std::ofstream("wtool.yaml") << "sandbox:\n";
  BOOST_TEST(holds(broken(files), "not valid UTF-8"));
}

BOOST_AUTO_TEST_CASE(every_kind_of_change_is_noticed) {
  const Home home;
  home.project("limits: {processes: 1}\n");
  home.age("project/wtool.yaml");
  // The change time cannot be set back, so the file is not trusted until that time is old enough.
  ConfigFiles files = home.files();
  const auto settled = [&] {
    for (int i = 0; i < 1000; ++i) {
      loaded(files);
      if (!files.changed()) return true;
      ::usleep(10'000);
    }
    return false;
  };
  BOOST_TEST_REQUIRE(settled());
  // A file appears.
  home.user("limits: {timeout_max: 9}\n");
  BOOST_TEST(files.changed());
  BOOST_TEST(loaded(files)["limits"]["timeout_max"] == 9);
  BOOST_TEST_REQUIRE(settled());
  // Same size and same modification time: only the change time differs.
  home.project("limits: {processes: 2}\n");
  home.age("project/wtool.yaml");
  BOOST_TEST(files.changed());
  BOOST_TEST_REQUIRE(settled());
  // Another file takes the place of the project's file.
  std::ofstream("new.yaml") << "limits: {processes: 3}\n";
  home.age("project/new.yaml");
  std::filesystem::rename("new.yaml", "wtool.yaml");
  BOOST_TEST(files.changed());
  BOOST_TEST(loaded(files)["limits"]["processes"] == 3);
  BOOST_TEST_REQUIRE(settled());
  // A file vanishes.
  std::filesystem::remove(home.root / "user/wtool.yaml");
  BOOST_TEST(files.changed());
  BOOST_TEST(!loaded(files)["limits"].contains("timeout_max"));
}

BOOST_AUTO_TEST_CASE(a_change_within_the_same_tick_of_the_clock_is_noticed) {
  const Home home;
  home.project("limits: {processes: 1}\n");
  ConfigFiles files = home.files();
  BOOST_TEST(loaded(files)["limits"]["processes"] == 1);
  home.project("limits: {processes: 2}\n");
  BOOST_TEST(files.changed());
  BOOST_TEST(loaded(files)["limits"]["processes"] == 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace wtool::host
