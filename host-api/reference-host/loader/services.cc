#include "loader/services.h"

#include <wtool/ext/approval.h>
#include <wtool/ext/log.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>
#include <wtool/cpp/plugin.hpp>

#include "approval/question.h"
#include "tracing/tracing.h"

namespace wtool::host {

namespace {

Tracing& tracing_of(const wtool_host* host) { return *static_cast<HostServices*>(host->ctx)->tracing; }

std::vector<LogField> fields_of(const wtool_field* fields, std::uint32_t count) {
  std::vector<LogField> copies;
  if (fields == nullptr) return copies;
  copies.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) copies.push_back({text(fields[i].key), text(fields[i].json)});
  return copies;
}

// A record of a level that this host does not know is shown with the nearest level.
LogLevel level_of(std::uint32_t level) {
  return static_cast<LogLevel>(std::clamp<std::uint32_t>(level, WTOOL_LOG_TRACE, WTOOL_LOG_ERROR));
}

// If memory runs out in these functions, the record is lost: an exception must not cross the interface, and there is no
// way to report it.

int32_t enabled(const wtool_host* host, uint32_t level, wtool_view target) noexcept {
  return tracing_of(host).enabled(level_of(level), text(target)) ? 1 : 0;
}

void emit(const wtool_host* host, const wtool_log_record* record) noexcept {
  if (record == nullptr || !WTOOL_HAS(record, span)) return;
  try {
    const std::vector<LogField> fields = fields_of(record->fields, record->n_fields);
    tracing_of(host).emit({.level = level_of(record->level),
                           .unix_ns = record->unix_ns,
                           .target = text(record->target),
                           .message = text(record->message),
                           .fields = fields,
                           .span = record->span});
  } catch (...) {
  }
}

uint64_t span_open(const wtool_host* host, uint64_t parent, wtool_view name, const wtool_field* fields,
                   uint32_t n_fields) noexcept {
  try {
    return tracing_of(host).open_span(parent, text(name), fields_of(fields, n_fields));
  } catch (...) {
    return 0;
  }
}

void span_close(const wtool_host* host, uint64_t span) noexcept {
  try {
    tracing_of(host).close_span(span);
  } catch (...) {
  }
}

const wtool_host_log log_extension{
    .struct_size = sizeof(wtool_host_log),
    .reserved = 0,
    .enabled = enabled,
    .emit = emit,
    .span_open = span_open,
    .span_close = span_close,
};

Approver* approval_of(const wtool_host* host) { return static_cast<HostServices*>(host->ctx)->approval; }

std::string fingerprint_of(const wtool_approval_question& question) {
  return WTOOL_HAS(&question, fingerprint) ? std::string(text(question.fingerprint)) : std::string();
}

uint32_t ask(const wtool_host* host, const wtool_approval_question* question) noexcept {
  if (question == nullptr || !WTOOL_HAS(question, reason) || approval_of(host) == nullptr) {
    return WTOOL_APPROVAL_UNAVAILABLE;
  }
  try {
    return static_cast<uint32_t>(approval_of(host)->ask({.id = question->id,
                                                         .tool = std::string(text(question->tool)),
                                                         .subject = std::string(text(question->subject)),
                                                         .reason = std::string(text(question->reason)),
                                                         .fingerprint = fingerprint_of(*question)}));
  } catch (...) {
    return WTOOL_APPROVAL_UNAVAILABLE;
  }
}

void withdraw(const wtool_host* host, uint64_t id) noexcept {
  try {
    if (approval_of(host) != nullptr) approval_of(host)->withdraw(id);
  } catch (...) {
  }
}

const wtool_host_approval approval_extension{
    .struct_size = sizeof(wtool_host_approval),
    .reserved = 0,
    .ask = ask,
    .withdraw = withdraw,
};

const void* get_extension(const wtool_host* host, const char* id) noexcept {
  if (id == nullptr) return nullptr;
  if (std::string_view(id) == WTOOL_EXT_LOG) return &log_extension;
  if (std::string_view(id) == WTOOL_EXT_APPROVAL && approval_of(host) != nullptr) return &approval_extension;
  return nullptr;
}

}  // namespace

wtool_host make_host(HostServices& services) {
  return {
      .struct_size = sizeof(wtool_host),
      .abi_minor = WTOOL_ABI_MINOR,
      .ctx = &services,
      .name = view("wtool"),
      .version = view(WTOOL_VERSION),
      .get_extension = get_extension,
  };
}

}  // namespace wtool::host
