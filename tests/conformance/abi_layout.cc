// The table of abi_layout.c, as C++ sees it: offsetof and function pointers with noexcept must result in the same
// numbers.
#include "abi_layout.c"  // NOLINT(bugprone-suspicious-include)
