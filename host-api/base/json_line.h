// How json.cc and ordered_json.cc write a value of nlohmann's library on one line. All other code calls the functions
// of json.h.
//
// The library's own serializer formats each control character with snprintf: a result of 1 MiB of NUL bytes took six
// times as long as one of text (docs/decisions/0026-rooms.md).
#pragma once

#include <cstdint>
#include <string>

#include "base/json_text.h"

namespace wtool {

// JSON text in which the characters for which is_control() is true are escaped, so that the text cannot control a
// terminal. The library escapes only those below U+0020.
std::string with_controls_escaped(std::string json);

// Recursive, like the library's own functions: values that were parsed are at most as deep as their parser allowed.
template <class Json>
void append_json_value(std::string& out, const Json& value) {
  char before = '[';
  switch (value.type()) {
    case Json::value_t::string:
      append_json_string(out, value.template get_ref<const std::string&>());
      return;
    case Json::value_t::array:
      for (const Json& element : value) {
        out += before;
        append_json_value(out, element);
        before = ',';
      }
      out += value.empty() ? "[]" : "]";
      return;
    case Json::value_t::object:
      before = '{';
      for (const auto& [name, member] : value.template get_ref<const typename Json::object_t&>()) {
        out += before;
        append_json_string(out, name);
        out += ':';
        append_json_value(out, member);
        before = ',';
      }
      out += value.empty() ? "{}" : "}";
      return;
    case Json::value_t::null:
      out += "null";
      return;
    case Json::value_t::boolean:
      out += value.template get<bool>() ? "true" : "false";
      return;
    case Json::value_t::number_integer:
      out += std::to_string(value.template get<std::int64_t>());
      return;
    case Json::value_t::number_unsigned:
      out += std::to_string(value.template get<std::uint64_t>());
      return;
    default:  // A number with a fraction; the library's two other types do not occur in JSON text.
      out += value.dump();
  }
}

}  // namespace wtool
