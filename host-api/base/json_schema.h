// The part of JSON Schema 2020-12 that descriptors of tools and typed answers need: checks that a schema is
// well-formed, validates a value, and makes a minimal valid value. A schema whose `$schema` says so is read as one of
// draft 7 or 2019-09.
//
// `unevaluatedProperties` and `unevaluatedItems`, `format`, references to other documents, and a few rarer keywords are
// read but not evaluated; unjudged_part() finds them in a schema. Patterns have the syntax of RE2. Validation takes a
// bounded time: with a schema that refers to itself endlessly, no value is valid.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"

namespace wtool {

// The `$schema` of JSON Schema 2020-12.
inline constexpr const char* newest_schema = "https://json-schema.org/draft/2020-12/schema";

// What is wrong with a schema, and where: `#/properties/a/type is "objekt", which is not a type`. Empty: the schema is
// well-formed.
std::string schema_mistake(const nlohmann::json& schema);

// Why `value` is not valid against `schema`, which must be well-formed. Empty: it is valid.
std::string instance_mistake(const nlohmann::json& value, const nlohmann::json& schema);

// True if `value` has the type, which is named as in a schema: an integer may be written 1.0. For a type that JSON
// Schema does not define, always true.
bool has_json_type(const nlohmann::json& value, const std::string& type);

// Gives the numbers that `schema` declares as integers, but that are written like 1.0, the type of an integer. `value`
// must be valid against the schema. Returns an integer that does not fit into 64 bits with a sign, as text; empty: all
// of them fit.
std::string make_integers(nlohmann::json& value, const nlohmann::json& schema);

// The place of the first keyword in a well-formed schema that instance_mistake() does not evaluate:
// "#/properties/a/format". Empty: it evaluates all keywords.
std::string unjudged_part(const nlohmann::json& schema);

// A value that is valid against `schema` and has no more than the schema requires. Nothing: none was found.
std::optional<nlohmann::json> least_instance(const nlohmann::json& schema);

}  // namespace wtool
