// The readers of JSON from others: arguments of calls and configurations, explanations of calls, outputs and answers of
// steps, messages of MCP clients, records of journals. Each accepts what RFC 8259 requires and refuses what it forbids,
// and none crashes.
//
// tests/json/run does the same with an outside suite: the files of the folder WTOOL_JSON_SUITE, whose names begin with
// y_ (must be accepted), n_ (must be refused) or i_ (may be either).
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "base/json_reader.h"
#include "base/raw_json.h"
#include "expressions/value.h"
#include "journal/record.h"
#include "mcp/message.h"

BOOST_AUTO_TEST_SUITE(json_readers_test)

namespace {

using wtool::parse_json;
using wtool::parse_json_object;
using wtool::host::journal::RecordReader;
using wtool::host::mcp::Message;
using wtool::host::mcp::read_message;

bool arguments_take(const std::string& value) {
  std::string problem;
  parse_json_object("{\"value\":" + value + '}', problem);
  return problem.empty();
}

bool answers_take(const std::string& value) { return !parse_json(value).is_discarded(); }

bool explanations_take(const std::string& value) {
  return !wtool::members_of(R"({"verdict":"allow","value":)" + value + '}').empty();
}

bool outputs_take(const std::string& value) {
  return wtool::host::expressions::parse_json_value("[" + value + ']').has_value();
}

bool messages_take(const std::string& value) {
  const std::string line = R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"value":)" + value + "}}";
  const Message message = read_message(line);
  BOOST_TEST((message.kind == Message::Kind::request || message.error.code != 0));
  return message.kind == Message::Kind::request;
}

bool records_take(const std::string& value) {
  RecordReader reader;
  return reader
      .take(R"({"v":1,"type":"run_started","time":"2026-11-21T23:15:02.123Z","name":"n","extra":)" + value + '}')
      .empty();
}

struct Reader {
  const char* name;
  bool (*takes)(const std::string& value);
};

const Reader readers[] = {
    {"arguments and configurations", arguments_take},
    {"answers of steps", answers_take},
    {"explanations of calls, and kept results", explanations_take},
    {"outputs of steps", outputs_take},
    {"messages of MCP clients", messages_take},
    {"records of journals", records_take},
};

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  for (; times > 0; --times) all += text;
  return all;
}

const std::vector<std::string> json_texts = {"null",
                                             "true",
                                             "false",
                                             "0",
                                             "-0",
                                             "1",
                                             "-1",
                                             "10",
                                             "0.5",
                                             "-0.0",
                                             "1e5",
                                             "1E+5",
                                             "1.5e-5",
                                             "9007199254740993",
                                             "9223372036854775807",
                                             "-9223372036854775808",
                                             "18446744073709551615",
                                             "100000000000000000000000",
                                             "1e-400",
                                             "\"\"",
                                             "\"a\"",
                                             R"("\"\\\/\b\f\n\r\t")",
                                             R"("\u0000")",
                                             R"("\u00fC")",
                                             R"("\ud83d\ude42")",
                                             "\"ü漢🙂\"",
                                             "\"\x7f\"",
                                             "\"\u2028\u2029\"",
                                             "\"/\"",
                                             "[]",
                                             "{}",
                                             " [ ] ",
                                             "\t{\r\n}\n",
                                             "[1,2]",
                                             "[[],{}]",
                                             R"({"":0})",
                                             R"({"a":1,"b":[null]})",
                                             R"({"a\u0000b":1})"};

const std::vector<std::string> other_texts = {"",
                                              " ",
                                              "nul",
                                              "True",
                                              "nullx",
                                              "NaN",
                                              "Infinity",
                                              "-Infinity",
                                              "+1",
                                              "01",
                                              "-01",
                                              "-",
                                              "1.",
                                              ".5",
                                              "-.5",
                                              "1e",
                                              "1e+",
                                              "0x1F",
                                              "1_000",
                                              "1 2",
                                              "\"",
                                              "\"a",
                                              "'a'",
                                              R"("\a")",
                                              R"("\x41")",
                                              R"("\u12")",
                                              R"("\u12g4")",
                                              R"("\)",
                                              "\"\t\"",
                                              "\"\n\"",
                                              std::string("\"\0\"", 3),
                                              "\"\x1f\"",
                                              "\"\xff\"",
                                              "\"\xc3\"",
                                              "\"\xc0\xaf\"",
                                              "\"\xed\xa0\x80\"",
                                              "\"\xf4\x90\x80\x80\"",
                                              "[",
                                              "]",
                                              "[1",
                                              "[1,]",
                                              "[,1]",
                                              "[1,,2]",
                                              "[1 2]",
                                              "[1]]",
                                              "{",
                                              R"({"a")",
                                              R"({"a":})",
                                              R"({"a":1,})",
                                              R"({a:1})",
                                              R"({1:1})",
                                              R"({'a':1})",
                                              R"({"a" 1})",
                                              R"({"a"::1})",
                                              R"({"a":1 "b":2})",
                                              "{]",
                                              "[}",
                                              "// x\n1",
                                              "/* x */ 1",
                                              "1 // x",
                                              "# x\n1",
                                              "\u00a0"
                                              "1",
                                              "1\u00a0",
                                              "\u2060[]",
                                              "\xef\xbb\xbf\xef\xbb\xbf[]",
                                              "1;",
                                              "[1]x",
                                              "\f1",
                                              "\v1",
                                              std::string("1\0", 2),
                                              std::string("[]\0[]", 5),
                                              std::string("\0[]", 3),
                                              std::string("{}\0}", 4),
                                              std::string("[1\0]", 4)};

std::string shown(const std::string& text) {
  return '<' + nlohmann::json(text.substr(0, 60)).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + '>';
}

}  // namespace

BOOST_AUTO_TEST_SUITE(json_readers)

BOOST_AUTO_TEST_CASE(what_is_json_is_taken_by_every_reader) {
  for (const Reader& reader : readers) {
    for (const std::string& text : json_texts) BOOST_TEST(reader.takes(text), reader.name << ": " << shown(text));
  }
}

BOOST_AUTO_TEST_CASE(what_is_not_json_is_refused_by_every_reader) {
  for (const Reader& reader : readers) {
    for (const std::string& text : other_texts) {
      // The reader of outputs puts the text into a list, and a text without a value makes an empty list.
      if (reader.takes == outputs_take && text.find_first_not_of(' ') == std::string::npos) continue;
      BOOST_TEST(!reader.takes(text), reader.name << ": " << shown(text));
    }
  }
}

// RFC 8259 leaves these cases to the reader.
BOOST_AUTO_TEST_CASE(what_readers_may_choose_has_not_changed) {
  struct Row {
    std::string text;
    bool arguments, answers, outputs, messages, records;
  };
  const std::string flat = repeated("[", 60) + repeated("]", 60);
  const std::string deep = repeated("[", 200) + repeated("]", 200);
  const Row rows[] = {
      // A number that no double can represent would become a different number.
      {"1e400", false, false, false, false, false},
      {"-1e400", false, false, false, false, false},
      // Of two values with one key, one would be lost.
      {R"({"a":1,"a":2})", false, true, true, true, true},
      // Half of a character: clients of MCP cut texts there, and get U+FFFD.
      {R"("\ud83d")", false, false, false, true, false},
      {R"("\ude42\ud83d")", false, false, false, true, false},
      // The byte order mark may come only before a whole text.
      {"\xef\xbb\xbf[]", false, true, false, false, false},
      {flat, true, true, true, true, true},
      {deep, false, true, false, false, true},
  };
  for (const Row& row : rows) {
    BOOST_TEST_CONTEXT(shown(row.text)) {
      BOOST_TEST(arguments_take(row.text) == row.arguments);
      BOOST_TEST(answers_take(row.text) == row.answers);
      BOOST_TEST(outputs_take(row.text) == row.outputs);
      BOOST_TEST(messages_take(row.text) == row.messages);
      BOOST_TEST(records_take(row.text) == row.records);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_hundred_thousand_levels_end_no_reader) {
  for (const Reader& reader : readers) {
    BOOST_TEST_CONTEXT(reader.name) {
      for (const char* open : {"[", "{\"a\":", "[{\"a\":"}) BOOST_TEST(!reader.takes(repeated(open, 100'000)));
      reader.takes(repeated("[", 100'000) + repeated("]", 100'000));
      reader.takes(repeated("{\"a\":", 100'000) + "1" + repeated("}", 100'000));
    }
  }
}

BOOST_AUTO_TEST_CASE(an_outside_suite) {
  const char* const folder = std::getenv("WTOOL_JSON_SUITE");
  if (folder == nullptr) return;
  // JSON that readers refuse on purpose.
  const std::map<std::string, std::string> refused = {
      {"arguments and configurations: y_object_duplicated_key.json", "a key twice"},
      {"arguments and configurations: y_object_duplicated_key_and_value.json", "a key twice"}};
  std::size_t files = 0;
  std::map<std::string, std::size_t> used;
  std::map<std::string, int> chosen;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    ++files;
    for (const Reader& reader : readers) {
      const std::string what = std::string(reader.name) + ": " + name;
      // In a list, a text without a value makes an empty list, and several values make a longer one.
      const bool fits_in_a_list = reader.takes == outputs_take && parse_json('[' + text + ']').is_array();
      const bool taken = reader.takes(text);
      if (name.starts_with("y_") && refused.count(what) != 0) {
        BOOST_TEST(!taken, what);
      } else if (name.starts_with("y_")) {
        BOOST_TEST(taken, what);
      } else if (name.starts_with("n_")) {
        BOOST_TEST((!taken || fits_in_a_list), what);
      } else {
        chosen[reader.name] += taken ? 1 : 0;
      }
    }
  }
  BOOST_TEST(files > 0U);
  for (const auto& [name, count] : chosen) BOOST_TEST_MESSAGE(name << " take " << count << " that are free");
  BOOST_TEST_MESSAGE(files << " files, " << std::size(readers) << " readers");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
