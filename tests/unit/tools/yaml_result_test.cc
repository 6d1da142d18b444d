// Any text is read back from its YAML unchanged, as a string, by yaml-cpp and, if it is installed, by Python's parser.
#include "base/yaml_text.h"

#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <random>

#include "base/utf8.h"
#include "policy/words/characters.h"
#include "support/program.h"

namespace yaml_result_test {

using wtool::yaml_result;
using wtool::yaml_scalar;

namespace {

std::string utf8(std::uint32_t code_point) {
  std::string text;
  wtool::append_utf8(text, code_point);
  return text;
}

bool is_surrogate(std::uint32_t code_point) { return code_point >= 0xD800 && code_point <= 0xDFFF; }

// Parses the text as part of a result, with another key after it.
bool comes_back(const std::string& text) {
  try {
    const YAML::Node node = YAML::Load(yaml_result(0, text, "behind"));
    // "!" is the tag of a quoted text or a block: a string in every schema.
    return node.size() == 3 && node["stdout"].Tag() == "!" && node["stdout"].as<std::string>() == text &&
           node["stderr"].as<std::string>() == "behind" && node["exit_code"].as<int>() == 0;
  } catch (const YAML::Exception&) {
    return false;
  }
}

// Texts of blanks, line ends and characters that have a meaning in YAML.
std::vector<std::string> awkward_texts() {
  std::vector<std::string> texts = {"",
                                    " ",
                                    "\n",
                                    "\n\n",
                                    "\t",
                                    "~",
                                    "null",
                                    "true",
                                    "1",
                                    "1.5",
                                    "0x10",
                                    "2026-01-02",
                                    "- a\n",
                                    "a: b\n",
                                    "# a\n",
                                    "---\n",
                                    "...\n",
                                    "%TAG\n",
                                    "| a\n",
                                    "> a\n",
                                    "\"a\"\n",
                                    "'a'\n",
                                    "\\n\n",
                                    "a\n\n\n",
                                    "\n\na\n",
                                    " a\n",
                                    "  a\n b\n",
                                    "a\n b",
                                    "\ta\n",
                                    "a\n\tb\n",
                                    "a \n",
                                    "a\n \n",
                                    " \na\n",
                                    "a\r\nb\r\n",
                                    "a\rb",
                                    "a\n  \nb\n",
                                    "x\n# y",
                                    "a\n---\nb",
                                    "\x1b[31mred\x1b[0m\n",
                                    std::string("a\0b", 3),
                                    std::string("\0", 1),
                                    "\x7f",
                                    "\xC2\x85",
                                    "\xE2\x80\xA8"
                                    "b\n",
                                    "\xEF\xBB\xBF"
                                    "a\n",
                                    "\xE6\xBC\xA2\xE5\xAD\x97\n",
                                    "=",
                                    "<<",
                                    "!a\n",
                                    "&a\n",
                                    "*a\n",
                                    "?\n"};
  std::mt19937 random(7);
  constexpr std::string_view letters = " \n\ta-:#'\"\\|%\r{";
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::size_t left = random() % 12; left > 0; --left) text.push_back(letters[random() % letters.size()]);
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(yaml)

BOOST_AUTO_TEST_CASE(lines_of_text_are_shown_as_they_are) {
  BOOST_TEST(yaml_result(0, "hello\n", "") == "exit_code: 0\nstdout: |\n  hello\nstderr: \"\"\n");
  BOOST_TEST(yaml_result(2, "a\n\n  b", " c\n\n") == "exit_code: 2\nstdout: |-\n  a\n\n    b\nstderr: |2+\n   c\n\n");
}

BOOST_AUTO_TEST_CASE(ambiguous_scalars_are_quoted) {
  BOOST_TEST(yaml_scalar("") == "\"\"\n");
  BOOST_TEST(yaml_scalar("true") == "\"true\"\n");
  BOOST_TEST(yaml_scalar("12") == "\"12\"\n");
  BOOST_TEST(yaml_scalar("a\x1b[0m\n") == "\"a\\x1b[0m\\n\"\n");
  BOOST_TEST(yaml_scalar("\x7f") == "\"\\u007F\"\n");
  BOOST_TEST(yaml_scalar(utf8(0x1FFFE)) == "\"\\U0001FFFE\"\n");
}

BOOST_AUTO_TEST_CASE(every_character_survives_alone_and_in_lines) {
  std::string lost;
  for (std::uint32_t begin = 0; begin <= 0x10FFFF; begin += 64) {
    // 64 characters at a time. Where characters have meanings in YAML, each is also tested alone.
    const bool special = begin < 0x300 || (begin >= 0x2000 && begin < 0x2080) || (begin & 0xFFFF) >= 0xFD00;
    std::string all;
    for (std::uint32_t each = begin; each < begin + 64; ++each) {
      if (!is_surrogate(each)) all += utf8(each);
    }
    if (!comes_back(all) || !comes_back("a\n" + all + "\nb\n")) lost += std::to_string(begin) + " ";
    if (!special) continue;
    for (std::uint32_t each = begin; each < begin + 64; ++each) {
      for (const std::string& text : {utf8(each), "a" + utf8(each) + "\nb\n", "a\n" + utf8(each)}) {
        if (!comes_back(text)) lost += std::to_string(each) + " ";
      }
    }
  }
  BOOST_TEST(lost == "");
}

BOOST_AUTO_TEST_CASE(awkward_texts_survive) {
  for (const std::string& text : awkward_texts()) {
    if (!comes_back(text))
      BOOST_ERROR("not read back unchanged: " << nlohmann::json(text) << "\n" << yaml_scalar(text));
  }
}

BOOST_AUTO_TEST_CASE(long_texts_survive) {
  BOOST_TEST(comes_back(std::string(3'000'000, 'x')));
  BOOST_TEST(comes_back(std::string(1'000'000, ' ')));
  std::string lines;
  while (lines.size() < 3'000'000) lines += "a line of text: " + std::to_string(lines.size()) + "\n";
  BOOST_TEST(comes_back(lines));
  BOOST_TEST(comes_back("\x1b" + lines));
}

BOOST_AUTO_TEST_CASE(pythons_parser_reads_the_same) {
  if (wtool::test::run({"/usr/bin/env", "python3", "-c", "import yaml"}).exit_code != 0) {
    BOOST_TEST_MESSAGE("there is no python3 with yaml here");
    return;
  }
  const wtool::test::ScratchFolder scratch;
  nlohmann::json rows = nlohmann::json::array();
  for (const std::string& text : awkward_texts()) {
    if (rows.size() < 3000) rows.push_back({text, yaml_result(1, text, "behind")});
  }
  for (std::uint32_t each = 0; each < 0x11'0000; each += each < 0x2100 || (each & 0xFFFF) >= 0xFD00 ? 1 : 0x100) {
    if (is_surrogate(each)) continue;
    for (const std::string& text : {utf8(each), "a\n" + utf8(each) + "b\n"}) {
      if (each % 7 == 0 || each < 0x100 || (each & 0xFFFE) == 0xFFFE || (each >= 0x2020 && each < 0x2030)) {
        rows.push_back({text, yaml_result(1, text, "behind")});
      }
    }
  }
  const std::string file = scratch.file("rows.json", rows.dump());
  const std::string script = scratch.file("check.py", R"(import json, sys, yaml
loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader) if "c" in sys.argv[2:] else yaml.SafeLoader
for text, document in json.load(open(sys.argv[1])):
    try:
        read = yaml.load(document, loader)
    except yaml.YAMLError as error:
        read = str(error)
    if read != {"exit_code": 1, "stdout": text, "stderr": "behind"}:
        print(ascii(text), ascii(document), ascii(read))
)");
  for (const char* which : {"python", "c"}) {
    const auto finished = wtool::test::run({"/usr/bin/env", "python3", script, file, which});
    BOOST_TEST(finished.exit_code == 0);
    BOOST_TEST(finished.out == "");
    BOOST_TEST(finished.err == "");
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace yaml_result_test
