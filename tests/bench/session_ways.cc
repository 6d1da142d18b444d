#include "session_ways.h"

#include <memory>
#include <wtool/cpp/host.hpp>

#include "support/plugin.h"
#include "support/program.h"

namespace wtool::bench {
namespace {

using test::Json;

// The terminal tools, and the sessions that stay open during the measurement.
class Terminal {
 public:
  explicit Terminal(unsigned sessions) {
    folder_.file("tools-allow.json", R"(["sh", "true"])");
    for (unsigned i = 0; i < sessions; ++i) open_.push_back(create());
  }

  std::string create() { return call(create_, create_arguments()).at("sessionId"); }
  void close(const std::string& session) { call(close_, {{"sessionId", session}}); }
  const std::string& session(std::size_t number) const { return open_[number % open_.size()]; }

  std::int64_t time_create() {
    const std::string arguments = create_arguments().dump();
    const auto began = Clock::now();
    Call call(create_.get(), make_request(arguments));
    call.run();
    const std::int64_t took = nanoseconds_since(began);
    close(checked(call).at("sessionId"));
    return took;
  }

  std::int64_t time_execute(const std::string& session, const std::string& program) {
    const std::string arguments = Json{{"sessionId", session}, {"command", program}}.dump();
    const auto began = Clock::now();
    Call call(execute_.get(), make_request(arguments));
    call.run();
    const std::int64_t took = nanoseconds_since(began);
    checked(call);
    return took;
  }

  std::int64_t time_close(unsigned background) {
    const std::string session = create();
    folder_.file("background", "for i in $(seq " + std::to_string(background) + "); do sleep 600 & done\n");
    const Json kept = call(execute_, {{"sessionId", session}, {"command", "sh"}, {"args", {"background"}}});
    if (kept.value("backgroundProcesses", Json::array()).size() != background) throw Failure("not all were kept");
    const std::string arguments = Json{{"sessionId", session}}.dump();
    const auto began = Clock::now();
    Call call(close_.get(), make_request(arguments));
    call.run();
    const std::int64_t took = nanoseconds_since(began);
    checked(call);
    return took;
  }

 private:
  Json create_arguments() const {
    return {{"taskId", "bench"}, {"agentId", "bench"}, {"workingDirectory", folder_.path()}};
  }

  static Json checked(const Call& call) {
    const Json result = Json::parse(call.result(), nullptr, false);
    if (!result.is_object() || result.value("is_error", true)) {
      throw Failure("the call failed: " + std::string(call.result().substr(0, 300)));
    }
    return result.at("metadata");
  }

  static Json call(const test::ToolUnderTest& tool, const Json& arguments) {
    const std::string text = arguments.dump();
    Call call(tool.get(), make_request(text));
    call.run();
    return checked(call);
  }

  test::ScratchFolder folder_;
  const Json configuration_{{"sessions", {{"max", 1000}, {"tools_allow", folder_.path() + "/tools-allow.json"}}}};
  test::Plugin plugin_;
  const test::ToolUnderTest create_{plugin_, configuration_, "terminal_create_session"};
  const test::ToolUnderTest execute_{plugin_, configuration_, "terminal_execute_command"};
  const test::ToolUnderTest close_{plugin_, configuration_, "terminal_close_session"};
  std::vector<std::string> open_;
};

Way repeated(std::function<std::int64_t()> once) {
  return {[once = std::move(once)](unsigned count) {
    Figures figures;
    for (unsigned i = 0; i < count; ++i) figures.push_back(once());
    return figures;
  }};
}

}  // namespace

Way session_creation(unsigned sessions) {
  return repeated([terminal = std::make_shared<Terminal>(sessions)] { return terminal->time_create(); });
}

Way session_command(unsigned sessions, const std::string& program) {
  return repeated([terminal = std::make_shared<Terminal>(sessions), program, next = std::size_t{0}]() mutable {
    return terminal->time_execute(terminal->session(next++), program);
  });
}

Way session_close(unsigned sessions, unsigned background) {
  return repeated(
      [terminal = std::make_shared<Terminal>(sessions), background] { return terminal->time_close(background); });
}

}  // namespace wtool::bench
