#include "base/character_width.h"

namespace wtool {

std::size_t character_width(std::uint32_t code_point) noexcept {
  const auto within = [code_point](std::uint32_t first, std::uint32_t last) {
    return code_point >= first && code_point <= last;
  };
  if (within(0x300, 0x36f) || within(0x200b, 0x200f) || within(0xfe00, 0xfe0f)) return 0;
  const bool wide = within(0x1100, 0x115f) || within(0x2e80, 0xa4cf) || within(0xac00, 0xd7a3) ||
                    within(0xf900, 0xfaff) || within(0xfe30, 0xfe6f) || within(0xff00, 0xff60) ||
                    within(0x1f300, 0x1faff) || within(0x20000, 0x3fffd);
  return wide ? 2 : 1;
}

}  // namespace wtool
