// Reads the format of printf, as bash does.
#pragma once

#include <cstddef>
#include <string_view>

namespace wtool::policy {

// Which operand of printf is its format: the first one, or the one after `--`.
inline std::size_t format_index(std::string_view first_operand) { return first_operand == "--" ? 1 : 0; }

// True if printf may assign to a variable: in bash, `printf x%n NAME` stores how many bytes were printed before, so
// `printf x%n PATH` makes the folder 1 the search path. dash and the program printf do not know %n.
inline bool may_assign(std::string_view format) {
  for (std::size_t at = 0; (at = format.find('%', at)) != std::string_view::npos;) {
    // Flags, width, precision and length, which may also be none of these: it is not necessary to know what each means.
    const std::size_t conversion = format.find_first_not_of("0123456789-+ #'.*hjlLqtz", at + 1);
    if (conversion == std::string_view::npos) return false;
    if (format[conversion] == 'n') return true;
    at = format[conversion] == '%' && conversion > at + 1 ? conversion : conversion + 1;
  }
  return false;
}

}  // namespace wtool::policy
