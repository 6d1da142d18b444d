#include "screen/screen.h"

#include <vterm.h>

#include <algorithm>
#include <cstdio>

#include "base/utf8.h"

namespace wtool::screen {

namespace {

// The most bytes of answers that are kept. A program that asks and never reads the answers gets no more.
constexpr std::size_t max_replies = 4096;
// The most combining characters that are passed on for one character. libvterm shows five, but remembers any number,
// and reads all of them for each new one.
constexpr int max_combining = 8;

// libvterm's value for the second half of a wide character.
constexpr std::uint32_t second_half = 0xffffffff;

void add_cell(const VTermScreenCell& cell, std::string& text) {
  if (cell.chars[0] == second_half) return;
  if (cell.chars[0] == 0) {
    text += ' ';
    return;
  }
  for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i] != 0; ++i) append_utf8(text, cell.chars[i]);
}

void trim(std::string& line) { line.resize(line.find_last_not_of(' ') + 1); }

std::string colour_of(const VTermColor& colour, bool is_usual) {
  if (is_usual) return {};
  if (VTERM_COLOR_IS_INDEXED(&colour)) return std::to_string(colour.indexed.idx);
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", unsigned{colour.rgb.red}, unsigned{colour.rgb.green},
                unsigned{colour.rgb.blue});
  return text;
}

CellRun look_of(const VTermScreenCell& cell) {
  CellRun run;
  run.foreground = colour_of(cell.fg, VTERM_COLOR_IS_DEFAULT_FG(&cell.fg));
  run.background = colour_of(cell.bg, VTERM_COLOR_IS_DEFAULT_BG(&cell.bg));
  run.bold = cell.attrs.bold != 0;
  run.italic = cell.attrs.italic != 0;
  run.underline = cell.attrs.underline != 0;
  run.blink = cell.attrs.blink != 0;
  run.reverse = cell.attrs.reverse != 0;
  run.strike = cell.attrs.strike != 0;
  return run;
}

bool looks_like(const CellRun& one, const CellRun& other) {
  return one.foreground == other.foreground && one.background == other.background && one.bold == other.bold &&
         one.italic == other.italic && one.underline == other.underline && one.blink == other.blink &&
         one.reverse == other.reverse && one.strike == other.strike;
}

VTermKey terminal_key(const Key& key) {
  switch (key.name) {
    case Key::Name::character:
      break;
    case Key::Name::enter:
      return VTERM_KEY_ENTER;
    case Key::Name::tab:
      return VTERM_KEY_TAB;
    case Key::Name::backspace:
      return VTERM_KEY_BACKSPACE;
    case Key::Name::escape:
      return VTERM_KEY_ESCAPE;
    case Key::Name::up:
      return VTERM_KEY_UP;
    case Key::Name::down:
      return VTERM_KEY_DOWN;
    case Key::Name::left:
      return VTERM_KEY_LEFT;
    case Key::Name::right:
      return VTERM_KEY_RIGHT;
    case Key::Name::insert:
      return VTERM_KEY_INS;
    case Key::Name::del:
      return VTERM_KEY_DEL;
    case Key::Name::home:
      return VTERM_KEY_HOME;
    case Key::Name::end:
      return VTERM_KEY_END;
    case Key::Name::page_up:
      return VTERM_KEY_PAGEUP;
    case Key::Name::page_down:
      return VTERM_KEY_PAGEDOWN;
    case Key::Name::function:
      return static_cast<VTermKey>(VTERM_KEY_FUNCTION(key.number));
  }
  return VTERM_KEY_NONE;
}

}  // namespace

// The most expensive byte is one that scrolls, because it moves every cell.
std::size_t max_at_once(Size size) {
  constexpr std::size_t max_moves = 8'000'000, least = 256, most = 4096;
  const auto cells = static_cast<std::size_t>(size.rows) * static_cast<std::size_t>(size.columns);
  return std::clamp(max_moves / cells, least, most);
}

struct Screen::Callbacks {
  static Screen& self(void* user) { return *static_cast<Screen*>(user); }

  static int push_line(int columns, const VTermScreenCell* cells, void* user) noexcept {
    try {
      std::string line;
      for (int column = 0; column < columns; ++column) add_cell(cells[column], line);
      trim(line);
      self(user).push_line(std::move(line));
    } catch (const std::bad_alloc&) {
      // An exception must not pass through libvterm; the line is lost.
    }
    return 1;
  }

  static int set_property(VTermProp property, VTermValue* value, void* user) noexcept {
    if (property == VTERM_PROP_CURSORVISIBLE) self(user).cursor_visible_ = value->boolean != 0;
    if (property == VTERM_PROP_ALTSCREEN) self(user).alternate_ = value->boolean != 0;
    return 1;
  }

  static void reply(const char* bytes, std::size_t size, void* user) noexcept {
    std::string& replies = self(user).replies_;
    // No reply is larger than 64 bytes, since libvterm's own buffer is smaller. A reply is kept whole or not at all.
    if (size > 64 || replies.size() + size > max_replies) return;
    try {
      replies.append(bytes, size);
    } catch (const std::bad_alloc&) {
    }
  }
};

void Screen::Free::operator()(VTerm* terminal) const { vterm_free(terminal); }

Screen::Screen(Size size) : size_(size), terminal_(vterm_new(size.rows, size.columns)), ruler_(vterm_new(2, 8)) {
  replies_.reserve(max_replies);
  vterm_set_utf8(ruler_.get(), 1);
  vterm_state_reset(vterm_obtain_state(ruler_.get()), 1);
  vterm_set_utf8(terminal_.get(), 1);
  screen_ = vterm_obtain_screen(terminal_.get());
  // Without the alternate screen's memory, programs such as editors would overwrite what was there before them.
  vterm_screen_enable_altscreen(screen_, 1);
  static const VTermScreenCallbacks callbacks = [] {
    VTermScreenCallbacks all{};
    all.settermprop = Callbacks::set_property;
    all.sb_pushline = Callbacks::push_line;
    return all;
  }();
  vterm_screen_set_callbacks(screen_, &callbacks, this);
  vterm_output_set_callback(terminal_.get(), Callbacks::reply, this);
  vterm_screen_reset(screen_, 1);
  replies_.clear();
}

Screen::~Screen() = default;

void Screen::take(std::string_view bytes, std::string& replies) {
  gate_.take(bytes);
  replies += take_replies();
}

std::string Screen::take_replies() {
  std::string taken = replies_;
  replies_.clear();
  return taken;
}

void Screen::write(std::string_view bytes) {
  // libvterm remembers combining characters until something else is printed; controls and sequences do not change that.
  if (bytes.front() >= ' ') combining_ = 0;
  vterm_input_write(terminal_.get(), bytes.data(), bytes.size());
}

void Screen::write_character(std::string_view character) {
  const bool combines = !has_width(character);
  if (combines && combining_ >= max_combining) return;
  combining_ = combines ? combining_ + 1 : 0;
  vterm_input_write(terminal_.get(), character.data(), character.size());
}

// Measures the width on a second screen. On the first one, a cursor at the end of a line would stay in place, whatever
// the character's width.
bool Screen::has_width(std::string_view character) {
  constexpr std::string_view start = "\r.";
  vterm_input_write(ruler_.get(), start.data(), start.size());
  vterm_input_write(ruler_.get(), character.data(), character.size());
  VTermPos at{};
  vterm_state_get_cursorpos(vterm_obtain_state(ruler_.get()), &at);
  return at.col > 1;
}

void Screen::set_title(std::string_view title) { title_ = to_utf8(std::string(title)); }

void Screen::push_line(std::string line) {
  ++scrolled_;
  scrollback_bytes_ += line.size() + 1;
  scrollback_.push_back(std::move(line));
  while (scrollback_bytes_ > max_scrollback || scrollback_.size() > max_scrollback_lines) {
    scrollback_bytes_ -= scrollback_.front().size() + 1;
    scrollback_.pop_front();
  }
}

// libvterm keeps a scrolling region and a cursor that may be outside of a smaller screen. So the region is reset first,
// and the cursor is then moved into the new screen.
void Screen::resize(Size size) {
  VTermState* const state = vterm_obtain_state(terminal_.get());
  VTermPos at{};
  vterm_state_get_cursorpos(state, &at);
  write("\x1b[?6l\x1b[r");
  const auto put_cursor = [&](int row, int column) {
    write("\x1b[" + std::to_string(row + 1) + ';' + std::to_string(column + 1) + 'H');
  };
  put_cursor(at.row, at.col);
  vterm_set_size(terminal_.get(), size.rows, size.columns);
  size_ = size;
  vterm_state_get_cursorpos(state, &at);
  put_cursor(std::clamp(at.row, 0, size.rows - 1), std::clamp(at.col, 0, size.columns - 1));
}

std::string Screen::bytes_of(const Key& key) {
  const std::string asked = take_replies();
  std::string bytes;
  if (key.name == Key::Name::character) {
    if (key.alt) bytes += '\x1b';
    if (key.control) {
      bytes += static_cast<char>(key.character.front() & 0x1f);
    } else {
      bytes += key.character;
    }
  } else {
    const int modifiers =
        (key.shift ? VTERM_MOD_SHIFT : 0) | (key.alt ? VTERM_MOD_ALT : 0) | (key.control ? VTERM_MOD_CTRL : 0);
    vterm_keyboard_key(terminal_.get(), terminal_key(key), static_cast<VTermModifier>(modifiers));
    bytes = take_replies();
  }
  replies_ = asked;
  return bytes;
}

std::string Screen::bytes_of(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    bytes += text[i] == '\n' ? '\r' : text[i];
  }
  return bytes;
}

// The first columns of a line.
std::string Screen::line(int row, int columns) const {
  std::string text;
  VTermScreenCell cell{};
  for (VTermPos at{row, 0}; at.col < columns; ++at.col) {
    if (vterm_screen_get_cell(screen_, at, &cell) != 0) add_cell(cell, text);
  }
  return text;
}

std::vector<std::string> Screen::lines(bool whole) const {
  std::vector<std::string> all;
  for (int row = 0; row < size_.rows; ++row) {
    all.push_back(line(row, size_.columns));
    if (!whole) trim(all.back());
  }
  while (!whole && !all.empty() && all.back().empty()) all.pop_back();
  return all;
}

std::vector<CellRun> Screen::runs(int row) const {
  std::vector<CellRun> all;
  VTermScreenCell cell{};
  for (VTermPos at{row, 0}; at.col < size_.columns; ++at.col) {
    if (vterm_screen_get_cell(screen_, at, &cell) == 0 || cell.chars[0] == second_half) continue;
    CellRun look = look_of(cell);
    if (all.empty() || !looks_like(all.back(), look)) {
      look.column = at.col;
      all.push_back(std::move(look));
    }
    add_cell(cell, all.back().text);
  }
  const CellRun usual;
  std::erase_if(all, [&](const CellRun& run) {
    return looks_like(run, usual) && run.text.find_first_not_of(' ') == std::string::npos;
  });
  return all;
}

Cursor Screen::cursor() const {
  VTermPos at{};
  vterm_state_get_cursorpos(vterm_obtain_state(terminal_.get()), &at);
  return {at.row, at.col, cursor_visible_};
}

std::string Screen::before_cursor() const {
  const Cursor at = cursor();
  return line(at.row, at.column);
}

}  // namespace wtool::screen
