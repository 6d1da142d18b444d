// A seccomp program from rules about single system calls: what no rule meets is allowed.
//
// When a program is taken into force, the kernel translates it, and runs it for every number, so that it need not run
// it at each call. A sandboxed start pays for both: for the length of the program, and for the way that a number takes
// through it. So numbers are looked for in a tree that is the best for both together, and its leaves share their code.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace wtool::engine {

// What must hold of one argument.
struct ArgumentTest {
  enum class Kind {
    is,        // The lower half is `value`,
    is_not,    // is not `value`,
    has_any,   // has any of the bits of `value`,
    masked,    // has, of the bits of `mask`, those of `value`.
    not_null,  // Any of all 64 bits is set.
  };
  unsigned argument;
  Kind kind;
  std::uint32_t value = 0;
  std::uint32_t mask = 0;
};

class FilterProgram {
 public:
  // Calls with this number (at most `newest`) for which all tests hold fail with `error`. A call may have more than one
  // rule; one without tests refuses it whatever its arguments are.
  void refuse(std::uint32_t number, int error, std::vector<ArgumentTest> tests);

  // An array of struct sock_filter. Numbers above `newest` fail with ENOSYS, as with a kernel that does not have them.
  // Programs of other architectures than `architecture` (AUDIT_ARCH_...) have other numbers and are killed, and so are
  // those with the numbers of x32. Empty where a jump would be longer than the kernel takes.
  std::string assemble(std::uint32_t architecture, std::uint32_t newest) const;

 private:
  struct Rule {
    int error;
    std::vector<ArgumentTest> tests;
  };
  std::map<std::uint32_t, std::vector<Rule>> rules_;
};

}  // namespace wtool::engine
