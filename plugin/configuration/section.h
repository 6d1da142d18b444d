// Reads the keys of one section of a configuration, each once, and then reports the unknown keys that are left.
//
// The first mistake is kept in the `error` that the constructor was given; values read after it must not be used.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "policy/environment.h"

namespace wtool {

class Section {
 public:
  using Json = nlohmann::json;

  // `error` must outlive this object.
  Section(const Json& all, std::string name, std::string& error);

  bool present() const { return present_; }

  // A number in the range that the table of keys has for it (base/config/keys.h); `most` replaces the end of the range.
  template <typename Number>
  void number(const char* key, Number& value, std::optional<double> most = std::nullopt) {
    if (const std::optional<double> number = take_number(key, most)) value = static_cast<Number>(*number);
  }

  // Numbers of processors, from 0 to 1023, as a set.
  void processors(const char* key, std::array<std::uint64_t, 16>& value);

  void flag(const char* key, bool& value);

  // If the key's value is `word`, returns true and removes the key. A key with another value is left to the next
  // reader.
  bool takes_word(const char* key, const char* word);

  // One of `choices`; `value` becomes its index.
  void choice(const char* key, const std::vector<std::string>& choices, std::size_t& value);

  // One of two choices: sets `value` to false for `no`, and to true for `yes`.
  void choice(const char* key, const char* no, const char* yes, bool& value);

  void absolute_path(const char* key, std::string& value);
  void absolute_paths(const char* key, std::vector<std::string>& value);

  // "default" leaves `value` empty.
  void absolute_paths_or_default(const char* key, std::optional<std::vector<std::string>>& value);

  // "default", "none", or a list of names, in which "default" means the names that `value` had before.
  void names(const char* key, std::vector<std::string>& value);

  // A list of entries, each made of literal words; the last word of an entry may be "*". False: the key is
  // missing. With `prefixes`, every entry is a prefix anyway, so a trailing " *" is removed.
  bool entries(const char* key, bool prefixes, std::vector<std::string>& value);

  // Names of programs, without arguments; or "*", for all programs.
  void program_names(const char* key, std::vector<std::string>& value);

  // Names of variables, with * and ?.
  void patterns(const char* key, std::vector<std::string>& value);

  // An object of texts.
  void variables(const char* key, policy::Variables& value);

  // Reports the keys that no function has read.
  void end();

 private:
  bool take(const char* key);
  std::optional<double> take_number(const char* key, std::optional<double> most);
  void complain(const std::string& key, const Json& given, const std::string& allowed);

  const std::string name_;
  std::string& error_;
  bool present_ = false;
  Json rest_ = Json::object();
  Json taken_;
};

}  // namespace wtool
