/* wtool/ext/log.h - extension "wtool.log/1", the host's side: where the plugin's log records and spans go.
 *
 * The five levels are those of Rust's tracing, so a host that uses that library maps them one to one. A plugin logs
 * nowhere else. Values of environment variables are never in a record.
 */
#ifndef WTOOL_EXT_LOG_H
#define WTOOL_EXT_LOG_H

#include <wtool/tool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WTOOL_EXT_LOG "wtool.log/1"

#define WTOOL_LOG_TRACE 1u
#define WTOOL_LOG_DEBUG 2u
#define WTOOL_LOG_INFO 3u
#define WTOOL_LOG_WARN 4u
#define WTOOL_LOG_ERROR 5u

/* A named value. It is passed by value and in arrays, so the struct never grows. */
typedef struct wtool_field {
  wtool_view key;  /* [a-z0-9_.]+ */
  wtool_view json; /* one JSON value: "text" with its quotes, 12, true, ["a"] */
} wtool_field;

/* One record. Ownership: the plugin's, valid until emit returns. */
typedef struct wtool_log_record {
  uint32_t struct_size;
  uint32_t level;    /* WTOOL_LOG_* */
  uint64_t unix_ns;  /* when it happened: nanoseconds since 1970, UTC */
  wtool_view target; /* the part of the plugin that logs: "shell_tools::call" */
  wtool_view message;
  wtool_view file; /* of the plugin's source; may be empty */
  uint32_t line;   /* 0 where unknown */
  uint32_t n_fields;
  const wtool_field* fields; /* n_fields of them; NULL when 0 */
  uint64_t span;             /* from span_open, or 0 */
} wtool_log_record;

/* Ownership: the host's, valid until deinit has returned. A member may be NULL, and is then not called. */
typedef struct wtool_host_log {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* Non-zero when a record of this level and target would be kept. Cheap. [any-thread] */
  int32_t (*enabled)(const wtool_host* host, uint32_t level, wtool_view target) WTOOL_NOEXCEPT;

  /* Takes one record. May be called with a lock of the plugin's logging held: never call the plugin from here.
   * [any-thread] */
  void (*emit)(const wtool_host* host, const wtool_log_record* record) WTOOL_NOEXCEPT;

  /* Opens a span under parent (0: none), and returns its number, or 0 if the host keeps no spans.
   * [any-thread] */
  uint64_t (*span_open)(const wtool_host* host, uint64_t parent, wtool_view name, const wtool_field* fields,
                        uint32_t n_fields) WTOOL_NOEXCEPT;

  /* Closes a span, on any thread. 0 is ignored. [any-thread] */
  void (*span_close)(const wtool_host* host, uint64_t span) WTOOL_NOEXCEPT;
} wtool_host_log;

#ifdef __cplusplus
}
#endif
#endif /* WTOOL_EXT_LOG_H */
