// Checks that a text is well-formed XML, as far as reports use it: tags match, attributes are quoted and occur once,
// entities exist, and characters are allowed in XML. It may begin with a declaration and a DOCTYPE.
#pragma once

#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "workflow/model/source.h"

namespace wtool::test {

class MarkupCheck {
 public:
  // Empty, or what is wrong and where.
  static std::string problem(std::string_view text) { return MarkupCheck(text).check(); }

 private:
  explicit MarkupCheck(std::string_view text) : text_(text) {}

  std::string wrong(const std::string& what) const {
    return what + " at: " + std::string(text_.substr(at_ < 40 ? 0 : at_ - 40, 80));
  }
  bool skip(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '-')) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  bool entity() {
    for (const char* known : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "&#10;"}) {
      if (skip(known)) return true;
    }
    return false;
  }
  std::string check() {
    if (!is_utf8(text_)) return "no UTF-8";
    for (const char c : text_) {
      if (static_cast<unsigned char>(c) < 0x20 && c != '\n') return "a control character";
    }
    if (skip("<?xml ")) at_ = text_.find("?>") + 2;
    if (skip("<!DOCTYPE html>")) {
    }
    std::vector<std::string> open;
    bool any = false;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '&') {
        if (!entity()) return wrong("an unknown entity");
      } else if (c != '<') {
        if (open.empty() && c != '\n') return wrong("text outside of the document");
        ++at_;
      } else if (skip("</")) {
        const std::string tag = name();
        if (open.empty() || open.back() != tag || !skip(">")) return wrong("</" + tag + "> matches nothing");
        open.pop_back();
      } else {
        ++at_;
        if (open.empty() && any) return wrong("a second document");
        any = true;
        const std::string tag = name();
        if (tag.empty()) return wrong("no tag");
        std::set<std::string> names;
        while (skip(" ")) {
          const std::string attribute = name();
          if (attribute.empty() || !names.insert(attribute).second || !skip("=\"")) return wrong("no attribute");
          while (at_ < text_.size() && text_[at_] != '"') {
            if (text_[at_] == '<') return wrong("< in an attribute");
            if (text_[at_] == '&' ? !entity() : (++at_, false)) return wrong("an unknown entity");
          }
          if (!skip("\"")) return wrong("an open attribute");
        }
        if (skip("/>")) continue;
        if (!skip(">")) return wrong("an open tag");
        open.push_back(tag);
      }
    }
    return open.empty() ? "" : "<" + open.back() + "> is never closed";
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace wtool::test
