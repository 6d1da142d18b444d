// Fuzzes RecordReader of journal/record.h. The input is the journal of a run. Whatever the bytes are, they are read
// quickly; a line that is not a record is reported as such; and no two steps of the run have the same place.
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
