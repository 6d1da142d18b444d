#include "workflow/model/shell_choice.h"

#include <algorithm>
#include <sstream>

#include "expressions/value.h"

namespace wtool::host::workflow {
namespace {

constexpr std::string_view long_options =
    " allexport errexit ignoreeof noclobber noglob nolog nounset pipefail posix "
    "verbose xtrace errtrace functrace privileged physical braceexpand ";

bool is_long_option(const std::string& word) {
  return !word.empty() && word.find(' ') == std::string::npos &&
         long_options.find(" " + word + " ") != std::string_view::npos;
}

// `-eu`, `+e`, `-eo`: letters of options of sh and bash, but for those that read no commands (-n), or others (-s, -t).
bool is_short_options(const std::string& word) {
  return word.size() > 1 && (word[0] == '-' || word[0] == '+') &&
         word.find_first_not_of("abefhuvxBCEHPTo", 1) == std::string::npos;
}

}  // namespace

std::string shell_of(const ShellAction& action, const Workflow& workflow) {
  return action.shell.name.empty() ? workflow.shell.name : action.shell.name;
}

std::string first_line_of(const ShellAction& action, const Workflow& workflow) {
  std::string options;
  if (action.shell_options) {
    options = *action.shell_options;
  } else if (!action.is_block) {
    return "";
  } else if (workflow.shell_options) {
    options = *workflow.shell_options;
  } else {
    options = shell_of(action, workflow) == "bash" ? "-eo pipefail" : "-e";
  }
  return options.empty() ? "" : "set " + options + "\n";
}

std::string problem_of_shell(const std::string& shell) {
  if (shell == "sh" || shell == "bash") return "";
  const bool is_path = shell.size() > 1 && shell[0] == '/' && std::all_of(shell.begin(), shell.end(), [](char c) {
                         return static_cast<unsigned char>(c) > 31;
                       });
  if (is_path) return "";
  return "a shell is sh, bash or an absolute path such as /bin/dash; this is " + expressions::quoted_for_message(shell);
}

std::string read_shell_options(const std::string& written, std::string& options) {
  options.clear();
  if (written == "none") return "";
  std::istringstream words(written);
  for (std::string word; words >> word;) {
    const bool named = is_short_options(word) && word.back() == 'o';
    const bool known = is_short_options(word) && word.find('o') >= word.size() - 1;
    options += (options.empty() ? "" : " ") + word;
    if (known && !named) continue;
    std::string name;
    if (named && known && words >> name && is_long_option(name)) {
      options += " " + name;
      continue;
    }
    return "shell_options are options of the shell's `set`, such as \"-eu\" or \"-e -o pipefail\", or none; " +
           expressions::quoted_for_message(name.empty() ? word : word + " " + name) + " is not one";
  }
  return "";
}

}  // namespace wtool::host::workflow
