
#include <md4c.h>

#include <optional>
#include <utility>

#include "base/text.h"
#include "workflow/parse/markdown.h"

namespace wtool::host::workflow {
namespace {

// Collects the parts of the file from md4c's events.
class MarkdownReader {
 public:
  MarkdownReader(const Source& source, std::string text, Diagnostics& diagnostics)
      : source_(source), text_(std::move(text)), diagnostics_(diagnostics), code_lines_(source.line_count()) {}

  MarkdownParts run() {
    MD_PARSER parser{};
    parser.flags = MD_FLAG_NOINDENTEDCODEBLOCKS | MD_FLAG_NOHTMLSPANS;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
      static_cast<MarkdownReader*>(self)->enter(type, detail);
      return 0;
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) {
      static_cast<MarkdownReader*>(self)->leave(type);
      return 0;
    };
    parser.enter_span = [](MD_SPANTYPE, void*, void*) { return 0; };
    parser.leave_span = [](MD_SPANTYPE, void*, void*) { return 0; };
    parser.text = [](MD_TEXTTYPE, const MD_CHAR* text, MD_SIZE size, void* self) {
      static_cast<MarkdownReader*>(self)->text(text, size);
      return 0;
    };
    if (md_parse(text_.data(), static_cast<MD_SIZE>(text_.size()), &parser, this) != 0) {
      diagnostics_.add(0, "the markdown could not be read: out of memory");
    }
    MarkdownParts parts;
    parts.mermaid = std::move(mermaid_);
    parts.code_lines = std::move(code_lines_);
    for (Item& item : items_) {
      if (item.in_actions) {
        parts.items.push_back(std::move(item.item));
      } else if (item.item.text.text().find(':') != std::string::npos) {
        parts.stray_items.push_back({std::move(item.item), item.heading, item.above});
      }
    }
    parts.loose_lines = std::move(loose_lines_);
    parts.unclosed_fence = unclosed_fence_;
    parts.has_actions_heading = has_actions_heading_;
    return parts;
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  struct Item {
    ActionItem item;
    bool in_actions = false;
    std::size_t heading = 0;  // this and `above` are for a StrayItem
    StrayItem::Above above = StrayItem::Above::nothing;
  };

  struct Open {  // a list item that is being read
    std::size_t index = none;
    bool paragraph_over = false;
    bool complained = false;
    std::size_t first_line = 0;
    std::size_t last_line = 0;
  };

  // The offset of `text` in the source; `none` for a text that md4c made itself.
  std::size_t offset_of(const char* text) const {
    const bool inside = !std::less<>()(text, text_.data()) && std::less<>()(text, text_.data() + text_.size());
    return inside ? static_cast<std::size_t>(text - text_.data()) : none;
  }

  void end_paragraph() {
    if (!open_.empty() && open_.back().index != none) open_.back().paragraph_over = true;
  }

  void enter(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_LI:
        open_.emplace_back();
        break;
      case MD_BLOCK_UL:
      case MD_BLOCK_OL:
      case MD_BLOCK_QUOTE:
        end_paragraph();
        break;
      case MD_BLOCK_HTML:
        end_paragraph();
        in_html_ = true;
        html_offset_ = none;
        break;
      case MD_BLOCK_H:
        end_paragraph();
        in_heading_ = true;
        heading_level_ = static_cast<MD_BLOCK_H_DETAIL*>(detail)->level;
        heading_offset_ = none;
        break;
      case MD_BLOCK_CODE:
        begin_code(*static_cast<MD_BLOCK_CODE_DETAIL*>(detail));
        break;
      default:
        break;
    }
  }

  void leave(MD_BLOCKTYPE type) {
    switch (type) {
      case MD_BLOCK_LI:
        end_item();
        open_.pop_back();
        break;
      case MD_BLOCK_P:
        end_paragraph();
        break;
      case MD_BLOCK_HTML:
        end_html();
        break;
      case MD_BLOCK_H:
        end_heading();
        break;
      case MD_BLOCK_CODE:
        end_code();
        break;
      default:
        break;
    }
  }

  void text(const char* text, std::size_t size) {
    const std::size_t offset = offset_of(text);
    if (in_code_) return code_text(text, size);
    if (offset == none) return;
    if (in_html_) {
      if (html_offset_ == none) html_offset_ = offset;
      html_end_ = offset + size;
      return;
    }
    last_code_offset_ = offset;  // the best known place of a code block that follows, if it has no text
    if (in_heading_) {
      if (heading_offset_ == none) heading_offset_ = offset;
      return;
    }
    const std::size_t line = source_.line_at(offset);
    if (open_.empty()) {
      if (in_actions_ && line != last_prose_line_ && is_list_line(source_.line(line))) {
        diagnostics_.add(offset,
                         "this looks like an action, but markdown reads it as part of the paragraph above; put a "
                         "blank line before it and indent it less");
      } else if (in_actions_ && line != last_prose_line_) {
        loose_lines_.push_back({line, heading_line_});
      }
      last_prose_line_ = line;
      if (!in_actions_ && !source_.line(line).empty()) above_ = {line, StrayItem::Above::paragraph};
      return;
    }
    item_text(open_.back(), offset, line);
  }

  // After masked(), the only HTML blocks are comments.
  void end_html() {
    in_html_ = false;
    if (html_offset_ == none) return;
    if (source_.text().substr(html_offset_, html_end_ - html_offset_).find("-->") == std::string_view::npos) {
      diagnostics_.add(html_offset_, "this comment is never closed by -->, so everything after it would be ignored");
    }
  }

  void item_text(Open& item, std::size_t offset, std::size_t line) {
    if (item.index == none) {
      item.index = items_.size();
      item.first_line = line;
      items_.push_back({{}, in_actions_, above_.first, above_.second});
      items_.back().item.offset = offset;
    } else if (item.paragraph_over) {
      if (!item.complained && in_actions_) {
        diagnostics_.add(offset, "this text belongs to no action; write notes outside of the list items");
      }
      item.complained = true;
      return;
    }
    item.last_line = line;
  }

  void end_item() {
    const Open& item = open_.back();
    if (item.index == none) return;
    ActionItem& made = items_[item.index].item;
    for (std::size_t i = item.first_line; i <= item.last_line; ++i) {
      std::string_view line = source_.line(i);
      std::size_t begin = i == item.first_line ? made.offset - source_.line_start(i) : line.find_first_not_of(" \t");
      if (i == 0) begin -= source_.content_begin();
      if (begin >= line.size()) continue;
      line.remove_prefix(begin);
      const auto at = static_cast<std::size_t>(line.data() - source_.text().data());
      if (!made.text.empty()) made.text.append("\n", at - 1);
      made.text.append(line, at);
    }
  }

  void end_heading() {
    in_heading_ = false;
    if (heading_offset_ == none || !open_.empty()) return;
    std::string_view title = trim(source_.line(source_.line_at(heading_offset_)));
    while (title.starts_with('#')) title.remove_prefix(1);
    while (title.ends_with('#')) title.remove_suffix(1);
    const std::string name = lowered(trim(title));
    heading_line_ = source_.line_at(heading_offset_);
    above_ = {heading_line_, StrayItem::Above::heading};
    if (name == "actions") {
      in_actions_ = has_actions_heading_ = true;
      actions_level_ = heading_level_;
    } else if (heading_level_ <= actions_level_) {
      in_actions_ = false;
    }
  }

  void begin_code(const MD_BLOCK_CODE_DETAIL& detail) {
    end_paragraph();
    in_code_ = true;
    code_ = CodeBlock{};
    code_range_ = {none, none};
    code_indent_ = 0;
    const std::size_t offset = detail.lang.size == 0 ? none : offset_of(detail.lang.text);
    if (offset != none) {
      code_.language = std::string(source_.text().substr(offset, detail.lang.size));
      code_.offset = last_code_offset_ = offset;
    }
  }

  // md4c passes a line as its indentation (in spaces that it made itself), its text, and a newline that it made itself.
  void code_text(const char* text, std::size_t size) {
    const std::size_t offset = offset_of(text);
    if (offset == none && *text != '\n') {
      code_indent_ += size;
      return;
    }
    if (offset == none) {
      code_.text.append("\n", last_code_offset_);
      code_indent_ = 0;
      return;
    }
    const std::size_t line = source_.line_at(offset);
    code_lines_[line] = true;
    if (code_range_.begin == none) code_range_.begin = line;
    code_range_.end = line + 1;
    if (code_.offset == 0) code_.offset = offset;
    append_indentation(source_.line_start(line), offset);
    code_.text.append(source_.text().substr(offset, size), offset);
    last_code_offset_ = offset + size;
  }

  // Restores the tabs that md4c turned into spaces, for here-documents and makefiles. A tab that belongs half to the
  // list and half to the code is kept as spaces.
  void append_indentation(std::size_t line_start, std::size_t offset) {
    if (code_indent_ == 0) return;
    const std::string_view before = source_.text().substr(line_start, offset - line_start);
    const auto next = [](std::size_t column, char c) { return c == '\t' ? (column + 4) / 4 * 4 : column + 1; };
    std::size_t total = 0;
    for (const char c : before) total = next(total, c);
    const std::size_t wanted = total < code_indent_ ? 0 : total - code_indent_;
    std::size_t column = 0;
    std::size_t at = 0;
    while (at < before.size() && column < wanted) column = next(column, before[at++]);
    if (column == wanted && before.find_first_not_of(" \t", at) == std::string_view::npos) {
      code_.text.append(before.substr(at), line_start + at);
    } else {
      code_.text.append(std::string(code_indent_, ' '), offset);
    }
  }

  void end_code() {
    in_code_ = false;
    if (code_.offset == 0) code_.offset = last_code_offset_;
    if (open_.empty()) note_unclosed();
    const bool is_mermaid = lowered(code_.language) == "mermaid";
    if (!open_.empty() && (in_actions_ || (open_.back().index != none && !is_mermaid))) {
      Open& item = open_.back();
      if (item.index == none) {
        diagnostics_.add(code_.offset,
                         "this block is in a list item that names no state; write `- State: Shell` first");
      } else {
        items_[item.index].item.blocks.push_back(std::move(code_));
        return;
      }
      if (in_actions_) return;
    }
    if (is_mermaid) {
      mermaid_.push_back({code_range_.begin == none ? LineRange{0, 0} : code_range_, code_.offset, in_actions_});
    } else if (in_actions_) {
      diagnostics_.add(code_.offset, "this block belongs to no action; indent it under its `- State: Shell` item");
      // The block is probably meant for the item above, which has no command.
      if (!items_.empty() && items_.back().in_actions && lacks_command(items_.back().item)) {
        items_.back().item.blocks.push_back(std::move(code_));
      }
    }
  }

  // True for `- Build: Shell` without a text in quotes or a block.
  static bool lacks_command(const ActionItem& item) {
    const std::string& text = item.text.text();
    const std::size_t word = lowered(text).find(" shell");
    if (word == std::string::npos || !item.blocks.empty()) return false;
    const std::size_t behind = text.find_first_not_of(" \t\n", word + 6);
    return behind == std::string::npos || text[behind] != '"';
  }

  // Notes a block that is not closed, and so reaches to the end of the file.
  void note_unclosed() {
    if (unclosed_fence_ || code_range_.begin == none || code_range_.begin == 0) return;
    std::size_t close = code_range_.end;
    while (close < source_.line_count() && trim(source_.line(close)).empty()) ++close;
    if (close < source_.line_count()) return;
    std::size_t open = code_range_.begin - 1;
    while (open > 0 && trim(source_.line(open)).empty()) --open;
    if (is_fence(source_.line(open))) unclosed_fence_ = open;
  }

  const Source& source_;
  std::string text_;
  Diagnostics& diagnostics_;
  std::vector<Open> open_;
  std::vector<Item> items_;
  std::vector<LooseLine> loose_lines_;
  std::optional<std::size_t> unclosed_fence_;
  std::pair<std::size_t, StrayItem::Above> above_{0, StrayItem::Above::nothing};
  std::vector<MermaidFence> mermaid_;
  std::vector<bool> code_lines_;
  bool in_html_ = false;
  std::size_t html_offset_ = none;
  std::size_t html_end_ = 0;
  bool in_heading_ = false;
  unsigned heading_level_ = 0;
  std::size_t heading_offset_ = none;
  std::size_t heading_line_ = 0;
  bool in_actions_ = false;
  bool has_actions_heading_ = false;
  unsigned actions_level_ = 0;
  std::size_t last_prose_line_ = none;
  bool in_code_ = false;
  CodeBlock code_;
  LineRange code_range_;
  std::size_t code_indent_ = 0;
  std::size_t last_code_offset_ = 0;
};

}  // namespace

MarkdownParts read_markdown(const Source& source, std::string text, Diagnostics& diagnostics) {
  return MarkdownReader(source, std::move(text), diagnostics).run();
}

}  // namespace wtool::host::workflow
