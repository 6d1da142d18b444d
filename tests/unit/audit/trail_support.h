// What the tests of the audit trail share: a folder with a trail, and a check of the chain that relies only on the
// description of the format.
#pragma once

#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "audit/trail.h"
#include "base/audit_trail.h"
#include "base/sha256.h"
#include "support/program.h"
#include "support/text.h"

namespace wtool::test {

using nlohmann::ordered_json;

inline void put(const std::string& path, const std::string& bytes) {
  // Some file systems write a file to the disk immediately when it is made shorter and closed again. That is slow, so
  // the file is removed first.
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << bytes;
}

inline const std::string no_hash(64, '0');

// The lines of a text that form one chain, parsed. Lines that are not JSON are left out: they are torn.
inline std::vector<ordered_json> chained(const std::string& text, std::string prev = no_hash, std::uint64_t seq = 0) {
  std::vector<ordered_json> events;
  for (const std::string& line : lines_of(text)) {
    const ordered_json event = ordered_json::parse(line, nullptr, false);
    if (event.is_discarded()) continue;
    BOOST_TEST_CONTEXT(line.substr(0, 300)) {
      const std::size_t end = line.rfind(",\"hash\":");
      BOOST_REQUIRE(end != std::string::npos);
      BOOST_TEST(event.at("seq").get<std::uint64_t>() == ++seq);
      BOOST_TEST(event.at("prev").get<std::string>() == prev);
      prev = event.at("hash").get<std::string>();
      BOOST_TEST(prev == sha256(line.substr(0, end)));
    }
    events.push_back(event);
  }
  return events;
}

struct TrailFolder {
  ScratchFolder scratch;
  std::string folder = scratch.path();
  std::string file = folder + "/audit.jsonl";
  audit::TrailOptions options = [this] {
    audit::TrailOptions all;
    all.file = file;
    return all;
  }();

  // Writes one event of the call. Returns why it could not be written; empty: it was written.
  std::string write(const std::string& call) const { return audit::Trail(options).write("start", {{"call", call}}); }
  void write_all(int count) const {
    for (int i = 0; i < count; ++i) BOOST_REQUIRE(write("call-" + std::to_string(i)) == "");
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) all.push_back(entry.path().filename());
    std::sort(all.begin(), all.end());
    return all;
  }
  static unsigned mode(const std::string& path) {
    struct stat about {};
    BOOST_REQUIRE(::stat(path.c_str(), &about) == 0);
    return about.st_mode & 07777U;
  }
};

// Checks that a sentence has this part.
inline void check_says(const std::string& sentence, const std::string& part) {
  BOOST_TEST(sentence.find(part) != std::string::npos, '"' << sentence << "\" does not say \"" << part << '"');
}

}  // namespace wtool::test
