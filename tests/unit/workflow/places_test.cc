#include <boost/test/unit_test.hpp>

#include "workflow/quoting/quoting_context.h"

namespace places_test {

using namespace wtool::host;

namespace {

// One letter for the kind of each placeholder: b (bare), d (double quotes), s (single quotes), h (here-document),
// a (arithmetic), n (number), R (refused).
std::string places_of(const std::string& text) {
  auto parsed = expressions::parse_template(text);
  BOOST_REQUIRE(std::holds_alternative<expressions::Template>(parsed));
  std::string out;
  for (const workflow::Place& place : workflow::find_places(std::get<expressions::Template>(parsed))) {
    out += "bdshanR"[static_cast<int>(place.kind)];
    BOOST_TEST((place.kind == workflow::Place::Kind::refused) == !place.why.empty());
  }
  return out;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_place_of_a_placeholder_follows_from_the_shell_text_around_it) {
  const std::pair<const char*, const char*> cases[] = {
      {"${x}", "b"},
      {"a${x}b\"${x}\"'${x}'${x}", "bdsb"},
      {"\"a '${x}' b\"", "d"},
      {"'a \"${x}\" b'", "s"},
      {"\"$(cmd ${x} '${x}' \"${x}\")${x}\" ${x}", "bsddb"},
      {"echo \\\"${x} \\'${x}", "bb"},
      {"echo a#${x} b", "b"},
      {"echo a # ${x}", "R"},
      {"echo a;# ${x}\n${x}", "Rb"},
      {"`cmd ${x}` ${x}", "Rb"},
      {"\"`cmd \\` ${x}`${x}\"", "Rd"},
      {"$${v:-${x}}${x}", "Rb"},
      {"$((${x}+1)) ${x}", "ab"},
      {"$(( $(echo ${x}) )) ${x}", "bb"},
      {"\\${x}", "R"},
      {"\"\\${x}\"", "R"},
      {"\\\\${x}", "b"},
      {"cat <<E\n${x}\nE\n${x}", "hb"},
      {"cat <<E ${x}\n'${x}'\nE\n${x}", "bhb"},
      {"cat <<'E'\n${x}\nE\n${x}", "Rb"},
      {"cat <<\\E\n${x}\nE\n${x}", "Rb"},
      {"cat <<\"E\"\n${x}\nE\n${x}", "Rb"},
      {"cat <<E\na\\\n${x}\nE\n${x}", "Rb"},
      {"cat <<E\n$(echo ${x} '${x}')${x}\nE\n${x}", "bshb"},
      {"cat <<A <<B\n${x}\nA\n${x}\nB\n${x}", "hhb"},
      {"cat <<A <<'B'\n${x}\nA\n${x}\nB\n${x}", "hRb"},
      {"v=\"$(cat <<E\n${x}\nE\n)\" ${x}", "hb"},
      {"cat <<<${x} ${x}", "bb"},
      {"cat <<${x}\na\nE", "R"},
      // Where shells differ, or where the reading is in doubt, placeholders after that place are refused. `((1))` and
      // `$(echo in case)` are not in doubt.
      {"echo $'a\\'' ${x}", "R"},
      {"echo $[1] ${x}", "R"},
      {"((1)) && echo ${x}", "b"},
      {"((echo \"a\") ) ${x}", "R"},
      {"\"$${v:-'a'}\" ${x}", "R"},
      {"$(case a in a) echo;; esac) ${x}", "R"},
      {"$(echo in case) ${x}", "b"},
      {"cat <<E\n${x}", "R"},
      {"cat <<E \"\n\" ${x}\nE\n", "R"},
      {"a[${x}]=1", "R"},
      {"ls *[${x}]", "b"},
      {"${x}${x}\"${x}${x}\"", "bbdd"},
      {"'unclosed ${x}", "s"},
      {"\"$v${x}\"", "d"},
      {"cat <<E\n$v${x}\nE\n", "R"},
  };
  for (const auto& [text, expected] : cases) {
    BOOST_TEST_CONTEXT(text) { BOOST_TEST(places_of(text) == expected); }
  }
}

BOOST_AUTO_TEST_CASE(deep_and_long_commands_cost_linear_time_and_no_stack) {
  std::string deep;
  for (int i = 0; i < 20'000; ++i) deep += "\"$(";
  BOOST_TEST(places_of(deep + "${x}") == "R");
  std::string here;
  for (int i = 0; i < 20'000; ++i) here += "cat <<E\n$(";
  BOOST_TEST(places_of(here + "${x}") == "R");
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += "${x} '";
  BOOST_TEST(places_of(many).size() == 100'000U);
}

}  // namespace places_test
