#include "config/config.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "config/keys.h"
#include "config/read_file.h"
#include "config/scalar.h"
#include "loader/nearest.h"
#include "tracing/escape.h"

namespace wtool::host {

namespace {

constexpr std::size_t max_mistakes = 20;

const char* kind_name(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Sequence:
      return "a list";
    case YAML::NodeType::Map:
      return "a mapping";
    case YAML::NodeType::Scalar:
      return "a single value";
    default:
      return "nothing";
  }
}

// What YAML does not allow as a character, as an error with its line, or empty. The parser would take some of it for
// the end of the file, and ignore the rest.
std::string check_characters(const std::string& text, const std::string& name) {
  std::size_t line = 1;
  for (std::size_t from = 0; from <= text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    const std::string_view content = std::string_view(text).substr(from, end - from);
    const auto column = std::find_if(content.begin(), content.end(), [](char c) {
      return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r') || c == 0x7f;
    });
    const std::string place = escaped(name) + ':' + std::to_string(line) + ':';
    if (column != content.end()) {
      return place + std::to_string(column - content.begin() + 1) + ": there is a control character (" +
             escaped({&*column, 1}) + ')';
    }
    if (!is_utf8(content)) return place + " this line is not valid UTF-8";
    from = end + 1;
  }
  return {};
}

// Walks over the file and notes what is wrong.
class Checker {
 public:
  Checker(std::string name, std::string folder) : name_(std::move(name)), folder_(std::move(folder)) {}

  nlohmann::json check(const YAML::Node& top) {
    nlohmann::json config = nlohmann::json::object();
    if (top.IsNull()) return config;
    if (!top.IsMap()) {
      mistake(top.Mark(),
              std::string("the configuration must be a mapping of keys to values, and is ") + kind_name(top));
      return config;
    }
    std::set<std::string> seen;
    for (const auto& entry : top) {
      const std::string section = key_text(entry.first, seen, "");
      if (!section.empty()) check_section(section, entry.first.Mark(), entry.second, config);
    }
    if (mistakes_.empty()) check_timeouts(config);
    if (mistakes_.empty()) fill_in(config);
    return config;
  }

  // One a line; empty when all is in order.
  const std::string& mistakes() const { return mistakes_; }

  // Marks count from 0, people from 1.
  void mistake(const YAML::Mark& mark, const std::string& what) {
    if (++count_ > max_mistakes) return;
    if (!mistakes_.empty()) mistakes_ += '\n';
    mistakes_ += escaped(name_);
    if (!mark.is_null()) mistakes_ += ':' + std::to_string(mark.line + 1) + ':' + std::to_string(mark.column + 1);
    mistakes_ += ": " + what;
    if (count_ == max_mistakes) mistakes_ += "\n(there may be more)";
  }

 private:
  // The key as text, or empty when it is not one, or was there before: the mistake is noted then.
  std::string key_text(const YAML::Node& key, std::set<std::string>& seen, const std::string& prefix) {
    if (!key.IsScalar() || key.Scalar().empty()) {
      mistake(key.Mark(), std::string("a key must be a name, and is ") + (key.IsScalar() ? "empty" : kind_name(key)));
      return {};
    }
    if (!seen.insert(key.Scalar()).second) {
      mistake(key.Mark(), "the key " + prefix + shown_text(key.Scalar()) + " is there twice");
      return {};
    }
    return key.Scalar();
  }

  void unknown(const YAML::Mark& mark, const std::string& key, const std::string& prefix,
               const std::vector<std::string>& names) {
    std::string what = "unknown key " + prefix + shown_text(key);
    if (const std::string_view close = nearest(key, names); !close.empty()) {
      what += "; did you mean " + prefix + std::string(close) + "?";
    }
    mistake(mark, what + " (there are: " + joined(names) + ')');
  }

  void check_section(const std::string& section, const YAML::Mark& mark, const YAML::Node& value,
                     nlohmann::json& config) {
    if (!is_known_section(section)) return unknown(mark, section, "", supported_sections());
    if (!is_supported_section(section)) return mistake(mark, "the key " + section + " is not supported yet");
    // Its mere presence has a meaning.
    if (section == "sandbox") config[section] = nlohmann::json::object();
    if (value.IsNull()) return;
    if (!value.IsMap()) {
      return mistake(value.Mark(), section + " must be a mapping of keys to values, and is " + kind_name(value));
    }
    const std::string prefix = section + '.';
    std::set<std::string> seen;
    for (const auto& entry : value) {
      const std::string name = key_text(entry.first, seen, prefix);
      if (name.empty()) continue;
      const ConfigKey* key = find_key(section, name);
      if (key == nullptr) {
        unknown(entry.first.Mark(), name, prefix, supported_names(section));
      } else if (!key->supported) {
        mistake(entry.first.Mark(), "the key " + prefix + name + " is not supported yet");
      } else {
        check_key(*key, prefix + name, entry.second, config);
      }
    }
  }

  void check_key(const ConfigKey& key, const std::string& full_name, const YAML::Node& node, nlohmann::json& config) {
    nlohmann::json value;
    if (node.IsSequence() && (key.type == KeyType::paths || key.type == KeyType::names)) {
      value = nlohmann::json::array();
      for (const auto& item : node) {
        nlohmann::json one;
        if (!take_scalar(full_name, item, one)) return;
        value.push_back(std::move(one));
      }
    } else if (!take_scalar(full_name, node, value)) {
      return;
    }
    const std::string error = check_value(key, folder_, value);
    if (!error.empty()) return mistake(node.Mark(), full_name + ' ' + error);
    config[std::string(key.section)][std::string(key.name)] = std::move(value);
    if (key.name == "timeout_default") timeout_default_ = node.Mark();
  }

  // The node as a JSON value. False: the mistake is noted.
  bool take_scalar(const std::string& full_name, const YAML::Node& node, nlohmann::json& value) {
    std::string error;
    if (!node.IsScalar() && !node.IsNull()) {
      mistake(node.Mark(), full_name + " must be a single value, and is " + kind_name(node));
    } else if (node.IsScalar() && !parse_scalar(node.Scalar(), node.Tag(), value, error)) {
      mistake(node.Mark(), full_name + ": " + error);
    } else {
      return true;
    }
    return false;
  }

  // Relative paths are relative to the file that they stand in, those of the defaults too.
  void fill_in(nlohmann::json& config) const {
    const auto below = [&](const char* name) {
      nlohmann::json path = name;
      check_value({"", "", true, KeyType::folder}, folder_, path);
      return path;
    };
    if (const auto sandbox = config.find("sandbox"); sandbox != config.end() && !sandbox->contains("write")) {
      (*sandbox)["write"] = nlohmann::json::array({below(".")});
    }
    if (const auto output = config.find("output");
        output != config.end() && output->contains("spill") && !output->contains("directory")) {
      (*output)["directory"] = below(".wtool/output");
    }
  }

  void check_timeouts(const nlohmann::json& config) {
    const auto limits = config.find("limits");
    if (limits == config.end() || !limits->contains("timeout_default")) return;
    const auto most = limits->value("timeout_max", 1800);
    if (limits->at("timeout_default").get<int>() <= most) return;
    mistake(timeout_default_, "limits.timeout_default must not be above limits.timeout_max, which is " +
                                  std::to_string(most) + " seconds");
  }

  std::string name_;
  std::string folder_;
  std::string mistakes_;
  std::size_t count_ = 0;
  YAML::Mark timeout_default_ = YAML::Mark::null_mark();
};

}  // namespace

std::optional<std::string> parse_config(const std::string& text, const std::string& name, const std::string& folder,
                                        std::string& error) {
  if (text.size() > config_size_limit) {
    error = escaped(name) + " has more than the " + std::to_string(config_size_limit) + " bytes that are allowed";
    return std::nullopt;
  }
  error = check_characters(text, name);
  if (!error.empty()) return std::nullopt;
  Checker checker(name, folder);
  nlohmann::json config;
  try {
    // Aliases cost nothing: they share what they stand for, and nothing below an unknown key is ever looked at.
    // The end mark makes the parser notice a quotation that is not closed; without it, it takes the end of the file.
    const std::vector<YAML::Node> documents = YAML::LoadAll(text + "\n...\n");
    if (documents.size() > 1) {
      checker.mistake(documents[1].Mark(), "a second document begins; only one is allowed");
    }
    config = checker.check(documents.empty() ? YAML::Node() : documents.front());
  } catch (const YAML::DeepRecursion&) {
    checker.mistake(YAML::Mark::null_mark(), "it is nested too deeply");
  } catch (const YAML::Exception& e) {
    // Where the end mark was found inside of a quotation, its line is none of the file.
    const bool open_quotation = e.msg == YAML::ErrorMsg::DOC_IN_SCALAR;
    checker.mistake(open_quotation ? YAML::Mark::null_mark() : e.mark,
                    "this is not YAML: " + (open_quotation ? "a quotation is not closed" : escaped(e.msg)));
  }
  if (!checker.mistakes().empty()) {
    error = checker.mistakes();
    return std::nullopt;
  }
  return config.dump();
}

std::optional<std::string> load_config(const std::string& path, std::string& error) {
  const std::optional<std::string> text = read_file(path, config_size_limit, error);
  if (!text) return std::nullopt;
  return parse_config(*text, path, std::filesystem::path(path).parent_path().string(), error);
}

std::optional<std::string> load_config_or_default(const std::string& path, std::string& error) {
  if (!path.empty()) return load_config(path, error);
  struct stat info {};
  if (::stat(config_default_name, &info) != 0) {
    if (errno == ENOENT) return "{}";
    error = std::string("cannot look for ") + config_default_name + " here: " + ::strerror(errno);
    return std::nullopt;
  }
  // A pipe of that name would make every command of this folder wait.
  if (!S_ISREG(info.st_mode)) {
    error = std::string(config_default_name) + " in the current directory is not a regular file";
    return std::nullopt;
  }
  return load_config(config_default_name, error);
}

}  // namespace wtool::host
