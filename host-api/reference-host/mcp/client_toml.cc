// Servers in Codex's TOML: each is a table `[mcp_servers.NAME]`.
//
// Tables and keys are parsed; values are skipped. A new table is added at the end of the file, where it cannot become a
// part of another table.
#include <algorithm>
#include <set>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "mcp/client_formats.h"

namespace wtool::host::mcp::toml_client {

namespace {

using Json = nlohmann::json;
using Path = std::vector<std::string>;

constexpr const char* list_name = "mcp_servers";

struct Statement {
  std::size_t begin = 0;  // of its first line
  std::size_t end = 0;    // after its last line
  bool is_table = false;
  bool is_array = false;    // `[[...]]`
  bool is_in_list = false;  // written inside a table of the list, and not elsewhere as a dotted key
  Path path;                // from the top level
  std::string value;
};

class TomlReader {
 public:
  explicit TomlReader(const std::string& text) : text_(text) {}

  std::optional<std::vector<Statement>> read(std::string& problem) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    std::vector<Statement> statements;
    Path table;
    while (true) {
      skip_blanks();
      if (at_ == text_.size()) return statements;
      if (skip_line_end()) continue;
      Statement statement;
      begin_ = text_.rfind('\n', at_) + 1;  // npos + 1 is 0, the beginning of the first line.
      statement.begin = begin_;
      const bool good = text_[at_] == '[' ? read_table(statement) : read_pair(statement, table);
      skip_blanks();
      if (!good || (at_ < text_.size() && !skip_line_end())) {
        problem = "line " +
                  std::to_string(1 + std::count(text_.begin(), text_.begin() + static_cast<long>(begin_), '\n')) +
                  " is not understood";
        return std::nullopt;
      }
      if (statement.is_table) table = statement.path;
      statement.end = at_;
      statements.push_back(std::move(statement));
    }
  }

 private:
  char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() {
    while (here() == ' ' || here() == '\t') ++at_;
  }
  // Skips the end of a line, and a comment before it.
  bool skip_line_end() {
    if (here() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
    if (at_ == text_.size()) return true;
    if (text_.compare(at_, 2, "\r\n") == 0) ++at_;
    if (here() != '\n') return false;
    ++at_;
    return true;
  }

  bool read_table(Statement& statement) {
    statement.is_table = true;
    statement.is_array = text_.compare(at_, 2, "[[") == 0;
    at_ += statement.is_array ? 2 : 1;
    if (!read_path(statement.path)) return false;
    const std::string_view close = statement.is_array ? "]]" : "]";
    if (text_.compare(at_, close.size(), close) != 0) return false;
    at_ += close.size();
    return true;
  }

  bool read_pair(Statement& statement, const Path& table) {
    Path key;
    if (!read_path(key) || here() != '=') return false;
    ++at_;
    skip_blanks();
    const std::size_t begin = at_;
    if (!skip_value()) return false;
    statement.value = text_.substr(begin, at_ - begin);
    statement.path = table;
    statement.path.insert(statement.path.end(), key.begin(), key.end());
    statement.is_in_list = table.size() >= 2 && table.front() == list_name;
    return true;
  }

  bool read_path(Path& path) {
    while (true) {
      skip_blanks();
      std::string word;
      if (here() == '"' || here() == '\'') {
        const std::size_t begin = at_;
        if (!skip_string()) return false;
        word = text_.substr(begin + 1, at_ - begin - 2);
        if (text_[begin] == '"') {
          const Json decoded = Json::parse(text_.substr(begin, at_ - begin), nullptr, false);
          if (!decoded.is_string()) return false;
          word = decoded.get<std::string>();
        }
      } else {
        while (is_word_character(here()) || here() == '-') {
          word += text_[at_++];
        }
        if (word.empty()) return false;
      }
      path.push_back(std::move(word));
      skip_blanks();
      if (here() != '.') return true;
      ++at_;
    }
  }

  // A string in one line, or in several lines within three quotes.
  bool skip_string() {
    const char quote = here();
    const std::string three(3, quote);
    if (text_.compare(at_, 3, three) == 0) {
      for (at_ += 3; at_ < text_.size(); ++at_) {
        if (quote == '"' && text_[at_] == '\\') {
          ++at_;
        } else if (text_.compare(at_, 3, three) == 0) {
          at_ += 3;
          while (here() == quote) ++at_;  // Up to two more quotes may precede the closing three.
          return true;
        }
      }
      return false;
    }
    for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (quote == '"' && text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == quote) {
        ++at_;
        return true;
      }
    }
    return false;
  }

  bool skip_value() {
    std::string open;
    const std::size_t begin = at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        if (!skip_string()) return false;
        continue;
      }
      if (open.empty() && (c == '\n' || c == '\r' || c == '#')) break;
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      if (c == '[' || c == '{') open += c == '[' ? ']' : '}';
      if (c == ']' || c == '}') {
        if (open.empty() || open.back() != c) return false;
        open.pop_back();
      }
      ++at_;
    }
    return open.empty() && at_ > begin && is_start_of_value(begin);
  }

  bool is_start_of_value(std::size_t at) const {
    if (std::string_view("\"'[{+-").find(text_[at]) != std::string_view::npos) return true;
    if (is_digit(text_[at])) return true;
    return std::any_of(std::begin(words), std::end(words),
                       [&](std::string_view word) { return text_.compare(at, word.size(), word) == 0; });
  }

  static constexpr std::string_view words[] = {"true", "false", "inf", "nan"};
  const std::string& text_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;
};

bool starts_with(const Path& path, const Path& start) {
  return path.size() >= start.size() && std::equal(start.begin(), start.end(), path.begin());
}

// The statements of a text, and those of one server.
struct Table {
  std::vector<Statement> all;
  std::vector<Statement> own;  // the server's table, its keys and the tables below it; empty: there is no such server
};

// Nothing: the text cannot be read, names a key twice, or does not write servers as tables; `problem` says which.
std::optional<Table> read(const std::string& text, const std::string& name, std::string& problem) {
  auto all = TomlReader(text).read(problem);
  if (!all) return std::nullopt;
  Table table{std::move(*all), {}};
  const Path server{list_name, name};
  std::set<std::pair<bool, Path>> known;
  for (const Statement& one : table.all) {
    if (one.path.front() != list_name) continue;
    const bool is_odd = one.is_array || (!one.is_table && one.path.size() == 1) ||
                        (!one.is_table && starts_with(one.path, server) && !one.is_in_list);
    if (is_odd) {
      problem = std::string("\"") + list_name + "\" is not written as a table for each server";
      return std::nullopt;
    }
    if (!starts_with(one.path, server)) continue;
    if (!known.insert({one.is_table, one.path}).second) {
      problem = "a table or a key of the server \"" + name + "\" occurs twice";
      return std::nullopt;
    }
    table.own.push_back(one);
  }
  return table;
}

// JSON's notation for a string, or for a list of strings, is also valid TOML.
std::string line(const char* key, const Json& value, const std::string& newline) {
  return std::string(key) + " = " + value.dump() + newline;
}

const Statement* find(const Table& table, const std::string& name, const char* key) {
  const Path path{list_name, name, key};
  for (const Statement& one : table.own) {
    if (!one.is_table && one.path == path) return &one;
  }
  return nullptr;
}

// Reads the string at `at`, and moves `at` after it. Nothing: it is not a string, or is within three quotes.
std::optional<std::string> read_string(const std::string& text, std::size_t& at) {
  const std::size_t begin = at;
  const char quote = at < text.size() ? text[at] : '\0';
  if (quote != '"' && quote != '\'') return std::nullopt;
  for (++at; at < text.size() && text[at] != quote; ++at) {
    if (quote == '"' && text[at] == '\\') ++at;
  }
  if (at >= text.size()) return std::nullopt;
  ++at;
  if (quote == '\'') return text.substr(begin + 1, at - begin - 2);
  const Json decoded = Json::parse(text.substr(begin, at - begin), nullptr, false);
  if (!decoded.is_string()) return std::nullopt;
  return decoded.get<std::string>();
}

// Reads a list of strings, or a single string. Nothing: the value is something else.
std::optional<std::vector<std::string>> read_words(const std::string& value, bool is_list) {
  std::vector<std::string> words;
  std::size_t at = 0;
  const auto here = [&] { return at < value.size() ? value[at] : '\0'; };
  const auto skip = [&] {
    while (here() == '#' || (here() != '\0' && is_blank({&value[at], 1}))) {
      at = here() == '#' ? std::min(value.find('\n', at), value.size()) : at + 1;
    }
  };
  if (is_list != (here() == '[')) return std::nullopt;
  if (is_list) ++at;
  for (skip(); here() != ']'; skip()) {
    auto word = read_string(value, at);
    if (!word) return std::nullopt;
    words.push_back(std::move(*word));
    skip();
    if (here() != ',') break;
    ++at;
  }
  if (is_list && here() != ']') return std::nullopt;
  if (is_list) ++at;
  skip();
  if (at != value.size() || (!is_list && words.size() != 1)) return std::nullopt;
  return words;
}

}  // namespace

ClientText add(const std::string& text, const ClientServer& server, std::string& problem) {
  const auto table = read(text, server.name, problem);
  if (!table) return std::nullopt;
  const std::string newline = line_end(text);
  const std::string command = line("command", server.argv.front(), newline);
  const std::string args = line("args", std::vector<std::string>(server.argv.begin() + 1, server.argv.end()), newline);
  if (table->own.empty()) {
    std::string out = text;
    if (!out.empty() && out.back() != '\n') out += newline;
    if (!is_blank(out)) out += newline;
    return out + "[" + list_name + "." + server.name + "]" + newline + command + args;
  }
  std::string problem_of_argv;
  if (argv_of(text, server.name, problem_of_argv) == server.argv) return text;
  const Statement* old_command = find(*table, server.name, "command");
  const Statement* old_args = find(*table, server.name, "args");
  if (old_command == nullptr || old_args == nullptr) {
    problem = "the server \"" + server.name + "\" has no command with arguments";
    return std::nullopt;
  }
  std::string out = text;
  const auto replace = [&out](const Statement& one, const std::string& with) {
    out.replace(one.begin, one.end - one.begin, with);
  };
  // The later of the two is replaced first, so that the position of the earlier one stays valid.
  const bool args_are_last = old_command->begin < old_args->begin;
  if (args_are_last) replace(*old_args, args);
  replace(*old_command, command);
  if (!args_are_last) replace(*old_args, args);
  return out;
}

ClientText remove(const std::string& text, const std::string& name, std::string& problem) {
  const auto table = read(text, name, problem);
  if (!table) return std::nullopt;
  std::string out = text;
  // Statements are erased from the last to the first, so that the earlier positions stay valid.
  for (auto one = table->own.rbegin(); one != table->own.rend(); ++one) {
    std::size_t begin = one->begin;
    const std::string newline = line_end(text);
    const std::string_view before(text.data(), begin);
    if (one->is_table && before.ends_with("\n" + newline)) begin -= newline.size();
    out.erase(begin, one->end - begin);
  }
  return out;
}

ServerArgv argv_of(const std::string& text, const std::string& name, std::string& problem) {
  const auto table = read(text, name, problem);
  if (!table) return std::nullopt;
  std::vector<std::string> argv;
  if (table->own.empty()) return argv;
  const std::vector<std::string> other{""};
  const Statement* command = find(*table, name, "command");
  const Statement* args = find(*table, name, "args");
  if (command == nullptr) return other;
  const auto first = read_words(command->value, false);
  const auto rest = read_words(args == nullptr ? "[]" : args->value, true);
  if (!first || !rest) return other;
  argv = *first;
  argv.insert(argv.end(), rest->begin(), rest->end());
  return argv;
}

}  // namespace wtool::host::mcp::toml_client
