/* A function for each type of the interface. Their debug information describes all types, and abidiff compares it. */
#include <wtool/ext/approval.h>
#include <wtool/ext/explain.h>
#include <wtool/ext/log.h>
#include <wtool/tool.h>

#define USE(type)                            \
  WTOOL_EXPORT void use_##type(type* value); \
  void use_##type(type* value) { (void)value; }

USE(wtool_view)
USE(wtool_blob)
USE(wtool_host)
USE(wtool_descriptor)
USE(wtool_event)
USE(wtool_request)
USE(wtool_tool)
USE(wtool_entry)
USE(wtool_field)
USE(wtool_log_record)
USE(wtool_host_log)
USE(wtool_approval_question)
USE(wtool_host_approval)
USE(wtool_tool_explain)
