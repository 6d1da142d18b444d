// policy/wrappers.h, inner_commands: programs whose purpose is to run another one, and what holds for all programs.
#include <random>

#include "wrappers_rows.h"

namespace wrappers_test {

BOOST_AUTO_TEST_SUITE(wrappers)

BOOST_AUTO_TEST_CASE(less_known_programs_run_others_too) {
  check({
      {"ssh-agent ./evil", "command: ./evil"},
      {"ssh-agent -t 5 ./evil x", "command: ./evil x"},
      {"ssh-agent -k", ""},
      {"logsave /dev/null ./evil", "command: ./evil"},
      {"run-parts --regex evil .", "code: ."},
      {"run-parts --test .", ""},
      {"sg root -c ./evil", "script: ./evil"},
      {"sg root ./evil", "script: ./evil"},
      {"newgrp root", "command: sh"},
      {"setlock x ./evil", "command: ./evil"},
      {"gpg-agent --daemon ./evil", "command: ./evil"},
      {"gpg-agent --debug-level ls --max-cache-ttl ls ./evil", "command: ./evil"},
      {"runcon -t x ./evil", "code: x"},
      {"machinectl shell x ./evil", "code: x"},
      {"msgfilter -i x.po ./evil", "command: ./evil"},
      {"msgexec -i x.po ./evil", "command: ./evil"},
      {"debugfs -R '!./evil' x", "code: -R"},
      {"sdiff --diff-program=./evil a b", "script: ./evil"},
      {"sdiff --diff-p ./evil a b", "script: ./evil"},
      {"diff3 --diff-program ./evil a b c", "script: ./evil"},
      {"gcc -B./p -c x.c", "code: -B./p"},
      {"gcc -specs=x x.c", "code: -specs=x"},
      {"clang -Xclang -load -Xclang x x.c", "code: -Xclang"},
  });
}

// An option that takes no value must not hide the next word, which is the command or a further option.
BOOST_AUTO_TEST_CASE(the_word_after_an_option_without_a_value_is_read) {
  check({
      {"sdiff -W --diff-program=./evil a b", "script: ./evil"},
      {"gsdiff -W --diff-program ./evil a b", "script: ./evil"},
      {"sdiff -w 80 --diff-program=./evil a b", "script: ./evil"},
      {"ltrace -L ./evil ls", "command: ./evil ls"},
      {"unbuffer -p ./evil", "command: ./evil"},
      {"chronic -e ./evil ls", "command: ./evil ls"},
      {"ifne -n ./evil ls", "command: ./evil ls"},
      {"tini -s ./evil ls", "command: ./evil ls"},
      {"tini -p SIGTERM -- ./evil ls", "command: ./evil ls"},
      {"dumb-init -c ./evil ls", "command: ./evil ls"},
      {"catatonit -P ./evil ls", "command: ./evil ls"},
      {"caffeinate -i ./evil", "command: ./evil"},
      {"caffeinate -t 5 ./evil", "command: ./evil"},
      {"cpulimit -l 50 -f ./evil ls", "command: ./evil ls"},
      {"rlwrap -c ./evil ls", "command: ./evil ls"},
      {"valgrind -s ./evil ls", "command: ./evil ls"},
      {"valgrind -d ./evil", "command: ./evil"},
      {"xvfb-run -a ./evil ls", "command: ./evil ls"},
      {"aa-exec -i ./evil ls", "command: ./evil ls"},
      {"fakeroot -u ./evil ls", "command: ./evil ls"},
      {"perf stat -A ./evil ls", "command: ./evil ls"},
      {"perf record -W ./evil ls", "command: ./evil ls"},
      {"concurrently -k ./evil ls", "script: ./evil & script: ls"},
      // These are not abbreviations of --backup-dir, --checkpoint-action, --header and --strip-program.
      {"rsync --backup -e ./evil a host:b", "script: ./evil"},
      {"rsync --filt -e ./evil a host:b", "script: ./evil"},
      {"tar --checkpoint --to-command=./evil -xf a", "script: ./evil"},
      {"curl --head --engine ./evil.so url", "code: ./evil.so"},
      {"install --strip --strip-program=./evil a b", "script: ./evil"},
      // These programs take their options out of the words of the command.
      {"tini -s timeout -s 5 ./evil ls", "unclear: -s"},
      {"cpulimit -l 90 timeout -k 5 ./evil ls", "unclear: -k"},
      {"choom -n 0 xargs -n 5 ./evil ls", "unclear: -n"},
      {"choom -n 0 ls -l", "unclear: -l"},
      {"catatonit timeout -g 5 ./evil", "unclear: -g"},
      {"mosh host ls --client=./evil", "script: ./evil & unclear: --client=./evil"},
      {"mosh host -- ls -l", "command: ls -l"},
      {"choom -n 0 -- xargs -n 5 ./evil", "command: xargs -n 5 ./evil"},
      {"distcc -h -wrapper ./evil -c x.c", "unclear: -h"},
      {"uv run -n ./evil ls", "command: ./evil ls"},
      {"poetry run -n ./evil ls", "command: ./evil ls"},
      {"aws-vault exec -n profile ./evil ls", "command: ./evil ls"},
      {"lxc exec -n c ./evil ls", "command: ./evil ls"},
      {"lxc-attach -n c -e ./evil ls", "command: ./evil ls"},
      {"kubectl exec --match-server-version pod -- ./evil", "command: ./evil"},
      {"podman run --env-host image ./evil ls", "command: ./evil ls"},
      {"podman exec --no-session c ./evil ls", "command: ./evil ls"},
      {"scp -B -S ./evil a b:", "script: ./evil"},
      {"scp -R -S./evil a b:", "script: ./evil"},
      {"tar -H --use-compress-program=./evil -tf a", "script: ./evil"},
      {"bsdtar -L --use-compress-program=./evil -xf a", "script: ./evil"},
      {"parallel -l ./evil ls ::: a", "unclear: -l"},
      {"parallel -T ./evil ls ::: a", "unclear: -T"},
      {"pee -p ./evil", "unclear: -p"},
      {"mispipe -p ./evil", "unclear: -p"},
      {"chpst -v ./evil ls", "command: ./evil ls"},
      {"nsenter --wdns ./evil ls", "unclear: --wdns"},
      {"script -F x ls ./evil", "unclear: -F"},
      {"script -t 5 ls ./evil", "unclear: -t"},
  });
}

// An option that takes a value must not make this value the command, the host or the file.
BOOST_AUTO_TEST_CASE(the_value_of_an_option_is_not_the_command) {
  check({
      {"ssh -c aes128-ctr host rm x", "script: rm x"},
      {"ssh -m hmac-sha2-256 host rm x", "script: rm x"},
      {"ssh -Q cipher host", ""},
      {"ssh -P -oProxyCommand=./evil host", "unclear: -P"},
      {"autossh -P host rm x", "unclear: -P"},
      {"unshare -l ls ./evil", "code: -l & command: ./evil"},
      {"systemd-run -C ls ./evil", "command: ./evil"},
      {"numactl -i 0 ./evil", "command: ./evil"},
      {"numactl -c 0 -l ./evil", "command: ./evil"},
      {"msgfilter -n x ./evil", "command: ./evil"},
      {"parallel -i ls ./evil ::: a", "unclear: -i"},
      {"mise x -c 'rm x'", "script: rm x"},
  });
}

BOOST_AUTO_TEST_CASE(the_operands_before_the_command_are_counted_as_the_program_counts_them) {
  check({
      {"lckdo ls ./evil", "command: ./evil"},
      {"lckdo -w -W 5 ls ./evil", "command: ./evil"},
      {"envchain ls ./evil", "command: ./evil"},
      {"pseudo ./evil ls", "command: ./evil ls"},
      {"toolbox run ./evil", "command: ./evil"},
      {"toolbox run -c c ./evil ls", "command: ./evil ls"},
      {"chrt 5 ./evil", "command: ./evil"},
      {"chrt --idle ./evil ls", "command: ./evil ls"},
      {"script -- ./evil ls", "script: ./evil ls"},
      {"script out -- ./evil ls", "script: ./evil ls"},
      {"lxc exec c -- ./evil ls", "command: ./evil ls"},
      {"oc rsh pod --", "command: sh"},
      {"podman exec --latest ./evil ls", "code: --latest & command: ls"},
      {"lxc-execute -n c ./evil ls", "code: c"},
      {"distrobox enter -n c -e ./evil ls", "code: c"},
      {"cross-env-shell ls ';' ./evil", "script: ls ; ./evil"},
      // Only some programs need dashes before the command. In others, they are arguments of the command.
      {"uv run ./evil -- ls", "command: ./evil -- ls"},
      {"bundle exec ./evil -- ls", "command: ./evil -- ls"},
      {"direnv exec . ./evil -- ls", "command: ./evil -- ls"},
      {"kubectl exec pod -- ./evil -- ls", "command: ./evil -- ls"},
      {"mise exec node@20 -- ./evil", "command: ./evil"},
  });
}

BOOST_AUTO_TEST_CASE(further_options_name_programs_and_code) {
  check({
      {"install -s --strip-program=./evil a b", "script: ./evil"},
      {"install --strip-p ./evil -s a b", "script: ./evil"},
      {"rename 's/x/system(\"./evil\")/e' f", "code: s/x/system(\"./evil\")/e"},
      {"aria2c --on-download-complete=./evil url", "script: ./evil"},
      {"aria2c --conf-path=x url", "code: x"},
      {"rclone ls --sftp-ssh=./evil r:", "code: --sftp-ssh=./evil"},
      {"rclone ls :sftp,ssh=./evil:", "code: :sftp,ssh=./evil:"},
      {"dbus-run-session --dbus-daemon=./evil ls", "script: ./evil & command: ls"},
      {"rlwrap --filter=./evil ls", "script: ./evil & command: ls"},
      {"fakeroot -f ./evil ls", "code: -f & command: ls"},
      {"fakeroot --lib=./evil.so ls", "code: --lib=./evil.so & command: ls"},
      {"faketime --date-prog ./evil 2020 ls", "script: ./evil & command: ls"},
      {"datefudge -l ./evil.so 2020 ls", "code: -l & command: ls"},
      {"chpst -e ./d ls", "code: -e & command: ls"},
      {"envdir ./d ls", "code: ls"},
      {"proot -q ./evil ls", "script: ./evil & command: ls"},
      {"mosh --client=./evil host", "script: ./evil"},
      {"mosh --ssh=./evil host ls", "script: ./evil & command: ls"},
      {"mosh --cli=./evil host", "script: ./evil"},
      {"gpg-agent --pinentry-program=./evil --daemon", "script: ./evil"},
      {"man -C ./evil.conf ls", "code: ./evil.conf"},
      {"ncat --lua-exec ./evil.lua host 1", "code: ./evil.lua"},
      {"ip -batch ./evil", "code: ./evil"},
      {"ip netns exec x ./evil", "code: x"},
      {"ip net e x ./evil", "code: x"},
      {"ip vrf exec x ./evil", "command: ./evil"},
      {"ip addr show", ""},
      {"perf timechart record ./evil", "command: ./evil"},
      {"perf kmem rec ./evil", "command: ./evil"},
      {"perf lock contention ./evil", "command: ./evil"},
      {"perf annotate --objdump=./evil", "script: ./evil"},
      {"uv run -m evil", "code: -m & command: evil"},
      {"npm exec --version=false evil", "code: evil"},
      {"docker compose run --entrypoint ./evil service ls", "script: ./evil & command: ls"},
      {"vagrant ssh -- -o ProxyCommand=./evil", "code: -o"},
      {"valgrind --tool=../../tmp/evil ls", "code: ../../tmp/evil & command: ls"},
      {"valgrind --tool=massif ls", "command: ls"},
      {"parallel -S './evil host' ls ::: a", "code: -S & command: ls ? ..."},
      {"unshare -r -R ./d ls", "code: -R & command: ls"},
      {"firejail --shell=./evil ls", "code: --shell=./evil & command: ls"},
      {"bsdtar -W use-compress-program=./evil -tf a", "script: ./evil"},
      {"tar -tWuse-compress-program=./evil -f a", "script: ./evil"},
      {"openssl s_client -engine=./evil.so", "code: -engine=./evil.so"},
      {"openssl s_client --engine ./evil.so", "code: --engine"},
      {"openssl engine dynamic -pre SO_PATH:./evil.so", "code: engine"},
      {"openssl req -config ./evil.cnf", "code: -config"},
      {"openssl version", ""},
      {"less --lesskey-src=x f", "code: --lesskey-src=x"},
      {"less -Sk x f", "code: -Sk"},
      {"less --cmd=!./evil f", "code: --cmd=!./evil"},
      {"start-stop-daemon -qS -x ./evil", "code: -qS"},
      {"start-stop-daemon --startas ./evil -S", "code: --startas"},
      {"socat - 'E\\XEC:./evil'", "code: E\\XEC:./evil"},
      {"socat - '\"EXEC\":./evil'", "code: \"EXEC\":./evil"},
      {"debugfs x <cmds", "code: cmds"},
      {"wget -e use_askpass=./evil url", "code: use_askpass=./evil"},
      {"wget -e robots=off url", ""},
      {"wget --config=./evil url", "code: ./evil"},
      {"wget2 --local-plugin=./evil.so url", "code: ./evil.so"},
      {"curl --engine ./evil.so url", "code: ./evil.so"},
      {"curl -K ./options url", "code: ./options"},
      {"rsync --daemon --config=./evil", "code: ./evil"},
      {"cpio -i -F host:x --rsh-command=./evil", "script: ./evil"},
      {"capsh --print", ""},
      {"capsh --print -- -c ./evil", "code: --"},
      {"apt-mark -o Dir::Bin::dpkg=./evil hold x", "code: Dir::Bin::dpkg=./evil"},
      {"dnf --setopt=pluginpath=./d list", "code: pluginpath=./d"},
      {"zypper -x -c ./evil search x", "code: ./evil"},
      {"hg --config alias.x=!./evil x", "code: --config"},
      {"hg pull -ue ./evil", "code: -ue"},
      {"hg log", ""},
      {"perf --exec-path=. evil", "code: ."},
      {"perf list", ""},
      {"su -c ls -c ./evil", "script: ls & script: ./evil"},
  });
}

BOOST_AUTO_TEST_CASE(variables_that_options_set_belong_to_the_command) {
  check({
      {"strace -E LD_PRELOAD=./evil.so ls", "command: [LD_PRELOAD=./evil.so] ls"},
      {"strace -E HOME -f ls", "command: ls"},
      {"systemd-run --setenv=A=1 ls", "command: [A=1] ls"},
      {"systemd-run -p ExecStartPre=./evil ls", "code: ExecStartPre=./evil & command: ls"},
      {"systemd-run -p MemoryMax=1G ls", "command: ls"},
      {"bwrap --setenv LD_PRELOAD ./evil.so ls", "command: [LD_PRELOAD=./evil.so] ls"},
      {"firejail --env=LD_PRELOAD=./evil.so ls", "command: [LD_PRELOAD=./evil.so] ls"},
  });
}

BOOST_AUTO_TEST_CASE(programs_have_further_names_and_spellings) {
  check({
      {"python3.11 -c x", "code: -c"},
      {"vim.basic x", "code: vim.basic"},
      {"nc.openbsd -e sh", "script: sh"},
      {"x86_64-linux-gnu-gcc-12 -wrapper x -c y.c", "code: -wrapper"},
      {"aarch64-linux-gnu-ld.bfd x", ""},
      {"node --experimental_loader=./l.mjs f.js", "code: --experimental_loader=./l.mjs"},
      {"node --unknown x --experimental_loader y", "code: --experimental_loader"},
      {"php --unknown x --process_code y", ""},
      {"zip a b -T --unzip-comm=x", "code: --unzip-comm=x"},
      {"./env.sh a b", ""},
      {"gtimeout 5 ./evil", "command: ./evil"},
      {"gnice ./evil", "command: ./evil"},
  });
}

BOOST_AUTO_TEST_CASE(ordinary_commands_run_nothing_else) {
  for (const std::string line : {"ls -la",
                                 "rm -rf build",
                                 "git push --force",
                                 "git -c a=b log",
                                 "make -j4 test",
                                 "npm test",
                                 "npm run build",
                                 "cargo test --release",
                                 "go test ./...",
                                 "docker ps",
                                 "kubectl get pods",
                                 "sed -i s/a/b/ f",
                                 "grep -e x f",
                                 "python script.py -c x",
                                 "python3 -m pytest -x",
                                 "node app.js -e x",
                                 "perl script.pl",
                                 "sh build.sh -c x",
                                 "bash ~/x.sh",
                                 "python ~/run.py",
                                 "tar xzf a.tar",
                                 "sort -k 2 f",
                                 "rsync -a a b",
                                 "printf %s x",
                                 "test -f x",
                                 "[ -n ~ ]",
                                 "export A=1",
                                 "export PATH=~:/x",
                                 "local x=~",
                                 "read -r line",
                                 "read -p ~ name",
                                 "cd x",
                                 "",
                                 "echo -c x",
                                 "python --version",
                                 "bash --version",
                                 "less f",
                                 "psql -c 'select 1'",
                                 "sqlite3 db .tables",
                                 "tmux ls",
                                 "crontab -l",
                                 "find . -name x",
                                 "find ~ -name ~ -type f",
                                 "{ find . ! -path ~",
                                 "command -v rm",
                                 "env",
                                 "env A=1",
                                 "sudo -l",
                                 "sudo -v",
                                 "xargs",
                                 "nice",
                                 "timeout 5",
                                 "git submodule update --init",
                                 "git bisect start",
                                 "git rebase main",
                                 "ionice -p 12",
                                 "chrt -p 12",
                                 "trap",
                                 "trap - EXIT",
                                 "trap '' INT",
                                 "alias",
                                 "alias x",
                                 "hash -r",
                                 "enable -n x",
                                 "fc -l",
                                 "bind -p",
                                 "complete -W 'a b' x",
                                 "mapfile -t a",
                                 "unset a[0]",
                                 "let i+=1",
                                 "declare -A x",
                                 "wait",
                                 "vim --version",
                                 "man ls",
                                 "make --version",
                                 "gdb --version",
                                 "expect x.exp",
                                 "exec"}) {
    check({{line, ""}});
  }
}

BOOST_AUTO_TEST_CASE(the_command_after_options_and_operands_is_found) {
  check({
      {"timeout 5 rm -rf x", "command: rm -rf x"},
      {"timeout -s KILL -k 1 --preserve-status 5s rm", "command: rm"},
      {"timeout -sKILL --kill-after=3 5 rm", "command: rm"},
      {"timeout --sig KILL 5 rm", "command: rm"},
      {"timeout -- 5 rm", "command: rm"},
      {"nice -n 5 rm x", "command: rm x"},
      {"nice -10 rm x", "command: rm x"},
      {"nice --adj=5 rm x", "command: rm x"},
      {"ionice -c2 -n0 rm x", "command: rm x"},
      {"chrt -r 5 rm x", "command: rm x"},
      {"taskset -c 0-3 rm x", "command: rm x"},
      {"nohup rm x", "command: rm x"},
      {"stdbuf -o0 -e L touch m", "command: touch m"},
      {"setsid -f rm x", "command: rm x"},
      {"linux64 -R rm x", "command: rm x"},
      {"setarch x86_64 -R rm x", "command: rm x"},
      {"setarch -R rm x", "command: rm x"},
      {"setarch x86_64", "command: sh"},
      {"time -p rm x", "command: rm x"},
      {"time -f %e rm x", "command: rm x"},
      {"command -p rm x", "command: rm x"},
      {"command rm x", "command: rm x"},
      {"builtin eval x", "command: eval x"},
      {"exec -a name -cl rm x", "command: rm x"},
      {"sudo -u root -E A=1 rm x", "command: [A=1] rm x"},
      {"sudo -nu root rm x", "command: rm x"},
      {"sudo --user=root -- rm x", "command: rm x"},
      {"sudo -k rm x", "command: rm x"},
      {"doas -u root rm x", "command: rm x"},
      {"pkexec --user root rm x", "command: rm x"},
      {"chroot --userspec=a:b /new rm x", "command: rm x"},
      {"chroot /new", "command: sh"},
      {"unshare -r --mount-proc rm x", "command: rm x"},
      {"unshare -r", "command: sh"},
      {"nsenter -t 1 -m rm x", "command: rm x"},
      {"nsenter -at1 rm x", "command: rm x"},
      {"firejail --noprofile --net=none rm x", "command: rm x"},
      {"bwrap --bind / / --dev /dev --unshare-all rm x", "command: rm x"},
      {"systemd-run --user -p A=b --scope rm x", "command: rm x"},
      {"strace -f -e trace=open -o out rm x", "command: rm x"},
      {"ltrace -f rm x", "command: rm x"},
      {"gdb -q --args rm x", "command: rm x"},
      {"valgrind --leak-check=full rm x", "command: rm x"},
      {"perf stat -e cycles rm x", "command: rm x"},
      {"busybox rm x", "command: rm x"},
      {"busybox sh -c x", "command: sh -c x"},
      {"toybox rm x", "command: rm x"},
      {"ld.so --argv0 x rm y", "command: rm y"},
      {"ld.so --library-path /x rm y", "code: --library-path & command: rm y"},
      {"ld-linux-x86-64.so.2 rm y", "command: rm y"},
      {"ld-linux-aarch64.so.1 --preload x.so rm", "code: --preload & command: rm"},
      {"cmake -E env --unset=A B=1 rm x", "command: [B=1] rm x"},
      {"cmake -E chdir d rm x", "command: rm x"},
      {"cmake -E time rm x", "command: rm x"},
      {"cmake -E chdir d", ""},
      {"cmake -E __run_co_compile --tidy='x;-a' --source=a.c -- cc -c a.c", "code: --tidy=x;-a & command: cc -c a.c"},
      {"cmake -E __run_co_compile --launcher=x --cppcheck=y -- cc",
       "code: --launcher=x & code: --cppcheck=y & command: cc"},
      {"cmake -E cmake_link_script link.txt --verbose=1", "code: link.txt"},
      {"cmake -E vs_link_exe --msvc-ver=1 -- rm x", "command: rm x"},
      {"gdb -q -args rm x", "command: rm x"},
      {"cmake -E rm x", ""},
      {"prlimit --nofile=5 rm x", "command: rm x"},
      {"setpriv --reuid 5 rm x", "command: rm x"},
      {"gosu nobody rm x", "command: rm x"},
      {"perf script x", "code: x"},
      {"dotenv -e .env rm x", "command: rm x"},
      {"uv run --with x rm y", "command: rm y"},
      {"poetry run rm y", "command: rm y"},
      {"bundle exec rm y", "command: rm y"},
      {"mise exec node@20 -- rm y", "command: rm y"},
      {"direnv exec d rm y", "command: rm y"},
      {"aws-vault exec profile -- rm y", "command: rm y"},
      {"sudo -h host rm x", "command: rm x"},
  });
}

BOOST_AUTO_TEST_CASE(env_takes_assignments_and_splits_strings) {
  check({
      {"env rm x", "command: rm x"},
      {"env - A=1 B=2 rm x", "command: [A=1 B=2] rm x"},
      {"env -i -u HOME -C /x --chdir=/y A= rm x", "command: [A=] rm x"},
      {"env -uHOME -- rm x", "command: rm x"},
      {"env -- A=1 rm", "command: [A=1] rm"},
      {"env --ignore rm", "unclear: --ignore"},  // ignore-environment, or ignore-signal
      {"env --ignore-env rm x", "command: rm x"},
      {"env -S 'rm -rf x'", "command: rm -rf x"},
      {"env '-Srm x' y", "command: rm x y"},
      {"env -iS 'A=1 rm x'", "command: [A=1] rm x"},
      {"env -vS '-u B rm' x", "command: rm x"},
      {"env '--split-string=rm \"a b\" c' d", "command: rm a b c d"},
      {"env --split 'r\\_m x' y", "command: r m x y"},
      {"env -S 'rm # x' y", "command: rm y"},
      {"env -S 'rm \\t\\n\\f\\r\\v\\#\\$\\\"x' y", "command: rm \t\n\f\r\v#$\"x y"},
      {"env -S 'rm \"a\\_b\" \\c d' y", "command: rm a b  y"},
      {"env -S 'rm \\' y", "unclear: rm \\"},
      {"env -S 'rm ${X}' y", "command: rm ? y"},
      {"env -S 'rm $X' y", "unclear: rm $X"},
      {"env -S 'rm \"x' y", "unclear: rm \"x"},
      {"env -S 'rm \\q' y", "unclear: rm \\q"},
      {"env -S ~", "unclear: "},
      {"env -S '-S \"-S rm\"'", "command: rm"},
      {"env ~ ls", "unclear: "},
      {"env A=~ ls", "unclear: A="},
      {"env ~", "command: ?"},
      {"env -u ~ rm x", "unclear: "},
      {"env --unknown rm x", "unclear: --unknown"},
      {"env sh <<x", "command: sh"},
  });
}

BOOST_AUTO_TEST_CASE(what_is_not_understood_is_unclear) {
  check({
      {"timeout ~ rm x", "unclear: "},
      {"timeout 5 ~", "command: ?"},
      {"timeout 5 rm ~", "command: rm ?"},
      {"timeout -x 5 rm", "unclear: -x"},
      {"timeout --foo=1 5 rm", "unclear: --foo=1"},
      {"timeout -s ~ 5 rm", "unclear: "},
      {"sudo ~", "command: ?"},
      {"sudo -u ~ rm x", "unclear: "},
      {"sudo --foo rm x", "unclear: --foo"},
      {"chroot ~ rm x", "unclear: "},
      {"docker ~ rm x", "unclear: "},
      {"git ~", "unclear: "},
      {"strace --foo rm x", "unclear: --foo"},
  });
}

BOOST_AUTO_TEST_CASE(users_shells_and_locks) {
  check({
      {"su -c 'rm x'", "script: rm x"},
      {"su root -c 'rm x'", "script: rm x"},
      {"su - root --command='rm x'", "script: rm x"},
      {"su", "command: sh"},
      {"su - bob", "command: sh"},
      {"su bob -- -c 'rm x'", "command: sh -c rm x"},
      {"su -s /bin/rm bob", "code: -s & command: sh"},
      {"su ~ -c x", "unclear: "},
      {"runuser -u bob -- rm x", "command: rm x"},
      {"runuser bob -c 'rm x'", "script: rm x"},
      {"sudo -s", "command: sh"},
      {"| sudo -i", "command: sh"},
      {"sudo -s echo '$(rm)' x", "command: echo ?$(rm) x"},
      {"sudo -e f", "code: -e & command: f"},
      {"flock f rm x", "command: rm x"},
      {"flock -n -w 5 f rm x", "command: rm x"},
      {"flock f -c 'rm x'", "script: rm x"},
      {"flock 9", ""},
      {"flock ~/l rm x", "command: rm x"},
      {"flock ~ rm x", "unclear: "},
      {"script -qc 'rm x' /dev/null", "script: rm x"},
      {"script f", "command: sh"},
      {"watch -n 1 rm x ';' ls", "script: rm x ; ls"},
      {"watch -x rm x", "command: rm x"},
      {"watch rm ~", "unclear: rm "},
      {"ssh -p 22 host rm x", "script: rm x"},
      {"ssh host", ""},
      {"ssh host <f", "code: f"},
      {"ssh -N host <f", ""},
      {"ssh host -W a:1 <f", ""},
      {"ssh <f", ""},
      {"ssh host -p 22 -t rm x", "script: rm x"},
      {"ssh host -- rm x", "script: rm x"},
      {"ssh ~ rm x", "unclear: "},
      {"ssh -Q cipher", ""},
      {"ssh -! host rm", "unclear: -!"},
      {"ssh -o 'ProxyCommand=rm x' host", "script: rm x"},
      {"ssh -oProxyCommand='rm x' host ls", "script: rm x & script: ls"},
      {"scp -o 'proxycommand rm x' a h:b", "script: rm x"},
  });
}

// Whatever words are put together, nothing is thrown, every clause says something, and what is run is not empty.
BOOST_AUTO_TEST_CASE(any_words_are_judged) {
  std::mt19937 random(11);
  const std::vector<std::string> words = {
      "zsh",     "nu",   "--o=x",  "env",      "-S",  "'a ${b} \"c'", "sudo",    "-u",
      "root",    "~",    "sh",     "-c",       "-",   "--",           "xargs",   "-I{}",
      "{}",      "find", "-exec",  ";",        "+",   "su",           "-i",      "python",
      "-m",      "perl", "-e",     "git",      "-C",  "submodule",    "foreach", "docker",
      "run",     "--rm", "flock",  "f",        "tar", "cIf",          "timeout", "5",
      "A=1",     "=",    "''",     "parallel", ":::", "trap",         "let",     "a[$(b)]",
      "printf",  "-v",   "bwrap",  "--bind",   "fd",  "-x",           "--exec=", "ssh",
      "-o",      "gdb",  "--args", "cmake",    "-E",  "watch",        "entr",    "/_",
      "kubectl", "exec", "npx",    "make",     "-f",  "<f",           "<<x",     "<<~y"};
  for (int round = 0; round < 20'000; ++round) {
    std::string line = round % 3 == 0 ? "| " : round % 3 == 1 ? "{ " : "";
    for (auto left = 1 + random() % 7; left > 0; --left) line += words[random() % words.size()] + ' ';
    SimpleCommand command = wtool::test::command_of(line);
    // Two levels, because the caller also judges what is run.
    for (int level = 0; level < 2 && !command.words.empty(); ++level) {
      const auto inners = inner_commands(command.words.front().text, command);
      arguments_match(command.words.front().text, command.words, {"-f", "--force", "-rf"}, {"a", "b"});
      command.words.clear();
      for (const Inner& inner : inners) {
        if (inner.kind == Inner::Kind::command) {
          BOOST_TEST_REQUIRE(!inner.command.words.empty(), line);
          command = inner.command;
        } else if (inner.kind != Inner::Kind::script) {
          BOOST_TEST_REQUIRE(!inner.reason.empty(), line);
        }
      }
    }
  }
}

// A command of 256 KiB: quadratic work takes minutes.
BOOST_AUTO_TEST_CASE(long_commands_are_judged_in_linear_time) {
  const auto repeated = [](const std::string& begin, const std::string& part) {
    std::string line = begin;
    while (line.size() < (256 << 10)) line += part;
    return wtool::test::command_of(line);
  };
  for (const auto& [begin, part] : {std::pair<std::string, std::string>{"env", " A=1"},
                                    {"find", " -exec a {} ;"},
                                    {"xargs -Ia b", "a"},
                                    {"rm -", "r"},
                                    {"rm", " -r"},
                                    {"git", " -C x"},
                                    {"sudo", " -u x"},
                                    {"parallel", " ::: a"},
                                    {"eval", " a"},
                                    {"tar c", "I"},
                                    {"docker run", " -v x"},
                                    {"python", " -W x"},
                                    {"perl --x a", " -x"},
                                    {"let", " a"},
                                    {"socat", " exec"}}) {
    const SimpleCommand command = repeated(begin, part);
    const std::string tool = command.words.front().text;
    inner_commands(tool, command);
    BOOST_TEST(!arguments_match(tool, command.words, {"-q", "--quiet"}, {"no", "such"}), begin);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace wrappers_test
