/* wtool/ext/approval.h - extension "wtool.approval/1", the host's side: ask a person whether a command may run.
 *
 * The plugin asks when its policy's verdict is "ask". The answer is bound to exactly what was shown: the command, its
 * directory, its environment and the text at its standard input; a plugin never applies it to anything else.
 */
#ifndef WTOOL_EXT_APPROVAL_H
#define WTOOL_EXT_APPROVAL_H

#include <wtool/tool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WTOOL_EXT_APPROVAL "wtool.approval/1"

#define WTOOL_APPROVAL_UNAVAILABLE 0u /* nobody can be asked */
#define WTOOL_APPROVAL_YES 1u         /* yes, this time only */
#define WTOOL_APPROVAL_NO 2u          /* no, this time only */
#define WTOOL_APPROVAL_ALWAYS 3u      /* yes, and remember */
#define WTOOL_APPROVAL_NEVER 4u       /* no, and remember */
#define WTOOL_APPROVAL_DEFERRED 5u    /* the host must end this call; it will pass the answer to a later call */
#define WTOOL_APPROVAL_EXPIRED 6u     /* nobody has answered in the time that the host gives a person */

/* One question. Ownership: the plugin's, valid until ask returns. */
typedef struct wtool_approval_question {
  uint32_t struct_size;
  uint32_t reserved;      /* 0 */
  uint64_t id;            /* unique in the plugin, for withdraw */
  wtool_view tool;        /* descriptor id */
  wtool_view call_id;     /* as in the request */
  wtool_view subject;     /* JSON object: what exactly would run: {"command", "directory", "environment_names", ...};
                             if the call sets variables, also "environment": {NAME: VALUE}, where secrets are masked
                             and long values are cut; if the call has a text for standard input, also "stdin": {"bytes", "sha256", "text",
                             "cut"}, where "text" is only the beginning of a long text ("cut" is then true) */
  wtool_view reason;      /* why the plugin asks, one sentence */
  wtool_view fingerprint; /* hex; the same for the same command, directory, environment and standard input, and for
                             nothing else */
} wtool_approval_question;

/* Ownership: the host's, valid until deinit has returned. */
typedef struct wtool_host_approval {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */

  /* Asks, waits, and returns WTOOL_APPROVAL_*; any other value means NO. Called on the thread that is inside
   * call_run. When the question is withdrawn, returns UNAVAILABLE immediately. [run-thread] */
  uint32_t (*ask)(const wtool_host* host, const wtool_approval_question* question) WTOOL_NOEXCEPT;

  /* Called when the call is cancelled: ask must stop waiting for an answer to the question with this id. Never waits.
   * An unknown id is ignored. If this is called before ask has begun to wait, ask does not wait. [any-thread] */
  void (*withdraw)(const wtool_host* host, uint64_t id) WTOOL_NOEXCEPT;
} wtool_host_approval;

#ifdef __cplusplus
}
#endif
#endif /* WTOOL_EXT_APPROVAL_H */
