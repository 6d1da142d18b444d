#include "mcp/id_scanner.h"

#include "base/json.h"
#include "base/json_reader.h"

namespace wtool::host::mcp {

namespace {

// No client uses longer ids.
constexpr std::size_t max_token = 1024;

}  // namespace

void IdScanner::feed(std::string_view piece) {
  for (const char c : piece) take(c);
}

void IdScanner::take(char c) {
  if (is_complete_) return;
  if (in_string_) {
    keep(c);
    if (is_escaped_) {
      is_escaped_ = false;
    } else if (c == '\\') {
      is_escaped_ = true;
    } else if (c == '"') {
      in_string_ = false;
      end_token();
    }
    return;
  }
  switch (c) {
    case '"':
      end_token();
      in_string_ = true;
      return keep(c);
    case '{':
    case '[':
      end_token();
      if (++depth_ == 1) {
        is_object_ = c == '{';
        at_value_ = false;
      }
      if (depth_ == 2 && at_value_ && key_ == "\"id\"") {
        has_id_ = true;
        id_.clear();  // This value cannot be an id, but it replaces an earlier one.
      }
      return;
    case '}':
    case ']':
      end_token();
      if (depth_ > 0 && --depth_ == 0) is_complete_ = has_method_ && has_id_;
      return;
    case ':':
      end_token();
      if (depth_ == 1) at_value_ = true;
      return;
    case ',':
      end_token();
      if (depth_ == 1) at_value_ = false;
      return;
    case ' ':
    case '\t':
    case '\r':
    case '\n':
      return end_token();
    default:
      return keep(c);
  }
}

void IdScanner::keep(char c) {
  if (depth_ == 1 && token_.size() <= max_token) token_ += c;
}

void IdScanner::end_token() {
  if (token_.empty()) return;
  if (!is_object_) {
  } else if (!at_value_) {
    key_ = token_;
  } else if (key_ == "\"id\"") {
    id_ = token_;
    has_id_ = true;
  } else if (key_ == "\"method\"") {
    has_method_ = true;
  }
  token_.clear();
}

std::string IdScanner::id() const {
  if (!has_method_ || id_.size() > max_token) return {};
  // The parser would mistake a NUL for the end of the text.
  if (id_.find('\0') != std::string::npos) return {};
  const auto value = parse_json(id_);
  return value.is_string() || value.is_number() ? id_ : std::string();
}

}  // namespace wtool::host::mcp
