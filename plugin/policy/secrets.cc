#include "policy/secrets.h"

#include <string.h>  // memmem

#include <algorithm>
#include <optional>

namespace wtool::policy {

namespace {

// Shorter values occur by chance in other words.
constexpr std::size_t shortest_value = 6;

// So far is looked for what makes a token one: text without end, made of beginnings, must not take long.
constexpr std::size_t longest_look = 256;

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_token_character(char c) { return is_letter_or_digit(c) || c == '_' || c == '-'; }
bool is_name_character(char c) { return is_token_character(c) || c == '.'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return upper(x) == upper(y); });
}

bool any_of_words(std::initializer_list<std::string_view> words, std::string_view text) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return equal_ignoring_case(word, text); });
}

// Tokens that can be known by their beginning, and how many characters follow at least.
struct Shape {
  std::string_view prefix;
  std::size_t length;
  bool needs_digit = false;  // the beginning is also that of ordinary words
};

constexpr Shape shapes[] = {
    {"ghp_", 16},       {"gho_", 16},        {"ghu_", 16},
    {"ghs_", 16},       {"ghr_", 16},        {"github_pat_", 16},
    {"glpat-", 16},     {"gldt-", 16},       {"glrt-", 16},
    {"AKIA", 16},       {"ASIA", 16},        {"xoxa-", 10},
    {"xoxb-", 10},      {"xoxe-", 10},       {"xoxp-", 10},
    {"xoxr-", 10},      {"xoxs-", 10},       {"xapp-", 10},
    {"sk_live_", 10},   {"sk_test_", 10},    {"rk_live_", 10},
    {"whsec_", 16},     {"sk-", 20, true},   {"AIza", 30},
    {"npm_", 30, true}, {"pypi-", 32, true}, {"hf_", 30, true},
    {"dop_v1_", 32},    {"dckr_pat_", 16},   {"shpat_", 16},
    {"SG.", 32, true},  {"ya29.", 20},       {"AGE-SECRET-KEY-", 16},
};

// Collects what is masked, in one pass from left to right.
class Scan {
 public:
  Scan(std::string_view text, const std::vector<std::string>& values) : text_(text) {
    for (const std::string& value : values) find_value(value);
    // Options of one letter are known only together with their program.
    has_curl_ = text.find("curl") != std::string_view::npos;
    has_mysql_ = text.find("mysql") != std::string_view::npos || text.find("mariadb") != std::string_view::npos;
    has_sshpass_ = text.find("sshpass") != std::string_view::npos;
  }

  std::string run() {
    for (std::size_t at = 0; at < text_.size();) at = step(at);
    return replaced();
  }

 private:
  void find_value(const std::string& value) {
    const char* const end = text_.data() + text_.size();
    for (const char* from = text_.data(); from < end;) {
      // memmem is linear whatever the value is.
      const void* const found = ::memmem(from, static_cast<std::size_t>(end - from), value.data(), value.size());
      if (found == nullptr) return;
      const auto begin = static_cast<std::size_t>(static_cast<const char*>(found) - text_.data());
      add(begin, begin + value.size());
      from = text_.data() + begin + value.size();
    }
  }

  void add(std::size_t begin, std::size_t end) {
    if (begin < end) ranges_.emplace_back(begin, end);
  }

  std::string replaced() {
    if (ranges_.empty()) return std::string(text_);
    std::sort(ranges_.begin(), ranges_.end());
    std::string result;
    std::size_t at = 0;
    for (std::size_t i = 0; i < ranges_.size();) {
      const std::size_t begin = ranges_[i].first;
      std::size_t end = ranges_[i].second;
      // What overlaps is masked as one.
      for (++i; i < ranges_.size() && ranges_[i].first < end; ++i) end = std::max(end, ranges_[i].second);
      result.append(text_, at, begin - at).append(mask);
      at = end;
    }
    return result.append(text_, at);
  }

  char at_or_nul(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }

  // Looks at what begins at `at`; returns where to go on.
  std::size_t step(std::size_t at) {
    const char c = text_[at];
    if (c == '-' && text_.substr(at).starts_with("-----BEGIN ")) {
      if (const auto end = private_key(at)) return *end;
    }
    if (c == ':' && text_.substr(at).starts_with("://")) {
      user_information(at + 3);
      return at + 3;
    }
    if (!is_name_character(c)) return at + 1;
    // A name, or a word of an option, or a token.
    std::size_t end = at;
    while (end < text_.size() && is_name_character(text_[end])) ++end;
    if (const auto next = named(at, end)) return *next;
    tokens(at, end);
    return end;
  }

  std::optional<std::size_t> private_key(std::size_t at) {
    // The first line is short; what is longer is none.
    std::string_view head = text_.substr(at, 80);
    head = head.substr(0, head.find('\n'));
    const std::size_t kind = head.find("PRIVATE KEY");
    if (kind == std::string_view::npos) return std::nullopt;
    const std::size_t begin = at + std::min(head.size(), kind + std::string_view("PRIVATE KEY-----").size());
    const std::size_t end = std::min(text_.find("-----END ", begin), text_.size());
    add(begin, end);
    return end;
  }

  // scheme://USER:PASSWORD@host, and scheme://TOKEN@host.
  void user_information(std::size_t begin) {
    const std::size_t end = std::min(text_.find_first_of("/?# \t\r\n'\"<>`", begin), text_.size());
    const std::string_view authority = text_.substr(begin, end - begin);
    const std::size_t at_sign = authority.rfind('@');
    if (at_sign == std::string_view::npos) return;
    const std::size_t colon = authority.find(':');
    if (colon < at_sign) {
      if (!is_reference(begin + colon + 1, begin + at_sign)) add(begin + colon + 1, begin + at_sign);
    } else if (at_sign >= 20 && authority.find('.') > at_sign) {
      add(begin, begin + at_sign);
    }
  }

  // Tokens of known shape in the word [begin, end), and JSON web tokens.
  void tokens(std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) {
      if (at > begin && is_letter_or_digit(text_[at - 1])) continue;
      if (at > begin && text_[at - 1] == '_') continue;
      const std::string_view rest = text_.substr(at, end - at);
      if (rest.starts_with("eyJ")) {
        const std::size_t dot = rest.substr(0, longest_look).find('.');
        if (dot != std::string_view::npos && rest.substr(dot + 1).starts_with("eyJ")) return add(at, end);
        continue;
      }
      for (const Shape& shape : shapes) {
        if (!rest.starts_with(shape.prefix)) continue;
        std::size_t stop = at + shape.prefix.size();
        bool has_digit = false;
        const std::size_t look_end = std::min(end, at + longest_look);
        for (; stop < look_end; ++stop) has_digit = has_digit || is_digit(text_[stop]);
        if (stop - at < shape.prefix.size() + shape.length || (shape.needs_digit && !has_digit)) continue;
        return add(at, end);
      }
    }
  }

  // [begin, end) as the name of something: returns where to go on when its value was masked, or when there was none to
  // mask.
  std::optional<std::size_t> named(std::size_t begin, std::size_t end) {
    const std::string_view word = text_.substr(begin, end - begin);
    if (const auto next = letter_option(word, begin, end)) return next;
    if (any_of_words({"Bearer", "Basic"}, word)) return credentials(end);
    const std::size_t dashes = std::min(word.find_first_not_of('-'), word.size());
    const std::string_view name = word.substr(dashes);
    const bool is_user = has_curl_ && (name == "user" || name == "proxy-user");
    if (!is_user && !is_secret_name(name)) return std::nullopt;
    const char next = at_or_nul(end);
    if (next == '=' && at_or_nul(end + 1) != '=') return value(end + 1, is_user);
    if (next == '+' && at_or_nul(end + 1) == '=') return value(end + 2, false);
    if (is_user && dashes == 2 && next == ' ') return value(end + 1, true);
    if (is_user) return std::nullopt;
    if (next == ':' && name.find('-') != std::string_view::npos) return header(begin, end + 1);
    if (next == ':' && any_of_words({"Authorization", "Cookie"}, name)) return header(begin, end + 1);
    if ((next == '"' || next == '\'') && begin > 0 && text_[begin - 1] == next) return member(end + 1);
    if (next == '\\' && at_or_nul(end + 1) == '"') return member(end + 2);
    // --password VALUE
    if (dashes == 2 && next == ' ') {
      const std::size_t from = text_.find_first_not_of(' ', end);
      if (from == std::string_view::npos || text_[from] == '-') return end;
      return value(from, false);
    }
    return std::nullopt;
  }

  // curl -u USER:PASSWORD, sshpass -p PASSWORD, mysql -pPASSWORD
  std::optional<std::size_t> letter_option(std::string_view word, std::size_t begin, std::size_t end) {
    if (word.size() < 2 || word[0] != '-' || word[1] == '-' || (begin > 0 && !is_space(text_[begin - 1]))) {
      return std::nullopt;
    }
    const bool alone = word.size() == 2;
    const std::size_t from = alone ? std::min(text_.find_first_not_of(' ', end), text_.size()) : begin + 2;
    if (has_curl_ && (word[1] == 'u' || word[1] == 'U')) return value(from, true);
    if (has_sshpass_ && word[1] == 'p') return value(from, false);
    if (has_mysql_ && word[1] == 'p' && !alone) return value(from, false);
    return std::nullopt;
  }

  // True where [begin, end) only names a variable or a command that has the value.
  bool is_reference(std::size_t begin, std::size_t end) const {
    std::string_view word = text_.substr(begin, end - begin);
    if (word.size() >= 2 && word.front() == '"') word = word.substr(1, word.size() - (word.back() == '"' ? 2 : 1));
    if (word.empty() || word.front() != '$') return false;
    word.remove_prefix(1);
    if (word.starts_with('(')) return true;
    if (word.size() > 2 && word.front() == '{' && word.back() == '}') word = word.substr(1, word.size() - 2);
    return is_variable_name(word);
  }

  // Masks the value at `begin`, read as a word of a shell; where `behind_colon`, only what follows its first colon.
  std::size_t value(std::size_t begin, bool behind_colon) {
    std::size_t end = begin;
    while (end < text_.size()) {
      const char c = text_[end];
      if (c == '\'' || c == '"') {
        // In the middle of a word, what follows tells whether a quote opens, as in TOKEN=a"b c", or ends what the word
        // stands in, as in "-e TOKEN=a".
        if (end > begin && !is_name_character(at_or_nul(end + 1))) break;
        for (++end; end < text_.size() && text_[end] != c; ++end) {
          if (c == '"' && text_[end] == '\\') ++end;
        }
        ++end;
      } else if (c == '\\' && end + 1 < text_.size()) {
        end += 2;
      } else if (is_space(c) || std::string_view(";|&()<>,`").find(c) != std::string_view::npos) {
        if (c == '(' && end == begin + 1 && text_[begin] == '$') return end;
        break;
      } else {
        ++end;
      }
    }
    end = std::min(end, text_.size());
    std::size_t from = begin;
    if (behind_colon) {
      const std::size_t colon = text_.substr(begin, end - begin).find(':');
      if (colon == std::string_view::npos) return begin;
      from = begin + colon + 1;
    }
    if (is_reference(from, end)) return end;
    // The quotes around it stay, so that the line can still be read.
    const bool quoted = end - from >= 2 && (text_[from] == '\'' || text_[from] == '"') && text_[end - 1] == text_[from];
    add(from + (quoted ? 1U : 0U), end - (quoted ? 1U : 0U));
    return end;
  }

  // "NAME": "VALUE"
  std::optional<std::size_t> member(std::size_t at) {
    while (at < text_.size() && is_space(text_[at])) ++at;
    if (at_or_nul(at) != ':') return std::nullopt;
    ++at;
    while (at < text_.size() && is_space(text_[at])) ++at;
    if (at_or_nul(at) == '\\') ++at;
    const char quote = at_or_nul(at);
    if (quote != '"' && quote != '\'') return std::nullopt;
    std::size_t end = ++at;
    while (end < text_.size() && text_[end] != quote) {
      if (text_[end] == '\\' && at_or_nul(end + 1) == quote && at >= 2 && text_[at - 2] == '\\') break;
      end += text_[end] == '\\' ? 2 : 1;
    }
    end = std::min(end, text_.size());
    add(at, end);
    return end;
  }

  // Name: value, up to the end of the quote it stands in, or of the line. The scheme of an authorization stays.
  std::size_t header(std::size_t name, std::size_t at) {
    while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\\')) ++at;
    std::size_t scheme = at;
    while (scheme < text_.size() && is_letter_or_digit(text_[scheme])) ++scheme;
    if (any_of_words({"Bearer", "Basic", "Token", "Digest", "Negotiate", "ApiKey"}, text_.substr(at, scheme - at))) {
      at = scheme;
      while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\\')) ++at;
    }
    const char quote = name > 0 ? text_[name - 1] : '\0';
    const char* const stops = quote == '"' ? "\"\n" : quote == '\'' ? "'\n" : " \t\r\n'\"";
    const std::size_t end = std::min(text_.find_first_of(stops, at), text_.size());
    if (!is_reference(at, end)) add(at, end);
    return end;
  }

  // What follows a scheme that stands alone; a word of a sentence does not look like it.
  std::optional<std::size_t> credentials(std::size_t at) {
    if (at_or_nul(at) != ' ') return std::nullopt;
    const std::size_t begin = std::min(text_.find_first_not_of(' ', at), text_.size());
    std::size_t end = begin;
    bool has_digit = false;
    for (; end < text_.size() &&
           (is_name_character(text_[end]) || std::string_view("+/=~").find(text_[end]) != std::string_view::npos);
         ++end) {
      has_digit = has_digit || is_digit(text_[end]) || text_[end] == '=';
    }
    if (end - begin < 8 || (!has_digit && end - begin < 24)) return std::nullopt;
    add(begin, end);
    return end;
  }

  std::string_view text_;
  std::vector<std::pair<std::size_t, std::size_t>> ranges_;
  bool has_curl_ = false;
  bool has_mysql_ = false;
  bool has_sshpass_ = false;
};

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return text.ends_with(end); });
}

// The password in scheme://USER:PASSWORD@host; empty: none.
std::string_view password_in_url(std::string_view value) {
  const std::size_t begin = value.find("://");
  if (begin == std::string_view::npos) return {};
  const std::string_view authority = value.substr(begin + 3, value.find_first_of("/?#", begin + 3) - (begin + 3));
  const std::size_t at_sign = authority.rfind('@');
  const std::size_t colon = authority.find(':');
  if (at_sign == std::string_view::npos || colon > at_sign) return {};
  return authority.substr(colon + 1, at_sign - colon - 1);
}

bool is_worth_masking(std::string_view value) {
  return value.size() >= shortest_value &&
         !any_of_words({"default", "disabled", "enabled", "optional", "required", "unknown", "undefined", "keyring",
                        "password", "secret", "changeme", "example", "anonymous", "localhost"},
                       value);
}

}  // namespace

bool is_secret_name(std::string_view name) {
  // No name is so long.
  if (name.size() < 3 || name.size() > 128) return false;
  std::string plain;
  for (const char c : name) plain.push_back(c == '-' || c == '.' ? '_' : upper(c));
  // What says where a secret is, or of which kind, is none.
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

Masker::Masker(const std::vector<std::string>& variables) {
  for (const std::string_view variable : variables) {
    const std::size_t equals = variable.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view value = variable.substr(equals + 1);
    const std::string_view secret = is_secret_name(variable.substr(0, equals)) ? value : password_in_url(value);
    if (is_worth_masking(secret)) values_.emplace_back(secret);
  }
  std::sort(values_.begin(), values_.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
}

std::string Masker::masked(std::string_view text) const { return Scan(text, values_).run(); }

}  // namespace wtool::policy
