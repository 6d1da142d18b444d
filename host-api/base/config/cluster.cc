// Which values the texts of the section `cluster` may have.
#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "base/config/keys.h"
#include "base/json.h"

namespace wtool {

namespace {

// A single word that cannot be mistaken for an option.
bool is_word(const std::string& text) {
  return !text.starts_with('-') &&
         std::none_of(text.begin(), text.end(), [](unsigned char c) { return c <= 0x20 || c == 0x7f; });
}

// A size of memory as sbatch reads it.
bool is_size(const std::string& text) {
  const auto digits = text.find_first_not_of("0123456789");
  const bool unit =
      digits == std::string::npos ||
      (digits + 1 == text.size() && std::string_view("KMGT").find(text[digits]) != std::string_view::npos);
  return digits != 0 && std::min(digits, text.size()) <= 9 && unit;
}

bool is_address(const std::string& text) {
  in6_addr address{};  // large enough for both kinds of address
  return ::inet_pton(AF_INET, text.c_str(), &address) == 1 || ::inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

// True if all words are long options, and none of them makes sbatch submit nothing, submit several jobs at once, submit
// to a cluster that the other programs do not ask, or wait until the job has ended. sbatch accepts the beginning of an
// option's name.
bool are_options(const std::string& text) {
  constexpr std::array<std::string_view, 4> refused{"--array", "--clusters", "--test-only", "--wait"};
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::string_view name = std::string_view(word).substr(0, word.find('='));
    if (!name.starts_with("--") || name.size() < 4) return false;
    if (std::any_of(refused.begin(), refused.end(), [&](std::string_view one) { return one.starts_with(name); })) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::string cluster_text_wanted(std::string_view name, const nlohmann::json& value) {
  const std::string* text = value.get_ptr<const std::string*>();
  if (name == "memory") {
    return text != nullptr && (text->empty() || is_size(*text)) ? "" : "a size such as 512M or 4G";
  }
  const auto is_odd = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (text == nullptr || std::any_of(text->begin(), text->end(), is_odd)) return "a text on one line";
  if (text->empty() || name == "directory" || name == "munge_socket") return {};
  if (name == "address") return is_address(*text) ? "" : "a numeric address such as 10.0.0.1 or fd00::1";
  if (name == "extra") {
    return are_options(*text) ? ""
                              : "options of sbatch that begin with \"--\", such as --exclusive, and none of --array, "
                                "--clusters, --test-only and --wait";
  }
  return is_word(*text) ? "" : "one word that does not begin with \"-\"";
}

std::string slot_problem(const nlohmann::json& slot, const nlohmann::json& classes) {
  if (slot.is_string() && classes.is_object() && classes.contains(slot.get_ref<const std::string&>())) return {};
  std::string list;
  for (const auto& [name, keys] : classes.items()) list += (list.empty() ? "" : ", ") + name;
  return "must be one of cluster.classes (" + (list.empty() ? "there are no classes" : list) + "), but is " +
         shown(slot);
}

}  // namespace wtool
