#include "screen/keys.h"

#include "base/text.h"
#include "base/utf8.h"

namespace wtool::screen {

namespace {

struct NamedKey {
  std::string_view name;
  Key::Name key;
};

constexpr NamedKey named[] = {
    {"enter", Key::Name::enter},    {"return", Key::Name::enter},
    {"tab", Key::Name::tab},        {"backspace", Key::Name::backspace},
    {"escape", Key::Name::escape},  {"esc", Key::Name::escape},
    {"up", Key::Name::up},          {"down", Key::Name::down},
    {"left", Key::Name::left},      {"right", Key::Name::right},
    {"insert", Key::Name::insert},  {"delete", Key::Name::del},
    {"home", Key::Name::home},      {"end", Key::Name::end},
    {"pageup", Key::Name::page_up}, {"pagedown", Key::Name::page_down},
};

std::optional<int> function_number(std::string_view name) {
  if (!name.starts_with('f') || name.size() < 2 || name[1] == '0') return std::nullopt;
  int number = 0;
  if (!read_number(name.substr(1), number) || number < 1 || number > 12) return std::nullopt;
  return number;
}

bool is_one_character(std::string_view text) {
  return is_utf8(text) && character_count(text) == 1 && static_cast<unsigned char>(text.front()) >= 0x20 &&
         text.front() != 0x7f;
}

}  // namespace

std::optional<Key> key_of(std::string_view name) {
  Key key;
  for (std::size_t plus = name.find('+'); plus != std::string_view::npos && name.size() > plus + 1;
       plus = name.find('+')) {
    const std::string modifier = lowered(name.substr(0, plus));
    bool* const set = modifier == "ctrl" || modifier == "control" ? &key.control
                      : modifier == "alt" || modifier == "meta"   ? &key.alt
                      : modifier == "shift"                       ? &key.shift
                                                                  : nullptr;
    if (set == nullptr || *set) return std::nullopt;
    *set = true;
    name.remove_prefix(plus + 1);
  }
  const std::string known = lowered(name);
  if (known == "space") name = " ";
  for (const auto& [text, which] : named) {
    if (known != text) continue;
    key.name = which;
    return key;
  }
  if (const auto number = function_number(known)) {
    key.name = Key::Name::function;
    key.number = *number;
    return key;
  }
  if (!is_one_character(name)) return std::nullopt;
  key.character = name;
  if (key.shift && name.size() == 1) key.character.front() = upper(name.front());
  if (!key.control) return key;
  // The only characters that have a code of their own when ctrl is pressed.
  constexpr std::string_view with_control = "abcdefghijklmnopqrstuvwxyz@[\\]^_ ";
  key.character = lowered(name);
  if (name.size() != 1 || with_control.find(key.character) == std::string_view::npos) return std::nullopt;
  return key;
}

std::string_view key_names() {
  return "enter, tab, backspace, escape, space, up, down, left, right, insert, delete, home, end, pageup, pagedown, f1 "
         "to f12, a character, and each of them with ctrl+, alt+ or shift+ in front, such as ctrl+c";
}

}  // namespace wtool::screen
