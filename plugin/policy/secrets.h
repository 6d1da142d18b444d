// Finds what looks like a secret and masks it, for logs, the audit trail and error texts. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/environment.h"

namespace wtool::policy {

inline constexpr std::string_view mask = "[masked]";

// True for names whose values are secret: *TOKEN*, *SECRET*, *PASSWORD*, *API_KEY*, ... in any case.
bool is_secret_name(std::string_view name);

// Masks, in text: values of `--password=X`, `PASSWORD=X`, `Authorization: Bearer X`, `https://user:X@host`; tokens of
// known shape (ghp_..., AKIA..., sk-..., JSON web tokens, private keys); and every value of `variables` whose name is
// secret.
class Masker {
 public:
  Masker() = default;
  // `variables` are "NAME=value" texts, of the command's environment.
  explicit Masker(const std::vector<std::string>& variables);
  std::string masked(std::string_view text) const;

 private:
  std::vector<std::string> values_;  // longest first
};

}  // namespace wtool::policy
