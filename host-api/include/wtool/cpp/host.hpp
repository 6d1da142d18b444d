// wtool/cpp/host.hpp - C++20 helpers for the side that calls tools. Header-only. A Blob can be moved, but not copied; a
// Call can be neither.
//
// - Blob receives bytes from a plugin and releases them.
// - Call is one call: run it on one thread, cancel it from any other.
// - explain_of() finds a tool's side of wtool.explain/1.
//
//   Blob error;
//   const wtool_tool* tool = nullptr;
//   if (entry.tool_new(view("shell_execute"), view("{}"), &tool, error.out()) != WTOOL_OK) return report(error.text());
//   {
//     Call call(*tool, make_request(R"({"command": "date"})"));
//     if (call.run() == WTOOL_OK) show(call.result());  // any other thread may cancel() the call
//   }
//   tool->destroy(tool);  // only after its calls
//
// The host itself opens the library and decides how long to keep it loaded (the reference host does so in loader/).
#pragma once

#include <wtool/ext/explain.h>
#include <wtool/tool.h>
#include <wtool/cpp/plugin.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace wtool {

// A wtool_blob that the caller owns, empty until a plugin fills it. Any thread may use it, but only one at a time.
class Blob {
 public:
  Blob() noexcept { clear(); }
  Blob(Blob&& other) noexcept : blob_(other.blob_) { other.clear(); }
  Blob& operator=(Blob&& other) noexcept {
    if (this != &other) {
      reset();
      blob_ = other.blob_;
      other.clear();
    }
    return *this;
  }
  Blob(const Blob&) = delete;
  Blob& operator=(const Blob&) = delete;
  ~Blob() { reset(); }

  // For a parameter of type wtool_blob*. The previous content is released.
  wtool_blob* out() noexcept {
    reset();
    return &blob_;
  }
  // Borrowed, valid until this object is changed or ends.
  std::string_view text() const noexcept { return wtool::text(blob_.bytes); }
  bool filled() const noexcept { return blob_.release != nullptr; }

 private:
  void clear() noexcept {
    blob_ = wtool_blob{};
    blob_.struct_size = sizeof(wtool_blob);
  }
  void reset() noexcept {
    if (blob_.release != nullptr) blob_.release(&blob_);
    clear();
  }
  wtool_blob blob_{};
};

// A request with its sizes set and everything else empty: no events, no limits, no deadline. Borrows `arguments`, which
// must stay valid until the constructor of Call has returned. Call copies them.
inline wtool_request make_request(std::string_view arguments) noexcept {
  wtool_request request{};
  request.struct_size = sizeof(wtool_request);
  request.arguments = view(arguments);
  return request;
}

// One call of a tool. The tool must outlive it. Only cancel() may be called while run() runs.
class Call {
 public:
  // If status() is not WTOOL_OK, error() says why, and run() only returns the same status.
  Call(const wtool_tool& tool, const wtool_request& request) noexcept : tool_(&tool) {
    status_ = tool.call_new(&tool, &request, &call_, error_.out());
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    if (call_ != nullptr) tool_->call_free(call_);
  }

  // Blocks until the call is over. Any thread may call this, but only once; the events come on that thread.
  wtool_status run() noexcept {
    if (call_ == nullptr) return status_;
    status_ = tool_->call_run(call_, result_.out(), error_.out());
    return status_;
  }
  // Any thread may call this, at any time while this object lives.
  void cancel(std::uint32_t how, std::string_view reason) noexcept {
    if (call_ != nullptr) tool_->call_cancel(call_, how, view(reason));
  }
  // The outcome of run() or, before it, of the constructor. The texts are borrowed, valid until run() or the end of
  // this object.
  wtool_status status() const noexcept { return status_; }
  std::string_view result() const noexcept { return result_.text(); }
  std::string_view error() const noexcept { return error_.text(); }

 private:
  const wtool_tool* tool_;
  wtool_call* call_ = nullptr;
  wtool_status status_ = WTOOL_OK;
  Blob result_;
  Blob error_;
};

// The tool's side of wtool.explain/1, or nullptr if the tool has none. Valid until the tool is destroyed.
inline const wtool_tool_explain* explain_of(const wtool_tool& tool) noexcept {
  if (!WTOOL_HAS_FN(&tool, get_extension)) return nullptr;
  const auto* extension = static_cast<const wtool_tool_explain*>(tool.get_extension(&tool, WTOOL_EXT_EXPLAIN));
  return extension != nullptr && WTOOL_HAS_FN(extension, explain) ? extension : nullptr;
}

}  // namespace wtool
