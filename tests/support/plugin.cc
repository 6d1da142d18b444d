#include "support/plugin.h"

#include <wtool/ext/explain.h>

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>
#include <wtool/cpp/host.hpp>

namespace wtool::test {
namespace {

const void* no_extension(const wtool_host*, const char*) noexcept { return nullptr; }

std::int32_t hand_on(void* context, const wtool_event* event) noexcept {
  const auto& sink = *static_cast<const std::function<int(const Event&)>*>(context);
  return sink({event->kind, event->seq, event->mono_ns, std::string(text(event->payload))});
}

wtool_request request_of(std::string_view arguments, const CallOptions& options,
                         const std::function<int(const Event&)>& sink) {
  wtool_request request = make_request(arguments);
  request.deadline_ms = options.deadline_ms;
  request.call_id = view(options.call_id);
  request.parent_span = options.parent_span;
  request.traceparent = view(options.traceparent);
  request.limits = view(options.limits);
  if (sink) {
    request.sink_ctx = const_cast<std::function<int(const Event&)>*>(&sink);
    request.on_event = hand_on;
  }
  return request;
}

Answer answer_of(wtool_status status, std::string_view result, std::string_view error,
                 std::chrono::steady_clock::time_point began) {
  Answer answer;
  answer.took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
  answer.status = status;
  answer.raw = result;
  answer.error = error;
  // This parser is strict about UTF-8: it throws if the result is not valid.
  if (!answer.raw.empty()) answer.result = Json::parse(answer.raw);
  return answer;
}

// tests/cluster/suites makes the same tests run their calls on a cluster.
Json configured(Json config) {
  const char* const section = std::getenv("WTOOL_TEST_CLUSTER");
  if (section != nullptr && config.is_object() && !config.contains("cluster")) config["cluster"] = Json::parse(section);
  return config;
}

}  // namespace

std::string Answer::code() const {
  if (!result.is_object()) return {};
  const auto found = metadata().find("error");
  return found == metadata().end() ? "" : found->at("code").get<std::string>();
}

Plugin::Plugin(const wtool_host* host) {
  const char* path = std::getenv("WTOOL_TEST_PLUGIN");
  if (path == nullptr) path = WTOOL_TEST_PLUGIN;
  library_ = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw std::runtime_error(dlerror());
  entry_ = static_cast<const wtool_entry*>(dlsym(library_, WTOOL_ENTRY_SYMBOL));
  if (entry_ == nullptr) throw std::runtime_error(dlerror());
  plain_host_.struct_size = sizeof(plain_host_);
  plain_host_.abi_minor = WTOOL_ABI_MINOR;
  plain_host_.name = view("test");
  plain_host_.version = view("1");
  plain_host_.get_extension = no_extension;
  Blob error;
  if (entry_->init(host != nullptr ? host : &plain_host_, error.out()) != WTOOL_OK) {
    throw std::runtime_error("init failed: " + std::string(error.text()));
  }
}

Plugin::~Plugin() {
  entry_->deinit();
  dlclose(library_);
}

ToolUnderTest::ToolUnderTest(Plugin& plugin, const Json& config, std::string_view id) {
  Blob error;
  const std::string text = configured(config).dump();
  if (plugin.entry().tool_new(view(id), view(text), &tool_, error.out()) != WTOOL_OK) {
    throw std::runtime_error("tool_new failed: " + std::string(error.text()));
  }
}

ToolUnderTest::~ToolUnderTest() { tool_->destroy(tool_); }

Answer ToolUnderTest::run(const Json& arguments, const CallOptions& options) const {
  return run_text(arguments.dump(), options);
}

Answer ToolUnderTest::run_text(std::string_view arguments, const CallOptions& options) const {
  const auto began = std::chrono::steady_clock::now();
  const wtool_request request = request_of(arguments, options, options.on_event);
  Call call(*tool_, request);
  const wtool_status status = call.run();
  return answer_of(status, call.result(), call.error(), began);
}

Json ToolUnderTest::explain(const Json& arguments) const {
  const auto* extension = static_cast<const wtool_tool_explain*>(tool_->get_extension(tool_, WTOOL_EXT_EXPLAIN));
  if (extension == nullptr) throw std::runtime_error("the tool explains nothing");
  const std::string text = arguments.dump();
  wtool_request request{};
  request.struct_size = sizeof request;
  request.arguments = {text.data(), text.size()};
  wtool_blob result{}, error{};
  result.struct_size = error.struct_size = sizeof(wtool_blob);
  const wtool_status status = extension->explain(tool_, &request, &result, &error);
  const std::string problem = error.release != nullptr ? std::string(error.bytes.data, error.bytes.size) : "";
  if (error.release != nullptr) error.release(&error);
  if (status != WTOOL_OK) throw std::runtime_error("explain failed: " + problem);
  Json answer = Json::parse(std::string_view(result.bytes.data, result.bytes.size));
  result.release(&result);
  return answer;
}

Answer ToolUnderTest::shell(std::string_view command, const CallOptions& options) const {
  return run(Json{{"command", command}}, options);
}

RunningCall::RunningCall(const ToolUnderTest& tool, const Json& arguments, const CallOptions& options)
    : tool_(&tool.get()), forward_(options.on_event) {
  watch_ = [this](const Event& event) {
    if (event.kind == WTOOL_EVENT_STDOUT) {
      const std::lock_guard lock(mutex_);
      output_ += event.payload;
      changed_.notify_all();
    }
    return forward_ ? forward_(event) : 0;
  };
  const std::string text = arguments.dump();
  const wtool_request request = request_of(text, options, watch_);
  Blob error;
  if (tool_->call_new(tool_, &request, &call_, error.out()) != WTOOL_OK) {
    throw std::runtime_error("call_new failed: " + std::string(error.text()));
  }
  thread_ = std::thread([this] {
    const auto began = std::chrono::steady_clock::now();
    Blob result;
    Blob run_error;
    const wtool_status status = tool_->call_run(call_, result.out(), run_error.out());
    Answer answer = answer_of(status, result.text(), run_error.text(), began);
    const std::lock_guard lock(mutex_);
    answer_ = std::move(answer);
    over_ = true;
    changed_.notify_all();
  });
}

RunningCall::~RunningCall() {
  if (thread_.joinable()) thread_.join();
  tool_->call_free(call_);
}

bool RunningCall::wait_for_output(std::string_view text) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return over_ || output_.find(text) != std::string::npos; });
  return output_.find(text) != std::string::npos;
}

void RunningCall::cancel(std::uint32_t how, std::string_view reason) { tool_->call_cancel(call_, how, view(reason)); }

bool RunningCall::is_over() {
  const std::lock_guard lock(mutex_);
  return over_;
}

Answer RunningCall::wait() {
  if (thread_.joinable()) thread_.join();
  return answer_;
}

}  // namespace wtool::test
