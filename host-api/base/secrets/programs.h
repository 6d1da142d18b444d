// Options whose value is a secret only with certain programs: `redis-cli -a X`, `curl -u user:X`.
#pragma once

#include <string_view>
#include <vector>

namespace wtool::secrets {

// Which part of the value is secret: X in these examples.
enum class SecretPart {
  whole,
  behind_colon,    // user:X; without a colon, nothing is secret
  behind_percent,  // user%X
  behind_comma,    // user,X
  behind_equals,   // name=X; name=X
  bearer_or_pair,  // user:X, or X
  named_source,    // pass:X
};

struct SecretOption {
  std::string_view programs;     // separated by blanks
  std::string_view letters;      // one-letter options; the value is the rest of the word, or the next word
  std::string_view long_option;  // as it is written, with its dashes
  SecretPart part = SecretPart::whole;
  std::string_view command = {};  // if set, it must be one of the two words after the program: `login`
  std::string_view flags = {};    // letters that may come before the option in its word; they take no value
  bool attached_only = false;     // -pX gives a secret, -p X does not
};

// The rows for the program with this name; empty: no row names it.
const std::vector<const SecretOption*>& secret_options_of(std::string_view program);

}  // namespace wtool::secrets
