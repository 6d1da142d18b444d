// policy/judge.h: what a refusal tells its reader: how certain it is, and what to write instead.
#include <boost/test/unit_test.hpp>

#include "judge_rules.h"
#include "support/program.h"

namespace hints_test {

using namespace wtool::policy;
using namespace wtool::test::judge_rules;

BOOST_AUTO_TEST_SUITE(hints)

BOOST_AUTO_TEST_CASE(a_refusal_says_might_where_it_cannot_know) {
  const Rules rules = Rules().deny({"echo secret", "rm"});
  check(rules, "echo $(id)", Decision::deny, "echo $(id)", "commands.deny: echo secret",
        "\"echo $(id)\" might match the entry \"echo secret\", which denies it: a part of the command is known only "
        "when the line runs");
  check(rules, "echo secret $(id)", Decision::deny, "echo secret $(id)", "commands.deny: echo secret",
        "is denied by the entry \"echo secret\"");
  check(rules, "rm $x", Decision::deny, "rm $x", "commands.deny: rm", "is denied by the entry \"rm\"");
  check(Rules().ask({"echo git push"}), "echo $n", Decision::ask, "echo $n", "commands.ask: echo git push",
        "\"echo $n\" might match the entry \"echo git push\", which needs a person's approval");
}

BOOST_AUTO_TEST_CASE(a_hint_names_the_entry_that_would_allow_a_line) {
  const auto safe = [](std::vector<std::string> allow) { return Rules().allow(std::move(allow)).safe(); };
  const std::string person = "the person who maintains the configuration can add it";
  for (const char* line : {"npm test", "cargo build --release"}) {
    const std::string entry = '"' + std::string(line) + '"';
    const std::string hint = safe({"npm", "cargo"}).verdict(line).hint;
    BOOST_TEST(hint == "the entry " + entry + " in commands.allow would allow it; " + person);
    BOOST_TEST(to_text(safe({"npm", "cargo", line}).verdict(line).decision) == "allow");
  }
  BOOST_TEST(safe({"npm"}).verdict("npm test " + std::string(200, 'x')).hint ==
             "leave it out; commands.allow can name the whole command");
  BOOST_TEST(safe({"make"}).verdict("make").hint ==
             "an entry that also names arguments would allow the program with exactly these: \"make ARGUMENT\"");
  // No entry can express these words.
  for (const char* line : {"npm test 'a b'", "npm test '*'"}) {
    const std::string hint = "leave it out: no entry can name these words; commands.unlisted: ask lets a person decide";
    BOOST_TEST(safe({"npm"}).verdict(line).hint == hint);
  }
  BOOST_TEST(safe({"./mytool"}).verdict("./mytool x").hint ==
             "the entry \"./mytool *\" in commands.allow would allow all of them; " + person);
  BOOST_TEST(to_text(safe({"./mytool *"}).verdict("./mytool x").decision) == "allow");
  BOOST_TEST(Rules().allow({"make"}).verdict("'time' make").hint ==
             "leave out the word time, or add the entry \"time\" to commands.allow");
}

BOOST_AUTO_TEST_CASE(a_refusal_never_shows_a_placeholder_or_a_description_as_a_path) {
  const wtool::test::ScratchFolder scratch;
  Rules rules = Rules().allow({"git", "cat", "curl *", "ln"}).safe();
  check(rules, "git -C /proc/self/cwd status", Decision::deny, "git", "commands.allow",
        "the repository is known only when the command runs, and may have filters, which run programs");
  rules = Rules().allow({"cat", "cd", "curl *", "ln *"});
  rules.directories = {{scratch.path()}, true};
  rules.directory = scratch.path();
  const std::string many = "a" + std::string(200, ',');
  for (const auto& [line, reason] :
       {std::pair<std::string, std::string>("cat /etc/passwd", "\"/etc/passwd\" is outside of "),
        {"cat /etc/../etc/passwd", " leads to \"/etc/passwd\", outside of "},
        {"cat " + many, " may lead out of directories.roots: it may name more paths than are checked"},
        {"cat /proc/self/cwd/x", " may lead out of directories.roots: it is not known where it leads"},
        {"cat a://%2e", " may lead out of directories.roots: it is written with %"},
        {"curl 'http://[a-b]'", " may lead out of directories.roots: curl may expand it to any address"},
        {"ln -s a/../b c", " may lead out of directories.roots: the target of a link is relative to the link's own"}}) {
    const Verdict verdict = rules.verdict(line);
    BOOST_TEST(to_text(verdict.decision) == "deny", line);
    BOOST_TEST(verdict.reason.find(reason) != std::string::npos, line << ": " << verdict.reason);
  }
  rules.directories.confine_arguments = false;
  check(rules, "cd /etc && cat x", Decision::deny, "/etc", "commands.allow", "cd would lead to \"/etc\", outside of");
  check(rules, "cd /proc/self/cwd && cat x", Decision::deny, "/proc/self/cwd", "commands.allow",
        "it is not known where cd leads; the folder may be outside of directories.roots");
}

BOOST_AUTO_TEST_CASE(a_refusal_says_what_to_write_instead) {
  const Rules rules = Rules().allow({"ls", "sh", "cat"}).safe();
  for (const auto& [line, hint] : {std::pair("ls $(cat a)", "run that command first"),
                                   std::pair("for f in a; do ls; done", "give all names to one"),
                                   std::pair("if ls; then cat; fi", "with test or ["),
                                   std::pair("[[ -f a ]]", "write [ ... ]"),
                                   std::pair("(ls)", "leave the parentheses out"),
                                   std::pair("{ ls; }", "leave the braces out"),
                                   std::pair("cat <> a", "write < FILE"),
                                   std::pair("ls > a", "such as tee"),
                                   std::pair("ls &>/dev/null", "2>&1"),
                                   std::pair("cat <<< a", "printf '%s\\n' TEXT |"),
                                   std::pair("cat <<E\n$X\nE", "(<<'E"),
                                   std::pair("ls &", "leave the &"),
                                   std::pair("ls {a,b}", "write the words out"),
                                   std::pair("ls ${HOME}", "$HOME, $PWD and $? are known"),
                                   std::pair("cat <(ls)", "use a pipe"),
                                   std::pair("sh -c ls", "without sh"),
                                   std::pair("hash ls", "which NAME"),
                                   std::pair("cd a && ls", "set working_directory to the folder instead"),
                                   std::pair("pushd a", "write cd DIRECTORY"),
                                   std::pair(". a", "name programs by their paths")}) {
    const Verdict verdict = rules.verdict(line);
    BOOST_TEST(to_text(verdict.decision) == "deny", line);
    BOOST_TEST(verdict.hint.find(hint) != std::string::npos, line << ": " << verdict.reason << ": " << verdict.hint);
  }
}

BOOST_AUTO_TEST_CASE(a_long_hint_is_cut) {
  std::vector<std::string> many;
  for (int i = 0; i < 40; ++i) many.push_back("tool" + std::to_string(i));
  const Verdict verdict = Rules().allow(many).verdict(std::string(1000, 'x'));
  BOOST_TEST(verdict.hint.find("and 28 more") != std::string::npos);
  BOOST_TEST(verdict.reason.size() < 300U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace hints_test
