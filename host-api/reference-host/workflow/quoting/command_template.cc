#include "workflow/quoting/command_template.h"

#include <algorithm>
#include <sstream>

#include "base/shell_quote.h"
#include "expressions/value.h"

namespace wtool::host::workflow {
namespace {

using expressions::ExpressionError;
using expressions::Filter;
using expressions::Placeholder;

// The text as a single-quoted word, without its outer quotes.
std::string inside_single_quotes(std::string_view text) {
  const std::string quoted = shell_quoted(text);
  return quoted.substr(1, quoted.size() - 2);
}

bool is_whole_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.size() <= 19 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

class Renderer {
 public:
  Renderer(const expressions::Expanded& command, const std::vector<Place>& places)
      : command_(command), places_(places) {}

  std::variant<std::string, ExpressionError> run() {
    out_ = command_.texts[0];
    for (std::size_t i = 0; i < command_.values.size(); ++i) {
      auto error = insert(i);
      if (error) return *error;
      out_ += command_.texts[i + 1];
    }
    if (out_.size() > max_command) return too_long();
    for (const Inserted& inserted : in_here_documents_) {
      if (auto error = check_here_document(inserted)) return *error;
    }
    return std::move(out_);
  }

 private:
  struct Inserted {
    std::size_t begin;
    std::size_t end;
    std::size_t index;
  };

  std::optional<ExpressionError> insert(std::size_t index) {
    const Placeholder& placeholder = *command_.values[index].placeholder;
    const Place& place = places_[index];
    std::string text = command_.values[index].text;
    if (text.find('\0') != std::string::npos) {
      return ExpressionError{placeholder.offset, "the value of " + placeholder.source +
                                                     " has a NUL byte, which no command line can contain"};
    }
    if (text.size() > largest_size_) {
      largest_size_ = text.size();
      largest_ = &placeholder;
    }
    const std::size_t begin = out_.size();
    if (placeholder.has(Filter::Kind::raw)) {
      out_ += text;
      return std::nullopt;
    }
    const bool is_word = placeholder.has(Filter::Kind::shell_quote);
    if (is_word) text = shell_quoted(text);
    switch (place.kind) {
      case Place::Kind::bare:
        out_ += is_word ? text : shell_quoted(text);
        break;
      case Place::Kind::single_quoted:
        out_ += inside_single_quotes(text);
        break;
      case Place::Kind::here_document:
        out_ += with_backslashes(text, "\\$`");
        break;
      case Place::Kind::double_quoted:
        // After "$name" the quotes are closed and opened again, so that the name ends there.
        out_ += place.after_variable ? "\"" + shell_quoted(text) + "\"" : with_backslashes(text, "\\$`\"");
        break;
      case Place::Kind::arithmetic:
      case Place::Kind::number:
        if (!is_whole_number(text)) {
          return ExpressionError{placeholder.offset, "the value of " + placeholder.source + ", " +
                                                         expressions::quoted_for_message(text) +
                                                         ", is used in shell arithmetic and is not a whole number"};
        }
        out_ += place.kind == Place::Kind::arithmetic && text.starts_with('-') ? "(" + text + ")" : text;
        break;
      case Place::Kind::refused:  // check_command has reported it
        return ExpressionError{placeholder.offset, placeholder.source + " cannot be put here: " + place.why};
    }
    if (!place.here_documents.empty()) {
      if (auto why = lost_in_here_document(text, place, begin)) {
        return ExpressionError{placeholder.offset, "the value of " + placeholder.source + " " + *why};
      }
      in_here_documents_.push_back({begin, out_.size(), index});
    }
    return std::nullopt;
  }

  // What a here-document would change in a value, even if the whole value is quoted. Nothing: it would change nothing.
  std::optional<std::string> lost_in_here_document(const std::string& text, const Place& place,
                                                   std::size_t begin) const {
    // Some shells join a line that ends with a backslash to the next one before they handle the quotes inside $( ).
    if (place.kind != Place::Kind::here_document && text.find("\\\n") != std::string::npos) {
      return "has a line that ends with a backslash, which $( ) in a here-document would lose; set a shell variable "
             "before the here-document, and use that variable";
    }
    const bool strips = std::any_of(place.here_documents.begin(), place.here_documents.end(),
                                    [](const HereDelimiter& delimiter) { return delimiter.strip_tabs; });
    const bool at_line_start = out_.find_last_not_of('\t', begin - 1) == std::string::npos ||
                               out_[out_.find_last_not_of('\t', begin - 1)] == '\n';
    if (strips && ((at_line_start && text.starts_with('\t')) || text.find("\n\t") != std::string::npos)) {
      return "has a line that begins with a tab, which <<- would remove; write << instead";
    }
    return std::nullopt;
  }

  // No line that contains a part of a value may be the one that ends the here-document.
  std::optional<ExpressionError> check_here_document(const Inserted& inserted) {
    const std::vector<HereDelimiter>& delimiters = places_[inserted.index].here_documents;
    // A loop may put very many values into one line, so lines that were checked are not checked again.
    const bool checked = checked_ != nullptr && *checked_ == delimiters && inserted.begin >= checked_begin_ &&
                         inserted.end <= checked_end_;
    if (checked) return std::nullopt;
    const std::size_t before = inserted.begin == 0 ? std::string::npos : out_.rfind('\n', inserted.begin - 1);
    std::size_t line = before == std::string::npos ? 0 : before + 1;
    const std::size_t last = std::min(out_.find('\n', inserted.end), out_.size());
    checked_ = &delimiters;
    checked_begin_ = line;
    checked_end_ = last;
    while (line <= last) {
      const std::size_t end = std::min(out_.find('\n', line), last);
      for (const HereDelimiter& delimiter : delimiters) {
        std::string_view content(out_.data() + line, end - line);
        if (delimiter.strip_tabs) content.remove_prefix(std::min(content.find_first_not_of('\t'), content.size()));
        if (content == delimiter.word) {
          const Placeholder& placeholder = *command_.values[inserted.index].placeholder;
          return ExpressionError{placeholder.offset, "the value of " + placeholder.source + " makes a line '" +
                                                         delimiter.word +
                                                         "', which would end the here-document; choose "
                                                         "another delimiter"};
        }
      }
      line = end + 1;
    }
    return std::nullopt;
  }

  ExpressionError too_long() const {
    std::string message = "the command is " + std::to_string(out_.size()) + " bytes long with its values; at most " +
                          std::to_string(max_command) + " can be passed to a shell";
    if (largest_ == nullptr) return {0, message};
    return {largest_->offset,
            message + ". The largest value is that of " + largest_->source + " (" + std::to_string(largest_size_) +
                " bytes); pass it in a file: the outcome of a step has the fields stdout_file and stderr_file"};
  }

  const expressions::Expanded& command_;
  const std::vector<Place>& places_;
  std::string out_;
  std::vector<Inserted> in_here_documents_;
  // The lines that were checked last, and the delimiters that they were checked against.
  const std::vector<HereDelimiter>* checked_ = nullptr;
  std::size_t checked_begin_ = 0;
  std::size_t checked_end_ = 0;
  const Placeholder* largest_ = nullptr;
  std::size_t largest_size_ = 0;
};

}  // namespace

bool check_command(const CommandText& command, Diagnostics& diagnostics) {
  bool good = true;
  const auto report = [&](std::size_t offset, const std::string& message) {
    good = false;
    diagnostics.add(command.written.locate(offset), message);
  };
  std::size_t size = 0;
  for (const std::string& text : command.parsed.texts) size += text.size();
  if (size > max_command && !command.parsed.has_tags()) {
    const char* const without = command.places.empty() ? "" : ", even without its values";
    report(0, "the command is " + std::to_string(size) + " bytes long" + without + "; at most " +
                  std::to_string(max_command) + " can be passed to a shell; put it into a script file");
  }
  for (std::size_t i = 0; i < command.places.size(); ++i) {
    const Placeholder& placeholder = command.parsed.placeholders[i];
    if (command.places[i].kind != Place::Kind::refused || placeholder.has(Filter::Kind::raw)) continue;
    report(placeholder.offset, placeholder.source + " cannot be put here: " + command.places[i].why);
  }
  return good;
}

std::optional<std::string> command_with_words(const CommandText& command) {
  if (command.parsed.has_tags()) return std::nullopt;
  expressions::Expanded words;
  words.texts = command.parsed.texts;
  for (const Placeholder& placeholder : command.parsed.placeholders) {
    if (placeholder.has(Filter::Kind::raw)) return std::nullopt;
    words.values.push_back({&placeholder, "1"});
  }
  auto rendered = Renderer(words, command.places).run();
  auto* text = std::get_if<std::string>(&rendered);
  return text == nullptr ? std::nullopt : std::optional(std::move(*text));
}

std::variant<std::string, ExpressionError> render_command(const CommandText& command, const expressions::Scope& scope) {
  auto expanded = expressions::expand(command.parsed, scope);
  if (auto* error = std::get_if<ExpressionError>(&expanded)) return std::move(*error);
  const auto& flat = std::get<expressions::Expanded>(expanded);
  if (!command.parsed.has_tags()) return Renderer(flat, command.places).run();
  return Renderer(flat, find_places(flat.texts)).run();
}

// ---- Which shell runs a command, with which options.

namespace {

constexpr std::string_view long_options =
    " allexport errexit ignoreeof noclobber noglob nolog nounset pipefail posix "
    "verbose xtrace errtrace functrace privileged physical braceexpand ";

bool is_long_option(const std::string& word) {
  return !word.empty() && word.find(' ') == std::string::npos &&
         long_options.find(" " + word + " ") != std::string_view::npos;
}

// `-eu`, `+e`, `-eo`: short options of sh and bash, except -n, -s and -t, with which the shell would not run the
// commands as they are written.
bool is_short_options(const std::string& word) {
  return word.size() > 1 && (word[0] == '-' || word[0] == '+') &&
         word.find_first_not_of("abefhuvxBCEHPTo", 1) == std::string::npos;
}

}  // namespace

std::string shell_of(const ShellAction& action, const Workflow& workflow) {
  return action.shell.name.empty() ? workflow.shell.name : action.shell.name;
}

std::string first_line_of(const ShellAction& action, const Workflow& workflow) {
  std::string options;
  if (action.shell_options) {
    options = *action.shell_options;
  } else if (!action.is_block) {
    return "";
  } else if (workflow.shell_options) {
    options = *workflow.shell_options;
  } else {
    options = shell_of(action, workflow) == "bash" ? "-eo pipefail" : "-e";
  }
  return options.empty() ? "" : "set " + options + "\n";
}

std::string problem_of_shell(const std::string& shell) {
  if (shell == "sh" || shell == "bash") return "";
  const bool is_path = shell.size() > 1 && shell[0] == '/' && std::all_of(shell.begin(), shell.end(), [](char c) {
                         return static_cast<unsigned char>(c) > 31;
                       });
  if (is_path) return "";
  return "a shell must be sh, bash or an absolute path such as /bin/dash; this is " +
         expressions::quoted_for_message(shell);
}

std::string read_shell_options(const std::string& written, std::string& options) {
  options.clear();
  if (written == "none") return "";
  std::istringstream words(written);
  for (std::string word; words >> word;) {
    const bool named = is_short_options(word) && word.back() == 'o';
    const bool known = is_short_options(word) && word.find('o') >= word.size() - 1;
    options += (options.empty() ? "" : " ") + word;
    if (known && !named) continue;
    std::string name;
    if (named && known && words >> name && is_long_option(name)) {
      options += " " + name;
      continue;
    }
    return "shell_options must be options of the shell's `set`, such as \"-eu\" or \"-e -o pipefail\", or `none`; " +
           expressions::quoted_for_message(name.empty() ? word : word + " " + name) + " is not such an option";
  }
  return "";
}

}  // namespace wtool::host::workflow
