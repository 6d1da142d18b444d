#include "conformance/tests.h"

namespace wtool::host::conformance {

namespace {

constexpr Test all_tests[] = {
    {"load", "opens the library and reads its entry", TestStage::load, test_load},
    {"describe", "reads the descriptors and their schemas", TestStage::describe, test_describe},
    {"start", "init, tool_new and destroy of each tool, deinit", TestStage::start, test_start},
    {"order", "init twice, tools before init and after deinit, init again", TestStage::plugin, test_order},
    {"hosts", "no host, a host that is too small, a host that is larger", TestStage::plugin, test_hosts},
    {"unknown-tool", "ids that are not listed", TestStage::plugin, test_unknown_tool},
    {"configuration", "configurations that are not JSON objects", TestStage::plugin, test_configuration},
    {"control-threads", "each control function on a thread of its own", TestStage::plugin, test_control_threads},
    {"exit", "the host ends with exit() after deinit", TestStage::plugin, test_exit},
    {"exit-early", "the host and a forked child end with exit() without deinit", TestStage::plugin, test_exit_early},
    {"unload", "dlclose after deinit, and then exit()", TestStage::plugin, test_unload},
    {"call", "one call, and its result", TestStage::call, test_call},
    {"events", "order and thread of events", TestStage::tool, test_events},
    {"refusing-sink", "a sink that refuses every event", TestStage::tool, test_refusing_sink},
    {"cancel-before", "cancelled before it runs", TestStage::tool, test_cancel_before},
    {"cancel-during", "cancelled from another thread while it runs", TestStage::tool, test_cancel_during},
    {"cancel-waits", "cancelled while its sink blocks", TestStage::tool, test_cancel_waits},
    {"cancel-after", "cancelled after it has run, twice", TestStage::tool, test_cancel_after},
    {"run-twice", "run twice", TestStage::tool, test_run_twice},
    {"free-unrun", "freed without having run", TestStage::tool, test_free_unrun},
    {"null", "NULL where it is allowed, and where it is not", TestStage::tool, test_null},
    {"small-request", "requests that end in the middle", TestStage::tool, test_small_request},
    {"small-blob", "blobs that are too small", TestStage::tool, test_small_blob},
    {"large-structs", "requests and blobs that are larger than today's", TestStage::tool, test_large_structs},
    {"copied-request", "a request whose memory is gone before the call runs", TestStage::tool, test_copied_request},
    {"wrong-arguments", "arguments that the input schema excludes", TestStage::tool, test_wrong_arguments},
    {"garbage-arguments", "deep, long and broken arguments", TestStage::tool, test_garbage_arguments},
    {"threads", "calls on several threads at the same time", TestStage::tool, test_threads},
    {"stack", "a call on a small stack", TestStage::tool, test_stack},
    {"extensions", "unknown extensions", TestStage::tool, test_extensions},
    {"guest", "signals, directory, environment, limits and the like before and after", TestStage::tool, test_guest},
    {"repeated-calls", "descriptors, threads and children after calls", TestStage::tool, test_repeated_calls},
    {"memory", "memory after many calls", TestStage::tool, test_memory},
};

}  // namespace

std::span<const Test> tests() { return all_tests; }

}  // namespace wtool::host::conformance
