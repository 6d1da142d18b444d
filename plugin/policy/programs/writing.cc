// Programs that write, reach out, change rights or wait for a person by their nature: no arguments make them harmless.
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
};

}  // namespace

std::span<const ProgramSpec> writing_programs() { return specs; }

}  // namespace wtool::policy::programs
