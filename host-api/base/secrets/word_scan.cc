// Reads a text as the unquoted words of commands, and finds the secret ones by the names of options and programs. The
// text need not be a shell's line: a quote that is never closed is an ordinary character.
#include <algorithm>
#include <array>

#include "base/hex.h"
#include "base/secrets/marks.h"
#include "base/secrets/names.h"
#include "base/secrets/programs.h"

namespace wtool::secrets {

namespace {

bool is_word_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_separator(char c) { return std::string_view("\n;|&()<>`").find(c) != std::string_view::npos; }

// One word, without its quotes.
struct UnquotedWord {
  std::string_view plain;              // the word, if nothing in it is quoted
  std::size_t begin = 0;               // where `plain` begins in the piece
  std::string own;                     // the word, if something in it is quoted
  std::vector<CharacterPlace> places;  // one for each character of `own`
  bool in_single_quotes = false;       // the word begins in single quotes
  bool is_here_string = false;

  std::string_view text() const { return places.empty() ? plain : std::string_view(own); }
};

using Words = std::vector<UnquotedWord>;

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1);
}

class WordScan {
 public:
  WordScan(const Piece& piece, const std::vector<std::string>& values, Marks& marks, int depth)
      : piece_(piece), text_(piece.text), values_(values), marks_(marks), depth_(depth) {}

  void run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '<' && text_.substr(at_).starts_with("<<<")) {
        at_ += 3;
        here_string_ = true;
      } else if (is_word_blank(c) || c == '<' || c == '>') {
        ++at_;
      } else if (is_separator(c)) {
        ++at_;
        const bool piped = c == '|' && (at_ == text_.size() || text_[at_] != '|');
        end_command(piped);
      } else {
        words_.push_back(word());
      }
    }
    end_command(false);
  }

 private:
  // ---- Words.

  // Where the quote at `at` is closed; npos: nowhere. After one unclosed quote, quotes of the same kind are not
  // searched for again, so that the scan takes linear time.
  std::size_t closing(std::size_t at) {
    const char quote = text_[at];
    bool& is_last = quote == '"' ? no_more_double_ : no_more_single_;
    if (is_last) return std::string_view::npos;
    std::size_t end = at + 1;
    for (; end < text_.size() && text_[end] != quote; ++end) {
      if (quote == '"' && text_[end] == '\\') ++end;
    }
    if (end < text_.size()) return end;
    is_last = true;
    return std::string_view::npos;
  }

  UnquotedWord word() {
    UnquotedWord word;
    word.begin = at_;
    word.is_here_string = std::exchange(here_string_, false);
    const auto put = [&](std::size_t begin, std::size_t end, char c) {
      word.own.push_back(c);
      word.places.push_back({piece_.place(begin).begin, piece_.place(end - 1).end});
    };
    // From the first quote on, characters are copied.
    bool copied = false;
    const auto copy_from_now_on = [&] {
      if (std::exchange(copied, true)) return;
      for (std::size_t i = word.begin; i < at_; ++i) put(i, i + 1, text_[i]);
    };
    while (at_ < text_.size() && !is_word_blank(text_[at_]) && !is_separator(text_[at_])) {
      const char c = text_[at_];
      const std::size_t close = c == '\'' || c == '"' ? closing(at_) : std::string_view::npos;
      if (close != std::string_view::npos) {
        copy_from_now_on();
        if (word.own.empty()) word.in_single_quotes = c == '\'';
        const std::size_t first = word.own.size();
        for (std::size_t i = at_ + 1; i < close; ++i) {
          const bool escaped = c == '"' && text_[i] == '\\' && i + 1 < close &&
                               std::string_view("\"\\$`").find(text_[i + 1]) != std::string_view::npos;
          put(i, i + (escaped ? 2 : 1), text_[i + (escaped ? 1 : 0)]);
          if (escaped) ++i;
        }
        read_again(word, first);
        at_ = close + 1;
      } else if (c == '\\' && at_ + 1 < text_.size()) {
        copy_from_now_on();
        put(at_, at_ + 2, text_[at_ + 1]);
        at_ += 2;
      } else {
        if (copied) put(at_, at_ + 1, c);
        ++at_;
      }
    }
    word.plain = text_.substr(word.begin, at_ - word.begin);
    if (copied) find_values(word);
    if (word.text().find('%') != std::string_view::npos) decoded(word);
    return word;
  }

  // Quoted text may itself be a command line or another notation.
  void read_again(const UnquotedWord& word, std::size_t first) {
    const std::string_view inside = std::string_view(word.own).substr(first);
    if (depth_ >= max_reading_depth || inside.find_first_of(" \t\n=:\"'") == std::string_view::npos) return;
    const std::vector<CharacterPlace> places(word.places.begin() + static_cast<std::ptrdiff_t>(first),
                                             word.places.end());
    const Piece piece{inside, 0, &places};
    scan_text(piece, marks_);
    if (inside.find_first_of(" \t\n") != std::string_view::npos) scan_words(piece, values_, marks_, depth_ + 1);
  }

  // Marks secret values of the environment whose text is interrupted by quotes.
  void find_values(const UnquotedWord& word) {
    const std::string_view text = word.text();
    for (const std::string& value : values_) {
      if (value.size() > text.size()) continue;
      for (std::size_t at = text.find(value); at != std::string_view::npos; at = text.find(value, at + value.size())) {
        marks_.add({text, 0, &word.places}, at, at + value.size());
      }
    }
  }

  // Scans the word with its percent codes decoded, such as %70assword%3Dx for password=x.
  void decoded(const UnquotedWord& word) {
    const std::string_view text = word.text();
    std::string plain;
    std::vector<CharacterPlace> places;
    bool any = false;
    const Piece encoded = piece_of(word);
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool is_code =
          text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0;
      const std::size_t size = is_code ? 3 : 1;
      plain.push_back(is_code ? static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2])) : text[i]);
      places.push_back({encoded.place(i).begin, encoded.place(i + size - 1).end});
      any = any || is_code;
      i += size - 1;
    }
    if (any) scan_text({plain, 0, &places}, marks_);
  }

  // ---- Commands.

  // A command has been read. `piped`: the next command reads what this one prints.
  void end_command(bool piped) {
    if (!words_.empty()) check();
    if (!words_.empty() && takes_secret_from_input()) {
      for (const UnquotedWord& word : words_) {
        if (word.is_here_string) mark(word, 0);
      }
      if (reads_pipe_) printed(before_);
    }
    reads_pipe_ = piped;
    before_ = std::exchange(words_, {});
  }

  void check() {
    bool sets = false;  // `config set NAME VALUE`
    options_.clear();
    commands_.clear();
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::string_view text = words_[i].text();
      if (text.empty()) continue;
      if (text[0] != '-') {
        // The lists are bounded, because a command names few programs, and names them early.
        for (const SecretOption* row : secret_options_of(base_name(text))) {
          if (options_.size() < 32) options_.emplace_back(row, commands_.size());
        }
        if (commands_.size() < 32) commands_.push_back(text);
      }
      for (const auto& [row, program] : options_) {
        if (row->command.empty() || is_command(row->command, program)) option_of_program(*row, i);
      }
      named(i, sets);
      sets = sets || is_any_of({"set", "config", "configure", "connect", "modify"}, text);
    }
    positional();
    operands_of_vault();
  }

  bool is_command(std::string_view name, std::size_t program) const {
    for (std::size_t i = program + 1; i < std::min(program + 3, commands_.size()); ++i) {
      if (commands_[i] == name) return true;
    }
    return false;
  }

  // Finds a secret by the name in the word itself: --password X, -secret X, PASS""WORD=X, set NAME X.
  void named(std::size_t i, bool sets) {
    const std::string_view text = words_[i].text();
    const std::size_t dashes = std::min(text.find_first_not_of('-'), text.size());
    const std::size_t separator = std::min(text.find_first_of("=:", dashes), text.size());
    const std::string_view name = text.substr(dashes, separator - dashes);
    if (dashes == 0) {
      if (separator < text.size() && text[separator] == '=' && is_secret_name(name))
        return mark(words_[i], separator + 1);
      // The name in `set NAME X` may be the end of a word, as in //registry.example.org/:_authToken.
      if (!sets) return;
      const std::size_t tail = text.find_last_of("/:");
      const std::string_view last = tail == std::string_view::npos ? text : text.substr(tail + 1);
      if (last.find('=') == std::string_view::npos && is_secret_name(last)) mark_next(i);
      return;
    }
    // Letters after a single dash can form a short name by chance.
    if (dashes > 2 || name.size() < (dashes == 1 ? 4U : 2U) || !is_secret_option(name)) return;
    if (separator == text.size()) {
      if (!is_flag_about_secret(name)) mark_next(i);
    } else if (text[separator] == ':' || !text.substr(separator + 1).starts_with("id=")) {
      mark(words_[i], separator + 1);
    }
  }

  void option_of_program(const SecretOption& row, std::size_t i) {
    const std::string_view text = words_[i].text();
    if (text.size() < 2 || text[0] != '-') return;
    if (!row.long_option.empty() && text.starts_with(row.long_option)) {
      if (text.size() == row.long_option.size()) return value_in_next(row, i);
      if (text[row.long_option.size()] == '=') return value(row, words_[i], row.long_option.size() + 1);
    }
    if (text[1] == '-') return;
    for (std::size_t at = 1; at < text.size(); ++at) {
      if (row.letters.find(text[at]) != std::string_view::npos) {
        if (at + 1 < text.size()) {
          // If any letter may be a flag, and the option is not the first letter, the rest of the word may be flags
          // instead of a value.
          if (at == 1 || row.flags.size() < 50) value(row, words_[i], at + 1);
          if (row.flags.size() < 50 || at == 1) return;
        } else if (!row.attached_only) {
          return value_in_next(row, i);
        }
      }
      if (row.flags.find(text[at]) == std::string_view::npos) return;
    }
  }

  void value_in_next(const SecretOption& row, std::size_t i) {
    if (i + 1 < words_.size()) value(row, words_[i + 1], 0);
  }

  void value(const SecretOption& row, const UnquotedWord& word, std::size_t from) {
    const std::string_view rest = word.text().substr(from);
    const auto behind = [&](char separator) {
      const std::size_t at = rest.find(separator);
      if (at != std::string_view::npos) mark(word, from + at + 1);
    };
    switch (row.part) {
      case SecretPart::whole:
        return mark(word, from);
      case SecretPart::behind_colon:
        return behind(':');
      case SecretPart::behind_percent:
        return behind('%');
      case SecretPart::behind_comma:
        return behind(',');
      case SecretPart::bearer_or_pair:
        return rest.find(':') == std::string_view::npos ? mark(word, from) : behind(':');
      case SecretPart::named_source:
        return rest.starts_with("pass:") ? behind(':') : void();
      case SecretPart::behind_equals:
        for (std::size_t at = rest.find('='); at != std::string_view::npos; at = rest.find('=', at)) {
          const std::size_t end = std::min(rest.find(';', at), rest.size());
          mark(word, from + at + 1, from + end);
          at = end;
        }
        return;
    }
  }

  // Masks the operand of a program that takes a secret as an operand.
  void positional() {
    if (commands_.empty()) return;
    const auto program = std::find_if(commands_.begin(), commands_.end(), [](std::string_view word) {
      return is_any_of({"htpasswd", "wpa_passphrase"}, base_name(word));
    });
    if (program == commands_.end()) return;
    const bool takes_password =
        base_name(*program) == "wpa_passphrase" ||
        std::any_of(words_.begin(), words_.end(), [](const UnquotedWord& word) {
          const std::string_view text = word.text();
          return text.size() > 1 && text[0] == '-' && text[1] != '-' && text.find('b') != std::string_view::npos;
        });
    if (takes_password && words_.size() > 3) mark(words_.back(), 0);
  }

  // Masks the token in vault login TOKEN and vault token revoke TOKEN: the operands after these words, except
  // NAME=VALUE.
  void operands_of_vault() {
    const auto vault = std::find_if(words_.begin(), words_.end(),
                                    [](const UnquotedWord& word) { return base_name(word.text()) == "vault"; });
    std::string_view command;
    bool takes_token = false;
    for (auto word = vault; word != words_.end(); ++word) {
      const std::string_view text = word->text();
      if (word == vault || text.empty() || text[0] == '-') continue;
      if (takes_token) {
        if (text.find('=') == std::string_view::npos) mark(*word, 0);
      } else if (command.empty()) {
        command = text;
        takes_token = is_any_of({"login", "unwrap"}, text);
      } else {
        takes_token =
            is_any_of({"token", "operator"}, command) && is_any_of({"lookup", "renew", "revoke", "unseal"}, text);
        if (!takes_token) return;
      }
    }
  }

  bool takes_secret_from_input() const {
    const bool is_sudo = base_name(words_.front().text()) == "sudo";
    if (names_chpasswd()) return true;
    return std::any_of(words_.begin(), words_.end(), [&](const UnquotedWord& word) {
      const std::string_view text = word.text();
      if (is_sudo && text == "-S") return true;
      if (!text.starts_with("--")) return false;
      if (text == "--with-token" || text == "--stdin" || text == "--passphrase-fd") return true;
      return text.ends_with("-stdin") && is_secret_name(text.substr(2, text.size() - 8));
    });
  }

  // chpasswd reads lines of the form user:password.
  bool names_chpasswd() const {
    return std::any_of(commands_.begin(), commands_.end(),
                       [](std::string_view word) { return base_name(word) == "chpasswd"; });
  }

  // Masks what `echo` or `printf` prints for a program that reads a secret.
  void printed(const Words& words) {
    if (words.empty() || !is_any_of({"echo", "printf"}, base_name(words.front().text()))) return;
    const bool pairs = names_chpasswd();
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string_view text = words[i].text();
      if (text.starts_with('-') || text.find('%') != std::string_view::npos) continue;
      const std::size_t colon = text.find(':');
      mark(words[i], pairs && colon != std::string_view::npos ? colon + 1 : 0);
    }
  }

  // ---- Marks.

  Piece piece_of(const UnquotedWord& word) const {
    if (!word.places.empty()) return {word.own, 0, &word.places};
    return {word.plain, piece_.offset + word.begin, piece_.places};
  }

  void mark_next(std::size_t i) {
    if (i + 1 == words_.size()) return;
    const std::string_view next = words_[i + 1].text();
    // A value with such a beginning only says where the secret is read from.
    for (const std::string_view source : {"-", "id=", "env:", "file:", "fd:", "stdin", "@"}) {
      if (next.starts_with(source)) return;
    }
    // If one of these words follows, the text is a sentence that mentions the option, and not a command that uses it.
    if (is_any_of({"of", "is", "and", "or", "for", "to", "in", "was", "has", "must", "needs", "cannot", "takes"},
                  next)) {
      return;
    }
    mark(words_[i + 1], 0);
  }

  void mark(const UnquotedWord& word, std::size_t from, std::size_t to = std::string_view::npos) {
    to = std::min(to, word.text().size());
    if (from >= to || (!word.in_single_quotes && is_no_secret(word.text().substr(from, to - from)))) return;
    marks_.add(piece_of(word), from, to);
  }

  const Piece& piece_;
  std::string_view text_;
  const std::vector<std::string>& values_;
  Marks& marks_;
  int depth_;
  std::size_t at_ = 0;
  bool no_more_single_ = false, no_more_double_ = false;
  bool here_string_ = false;
  bool reads_pipe_ = false;
  Words words_, before_;
  std::vector<std::pair<const SecretOption*, std::size_t>> options_;  // with the index of their program in commands_
  std::vector<std::string_view> commands_;                            // words of the command that are not options
};

}  // namespace

void scan_words(const Piece& piece, const std::vector<std::string>& values, Marks& marks, int depth) {
  WordScan(piece, values, marks, depth).run();
}

}  // namespace wtool::secrets
