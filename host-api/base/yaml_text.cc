#include "base/yaml_text.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "base/utf8.h"

namespace wtool {

namespace {

// Characters that yaml-cpp's double quotes do not preserve: it replaces those that Unicode calls noncharacters, and
// leaves others unescaped, which other parsers refuse (DEL) or take for the end of a line.
bool needs_escape(std::uint32_t code_point) {
  return code_point == 0x7F || code_point == 0x2028 || code_point == 0x2029 ||
         (code_point >= 0xFDD0 && code_point <= 0xFDEF) || (code_point & 0xFFFE) == 0xFFFE;
}

bool is_printable(std::uint32_t code_point) {
  return code_point == '\n' || code_point == '\t' || (code_point >= 0x20 && code_point <= 0x7E) ||
         (code_point >= 0xA0 && code_point != 0xFEFF && !needs_escape(code_point));
}

bool can_be_block(std::string_view text) {
  if (text.find('\n') == std::string_view::npos) return false;
  // In a line of only blanks, parsers differ on what is content and what is indentation.
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const bool blank = line.find_first_not_of(" \t") == std::string_view::npos;
    if (blank && (!line.empty() || at == 0)) return false;
    at = end + 1;
  }
  for (std::size_t at = 0; at < text.size();) {
    const Character character = first_character(text.substr(at));
    if (!character.valid || !is_printable(character.code_point)) return false;
    at += character.length;
  }
  return true;
}

std::string block(std::string_view text) {
  std::string result = "|";
  // Parsers take the block's indentation from its first line. If that line begins with blanks, a number must state it.
  if (text.front() == ' ' || text.front() == '\t') result += '2';
  if (text.back() != '\n') {
    result += '-';
  } else if (text.size() > 1 && text[text.size() - 2] == '\n') {
    result += '+';
  }
  result += '\n';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) result.append("  ").append(text.substr(at, end - at));
    result += '\n';
    at = end + 1;
  }
  return result;
}

// Appends the text with the escapes that double quotes need, but without the quotes.
void append_quoted(std::string& to, std::string_view text) {
  if (text.empty()) return;
  YAML::Emitter emitter;
  emitter << YAML::DoubleQuoted << std::string(text);
  to.append(emitter.c_str() + 1, emitter.size() - 2);
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = first_character(text.substr(at));
    if (needs_escape(character.code_point)) {
      append_quoted(result, text.substr(begin, at - begin));
      char escape[16];
      std::snprintf(escape, sizeof escape, character.code_point > 0xFFFF ? "\\U%08X" : "\\u%04X",
                    static_cast<unsigned>(character.code_point));
      result += escape;
      begin = at + character.length;
    }
    at += character.length;
  }
  append_quoted(result, text.substr(begin));
  return result + "\"\n";
}

}  // namespace

std::string yaml_scalar(std::string_view text) { return can_be_block(text) ? block(text) : quoted(text); }

std::string yaml_result(int exit_code, std::string_view out, std::string_view err) {
  return "exit_code: " + std::to_string(exit_code) + "\nstdout: " + yaml_scalar(out) + "stderr: " + yaml_scalar(err);
}

}  // namespace wtool
