/* wtool/ext/explain.h - extension "wtool.explain/1", the tool's side: what would this call do, without doing it?
 *
 * Nothing runs and nobody is asked. The answer is a JSON object with at least "verdict" ("allow", "ask" or "deny") and
 * "reason"; and, if the tool has them, "argv" or "script", "directory", "environment_names", "limits",
 * "sandbox".
 */
#ifndef WTOOL_EXT_EXPLAIN_H
#define WTOOL_EXT_EXPLAIN_H

#include <wtool/tool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WTOOL_EXT_EXPLAIN "wtool.explain/1"

/* Ownership: the plugin's, valid until the tool is destroyed. */
typedef struct wtool_tool_explain {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* Explains the call that the request describes. The request's limits apply; its sink and deadline are not used.
   * The plugin copies the environment in here, and uses only this copy. No other thread may change the environment
   * meanwhile.
   * WTOOL_OK: *result is filled. Arguments that are not valid also give WTOOL_OK: *result then has the verdict
   * "deny" and the reason.
   * WTOOL_E_INVALID_ARGUMENT: a pointer other than error is NULL, the request's struct is too small to hold
   * `arguments`, *result is too small, or the limits are not valid or not for this tool. [any-thread] */
  wtool_status (*explain)(const wtool_tool* tool, const wtool_request* request, wtool_blob* result,
                          wtool_blob* error) WTOOL_NOEXCEPT;
} wtool_tool_explain;

#ifdef __cplusplus
}
#endif
#endif /* WTOOL_EXT_EXPLAIN_H */
