#include "base/config/config.h"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "base/config/keys.h"
#include "base/config/yaml_document.h"
#include "base/config/yaml_mistake.h"
#include "base/edit_distance.h"
#include "base/escape.h"
#include "base/text.h"
#include "base/utf8.h"

namespace wtool {

namespace {

using nlohmann::json;

constexpr std::size_t max_diagnostics = 20;

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

// False: the text has characters that YAML does not allow. They are reported with their lines, because the parser would
// mistake some of them for the end of the file, and ignore what follows.
bool check_characters(const std::string& text, const std::string& name, ConfigDiagnostics& diagnostics) {
  int line = 1;
  for (std::size_t from = 0; from <= text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    const std::string_view content = std::string_view(text).substr(from, end - from);
    const auto odd = std::find_if(content.begin(), content.end(), [](char c) {
      return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r') || c == 0x7f;
    });
    if (odd != content.end()) {
      diagnostics.add({name, line, static_cast<int>(odd - content.begin()) + 1},
                      "there is a control character (" + escaped({&*odd, 1}) + ')');
      return false;
    }
    if (!is_utf8(content)) {
      diagnostics.add({name, line}, "this line is not valid UTF-8");
      return false;
    }
    from = end + 1;
  }
  return true;
}

// Walks through the file, stores its settings and notes its mistakes.
class LayerReader {
 public:
  LayerReader(Layer& layer, ConfigDiagnostics& diagnostics) : layer_(layer), diagnostics_(diagnostics) {}

  void read(const YAML::Node& top) {
    if (top.IsNull()) return;
    if (!top.IsMap()) {
      return mistake(top.Mark(),
                     std::string("the configuration must be a mapping of keys to values, but is ") + kind_name(top));
    }
    std::set<std::string> seen;
    for (const auto& entry : top) {
      const std::string section = key_text(entry.first, seen, "");
      if (section == "lock") {
        read_lock(entry.second);
      } else if (!section.empty()) {
        read_section(section, entry.first.Mark(), entry.second);
      }
    }
  }

  void mistake(const YAML::Mark& mark, const std::string& what) { diagnostics_.add(place(mark), what); }

 private:
  // Marks are numbered from 0, but people count lines and columns from 1.
  ConfigPlace place(const YAML::Mark& mark) const {
    return mark.is_null() ? ConfigPlace{layer_.file} : ConfigPlace{layer_.file, mark.line + 1, mark.column + 1};
  }

  // The key as text. Empty: it is not a valid key, or occurs twice, and the mistake is noted.
  std::string key_text(const YAML::Node& key, std::set<std::string>& seen, const std::string& prefix) {
    if (!key.IsScalar() || key.Scalar().empty()) {
      mistake(key.Mark(), std::string("a key must be a name, but is ") + (key.IsScalar() ? "empty" : kind_name(key)));
      return {};
    }
    if (!seen.insert(key.Scalar()).second) {
      mistake(key.Mark(), "the key " + prefix + shown_text(key.Scalar()) + " occurs twice");
      return {};
    }
    return key.Scalar();
  }

  void unknown(const YAML::Mark& mark, const std::string& key, const std::string& prefix,
               const std::vector<std::string>& names) {
    mistake(mark, "unknown key " + prefix + shown_text(key) +
                      question_then(did_you_mean(key, names, prefix), "the keys are " + joined(names)));
  }

  void read_section(const std::string& section, const YAML::Mark& mark, const YAML::Node& value) {
    if (!is_known_section(section)) {
      std::vector<std::string> names = section_names();
      names.emplace_back("lock");
      return unknown(mark, section, "", names);
    }
    if (const ConfigKey* key = find_key(section, ""); key != nullptr) return read_key(*key, value);
    layer_.sections.emplace(section, place(mark));
    if (value.IsNull()) return;
    if (!value.IsMap()) {
      return mistake(value.Mark(), section + " must be a mapping of keys to values, but is " + kind_name(value));
    }
    const std::string prefix = section + '.';
    std::set<std::string> seen;
    for (const auto& entry : value) {
      const std::string name = key_text(entry.first, seen, prefix);
      if (name.empty()) continue;
      if (const ConfigKey* key = find_key(section, name); key == nullptr) {
        unknown(entry.first.Mark(), name, prefix, key_names(section));
      } else {
        read_key(*key, entry.second);
      }
    }
  }

  void read_key(const ConfigKey& key, const YAML::Node& node) {
    if (key.type == KeyType::variables && !node.IsMap() && !node.IsNull()) {
      return mistake(
          node.Mark(),
          full_name(key) + " must be a mapping of names to texts, such as {CI: \"1\"}, but is " + kind_name(node));
    }
    if (key.type == KeyType::classes && !node.IsMap() && !node.IsNull()) {
      return mistake(
          node.Mark(),
          full_name(key) + " must be a mapping of names to keys, such as {big: {cpus: 8}}, but is " + kind_name(node));
    }
    if (key.type == KeyType::servers && !node.IsMap() && !node.IsNull()) {
      return mistake(node.Mark(), full_name(key) +
                                      " must be a mapping of names to servers, such as {files: {command: my-server}}, "
                                      "but is " +
                                      kind_name(node));
    }
    Setting setting{nullptr, place(node.Mark())};
    const bool read = node.IsSequence() && is_list(key.type) ? read_list(key, node, setting)
                      : node.IsMap() && key.type == KeyType::variables
                          ? read_variables(full_name(key) + '.', node, setting.value)
                      : node.IsMap() && key.type == KeyType::classes ? read_classes(key, node, setting.value)
                      : node.IsMap() && key.type == KeyType::servers ? read_servers(key, node, setting.value)
                                                                     : take_scalar(full_name(key), node, setting.value);
    if (!read) return;
    if (const std::string error = check_value(key, layer_.folder, setting.value); !error.empty()) {
      return mistake(node.Mark(), full_name(key) + ' ' + error);
    }
    layer_.settings.insert_or_assign(full_name(key), std::move(setting));
  }

  // Reads a list. False: there was a mistake, which is noted.
  bool read_list(const ConfigKey& key, const YAML::Node& node, Setting& setting) {
    setting.value = json::array();
    for (const auto& element : node) {
      json one;
      if (!take_scalar(full_name(key), element, one)) return false;
      // Here `true` is the name of a program, not a boolean.
      const bool is_text =
          key.type == KeyType::entries || key.type == KeyType::programs || key.type == KeyType::patterns;
      if (is_text && !one.is_null()) one = element.Scalar();
      if (const std::string error = check_element(key, layer_.folder, one); !error.empty()) {
        mistake(element.Mark(), full_name(key) + ' ' + error);
        return false;
      }
      setting.value.push_back(std::move(one));
      setting.elements.push_back(place(element.Mark()));
    }
    return true;
  }

  // Values are texts, exactly as they are written: 010 is not a number. False: there was a mistake, which is
  // noted.
  bool read_variables(const std::string& prefix, const YAML::Node& node, json& value) {
    value = json::object();
    std::set<std::string> seen;
    for (const auto& entry : node) {
      const std::string name = key_text(entry.first, seen, prefix);
      if (name.empty()) return false;
      if (!is_variable_name(name)) {
        mistake(entry.first.Mark(),
                prefix + shown_text(name) +
                    " is not a valid name of a variable; use only letters, digits and _, and no digit at the start");
        return false;
      }
      json checked;
      if (!take_scalar(prefix + name, entry.second, checked)) return false;
      if (checked.is_null() || entry.second.Scalar().find('\0') != std::string::npos) {
        mistake(entry.second.Mark(), prefix + name + " must be a text (\"\" for an empty one), but " +
                                         (checked.is_null() ? "is " + shown(checked) : "has a NUL in it"));
        return false;
      }
      value[name] = entry.second.Scalar();
    }
    return true;
  }

  // Reads a mapping of names to mappings. `read_one` reads one of the inner mappings, and gets its full name. False:
  // there were mistakes, which are noted.
  template <class ReadOne>
  bool read_named(const ConfigKey& key, const YAML::Node& node, const char* what, json& value,
                  const ReadOne& read_one) {
    value = json::object();
    std::set<std::string> seen;
    const std::string prefix = full_name(key) + '.';
    bool good = true;
    for (const auto& entry : node) {
      const std::string name = key_text(entry.first, seen, prefix);
      if (name.empty()) return false;
      if (!is_class_name(name)) {
        mistake(entry.first.Mark(), prefix + shown_text(name) + " is not a valid name of a " + what +
                                        "; use at most 64 letters, digits, _, - and .");
        return false;
      }
      if (!entry.second.IsMap()) {
        mistake(entry.second.Mark(),
                prefix + name + " must be a mapping of keys to values, but is " + kind_name(entry.second));
        return false;
      }
      good = read_one(prefix + name, entry.second, value[name] = json::object()) && good;
    }
    return good;
  }

  bool read_classes(const ConfigKey& key, const YAML::Node& node, json& value) {
    return read_named(key, node, "class", value, [&](const std::string& name, const YAML::Node& one, json& read) {
      return read_class(key, name + '.', one, read);
    });
  }

  bool read_class(const ConfigKey& classes, const std::string& prefix, const YAML::Node& node, json& value) {
    std::vector<std::string> names;
    for (const ConfigKey& key : config_keys()) {
      if (key.section == classes.section && is_for_class(key)) names.emplace_back(key.name);
    }
    std::set<std::string> seen;
    bool good = true;
    for (const auto& entry : node) {
      const std::string name = key_text(entry.first, seen, prefix);
      const ConfigKey* key = name.empty() ? nullptr : find_key(classes.section, name);
      json one;
      if (key == nullptr || !is_for_class(*key)) {
        if (!name.empty()) unknown(entry.first.Mark(), name, prefix, names);
        good = false;
      } else if (!take_scalar(prefix + name, entry.second, one)) {
        good = false;
      } else if (const std::string error = check_value(*key, layer_.folder, one); !error.empty()) {
        mistake(entry.second.Mark(), std::string(prefix).append(name).append(" ").append(error));
        good = false;
      } else {
        value[name] = std::move(one);
      }
    }
    return good;
  }

  bool read_servers(const ConfigKey& key, const YAML::Node& node, json& value) {
    return read_named(key, node, "server", value, [&](const std::string& name, const YAML::Node& one, json& read) {
      if (!read_server(name + '.', one, read)) return false;
      if (read.contains("command")) return true;
      mistake(one.Mark(), name + " has no command that starts the server");
      return false;
    });
  }

  bool read_server(const std::string& prefix, const YAML::Node& node, json& value) {
    std::set<std::string> seen;
    bool good = true;
    for (const auto& entry : node) {
      const std::string name = key_text(entry.first, seen, prefix);
      json one;
      std::vector<std::string> names;
      bool read = !name.empty();
      if (name == "env" && entry.second.IsMap()) {
        read = read_variables(prefix + name + '.', entry.second, one);
      } else if (entry.second.IsSequence()) {
        one = json::array();
        for (const auto& element : entry.second) {
          json text;
          read = read && take_scalar(prefix + name, element, text);
          one.push_back(std::move(text));
        }
      } else {
        read = read && take_scalar(prefix + name, entry.second, one);
      }
      if (read) {
        const std::string error = check_server_value(name, one, names);
        read = error.empty() && names.empty();
        if (!names.empty()) unknown(entry.first.Mark(), name, prefix, names);
        if (!error.empty()) mistake(entry.second.Mark(), std::string(prefix).append(name).append(" ").append(error));
      }
      good = good && read;
      if (read) value[name] = std::move(one);
    }
    return good;
  }

  void read_lock(const YAML::Node& node) {
    if (node.IsNull()) return;
    if (!node.IsSequence()) {
      return mistake(node.Mark(), std::string("lock must be a list of sections and keys, such as [commands, "
                                              "limits.timeout_max], but is ") +
                                      kind_name(node));
    }
    for (const auto& element : node) {
      const std::string name = element.IsScalar() ? element.Scalar() : std::string{};
      const std::size_t dot = name.find('.');
      const std::string section = name.substr(0, dot);
      if (is_known_section(section) &&
          (dot == std::string::npos || find_key(section, name.substr(dot + 1)) != nullptr)) {
        layer_.lock.emplace_back(name, place(element.Mark()));
        continue;
      }
      std::vector<std::string> names = section_names();
      for (const ConfigKey& key : config_keys()) names.push_back(full_name(key));
      std::string what = element.IsScalar()
                             ? "lock has \"" + shown_text(name) + "\", which is neither a section nor a key"
                             : std::string("each entry of lock must be a name, but this one is ") + kind_name(element);
      mistake(element.Mark(),
              what + question_then(did_you_mean(name, names), "the sections are " + joined(section_names())));
    }
  }

  // The node as a JSON value. False: there was a mistake, which is noted.
  bool take_scalar(const std::string& name, const YAML::Node& node, json& value) {
    std::string error;
    if (!node.IsScalar() && !node.IsNull()) {
      mistake(node.Mark(), name + " must be a single value, but is " + kind_name(node));
    } else if (node.IsScalar() && !parse_scalar(node.Scalar(), node.Tag(), value, error)) {
      mistake(node.Mark(), name + ": " + error);
    } else {
      return true;
    }
    return false;
  }

  Layer& layer_;
  ConfigDiagnostics& diagnostics_;
};

}  // namespace

std::string to_text(const ConfigPlace& place) {
  std::string text = escaped(place.file);
  if (place.line == 0) return text;
  text += ':' + std::to_string(place.line);
  return place.column == 0 ? text : text + ':' + std::to_string(place.column);
}

void ConfigDiagnostics::add(const ConfigPlace& place, const std::string& what) {
  if (++count_ > max_diagnostics) return;
  if (!text_.empty()) text_ += '\n';
  if (!place.file.empty()) text_ += to_text(place) + ": ";
  text_ += what;
  if (count_ == max_diagnostics) text_ += "\n(there may be more)";
}

void parse_layer(const std::string& text, Layer& layer, ConfigDiagnostics& diagnostics) {
  if (text.size() > config_size_limit) {
    return diagnostics.add({layer.file}, "the file has more than " + std::to_string(config_size_limit) + " bytes");
  }
  if (!check_characters(text, layer.file, diagnostics)) return;
  LayerReader reader(layer, diagnostics);
  try {
    // Aliases are cheap: they share what they refer to, and nothing below an unknown key is read. The end mark `...`
    // makes the parser notice a quote that is not closed. Without the mark, the end of the file would close the quote.
    const YamlDocument document = load_document(text + "\n...\n");
    if (document.second) reader.mistake(*document.second, "a second document begins; only one is allowed");
    reader.read(document.first);
  } catch (const YAML::DeepRecursion&) {
    reader.mistake(YAML::Mark::null_mark(), "the file is nested too deeply");
  } catch (const YAML::Exception& e) {
    const YamlMistake mistake = explain_yaml_error(text, e.mark.line, e.mark.column, escaped(e.msg));
    const std::string_view before = std::string_view(text).substr(0, mistake.offset);
    YAML::Mark mark = e.mark;
    mark.line = static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    mark.column = static_cast<int>(before.size() - (before.rfind('\n') + 1));
    reader.mistake(mark, "this is not YAML: " + mistake.message);
  }
}

}  // namespace wtool
