#include "tools/pty/reply.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "tools/result.h"

namespace wtool::tools::pty {

namespace {

using std::chrono::milliseconds;

// At most this many bytes of an unknown name are recorded, because a caller can send any text as a name.
constexpr std::size_t max_id = 64;

std::string joined_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

const char* seen_text(Pty::Seen seen) {
  switch (seen) {
    case Pty::Seen::text:
    case Pty::Seen::old_text:
      return "text";
    case Pty::Seen::quiet:
      return "quiet";
    case Pty::Seen::ended:
      return "ended";
    case Pty::Seen::time:
    case Pty::Seen::cancelled:
      break;
  }
  return "time";
}

Json run_of(const screen::CellRun& run, int row) {
  Json object{{"row", row + 1}, {"column", run.column + 1}, {"text", run.text}};
  if (!run.foreground.empty()) object["foreground"] = run.foreground;
  if (!run.background.empty()) object["background"] = run.background;
  const auto flag = [&](const char* name, bool value) {
    if (value) object[name] = true;
  };
  flag("bold", run.bold);
  flag("italic", run.italic);
  flag("underline", run.underline);
  flag("blink", run.blink);
  flag("reverse", run.reverse);
  flag("strike", run.strike);
  return object;
}

Json end_object(const PtyEnd& end) {
  Json object{{"how", to_utf8(end.how)}};
  if (end.exit_code) object["exit_code"] = *end.exit_code;
  if (!end.signal.empty()) object["signal"] = end.signal;
  add_processes_left(end.unkillable, "processes_left", "processes_left_count", object);
  return object;
}

// The line that a result shows below the screen.
std::string about(const Pty& pty, const PtyView& view, const Shown& shown) {
  std::string text = '[' + pty.id();
  text += view.end ? ": ended, " + to_utf8(view.end->how)
                   : ": runs, cursor at line " + std::to_string(view.cursor.row + 1) + ", column " +
                         std::to_string(view.cursor.column + 1) + " of " + std::to_string(view.size.rows) + " x " +
                         std::to_string(view.size.columns);
  if (!view.title.empty()) text += ", title " + view.title;
  if (shown.seen == Pty::Seen::old_text) {
    text += ", \"" + shown.wanted + "\" was there before";
  } else if (!shown.wanted.empty() && shown.seen != Pty::Seen::text) {
    text += ", \"" + shown.wanted + "\" was not shown" + (shown.typed ? " after the input" : "");
  }
  if (!shown.audit_error.empty()) text += ", " + shown.audit_error;
  return text + ']';
}

}  // namespace

const std::string_view output_schema = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "properties": {
    "pty": {"type": "string"},
    "state": {"enum": ["running", "ended"]},
    "screen": {"type": "string"},
    "rows": {"type": "integer"}, "columns": {"type": "integer"},
    "cursor": {"type": "object",
      "properties": {"row": {"type": "integer"}, "column": {"type": "integer"}, "visible": {"type": "boolean"}}},
    "title": {"type": "string"},
    "alternate_screen": {"type": "boolean"},
    "seen": {"enum": ["text", "quiet", "ended", "time"]},
    "scrolled": {"type": "integer"},
    "scrollback": {"type": "string"},
    "cells": {"type": "array", "items": {"type": "object",
      "properties": {"row": {"type": "integer"}, "column": {"type": "integer"}, "text": {"type": "string"},
        "foreground": {"type": "string"}, "background": {"type": "string"}, "bold": {"const": true},
        "italic": {"const": true}, "underline": {"const": true}, "blink": {"const": true},
        "reverse": {"const": true}, "strike": {"const": true}}, "required": ["row", "column", "text"]}},
    "cells_lines": {"type": "integer"},
    "end": {"type": "object",
      "properties": {"how": {"type": "string"}, "exit_code": {"type": "integer"}, "signal": {"type": "string"},
        "processes_left_count": {"type": "integer"}, "processes_left": {"type": "array"}}, "required": ["how"]},
    "terminals": {"type": "array", "items": {"type": "object"}},
    "policy": {"type": "object"},
    "audit_error": {"type": "string"},
    "error": {"type": "object",
      "properties": {"code": {"type": "string"}, "message": {"type": "string"}, "hint": {"type": "string"}},
      "required": ["code", "message", "hint"]}
  }
})";

void Waiting::read(Parameters& parameters, milliseconds usual) {
  text = parameters.optional_line("wait_for").value_or(std::string());
  quiet = milliseconds(parameters.whole_number("quiet_ms", 10, 10'000, "milliseconds").value_or(quiet.count()));
  longest = milliseconds(
      parameters.whole_number("wait_ms", 0, 60'000, "milliseconds").value_or(text.empty() ? usual.count() : 10'000));
}

Pty::Wish Waiting::wish(const Pty::Mark& since, Pty::Clock::time_point deadline, std::string typed) const {
  return {since, text, quiet, std::min(Pty::Clock::now() + longest, deadline), std::move(typed)};
}

ToolResult show(Pty& pty, const Shown& shown) {
  const PtyView view = pty.view(shown.cells, shown.scrollback);
  const std::string screen = joined_lines(view.lines);
  Json object{
      {"pty", pty.id()},
      {"state", view.end ? "ended" : "running"},
      {"screen", screen},
      {"rows", view.size.rows},
      {"columns", view.size.columns},
      {"cursor", {{"row", view.cursor.row + 1}, {"column", view.cursor.column + 1}, {"visible", view.cursor.visible}}}};
  if (!view.title.empty()) object["title"] = view.title;
  if (view.alternate) object["alternate_screen"] = true;
  if (shown.seen) object["seen"] = seen_text(*shown.seen);
  object["scrolled"] = view.scrolled;
  std::string text;
  if (!view.scrollback.empty()) {
    text = joined_lines(view.scrollback);
    object["scrollback"] = text;
  }
  for (int row = 0; row < static_cast<int>(view.cells.size()); ++row) {
    for (const screen::CellRun& run : view.cells[static_cast<std::size_t>(row)])
      object["cells"].push_back(run_of(run, row));
  }
  if (shown.cells && view.cells.size() < static_cast<std::size_t>(view.size.rows)) {
    object["cells_lines"] = view.cells.size();
  }
  if (view.end) object["end"] = end_object(*view.end);
  if (!shown.audit_error.empty()) object["audit_error"] = shown.audit_error;
  text = shown.cells ? dumped(object) : text + screen + about(pty, view, shown);
  return {envelope(std::move(text), false, std::move(object)), false};
}

ToolResult refusal(const CallError& error, const Json& more) {
  std::string text = error.message + (error.hint.empty() ? "" : " (" + error.hint + ")");
  Json metadata{{"error", error_object(error)}};
  metadata.update(more);
  return {envelope(std::move(text), true, std::move(metadata)), false};
}

ToolResult recorded_refusal(const CallError& error, const Labels& labels, const CallContext& context) {
  record_refusal(error, labels, context);
  return refusal(error);
}

ToolResult invalid(const std::string& problem, const Labels& labels, const CallContext& context) {
  return recorded_refusal({"invalid_parameters", "Invalid parameters: " + problem,
                           "correct the parameter and call again; nothing was done"},
                          labels, context);
}

ToolResult cancelled(const CallContext& context) {
  ToolResult result = refusal({"aborted", "Call aborted: " + context.cancellation.reason(),
                               "text that was typed before the cancellation stays typed"});
  result.cancelled = true;
  return result;
}

std::string explanation_of_look(const std::string& problem, const std::string& id, const Sessions& sessions) {
  if (!problem.empty()) return explanation(problem);
  if (!id.empty() && !sessions.ptys().find(id)) return explanation("pty: " + no_such_pty(id).message);
  return Json{{"verdict", "allow"}, {"reason", "it starts no command"}, {"rule", "pty"}}.dump();
}

ToolResult TerminalCall::run(CallContext& context) {
  const Labels labels = id_.empty() ? Labels{} : Labels{{"pty", id_.substr(0, max_id)}};
  if (!problem_.empty()) return invalid(problem_, labels, context);
  const auto pty = context.sessions.ptys().find(id_);
  if (!pty) return recorded_refusal(no_such_pty(id_), labels, context);
  return act(*pty, context);
}

std::string TerminalCall::explain(const Configuration&, const Sessions& sessions) const {
  return explanation_of_look(problem_, id_, sessions);
}

std::string schema(std::string_view properties, std::string_view required) {
  return std::string(R"({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
  "properties": {)")
      .append(properties)
      .append(R"(}, "required": [)")
      .append(required)
      .append(R"(], "additionalProperties": false})");
}

}  // namespace wtool::tools::pty
