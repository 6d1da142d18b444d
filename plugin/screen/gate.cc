#include "screen/gate.h"

#include <algorithm>
#include <charconv>

#include "base/utf8.h"

namespace wtool::screen {

namespace {

constexpr std::size_t max_text = 1024;  // the most that is written in one piece
constexpr std::size_t max_sequence = 128;
constexpr std::size_t max_string = 512;  // bytes of a title with its number
constexpr std::size_t max_numbers = 15;
constexpr int max_number = 9999;
constexpr int max_repeats = 500;  // for each REP sequence; enough for a line of the widest screen

constexpr unsigned char cancel = 0x18, substitute = 0x1a, escape = 0x1b, bell = 0x07;

bool is_in(char one, std::string_view list) { return list.find(one) != std::string_view::npos; }

// DEC's private modes that are known and safe. Modes 3 (132 columns) and 69 (left and right margins) are not safe.
bool is_safe_private_mode(int mode) {
  constexpr int known[] = {1, 5, 6, 7, 12, 25, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1047, 1048, 1049, 2004};
  return std::find(std::begin(known), std::end(known), mode) != std::end(known);
}

int number_of(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::min(value, max_number) : max_number;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0;;) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    if (end == text.size()) return parts;
    at = end + 1;
  }
}

// Writes "0038:2" as "38:2". An empty number stays empty.
std::string bounded(std::string_view group) {
  std::string text;
  for (const std::string& number : split(group, ':')) {
    text += (text.empty() ? "" : ":") + (number.empty() ? std::string() : std::to_string(number_of(number)));
  }
  return text;
}

}  // namespace

void Gate::take(std::string_view bytes) {
  for (const char byte : bytes) take(static_cast<unsigned char>(byte));
  flush();
}

void Gate::take(unsigned char byte) {
  if (state_ == State::string || state_ == State::string_ignored) {
    const bool ends = byte == bell || (escape_in_string_ && byte == '\\');
    if (ends || byte == cancel || byte == substitute) {
      if (ends && state_ == State::string) finish_string();
      state_ = State::text;
    } else if (escape_in_string_) {
      // Another sequence begins, which cuts the string short.
      state_ = State::escape;
      collected_.clear();
      take(byte);
    } else if (byte == escape) {
      escape_in_string_ = true;
      return;
    } else if (byte >= 0x20 && collected_.size() < max_string) {
      collected_ += static_cast<char>(byte);
    }
    escape_in_string_ = false;
    return;
  }
  if (missing_ > 0 && (byte < 0x80 || byte >= 0xc0)) broken_character();
  if (byte == escape) {
    state_ = State::escape;
    collected_.clear();
  } else if (byte == cancel || byte == substitute) {
    state_ = State::text;
  } else if (byte < 0x20 || byte == 0x7f) {
    control(byte);
  } else {
    switch (state_) {
      case State::text:
        return take_text(byte);
      case State::escape:
        return take_escape(byte);
      case State::escape_rest:
        return take_escape_rest(byte);
      case State::csi:
      case State::csi_ignored:
        return take_csi(byte);
      case State::string:
      case State::string_ignored:
        return;
    }
  }
}

void Gate::take_text(unsigned char byte) {
  if (byte < 0x80) {
    text_ += static_cast<char>(byte);
    last_ = static_cast<char>(byte);
    if (text_.size() >= max_text) flush();
  } else if (byte < 0xc0) {
    if (missing_ == 0) return character(0xfffd);
    code_ = (code_ << 6U) | (byte & 0x3fU);
    if (--missing_ > 0) return;
    const bool wrong = code_ < least_ || code_ > 0x10ffff || (code_ >= 0xd800 && code_ <= 0xdfff);
    character(wrong ? 0xfffd : code_);
  } else if (byte < 0xe0) {
    code_ = byte & 0x1fU, missing_ = 1, least_ = 0x80;
  } else if (byte < 0xf0) {
    code_ = byte & 0x0fU, missing_ = 2, least_ = 0x800;
  } else if (byte < 0xf8) {
    code_ = byte & 0x07U, missing_ = 3, least_ = 0x10000;
  } else {
    character(0xfffd);
  }
}

void Gate::broken_character() {
  missing_ = 0;
  if (state_ == State::text) character(0xfffd);
}

void Gate::character(std::uint32_t code) {
  // C1 control characters are dropped; some of them make libvterm move the cursor out of the screen.
  if (code < 0xa0) return;
  std::string bytes;
  append_utf8(bytes, code);
  flush();
  target_.write_character(bytes);
  last_ = std::move(bytes);
}

// Passes on only backspace to carriage return, and the two characters that choose a character set.
void Gate::control(unsigned char byte) {
  if (byte < 0x08 || byte > 0x0f) return;
  send(std::string(1, static_cast<char>(byte)));
}

void Gate::flush() {
  if (text_.empty()) return;
  target_.write(text_);
  text_.clear();
}

void Gate::send(const std::string& sequence) {
  flush();
  target_.write(sequence);
}

void Gate::take_escape(unsigned char byte) {
  state_ = State::text;
  const char what = static_cast<char>(byte);
  if (what == '[') {
    state_ = State::csi;
  } else if (what == ']') {
    state_ = State::string;
  } else if (is_in(what, "PX^_")) {
    state_ = State::string_ignored;
  } else if (byte < 0x30) {
    collected_ = what;
    state_ = State::escape_rest;
  } else if (what == '8') {
    // The cursor may have been saved on a larger screen. The second sequence changes nothing, but makes libvterm check
    // the cursor's position.
    send(
        "\x1b"
        "8");
    send("\x1b[1g");
  } else if (is_in(what, "7=>DEHMc")) {
    send(std::string("\x1b") + what);
  }
}

void Gate::take_escape_rest(unsigned char byte) {
  if (byte < 0x30) {
    if (collected_.size() < max_sequence) collected_ += static_cast<char>(byte);
    return;
  }
  state_ = State::text;
  collected_ += static_cast<char>(byte);
  // "#8", a test pattern for engineers, is left out: its three bytes fill the whole screen, so much output of this kind
  // would keep the screen's readers waiting for seconds.
  for (const char* known : {"(0", "(A", "(B", ")0", ")A", ")B"}) {
    if (collected_ == known) send("\x1b" + collected_);
  }
}

void Gate::take_csi(unsigned char byte) {
  if (byte >= 0x40) {
    const bool known = state_ == State::csi && byte < 0x7f;
    state_ = State::text;
    if (known) finish_csi(static_cast<char>(byte));
  } else if (collected_.size() >= max_sequence) {
    state_ = State::csi_ignored;
  } else {
    collected_ += static_cast<char>(byte);
  }
}

void Gate::finish_csi(char final) {
  std::string_view rest = collected_;
  char leader = 0;
  if (!rest.empty() && is_in(rest.front(), "<=>?")) {
    leader = rest.front();
    rest.remove_prefix(1);
  }
  if (rest.find_first_not_of("0123456789;:") != std::string_view::npos) return;
  std::vector<std::string> groups;
  std::size_t numbers = 0;
  for (const std::string& group : split(rest, ';')) {
    numbers += 1 + static_cast<std::size_t>(std::count(group.begin(), group.end(), ':'));
    if (numbers > max_numbers) break;
    groups.push_back(bounded(group));
  }
  if (is_in(final, "hl")) return set_modes(leader, groups, final);
  const bool has_groups = rest.find(':') != std::string_view::npos;
  if (has_groups && (leader != 0 || final != 'm')) return;
  if (leader == 0 && final == 'b') return repeat(groups.front().empty() ? 1 : number_of(groups.front()));
  // Programs use ESC[s and ESC[u to save and restore the cursor, but libvterm sets margins with ESC[s.
  if (leader == 0 && final == 's' && rest.empty())
    return send(
        "\x1b"
        "7");
  if (leader == 0 && final == 'u' && rest.empty()) {
    send(
        "\x1b"
        "8");
    return send("\x1b[1g");
  }
  // libvterm answers ESC[>c whatever the numbers are. If the program's terminal echoes, the answer ESC[>0;100;0c comes
  // back, and would be answered again, forever.
  if (final == 'c' && (groups.size() != 1 || (!groups.front().empty() && groups.front() != "0"))) return;
  const std::string_view known = leader == 0     ? "@ABCDEFGHIJKLMPSTXZ`acdefgjkmnr"
                                 : leader == '?' ? "JKn"
                                 : leader == '>' ? "c"
                                                 : "";
  if (!is_in(final, known)) return;
  std::string sequence = "\x1b[";
  if (leader != 0) sequence += leader;
  for (std::size_t i = 0; i < groups.size(); ++i) sequence += (i > 0 ? ";" : "") + groups[i];
  send(sequence + final);
}

// Sends one sequence for each mode: libvterm obeys only the first mode of a sequence.
void Gate::set_modes(char leader, const std::vector<std::string>& groups, char final) {
  for (const std::string& group : groups) {
    const int given = group.empty() || group.find(':') != std::string::npos ? -1 : number_of(group);
    const int mode = leader == '?' && given == 47 ? 1047 : given;
    const bool safe = leader == '?' ? is_safe_private_mode(mode) : leader == 0 && (mode == 4 || mode == 20);
    if (safe) send(std::string("\x1b[") + (leader == '?' ? "?" : "") + std::to_string(mode) + final);
  }
}

// Repeats the last character here, because libvterm would repeat a character without width forever.
void Gate::repeat(int count) {
  if (last_.empty()) return;
  flush();
  const std::string character = last_;
  for (int i = 0; i < std::clamp(count, 1, max_repeats); ++i) {
    character.size() == 1 ? target_.write(character) : target_.write_character(character);
  }
}

void Gate::finish_string() {
  const std::size_t end = collected_.find(';');
  if (end == std::string::npos) return;
  const std::string_view kind = std::string_view(collected_).substr(0, end);
  if (kind != "0" && kind != "2") return;
  flush();
  target_.set_title(std::string_view(collected_).substr(end + 1));
}

}  // namespace wtool::screen
