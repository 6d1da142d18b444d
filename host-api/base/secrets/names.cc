#include "base/secrets/names.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace wtool::secrets {

namespace {

// A longer word is not taken for a name.
constexpr std::size_t max_name = 128;

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return text.ends_with(end); });
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(), [&](std::string_view start) { return text.starts_with(start); });
}

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return upper(x) == upper(y); });
}

bool is_any_of(std::initializer_list<std::string_view> words, std::string_view text) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return equal_ignoring_case(word, text); });
}

bool is_secret_name(std::string_view name) {
  if (name.size() < 3 || name.size() > max_name) return false;
  std::array<char, max_name> letters;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == ' ' || c == '\t' || c == '\n') return false;
    letters[i] = c == '-' || c == '.' ? '_' : upper(c);
  }
  const std::string_view plain(letters.data(), name.size());
  // Each secret name contains one of these, and few other names do. So this check, which is made for all variables of
  // each command, quickly rejects most of them.
  if (!contains_any(plain, {"TOKEN", "SECRET", "PASS", "KEY", "CREDENTIAL", "CONNECTION_STRING", "AUTH", "COOKIE",
                            "_PWD", "_PAT"})) {
    return false;
  }
  // A word that names the place or the kind of a secret is not a secret.
  if (ends_with_any(plain, {"_FILE",    "_FILES",    "_PATH",      "_DIR",       "_DIRECTORY", "_STDIN",   "_URL",
                            "_URI",     "_ENDPOINT", "_NAME",      "_KEY_ID",    "_TYPE",      "_TTL",     "_EXPIRY",
                            "_EXPIRES", "_COUNT",    "_LIMIT",     "_LENGTH",    "_BUDGET",    "_COMMAND", "_HELPER",
                            "_JAR",     "ASKPASS",   "MAX_TOKENS", "MIN_TOKENS", "NUM_TOKENS"})) {
    return false;
  }
  if (contains_any(plain, {"TOKENIZE", "PUBLIC_KEY", "TOKENS_PER"})) return false;
  return contains_any(plain, {"TOKEN",
                              "SECRET",
                              "PASSWORD",
                              "PASSWD",
                              "PASSPHRASE",
                              "API_KEY",
                              "APIKEY",
                              "ACCESS_KEY",
                              "ACCESSKEY",
                              "PRIVATE_KEY",
                              "CREDENTIAL",
                              "ENCRYPTION_KEY",
                              "SIGNING_KEY",
                              "MASTER_KEY",
                              "SESSION_KEY",
                              "ACCOUNT_KEY",
                              "DEPLOY_KEY",
                              "AUTH_KEY",
                              "CONNECTION_STRING",
                              "AUTHORIZATION",
                              "COOKIE"}) ||
         ends_with_any(plain, {"_PASS", "_PWD", "_PAT", "_AUTH", "_OPENAI_KEY", "STRIPE_KEY", "_APIKEY"}) ||
         plain == "PASS" || plain == "PGPASS";
}

bool is_secret_option(std::string_view name) {
  if (name.size() > max_name) return false;
  std::string letters;
  for (const char c : name) {
    if (is_letter(c)) {
      letters.push_back(upper(c));
    } else if (c != '-' && c != '_' && c != '.' && !is_letter_or_digit(c)) {
      return false;
    }
  }
  if (ends_with_any(letters, {"FILE",     "FILES",  "PATH",    "DIR",      "DIRECTORY", "STDIN",  "URL",     "URI",
                              "ENDPOINT", "NAME",   "KEYID",   "TYPE",     "TTL",       "EXPIRY", "EXPIRES", "COUNT",
                              "LIMIT",    "LENGTH", "BUDGET",  "COMMAND",  "HELPER",    "JAR",    "ASKPASS", "FD",
                              "STORE",    "SIZE",   "FORMAT",  "POLICY",   "METHOD",    "MODE",   "PROMPT",  "ENV",
                              "AGE",      "TOKENS", "SERVICE", "PROVIDER", "COMPASS",   "BYPASS", "AUTHTYPE"})) {
    return false;
  }
  if (contains_any(letters, {"TOKENIZ", "PUBLICKEY", "TOKENSPER"})) return false;
  return contains_any(letters,
                      {"TOKEN",         "SECRET",     "PASSWORD",   "PASSWD",        "PASSPHRASE", "APIKEY",
                       "ACCESSKEY",     "PRIVATEKEY", "CREDENTIAL", "ENCRYPTIONKEY", "SIGNINGKEY", "MASTERKEY",
                       "SESSIONKEY",    "ACCOUNTKEY", "DEPLOYKEY",  "AUTHKEY",       "SHAREDKEY",  "CONNECTIONSTRING",
                       "AUTHORIZATION", "COOKIE",     "BEARER"}) ||
         ends_with_any(letters, {"PASS", "PWD"}) || is_any_of({"PW", "PSK", "PAT", "OTP", "JWT"}, letters);
}

bool is_flag_about_secret(std::string_view name) {
  return starts_with_any(name, {"no-", "show-", "with-", "ask-", "hide-", "use-", "list-", "get-", "print-",
                                "generate-", "rotate-", "without-", "prompt-", "delete-", "skip-"});
}

bool is_secret_parameter(std::string_view name) {
  return is_secret_name(name) || is_secret_option(name) ||
         is_any_of({"key", "sig", "signature", "auth", "sas", "x-amz-signature", "hmac", "code_verifier"}, name);
}

}  // namespace wtool::secrets
