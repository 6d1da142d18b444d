// Programs that run a program which their arguments name, or which they get in some other way. Only the options of the
// outer program are here; the inner command is judged by its own spec.
#include "policy/programs/reader.h"

namespace wtool::policy::programs {

namespace {

// -i, -l and --max-lines are left out, because they take the next word only if it looks like a value.
constexpr const char* options_of_parallel =
    "-0 -a=VALUE -B=VALUE -C=VALUE -d=VALUE -E=VALUE -h -I=VALUE -J=VALUE -j=VALUE -k -L=VALUE -m "
    "-N=VALUE -n=VALUE -P=VALUE -q -r -S=VALUE -s=VALUE -t -u -U=VALUE -v -w -X -x --arg-file=VALUE "
    "--arg-sep=VALUE --bar --basefile=VALUE --bg --block=VALUE --cat --cleanup --colsep=VALUE --colour[=VALUE] "
    "--color-failed --compress --ctag --dry-run --delay=VALUE --delimiter=VALUE --env=VALUE --eta --fg --fifo "
    "--files --group --gnu --halt=VALUE --halt-on-error=VALUE --header=VALUE --help --jobs=VALUE --joblog=VALUE "
    "--keep-order --line-buffer --linebuffer --lb --load=VALUE --max-args=VALUE --max-chars=VALUE "
    "--max-procs=VALUE --max-replace-args=VALUE --memfree=VALUE --nice=VALUE --no-notice "
    "--noswap --null --number-of-cpus --number-of-cores --nonall --onall --pipe --pipepart --plain --progress "
    "--quote --recstart=VALUE --recend=VALUE --regexp --results=VALUE --resume --resume-failed --retries=VALUE "
    "--return=VALUE --round-robin --sem --semaphore --semaphorename=VALUE --shebang --shuf --silent "
    "--skip-first-line --sql=VALUE --sshdelay=VALUE --sshlogin=VALUE --sshloginfile=VALUE --tag --tagstring=VALUE "
    "--tempdir=VALUE --timeout=VALUE --tmpdir=VALUE --tmux --transferfile=VALUE --trim=VALUE --ungroup "
    "--use-cpus-instead-of-cores --verbose --version --wait --wd=VALUE --will-cite --workdir=VALUE --xapply "
    "--link --xargs";

constexpr ProgramSpec wrapper_specs[] = {
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
    {.names = "at, batch",
     .does = Effect::runs_program,
     .never = "runs programs later",
     .alone = "--version",
     .unproven = "-c=VALUE -d=VALUE -f=VALUE -l -m -M -q=VALUE -r -t=VALUE -u=VALUE -v -V -e -T -i",
     .runs = Runs::special,
     .manner = lenient},
    {.names = "systemd-run",
     .does = Effect::runs_program,
     .never = "runs programs later",
     .alone = "--version",
     .unproven =
         "-C=VALUE -d -E=VALUE -G -H=VALUE -h -M=VALUE -p=VALUE -P -q -r -S -t -u=VALUE -v --background=VALUE "
         "--capsule=VALUE --collect --description=VALUE --expand-environment=VALUE --gid=VALUE --help --host=VALUE "
         "--ignore-failure --job-mode=VALUE --machine=VALUE --nice=VALUE --no-ask-password --no-block --no-pager "
         "--on-active=VALUE --on-boot=VALUE --on-calendar=VALUE --on-clock-change --on-startup=VALUE "
         "--on-timezone-change --on-unit-active=VALUE --on-unit-inactive=VALUE --path-property=VALUE --pipe "
         "--property=VALUE --pty --quiet --remain-after-exit --same-dir --scope --send-sighup --service-type=VALUE "
         "--setenv=VALUE --shell --slice-inherit --slice=VALUE --socket-property=VALUE --system --timer-property=VALUE "
         "--uid=VALUE --unit=VALUE --user --version --wait --working-directory=VALUE",
     .runs = Runs::command,
     .idle = "h help version",
     .environment = "E setenv"},
    {.names = "sudo",
     .does = Effect::privileged,
     .never = "runs programs with another user's rights",
     .unproven =
         "-A -a=VALUE -B -b -C=VALUE -c=VALUE -D=VALUE -E -e -g=VALUE -H -h=VALUE -i -K -k -l -N -n -P -p=VALUE "
         "-R=VALUE -r=VALUE -S -s -T=VALUE -t=VALUE -U=VALUE -u=VALUE -V -v --askpass --auth-type=VALUE --background "
         "--bell --chdir=VALUE --chroot=VALUE --close-from=VALUE --command-timeout=VALUE --edit --group=VALUE --help "
         "--host=VALUE --list --login --login-class=VALUE --no-update --non-interactive --other-user=VALUE "
         "--preserve-env[=VALUE] --preserve-groups --prompt=VALUE --remove-timestamp --reset-timestamp --role=VALUE "
         "--set-home --shell --stdin --type=VALUE --user=VALUE --validate --version",
     .runs = Runs::command,
     .idle = "K l V v list remove-timestamp validate version help",
     .code = "e edit",
     .assignments = true,
     .variables = "SUDO_*"},
    {.names = "doas",
     .does = Effect::privileged,
     .never = "runs programs with another user's rights",
     .unproven = "-a=VALUE -C=VALUE -L -n -s -u=VALUE",
     .runs = Runs::command,
     .idle = "C L"},
    {.names = "su, runuser",
     .does = Effect::privileged,
     .never = "runs programs with another user's rights",
     .unproven = "-c=VALUE -f -g=VALUE -G=VALUE -h -l -m -p -P -s=VALUE -T -u=VALUE -V -w=VALUE --command=VALUE --fast "
                 "--group=VALUE --help --login --preserve-environment --pty --no-pty --session-command=VALUE "
                 "--shell=VALUE --supp-group=VALUE --user=VALUE --version --whitelist-environment=VALUE",
     .runs = Runs::special,
     .manner = permutes},
    {.names = "pkexec",
     .does = Effect::privileged,
     .never = "runs programs with another user's rights",
     .unproven = "-u=VALUE --disable-internal-agent --help --keep-cwd --user=VALUE --version",
     .runs = Runs::command,
     .idle = "help version",
     .bare_runs = Bare::shell},
    {.names = "gdb, lldb, cgdb",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .unproven = "--args=COMMAND... -ex=TEXT -x=FILE -iex=TEXT -ix=FILE --eval-command=TEXT --command=FILE "
                 "--init-command=FILE --init-eval-command=TEXT -P --python -o=TEXT -O=TEXT -s=FILE -S=FILE -b "
                 "-k=TEXT --one-line=TEXT --source=FILE -eix=FILE -eiex=TEXT --early-init-command=FILE "
                 "--early-init-eval-command=TEXT -D=DIR --data-directory=DIR -K=FILE --one-line-before-file=TEXT "
                 "--source-before-file=FILE --one-line-on-crash=TEXT --source-on-crash=FILE",
     .runs = Runs::options,
     .manner = single_dash | lenient | permutes,
     .code = "ex x iex ix eix eiex eval-command command init-command init-eval-command early-init-command "
             "early-init-eval-command D data-directory P python o O s S b k K one-line source one-line-before-file "
             "source-before-file one-line-on-crash source-on-crash",
     .reads_input = true},
    {.names = "screen",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .runs = Runs::steered,
     .variables = "SCREENRC SCREENDIR"},
    {.names = "chroot",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .unproven = "--groups=VALUE --userspec=VALUE --skip-chdir --help --version",
     .runs = Runs::command,
     .before = 1,
     .idle = "help version",
     .bare_runs = Bare::shell},
    {.names = "unshare",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .alone = "-V --version --help",
     .unproven =
         "-c -C -f -G=VALUE -h -i -l=VALUE -m -n -p -R=VALUE -r -S=VALUE -T -u -U -V -w=VALUE --cgroup[=VALUE] --fork "
         "--forward-signals --ipc[=VALUE] --keep-caps --kill-child[=VALUE] --load-interp=VALUE --map-auto "
         "--map-current-user --map-group=VALUE --map-groups=VALUE --map-root-user --map-user=VALUE --map-users=VALUE "
         "--monotonic=VALUE --boottime=VALUE --mount-binfmt[=VALUE] --mount-proc[=VALUE] --mount[=VALUE] --net[=VALUE] "
         "--pid[=VALUE] --propagation=VALUE --root=VALUE --setgid=VALUE --setgroups=VALUE --setuid=VALUE "
         "--time[=VALUE] --user[=VALUE] --uts[=VALUE] --wd=VALUE --owner=VALUE --help --version",
     .runs = Runs::command,
     .idle = "h V help version",
     .code = "l load-interp R root",
     .bare_runs = Bare::shell},
    {.names = "nsenter",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .alone = "-V --version --help",
     .unproven = "-a -C[=VALUE] -e -F -G=VALUE -h -i[=VALUE] -m[=VALUE] -N=VALUE -n[=VALUE] -p[=VALUE] -r[=VALUE] "
                 "-S=VALUE -T[=VALUE] -t=VALUE -U[=VALUE] -u[=VALUE] -V -w[=VALUE] -Z -c --all "
                 "--cgroup[=VALUE] --env --follow-context --help --ipc[=VALUE] --join-cgroup --keep-caps "
                 "--mount[=VALUE] --net[=VALUE] --net-socket=VALUE --no-fork --pid[=VALUE] --preserve-credentials "
                 "--root[=VALUE] --setgid=VALUE --setuid=VALUE --target=VALUE --time[=VALUE] --user[=VALUE] "
                 "--user-parent --uts[=VALUE] --version --wd[=VALUE]",
     .runs = Runs::command,
     .idle = "h V help version",
     .bare_runs = Bare::shell},
    {.names = "bwrap",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .unproven = "--add-seccomp-fd=VALUE --argv0=VALUE --as-pid-1 --assert-userns-disabled --bind-data=VALUE,VALUE "
                 "--bind-fd=VALUE,VALUE --bind-try=VALUE,VALUE --bind=VALUE,VALUE --block-fd=VALUE --cap-add=VALUE "
                 "--cap-drop=VALUE --chdir=VALUE --chmod=VALUE,VALUE --clearenv --dev-bind-try=VALUE,VALUE "
                 "--dev-bind=VALUE,VALUE --dev=VALUE --die-with-parent --dir=VALUE --disable-userns --exec-label=VALUE "
                 "--file-label=VALUE --file=VALUE,VALUE --gid=VALUE --help --hostname=VALUE --info-fd=VALUE "
                 "--json-status-fd=VALUE --lock-file=VALUE --mqueue=VALUE --new-session --overlay-src=VALUE "
                 "--overlay=VALUE,VALUE,VALUE --perms=VALUE --pidns=VALUE --proc=VALUE --remount-ro=VALUE "
                 "--ro-bind-data=VALUE,VALUE --ro-bind-fd=VALUE,VALUE --ro-bind-try=VALUE,VALUE --ro-bind=VALUE,VALUE "
                 "--ro-overlay=VALUE --seccomp=VALUE --setenv=VALUE,VALUE --share-net --size=VALUE "
                 "--symlink=VALUE,VALUE --sync-fd=VALUE --tmp-overlay=VALUE --tmpfs=VALUE --uid=VALUE --unsetenv=VALUE "
                 "--unshare-all --unshare-cgroup --unshare-cgroup-try --unshare-ipc --unshare-net --unshare-pid "
                 "--unshare-user --unshare-user-try --unshare-uts --userns-block-fd=VALUE --userns2=VALUE "
                 "--userns=VALUE --version --args=VALUE",
     .runs = Runs::command,
     .manner = no_equals,
     .idle = "help version",
     .code = "args",
     .environment = "setenv"},
    {.names = "firejail",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .unproven = "-c --bind[=VALUE] --chroot[=VALUE] --env[=VALUE] --include[=VALUE] --profile[=VALUE] --shell[=VALUE]",
     .runs = Runs::command,
     .manner = any_long,
     .idle = "help version list tree",
     .code = "bind chroot include profile shell",
     .environment = "env",
     .bare_runs = Bare::shell},
    {.names = "strace",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .alone = "-V --version --help",
     .unproven =
         "-a=VALUE -b=VALUE -c -C -d -D -e=VALUE -E=VALUE -f -F -h -i -I=VALUE -k -n -o=VALUE -O=VALUE -p=VALUE "
         "-P=VALUE -q -r -s=VALUE -S=VALUE -t -T -u=VALUE -U=VALUE -v -V -w -x -X=VALUE -y -Y -z -Z "
         "--absolute-timestamps[=VALUE] --abbrev=VALUE --attach=VALUE --color[=VALUE] --columns=VALUE "
         "--const-print-style=VALUE --daemonize[=VALUE] --debug --decode-fds[=VALUE] --decode-pids=VALUE "
         "--detach-on=VALUE --env=VALUE --failed-only --fault=VALUE --follow-forks --help --inject=VALUE "
         "--instruction-pointer --interruptible=VALUE --kvm=VALUE --no-abbrev --output-append-mode --output-separately "
         "--output=VALUE --quiet[=VALUE] --raw=VALUE --read=VALUE --relative-timestamps[=VALUE] --seccomp-bpf "
         "--signals=VALUE --signal=VALUE --stack-trace[=VALUE] --stack-traces[=VALUE] --status=VALUE "
         "--string-limit=VALUE --strings-in-hex[=VALUE] --successful-only --summary --summary-columns=VALUE "
         "--summary-only --summary-sort-by=VALUE --summary-syscall-overhead=VALUE --summary-wall-clock "
         "--syscall-limit=VALUE --syscall-number --syscall-times[=VALUE] --tips[=VALUE] --trace-path=VALUE "
         "--trace=VALUE --user=VALUE --verbose=VALUE --version --write=VALUE",
     .runs = Runs::command,
     .idle = "h V help version",
     .environment = "E env"},
    {.names = "ltrace",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .alone = "-V --version --help",
     .unproven =
         "-a=VALUE -A=VALUE -b -c -C -D=VALUE -e=VALUE -F=VALUE -f -h -i -L -l=VALUE -n=VALUE -o=VALUE -p=VALUE "
         "-r -s=VALUE -S -t -T -u=VALUE -V -w=VALUE -x=VALUE -X=VALUE --align=VALUE --config=VALUE --debug=VALUE "
         "--demangle --help --indent=VALUE --library=VALUE --no-signals --output=VALUE --version --where=VALUE",
     .runs = Runs::command,
     .idle = "h V help version"},
    {.names = "perf",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .unproven = "--exec-path[=VALUE]",
     .runs = Runs::option_value,
     .manner = lenient,
     .code = "exec-path",
     .subcommands = true,
     .values_known = true,
     .variables = "PERF_*"},
    {.names = "valgrind",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .unproven = "-d -h -q -s -v --db-command[=VALUE] --tool[=VALUE]",
     .runs = Runs::command,
     .manner = any_long,
     .idle = "h version help",
     .script = "db-command"},
    {.names = "flock",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .alone = "-V --version --help",
     .unproven =
         "-e -E=VALUE -F -h -n -o -s -u -V -w=VALUE -x --close --conflict-exit-code=VALUE --exclusive --fcntl --help "
         "--nb --no-fork --nonblock --nonblocking --shared --timeout=VALUE --unlock --verbose --version --wait=VALUE",
     .runs = Runs::special},
    {.names = "watch",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .unproven = "-b -c -C -d[=VALUE] -e -g -h -n=VALUE -p -q=VALUE -r[=VALUE] -t -v -w -x --beep --color --no-color "
                 "--differences[=VALUE] --equexit=VALUE --errexit --chgexit --help --interval=VALUE --precise "
                 "--no-rerun --no-title --no-wrap --exec --version",
     .runs = Runs::joined,
     .idle = "h v help version",
     .terminal = true},
    {.names = "entr",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .unproven = "-a -c -d -n -p -r -s -x -z",
     .runs = Runs::special},
    {.names = "parallel",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .alone = "-V --version --help",
     .unproven = options_of_parallel,
     .runs = Runs::special,
     .variables = "PARALLEL*"},
    {.names = "sem, env_parallel", .options = options_of_parallel, .rules = false, .runs = Runs::special},
    // -t and -F are left out, because they take a value on BSD.
    {.names = "script",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .alone = "-V --version --help",
     .unproven =
         "-a -B=VALUE -c=VALUE -E=VALUE -e -f -h -I=VALUE -m=VALUE -O=VALUE -o=VALUE -q -T=VALUE -V "
         "--append --command=VALUE --echo=VALUE --flush --force --help --log-in=VALUE --log-io=VALUE --log-out=VALUE "
         "--log-timing=VALUE --logging-format=VALUE --output-limit=VALUE --quiet --return --timing[=VALUE] --version",
     .runs = Runs::command,
     .manner = permutes,
     .before = 1,
     .idle = "h V help version",
     .script = "c command",
     .bare_runs = Bare::shell},
    {.names = "expect",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .unproven = "-c=VALUE -f=VALUE -d -i -n -b --encoding=VALUE",
     .runs = Runs::interpreter,
     .manner = lenient,
     .code = "c"},
    {.names = "tmux",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .alone = "-V",
     .unproven = "-2 -C -D -l -N -q -u -U -v -V -c=VALUE -f=VALUE -L=VALUE -S=VALUE -T=VALUE -h",
     .runs = Runs::steered,
     .manner = lenient,
     .idle = "V h",
     .code = "c f",
     .words =
         "ls list-sessions list-windows list-panes list-keys list-clients list-commands list-buffers has has-session "
         "info display display-message show show-options show-buffer capture-pane capturep kill-session kill-window "
         "kill-pane kill-server",
     .variables = "TMUX*"},
    {.names = "busybox, toybox",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .unproven = "--install --help --list --list-full",
     .runs = Runs::command,
     .manner = lenient,
     .idle = "install help list list-full"},
    {.names = "m4, slsh, sqlite3, psql, mysql, mariadb, mongosh, redis-cli, tshark, nmap, ssh-keygen, "
              "update-alternatives, latex, pdflatex, xelatex, tex, groff, troff, nroff, pandoc",
     .does = Effect::runs_code,
     .never = "can run programs and write files, through its own language or through options",
     .variables = "PSQL* PGSERVICE* PGSYSCONFDIR PGPASSFILE MYSQL_* SQLITE_*"},
    {.names = "dc",
     .does = Effect::runs_code,
     .never = "can run programs and write files, through its own language or through options",
     .runs = Runs::words,
     .parts = "!"},
    {.names = "start-stop-daemon",
     .does = Effect::runs_code,
     .never = "can run programs and write files, through options",
     .runs = Runs::words,
     .beginnings = "--start",
     .letters = "S"},
    {.names = "tclsh, wish",
     .does = Effect::runs_code,
     .never = "can run programs and write files, through its own language or through options",
     .alone = "",
     .unproven = "-c=VALUE -f=VALUE -d -i -n -b --encoding=VALUE",
     .runs = Runs::interpreter,
     .manner = lenient,
     .code = "c",
     .variables = "TCL* TK_*"},
    {.names = "octave",
     .does = Effect::runs_code,
     .never = "can run programs and write files, through its own language or through options",
     .unproven = "-f -i -p=VALUE -q -W --eval=VALUE --exec-path=VALUE --info-program=VALUE --interactive --no-gui "
                 "--no-init-file --norc --no-window-system --path=VALUE --persist --quiet --silent",
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "version help",
     .code = "p eval exec-path info-program path"},
    {.names = "gnuplot, swipl",
     .does = Effect::runs_code,
     .never = "can run programs and write files, through its own language or through options",
     .unproven = "-c=VALUE -e=VALUE -E=VALUE -f=VALUE -g=VALUE -l=VALUE -r=VALUE -t=VALUE -p=VALUE --eval=VALUE "
                 "--load=VALUE --execute=VALUE --expression=VALUE --require=VALUE --print=VALUE --command=VALUE",
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "version help",
     .code = "c e E r t eval l load execute expression require p print g"},
    {.names = "guile",
     .does = Effect::runs_code,
     .never = "can run programs and write files, through its own language or through options",
     .unproven =
         "-q -c=VALUE -e=VALUE -l=VALUE -s=VALUE -x=VALUE -L=VALUE -C=VALUE --language=VALUE --listen[=VALUE] "
         "--debug --no-debug --auto-compile --fresh-auto-compile --no-auto-compile --use-srfi=VALUE --r6rs --r7rs",
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "version help",
     .code = "c e l s listen",
     .variables = "GUILE_*"},
    {.names = "R",
     .does = Effect::runs_code,
     .never = "can run programs and write files, through its own language or through options",
     .unproven = "-e=VALUE -f=VALUE -g=VALUE -d=VALUE --debugger=VALUE --file=VALUE --args --default-packages=VALUE "
                 "--version --help --slave",
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "f file version help",
     .code = "d e debugger",
     .variables = "R_* RSTUDIO_*"},
    {.names = "ghc",
     .does = Effect::runs_code,
     .never = "can run programs and write files, through its own language or through options",
     .alone = "-V --version --help",
     .runs = Runs::words,
     .beginnings = "-B -e -fplugin -ghci-script -pgm --frontend --interactive",
     .variables = "GHC* CABAL_* STACK_ROOT STACK_YAML"},
    {.names = "jshell, scala, groovy",
     .does = Effect::runs_code,
     .never = "can run programs and write files, through its own language or through options",
     .unproven = "-e=VALUE -c=VALUE -i[=VALUE] -M=VALUE -X=VALUE -T=VALUE --eval=VALUE --class-path=VALUE "
                 "--startup=VALUE --execution=VALUE",
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "version help",
     .code = "e eval M X"},
    {.names = "tcpdump",
     .does = Effect::runs_code,
     .never = "can run programs and write files, through options",
     .unproven = "-z=VALUE -w=VALUE -r=VALUE -i=VALUE -G=VALUE -C=VALUE -c=VALUE -s=VALUE -B=VALUE -y=VALUE -F=VALUE "
                 "-E=VALUE -M=VALUE -W=VALUE -Z=VALUE",
     .runs = Runs::option_value,
     .manner = lenient | permutes,
     .script = "z"},
    {.names = "run-parts",
     .does = Effect::runs_code,
     .never = "runs the programs in a folder",
     .unproven =
         "-a=VALUE -h -u=VALUE -v -V --arg=VALUE --debug --exit-on-error --help --list --lsbsysinit --new-session "
         "--random --regex=VALUE --report --reverse --stdin --test --umask=VALUE --verbose --version",
     .runs = Runs::code,
     .manner = permutes,
     .idle = "h V help version list test"},
    {.names = "logsave",
     .does = Effect::runs_code,
     .never = "runs a program, and writes its output to a file",
     .unproven = "-a -s -v",
     .runs = Runs::command,
     .before = 1},
    {.names = "ssh-agent",
     .does = Effect::runs_code,
     .never = "can run a program",
     .unproven = "-a=VALUE -c -D -d -E=VALUE -k -O=VALUE -P=VALUE -s -t=VALUE -T",
     .runs = Runs::command,
     .idle = "k"},
    {.names = "ffmpeg, convert",
     .does = Effect::runs_code,
     .never = "writes files, and can run code that its arguments name",
     .manner = single_dash | lenient | permutes,
     .values_known = true,
     .variables = "MAGICK_*"},
    {.names = "builtin",
     .does = Effect::runs_code,
     .never = "can run any builtin of the shell, and so any program",
     .alone = "-V --version --help",
     .runs = Runs::command},
    {.names = "code, info, fzf, tig, lazygit",
     .does = Effect::interactive,
     .never = "is for a person at a terminal, and runs what that person types",
     .variables = "FZF_*"},
};

}  // namespace

std::span<const ProgramSpec> wrapper_programs() { return wrapper_specs; }

}  // namespace wtool::policy::programs
