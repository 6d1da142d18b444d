// Finds what looks like a secret and masks it: for logs, the audit trail, the journal of a run, and error messages.
// Depends only on the texts that it is given, and takes time linear in their size.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/secrets/names.h"  // IWYU pragma: export

namespace wtool::secrets {

inline constexpr std::string_view mask = "[masked]";

// Masks in a text:
// - what a command line marks as secret (`--password X`, `PASSWORD=X`, `redis-cli -a X`), in any quotes;
// - fields of other notations (`Authorization: Bearer X`, `password: X`, `"token": "X"`, `https://user:X@host`,
//   `?key=X`);
// - tokens of a known shape (ghp_..., AKIA..., sk-..., JSON web tokens, private keys, addresses of web hooks);
// - every value of `variables` with a secret name, even in base64 or percent encoding.
class Masker {
 public:
  Masker() = default;
  // `variables` are the "NAME=value" texts of the command's environment.
  explicit Masker(const std::vector<std::string>& variables);
  std::string masked(std::string_view text) const;
  // From now on, also masks in other texts what is secret in `text`: an error may repeat a single word of a command.
  // Must not be called while another thread uses this object.
  void learn_from(std::string_view text);

  // The secrets that masked() would replace, without their quotes. Those that are short enough to occur in other texts
  // by chance are left out.
  std::vector<std::string> found_in(std::string_view text) const;

 private:
  std::vector<std::string> values_;  // longest first
};

}  // namespace wtool::secrets
