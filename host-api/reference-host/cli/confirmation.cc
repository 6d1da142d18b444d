#include "cli/confirmation.h"

#include <algorithm>

#include "terminal/asking.h"
#include "terminal/text.h"

namespace wtool::host {
namespace {

constexpr int max_attempts = 5;

// A word in small letters, without blanks.
std::string word_of(std::string line) {
  std::erase_if(line, [](char c) { return c == ' ' || c == '\t'; });
  std::transform(line.begin(), line.end(), line.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return line;
}

}  // namespace

std::optional<bool> confirm_on_terminal(const std::string& question, Stop& stop, Terminal& terminal) {
  QuestionEnd end(terminal);
  const auto subscription = stop.subscribe([&end](const StopRequest&) { end.request(); });
  Asking asking(terminal, end);
  // Its turn may come because the same stop has just ended the question before it.
  if (!asking.can_ask() || stop.requested()) return std::nullopt;
  const std::string state = asking_state();
  const std::string prompt = (state.empty() ? "" : state + ": ") + cleaned_for_terminal(question, true) + " [y/N] ";
  if (asking.show("\n") != Asking::Event::done) return std::nullopt;
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    std::string line;
    switch (asking.read_line(prompt, line)) {
      case Asking::Event::ended:
        asking.leave("\n(the question is withdrawn)\n");
        return std::nullopt;
      case Asking::Event::closed:
        asking.leave("\n");
        return false;
      case Asking::Event::done:
        break;
    }
    const std::string word = word_of(line);
    if (word == "y" || word == "yes") return true;
    if (word.empty() || word == "n" || word == "no") return false;
    if (asking.show("Please answer y (yes) or n (no).\n") != Asking::Event::done) break;
  }
  return false;
}

}  // namespace wtool::host
