// For options whose value is a number, as in `->transform(whole_number(1, 10))`. CLI11 alone would read `--limit 010` as
// octal, that is, as 8.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "base/text.h"

namespace wtool::host {

// Accepts decimal digits, even with leading zeros, for a number from `least` to `most`.
inline CLI::Validator whole_number(std::int64_t least, std::int64_t most) {
  const std::string from = std::to_string(least), to = std::to_string(most);
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        std::int64_t number = 0;
        if (!read_number(text, number) || number < least || number > most) {
          return "got " + text + "; allowed is a whole number from " + from + " to " + to + ", in decimal digits";
        }
        text = std::to_string(number);
        return "";
      },
      "INT in [" + from + " - " + to + "]");
}

}  // namespace wtool::host
