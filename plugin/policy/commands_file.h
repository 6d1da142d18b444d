// `.clada/commands.json`: the commands of execute_run that a person has allowed or blocked for good.
//
// - {"allowed": [command...], "blocked": [command...]}; other keys are kept as they are. Blocked has priority.
// - An entry is the text of a command and nothing else. An entry of "allowed" applies only inside the project, so that
//   a call cannot choose what an allowed `npm test` means: outside the project, a person is asked again.
// - The file is read again for each question. It is replaced as a whole, while a lock file beside it is locked. The
//   file is neither used nor changed if it cannot be parsed, if everybody may write it, or if it or its folder is a
//   symbolic link.
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
