// The tool output_read: shows parts of a command's output, by the number that a result has named.
//
// - Offsets count the bytes of one stream, so that any part that was cut can be read without a gap.
// - An answer has at most as many bytes as a result shows of one stream, and its last line says where to continue.
// - An answer ends after a whole line if more of the output follows. If that is not possible, its last line says so.
#pragma once

#include <cstddef>

#include "mcp/output_store.h"
#include "mcp/server_tools.h"

namespace wtool::host::mcp {

// Borrows the store.
ServerTool output_read_tool(const OutputStore& store, std::size_t output_bytes);

}  // namespace wtool::host::mcp
