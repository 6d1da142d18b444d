// How env -S splits its text into words. Pure.
#pragma once

#include <vector>

#include "policy/words.h"

namespace wtool::policy {

// Appends the words; each has the place of `text`. ${NAME} makes a word that is not literal. False: env refuses it.
bool split_string(const Word& text, std::vector<Word>& words);

}  // namespace wtool::policy
