#include "cli/arguments.h"

#include <unistd.h>

#include "config/files.h"

namespace wtool::host {

std::optional<std::string> read_arguments(const std::string& word, std::string& error) {
  if (word == "-") return read_descriptor(STDIN_FILENO, "standard input", arguments_size_limit, error);
  if (!word.starts_with('@')) return word;
  if (word == "@") {
    error = "\"@\" must be followed by the name of a file, as in @arguments.json";
    return std::nullopt;
  }
  return read_file(word.substr(1), arguments_size_limit, error);
}

}  // namespace wtool::host
