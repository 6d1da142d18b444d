// Lines for the tests that compare policy/words with shells: lines that must be accepted, others like them at random,
// and what of a line runs.
#pragma once

#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "policy/words.h"

namespace wtool::test::shell_lines {

// The programs of the lines. Some are keywords, which name programs when they are quoted; the first eight are not.
const std::vector<std::string>& programs();

// Lines that must be accepted. The generators make others like them.
const std::vector<std::string>& accepted_lines();

std::string random_line(std::mt19937& random);
std::string mutated(std::mt19937& random, std::string line);

// The here-document that is the command's standard input. Nothing: the last redirection of the input is not a
// here-document.
std::optional<std::string> input_of(const policy::SimpleCommand& command);

// The commands of the script, by their position, that a shell runs when every program exits with `status`: one pipeline
// after the other. Only commands for which `is_known` is true are there, and the others fail. Within a pipeline, the
// order in which they run is left to chance.
std::vector<std::vector<std::size_t>> pipelines_that_run(
    const policy::Script& script, int status, const std::function<bool(const policy::SimpleCommand&)>& is_known);

}  // namespace wtool::test::shell_lines
