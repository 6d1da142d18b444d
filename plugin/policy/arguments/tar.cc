#include "policy/arguments/parts.h"

namespace wtool::policy::programs {

Expanded expand_tar(const Words& words) {
  Expanded expanded;
  const auto add = [&](std::string word, std::size_t from) {
    expanded.words.push_back(std::move(word));
    expanded.from.push_back(from);
  };
  add(words[0], 0);
  std::size_t next = 1;
  if (words.size() > 1 && !words[1].starts_with('-')) {
    const Compiled& tar = *find_rules("tar");
    next = 2;
    for (const char letter : words[1]) {
      add(std::string{'-', letter}, 1);
      const Option* option = tar.letter(letter);
      if (option == nullptr || option->value != Value::required || next >= words.size()) continue;
      add(words[next], next);
      ++next;
    }
  }
  for (; next < words.size(); ++next) add(words[next], next);
  return expanded;
}

}  // namespace wtool::policy::programs
