// JSON Schema 2020-12, as far as descriptors of tools and typed answers need it: is a schema well-formed, is a value
// valid by it, and which is the least value that is.
//
// `unevaluatedProperties` and `unevaluatedItems`, `format`, and references to other documents are read and not judged;
// unjudged_part() tells where a schema has one. Patterns are RE2's. A judgement takes a bounded time: a schema that
// refers to itself again and again makes no value valid.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace wtool {

// What is wrong with a schema, with its place: "#/properties/a/type is "objekt", which is no type". Empty: nothing.
std::string schema_mistake(const nlohmann::json& schema);

// Why `value` is not valid by `schema`, which must be well-formed. Empty: it is.
std::string instance_mistake(const nlohmann::json& value, const nlohmann::json& schema);

// The first keyword in a well-formed schema that instance_mistake() does not judge, with its place:
// "#/properties/a/format". Empty: there is none.
std::string unjudged_part(const nlohmann::json& schema);

// A value that is valid by `schema` and has no more than it requires; nothing where none was found.
std::optional<nlohmann::json> least_instance(const nlohmann::json& schema);

}  // namespace wtool
