// Reads the pieces of which actions are made: keywords, names, quoted texts, numbers, JSON. The member here() returns
// the place of the next piece in the source.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "workflow/model/diagnostics.h"
#include "workflow/model/source.h"

namespace wtool::host::workflow {

class ActionCursor {
 public:
  // `text` and `diagnostics` must outlive the cursor.
  ActionCursor(const MappedText& text, Diagnostics& diagnostics) : text_(text), diagnostics_(diagnostics) {}

  // The place in the source of what comes next, as an offset.
  std::size_t here() {
    skip_blanks();
    return text_.locate(at_);
  }
  bool at_end();
  void fail(std::string message) { diagnostics_.add(here(), std::move(message)); }

  // The next word in lower case ([A-Za-z_] and digits), without taking it; empty if there is no word here.
  std::string peek_word();
  // Takes the next word if it is `word`, in upper or lower case.
  bool take_word(std::string_view word);
  // Takes `symbol` if it comes next.
  bool take_symbol(char symbol);
  bool sees(char symbol);

  // Takes a variable's name; empty if no name begins here.
  std::string take_name();

  // A text in double quotes. \" \\ \n \t are escapes; any other backslash is kept. Nothing: there is no such text here,
  // and a diagnostic says that `what` is expected.
  std::optional<MappedText> take_quoted(const std::string& what);
  // The same for a text in double or single quotes. In single quotes, the escapes are \' \\ \n \t.
  std::optional<MappedText> take_text(const std::string& what);
  bool sees_text() { return sees('"') || sees('\''); }

  // Call it after a quoted text was taken. If something other than a blank directly follows the closing quote, reports
  // that the text contains a quote, or that its closing quote is missing. False: nothing of this kind follows.
  bool explain_quotes();

  // `${...}` or `{{ ... }}` without quotes, as it is written; nothing (and no diagnostic) if something else is here.
  std::optional<MappedText> take_placeholder();

  // `{% ... %}`, as it is written; nothing (and no diagnostic) if something else is here.
  std::optional<MappedText> take_tag();

  // Takes everything up to the next blank; may return an empty text.
  std::string take_to_blank();
  // Takes the rest of the text.
  MappedText take_rest();

  // A whole line `Words: text` below the action, such as `Store As: name`; nothing if something else is here. Such a
  // line is never a part of an action.
  std::optional<std::string> take_labelled_line();

  // Takes letters, digits, underscores, hyphens and dots; may return an empty text.
  std::string take_bare_word();

  // Takes a duration without quotes, such as 5m. If something else is here, takes everything up to the next blank, for
  // a message.
  std::string take_duration();

  // A number, true or false, without quotes; nothing (and no diagnostic) if something else is here.
  std::optional<std::string> take_bare_literal();

  // A JSON object; null after a diagnostic. `places` gets the place of each of its names in the source.
  std::shared_ptr<const nlohmann::json> take_json_object(std::map<std::string, std::size_t>* places = nullptr);

  // A JSON list of texts, none of them empty; null after a diagnostic. `example` is a text that the diagnostic shows.
  std::shared_ptr<const nlohmann::json> take_text_list(const std::string& example);

  // The rest of the line, quoted for a message, or "the end of the action".
  std::string rest_for_message();

 private:
  std::optional<MappedText> take_between(char quote);
  std::optional<MappedText> take_up_to(std::string_view open, std::string_view close);
  void skip_blanks();
  std::string_view rest() const { return std::string_view(text_.text()).substr(at_); }

  const MappedText& text_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
  std::size_t text_begin_ = 0;  // where the last quoted text begins and ends, with its quotes
  std::size_t text_end_ = 0;
};

}  // namespace wtool::host::workflow
