// The JSON Schema of a configuration file, made from the table of keys.
#pragma once

#include "base/json.h"

namespace wtool {

// A schema (2020-12) for the files wtool.yaml, with keywords that older drafts have, too. Each file that parse_layer()
// accepts is valid. Some files that are valid are refused all the same: the schema does not know which programs are
// literal words, which memory sizes Slurm reads, and which names of classes exist.
nlohmann::ordered_json config_schema();

}  // namespace wtool
