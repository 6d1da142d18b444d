#include <algorithm>
#include <iterator>
#include <utility>

#include "policy/arguments/parts.h"
#include "policy/words/characters.h"

namespace wtool::policy::programs {

namespace {

// Words that are keywords, functions or patterns in some awks, and variables in others. After a variable, a slash
// divides. After a keyword, function or pattern, a slash may begin a regular expression or be a syntax error, which
// awks detect at different points.
constexpr std::string_view words_of_some[] = {
    "BEGINFILE", "ENDFILE", "and",     "asort",   "asorti",  "atan2",  "break",  "case",     "close",    "compl",
    "continue",  "cos",     "default", "exp",     "fflush",  "func",   "gensub", "gsub",     "index",    "int",
    "isarray",   "length",  "log",     "lshift",  "match",   "mktime", "next",   "nextfile", "or",       "patsplit",
    "rand",      "rshift",  "sin",     "split",   "sprintf", "sqrt",   "srand",  "strftime", "strtonum", "sub",
    "substr",    "switch",  "systime", "tolower", "toupper", "typeof", "xor"};

static_assert(std::is_sorted(std::begin(words_of_some), std::end(words_of_some)));

// What gawk opens a connection for: /inet/tcp/0/HOST/80.
constexpr std::string_view network_files[] = {"/inet/", "/inet4/", "/inet6/"};

// Splits a program into strings, regular expressions, names and single characters, and checks these tokens in order.
// Text within a string, a regular expression or a comment is not code. The one difficulty is where a regular expression
// begins; if that is uncertain, the program is unclear.
class AwkReader {
 public:
  explicit AwkReader(std::string_view program) : program_(program) {}

  ScriptFindings read() {
    while (found_.unclear.empty() && next_ < program_.size()) token();
    return found_;
  }

 private:
  // The kind of the previous token, which decides what a slash means.
  enum class Before {
    operand,    // a value ends here: a slash divides
    operators,  // a value must follow: a slash begins a regular expression
    uncertain,
  };

  struct Parenthesis {
    bool of_keyword = false;  // it belongs to `if`, `while` or `for`: a statement follows it
    bool of_switch = false;   // it belongs to `switch`, or ends a value in awks without `switch`
    bool in_getline = false;
  };

  char peek(std::size_t ahead = 0) const { return next_ + ahead < program_.size() ? program_[next_ + ahead] : '\0'; }

  void unclear(std::string why) {
    if (found_.unclear.empty()) found_.unclear = "the awk program cannot be read: " + std::move(why);
  }

  void executes(std::string what) {
    if (found_.executes.empty()) found_.executes = std::move(what);
  }

  void reaches_out(std::string what) {
    if (found_.reaches_out.empty()) found_.reaches_out = std::move(what);
  }

  void token() {
    const char c = peek();
    if (c == ' ' || c == '\t' || c == '\r') {
      ++next_;
    } else if (c == '\\') {
      if (peek(1) == '\r' && peek(2) == '\n') ++next_;
      if (peek(1) != '\n') return unclear("the code has a backslash");
      next_ += 2;
    } else if (c == '#') {
      while (next_ < program_.size() && peek() != '\n') ++next_;
    } else if (c == '"') {
      string();
    } else if (c == '/') {
      slash();
    } else if (is_name_start(c)) {
      name();
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number();
    } else {
      sign();
    }
  }

  void number() {
    while (is_digit(peek()) || peek() == '.') ++next_;
    if (peek() == 'e' || peek() == 'E') {
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
      if (is_digit(peek(1 + sign))) {
        next_ += 1 + sign;
        while (is_digit(peek())) ++next_;
      }
    }
    // Awks read 1system(...) as a number and a function, and do not agree on where a hexadecimal number ends.
    if (is_name_start(peek())) return unclear("a letter follows a number");
    before_ = Before::operand;
    continues_ = false;
  }

  void string() {
    for (++next_; next_ < program_.size(); ++next_) {
      if (peek() == '\n') return unclear("a string does not end on its line");
      if (peek() == '\\') {
        ++next_;
      } else if (peek() == '"') {
        ++next_;
        before_ = Before::operand;
        continues_ = false;
        return;
      }
    }
    unclear("a string does not end");
  }

  void slash() {
    if (before_ == Before::uncertain) return unclear("a slash may divide or begin a regular expression");
    if (before_ == Before::operand) {
      ++next_;
      before_ = Before::operators;
      return;
    }
    bool in_brackets = false;
    for (++next_; next_ < program_.size(); ++next_) {
      const char c = peek();
      if (c == '\n') break;
      if (c == '\\') {
        ++next_;
      } else if (c == '/') {
        // Some awks end the expression here, and some do not.
        if (in_brackets) return unclear("a slash in brackets has no backslash before it");
        ++next_;
        before_ = Before::operand;
        continues_ = false;
        return;
      } else if (!in_brackets && c == '[') {
        in_brackets = true;
        if (peek(1) == '^') ++next_;
        if (peek(1) == ']') ++next_;
      } else if (in_brackets && c == '[' && (peek(1) == ':' || peek(1) == '.' || peek(1) == '=')) {
        // The name of a character class is short, so 24 characters are enough.
        const std::string_view name = program_.substr(next_, 24);
        const std::size_t close = name.find(std::string{peek(1), ']'}, 2);
        if (close == name.npos || name.find('/') < close) return unclear("a bracket expression does not end");
        next_ += close + 1;
      } else if (c == ']') {
        in_brackets = false;
      }
    }
    unclear("a regular expression does not end on its line");
  }

  void name() {
    const std::size_t begin = next_;
    while (is_name_start(peek()) || is_digit(peek())) ++next_;
    const std::string_view name = program_.substr(begin, next_ - begin);
    before_ = Before::operand;
    continues_ = false;
    keyword_ = switch_ = false;
    if (name == "system") {
      executes("system() in an awk program executes a program");
    } else if (name == "print" || name == "printf") {
      printing_ = true;
      print_depth_ = parentheses_.size();
      before_ = Before::operators;
    } else if (name == "getline") {
      getline_ = true;
      before_ = Before::uncertain;
    } else if (name == "ARGV" || name == "ARGC" || name == "SYMTAB" || name == "FUNCTAB") {
      reaches_out(std::string(name) + " in an awk program can change which files it reads");
    } else if (name == "if" || name == "while" || name == "for") {
      keyword_ = true;
      before_ = Before::operators;
    } else if (name == "else" || name == "do") {
      before_ = Before::operators;
      continues_ = true;
    } else if (name == "in" || name == "return" || name == "exit" || name == "delete") {
      before_ = Before::operators;
    } else if (name == "BEGIN" || name == "END" || name == "function") {
      before_ = Before::uncertain;
    } else if (std::binary_search(std::begin(words_of_some), std::end(words_of_some), name)) {
      switch_ = name == "switch";
      before_ = Before::uncertain;
    }
  }

  // After the > of print: skips the target if it is only the name of a standard stream or /dev/null. False: it is not.
  bool to_standard_stream() {
    for (const std::string_view stream : {"\"/dev/stderr\"", "\"/dev/stdout\"", "\"/dev/null\""}) {
      std::size_t at = next_ + (peek() == '>' ? 1 : 0);
      while (at < program_.size() && program_[at] == ' ') ++at;
      if (!program_.substr(at).starts_with(stream)) continue;
      at += stream.size();
      while (at < program_.size() && program_[at] == ' ') ++at;
      if (at < program_.size() && std::string_view(";}\n").find(program_[at]) == std::string_view::npos) return false;
      next_ = at;
      return true;
    }
    return false;
  }

  void end_statement() {
    printing_ = getline_ = false;
    before_ = Before::operators;
  }

  void sign() {
    const char c = peek();
    const bool after_keyword = std::exchange(keyword_, false);
    const bool after_switch = std::exchange(switch_, false);
    const bool doubled = peek(1) == c;
    ++next_;
    const bool continued = std::exchange(continues_, false);
    switch (c) {
      case '\n':
        continues_ = continued;
        if (!continued && parentheses_.empty()) end_statement();
        return;
      case ';':
        // Even inside for (;;), a semicolon ends the redirection of a print or getline.
        return end_statement();
      case '{':
        continues_ = true;
        return end_statement();
      case '}':
        parentheses_.clear();
        return end_statement();
      case '(':
        parentheses_.push_back({after_keyword, after_switch, std::exchange(getline_, false)});
        before_ = Before::operators;
        return;
      case '[':
        parentheses_.push_back({false, false, std::exchange(getline_, false)});
        before_ = Before::operators;
        return;
      case ')':
      case ']':
        before_ = Before::operand;
        if (!parentheses_.empty()) {
          if (parentheses_.back().of_keyword) before_ = Before::operators;
          if (parentheses_.back().of_switch) before_ = Before::uncertain;
          getline_ = parentheses_.back().in_getline;
          parentheses_.pop_back();
        }
        return;
      case ',':
        continues_ = true;
        before_ = Before::operators;
        return;
      case '|':
        if (!doubled) return executes("a pipe in an awk program executes a program");
        ++next_;
        continues_ = true;
        before_ = Before::operators;
        return;
      case '&':
        if (doubled) ++next_;
        continues_ = true;
        before_ = Before::operators;
        return;
      case '>':
        if (printing_ && parentheses_.size() <= print_depth_ && peek() != '=' && !to_standard_stream()) {
          if (found_.writes.empty()) found_.writes = "a redirection in an awk program writes to a file";
        }
        before_ = Before::operators;
        return;
      case '<':
        if (getline_ && peek() != '=') reaches_out("getline from a file in an awk program reads another file");
        before_ = Before::operators;
        return;
      case '+':
      case '-':
        if (doubled) {
          // After x++, a slash begins a regular expression in mawk, and divides in other awks.
          ++next_;
          before_ = Before::uncertain;
          return;
        }
        before_ = Before::operators;
        return;
      case '@':
        return unclear("@ names other files, extensions or functions");
      case '!':
      case '=':
      case '~':
      case '*':
      case '%':
      case '^':
      case '$':
        before_ = Before::operators;
        return;
      case '?':
      case ':':
        continues_ = true;
        before_ = Before::operators;
        return;
      default:
        return unclear("it has a character that awk does not know");
    }
  }

  std::string_view program_;
  std::size_t next_ = 0;
  Before before_ = Before::operators;
  bool printing_ = false;        // in a print statement
  std::size_t print_depth_ = 0;  // how many parentheses were open when the statement began
  bool getline_ = false;         // getline came earlier in this statement, within the same parentheses
  bool keyword_ = false;         // the previous token was if, while or for
  bool switch_ = false;          // the previous token was switch
  bool continues_ = false;       // the next newline does not end the statement
  std::vector<Parenthesis> parentheses_;
  ScriptFindings found_;
};

}  // namespace

ScriptFindings read_awk(std::string_view program) { return AwkReader(program).read(); }

std::optional<Problem> find_awk_option(std::string_view tool, const Words& words) {
  bool from_file = false;
  for (std::size_t i = 1; i < words.size() && words[i].size() > 1 && words[i].front() == '-' && words[i] != "--"; ++i) {
    const std::string& word = words[i];
    const auto begins = [&](std::string_view part) { return word.starts_with(part); };
    // Options that load program text from a file or a library.
    const bool is_file =
        any_listed("-f -i -l --file= --include= --load=", begins) || is_listed("--file --include --load", word);
    from_file = from_file || is_file;
    const bool is_read = is_listed("-e --source", word) && tool == "gawk" && !from_file;
    if (is_read || is_listed("-F -v -f -i -l --file --include --load --field-separator --assign", word)) {
      ++i;
    } else if (!is_file && !any_listed("-F -v --field-separator= --assign=", begins) &&
               !is_listed("--version --help -V -h --posix -P --csv -k -b -n -N -S --sandbox -r --re-interval -c "
                          "--traditional -O --optimize -s",
                          word)) {
      return Problem{i, "the option " + word + " of awk may contain program text, which is not read here",
                     "give the program as the first word"};
    }
  }
  return std::nullopt;
}

std::optional<Problem> check_awk(const ParsedCommand& reading) {
  for (std::size_t i = reading.first_replaced ? 0 : 1; i < reading.operands.size(); ++i) {
    if (i < reading.first_operand_behind_dashes && reading.operand(i).size() > 1 && reading.operand(i)[0] == '-') {
      return Problem{reading.operands[i], "awk's options come before its program", {}};
    }
    // Under the name awk, it may be gawk.
    if (std::any_of(std::begin(network_files), std::end(network_files),
                    [&](std::string_view name) { return reading.operand(i).starts_with(name); })) {
      return Problem{
          reading.operands[i], "gawk opens a connection to another machine for /inet, /inet4 and /inet6", {}};
    }
  }
  const auto located = find_script(reading);
  if (!located) return std::nullopt;
  const ScriptFindings script = read_awk(located->script);
  if (worst(script).empty()) return std::nullopt;
  return Problem{located->word, worst(script), "a program that only prints to its standard output is safe"};
}

}  // namespace wtool::policy::programs
