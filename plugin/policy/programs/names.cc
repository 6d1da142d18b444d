#include "policy/programs/names.h"

#include <algorithm>

#include "policy/arguments.h"
#include "policy/programs.h"
#include "policy/programs/reader.h"
#include "policy/wrappers.h"

namespace wtool::policy {

namespace {

using programs::is_listed;

// Endings that name an alternative or a build of a program, after a dot or a dash: vim.basic, ld.gold.
constexpr std::string_view variants =
    "basic tiny nox gtk gtk2 gtk3 athena traditional openbsd original bfd gold lld mold static dbg rs";

// Programs that are also installed with a target in their name.
constexpr std::string_view of_targets =
    "gcc g++ cc c++ cpp gfortran clang clang++ ld as ar nm ranlib strip objcopy objdump readelf size strings addr2line "
    "c++filt gdb lldb pkg-config";

// Programs that are installed with a leading g on systems that have their own programs of these names.
constexpr std::string_view of_gnu = "timeout nice nohup stdbuf chroot env xargs find time runcon";

// True for programs that run others, and for those that are judged by more than their options. Several versions of such
// a program may be installed. A name such as id3 is another program than id.
bool has_versions(std::string_view name) {
  if (is_wrapper(name)) return true;
  const programs::OptionTable* const known = programs::find_program(name);
  return known != nullptr && (known->spec().does != programs::Effect::reads || known->spec().subcommands);
}

// A name that has only digits stays as it is.
std::string_view without_version(std::string_view name) {
  const std::size_t end = name.find_last_not_of("0123456789.-");
  if (end == std::string_view::npos) return name;
  const std::string_view plain = name.substr(0, end + 1);
  const bool is_one_number = name.find_first_of(".-", end + 1) == std::string_view::npos;
  return is_one_number && is_known_program(plain) && !has_versions(plain) ? name : plain;
}

std::string_view without_variant(std::string_view name) {
  const std::size_t dot = name.find_last_of(".-");
  return dot != std::string_view::npos && is_listed(variants, name.substr(dot + 1)) ? name.substr(0, dot) : name;
}

std::string_view without_target(std::string_view name) {
  const std::string_view last = name.substr(name.rfind('-') + 1);
  return is_listed(of_targets, last) ? last : name;
}

std::string_view without_g(std::string_view name) {
  return name.starts_with('g') && is_listed(of_gnu, name.substr(1)) ? name.substr(1) : name;
}

// True if this word makes the program work without a terminal. A letter, such as "-b", may be in a bundle.
bool works_alone(std::string_view without_terminal, const std::string& word) {
  if (word == "--version" || word == "--help" || programs::is_listed(without_terminal, word)) return true;
  if (word.size() < 2 || word[0] != '-' || word[1] == '-') return false;
  return std::any_of(word.begin() + 1, word.end(), [&](char letter) {
    return programs::is_listed(without_terminal, std::string{'-', letter});
  });
}

}  // namespace

bool is_known_program(std::string_view name) { return has_argument_table(name) || is_wrapper(name); }

std::string_view known_name(std::string_view name) {
  if (is_known_program(name)) return name;
  const std::string_view unversioned = without_version(name);
  for (const std::string_view plain :
       {unversioned, without_g(name), without_variant(name), without_version(without_variant(name)),
        without_variant(unversioned), without_target(unversioned), without_target(without_variant(unversioned))}) {
    if (plain != name && is_known_program(plain)) return plain;
  }
  return name;
}

bool needs_terminal(const std::vector<std::string>& words) {
  const programs::OptionTable* const found = programs::find_program(known_name(base_name(words.front())));
  if (found == nullptr || !found->spec().terminal) return false;
  return std::none_of(words.begin() + 1, words.end(),
                      [&](const std::string& word) { return works_alone(found->spec().without_terminal, word); });
}

}  // namespace wtool::policy
