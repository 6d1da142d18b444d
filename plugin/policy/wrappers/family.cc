#include "policy/wrappers/family.h"

#include <sys/stat.h>

#include <algorithm>

#include "policy/directories.h"

namespace wtool::policy {

namespace {

Inner* put(Inners& inners, Inner inner) {
  inners.push_back(std::move(inner));
  return &inners.back();
}

Inner about(Inner::Kind kind, const Word& text, std::string reason) {
  Inner inner;
  inner.kind = kind;
  inner.text = text;
  inner.reason = std::move(reason);
  return inner;
}

}  // namespace

Inner* Judgement::runs(std::size_t first, std::vector<Word> assignments) const {
  if (first >= words().size()) return nullptr;
  return runs_words({words().begin() + static_cast<std::ptrdiff_t>(first), words().end()}, std::move(assignments));
}

Inner* Judgement::runs_words(std::vector<Word> inner_words, std::vector<Word> assignments) const {
  Inner inner;
  inner.command.words = std::move(inner_words);
  inner.command.assignments = std::move(assignments);
  inner.command.redirections = command.redirections;
  inner.command.nested = command.nested;
  inner.command.reads_pipe = command.reads_pipe;
  inner.command.joint = command.joint;
  return put(inners, std::move(inner));
}

void Judgement::runs_shell() const { runs_words({{"sh", true, word(0).at}}); }

void Judgement::runs_script(const Word& text) const {
  if (!text.literal) {
    return is_unclear(text, "shell text for " + std::string(tool) + " is known only when the command runs");
  }
  Inner* const script = put(inners, about(Inner::Kind::script, text, {}));
  script->command.reads_pipe = standard_input(command).kind != StandardInput::Kind::none;
}

void Judgement::runs_joined(std::size_t first) const {
  if (first >= words().size()) return;
  Word joined = word(first);
  for (std::size_t i = first + 1; i < words().size(); ++i) {
    joined.text += ' ' + word(i).text;
    joined.literal = joined.literal && word(i).literal;
    joined.at.end = word(i).at.end;
  }
  runs_script(joined);
}

void Judgement::runs_code(const Word& text, std::string reason) const {
  put(inners, about(Inner::Kind::code, text, std::move(reason)));
}

void Judgement::is_unclear(const Word& text, std::string reason) const {
  put(inners, about(Inner::Kind::unclear, text, std::move(reason)));
}

Word Judgement::value_of(const Given& option) const {
  if (!option.value) return {};
  const Word& from = word(option.value_word);
  return {std::string(*option.value), from.literal, from.at};
}

bool Judgement::has_obstacle(const ParsedCommand& reading) const {
  if (!reading.obstacle) return false;
  is_unclear(word(*reading.obstacle), reading.reason + ", so what " + std::string(tool) + " runs is not clear");
  return true;
}

StandardInput standard_input(const SimpleCommand& command) {
  const Redirection* last = nullptr;
  for (const Redirection& each : command.redirections) {
    if (each.is_input) last = &each;
  }
  if (last != nullptr) {
    if (last->is_here_document || last->text.find("<<<") != std::string::npos) {
      return {last->target.literal ? StandardInput::Kind::text : StandardInput::Kind::unknown, last->target};
    }
    const bool empty = last->target.literal && last->target.text == "/dev/null";
    return {empty ? StandardInput::Kind::none : StandardInput::Kind::unknown, last->target};
  }
  // A command inside a group or a loop reads what the group reads, which is not known here.
  const bool unknown = command.reads_pipe || command.nested;
  return {unknown ? StandardInput::Kind::unknown : StandardInput::Kind::none,
          command.words.empty() ? Word{} : command.words.front()};
}

bool reaches_devices(std::string_view path) {
  return path == "/" || is_within(path, "/dev") || is_within(path, "/proc");
}

bool Judgement::is_descriptor_file(std::string_view path) const {
  const auto is_descriptor = [](std::string_view found) {
    return reaches_devices(found) && !is_listed("/dev/null /dev/zero /dev/full /dev/random /dev/urandom", found) &&
           !is_within(found, "/dev/shm");
  };
  if (path.empty()) return false;
  if (path.starts_with('/')) return is_descriptor(resolve_folder("/", path));
  if (where == nullptr) return false;
  const auto& directories = where->directories;
  if (std::any_of(directories.begin(), directories.end(),
                  [&](const std::string& directory) { return is_descriptor(resolve_folder(directory, path)); })) {
    return true;
  }
  // In an unknown folder, the path may be the name of a descriptor's file. If the command has no standard input, there
  // is nothing to read.
  constexpr std::string_view folders[] = {"/", "/dev", "/proc", "/proc/self/fd"};
  if (!where->elsewhere || standard_input(command).kind == StandardInput::Kind::none) return false;
  return std::any_of(std::begin(folders), std::end(folders), [&](std::string_view folder) {
    struct stat status {};
    return ::stat((std::string(folder) + '/').append(path).c_str(), &status) == 0 && !S_ISDIR(status.st_mode) &&
           resolve_folder(folder == "/proc/self/fd" ? unknown_folder : folder, path) == unknown_folder;
  });
}

bool Judgement::is_named_file(const Word& word) const {
  return !word.is_path && (where == nullptr || !where->all_known) && looks_like_file(word);
}

bool looks_like_file(const Word& word) {
  return word.text.find('/') != std::string::npos && word.text.front() != '-' &&
         word.text.find_first_of(" \t\n;") == std::string::npos;
}

bool open_placeholder(std::vector<Word>& words, std::string_view placeholder) {
  bool found = false;
  if (placeholder.empty()) return found;
  for (Word& word : words) {
    std::size_t at = word.text.find(placeholder);
    if (at == std::string::npos) continue;
    found = true;
    word.literal = false;
    std::string rest;
    std::size_t from = 0;
    for (; at != std::string::npos; at = word.text.find(placeholder, from)) {
      rest.append(word.text, from, at - from);
      from = at + placeholder.size();
    }
    word.text = rest.append(word.text, from);
  }
  return found;
}

void close_input(Inner& inner) {
  inner.command.redirections.clear();
  inner.command.reads_pipe = false;
  inner.command.nested = false;
}

void append_unknown(Inner& inner) {
  inner.open_ended = true;
  inner.command.words.push_back({{}, false, inner.command.words.back().at});
}

}  // namespace wtool::policy
