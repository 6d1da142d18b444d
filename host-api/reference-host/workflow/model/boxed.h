// An optional value that takes only the room of a pointer where it is a member. Use it for large members of which most
// objects have none. Like std::optional, it owns its value: a copy has a copy of the value.
//
//   Boxed<Action> action;
//   action = read_action(...);
//   if (action) perform(*action);
#pragma once

#include <memory>
#include <utility>

namespace wtool::host::workflow {

template <typename Value>
class Boxed {
 public:
  Boxed() = default;
  Boxed(Value value) : value_(std::make_unique<Value>(std::move(value))) {}
  Boxed(const Boxed& other) : value_(other ? std::make_unique<Value>(*other) : nullptr) {}
  Boxed(Boxed&& other) noexcept = default;
  Boxed& operator=(Boxed other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }
  ~Boxed() = default;

  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  // There must be a value.
  Value& operator*() { return *value_; }
  const Value& operator*() const { return *value_; }
  Value* operator->() { return value_.get(); }
  const Value* operator->() const { return value_.get(); }

 private:
  std::unique_ptr<Value> value_;
};

}  // namespace wtool::host::workflow
