#include "journal/record.h"

#include <unistd.h>

#include <optional>

#include "base/environment.h"
#include "base/formats.h"
#include "base/hex.h"
#include "base/json_text.h"
#include "base/secrets/secrets.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "journal/run_record.h"
#include "runner/past_run.h"
#include "workflow/actions/action_type.h"

namespace wtool::host::journal {
namespace {

using expressions::Value;
using runner::Outcome;
using runner::RunStart;
using runner::Step;
using workflow::Workflow;

// A line that is being written. It ends when this object goes out of scope.
class RecordLine {
 public:
  RecordLine(std::string& out, std::string_view type, Moment at) : out_(out) {
    static_assert(record_version == 1 && record_version == formats::journal);
    out_ += R"({"v":1,"type":")";
    out_ += type;
    out_ += R"(","time":)";
    append_json_time(out_, at);
  }
  RecordLine(const RecordLine&) = delete;
  RecordLine& operator=(const RecordLine&) = delete;
  ~RecordLine() { out_ += "}\n"; }

  // Appends the name of a field. The caller appends the value to the text that is returned.
  std::string& key(std::string_view name) {
    out_ += separator_;
    out_ += '"';
    out_ += name;
    out_ += "\":";
    separator_ = ",";
    return out_;
  }
  // The same for a name that may be any text.
  std::string& escaped_key(std::string_view name) {
    out_ += separator_;
    append_json_string(out_, name);
    out_ += ':';
    separator_ = ",";
    return out_;
  }
  void text(std::string_view name, std::string_view text) { append_json_string(key(name), text); }
  void text_if_any(std::string_view name, std::string_view any) {
    if (!any.empty()) text(name, any);
  }
  // A path may contain any bytes, and a resumed run needs all of them. If the path is not UTF-8, the field NAME_hex has its
  // bytes, and the field NAME is only for people.
  void path(const std::string& name, std::string_view path) {
    text(name, path);
    if (is_utf8(path)) return;
    text(name + "_hex", to_hex({reinterpret_cast<const unsigned char*>(path.data()), path.size()}));
  }
  void number(std::string_view name, std::int64_t number) { append_json_number(key(name), number); }
  void flag_if_set(std::string_view name, bool flag) {
    if (flag) key(name) += "true";
  }
  void value_if_any(std::string_view name, const Value& value) {
    if (!value.is_null()) append_json_value(key(name), value);
  }
  // Milliseconds, with enough decimals for a step of some microseconds.
  void duration(std::string_view name, std::chrono::steady_clock::duration took) {
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
    std::string& out = key(name);
    append_json_number(out, us / 1000);
    const auto rest = static_cast<int>(us % 1000);
    if (rest <= 0) return;
    const char digits[] = {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                           static_cast<char>('0' + rest % 10)};
    out.append(digits, sizeof digits);
  }
  void place(const StepPlace& place) {
    text("branch", place.branch);
    number("seq", static_cast<std::int64_t>(place.sequence));
  }
  void step(const Step& step, const Workflow* root) {
    number("step", static_cast<std::int64_t>(step.number));
    place(step.place());
    text_if_any("workflow", workflow_of(step, root));
    text("state", step.of().id);
    flag_if_set("hidden", step.of().hidden);
    flag_if_set("replayed", step.replayed);
  }
  template <class Text>
  void texts(std::string_view name, const std::vector<Text>& texts) {
    key(name) += '[';
    const char* separator = "";
    for (const Text& text : texts) {
      out_ += separator;
      append_json_string(out_, text);
      separator = ",";
    }
    out_ += ']';
  }
  template <class Text>
  void texts_if_any(std::string_view name, const std::vector<Text>& any) {
    if (!any.empty()) texts(name, any);
  }
  // A list of objects; `append_fields` appends the fields of one of them to this line.
  template <class Item, class AppendFields>
  void objects(std::string_view name, const std::vector<Item>& items, const AppendFields& append_fields) {
    key(name) += '[';
    separator_ = "";
    for (const Item& item : items) {
      out_ += separator_;
      out_ += '{';
      separator_ = "";
      append_fields(item);
      close();
    }
    out_ += ']';
    separator_ = ",";
  }
  void open(std::string_view name) {
    key(name) += '{';
    separator_ = "";
  }
  void close() {
    out_ += '}';
    separator_ = ",";
  }

 private:
  std::string& out_;
  const char* separator_ = ",";
};

void append_process(RecordLine& line, const RunStart& start) {
  const runner::RunSettings& settings = start.settings;
  line.text_if_any("on", settings.on);
  line.text_if_any("jobs", settings.jobs);
  line.text_if_any("until", settings.part.until);
  line.text_if_any("only", settings.part.only);
  if (settings.fail_fast) line.key("fail_fast") += *settings.fail_fast ? "true" : "false";
  line.flag_if_set("force", settings.force);
  if (settings.max_parallel > 0) line.number("max_parallel", static_cast<std::int64_t>(settings.max_parallel));
  if (!settings.policy.name.empty()) {
    line.open("policy");
    line.text("name", settings.policy.name);
    line.text("root", settings.policy.root);
    line.flag_if_set("network", settings.policy.network);
    line.close();
  }
  line.texts_if_any("env_files", settings.env_files);
  line.flag_if_set("server", settings.server);
  line.number("pid", ::getpid());
  line.text("host", host_name());
  if (start.source != nullptr) {
    line.text("sha256", sha256(start.source->text()));
  }
}

// The secret parameter of this name. Null: the workflow has no such parameter, or it is not secret.
const workflow::Parameter* secret_parameter(const Workflow* workflow, std::string_view name) {
  if (workflow == nullptr) return nullptr;
  for (const workflow::Parameter& parameter : workflow->parameters) {
    if (parameter.name == name) return parameter.secret ? &parameter : nullptr;
  }
  return nullptr;
}

void append_inputs(RecordLine& line, const RunStart& start) {
  std::vector<std::string_view> hidden;
  line.open("inputs");
  for (const auto& [name, value] : start.inputs) {
    if (const workflow::Parameter* secret = secret_parameter(start.workflow, name)) {
      if (!runner::must_be_given_again(*secret, value)) continue;
      hidden.push_back(name);
      continue;
    }
    // The names of inputs come from the command line and may be any text, so they are escaped.
    append_json_value(line.escaped_key(name), value);
  }
  line.close();
  line.texts_if_any("secret_inputs", hidden);
  std::vector<std::string_view> masked;
  for (const std::string& name : start.masked_inputs) {
    if (secret_parameter(start.workflow, name) == nullptr) masked.push_back(name);
  }
  line.texts_if_any("masked_inputs", masked);
}

// A command, and the same text with its secrets masked, even those that are too short to be masked everywhere.
struct MaskedCommand {
  explicit MaskedCommand(std::string_view command) : text(command), masked(secrets::Masker().masked(command)) {}
  const std::string_view text;
  const std::string masked;
};

// Masks the command that a tool repeats in its metadata, which is usually `known`.
Value with_masked_command(const Value& metadata, const MaskedCommand& known) {
  const expressions::Map* map = metadata.as_map();
  if (map == nullptr) return metadata;
  const auto found = map->fields.find("command");
  const std::string* const command = found == map->fields.end() ? nullptr : found->second.as_text();
  if (command == nullptr) return metadata;
  std::string masked = *command == known.text ? known.masked : secrets::Masker().masked(*command);
  if (masked == *command) return metadata;
  expressions::Map copy = *map;
  copy.fields.find("command")->second = Value(std::move(masked));
  return Value(std::move(copy));
}

// The metadata without the outputs, which most tools repeat in the metadata and which may be large. Nothing: the
// outputs in the metadata are different, or missing.
std::optional<Value> metadata_without_outputs(const Outcome& outcome) {
  const expressions::Map* map = outcome.metadata.as_map();
  if (map == nullptr) return std::nullopt;
  const auto is = [&](const char* name, const std::string& text) {
    const auto found = map->fields.find(name);
    return found != map->fields.end() && found->second.as_map() == nullptr && found->second.as_text() != nullptr &&
           *found->second.as_text() == text;
  };
  if (!is("stdout", outcome.standard_output) || !is("stderr", outcome.standard_error)) return std::nullopt;
  expressions::Map rest = *map;
  rest.fields.erase("stdout");
  rest.fields.erase("stderr");
  return Value(std::move(rest));
}

void append_whole(RecordLine& line, std::string_view name, const runner::WholeOutput& whole) {
  if (!whole.cut && !whole.lossy && whole.file.empty() && whole.trouble.empty()) return;
  line.open(name);
  line.number("bytes", static_cast<std::int64_t>(whole.bytes));
  line.flag_if_set("cut", whole.cut);
  line.flag_if_set("lossy", whole.lossy);
  line.flag_if_set("wanted", whole.wanted);
  // Only the name is recorded: the folder is beside the journal, even after both were moved.
  line.text_if_any("file", std::string_view(whole.file).substr(whole.file.rfind('/') + 1));
  line.text_if_any("sha256", whole.sha256);
  line.text_if_any("trouble", whole.trouble);
  line.close();
}

void append_outcome(RecordLine& line, const Step& step, const Outcome& outcome, const MaskedCommand& command,
                    bool secret, bool waits = false) {
  line.open("outcome");
  line.number("duration_ms", outcome.duration_ms);
  line.flag_if_set("is_error", outcome.is_error);
  line.flag_if_set("aborted", outcome.aborted && !waits);
  line.text_if_any("error", outcome.error);
  if (outcome.exit_code != step.exit_code) line.number("exit_code", outcome.exit_code);
  if (!secret) {
    line.text_if_any("stdout", outcome.standard_output);
    line.text_if_any("stderr", outcome.standard_error);
    append_whole(line, "stdout_whole", outcome.whole_output);
    append_whole(line, "stderr_whole", outcome.whole_error);
    line.text_if_any("message", outcome.message);
    const std::optional<Value> rest = metadata_without_outputs(outcome);
    line.value_if_any("metadata", with_masked_command(rest ? *rest : outcome.metadata, command));
    line.flag_if_set("metadata_has_outputs", rest.has_value());
    line.value_if_any("variables", outcome.variables);
    line.value_if_any("answer", outcome.answer);
    line.value_if_any("matrix", outcome.matrix);
  }
  line.close();
}

}  // namespace

std::string_view name_of(const Workflow& workflow) { return workflow.name.empty() ? workflow.title : workflow.name; }

std::string_view action_word(const workflow::State& state) {
  return state.action ? type_of(state.action->kind).name : std::string_view();
}

std::string_view workflow_of(const Step& step, const Workflow* root) {
  if (step.workflow == root || root == nullptr) return {};
  const std::string_view name = name_of(*step.workflow);
  return name.empty() ? branch_name(step.branch) : name;
}

void append_run_started(std::string& out, Moment at, const RunStart& start, std::string_view directory) {
  RecordLine line(out, "run_started", at);
  line.text("run", start.run);
  line.text("name", start.name);
  line.path("file", start.file);
  if (!directory.empty()) line.path("directory", directory);
  append_process(line, start);
  // Not recorded when the run is resumed: otherwise a command that resumes the run in its own namespace could answer
  // the questions of the run.
  if (const std::int64_t space = own_pid_namespace(); space != 0) line.number("pid_namespace", space);
  append_inputs(line, start);
}

void append_run_resumed(std::string& out, Moment at, const RunStart& start, const StepPlace* from) {
  RecordLine line(out, "run_resumed", at);
  line.text("run", start.run);
  append_process(line, start);
  append_inputs(line, start);
  if (from == nullptr) return;
  line.open("from");
  line.place(*from);
  line.close();
}

void append_state_started(std::string& out, Moment at, const Step& step, const Workflow* root) {
  RecordLine line(out, "state_started", at);
  line.step(step, root);
  line.text_if_any("action", action_word(step.of()));
  if (step.of().action) line.text_if_any("action_sha256", step.of().action->sha256);
  if (!step.of().action || !workflow::type_of(step.of().action->kind).calls_something) return;
  const std::string limits = workflow::limits_text(workflow::place_of(*step.workflow, step.state).limits);
  if (!limits.empty()) line.key("limits") += limits;
}

void append_workflow_started(std::string& out, Moment at, const Step& step, const Workflow* root,
                             const RunStart& start) {
  RecordLine line(out, "workflow_started", at);
  line.step(step, root);
  line.text("name", start.name);
  append_inputs(line, start);
}

void append_node(std::string& out, Moment at, const Step& step, const Workflow* root, const CallState& state) {
  RecordLine line(out, "node", at);
  line.step(step, root);
  line.text("node", state.node);
  line.text_if_any("job", state.job);
}

void append_output(std::string& out, Moment at, const Step& step, const Workflow* root, bool is_error_stream,
                   std::string_view text) {
  RecordLine line(out, "output", at);
  line.step(step, root);
  line.text("stream", is_error_stream ? "stderr" : "stdout");
  line.text("text", text);
}

void append_log(std::string& out, Moment at, const Step& step, const Workflow* root, workflow::LogAction::Level level,
                std::string_view text) {
  RecordLine line(out, "log", at);
  line.step(step, root);
  line.text("level", word(level));
  line.text("text", text);
}

void append_service(std::string& out, Moment at, const Step& step, const Workflow* root,
                    const runner::ServiceEvent& event) {
  RecordLine line(out, "service", at);
  line.step(step, root);
  line.text("event", word(event.kind));
  line.flag_if_set("failed", event.failed);
  if (event.failed) line.number("exit_code", event.exit_code);
  if (!gives_secrets(step)) line.text_if_any("message", event.message);
  line.text_if_any("log", std::string_view(event.log).substr(event.log.rfind('/') + 1));
}

void append_retry(std::string& out, Moment at, const Step& step, const Workflow* root, const Outcome& outcome,
                  std::chrono::milliseconds wait) {
  RecordLine line(out, "retry", at);
  line.step(step, root);
  line.number("try", step.tries);
  line.number("wait_ms", wait.count());
  line.number("exit_code", outcome.exit_code);
  line.text_if_any("error", outcome.error);
  if (gives_secrets(step)) return;
  line.text_if_any("message", outcome.message);
  append_outcome(line, step, outcome, MaskedCommand(""), false);
}

void append_state_ended(std::string& out, Moment at, const Step& step, const Workflow* root, const runner::StepEnd& end,
                        bool masked, bool waits) {
  RecordLine line(out, "state_ended", at);
  line.step(step, root);
  line.text_if_any("action", action_word(step.of()));
  line.text("status", waits ? waiting_word : status_word(step.status, step.of().action.has_value()));
  line.duration("ms", step.took);
  line.number("exit_code", step.exit_code);
  line.number("tries", step.tries);
  const bool secret = end.secret || gives_secrets(step);
  line.flag_if_set("secret", secret);
  line.flag_if_set("masked", masked);
  line.flag_if_set("up_to_date", step.up_to_date);
  // Masked as in logs and the audit trail. A resumed run only shows and records this text.
  const MaskedCommand command(end.command);
  line.text_if_any("command", command.masked);
  append_outcome(line, step, end.outcome, command, secret, waits);
  if (!end.assigned.empty() && !secret) {
    line.open("set");
    for (const auto& [name, value] : end.assigned) append_json_value(line.escaped_key(name), value);
    line.close();
  }
  if (!step.kept_files.empty()) {
    line.objects("kept_files", step.kept_files, [&](const runner::KeptFile& file) {
      line.text("path", file.path);
      line.text("copy", file.copy);
      line.number("bytes", static_cast<std::int64_t>(file.bytes));
    });
  }
  if (!step.made_files.empty()) {
    line.objects("made_files", step.made_files, [&](const runner::MadeFile& file) {
      line.text("path", file.path);
      line.text("sha256", file.sha256);
    });
  }
  line.flag_if_set("ends_workflow", end.ends_workflow);
  line.text_if_any("result", end.result_name);
  line.text_if_any("failed_before", end.failed_before);
  line.key("went_on") += end.transitioned ? "true" : "false";
  line.texts("next", end.next);
}

void append_usage(std::string& out, Moment at, const Step& step, const Workflow* root, const runner::Usage& usage) {
  RecordLine line(out, "usage", at);
  line.step(step, root);
  if (usage.calls != 0) line.number("calls", usage.calls);
  if (usage.tokens != 0) line.number("tokens", usage.tokens);
  if (usage.cost != 0) append_json_value(line.key("cost"), Value(usage.cost));
  if (usage.time.count() != 0) line.number("time_ms", usage.time.count());
}

void append_past_forgotten(std::string& out, Moment at, const std::vector<runner::StepPlace>& kept) {
  RecordLine line(out, "past_forgotten", at);
  line.objects("kept", kept, [&](const StepPlace& place) { line.place(place); });
}

void append_branches_forgotten(std::string& out, Moment at, const std::string& beginning) {
  RecordLine line(out, "branches_forgotten", at);
  line.text("beginning", beginning);
}

void append_notice(std::string& out, Moment at, std::string_view text) {
  RecordLine line(out, "notice", at);
  line.text("text", text);
}

void append_run_ended(std::string& out, Moment at, const runner::RunReport& report) {
  RecordLine line(out, "run_ended", at);
  line.text("status", word(report.status));
  line.text_if_any("reason", report.reason);
  line.flag_if_set("refused", report.refused);
  line.flag_if_set("missed_until", report.missed_until);
  line.duration("ms", report.took);
}

}  // namespace wtool::host::journal
