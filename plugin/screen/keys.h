// Finds keys by their names, such as "enter", "ctrl+c", "alt+x", "shift+tab", "f5" and "a". Has no state.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wtool::screen {

struct Key {
  enum class Name {
    character,
    enter,
    tab,
    backspace,
    escape,
    up,
    down,
    left,
    right,
    insert,
    del,
    home,
    end,
    page_up,
    page_down,
    function
  };
  Name name = Name::character;
  std::string character;  // in UTF-8; for Name::character
  int number = 0;         // of a function key: 1 to 12
  bool control = false, alt = false, shift = false;
};

// The key called `name`; nothing if the name is unknown. Names may be in upper or lower case, but characters are
// case-sensitive: "A" is the key a with shift.
std::optional<Key> key_of(std::string_view name);

// A list of the names that key_of accepts, for messages.
std::string_view key_names();

}  // namespace wtool::screen
