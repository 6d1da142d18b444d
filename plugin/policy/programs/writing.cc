// Programs that write, execute or reach out by their nature: no arguments make them harmless.
#include "policy/programs/reader.h"

namespace wtool::policy::programs {

namespace {

std::optional<Problem> check_man(const ParsedCommand& reading) {
  if (reading.has("-w") || reading.has("--where") || reading.has("--path") || reading.has("--location") ||
      reading.has("-f") || reading.has("-k") || reading.has("--whatis") || reading.has("--apropos")) {
    return std::nullopt;
  }
  return Problem{reading.begin, "man starts a pager", "man -w shows where a page is"};
}

// With names of signals to list it signals nobody.
std::optional<Problem> check_kill(const ParsedCommand& reading) {
  if (reading.has("-l") || reading.has("--list") || reading.has("-L") || reading.has("--table")) return std::nullopt;
  return Problem{reading.begin, "kill signals processes", "kill -l lists the signals"};
}

// Without -l it reads another table, of things to run later.
std::optional<Problem> check_crontab(const ParsedCommand& reading) {
  if (reading.has("-l")) return std::nullopt;
  return Problem{reading.begin, "crontab changes what runs later", "crontab -l lists it"};
}

constexpr ProgramSpec specs[] = {
    {.names = "install, link, dd, truncate, tee, mkfifo, mknod, sponge, patch, fallocate, mktemp, "
              "tempfile, ditto, rename, unlink, rmdir, shred, xdelta3",
     .does = Effect::writes,
     .never = "writes files"},
    {.names = "mkdir",
     .does = Effect::writes,
     .never = "writes files",
     .covenant = Covenant{.options = "-p -v --parents --verbose", .least = 1, .use = Use::written}},
    {.names = "touch",
     .does = Effect::writes,
     .never = "writes files",
     .covenant = Covenant{.options = "-c -a -m --no-create", .least = 1, .use = Use::written}},
    {.names = "cp",
     .does = Effect::writes,
     .never = "writes files",
     .unproven =
         "-a -b -d -f -i -H -l -L -n -P -p -r -R -s -t=VALUE -S=VALUE -T -u -v -x -Z --archive --attributes-only "
         "--backup[=VALUE] --copy-contents --force --interactive --link --dereference --no-clobber --no-dereference "
         "--preserve[=VALUE] --no-preserve=VALUE --parents --recursive --reflink[=VALUE] --remove-destination "
         "--sparse=VALUE --strip-trailing-slashes --symbolic-link --suffix=VALUE --target-directory=VALUE "
         "--no-target-directory --update[=VALUE] --verbose --one-file-system --context[=VALUE] --debug",
     .manner = lenient | permutes,
     .values_known = true,
     .synonyms = "r=R f=force r=recursive R=recursive a=archive t=target-directory",
     .covenant =
         Covenant{.options = "-r -R -a -f -n -v -p -u --recursive --archive --force --no-clobber --update --verbose",
                  .least = 2,
                  .most = 2}},
    {.names = "mv",
     .does = Effect::writes,
     .never = "writes files",
     .unproven = "-b -f -i -n -S=VALUE -t=VALUE -T -u -v -Z --backup[=VALUE] --debug --force --interactive "
                 "--no-clobber --strip-trailing-slashes --suffix=VALUE --target-directory=VALUE --no-target-directory "
                 "--update[=VALUE] --verbose --context",
     .manner = lenient | permutes,
     .values_known = true,
     .synonyms = "f=force n=no-clobber",
     .covenant = Covenant{.options = "-f -n -v -u --force --no-clobber --update --verbose",
                          .least = 2,
                          .most = 2,
                          .use = Use::removed}},
    {.names = "ln",
     .does = Effect::writes,
     .never = "writes files",
     .unproven = "-b -d -F -f -i -L -n -P -r -s -S=VALUE -t=VALUE -T -v --backup[=VALUE] --directory --force "
                 "--interactive --logical --no-dereference --physical --relative --symbolic --suffix=VALUE "
                 "--target-directory=VALUE --no-target-directory --verbose",
     .manner = lenient | permutes,
     .values_known = true,
     .synonyms = "f=force s=symbolic"},
    {.names = "split, csplit",
     .does = Effect::writes,
     .never = "writes files",
     .unproven = "-a=VALUE -b=VALUE -C=VALUE -l=VALUE -n=VALUE -t=VALUE --filter=VALUE --bytes=VALUE --lines=VALUE "
                 "--number=VALUE --additional-suffix=VALUE --suffix-length=VALUE --line-bytes=VALUE",
     .runs = Runs::option_value,
     .manner = lenient | permutes,
     .script = "filter"},
    {.names = "rm",
     .does = Effect::writes,
     .never = "writes files",
     .unproven = "-d -f -i -I -r -R -v --dir --force --interactive[=VALUE] --one-file-system --no-preserve-root "
                 "--preserve-root[=VALUE] --recursive --verbose --help --version",
     .manner = permutes | lenient,
     .values_known = true,
     .synonyms = "r=R f=force r=recursive R=recursive d=dir v=verbose",
     .covenant =
         Covenant{.options = "-r -R -f -v -d --recursive --force --verbose --dir", .least = 1, .use = Use::removed}},
    {.names = "sdiff",
     .does = Effect::writes,
     .never = "writes files",
     .unproven = "-o=VALUE -W=VALUE -I=VALUE -F=VALUE --diff-program=VALUE --output=VALUE --width=VALUE "
                 "--ignore-matching-lines=VALUE --show-function-line=VALUE --tabsize=VALUE",
     .runs = Runs::option_value,
     .manner = lenient | permutes,
     .script = "diff-program"},
    {.names = "chattr, setfacl, setcap, setfattr, chcon",
     .does = Effect::privileged,
     .never = "changes who may do what with a file"},
    {.names = "chmod, chown, chgrp",
     .does = Effect::privileged,
     .never = "changes who may do what with a file",
     .unproven = "-c -f -v -R -h -H -L -P --changes --quiet --silent --verbose --dereference --no-dereference "
                 "--from=VALUE --preserve-root --no-preserve-root --reference=VALUE --recursive",
     .manner = lenient | permutes,
     .values_known = true,
     .synonyms = "R=recursive"},
    {.names = "rclone, tftp, aria2c, http, https, xh",
     .does = Effect::opens_network,
     .never = "moves data between this machine and others, and can write files",
     .alone = "-V --version --help"},
    {.names = "ftp",
     .does = Effect::opens_network,
     .never = "moves data between this machine and others, and can write files",
     .alone = "-V --version --help",
     .runs = Runs::steered},
    {.names = "rsync",
     .does = Effect::opens_network,
     .never = "moves data between this machine and others, and can write files",
     .alone = "-V --version --help",
     .unproven =
         "-e=VALUE -f=VALUE -T=VALUE -B=VALUE -M=VALUE --rsh=VALUE --rsync-path=VALUE --exclude=VALUE --include=VALUE "
         "--files-from=VALUE --filter=VALUE --log-file=VALUE --backup-dir=VALUE --password-file=VALUE --temp-dir=VALUE",
     .runs = Runs::option_value,
     .manner = lenient | permutes,
     .script = "e rsh rsync-path"},
    {.names = "scp, sftp",
     .does = Effect::opens_network,
     .never = "moves data between this machine and others, and can write files",
     .alone = "-V --version --help",
     .unproven = "-B=VALUE -b=VALUE -c=VALUE -D=VALUE -F=VALUE -i=VALUE -J=VALUE -l=VALUE -o=VALUE -P=VALUE -R=VALUE "
                 "-S=VALUE -s=VALUE -X=VALUE",
     .runs = Runs::option_value,
     .manner = lenient | permutes,
     .script = "S D"},
    {.names = "wget",
     .does = Effect::opens_network,
     .never = "moves data between this machine and others, and can write files",
     .alone = "-V --version --help",
     .unproven = "-o=VALUE -a=VALUE -i=VALUE -t=VALUE -O=VALUE -T=VALUE -w=VALUE -Q=VALUE -P=VALUE -U=VALUE -l=VALUE "
                 "-A=VALUE -R=VALUE -D=VALUE -I=VALUE -X=VALUE -e=VALUE -B=VALUE --output-document=VALUE "
                 "--directory-prefix=VALUE --execute=VALUE --post-data=VALUE --post-file=VALUE --use-askpass=VALUE",
     .runs = Runs::option_value,
     .manner = lenient | permutes,
     .script = "use-askpass",
     .values_known = true,
     .synonyms = "O=output-document e=execute P=directory-prefix"},
    {.names = "curl",
     .does = Effect::opens_network,
     .never = "moves data between this machine and others, and can write files",
     .alone = "-V --version --help",
     .unproven = "-A=VALUE -b=VALUE -c=VALUE -C=VALUE -d=VALUE -D=VALUE -e=VALUE -E=VALUE -F=VALUE -h=VALUE -H=VALUE "
                 "-K=VALUE -m=VALUE -o=VALUE -P=VALUE -Q=VALUE -r=VALUE -t=VALUE -T=VALUE -u=VALUE -U=VALUE -w=VALUE "
                 "-x=VALUE -X=VALUE -Y=VALUE -y=VALUE -z=VALUE --data=VALUE --data-binary=VALUE --data-raw=VALUE "
                 "--form=VALUE --header=VALUE --output=VALUE --request=VALUE --upload-file=VALUE --url=VALUE "
                 "--user=VALUE --user-agent=VALUE --config=VALUE",
     .manner = lenient | permutes,
     .values_known = true,
     .synonyms = "o=output X=request d=data T=upload-file K=config k=insecure F=form u=user L=location"},
    {.names = "rsh",
     .does = Effect::opens_network,
     .never = "opens a connection to another machine",
     .alone = "-V --version"},
    {.names = "telnet",
     .does = Effect::opens_network,
     .never = "opens a connection to another machine",
     .alone = "-V --version",
     .runs = Runs::steered},
    {.names = "socat",
     .does = Effect::opens_network,
     .never = "opens a connection to another machine",
     .alone = "-V --version",
     .runs = Runs::words,
     .parts = "EXEC: SYSTEM: SHELL:"},
    {.names = "ssh",
     .does = Effect::opens_network,
     .never = "opens a connection to another machine",
     .alone = "-V --version",
     .unproven = "-4 -6 -A -a -B=VALUE -b=VALUE -C -c -D=VALUE -E=VALUE -e=VALUE -F=VALUE -f -G -g -I=VALUE -i=VALUE "
                 "-J=VALUE -K -k -L=VALUE -l=VALUE -M -m -N -n -O=VALUE -o=VALUE -P=VALUE -p=VALUE -Q -q -R=VALUE "
                 "-S=VALUE -s -T -t -V -v -W=VALUE -w=VALUE -X -x -Y -y",
     .runs = Runs::special},
    {.names = "nc, ncat, netcat",
     .does = Effect::opens_network,
     .never = "opens a connection to another machine",
     .alone = "-V --version",
     .unproven = "-c=VALUE -e=VALUE -I=VALUE -i=VALUE -m=VALUE -O=VALUE -o=VALUE -P=VALUE -p=VALUE -q=VALUE -s=VALUE "
                 "-T=VALUE -V=VALUE -W=VALUE -w=VALUE -X=VALUE -x=VALUE --exec=VALUE --sh-exec=VALUE --lua-exec=VALUE",
     .runs = Runs::option_value,
     .manner = lenient | permutes,
     .script = "c e exec sh-exec"},
    {.names = "mosh",
     .does = Effect::opens_network,
     .never = "opens a connection to another machine",
     .alone = "-V --version",
     .runs = Runs::command,
     .manner = lenient | any_long,
     .before = 1},
    {.names = "crontab",
     .options = "-l -u=USER",
     .effects = "writes (changes what runs later): -r -i -e",
     .operands = Operands::none,
     .alone = "",
     .style = Style::exact,
     .check = check_crontab,
     .runs = Runs::special,
     .manner = lenient},
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
         "-C -d -E=VALUE -G -H=VALUE -h -M=VALUE -p=VALUE -P -q -r -S -t -u=VALUE -v --background=VALUE "
         "--capsule=VALUE --collect --description=VALUE --expand-environment=VALUE --gid=VALUE --help --host=VALUE "
         "--ignore-failure --job-mode=VALUE --machine=VALUE --nice=VALUE --no-ask-password --no-block --no-pager "
         "--on-active=VALUE --on-boot=VALUE --on-calendar=VALUE --on-clock-change --on-startup=VALUE "
         "--on-timezone-change --on-unit-active=VALUE --on-unit-inactive=VALUE --path-property=VALUE --pipe "
         "--property=VALUE --pty --quiet --remain-after-exit --same-dir --scope --send-sighup --service-type=VALUE "
         "--setenv=VALUE --shell --slice-inherit --slice=VALUE --socket-property=VALUE --system --timer-property=VALUE "
         "--uid=VALUE --unit=VALUE --user --version --wait --working-directory=VALUE",
     .runs = Runs::command,
     .idle = "h help version"},
    {.names = "kill",
     .options = "-l[=NAME] -L --list[=NAME] --table",
     .style = Style::exact,
     .check = check_kill,
     .unproven = "-s=VALUE -n=VALUE --signal=VALUE",
     .manner = lenient | permutes,
     .values_known = true},
    {.names = "pkill, killall, skill, snice, renice, fuser",
     .does = Effect::privileged,
     .never = "signals or changes processes"},
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
     .assignments = true},
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
    {.names = "gdb, lldb",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .alone = "-V --version --help"},
    {.names = "screen",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .alone = "-V --version --help",
     .runs = Runs::steered},
    {.names = "chroot",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .alone = "-V --version --help",
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
         "-c -C -f -G=VALUE -h -i -l -m -n -p -R=VALUE -r -S=VALUE -T -u -U -V -w=VALUE --cgroup[=VALUE] --fork "
         "--forward-signals --ipc[=VALUE] --keep-caps --kill-child[=VALUE] --load-interp=VALUE --map-auto "
         "--map-current-user --map-group=VALUE --map-groups=VALUE --map-root-user --map-user=VALUE --map-users=VALUE "
         "--monotonic=VALUE --boottime=VALUE --mount-binfmt[=VALUE] --mount-proc[=VALUE] --mount[=VALUE] --net[=VALUE] "
         "--pid[=VALUE] --propagation=VALUE --root=VALUE --setgid=VALUE --setgroups=VALUE --setuid=VALUE "
         "--time[=VALUE] --user[=VALUE] --uts[=VALUE] --wd=VALUE --owner=VALUE --help --version",
     .runs = Runs::command,
     .idle = "h V help version",
     .bare_runs = Bare::shell},
    {.names = "nsenter",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .alone = "-V --version --help",
     .unproven = "-a -C[=VALUE] -e -F -G=VALUE -h -i[=VALUE] -m[=VALUE] -N=VALUE -n[=VALUE] -p[=VALUE] -r[=VALUE] "
                 "-S=VALUE -T[=VALUE] -t=VALUE -U[=VALUE] -u[=VALUE] -V -W=VALUE -w[=VALUE] -Z -c --all "
                 "--cgroup[=VALUE] --env --follow-context --help --ipc[=VALUE] --join-cgroup --keep-caps "
                 "--mount[=VALUE] --net[=VALUE] --net-socket=VALUE --no-fork --pid[=VALUE] --preserve-credentials "
                 "--root[=VALUE] --setgid=VALUE --setuid=VALUE --target=VALUE --time[=VALUE] --user[=VALUE] "
                 "--user-parent --uts[=VALUE] --version --wd[=VALUE] --wdns=VALUE",
     .runs = Runs::command,
     .idle = "h V help version",
     .bare_runs = Bare::shell},
    {.names = "bwrap",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .alone = "-V --version --help",
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
     .code = "args"},
    {.names = "firejail",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .alone = "-V --version --help",
     .unproven = "-c",
     .runs = Runs::command,
     .manner = any_long,
     .idle = "help version list tree",
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
     .idle = "h V help version"},
    {.names = "ltrace",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .alone = "-V --version --help",
     .unproven =
         "-a=VALUE -A=VALUE -b -c -C -D=VALUE -e=VALUE -F=VALUE -f -h -i -L=VALUE -l=VALUE -n=VALUE -o=VALUE -p=VALUE "
         "-r -s=VALUE -S -t -T -u=VALUE -V -w=VALUE -x=VALUE -X=VALUE --align=VALUE --config=VALUE --debug=VALUE "
         "--demangle --help --indent=VALUE --library=VALUE --no-signals --output=VALUE --version --where=VALUE",
     .runs = Runs::command,
     .idle = "h V help version"},
    {.names = "perf",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .alone = "-V --version --help",
     .manner = lenient,
     .subcommands = true,
     .values_known = true},
    {.names = "valgrind",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .alone = "-V --version --help",
     .unproven = "-a=VALUE -B=VALUE -b=VALUE -c=VALUE -C=VALUE -d=VALUE -e=VALUE -f=VALUE -g=VALUE -i=VALUE -L=VALUE "
                 "-l=VALUE -m=VALUE -n=VALUE -o=VALUE -p=VALUE -s=VALUE -t=VALUE -u=VALUE -w=VALUE",
     .runs = Runs::command,
     .manner = any_long | lenient,
     .idle = "version help"},
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
     .alone = "-V --version --help",
     .unproven = "-b -c -C -d[=VALUE] -e -g -h -n=VALUE -p -q=VALUE -r[=VALUE] -t -v -w -x --beep --color --no-color "
                 "--differences[=VALUE] --equexit=VALUE --errexit --chgexit --help --interval=VALUE --precise "
                 "--no-rerun --no-title --no-wrap --exec --version",
     .runs = Runs::joined,
     .idle = "h v help version",
     .terminal = true},
    {.names = "entr",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .alone = "-V --version --help",
     .unproven = "-a -c -d -n -p -r -s -x -z",
     .runs = Runs::special},
    {.names = "parallel",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .alone = "-V --version --help",
     .unproven =
         "-0 -a=VALUE -B=VALUE -C=VALUE -d=VALUE -E=VALUE -h -I=VALUE -i -J=VALUE -j=VALUE -k -L=VALUE -l=VALUE -m "
         "-N=VALUE -n=VALUE -P=VALUE -q -r -S=VALUE -s=VALUE -t -T=VALUE -u -U=VALUE -v -w -X -x --arg-file=VALUE "
         "--arg-sep=VALUE --bar --basefile=VALUE --bg --block=VALUE --cat --cleanup --colsep=VALUE --colour[=VALUE] "
         "--color-failed --compress --ctag --dry-run --delay=VALUE --delimiter=VALUE --env=VALUE --eta --fg --fifo "
         "--files --group --gnu --halt=VALUE --halt-on-error=VALUE --header=VALUE --help --jobs=VALUE --joblog=VALUE "
         "--keep-order --line-buffer --linebuffer --lb --load=VALUE --max-args=VALUE --max-chars=VALUE "
         "--max-lines[=VALUE] --max-procs=VALUE --max-replace-args=VALUE --memfree=VALUE --nice=VALUE --no-notice "
         "--noswap --null --number-of-cpus --number-of-cores --nonall --onall --pipe --pipepart --plain --progress "
         "--quote --recstart=VALUE --recend=VALUE --regexp --results=VALUE --resume --resume-failed --retries=VALUE "
         "--return=VALUE --round-robin --sem --semaphore --semaphorename=VALUE --shebang --shuf --silent "
         "--skip-first-line --sql=VALUE --sshdelay=VALUE --sshlogin=VALUE --sshloginfile=VALUE --tag --tagstring=VALUE "
         "--tempdir=VALUE --timeout=VALUE --tmpdir=VALUE --tmux --transferfile=VALUE --trim=VALUE --ungroup "
         "--use-cpus-instead-of-cores --verbose --version --wait --wd=VALUE --will-cite --workdir=VALUE --xapply "
         "--link --xargs",
     .runs = Runs::special},
    {.names = "script",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .alone = "-V --version --help",
     .unproven =
         "-a -B=VALUE -c=VALUE -E=VALUE -e -F -f -h -I=VALUE -m=VALUE -O=VALUE -o=VALUE -q -T=VALUE -t[=VALUE] -V "
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
     .alone = "-V --version --help",
     .unproven = "-c=VALUE -f=VALUE -d -i -n -b --encoding=VALUE",
     .runs = Runs::interpreter,
     .manner = lenient,
     .code = "c",
     .reads_input = true},
    {.names = "tmux",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .alone = "-V --version --help",
     .unproven = "-2 -C -D -l -N -q -u -U -v -V -c=VALUE -f=VALUE -L=VALUE -S=VALUE -T=VALUE -h",
     .runs = Runs::special,
     .manner = lenient},
    {.names = "busybox, toybox",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .alone = "-V --version --help",
     .unproven = "--install --help --list --list-full",
     .runs = Runs::command,
     .manner = lenient,
     .idle = "install help list list-full"},
    {.names = "m4, slsh, sqlite3, psql, mysql, mariadb, mongosh, redis-cli, tshark, nmap, ssh-keygen, "
              "update-alternatives, latex, pdflatex, xelatex, tex, groff, troff, nroff, pandoc",
     .does = Effect::runs_code,
     .never = "has a language or options that run programs and write files",
     .alone = "-V --version --help"},
    {.names = "dc",
     .does = Effect::runs_code,
     .never = "has a language or options that run programs and write files",
     .alone = "-V --version --help",
     .runs = Runs::words,
     .parts = "!"},
    {.names = "start-stop-daemon",
     .does = Effect::runs_code,
     .never = "has a language or options that run programs and write files",
     .alone = "-V --version --help",
     .runs = Runs::words,
     .words = "--start -S"},
    {.names = "tclsh, wish",
     .does = Effect::runs_code,
     .never = "has a language or options that run programs and write files",
     .alone = "-V --version --help",
     .unproven = "-c=VALUE -f=VALUE -d -i -n -b --encoding=VALUE",
     .runs = Runs::interpreter,
     .manner = lenient,
     .code = "c",
     .reads_input = true},
    {.names = "octave, gnuplot, swipl, guile",
     .does = Effect::runs_code,
     .never = "has a language or options that run programs and write files",
     .alone = "-V --version --help",
     .unproven = "-c=VALUE -e=VALUE -E=VALUE -f=VALUE -g=VALUE -l=VALUE -r=VALUE -t=VALUE -p=VALUE --eval=VALUE "
                 "--load=VALUE --execute=VALUE --expression=VALUE --require=VALUE --print=VALUE --command=VALUE",
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "version help",
     .code = "c e E r eval l load execute expression require p print g",
     .reads_input = true},
    {.names = "R",
     .does = Effect::runs_code,
     .never = "has a language or options that run programs and write files",
     .alone = "-V --version --help",
     .unproven =
         "-e=VALUE -f=VALUE -g=VALUE -d=VALUE --file=VALUE --args --default-packages=VALUE --version --help --slave",
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "f file version help",
     .code = "e",
     .reads_input = true},
    {.names = "ghc",
     .does = Effect::runs_code,
     .never = "has a language or options that run programs and write files",
     .alone = "-V --version --help",
     .unproven = "-e=VALUE -f=VALUE --ghc-arg=VALUE",
     .runs = Runs::interpreter,
     .manner = lenient,
     .code = "e"},
    {.names = "jshell, scala, groovy",
     .does = Effect::runs_code,
     .never = "has a language or options that run programs and write files",
     .alone = "-V --version --help",
     .unproven = "-e=VALUE -c=VALUE -i=VALUE -M=VALUE -X=VALUE -T=VALUE --eval=VALUE --class-path=VALUE "
                 "--startup=VALUE --execution=VALUE",
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "version help",
     .code = "e eval M X"},
    {.names = "tcpdump",
     .does = Effect::runs_code,
     .never = "has a language or options that run programs and write files",
     .alone = "-V --version --help",
     .unproven = "-z=VALUE -w=VALUE -r=VALUE -i=VALUE -G=VALUE -C=VALUE -c=VALUE -s=VALUE -B=VALUE -y=VALUE -F=VALUE "
                 "-E=VALUE -M=VALUE -W=VALUE -Z=VALUE",
     .runs = Runs::option_value,
     .manner = lenient | permutes,
     .script = "z"},
    {.names = "run-parts",
     .does = Effect::runs_code,
     .never = "has a language or options that run programs and write files",
     .alone = "-V --version --help",
     .unproven =
         "-a=VALUE -h -u=VALUE -v -V --arg=VALUE --debug --exit-on-error --help --list --lsbsysinit --new-session "
         "--random --regex=VALUE --report --reverse --stdin --test --umask=VALUE --verbose --version",
     .runs = Runs::code,
     .manner = permutes,
     .idle = "h V help version list test"},
    {.names = "logsave",
     .does = Effect::runs_code,
     .never = "has a language or options that run programs and write files",
     .alone = "-V --version --help",
     .unproven = "-a -s -v",
     .runs = Runs::command,
     .before = 1},
    {.names = "ssh-agent",
     .does = Effect::runs_code,
     .never = "has a language or options that run programs and write files",
     .alone = "-V --version --help",
     .unproven = "-a=VALUE -c -D -d -E=VALUE -k -O=VALUE -P=VALUE -s -t=VALUE -T",
     .runs = Runs::command,
     .idle = "k"},
    {.names = "ffmpeg, convert",
     .does = Effect::runs_code,
     .never = "has a language or options that run programs and write files",
     .alone = "-V --version --help",
     .manner = single_dash | lenient | permutes,
     .values_known = true},
    {.names = "builtin",
     .does = Effect::runs_code,
     .never = "has a language or options that run programs and write files",
     .alone = "-V --version --help",
     .runs = Runs::command},
    {.names = "code, info, fzf, tig, lazygit",
     .does = Effect::interactive,
     .never = "is for a person at a terminal, and runs what that person types",
     .alone = "--version --help"},
    {.names = "vi, vim, nvim, view",
     .does = Effect::interactive,
     .never = "is for a person at a terminal, and runs what that person types",
     .alone = "--version --help",
     .runs = Runs::steered,
     .terminal = true,
     .without_terminal = "-es -Es"},
    {.names = "ex, ed",
     .does = Effect::interactive,
     .never = "is for a person at a terminal, and runs what that person types",
     .alone = "--version --help",
     .runs = Runs::steered},
    {.names = "emacs",
     .does = Effect::interactive,
     .never = "is for a person at a terminal, and runs what that person types",
     .alone = "--version --help",
     .runs = Runs::steered,
     .terminal = true,
     .without_terminal = "--batch -batch --script -script"},
    {.names = "nano, pico, micro, mc",
     .does = Effect::interactive,
     .never = "is for a person at a terminal, and runs what that person types",
     .alone = "--version --help",
     .runs = Runs::steered,
     .terminal = true},
    {.names = "less, more, most, pg, htop, btop, dialog, whiptail",
     .does = Effect::interactive,
     .never = "is for a person at a terminal, and runs what that person types",
     .alone = "--version --help",
     .terminal = true},
    {.names = "top",
     .does = Effect::interactive,
     .never = "is for a person at a terminal, and runs what that person types",
     .alone = "--version --help",
     .terminal = true,
     .without_terminal = "-b"},
    {.names = "man",
     .options =
         "-w --where --path --location -f --whatis -k --apropos -a --all -s=SECTIONS --sections=SECTIONS -L=LOCALE "
         "--locale=LOCALE",
     .effects = "runs_program: -P=PAGER --pager=PAGER -H[=BROWSER] --html[=BROWSER] -p=STRING --preprocessor=STRING; "
                "other (reads another configuration): -C=FILE --config-file=FILE -M=DIR --manpath=DIR -l --local-file",
     .check = check_man,
     .unproven = "-m=VALUE -r=VALUE -S=VALUE -R=VALUE -E=VALUE -e=VALUE --browser=VALUE --prompt=VALUE",
     .runs = Runs::option_value,
     .manner = lenient | permutes,
     .script = "P pager H html browser"},
    {.names = "mount, umount, mkfs, fdisk, parted, swapon, swapoff, losetup, modprobe, insmod, rmmod, sysctl, reboot, "
              "shutdown, halt, poweroff, iptables, nft, useradd, userdel, usermod, passwd, chsh",
     .does = Effect::privileged,
     .never = "changes the system",
     .alone = "--version"},
    {.names = "visudo",
     .does = Effect::privileged,
     .never = "changes the system",
     .alone = "--version",
     .runs = Runs::steered,
     .terminal = true},
    {.names = "snap",
     .does = Effect::runs_program,
     .never = "installs and runs programs",
     .alone = "-V -v --version --help"},
    {.names = "npx, pnpx, bunx, uvx, nix-shell",
     .does = Effect::runs_program,
     .never = "installs and runs programs",
     .alone = "-V -v --version --help",
     .unproven = "-c=VALUE -p=VALUE -w=VALUE -I=VALUE -A=VALUE --call=VALUE --package=VALUE --workspace=VALUE "
                 "--from=VALUE --with=VALUE --python=VALUE --run=VALUE --command=VALUE --shell-mode",
     .runs = Runs::code,
     .manner = lenient,
     .idle = "version help",
     .script = "c call run",
     .bare_runs = Bare::code},
    {.names = "pipx, pipenv, conda, mamba, nix, flatpak",
     .does = Effect::runs_program,
     .never = "installs and runs programs",
     .alone = "-V -v --version --help",
     .manner = lenient,
     .subcommands = true,
     .values_known = true},
    {.names = "uv",
     .does = Effect::runs_program,
     .never = "installs and runs programs",
     .alone = "-V -v --version --help",
     .unproven = "-n -q -v -h -V --cache-dir=VALUE --color=VALUE --config-file=VALUE --directory=VALUE --project=VALUE "
                 "--python=VALUE --python-preference=VALUE",
     .manner = lenient,
     .subcommands = true,
     .values_known = true},
    {.names = "poetry",
     .does = Effect::runs_program,
     .never = "installs and runs programs",
     .alone = "-V -v --version --help",
     .unproven = "-n -q -v -h -V -C=VALUE -P=VALUE --directory=VALUE --project=VALUE",
     .manner = lenient,
     .subcommands = true,
     .values_known = true},
};

}  // namespace

std::span<const ProgramSpec> writing_programs() { return specs; }

}  // namespace wtool::policy::programs
