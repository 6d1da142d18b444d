// Sets an environment variable of this process, which is the host, for as long as the object lives.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace wtool::test {

class HostVariable {
 public:
  // Without a value, the variable is removed from the environment.
  HostVariable(std::string name, const std::optional<std::string>& value) : name_(std::move(name)) {
    if (const char* old = ::getenv(name_.c_str())) old_ = old;
    set(value);
  }
  ~HostVariable() { set(old_); }
  HostVariable(const HostVariable&) = delete;
  HostVariable& operator=(const HostVariable&) = delete;

 private:
  void set(const std::optional<std::string>& value) const {
    value ? ::setenv(name_.c_str(), value->c_str(), 1) : ::unsetenv(name_.c_str());
  }

  std::string name_;
  std::optional<std::string> old_;
};

}  // namespace wtool::test
