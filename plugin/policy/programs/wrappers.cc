// Programs that run the command in their arguments. Of what they run others judge; here are their own options.
#include "policy/programs/reader.h"

namespace wtool::policy::programs {

namespace {

constexpr ProgramSpec specs[] = {
    {.names = "timeout",
     .options = "-f --foreground -p --preserve-status -k=TIME --kill-after=TIME -s=SIGNAL --signal=SIGNAL -v --verbose",
     .operands = Operands::command,
     .style = Style::posix,
     .unproven = "--help --version",
     .runs = Runs::command,
     .before = 1,
     .idle = "help version"},
    {.names = "nice",
     .options = "-n=NUM --adjustment=NUM -NUM",
     .operands = Operands::command,
     .style = Style::posix,
     .unproven = "--help --version",
     .runs = Runs::command,
     .manner = number,
     .idle = "help version"},
    {.names = "ionice",
     .options = "-c=CLASS --class=CLASS -n=NUM --classdata=NUM -t --ignore -h -V",
     .effects = "privileged (changes another process): -p=PID --pid=PID -P=PGID --pgid=PGID -u=UID --uid=UID",
     .operands = Operands::command,
     .style = Style::posix,
     .unproven = "--help --version",
     .runs = Runs::command,
     .idle = "p P u h V pid pgid uid help version"},
    {.names = "stdbuf",
     .options = "-i=MODE --input=MODE -o=MODE --output=MODE -e=MODE --error=MODE",
     .operands = Operands::command,
     .style = Style::posix,
     .unproven = "--help --version",
     .runs = Runs::command,
     .idle = "help version"},
    {.names = "nohup",
     .operands = Operands::command,
     .style = Style::posix,
     .unproven = "--help --version",
     .runs = Runs::command,
     .idle = "help version"},
    {.names = "setsid",
     .options = "-f --fork -w --wait -h -V",
     .effects = "interactive (takes the terminal): -c --ctty",
     .operands = Operands::command,
     .style = Style::posix,
     .unproven = "--help --version",
     .runs = Runs::command,
     .idle = "h V help version"},
    {.names = "env",
     .options =
         "-i --ignore-environment -u=NAME --unset=NAME -0 --null -C=DIR --chdir=DIR -v --debug --block-signal[=SIGNAL] "
         "--default-signal[=SIGNAL] --ignore-signal[=SIGNAL] --list-signal-handling",
     .effects = "other (splits a text into a command): -S=TEXT --split-string=TEXT",
     .operands = Operands::command,
     .style = Style::posix,
     .unproven = "-a=VALUE --argv0=VALUE --help --version",
     .runs = Runs::special},
    {.names = "command",
     .options = "-v -V -p",
     .operands = Operands::command,
     .style = Style::posix,
     .runs = Runs::command,
     .idle = "v V"},
    {.names = "time",
     .options = "-p --portability -f=FORMAT --format=FORMAT -v --verbose -q --quiet -V -h",
     .effects = "writes: -o=FILE --output=FILE -a --append",
     .operands = Operands::command,
     .style = Style::posix,
     .unproven = "--help --version",
     .runs = Runs::command,
     .idle = "V help version"},
    {.names = "xargs",
     .options =
         "-0 --null -a=LIST --arg-file=LIST -d=CHAR --delimiter=CHAR -E=END -e[=END] --eof[=END] -I=TEXT -i[=TEXT] "
         "--replace[=TEXT] -L=NUM -l[=NUM] --max-lines[=NUM] -n=NUM --max-args=NUM -P=NUM --max-procs=NUM -r "
         "--no-run-if-empty -s=NUM --max-chars=NUM --show-limits -t --verbose -x --exit",
     .effects = "interactive (asks on the terminal): -p --interactive; interactive (opens the terminal): -o "
                "--open-tty; other (sets a variable of the environment): --process-slot-var=NAME",
     .operands = Operands::command,
     .style = Style::posix,
     .unproven = "-J=VALUE -R=VALUE -S=VALUE --help --version",
     .runs = Runs::special},
};

}  // namespace

std::span<const ProgramSpec> wrapper_programs() { return specs; }

}  // namespace wtool::policy::programs
