// Builds a seccomp program from rules about single system calls. A call that no rule matches is allowed.
//
// When a program is installed, the kernel translates it and runs it once for every call number, to find the calls that
// are always allowed, for which it later skips the program. So the start of a sandboxed command takes longer if the
// program is longer, or if it executes more instructions for each number. The program therefore looks up numbers in the
// decision tree with the lowest total cost, whose leaves share code.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace wtool::engine {

// What must hold for one argument.
struct ArgumentTest {
  enum class Kind {
    is,        // The lower 32 bits are `value`.
    is_not,    // The lower 32 bits are not `value`.
    has_any,   // At least one bit of `value` is set in the lower 32 bits.
    masked,    // The lower 32 bits, reduced to those of `mask`, are `value`.
    not_null,  // At least one of the 64 bits is set.
  };
  unsigned argument;
  Kind kind;
  std::uint32_t value = 0;
  std::uint32_t mask = 0;
};

class FilterProgram {
 public:
  // A call with this number (at most `newest`) for which all tests hold fails with `error`. A number may have several
  // rules; a rule without tests refuses the call whatever its arguments are.
  void refuse(std::uint32_t number, int error, std::vector<ArgumentTest> tests);

  // An array of struct sock_filter. Numbers above `newest` fail with ENOSYS, as with a kernel that does not have them.
  // On architectures other than `architecture` (AUDIT_ARCH_...), the numbers mean other calls. So a call of another
  // architecture, or of x32, kills the process. Empty: a jump would be longer than the kernel allows.
  std::string assemble(std::uint32_t architecture, std::uint32_t newest) const;

 private:
  struct Rule {
    int error;
    std::vector<ArgumentTest> tests;
  };
  std::map<std::uint32_t, std::vector<Rule>> rules_;
};

}  // namespace wtool::engine
