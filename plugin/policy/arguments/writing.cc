// Programs that write, execute or reach out by their nature: no arguments make them harmless.
#include "policy/arguments/reader.h"

namespace wtool::policy::arguments {

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

constexpr Tool tools[] = {
    {.names =
         "cp, mv, install, ln, link, dd, truncate, touch, tee, mkdir, mkfifo, mknod, split, csplit, sponge, patch, "
         "fallocate, mktemp, tempfile, ditto, rename, unlink, rm, rmdir, shred, sdiff, xdelta3",
     .never = "writes files"},
    {.names = "chmod, chown, chgrp, chattr, setfacl, setcap, setfattr, chcon",
     .never = "changes who may do what with a file"},
    {.names = "rsync, scp, sftp, rclone, ftp, tftp, wget, aria2c, curl, http, https, xh",
     .never = "moves data between this machine and others, and can write files",
     .alone = "-V --version --help"},
    {.names = "ssh, telnet, rsh, nc, ncat, netcat, socat, mosh",
     .never = "opens a connection to another machine",
     .alone = "-V --version"},
    {.names = "crontab, at, batch, systemd-run", .never = "runs programs later", .alone = "--version"},
    {.names = "kill", .safe = "-l[=NAME] -L --list[=NAME] --table", .style = Style::exact, .check = check_kill},
    {.names = "pkill, killall, skill, snice, renice, fuser", .never = "signals or changes processes"},
    {.names = "sudo, doas, su, runuser, pkexec", .never = "runs programs with another user's rights"},
    {.names =
         "chroot, unshare, nsenter, bwrap, firejail, strace, ltrace, gdb, lldb, perf, valgrind, flock, watch, entr, "
         "parallel, script, expect, tmux, screen, busybox, toybox",
     .never = "runs other programs",
     .alone = "-V --version --help"},
    {.names = "dc, m4, tclsh, wish, slsh, octave, gnuplot, R, ghc, jshell, scala, groovy, swipl, guile, sqlite3, psql, "
              "mysql, "
              "mariadb, mongosh, redis-cli, tcpdump, tshark, nmap, run-parts, start-stop-daemon, logsave, ssh-agent, "
              "ssh-keygen, update-alternatives, latex, pdflatex, xelatex, tex, groff, troff, nroff, pandoc, ffmpeg, "
              "convert, "
              "builtin",
     .never = "has a language or options that run programs and write files",
     .alone = "-V --version --help"},
    {.names = "vi, vim, nvim, view, ex, ed, emacs, nano, pico, micro, code, less, more, most, pg, info, top, htop, "
              "btop, mc, "
              "fzf, tig, lazygit, dialog, whiptail",
     .never = "is for a person at a terminal, and runs what that person types",
     .alone = "--version --help"},
    {.names = "man",
     .safe = "-w --where --path --location -f --whatis -k --apropos -a --all -s=SECTIONS --sections=SECTIONS -L=LOCALE "
             "--locale=LOCALE",
     .unsafe =
         "runs another program: -P=PAGER --pager=PAGER -H[=BROWSER] --html[=BROWSER] -p=STRING --preprocessor=STRING; "
         "reads another configuration: -C=FILE --config-file=FILE -M=DIR --manpath=DIR -l --local-file",
     .check = check_man},
    {.names = "mount, umount, mkfs, fdisk, parted, swapon, swapoff, losetup, modprobe, insmod, rmmod, sysctl, reboot, "
              "shutdown, "
              "halt, poweroff, iptables, nft, useradd, userdel, usermod, passwd, chsh, visudo",
     .never = "changes the system",
     .alone = "--version"},
    {.names = "npx, pnpx, bunx, uvx, pipx, uv, poetry, pipenv, conda, mamba, nix, nix-shell, snap, flatpak",
     .never = "installs and runs programs",
     .alone = "-V -v --version --help"},
};

}  // namespace

std::span<const Tool> writing_tools() { return tools; }

}  // namespace wtool::policy::arguments
