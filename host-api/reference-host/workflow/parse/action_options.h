// Reads the options of an action, in any order: timeout=60, result="name", retry=3, backoff=2s..60s, total_timeout=600,
// on failure: State, secret, matrix={...}.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/parse/action_cursor.h"

namespace wtool::host::workflow {

inline constexpr std::int64_t max_retries = 100;
inline constexpr std::size_t max_combinations = 1000;  // of a matrix

class OptionReader {
 public:
  enum class Outcome {
    none,    // what comes next is no option; nothing was taken
    taken,   // it was read
    failed,  // it is an option, and a diagnostic says what is wrong with it
  };

  // `has_timeout`: whether `timeout` is an option of this action.
  OptionReader(ActionCursor& cursor, Diagnostics& diagnostics, bool has_timeout = true)
      : cursor_(cursor), diagnostics_(diagnostics), has_timeout_(has_timeout) {}

  Outcome take(Options& out);

  // The name before the next `=`, as options are called: in lower case, a hyphen as an underscore. Takes nothing.
  std::string peek_name() const;
  // Says that an option was given a second time.
  void note(const std::string& name, std::size_t at);

  std::vector<std::string> names() const;

 private:
  bool read(const std::string& name, Options& out);
  bool timeout(std::optional<TemplateText>& out);
  bool result(Options& out);
  bool retry(Options& out);
  bool backoff(Options& out);
  bool on_failure(Options& out);
  bool secret(Options& out);
  bool matrix(Options& out);

  ActionCursor& cursor_;
  Diagnostics& diagnostics_;
  bool has_timeout_;
  std::set<std::string> seen_;
};

}  // namespace wtool::host::workflow
