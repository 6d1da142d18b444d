#include "tracing/format.h"

#include <time.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/time_text.h"
#include "tracing/escape.h"

namespace wtool::host {

namespace {

using nlohmann::ordered_json;

std::chrono::system_clock::time_point time_of(const LogRecord& record) {
  return std::chrono::system_clock::time_point(std::chrono::nanoseconds(record.unix_ns));
}

// The spans from the outermost to this one.
std::vector<const LogSpan*> path(const LogSpan* span) {
  std::vector<const LogSpan*> spans;
  for (; span != nullptr; span = span->parent.get()) spans.push_back(span);
  std::reverse(spans.begin(), spans.end());
  return spans;
}

bool is_plain(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./:+@%").find(c) != std::string_view::npos;
  });
}

// `json` is compact. A string of plain characters loses its quotes.
void append_value(std::string& line, std::string_view json) {
  if (json.size() > 2 && json.front() == '"' && is_plain(json.substr(1, json.size() - 2))) {
    line += json.substr(1, json.size() - 2);
  } else {
    append_escaped(line, json);
  }
}

ordered_json value_of(std::string_view json) {
  ordered_json value = ordered_json::parse(json, nullptr, false);
  if (value.is_discarded()) value = std::string(json);
  return value;
}

std::string dump(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json span_object(const LogSpan& span) {
  ordered_json object{{"name", span.name}};
  for (const auto& [key, json] : span.fields) object[key] = value_of(json);
  return object;
}

}  // namespace

std::string compact_json(std::string_view json) { return dump(value_of(json)); }

std::string text_line(const LogRecord& record, const LogSpan* span) {
  std::string line = iso_time(time_of(record)) + ' ';
  const std::string_view level = level_name(record.level);
  line.append(5 - level.size(), ' ');
  line += level;
  line += ' ';
  for (const LogSpan* at : path(span)) {
    append_escaped(line, at->name);
    if (!at->fields.empty()) {
      char before = '{';
      for (const auto& [key, json] : at->fields) {
        line += before;
        append_escaped(line, key);
        line += '=';
        append_value(line, json);
        before = ' ';
      }
      line += '}';
    }
    line += ':';
  }
  if (span != nullptr) line += ' ';
  append_escaped(line, record.target);
  line += ": ";
  append_escaped(line, record.message);
  for (const LogField& field : record.fields) {
    line += ' ';
    append_escaped(line, field.key);
    line += '=';
    append_value(line, compact_json(field.json));
  }
  line += '\n';
  return line;
}

std::string json_line(const LogRecord& record, const LogSpan* span) {
  ordered_json line{{"timestamp", iso_time(time_of(record))},
                    {"level", level_name(record.level)},
                    {"target", record.target},
                    {"message", record.message},
                    {"fields", ordered_json::object()}};
  for (const LogField& field : record.fields) line["fields"][std::string(field.key)] = value_of(field.json);
  if (span != nullptr) {
    line["span"] = span_object(*span);
    line["spans"] = ordered_json::array();
    for (const LogSpan* at : path(span)) line["spans"].push_back(span_object(*at));
  }
  return dump(line) + '\n';
}

}  // namespace wtool::host
