// The ends of messages about names that do not exist: "did you mean ...?", and the names that exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wtool {

// "; did you mean 'NAME'?", where NAME is `prefix` followed by the nearest known name: the fewest edits (insert,
// delete, replace, or swap neighbours) turn `name` into it. A known name that needs more than one edit, and more edits
// than a third of its length, is not near enough. Names of one character, or of more than 128, are not compared. Only
// the first 2,000 known names are compared, so that many mistakes in a large file stay affordable. Empty: no name is
// near enough.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known, std::string_view prefix = "");

// The name that did_you_mean() has put into a message. Empty: the message has no such name.
std::string suggested_in(std::string_view message);

// Appends `clause` to a text that did_you_mean() has returned: "; did you mean 'last'? The clause" or, if that text is
// empty, "; the clause".
std::string question_then(std::string question, std::string_view clause);

// A clause that lists the known names. If one of them is similar to `name`, it comes first: "; did you mean 'echo'? The
// tools are echo, ls". If none is: "; the tools are echo, ls". Without any known name: "; there are no tools". `kind`
// is "tools" here.
std::string known_names(std::string_view name, std::string_view kind, const std::vector<std::string>& known);

}  // namespace wtool
