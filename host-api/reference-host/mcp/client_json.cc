// Servers in JSON as clients read it: with comments, and with commas after the last element.
//
// Comments and trailing commas are replaced by blanks: the result is JSON, in which every byte keeps its position. This
// JSON is parsed in full before anything is changed.

#include "base/json.h"
#include "base/json_reader.h"
#include "base/text.h"
#include "mcp/client_formats.h"

namespace wtool::host::mcp::json_client {

namespace {

using nlohmann::ordered_json;
using Json = nlohmann::json;

constexpr std::size_t nowhere = std::string::npos;
constexpr const char* blanks = " \t\r\n";

struct Member {
  std::size_t key = 0;    // where its opening quote is
  std::size_t value = 0;  // where its first byte is
  std::size_t end = 0;    // after the last byte of the value
  std::string name;
};

struct Object {
  std::size_t open = 0;
  std::size_t close = 0;
  std::vector<Member> members;
};

struct Text {
  const std::string& raw;
  std::string with_commas;  // `raw` without comments
  std::string plain;        // `with_commas` without trailing commas, which is JSON
  Json value;
  std::string newline;
  std::string unit;  // of indentation
};

// The position after the string that begins at `at`.
std::size_t end_of_string(const std::string& text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

std::string without_comments(std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.replace(0, 3, "   ");
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (text[at] == '"') {
      end = end_of_string(text, at);
    } else if (text.compare(at, 2, "//") == 0) {
      end = std::min(text.find('\n', at), text.size());
      std::fill(text.begin() + static_cast<std::ptrdiff_t>(at), text.begin() + static_cast<std::ptrdiff_t>(end), ' ');
    } else if (text.compare(at, 2, "/*") == 0) {
      end = text.find("*/", at + 2);
      if (end == nowhere) return text;  // The comment has no end, so the text is not JSON.
      end += 2;
      for (; at < end; ++at) {
        if (text[at] != '\n') text[at] = ' ';
      }
    }
    at = end;
  }
  return text;
}

// A comma with nothing before it is kept, so that the text stays invalid.
std::string without_last_commas(std::string text) {
  std::size_t comma = nowhere;
  char before = '{';
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') at = end_of_string(text, at) - 1;
    if ((c == '}' || c == ']') && comma != nowhere) text[comma] = ' ';
    if (std::string_view(blanks).find(c) != std::string_view::npos) continue;
    comma = c == ',' && before != '{' && before != '[' && before != ',' ? at : nowhere;
    before = c;
  }
  return text;
}

// The position after the value that begins at `at`. `plain` must be valid JSON.
std::size_t end_of_value(const std::string& plain, std::size_t at) {
  if (plain[at] == '"') return end_of_string(plain, at);
  if (plain[at] != '{' && plain[at] != '[') return std::min(plain.find_first_of(",]} \t\r\n", at), plain.size());
  int depth = 0;
  while (true) {
    const char c = plain[at];
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    at = c == '"' ? end_of_string(plain, at) : at + 1;
    if (depth == 0) return at;
  }
}

Object object_at(const std::string& plain, std::size_t open) {
  const auto skip = [&](std::size_t at) { return plain.find_first_not_of(blanks, at); };
  Object object;
  object.open = open;
  std::size_t at = skip(open + 1);
  while (plain[at] != '}') {
    if (plain[at] == ',') {
      at = skip(at + 1);
      continue;
    }
    Member member;
    member.key = at;
    const std::size_t key_end = end_of_string(plain, at);
    member.name = Json::parse(plain.substr(at, key_end - at)).get<std::string>();
    member.value = skip(skip(key_end) + 1);  // after the colon
    member.end = end_of_value(plain, member.value);
    at = skip(member.end);
    object.members.push_back(std::move(member));
  }
  object.close = at;
  return object;
}

const Member* find(const Object& object, std::string_view name) {
  for (const Member& member : object.members) {
    if (member.name == name) return &member;
  }
  return nullptr;
}

std::size_t line_of(const std::string& text, std::size_t at) {
  const std::size_t newline = at == 0 ? nowhere : text.rfind('\n', at - 1);
  return newline == nowhere ? 0 : newline + 1;
}

// The blanks before `at` in its line. Nothing: the line has something else before `at`.
std::optional<std::string> indent_before(const std::string& text, std::size_t at) {
  const std::size_t line = line_of(text, at);
  std::string before = text.substr(line, at - line);
  if (before.find_first_not_of(" \t") != nowhere) return std::nullopt;
  return before;
}

std::string indent_of_line(const std::string& text, std::size_t at) {
  const std::size_t line = line_of(text, at);
  return text.substr(line, std::min(text.find_first_not_of(" \t", line), text.size()) - line);
}

std::optional<Text> read(const std::string& raw, std::string& problem) {
  std::string with_commas = without_comments(raw);
  std::string plain = without_last_commas(with_commas);
  std::string why;
  Json value = parse_json_object(plain, why);
  if (!why.empty()) {
    problem = why;
    return std::nullopt;
  }
  Text text{raw, std::move(with_commas), std::move(plain), std::move(value), line_end(raw), "  "};
  const Object root = object_at(text.plain, text.plain.find('{'));
  if (!root.members.empty()) {
    const auto unit = indent_before(raw, root.members.front().key);
    if (unit && !unit->empty() && raw.find('\n', root.open) < root.members.front().key) text.unit = *unit;
  }
  return text;
}

std::string value_text(const Text& text, const ordered_json& value, const std::string& indent) {
  const bool tabs = text.unit.front() == '\t';
  std::string dumped = value.dump(static_cast<int>(text.unit.size()), tabs ? '\t' : ' ');
  replace_all(dumped, "\n", text.newline + indent);
  return dumped;
}

std::string with_member(const Text& text, const Object& object, const std::string& name, const ordered_json& value) {
  std::string out = text.raw;
  const std::string key = Json(name).dump() + ": ";
  const bool is_empty = object.members.empty();
  const std::size_t last = is_empty ? object.open + 1 : object.members.back().end;
  const std::string inside = text.raw.substr(object.open, object.close - object.open);
  if (!is_empty && inside.find('\n') == nowhere) {
    return out.insert(last, ", " + key + value.dump());
  }
  const std::string outer = indent_of_line(text.raw, object.open);
  std::string indent = outer + text.unit;
  if (!is_empty) {
    if (const auto beside = indent_before(text.raw, object.members.back().key)) indent = *beside;
  }
  // The end of the last member, or of a comment that follows it.
  const std::size_t tail = text.raw.find_last_not_of(blanks, object.close - 1) + 1;
  const bool has_comma = text.with_commas.substr(last, object.close - last).find(',') != nowhere;
  std::string added = text.newline + indent + key + value_text(text, value, indent) + (has_comma ? "," : "");
  if (text.raw.find('\n', tail) > object.close) {
    out.erase(tail, object.close - tail);
    added += text.newline + outer;
  }
  out.insert(tail, added);
  if (!is_empty && !has_comma) out.insert(last, ",");
  return out;
}

std::string without_member(const Text& text, const Object& object, const Member& member) {
  std::string out = text.raw;
  const bool is_first = member.key == object.members.front().key;
  const bool is_last = member.key == object.members.back().key;
  std::size_t begin = text.raw.find_last_not_of(" \t", member.key - 1) + 1;
  if (begin > 0 && text.raw[begin - 1] == '\n') --begin;
  if (begin > 0 && text.raw[begin] == '\n' && text.raw[begin - 1] == '\r') --begin;
  std::size_t end = member.end;
  const std::size_t comma = text.with_commas.find_first_not_of(blanks, end);
  const bool has_comma = text.with_commas[comma] == ',';
  if (has_comma) end = comma + 1;
  out.erase(begin, end - begin);
  if (is_last && !is_first && !has_comma) {
    const Member* before = &object.members[object.members.size() - 2];
    out.erase(text.with_commas.find(',', before->end), 1);
  }
  if (is_first && is_last) {
    const std::size_t close = object.close - (end - begin);
    if (is_blank(std::string_view(out).substr(object.open + 1, close - object.open - 1))) {
      out.erase(object.open + 1, close - object.open - 1);
    }
  }
  return out;
}

const char* section_of(ClientFormat format) {
  switch (format) {
    case ClientFormat::vscode:
      return "servers";
    case ClientFormat::zed:
      return "context_servers";
    case ClientFormat::opencode:
      return "mcp";
    default:
      return "mcpServers";
  }
}

// Writes into `value` how the server is started, and keeps the other members of `value`.
void set_server(ClientFormat format, const std::vector<std::string>& argv, ordered_json& value) {
  const std::vector<std::string> arguments(argv.begin() + 1, argv.end());
  if (format == ClientFormat::opencode) {
    value["type"] = "local";
    value["command"] = argv;
    if (!value.contains("enabled")) value["enabled"] = true;
    return;
  }
  if (format == ClientFormat::vscode) value["type"] = "stdio";
  value["command"] = argv.front();
  value["args"] = arguments;
}

// The list of servers. If the text has no such list, `open` of the returned object is `nowhere`. Nothing: `problem`
// says why.
std::optional<Object> section_in(const Text& text, const Object& root, const char* name, std::string& problem) {
  const Member* member = find(root, name);
  if (member == nullptr) return Object{nowhere, nowhere, {}};
  if (text.plain[member->value] == '{') return object_at(text.plain, member->value);
  problem = std::string("\"") + name + "\" is not an object";
  return std::nullopt;
}

bool differs_beside(Json before, Json after, const char* section, const std::string& name) {
  for (Json* one : {&before, &after}) {
    if (!one->contains(section)) (*one)[section] = Json::object();
    (*one)[section].erase(name);
  }
  return before != after;
}

ClientText checked(const Text& before, std::string after, const char* section, const std::string& name,
                   const ordered_json* value, std::string& problem) {
  const auto read_again = read(after, problem);
  if (!read_again) return std::nullopt;
  const Json* list = read_again->value.contains(section) ? &read_again->value[section] : nullptr;
  const bool is_right = value == nullptr ? list == nullptr || !list->contains(name)
                                         : list != nullptr && list->contains(name) && list->at(name) == Json(*value);
  if (is_right && !differs_beside(before.value, read_again->value, section, name)) return after;
  problem = "it is written in a way that this program cannot change safely";
  return std::nullopt;
}

}  // namespace

ClientText add(ClientFormat format, const std::string& raw, const ClientServer& server, std::string& problem) {
  const char* section = section_of(format);
  ordered_json value = ordered_json::object();
  if (is_blank(raw)) {
    set_server(format, server.argv, value);
    return ordered_json{{section, {{server.name, value}}}}.dump(2) + '\n';
  }
  const auto text = read(raw, problem);
  if (!text) return std::nullopt;
  const Object root = object_at(text->plain, text->plain.find('{'));
  const auto list = section_in(*text, root, section, problem);
  if (!list) return std::nullopt;
  std::string out;
  if (list->open == nowhere) {
    set_server(format, server.argv, value);
    out = with_member(*text, root, section, ordered_json{{server.name, value}});
  } else if (const Member* member = find(*list, server.name)) {
    const std::string old = text->plain.substr(member->value, member->end - member->value);
    if (old.front() == '{') value = parse_ordered_json_or_throw(old);
    const ordered_json before = value;
    set_server(format, server.argv, value);
    if (value == before) return raw;
    out = raw;
    const std::string indent = indent_of_line(raw, member->key);
    out.replace(member->value, member->end - member->value, value_text(*text, value, indent));
  } else {
    set_server(format, server.argv, value);
    out = with_member(*text, *list, server.name, value);
  }
  return checked(*text, std::move(out), section, server.name, &value, problem);
}

ClientText remove(ClientFormat format, const std::string& raw, const std::string& name, std::string& problem) {
  if (is_blank(raw)) return raw;
  const char* section = section_of(format);
  const auto text = read(raw, problem);
  if (!text) return std::nullopt;
  const Object root = object_at(text->plain, text->plain.find('{'));
  const auto list = section_in(*text, root, section, problem);
  if (!list) return std::nullopt;
  const Member* member = find(*list, name);
  if (member == nullptr) return raw;
  return checked(*text, without_member(*text, *list, *member), section, name, nullptr, problem);
}

ServerArgv argv_of(ClientFormat format, const std::string& raw, const std::string& name, std::string& problem) {
  if (is_blank(raw)) return std::vector<std::string>();
  const char* section = section_of(format);
  const auto text = read(raw, problem);
  if (!text) return std::nullopt;
  const Object root = object_at(text->plain, text->plain.find('{'));
  const auto list = section_in(*text, root, section, problem);
  if (!list) return std::nullopt;
  if (find(*list, name) == nullptr) return std::vector<std::string>();
  const Json& value = text->value[section][name];
  const std::vector<std::string> other{""};
  if (!value.is_object() || !value.contains("command")) return other;
  Json words = Json::array({value["command"]});
  if (format == ClientFormat::opencode) {
    words = value["command"];
  } else if (value.contains("args") && value["args"].is_array()) {
    words.insert(words.end(), value["args"].begin(), value["args"].end());
  }
  if (!words.is_array() || words.empty()) return other;
  std::vector<std::string> argv;
  for (const Json& word : words) {
    if (!word.is_string()) return other;
    argv.push_back(word.get<std::string>());
  }
  return argv;
}

}  // namespace wtool::host::mcp::json_client
