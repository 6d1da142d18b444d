#include "workflow/parse/action_options.h"

#include <algorithm>
#include <utility>

#include "base/config/keys.h"
#include "base/edit_distance.h"
#include "base/json.h"
#include "base/text.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {
namespace {

// The longest wait of a `backoff` that names only its first wait.
constexpr std::chrono::milliseconds usual_longest_wait{60'000};

std::optional<Backoff> backoff_value(std::string_view text) {
  const std::size_t dots = text.find("..");
  const auto first = duration_value(text.substr(0, dots));
  if (!first) return std::nullopt;
  if (dots == std::string_view::npos) return Backoff{*first, std::max(*first, usual_longest_wait)};
  const auto longest = duration_value(text.substr(dots + 2));
  if (!longest || *longest < *first) return std::nullopt;
  return Backoff{*first, *longest};
}

// Whether each entry is a list that is not empty, or a text with a template, which may render to a list.
bool is_matrix(const nlohmann::json& object) {
  return !object.empty() && std::all_of(object.begin(), object.end(), [](const nlohmann::json& entry) {
    if (entry.is_array()) return !entry.empty();
    return entry.is_string() && entry.get_ref<const std::string&>().find('{') != std::string::npos;
  });
}

// Whether the combinations that are known before a run are already too many.
bool is_too_large(const nlohmann::json& matrix) {
  std::size_t combinations = 1;
  for (const auto& entry : matrix) {
    if (entry.is_array()) combinations *= entry.size();
    if (combinations > max_combinations) return true;
  }
  return false;
}

// Whether a name, `=` and a list come next.
bool sees_list(ActionCursor ahead) {
  ahead.take_bare_word();
  return ahead.take_symbol('=') && ahead.sees('[');
}

}  // namespace

bool read_retries(std::string_view text, std::int64_t& out) {
  return read_number(text, out) && out >= 0 && out <= max_retries;
}

std::string option_meant(const std::string& name, const std::vector<std::string>& known) {
  std::string question = did_you_mean(name, known);
  if (!question.empty()) return question;
  static constexpr std::pair<const char*, const char*> other_words[] = {
      {"environment", "env"}, {"retries", "retry"}, {"working_directory", "working_dir"}, {"max_retries", "retry"}};
  for (const auto& [word, meant] : other_words) {
    const bool is_word = name == word || !did_you_mean(name, {word}).empty();
    if (!is_word || std::find(known.begin(), known.end(), meant) == known.end()) continue;
    return std::string("; did you mean '") + meant + "'?";
  }
  return "";
}

struct OptionReader::Option {
  std::string_view name;
  std::string_view example;                            // how it is written, for messages
  bool (*read)(OptionReader& in, ActionOptions& out);  // the value. nullptr: a word that may come before options
};

// did_you_mean() prefers the earlier of two names that are equally similar. `timeout` must be the first.
std::span<const OptionReader::Option> OptionReader::all() {
  using In = OptionReader;
  using Out = ActionOptions;
  static constexpr Option table[] = {
      {"timeout", "timeout=60", [](In& in, Out& out) { return in.timeout(out.timeout); }},
      {"result", "result=\"name\"", [](In& in, Out& out) { return in.result(out); }},
      {"retry", "retry=3", [](In& in, Out& out) { return in.retry(out); }},
      {"backoff", "backoff=2s..60s", [](In& in, Out& out) { return in.backoff(out); }},
      {"total_timeout", "total_timeout=60", [](In& in, Out& out) { return in.timeout(out.total_timeout); }},
      {"on_failure", "on failure: State", [](In& in, Out& out) { return in.on_failure(out); }},
      {"secret", "secret=true", [](In& in, Out& out) { return in.secret(out); }},
      {"on", "on=cluster", [](In& in, Out& out) { return take_on(in.cursor_, in.diagnostics_, out.place.on); }},
      {"slot", "slot=big", [](In& in, Out& out) { return take_slot(in.cursor_, in.diagnostics_, out.place.slot); }},
      {"sandbox", "sandbox=\"read-only\"", [](In& in, Out& out) { return in.limit("sandbox", out); }},
      {"network", "network=deny", [](In& in, Out& out) { return in.limit("network", out); }},
      {"memory", "memory=1G", [](In& in, Out& out) { return in.limit("memory", out); }},
      {"cpu", "cpu=60s", [](In& in, Out& out) { return in.limit("cpu", out); }},
      {"processes", "processes=50", [](In& in, Out& out) { return in.limit("processes", out); }},
      {"matrix", "matrix={\"os\": [\"a\", \"b\"]}", [](In& in, Out& out) { return in.matrix(out); }},
      {"output", "output={\"verdict\": [\"pass\", \"fail\"]}",
       [](In& in, Out& out) { return take_output(in.cursor_, in.diagnostics_, out); }},
      {"ask_again", "ask_again=2",
       [](In& in, Out& out) { return in.number("ask_again", 0, max_asked_again, out.ask_again); }},
      {"max", "max=5", [](In& in, Out& out) { return in.number("max", 1, max_visits_allowed, out.max_visits); }},
      {"with", "with", nullptr},
      {"lock", "lock=\"name\"", [](In& in, Out& out) { return in.lock(out); }},
      {"inputs", "inputs=[\"src/**\"]", [](In& in, Out& out) { return in.cached_files(out.cache.inputs, out.cache); }},
      {"outputs", "outputs=[\"src/**\"]",
       [](In& in, Out& out) { return in.cached_files(out.cache.outputs, out.cache); }},
      {"cache", "cache=true", [](In& in, Out& out) { return in.cache(out.cache); }},
      {"keep", "keep=[\"dist/**\"]", [](In& in, Out& out) { return in.keep(out); }},
  };
  return table;
}

const OptionReader::Option* OptionReader::find(std::string_view name) {
  const std::span<const Option> options = all();
  const auto found = std::find_if(options.begin(), options.end(), [&](const Option& one) { return one.name == name; });
  return found == options.end() ? nullptr : &*found;
}

const std::vector<std::string>& OptionReader::names() const {
  static const std::vector<std::string> with_timeout = [] {
    std::vector<std::string> made;
    for (const Option& option : all()) made.emplace_back(option.name);
    return made;
  }();
  static const std::vector<std::string> without_timeout(with_timeout.begin() + 1, with_timeout.end());
  return has_timeout_ ? with_timeout : without_timeout;
}

std::string OptionReader::peek_name() const {
  ActionCursor ahead = cursor_;
  std::string word = lowered(ahead.take_bare_word());
  std::replace(word.begin(), word.end(), '-', '_');
  if (word == "on" && ahead.take_word("failure")) return "on_failure";
  return word;
}

void OptionReader::note(const std::string& name, std::size_t at) {
  if (!seen_.insert(name).second) diagnostics_.add(at, "the option " + name + " is given twice");
}

OptionReader::Result OptionReader::take(ActionOptions& out) {
  const std::string name = peek_name();
  const Option* const option = find(name);
  if (option == nullptr || option->read == nullptr || (name == "timeout" && !has_timeout_)) return Result::none;
  if (is_argument(name)) return Result::none;
  const std::size_t at = cursor_.here();
  // An argument of a tool, prompt or workflow may have one of these names, but its value is not written as a list.
  if ((name == "inputs" || name == "outputs" || name == "keep") && !sees_list(cursor_)) return Result::none;
  note(name, at);
  cursor_.take_bare_word();
  if (name == "on_failure") {
    cursor_.take_word("failure");
    if (!cursor_.take_symbol(':') && !cursor_.take_symbol('=')) {
      cursor_.fail("this option is written `" + std::string(option->example) + "`");
      return Result::failed;
    }
  } else if (!cursor_.take_symbol('=')) {
    if (name == "secret") {
      out.secret = true;
      return Result::taken;
    }
    cursor_.fail("a '=' is expected after '" + name + "', as in " + std::string(option->example));
    return Result::failed;
  }
  return option->read(*this, out) ? Result::taken : Result::failed;
}

bool OptionReader::is_argument(const std::string& name) const {
  if (name != "output" && name != "max") return false;
  ActionCursor ahead = cursor_;
  ahead.take_bare_word();
  if (!ahead.take_symbol('=')) return false;
  if (ahead.sees_text()) return true;
  return ahead.take_placeholder().has_value();
}

bool OptionReader::number(const std::string& name, std::int64_t least, std::int64_t most,
                          std::optional<std::int64_t>& out) {
  const std::size_t at = cursor_.here();
  const std::string text = cursor_.take_to_blank();
  std::int64_t value = 0;
  if (read_number(text, value) && value >= least && value <= most) {
    out = value;
    return true;
  }
  diagnostics_.add(at, name + " must be a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
                           ", such as " + std::string(find(name)->example) + ", not " +
                           expressions::quoted_for_message(text));
  return false;
}

bool OptionReader::timeout(std::optional<TemplateText>& out) {
  const std::size_t at = cursor_.here();
  if (auto placeholder = cursor_.take_placeholder()) {
    out = template_text(std::move(*placeholder), diagnostics_);
    return true;
  }
  std::string written;
  if (cursor_.sees_text()) {
    auto text = cursor_.take_text("a duration");
    if (!text) return false;
    if (text->text().find('{') != std::string::npos) {
      out = template_text(std::move(*text), diagnostics_);
      return true;
    }
    written = text->text();
  } else {
    written = cursor_.take_duration();
  }
  std::string why;
  if (!timeout_value(written, why)) {
    diagnostics_.add(at, why);
    return false;
  }
  out = template_text(written, at, diagnostics_);
  return true;
}

bool OptionReader::result(ActionOptions& out) {
  const std::size_t at = cursor_.here();
  if (!cursor_.sees_text()) {
    out.result = {cursor_.take_name(), at};
    if (!out.result.name.empty()) return true;
  }
  const auto text = cursor_.take_text("the name of the result");
  if (!text) return false;
  out.result = {text->text(), at};
  return true;
}

bool OptionReader::retry(ActionOptions& out) {
  const std::size_t at = cursor_.here();
  if (read_retries(cursor_.take_bare_word(), out.retry)) {
    out.says_retry = true;
    return true;
  }
  diagnostics_.add(at, "retry must be a whole number of further tries, from 0 to " + std::to_string(max_retries) +
                           ", such as retry=3");
  return false;
}

bool OptionReader::backoff(ActionOptions& out) {
  const std::size_t at = cursor_.here();
  std::string text;
  if (cursor_.sees_text()) {
    const auto quoted = cursor_.take_text("the wait");
    if (!quoted) return false;
    text = quoted->text();
  } else {
    text = cursor_.take_duration();
  }
  out.backoff = backoff_value(text);
  if (out.backoff) return true;
  if (const std::size_t dots = text.find(".."); dots != std::string::npos && dots + 2 < text.size()) {
    const std::string turned = text.substr(dots + 2) + ".." + text.substr(0, dots);
    if (backoff_value(turned)) {
      diagnostics_.add(at,
                       "this backoff begins with a wait that is longer than its upper limit; write backoff=" + turned);
      return false;
    }
  }
  diagnostics_.add(
      at, "backoff must be the first wait and the longest one, such as backoff=2s..60s, or only the first wait, not " +
              expressions::quoted_for_message(text));
  return false;
}

bool OptionReader::on_failure(ActionOptions& out) {
  const std::size_t at = cursor_.here();
  if (cursor_.sees_text()) {
    const auto text = cursor_.take_text("the name of a state");
    if (!text) return false;
    out.on_failure = {text->text(), at};
  } else {
    out.on_failure = {cursor_.take_to_blank(), at};
  }
  if (!out.on_failure.name.empty()) return true;
  diagnostics_.add(at, "the state that a failure leads to is missing, as in `on failure: State`");
  return false;
}

bool OptionReader::lock(ActionOptions& out) {
  const std::size_t at = cursor_.here();
  auto text = cursor_.take_text("the name of a lock");
  if (!text) return false;
  const bool is_template = text->text().find('{') != std::string::npos;
  if (const std::string why = is_template ? "" : problem_of_lock_name(text->text()); !why.empty()) {
    diagnostics_.add(at, why);
    return false;
  }
  out.lock = template_text(std::move(*text), diagnostics_);
  return true;
}

bool OptionReader::secret(ActionOptions& out) {
  const std::size_t at = cursor_.here();
  const std::string word = lowered(cursor_.take_bare_word());
  out.secret = word == "true";
  if (word == "true" || word == "false") return true;
  diagnostics_.add(at, "secret must be true or false, or be written alone, without a value");
  return false;
}

namespace {

std::optional<std::string> take_place_word(ActionCursor& cursor, const char* expected) {
  if (!cursor.sees_text()) return cursor.take_to_blank();
  const auto text = cursor.take_text(expected);
  return text ? std::optional(text->text()) : std::nullopt;
}

}  // namespace

bool take_on(ActionCursor& cursor, Diagnostics& diagnostics, NamedPlace& out) {
  const std::size_t at = cursor.here();
  const auto word = take_place_word(cursor, "cluster or local");
  if (!word) return false;
  out = {*word, at};
  if (*word == "cluster" || *word == "local") return true;
  diagnostics.add(at, "on must be cluster or local, not " + expressions::quoted_for_message(*word) +
                          did_you_mean(*word, {"cluster", "local"}));
  return false;
}

bool take_slot(ActionCursor& cursor, Diagnostics& diagnostics, NamedPlace& out) {
  const std::size_t at = cursor.here();
  const auto word = take_place_word(cursor, "the name of a class");
  if (!word) return false;
  out = {*word, at};
  if (!word->empty() && word->find_first_of("{} \t") == std::string::npos) return true;
  diagnostics.add(at,
                  "slot must be the name of a class in cluster.classes of the configuration, such as slot=big, not " +
                      expressions::quoted_for_message(*word));
  return false;
}

bool is_limit(std::string_view name) {
  return name == "sandbox" || name == "network" || name == "memory" || name == "cpu" || name == "processes";
}

namespace {

// The range of a limit's values, which is the same as in the configuration.
std::uint64_t least_of(std::string_view limit) { return static_cast<std::uint64_t>(key_named("limits", limit).least); }
std::uint64_t most_of(std::string_view limit) { return static_cast<std::uint64_t>(key_named("limits", limit).most); }

std::optional<std::uint64_t> whole_number(std::string_view digits) {
  std::uint64_t number = 0;
  return read_number(digits, number) ? std::optional(number) : std::nullopt;
}

// `512M`, `1G`, or a number of bytes; a unit is 1024 times the one before.
std::optional<std::uint64_t> size_value(std::string_view text) {
  constexpr std::string_view units = "KMGT";
  unsigned shift = 0;
  if (const std::size_t unit = text.empty() ? std::string_view::npos : units.find(text.back());
      unit != std::string_view::npos) {
    shift = static_cast<unsigned>(10 * (unit + 1));
    text.remove_suffix(1);
  }
  const auto number = whole_number(text);
  if (!number || *number > (most_of("memory_bytes") >> shift)) return std::nullopt;
  return *number << shift;
}

}  // namespace

bool take_limit(ActionCursor& cursor, Diagnostics& diagnostics, std::string_view name, PlaceOptions& out) {
  const std::size_t at = cursor.here();
  const auto word = take_place_word(cursor, "the value of this limit");
  if (!word) return false;
  if (out.limits_offset == 0) out.limits_offset = at;
  const auto fail = [&](const std::string& allowed) {
    diagnostics.add(at, allowed + ", not " + expressions::quoted_for_message(*word));
    return false;
  };
  StepLimits& limits = out.limits;
  if (name == "sandbox") {
    limits.read_only = *word == "read-only";
    return limits.read_only || fail("sandbox must be read-only, which keeps a step from writing files");
  }
  if (name == "network") {
    limits.no_network = *word == "deny";
    return limits.no_network || fail("network must be deny: a step can only have less than the configuration allows");
  }
  if (name == "memory") {
    limits.memory_bytes = size_value(*word).value_or(0);
    return limits.memory_bytes >= least_of("memory_bytes") ||
           fail("memory must be a size of at least 1M, such as memory=512M or memory=1G");
  }
  if (name == "cpu") {
    const auto time = duration_value(*word, static_cast<std::int64_t>(most_of("cpu_seconds")));
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time.value_or(std::chrono::milliseconds(0)));
    // The kernel counts whole seconds.
    limits.cpu_seconds = time == seconds ? static_cast<std::uint64_t>(seconds.count()) : 0;
    return limits.cpu_seconds >= 1 ||
           fail("cpu must be the processor time of the whole step in whole seconds, such as cpu=60s or cpu=2m");
  }
  const auto processes = whole_number(*word);
  if (processes && *processes >= 1 && *processes <= most_of("processes")) {
    limits.processes = static_cast<std::uint32_t>(*processes);
    return true;
  }
  return fail(
      "processes must be the number of processes that may exist at the same time, 1 to 1000000, such as processes=50");
}

bool OptionReader::limit(std::string_view name, ActionOptions& out) {
  return take_limit(cursor_, diagnostics_, name, out.place);
}

bool OptionReader::cache(CacheOptions& out) {
  out.offset = cursor_.here();
  const std::string word = lowered(cursor_.take_bare_word());
  out.strict = word == "strict";
  out.wanted = word == "true" || out.strict;
  if (*out.wanted || word == "false") return true;
  diagnostics_.add(out.offset, "cache must be true, strict or false, as in cache=true");
  return false;
}

bool OptionReader::cached_files(std::shared_ptr<const nlohmann::json>& files, CacheOptions& out) {
  out.offset = cursor_.here();
  auto list = cursor_.take_text_list("src/**");
  if (list == nullptr) return false;
  files = std::move(list);
  return true;
}

bool OptionReader::keep(ActionOptions& out) {
  out.keep_offset = cursor_.here();
  out.keep = cursor_.take_text_list("dist/**");
  return out.keep != nullptr;
}

bool OptionReader::matrix(ActionOptions& out) {
  out.matrix_offset = cursor_.here();
  const auto object = cursor_.take_json_object();
  if (!object) return false;
  if (!is_matrix(*object)) {
    diagnostics_.add(
        out.matrix_offset,
        "a matrix must be an object of lists, such as matrix={\"os\": [\"a\", \"b\"]}; instead of a list, a text whose "
        "placeholder gives a list is allowed; no entry may be empty");
    return false;
  }
  if (is_too_large(*object)) {
    diagnostics_.add(out.matrix_offset,
                     "this matrix has more than " + std::to_string(max_combinations) + " combinations");
    return false;
  }
  out.matrix = object;
  return true;
}

}  // namespace wtool::host::workflow
