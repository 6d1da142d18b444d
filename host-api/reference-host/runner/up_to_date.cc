#include "runner/up_to_date.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <system_error>
#include <utility>

#include "base/escape.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/paths.h"
#include "base/raw_json.h"
#include "base/text.h"
#include "base/utf8.h"
#include "runner/kept_files.h"
#include "runner/secrets.h"

namespace wtool::host::runner {
namespace {

using expressions::Value;
using nlohmann::json;
using nlohmann::ordered_json;

// How many files of a step are recorded. All of them are in one line of the journal.
constexpr std::size_t max_made_files = 10'000;

std::string shown_variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? "-" : "=" + std::string(value);
}

// Whether TERM, which begins at `at`, is a signal there: as the option -TERM, or in a command of kill or trap.
bool is_signal(std::string_view text, std::size_t at) {
  if (at > 0 && text[at - 1] == '-' && (at == 1 || text[at - 2] == ' ' || text[at - 2] == '\t')) return true;
  const std::size_t before = text.find_last_of(";&|\n(){}", at);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::string_view command = text.substr(begin, at - begin);
  const auto has_word = [&](std::string_view word) {
    for (std::size_t i = command.find(word); i != std::string_view::npos; i = command.find(word, i + 1)) {
      const std::size_t end = i + word.size();
      if ((i == 0 || !is_word_character(command[i - 1])) && (end == command.size() || !is_word_character(command[end])))
        return true;
    }
    return false;
  };
  return has_word("kill") || has_word("trap") || has_word("pkill") || has_word("killall");
}

// Adds the variables that a text may read: as $NAME or ${NAME...}, whether or not a shell would expand them there; by
// the name alone, as in $((NAME + 1)) and `printenv NAME`, if there is such a variable; and HOME for a `~`.
void add_variables(std::string_view text, std::map<std::string, std::string>& found) {
  if (text.find('~') != std::string_view::npos) found["HOME"] = shown_variable("HOME");
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word_character(text[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && is_word_character(text[at])) ++at;
    const std::string name(text.substr(begin, at - begin));
    std::size_t before = begin;
    while (before > 0 && (text[before - 1] == '{' || text[before - 1] == '#' || text[before - 1] == '!')) --before;
    const bool is_expanded = before > 0 && text[before - 1] == '$';
    if (!is_expanded && (std::getenv(name.c_str()) == nullptr || (name == "TERM" && is_signal(text, begin)))) continue;
    found[name] = shown_variable(name);
  }
}

// The same for each text in the JSON.
void add_variables_of_texts(const json& values, std::map<std::string, std::string>& found) {
  if (values.is_string()) return add_variables(values.get_ref<const std::string&>(), found);
  if (!values.is_structured()) return;
  for (const auto& [key, value] : values.items()) {
    if (values.is_object()) add_variables(key, found);
    add_variables_of_texts(value, found);
  }
}

// The text with a fixed word in place of each name in `own_files`, because these names differ each time.
std::string without_own_files(std::string text, const PreparedPrompt* prompt) {
  for (std::size_t i = 0; prompt != nullptr && i < prompt->own_files.size(); ++i) {
    replace_all(text, prompt->own_files[i], "<file " + std::to_string(i) + ">");
  }
  return text;
}

json result_json(const ActionResult& result) {
  const Outcome& outcome = result.outcome;
  json made = {{"stdout", outcome.standard_output},
               {"stderr", outcome.standard_error},
               {"message", outcome.message},
               {"metadata", parse_json(expressions::to_json(outcome.metadata))},
               {"streamed", json::array({outcome.whole_output.streamed, outcome.whole_error.streamed})},
               {"ends_workflow", result.ends_workflow},
               {"assigned", json::array()}};
  for (const auto& [name, value] : result.assigned) {
    made["assigned"].push_back(json::array({name, parse_json(expressions::to_json(value))}));
  }
  return made;
}

// Reads a text that was made from result_json(). False: the text has another form.
bool read_result(const std::string& text, ActionResult& result) {
  const std::vector<RawJson::Member> all = members_of(text);
  Outcome outcome;
  const RawJson assigned = find_member(all, "assigned");
  if (assigned.type() != RawJson::Type::array) return false;
  for (const RawJson& pair : assigned.elements()) {
    const std::vector<RawJson> parts = pair.elements();
    auto& [name, value] = result.assigned.emplace_back();
    if (parts.size() != 2 || !take_from(parts[0].text(), name) ||
        !take_from(expressions::from_json_text(parts[1].raw()), value)) {
      return false;
    }
  }
  const std::vector<RawJson> streamed = find_member(all, "streamed").elements();
  if (streamed.size() != 2 || !take_from(find_member(all, "ends_workflow").boolean(), result.ends_workflow) ||
      !take_from(find_member(all, "stdout").text(), outcome.standard_output) ||
      !take_from(find_member(all, "stderr").text(), outcome.standard_error) ||
      !take_from(find_member(all, "message").text(), outcome.message) ||
      !take_from(streamed[0].boolean(), outcome.whole_output.streamed) ||
      !take_from(streamed[1].boolean(), outcome.whole_error.streamed)) {
    return false;
  }
  // Metadata that nests too deeply to be a value is left out, as it is after a call.
  take_from(expressions::from_json_text(find_member(all, "metadata").raw()), outcome.metadata);
  outcome.whole_output.bytes = outcome.standard_output.size();
  outcome.whole_error.bytes = outcome.standard_error.size();
  result.outcome = std::move(outcome);
  return true;
}

}  // namespace

cache::StepCache::Refuses secret_search(const Secrets* secrets) {
  return [secrets, text = std::make_shared<std::string>()](std::string_view piece, bool) {
    if (secrets == nullptr || secrets->empty()) return false;
    *text += piece;
    if (secrets->masked(*text) != *text) return true;
    text->erase(0, text->size() - secrets->undecided_tail(*text));
    return false;
  };
}

std::optional<std::vector<std::string>> rendered_patterns(const json* patterns, const expressions::Scope& values,
                                                          std::string& why) {
  std::vector<std::string> made;
  if (patterns == nullptr) return made;
  const auto rendered = rendered_arguments(*patterns, values, why);
  if (!rendered) return std::nullopt;
  const auto take = [&](const json& entry) {
    if (!entry.is_string() || entry.get_ref<const std::string&>().empty()) {
      why = "inputs and outputs must be texts, not " + expressions::quoted_json(entry);
      return false;
    }
    made.push_back(entry.get<std::string>());
    return true;
  };
  for (std::size_t i = 0; i < rendered->size(); ++i) {
    const json& entry = (*rendered)[i];
    const std::size_t before = made.size();
    if (!entry.is_array()) {
      if (!take(entry)) return std::nullopt;
    } else {
      for (const json& inner : entry) {
        if (!take(inner)) return std::nullopt;
      }
    }
    // Only a `!` in the workflow's own text excludes files. A filled-in value that begins with `!` is a file name.
    const json& written = (*patterns)[i];
    if (written.is_string() && written.get_ref<const std::string&>().starts_with('!')) continue;
    for (std::size_t at = before; at < made.size(); ++at) {
      if (made[at].starts_with('!')) made[at].insert(0, "./");
    }
  }
  return made;
}

std::optional<Explanation> explanation_of(const Explain& explain, const CallPlace& place, const std::string& tool,
                                          const json& arguments, std::string& why) {
  if (!explain) {
    why = "this host does not ask tools what a call would do";
    return std::nullopt;
  }
  return explain(place, tool, arguments, why);
}

std::optional<cache::Work> work_of(const std::string& tool, const json& arguments, const CallPlace& place,
                                   const Explanation& explained, const PreparedPrompt* prompt, std::string& why) {
  const std::string verdict = explained.text("verdict");
  if (verdict != "allow") {
    why = verdict == "ask" ? "a person must approve it first" : "policy does not allow it";
    return std::nullopt;
  }
  cache::Work work;
  auto directory = directory_of(explained, tool, why);
  if (!directory) return std::nullopt;
  work.directory = std::move(*directory);
  json call = arguments;
  json environment = json::object();
  // A tool of an MCP server may have arguments of these names with another meaning.
  if (call.is_object() && tool.find('/') == std::string::npos) {
    if (const auto found = call.find("environment"); found != call.end()) environment = *found;
    call.erase("environment");
    call.erase("timeout");  // only successes are kept, and no timeout changes their results
  }
  std::map<std::string, std::string> variables;
  add_variables_of_texts(call, variables);
  add_variables(explained.text("command"), variables);
  // The call sets these itself.
  for (const auto& [name, value] : environment.items()) {
    add_variables_of_texts(value, variables);
    variables.erase(name);
  }
  variables["PATH"] = shown_variable("PATH");
  const std::string argv(explained.member("argv").raw());
  if (call.is_object()) {
    bool has_command = false;
    for (const auto& [name, value] : call.items()) {
      const bool is_command = name == "command";
      has_command = has_command || is_command;
      // The words that policy makes of the command belong to it.
      work.parts[is_command ? "the command" : "the argument '" + name + "'"] =
          without_own_files(dumped(value) + (is_command ? argv : ""), prompt);
    }
    work.parts["the tool"] = without_own_files(tool + (has_command ? "" : argv), prompt);
  } else {
    work.parts["the call"] = without_own_files(tool + dumped(call) + argv, prompt);
  }
  if (prompt != nullptr) work.parts["the text of the prompt"] = prompt->text;
  if (environment.is_object()) {
    for (const auto& [name, value] : environment.items()) {
      work.parts["the variable " + name + " of its env"] = without_own_files(dumped(value), prompt);
    }
  } else {
    work.parts["its environment"] = dumped(environment);
  }
  for (const auto& [name, value] : variables) work.parts["the variable " + name] = value;
  work.parts["the place where it runs"] = dumped(json::array({place.on, place.slot, place.shell, place.limits}));
  work.parts["its sandbox"] = explained.member("sandbox").raw();
  return work;
}

bool names_no_input(const workflow::ActionOptions& options, const std::vector<std::string>& rendered) {
  return options.cache.inputs != nullptr &&
         std::all_of(rendered.begin(), rendered.end(), [](const std::string& input) { return input.starts_with('!'); });
}

void add_options(const workflow::ActionOptions& options, const ConfigurationState& configuration, cache::Work& work) {
  work.parts["the configuration"] = configuration.hash;
  if (options.cache.strict) work.parts["which files it may use"] = "strict";
  if (options.output) work.parts["what its output must be"] = dumped(*options.output);
}

KeptCall::KeptCall(const Step& step, const ActionContext& context, const CallPlace& place, const std::string& tool,
                   const json& arguments, const PreparedPrompt* prompt)
    : step_(step), run_(context.invocation.run) {
  const workflow::ActionOptions& options = step.of().action->options;
  const RunRequest& request = run_.request();
  const bool is_kept = options.cache.is_on() && !gives_secrets(step);
  if (request.services.cache == nullptr || (!is_kept && options.cache.outputs == nullptr)) return;
  std::string why;
  auto inputs = rendered_patterns(options.cache.inputs.get(), context.variables, mistake_);
  if (!inputs) return;
  auto outputs = rendered_patterns(options.cache.outputs.get(), context.variables, mistake_);
  if (!outputs) return;
  std::optional<Explanation> explained;
  if (request.services.explain) explained = explanation_of(request.services.explain, place, tool, arguments, why);
  std::string combination;
  if (const Value* values = options.matrix ? context.variables.find("matrix") : nullptr) {
    combination = expressions::to_json(*values);
  }
  if (explained) {
    const std::string name = "'" + step.of().id + "'" + (combination.empty() ? "" : " with " + combination);
    // A step that is only looked for must not keep another one from being up to date.
    claimed_ = {name, request.run, {explained->text("directory"), *outputs}};
    claim_.take(run_.output_claims(), {name, claimed_.outputs, is_kept}, context.stop);
  }
  if (!is_kept) return;
  // Even if the result of this call is not kept, the call makes earlier results of the step old.
  work_.step = step.of().id;
  work_.file = context.invocation.source.name();
  work_.combination = std::move(combination);
  work_.inputs = *inputs;
  work_.outputs = std::move(*outputs);
  if (explained) work_.directory = explained->text("directory");
  if (names_no_input(options, *inputs)) {
    notice(no_input);
    return;
  }
  const std::string written = dumped(arguments) + (prompt == nullptr ? "" : prompt->text);
  if (request.secrets != nullptr && request.secrets->masked(written) != written) {
    notice("its call contains a secret");
    return;
  }
  if (!request.services.explain) return;
  if (!explained) {
    notice(why);
    return;
  }
  auto work = work_of(tool, arguments, place, *explained, prompt, why);
  if (!work) {
    // A call that is not allowed says so itself.
    if (explained->text("verdict") == "allow") notice(why);
    return;
  }
  tool_ = tool;
  command_ = explained->text("command");
  rule_ = explained->text("rule");
  work_.directory = std::move(work->directory);
  work_.parts = std::move(work->parts);
  // Asking about the call has read the files of the configuration, if they had changed.
  if (request.services.configuration) configuration_ = request.services.configuration();
  add_options(options, configuration_, work_);
  cache_ = request.services.cache;
}

void KeptCall::notice(const std::string& what) const {
  run_.observer().noticed("the step '" + step_.of().id + "' is run each time: " + what);
}

std::string KeptCall::confine(const ActionContext& context, CallPlace& place, const std::string& tool,
                              const json& arguments) {
  const workflow::CacheOptions& cache = step_.of().action->options.cache;
  if (!cache.strict) return {};
  if (!is_confined_) {
    const std::string& on = place.on.empty() ? run_.request().settings.on : place.on;
    if (!on.empty() && on != "local") {
      return "a step with cache=strict runs on this machine, not on " + expressions::quoted_for_message(on);
    }
    std::string why;
    const auto explained = explanation_of(run_.request().services.explain, place, tool, arguments, why);
    const std::string directory = explained ? explained->text("directory") : "";
    if (!directory.starts_with('/'))
      return "cache=strict needs the directory of the command, which is not known: " + why;
    const auto inputs = rendered_patterns(cache.inputs.get(), context.variables, why);
    if (!inputs) return why;
    const auto outputs = rendered_patterns(cache.outputs.get(), context.variables, why);
    if (!outputs) return why;
    // No folders are made for a call that will be refused. If it is not refused after all, it may use no files.
    if (explained->text("verdict") != "deny") {
      if (why = strict_files_.prepare(directory, *inputs, *outputs); !why.empty()) return why;
    }
    is_confined_ = true;
  }
  place.limits = strict_files_.added_to(place.limits);
  return {};
}

bool KeptCall::was_refused_files(const Outcome& outcome) const {
  if (!is_confined_) return false;
  const Value* refused = expressions::field_of(expressions::field_of(&outcome.metadata, "sandbox"), "refused");
  const auto* list = refused == nullptr ? nullptr : refused->as_list();
  if (list == nullptr) return false;
  for (const Value& entry : *list) {
    const std::string* text = entry.as_text();
    if (text == nullptr || !(text->starts_with("a read") || text->starts_with("a write"))) continue;
    run_.observer().noticed("the step '" + step_.of().id +
                            "' needs a file that its inputs and outputs do not name (cache=strict): " + *text);
    return true;
  }
  return false;
}

// Writes a line to the audit trail. Returns why it cannot be written; empty: it was written, or there is no trail.
std::string KeptCall::record() const {
  const RunRequest& request = run_.request();
  if (!request.services.record_skipped) return {};
  ordered_json fields{{"tool", tool_}, {"directory", work_.directory}};
  if (!command_.empty()) {
    fields["command"] = request.secrets == nullptr ? command_ : request.secrets->masked(command_);
  }
  fields["verdict"] = "allow";
  if (!rule_.empty()) fields["rule"] = rule_;
  fields["run"] = request.run;
  fields["state"] = step_.of().id;
  fields["result_of"] = look_.entry->run;
  return request.services.record_skipped(fields);
}

void KeptCall::claim_in_all_runs() {
  const cache::StepCache* const cache = run_.request().services.cache;
  if (cache != nullptr && !claimed_.outputs.patterns.empty()) cache->claim(shared_claim_, claimed_);
}

bool KeptCall::take(ActionResult& result) {
  const bool is_up_to_date = take_kept(result);
  if (is_up_to_date) {
    shared_claim_.release();
    claim_.release();
  } else {
    claim_in_all_runs();
    if (!work_.directory.empty()) run_.request().services.cache->begin(work_, look_);
    claim_.share();
  }
  return is_up_to_date;
}

bool KeptCall::take_kept(ActionResult& result) {
  if (cache_ == nullptr || !claim_.conflict().empty()) return false;
  const auto takes_time = [this] { run_.observer().work_begins(step_); };
  look_ = cache_->look(work_, takes_time);
  if (look_.is_doubt) notice(look_.why);
  if (!look_.entry) return false;
  ActionResult then;
  if (!read_result(look_.entry->result, then)) return false;
  if (!look_.missing.empty()) {
    claim_in_all_runs();
    if (!shared_claim_.conflict().empty()) return false;
  }
  if (!cache_->restore(work_, look_, takes_time)) return false;
  if (const std::string why = record(); !why.empty()) {
    // Without a record, the call is not skipped: its tool writes to the audit trail, or reports why it cannot.
    notice(why);
    return false;
  }
  result.outcome = std::move(then.outcome);
  result.assigned = std::move(then.assigned);
  result.ends_workflow = then.ends_workflow;
  result.up_to_date = true;
  note_made_files(result, look_.entry->outputs);
  return true;
}

std::string KeptCall::missing_output() const {
  const cache::Outputs& outputs = claimed_.outputs;
  if (!outputs.directory.starts_with('/')) return {};
  const cache::FoundFiles found = cache::find_files(outputs.directory, outputs.patterns);
  if (!found.problem.empty()) return {};
  for (const std::string& pattern : found.unmatched) {
    // An empty folder has no files, but was made.
    std::error_code failed;
    if (std::filesystem::exists(std::filesystem::path(outputs.directory) / pattern, failed) || failed) continue;
    return "the command succeeded, but no file matches " + expressions::quoted_for_message(pattern) +
           " of its `outputs`, in the folder " + escaped(outputs.directory) +
           "; let the command make the file or fail, or correct `outputs`";
  }
  return {};
}

void KeptCall::keep(ActionResult& result) {
  const bool was_refused = was_refused_files(result.outcome);
  if (result.is_fatal() || result.outcome.is_error || result.outcome.aborted) return;
  std::vector<cache::CachedOutput> outputs;
  const bool is_kept = !was_refused && cache_ != nullptr && !look_.is_doubt && keep_result(result, outputs);
  if (!is_kept && !claimed_.outputs.patterns.empty()) {
    outputs = run_.request().services.cache->outputs_of(claimed_.outputs, max_made_files);
  }
  note_made_files(result, outputs);
}

// A short secret can be guessed from its hash, and a secret step runs again anyway.
void KeptCall::note_made_files(ActionResult& result, const std::vector<cache::CachedOutput>& outputs) const {
  if (gives_secrets(step_)) return;
  std::error_code failed;
  const std::filesystem::path here = std::filesystem::current_path(failed);
  const Secrets* const secrets = run_.request().secrets;
  for (const cache::CachedOutput& output : outputs) {
    if (failed || result.made_files.size() == max_made_files) return;
    const std::filesystem::path file = std::filesystem::path(claimed_.outputs.directory) / output.path;
    std::string path = is_within(file.string(), here.string()) ? file.lexically_relative(here).string() : file.string();
    // No record may have the name, so nothing is known of the file later.
    if (!is_utf8(path) || (secrets != nullptr && secrets->masked(path) != path)) continue;
    // Of a link to another output, the cache keeps only where it leads to.
    std::string hash = output.hash.empty() ? output.behind : output.hash;
    if (hash.empty()) hash = run_.request().services.cache->state_of(file.string()).hash;
    result.made_files.push_back({std::move(path), std::move(hash)});
  }
}

bool KeptCall::keep_result(const ActionResult& result, std::vector<cache::CachedOutput>& outputs) {
  const auto not_kept = [this](const std::string& why) {
    run_.observer().noticed("the result of the step '" + step_.of().id + "' is not kept: " + why);
    return false;
  };
  if (const std::string conflict = claim_.begin_keeping(); !conflict.empty()) return not_kept(conflict);
  const auto& configuration = run_.request().services.configuration;
  if (configuration && configuration().changes != configuration_.changes) {
    return not_kept("the configuration changed while it ran");
  }
  const Outcome& outcome = result.outcome;
  for (const WholeOutput* whole : {&outcome.whole_output, &outcome.whole_error}) {
    if (whole->cut || whole->lossy) return not_kept("its output is longer than what is kept as text, or is not text");
  }
  const Secrets* const secrets = run_.request().secrets;
  const std::string why = cache_->keep(
      work_, look_, dumped(result_json(result)), run_.request().run, [secrets] { return secret_search(secrets); },
      shared_claim_, &outputs);
  shared_claim_.release();
  claim_.release();
  return why.empty() || not_kept(why);
}

}  // namespace wtool::host::runner
