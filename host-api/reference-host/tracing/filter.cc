#include "tracing/filter.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "tracing/escape.h"

namespace wtool::host {

namespace {

constexpr std::array<std::string_view, 6> names{"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF"};

std::optional<LogLevel> parse_level(std::string_view text) {
  const auto same = [](char a, char b) { return std::toupper(static_cast<unsigned char>(a)) == b; };
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::equal(text.begin(), text.end(), names[i].begin(), names[i].end(), same)) {
      return static_cast<LogLevel>(i + 1);
    }
  }
  return std::nullopt;
}

bool is_target(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':' || c == '.' || c == '-';
  });
}

std::string_view trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

bool matches(std::string_view directive, std::string_view target) {
  return target.starts_with(directive) &&
         (target.size() == directive.size() || target.substr(directive.size()).starts_with("::"));
}

}  // namespace

std::string_view level_name(LogLevel level) {
  const auto index = static_cast<std::size_t>(level) - 1;
  return index < names.size() ? names[index] : names.back();
}

bool LogFilter::parse(std::string_view directives, std::string& error) {
  LogFilter next = *this;
  for (bool more = true; more;) {
    const auto comma = directives.find(',');
    more = comma != std::string_view::npos;
    const std::string_view directive = trimmed(directives.substr(0, comma));
    if (more) directives.remove_prefix(comma + 1);

    const auto equals = directive.find('=');
    const bool for_target = equals != std::string_view::npos;
    const std::string_view target = for_target ? trimmed(directive.substr(0, equals)) : std::string_view{};
    const auto level = parse_level(for_target ? trimmed(directive.substr(equals + 1)) : directive);
    if (!level || (for_target && !is_target(target))) {
      error = "the log filter has \"" + escaped(directive) +
              "\", which is neither a level nor TARGET=LEVEL; the levels are off, error, warn, info, debug and trace, "
              "several directives are separated by commas, as in \"info,shell_tools::call=debug\"";
      return false;
    }
    if (!for_target) {
      next.everything_ = *level;
      continue;
    }
    std::erase_if(next.targets_, [&](const auto& known) { return known.first == target; });
    next.targets_.emplace_back(target, *level);
  }
  std::stable_sort(next.targets_.begin(), next.targets_.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  *this = std::move(next);
  return true;
}

bool LogFilter::enabled(LogLevel level, std::string_view target) const {
  for (const auto& [directive, least] : targets_) {
    if (matches(directive, target)) return level >= least && level < LogLevel::off;
  }
  return level >= everything_ && level < LogLevel::off;
}

}  // namespace wtool::host
