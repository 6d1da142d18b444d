#include "guide_page.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <list>
#include <optional>
#include <stdexcept>

#include "page_blocks.h"
#include "support/host_variable.h"
#include "support/plugin.h"
#include "support/program.h"

namespace wtool::test {

namespace {

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

Json json_of(const YAML::Node& node) {
  if (node.IsMap()) {
    Json object = Json::object();
    for (const auto& item : node) object[item.first.as<std::string>()] = json_of(item.second);
    return object;
  }
  if (node.IsSequence()) {
    Json array = Json::array();
    for (const auto& item : node) array.push_back(json_of(item));
    return array;
  }
  if (!node.IsScalar()) return nullptr;
  const auto text = node.as<std::string>();
  if (node.Tag() == "!") return text;  // in quotes
  const Json plain = Json::parse(text, nullptr, false);
  return plain.is_primitive() && !plain.is_discarded() ? plain : Json(text);
}

// Where the first difference is. Nothing: the two are equal.
std::optional<std::string> difference(const Json& expected, const Json& got, const std::string& where) {
  if (expected == "...") return std::nullopt;
  if (expected.is_object() && got.is_object()) {
    for (const auto& [key, value] : expected.items()) {
      if (!got.contains(key)) return where + "." + key + " is not there";
      if (auto found = difference(value, got.at(key), where + "." + key)) return found;
    }
    return std::nullopt;
  }
  if (expected.is_array() && got.is_array() && expected.size() == got.size()) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (auto found = difference(expected[i], got[i], where + "[" + std::to_string(i) + "]")) return found;
    }
    return std::nullopt;
  }
  if (expected == got) return std::nullopt;
  return where + " is different";
}

class Page {
 public:
  Page(std::string_view name, std::string_view text) : name_(name), blocks_(read_blocks(text)) {
    // Variables that the environment of the tests happens to have must not affect a page.
    for (const char* variable : {"ALLOWED_COMMANDS", "ALLOWED_CWD_ROOTS"})
      cleared_.emplace_back(variable, std::nullopt);
    std::filesystem::current_path(folder_.path());
  }
  ~Page() { std::filesystem::current_path(before_); }
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  PageReport run() {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      try {
        step(i);
      } catch (const std::exception& error) {
        complain(blocks_[i], std::string("cannot be used: ") + error.what());
      }
    }
    return std::move(report_);
  }

 private:
  void complain(const PageBlock& block, const std::string& what) {
    report_.problems.push_back(name_ + ":" + std::to_string(block.line) + ": " + what);
  }

  std::string content(const PageBlock& block) const {
    std::string text = block.text();
    replace_all(text, "$FOLDER", folder_.path());
    return text;
  }

  void step(std::size_t index) {
    const PageBlock& block = blocks_[index];
    if (block.info == "yaml config") {
      config_ = json_of(YAML::Load(content(block)));
    } else if (block.info == "env") {
      set_environment(block);
    } else if (block.info == "sh setup") {
      const Finished finished = test::run({"/bin/sh", "-ec", content(block)}, {.directory = folder_.path()});
      if (finished.exit_code != 0) complain(block, "the setup failed: " + finished.out + finished.err);
    } else if (block.info.starts_with("json call ")) {
      call(index);
    } else if (is_result(block) && !(index > 0 && block.follows && belongs(index - 1))) {
      complain(block, "a result without its call");
    }
  }

  static bool is_result(const PageBlock& block) {
    return block.info == "json result" || block.info == "text result" || block.info == "yaml result";
  }
  // True if the block is a call or a result.
  bool belongs(std::size_t index) const {
    return blocks_[index].info.starts_with("json call ") || is_result(blocks_[index]);
  }

  void set_environment(const PageBlock& block) {
    environment_.clear();
    const std::string text = content(block);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      const std::string line = text.substr(at, end - at);
      at = end + 1;
      const std::size_t equals = line.find('=');
      if (equals == std::string::npos) {
        if (!line.empty()) complain(block, "no NAME=value: " + line);
        continue;
      }
      environment_.emplace_back(line.substr(0, equals), line.substr(equals + 1));
    }
  }

  // A text that is just "$RESULT1.key" becomes that value itself; within a longer text, the value is inserted as text.
  void insert_results(Json& value) const {
    if (value.is_structured()) {
      for (Json& each : value) insert_results(each);
      return;
    }
    if (!value.is_string()) return;
    auto text = value.get<std::string>();
    constexpr std::string_view mark = "$RESULT";
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
      const std::size_t dot = text.find('.', at);
      if (dot == std::string::npos) throw std::runtime_error("$RESULT without a key in " + text);
      const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
      const auto end = static_cast<std::size_t>(
          std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(dot) + 1, text.end(), is_part) - text.begin());
      const std::size_t number = std::stoul(text.substr(at + mark.size(), dot - at - mark.size()));
      const Json& found = results_.at(number - 1).at(text.substr(dot + 1, end - dot - 1));
      if (at == 0 && end == text.size()) {
        value = found;
        return;
      }
      text.replace(at, end - at, found.is_string() ? found.get<std::string>() : found.dump());
    }
    value = text;
  }

  void call(std::size_t index) {
    const PageBlock& block = blocks_[index];
    const std::string tool = block.info.substr(std::string_view("json call ").size());
    report_.called.push_back(tool);
    results_.emplace_back();  // The call keeps its number even if it fails.
    Json arguments = Json::parse(content(block));
    insert_results(arguments);
    const Answer answer = ToolUnderTest(plugin_, config_, tool).run(arguments);
    if (answer.result.is_null()) return complain(block, "the call failed: " + answer.error);
    results_.back() = answer.metadata();
    std::size_t next = index + 1;
    for (; next < blocks_.size() && blocks_[next].follows && is_result(blocks_[next]); ++next) {
      compare(blocks_[next], answer);
    }
    if (next == index + 1) complain(block, "no result follows; it is\n" + answer.result.dump(2));
  }

  void compare(const PageBlock& block, const Answer& answer) {
    if (block.info == "json result") {
      Json expected = Json::parse(content(block));
      insert_results(expected);
      if (const auto found = difference(expected, answer.metadata(), "metadata")) {
        complain(block, *found + "\nexpected " + expected.dump(2) + "\ngot " + answer.metadata().dump(2));
      }
      return;
    }
    std::string expected = content(block), got = answer.text();
    if (!got.ends_with('\n')) got += '\n';
    if (expected != got) complain(block, "the text is different\nexpected\n" + expected + "got\n" + got);
  }

  std::string name_;
  std::vector<PageBlock> blocks_;
  const std::filesystem::path before_ = std::filesystem::current_path();
  std::list<HostVariable> cleared_;
  std::list<HostVariable> environment_;
  ScratchFolder folder_;
  Plugin plugin_;
  Json config_ = Json::object();
  std::vector<Json> results_;  // metadata, in the order of the calls
  PageReport report_;
};

}  // namespace

PageReport run_page(std::string_view name, std::string_view text) { return Page(name, text).run(); }

}  // namespace wtool::test
