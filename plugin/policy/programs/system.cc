// Tools that show the state of the system.
#include "policy/programs/reader.h"

namespace wtool::policy::programs {

namespace {

std::optional<Problem> check_date(const ParsedCommand& reading) {
  for (const std::size_t at : reading.operands) {
    if (!reading.words[at].starts_with('+')) {
      return Problem{at, "an operand of date that is not a +FORMAT sets the clock", "date -d TEXT shows another time"};
    }
  }
  return std::nullopt;
}

// Without a verb, ip shows an object. A verb may be abbreviated, and then means the first verb that begins with it.
std::optional<Problem> check_ip(const ParsedCommand& reading) {
  const std::string_view verb = reading.operand(0);
  for (const std::string_view shows : {"", "show", "list", "ls", "lst", "get"}) {
    if (verb == shows) return std::nullopt;
  }
  // "s" is the first verb with this letter: "set" for a link, "show" for all other objects.
  const bool is_link = reading.name == "ip l" || reading.name == "ip link";
  if (verb == "sh" || verb == "sho" || (verb == "s" && !is_link)) return std::nullopt;
  return Problem{reading.operands[0], reading.name + ' ' + std::string(verb) + " may change the network",
                 reading.name + " show shows it"};
}

constexpr ProgramSpec system_specs[] = {
    {.names = "date",
     .options = "-d=TEXT --date=TEXT --debug -f=FILE --file=FILE -I[=FMT] --iso-8601[=FMT] --resolution -R --rfc-email "
                "--rfc-822 --rfc-2822 --rfc-3339=FMT -r=FILE --reference=FILE -u --utc --universal",
     .effects = "privileged (sets the clock): -s=TEXT --set=TEXT",
     .operands = Operands::text,
     .check = check_date},
    {.names = "hostname",
     .options =
         "-a --alias -A --all-fqdns -d --domain -f --fqdn --long -i --ip-address -I --all-ip-addresses -s --short -y "
         "--yp --nis -V -h",
     .effects = "privileged (sets the host's name): -b --boot -F=FILE --file=FILE",
     .operands = Operands::none,
     .beyond = "an operand of hostname sets the host's name"},
    {.names = "domainname, dnsdomainname, nisdomainname",
     .options = "-V -h",
     .operands = Operands::none,
     .beyond = "an operand of domainname sets the domain's name"},
    // On macOS, arch runs a program for a certain processor.
    {.names = "arch",
     .operands = Operands::none,
     .beyond = "an operand of arch may be a program that it runs",
     .runs = Runs::command},
    {.names = "whoami, logname, tty, nproc, hostid, users", .options = "-s --silent --quiet --all --ignore=NUM"},
    {.names = "uname",
     .options = "-a --all -s --kernel-name -n --nodename -r --kernel-release -v --kernel-version -m --machine -p "
                "--processor -i --hardware-platform -o --operating-system"},
    {.names = "id",
     .options = "-a -Z --context -g --group -G --groups -n --name -r --real -u --user -z --zero",
     .operands = Operands::text},
    {.names = "groups", .operands = Operands::text},
    {.names = "who, w",
     .options =
         "-a --all -b --boot -d --dead -H --heading --ips -l --login --lookup -m -p --process -q --count -r "
         "--runlevel -s --short -t --time -T -w --mesg -u --users --message --writable -h --no-header -f --from -o "
         "--old-style -i --ip-addr -V"},
    {.names = "last, lastlog",
     .options =
         "-NUM -a --hostlast -d --dns -f=FILE --file=FILE -F --fulltimes -i --ip -n=NUM --limit=NUM -R "
         "--nohostname -s=TIME "
         "--since=TIME -t=TIME --until=TIME -p=TIME --present=TIME -w --fullnames -x --system --time-format=FORMAT "
         "--time=DAYS -h -V"},
    {.names = "pwdx", .options = "-h -V", .operands = Operands::text},
    {.names = "uptime", .options = "-p --pretty -s --since -h -V"},
    {.names = "free",
     .options =
         "-b --bytes --kilo --mega --giga --tera --peta -k --kibi -m --mebi -g --gibi --tebi --pebi -h --human --si "
         "-l --lohi -t --total -v --committed -s=NUM --seconds=NUM -c=NUM --count=NUM -w --wide -L --line -V"},
    {.names = "vmstat",
     .options = "-a --active -f --forks -m --slabs -n --one-header -s --stats -d --disk -D --disk-sum -p=NAME "
                "--partition=NAME -S=UNIT --unit=UNIT -t --timestamp -w --wide -y --no-first -h -V",
     .operands = Operands::text},
    // ps accepts three styles of options, all harmless.
    {.names = "ps", .operands = Operands::text, .style = Style::none},
    {.names = "pgrep, pidof",
     .options =
         "-d=SEP --delimiter=SEP -l --list-name -a --list-full -v --inverse -w --lightweight -c --count -f --full "
         "-g=PGRP --pgroup=PGRP -G=GROUP --group=GROUP -i --ignore-case -n --newest -o --oldest -O=SECONDS "
         "--older=SECONDS -P=PID --parent=PID -s=SID --session=SID -t=TTY --terminal=TTY -u=UID --euid=UID -U=UID "
         "--uid=UID -x --exact -F=FILE --pidfile=FILE -L --logpidfile -r=STATE --runstates=STATE --ns=PID "
         "--nslist=NS -A --ignore-ancestors -q -h -V",
     .operands = Operands::text},
    {.names = "pstree",
     .options =
         "-a --arguments -A --ascii -c --compact-not -C=ATTRIBUTE --color=ATTRIBUTE -g --show-pgids -G --vt100 -h "
         "--highlight-all -H=PID --highlight-pid=PID -l --long -n --numeric-sort -N=TYPE --ns-sort=TYPE -p "
         "--show-pids -s --show-parents -S --ns-changes -t --thread-names -T --hide-threads -u --uid-changes -U "
         "--unicode -V -Z --security-context",
     .operands = Operands::text},
    {.names = "lscpu",
     .options = "-a --all -b --online -B --bytes -C[=NAMES] --caches[=COLUMNS] -c --offline -J --json -e[=COLUMNS] "
                "--extended[=COLUMNS] -p[=COLUMNS] --parse[=COLUMNS] -s=DIR --sysroot=DIR -x --hex -y --physical "
                "--output-all -h -V"},
    {.names = "lsblk",
     .options =
         "-A --noempty -D --discard -E=COLUMN --dedup=COLUMN -I=MAJORS --include=MAJORS -J --json -M --merge -O "
         "--output-all -P --pairs -S --scsi -T[=COLUMN] --tree[=COLUMN] -a --all -b --bytes -d --nodeps -e=MAJORS "
         "--exclude=MAJORS -f --fs -i --ascii -l --list -m --perms -n --noheadings -o=COLUMNS --output=COLUMNS -p "
         "--paths -r --raw -s --inverse -t --topology -w=NUM --width=NUM -x=COLUMN --sort=COLUMN -y --shell -z "
         "--zoned --sysroot=DIR -N --nvme -v --virtio -h -V"},
    {.names = "lsusb, lspci, lsmod, lsmem, lsns, lsipc, lslocks, lslogins, lsb_release",
     .options =
         "-v -vv -n -nn -k -t -s=SLOT -d=ID -D -mm -m -b -x -a --all -i --id -c --codename -r --release --description "
         "--short -p -l -J --json -o=COLUMNS --output=COLUMNS -V -h"},
    {.names = "findmnt",
     .options =
         "-A --all -a --ascii -b --bytes -C --nocanonicalize -c --canonicalize -D --df -d=WORD --direction=WORD -e "
         "--evaluate -F=FILE --tab-file=FILE -f --first-only -i --invert -J --json -k --kernel -l --list -m --mtab "
         "-N=TID --task=TID -n --noheadings -O=OPTIONS --options=OPTIONS -o=COLUMNS --output=COLUMNS --output-all "
         "-P --pairs -p[=WORDS] --pseudo -R --submounts -r --raw --real -S=SOURCE --source=SOURCE -s --fstab "
         "-T=FILE --target=FILE -t=TYPES --types=TYPES -U --uniq -u --notruncate -v --nofsroot -x --verify "
         "--verbose -M=DIR --mountpoint=DIR -h -V"},
    // lsof's -D can write a device cache to a file; -A, -k and -m read kernel files.
    {.names = "lsof",
     .options =
         "-a -b -C -c=NAME -d=FDS -E -F[=FIELDS] -f[=WHAT] -g[=IDS] -i[=ADDRESS] -K[=WHAT] -L[=NUM] -l -M -n -N "
         "-o[=NUM] "
         "-O -P -p=PIDS -R -r[=TIME] -s[=STATE] -S[=TIME] -T[=WHAT] -t -U -u=USERS -v -V -w -x[=WHAT] -X -z[=ZONE] -h "
         "-H -Q",
     .effects = "writes (handles a device cache file): -D=WHAT"},
    {.names = "ss",
     .options =
         "-h -V -H --no-header -O --oneline -n --numeric -r --resolve -a --all -l --listening -B --bound-inactive "
         "-o --options -e --extended -m --memory -p --processes -T --threads -i --info --tos --cgroup -s --summary -Z "
         "--context -z --contexts -N=NAME --net=NAME -b --bpf -4 --ipv4 -6 --ipv6 -0 --packet -t --tcp -M --mptcp "
         "-S --sctp -u --udp -d --dccp -w --raw -x --unix --tipc --vsock --xdp -f=FAMILY --family=FAMILY -A=QUERY "
         "--query=QUERY -F=FILE --filter=FILE",
     .effects = "privileged (closes sockets): -K --kill; writes: -D=FILE --diag=FILE; other (never ends): -E --events",
     .operands = Operands::text},
    {.names = "netstat",
     .options =
         "-r --route -i --interfaces -g --groups -s --statistics -v --verbose -W --wide -n --numeric "
         "--numeric-hosts --numeric-ports --numeric-users -N --symbolic -e --extend -p --program -o --timers -c "
         "--continuous -l --listening -a --all -F --fib -C --cache -Z --context -t --tcp -u --udp -w --raw -x --unix "
         "-4 -6 -V -h"},
    {.names = "ip",
     .options =
         "-V -h -human -s -stats -statistics -d -details -f=FAMILY -family=FAMILY -4 -6 -0 -o -oneline -r -resolve -a "
         "-all -c -color -t -timestamp -br -brief -j -json -p -pretty -N -Numeric",
     .effects = "other (reads commands from a file): -b=FILE -batch=FILE",
     .operands = Operands::choose,
     .style = Style::go,
     .unproven = "-B -n=VALUE",
     .runs = Runs::option_value,
     .manner = lenient | single_dash,
     .code = "b batch",
     .subcommands = true,
     .values_known = true},
    {.names =
         "ip a, ip addr, ip address, ip l, ip link, ip r, ip route, ip n, ip neigh, ip neighbour, ip rule, ip maddr",
     .with = "ip",
     .style = Style::go,
     .check = check_ip},
    // With -all, no operand names the namespace.
    {.names = "ip net e, ip net ex, ip net exe, ip net exec, ip netn e, ip netn ex, ip netn exe, ip netn exec, ip "
              "netns e, ip netns ex, ip netns exe, ip netns exec",
     .rules = false,
     .runs = Runs::code},
    {.names = "ip v e, ip v ex, ip v exe, ip v exec, ip vr e, ip vr ex, ip vr exe, ip vr exec, ip vrf e, ip vrf ex, ip "
              "vrf exe, ip vrf exec",
     .rules = false,
     .runs = Runs::command,
     .before = 1},
    {.names = "ip net, ip netn, ip netns, ip v, ip vr, ip vrf", .rules = false, .manner = lenient, .subcommands = true},
    {.names = "clear", .options = "-T=NAME -x -V", .operands = Operands::text},
    // The description may be a file of the user, whatever -T or $TERM names.
    {.names = "tput",
     .options = "-T=NAME -x -V",
     .effects = "other (takes commands from standard input, such as init, which runs the program that the description "
                "of the terminal names): -S",
     .operands = Operands::text,
     .unsafe_operands = "init reset",
     .unsafe_why = "runs the program that the description of the terminal names"},
    // getent loads the library of the service: with -s x/y, libnss_x/y.so.2 of the project.
    {.names = "getent",
     .options = "-i --no-idn -s=files|dns|db|compat|systemd|sss|ldap|nis|resolve|myhostname|mymachines "
                "--service=files|dns|db|compat|systemd|sss|ldap|nis|resolve|myhostname|mymachines -A",
     .operands = Operands::text},
    {.names = "getconf", .options = "-a -v=SPEC"},
    {.names = "locale", .options = "-a --all-locales -m --charmaps -c --category-name -k --keyword-name -v --verbose"},
    {.names = "printenv", .options = "-0 --null", .operands = Operands::text},
    {.names = "which",
     .options = "-a --all -s -i --read-alias --skip-dot --skip-tilde --show-dot --show-tilde --tty-only -v -V"},
    {.names = "whereis", .options = "-b -m -s -u -B=DIR -M=DIR -S=DIR -f -l -g -h -V"},
    {.names = "whatis",
     .options = "-d --debug -v --verbose -e --exact -r --regex -w --wildcard -a --and -l --long -s=NAMES "
                "--sections=SECTIONS --section=SECTIONS -L=LOCALE "
                "--locale=LOCALE -V",
     .operands = Operands::text},
    {.names = "apropos",
     .options = "-d --debug -v --verbose -e --exact -r --regex -w --wildcard -a --and -l --long -s=NAMES "
                "--sections=SECTIONS --section=SECTIONS -L=LOCALE "
                "--locale=LOCALE -V",
     .operands = Operands::text,
     .unproven = "-C=VALUE -m=VALUE -M=VALUE -P=VALUE -H[=VALUE] -p=VALUE -S=VALUE -R=VALUE -E=VALUE --pager=VALUE "
                 "--html[=VALUE] --browser=VALUE --manpath=VALUE --prompt=VALUE --preprocessor=VALUE",
     .runs = Runs::option_value,
     .manner = lenient | permutes,
     .script = "P pager H html browser"},
    {.names = "test, [",
     .style = Style::none,
     .unsafe_operands = "-v -R",
     .unsafe_why = "tests a variable, whose name bash evaluates"},
    {.names = "dmesg",
     .options =
         "-d --show-delta -e --reltime -f=NAMES --facility=NAMES -H --human -J --json -k --kernel -L[=WHEN] "
         "--color[=WHEN] -l=LEVELS --level=LEVELS -P --nopager -r --raw -S --syslog -s=NUM --buffer-size=NUM -T "
         "--ctime -t --notime --time-format=FORMAT -u --userspace -w --follow -W --follow-new -x --decode --since=TIME "
         "--until=TIME -F=FILE --file=FILE -V -h",
     .effects = "privileged (clears the kernel's messages): -C --clear -c --read-clear; privileged (changes the "
                "console): -D --console-off -E --console-on -n=LEVEL --console-level=LEVEL"},
    {.names = "journalctl",
     .options =
         "-S=TIME --since=TIME -U=TIME --until=TIME -u=UNIT --unit=UNIT --user-unit=UNIT -b[=ID] --boot[=ID] -k "
         "--dmesg "
         "-p=RANGE --priority=RANGE -g=PATTERN --grep=PATTERN --case-sensitive[=BOOL] -e --pager-end -f --follow "
         "-n[=NUM] "
         "--lines[=NUM] --no-tail -r --reverse -o=FORMAT --output=FORMAT --output-fields=FIELDS --utc -x --catalog "
         "--no-full -a --all -q --quiet --no-pager --no-hostname --system --user -t=NAME --identifier=NAME -F=FIELD "
         "--field=FIELD -N --fields --disk-usage --list-boots --verify -m --merge -l --full -D=DIR --directory=DIR "
         "--file=FILE --header --list-catalog",
     .effects =
         "writes (changes the journal): --rotate --flush --sync --relinquish-var --smart-relinquish-var "
         "--vacuum-size=SIZE --vacuum-files=NUM --vacuum-time=TIME --update-catalog --setup-keys --cursor-file=FILE"},
    {.names = "systemctl",
     .options =
         "-a --all -t=TYPE --type=TYPE --state=STATE -l --full -q --quiet --no-pager --no-legend --plain -o=FORMAT "
         "--output=FORMAT -p=NAME --property=NAME -P=NAME --value --user --system -n=NUM --lines=NUM -r --recursive "
         "--reverse --after --before",
     .operands = Operands::choose,
     .unproven =
         "-H=VALUE -M=VALUE -s=VALUE -i -h -f -T --check-inhibitors=VALUE --host=VALUE --image=VALUE "
         "--image-policy=VALUE --job-mode=VALUE --kill-value=VALUE --kill-who=VALUE --kill-whom=VALUE --machine=VALUE "
         "--preset-mode=VALUE --root=VALUE --signal=VALUE --timestamp=VALUE --what=VALUE --when=VALUE --force --global "
         "--help --no-ask-password --no-block --no-reload --no-wall --now --runtime --show-types --version --wait",
     .manner = lenient | permutes,
     .subcommands = true,
     .values_known = true,
     .synonyms = "f=force",
     .variables = "SYSTEMD_*"},
    {.names = "systemctl status, systemctl show, systemctl cat, systemctl is-active, systemctl is-enabled, systemctl "
              "is-failed, systemctl list-units, systemctl list-unit-files, systemctl list-timers, systemctl "
              "list-sockets, systemctl list-dependencies, systemctl list-jobs, systemctl is-system-running, systemctl "
              "get-default",
     .with = "systemctl"},
};

}  // namespace

std::span<const ProgramSpec> system_programs() { return system_specs; }

}  // namespace wtool::policy::programs
