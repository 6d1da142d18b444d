#include "engine/sandbox/git_files.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/text.h"

namespace wtool::engine {

// ---- A configuration.

namespace {

bool is_blank_character(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_name(char c) { return is_letter_or_digit(c) || c == '-' || c == '.'; }

class GitConfigReader {
 public:
  explicit GitConfigReader(std::string_view text) : rest_(text) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  }

  std::vector<GitSetting> read() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '\n' || is_blank_character(c)) {
        rest_.remove_prefix(1);
      } else if (c == '#' || c == ';') {
        skip_line();
      } else if (c == '[') {
        if (!section()) break;
      } else if (!setting()) {
        break;
      }
    }
    return std::move(settings_);
  }

 private:
  void skip_line() { rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size())); }

  std::string name() {
    std::string text;
    for (; !rest_.empty() && is_name(rest_.front()); rest_.remove_prefix(1)) text += lower(rest_.front());
    return text;
  }

  void skip_blanks() {
    while (!rest_.empty() && is_blank_character(rest_.front())) rest_.remove_prefix(1);
  }

  // [name], [name "subsection"] or [name.subsection]
  bool section() {
    rest_.remove_prefix(1);
    section_ = name();
    section_ = section_.substr(0, section_.find('.'));
    skip_blanks();
    if (rest_.starts_with('"')) {
      rest_.remove_prefix(1);
      while (!rest_.empty() && rest_.front() != '"' && rest_.front() != '\n') {
        rest_.remove_prefix(rest_.front() == '\\' && rest_.size() > 1 ? 2 : 1);
      }
      if (!rest_.starts_with('"')) return false;
      rest_.remove_prefix(1);
    }
    if (!rest_.starts_with(']')) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool setting() {
    if (!is_letter(rest_.front())) return false;
    GitSetting setting{section_ + '.' + name(), {}};
    skip_blanks();
    if (rest_.starts_with('=')) {
      rest_.remove_prefix(1);
      if (!value(setting.value)) return false;
    }
    settings_.push_back(std::move(setting));
    return true;
  }

  // Reads a value up to the end of its line. Unquoted blanks at both ends are left out. False: the value is malformed.
  bool value(std::string& text) {
    skip_blanks();
    bool quoted = false;
    std::size_t kept = 0;
    while (!rest_.empty()) {
      char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '\n') break;
      if (!quoted && (c == '#' || c == ';')) {
        skip_line();
        break;
      }
      if (c == '"') {
        quoted = !quoted;
        kept = text.size();
        continue;
      }
      if (c == '\\') {
        if (rest_.starts_with("\r\n")) rest_.remove_prefix(1);
        if (rest_.empty()) return false;
        c = rest_.front();
        rest_.remove_prefix(1);
        if (c == '\n') continue;
        c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'b' ? '\b' : c;
        text += c;
        kept = text.size();
        continue;
      }
      text += c;
      if (quoted || !is_blank_character(c)) kept = text.size();
    }
    text.resize(kept);
    return !quoted;
  }

  std::string_view rest_;
  std::string section_;
  std::vector<GitSetting> settings_;
};

}  // namespace

std::vector<GitSetting> read_git_settings(std::string_view text) { return GitConfigReader(text).read(); }

std::vector<std::string> paths_in_command(std::string_view line) {
  std::vector<std::string> paths;
  std::string word;
  const auto end_word = [&] {
    if (word.starts_with('!')) word.erase(0, 1);
    if (word.find('/') != std::string::npos) paths.push_back(word);
    word.clear();
  };
  for (const char c : line) {
    if (is_blank_character(c) || c == '\n' || c == ';' || c == '&' || c == '|' || c == '=' || c == '<' || c == '>') {
      end_word();
    } else if (c != '"' && c != '\'') {
      word += c;
    }
  }
  end_word();
  return paths;
}

// ---- An index.

namespace {

constexpr std::size_t header_size = 12;
constexpr std::size_t mode_offset = 24;
constexpr std::size_t hash_offset = 40;
constexpr std::uint32_t type_mask = 0170000;
constexpr std::uint32_t submodule_type = 0160000;
constexpr unsigned extended_flag = 0x4000;
constexpr unsigned length_mask = 0x0fff;

std::uint32_t number_at(std::string_view bytes, std::size_t offset) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<unsigned char>(bytes[offset + i]);
  return number;
}

// Reads how many bytes to remove from the previous path (version 4 of the format). Nothing: the number is malformed.
std::optional<std::size_t> read_varint(std::string_view bytes, std::size_t& at) {
  std::size_t value = 0;
  for (int i = 0; i < 5; ++i) {
    if (at >= bytes.size()) return std::nullopt;
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    value = (i == 0 ? 0 : (value + 1) << 7) + (byte & 0x7fU);
    if ((byte & 0x80U) == 0) return value;
  }
  return std::nullopt;
}

// Nothing: the text is not an index with hashes of this size, or some of its entries are in another file.
std::optional<bool> names_submodule(std::string_view index, std::size_t hash_size,
                                    const std::filesystem::path& folder) {
  if (index.size() < header_size + hash_size || !index.starts_with("DIRC")) return std::nullopt;
  const std::uint32_t version = number_at(index, 4);
  if (version < 2 || version > 4) return std::nullopt;
  const std::string_view body = index.substr(0, index.size() - hash_size);
  std::size_t at = header_size;
  std::string path;
  bool found = false;
  for (std::uint32_t left = number_at(index, 8); left > 0; --left) {
    const std::size_t start = at;
    const std::size_t flags_at = start + hash_offset + hash_size;
    if (flags_at + 2 > body.size()) return std::nullopt;
    const unsigned flags = number_at(body, flags_at - 2) & 0xffffU;
    at = flags_at + ((flags & extended_flag) != 0 ? 4U : 2U);
    if (version == 4) {
      const auto cut = read_varint(body, at);
      if (!cut || *cut > path.size()) return std::nullopt;
      path.resize(path.size() - *cut);
    } else {
      path.clear();
    }
    if (at > body.size()) return std::nullopt;
    const std::size_t end = body.find('\0', at);
    if (end == std::string_view::npos) return std::nullopt;
    path += body.substr(at, end - at);
    if (version == 4) {
      at = end + 1;
    } else {
      const std::size_t length = (flags & length_mask) == length_mask ? end - at : flags & length_mask;
      at = start + ((at - start + length + 8) & ~std::size_t{7});
    }
    const bool submodule = (number_at(body, start + mode_offset) & type_mask) == submodule_type;
    found = found || (submodule && std::filesystem::path(path + '/').lexically_normal() == folder);
  }
  // An extension "link": the rest of the entries is in another file.
  while (at + 8 <= body.size()) {
    if (body.substr(at, 4) == "link") return std::nullopt;
    at += std::size_t{8} + number_at(body, at + 4);
  }
  return found;
}

}  // namespace

bool is_submodule(std::string_view index, const std::string& folder) {
  const auto wanted = std::filesystem::path(folder + '/').lexically_normal();
  constexpr std::size_t sha1_size = 20;
  constexpr std::size_t sha256_size = 32;
  const auto one = names_submodule(index, sha1_size, wanted);
  const auto other = names_submodule(index, sha256_size, wanted);
  if (!one && !other) return true;
  return one.value_or(false) || other.value_or(false);
}

}  // namespace wtool::engine
