// Programs whose inner command or option syntax is known, but whose arguments are not classified as safe.
#include "policy/programs/spec.h"

namespace wtool::policy::programs {

namespace {

constexpr ProgramSpec runner_specs[] = {
    {.names = "chrt",
     .options = "-a -b -d -D=VALUE -e -f -G -h -i -m -o -O -p -r -R -T=VALUE -P=VALUE -U=VALUE -v -V -X=VALUE "
                "--all-tasks --batch "
                "--clamp-max=VALUE --clamp-min=VALUE --deadline-overrun --reclaim-grub --deadline --fifo --help --idle "
                "--max --other --pid --reset-on-fork --rr --sched-deadline=VALUE "
                "--sched-period=VALUE --sched-runtime=VALUE --verbose --version --ext",
     .rules = false,
     .runs = Runs::command,
     .before = 1,
     .idle = "p m h V pid max help version"},
    {.names = "taskset",
     .options = "-a -c -h -p -V --all-tasks --cpu-list --help --pid --version",
     .rules = false,
     .runs = Runs::command,
     .before = 1,
     .idle = "p h V pid help version"},
    {.names = "uclampset",
     .options = "-a -m=VALUE -M=VALUE -p=VALUE -R -s -v -h -V --all-tasks --pid=VALUE --reset-on-fork --system "
                "--verbose --help --version",
     .rules = false,
     .runs = Runs::command,
     .idle = "p s h V pid system help version"},
    {.names = "linux32, linux64, i386, i486, i586, i686, x86_64, uname26, arm64, aarch64",
     .options = "-B -F -h -I -L -R -S -T -V -X -Z -v -3 --32bit --3gb --4gb --addr-compat-layout --addr-no-randomize "
                "--fdpic-funcptrs --help --list --mmap-page-zero --read-implies-exec --short-inode --show[=VALUE] "
                "--sticky-timeouts --uname-2.6 --verbose --version --whole-seconds",
     .rules = false,
     .runs = Runs::command,
     .idle = "h V help version list",
     .bare_runs = Bare::shell},
    {.names = "prlimit",
     .options = "-c[=VALUE] -C[=VALUE] -d[=VALUE] -e[=VALUE] -f[=VALUE] -h -i[=VALUE] -l[=VALUE] -m[=VALUE] -n[=VALUE] "
                "-p=VALUE -q[=VALUE] -r[=VALUE] -s[=VALUE] -t[=VALUE] -u[=VALUE] -v[=VALUE] -V -x[=VALUE] -y[=VALUE] "
                "-o=VALUE --as[=VALUE] --core[=VALUE] --cpu[=VALUE] --data[=VALUE] --fsize[=VALUE] --help "
                "--locks[=VALUE] --memlock[=VALUE] --msgqueue[=VALUE] --nice[=VALUE] --nofile[=VALUE] --noheadings "
                "--nproc[=VALUE] --output=VALUE --pid=VALUE --raw --rss[=VALUE] --rtprio[=VALUE] --rttime[=VALUE] "
                "--sigpending[=VALUE] --stack[=VALUE] --verbose --version",
     .rules = false,
     .runs = Runs::command,
     .idle = "p h V pid help version"},
    {.names = "setpriv",
     .options = "-d -h -V --ambient-caps=VALUE --apparmor-profile=VALUE --bounding-set=VALUE --clear-groups --dump "
                "--egid=VALUE --euid=VALUE --groups=VALUE --help --inh-caps=VALUE --init-groups --keep-groups "
                "--landlock-access=VALUE --landlock-rule=VALUE --list-caps --no-new-privs --pdeathsig=VALUE "
                "--ptracer=VALUE --regid=VALUE --reset-env --reuid=VALUE --rgid=VALUE --ruid=VALUE "
                "--seccomp-filter=VALUE --securebits=VALUE --selinux-label=VALUE --version",
     .rules = false,
     .runs = Runs::command,
     .idle = "d h V dump help version list-caps"},
    {.names = "gtime",
     .options = "-a -f=VALUE -o=VALUE -p -q -v -V --append --format=VALUE --output=VALUE --portability --quiet "
                "--verbose --help --version",
     .rules = false,
     .runs = Runs::command,
     .idle = "V help version"},
    {.names = "sg",
     .options = "-c=VALUE",
     .rules = false,
     .runs = Runs::joined,
     .manner = permutes,
     .before = 1,
     .script = "c",
     .bare_runs = Bare::shell},
    {.names = "newgrp", .rules = false, .runs = Runs::command, .before = 1, .bare_runs = Bare::shell},
    {.names = "msgfilter",
     .options =
         "-D=VALUE -E -F -h -i=VALUE -n=VALUE -o=VALUE -p -P -s -V -w=VALUE --add-location[=VALUE] --color[=VALUE] "
         "--directory=VALUE --escape --force-po --help --indent --input=VALUE --keep-header --newline --no-escape "
         "--no-location --no-wrap --output-file=VALUE --properties-input --properties-output --sort-by-file "
         "--sort-output --strict --stringtable-input --stringtable-output --style=VALUE --version --width=VALUE",
     .rules = false,
     .runs = Runs::command,
     .idle = "h V help version"},
    {.names = "msgexec",
     .options = "-D=VALUE -h -i=VALUE -P -V --directory=VALUE --help --input=VALUE --newline --properties-input "
                "--stringtable-input --version",
     .rules = false,
     .runs = Runs::command,
     .idle = "h V help version"},
    {.names = "debugfs",
     .options = "-b=VALUE -c -d=VALUE -D -f=VALUE -i -n -R=VALUE -s=VALUE -V -w -z=VALUE",
     .rules = false,
     .runs = Runs::options,
     .manner = permutes,
     .idle = "V",
     .code = "f R",
     .bare_runs = Bare::code,
     .reads_input = true},
    // choom, tini, catatonit and cpulimit take their options even from among the words of the command.
    {.names = "choom",
     .options = "-h -n=VALUE -p=VALUE -V --adjust=VALUE --pid=VALUE --help --version",
     .rules = false,
     .runs = Runs::command,
     .manner = permutes,
     .idle = "p h V pid help version"},
    {.names = "numactl",
     .options = "-a -b -C=VALUE -c=VALUE -D -d -f=VALUE -H -h -i=VALUE -I=VALUE -l -L=VALUE -m=VALUE -M=VALUE -N=VALUE "
                "-o=VALUE -p=VALUE -P=VALUE -s -S=VALUE -t -T -u -V -w=VALUE --all --balancing --cpubind=VALUE "
                "--cpunodebind=VALUE --dump --dump-nodes --file=VALUE --hardware --help --huge --interleave=VALUE "
                "--length=VALUE --localalloc --membind=VALUE --offset=VALUE --physcpubind=VALUE --preferred=VALUE "
                "--preferred-many=VALUE --shm=VALUE --shmid=VALUE --shmmode=VALUE --show --strict --touch --verify "
                "--weighted-interleave=VALUE",
     .rules = false,
     .runs = Runs::command,
     .idle = "H s h hardware show help"},
    {.names = "noglob, nocorrect, coproc", .rules = false, .runs = Runs::command},
    {.names = "exec", .options = "-a=VALUE -c -l", .rules = false, .runs = Runs::command},
    {.names = "gosu, su-exec, setuidgid, envuidgid", .rules = false, .runs = Runs::command, .before = 1},
    // It sets a variable for each file of a folder. Such a variable may make the command load code.
    {.names = "envdir", .rules = false, .runs = Runs::code, .before = 1},
    {.names = "cgexec", .options = "-g=VALUE -b -h -s --help --sticky", .rules = false, .runs = Runs::command},
    {.names = "systemd-inhibit",
     .options = "-h --help --list --mode=VALUE --no-legend --no-pager --version --what=VALUE --who=VALUE --why=VALUE",
     .rules = false,
     .runs = Runs::command,
     .idle = "h help version list"},
    {.names = "systemd-cat",
     .options = "-h -p=VALUE -t=VALUE --help --identifier=VALUE --level-prefix=VALUE --priority=VALUE "
                "--stderr-priority=VALUE --version",
     .rules = false,
     .runs = Runs::command,
     .idle = "h help version"},
    {.names = "capsh", .rules = false, .runs = Runs::words, .words = "-- == -+ =+"},
    // Its options are those of ssh, except for -M.
    {.names = "autossh",
     .options =
         "-4 -6 -A -a -B=VALUE -b=VALUE -C -c=VALUE -D=VALUE -E=VALUE -e=VALUE -F=VALUE -f -G -g -I=VALUE -i=VALUE "
         "-J=VALUE -K -k -L=VALUE -l=VALUE -M=VALUE -m=VALUE -N -n -O=VALUE -o=VALUE -p=VALUE -Q=VALUE -q "
         "-R=VALUE -S=VALUE -s -T -t -V -v -W=VALUE -w=VALUE -X -x -Y -y",
     .rules = false,
     .runs = Runs::special},
    {.names = "sshpass",
     .options = "-d=VALUE -e -f=VALUE -h -p=VALUE -P=VALUE -v -V",
     .rules = false,
     .runs = Runs::command,
     .idle = "h V"},
    // Scripts and small programs with few options before the command, or none. No row may give a value to a letter that
    // takes none: the command itself would be read as this value.
    {.names = "rr, catchsegv, eatmydata, gamemoderun, vglrun, tsocks, primusrun, with-contenv, distcc, icecc",
     .options = "--help --version",
     .rules = false,
     .runs = Runs::command,
     .idle = "help version"},
    {.names = "mangohud", .options = "--dlsym", .rules = false, .runs = Runs::command},
    {.names = "heaptrack",
     .options = "-d -h -o=VALUE -p=VALUE -r -v --debug --help --output=VALUE --pid=VALUE --raw --version",
     .rules = false,
     .runs = Runs::command,
     .idle = "h p v help pid version"},
    {.names = "ccache",
     .options = "-c -C -d=VALUE -F=VALUE -h -k=VALUE -M=VALUE -o=VALUE -p -s -v -V -x -X=VALUE -z --cleanup --clear "
                "--config-path=VALUE --dir=VALUE --directory=VALUE --evict-namespace=VALUE --evict-older-than=VALUE "
                "--get-config=VALUE --help --max-files=VALUE --max-size=VALUE --print-stats --set-config=VALUE "
                "--show-compression --show-config --show-log-stats --show-stats --version --verbose --zero-stats",
     .rules = false,
     .runs = Runs::command,
     .idle =
         "c C F h k M o p s V x X z cleanup clear evict-namespace evict-older-than get-config help max-files max-size "
         "print-stats set-config show-compression show-config show-log-stats show-stats version zero-stats"},
    {.names = "sccache",
     .options = "-h -s -V -z --dist-status --help --show-adv-stats --show-stats --start-server --stop-server --version "
                "--zero-stats",
     .rules = false,
     .runs = Runs::command,
     .idle = "h s V z dist-status help show-adv-stats show-stats start-server stop-server version zero-stats"},
    {.names = "xvfb-run",
     .options = "-a -e=VALUE -f=VALUE -h -l -n=VALUE -p=VALUE -s=VALUE -w=VALUE --auth-file=VALUE --auto-servernum "
                "--error-file=VALUE --help --listen-tcp --server-args=VALUE --server-num=VALUE --wait=VALUE "
                "--xauth-protocol=VALUE",
     .rules = false,
     .runs = Runs::command,
     .idle = "h help"},
    {.names = "dbus-run-session, dbus-launch",
     .options = "--auto-syntax --autolaunch=VALUE --binary-syntax --close-stderr --config-file=VALUE --csh-syntax "
                "--dbus-daemon=VALUE --exit-with-session --exit-with-x11 --help --sh-syntax --version",
     .rules = false,
     .runs = Runs::command,
     .idle = "help version",
     .script = "dbus-daemon",
     .code = "config-file"},
    {.names = "torsocks, torify",
     .options = "-a=VALUE -d -h -i -p=VALUE -P=VALUE -q -u=VALUE --address=VALUE --debug --help --isolate --pass=VALUE "
                "--port=VALUE --quiet --shell --user=VALUE --version",
     .rules = false,
     .runs = Runs::command,
     .idle = "h help version",
     .code = "shell"},
    {.names = "proxychains, proxychains4",
     .options = "-f=VALUE -h -q --help",
     .rules = false,
     .runs = Runs::command,
     .idle = "h help"},
    {.names = "unbuffer", .options = "-p", .rules = false, .runs = Runs::command},
    {.names = "chronic", .options = "-e -v", .rules = false, .runs = Runs::command},
    {.names = "ifne", .options = "-n", .rules = false, .runs = Runs::command},
    {.names = "lckdo",
     .options = "-e -E=VALUE -n -q -s -t -w -W=VALUE -x",
     .rules = false,
     .runs = Runs::command,
     .before = 1},
    {.names = "bear",
     .options = "-a -h -o=VALUE -v --append --cdb=VALUE --config=VALUE --force-preload --force-wrapper --help "
                "--libear=VALUE --library=VALUE --output=VALUE --verbose --version --wrapper=VALUE --wrapper-dir=VALUE",
     .rules = false,
     .runs = Runs::command,
     .idle = "h help version",
     .code = "libear library wrapper wrapper-dir"},
    {.names = "scan-build, intercept-build",
     .options = "-h -k -o=VALUE -v -V --append --cdb=VALUE --help --status-bugs --use-analyzer=VALUE --use-c++=VALUE "
                "--use-cc=VALUE --verbose --view",
     .rules = false,
     .runs = Runs::command,
     .idle = "h help",
     .code = "use-analyzer use-c++ use-cc"},
    {.names = "tini",
     .options = "-e=VALUE -g -h -l -p=VALUE -s -v -w --version",
     .rules = false,
     .runs = Runs::command,
     .manner = permutes,
     .idle = "h l version"},
    {.names = "dumb-init",
     .options = "-c -h -r=VALUE -v -V --help --rewrite=VALUE --single-child --verbose --version",
     .rules = false,
     .runs = Runs::command,
     .idle = "h V help version"},
    {.names = "catatonit",
     .options = "-g -h -P -V",
     .rules = false,
     .runs = Runs::command,
     .manner = permutes,
     .idle = "h V"},
    {.names = "optirun",
     .options =
         "-b=VALUE -c=VALUE -d=VALUE -h -q -s=VALUE -v -V --bridge=VALUE --debug --display=VALUE --failsafe --help "
         "--no-failsafe --no-xorg --quiet --silent --socket=VALUE --status --verbose --version --vgl-compress=VALUE",
     .rules = false,
     .runs = Runs::command,
     .idle = "h V help status version"},
    {.names = "chpst",
     .options = "-0 -1 -2 -/=VALUE -b=VALUE -c=VALUE -C=VALUE -d=VALUE -e=VALUE -f=VALUE -l=VALUE -L=VALUE -m=VALUE "
                "-n=VALUE -o=VALUE -p=VALUE -P -r=VALUE -t=VALUE -u=VALUE -U=VALUE -v -V",
     .rules = false,
     .runs = Runs::command,
     .idle = "V",
     .code = "e /"},
    {.names = "softlimit",
     .options = "-a=VALUE -c=VALUE -d=VALUE -f=VALUE -l=VALUE -m=VALUE -o=VALUE -p=VALUE -r=VALUE -s=VALUE -t=VALUE",
     .rules = false,
     .runs = Runs::command},
    {.names = "aa-exec",
     .options = "-d -h -i -n=VALUE -p=VALUE -v --debug --help --immediate --namespace=VALUE --profile=VALUE --verbose",
     .rules = false,
     .runs = Runs::command,
     .idle = "h help"},
    {.names = "rlwrap",
     .options = "-a[=VALUE] -A[=VALUE] -b=VALUE -c -C=VALUE -d[=VALUE] -D=VALUE -e=VALUE -E -f=VALUE -F=VALUE -g=VALUE "
                "-h -H=VALUE -i -I -l=VALUE -m[=VALUE] -M=VALUE -n -N -o -O=VALUE -p[=VALUE] -P=VALUE -q=VALUE -r -R "
                "-s=VALUE -S=VALUE -t=VALUE -T -U -v -w=VALUE -W -z=VALUE --always-echo --always-readline[=VALUE] "
                "--ansi-colour-aware[=VALUE] --break-chars=VALUE --case-insensitive --command-name=VALUE "
                "--complete-filenames --debug[=VALUE] --file=VALUE --filter=VALUE --help --history-filename=VALUE "
                "--histsize=VALUE --logfile=VALUE --multi-line[=VALUE] --no-children --no-warnings --one-shot "
                "--pre-given=VALUE --prompt-colour[=VALUE] --remember --version",
     .rules = false,
     .runs = Runs::command,
     .idle = "h v help version",
     .script = "z filter"},
    {.names = "cpulimit",
     .options = "-b -c=VALUE -e=VALUE -f -h -i -k -l=VALUE -m -p=VALUE -P=VALUE -q -r -s=VALUE -v -z --background "
                "--cpu=VALUE --exe=VALUE --foreground --help --include-children --lazy --limit=VALUE --monitor-forks "
                "--path=VALUE --pid=VALUE --quiet --signal=VALUE --verbose",
     .rules = false,
     .runs = Runs::command,
     .manner = permutes,
     .idle = "h help"},
    {.names = "caffeinate", .options = "-d -i -m -s -t=VALUE -u -w=VALUE", .rules = false, .runs = Runs::command},
    {.names = "proot",
     .options = "-0 -b=VALUE -h -i=VALUE -k=VALUE -m=VALUE -q=VALUE -r=VALUE -R=VALUE -S=VALUE -v=VALUE -V -w=VALUE "
                "--about --bind=VALUE --change-id=VALUE --cwd=VALUE --help --kernel-release=VALUE --mount=VALUE "
                "--pwd=VALUE --qemu=VALUE --root-id --rootfs=VALUE --usage --verbose=VALUE --version",
     .rules = false,
     .runs = Runs::command,
     .idle = "h V about help usage version",
     .script = "q qemu",
     .code = "r R S rootfs",
     .bare_runs = Bare::shell},
    {.names = "schroot",
     .options =
         "-b -c=VALUE -d=VALUE -e -f -h -i -l -n=VALUE -o=VALUE -p -q -r -u=VALUE -v -V --begin-session --chroot=VALUE "
         "--config --directory=VALUE --end-session --force --help --info --list --location --option=VALUE "
         "--preserve-environment --quiet --run-session --session-name=VALUE --user=VALUE --verbose --version",
     .rules = false,
     .runs = Runs::command,
     .idle = "b e h i l V begin-session config end-session help info list location version",
     .bare_runs = Bare::shell},
    {.names = "fakeroot, fakeroot-sysv, fakeroot-tcp",
     .options = "-b=VALUE -f=VALUE -h -i=VALUE -l=VALUE -s=VALUE -u -v --faked=VALUE --fd-base=VALUE --help "
                "--lib=VALUE --unknown-is-real --version",
     .rules = false,
     .runs = Runs::command,
     .idle = "h v help version",
     .code = "f l faked lib",
     .bare_runs = Bare::shell},
    {.names = "fakechroot",
     .options = "-b=VALUE -c=VALUE -d=VALUE -e=VALUE -h -l=VALUE -s -v --bindir=VALUE --config-dir=VALUE "
                "--elfloader=VALUE --environment=VALUE --help --lib=VALUE --use-system-libs --version",
     .rules = false,
     .runs = Runs::command,
     .idle = "h v help version",
     .code = "b c d l bindir config-dir elfloader lib",
     .bare_runs = Bare::shell},
    {.names = "faketime",
     .options = "-f -h -m -p=VALUE -v --date-prog=VALUE --disable-shm --exclude-monotonic --help --version",
     .rules = false,
     .runs = Runs::command,
     .before = 1,
     .idle = "h v help version",
     .script = "date-prog"},
    {.names = "datefudge",
     .options = "-h -l=VALUE -s -v --add-ld-preload=VALUE --help --static --version",
     .rules = false,
     .runs = Runs::command,
     .before = 1,
     .idle = "h v help version",
     .code = "l add-ld-preload"},
    {.names = "pseudo",
     .options = "-d -f -h -l -v",
     .rules = false,
     .runs = Runs::command,
     .idle = "h",
     .bare_runs = Bare::shell},
    {.names = "dotenv", .options = "-e=VALUE -f=VALUE", .rules = false, .runs = Runs::command, .assignments = true},
    {.names = "cross-env", .rules = false, .runs = Runs::command, .assignments = true},
    // It joins its words, assignments included, into a line for a shell.
    {.names = "cross-env-shell", .rules = false, .runs = Runs::joined},
    // Its files may be JavaScript, which it runs.
    {.names = "env-cmd",
     .options = "-e=VALUE -f=VALUE -r=VALUE --environments=VALUE --fallback --file=VALUE --no-override --rc-file=VALUE "
                "--silent --verbose",
     .rules = false,
     .runs = Runs::command,
     .code = "f r file rc-file",
     .assignments = true},
    {.names = "envchain", .rules = false, .runs = Runs::command, .before = 1},
    {.names = "lxc-attach",
     .options = "-a=VALUE -e[=VALUE] -f=VALUE -g=VALUE -l=VALUE -n=VALUE -o=VALUE -P=VALUE -q -R -s=VALUE -u=VALUE "
                "-v=VALUE --arch=VALUE --clear-env --elevated-privileges[=VALUE] --gid=VALUE --keep-env "
                "--keep-var=VALUE --logfile=VALUE --logpriority=VALUE --lxcpath=VALUE --name=VALUE --namespaces=VALUE "
                "--quiet --rcfile=VALUE --remount-sys-proc --set-var=VALUE --uid=VALUE",
     .rules = false,
     .runs = Runs::command,
     .hands_input_on = "*"},
    {.names = "perf stat",
     .options = "--all-cpus --all-kernel --all-user --append --big-num --cgroup=VALUE --control=VALUE --cpu=VALUE "
                "--cputype=VALUE --delay=VALUE --detailed --event=VALUE --field-separator=VALUE --filter=VALUE "
                "--for-each-cgroup=VALUE --group --interval-clear --interval-count=VALUE --interval-print=VALUE "
                "--json-output --log-fd=VALUE --metric-no-group --metric-no-merge --metric-only --metrics=VALUE "
                "--no-aggr --no-csv-summary --no-inherit --no-merge --null --output=VALUE --per-core --per-die "
                "--per-node --per-socket --per-thread --percore-show-thread --pid=VALUE --post=VALUE --pre=VALUE "
                "--quiet --repeat=VALUE --scale --smi-cost --summary --sync --table --td-level=VALUE --tid=VALUE "
                "--timeout=VALUE --topdown --transaction --verbose -A -B -C=VALUE -D=VALUE -G=VALUE -I=VALUE -M=VALUE "
                "-S -T -a -d -e=VALUE -g -i -j -n -o=VALUE -p=VALUE -r=VALUE -t=VALUE -v -x=VALUE",
     .rules = false,
     .runs = Runs::command,
     .script = "pre post"},
    // After another subcommand, "record" may be abbreviated.
    {.names = "perf record, perf kmem rec, perf kmem reco, perf kmem recor, perf kmem record, perf kwork rec, perf "
              "kwork reco, perf kwork recor, perf kwork record, perf lock rec, perf lock reco, perf lock recor, perf "
              "lock record, perf sched rec, perf sched reco, perf sched recor, perf sched record",
     .options = "--affinity=VALUE --all-cgroups --all-cpus --all-kernel --all-user --branch-any --branch-filter=VALUE "
                "--call-graph=VALUE --cgroup=VALUE --clockid=VALUE --compression-level[=VALUE] --control=VALUE "
                "--count=VALUE --cpu=VALUE --data --delay=VALUE --dry-run --event=VALUE --exclude-perf --filter=VALUE "
                "--freq=VALUE --group --intr-regs[=VALUE] --kcore --max-size=VALUE --mmap-pages=VALUE --no-buffering "
                "--no-buildid --no-buildid-cache --no-inherit --no-samples --output=VALUE --overwrite --per-thread "
                "--period --phys-data --pid=VALUE --quiet --raw-samples --realtime=VALUE --running-time --sample-cpu "
                "--snapshot[=VALUE] --stat --strict-freq --switch-events --switch-output[=VALUE] --tid=VALUE "
                "--timestamp --uid=VALUE --user-regs[=VALUE] --verbose --weight -B -C=VALUE -D=VALUE -F=VALUE -G=VALUE "
                "-I[=VALUE] -N -P -R -S[=VALUE] -T -W -a -b -c=VALUE -d -e=VALUE -g -i -j=VALUE -k=VALUE -m=VALUE -n "
                "-o=VALUE -p=VALUE -q -r=VALUE -s -t=VALUE -u=VALUE -v -z[=VALUE]",
     .rules = false,
     .runs = Runs::command},
    {.names = "perf trace",
     .options =
         "--all-cpus --call-graph=VALUE --cgroup=VALUE --comm --cpu=VALUE --delay=VALUE --duration=VALUE "
         "--errno-summary --event=VALUE --expr=VALUE --failure --filter-pids=VALUE --filter=VALUE --force "
         "--input=VALUE --kernel-syscall-graph --max-events=VALUE --max-stack=VALUE --min-stack=VALUE "
         "--mmap-pages=VALUE --no-inherit --output=VALUE --pf=VALUE --pid=VALUE --print-sample --sched --sort-events "
         "--summary --syscalls --tid=VALUE --time --uid=VALUE --verbose --with-summary -C=VALUE -D=VALUE -F=VALUE "
         "-G=VALUE -S -T -a -e=VALUE -f -i=VALUE -m=VALUE -o=VALUE -p=VALUE -s -t=VALUE -u=VALUE -v",
     .rules = false,
     .runs = Runs::command},
    {.names = "perf mem rec, perf mem reco, perf mem recor, perf mem record, perf c2c rec, perf c2c reco, perf c2c "
              "recor, perf c2c record, perf timechart rec, perf timechart reco, perf timechart recor, perf timechart "
              "record, perf kvm, perf ftrace, perf lock con, perf lock contention",
     .rules = false,
     .runs = Runs::command},
    {.names = "perf annotate, perf diff, perf report, perf top",
     .options = "--addr2line=VALUE --objdump=VALUE",
     .rules = false,
     .runs = Runs::options,
     .manner = lenient | permutes,
     .script = "addr2line objdump"},
    {.names = "perf script", .rules = false, .runs = Runs::code},
    // These subcommands run scripts from a folder that an option of perf may name.
    {.names = "perf archive, perf iostat",
     .rules = false,
     .runs = Runs::code,
     .manner = lenient,
     .bare_runs = Bare::code},
    {.names = "hyperfine",
     .options =
         "-c=VALUE -C=VALUE -D=VALUE -i -L=VALUE -m=VALUE -M=VALUE -n=VALUE -N -P=VALUE -p=VALUE -r=VALUE -R=VALUE "
         "-s=VALUE -S=VALUE -u=VALUE -w=VALUE --cleanup=VALUE --command-name=VALUE --conclude=VALUE "
         "--export-asciidoc=VALUE --export-csv=VALUE --export-json=VALUE --export-markdown=VALUE --ignore-failure "
         "--input=VALUE --max-runs=VALUE --min-runs=VALUE --output=VALUE --parameter-list=VALUE,VALUE "
         "--parameter-scan=VALUE,VALUE,VALUE --prepare=VALUE --reference=VALUE --runs=VALUE --setup=VALUE "
         "--shell=VALUE --show-output --style=VALUE --time-unit=VALUE --warmup=VALUE --sort=VALUE",
     .rules = false,
     .runs = Runs::scripts,
     .manner = lenient | permutes,
     .script = "c C p s R cleanup conclude prepare setup reference",
     .code = "S shell"},
    {.names = "pee, mispipe",
     .options = "--ignore-sigpipe --ignore-write-errors --no-ignore-sigpipe --no-ignore-write-errors",
     .rules = false,
     .runs = Runs::scripts},
    {.names = "concurrently",
     .options =
         "-c=VALUE -g -h -i -k -l=VALUE -m=VALUE -n=VALUE -p=VALUE -r -s=VALUE -t=VALUE -v -V --group --handle-input "
         "--help --hide=VALUE --kill-others --kill-others-on-fail --max-processes=VALUE --names=VALUE --no-color "
         "--prefix=VALUE --prefix-colors=VALUE --prefix-length=VALUE --raw --restart-after=VALUE --restart-tries=VALUE "
         "--success=VALUE --teardown=VALUE --timestamp-format=VALUE --timings --version",
     .rules = false,
     .runs = Runs::scripts,
     .manner = permutes,
     .idle = "h v V help version",
     .script = "teardown"},
    {.names = "npm-run-all, run-p, run-s",
     .options =
         "-c -h -l -n -p -r -s -v --aggregate-output --continue-on-error --help --max-parallel=VALUE --npm-path=VALUE "
         "--parallel --print-label --print-name --race --sequential --serial --silent --version",
     .rules = false,
     .runs = Runs::scripts,
     .manner = permutes,
     .idle = "h v help version",
     .script = "npm-path"},
    // With --latest or --cidfile, no operand names the container.
    {.names = "docker exec, docker container exec, podman exec, podman container exec, nerdctl exec, docker compose "
              "exec, docker-compose exec, podman compose exec, podman-compose exec",
     .options = "-d -e=VALUE -i -T -t -u=VALUE -w=VALUE -h --all-resources --cidfile=VALUE --compatibility --detach "
                "--dry-run --help "
                "--interactive --latest --no-session --no-TTY --privileged --quiet --tty --verbose",
     .rules = false,
     .runs = Runs::command,
     .manner = any_valued,
     .before = 1,
     .code = "cidfile latest",
     .hands_input_on = "i interactive"},
    {.names = "docker run, docker create, docker container run, docker container create, podman run, podman create, "
              "podman container run, nerdctl run",
     .options =
         "-a=VALUE -c=VALUE -d -e=VALUE -h=VALUE -i -l=VALUE -m=VALUE -p=VALUE -P -q -t -u=VALUE -v=VALUE -w=VALUE "
         "--detach --disable-content-trust[=VALUE] --env-host --help --http-proxy[=VALUE] --init --interactive "
         "--no-healthcheck --no-hostname --no-hosts --oom-kill-disable --passwd --privileged --publish-all --quiet "
         "--read-only --read-only-tmpfs[=VALUE] --replace --rm --rmi --rootfs --sig-proxy[=VALUE] --tls-verify[=VALUE] "
         "--tty --unsetenv-all --use-api-socket",
     .rules = false,
     .runs = Runs::command,
     .manner = any_valued,
     .before = 1,
     .script = "entrypoint",
     .hands_input_on = "i interactive"},
    {.names = "docker start, docker container start, podman start, podman container start, nerdctl start",
     .options = "-a -i -l -f=VALUE --attach --interactive --latest --filter=VALUE --checkpoint=VALUE "
                "--checkpoint-dir=VALUE --detach-keys=VALUE",
     .rules = false,
     .runs = Runs::options,
     .manner = lenient | permutes,
     .hands_input_on = "i interactive"},
    {.names = "docker attach, docker container attach, docker compose attach, docker-compose attach, podman attach, "
              "podman container attach, podman compose attach, podman-compose attach, nerdctl attach, lxc console, "
              "incus console, oc debug",
     .rules = false,
     .runs = Runs::options,
     .manner = lenient | permutes,
     .hands_input_on = "*"},
    {.names = "docker compose run, docker-compose run, podman compose run, podman-compose run",
     .options = "-d -e=VALUE -i -T -l=VALUE -p=VALUE -P -u=VALUE -v=VALUE -w=VALUE -q --all-resources --build "
                "--compatibility --detach --dry-run --help --interactive "
                "--no-deps --no-TTY --publish-all --quiet --quiet-build --quiet-pull --remove-orphans --rm "
                "--service-ports --use-aliases --verbose",
     .rules = false,
     .runs = Runs::command,
     .manner = any_valued,
     .before = 1,
     .script = "entrypoint",
     .hands_input_on = "*"},
    {.names = "kubectl attach, kubectl run, kubectl debug, oc attach, oc run, k3s kubectl attach, k3s kubectl run, "
              "k3s kubectl debug",
     .options = "-c=VALUE -f=VALUE -i -q -t -n=VALUE --stdin --tty --quiet",
     .rules = false,
     .runs = Runs::options,
     .manner = lenient | permutes,
     .hands_input_on = "i stdin"},
    {.names = "kubectl exec, oc exec, k3s kubectl exec",
     .options = "-c=VALUE -f=VALUE -i -q -t -n=VALUE -s=VALUE -v=VALUE --alsologtostderr[=VALUE] "
                "--disable-compression[=VALUE] --help --insecure-skip-tls-verify[=VALUE] --logtostderr[=VALUE] "
                "--match-server-version[=VALUE] --quiet --stdin --tty --warnings-as-errors[=VALUE]",
     .rules = false,
     .runs = Runs::command,
     .manner = any_valued,
     .before = 1,
     .behind_dashes = true},
    {.names = "lxc exec, incus exec",
     .options =
         "-h -n -q -t -T -v --cwd=VALUE --debug --disable-stdin --env=VALUE --force-interactive --force-local "
         "--force-noninteractive --group=VALUE --help --mode=VALUE --project=VALUE --quiet --user=VALUE --verbose",
     .rules = false,
     .runs = Runs::command,
     .before = 1,
     .hands_input_on = "*"},
    {.names = "toolbox run",
     .options = "-c=VALUE -d=VALUE -h -r=VALUE -v -y --assumeyes --container=VALUE --distro=VALUE --help "
                "--preserve-fds=VALUE --release=VALUE --verbose",
     .rules = false,
     .runs = Runs::command,
     .hands_input_on = "*"},
    // An option may name the container, and then no operand does.
    {.names = "distrobox enter, lxc-execute, flatpak run",
     .rules = false,
     .runs = Runs::code,
     .manner = lenient,
     .bare_runs = Bare::code},
    {.names = "adb shell", .rules = false, .runs = Runs::joined, .hands_input_on = "*"},
    {.names = "vagrant ssh",
     .options = "-c=VALUE -p --command=VALUE --plain",
     .rules = false,
     .runs = Runs::options,
     .manner = lenient | permutes,
     .script = "c command",
     .hands_input_on = "*"},
    {.names = "oc rsh",
     .options = "-c=VALUE -f=VALUE -n=VALUE -t -T --container=VALUE --filename=VALUE --namespace=VALUE --no-tty "
                "--shell=VALUE --timeout=VALUE --tty",
     .rules = false,
     .runs = Runs::command,
     .before = 1,
     .code = "shell",
     .bare_runs = Bare::shell},
    {.names = "pipx run, npm exec, npm x, npm init, npm create, pnpm dlx, pnpm create, yarn dlx, yarn create, bun x, "
              "bun create, uv tool run, nix run, nix shell, nix develop, yarn exec, pnpm exec",
     .options = "-c=VALUE -p=VALUE -w=VALUE -I=VALUE -A=VALUE --call=VALUE --package=VALUE --workspace=VALUE "
                "--from=VALUE --with=VALUE --python=VALUE --run=VALUE --command=VALUE --shell-mode",
     .rules = false,
     .runs = Runs::code,
     .manner = lenient,
     .idle = "version help",
     .script = "c call run",
     .bare_runs = Bare::code},
    {.names = "npm explore, pnpm explore, yarn explore",
     .rules = false,
     .runs = Runs::code,
     .manner = lenient,
     .bare_runs = Bare::code},
    {.names = "uv run",
     .options =
         "-C=VALUE -f=VALUE -h -i=VALUE -m -n -p=VALUE -P=VALUE -q -s -U -v -w=VALUE --active --all-extras "
         "--all-groups --all-packages --allow-insecure-host=VALUE --cache-dir=VALUE --color=VALUE --config-file=VALUE "
         "--config-setting=VALUE --default-index=VALUE --dev --directory=VALUE --env-file=VALUE --exact --extra=VALUE "
         "--find-links=VALUE --frozen --group=VALUE --gui-script --help --index=VALUE --index-url=VALUE --isolated "
         "--link-mode=VALUE --locked --module --native-tls --no-cache --no-config --no-dev --no-editable --no-env-file "
         "--no-extra=VALUE --no-group=VALUE --no-index --no-progress --no-project --no-sync --offline --only-dev "
         "--only-group=VALUE --package=VALUE --prerelease=VALUE --project=VALUE --python=VALUE --quiet --refresh "
         "--reinstall --resolution=VALUE --script --upgrade --upgrade-package=VALUE --verbose --with=VALUE "
         "--with-editable=VALUE --with-requirements=VALUE",
     .rules = false,
     .runs = Runs::command,
     .idle = "h help",
     .code = "m module"},
    {.names = "poetry run",
     .options = "-C=VALUE -h -n -P=VALUE -q -v -V --ansi --directory=VALUE --help --no-ansi --no-cache "
                "--no-interaction --no-plugins --project=VALUE --quiet --verbose --version",
     .rules = false,
     .runs = Runs::command,
     .idle = "h help"},
    {.names = "pdm run",
     .options = "-h -l -p=VALUE -q -s -v --help --list --project=VALUE --quiet --site-packages --venv=VALUE --verbose",
     .rules = false,
     .runs = Runs::command,
     .idle = "h l help list"},
    {.names = "conda run, mamba run, micromamba run",
     .options = "-h -n=VALUE -p=VALUE -v --cwd=VALUE --dev --help --live-stream --name=VALUE --no-capture-output "
                "--prefix=VALUE --verbose",
     .rules = false,
     .runs = Runs::command,
     .idle = "h help"},
    {.names = "pipenv run, hatch run, rye run, bundle exec, asdf exec, rbenv exec, pyenv exec, nodenv exec",
     .options = "-h --help --keep-file-descriptors",
     .rules = false,
     .runs = Runs::command},
    {.names = "mise exec, mise x",
     .options = "-c=VALUE -C=VALUE -E=VALUE -h -j=VALUE -q -v -y --cd=VALUE --command=VALUE --env=VALUE --help "
                "--jobs=VALUE --quiet --raw --silent --verbose --yes",
     .rules = false,
     .runs = Runs::command,
     .idle = "h help",
     .script = "c command",
     .behind_dashes = true},
    {.names = "doppler run",
     .options =
         "-c=VALUE -h -p=VALUE -t=VALUE --command=VALUE --config=VALUE --help --project=VALUE --silent --token=VALUE",
     .rules = false,
     .runs = Runs::command,
     .idle = "h help",
     .script = "command"},
    {.names = "op run",
     .options =
         "-h --account=VALUE --cache --config=VALUE --debug --env-file=VALUE --environment=VALUE --help --no-masking",
     .rules = false,
     .runs = Runs::command,
     .idle = "h help"},
    {.names = "chamber exec",
     .options = "-h --help --pristine --strict --strict-value=VALUE",
     .rules = false,
     .runs = Runs::command,
     .before = 1,
     .idle = "h help",
     .behind_dashes = true},
    {.names = "aws-vault exec",
     .options = "-d=VALUE -j -n -s -t=VALUE --backend=VALUE --debug --duration=VALUE --json --mfa-token=VALUE "
                "--no-session --region=VALUE",
     .rules = false,
     .runs = Runs::command,
     .before = 1},
    {.names = "direnv exec, rustup run", .options = "--install", .rules = false, .runs = Runs::command, .before = 1},
    {.names = "sops exec-env, sops exec-file", .rules = false, .runs = Runs::joined, .before = 1},
    {.names = "cargo watch, cargo-watch",
     .options =
         "-B=VALUE -c -C=VALUE -d=VALUE -E=VALUE -h -i=VALUE -N -q -s=VALUE -V -w=VALUE -x=VALUE --clear --debug "
         "--delay=VALUE --env=VALUE --env-file=VALUE --exec=VALUE --features=VALUE --help --ignore=VALUE "
         "--ignore-nothing --no-gitignore --no-ignore --no-restart --notify --poll --postpone --quiet --shell=VALUE "
         "--skip-local-deps --use-shell=VALUE --version --watch=VALUE --watch-when-idle --why --workdir=VALUE",
     .rules = false,
     .runs = Runs::command,
     .idle = "h V help version",
     .script = "s shell",
     .code = "use-shell"},
    {.names = "gsort",
     .options = "-k=VALUE -o=VALUE -S=VALUE -t=VALUE -T=VALUE --compress-program=VALUE --key=VALUE --output=VALUE "
                "--parallel=VALUE --temporary-directory=VALUE --field-separator=VALUE --buffer-size=VALUE "
                "--batch-size=VALUE --files0-from=VALUE --random-source=VALUE --sort=VALUE",
     .rules = false,
     .runs = Runs::option_value,
     .manner = lenient | permutes,
     .script = "compress-program"},
    {.names = "gsdiff",
     .options = "-I=VALUE -o=VALUE -w=VALUE --diff-program=VALUE --ignore-matching-lines=VALUE --output=VALUE "
                "--tabsize=VALUE --width=VALUE",
     .rules = false,
     .runs = Runs::option_value,
     .manner = lenient | permutes,
     .script = "diff-program"},
    {.names = "gdiff3",
     .options = "-L=VALUE --diff-program=VALUE --label=VALUE",
     .rules = false,
     .runs = Runs::option_value,
     .manner = lenient | permutes,
     .script = "diff-program"},
    {.names = "gsplit",
     .options = "-a=VALUE -b=VALUE -C=VALUE -l=VALUE -n=VALUE -t=VALUE --filter=VALUE --bytes=VALUE --lines=VALUE "
                "--number=VALUE --additional-suffix=VALUE --suffix-length=VALUE --line-bytes=VALUE",
     .rules = false,
     .runs = Runs::option_value,
     .manner = lenient | permutes,
     .script = "filter"},
    {.names = "wget2",
     .options = "--config=VALUE --local-plugin=VALUE --plugin=VALUE --plugin-dirs=VALUE -e=VALUE -O=VALUE -o=VALUE "
                "-P=VALUE -U=VALUE --use-askpass=VALUE --execute=VALUE --output-document=VALUE",
     .rules = false,
     .runs = Runs::option_value,
     .manner = lenient | permutes,
     .script = "use-askpass",
     .code = "config local-plugin plugin plugin-dirs"},
    {.names = "git checkout, git switch",
     .rules = false,
     .manner = lenient | permutes,
     .values_known = true,
     .synonyms = "f=force f=discard-changes C=force-create B=force-create"},
    {.names = "podman container, podman image",
     .options = "-h --help",
     .rules = false,
     .manner = lenient,
     .subcommands = true,
     .values_known = true},
    {.names = "podman compose, podman-compose",
     .options = "-f=VALUE -p=VALUE -h -v -D --ansi=VALUE --all-resources --compatibility --dry-run --env-file=VALUE "
                "--file=VALUE --help --parallel=VALUE --profile=VALUE --progress=VALUE --project-directory=VALUE "
                "--project-name=VALUE --verbose --version",
     .rules = false,
     .manner = lenient,
     .subcommands = true,
     .values_known = true},
    {.names = "k3s kubectl",
     .options =
         "-n=VALUE -s=VALUE -v=VALUE -h --as=VALUE --as-group=VALUE --as-uid=VALUE --cache-dir=VALUE "
         "--certificate-authority=VALUE --client-certificate=VALUE --client-key=VALUE --cluster=VALUE --context=VALUE "
         "--disable-compression[=VALUE] --help --insecure-skip-tls-verify[=VALUE] --kubeconfig=VALUE "
         "--log-flush-frequency=VALUE --match-server-version[=VALUE] --namespace=VALUE --password=VALUE "
         "--profile=VALUE --profile-output=VALUE --request-timeout=VALUE --server=VALUE --tls-server-name=VALUE "
         "--token=VALUE --user=VALUE --username=VALUE --v=VALUE --vmodule=VALUE --warnings-as-errors[=VALUE]",
     .rules = false,
     .manner = lenient,
     .subcommands = true,
     .values_known = true},
    {.names = "apt-mark",
     .options = "-a=VALUE -c=VALUE -o=VALUE -t=VALUE -P=VALUE -q -y -d -s -m -f -u -V -b -h --assume-no --assume-yes "
                "--build-profiles=VALUE --config-file=VALUE --default-release=VALUE --dry-run "
                "--host-architecture=VALUE --option=VALUE --purge --quiet --simulate --target-release=VALUE --yes",
     .rules = false,
     .runs = Runs::option_value,
     .manner = lenient | permutes,
     .code = "c o config-file option",
     .subcommands = true,
     .values_known = true,
     .synonyms = "y=yes y=assume-yes"},
    {.names = "dnf, yum",
     .options = "-c=VALUE -d=VALUE -e=VALUE -R=VALUE -x=VALUE -y -q -v -h -C --config=VALUE --enablerepo=VALUE "
                "--disablerepo=VALUE --exclude=VALUE --installroot=VALUE --quiet --releasever=VALUE --repo=VALUE "
                "--setopt=VALUE --assumeyes",
     .rules = false,
     .runs = Runs::option_value,
     .manner = lenient | permutes,
     .code = "c config setopt",
     .subcommands = true,
     .values_known = true,
     .synonyms = "y=assumeyes"},
    {.names = "zypper",
     .options = "-A -c=VALUE -C=VALUE -D=VALUE -h -i -n -p=VALUE -q -R=VALUE -s=VALUE -v -V -x --cache-dir=VALUE "
                "--config=VALUE --installroot=VALUE --non-interactive --plus-repo=VALUE --quiet --releasever=VALUE "
                "--reposd-dir=VALUE --root=VALUE --table-style=VALUE --userdata=VALUE --xmlout",
     .rules = false,
     .runs = Runs::option_value,
     .manner = lenient | permutes,
     .code = "c config",
     .subcommands = true,
     .values_known = true,
     .synonyms = "y=no-confirm"},
    {.names = "aws",
     .options = "--ca-bundle=VALUE --cli-binary-format=VALUE --cli-connect-timeout=VALUE --cli-read-timeout=VALUE "
                "--color=VALUE --debug --endpoint-url=VALUE --no-cli-pager --no-paginate --no-sign-request "
                "--no-verify-ssl --output=VALUE --profile=VALUE --query=VALUE --region=VALUE --version",
     .rules = false,
     .manner = lenient | permutes,
     .subcommands = true,
     .values_known = true,
     .variables = "AWS_* BOTO_*",
     .harmless_variables = "AWS_REGION AWS_DEFAULT_REGION AWS_DEFAULT_OUTPUT"},
    {.names = "gcloud",
     .options = "-h -q --account=VALUE --billing-project=VALUE --configuration=VALUE --flags-file=VALUE --format=VALUE "
                "--project=VALUE --verbosity=VALUE --quiet",
     .rules = false,
     .manner = lenient | permutes,
     .subcommands = true,
     .values_known = true,
     .synonyms = "q=quiet",
     .variables = "GOOGLE_* CLOUDSDK_*"},
    {.names = "glab",
     .options = "-R=VALUE --repo=VALUE --help --version",
     .rules = false,
     .manner = lenient,
     .subcommands = true,
     .values_known = true,
     .variables = "GLAB_* GITLAB_*",
     .harmless_variables = "GITLAB_TOKEN"},
    // Its configuration names programs, and so do options of some of its commands: pull -e.
    {.names = "hg",
     .options = "-R=VALUE -q -v -y --config=VALUE --cwd=VALUE --encoding=VALUE --pager=VALUE --repository=VALUE "
                "--quiet --verbose",
     .rules = false,
     .runs = Runs::words,
     .manner = lenient,
     .words = "bisect extdiff",
     .beginnings = "--com --con --rem --ss",
     .letters = "e",
     .subcommands = true,
     .values_known = true,
     .variables = "HG HGRCPATH HGEDITOR HGMERGE HGPLAIN*"},
    {.names = "pdm, hatch, rye, bundle, micromamba, direnv, mise, asdf, rbenv, pyenv, nodenv, doppler, op, aws-vault, "
              "sops, chamber, lxc, incus, distrobox, toolbox, vagrant, heroku, fly, adb, gitlab-runner, mix, rails, "
              "nerdctl compose, k3s, perf mem, perf c2c, perf kmem, perf kwork, perf lock, perf sched, perf timechart, "
              "uv tool",
     .rules = false,
     .manner = lenient,
     .subcommands = true,
     .values_known = true},
    {.names = "qemu, terraform-ls, xrandr",
     .rules = false,
     .manner = single_dash | lenient | permutes,
     .values_known = true},
    // The files of -config may name modules, too.
    {.names = "openssl",
     .rules = false,
     .runs = Runs::words,
     .manner = single_dash | lenient | permutes,
     .words = "engine",
     .beginnings = "-config --config -engine --engine -provider --provider -ssl_client_engine --ssl_client_engine",
     .values_known = true},
    {.names = "genv",
     .options = "-0 -a=VALUE -C=VALUE -i -S=VALUE -u=VALUE -v --argv0=VALUE --block-signal[=VALUE] --chdir=VALUE "
                "--debug --default-signal[=VALUE] --help --ignore-environment --ignore-signal[=VALUE] "
                "--list-signal-handling --null --split-string=VALUE --unset=VALUE --version",
     .rules = false,
     .runs = Runs::special},
    {.names = "ld.so",
     .options = "--argv0=VALUE --audit=VALUE --glibc-hwcaps-mask=VALUE --glibc-hwcaps-prepend=VALUE --help "
                "--inhibit-cache --inhibit-rpath=VALUE --library-path=VALUE --list --list-diagnostics --list-tunables "
                "--preload=VALUE --verify --version",
     .rules = false,
     .runs = Runs::command,
     .code = "audit library-path preload"},
    {.names = "gxargs",
     .options = "-0 -a=VALUE -d=VALUE -e[=VALUE] -E=VALUE -i[=VALUE] -I=VALUE -J=VALUE -l[=VALUE] -L=VALUE -n=VALUE -o "
                "-P=VALUE -p -r -R=VALUE -s=VALUE -S=VALUE -t -x --arg-file=VALUE --delimiter=VALUE --eof[=VALUE] "
                "--exit --help --interactive --max-args=VALUE --max-chars=VALUE --max-lines[=VALUE] --max-procs=VALUE "
                "--no-run-if-empty --null --open-tty --process-slot-var=VALUE --replace[=VALUE] --show-limits "
                "--verbose --version",
     .rules = false,
     .runs = Runs::special},
    // These programs are made for a person at a terminal, or are controlled by commands while they run.
    {.names = "vimdiff, rvim, gvim",
     .rules = false,
     .runs = Runs::steered,
     .terminal = true,
     .without_terminal = "-es -Es"},
    {.names = "rview", .rules = false, .terminal = true, .without_terminal = "-es -Es"},
    {.names =
         "rnano, jmacs, jpico, mcedit, zile, atop, iftop, nethogs, nmon, glances, slabtop, ncdu, alpine, mutt, neomutt",
     .rules = false,
     .terminal = true},
    {.names = "joe, jed, hx, helix, kak, ne, mg, ranger, nnn, lf, vipw, vigr",
     .rules = false,
     .runs = Runs::steered,
     .terminal = true},
    {.names = "emacs-nox, emacs-gtk, emacs-lucid",
     .rules = false,
     .terminal = true,
     .without_terminal = "--batch -batch --script -script"},
    {.names = "iotop", .rules = false, .terminal = true, .without_terminal = "--batch -b"},
    {.names = "red, emacsclient, byobu, zellij, dtach, abduco, lftp, gdbserver, sudoedit, xterm, rxvt, urxvt, kitty, "
              "alacritty, gnome-terminal, konsole, xfce4-terminal, foot, wezterm, ansible",
     .rules = false,
     .runs = Runs::steered},
    {.names = "setlock", .options = "-n -N -x -X", .rules = false, .runs = Runs::command, .before = 1},
    {.names = "gpg-agent",
     .options =
         "-c -q -s -v --allow-preset-passphrase --batch --csh --daemon --debug-level=VALUE --default-cache-ttl=VALUE "
         "--enable-ssh-support --help --homedir=DIR --log-file=FILE --max-cache-ttl=VALUE --no-detach --options=FILE "
         "--pinentry-program=VALUE "
         "--quiet --scdaemon-program=VALUE --server --sh --tpm2daemon-program=VALUE --verbose --version",
     .rules = false,
     .runs = Runs::command,
     .idle = "help version",
     .script = "pinentry-program scdaemon-program tpm2daemon-program",
     .code = "homedir options"},
    {.names = "machinectl shell", .rules = false, .runs = Runs::code, .manner = lenient, .bare_runs = Bare::code},
    {.names = "runcon, systemd-nspawn, bpftrace", .rules = false, .runs = Runs::code, .manner = lenient},
    {.names = "machinectl", .rules = false, .manner = lenient, .subcommands = true},
    // Subcommands with several names, for entries of a deny list.
    {.names = "npm:commands",
     .synonyms = "install=i install=in install=ins install=inst install=add install=isntall uninstall=un "
                 "uninstall=unlink uninstall=remove uninstall=rm uninstall=r run=run-script run=rum run=urn test=t "
                 "test=tst start=s exec=x publish=pub adduser=login adduser=add-user update=up update=upgrade "
                 "ci=clean-install config=c link=ln"},
    {.names = "pnpm:commands",
     .synonyms = "install=i remove=rm remove=un remove=uninstall add=install run=run-script test=t"},
    {.names = "cargo:commands", .synonyms = "build=b run=r test=t check=c remove=rm doc=d"},
    {.names = "docker:commands", .synonyms = "rm=remove rmi=remove"},
    {.names = "svn:commands",
     .synonyms = "commit=ci delete=del delete=remove delete=rm checkout=co update=up switch=sw"},
    {.names = "hg:commands", .synonyms = "commit=ci update=up update=checkout update=co remove=rm"},
    {.names = "kubectl:commands",
     .synonyms = "pods=pod pods=po services=service services=svc deployments=deployment deployments=deploy "
                 "namespaces=namespace namespaces=ns nodes=node nodes=no"},
    {.names = "apt:commands", .synonyms = "remove=purge remove=autoremove"},
    {.names = "brew:commands", .synonyms = "uninstall=remove uninstall=rm install=reinstall"},
    {.names = "dnf:commands", .synonyms = "remove=erase install=in"},
    {.names = "yum:commands", .synonyms = "remove=erase"},
    {.names = "conda:commands", .synonyms = "remove=uninstall"},
    // Builtins of shells.
    {.names = "trap", .options = "-l -p -P", .rules = false, .runs = Runs::special},
    {.names = "mapfile, readarray",
     .options = "-c=VALUE -C=VALUE -d=VALUE -n=VALUE -O=VALUE -s=VALUE -t -u=VALUE",
     .rules = false,
     .runs = Runs::special,
     .script = "C",
     .names_variables = true},
    {.names = "complete, compgen",
     .options = "-A=VALUE -a -b -c -C=VALUE -D -d -e -E -F=VALUE -f -G=VALUE -g -I -j -k -o=VALUE -P=VALUE -p -r -s "
                "-S=VALUE -u -v -W=VALUE -X=VALUE -V=VALUE",
     .rules = false,
     .runs = Runs::special,
     .script = "C",
     .code = "F"},
    {.names = "enable", .options = "-a -d -f=VALUE -n -p -s", .rules = false, .runs = Runs::special, .code = "f"},
    {.names = "hash", .options = "-d -l -p=VALUE -r -t -v", .rules = false, .runs = Runs::special, .code = "p"},
    {.names = "read",
     .options = "-a=VALUE -d=VALUE -e -i=VALUE -n=VALUE -N=VALUE -p=VALUE -r -s -t=VALUE -u=VALUE",
     .rules = false,
     .runs = Runs::special,
     .manner = lenient,
     .names_variables = true},
    {.names = "let, declare, typeset, local, export, readonly, unset, getopts",
     .rules = false,
     .runs = Runs::special,
     .manner = lenient,
     .names_variables = true},
};

}  // namespace

std::span<const ProgramSpec> runner_programs() { return runner_specs; }

}  // namespace wtool::policy::programs
