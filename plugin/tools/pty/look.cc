// The tools pty_read, pty_resize, pty_stop and pty_list.
#include <algorithm>

#include "base/lasting.h"
#include "base/utf8.h"
#include "tools/parameters.h"
#include "tools/pty/reply.h"
#include "tools/result.h"
#include "tools/tool.h"

namespace wtool::tools {

namespace {

constexpr std::int64_t max_scrollback_lines = 1000;

class Read : public pty::TerminalCall {
 public:
  explicit Read(std::string_view arguments) {
    Parameters parameters(arguments);
    id_ = parameters.required_text("pty");
    shown_.cells = parameters.flag("cells");
    shown_.scrollback =
        static_cast<std::size_t>(parameters.whole_number("scrollback", 0, max_scrollback_lines, "lines").value_or(0));
    parameters.end({"pty", "cells", "scrollback"});
    problem_ = parameters.problem();
  }

 protected:
  ToolResult act(Pty& pty, CallContext&) override { return pty::show(pty, shown_); }

 private:
  pty::Shown shown_;
};

class Resize : public pty::TerminalCall {
 public:
  explicit Resize(std::string_view arguments) {
    Parameters parameters(arguments);
    id_ = parameters.required_text("pty");
    const auto rows = parameters.whole_number("rows", screen::least_rows, screen::max_rows, "lines");
    const auto columns = parameters.whole_number("columns", screen::least_columns, screen::max_columns, "cells");
    parameters.end({"pty", "rows", "columns"});
    problem_ = parameters.problem();
    if (problem_.empty() && (!rows || !columns)) problem_ = "both rows and columns are needed";
    size_ = {static_cast<int>(rows.value_or(0)), static_cast<int>(columns.value_or(0))};
  }

 protected:
  ToolResult act(Pty& pty, CallContext& context) override {
    const auto deadline = deadline_of(context);
    const Pty::Mark before = pty.mark();
    if (!pty.resize(size_)) {
      return pty::refusal({"not_running", "The program of " + id_ + " has ended", "pty_read shows how it has ended"});
    }
    // How long programs that fill the screen get to redraw it after a change of its size.
    constexpr std::chrono::milliseconds to_draw{500};
    pty.wait({before, {}, std::chrono::milliseconds(100), std::min(Pty::Clock::now() + to_draw, deadline)},
             context.cancellation);
    return pty::show(pty, {});
  }

 private:
  screen::Size size_;
};

class PtyStopCall : public pty::TerminalCall {
 public:
  explicit PtyStopCall(std::string_view arguments) {
    Parameters parameters(arguments);
    id_ = parameters.required_text("pty");
    parameters.end({"pty"});
    problem_ = parameters.problem();
  }

 protected:
  ToolResult act(Pty& pty, CallContext& context) override {
    stop_pty(id_, context);
    return pty::show(pty, {});
  }
};

class List : public PreparedCall {
 public:
  explicit List(std::string_view arguments) {
    Parameters parameters(arguments);
    parameters.end({});
    problem_ = parameters.problem();
  }

  ToolResult run(CallContext& context) override {
    if (!problem_.empty()) return pty::invalid(problem_, {}, context);
    pty::Json list = pty::Json::array();
    std::string text;
    for (const auto& pty : context.sessions.ptys().all()) {
      const auto end = pty->end();
      const std::string state = end ? "ended" : "running";
      const std::string command = to_utf8(pty->command());
      list.push_back({{"pty", pty->id()}, {"state", state}, {"command", command}});
      text += pty->id() + " " + state + ": " + command + '\n';
    }
    if (text.empty()) text = "There is no terminal; pty_start makes one.";
    return {envelope(std::move(text), false, {{"terminals", std::move(list)}}), false};
  }

  std::string explain(const Configuration&, const Sessions& sessions) const override {
    return pty::explanation_of_look(problem_, {}, sessions);
  }

 private:
  std::string problem_;
};

std::string schema_with_id(std::string_view more, std::string_view required) {
  return pty::schema(std::string(pty::id_property).append(more), required);
}

}  // namespace

Tool pty_read() {
  static const auto& input = lasting<std::string>(schema_with_id(
      R"(, "cells": {"type": "boolean", "default": false,
      "description": "Also show the cells, with their colours and attributes. Neighbouring cells that look alike count as one."},
    "scrollback": {"type": "integer", "minimum": 0, "maximum": 1000, "default": 0,
      "description": "Also show this many of the last lines that scrolled off the screen."})",
      "\"pty\""));
  return {
      {"pty_read", "Show the screen of a terminal", "1.0.0",
       "Shows the screen of a terminal as it is now: its text, the cursor, the title, and how the program has ended.",
       input, pty::output_schema, true, false, true, false},
      prepare<Read>};
}

Tool pty_resize() {
  static const auto& input =
      lasting<std::string>(schema_with_id(R"(, "rows": {"type": "integer", "minimum": 2, "maximum": 200},
    "columns": {"type": "integer", "minimum": 2, "maximum": 500})",
                                          R"("pty", "rows", "columns")"));
  return {
      {"pty_resize", "Resize a terminal", "1.0.0", "Resizes a terminal, notifies its program, and shows the screen.",
       input, pty::output_schema, false, false, true, false},
      prepare<Resize>};
}

Tool pty_stop() {
  static const auto& input = lasting<std::string>(schema_with_id("", "\"pty\""));
  return {
      {"pty_stop", "End the program of a terminal", "1.0.0",
       "Ends the program of a terminal with all that it has started, shows the last screen, and removes the terminal.",
       input, pty::output_schema, false, true, false, false},
      prepare<PtyStopCall>};
}

Tool pty_list() {
  static const auto& input = lasting<std::string>(pty::schema("", ""));
  return {{"pty_list", "List the terminals", "1.0.0", "Lists the terminals, with their programs and whether they run.",
           input, pty::output_schema, true, false, true, false},
          prepare<List>};
}

}  // namespace wtool::tools
