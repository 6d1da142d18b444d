#include "cluster/options.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace wtool::cluster {

namespace {

using nlohmann::json;

class OptionsReader {
 public:
  OptionsReader(const json& section, std::string& error) : section_(section), error_(error) {}

  int number(const char* name, int otherwise, int least, int most) {
    const json* value = find(name);
    if (value == nullptr) return otherwise;
    if (value->is_number_integer() && *value >= least && *value <= most) return value->get<int>();
    wrong(name, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return otherwise;
  }

  // A single word that cannot be taken for an option.
  std::string word(const char* name) {
    std::string text = line(name);
    const bool plain =
        text.empty() || (text.front() != '-' &&
                         std::none_of(text.begin(), text.end(), [](unsigned char c) { return std::isspace(c) != 0; }));
    if (!plain) wrong(name, "one word that does not begin with \"-\"");
    return text;
  }

  std::string line(const char* name) {
    const json* value = find(name);
    if (value == nullptr) return {};
    if (value->is_string()) {
      auto text = value->get<std::string>();
      if (std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; })) return text;
    }
    wrong(name, "a text on one line");
    return {};
  }

  void check_names() {
    for (const auto& [name, value] : section_.items()) {
      if (!known_.contains(name)) error_ = "unknown key cluster." + name;
    }
  }

  void wrong(const char* name, const std::string& wanted) {
    error_ = std::string("cluster.") + name + " must be " + wanted + ", and is " +
             section_.at(name).dump(-1, ' ', true, json::error_handler_t::replace);
  }

 private:
  const json* find(const char* name) {
    known_.insert(name);
    const auto found = section_.find(name);
    return found == section_.end() || found->is_null() ? nullptr : &*found;
  }

  const json& section_;
  std::string& error_;
  std::set<std::string> known_;
};

}  // namespace

std::optional<Options> read_options(const json& section, const std::string& here, std::string& error) {
  if (!section.is_object()) return error = "cluster must be an object", std::nullopt;
  error.clear();
  OptionsReader reader(section, error);
  Options options;
  options.slots = reader.number("slots", options.slots, 1, 1024);
  options.nodes = reader.number("nodes", options.nodes, 1, 1000);
  options.cpus = reader.number("cpus", options.cpus, 1, 1024);
  options.memory = reader.word("memory");
  options.minutes = reader.number("time", options.minutes, 1, 525600);
  options.partition = reader.word("partition");
  options.account = reader.word("account");
  options.qos = reader.word("qos");
  options.constraint = reader.word("constraint");
  options.extra = reader.line("extra");
  std::istringstream words(options.extra);
  for (std::string word; words >> word;) {
    if (!word.starts_with("--"))
      reader.wrong("extra", "options of sbatch that begin with \"--\", such as --gres=gpu:1");
  }
  options.wait = std::chrono::seconds(reader.number("wait", 300, 1, 604800));
  options.idle = std::chrono::seconds(reader.number("idle", 60, 1, 86400));
  options.address = reader.word("address");
  options.job_name = reader.word("job_name");
  if (options.job_name.size() > 64 ||
      options.job_name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") !=
          std::string::npos) {
    reader.wrong("job_name", "at most 64 letters, digits, dots, dashes and underscores");
  }
  const std::string directory = reader.line("directory");
  options.directory =
      (std::filesystem::path(here) / (directory.empty() ? ".wtool/cluster" : directory)).lexically_normal();
  if (!options.memory.empty()) {
    const auto digits = options.memory.find_first_not_of("0123456789");
    const bool unit = digits == std::string::npos ||
                      (digits + 1 == options.memory.size() &&
                       std::string_view("KMGT").find(options.memory[digits]) != std::string_view::npos);
    if (digits == 0 || std::min(digits, options.memory.size()) > 9 || !unit)
      reader.wrong("memory", "a size such as 512M or 4G");
  }
  if (error.empty()) reader.check_names();
  if (!error.empty()) return std::nullopt;
  return options;
}

std::string shell_word(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + '\'';
}

std::string submission(const Options& options, const std::string& name, const std::string& program,
                       const std::string& ticket, const std::string& here) {
  // The comment is for `wtool cluster status`: Slurm does not know slots.
  std::string line = "sbatch --comment=slots:" + std::to_string(options.slots);
  // If an option is given twice, sbatch takes the last one, so these come before those that they must not change.
  std::istringstream words(options.extra);
  for (std::string word; words >> word;) line += ' ' + shell_word(word);
  const auto add = [&line](const char* option, const std::string& value) {
    if (!value.empty()) line += ' ' + shell_word(std::string(option) + value);
  };
  add("--partition=", options.partition);
  add("--account=", options.account);
  add("--qos=", options.qos);
  add("--constraint=", options.constraint);
  if (!options.memory.empty()) {
    // Slurm does not know slots, so it is asked for the memory of all of them.
    const std::size_t digits = options.memory.find_first_not_of("0123456789");
    const long amount = std::stol(options.memory) * options.slots;
    add("--mem=", std::to_string(amount) + (digits == std::string::npos ? "M" : options.memory.substr(digits)));
  }
  add("--time=", std::to_string(options.minutes));
  add("--job-name=", name);
  add("--chdir=", here);
  // In this one name, Slurm replaces % and what follows it; %% stands for the character itself.
  std::string folder;
  for (const char c : std::filesystem::path(ticket).parent_path().string())
    folder += c == '%' ? "%%" : std::string(1, c);
  add("--output=", folder + "/pilot-%j.log");
  // Calls end before the job does. A job of one minute would get a signal of 60 seconds before its end when it starts.
  line += " --parsable --nodes=1 --ntasks=1 --no-requeue --signal=B:TERM@" +
          std::to_string(std::min(60, options.minutes * 15)) +
          " --cpus-per-task=" + std::to_string(options.slots * options.cpus);
  add("--wrap=", "exec " + shell_word(program) + " agent --ticket " + shell_word(ticket));
  return line;
}

}  // namespace wtool::cluster
