// Programs whose inner command or option syntax is known, but whose arguments are not classified as safe.
#include "policy/programs/spec.h"

namespace wtool::policy::programs {

namespace {

constexpr ProgramSpec runner_specs[] = {
    {.names = "chrt",
     .options = "-a -b -d -D=VALUE -e -f -G -h -i -m -o -p -r -R -T=VALUE -P=VALUE -v -V --all-tasks --batch "
                "--deadline --fifo --help --idle --max --other --pid --reset-on-fork --rr --sched-deadline=VALUE "
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
    {.names = "msgfilter, msgexec",
     .options =
         "-D=VALUE -e -h -i=VALUE -n -N -o=VALUE -p -P -s -F -V -w=VALUE --add-location[=VALUE] --color[=VALUE] "
         "--directory=VALUE --escape --force-po --help --indent --input=VALUE --keep-header --newline --no-escape "
         "--no-location --no-wrap --output-file=VALUE --properties-input --properties-output --sort-by-file "
         "--sort-output --strict --stringtable-input --stringtable-output --style=VALUE --version --width=VALUE",
     .rules = false,
     .runs = Runs::command,
     .idle = "h V help version"},
    {.names = "debugfs",
     .options = "-b=VALUE -c -d=VALUE -D -f=VALUE -i -R=VALUE -s=VALUE -V -w -Z -z=VALUE",
     .rules = false,
     .runs = Runs::options,
     .manner = permutes,
     .idle = "V",
     .code = "f R",
     .bare_runs = Bare::code},
    {.names = "choom",
     .options = "-h -n=VALUE -p=VALUE -V --adjust=VALUE --pid=VALUE --help --version",
     .rules = false,
     .runs = Runs::command,
     .idle = "p h V pid help version"},
    {.names = "numactl",
     .options =
         "-a -C=VALUE -c -d -f -H -h -i -I=VALUE -l[=VALUE] -m=VALUE -M=VALUE -N=VALUE -o=VALUE -p=VALUE -P=VALUE "
         "-r[=VALUE] -s -S=VALUE -t -T -u -v -w=VALUE --all --balancing --cpubind=VALUE --cpunodebind=VALUE --hardware "
         "--help --huge --interleave=VALUE --localalloc --membind=VALUE --offset=VALUE --physcpubind=VALUE "
         "--preferred=VALUE --preferred-many=VALUE --shm=VALUE --show --touch --verify --weighted-interleave=VALUE",
     .rules = false,
     .runs = Runs::command,
     .idle = "H s h hardware show help"},
    {.names = "noglob, nocorrect, coproc", .rules = false, .runs = Runs::command},
    {.names = "exec", .options = "-a=VALUE -c -l", .rules = false, .runs = Runs::command},
    {.names = "gosu, su-exec, setuidgid, envuidgid, envdir", .rules = false, .runs = Runs::command, .before = 1},
    {.names = "cgexec", .options = "-g=VALUE -b --sticky", .rules = false, .runs = Runs::command},
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
    {.names = "capsh",
     .rules = false,
     .runs = Runs::code,
     .manner = lenient | any_long,
     .idle = "print help modes supports",
     .bare_runs = Bare::code},
    {.names = "autossh", .rules = false, .runs = Runs::command, .manner = lenient | any_long, .before = 1},
    {.names = "sshpass",
     .options = "-d=VALUE -e -f=VALUE -h -p=VALUE -P=VALUE -v -V",
     .rules = false,
     .runs = Runs::command,
     .idle = "h V"},
    {.names = "rr, heaptrack, catchsegv, eatmydata, xvfb-run, dbus-run-session, dbus-launch, tsocks, torsocks, torify, "
              "proxychains, proxychains4, unbuffer, chronic, ifne, bear, scan-build, intercept-build, ccache, sccache, "
              "distcc, icecc, tini, dumb-init, catatonit, primusrun, optirun, gamemoderun, mangohud, vglrun, chpst, "
              "softlimit, lckdo, with-contenv, aa-exec, rlwrap, cpulimit, caffeinate",
     .options = "-a=VALUE -B=VALUE -b=VALUE -c=VALUE -C=VALUE -d=VALUE -e=VALUE -f=VALUE -g=VALUE -i=VALUE -L=VALUE "
                "-l=VALUE -m=VALUE -n=VALUE -o=VALUE -p=VALUE -s=VALUE -t=VALUE -u=VALUE -w=VALUE",
     .rules = false,
     .runs = Runs::command,
     .manner = any_long | lenient,
     .idle = "version help"},
    {.names = "proot, schroot, fakeroot, fakeroot-sysv, fakeroot-tcp, fakechroot",
     .options = "-a=VALUE -B=VALUE -b=VALUE -c=VALUE -C=VALUE -d=VALUE -e=VALUE -f=VALUE -g=VALUE -i=VALUE -L=VALUE "
                "-l=VALUE -m=VALUE -n=VALUE -o=VALUE -p=VALUE -s=VALUE -t=VALUE -u=VALUE -w=VALUE",
     .rules = false,
     .runs = Runs::command,
     .manner = any_long | lenient,
     .idle = "version help list info",
     .bare_runs = Bare::shell},
    {.names = "faketime, datefudge, pseudo",
     .options = "-f -m -h -v",
     .rules = false,
     .runs = Runs::command,
     .manner = any_long | lenient,
     .before = 1},
    {.names = "dotenv, cross-env, cross-env-shell, env-cmd, envchain",
     .options = "-c=VALUE -e=VALUE -f=VALUE -n=VALUE -p=VALUE -v=VALUE",
     .rules = false,
     .runs = Runs::command,
     .manner = any_long | lenient,
     .assignments = true},
    {.names = "lxc-attach",
     .options = "-c=VALUE -e=VALUE -f=VALUE -n=VALUE -p=VALUE -v=VALUE",
     .rules = false,
     .runs = Runs::command,
     .manner = any_long | lenient,
     .assignments = true,
     .hands_input_on = "*"},
    {.names = "perf stat, perf record, perf trace, perf mem record, perf c2c record, perf kvm, perf lock record, perf "
              "sched record",
     .options =
         "-A=VALUE -a -b -B -C=VALUE -c=VALUE -D=VALUE -d -e=VALUE -F=VALUE -G=VALUE -g -I=VALUE -i -j -k=VALUE -M "
         "-m=VALUE -n -o=VALUE -p=VALUE -r=VALUE -R=VALUE -s -S -t=VALUE -T -u=VALUE -v -W=VALUE -x=VALUE -z "
         "--event=VALUE --output=VALUE --pid=VALUE --tid=VALUE --uid=VALUE --cpu=VALUE --repeat=VALUE "
         "--field-separator=VALUE --interval-print=VALUE --delay=VALUE --freq=VALUE --count=VALUE --call-graph=VALUE "
         "--mmap-pages=VALUE --cgroup=VALUE --filter=VALUE --control=VALUE --duration=VALUE --expr=VALUE",
     .rules = false,
     .runs = Runs::command,
     .manner = lenient},
    {.names = "perf script", .rules = false, .runs = Runs::code},
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
    {.names = "pee, mispipe, concurrently, npm-run-all, run-p, run-s",
     .options = "-c=VALUE -k=VALUE -l=VALUE -m=VALUE -n=VALUE -p=VALUE -s=VALUE -t=VALUE",
     .rules = false,
     .runs = Runs::scripts,
     .manner = lenient | permutes | any_long},
    {.names = "docker exec, docker container exec, podman exec, podman container exec, nerdctl exec, docker compose "
              "exec, docker-compose exec, podman compose exec, podman-compose exec",
     .options =
         "-d -e=VALUE -i -T -t -u=VALUE -w=VALUE -h --detach --help --interactive --no-TTY --privileged --tty --latest",
     .rules = false,
     .runs = Runs::command,
     .manner = any_valued,
     .before = 1,
     .hands_input_on = "i interactive"},
    {.names = "docker run, docker create, docker container run, docker container create, podman run, podman create, "
              "podman container run, nerdctl run",
     .options =
         "-a=VALUE -c=VALUE -d -e=VALUE -h=VALUE -i -l=VALUE -m=VALUE -p=VALUE -P -q -t -u=VALUE -v=VALUE -w=VALUE "
         "--detach --disable-content-trust[=VALUE] --help --init --interactive --no-healthcheck --oom-kill-disable "
         "--privileged --publish-all --quiet --read-only --replace --rm --sig-proxy[=VALUE] --tty",
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
     .options =
         "-d -e=VALUE -i -T -l=VALUE -p=VALUE -P -u=VALUE -v=VALUE -w=VALUE -q --build --detach --help --interactive "
         "--no-deps --no-TTY --publish-all --quiet --quiet-pull --remove-orphans --rm --service-ports --use-aliases",
     .rules = false,
     .runs = Runs::command,
     .manner = any_valued,
     .before = 1,
     .hands_input_on = "*"},
    {.names = "kubectl attach, kubectl run, kubectl debug, oc attach, oc run, k3s kubectl attach, k3s kubectl run, "
              "k3s kubectl debug",
     .options = "-c=VALUE -f=VALUE -i -q -t -n=VALUE --stdin --tty --quiet",
     .rules = false,
     .runs = Runs::options,
     .manner = lenient | permutes,
     .hands_input_on = "i stdin"},
    {.names = "kubectl exec, oc exec, k3s kubectl exec",
     .options = "-c=VALUE -f=VALUE -i -q -t -n=VALUE --stdin --tty --quiet",
     .rules = false,
     .runs = Runs::command,
     .manner = any_valued,
     .before = 1,
     .behind_dashes = true},
    {.names = "lxc exec, incus exec, lxc-execute, flatpak run, distrobox enter, toolbox run",
     .options = "-e=VALUE -n=VALUE -c=VALUE -t -T",
     .rules = false,
     .runs = Runs::command,
     .manner = lenient | any_long,
     .before = 1,
     .behind_dashes = true,
     .hands_input_on = "*"},
    {.names = "adb shell", .rules = false, .runs = Runs::joined, .hands_input_on = "*"},
    {.names = "vagrant ssh",
     .options = "-c=VALUE -p --command=VALUE --plain",
     .rules = false,
     .runs = Runs::options,
     .manner = lenient | permutes,
     .script = "c command",
     .hands_input_on = "*"},
    {.names = "oc rsh",
     .options = "-c=VALUE -n=VALUE -t",
     .rules = false,
     .runs = Runs::command,
     .manner = lenient,
     .before = 1,
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
    {.names = "uv run, poetry run, pipenv run, pdm run, hatch run, rye run, bundle exec, conda run, mamba run, "
              "micromamba run, mise exec, mise x, asdf exec, rbenv exec, pyenv exec, nodenv exec, doppler run, op run",
     .options = "-C=VALUE -c=VALUE -e=VALUE -m=VALUE -n=VALUE -p=VALUE -P=VALUE --with=VALUE --python=VALUE "
                "--project=VALUE --directory=VALUE --package=VALUE --extra=VALUE --group=VALUE --env-file=VALUE "
                "--name=VALUE --prefix=VALUE --command=VALUE --module --config=VALUE --env=VALUE",
     .rules = false,
     .runs = Runs::command,
     .manner = lenient,
     .script = "command",
     .behind_dashes = true},
    {.names = "chamber exec, aws-vault exec, direnv exec, rustup run",
     .options = "-d=VALUE -n=VALUE",
     .rules = false,
     .runs = Runs::command,
     .manner = lenient | any_long,
     .before = 1,
     .behind_dashes = true},
    {.names = "sops exec-env, sops exec-file", .rules = false, .runs = Runs::joined, .before = 1},
    {.names = "cargo watch, cargo-watch",
     .options = "-c -q -x=VALUE -s=VALUE -w=VALUE -i=VALUE -d=VALUE -B=VALUE -C=VALUE -E=VALUE --exec=VALUE "
                "--shell=VALUE --watch=VALUE --ignore=VALUE --delay=VALUE",
     .rules = false,
     .runs = Runs::command,
     .manner = lenient,
     .script = "s shell"},
    {.names = "gsort",
     .options = "-k=VALUE -o=VALUE -S=VALUE -t=VALUE -T=VALUE --compress-program=VALUE --key=VALUE --output=VALUE "
                "--parallel=VALUE --temporary-directory=VALUE --field-separator=VALUE --buffer-size=VALUE "
                "--batch-size=VALUE --files0-from=VALUE --random-source=VALUE --sort=VALUE",
     .rules = false,
     .runs = Runs::option_value,
     .manner = lenient | permutes,
     .script = "compress-program"},
    {.names = "gsdiff",
     .options = "-o=VALUE -W=VALUE -I=VALUE -F=VALUE --diff-program=VALUE --output=VALUE --width=VALUE "
                "--ignore-matching-lines=VALUE --show-function-line=VALUE --tabsize=VALUE",
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
     .options =
         "-e=VALUE -O=VALUE -o=VALUE -P=VALUE -U=VALUE --use-askpass=VALUE --execute=VALUE --output-document=VALUE",
     .rules = false,
     .runs = Runs::option_value,
     .manner = lenient | permutes,
     .script = "use-askpass"},
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
     .manner = lenient | permutes,
     .subcommands = true,
     .values_known = true,
     .synonyms = "y=yes y=assume-yes"},
    {.names = "dnf, yum, zypper",
     .options = "-c=VALUE -d=VALUE -e=VALUE -R=VALUE -x=VALUE -y -q -v -h -C --config=VALUE --enablerepo=VALUE "
                "--disablerepo=VALUE --exclude=VALUE --installroot=VALUE --quiet --releasever=VALUE --repo=VALUE "
                "--root=VALUE --assumeyes",
     .rules = false,
     .manner = lenient | permutes,
     .subcommands = true,
     .values_known = true,
     .synonyms = "y=assumeyes y=no-confirm"},
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
    {.names = "hg",
     .options = "-R=VALUE -q -v -y --config=VALUE --cwd=VALUE --encoding=VALUE --pager=VALUE --repository=VALUE "
                "--quiet --verbose",
     .rules = false,
     .manner = lenient,
     .subcommands = true,
     .values_known = true,
     .variables = "HG HGRCPATH HGEDITOR HGMERGE HGPLAIN*"},
    {.names = "pdm, hatch, rye, bundle, micromamba, direnv, mise, asdf, rbenv, pyenv, nodenv, doppler, op, aws-vault, "
              "sops, chamber, lxc, incus, distrobox, toolbox, vagrant, heroku, fly, adb, gitlab-runner, mix, rails, "
              "nerdctl compose, k3s, perf mem, perf c2c, perf lock, perf sched, uv tool",
     .rules = false,
     .manner = lenient,
     .subcommands = true,
     .values_known = true},
    {.names = "qemu, terraform-ls, xrandr",
     .rules = false,
     .manner = single_dash | lenient | permutes,
     .values_known = true},
    {.names = "openssl",
     .rules = false,
     .runs = Runs::words,
     .manner = single_dash | lenient | permutes,
     .words = "-engine -provider",
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
     .code = "audit preload"},
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
     .options = "--daemon --homedir=DIR --options=FILE --log-file=FILE",
     .rules = false,
     .runs = Runs::command,
     .manner = lenient},
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
