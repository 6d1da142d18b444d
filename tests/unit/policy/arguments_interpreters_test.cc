// policy/arguments.h: programs of awk and sed that are judged safe write and execute nothing in any of the awks and
// seds that are installed here. The programs are generated: code that interpreters read differently, followed by
// something that writes or executes, so that one of them divides where another begins a regular expression.
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <random>

#include "policy/arguments.h"
#include "support/program.h"

using namespace wtool::test;
using wtool::policy::ArgumentJudgement;
using wtool::policy::judge_arguments;
using wtool::policy::judge_program_text;

namespace {

using Texts = std::vector<std::string>;
using Kind = ArgumentJudgement::Kind;

// An interpreter, and the options in front of the program.
using Interpreter = Texts;

bool is_installed(const std::string& program) {
  for (const char* folder : {"/usr/bin/", "/bin/", "/usr/local/bin/"}) {
    if (::access((folder + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

std::vector<Interpreter> installed(const std::vector<Interpreter>& all) {
  std::vector<Interpreter> found;
  for (const Interpreter& each : all) {
    if (is_installed(each.front())) found.push_back(each);
  }
  return found;
}

// Runs programs in separate folders, and checks whether they left something there.
class Trial {
 public:
  explicit Trial(std::vector<Interpreter> interpreters) : interpreters_(std::move(interpreters)) {}

  // What the program made; empty: nothing.
  std::string leaves(const std::string& program) {
    for (const Interpreter& interpreter : interpreters_) {
      const ScratchFolder folder;
      folder.file("f", "one 1\ntwo 2\n");
      folder.file("canary.awk", "BEGIN { system(\"touch canary\") }\n");
      // The limits stop an endless loop.
      Texts argv = {"/bin/sh", "-c", "ulimit -t 2; ulimit -f 64; exec \"$@\"", "sh"};
      argv.insert(argv.end(), interpreter.begin(), interpreter.end());
      argv.insert(argv.end(), {program, "f"});
      wtool::test::run(argv, {.directory = folder.path(), .limit = std::chrono::seconds(10)});
      for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
        const std::string name = entry.path().filename().string();
        if (name != "f" && name != "canary.awk") return interpreter.front() + " made " + name;
      }
    }
    return {};
  }

 private:
  std::vector<Interpreter> interpreters_;
};

// Checks that programs that are judged safe leave nothing. Some of the other programs must leave something, because
// otherwise nothing was tested.
void safe_ones_leave_nothing(const std::string& tool, const Texts& programs, Trial trial) {
  constexpr int most_refused = 100;
  int harmful = 0, refused = 0, safe = 0;
  for (const std::string& program : programs) {
    const bool is_safe = judge_arguments(tool, {tool, program, "f"}).kind == Kind::safe;
    if (!is_safe && refused == most_refused) continue;
    const std::string left = trial.leaves(program);
    if (is_safe) {
      ++safe;
      BOOST_TEST(left.empty(), tool << " '" << program << "' is judged safe: " << left);
    } else {
      ++refused;
      harmful += left.empty() ? 0 : 1;
    }
  }
  BOOST_TEST_MESSAGE(tool << ": " << safe << " safe, " << harmful << " of " << refused << " refused did harm");
  BOOST_TEST(safe >= 20);
  BOOST_TEST(harmful >= 5);
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
  return text;
}

// `count` of the texts, chosen at random.
Texts chosen(Texts all, std::size_t count, std::mt19937& random) {
  for (std::size_t i = 0; i < all.size(); ++i) std::swap(all[i], all[i + random() % (all.size() - i)]);
  all.resize(std::min(all.size(), count));
  return all;
}

Texts awk_programs() {
  const Texts lefts = {"x",
                       "1",
                       "\"a\"",
                       "$1",
                       "x[1]",
                       "(1)",
                       "x++",
                       "++x",
                       "x--",
                       "func",
                       "case",
                       "default",
                       "switch (1)",
                       "switch",
                       "length",
                       "length()",
                       "next",
                       "nextfile",
                       "getline",
                       "getline x",
                       "in",
                       "return",
                       "exit",
                       "delete x",
                       "do",
                       "else",
                       "if (1)",
                       "while (0)",
                       "for (;0;)",
                       "BEGIN",
                       "END",
                       "BEGINFILE",
                       "rand",
                       "rand()",
                       "systime",
                       "fflush",
                       "int",
                       "substr",
                       "typeof",
                       "and",
                       "print",
                       "print 1",
                       "printf",
                       "!x",
                       "x ~",
                       "x =",
                       "x,",
                       "x ?",
                       "x :",
                       "x &&",
                       "x ||",
                       "/a/",
                       "NF",
                       "x\n",
                       "x;",
                       "}",
                       "{",
                       "(",
                       ")",
                       "x \\\n",
                       "# c\n",
                       "function",
                       "break",
                       "continue",
                       "close",
                       "1e",
                       "0x1",
                       ".5",
                       "x %",
                       "x ^",
                       "**",
                       "-",
                       "print > \"/dev/stderr\""};
  const Texts middles = {"/ E / 1",           "/ E /",        "/ \"/; E; \"/", "/\"/; E; /\"/", "/ 1; E; x = 1 /1",
                         "/[/]/; E #/",       "/[]/]; E; #/", "/\\/; E; #/",   "/ #/\n; E",     "/ \"; E; x = \" /",
                         "/= E /= 1",         "> 1; E",       "< \"f\"; E",    "; E",           "\"\\\"; E; \"",
                         "/\\\\/; E; x = /a/"};
  const Texts effects = {"system(\"touch canary\")",
                         "(\"touch canary\" | getline)",
                         "print 1 > \"canary\"",
                         "print 1 | \"cat >canary\"",
                         "x",
                         "1"};
  const Texts around = {"BEGIN { P }",         "{ P }", "P", "BEGIN { y = P }", "function g(a) { P } BEGIN { g(1) }",
                        "{ if (1) P; else P }"};
  Texts all;
  for (const std::string& left : lefts) {
    for (const std::string& middle : middles) {
      for (const std::string& effect : effects) {
        for (const std::string& place : around) {
          all.push_back(replaced(place, "P", left + " " + replaced(middle, "E", effect)));
        }
      }
    }
  }
  return all;
}

Texts sed_programs() {
  const Texts fronts = {"",
                        "p;",
                        "1",
                        "$!",
                        "/a/",
                        "/a/I",
                        "/[/]/",
                        "\\,a,",
                        "\\cac",
                        "0~1",
                        "1,/x/",
                        "/o/,+1",
                        "s/o/x/;",
                        "s/o/x/\n",
                        "s,o,x,g;",
                        "s/[/]/x/;",
                        "s/[/]/x/\n",
                        "s/[]/]/x/;",
                        "s/o/[/;",
                        "s/\\//x/;",
                        "s/o/\\/;",
                        "y/o/x/;",
                        "y,\\,,x,;",
                        "{",
                        "{p;",
                        "{p};",
                        "{p}",
                        ":a;",
                        ":a\n",
                        "ba;:a;",
                        "b};",
                        "/z/b;",
                        "a x\n",
                        "a\\\nx\n",
                        "a\\\nx\\\n",
                        "i\\x\n",
                        "c x\n",
                        "# c\n",
                        "#n\n",
                        "r f\n",
                        "l 5;",
                        "q5;",
                        "n;",
                        "=;",
                        "v\n",
                        "s/o/\\\n/;",
                        "s/o/x/w /dev/stdout\n",
                        "w /dev/stdout\n",
                        "a x;",
                        "a\\",
                        "s/o/x/p ",
                        "s/o/x/g;",
                        "z;",
                        "F;",
                        "D;",
                        "s/o/x/2 ;",
                        "1!",
                        "$ ! ",
                        "s\x01o\x01x\x01;",
                        "s/[[:alpha:]/]/x/;",
                        "s/a\\",
                        "y/o/x/ ; ",
                        "}",
                        "t;",
                        "T a;",
                        "s/x/y/#"};
  const Texts effects = {"e touch canary",
                         "w canary",
                         "W canary",
                         "s/o/touch canary/e",
                         "s/.*/touch canary/e",
                         "s/o/x/w canary",
                         "s/.*/touch canary/ge",
                         "p",
                         "s/o/x/gw canary",
                         "s/o/x/",
                         "s/.*/touch canary/;e",
                         "s/o/x/ w canary"};
  const Texts backs = {"", ";p", "\n}", "}", "/", "\np", " ; }", ";}", "\\\n", "#", "/w x"};
  Texts all;
  for (const std::string& front : fronts) {
    for (const std::string& effect : effects) {
      for (const std::string& back : backs) all.push_back(front + effect + back);
    }
  }
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(arguments_interpreters)

BOOST_AUTO_TEST_CASE(awk_programs_that_are_judged_safe_do_nothing_in_any_awk_that_is_installed) {
  const auto interpreters =
      installed({{"mawk"}, {"gawk"}, {"gawk", "-c"}, {"gawk", "-P"}, {"original-awk"}, {"busybox", "awk"}});
  if (interpreters.empty()) return;
  std::mt19937 random(7);
  Texts programs;
  int safe = 0, others = 0;
  // Most programs are errors to every interpreter. What matters are those that are judged safe.
  for (const std::string& program : chosen(awk_programs(), 12000, random)) {
    const bool is_safe = judge_arguments("awk", {"awk", program, "f"}).kind == Kind::safe;
    if (is_safe ? ++safe <= 200 : ++others <= 100) programs.push_back(program);
  }
  safe_ones_leave_nothing("awk", programs, Trial(interpreters));
}

BOOST_AUTO_TEST_CASE(sed_scripts_that_are_judged_safe_do_nothing_in_any_sed_that_is_installed) {
  const auto interpreters = installed({{"sed"}, {"sed", "-n"}, {"sed", "-E"}, {"busybox", "sed"}});
  if (interpreters.empty()) return;
  std::mt19937 random(7);
  Texts programs;
  int safe = 0, others = 0;
  for (const std::string& program : chosen(sed_programs(), 12000, random)) {
    const bool is_safe = judge_arguments("sed", {"sed", program, "f"}).kind == Kind::safe;
    if (is_safe ? ++safe <= 200 : ++others <= 100) programs.push_back(program);
  }
  safe_ones_leave_nothing("sed", programs, Trial(interpreters));
}

BOOST_AUTO_TEST_SUITE_END()
