// The arguments of a call as words of a command line, instead of a JSON object:
//
//   NAME=VALUE       a value of the type that the tool's input schema names; text needs no JSON quotes
//   NAME=VALUE       one element of a list; further elements repeat the name
//   NAME.KEY=VALUE   one key of an object, such as environment.LANG=C
//   NAME:=JSON       any value, as JSON
//
// The tool checks the values; here they only get their types. A word that fits no form is an error, never a guess.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace wtool::host {

// True if the word has one of these forms. No JSON object has any of them.
bool is_named_argument(std::string_view word);

// The parameter that the input schema requires, if it requires only one; else empty.
std::string only_required_parameter(std::string_view schema);

// The JSON text of the object that the words describe. `schema` is the input schema of the tool, the JSON text of an
// object. Nothing: `error` says which word is wrong, and what would be right.
std::optional<std::string> object_of_named_arguments(std::span<const std::string> words, std::string_view schema,
                                                     std::string& error);

}  // namespace wtool::host
