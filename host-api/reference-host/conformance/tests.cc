#include "conformance/tests.h"

namespace wtool::host::conformance {

namespace {

constexpr Test all_tests[] = {
    {"load", "opens the library and reads its entry", Stage::load, test_load},
    {"describe", "reads the descriptors and their schemas", Stage::describe, test_describe},
    {"start", "init, tool_new and destroy of each tool, deinit", Stage::start, test_start},
    {"order", "init twice, tools before init and after deinit, init again", Stage::plugin, test_order},
    {"hosts", "no host, a host that is too small, a host that is larger", Stage::plugin, test_hosts},
    {"unknown-tool", "ids that are not listed", Stage::plugin, test_unknown_tool},
    {"configuration", "configurations that are no JSON object", Stage::plugin, test_configuration},
    {"control-threads", "each control function on a thread of its own", Stage::plugin, test_control_threads},
    {"exit", "the host ends with exit() after deinit", Stage::plugin, test_exit},
    {"unload", "dlclose after deinit, and then exit()", Stage::plugin, test_unload},
    {"call", "one call, and its result", Stage::call, test_call},
    {"events", "order and thread of events", Stage::tool, test_events},
    {"refusing-sink", "a sink that refuses every event", Stage::tool, test_refusing_sink},
    {"cancel-before", "cancelled before it runs", Stage::tool, test_cancel_before},
    {"cancel-during", "cancelled from another thread while it runs", Stage::tool, test_cancel_during},
    {"cancel-waits", "cancelled while its sink blocks", Stage::tool, test_cancel_waits},
    {"cancel-after", "cancelled after it has run, twice", Stage::tool, test_cancel_after},
    {"run-twice", "run twice", Stage::tool, test_run_twice},
    {"free-unrun", "freed without having run", Stage::tool, test_free_unrun},
    {"null", "NULL where it is allowed, and where it is not", Stage::tool, test_null},
    {"small-request", "requests that end in the middle", Stage::tool, test_small_request},
    {"small-blob", "blobs that are too small", Stage::tool, test_small_blob},
    {"large-structs", "requests and blobs that are larger than today's", Stage::tool, test_large_structs},
    {"copied-request", "a request that is overwritten before the call runs", Stage::tool, test_copied_request},
    {"wrong-arguments", "arguments that the input schema excludes", Stage::tool, test_wrong_arguments},
    {"garbage-arguments", "deep, long and broken arguments", Stage::tool, test_garbage_arguments},
    {"threads", "calls on several threads at once", Stage::tool, test_threads},
    {"stack", "a call on a small stack", Stage::tool, test_stack},
    {"extensions", "extensions that nobody has", Stage::tool, test_extensions},
    {"guest", "signals, directory, environment, limits and the like before and after", Stage::tool, test_guest},
    {"repeated-calls", "descriptors, threads and children after calls", Stage::tool, test_repeated_calls},
    {"memory", "memory after many calls", Stage::tool, test_memory},
};

}  // namespace

std::span<const Test> tests() { return all_tests; }

}  // namespace wtool::host::conformance
