// What is wrong with a workflow file, or strange about it: errors and warnings with their places.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "workflow/model/source.h"

namespace wtool::host::workflow {

inline constexpr std::size_t max_diagnostics_shown = 100;
// Diagnostics beyond this number are only counted: nobody reads 20,000 of them for one file.
inline constexpr std::size_t max_diagnostics_kept = 20'000;

struct Diagnostic {
  enum class Severity {
    error,    // the workflow cannot be run
    warning,  // it can be run, but probably does not do what was meant
  };
  std::size_t offset = 0;
  Severity severity = Severity::error;
  std::string message;     // one sentence or two, without the place
  std::string suggestion;  // the nearest name, or the line to write instead; empty: no suggestion
  bool operator==(const Diagnostic&) const = default;
};

struct PlacedDiagnostic {
  Position position;
  Diagnostic diagnostic;
};

// All diagnostics, in any order. Only the first max_diagnostics_kept are kept; the others are counted.
class Diagnostics {
 public:
  // If `suggestion` is empty, the name that did_you_mean() (base/edit_distance.h) has put into the message becomes the
  // suggestion.
  void add(std::size_t offset, std::string message, std::string suggestion = "");
  void warn(std::size_t offset, std::string message, std::string suggestion = "");
  // True if there are no errors, even if there are warnings.
  bool empty() const { return errors_ == 0; }
  // How many errors there are.
  std::size_t size() const { return errors_; }
  // The number of errors and warnings.
  std::size_t count() const { return entries_.size() + dropped_errors_ + dropped_warnings_; }
  // How many errors are not kept.
  std::size_t dropped_errors() const { return dropped_errors_; }
  std::size_t dropped_warnings() const { return dropped_warnings_; }

  // The diagnostics that are kept, sorted by place, each once.
  std::vector<Diagnostic> sorted() const;

  // The same with lines and columns. Takes linear time, even if all diagnostics are in one line.
  std::vector<PlacedDiagnostic> placed(const Source& source) const;

  // One line for each, sorted by place: `FILE:LINE:COLUMN: error: MESSAGE` or `... warning: MESSAGE`. At most
  // `max_diagnostics_shown` of them, then the number of the others.
  std::string text(const Source& source) const;
  // The same, but each line is followed by the line of the file, with a caret below the place.
  std::string with_lines(const Source& source) const;

  // Adds all diagnostics of `more`.
  void add_all(const Diagnostics& more);

 private:
  std::string listed(const Source& source, bool lines) const;

  std::vector<Diagnostic> entries_;
  std::size_t errors_ = 0;
  std::size_t dropped_errors_ = 0;
  std::size_t dropped_warnings_ = 0;
};

}  // namespace wtool::host::workflow
