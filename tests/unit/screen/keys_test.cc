// Keys by their names.
#include "screen/keys.h"

#include <boost/test/unit_test.hpp>

#include "screen/screen.h"

using namespace wtool::screen;

namespace {

std::string bytes(std::string_view name, Screen& screen) {
  const auto key = key_of(name);
  return key ? screen.bytes_of(*key) : "no key";
}

std::string bytes(std::string_view name) {
  Screen screen(Size{});
  return bytes(name, screen);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_key_is_what_terminals_send_for_it) {
  BOOST_TEST(bytes("enter") == "\r");
  BOOST_TEST(bytes("Escape") == "\x1b");
  BOOST_TEST(bytes("tab") == "\t");
  BOOST_TEST(bytes("shift+tab") == "\x1b[Z");
  BOOST_TEST(bytes("backspace") == "\x7f");
  BOOST_TEST(bytes("up") == "\x1b[A");
  BOOST_TEST(bytes("ctrl+right") == "\x1b[1;5C");
  BOOST_TEST(bytes("pagedown") == "\x1b[6~");
  BOOST_TEST(bytes("f1") == "\x1bOP");
  BOOST_TEST(bytes("f12") == "\x1b[24~");
  BOOST_TEST(bytes("ctrl+c") == "\x03");
  BOOST_TEST(bytes("Ctrl+C") == "\x03");
  BOOST_TEST(bytes("ctrl+[") == "\x1b");
  BOOST_TEST(bytes("ctrl+space") == std::string(1, '\0'));
  BOOST_TEST(bytes("ctrl+m") == "\r");
  BOOST_TEST(bytes("alt+x") == "\x1bx");
  BOOST_TEST(bytes("ctrl+alt+c") == "\x1b\x03");
  BOOST_TEST(bytes("shift+a") == "A");
  BOOST_TEST(bytes("A") == "A");
  BOOST_TEST(bytes("+") == "+");
  BOOST_TEST(bytes("alt++") == "\x1b+");
  BOOST_TEST(bytes("space") == " ");
  BOOST_TEST(bytes("\xc3\xa4") == "\xc3\xa4");
}

BOOST_AUTO_TEST_CASE(the_arrow_keys_differ_if_a_program_wants_that) {
  Screen screen(Size{});
  std::string replies;
  screen.take("\x1b[?1h", replies);
  BOOST_TEST(bytes("up", screen) == "\x1bOA");
}

BOOST_AUTO_TEST_CASE(what_is_not_the_name_of_a_key_gives_nothing) {
  for (const char* name : {"", "ctrl+", "ctrl+enterr", "hyper+a", "f0", "f13", "f1x", "ab", "ctrl+\xc3\xa4",
                           "ctrl+ctrl+c", "\x01", "\xff", "ctrl+1", "f99999999999"}) {
    BOOST_TEST(!key_of(name).has_value(), "'" << name << "'");
  }
}

BOOST_AUTO_TEST_CASE(the_end_of_a_line_in_a_text_is_the_key_enter) {
  BOOST_TEST(Screen::bytes_of("a\nb\r\nc\r") == "a\rb\rc\r");
}
