// policy/environment.h: names, and what a command's environment is made of.
#include "policy/environment.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "policy/rules.h"

namespace environment_test {

using namespace wtool::policy;
using Texts = std::vector<std::string>;

namespace {

// The environment of a command in /here, without what every command gets.
Texts compose_without_defaults(const char* const* inherited, const Variables& additions) {
  const EnvironmentRules rules;
  Texts all = compose_environment({inherited, rules, additions, "/here", "/fallback", {}});
  std::erase_if(all, [](const std::string& variable) {
    return variable.ends_with("PAGER=cat") || variable == "GIT_TERMINAL_PROMPT=0" || variable == "PATH=/fallback";
  });
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(environment)

BOOST_AUTO_TEST_CASE(additions_replace_and_follow_what_is_inherited) {
  const char* inherited[] = {"A=1", "B=2", "A=3", "PWD=/old", "OLDPWD=/older", "junk", "C==", nullptr};
  const Texts composed = compose_without_defaults(inherited, {{"B", "new"}, {"D", ""}});
  BOOST_TEST(composed == (Texts{"A=1", "C==", "B=new", "D=", "PWD=/here"}), boost::test_tools::per_element());
  BOOST_TEST(find_variable(composed, "C", "?") == "=");
  BOOST_TEST(find_variable(composed, "D", "?") == "");
  BOOST_TEST(find_variable(composed, "E", "?") == "?");
}

BOOST_AUTO_TEST_CASE(the_first_of_equal_names_counts_among_many) {
  Texts texts;
  for (int copy = 0; copy < 2; ++copy) {
    for (int i = 0; i < 1000; ++i) texts.push_back("NAME_" + std::to_string(i) + "=" + std::to_string(copy));
  }
  std::vector<const char*> inherited;
  for (const std::string& text : texts) inherited.push_back(text.c_str());
  inherited.push_back(nullptr);
  Texts expected(texts.begin(), texts.begin() + 1000);
  expected.push_back("PWD=/here");
  BOOST_TEST(compose_without_defaults(inherited.data(), {}) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_directory_that_the_caller_claims_is_ignored) {
  const char* inherited[] = {nullptr};
  BOOST_TEST(compose_without_defaults(inherited, {{"PWD", "/claimed"}}) == Texts{"PWD=/here"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(patterns_match_whole_names) {
  const std::pair<std::string, std::string> matched[] = {{"*_TOKEN", "A_TOKEN"},
                                                         {"*SECRET*", "SECRET"},
                                                         {"*SECRET*", "A_SECRET_B"},
                                                         {"A?", "AB"},
                                                         {"*", ""},
                                                         {"*", "A"},
                                                         {"A*B*C", "AxBxBxC"},
                                                         {"A**", "A"},
                                                         {"A", "A"}};
  for (const auto& [pattern, name] : matched) BOOST_TEST(matches_pattern(pattern, name), pattern << " " << name);
  const std::pair<std::string, std::string> passed[] = {{"*_TOKEN", "A_TOKENS"},
                                                        {"*_TOKEN", "a_token"},
                                                        {"A?", "A"},
                                                        {"A?", "ABC"},
                                                        {"", "A"},
                                                        {"A*B", "AxC"},
                                                        {"A", "AB"},
                                                        {"AB", "A"}};
  for (const auto& [pattern, name] : passed) BOOST_TEST(!matches_pattern(pattern, name), pattern << " " << name);
}

namespace {

const char* const ours[] = {"HOME=/h",   "PATH=/p", "LC_ALL=C",  "A_TOKEN=t", "BASH_ENV=/e", "BASH_FUNC_x%%=() { :; }",
                            "CDPATH=/c", "ENV=/e",  "OLDPWD=/o", "OTHER=1",   "PAGER=less",  nullptr};

// The names of a composed environment, without those that keep commands from waiting.
std::string names_in(const Texts& variables) {
  std::string names;
  for (const std::string& variable : variables) {
    if (variable.ends_with("=cat") || variable == "GIT_TERMINAL_PROMPT=0") continue;
    names += (names.empty() ? "" : " ") + variable.substr(0, variable.find('='));
  }
  return names;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_inherited_is_all_or_the_core_or_nothing) {
  EnvironmentRules rules;
  const auto names = [&] { return names_in(compose_environment({ours, rules, {}, "/d", "/fallback", {}})); };
  BOOST_TEST(names() == "HOME PATH LC_ALL A_TOKEN BASH_ENV BASH_FUNC_x%% CDPATH ENV OTHER PAGER PWD");
  rules.inherit = EnvironmentRules::Inherit::core;
  BOOST_TEST(names() == "HOME PATH LC_ALL PWD");
  rules.inherit = EnvironmentRules::Inherit::none;
  BOOST_TEST(names() == "PATH PWD");
  BOOST_TEST(find_variable(compose_environment({ours, rules, {}, "/d", "/fallback", {}}), "PATH", "") == "/fallback");
}

BOOST_AUTO_TEST_CASE(denied_names_are_left_out_and_named_when_a_call_sets_them) {
  EnvironmentRules rules;
  rules.deny = {"*_TOKEN", "BASH*"};
  BOOST_TEST(names_in(compose_environment({ours, rules, {}, "/d", "/f", {}})) ==
             "HOME PATH LC_ALL CDPATH ENV OTHER PAGER PWD");
  BOOST_TEST(!find_denied_name({{"A", "1"}, {"TOKEN", "2"}}, rules).has_value());
  const auto denied = find_denied_name({{"A", "1"}, {"MY_TOKEN", "2"}}, rules);
  BOOST_TEST_REQUIRE(denied.has_value());
  BOOST_TEST(denied->name == "MY_TOKEN");
  BOOST_TEST(denied->pattern == "*_TOKEN");
}

BOOST_AUTO_TEST_CASE(the_configuration_sets_and_the_call_sets_over_it) {
  EnvironmentRules rules;
  rules.set = {{"OTHER", "rules"}, {"CI", "1"}, {"PWD", "/x"}};
  const Texts composed = compose_environment({ours, rules, {{"CI", "call"}}, "/d", "/f", {}});
  BOOST_TEST(find_variable(composed, "OTHER", "") == "rules");
  BOOST_TEST(find_variable(composed, "CI", "") == "call");
  BOOST_TEST(find_variable(composed, "PWD", "") == "/d");
  std::vector<std::string> names;
  for (const std::string& variable : composed) names.push_back(variable.substr(0, variable.find('=')));
  std::sort(names.begin(), names.end());
  BOOST_TEST((std::unique(names.begin(), names.end()) == names.end()), "a name occurs twice");
}

BOOST_AUTO_TEST_CASE(commands_do_not_wait_for_a_person_unless_somebody_says_so) {
  EnvironmentRules rules;
  const Texts composed = compose_environment({ours, rules, {{"GIT_PAGER", ""}}, "/d", "/f", {}});
  BOOST_TEST(find_variable(composed, "PAGER", "") == "less");
  BOOST_TEST(find_variable(composed, "GIT_PAGER", "?") == "");
  BOOST_TEST(find_variable(composed, "SYSTEMD_PAGER", "?") == "cat");
  BOOST_TEST(find_variable(composed, "GIT_TERMINAL_PROMPT", "?") == "0");
}

BOOST_AUTO_TEST_CASE(a_trusted_command_finds_only_trusted_programs) {
  EnvironmentRules rules;
  rules.set = {{"CDPATH", "/r"}, {"PATH", "/r"}};
  const Variables additions = {{"ENV", "/a"}, {"PATH", "/a"}, {"BASH_FUNC_y%%", "() { :; }"}, {"GOOD", "1"}};
  const Texts composed = compose_environment({ours, rules, additions, "/d", "/f", "/usr/bin"});
  BOOST_TEST(names_in(composed) == "HOME LC_ALL A_TOKEN OTHER PAGER GOOD PATH PWD");
  BOOST_TEST(find_variable(composed, "PATH", "") == "/usr/bin");
}

BOOST_AUTO_TEST_CASE(dangerous_variables_are_distinguished_from_data) {
  for (const char* name : {"LD_PRELOAD",
                           "LD_LIBRARY_PATH",
                           "LD_AUDIT",
                           "DYLD_INSERT_LIBRARIES",
                           "PATH",
                           "LANGUAGE",
                           "BASH_ENV",
                           "ENV",
                           "IFS",
                           "CDPATH",
                           "OLDPWD",
                           "PS4",
                           "PROMPT_COMMAND",
                           "SHELLOPTS",
                           "BASHOPTS",
                           "BASH_FUNC_ls%%",
                           "GLOBIGNORE",
                           "GIT_EXTERNAL_DIFF",
                           "GIT_SSH_COMMAND",
                           "GIT_PAGER",
                           "GIT_CONFIG_COUNT",
                           "GIT_DIR",
                           "GIT_EXEC_PATH",
                           "GIT_ASKPASS",
                           "GIT_NEW_ONE",
                           "PAGER",
                           "MANPAGER",
                           "LESSOPEN",
                           "LESS",
                           "SYSTEMD_PAGER",
                           "EDITOR",
                           "VISUAL",
                           "BROWSER",
                           "KUBE_EDITOR",
                           "PYTHONSTARTUP",
                           "PYTHONPATH",
                           "PYTHONHOME",
                           "PYTHONINSPECT",
                           "PYTHONBREAKPOINT",
                           "PYTHONWARNINGS",
                           "NODE_OPTIONS",
                           "NODE_PATH",
                           "NPM_CONFIG_SCRIPT_SHELL",
                           "npm_config_prefix",
                           "PERL5LIB",
                           "PERL5OPT",
                           "PERL5DB",
                           "RUBYOPT",
                           "RUBYLIB",
                           "GEM_HOME",
                           "JAVA_TOOL_OPTIONS",
                           "_JAVA_OPTIONS",
                           "JDK_JAVA_OPTIONS",
                           "CLASSPATH",
                           "CC",
                           "CXX",
                           "LD",
                           "MAKEFLAGS",
                           "CARGO_HOME",
                           "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER",
                           "RUSTC",
                           "RUSTC_WRAPPER",
                           "RUSTFLAGS",
                           "GOFLAGS",
                           "GOPATH",
                           "SSH_ASKPASS",
                           "SUDO_ASKPASS",
                           "HOME",
                           "XDG_CONFIG_HOME",
                           "TMPDIR",
                           "TERMINFO",
                           "LOCPATH",
                           "NLSPATH",
                           "GCONV_PATH",
                           "HOSTALIASES",
                           "RES_OPTIONS",
                           "GZIP",
                           "TAR_OPTIONS",
                           "RIPGREP_CONFIG_PATH",
                           "FZF_DEFAULT_COMMAND",
                           "AWKPATH",
                           "POSIXLY_CORRECT",
                           "GREP_OPTIONS",
                           "ZDOTDIR",
                           "FPATH",
                           "KUBECONFIG",
                           "DOCKER_HOST",
                           "http_proxy",
                           "HTTPS_PROXY",
                           "all_proxy",
                           "GLIBC_TUNABLES",
                           "OPENSSL_CONF",
                           "PYTEST_ADDOPTS",
                           "CCACHE_PREFIX"}) {
    BOOST_TEST(is_dangerous_variable(name), name);
  }
  for (const char* name : {"CI",
                           "A",
                           "FOO",
                           "DEBUG",
                           "VERBOSE",
                           "LANG",
                           "LC_ALL",
                           "TZ",
                           "TERM",
                           "COLUMNS",
                           "LINES",
                           "NO_COLOR",
                           "FORCE_COLOR",
                           "NODE_ENV",
                           "GIT_AUTHOR_NAME",
                           "GIT_COMMITTER_DATE",
                           "GIT_TERMINAL_PROMPT",
                           "GIT_OPTIONAL_LOCKS",
                           "PYTHONUNBUFFERED",
                           "PYTHONDONTWRITEBYTECODE",
                           "PYTHONIOENCODING",
                           "PYTHONUTF8",
                           "PYTHONHASHSEED",
                           "CARGO_TERM_COLOR",
                           "RUST_LOG",
                           "RUST_BACKTRACE",
                           "PORT",
                           "GOOD",
                           "GOOS",
                           "TEXT",
                           "MANAGER",
                           "USER_ID",
                           "API_URL",
                           "path",
                           ""}) {
    BOOST_TEST(!is_dangerous_variable(name), name);
  }
}

BOOST_AUTO_TEST_CASE(a_name_that_programs_read_in_any_letter_case_is_dangerous_in_any_letter_case) {
  for (const char* name : {"Npm_Config_script_shell", "nPM_x", "Https_Proxy", "Yarn_Rc"}) {
    BOOST_TEST(is_dangerous_variable(name), name);
  }
  for (const char* name : {"Git_Dir", "Npmrc"}) BOOST_TEST(!is_dangerous_variable(name), name);
}

BOOST_AUTO_TEST_CASE(under_an_allow_list_a_call_chooses_no_encoding_in_which_a_script_means_something_else) {
  EnvironmentRules rules;
  for (const char* value : {"", "C", "POSIX", "C.UTF-8", "de_DE.utf8", "sr_RS.UTF-8@latin"}) {
    for (const char* name : {"LANG", "LC_ALL", "LC_CTYPE"}) BOOST_TEST(!refuse_name(name, rules, value), value);
  }
  // The name of a locale without an encoding may mean any: zh_TW is Big5.
  for (const char* value : {"zh_CN.GBK", "ja_JP.SJIS", "zh_TW", "zh_TW@UTF-8", "C.UTF-8.GBK", "japanese.sjis"}) {
    for (const char* name : {"LANG", "LC_ALL", "LC_CTYPE"}) {
      const auto refusal = refuse_name(name, rules, value);
      BOOST_REQUIRE_MESSAGE(refusal, value);
      BOOST_TEST(refusal->hint == "give C, POSIX, or a locale whose name ends in .UTF-8");
    }
  }
  for (const char* name : {"LC_TIME", "LC_NUMERIC", "LC_COLLATE", "LC_TERMINAL"}) {
    BOOST_TEST(!refuse_name(name, rules, "en_US"), name);
  }
  rules.allow = {"LC_ALL"};
  BOOST_TEST(!refuse_name("LC_ALL", rules, "zh_CN.GBK"));
}

BOOST_AUTO_TEST_CASE(under_an_allow_list_only_harmless_names_and_those_of_environment_allow_are_set) {
  EnvironmentRules rules;
  for (const char* name : {"LANG", "LC_ALL", "TERM", "NO_COLOR", "TZ", "CI", "TRACEPARENT", "NODE_ENV", "RUST_LOG",
                           "GIT_AUTHOR_NAME", "COLUMNS"}) {
    BOOST_TEST(!refuse_name(name, rules).has_value(), name);
  }
  // Some shells evaluate these two, and run the commands in them.
  for (const char* name : {"COLUMNS", "LINES"}) {
    BOOST_TEST(!refuse_name(name, rules, "120").has_value());
    BOOST_TEST(refuse_name(name, rules, "a[$(touch M)]").has_value());
  }
  for (const char* name :
       {"RM", "GREP", "M4", "DESTDIR", "b", "STAGE", "LANGUAGE", "TEXTDOMAINDIR", "MAGIC", "ci", ""}) {
    const auto refusal = refuse_name(name, rules);
    BOOST_TEST_REQUIRE(refusal.has_value(), name);
    BOOST_TEST(refusal->hint.find("environment.allow") != std::string::npos, name);
  }
  rules.allow = {"STAGE", "MY_*", "GIT_*", "RM", "*"};
  for (const char* name : {"STAGE", "MY_X", "b", "RM"}) BOOST_TEST(!refuse_name(name, rules).has_value(), name);
  // A dangerous name must be listed exactly as it is.
  for (const char* name : {"GIT_SSH_COMMAND", "LD_PRELOAD", "GREP"})
    BOOST_TEST(refuse_name(name, rules).has_value(), name);
  // A shell depends on these variables, so they may never be set, even if they are listed.
  rules.allow = {"PATH", "BASH_ENV", "ENV", "IFS", "PWD", "BASH_FUNC_x", "GIT_SSH_COMMAND"};
  for (const char* name : {"PATH", "BASH_ENV", "ENV", "IFS", "PWD", "BASH_FUNC_x"}) {
    BOOST_TEST(refuse_name(name, rules).has_value(), name);
  }
  BOOST_TEST(!refuse_name("GIT_SSH_COMMAND", rules).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace environment_test
