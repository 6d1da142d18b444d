// Fuzzes RecordReader of journal/record.h. The input is the journal of a run. Whatever the bytes are, it is read, soon;
// a line that is no record is said to be none; and no two steps of the run have the same place.
// Sources: host-api/reference-host/journal/json_value.cc host-api/reference-host/journal/record.cc
// Sources: host-api/reference-host/journal/record_reader.cc host-api/reference-host/journal/run_record.cc
// Sources: host-api/reference-host/runner/outcome.cc host-api/reference-host/terminal/text.cc
// Sources: host-api/reference-host/workflow/*/*.cc host-api/reference-host/expressions/*.cc
// Sources: host-api/base/config/yaml_mistake.cc host-api/base/edit_distance.cc host-api/base/files.cc
// Sources: host-api/base/json.cc host-api/base/json_reader.cc host-api/base/json_schema.cc host-api/base/json_text.cc
// Sources: host-api/base/secrets/*.cc host-api/base/sha256.cc
// Sources: host-api/base/ordered_json.cc host-api/base/shell_quote.cc host-api/base/stop.cc host-api/base/time_text.cc
// Sources: host-api/base/utf8.cc
// Libraries: yaml-cpp md4c re2 md
// One input in: 30
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "base/json_reader.h"
#include "fuzz/require.h"
#include "journal/record.h"

using wtool::test::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wtool::host::journal;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  RecordReader reader;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() + (line.size() < text.size() ? 1 : 0));
    const bool is_record = wtool::parse_json(line).is_object();
    require(is_record || !reader.take(line).empty());
    if (is_record) reader.take(line);
  }
  const RunRecord run = reader.finish();
  std::set<std::pair<std::string, std::uint64_t>> places;
  for (const StepRecord& step : run.steps) {
    require(places.emplace(step.place.branch, step.place.sequence).second);
    require(follows(step.place, step.place));
    branch_name(step.place.branch);
    parent_of(step.place.branch);
  }
  return 0;
}
