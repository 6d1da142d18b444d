// Finds the id of a request in a line that is not valid JSON, or is too long to be parsed. The client waits for an
// answer with that id, and would wait forever if the error came without it.
//
//   IdScanner scanner;
//   scanner.feed(R"({"id":7,"method":"tools/call","params":{"a":1e999}})");  // in any pieces
//   scanner.id() == "7"
//
// - Only members of the outermost object are considered. If two of them have the same name, the later one is used. Of
//   several objects in one line, the first request counts.
// - Needs a few kilobytes of memory at most, however long the line is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wtool::host::mcp {

// Only one thread may use an object of this class.
class IdScanner {
 public:
  void feed(std::string_view piece);

  // JSON text of the request's id, as the client wrote it; empty if the line is not a request, or the id cannot be
  // sent back.
  std::string id() const;

  // True if the line seems to be a notification: it has a method and no id.
  bool is_notification() const { return has_method_ && !has_id_; }

 private:
  void take(char c);
  void keep(char c);
  void end_token();

  std::size_t depth_ = 0;
  bool is_object_ = false;  // the outermost value is an object
  bool in_string_ = false;
  bool is_escaped_ = false;
  bool at_value_ = false;  // after the colon of a member
  std::string token_, key_, id_;
  bool has_id_ = false;
  bool has_method_ = false;
  bool is_complete_ = false;  // the object of a request has ended
};

}  // namespace wtool::host::mcp
