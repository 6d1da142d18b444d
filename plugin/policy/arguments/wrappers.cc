// Programs that run the command in their arguments. Of what they run others judge; here are their own options.
#include "policy/arguments/reader.h"

namespace wtool::policy::arguments {

namespace {

constexpr Tool tools[] = {
    {.names = "timeout",
     .safe = "-f --foreground -p --preserve-status -k=TIME --kill-after=TIME -s=SIGNAL --signal=SIGNAL -v --verbose",
     .operands = Operands::command,
     .style = Style::posix},
    {.names = "nice", .safe = "-n=NUM --adjustment=NUM -NUM", .operands = Operands::command, .style = Style::posix},
    {.names = "ionice",
     .safe = "-c=CLASS --class=CLASS -n=NUM --classdata=NUM -t --ignore -h -V",
     .unsafe = "changes another process: -p=PID --pid=PID -P=PGID --pgid=PGID -u=UID --uid=UID",
     .operands = Operands::command,
     .style = Style::posix},
    {.names = "stdbuf",
     .safe = "-i=MODE --input=MODE -o=MODE --output=MODE -e=MODE --error=MODE",
     .operands = Operands::command,
     .style = Style::posix},
    {.names = "nohup", .operands = Operands::command, .style = Style::posix},
    {.names = "setsid",
     .safe = "-f --fork -w --wait -h -V",
     .unsafe = "takes the terminal: -c --ctty",
     .operands = Operands::command,
     .style = Style::posix},
    {.names = "env",
     .safe =
         "-i --ignore-environment -u=NAME --unset=NAME -0 --null -C=DIR --chdir=DIR -v --debug --block-signal[=SIGNAL] "
         "--default-signal[=SIGNAL] --ignore-signal[=SIGNAL] --list-signal-handling",
     .unsafe = "splits a text into a command: -S=TEXT --split-string=TEXT",
     .operands = Operands::command,
     .style = Style::posix},
    {.names = "command", .safe = "-v -V -p", .operands = Operands::command, .style = Style::posix},
    {.names = "time",
     .safe = "-p --portability -f=FORMAT --format=FORMAT -v --verbose -q --quiet -V -h",
     .unsafe = "writes to a file: -o=FILE --output=FILE -a --append",
     .operands = Operands::command,
     .style = Style::posix},
    {.names = "xargs",
     .safe = "-0 --null -a=LIST --arg-file=LIST -d=CHAR --delimiter=CHAR -E=END -e[=END] --eof[=END] -I=TEXT -i[=TEXT] "
             "--replace[=TEXT] -L=NUM -l[=NUM] --max-lines[=NUM] -n=NUM --max-args=NUM -P=NUM --max-procs=NUM -r "
             "--no-run-if-empty -s=NUM --max-chars=NUM --show-limits -t --verbose -x --exit",
     .unsafe = "asks on the terminal: -p --interactive; opens the terminal: -o --open-tty; sets a variable of the "
               "environment: --process-slot-var=NAME",
     .operands = Operands::command,
     .style = Style::posix},
};

}  // namespace

std::span<const Tool> wrapper_tools() { return tools; }

}  // namespace wtool::policy::arguments
