// Everything about a process that a plugin in it must not change, as named lines of text, so that two snapshots can be
// compared and the difference can be read.
#pragma once

#include <map>
#include <string>

namespace wtool::test {

// A snapshot of the calling process: descriptors with their targets and flags, threads, children, dispositions of all
// signals, masks, directory, environment, umask, limits, session and group, locale, and prctl settings. Not for a busy
// process: the snapshot is not taken at one instant.
std::map<std::string, std::string> snapshot();

// "name: before -> after" for each that differs, one a line; empty when all are the same.
std::string difference(const std::map<std::string, std::string>& before,
                       const std::map<std::string, std::string>& after);

}  // namespace wtool::test
