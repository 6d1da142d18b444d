#include "policy/arguments/parts.h"

namespace wtool::policy::programs {

namespace {

constexpr std::string_view blanks = " \t\f\v\r";

class SedReader {
 public:
  // Versions of sed differ in whether a delimiter inside a bracket expression ends the pattern. With `brackets`, it
  // does not.
  SedReader(std::string_view script, bool brackets) : script_(script), brackets_(brackets) {}

  ScriptFindings read() {
    while (found_.unclear.empty() && !at_end()) command();
    if (found_.unclear.empty() && depth_ != 0) unclear("it has a { without a }");
    return found_;
  }

  bool delimiter_in_brackets() const { return delimiter_in_brackets_; }

 private:
  bool at_end() const { return next_ >= script_.size(); }
  char peek() const { return at_end() ? '\n' : script_[next_]; }
  char take() { return at_end() ? '\n' : script_[next_++]; }
  bool is_digit() const { return !at_end() && peek() >= '0' && peek() <= '9'; }

  void skip(std::string_view characters) {
    while (!at_end() && characters.find(peek()) != characters.npos) ++next_;
  }

  void skip_digits() {
    while (is_digit()) ++next_;
  }

  std::string_view rest_of_line() {
    const std::size_t begin = next_;
    while (!at_end() && peek() != '\n') ++next_;
    return script_.substr(begin, next_ - begin);
  }

  void unclear(std::string why) {
    if (found_.unclear.empty()) found_.unclear = "the sed script cannot be read: " + std::move(why);
  }

  void executes(std::string what) {
    if (found_.executes.empty()) found_.executes = std::move(what);
  }

  void command() {
    skip(" \t\f\v\r\n;");
    if (at_end()) return;
    address();
    if (peek() == ',') {
      ++next_;
      skip(blanks);
      if (peek() == '+' || peek() == '~') {
        ++next_;
        if (!is_digit()) return unclear("a number is missing in an address");
        skip_digits();
      } else if (!address()) {
        return unclear("an address is missing after a comma");
      }
    }
    skip(blanks);
    if (peek() == '!') {
      ++next_;
      skip(blanks);
    }
    if (found_.unclear.empty()) function();
  }

  // Reads an address. False: no address begins here.
  bool address() {
    if (is_digit()) {
      skip_digits();
      if (peek() == '~') {
        ++next_;
        skip_digits();
      }
    } else if (peek() == '$') {
      ++next_;
    } else if (peek() == '/' || peek() == '\\') {
      char delimiter = take();
      if (delimiter == '\\') delimiter = take();
      delimited(delimiter, true);
      skip("IM");
    } else {
      return false;
    }
    skip(blanks);
    return true;
  }

  void function() {
    if (at_end()) return unclear("a command is missing after an address");
    const char name = take();
    switch (name) {
      case '{':
        ++depth_;
        return;
      case '}':
        if (--depth_ < 0) return unclear("it has a } without a {");
        return end();
      case '#':
        rest_of_line();
        return;
      case '=':
      case 'd':
      case 'D':
      case 'F':
      case 'g':
      case 'G':
      case 'h':
      case 'H':
      case 'n':
      case 'N':
      case 'p':
      case 'P':
      case 'x':
      case 'z':
        return end();
      case 'l':
      case 'L':
      case 'q':
      case 'Q':
        skip(blanks);
        skip_digits();
        return end();
      case ':':
        return label(true);
      case 'b':
      case 't':
      case 'T':
      case 'v':
        return label(false);
      case 'a':
      case 'i':
      case 'c':
        return text();
      case 'r':
      case 'R':
        return reads(name);
      case 'w':
      case 'W':
        return writes(std::string("the command ") + name + " of a sed script");
      case 'e':
        rest_of_line();
        return executes("the command e of a sed script executes a program");
      case 's':
        return substitute();
      case 'y': {
        const char delimiter = take();
        delimited(delimiter, false);
        delimited(delimiter, false);
        return end();
      }
      default:
        return unclear(name > ' ' && name < 127 ? std::string("sed has no command ") + name
                                                : "a command is not a letter");
    }
  }

  // Reads what may separate two commands.
  void end() {
    skip(blanks);
    if (at_end() || peek() == '}' || peek() == '#') return;
    if (peek() != ';' && peek() != '\n') return unclear("something follows a command");
    ++next_;
  }

  void label(bool is_definition) {
    skip(blanks);
    const std::size_t begin = next_;
    while (!at_end() && peek() != ';' && peek() != '\n' && blanks.find(peek()) == blanks.npos) {
      if (peek() == '}') {
        if (is_definition) return unclear("a label has a } in it");
        break;
      }
      ++next_;
    }
    if (is_definition && next_ == begin) return unclear("a label has no name");
    end();
  }

  // Reads the text of the commands `a`, `i` and `c`, up to a newline without a backslash before it.
  void text() {
    skip(blanks);
    if (at_end() || peek() == '\n') return unclear("a, i or c has no text");
    if (peek() == '\\') {
      ++next_;
      if (!at_end() && peek() == '\n') {
        ++next_;
      } else {
        // After blanks, some versions take the rest of this line as the text, and others the next line.
        skip(blanks);
        if (at_end() || peek() == '\n' || peek() == '\\') {
          return unclear("it is not certain where the text of a, i or c begins");
        }
      }
    }
    while (!at_end() && peek() != '\n') {
      if (take() == '\\' && !at_end()) ++next_;
    }
  }

  void reads(char name) {
    skip(blanks);
    if (rest_of_line() == "/dev/stdin") return;
    if (found_.reaches_out.empty()) {
      found_.reaches_out = std::string("the command ") + name + " of a sed script reads another file";
    }
  }

  void writes(const std::string& what) {
    skip(blanks);
    const std::string_view file = rest_of_line();
    const bool harmless = file == "/dev/stdout" || file == "/dev/stderr" || file == "/dev/null";
    if (!harmless && found_.writes.empty()) found_.writes = what + " writes to a file";
  }

  void substitute() {
    const char delimiter = take();
    delimited(delimiter, true);
    delimited(delimiter, false);
    while (found_.unclear.empty() && !at_end()) {
      const char flag = peek();
      if (flag == 'w') {
        ++next_;
        return writes("the flag w of a sed script");
      }
      if (flag == 'e') executes("the flag e of a sed script executes a program");
      if (std::string_view(" \tgiIemMp0123456789").find(flag) == std::string_view::npos) return end();
      ++next_;
    }
  }

  // Reads up to and including the delimiter.
  void delimited(char delimiter, bool is_regex) {
    if (delimiter == '\n' || delimiter == '\\' || static_cast<unsigned char>(delimiter) >= 128) {
      return unclear("a delimiter is missing");
    }
    bool in_brackets = false;
    while (!at_end() && peek() != '\n') {
      const char c = take();
      if (c == delimiter) {
        if (!in_brackets) return;
        delimiter_in_brackets_ = true;
      } else if (!in_brackets) {
        if (c == '\\' && !at_end()) ++next_;
        if (c == '[' && is_regex && brackets_) {
          in_brackets = true;
          // As the first character of the set, ] is an ordinary character.
          if (peek() == '^') ++next_;
          if (peek() == ']' && delimiter != ']') ++next_;
        }
      } else if (c == '[' && (peek() == ':' || peek() == '.' || peek() == '=')) {
        // As in [[:alpha:]]. The name of a character class is short, so 24 characters are enough.
        const std::string_view name = script_.substr(next_, 24);
        const std::size_t close = name.find(std::string{peek(), ']'}, 1);
        if (close != name.npos && name.substr(0, close).find_first_of(std::string{'\n', delimiter}) == name.npos) {
          next_ += close + 2;
        }
      } else if (c == '\\' && peek() == '\n' && !at_end()) {
        ++next_;
      } else if (c == ']') {
        in_brackets = false;
      }
    }
    unclear("a delimiter is missing");
  }

  std::string_view script_;
  bool brackets_;
  bool delimiter_in_brackets_ = false;
  std::size_t next_ = 0;
  long depth_ = 0;
  ScriptFindings found_;
};

}  // namespace

ScriptFindings read_sed(std::string_view script) {
  SedReader reader(script, true);
  ScriptFindings found = reader.read();
  if (!reader.delimiter_in_brackets()) return found;
  // Reads the script again as other versions of sed do. Even if this reading ends with a syntax error, its findings
  // before the error are used.
  const ScriptFindings other = SedReader(script, false).read();
  if (found.executes.empty()) found.executes = other.executes;
  if (found.writes.empty()) found.writes = other.writes;
  if (found.reaches_out.empty()) found.reaches_out = other.reaches_out;
  return found;
}

std::optional<Located> find_script(const ParsedCommand& reading) {
  Located located;
  bool any = false;
  for (const Given& given : reading.given) {
    if (!given.option->replaces_first || given.option->path || !given.value) continue;
    if (any) located.script += '\n';
    if (!any) located.word = given.value_word;
    any = true;
    located.script += *given.value;
  }
  if (!any && !reading.first_replaced && !reading.operands.empty()) {
    any = true;
    located = {std::string(reading.operand(0)), reading.operands[0]};
  }
  return any ? std::optional(std::move(located)) : std::nullopt;
}

std::optional<Problem> check_sed(const ParsedCommand& reading) {
  const auto located = find_script(reading);
  if (!located) return std::nullopt;
  const ScriptFindings script = read_sed(located->script);
  if (worst(script).empty()) return std::nullopt;
  return Problem{located->word, worst(script), "a script that only prints and substitutes is safe"};
}

}  // namespace wtool::policy::programs
