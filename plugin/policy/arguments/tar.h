// tar's oldest way to write options: without a dash, as the first word, with their values behind it in their order.
#pragma once

#include "policy/programs/reader.h"

namespace wtool::policy::programs {

struct Expanded {
  Words words;
  std::vector<std::size_t> from;  // for each word, which one it was
};

// `tar cIf PROGRAM FILE` becomes `tar -c -I PROGRAM -f FILE`; without such options, the words as they are.
Expanded expand_tar(const Words& words);

}  // namespace wtool::policy::programs
