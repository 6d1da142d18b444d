#include "conformance/rules.h"

#include <algorithm>

namespace wtool::host::conformance {

namespace {

constexpr Rule all_rules[] = {
    {"loads", "`dlopen` can open the library without anything else."},
    {"symbol", "The library exports the symbol `wtool_entry_v1`, which is data."},
    {"version", "`abi_major` is 1, as in the name of the symbol."},
    {"entry", "The entry has all of version 1.0: its size, no flags, its name and version, its five functions."},
    {"descriptor-list",
     "`tool_at` returns the same descriptor for an index each time, and `NULL` for an index from `tool_count` on."},
    {"descriptor-whole", "A descriptor has all of version 1.0, and each of its texts with a size has bytes."},
    {"descriptor-id",
     "An id has 1 to 100 characters, each of `a-z`, `0-9` and `_`. No other tool of the plugin has the same id."},
    {"descriptor-text",
     "Title, version and description are not empty, and are UTF-8. Versions are semantic (`1.0.0`)."},
    {"descriptor-hints", "The hints have only bits that the header defines."},
    {"input-schema", "The input schema is a JSON Schema 2020-12 of an object."},
    {"output-schema", "The output schema is a JSON Schema 2020-12, or empty."},
    {"schema-examples", "The `examples` and `default` values of a schema match the schema."},
    {"init", "`init` works with a host that offers no extension."},
    {"init-once", "A second `init` before `deinit` is refused."},
    {"init-again", "`init` works again after `deinit`."},
    {"deinit", "`deinit` returns, and undoes `init`."},
    {"tool-new", "`tool_new` makes each listed tool, with all its functions and its descriptor."},
    {"tool-between", "Before `init` and after `deinit`, `tool_new` is refused."},
    {"tool-unknown", "`tool_new` with an id that is not listed returns `WTOOL_E_UNSUPPORTED`."},
    {"configuration",
     "`tool_new` refuses a configuration that is not a JSON object (`WTOOL_E_INVALID_ARGUMENT`); an empty one means "
     "`{}`."},
    {"destroy", "`destroy` returns, and other tools still work."},
    {"null", "`NULL` is refused where a pointer is needed; `call_free`, `call_cancel` and `destroy` allow it."},
    {"size-small", "Nothing is read or written beyond `struct_size`; a struct that lacks a needed member is refused."},
    {"size-large", "A struct that is larger than the known one is accepted, and its unknown part is left alone."},
    {"outputs", "A function that fails leaves its outputs as they were, except for `error`."},
    {"error", "`error` is filled with one sentence in UTF-8, or not at all; where it is `NULL`, nothing is written."},
    {"blob", "A filled blob has bytes and a function `release`, which sets `release` to `NULL`; `reserved` stays 0."},
    {"call-run", "A call with valid arguments returns `WTOOL_OK`."},
    {"call-once", "A call runs once; a second `call_run` returns `WTOOL_E_INVALID_ARGUMENT`."},
    {"call-free", "A call may be freed without having run."},
    {"result", "A result is a JSON object with an array `content`, a boolean `is_error` and an object `metadata`."},
    {"result-schema", "`metadata` of a result that is not an error matches the output schema."},
    {"result-lives", "A result stays valid until it is released, even after the call has been freed."},
    {"request-copied", "`call_new` copies what it needs from the request."},
    {"arguments-judged", "Arguments that do not match the input schema lead to a result whose `is_error` is true."},
    {"arguments-survived",
     "No arguments, however deep, long or broken, end the host or make a result that is not JSON."},
    {"event-order", "Events are numbered 1, 2, 3 within a call and have a known size, and each payload has its bytes."},
    {"event-thread", "Events come on the thread that is inside `call_run`."},
    {"event-late", "No event comes after `call_run` has returned."},
    {"sink-refused", "If a sink refuses an event, the call ends, and still has a result."},
    {"cancel-before",
     "A call that is cancelled before it runs starts nothing: `WTOOL_E_CANCELLED`, or a result that is an error."},
    {"cancel-during", "A call that is cancelled while it runs returns `WTOOL_OK` or `WTOOL_E_CANCELLED`."},
    {"cancel-waits", "`call_cancel` never waits."},
    {"cancel-after", "A call may be cancelled after it has run, any number of times."},
    {"threads-calls", "Several calls may run at the same time, each on its own thread."},
    {"threads-control", "Control functions may be called on any thread, but only one at a time."},
    {"stack", "A call needs no more than 128 KiB of stack."},
    {"extension-unknown", "If a host asks for an extension that the tool does not have, the answer is `NULL`."},
    {"explain", "`wtool.explain/1` answers with a JSON object whose `verdict` is `allow`, `ask` or `deny`."},
    {"left-descriptors", "No call leaves a descriptor behind, and none is left after `deinit`."},
    {"left-threads", "No call leaves a thread behind, and none is left after `deinit`."},
    {"left-children", "No call leaves a child behind, and no process is left after `deinit`."},
    {"left-memory", "Memory does not grow with the number of calls."},
    {"guest-signals", "The plugin installs no signal handler."},
    {"guest-mask", "The plugin changes no signal mask of a thread that called it."},
    {"guest-directory", "The plugin does not change the current directory."},
    {"guest-environment", "The plugin changes no environment variable."},
    {"guest-umask", "The plugin does not change the file mode mask."},
    {"guest-locale", "The plugin does not change the locale."},
    {"guest-limits",
     "The plugin changes no limit and no priority of the process, and does not make the process a subreaper."},
    {"guest-output", "The plugin writes nothing to descriptors 0 to 2."},
    {"guest-exit", "The plugin registers no exit handler, and changes neither how the host ends nor its exit status."},
};

}  // namespace

std::span<const Rule> rules() { return all_rules; }

std::string_view rule_text(std::string_view id) {
  const auto* found =
      std::find_if(std::begin(all_rules), std::end(all_rules), [&](const Rule& r) { return r.id == id; });
  return found == std::end(all_rules) ? std::string_view{} : found->text;
}

}  // namespace wtool::host::conformance
