// The same table as C++ sees it; offsetof and function pointers with noexcept must come to the same numbers.
#include "abi_layout.c"  // NOLINT(bugprone-suspicious-include)
