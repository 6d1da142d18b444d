// Reads the options of an action, in any order: timeout=60, result="name", retry=3, backoff=2s..60s, total_timeout=600,
// on failure: State, secret, lock="name", on="cluster", slot="big", sandbox="read-only", network=deny, memory=1G,
// cpu=60s, processes=50, inputs=[...], outputs=[...], cache=true, keep=[...], matrix={...}, output={...}, ask_again=2,
// max=5. Also reads the name=value pairs for prompts and for other workflows.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/parse/action_cursor.h"

namespace wtool::host::workflow {

inline constexpr std::int64_t max_retries = 100;
inline constexpr std::int64_t max_asked_again = 20;
inline constexpr std::int64_t max_visits_allowed = 10'000'000;

// Reads how many further tries there may be: a whole number from 0 to max_retries. False: the text is not such a number;
// `out` may have another value then.
bool read_retries(std::string_view text, std::int64_t& out);

// The question whether another option or key was meant by `name`: one of `known` that is similar, or the one for which
// other programs use this word, such as retry for retries. Empty: none.
std::string option_meant(const std::string& name, const std::vector<std::string>& known);

class OptionReader {
 public:
  enum class Result {
    none,    // what comes next is not an option; nothing was taken
    taken,   // an option was read
    failed,  // an option comes next, and a diagnostic says what is wrong with it
  };

  // `has_timeout`: whether `timeout` is an option of this action.
  OptionReader(ActionCursor& cursor, Diagnostics& diagnostics, bool has_timeout = true)
      : cursor_(cursor), diagnostics_(diagnostics), has_timeout_(has_timeout) {}

  Result take(ActionOptions& out);

  // The next word in the form of option names: in lower case, with `_` for `-`; on_failure for `on failure`. Takes
  // nothing.
  std::string peek_name() const;
  // Notes that an option was given, and reports it if it was given before.
  void note(const std::string& name, std::size_t at);

  const std::vector<std::string>& names() const;
  // The options that were given so far.
  const std::set<std::string>& seen() const { return seen_; }

 private:
  struct Option;
  // All options, with `with`, which may come before them.
  static std::span<const Option> all();
  // nullptr: no option has this name.
  static const Option* find(std::string_view name);

  bool timeout(std::optional<TemplateText>& out);
  bool result(ActionOptions& out);
  bool retry(ActionOptions& out);
  bool backoff(ActionOptions& out);
  bool on_failure(ActionOptions& out);
  bool secret(ActionOptions& out);
  bool lock(ActionOptions& out);
  bool limit(std::string_view name, ActionOptions& out);
  bool cache(CacheOptions& out);
  // inputs and outputs: `files` is the member of `out` that gets the list.
  bool cached_files(std::shared_ptr<const nlohmann::json>& files, CacheOptions& out);
  bool keep(ActionOptions& out);
  bool matrix(ActionOptions& out);
  bool number(const std::string& name, std::int64_t least, std::int64_t most, std::optional<std::int64_t>& out);
  // True if `name`, which comes next, is an argument here: output="x" and max="5" are arguments, not options.
  bool is_argument(const std::string& name) const;

  ActionCursor& cursor_;
  Diagnostics& diagnostics_;
  bool has_timeout_;
  std::set<std::string> seen_;
};

// Takes the value of `on` or `slot`, with or without quotes. False: a diagnostic says why.
bool take_on(ActionCursor& cursor, Diagnostics& diagnostics, NamedPlace& out);
bool take_slot(ActionCursor& cursor, Diagnostics& diagnostics, NamedPlace& out);

// True for the options that set limits: sandbox, network, memory, cpu and processes.
bool is_limit(std::string_view name);
// Takes the value of such an option. False: a diagnostic says why.
bool take_limit(ActionCursor& cursor, Diagnostics& diagnostics, std::string_view name, PlaceOptions& out);

// ---- typed_output.cc

// Takes the value of `output`: a JSON Schema, or the short form from which one is made. False: a diagnostic says why.
bool take_output(ActionCursor& cursor, Diagnostics& diagnostics, ActionOptions& out);

// ---- action_arguments.cc: the name=value pairs.

// Takes the next value: a text in quotes, a number, true or false, or one placeholder without quotes. Nothing after a
// diagnostic, which says that `what` was expected.
std::optional<std::variant<expressions::Value, TemplateText>> take_value(ActionCursor& cursor, Diagnostics& diagnostics,
                                                                         const std::string& what);

// Takes the rest of an action: pairs, some of them perhaps in `{% if ... %} ... {% endif %}`, and options in between.
// False: a diagnostic says why.
bool take_arguments(ActionCursor& cursor, OptionReader& options, ActionOptions& read_options,
                    std::vector<Argument>& arguments, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
