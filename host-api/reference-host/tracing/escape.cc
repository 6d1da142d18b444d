#include "tracing/escape.h"

#include "base/escape.h"

namespace wtool::host {

void append_escaped(std::string& out, std::string_view text, std::string_view keep) {
  wtool::append_escaped(out, text, keep);
}

std::string escaped(std::string_view text, std::string_view keep) { return wtool::escaped(text, keep); }

std::string visible(std::string_view text) { return wtool::visible(text); }

}  // namespace wtool::host
