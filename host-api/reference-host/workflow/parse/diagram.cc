#include "workflow/parse/parser.h"

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "base/edit_distance.h"
#include "base/text.h"
#include "workflow/legacy/legacy.h"
#include "workflow/model/diagnostics.h"
#include "workflow/parse/diagram_parts.h"

namespace wtool::host::workflow {
namespace {

constexpr std::string_view allowed =
    "a line of the diagram is `A --> B`, `A --> B: condition`, `A: description`, `state \"text\" as A`, "
    "`state A <<choice>>`, `state A {`, a note, `direction`, or a %% comment";

// The first words of lines that change only the look of the diagram.
constexpr std::array<std::string_view, 8> presentation = {"classDef", "class", "style",     "accTitle",
                                                          "accDescr", "title", "linkStyle", "click"};

bool starts_with_word(std::string_view line, std::string_view word) {
  return line.starts_with(word) && (line.size() == word.size() || line[word.size()] == ' ' ||
                                    line[word.size()] == '\t' || line[word.size()] == ':');
}

// Whether mermaid allows this name of a state: no blanks, no colon, nothing that is syntax.
bool is_state_id(std::string_view text) {
  if (text.empty() || text == "--") return false;
  return text.find_first_of(" \t:\"{}[]<>;%") == std::string_view::npos;
}

// The line without a comment at its end. Quoted text contains no comments.
std::string_view without_comment(std::string_view line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"') {
      quote = c;
    } else if (line.substr(i).starts_with("%%") && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
      return trim(line.substr(0, i));
    }
  }
  return line;
}

// Arrows of other notations, and arrows whose plain signs a program has replaced by typographic ones.
constexpr std::array<std::string_view, 13> wrong_arrows = {
    "--->", "==>", "=>", "-.->", "\u2013>", "\u2014>", "-\u2013", "\u2192", "\u27f6", "\u21d2", "- ->", "-- >", "->"};

// The wrong arrow in a line; empty: the line has none.
std::string_view wrong_arrow(std::string_view line) {
  for (const std::string_view arrow : wrong_arrows) {
    if (const std::size_t at = line.find(arrow); at != std::string_view::npos) return line.substr(at, arrow.size());
  }
  return {};
}

class DiagramReader {
 public:
  DiagramReader(const Source& source, LineRange lines, Workflow& workflow, Diagnostics& diagnostics)
      : source_(source),
        lines_(lines),
        workflow_(workflow),
        diagnostics_(diagnostics),
        composites_(workflow, diagnostics) {}

  void read() {
    // Most lines are arrows to a state that is new. A state is too large to be moved about, but not all lines of a long
    // diagram need be states.
    workflow_.states.reserve(workflow_.states.size() + std::min<std::size_t>(lines_.end - lines_.begin, 1000));
    for (std::size_t i = lines_.begin + 1; i < lines_.end; ++i) {
      const std::string_view line = without_comment(trim(source_.line(i)));
      if (line.empty()) continue;
      if (in_note_) {
        in_note_ = !(starts_with_word(lowered(line), "end note"));
        continue;
      }
      read_line(line);
    }
    composites_.finish();
    for (const auto& [index, lines] : descriptions_) read_descriptions(index, lines, workflow_, diagnostics_);
    if (workflow_.states.empty()) diagnostics_.add(source_.line_start(lines_.begin), "the diagram has no states");
    if (in_note_) diagnostics_.add(note_offset_, "this note is not closed by a line `end note`");
  }

 private:
  std::size_t offset(std::string_view part) const {
    return static_cast<std::size_t>(part.data() - source_.text().data());
  }
  void fail(std::string_view at, std::string message) { diagnostics_.add(offset(at), std::move(message)); }

  // Reports a line and skips it. Notes the names in the line, so that no check reports them as further mistakes.
  void lose(std::string_view line, std::string_view at, std::string message) {
    fail(at, std::move(message));
    workflow_.diagram_unread = true;
    constexpr std::string_view ends = " \t:\"{}[]<>;%";
    for (std::size_t i = line.find_first_not_of(ends); i != std::string_view::npos;) {
      const std::size_t end = std::min(line.find_first_of(ends, i), line.size());
      workflow_.ambiguous_states.insert(std::string(line.substr(i, end - i)));
      workflow_.ambiguous_names.insert(std::string(line.substr(i, end - i)));
      i = line.find_first_not_of(ends, end);
    }
  }

  void not_understood(std::string_view line) {
    if (const std::string_view arrow = wrong_arrow(line); !arrow.empty()) {
      const std::size_t at = line.find(arrow);
      const std::string repaired =
          std::string(trim(line.substr(0, at))) + " --> " + std::string(trim(line.substr(at + arrow.size())));
      return lose(line, line.substr(at), "an arrow is written -->, as in `" + repaired + "`");
    }
    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::string_view names = trim(line.substr(0, colon));
    const std::size_t blank = std::min(names.find_first_of(" \t"), names.size());
    const std::string_view from = names.substr(0, blank);
    const std::string_view to = trim(names.substr(blank));
    if (!is_state_id(from) || !is_state_id(to)) {
      return lose(line, line, "this line is not understood; " + std::string(allowed));
    }
    lose(line, line,
         "this line is not understood; a transition is written `" + std::string(from) + " --> " + std::string(to) +
             std::string(line.substr(colon)) + "`");
  }

  void read_line(std::string_view line) {
    const std::size_t arrow = line.find("-->");
    const std::size_t colon = line.find(':');
    if (arrow != std::string_view::npos && (colon == std::string_view::npos || arrow < colon)) {
      return transition(line, arrow);
    }
    if (starts_with_word(line, "state") && !starts_with_word(line, "state:") && line.size() > 5 && line[5] != ':') {
      return declaration(line);
    }
    if (starts_with_word(line, "note") && line.size() > 4 && line[4] != ':') return note(line);
    if (starts_with_word(line, "direction")) {
      const std::string_view way = trim(line.substr(9));
      if (way == "TB" || way == "TD" || way == "BT" || way == "LR" || way == "RL") return;
      return fail(line, "direction must be TB, TD, BT, LR or RL");
    }
    for (const std::string_view word : presentation) {
      if (starts_with_word(line, word)) return;
    }
    if (line == "hide empty description" || starts_with_word(line, "scale")) return;
    if (line == "--") {
      if (composites_.divide(offset(line))) return;
      return fail(line, "-- divides the regions of a composite state, but this is not inside one");
    }
    if (line == "}") {
      if (composites_.close()) return;
      return fail(line, "this } closes nothing");
    }
    if (colon != std::string_view::npos) return description(line, colon);
    if (is_state_id(line) && wrong_arrow(line).empty()) return composites_.stands_here(state(line));
    not_understood(line);
  }

  // The index of the state. Makes the state if it is named for the first time.
  std::size_t state(std::string_view id) {
    const auto [found, is_new] = workflow_.index.try_emplace(std::string(id), workflow_.states.size());
    if (is_new) {
      workflow_.states.emplace_back();
      workflow_.states.back().id = std::string(id);
      workflow_.states.back().offset = offset(id);
    }
    return found->second;
  }

  // The state at one end of an arrow; no_state: [*]. Nothing, after a diagnostic: the text names no state.
  std::optional<std::size_t> end_of_arrow(std::string_view text, std::string_view line, const char* which) {
    if (const std::size_t style = text.find(":::"); style != std::string_view::npos) text = trim(text.substr(0, style));
    if (text == "[*]") return no_state;
    if (!is_state_id(text)) {
      std::string message = std::string("the state ") + which + " the arrow is missing";
      if (text == "[ ]" || text == "[]" || text == "(*)") {
        message = expressions::quoted_for_message(text) + " is not a state; the start and the end are written [*]";
      } else if (!text.empty()) {
        const std::string name = name_for(text);
        message = expressions::quoted_for_message(text) +
                  " cannot name a state: a name has no blanks and none of : \" { } [ ] < > ; %. Write " + name;
        if (text.find('"') == std::string_view::npos) {
          message += ", with a line `state \"" + std::string(text) + "\" as " + name + "` for the words";
        }
      }
      lose(line, text.empty() ? line : text, std::move(message));
      return std::nullopt;
    }
    return state(text);
  }

  // Makes a state's name from the words of a description: each word begins with a capital.
  static std::string name_for(std::string_view text) {
    std::string name;
    bool begins = true;
    for (const char c : text) {
      const bool kept = expressions::is_name_character(c);
      if (kept) name += begins ? upper(c) : c;
      begins = !kept;
    }
    return name.empty() ? "State" : name;
  }

  void transition(std::string_view line, std::size_t arrow) {
    if (arrow > 0 && line[arrow - 1] == '-') return not_understood(line);
    const std::string_view from_text = trim(line.substr(0, arrow));
    std::string_view rest = line.substr(arrow + 3);
    if (const std::string repair = repaired(from_text, trim(rest)); !repair.empty()) return lose(line, rest, repair);
    std::string_view label;
    const std::size_t from_colon = label_colon(rest);
    const bool has_label = from_colon != std::string_view::npos;
    if (has_label) {
      label = trim(rest.substr(from_colon + 1));
      rest = rest.substr(0, from_colon);
    }
    const auto from = end_of_arrow(from_text, line, "before");
    const auto to = end_of_arrow(trim(rest), line, "after");
    if (!from || !to) return;
    Transition made;
    made.offset = offset(line);
    made.target = *to;
    made.label = std::string(label);
    made.label_offset = label.empty() ? made.offset : offset(label);
    if (has_label && label.empty()) return lose(line, line, "a condition is missing after the colon");
    read_condition(made, diagnostics_);
    if (*from == no_state) return start(line, *to, made);
    if (*to == no_state) made.target = composites_.end();
    if (made.target != no_state) workflow_.states[made.target].entered = true;
    composites_.stands_here(*from);
    workflow_.states[*from].exits.push_back(std::move(made));
  }

  // What is wrong with an arrow of another notation, and how to write it. Empty: nothing is wrong with it.
  static std::string repaired(std::string_view from, std::string_view rest) {
    const std::string arrow = "`" + std::string(from) + " --> ";
    const std::size_t bar = rest.starts_with('|') ? rest.find('|', 1) : std::string_view::npos;
    if (bar != std::string_view::npos) {
      return "a condition follows a colon; write " + arrow + std::string(trim(rest.substr(bar + 1))) + ": " +
             std::string(trim(rest.substr(1, bar - 1))) + "`";
    }
    const std::string_view states = trim(rest.substr(0, label_colon(rest)));
    if (const std::size_t second = states.find("-->"); second != std::string_view::npos) {
      const std::string middle(trim(states.substr(0, second)));
      return "a line has one arrow; write " + arrow + middle + "` and `" + middle + " --> " +
             std::string(trim(states.substr(second + 3))) + "` on two lines";
    }
    if (const std::size_t comma = states.find(", "); comma != std::string_view::npos) {
      return "an arrow leads to one state; write one line for each, such as " + arrow +
             std::string(trim(states.substr(0, comma))) + "`, from a state that is a <<choice>> or a <<fork>>";
    }
    return "";
  }

  // The place of the colon before the label; npos: there is no label. (`:::name` after a state is a style.)
  static std::size_t label_colon(std::string_view text) {
    std::size_t at = text.find(':');
    while (at != std::string_view::npos && text.substr(at).starts_with(":::")) at = text.find(':', at + 3);
    return at;
  }

  void start(std::string_view line, std::size_t target, const Transition& made) {
    if (target == no_state) return fail(line, "a diagram cannot lead from its start straight to its end");
    if (made.kind != Transition::Kind::unconditional) {
      return diagnostics_.add(made.label_offset,
                              "the arrow from the start must not have a condition; begin with a <<choice>>");
    }
    workflow_.states[target].entered = true;
    composites_.stands_here(target);
    if (composites_.inside()) return composites_.start(target, offset(line));
    if (workflow_.start == no_state) {
      workflow_.start = target;
    } else {
      fail(line, "this is a second start; the first start leads to '" + workflow_.states[workflow_.start].id + "'");
    }
  }

  // Reads `state A`, `state "text" as A` or `state A <<choice>>`. With {, it begins a composite state.
  void declaration(std::string_view line) {
    std::string_view rest = trim(line.substr(5));
    const bool opens = rest.ends_with("{");
    if (opens) rest = trim(rest.substr(0, rest.size() - 1));
    std::optional<std::size_t> declared;
    if (rest.starts_with('"')) {
      declared = titled(line, rest);
    } else if (const auto mark = kind_mark(rest)) {
      declared = marked(line, rest, *mark);
    } else if (const std::size_t colon = rest.find(':'); colon != std::string_view::npos && !opens) {
      return description(rest, colon);
    } else if (is_state_id(rest)) {
      declared = state(rest);
    } else {
      not_understood(line);
    }
    if (declared) composites_.stands_here(*declared);
    if (!opens) return;
    // A block is opened even if its state was not understood, because a `}` will close it.
    composites_.open(declared ? *declared : state(line), offset(line));
  }

  std::optional<std::size_t> titled(std::string_view line, std::string_view rest) {
    const std::size_t close = rest.find('"', 1);
    const std::string_view behind = close == std::string_view::npos ? "" : trim(rest.substr(close + 1));
    const std::string_view id = starts_with_word(behind, "as") ? trim(behind.substr(2)) : std::string_view();
    if (!is_state_id(id)) {
      fail(line, "this line must have the form `state \"text\" as Name`");
      return std::nullopt;
    }
    const std::size_t made = state(id);
    workflow_.states[made].description = std::string(rest.substr(1, close - 1));
    return made;
  }

  // Where `<<kind>>` or `[[kind]]` begins.
  static std::optional<std::size_t> kind_mark(std::string_view rest) {
    for (const auto& [open, close] : {std::pair("<<", ">>"), std::pair("[[", "]]")}) {
      const std::size_t mark = rest.find(open);
      if (mark != std::string_view::npos && rest.ends_with(close)) return mark;
    }
    return std::nullopt;
  }

  std::optional<std::size_t> marked(std::string_view line, std::string_view rest, std::size_t mark) {
    const std::string_view id = trim(rest.substr(0, mark));
    const std::string kind = lowered(trim(rest.substr(mark + 2, rest.size() - mark - 4)));
    if (!is_state_id(id)) {
      fail(line, "the name of the state is missing before " + std::string(rest.substr(mark)));
      return std::nullopt;
    }
    const std::size_t made = state(id);
    State& declared = workflow_.states[made];
    if (kind == "choice") {
      declared.kind = State::Kind::choice;
    } else if (kind == "fork") {
      declared.kind = State::Kind::fork;
    } else if (kind == "join") {
      declared.kind = State::Kind::join;
    } else {
      fail(rest.substr(mark), "unknown kind of state " + std::string(rest.substr(mark)) +
                                  question_then(did_you_mean(kind, {"choice", "fork", "join"}),
                                                "the kinds are <<choice>>, <<fork>> and <<join>>"));
    }
    return made;
  }

  void description(std::string_view line, std::size_t colon) {
    const std::string_view id = trim(line.substr(0, colon));
    if (!is_state_id(id) || !wrong_arrow(id).empty()) return not_understood(line);
    const std::size_t described = state(id);
    composites_.stands_here(described);
    std::string_view text = line.substr(colon + 1);
    if (line.substr(colon).starts_with(":::") || trim(text).empty()) return;
    if (text.starts_with(' ')) text.remove_prefix(1);
    descriptions_[described].push_back({text, offset(text)});
  }

  // `note right of A: text` is one line; without the colon the note continues to `end note`.
  void note(std::string_view line) {
    const std::string_view rest = trim(line.substr(4));
    const std::string words = lowered(rest);
    for (const std::string_view side : {"right of", "left of", "over"}) {
      if (!starts_with_word(words, side)) continue;
      in_note_ = rest.find(':') == std::string_view::npos;
      note_offset_ = offset(line);
      return;
    }
    if (rest.starts_with('"')) return;
    fail(line, "a note is written `note right of State: text`, or over several lines up to `end note`");
  }

  const Source& source_;
  LineRange lines_;
  Workflow& workflow_;
  Diagnostics& diagnostics_;
  bool in_note_ = false;
  std::size_t note_offset_ = 0;
  Composites composites_;
  std::map<std::size_t, std::vector<DescriptionLine>> descriptions_;  // by state
};

}  // namespace

void read_diagram(const Source& source, LineRange lines, Workflow& workflow, Diagnostics& diagnostics) {
  DiagramReader(source, lines, workflow, diagnostics).read();
}

}  // namespace wtool::host::workflow
