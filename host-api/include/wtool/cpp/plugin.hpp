// wtool/cpp/plugin.hpp - C++20 helpers for the side that implements tools. Header-only, no state, no threads.
//
// - view() and text() convert between wtool_view and std::string_view; nothing is copied.
// - fill() hands a std::string to the caller as a blob; the string lives until the caller releases it.
// - guarded() keeps exceptions inside: whatever the body throws becomes a status and a sentence.
#pragma once

#include <wtool/tool.h>

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace wtool {

// Borrows `text`; the view is valid as long as `text` is.
constexpr wtool_view view(std::string_view text) noexcept { return {text.data(), text.size()}; }

// Borrows the view's bytes. A NULL view is the empty text.
constexpr std::string_view text(wtool_view v) noexcept {
  return v.data == nullptr ? std::string_view{} : std::string_view{v.data, v.size};
}

// Moves `bytes` into *out, which the caller releases. False, with *out untouched: out is NULL, its struct is too small,
// or no memory is left.
inline bool fill(wtool_blob* out, std::string bytes) noexcept {
  if (out == nullptr || !WTOOL_HAS(out, release)) return false;
  std::unique_ptr<std::string> owner{new (std::nothrow) std::string(std::move(bytes))};
  if (!owner) return false;
  out->reserved = 0;
  out->bytes = view(*owner);
  out->owner = owner.release();
  out->release = [](wtool_blob* self) noexcept {
    if (self == nullptr || self->release == nullptr) return;
    delete static_cast<std::string*>(self->owner);
    self->bytes = {nullptr, 0};
    self->owner = nullptr;
    self->release = nullptr;
  };
  return true;
}

// Fails with a sentence: fills *error if the caller wants one, and returns the status.
inline wtool_status fail(wtool_status status, wtool_blob* error, std::string_view sentence) noexcept {
  try {
    fill(error, std::string(sentence));
  } catch (...) {  // No memory is left for the sentence; the status is enough.
  }
  return status;
}

// Runs body() -> wtool_status. An exception becomes WTOOL_E_RESOURCE (out of memory, or std::system_error: the system
// refused something) or WTOOL_E_INTERNAL.
template <typename Body>
wtool_status guarded(wtool_blob* error, Body&& body) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (const std::bad_alloc&) {
    return fail(WTOOL_E_RESOURCE, error, "out of memory");
  } catch (const std::system_error& e) {
    return fail(WTOOL_E_RESOURCE, error, e.what());
  } catch (const std::exception& e) {
    return fail(WTOOL_E_INTERNAL, error, e.what());
  } catch (...) {
    return fail(WTOOL_E_INTERNAL, error, "an exception of unknown type");
  }
}

}  // namespace wtool
