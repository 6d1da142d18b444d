// How many columns of a terminal a character takes.
//
// The rule follows no single version of Unicode, since terminals do not either. All characters of a block take the same
// width. East Asian scripts, pictures, and all of the planes 2 and 3 take two columns: what UAX #11 calls wide, and the
// few narrow characters of the same blocks. The combining marks U+0300 to U+036F, the variation selectors U+FE00 to
// U+FE0F, and U+200B to U+200F take no column. Every other character takes one. plugin/screen/ does not use this rule:
// its widths must agree with the cells of libvterm, so it asks libvterm itself.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wtool {

// 0, 1 or 2. A control character has no width of its own: replace it first.
std::size_t character_width(std::uint32_t code_point) noexcept;

}  // namespace wtool
