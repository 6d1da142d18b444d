// One configuration file, read and checked by itself: what it sets, what it locks, and where in it.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace wtool::host {

inline constexpr std::size_t config_size_limit = 1 << 20;  // bytes

// Counted from 1; a line of 0 is the file as a whole, no file is nowhere.
struct ConfigPlace {
  std::string file;
  int line = 0;
  int column = 0;
};

// "FILE:LINE:COLUMN", escaped.
std::string to_text(const ConfigPlace& place);

// Collects what is wrong, one a line, as far as a person reads it.
class ConfigDiagnostics {
 public:
  void add(const ConfigPlace& place, const std::string& what);
  bool empty() const { return count_ == 0; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::size_t count_ = 0;
};

struct Setting {
  nlohmann::json value;
  ConfigPlace place;
  std::vector<ConfigPlace> elements{};  // of a list
};

struct Layer {
  std::string title;                              // "user", "project" or "--config"
  std::string file;                               // as errors call it
  std::string folder;                             // what relative paths in it are relative to
  std::string base;                               // what paths are relative to that a key has when it is not set
  std::map<std::string, Setting> settings{};      // by "section.name"
  std::map<std::string, ConfigPlace> sections{};  // that stand there, empty or not
  std::vector<std::pair<std::string, ConfigPlace>> lock{};  // sections and keys
};

// Fills in what `text` sets in `layer`, whose first four members are set. What is wrong is added to `mistakes`.
void parse_layer(const std::string& text, Layer& layer, ConfigDiagnostics& diagnostics);

}  // namespace wtool::host
