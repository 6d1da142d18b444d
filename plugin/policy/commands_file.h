// `.clada/commands.json`: the commands of execute_run that a person has allowed or blocked for good.
//
// - {"allowed": [command...], "blocked": [command...]}; other keys are kept as they are. Blocked has priority.
// - An entry is the text of a command and nothing else. An entry of "allowed" counts only inside the project, so that a
//   call cannot choose what an allowed `npm test` means: a command in a directory outside is asked about again.
// - The file is read again for each question, and replaced as a whole, under a lock beside it. A file that cannot be
//   parsed, that everybody may write, or that is (or lies in) a symbolic link is not used, and is not changed.
#pragma once

#include <string>

#include "policy/answers_file.h"
#include "policy/approvals.h"

namespace wtool::policy {

class CommandsFile : public RememberedAnswers {
 public:
  // `root` is the project's folder, canonical.
  explicit CommandsFile(std::string root);

  std::variant<Remembered, std::string> look_up(const Subject& subject) const override;
  std::string remember(const Subject& subject, bool always) const override;
  const std::string& file() const override { return file_.path; }

 private:
  std::string root_;
  AnswersFile file_;
};

}  // namespace wtool::policy
