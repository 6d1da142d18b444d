// The files of prompts: where they are, and what is in them.
//
// A prompt may include others by their names ({% render "name" %}, {% include "name" %}); they are looked up where the
// first one was. See prompts.h for the places.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "expressions/template_renderer.h"
#include "workflow/model/source.h"

namespace wtool::host::runner {

inline constexpr std::size_t max_prompt_files = 1000;  // that one prompt puts in

// The folders in which the prompts that the workflow file `from` names are looked for, in that order.
std::vector<std::string> prompt_folders(const std::vector<std::string>& configured, const std::string& directory,
                                        const std::string& from);

// The file of a prompt; empty: `error` is a sentence with the reason.
std::string find_prompt(const std::string& name, const std::vector<std::string>& folders, std::string& error);

// The prompts of one look: each file is read once. One thread.
class PromptFiles final : public expressions::Partials {
 public:
  explicit PromptFiles(std::vector<std::string> folders) : folders_(std::move(folders)) {}

  const expressions::Partial* find(const std::string& name, std::string& error) override;
  // Its text as it was written, without the front matter.
  std::string text(const std::string& name);
  std::string place(const expressions::Partial& partial, std::size_t offset) const override;

  // The mistakes in the prompt and in those that it includes by a quoted name. `known` are the names that have a value.
  // Each with its place; at most twenty.
  std::vector<std::string> check(const std::string& name, const std::set<std::string, std::less<>>& known);

 private:
  struct File {
    workflow::Source source;
    std::size_t begin = 0;  // behind the front matter
    expressions::Partial partial;
    std::vector<std::string> mistakes;  // of the text, with their places
  };
  class Checker;

  const File* open(const std::string& name, std::string& error);
  static void read(File& file);

  std::vector<std::string> folders_;
  std::map<std::string, std::unique_ptr<const File>> files_;  // by path
  std::map<std::string, const File*> by_name_;                // those that were found
  std::map<const expressions::Partial*, const File*> files_of_;
};

}  // namespace wtool::host::runner
