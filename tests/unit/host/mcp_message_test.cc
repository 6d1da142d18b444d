// Lines of the protocol: which are messages, and the errors for those that are not.
#include "mcp/message.h"

#include <boost/test/unit_test.hpp>
#include <string>

namespace wtool::host::mcp {

using nlohmann::json;
using Kind = Message::Kind;

static std::string nested(std::size_t depth) {
  return R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":)" + std::string(depth, '[') +
         std::string(depth, ']') + "}}";
}

static void refused(const std::string& line, int code, const std::string& id = "") {
  const Message message = read_message(line);
  BOOST_TEST_CONTEXT(line.substr(0, 200)) {
    BOOST_TEST((message.kind == Kind::invalid));
    BOOST_TEST(message.error.code == code);
    BOOST_TEST(message.id == id);
    BOOST_TEST(!message.error.message.empty());
  }
}

BOOST_AUTO_TEST_SUITE(mcp_message)

BOOST_AUTO_TEST_CASE(a_request_has_an_id_and_a_method) {
  const Message message = read_message(R"({"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":1}})");
  BOOST_TEST((message.kind == Kind::request));
  BOOST_TEST(message.id == "7");
  BOOST_TEST(message.method == "ping");
  BOOST_TEST((message.body == json{{"a", 1}}));
}

BOOST_AUTO_TEST_CASE(without_an_id_it_is_a_notification) {
  const Message message = read_message(" {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\r");
  BOOST_TEST((message.kind == Kind::notification));
  BOOST_TEST(message.body.is_null());
}

BOOST_AUTO_TEST_CASE(with_a_result_or_an_error_it_is_a_response) {
  const Message result = read_message(R"({"jsonrpc":"2.0","id":"a","result":{"x":1}})");
  BOOST_TEST((result.kind == Kind::response));
  BOOST_TEST(result.id == "\"a\"");
  BOOST_TEST(!result.failed);
  const Message error = read_message(R"({"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}})");
  BOOST_TEST((error.kind == Kind::response));
  BOOST_TEST(error.failed);
  BOOST_TEST(error.id.empty());
  refused(R"({"jsonrpc":"2.0","id":1})", invalid_request, "1");
  // The line must end the question that it answers, and must not be answered itself.
  const Message both = read_message(R"({"jsonrpc":"2.0","id":1,"result":{},"error":{}})");
  BOOST_TEST((both.kind == Kind::response));
  BOOST_TEST(both.failed);
}

BOOST_AUTO_TEST_CASE(an_id_goes_back_as_it_came) {
  for (const char* id : {"0", "-0", "-1", "9223372036854775807", "18446744073709551615", "\"1\"", "\"\"", "\"a b\"",
                         "1.0", "1e3", "1.5", "18446744073709551616", "123456789012345678901234567890"}) {
    BOOST_TEST(read_message(R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":"ping"})").id == id);
    BOOST_TEST(read_message(R"({"params":{"id":2},"method":"ping","jsonrpc":"2.0","id":)" + std::string(id) + '}').id ==
               id);
  }
}

BOOST_AUTO_TEST_CASE(two_texts_of_one_id_have_one_key) {
  const auto key = [](const char* id) {
    return read_message(R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":"ping"})").key;
  };
  BOOST_TEST(key("1e3") == key("1000.0"));
  BOOST_TEST(key("1e3") == id_key(json::parse("1e3")).value());
  BOOST_TEST(key("\"\\u0061\"") == key("\"a\""));
  BOOST_TEST(key("\"1\"") != key("1"));
}

BOOST_AUTO_TEST_CASE(two_ids_that_are_one_double_have_two_keys) {
  const auto request = [](const std::string& id) { return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"ping"})"; };
  const auto cancelled = [](const std::string& id) {
    return R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" + id + "}}";
  };
  const auto key = [](const std::string& line) { return read_message(line).key; };
  for (const auto& [one, other] :
       {std::pair<std::string, std::string>{"100000000000000000001", "100000000000000000002"},
        {"9007199254740993.0", "9007199254740992.0"}}) {
    BOOST_TEST(key(request(one)) != key(request(other)));
    BOOST_TEST(key(request(one)) == key(cancelled(one)));
    BOOST_TEST(key(request(one)) != key(cancelled(other)));
    const Message batch = read_message('[' + request(one) + ", " + request(other) + ']');
    BOOST_REQUIRE(batch.batch.size() == 2U);
    BOOST_TEST(batch.batch[0].id == one);
    BOOST_TEST(batch.batch[1].id == other);
    BOOST_TEST(batch.batch[1].key == key(request(other)));
  }
  BOOST_TEST(key(request("7")) == key(cancelled("7")));
  BOOST_TEST(key(request("\"a\"")) == key(cancelled("\"a\"")));
  BOOST_TEST(key(cancelled("[1]")).empty());
}

BOOST_AUTO_TEST_CASE(what_cannot_be_an_id_is_refused) {
  for (const char* id : {"null", "true", "[1]", "{}"}) {
    refused(R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":"ping"})", invalid_request);
  }
}

BOOST_AUTO_TEST_CASE(what_is_not_json_is_a_parse_error) {
  for (const char* line :
       {"{", "hello", "{\"jsonrpc\":\"2.0\",}", "{} {}", "{\"a\":\"\xff\"}", "{\"a\":\"\xc3\"}", "\xff"}) {
    refused(line, parse_error);
  }
  refused(R"({"jsonrpc":"2.0","id":1e999,"method":"ping"})", parse_error);
}

BOOST_AUTO_TEST_CASE(a_request_that_cannot_be_read_is_answered_with_its_id) {
  refused(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"timeout":1e999}})", parse_error, "7");
  refused(R"({"method":"ping","params":{"id":3,"method":[]},"jsonrpc":"2.0","id":"a\"b")", parse_error, R"("a\"b")");
  refused("{\"jsonrpc\":\"2.0\",\"id\":1.0,\"method\":\"pi\xff\"}", parse_error, "1.0");
  // The line is not a request, or has no id that could be sent back.
  refused(R"({"id":7,"params":)", parse_error);
  refused("{\"id\":\"\xff\",\"method\":\"ping\"}", parse_error);
  refused(R"({"id":[7],"method":"ping",)", parse_error);
  refused(R"({"id":7,"method":"ping","id":{},)", parse_error);
  refused(R"({"id":7,"method":"ping","id":8,)", parse_error, "8");
  refused(std::string("{\"id\":7\0008,\"method\":\"ping\"}", 26), parse_error);
  refused(R"([{"id":7,"method":"ping"},)", parse_error);
  refused(R"({"id":")" + std::string(5000, 'x') + R"(","method":"ping",)", parse_error);
  // Two messages in one line: the first request counts.
  refused(R"({"id":9,"method":"ping"} {"id":8,"method":"ping"})", parse_error, "9");
  refused(R"({"id":9,"method":"ping"}{"method":"m"}{"id":8)", parse_error, "9");
  refused(R"({"method":"m"}{"id":8,"method":"ping"})", parse_error, "8");
}

BOOST_AUTO_TEST_CASE(a_line_that_is_too_long_is_answered_with_the_id_of_its_request) {
  IdScanner scanner;
  for (const char* piece : {R"({"method":"tools/ca)", R"(ll","params":{"id":1,"a":"\)", R"("}"},"jsonrpc":"2.0","i)",
                            R"(d":"se)", R"(ven"})"}) {
    scanner.feed(piece);
  }
  const Message message = too_long_message(scanner, 10);
  BOOST_TEST((message.kind == Kind::invalid));
  BOOST_TEST(message.id == "\"seven\"");
  BOOST_TEST(message.error.code == invalid_request);
}

// Clients that count in UTF-16 cut a text in the middle of a character.
BOOST_AUTO_TEST_CASE(half_of_a_surrogate_pair_is_read_as_a_replacement) {
  const auto read = [](const std::string& text) {
    const Message message = read_message(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":")" + text + R"("}})");
    BOOST_TEST((message.kind == Kind::request));
    return message.body.value("a", "");
  };
  BOOST_TEST(read(R"(echo \ud83d)") == "echo \xef\xbf\xbd");
  BOOST_TEST(read(R"(\ude00x)") == "\xef\xbf\xbdx");
  BOOST_TEST(read(R"(\ud83d\ude00\ud83d)") == "\xf0\x9f\x98\x80\xef\xbf\xbd");
  BOOST_TEST(read(R"(\ud83d\n)") == "\xef\xbf\xbd\n");
  BOOST_TEST(read(R"(\\ud83d \ud83d)") == "\\ud83d \xef\xbf\xbd");
}

BOOST_AUTO_TEST_CASE(whatever_is_wrong_with_a_notification_is_not_answered) {
  for (const std::string line :
       {R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":[]})", R"({"method":"m"})",
        R"({"jsonrpc":"2.0","method":5})", R"({"jsonrpc":"2.0","method":"m","params":{"a":1e999}})",
        R"({"jsonrpc":"2.0","method":"m","params":)"}) {
    BOOST_TEST((read_message(line).kind == Kind::notification), line);
  }
}

BOOST_AUTO_TEST_CASE(a_batch_of_too_many_messages_is_refused_with_one_error) {
  const auto batch = [](std::size_t size) {
    std::string text = "[1";
    for (std::size_t i = 1; i < size; ++i) text += ",1";
    return read_message(text + ']');
  };
  BOOST_TEST(batch(1000).batch.size() == 1000U);
  const Message refused = batch(1001);
  BOOST_TEST((refused.kind == Kind::invalid));
  BOOST_TEST(refused.error.code == invalid_request);
  BOOST_TEST(refused.error.message == "a batch can have at most 1000 messages, but has 1001; none of them was taken");
}

BOOST_AUTO_TEST_CASE(a_batch_has_messages_of_which_each_is_judged) {
  const Message batch = read_message(
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"n"},5,[],{"id":"x","method":"m"}])");
  BOOST_TEST_REQUIRE((batch.kind == Kind::batch));
  BOOST_TEST_REQUIRE(batch.batch.size() == 5U);
  BOOST_TEST((batch.batch[0].kind == Kind::request));
  BOOST_TEST((batch.batch[1].kind == Kind::notification));
  BOOST_TEST((batch.batch[2].kind == Kind::invalid));
  BOOST_TEST((batch.batch[3].kind == Kind::invalid));
  BOOST_TEST((batch.batch[4].kind == Kind::invalid));
  BOOST_TEST(batch.batch[4].id == "\"x\"");
}

BOOST_AUTO_TEST_CASE(json_that_is_not_a_message_is_an_invalid_request) {
  for (const char* line : {"[]", "1", "null", "\"x\"", "{}"}) {
    refused(line, invalid_request);
  }
  refused(R"({"id":1,"method":"ping"})", invalid_request, "1");
  refused(R"({"jsonrpc":"1.0","id":1,"method":"ping"})", invalid_request, "1");
  refused(R"({"jsonrpc":"2.0","id":1,"method":5})", invalid_request, "1");
  refused(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[1]})", invalid_params, "1");
  const Message without = read_message(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":null})");
  BOOST_TEST((without.kind == Message::Kind::request));
  BOOST_TEST(without.body.is_null());
}

BOOST_AUTO_TEST_CASE(depth_costs_nothing_and_is_limited) {
  BOOST_TEST((read_message(nested(100)).kind == Kind::request));
  refused(nested(200), parse_error, "1");
  refused(std::string(5'000'000, '['), parse_error);
  // Brackets in a text do not count as depth.
  BOOST_TEST(
      (read_message(R"({"jsonrpc":"2.0","method":"m","params":{"a":")" + std::string(500, '[') + R"(\"[[\\"}})").kind ==
       Kind::notification));
}

BOOST_AUTO_TEST_CASE(lines_are_one_json_text_and_a_newline) {
  BOOST_TEST(result_line("1", nlohmann::ordered_json::object()) == "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
  BOOST_TEST(error_line("", {parse_error, "a \"b\"\n\xff"}) ==
             "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"a \\\"b\\\"\\n\xef\xbf\xbd\"}}\n");
  BOOST_TEST(error_line("\"a\"", {1, "m", {{"x", 1}}}) ==
             "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":1,\"message\":\"m\",\"data\":{\"x\":1}}}\n");
  BOOST_TEST(notification_line("n", "{}") == "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{}}\n");
  BOOST_TEST(request_line("\"q\"", "n", "{}") == "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"n\",\"params\":{}}\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace wtool::host::mcp
