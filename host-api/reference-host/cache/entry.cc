#include "cache/entry.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/raw_json.h"
#include "base/sha256.h"

namespace wtool::host::cache {
namespace {

using nlohmann::json;

constexpr int entry_version = 5;  // raised when the meaning of an entry changes

// Removes the beginning of a text up to the first line end, and returns it without the line end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace

// The parts come first and have a hash of their own, since only an explanation of what has changed reads them.
std::string entry_text(const CacheEntry& entry) {
  json outputs = json::array();
  for (const CachedOutput& output : entry.outputs) {
    json one = {{"path", output.path}, {"bytes", output.bytes}, {"own", output.own}};
    if (output.hash.empty()) {
      one["link"] = output.link;
      if (!output.behind.empty()) one["behind"] = output.behind;
    } else {
      one["sha256"] = output.hash;
      one["mode"] = output.mode;
    }
    outputs.push_back(std::move(one));
  }
  const json head = {{"v", entry_version}, {"key", entry.key}, {"step", entry.step}, {"maker", entry.maker},
                     {"file", entry.file}, {"run", entry.run}, {"made", entry.made}, {"outputs", std::move(outputs)}};
  const std::string parts = dumped(json(entry.parts));
  const std::string rest = dumped(head) + '\n' + entry.result;
  return sha256(parts) + '\n' + parts + '\n' + sha256(rest) + '\n' + rest;
}

std::optional<CacheEntry> entry_of(std::string_view text, bool with_parts) {
  const std::string_view hash_of_parts = take_line(text);
  const std::string_view parts = take_line(text);
  const std::string_view hash_of_rest = take_line(text);
  if (sha256(text) != hash_of_rest || (with_parts && sha256(parts) != hash_of_parts)) return std::nullopt;
  const std::vector<RawJson::Member> head = members_of(take_line(text));
  if (find_member(head, "v").integer<int>() != entry_version) return std::nullopt;
  CacheEntry entry;
  if (!take_from(find_member(head, "key").text(), entry.key) ||
      !take_from(find_member(head, "step").text(), entry.step) ||
      !take_from(find_member(head, "maker").text(), entry.maker) ||
      !take_from(find_member(head, "file").text(), entry.file) ||
      !take_from(find_member(head, "run").text(), entry.run) ||
      !take_from(find_member(head, "made").integer<std::int64_t>(), entry.made)) {
    return std::nullopt;
  }
  if (with_parts) {
    const RawJson all = RawJson::parse(parts);
    if (all.type() != RawJson::Type::object) return std::nullopt;
    for (const auto& [name, hash] : all.members()) {
      if (!take_from(hash.text(), entry.parts[without_json_escapes(name)])) return std::nullopt;
    }
  }
  const RawJson outputs = find_member(head, "outputs");
  if (outputs.type() != RawJson::Type::array) return std::nullopt;
  for (const RawJson& one : outputs.elements()) {
    const std::vector<RawJson::Member> members = one.members();
    CachedOutput output;
    output.hash = find_member(members, "sha256").text().value_or("");
    if (output.hash.empty() && !take_from(find_member(members, "link").text(), output.link)) return std::nullopt;
    output.behind = find_member(members, "behind").text().value_or("");
    if (!take_from(find_member(members, "path").text(), output.path) ||
        !take_from(find_member(members, "bytes").integer<std::uint64_t>(), output.bytes) ||
        !take_from(find_member(members, "own").boolean(), output.own)) {
      return std::nullopt;
    }
    if (!output.hash.empty()) {
      if (!is_sha256(output.hash) || !take_from(find_member(members, "mode").integer<unsigned>(), output.mode)) {
        return std::nullopt;
      }
      output.mode &= 0777U;
    }
    entry.outputs.push_back(std::move(output));
  }
  entry.result = text;
  return entry;
}

}  // namespace wtool::host::cache
