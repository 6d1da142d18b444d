// Collects the parts of a text that must be masked. text_scan.cc and word_scan.cc look for them, each in its own way.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wtool::secrets {

// Where one character is in the text that is masked. It may take several characters there: with a backslash before it,
// between quotes, or as %41.
struct CharacterPlace {
  std::size_t begin;
  std::size_t end;
};

// A text to read: the text that is masked, a part of it, or what a part of it means without its quotes.
struct Piece {
  std::string_view text;
  std::size_t offset = 0;  // the index of its first character: in `places` or, if that is nullptr, in the text to mask
  const std::vector<CharacterPlace>* places = nullptr;

  CharacterPlace place(std::size_t at) const {
    return places != nullptr ? (*places)[offset + at] : CharacterPlace{offset + at, offset + at + 1};
  }
};

class Marks {
 public:
  void add(const Piece& piece, std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    ranges.emplace_back(piece.place(begin).begin, piece.place(end - 1).end);
    if (collects_values) values.emplace_back(piece.text.substr(begin, end - begin));
  }

  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  bool collects_values = false;
  std::vector<std::string> values;
};

// How deeply quoted texts within quoted texts are read.
inline constexpr int max_reading_depth = 3;

// text_scan.cc: fields and tokens, in any text.
void scan_text(const Piece& piece, Marks& marks);

// word_scan.cc: the words of commands, in a text that may be a line for a shell. `values` are secret wherever they
// occur.
void scan_words(const Piece& piece, const std::vector<std::string>& values, Marks& marks, int depth = 0);

// True for a value that only names a variable or a command that has the secret, or only says whether a secret exists.
bool is_no_secret(std::string_view value);

}  // namespace wtool::secrets
