#include "cluster/options.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/config/keys.h"
#include "base/json.h"
#include "base/lasting.h"
#include "base/shell_quote.h"

namespace wtool::cluster {

namespace {

using nlohmann::json;

// Reads the keys of a section. If a class is chosen, its keys take precedence. A class may have only the keys that are
// read before end_of_class().
class OptionsReader {
 public:
  OptionsReader(const json& section, const json& chosen, std::string prefix, std::string& error)
      : section_(section), class_(chosen), prefix_(std::move(prefix)), error_(error) {}

  // The keys that are read from here on belong to the section as a whole.
  void end_of_class() {
    for (const auto& [name, value] : class_.items()) {
      if (!known_.contains(name)) error_ = "unknown key " + prefix_ + name;
    }
    in_class_ = false;
  }

  int number(const char* name, int otherwise, int least, int most) {
    const json* value = find(name);
    if (value == nullptr) return otherwise;
    if (value->is_number_integer() && *value >= least && *value <= most) return value->get<int>();
    wrong(name, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return otherwise;
  }

  std::string text(const char* name) {
    const json* value = find(name);
    if (value == nullptr) return {};
    const std::string wanted = cluster_text_wanted(name, *value);
    if (wanted.empty()) return value->get<std::string>();
    wrong(name, wanted);
    return {};
  }

  std::size_t choice(const char* name, std::initializer_list<std::string_view> choices) {
    const json* value = find(name);
    std::string list;
    std::size_t at = 0;
    for (const std::string_view one : choices) {
      if (value == nullptr || *value == one) return value == nullptr ? 0 : at;
      list.append(list.empty() ? "" : at + 1 < choices.size() ? ", " : " or ").append(one);
      ++at;
    }
    wrong(name, list);
    return 0;
  }

  void skip(const char* name) { known_.insert(name); }

  void check_names() {
    for (const auto& [name, value] : section_.items()) {
      if (!known_.contains(name)) error_ = "unknown key cluster." + name;
    }
  }

  void wrong(const char* name, const std::string& wanted) {
    const bool own = is_in_class(name);
    error_ = (own ? prefix_ : "cluster.") + name + " must be " + wanted + ", but is " +
             dumped_as_ascii((own ? class_ : section_).at(name));
  }

 private:
  bool is_in_class(const char* name) const {
    const auto found = class_.find(name);
    return in_class_ && found != class_.end() && !found->is_null();
  }

  const json* find(const char* name) {
    known_.insert(name);
    if (is_in_class(name)) return &class_.at(name);
    const auto found = section_.find(name);
    return found == section_.end() || found->is_null() ? nullptr : &*found;
  }

  const json& section_;
  const json& class_;
  const std::string prefix_;
  bool in_class_ = true;
  std::string& error_;
  std::set<std::string> known_;
};

// The keys of the class that cluster.slot names; no keys if cluster.slot is missing. nullptr: `error` says why.
const json* chosen_class(const json& section, std::string& slot, std::string& error) {
  static const auto& nothing = lasting<json>(json::object());
  const json classes = section.value("classes", json());
  if (!classes.is_null() && !classes.is_object()) {
    error = "cluster.classes must be a mapping of names to keys, such as {big: {cpus: 8}}";
    return nullptr;
  }
  for (const auto& [name, keys] : classes.items()) {
    if (!is_class_name(name)) {
      error = "cluster.classes: the name of a class may have only letters, digits, _, - and ., but one is " +
              dumped_as_ascii(name);
      return nullptr;
    }
    if (!keys.is_object()) {
      error = "cluster.classes." + name + " must be a mapping of keys to values";
      return nullptr;
    }
  }
  const auto wanted = section.find("slot");
  if (wanted == section.end() || wanted->is_null()) return &nothing;
  if (wanted->is_string()) {
    slot = wanted->get<std::string>();
    if (classes.contains(slot)) return &section.at("classes").at(slot);
  }
  error = "cluster.slot " + slot_problem(*wanted, classes);
  return nullptr;
}

}  // namespace

namespace {

std::optional<Options> read_class(const json& section, const std::string& slot, const json& chosen,
                                  const std::string& here, std::string& error) {
  OptionsReader reader(section, chosen, "cluster.classes." + slot + '.', error);
  Options options;
  options.slot = slot;
  options.slots = reader.number("slots", options.slots, 1, 1024);
  options.nodes = reader.number("nodes", options.nodes, 1, 1000);
  options.cpus = reader.number("cpus", options.cpus, 1, 1024);
  options.memory = reader.text("memory");
  options.minutes = reader.number("time", options.minutes, 1, 525600);
  options.partition = reader.text("partition");
  options.account = reader.text("account");
  options.qos = reader.text("qos");
  options.constraint = reader.text("constraint");
  options.gres = reader.text("gres");
  options.extra = reader.text("extra");
  options.wait = std::chrono::seconds(reader.number("wait", 300, 1, 604800));
  options.idle = std::chrono::seconds(reader.number("idle", 60, 1, 86400));
  if (error.empty()) reader.end_of_class();
  options.address = reader.text("address");
  const std::string directory = reader.text("directory");
  options.directory =
      (std::filesystem::path(here) / (directory.empty() ? ".wtool/cluster" : directory)).lexically_normal();
  if (options.directory.find('\\') != std::string::npos && error.empty()) {
    error = "the folder " + options.directory +
            " has a backslash in its path, which Slurm would drop; set cluster.directory to another folder";
  }
  options.job_name = reader.text("job_name");
  if (!options.job_name.empty() && !is_class_name(options.job_name)) {
    reader.wrong("job_name", "at most 64 letters, digits, dots, dashes and underscores");
  }
  // A test takes one slot of one node, whatever the section and its class say.
  options.node = reader.text("test_node");
  if (!options.node.empty()) {
    options.slots = options.nodes = 1;
    options.wait = std::chrono::seconds(reader.number("test_wait", 60, 1, 3600));
  }
  options.auth = static_cast<Auth>(reader.choice("auth", {"auto", "munge", "key"}));
  options.munge_socket = reader.text("munge_socket");
  options.copies_program = reader.choice("program", {"installed", "copy"}) == 1;
  reader.skip("slot");
  reader.skip("classes");
  if (error.empty()) reader.check_names();
  if (!error.empty()) return std::nullopt;
  return options;
}

}  // namespace

std::optional<Options> read_options(const json& section, const std::string& here, std::string& error) {
  if (!section.is_object()) {
    error = "cluster must be an object";
    return std::nullopt;
  }
  error.clear();
  std::string slot;
  const json* chosen = chosen_class(section, slot, error);
  if (chosen == nullptr) return std::nullopt;
  // All classes are read now, so that a mistake in a class is reported before a call needs that class.
  const json classes = section.value("classes", json::object());
  for (const auto& [name, keys] : classes.items()) {
    if (!read_class(section, name, keys, here, error)) return std::nullopt;
  }
  return read_class(section, slot, *chosen, here, error);
}

std::uint64_t call_memory(const Options& options) {
  if (options.memory.empty()) return 0;
  const std::size_t digits = options.memory.find_first_not_of("0123456789");
  constexpr std::string_view units = "KMGT";
  const std::size_t unit = digits == std::string::npos ? 1 : units.find(options.memory[digits]);
  const std::size_t shift = 10 * (unit + 1);
  // The value is at most the largest limit that a configuration may have.
  const std::uint64_t bytes = std::min<std::uint64_t>(std::stoull(options.memory), std::uint64_t{1} << (53 - shift))
                              << shift;
  if (bytes == 0) return 0;  // sbatch reads 0 as all of the node's memory
  return std::max(
      {bytes - std::min(bytes, std::max(bytes / 16, std::uint64_t{16} << 20)), bytes / 2, std::uint64_t{1} << 20});
}

std::chrono::seconds ending(const Options& options) { return std::chrono::seconds(std::min(75, options.minutes * 15)); }

std::chrono::seconds longest_call(const Options& options) {
  const std::chrono::seconds start(std::min(30, options.minutes * 6));
  return std::chrono::minutes(options.minutes) - ending(options) - start;
}

std::string submission(const Options& options, const std::string& name, const std::string& comment,
                       const std::string& program, const std::string& ticket, const std::string& here) {
  std::string line = "sbatch";
  // If an option is given twice, sbatch takes the last one. So cluster.extra comes before the options that it must not
  // change.
  std::istringstream words(options.extra);
  for (std::string word; words >> word;) line += ' ' + shell_quoted(word);
  const auto add = [&line](const char* option, const std::string& value) {
    if (!value.empty()) line += ' ' + shell_quoted(std::string(option) + value);
  };
  add("--partition=", options.partition);
  add("--account=", options.account);
  add("--qos=", options.qos);
  add("--constraint=", options.constraint);
  add("--gres=", options.gres);
  add("--nodelist=", options.node);
  if (!options.memory.empty()) {
    // Slurm has no slots, so the memory of all slots is requested.
    const std::size_t digits = options.memory.find_first_not_of("0123456789");
    const long amount = std::stol(options.memory) * options.slots;
    add("--mem=", std::to_string(amount) + (digits == std::string::npos ? "M" : options.memory.substr(digits)));
  }
  add("--time=", std::to_string(options.minutes));
  add("--job-name=", name);
  add("--comment=", comment);
  add("--chdir=", here);
  // In the name after --output, Slurm replaces % and the character after it; %% stands for a single %.
  std::string folder;
  for (const char c : std::filesystem::path(ticket).parent_path().string())
    folder += c == '%' ? "%%" : std::string(1, c);
  add("--output=", folder + "/pilot-%j.log");
  line +=
      " --parsable --nodes=1 --ntasks=1 --no-requeue --cpus-per-task=" + std::to_string(options.slots * options.cpus);
  // The pilot needs no signal to end in time: the signal announces a preemption. But Slurm also sends it before the end
  // of the job's time, up to 60 seconds early. So it is requested only if the pilot has begun to end its calls by then
  // (ending()).
  if (ending(options) > std::chrono::seconds(61)) line += " --signal=B:TERM@1";
  add("--wrap=", "exec " + shell_quoted(program) + " agent --ticket " + shell_quoted(ticket));
  return line;
}

}  // namespace wtool::cluster
