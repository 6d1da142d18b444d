// Programs that write, execute or reach out by their nature: no arguments make them harmless.
#include "policy/programs/reader.h"

namespace wtool::policy::programs {

namespace {

std::optional<Problem> check_man(const Reading& reading) {
  if (reading.has("-w") || reading.has("--where") || reading.has("--path") || reading.has("--location") ||
      reading.has("-f") || reading.has("-k") || reading.has("--whatis") || reading.has("--apropos")) {
    return std::nullopt;
  }
  return Problem{reading.begin, "man starts a pager", "man -w shows where a page is"};
}

// With names of signals to list it signals nobody.
std::optional<Problem> check_kill(const Reading& reading) {
  if (reading.has("-l") || reading.has("--list") || reading.has("-L") || reading.has("--table")) return std::nullopt;
  return Problem{reading.begin, "kill signals processes", "kill -l lists the signals"};
}

constexpr ProgramSpec specs[] = {
    {.names =
         "cp, mv, install, ln, link, dd, truncate, touch, tee, mkdir, mkfifo, mknod, split, csplit, sponge, patch, "
         "fallocate, mktemp, tempfile, ditto, rename, unlink, rm, rmdir, shred, sdiff, xdelta3",
     .does = Effect::writes,
     .never = "writes files"},
    {.names = "chmod, chown, chgrp, chattr, setfacl, setcap, setfattr, chcon",
     .does = Effect::privileged,
     .never = "changes who may do what with a file"},
    {.names = "rsync, scp, sftp, rclone, ftp, tftp, wget, aria2c, curl, http, https, xh",
     .does = Effect::opens_network,
     .never = "moves data between this machine and others, and can write files",
     .alone = "-V --version --help"},
    {.names = "ssh, telnet, rsh, nc, ncat, netcat, socat, mosh",
     .does = Effect::opens_network,
     .never = "opens a connection to another machine",
     .alone = "-V --version"},
    {.names = "crontab, at, batch, systemd-run",
     .does = Effect::runs_program,
     .never = "runs programs later",
     .alone = "--version"},
    {.names = "kill", .options = "-l[=NAME] -L --list[=NAME] --table", .style = Style::exact, .check = check_kill},
    {.names = "pkill, killall, skill, snice, renice, fuser",
     .does = Effect::privileged,
     .never = "signals or changes processes"},
    {.names = "sudo, doas, su, runuser, pkexec",
     .does = Effect::privileged,
     .never = "runs programs with another user's rights"},
    {.names =
         "chroot, unshare, nsenter, bwrap, firejail, strace, ltrace, gdb, lldb, perf, valgrind, flock, watch, entr, "
         "parallel, script, expect, tmux, screen, busybox, toybox",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .alone = "-V --version --help"},
    {.names = "dc, m4, tclsh, wish, slsh, octave, gnuplot, R, ghc, jshell, scala, groovy, swipl, guile, sqlite3, psql, "
              "mysql, "
              "mariadb, mongosh, redis-cli, tcpdump, tshark, nmap, run-parts, start-stop-daemon, logsave, ssh-agent, "
              "ssh-keygen, update-alternatives, latex, pdflatex, xelatex, tex, groff, troff, nroff, pandoc, ffmpeg, "
              "convert, "
              "builtin",
     .does = Effect::runs_code,
     .never = "has a language or options that run programs and write files",
     .alone = "-V --version --help"},
    {.names = "vi, vim, nvim, view, ex, ed, emacs, nano, pico, micro, code, less, more, most, pg, info, top, htop, "
              "btop, mc, "
              "fzf, tig, lazygit, dialog, whiptail",
     .does = Effect::interactive,
     .never = "is for a person at a terminal, and runs what that person types",
     .alone = "--version --help"},
    {.names = "man",
     .options =
         "-w --where --path --location -f --whatis -k --apropos -a --all -s=SECTIONS --sections=SECTIONS -L=LOCALE "
         "--locale=LOCALE",
     .effects = "runs_program: -P=PAGER --pager=PAGER -H[=BROWSER] --html[=BROWSER] -p=STRING --preprocessor=STRING; "
                "other (reads another configuration): -C=FILE --config-file=FILE -M=DIR --manpath=DIR -l --local-file",
     .check = check_man},
    {.names = "mount, umount, mkfs, fdisk, parted, swapon, swapoff, losetup, modprobe, insmod, rmmod, sysctl, reboot, "
              "shutdown, "
              "halt, poweroff, iptables, nft, useradd, userdel, usermod, passwd, chsh, visudo",
     .does = Effect::privileged,
     .never = "changes the system",
     .alone = "--version"},
    {.names = "npx, pnpx, bunx, uvx, pipx, uv, poetry, pipenv, conda, mamba, nix, nix-shell, snap, flatpak",
     .does = Effect::runs_program,
     .never = "installs and runs programs",
     .alone = "-V -v --version --help"},
};

}  // namespace

std::span<const ProgramSpec> writing_programs() { return specs; }

}  // namespace wtool::policy::programs
