// Compares policy/words with another parser of shell text, by the syntax tree of shfmt. For accepted lines, the
// commands and their words are the same; in scripts of every kind, every program that shfmt sees is among the commands.
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "policy/words.h"
#include "support/program.h"

BOOST_AUTO_TEST_SUITE(words_shfmt_test)

using namespace wtool::policy;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

namespace {

// The text without the backslashes that quote. `doubled`: the text is between double quotes.
std::string unquoted(const std::string& text, bool doubled) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
    } else if (text[i + 1] == '\n') {
      ++i;
    } else if (doubled && std::string("$`\"\\").find(text[i + 1]) == std::string::npos) {
      result += text[i];
    } else {
      result += text[++i];
    }
  }
  return result;
}

// Nothing: the word is not literal.
std::optional<std::string> literal(const Json& word) {
  std::string text;
  for (const Json& part : word.at("Parts")) {
    const std::string type = part.at("Type");
    if (type == "Lit") {
      text += unquoted(part.value("Value", ""), false);
    } else if (type == "SglQuoted" && !part.value("Dollar", false)) {
      text += part.value("Value", "");
    } else if (type == "DblQuoted" && !part.value("Dollar", false)) {
      for (const Json& inner : part.value("Parts", Json::array())) {
        if (inner.at("Type") != "Lit") return std::nullopt;
        text += unquoted(inner.value("Value", ""), true);
      }
    } else {
      return std::nullopt;
    }
  }
  return text;
}

// Every CallExpr with words, in the order of the text.
void find_calls(const Json& node, std::vector<const Json*>& calls) {
  if (node.is_object() && node.value("Type", Json()) == "CallExpr" && node.contains("Args")) calls.push_back(&node);
  if (node.is_structured()) {
    for (const Json& child : node) find_calls(child, calls);
  }
}

std::size_t offset_of(const Json& node) { return node.at("Pos").value("Offset", std::size_t{0}); }

struct Shfmt {
  Shfmt() {
    if (access("/usr/bin/shfmt", X_OK) != 0)
      BOOST_FAIL("shfmt is missing; install the package shfmt (bash .ci/install-dependencies)");
  }

  // The words of each call, nullopt for a word that is not literal. Ends the test if shfmt cannot read the text.
  std::vector<std::vector<std::optional<std::string>>> calls(const std::string& text) const {
    wtool::test::ProgramOptions options;
    options.input = text;
    const auto finished = wtool::test::run({"/usr/bin/shfmt", "-ln", "bash", "--to-json"}, options);
    BOOST_TEST_REQUIRE(finished.exit_code == 0, text << ": " << finished.err);
    const Json tree = Json::parse(finished.out);
    std::vector<const Json*> found;
    find_calls(tree, found);
    std::stable_sort(found.begin(), found.end(),
                     [](const Json* one, const Json* other) { return offset_of(*one) < offset_of(*other); });
    std::vector<std::vector<std::optional<std::string>>> all;
    for (const Json* call : found) {
      all.emplace_back();
      for (const Json& word : call->at("Args")) all.back().push_back(literal(word));
    }
    return all;
  }
};

void check_that_nothing_is_missed(const Shfmt& shfmt, const std::string& text, const std::string& name) {
  const Script script = parse(text);
  BOOST_TEST(!script.error.has_value(), name << ": " << script.error.value_or(Obstacle{}).what);
  int programs = 0;
  for (const auto& call : shfmt.calls(text)) {
    if (!call.front()) continue;
    ++programs;
    const bool found =
        std::any_of(script.commands.begin(), script.commands.end(), [&call](const SimpleCommand& command) {
          // A word that is not literal might name this program, but that does not count, because shfmt sees a literal
          // name.
          return !command.words.empty() && command.words.front().text == *call.front();
        });
    BOOST_TEST(found, name << ": shfmt sees the program <" << *call.front() << ">");
  }
  BOOST_TEST(programs > 0, name);
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(accepted_lines_have_the_same_commands_and_words, Shfmt) {
  for (const std::string& line : Words{
           "ls -la; git log && make || cat",
           "! grep -v 'a b' \"c d\" e\\ f | sort",
           "find . -name '*.c' ! -path \"./x\" 2>/dev/null",
           "ls 2>&1 >/dev/null | wc -l",
           "cat <<'E' && rm x\nrm y\nE\nls",
           "git commit -m 'one\ntwo' --amend # and not $(this)",
           "printf %s\\\\n \"a\\$b\\`c\\\\d\\\"e\\f\" 'it'\\''s'",
           "l\\\ns \"a\\\nb\" 'a\\\nb'",
           "git show HEAD~1 stash@{0} x^ {} foo$ \"bar$\"",
           "ls\n\n# comment\ngit status\n",
           "echo Übung 漢字 '\xC2\xA0'",
       }) {
    const Script script = parse(line);
    BOOST_TEST_REQUIRE(!script.obstacle.has_value(), line << ": " << script.obstacle.value_or(Obstacle{}).what);
    const auto expected = calls(line);
    BOOST_TEST_REQUIRE(script.commands.size() == expected.size(), line);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      BOOST_TEST_REQUIRE(script.commands[i].words.size() == expected[i].size(), line);
      for (std::size_t j = 0; j < expected[i].size(); ++j) {
        BOOST_TEST_REQUIRE(expected[i][j].has_value(), line);
        BOOST_TEST(script.commands[i].words[j].text == *expected[i][j], line);
      }
    }
  }
}

BOOST_FIXTURE_TEST_CASE(no_program_of_a_script_is_missed, Shfmt) {
  for (const std::string& text : Words{
           "if a; then b; elif c; then d; else e; fi; f",
           "while a && b; do c | d; done < e; until f; do g; done &\nh",
           "for x in $(a) `b` \"$(c)\"; do d \"$x\"; done; for ((i = $(e); i < 3; i++)); do f; done",
           "case $(a) in b | $(c)) d ;; (e) f ;& *) g ;;& esac; h",
           "select x in a b; do c; done",
           "f() { a; }; function g { b; }; function h() ( c ); f",
           "{ a; b; } | (c; d & e) && ! f",
           "a \"$(b \"$(c 'd')\" `e \\`f\\``)\" ${x:-$(g)} \"${y:+\"$(h)\"}\" ${z//$(i)/`j`}",
           "a $((1 + $(b))) $((x * (2 + `c`))) ; (( $(d) > 1 )) && e",
           "[[ -n $(a) && ( x == $(b)* || y =~ ^(c|d)$ ) ]] && e",
           "a <(b) >(c | d) < <(e)",
           "a <<E | b\n$(c) `d` ${x:-$(e)}\nE\nf",
           "a <<E <<'F' <<-G; b\n$(c)\nE\n$(not this)\nF\n\t$(d)\n\tG\ne",
           "a <<<\"$(b)\" &>/dev/null |& c",
           "x=$(a) y+=`b` g; w[$(f)]=1; z=(c $(d) [1]=$(e))",
           "declare -a x=(a $(b)); export y=$(c)",
           "coproc a; coproc NAME { b; }; time -p c | d; ! e",
           "a $(case x in y) b ;; esac) $(# comment )\n c) d",
           "a $( (b; c) ) $( { d; } ) \"$( (e) )\"",
           "{ a; } 2>$(b); (c) >d && { e; } 3>&1",
           "echo \"a\n$(b)\nc\"; d",
           "a; # $(no)\nb # `no`\nc",
           "if ! a; then b; fi | c; while read -r x; do d; done <<E\n$(e)\nE",
           "\\a 'b' \"c\"; \"a\" b; 'c' d; e\"f\"g h",
           "x=1 a; x=1 y=2 b c; x=1",
           "a && { b || c; } & d; wait",
           "f() if a; then b; fi; f() while c; do d; done; f() case x in y) e;; esac",
       }) {
    check_that_nothing_is_missed(*this, text, text);
  }
}

// Scripts that people have written, with hundreds of commands each.
BOOST_FIXTURE_TEST_CASE(no_program_of_this_projects_own_scripts_is_missed, Shfmt) {
  for (const char* name : {".ci/run", ".ci/install-dependencies", "tests/run", "tests/bench/run", "tests/fuzz/run",
                           "tests/conformance/exports.sh", "tests/conformance/headers.sh", "workflows/run"}) {
    std::ifstream file(std::string(WTOOL_TEST_SOURCE_DIR) + "/" + name);
    BOOST_TEST_REQUIRE(file.good(), name);
    check_that_nothing_is_missed(*this, std::string(std::istreambuf_iterator<char>(file), {}), name);
  }
}

BOOST_AUTO_TEST_SUITE_END()
