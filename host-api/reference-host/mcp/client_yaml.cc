// Servers in goose's YAML: each is an element of the mapping `extensions`.
//
// A YAML library reads the text before and after the change; the change itself is made in the text.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/config/yaml_document.h"
#include "base/json.h"
#include "base/text.h"
#include "mcp/client_formats.h"

namespace wtool::host::mcp::yaml_client {

namespace {

using Json = nlohmann::json;

constexpr std::size_t nowhere = std::string::npos;
constexpr const char* list_name = "extensions";

bool is_twice(const YAML::Node& mapping, const std::string& name) {
  int count = 0;
  for (const auto& pair : mapping) count += pair.first.IsScalar() && pair.first.Scalar() == name ? 1 : 0;
  return count > 1;
}

// Reads a mapping, or an empty text. False: `problem` says why.
bool read(const std::string& text, YAML::Node& root, std::string& problem) {
  try {
    const YamlDocument document = load_document(text);
    if (document.second) {
      problem = "it has several documents";
      return false;
    }
    root = document.first;
  } catch (const YAML::Exception& error) {
    problem = "it is not YAML: " + std::string(error.what());
    return false;
  }
  if (root.IsDefined() && !root.IsNull() && !root.IsMap()) {
    problem = "it is not a mapping";
    return false;
  }
  if (root.IsMap() && is_twice(root, list_name)) {
    problem = std::string("the key \"") + list_name + "\" occurs twice";
    return false;
  }
  return true;
}

// A key with its value.
struct Pair {
  YAML::Node key;
  YAML::Node value;
};

std::optional<Pair> find(const YAML::Node& mapping, const std::string& name) {
  if (!mapping.IsDefined() || !mapping.IsMap()) return std::nullopt;
  for (const auto& pair : mapping) {
    if (pair.first.IsScalar() && pair.first.Scalar() == name) return Pair{pair.first, pair.second};
  }
  return std::nullopt;
}

std::size_t line_of(const std::string& text, std::size_t at) {
  const std::size_t newline = at == 0 ? nowhere : text.rfind('\n', at - 1);
  return newline == nowhere ? 0 : newline + 1;
}

std::size_t next_line(const std::string& text, std::size_t at) {
  const std::size_t newline = text.find('\n', at);
  return newline == nowhere ? text.size() : newline + 1;
}

// The position after the last line of the element whose key is at `key`.
std::size_t end_of_element(const std::string& text, std::size_t key) {
  const std::size_t column = key - line_of(text, key);
  std::size_t end = next_line(text, key);
  for (std::size_t line = end; line < text.size(); line = next_line(text, line)) {
    const std::size_t first = text.find_first_not_of(' ', line);
    if (first == nowhere || text[first] == '\n' || text[first] == '\r') continue;
    // The elements of a list may begin in the column of the list's key.
    const bool is_element = first - line == column && text.compare(first, 2, "- ") == 0;
    if (first - line <= column && !is_element) break;
    end = next_line(text, line);
  }
  return end;
}

std::size_t place(const YAML::Node& node) { return static_cast<std::size_t>(node.Mark().pos); }

// True if every YAML library reads the name, which has only letters, digits, _ and -, as a string: not as a number, and
// not as a word that means something else.
bool is_plain_string(const std::string& name) {
  constexpr std::string_view words[] = {"true", "false", "yes", "no", "on", "off", "y", "n", "null"};
  const bool is_number = name.front() == '-' || (name.front() >= '0' && name.front() <= '9');
  return !is_number && std::find(std::begin(words), std::end(words), lowered(name)) == std::end(words);
}

// JSON's notation for a string, or for a list of strings, is also valid YAML.
std::string element(const ClientServer& server, const std::string& indent, const std::string& newline) {
  const std::vector<std::string> arguments(server.argv.begin() + 1, server.argv.end());
  const std::string name = is_plain_string(server.name) ? server.name : Json(server.name).dump();
  std::string out = indent + name + ":" + newline;
  for (const std::string& line :
       {"name: " + name, std::string("type: stdio"), std::string("enabled: true"), std::string("description: \"\""),
        "cmd: " + Json(server.argv.front()).dump(), "args: " + Json(arguments).dump()}) {
    out += indent + "  " + line + newline;
  }
  return out;
}

// The document in a canonical notation, without the server. With `keeps_server`: without the command that starts it.
std::string rest_of(YAML::Node root, const std::string& name, bool keeps_server) {
  if (!root.IsDefined() || root.IsNull()) return {};
  if (keeps_server) {
    for (const std::string key : {"cmd", "args"}) root[list_name][name].remove(key);
    return YAML::Dump(root);
  }
  if (root[list_name].IsDefined() && root[list_name].IsMap()) root[list_name].remove(name);
  if (root[list_name].IsDefined() && (root[list_name].IsNull() || root[list_name].size() == 0)) root.remove(list_name);
  return root.size() == 0 ? std::string() : YAML::Dump(root);
}

// Returns `after` if nothing but the server has changed. With `keeps_server`, the server's settings other than its
// command must not have changed, either.
ClientText checked(const std::string& before, std::string after, const std::string& name,
                   const std::vector<std::string>& argv, bool keeps_server, std::string& problem) {
  YAML::Node old_root;
  YAML::Node root;
  if (!read(before, old_root, problem)) return std::nullopt;
  const auto is_same = [&](bool with_server) {
    return rest_of(YAML::Clone(old_root), name, with_server) == rest_of(YAML::Clone(root), name, with_server);
  };
  // The document without the server is always compared, because an alias may use parts of the server elsewhere.
  if (read(after, root, problem) && argv_of(after, name, problem) == argv && is_same(false) &&
      (!keeps_server || is_same(true))) {
    return after;
  }
  problem = "it is written in a way that this program cannot change safely";
  return std::nullopt;
}

// Replaces the lines of the command and of its arguments. Nothing: they do not have lines of their own.
ClientText with_argv(const std::string& text, const Pair& old, const std::vector<std::string>& argv) {
  const auto cmd = find(old.value, "cmd");
  const auto args = find(old.value, "args");
  if (!cmd || !args || old.value.Style() != YAML::EmitterStyle::Block) return std::nullopt;
  const std::size_t end = end_of_element(text, place(old.key));
  std::string out = text;
  const auto replace = [&](const Pair& one, const char* key, const Json& value) {
    const std::size_t at = place(one.key);
    const std::size_t line = line_of(text, at);
    out.replace(line, end_of_element(text, at) - line,
                std::string(at - line, ' ') + key + ": " + value.dump() + line_end(text));
  };
  // A key that comes from an alias has its place outside this element.
  for (const Pair& one : {*cmd, *args}) {
    if (place(one.key) <= place(old.key) || place(one.key) >= end) return std::nullopt;
  }
  // The later of the two is replaced first, so that the position of the earlier one stays valid.
  const Json arguments = std::vector<std::string>(argv.begin() + 1, argv.end());
  const bool args_are_last = place(cmd->key) < place(args->key);
  if (args_are_last) replace(*args, "args", arguments);
  replace(*cmd, "cmd", argv.front());
  if (!args_are_last) replace(*args, "args", arguments);
  return out;
}

}  // namespace

ClientText add(const std::string& text, const ClientServer& server, std::string& problem) {
  YAML::Node root;
  if (!read(text, root, problem)) return std::nullopt;
  const std::string newline = line_end(text);
  std::string out = text;
  const auto list = find(root, list_name);
  if (!list) {
    if (!out.empty() && out.back() != '\n') out += newline;
    out += std::string(list_name) + ":" + newline + element(server, "  ", newline);
    return checked(text, std::move(out), server.name, server.argv, false, problem);
  }
  const std::size_t line = next_line(text, place(list->key));
  if (list->value.IsMap() && list->value.size() > 0 && list->value.Style() == YAML::EmitterStyle::Block) {
    if (const auto old = find(list->value, server.name)) {
      std::string unused;
      if (argv_of(text, server.name, unused) == server.argv) return text;
      auto changed = with_argv(text, *old, server.argv);
      if (changed) return checked(text, std::move(*changed), server.name, server.argv, true, problem);
      problem = "the server \"" + server.name + "\" has no command and arguments in lines of their own";
      return std::nullopt;
    }
    const std::size_t first = place(list->value.begin()->first);
    const std::string indent(first - line_of(text, first), ' ');
    out.insert(line, element(server, indent, newline));
    return checked(text, std::move(out), server.name, server.argv, false, problem);
  }
  if (list->value.IsNull() || (list->value.IsMap() && list->value.size() == 0)) {
    // `{}` is removed, since the new mapping is written in lines below.
    const std::size_t begin = text.find(':', place(list->key)) + 1;
    const std::size_t braces = text.find("{}", begin);
    if (braces < line && is_blank(text.substr(begin, braces - begin))) out.erase(begin, braces + 2 - begin);
    std::size_t at = next_line(out, begin);
    if (at > 0 && out[at - 1] != '\n') {
      out += newline;
      at = out.size();
    }
    out.insert(at, element(server, "  ", newline));
    return checked(text, std::move(out), server.name, server.argv, false, problem);
  }
  problem = std::string("\"") + list_name + "\" is not a mapping with one element per line";
  return std::nullopt;
}

ClientText remove(const std::string& text, const std::string& name, std::string& problem) {
  YAML::Node root;
  if (!read(text, root, problem)) return std::nullopt;
  const auto list = find(root, list_name);
  const auto element = list ? find(list->value, name) : std::nullopt;
  if (!element) return text;
  if (list->value.Style() != YAML::EmitterStyle::Block) {
    problem = std::string("\"") + list_name + "\" is not a mapping with one element per line";
    return std::nullopt;
  }
  std::string out = text;
  const std::size_t begin = line_of(text, place(element->key));
  out.erase(begin, end_of_element(text, place(element->key)) - begin);
  return checked(text, std::move(out), name, {}, false, problem);
}

ServerArgv argv_of(const std::string& text, const std::string& name, std::string& problem) {
  YAML::Node root;
  if (!read(text, root, problem)) return std::nullopt;
  const auto list = find(root, list_name);
  const auto server = list ? find(list->value, name) : std::nullopt;
  std::vector<std::string> argv;
  if (!server) return argv;
  if (is_twice(list->value, name)) {
    problem = "the server \"" + name + "\" occurs twice";
    return std::nullopt;
  }
  const std::vector<std::string> other{""};
  const auto cmd = find(server->value, "cmd");
  const auto args = find(server->value, "args");
  if (!cmd || !cmd->value.IsScalar()) return other;
  argv.push_back(cmd->value.Scalar());
  if (!args) return argv;
  if (!args->value.IsSequence()) return other;
  for (const YAML::Node& word : args->value) {
    if (!word.IsScalar()) return other;
    argv.push_back(word.Scalar());
  }
  return argv;
}

}  // namespace wtool::host::mcp::yaml_client
