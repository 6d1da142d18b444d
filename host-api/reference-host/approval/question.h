// A question for a person: may this run? What is asked, and how it reads on a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace wtool::host {

// Valid as long as the plugin's own, which it is a copy of.
struct Question {
  std::uint64_t id = 0;
  std::string tool;
  std::string subject;  // JSON object: "command", "directory", "environment_names", and whatever else the plugin tells
  std::string reason;
  std::string fingerprint{};  // the same for the same command, directory and environment, and for nothing else
};

// The question as lines of text, all of it, however long. Nothing in it is invisible, controls the terminal or begins a
// line of its own: the command stands behind a bar, and is broken into lines of at most `columns` columns here, so that
// the terminal does not do it. `state`: that of a workflow which asks; empty: none is known.
std::string question_text(const Question& question, std::size_t columns, std::string_view state = {});

}  // namespace wtool::host
