// Finds fields of notations other than a shell's words, and tokens of known shape.
#include <algorithm>
#include <optional>

#include "base/secrets/marks.h"
#include "base/secrets/names.h"
#include "base/text.h"

namespace wtool::secrets {

namespace {

// How many bytes of a token are checked, so that hostile text full of beginnings of tokens takes linear time.
constexpr std::size_t max_look = 256;

bool is_token_character(char c) { return is_word_character(c) || c == '-'; }
bool is_name_character(char c) { return is_token_character(c) || c == '.'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_upper_name(std::string_view name) {
  return std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

// Ordinary words rarely mix letters and digits.
bool looks_random(std::string_view value) {
  const bool digit = std::any_of(value.begin(), value.end(), is_digit);
  const bool letter = std::any_of(value.begin(), value.end(), is_letter);
  return digit && letter && value.size() >= 6;
}

// Tokens that are recognised by their beginning, with the least number of characters that must follow it.
struct Shape {
  std::string_view prefix;
  std::size_t length;
  bool needs_digit = false;  // ordinary words may begin with the same characters
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

// Addresses that are secrets: anyone who knows the whole address can post to it.
struct Hook {
  std::string_view host;  // the end of the host's name
  std::string_view path;
};

constexpr Hook hooks[] = {{"hooks.slack.com", "/services/"},     {"hooks.slack.com", "/workflows/"},
                          {"hooks.slack.com", "/triggers/"},     {"discord.com", "/api/webhooks/"},
                          {"discordapp.com", "/api/webhooks/"},  {"api.telegram.org", "/bot"},
                          {"webhook.office.com", "/webhookb2/"}, {"hooks.zapier.com", "/hooks/catch/"}};

// Goes through the text once, from left to right.
class TextScan {
 public:
  TextScan(const Piece& piece, Marks& marks) : piece_(piece), text_(piece.text), marks_(marks) {}

  void run() {
    for (std::size_t at = 0; at < text_.size();) at = step(at);
  }

 private:
  void add(std::size_t begin, std::size_t end) { marks_.add(piece_, begin, end); }

  char at_or_nul(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }

  std::size_t behind_blanks(std::size_t at) const {
    while (at_or_nul(at) == ' ' || at_or_nul(at) == '\t') ++at;
    return at;
  }

  std::size_t behind_space(std::size_t at) const {
    while (at < text_.size() && is_space(text_[at])) ++at;
    return at;
  }

  std::string_view word_at(std::size_t at) const {
    std::size_t end = at;
    while (is_name_character(at_or_nul(end))) ++end;
    return text_.substr(at, end - at);
  }

  // Looks at what begins at `at`; returns where to continue.
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
    // What begins here is a name, an option or a token.
    std::size_t end = at;
    while (end < text_.size() && is_name_character(text_[end])) ++end;
    if (const auto next = named(at, end)) return *next;
    tokens(at, end);
    return end;
  }

  std::optional<std::size_t> private_key(std::size_t at) {
    // The line that begins a key is short, so nothing beyond this length can belong to it.
    std::string_view head = text_.substr(at, 80);
    head = head.substr(0, head.find('\n'));
    const std::size_t kind = head.find("PRIVATE KEY");
    if (kind == std::string_view::npos) return std::nullopt;
    const std::size_t begin = at + std::min(head.size(), kind + std::string_view("PRIVATE KEY-----").size());
    const std::size_t end = std::min(text_.find("-----END ", begin), text_.size());
    add(begin, end);
    return end;
  }

  // Masks the secret in scheme://USER:PASSWORD@host and scheme://TOKEN@host.
  void user_information(std::size_t begin) {
    const std::size_t end = std::min(text_.find_first_of("/?# \t\r\n'\"<>`", begin), text_.size());
    const std::string_view authority = text_.substr(begin, end - begin);
    const std::size_t at_sign = authority.rfind('@');
    if (at_sign == std::string_view::npos) return;
    const std::size_t colon = authority.find(':');
    if (colon < at_sign) {
      if (!refers(begin + colon + 1, begin + at_sign)) add(begin + colon + 1, begin + at_sign);
    } else if (at_sign >= 20 && authority.find('.') > at_sign) {
      add(begin, begin + at_sign);
    }
  }

  // Masks tokens of known shape, and JSON web tokens, in the word [begin, end).
  void tokens(std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) {
      if (at > begin && is_letter_or_digit(text_[at - 1])) continue;
      if (at > begin && text_[at - 1] == '_') continue;
      const std::string_view rest = text_.substr(at, end - at);
      if (rest.starts_with("eyJ")) {
        const std::size_t dot = rest.substr(0, max_look).find('.');
        if (dot != std::string_view::npos && rest.substr(dot + 1).starts_with("eyJ")) return add(at, end);
        continue;
      }
      for (const Shape& shape : shapes) {
        if (!rest.starts_with(shape.prefix)) continue;
        std::size_t stop = at + shape.prefix.size();
        bool has_digit = false;
        const std::size_t look_end = std::min(end, at + max_look);
        for (; stop < look_end; ++stop) has_digit = has_digit || is_digit(text_[stop]);
        if (stop - at < shape.prefix.size() + shape.length || (shape.needs_digit && !has_digit)) continue;
        return add(at, end);
      }
    }
  }

  // Reads [begin, end) as a name, and masks its value if that is secret. Returns where to continue after the value.
  // Nothing: this is not a name with a value.
  std::optional<std::size_t> named(std::size_t begin, std::size_t end) {
    const std::string_view word = text_.substr(begin, end - begin);
    if (is_any_of({"Bearer", "Basic"}, word)) return credentials(end);
    if (is_any_of({"PRAGMA"}, word) || (is_any_of({"BY"}, word) && follows_identified(begin))) {
      return statement(word, end);
    }
    const char next = at_or_nul(end);
    if (next == '/') return hook(word, end);
    const char before = begin > 0 ? text_[begin - 1] : '\0';
    if (next == '=' && (before == '?' || before == '&') && is_secret_parameter(word)) return value(end + 1);
    const std::string_view name = word.substr(std::min(word.find_first_not_of('-'), word.size()));
    // In connection strings: Pwd=X;
    if (next == '=' && is_any_of({"pwd"}, name) && !is_upper_name(name) && at_or_nul(end + 1) != '/') {
      return value(end + 1);
    }
    if (!is_secret_name(name)) return std::nullopt;
    if ((is_space(next) || (next == '\'' && before != next)) && is_any_of({"PASSWORD"}, word)) {
      if (const auto behind = sql_password(begin, end)) return behind;
    }
    if (next == '=' && at_or_nul(end + 1) != '=') return value(end + 1);
    if (next == '+' && at_or_nul(end + 1) == '=') return value(end + 2);
    if (next == ':') {
      const char behind = at_or_nul(end + 1);
      const bool is_header = name.find('-') != std::string_view::npos || is_any_of({"Authorization", "Cookie"}, name);
      if (is_header && (behind == ' ' || behind == '\\')) return header(begin, end + 1);
      return field(name, begin, end + 1);
    }
    if ((next == '"' || next == '\'') && before == next) return member(end + 1);
    if (next == '\\' && at_or_nul(end + 1) == '"') return member(end + 2);
    if (next == ' ' || next == '\t') return assigned(begin, end);
    return std::nullopt;
  }

  // Masks VALUE in NAME = VALUE, in a file of settings or a program.
  std::optional<std::size_t> assigned(std::size_t begin, std::size_t end) {
    const std::size_t sign = behind_blanks(end);
    if (at_or_nul(sign) == '=' && at_or_nul(sign + 1) != '=' && at_or_nul(sign + 1) != '~') {
      const std::size_t from = behind_blanks(sign + 1);
      const char quote = at_or_nul(from);
      // In "'token = '", the second quote closes a text that began before the name.
      const bool closes = begin > 0 && text_[begin - 1] == quote;
      if (!closes && (quote == '\'' || quote == '"' || begins_line(begin))) return value(from);
    }
    return std::nullopt;
  }

  // Masks X in SQL's PASSWORD 'X' of a user or a role, in WITH PASSWORD = N'X', in SET PASSWORD = PASSWORD('X'), and in
  // SET PASSWORD FOR 'bob'@'h' = 'X'.
  std::optional<std::size_t> sql_password(std::size_t begin, std::size_t end) {
    const std::string_view before = word_before(begin);
    std::size_t at = behind_space(end);
    if (is_any_of({"SET"}, before) && is_any_of({"FOR"}, word_at(at))) {
      const std::string_view near = text_.substr(0, at + max_look);
      while ((at = near.find('=', at)) != std::string_view::npos) {  // the name of the user may contain an equals sign
        ++at;
        if (const auto behind = sql_value(at)) return behind;
      }
      return std::nullopt;
    }
    if (!is_any_of({"WITH", "ENCRYPTED", "SET"}, before) && !follows_account(begin)) return std::nullopt;
    return at_or_nul(at) == '=' ? sql_value(at + 1) : sql_text(at);
  }

  // Masks X after an equals sign of SQL. Besides the forms that sql_text() reads, X may be in double quotes, or the
  // argument of a function.
  std::optional<std::size_t> sql_value(std::size_t at) {
    at = behind_space(at);
    const std::string_view function = word_at(at);
    if (is_any_of({"PASSWORD", "OLD_PASSWORD"}, function)) {
      at = behind_space(at + function.size());
      if (at_or_nul(at) != '(') return std::nullopt;
      at = behind_space(at + 1);
    }
    return at_or_nul(at) == '"' ? std::optional(value(at)) : sql_text(at);
  }

  // Masks X in a text of SQL: 'X', E'X', U&'X', $$X$$, $tag$X$tag$. Nothing: there is no such text at `at`.
  std::optional<std::size_t> sql_text(std::size_t at) {
    for (const std::string_view prefix : {"", "E", "e", "N", "n", "U&", "u&"}) {
      const std::size_t quote = at + prefix.size();
      if (text_.substr(at).starts_with(prefix) && at_or_nul(quote) == '\'') return sql_quoted(quote);
    }
    if (at_or_nul(at) != '$') return std::nullopt;
    std::size_t begin = at + 1;
    while (is_word_character(at_or_nul(begin))) ++begin;
    if (at_or_nul(begin) != '$') return std::nullopt;
    const std::string_view dollars = text_.substr(at, ++begin - at);
    const std::size_t close = text_.substr(0, begin + max_look).find(dollars, begin);
    if (close == std::string_view::npos) return std::nullopt;  // such as $a$b, which are variables of the shell
    add(begin, close);
    return close + dollars.size();
  }

  // Masks X in 'X', where a doubled quote and a character behind a backslash do not end the text, and in '\''X'\'', which
  // is 'X' within a shell's single quotes.
  std::size_t sql_quoted(std::size_t at) {
    constexpr std::string_view in_shell = R"('\'')";
    if (text_.substr(at).starts_with(in_shell)) {
      const std::size_t begin = at + in_shell.size();
      const std::size_t close = std::min(text_.find(in_shell, begin), text_.size());
      add(begin, close);
      return close;
    }
    std::size_t end = at + 1;
    while (end < text_.size() && (text_[end] != '\'' || at_or_nul(end + 1) == '\'')) {
      end += text_[end] == '\\' || text_[end] == '\'' ? 2 : 1;
    }
    if (end >= text_.size()) return value(at);
    if (!refers(at, end + 1)) add(at + 1, end);
    return end + 1;
  }

  std::string_view word_before(std::size_t at) const {
    while (at > 0 && is_space(text_[at - 1])) --at;
    std::size_t begin = at;
    while (begin > 0 && at - begin < 32 && is_name_character(text_[begin - 1])) --begin;
    return text_.substr(begin, at - begin);
  }

  // Whether USER, ROLE or GROUP is among the words before `at`, as in ALTER ROLE "bob" LOGIN PASSWORD 'X'. The word
  // may belong to an earlier statement: only a parser of SQL could tell, because names may contain a semicolon.
  bool follows_account(std::size_t at) const {
    constexpr std::size_t reach = 512;
    const std::size_t first = at > reach ? at - reach : 0;
    for (std::size_t word = first; word < at;) {
      const std::string_view found = word_at(word);
      if (is_any_of({"USER", "ROLE", "GROUP"}, found)) return true;
      word += found.size() + 1;
    }
    return false;
  }

  // Whether IDENTIFIED, or IDENTIFIED WITH and the name of a method, is before `at`.
  bool follows_identified(std::size_t at) const {
    const std::string_view last = word_before(at);
    if (is_any_of({"IDENTIFIED"}, last)) return true;
    while (at > 0 && is_space(text_[at - 1])) --at;
    const char quote = at > 0 ? text_[at - 1] : '\0';
    std::size_t method = at - last.size();
    if (quote == '\'' || quote == '"') {
      method = at < 2 ? std::string_view::npos : text_.rfind(quote, at - 2);
      if (method == std::string_view::npos || at - method > max_look) return false;
    }
    const std::string_view with = word_before(method);
    return is_any_of({"WITH"}, with) &&
           is_any_of({"IDENTIFIED"}, word_before(static_cast<std::size_t>(with.data() - text_.data())));
  }

  // Masks X in SQL's PRAGMA key = 'X', IDENTIFIED BY 'X' and IDENTIFIED WITH method BY 'X'.
  std::optional<std::size_t> statement(std::string_view word, std::size_t end) {
    std::size_t at = behind_blanks(end);
    if (at == end) return std::nullopt;
    if (word.size() > 2) {
      const std::string_view name = word_at(at);
      if (!is_any_of({"key", "rekey", "hexkey", "hexrekey", "textkey"}, name)) return std::nullopt;
      at = behind_blanks(at + name.size());
      if (at_or_nul(at) != '=') return std::nullopt;
      at = behind_blanks(at + 1);
    }
    const char quote = at_or_nul(at);
    if (quote == '"') return value(at);
    return quote == '\'' ? std::optional(sql_quoted(at)) : std::nullopt;
  }

  // The address of a web hook: anyone who knows its path can post to it.
  std::optional<std::size_t> hook(std::string_view host, std::size_t at) {
    for (const Hook& row : hooks) {
      if (!host.ends_with(row.host) || !text_.substr(at).starts_with(row.path)) continue;
      const std::size_t end = std::min(text_.find_first_of("? \t\r\n'\"<>`;|&", at), text_.size());
      add(std::min(at + row.path.size(), end), end);
      return end;
    }
    return std::nullopt;
  }

  // True if a field may begin at `at`: it is the beginning of a line, or follows a quote, a brace, a comma, a semicolon
  // or a dash. Blanks before `at` do not count.
  bool begins_line(std::size_t at) const {
    while (at > 0 && (text_[at - 1] == ' ' || text_[at - 1] == '\t')) --at;
    if (at >= 2 && text_[at - 1] == '-' && is_space(text_[at - 2])) return true;
    return at == 0 || std::string_view("\n'\"{,;-").find(text_[at - 1]) != std::string_view::npos;
  }

  // `password: X`, as in YAML, and `PASSWORD:X`. In a sentence, the word after a colon is usually not a secret.
  std::optional<std::size_t> field(std::string_view name, std::size_t begin, std::size_t at) {
    const std::size_t from = behind_blanks(at);
    const char quote = at_or_nul(from);
    if (quote == '\'' || quote == '"') {
      if (from == at || !begins_line(begin)) return std::nullopt;
      const std::size_t close = text_.find(quote, from + 1);
      // Without a second quote, or if the same quote comes right before the name, this quote closes the text that
      // contains the whole field.
      if (close == std::string_view::npos || (begin > 0 && text_[begin - 1] == quote)) return std::nullopt;
      return value(from);
    }
    std::size_t end = from;
    while (end < std::min(text_.size(), from + max_look) && !is_space(text_[end]) &&
           std::string_view("'\",;}]|&`<>()\\").find(text_[end]) == std::string_view::npos) {
      ++end;
    }
    const std::string_view word = text_.substr(from, end - from);
    if (word.size() < 3 || word.front() == ':' || word.front() == '/' || word.front() == '[' || word.front() == '{' ||
        refers(from, end)) {
      return std::nullopt;
    }
    if (from == at) {
      // `NAME:WORD` may also be the name of an image, a file or a branch.
      const bool is_place = name.find('.') != std::string_view::npos || word.find('/') != std::string_view::npos;
      if (!is_upper_name(name) && (is_place || !looks_random(word))) return std::nullopt;
    } else if (!looks_random(word)) {
      const std::size_t behind = behind_blanks(end);
      const char c = at_or_nul(behind);
      const bool alone = c == '\0' || c == '\n' || c == '\r' || c == '#' || c == ',' || c == '}' ||
                         (behind == end && (c == '\'' || c == '"'));
      if (!alone || !begins_line(begin)) return std::nullopt;
    }
    add(from, end);
    return end;
  }

  // True if [begin, end) only names a variable or a command that has the value.
  bool refers(std::size_t begin, std::size_t end) const {
    std::string_view word = text_.substr(begin, end - begin);
    if (word.size() >= 2 && word.front() == '"') word = word.substr(1, word.size() - (word.back() == '"' ? 2 : 1));
    return is_no_secret(word);
  }

  // Masks the value at `begin`, read as a word of a shell.
  std::size_t value(std::size_t begin) {
    std::size_t end = begin;
    while (end < text_.size()) {
      const char c = text_[end];
      if (c == '\'' || c == '"') {
        // In the middle of a word, the next character shows whether a quote opens, as in TOKEN=a"b c", or closes a text
        // that contains the word, as in "-e TOKEN=a".
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
    if (refers(begin, end)) return end;
    // The quotes around the value stay, so that the line can still be read.
    const bool quoted =
        end - begin >= 2 && (text_[begin] == '\'' || text_[begin] == '"') && text_[end - 1] == text_[begin];
    add(begin + (quoted ? 1U : 0U), end - (quoted ? 1U : 0U));
    return end;
  }

  // "NAME": "VALUE"
  std::optional<std::size_t> member(std::size_t at) {
    at = behind_space(at);
    if (at_or_nul(at) != ':') return std::nullopt;
    at = behind_space(at + 1);
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

  // Name: value, up to the end of the line or of the quotes around it. The scheme of an authorization is not masked.
  std::size_t header(std::size_t name, std::size_t at) {
    while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\\')) ++at;
    std::size_t scheme = at;
    while (scheme < text_.size() && is_letter_or_digit(text_[scheme])) ++scheme;
    if (is_any_of({"Bearer", "Basic", "Token", "Digest", "Negotiate", "ApiKey"}, text_.substr(at, scheme - at))) {
      at = scheme;
      while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\\')) ++at;
    }
    const char quote = name > 0 ? text_[name - 1] : '\0';
    const char* const stops = quote == '"' ? "\"\n" : quote == '\'' ? "'\n" : " \t\r\n'\"";
    const std::size_t end = std::min(text_.find_first_of(stops, at), text_.size());
    if (!refers(at, end)) add(at, end);
    return end;
  }

  // Masks what follows `Bearer` or `Basic` outside a header, if it looks like credentials and not like words.
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

  const Piece& piece_;
  std::string_view text_;
  Marks& marks_;
};

bool is_parameter(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), is_word_character);
}

}  // namespace

bool is_no_secret(std::string_view value) {
  if (is_any_of({"true", "false", "null", "none", "yes", "no"}, value)) return true;
  if (value.empty() || value.front() != '$') return false;
  value.remove_prefix(1);
  if (value.empty() || value.starts_with('(')) return true;
  if (value.size() > 2 && value.front() == '{' && value.back() == '}') value = value.substr(1, value.size() - 2);
  return is_parameter(value);
}

void scan_text(const Piece& piece, Marks& marks) { TextScan(piece, marks).run(); }

}  // namespace wtool::secrets
