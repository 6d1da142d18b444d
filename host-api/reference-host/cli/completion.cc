// wtool completion bash|zsh|fish: prints the file with which a shell completes command lines of wtool.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/completion_scripts.h"
#include "cli/context.h"

namespace wtool::host {

void add_completion(CLI::App& app, Context& context) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print the file with which a shell completes command lines");
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "An installation below /usr or /usr/local already has these files in place. zsh reads the file from a folder of\n"
      "its fpath, and its name there must be _wtool.\n"
      "\n"
      "Examples:\n"
      "  source <(wtool completion bash)\n"
      "  wtool completion fish | source\n"
      "  wtool completion zsh > ~/.zsh/completions/_wtool");
  command->callback([&context, shell] {
    context.command = [shell] {
      const char* const script = *shell == "bash"  ? bash_completion
                                 : *shell == "zsh" ? zsh_completion
                                                   : fish_completion;
      return print(script) ? exit_ok : exit_unusable;
    };
  });
}

}  // namespace wtool::host
