// The tool output_read: parts of the output of a command of this server, by the number that a result has named.
//
// - Offsets are bytes of one stream, so that any cut part can be read without a gap.
// - An answer has at most as many bytes as a stream in a result, and its last line says where to continue.
#pragma once

#include <cstddef>

#include "mcp/output_store.h"
#include "mcp/server_tools.h"

namespace wtool::host::mcp {

// Borrows the store.
ServerTool output_read_tool(const OutputStore& store, std::size_t output_bytes);

}  // namespace wtool::host::mcp
