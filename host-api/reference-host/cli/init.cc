// wtool init KIND [FILE]: writes a file to start from, with comments. It never replaces a file.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/escape.h"
#include "base/files.h"
#include "base/shell_quote.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/context.h"

namespace wtool::host {

namespace {

struct StarterFile {
  std::string_view kind;
  std::string_view file;    // the file to write, unless the person names another
  std::string_view folder;  // the folder of `file`; made if it is missing
  std::string_view text;
  std::string_view next;  // what to do with the written file; NAME and CONFIG are replaced
};

constexpr std::array starts = {
    StarterFile{"policy", "wtool.yaml", "",
                R"(# What commands may do in this folder. `wtool config show` prints what is active.
# Every key: guide/configuration.md of the documentation.

# Only these programs, with arguments that neither write nor start other programs. Remove the section to allow every command.
commands:
  allow: [ls, cat, grep, head, tail, wc, "git status", "git log *", "git diff *"]
  arguments: safe
  unlisted: deny        # ask: a person is asked about other commands
  # deny: [rm]          # against accidents; not a security boundary

# What the kernel enforces for every command.
sandbox:
  read: [/]             # name folders instead, to keep private files from commands
  write: [.]
  network: deny
  required: true        # run nothing if the sandbox cannot be enforced

limits:
  timeout_default: 120  # seconds
  timeout_max: 600
  # memory_bytes: 2147483648
  # processes: 256

# audit:
#   file: .wtool/audit.jsonl   # a line before each command starts, and one when it has ended
)",
                "`wtool call shell_execute command=ls CONFIG` tries the policy, and `--explain` shows the reason"},
    StarterFile{
        "mcp", "wtool.yaml", "",
        R"(# Added to the defaults of `wtool mcp`: commands write only in this folder and in temporary folders, and have no network.
# Every key: guide/configuration.md of the documentation. The server: guide/mcp.md.

commands:
  ask: ["git push", "npm publish"]   # a person is asked first
  # deny: [sudo]

limits:
  timeout_default: 300               # seconds

mcp:
  answer_within: auto                # when a command that still runs becomes a job
  # output_bytes: 32768              # of each stream in a result; the rest is read with output_read
)",
        "`wtool mcp --install CLIENT CONFIG` puts the server into the configuration of your client"},
    StarterFile{"workflow", "workflows/first.md", "workflows", R"(---
title: My first workflow
description: Lists the files of a folder and counts them
parameters:
  - name: folder
    description: the folder whose files are counted
    default: .
---

# My first workflow

The diagram shows the order of the states, and the list below says what each state does. An arrow is taken after a success; a failure ends
the run, unless the state has an arrow `: failure`. `man 5 wtool-workflow`, or docs/workflow-language.md of the sources, describes every key.

```mermaid
stateDiagram-v2
  [*] --> List
  List --> Count
  Count --> Done
  Done --> [*]
```

## Actions

- List: Shell "ls -l -- ${folder}"
- Count: Shell "ls -- ${folder} | wc -l" result="count" timeout=600
- Done: Log "the folder ${folder} has ${count} files"
)",
                "`wtool plan NAME` shows what it would do, and `wtool run NAME` runs it"},
};

// What to do next, with the words by which the other commands find the file.
std::string next_step(const StarterFile& start, const std::string& named) {
  std::string text(start.next);
  const std::string shown = shell_word(escaped(named));
  if (start.kind == "workflow") {
    replace_all(text, "NAME", named.empty() ? "first" : shown);
  } else {
    replace_all(text, " CONFIG", named.empty() || named == start.file ? "" : " --config " + shown);
  }
  return text;
}

int write_start(const StarterFile& start, const std::string& named) {
  if (named == "-") return print(std::string(start.text)) ? exit_ok : exit_unusable;
  const std::string file = named.empty() ? std::string(start.file) : named;
  std::string why;
  if (named.empty() && !start.folder.empty()) {
    bool made = false;
    const Descriptor folder = make_folder_without_links(".", std::string(start.folder), 0777, made, why);
    if (!folder) {
      complain("cannot create the folder " + std::string(start.folder) + ": " + why);
      return exit_unusable;
    }
  }
  if (const std::filesystem::path above = std::filesystem::path(file).parent_path(); !above.empty()) {
    std::error_code failed;
    std::filesystem::create_directories(above, failed);
    if (failed) {
      complain("cannot create the folder " + above.string() + ": " + failed.message());
      return exit_unusable;
    }
  }
  const Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!out) {
    complain(errno == EEXIST
                 ? file + " already exists; name another file: wtool init " + std::string(start.kind) + " FILE"
                 : "cannot write " + file + ": " + ::strerror(errno));
    return exit_unusable;
  }
  if (const Written written = write_all(out.get(), start.text); written.error != 0) {
    complain("cannot write " + file + ": " + ::strerror(written.error));
    ::unlink(file.c_str());
    return exit_unusable;
  }
  return print("wrote " + escaped(file) + "\n" + next_step(start, named) + '\n') ? exit_ok : exit_unusable;
}

}  // namespace

void add_init(CLI::App& app, Context& context) {
  struct Wanted {
    std::string kind, file;
  };
  auto wanted = std::make_shared<Wanted>();
  CLI::App* command =
      app.add_subcommand("init", "Write a file to start from: a policy, a workflow, settings of wtool mcp");
  command->add_option("KIND", wanted->kind, "policy, mcp or workflow")
      ->required()
      ->type_name("")
      ->check(CLI::IsMember({"policy", "mcp", "workflow"}));
  command->add_option("FILE", wanted->file,
                      "The file to write, or - for standard output (default: wtool.yaml, or workflows/first.md)");
  command->footer(
      "A file that exists is never replaced.\n\n"
      "Examples:\n"
      "  wtool init policy\n"
      "  wtool init workflow workflows/release.md");
  command->callback([&context, wanted] {
    context.command = [wanted] {
      for (const StarterFile& start : starts) {
        if (start.kind == wanted->kind) return write_start(start, wanted->file);
      }
      return exit_unusable;
    };
  });
}

}  // namespace wtool::host
