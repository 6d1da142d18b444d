// Fuzzes policy/arguments.h. The input is a command line: a NUL or a newline separates two words, and the first word is
// the tool. Whatever the bytes are, every function must return quickly, and its result must fit the words.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/require.h"
#include "policy/arguments.h"

namespace {

using wtool::policy::ArgumentJudgement;

using wtool::test::require;

void check(const ArgumentJudgement& judgement, const std::vector<std::string>& words) {
  const bool unsafe = judgement.kind == ArgumentJudgement::Kind::unsafe;
  require(unsafe == !judgement.reason.empty());
  require(!unsafe || judgement.word < words.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == '\0' || data[i] == '\n') {
      words.emplace_back();
    } else {
      words.back().push_back(static_cast<char>(data[i]));
    }
  }
  const std::string tool = words[0];
  check(wtool::policy::judge_arguments(tool, words), words);
  check(wtool::policy::judge_program_text(tool, words), words);
  check(wtool::policy::judge_reach(tool, words), words);
  require(wtool::policy::text_words(tool, words).size() == words.size());
  wtool::policy::takes_more_arguments(tool, words);
  return 0;
}
