// Fuzzes base/config/config.h. The input is a configuration file. Whatever the bytes are, they are read quickly; a
// mistake is described in words, with the file's name; and an accepted configuration is JSON, which means the same when
// it is read again as a file.
// One input in: 100
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/config/config.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "fuzz/require.h"

using wtool::test::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::string error;
  const std::optional<std::string> json = wtool::parse_config(text, "fuzz.yaml", "/folder", error);
  require(json.has_value() == error.empty());
  if (!json) {
    require(error.find("fuzz.yaml") != std::string::npos);
    return 0;
  }
  require(wtool::parse_json(*json).is_object());
  // The JSON may be longer than a file is allowed to be, or have a longer key than YAML can have on one line.
  if (json->size() > 1000) return 0;
  const std::optional<std::string> again = wtool::parse_config(*json, "again.yaml", "/elsewhere", error);
  require(again == json);
  return 0;
}
