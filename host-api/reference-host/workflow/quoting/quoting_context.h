// Where in a shell command a placeholder is, so that its value can be quoted for that place and never becomes syntax.
//
// - The code reads POSIX shell syntax as /bin/sh does: quotes, comments, $( ), $(( )), ${ }, backticks, here-documents,
//   nested in each other.
// - It is conservative. Where shells differ, or where no quoting helps (a comment, backticks, inside ${...}, a
//   here-document with a quoted delimiter, an argument that a builtin of bash evaluates), the place is `refused` with a
//   sentence that says why and what to do. Once the reading itself is in doubt, every later place is refused, too.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expressions/template.h"

namespace wtool::host::workflow {

struct HereDelimiter {
  std::string word;
  bool strip_tabs = false;  // <<-
  bool operator==(const HereDelimiter&) const = default;
};

struct Place {
  enum class Kind {
    bare,           // outside all quotes: the value becomes one word, or a part of one
    double_quoted,  // between double quotes
    single_quoted,  // between single quotes
    here_document,  // in the text of a here-document whose delimiter is not quoted
    arithmetic,     // inside $(( )): only whole numbers are allowed
    number,         // an operand of -eq, -lt, ... in [[ ]], which bash evaluates: only whole numbers are allowed
    refused,        // the reason is in `why`
  };
  Kind kind = Kind::bare;
  // Directly after `$name`: a letter at the start of the value would become a part of that name.
  bool after_variable = false;
  std::string why;
  // The here-documents around it, outermost first: the value must not complete a line that ends one.
  std::vector<HereDelimiter> here_documents;
};

// One place for each value, in order; there is a value between each text and the next. Takes linear time.
std::vector<Place> find_places(const std::vector<std::string>& texts);

// The places of a template's placeholders. In its tags, each branch and each loop body is read once.
std::vector<Place> find_places(const expressions::Template& command);

}  // namespace wtool::host::workflow
