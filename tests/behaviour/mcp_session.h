// A client of `wtool mcp` that runs commands in the background, and reads their outputs.
#pragma once

#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/mcp_client.h"
#include "support/text.h"

namespace wtool::test::mcp_session {

using Json = nlohmann::json;

inline const Json in_background{{"arguments", {{"background", true}}}};

inline std::string text_of(const Json& result) { return result.at("content").at(0).at("text"); }

// Results are text only, which is the default.
struct Session : McpClient {
  ScratchFolder folder;
  Mark mark;
  Gate gate{folder};

  explicit Session(const std::string& settings = "results: text", std::vector<std::string> more = {})
      : McpClient(with_configuration(std::move(more), settings)) {
    initialize();
    run("true");  // The first call starts the plugin's helper, which is slow under a sanitizer.
  }

  Json use(const std::string& tool, const Json& arguments = Json::object()) {
    const Json answer = ask("tools/call", {{"name", tool}, {"arguments", arguments}});
    BOOST_REQUIRE_MESSAGE(answer.contains("result"), answer.dump());
    return answer["result"];
  }
  std::string poll(int job, int wait = 0) { return text_of(use("job_poll", {{"job", job}, {"wait", wait}})); }
  std::string read(const Json& arguments) { return text_of(use("output_read", arguments)); }
  // Begins a job whose processes bear the mark, and returns its number.
  int begin(const std::string& command, const Json& more = in_background) {
    Json all = more;
    all["arguments"]["environment"] = {{"WTOOL_TEST_MARK", mark.text()}};
    return job_of(text_of(run(command, all)));
  }
  static int job_of(const std::string& text) {
    const std::size_t found = text.rfind("[job ");
    BOOST_REQUIRE_MESSAGE(found != std::string::npos, text);
    BOOST_TEST(holds(text, " has been running for "), text);
    return std::stoi(text.substr(found + 5));
  }
  void wait_for(int job, const std::string& output) {
    BOOST_TEST(wait_until([&] { return holds(read({{"output", job}}), output); }, within(5000)));
  }
  bool nothing_is_left() {
    return wait_until([&] { return mark.bearers().empty(); }, within(3000));
  }

 private:
  std::vector<std::string> with_configuration(std::vector<std::string> more, const std::string& settings) {
    static std::vector<std::unique_ptr<ScratchFolder>> folders;
    folders.push_back(std::make_unique<ScratchFolder>());
    more.insert(more.end(), {"--config", folders.back()->file("c.yaml", "mcp: {" + settings + "}\n")});
    return more;
  }
};

}  // namespace wtool::test::mcp_session
