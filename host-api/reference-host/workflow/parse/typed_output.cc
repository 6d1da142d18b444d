// output={...}: the form of a step's answer, as a JSON Schema or in a short form.
//
//   {"verdict": ["pass", "fail"], "files": ["string"], "note?": "string", "size": {"lines": "integer"}}
//
// In the short form each name has a type, a list of one type, two or more values to choose from, or an object of
// further names; a `?` after a name means that it may be missing. An object with `$schema`, with `properties`, or with
// `type` "object" or "array" is a JSON Schema.
#include <algorithm>

#include "base/edit_distance.h"
#include "base/json.h"
#include "base/json_schema.h"
#include "workflow/parse/action_options.h"

namespace wtool::host::workflow {
namespace {

using nlohmann::json;

const std::vector<std::string> answer_types = {"string", "number", "integer", "boolean", "object", "list", "any"};

bool is_answer_schema(const json& written) {
  if (written.contains("$schema")) return true;
  if (const auto properties = written.find("properties"); properties != written.end() && properties->is_object()) {
    return true;
  }
  const auto type = written.find("type");
  return type != written.end() && (*type == "object" || *type == "array");
}

bool is_answer_type(const json& word) {
  return word.is_string() &&
         std::find(answer_types.begin(), answer_types.end(), word.get_ref<const std::string&>()) != answer_types.end();
}

json schema_of_type(const std::string& type) {
  if (type == "any") return json::object();
  return {{"type", type == "list" ? "array" : type}};
}

// The schema of a short form that is an object. `why` is set if the form is not valid.
json schema_of_fields(const json& fields, std::string& why);

// The schema of a short form. `why` is set if `form` is not one.
json schema_of_form(const std::string& name, const json& form, std::string& why) {
  const std::string shown = excerpt(form);
  if (form.is_object()) return schema_of_fields(form, why);
  if (is_answer_type(form)) return schema_of_type(form.get<std::string>());
  if (form.is_string()) {
    why = "the type of '" + name + "' must be string, number, integer, boolean, object, list or any, not " + shown +
          did_you_mean(form.get<std::string>(), answer_types);
    return {};
  }
  if (!form.is_array() || form.empty()) {
    why = "'" + name +
          "' must have a type such as \"string\", a list of one type such as [\"string\"], two or more values to " +
          "choose from such as [\"pass\", \"fail\"], or an object of names; this is " + shown;
    return {};
  }
  if (form.size() == 1) {
    if (form[0].is_object() || is_answer_type(form[0])) {
      return {{"type", "array"}, {"items", schema_of_form(name, form[0], why)}};
    }
    why = "a list of one entry means a list of that type, such as [\"string\"], but " + shown + " names no type" +
          question_then(form[0].is_string() ? did_you_mean(form[0].get<std::string>(), answer_types) : "",
                        "a choice needs two or more values");
    return {};
  }
  const bool plain = std::none_of(form.begin(), form.end(), [](const json& one) { return one.is_structured(); });
  if (!plain || std::any_of(form.begin(), form.end(), is_answer_type)) {
    why =
        "a choice must be a list of texts, numbers, true, false or null, none of which is the name of a type; this "
        "is " +
        shown + ". For any other form, write a JSON Schema: {\"type\": \"object\", \"properties\": {...}}";
    return {};
  }
  return {{"enum", form}};
}

json schema_of_fields(const json& fields, std::string& why) {
  json properties = json::object(), required = json::array();
  for (const auto& [written, form] : fields.items()) {
    const bool optional = written.ends_with('?');
    const std::string name = optional ? written.substr(0, written.size() - 1) : written;
    if (name.empty() && why.empty()) why = "a name is missing in this object";
    if (properties.contains(name) && why.empty()) why = "'" + name + "' is given twice, with and without `?`";
    json part = schema_of_form(name, form, why);
    if (!why.empty()) return {};
    properties[name] = std::move(part);
    if (!optional) required.push_back(name);
  }
  return {{"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

}  // namespace

bool take_output(ActionCursor& cursor, Diagnostics& diagnostics, ActionOptions& out) {
  out.output_offset = cursor.here();
  std::map<std::string, std::size_t> places;
  const auto written = cursor.take_json_object(&places);
  if (!written) return false;
  if (written->empty()) {
    diagnostics.add(out.output_offset,
                    "this object names no field of the answer; write, for example, output={\"verdict\": "
                    "[\"pass\", \"fail\"]}");
    return false;
  }
  if (is_answer_schema(*written)) {
    std::string wrong = schema_mistake(*written);
    if (!wrong.empty()) {
      diagnostics.add(out.output_offset, "this JSON Schema is not valid: " + wrong);
      return false;
    }
    if (wrong = unjudged_part(*written); !wrong.empty()) {
      diagnostics.warn(out.output_offset, "answers are not checked against " + wrong +
                                              " of this JSON Schema, because wtool does not evaluate it");
    }
    out.output = written;
    return true;
  }
  // Checks each name separately, so a mistake is reported at its name.
  bool good = true;
  for (const auto& [name, form] : written->items()) {
    std::string why;
    schema_of_fields({{name, form}}, why);
    if (why.empty()) continue;
    const auto place = places.find(name);
    diagnostics.add(place == places.end() ? out.output_offset : place->second, why);
    good = false;
  }
  std::string why;
  json schema = schema_of_fields(*written, why);
  if (good && !why.empty()) diagnostics.add(out.output_offset, why);
  if (!good || !why.empty()) return false;
  out.output = std::make_shared<const json>(std::move(schema));
  return true;
}

}  // namespace wtool::host::workflow
