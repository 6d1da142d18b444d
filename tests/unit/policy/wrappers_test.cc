// policy/wrappers.h, inner_commands: what a command runs besides itself. A row is a command (see simple_command.h) and
// what it runs: "command: WORDS" (a ? before a word that is known only when the command runs, ... if more follow),
// "script: TEXT", "code: WORD", "unclear: WORD", joined by " & "; empty if it runs nothing else.
#include "policy/wrappers.h"

#include <boost/test/unit_test.hpp>
#include <random>

#include "simple_command.h"

namespace wrappers_test {

using namespace wtool::policy;

namespace {

std::string shown(const std::vector<Word>& words) {
  std::string text;
  for (const Word& word : words) text += (text.empty() ? "" : " ") + std::string(word.literal ? "" : "?") + word.text;
  return text;
}

std::string shown(const Inner& inner) {
  switch (inner.kind) {
    case Inner::Kind::command: {
      const std::string assignments = shown(inner.command.assignments);
      return "command: " + (assignments.empty() ? "" : "[" + assignments + "] ") + shown(inner.command.words) +
             (inner.open_ended ? " ..." : "");
    }
    case Inner::Kind::script:
      return "script: " + inner.text.text;
    case Inner::Kind::code:
      return "code: " + inner.text.text;
    case Inner::Kind::unclear:
      return "unclear: " + inner.text.text;
  }
  return {};
}

std::string inner_of(const std::string& line) {
  const SimpleCommand command = wtool::test::command_of(line);
  std::string text;
  for (const Inner& inner : inner_commands(command.words.empty() ? "" : command.words.front().text, command)) {
    text += (text.empty() ? "" : " & ") + shown(inner);
    if (inner.kind == Inner::Kind::code || inner.kind == Inner::Kind::unclear) BOOST_TEST(!inner.reason.empty(), line);
  }
  return text;
}

struct Row {
  std::string line, inner;
};

void check(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    const std::string found = inner_of(row.line);
    BOOST_TEST(found == row.inner, row.line << "\n    gives    " << found << "\n    and not  " << row.inner);
  }
}

}  // namespace

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

BOOST_AUTO_TEST_CASE(options_and_configurations_of_ssh_name_programs) {
  check({
      {"ssh -o ' ProxyCommand=./evil' host", "script: ./evil"},
      {"ssh -o '\"ProxyCommand\"=./evil' host", "script: ./evil"},
      {"ssh -o PKCS11Provider=./evil.so host", "code: PKCS11Provider=./evil.so"},
      {"ssh -I ./evil.so host", "code: ./evil.so"},
      {"ssh -F ./evil.conf host ls", "code: ./evil.conf & script: ls"},
      {"ssh -F none host ls", "script: ls"},
      {"scp -F ./evil.conf a b:", "code: ./evil.conf"},
      {"sftp -b cmds host", "code: cmds"},
      {"sftp -o ProxyCommand=ls host <cmds", "script: ls & code: cmds"},
      {"scp -o ~ a b:", "unclear: "},
      {"scp -o IdentityFile=~ a b:", ""},
      {"autossh -M 0 -f -o ProxyCommand=./evil host ls", "script: ./evil & script: ls"},
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

BOOST_AUTO_TEST_CASE(shells_run_text) {
  check({
      {"sh -c 'rm x'", "script: rm x"},
      {"bash -lc 'rm x'", "script: rm x"},
      {"sh -ec 'rm x' name y", "script: rm x"},
      {"bash -o pipefail -c 'rm x'", "script: rm x"},
      {"bash -euo pipefail -c 'rm x'", "script: rm x"},
      {"bash -c -e 'rm x'", "script: rm x"},
      {"bash -c -- 'rm x'", "script: rm x"},
      {"bash +x -O extglob -c 'rm x'", "script: rm x"},
      {"bash --norc --noprofile -c 'rm x'", "script: rm x"},
      {"bash -norc -c 'rm x'", "script: rm x"},
      {"bash --rcfile f -i", "code: --rcfile"},
      {"bash -init-file f -c ls", "code: --init-file & script: ls"},
      {"bash5 -c 'rm x'", "script: rm x"},
      {"bash-5.2 -c 'rm x'", "script: rm x"},
      {"ksh -c 'rm x'", "script: rm x"},
      {"zsh -c 'rm x'", "script: rm x"},
      {"zsh -c '=rm x'", "script: =rm x & code: =rm x"},
      {"fish -c 'rm x'", "script: rm x & code: rm x"},
      {"fish --command='rm x'", "script: rm x & code: rm x"},
      {"csh -c 'rm x'", "script: rm x & code: rm x"},
      {"pwsh -c 'rm x'", "script: rm x & code: rm x"},
      {"sh -c ~", "unclear: "},
      {"sh -c 'rm '~", "unclear: rm "},
      {"sh -c", ""},
      {"sh ~", "unclear: "},
      {"sh", ""},
      {"sh -", ""},
      {"| sh", "unclear: sh"},
      {"| sh -", "unclear: sh"},
      {"| dash -V", "unclear: dash"},
      {"| bash --version", ""},
      {"| bash -s -- x", "unclear: bash"},
      {"{ sh", "unclear: sh"},
      {"sh <f", "unclear: f"},
      {"sh </dev/null", ""},
      {"| sh </dev/null", ""},
      {"sh '<<rm x'", "script: rm x"},
      {"bash -s a '<<rm x'", "script: rm x"},
      {"sh '<<~rm x'", "unclear: rm x"},
      {"bash '<<<rm x'", "script: rm x"},
      {"| sh /dev/stdin", "unclear: sh"},
      {"sh /dev/stdin '<<rm x'", "script: rm x"},
      {"sh /proc/self/fd/3", "unclear: /proc/self/fd/3"},
      {"sh --foo -c x", "unclear: --foo"},
      {"dash -c 'rm x' <<y", "script: rm x"},
  });
}

BOOST_AUTO_TEST_CASE(builtins_that_run_text) {
  check({
      {"eval rm -rf x", "script: rm -rf x"},
      {"eval 'rm x' ';' ls", "script: rm x ; ls"},
      {"eval -- rm", "script: rm"},
      {"eval rm ~", "unclear: rm "},
      {"eval", ""},
      {"trap 'rm x' EXIT", "script: rm x"},
      {"trap -- 'rm x' EXIT INT", "script: rm x"},
      {"trap ~ EXIT", "unclear: "},
      {"alias 'a=rm x' b=ls", "script: rm x & script: ls"},
      {"alias a=~", "unclear: a="},
      {". f", ""},
      {"source ./f x", ""},
      {". ~/f", ""},
      {". ~", "unclear: "},
      {"| . /dev/stdin", "unclear: /dev/stdin"},
      {"source /dev/fd/3", "unclear: /dev/fd/3"},
      {". /dev/stdin '<<rm x'", "script: rm x"},
      {"printf -v 'a[$(touch M)]' x", "code: a[$(touch M)]"},
      {"printf '-va[$(touch M)]' x", "code: a[$(touch M)]"},
      {"printf -v a %s x", ""},
      {"printf -v ~ x", "unclear: "},
      {"printf %s '-va[$(x)]'", ""},
      {"test -v 'a[$(touch M)]'", "code: a[$(touch M)]"},
      {"[ -v 'a[`touch M`]' ]", "code: a[`touch M`]"},
      {"wait -n -p 'a[$(touch M)]'", "code: a[$(touch M)]"},
      {"let 'a[$(touch M)]'", "code: a[$(touch M)]"},
      {"let 'x=$(touch M)'", "code: x=$(touch M)"},
      {"let ~", "unclear: "},
      {"read 'a[$(touch M)]'", "code: a[$(touch M)]"},
      {"read -a 'a[$(touch M)]'", "code: a[$(touch M)]"},
      {"declare -i 'a[$(touch M)]=1'", "code: a[$(touch M)]=1"},
      {"unset 'a[$(touch M)]'", "code: a[$(touch M)]"},
      {"export ~", "unclear: "},
      {"mapfile -C 'touch M #' -c 1", "script: touch M #"},
      {"readarray -C ~ -c 1 a", "unclear: "},
      {"complete -C 'rm x' y", "script: rm x"},
      {"compgen -F f", "code: -F"},
      {"compgen -W '$(rm x)'", "code: $(rm x)"},
      {"enable -f x.so y", "code: -f"},
      {"hash -p /x/rm ls", "code: -p"},
      {"fc -s", "code: fc"},
      {"bind -x '\"a\": rm'", "code: bind"},
  });
}

BOOST_AUTO_TEST_CASE(finders_run_what_they_find) {
  check({
      {"find . -name x -exec rm {} ';'", "command: rm ?./found"},
      {"find -exec rm {} ';'", "command: rm ?./found"},
      {"find -L src ../b -type f -exec rm {} ';' -exec ls x{} ';'", "command: rm ?src/found & command: ls ?x ..."},
      {"find ( -name a -o -name b ) -exec rm {} ';'", "command: rm ?./found"},
      // In these commands, what find puts in place of {} may look like something other than a path below a folder.
      {"find host:x -exec rm {} ';'", "command: rm ? ..."},
      {"find $x -name y -exec rm {} ';'", "command: rm ? ..."},
      {"find src -type f -execdir rm {} ';' -ok rm {} ';'", "command: rm ? ... & command: rm ? ..."},
      {"find -f x -exec rm {} ';'", "command: rm ? ..."},
      {"find -D stat src -exec rm {} ';'", "command: rm ? ..."},
      {"find -files0-from x -exec rm {} ';'", "command: rm ? ..."},
      {"bfs -type f -exec rm {} ';' -x", "command: rm ? ..."},
      {"find . -exec rm -f {} +", "command: rm -f ? ? ..."},
      {"find . -execdir a ';' -ok b {} ';'", "command: a & command: b ? ..."},
      {"find . -exec sh -c 'rm \"$1\"' _ {} ';'", "command: sh -c rm \"$1\" _ ?./found"},
      {"find . -exec sh -c 'rm {}' ';'", "command: sh -c ?rm  ..."},
      {"find . -exec {} ';'", "command: ?./found"},
      {"find . -exec a + ';'", "command: a +"},
      {"find . -exec rm", "command: rm"},
      {"find . -exec ';'", ""},
      {"find . -name -exec", ""},
      {"find . ~ rm {} ';'", "unclear: {}"},
      {"find . -type f ~ rm", "unclear: "},
      {"fd x -x rm", "command: rm ? ..."},
      {"fd x --exec rm {/} ';' y", "command: rm ? ..."},
      {"fd x --exec-batch=rm -f", "unclear: --exec-batch=rm"},
      {"fd -e c -Xrm", "unclear: -Xrm"},
      {"fd -xecho -xrm", "unclear: -xecho"},
      {"fd -- -x rm", ""},
      {"fd -Hx rm -f ';' -X ls", "command: rm -f ? ... & command: ls ? ..."},
      {"fd --no-such-option -x rm {}", "command: rm ? ..."},
      {"fd --batch-siz -x rm {}", "command: rm ? ..."},
      {"| xargs rm -f", "command: rm -f ? ..."},
      {"xargs -0 -n1 -P 4 -a f rm", "command: rm ? ..."},
      {"xargs -r --max-args=1 -- rm", "command: rm ? ..."},
      {"xargs -I{} rm {} x", "command: rm ? x ..."},
      {"xargs -I X sh -c 'rm X'", "command: sh -c ?rm  ..."},
      {"xargs -i mv {} y", "command: mv ? y ..."},
      {"xargs -I{} ls", "command: ls"},
      {"xargs -I{} {}", "command: ? ..."},
      {"xargs ~ rm", "command: ? rm ? ..."},
      {"xargs -q rm", "unclear: -q"},
      {"parallel rm {} ::: a b", "command: rm ?{} ? ..."},
      {"parallel -j4 'rm -rf {}' ::: a", "script: rm -rf {}"},
      {"parallel ::: 'rm x' ls", "script: rm x & script: ls"},
      {"| parallel", "unclear: parallel"},
      {"parallel :::: f", "unclear: :::: & script: f"},
      {"parallel rm ~", "unclear: rm "},
      {"entr rm /_", "command: rm ?"},
      {"entr -s 'rm x'", "script: rm x"},
      {"hyperfine -p 'rm x' ls 'wc y'", "script: rm x & script: ls & script: wc y"},
  });
}

BOOST_AUTO_TEST_CASE(what_reads_its_program_does_not_read_the_pipe_of_its_wrapper) {
  const SimpleCommand command = wtool::test::command_of("| xargs sh");
  const auto inner = inner_commands("xargs", command);
  BOOST_TEST_REQUIRE(inner.size() == 1U);
  BOOST_TEST(!inner[0].command.reads_pipe);
  // The words that xargs adds may be -c and a text.
  BOOST_TEST(inner_of("| xargs sh") == "command: sh ? ...");
  BOOST_TEST(shown(inner_commands("sh", inner[0].command).at(0)) == "unclear: ");
  // timeout passes its input on.
  const auto handed = inner_commands("timeout", wtool::test::command_of("| timeout 5 sh"));
  BOOST_TEST(handed.at(0).command.reads_pipe);
  const auto document = inner_commands("env", wtool::test::command_of("env sh '<<rm x'"));
  BOOST_TEST(inner_commands("sh", document.at(0).command).at(0).text.text == "rm x");
}

BOOST_AUTO_TEST_CASE(containers_packages_and_git) {
  check({
      {"docker exec -it -u root --env A=b c rm x", "command: rm x"},
      {"docker -H h container exec c rm x", "command: rm x"},
      {"docker run --rm -v /a:/b --name n image rm x", "command: rm x"},
      {"docker run image", ""},
      {"docker run --network host -d image", ""},
      {"docker compose -f f exec svc rm x", "command: rm x"},
      {"docker-compose run --rm svc rm x", "command: rm x"},
      {"podman run -it image rm x", "command: rm x"},
      {"kubectl -n ns exec -it pod -c c -- rm x", "command: rm x"},
      {"kubectl exec -it -c c pod -- rm x", "command: rm x"},
      {"kubectl exec pod --", ""},
      {"npx cowsay", "code: cowsay"},
      {"npx -c 'rm x'", "script: rm x"},
      {"npm exec -- cowsay", "code: cowsay"},
      {"npm --prefix d exec cowsay", "code: cowsay"},
      {"uvx ruff", "code: ruff"},
      {"pipx run x", "code: x"},
      {"nix-shell -p x --run 'rm x'", "script: rm x"},
      {"git submodule foreach 'rm x'", "script: rm x"},
      {"git -C d submodule --quiet foreach --recursive rm x", "script: rm x"},
      {"git bisect run make test", "command: make test"},
      {"git rebase -x 'rm x' main", "script: rm x"},
      {"git rebase main --exec='rm x'", "script: rm x"},
      {"git filter-branch --tree-filter 'rm x' HEAD", "script: rm x"},
      {"git difftool -x 'rm x'", "script: rm x"},
      {"git grep -Orm x", "script: rm"},
      {"git grep --open-files-in-pager=rm x", "script: rm"},
      {"git clone --upload-pack 'rm x' y", "script: rm x"},
      {"git push --receive-pack='rm x' y", "script: rm x"},
      {"git send-email --to-cmd='rm x' y", "script: rm x"},
      {"adb shell rm x", "script: rm x"},
      {"vagrant ssh -c 'rm x'", "script: rm x"},
      {"docker run --entrypoint rm image x", "script: rm & command: x"},
      {"perf mem record rm x", "command: rm x"},
      {"uv tool run x", "code: x"},
      {"tcpdump -w f -z rm", "script: rm"},
      {"pee 'rm x' ls", "script: rm x & script: ls"},
      {"strace -o '|rm x' ls", "script: rm x & command: ls"},
      {"cargo watch -s 'rm x'", "script: rm x"},
      {"cargo watch --env-file ls -- ./evil", "command: ./evil"},
      {"cargo watch -L ls -- ./evil", "unclear: -L"},
      {"tar -I 'rm x' -cf a b", "script: rm x"},
      {"tar cIf rm a b", "script: rm"},
      {"tar xf a --to-command='rm x'", "script: rm x"},
      {"tar cf a --checkpoint=1 --checkpoint-action=exec='rm x' b", "script: rm x"},
      {"rsync -e 'rm x' a b", "script: rm x"},
      {"rsync -ae rm a b", "script: rm"},
      {"rg --pre rm x", "script: rm"},
      {"sort --compress-prog=rm f", "script: rm"},
      {"split --filter='rm x' f", "script: rm x"},
      {"man -P 'rm x' ls", "script: rm x"},
      {"nc -e /bin/sh h 1", "script: /bin/sh"},
      {"ncat --sh-exec 'rm x' h 1", "script: rm x"},
  });
}

BOOST_AUTO_TEST_CASE(interpreters_are_given_code) {
  check({
      {"python -c 'import os'", "code: -c"},
      {"python3.11 -Bc 'import os'", "code: -Bc"},
      {"python3 -W ignore -X dev -c x", "code: -c"},
      {"python3 -m timeit x", "code: timeit"},
      {"python3 -m ~", "unclear: "},
      {"python3 -m pytest -c x", ""},
      {"pypy3 -cx", "code: -cx"},
      {"python", ""},
      {"| python", "code: python"},
      {"| python3 -", "code: python3"},
      {"python3 - '<<import os'", "code: import os"},
      {"python3 <f", "code: f"},
      {"python3 /dev/stdin", "code: /dev/stdin"},
      {"python ~", "unclear: "},
      {"| python script.py", ""},
      {"perl -e x", "code: -e"},
      {"perl -pe s/a/b/ f", "code: -pe"},
      {"perl -lane 'print' f", "code: -lane"},
      {"perl -i.bak -pe x f", "code: -pe"},
      {"perl -MData::Dumper f", "code: -MData::Dumper"},
      {"perl -I lib script.pl", ""},
      {"ruby -rjson -e x", "code: -rjson"},
      {"ruby -ne x", "code: -ne"},
      {"node -e x", "code: -e"},
      {"nodejs -pe x", "code: -pe"},
      {"node --eval=x", "code: --eval=x"},
      {"node --require ./x app.js", "code: --require"},
      {"node --import=x app.js", "code: --import=x"},
      {"node --unknown v -e x", "code: -e"},
      {"node --test", ""},
      {"php -r x", "code: -r"},
      {"php -d a=b f.php", "code: -d"},
      {"php f.php", ""},
      {"lua5.4 -e x", "code: -e"},
      {"Rscript -e x", "code: -e"},
      {"R -e x", "code: -e"},
      {"R -f f.R -d ./evil", "code: -d"},
      {"R CMD ./evil x", "command: ./evil x"},
      {"octave -f --eval x", "code: --eval"},
      {"octave f.m", ""},
      {"| octave", "code: octave"},
      {"swipl -t 'shell(x)' f.pl", "code: -t"},
      {"groovy -i -e x f", "code: -e"},
      {"ghc -F -pgmF ./evil x.hs", "code: -pgmF"},
      {"ghc -e x", "code: -e"},
      {"ghc x.hs", ""},
      {"julia --eval x", "code: --eval"},
      {"osascript -e x", "code: -e"},
      {"tclsh f", ""},
      {"| tclsh", "code: tclsh"},
      {"expect -c x", "code: -c"},
      {"deno eval x", "code: eval"},
      {"bun -e x", "code: -e"},
      {"bun x cowsay", "code: x"},
      {"deno run f.ts", ""},
      {"deno ~", "unclear: "},
      {"| deno run -", "code: deno"},
      {"gdb -batch -ex 'shell rm' x", "code: -ex"},
      {"gdb --command=f x", "code: --command=f"},
      {"gdb -eval 'shell rm' x", "code: -eval"},
      {"gdb -batch -eiex 'shell rm' x", "code: -eiex"},
      {"gdb -batch -eix f x", "code: -eix"},
      {"gdb -batch -early-init-e 'shell rm' x", "code: -early-init-e"},
      {"gdb -batch -data-directory=d x", "code: -data-directory=d"},
      {"lldb --one-line-before-file 'shell rm' x", "code: --one-line-before-file"},
      {"| gdb x", "code: gdb"},
      {"sqlite3 db '.shell rm'", "code: .shell rm"},
      {"sqlite3 db '<<.system rm'", "code: .system rm"},
      {"sqlite3 -init f db", "code: -init"},
      {"psql -c '\\! rm'", "code: \\! rm"},
      {"mysql -e 'system rm'", "code: system rm"},
      {"vim f", "code: vim"},
      {"vim -c ':!rm' f", "code: vim"},
      {"ed f", "code: ed"},
      {"emacs --batch f", "code: emacs"},
      {"screen -dm rm", "code: screen"},
      {"tmux new -d 'rm x'", "code: tmux"},
      {"tmux ls ';' new rm", "code: tmux"},
      // These commands start a server, which reads the configuration.
      {"tmux -f ./evil.conf list-keys", "code: tmux"},
      {"tmux -c ./evil ls", "code: tmux"},
      {"at now '<<rm x'", "script: rm x"},
      {"| at now", "code: at"},
      {"at -f x now", "code: -f"},
      {"at -l", ""},
      {"crontab f", "code: f"},
      {"| crontab -", "code: crontab"},
      {"socat - EXEC:rm", "code: EXEC:rm"},
      {"dc -e '!rm'", "code: !rm"},
      {"apt-get -o APT::Update::Pre-Invoke::=rm update", "code: APT::Update::Pre-Invoke::=rm"},
      {"apt-get install x", ""},
      {"zip -T -TT rm a b", "code: -TT"},
      {"zip -qTT sh a b", "code: -qTT"},
      {"zip a b -T --unzip-c=sh", "code: --unzip-c=sh"},
      {"make --ev=x", "code: --ev=x"},
      {"less +!sh a", "code: +!sh"},
      {"npm -g explore x y", "code: x"},
      {"xargs --process-slot-var=PATH", "code: --process-slot-var=PATH"},
      {"xargs --process-slot-v=PATH ls", "code: --process-slot-v=PATH & command: ls ? ..."},
      {"gcc -wrapper rm x.c", "code: -wrapper"},
      {"g++ -fplugin=x x.c", "code: -fplugin=x"},
      {"cc -c x.c", ""},
      {"openssl req -engine x", "code: -engine"},
      {"start-stop-daemon -S -x rm", "code: -S"},
      {"xterm -e rm", "code: xterm"},
      {"make --eval='x:;rm'", "code: --eval=x:;rm"},
      {"make SHELL=/x", "code: SHELL=/x"},
      {"| make -f -", "code: make"},
      {"make -f/dev/stdin '<<x:'", "code: x:"},
  });
}

// An option that seems to take the next word, but does not, would hide the option that gives the code.
BOOST_AUTO_TEST_CASE(code_is_found_behind_options_with_and_without_values) {
  check({
      {"php -n -r x", "code: -r"},
      {"php -H -r x", "code: -r"},
      {"php --rclass x -r y", "code: -r"},
      {"php -c ./php.ini f.php", "code: -c"},
      {"php-cgi -n -r x", "code: -r"},
      {"ruby -F -e x", "code: -e"},
      {"ruby -We x", "code: -We"},
      {"ruby -W0e x", "code: -W0e"},
      {"ruby -W:no-deprecated f.rb", ""},
      {"ruby -W1 f.rb", ""},
      {"ruby -Te x", "code: -Te"},
      {"ruby -Kee x", "code: -Kee"},
      {"ruby -xI -e x", "code: -e"},
      {"jruby -F -e x", "code: -e"},
      {"perl -F -e x f", "code: -e"},
      {"perl -F: f", ""},
      {"perl '-F -e' x f", "code: -F -e"},
      {"perl '-i -e' x f", "code: -i -e"},
      {"perl -xI -e x", "code: -e"},
      {"luajit -j x f.lua", "code: -j"},
      {"kotlin -cp . -e x", "code: -e"},
      {"kotlin -cp . Main", ""},
      {"kotlinc -cp . x.kt -d y.jar", ""},
      {"kotlinc -Xplugin=x.jar y.kt", "code: -Xplugin=x.jar"},
      {"clojure -T:build x", "code: -T:build"},
      {"bb '(rm x)'", "code: (rm x)"},
      {"bb -i '(rm x)'", "code: (rm x)"},
      {"elixir -pa x -e y", "code: -e"},
      {"elixir -pa x f.exs", ""},
      {"elixir --vm-args x f.exs", "code: --vm-args"},
      {"erl x -eval y", "code: -eval"},
      {"erl -pa a b -eval y", "code: -eval"},
      {"erl -- -eval y", "code: -eval"},
      {"| erl -pa a b", "code: erl"},
      {"clisp -x y", "code: -x"},
      {"csi -P x", "code: -P"},
      {"gforth --evaluate x", "code: --evaluate"},
      {"gforth --eva x", "code: --eva"},
      {"maxima --batch-string=x", "code: --batch-string=x"},
      {"coffee -t -e x", "code: -e"},
      {"octave-cli -f --eval x", "code: --eval"},
      {"racket -t x -e y", "code: -e"},
      {"Rscript --default-packages -e x", "code: -e"},
      {"Rscript --default-packages=stats f.R", ""},
      {"r -d -e x", "code: -e"},
      {"runghc -f ./evil x.hs", "code: -f"},
      {"tsx -f -e x", "code: -e"},
      {"ts-node -C ./evil x.ts", "code: -C"},
      {"node --unknown v -ex", "code: -ex"},
      {"deno -L debug eval x", "code: eval"},
      {"bun --cwd d -e x", "code: -e"},
      {"bun --cwd d f.ts", ""},
      {"| deno run --config x -", "code: deno"},
      // The version is printed first, and then the file runs.
      {"| ruby -v -", "code: ruby"},
      {"| lua -v -", "code: lua"},
      {"| php -f /dev/stdin", "code: php"},
      {"php -f f.php", ""},
  });
}

BOOST_AUTO_TEST_CASE(text_is_found_behind_options_of_shells) {
  check({
      {"bash -oc pipefail 'rm x'", "unclear: -oc"},
      {"bash -Oc extglob 'rm x'", "unclear: -Oc"},
      {"dash -oc noglob 'rm x'", "unclear: -oc"},
      {"sh +oc noglob 'rm x'", "unclear: +oc"},
      {"ksh -oc 'rm x'", "unclear: -oc"},
      {"ksh -o -c 'rm x'", "unclear: -o"},
      {"mksh -o -c 'rm x'", "unclear: -o"},
      {"ksh -o noglob -c 'rm x'", "script: rm x"},
      {"fish -p x -c 'rm x'", "script: rm x & code: rm x"},
      {"rc -I -c 'rm x'", "script: rm x & code: rm x"},
      {"xonsh -D A=1 -c 'rm x'", "unclear: A=1"},
      {"nu --log-level debug -c 'rm x'", "unclear: debug"},
      {"pwsh -Command 'rm x'", "unclear: rm x"},
      {"nu f.nu", ""},
      {"nu --version -e 'rm x'", "script: rm x & code: rm x"},
  });
}

BOOST_AUTO_TEST_CASE(programs_that_git_runs_are_found_behind_options_with_and_without_values) {
  check({
      {"git fetch -u --upload-pack=./evil .", "script: ./evil"},
      {"git fetch --refe --upload-pack=./evil .", "script: ./evil"},
      {"git fetch --pref --upload-pack=./evil .", "script: ./evil"},
      {"git fetch -j 4 --upload-pack=./evil .", "script: ./evil"},
      {"git fetch -j --upload-pack=./evil .", ""},
      {"git pull -j --upload-pack=./evil .", "script: ./evil"},
      {"git pull --jobs --upload-pack=./evil .", "script: ./evil"},
      {"git pull -s -- --upload-pack=./evil .", "script: ./evil"},
      {"git pull --unknown -- --upload-pack=./evil .", "script: ./evil"},
      {"git pull --unknown -X --upload-pack=./evil .", "script: ./evil"},
      {"git ls-remote --sort -- --upload-pack=./evil .", "script: ./evil"},
      {"git ls-remote --branch --upload-pack=./evil .", "script: ./evil"},
      {"git archive --add-file -- --exec=./evil --remote=. HEAD", "script: ./evil"},
      {"git push --branch --receive-pack=./evil .", "script: ./evil"},
      {"git send-pack --push-option -- --exec=./evil .", "script: ./evil"},
      {"git fetch-pack --depth --exec=./evil .", "script: ./evil"},
      {"git fetch-pack --upload-pack=./evil .", "script: ./evil"},
      {"git clone --remote --upload-pack=./evil . d", "script: ./evil"},
      {"git clone -u ./evil . d", "script: ./evil"},
      {"git rebase --ex ./evil HEAD", "script: ./evil"},
      {"git difftool --ex ./evil", "script: ./evil"},
      {"git pull -- origin", ""},
      {"fd --unknown -x -y {}", "command: -y ? ..."},
      {"flatpak run --unknown -n -n app rm x", "code: app"},
      {"sort --unknown --compress-program -x a", "script: -x"},
      {"pee ./a -x -- --b", "script: ./a & script: -x & script: -- & script: --b"},
  });
}

BOOST_AUTO_TEST_CASE(build_tools_run_what_a_word_names) {
  check({
      {"make X!=./evil", "code: X!=./evil"},
      {"make 'X:=$(shell ./evil)'", "code: X:=$(shell ./evil)"},
      {"make -E'$(shell ./evil)'", "code: -E$(shell ./evil)"},
      {"make -sEx", "code: -sEx"},
      {"make 'SHELL = ./evil'", "code: SHELL = ./evil"},
      {"make SHELL:=./evil", "code: SHELL:=./evil"},
      {"make MAKEFLAGS=--eval=x", "code: MAKEFLAGS=--eval=x"},
      {"make CFLAGS=-DSHELL=1 -CEXAMPLES shellcheck", ""},
      {"rake -e x", "code: -e"},
      {"rake -qe x", "code: -qe"},
      {"rake --rakefile -e x", "code: -e"},
      {"rake --exec x", "code: --exec"},
      {"rake test", ""},
      {"just --command ./evil", "code: --command"},
      {"just build", ""},
      {"ctest --build-and-test a b --test-command ./evil", "code: --build-and-test"},
      {"ctest -V -R x", ""},
      {"tox exec -- ./evil", "code: exec"},
      {"tox -x testenv.commands=./evil", "code: -x"},
      {"tox -e py", ""},
      {"meson devenv ./evil", "code: devenv"},
      {"meson test --wrapper=./evil", "code: --wrapper=./evil"},
      {"meson setup --wrap-mode=nofallback build", ""},
      {"bazel run --run_under=./evil //x", "code: --run_under=./evil"},
      {"mvn exec:exec -Dexec.executable=./evil", "code: -Dexec.executable=./evil"},
      {"mvn -q test", ""},
      {"zsh --o=x -c 'rm x'", "script: rm x"},
      {"nu --O=x -c 'rm x'", "script: rm x & code: rm x"},
      {"tar -tf a-use-compress-program=x.tar", ""},
      {"wget -e mask=1 u", ""},
      {"apt-get -o DPkg::Pre-Install-Pkgs::=./evil install x", "code: DPkg::Pre-Install-Pkgs::=./evil"},
      {"apt-get -oAcquire::http::Proxy-Auto-Detect=./evil update", "code: -oAcquire::http::Proxy-Auto-Detect=./evil"},
      {"apt -o AptCli::Hooks::Search::=./evil search x", "code: AptCli::Hooks::Search::=./evil"},
      {"apt-get -qc ./apt.conf update", "code: -qc"},
      {"apt list -a -c ./apt.conf", "code: -c"},
      {"apt-get --solver ../evil install x", "code: --solver"},
      {"aptitude -o DPkg::Pre-Install-Pkgs::=./evil install x", "code: DPkg::Pre-Install-Pkgs::=./evil"},
      {"rpm -qf '%(./evil)'", "code: %(./evil)"},
      {"rpm -e '%{lua:x}'", "code: %{lua:x}"},
      {"rpm -qa --queryformat '%{NAME}'", ""},
      {"apt-get -o Acquire::Retries=3 install planner command-not-found", ""},
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
