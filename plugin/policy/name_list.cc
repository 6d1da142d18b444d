#include "policy/name_list.h"

#include <algorithm>

namespace wtool::policy {

std::vector<std::string> comma_separated(std::string_view text) {
  constexpr std::string_view blank = " \t\n\r\v\f";
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view part = text.substr(0, comma);
    part.remove_prefix(std::min(part.find_first_not_of(blank), part.size()));
    part = part.substr(0, part.find_last_not_of(blank) + 1);
    if (!part.empty()) parts.emplace_back(part);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

bool NameList::holds(std::string_view entry) const {
  return std::find(entries_.begin(), entries_.end(), entry) != entries_.end();
}

bool NameList::allows(std::string_view program, const Programs& programs) const {
  if (holds("*") || holds(program)) return true;
  return program.starts_with('/') && holds(base_name(program)) && programs.is_found(program);
}

std::string NameList::shown() const {
  constexpr std::size_t most = 20;
  std::string list;
  for (std::size_t i = 0; i < entries_.size() && i < most; ++i) list += (i > 0 ? ", " : "") + entries_[i];
  if (entries_.size() > most) list += ", and " + std::to_string(entries_.size() - most) + " more";
  return list;
}

}  // namespace wtool::policy
