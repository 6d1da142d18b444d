#include "cli/help_text.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.h"
#include "cli/table.h"

namespace wtool::host {

namespace {

constexpr std::size_t about_column = 30;  // where CLI11 begins the description of an option

bool is_title_of_options(std::string_view line) {
  return is_one_of(line, {"Positionals:", "Options:", "Subcommands:", "Options for every command:"});
}

// A line that begins a new block, although no blank line is before it.
bool stands_alone(std::string_view line) {
  return line.starts_with("Usage: ") || is_one_of(line, {"Example:", "Examples:"});
}

// A block of lines that are wrapped as one.
class Block {
 public:
  explicit Block(std::size_t columns) : columns_(columns) {}

  void add(std::string_view line) {
    if (!text_.empty() && !text_.ends_with(' ')) text_ += ' ';
    text_ += line;
  }
  // The description of the option in the block begins in about_column.
  void describe(std::string_view about) {
    if (text_.size() + 2 > about_column) {
      out_ += text_ + '\n';
      text_.clear();
    }
    if (text_.size() < about_column) text_.resize(about_column, ' ');
    text_ += about;
    indent_ = about_column;
  }
  bool is_described() const { return indent_ > 0; }
  void end() {
    if (!text_.empty()) out_ += wrapped(text_ + '\n', columns_, indent_);
    text_.clear();
    indent_ = 0;
  }
  void keep(std::string_view line) {
    end();
    out_.append(line).append("\n");
  }
  const std::string& out() const { return out_; }

 private:
  std::size_t columns_;
  std::size_t indent_ = 0;
  std::string text_;
  std::string out_;
};

}  // namespace

std::size_t help_columns() {
  constexpr std::size_t least = 80, most = 120;
  if (!output_is_terminal()) return 0;
  const char* const given = std::getenv("COLUMNS");
  std::size_t columns = 0;
  if (given == nullptr || !read_number(std::string_view(given), columns) || columns == 0) columns = output_columns();
  return columns == 0 ? 0 : std::clamp(columns, least, most);
}

std::string fitted_help(const std::string& help, std::size_t columns) {
  if (columns == 0) return help;
  Block block(columns);
  bool lists_options = false;
  for (std::size_t at = 0; at < help.size();) {
    const std::size_t end = std::min(help.find('\n', at), help.size());
    const std::string_view line = std::string_view(help).substr(at, end - at);
    at = end + 1;
    const std::size_t text = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t gap = std::min(line.find("  ", text), line.size());
    if (line.empty() || is_title_of_options(line)) {
      lists_options = is_title_of_options(line);
      block.keep(line);
    } else if (lists_options && text >= about_column && block.is_described()) {
      block.add(line.substr(text));
    } else if (lists_options && text >= about_column) {
      block.describe(line.substr(text));
    } else if (lists_options) {
      block.end();
      block.add(line.substr(0, gap));
      const std::size_t about = line.find_first_not_of(' ', gap);
      if (about != std::string_view::npos) block.describe(line.substr(about));
    } else if (text > 0) {
      block.keep(line);
    } else {
      if (stands_alone(line)) block.end();
      block.add(line);
      if (stands_alone(line)) block.end();
    }
  }
  block.end();
  return block.out();
}

}  // namespace wtool::host
