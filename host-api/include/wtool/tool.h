/* wtool/tool.h - the core of the wtool plugin interface, version 1.0.
 *
 * A host loads a plugin (a shared library), reads the descriptors of its tools, and calls them: a JSON object in, a
 * JSON object out, with live output and cancellation. This header is the whole contract; ext/ holds optional
 * extensions, one per file. docs/abi.md has the rules that apply to every function. In short:
 *
 * - Threads. Every function says in square brackets where it may be called: [any-thread], [any-thread & !running],
 *   [control], [run-thread]. docs/abi.md defines the tags.
 * - Sizes. Every struct starts with struct_size, set by the allocator of the struct. Fields are only ever appended; a
 *   reader asks WTOOL_HAS before it touches a field that is newer than 1.0. wtool_view and wtool_field are passed
 *   by value and in arrays, so these structs never grow.
 * - There are two kinds of errors. A status other than WTOOL_OK and WTOOL_E_CANCELLED says that no call could be made.
 *   All other errors, including bad arguments, are reported as WTOOL_OK with a result whose "is_error" is true.
 * - Outputs are untouched when a function fails, except for `error`, which may then contain one English sentence.
 * - No exception and no longjmp crosses the interface. All text is UTF-8; times are in the unit that the name says.
 * - Pointers that a function receives are valid until it returns, unless the member says otherwise.
 * - Stacks. A thread that calls a function of the plugin needs at least 128 KiB of stack.
 * - Standard input is not part of the interface. A tool that takes standard input has an argument for it. The tool
 *   checks, shows and records this argument like all others.
 *
 * C11 and later, C++17 and later.
 */
#ifndef WTOOL_TOOL_H
#define WTOOL_TOOL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define WTOOL_NOEXCEPT noexcept
extern "C" {
#else
#define WTOOL_NOEXCEPT
#endif

#if defined(__GNUC__)
#define WTOOL_EXPORT __attribute__((visibility("default")))
#else
#define WTOOL_EXPORT
#endif

#define WTOOL_ABI_MAJOR 1u /* also in the name of the entry symbol: a new major is a new symbol */
#define WTOOL_ABI_MINOR 0u /* grows when fields, extensions or constants are appended */

/* True when the struct at p, as its allocator sized it, holds all of field f. */
#define WTOOL_HAS(p, f) ((size_t)(p)->struct_size >= (size_t)((const char*)(&(p)->f + 1) - (const char*)(p)))

/* True when *p holds the function pointer f and it is not NULL. */
#define WTOOL_HAS_FN(p, f) (WTOOL_HAS(p, f) && (p)->f != NULL)

/* Borrowed bytes, not NUL-terminated. data may be NULL only if size is 0. A view is passed by value: it never grows. */
typedef struct wtool_view {
  const char* data;
  size_t size; /* bytes */
} wtool_view;

/* What a function reports about the call itself. Fixed width, never an enum: the compiler chooses an enum's size. The
 * comment on a function says when it returns INVALID_ARGUMENT, UNSUPPORTED, CANCELLED and BUSY. Each function that
 * returns a status may also return RESOURCE and INTERNAL. If memory runs out, the process ends in some places. */
typedef int32_t wtool_status;
#define WTOOL_OK 0
#define WTOOL_E_INVALID_ARGUMENT 1 /* such as a pointer that is NULL, a struct that is too small, a second call_run */
#define WTOOL_E_UNSUPPORTED 2      /* the tool, or something else that the plugin needs, is not there */
#define WTOOL_E_CANCELLED 3        /* call_run only: the call was cancelled; the result is still filled */
#define WTOOL_E_BUSY 4             /* the plugin or the object is already in use */
#define WTOOL_E_RESOURCE 5         /* out of memory, descriptors or threads */
#define WTOOL_E_INTERNAL 6         /* a defect of the plugin */

/* Bytes that a callee made for its caller.
 * Ownership: the caller allocates the struct and sets struct_size; the callee fills the rest; the caller ends it with
 * release. If release is NULL, the blob was released or never filled. Copying the struct moves the blob: the original
 * must then not be used. */
typedef struct wtool_blob {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  wtool_view bytes;  /* valid until release */
  void* owner;       /* the callee's; not for the caller */
  /* Frees bytes and sets release to NULL. [any-thread]
   * Rationale: the blob brings this function along, so that the two sides may use different allocators and C++
   * libraries. */
  void (*release)(struct wtool_blob* self) WTOOL_NOEXCEPT;
} wtool_blob;

/* What the host is, handed to init.
 * Ownership: the host's; it and all it points to stay valid and unmoved until deinit has returned. */
typedef struct wtool_host {
  uint32_t struct_size;
  uint32_t abi_minor; /* WTOOL_ABI_MINOR that the host was built with */
  void* ctx;          /* the host's own; the plugin passes it back untouched, inside *host */
  wtool_view name;    /* such as "wtool" */
  wtool_view version; /* such as "0.1.0" */
  /* Returns the host's side of an extension ("wtool.log/1"), or NULL if the host does not have the extension. The
   * result points to the extension's struct, which is valid until deinit has returned. [any-thread] */
  const void* (*get_extension)(const struct wtool_host* host, const char* id)WTOOL_NOEXCEPT;
} wtool_host;

/* Hints for those who choose a tool. Nothing enforces them, so do not rely on them for protection. */
#define WTOOL_HINT_READ_ONLY 1u   /* changes nothing in its environment */
#define WTOOL_HINT_DESTRUCTIVE 2u /* may destroy or overwrite; has no meaning if READ_ONLY is set */
#define WTOOL_HINT_IDEMPOTENT 4u  /* repeating a call with the same arguments changes nothing more */
#define WTOOL_HINT_OPEN_WORLD 8u  /* reaches beyond the machine */
/* Not a hint for choosing: the tool enforces wtool_request.limits on its commands. A tool without this bit might ignore
 * the limits, so a host makes no call with limits to such a tool. */
#define WTOOL_HINT_LIMITS 16u

/* What a tool is, before any object of it exists.
 * Ownership: the plugin's static data, valid as long as the library is loaded, readable before init. */
typedef struct wtool_descriptor {
  uint32_t struct_size;
  uint32_t hints;           /* WTOOL_HINT_*; a bit that is not set says no */
  wtool_view id;            /* stable, [a-z0-9_]+, unique in the plugin: "shell_execute" */
  wtool_view title;         /* for people: "Execute a shell command" */
  wtool_view version;       /* of the tool, semantic */
  wtool_view description;   /* for a model or a person that has to choose among tools */
  wtool_view input_schema;  /* JSON Schema 2020-12 of the arguments: an object schema, JSON text */
  wtool_view output_schema; /* the same for "metadata" of the result; empty: no schema */
} wtool_descriptor;

#define WTOOL_EVENT_STDOUT 1u /* payload: raw bytes, cut anywhere, not always valid UTF-8 */
#define WTOOL_EVENT_STDERR 2u /* the same */
/* Payload: a JSON object with the state of the command of the call. A command has these states, in this order:
 *   {"state":"queued"}                                      it waits to be started; "reason" is "node" if it waits for
 *                                                           a node of a cluster
 *   {"state":"started","argv":["git","status"],"pid":4711}  its program runs; on another machine, "node" and perhaps
 *                                                           "job" take the place of "pid"
 *   {"state":"stopping","reason":"timeout"}                 it is being stopped: "timeout" or "cancelled"
 *   {"state":"ended"}                                       it is over; the result says how
 * A command that is not stopped is never "stopping", a command that never starts is never "started", and a command that
 * loses its place before it begins is "queued" again. A call that runs no command has no such events. Other keys and
 * states may be added: ignore those that you do not know. Secrets in "argv" are masked. */
#define WTOOL_EVENT_STATE 3u

/* Something that happened while a call runs.
 * Ownership: the plugin's, valid until on_event returns. An unknown kind is to be ignored. */
typedef struct wtool_event {
  uint32_t struct_size;
  uint32_t kind;    /* WTOOL_EVENT_* */
  uint64_t seq;     /* 1, 2, 3, ... within the call */
  uint64_t mono_ns; /* CLOCK_MONOTONIC, nanoseconds */
  wtool_view payload;
} wtool_event;

/* One call, as the host wants it.
 * Ownership: the host's; call_new copies what it needs, except sink_ctx, which must stay valid until call_run has
 * returned. */
typedef struct wtool_request {
  uint32_t struct_size;
  uint32_t flags;       /* 0 */
  wtool_view arguments; /* JSON object, checked against the tool's input_schema; at most 16 MiB */
  wtool_view call_id;   /* the host's name for this call, for logs and audit; may be empty */
  /* W3C trace context of the caller: "00-TRACE-PARENT-FLAGS"; may be empty. What the call runs gets a
   * context of the same trace, with the call as the parent, in its variable TRACEPARENT. An invalid text is
   * treated as empty. */
  wtool_view traceparent;
  uint64_t parent_span; /* the span of wtool.log/1 that is the parent of the call's own; 0: none */
  uint64_t deadline_ms; /* the host's ceiling, milliseconds from call_run, 0 = none; the tool's own timeout, if shorter,
                           wins */
  void* sink_ctx;
  /* Called for each event, in order, from the thread that is inside call_run and from no other; never after call_run
   * has returned. NULL: no events. A sink that blocks is back-pressure: the command waits, timeouts keep running, and
   * no byte is left out.
   * Returning non-zero asks to stop the call, as call_cancel(GRACEFUL) does. [run-thread] */
  int32_t (*on_event)(void* sink_ctx, const wtool_event* event) WTOOL_NOEXCEPT;
  /* What the commands of this call may use, with all that they start: a JSON object, or empty. Each key only tightens
   * what the configuration allows; the stricter of the two applies:
   *   "sandbox": "read-only"   they write no file
   *   "network": "deny"        they reach no network, and no approval can change that
   *   "files": {"read": [...], "list": [...], "write": [...], "temporary": "..."}
   *                            absolute paths: they read only files at or below the paths of `read` and `write`,
   *                            write only files below the paths of `write`, and may also list the folders of `list`.
   *                            `temporary` is one more path of `write`, and is their TMPDIR. A path that does not
   *                            exist opens nothing
   *   "cpu_seconds", "memory_bytes", "processes", "open_files", "file_bytes"
   *                            whole numbers, with the meaning that they have in the `limits` section of the
   *                            configuration. For all processes of the call together: `cpu_seconds`, at least 1
   *                            second, `memory_bytes`, at least 1048576 bytes, and `processes`, at least 1 at a time.
   *                            For each process: `open_files`, at least 16 descriptors. For each file: `file_bytes`,
   *                            at least 1 byte
   * For an unknown key or a wrong value, call_new and explain return WTOOL_E_INVALID_ARGUMENT, with the reason in
   * *error. If the kernel cannot enforce a sandbox, nothing is run, and the result says so. Only for tools with
   * WTOOL_HINT_LIMITS.
   * Rationale: the limits are not an argument, because the host sets them, and the arguments' author must not. */
  wtool_view limits;
} wtool_request;

/* One call. Opaque; made by call_new, ended by call_free. */
typedef struct wtool_call wtool_call;

#define WTOOL_CANCEL_GRACEFUL 1u /* SIGTERM to the whole tree, the configured grace period, then SIGKILL */
#define WTOOL_CANCEL_NOW 2u      /* the same with a grace period of 50 ms; overrides a graceful one that is under way */

/* A tool with its configuration. Ownership: the plugin's, from tool_new until destroy. */
typedef struct wtool_tool {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  const wtool_descriptor* descriptor;
  void* self; /* the plugin's */

  /* Checks a request, and starts nothing. On success, returns WTOOL_OK and sets *out. Bad arguments are not a
   * failure here: the result of call_run reports them.
   * The plugin copies the environment in here, and the call uses only this copy. No other thread may change the
   * environment meanwhile.
   * WTOOL_E_INVALID_ARGUMENT: a pointer other than error is NULL, the request's struct is too small to hold
   * `arguments`, or its limits are not valid or not for this tool. [any-thread] */
  wtool_status (*call_new)(const struct wtool_tool* tool, const wtool_request* request, wtool_call** out,
                           wtool_blob* error) WTOOL_NOEXCEPT;

  /* Runs the call on the calling thread and returns when all is over: no further event will come, every process of
   * the call is dead and reaped, its descriptors are closed, no thread of the plugin is left. The exceptions are
   * processes that the configuration keeps, a program (with its thread) that a tool such as pty_start starts for later
   * calls, and processes that cannot be killed within 5 s. The result names the last kind in metadata.processes_left.
   * *result is a JSON object {"content": [...], "is_error": bool, "metadata": {...}}, filled for WTOOL_OK and for
   * WTOOL_E_CANCELLED.
   * The thread must not be cancelled (pthread_cancel) or ended in here.
   * WTOOL_E_INVALID_ARGUMENT: call or result is NULL, *result is too small, or the call has been run before.
   * [run-thread] */
  wtool_status (*call_run)(wtool_call* call, wtool_blob* result, wtool_blob* error) WTOOL_NOEXCEPT;

  /* Asks the call to stop; never waits. Legal before, during and after call_run, any number of times. The first
   * reason is kept, and NOW overrides GRACEFUL. A call that is cancelled before call_run starts nothing. Any other
   * `how` means NOW. Not async-signal-safe. [any-thread] */
  void (*call_cancel)(wtool_call* call, uint32_t how, wtool_view reason) WTOOL_NOEXCEPT;

  /* Frees the call. Must not run while call_run or call_cancel uses the call. NULL is allowed.
   * [any-thread & !running] */
  void (*call_free)(wtool_call* call) WTOOL_NOEXCEPT;

  /* The tool's side of an extension ("wtool.explain/1"), or NULL. Valid until destroy. [any-thread] */
  const void* (*get_extension)(const struct wtool_tool* tool, const char* id)WTOOL_NOEXCEPT;

  /* Ends the tool. All its calls must have been freed. NULL is allowed. [control] */
  void (*destroy)(const struct wtool_tool* tool) WTOOL_NOEXCEPT;
} wtool_tool;

/* What a plugin exports. Constant data: nothing runs until the host calls. */
typedef struct wtool_entry {
  uint32_t struct_size;
  uint32_t abi_major; /* WTOOL_ABI_MAJOR */
  uint32_t abi_minor; /* WTOOL_ABI_MINOR that the plugin was built with */
  uint32_t flags;     /* 0 */
  wtool_view plugin_name;
  wtool_view plugin_version; /* semantic */

  /* Prepares the plugin. Cheap, and starts no process. Called once, and again only after deinit.
   * WTOOL_E_INVALID_ARGUMENT: host is NULL or too small. WTOOL_E_UNSUPPORTED: something that the plugin needs is
   * missing or cannot be used; *error names it. A second init before deinit is refused, by shell_tools with
   * WTOOL_E_BUSY. Until deinit, the host must close no descriptor that it has not opened, so a host that becomes a
   * daemon does that first. [control] */
  wtool_status (*init)(const wtool_host* host, wtool_blob* error) WTOOL_NOEXCEPT;

  /* Undoes init: ends sessions and helpers. All tools must have been destroyed. In a forked child it ends nothing, and
   * leaves everything to the parent. A host may also exit without it. [control] */
  void (*deinit)(void) WTOOL_NOEXCEPT;

  /* The number of tools. Legal before init. [any-thread] */
  uint32_t (*tool_count)(void) WTOOL_NOEXCEPT;

  /* Descriptor number i, or NULL when i >= tool_count(). Legal before init. [any-thread] */
  const wtool_descriptor* (*tool_at)(uint32_t index)WTOOL_NOEXCEPT;

  /* Makes a tool with a configuration: JSON text of an object; empty means {}.
   * WTOOL_E_UNSUPPORTED: no tool has this id. WTOOL_E_INVALID_ARGUMENT: out is NULL, or the configuration is not valid;
   * *error has the reason. Before init and after deinit, tool_new is refused, by shell_tools with
   * WTOOL_E_INVALID_ARGUMENT. [control] */
  wtool_status (*tool_new)(wtool_view id, wtool_view config, const wtool_tool** out, wtool_blob* error) WTOOL_NOEXCEPT;
} wtool_entry;

/* The one symbol that a plugin exports. The major version is in the name: a host that supports only other versions then
 * finds no symbol, rather than a struct that it would misread. */
#define WTOOL_ENTRY_SYMBOL "wtool_entry_v1"
extern WTOOL_EXPORT const wtool_entry wtool_entry_v1;

#ifdef __cplusplus
}
#endif
#endif /* WTOOL_TOOL_H */
