// The first document of a YAML text, and where a second one begins.
//
// This does not use YAML::LoadAll, which never returns for some texts that are not YAML (`,a\n  b}: 0`): it finds one
// empty document after another in the same place, until the memory is full.
#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <optional>
#include <sstream>
#include <string>

namespace wtool {

struct YamlDocument {
  YAML::Node first;  // null: there is no document
  std::optional<YAML::Mark> second;
};

// Notes where documents begin, and ignores everything else.
class DocumentStarts : public YAML::EventHandler {
 public:
  int count() const { return count_; }
  const YAML::Mark& last() const { return last_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    ++count_;
    last_ = mark;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  int count_ = 0;
  YAML::Mark last_ = YAML::Mark::null_mark();
};

// Throws YAML::Exception where the first or the second document is not YAML.
inline YamlDocument load_document(const std::string& text) {
  std::istringstream in(text);
  YAML::Parser parser(in);
  DocumentStarts starts;
  while (starts.count() < 2 && parser.HandleNextDocument(starts)) {
  }
  YamlDocument document{YAML::Load(text), std::nullopt};
  if (starts.count() > 1) document.second = starts.last();
  return document;
}

}  // namespace wtool
