#include "policy/wrappers/prefix_table.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace wtool::policy {

namespace {

using Rest = Prefix::Rest;
using Bare = Prefix::Bare;

constexpr unsigned loose = Syntax::lenient;
constexpr unsigned anywhere = Syntax::lenient | Syntax::permutes;

// Of programs that only pass their words on, all options are here: an unknown one would leave it open where the command
// begins. The others (`loose`, `anywhere`) have more.
constexpr Prefix prefixes[] = {
    // Coreutils, util-linux, procps: time, priority, place.
    {.names = "timeout",
     .syntax = {"fk:ps:v", "foreground kill-after= preserve-status signal= verbose help version"},
     .operands = 1,
     .idle = "help version"},
    {.names = "nice", .syntax = {"n:", "adjustment= help version", Syntax::number}, .idle = "help version"},
    {.names = "nohup", .syntax = {"", "help version"}, .idle = "help version"},
    {.names = "stdbuf", .syntax = {"e:i:o:", "error= input= output= help version"}, .idle = "help version"},
    {.names = "ionice",
     .syntax = {"c:hn:p:P:tu:V", "class= classdata= ignore pid= pgid= uid= help version"},
     .idle = "p P u h V pid pgid uid help version"},
    {.names = "chrt",
     .syntax = {"abdD:efGhimoprRT:P:vV",
                "all-tasks batch deadline fifo help idle max other pid reset-on-fork rr sched-deadline= sched-period= "
                "sched-runtime= verbose version ext"},
     .operands = 1,
     .idle = "p m h V pid max help version"},
    {.names = "taskset",
     .syntax = {"achpV", "all-tasks cpu-list help pid version"},
     .operands = 1,
     .idle = "p h V pid help version"},
    {.names = "uclampset",
     .syntax = {"am:M:p:RsvhV", "all-tasks pid= reset-on-fork system verbose help version"},
     .idle = "p s h V pid system help version"},
    {.names = "setsid", .syntax = {"cfhVw", "ctty fork help version wait"}, .idle = "h V help version"},
    {.names = "linux32,linux64,i386,i486,i586,i686,x86_64,uname26,arm64,aarch64",
     .syntax = {"BFhILRSTVXZv3",
                "32bit 3gb 4gb addr-compat-layout addr-no-randomize fdpic-funcptrs help list mmap-page-zero "
                "read-implies-exec short-inode show? sticky-timeouts uname-2.6 verbose version whole-seconds"},
     .idle = "h V help version list",
     .bare = Bare::shell},
    {.names = "chroot",
     .syntax = {"", "groups= userspec= skip-chdir help version"},
     .operands = 1,
     .idle = "help version",
     .bare = Bare::shell},
    {.names = "unshare",
     .syntax = {"cCfG:hilmnpR:rS:TuUVw:",
                "cgroup? fork forward-signals ipc? keep-caps kill-child? load-interp= map-auto map-current-user "
                "map-group= map-groups= map-root-user map-user= map-users= monotonic= boottime= mount-binfmt? "
                "mount-proc? mount? "
                "net? pid? propagation= root= setgid= setgroups= setuid= time? user? uts? wd= owner= help version"},
     .idle = "h V help version",
     .bare = Bare::shell},
    {.names = "nsenter",
     .syntax =
         {"aC::eFG:hi::m::N:n::p::r::S:T::t:U::u::VW:w::Zc",
          "all cgroup? env follow-context help ipc? join-cgroup keep-caps mount? net? net-socket= no-fork "
          "pid? preserve-credentials root? setgid= setuid= target= time? user? user-parent uts? version wd? wdns="},
     .idle = "h V help version",
     .bare = Bare::shell},
    {.names = "prlimit",
     .syntax = {"c::C::d::e::f::hi::l::m::n::p:q::r::s::t::u::v::Vx::y::o:",
                "as? core? cpu? data? fsize? help locks? memlock? msgqueue? nice? nofile? noheadings nproc? output= "
                "pid= raw rss? rtprio? rttime? sigpending? stack? verbose version"},
     .idle = "p h V pid help version"},
    {.names = "setpriv",
     .syntax =
         {"dhV",
          "ambient-caps= apparmor-profile= bounding-set= clear-groups dump egid= euid= groups= help inh-caps= "
          "init-groups keep-groups landlock-access= landlock-rule= list-caps no-new-privs pdeathsig= ptracer= regid= "
          "reset-env reuid= rgid= ruid= seccomp-filter= securebits= selinux-label= version"},
     .idle = "d h V dump help version list-caps"},
    {.names = "watch",
     .syntax = {"bcCd::eghn:pq:r::tvwx",
                "beep color no-color differences? equexit= errexit chgexit help interval= precise no-rerun no-title "
                "no-wrap exec version"},
     .idle = "h v help version",
     .rest = Rest::joined},
    {.names = "time,gtime",
     .syntax = {"af:o:pqvV", "append format= output= portability quiet verbose help version"},
     .idle = "V help version"},
    {.names = "script",
     .syntax = {"aB:c:E:eFfhI:m:O:o:qT:t::V",
                "append command= echo= flush force help log-in= log-io= log-out= log-timing= logging-format= "
                "output-limit= quiet return timing? version",
                Syntax::permutes},
     .operands = 1,
     .idle = "h V help version",
     .script = "c command",
     .bare = Bare::shell},
    {.names = "ssh-agent", .syntax = {"a:cDdE:kO:P:st:T", ""}, .idle = "k"},
    {.names = "logsave", .syntax = {"asv", ""}, .operands = 1},
    {.names = "run-parts",
     .syntax =
         {"a:hu:vV",
          "arg= debug exit-on-error help list lsbsysinit new-session random regex= report reverse stdin test umask= "
          "verbose version",
          Syntax::permutes},
     .idle = "h V help version list test",
     .rest = Rest::code},
    {.names = "sg", .syntax = {"c:", "", Syntax::permutes}, .operands = 1, .script = "c", .rest = Rest::joined},
    {.names = "newgrp", .operands = 1, .bare = Bare::shell},
    {.names = "msgfilter,msgexec",
     .syntax = {"D:ehi:nNo:pPsFVw:",
                "add-location? color? directory= escape force-po help indent input= keep-header newline no-escape "
                "no-location no-wrap output-file= properties-input properties-output sort-by-file sort-output strict "
                "stringtable-input stringtable-output style= version width="},
     .idle = "h V help version"},
    {.names = "debugfs",
     .syntax = {"b:cd:Df:iR:s:VwZz:", "", Syntax::permutes},
     .idle = "V",
     .code = "f R",
     .rest = Rest::ignored,
     .bare = Bare::code},
    {.names = "choom", .syntax = {"hn:p:V", "adjust= pid= help version"}, .idle = "p h V pid help version"},
    {.names = "numactl",
     .syntax = {"aC:cdfHhiI:l::m:M:N:o:p:P:r::sS:tTuvw:",
                "all balancing cpubind= cpunodebind= hardware help huge interleave= localalloc membind= offset= "
                "physcpubind= preferred= preferred-many= shm= show touch verify weighted-interleave="},
     .idle = "H s h hardware show help"},
    // The shell's own.
    {.names = "command", .syntax = {"pvV", ""}, .idle = "v V"},
    {.names = "builtin,noglob,nocorrect,coproc", .syntax = {"", ""}},
    {.names = "exec", .syntax = {"a:cl", ""}},
    // Other users and places.
    {.names = "sudo",
     .syntax =
         {"Aa:BbC:c:D:Eeg:Hh:iKklNnPp:R:r:SsT:t:U:u:Vv",
          "askpass auth-type= background bell chdir= chroot= close-from= command-timeout= edit group= help host= list "
          "login login-class= no-update non-interactive other-user= preserve-env? preserve-groups prompt= "
          "remove-timestamp reset-timestamp role= set-home shell stdin type= user= validate version"},
     .idle = "K l V v list remove-timestamp validate version help",
     .code = "e edit",
     .assignments = true},
    {.names = "doas", .syntax = {"a:C:Lnsu:", ""}, .idle = "C L"},
    {.names = "pkexec",
     .syntax = {"u:", "disable-internal-agent help keep-cwd user= version"},
     .idle = "help version",
     .bare = Bare::shell},
    {.names = "gosu,su-exec,setuidgid,envuidgid,envdir", .syntax = {}, .operands = 1},
    {.names = "cgexec", .syntax = {"g:b", "sticky"}},
    {.names = "firejail", .syntax = {"c", "", Syntax::any_long}, .idle = "help version list tree", .bare = Bare::shell},
    {.names = "bwrap",
     .syntax = {"",
                "add-seccomp-fd= argv0= as-pid-1 assert-userns-disabled bind-data=2 bind-fd=2 bind-try=2 bind=2 "
                "block-fd= cap-add= "
                "cap-drop= chdir= chmod=2 clearenv dev-bind-try=2 dev-bind=2 dev= die-with-parent dir= disable-userns "
                "exec-label= file-label= file=2 gid= help hostname= info-fd= json-status-fd= lock-file= mqueue= "
                "new-session overlay-src= overlay=3 perms= pidns= proc= remount-ro= ro-bind-data=2 ro-bind-fd=2 "
                "ro-bind-try=2 ro-bind=2 ro-overlay= seccomp= setenv=2 share-net size= symlink=2 sync-fd= tmp-overlay= "
                "tmpfs= "
                "uid= unsetenv= unshare-all unshare-cgroup unshare-cgroup-try unshare-ipc unshare-net unshare-pid "
                "unshare-user unshare-user-try unshare-uts userns-block-fd= userns2= userns= version args=",
                Syntax::no_equals},
     .idle = "help version",
     .code = "args"},
    {.names = "systemd-run",
     .syntax = {"CdE:GH:hM:p:PqrStu:v",
                "background= capsule= collect description= expand-environment= gid= help host= ignore-failure "
                "job-mode= machine= "
                "nice= no-ask-password no-block no-pager on-active= on-boot= on-calendar= on-clock-change on-startup= "
                "on-timezone-change on-unit-active= on-unit-inactive= path-property= pipe property= pty quiet "
                "remain-after-exit same-dir scope send-sighup service-type= setenv= shell slice-inherit slice= "
                "socket-property= system timer-property= uid= unit= user version wait working-directory="},
     .idle = "h help version"},
    {.names = "systemd-inhibit",
     .syntax = {"h", "help list mode= no-legend no-pager version what= who= why="},
     .idle = "h help version list"},
    {.names = "systemd-cat",
     .syntax = {"hp:t:", "help identifier= level-prefix= priority= stderr-priority= version"},
     .idle = "h help version"},
    {.names = "capsh",
     .syntax = {"", "", loose | Syntax::any_long},
     .idle = "print help modes supports",
     .rest = Rest::code,
     .bare = Bare::code},
    {.names = "mosh,autossh", .syntax = {"", "", loose | Syntax::any_long}, .operands = 1},
    {.names = "sshpass", .syntax = {"d:ef:hp:P:vV", ""}, .idle = "h V"},
    // Watching a command, or giving it another world.
    {.names = "strace",
     .syntax = {"a:b:cCdDe:E:fFhiI:kno:O:p:P:qrs:S:tTu:U:vVwxX:yYzZ",
                "absolute-timestamps? abbrev= attach= color? columns= const-print-style= daemonize? debug decode-fds? "
                "decode-pids= detach-on= env= failed-only fault= follow-forks help inject= instruction-pointer "
                "interruptible= kvm= no-abbrev output-append-mode output-separately output= quiet? raw= read= "
                "relative-timestamps? seccomp-bpf signals= signal= stack-trace? stack-traces? status= string-limit= "
                "strings-in-hex? "
                "successful-only summary summary-columns= summary-only summary-sort-by= summary-syscall-overhead= "
                "summary-wall-clock syscall-limit= syscall-number syscall-times? tips? trace-path= trace= user= "
                "verbose= version write="},
     .idle = "h V help version"},
    {.names = "ltrace",
     .syntax = {"a:A:bcCD:e:F:fhiL:l:n:o:p:rs:StTu:Vw:x:X:",
                "align= config= debug= demangle help indent= library= no-signals output= version where="},
     .idle = "h V help version"},
    {.names =
         "valgrind,rr,heaptrack,catchsegv,eatmydata,xvfb-run,dbus-run-session,dbus-launch,tsocks,torsocks,torify,"
         "proxychains,proxychains4,unbuffer,chronic,ifne,bear,scan-build,intercept-build,ccache,sccache,distcc,icecc,"
         "tini,dumb-init,catatonit,primusrun,optirun,gamemoderun,mangohud,vglrun,chpst,"
         "softlimit,lckdo,with-contenv,aa-exec,proot,schroot,fakeroot,fakeroot-sysv,fakeroot-tcp,fakechroot,rlwrap,"
         "cpulimit,"
         "caffeinate",
     .syntax = {"a:B:b:c:C:d:e:f:g:i:L:l:m:n:o:p:s:t:u:w:", "", Syntax::any_long | loose},
     .idle = "version help"},
    {.names = "faketime,datefudge,pseudo", .syntax = {"fmhv", "", Syntax::any_long | loose}, .operands = 1},
    {.names = "dotenv,cross-env,cross-env-shell,env-cmd,envchain,lxc-attach",
     .syntax = {"c:e:f:n:p:v:", "", Syntax::any_long | loose},
     .assignments = true},
    {.names =
         "perf stat,perf record,perf trace,perf mem record,perf c2c record,perf kvm,perf lock record,perf sched record",
     .syntax = {"A:abBC:c:D:de:F:G:gI:ijk:Mm:no:p:r:R:sSt:Tu:vW:x:z",
                "event= output= pid= tid= uid= cpu= repeat= field-separator= interval-print= delay= freq= count= "
                "call-graph= mmap-pages= cgroup= filter= control= duration= expr=",
                loose}},
    {.names = "perf script", .syntax = {}, .rest = Rest::code},
    {.names = "hyperfine",
     .syntax = {"c:C:D:iL:m:M:n:NP:p:r:R:s:S:u:w:",
                "cleanup= command-name= conclude= export-asciidoc= export-csv= export-json= export-markdown= "
                "ignore-failure input= max-runs= min-runs= output= parameter-list=2 parameter-scan=3 prepare= "
                "reference= runs= setup= "
                "shell= show-output style= time-unit= warmup= sort=",
                anywhere},
     .script = "c C p s R cleanup conclude prepare setup reference",
     .code = "S shell",
     .rest = Rest::scripts},
    {.names = "pee,mispipe,concurrently,npm-run-all,run-p,run-s",
     .syntax = {"c:k:l:m:n:p:s:t:", "", anywhere | Syntax::any_long},
     .rest = Rest::scripts},
    {.names = "busybox,toybox",
     .syntax = {"", "install help list list-full", loose},
     .idle = "install help list list-full"},
    // Containers and clusters.
    {.names = "docker exec,docker container exec,podman exec,podman container exec,nerdctl exec,docker compose exec,"
              "docker-compose exec,podman compose exec,podman-compose exec",
     .syntax = {"de:iTtu:w:h", "detach help interactive no-TTY privileged tty latest", Syntax::any_valued},
     .operands = 1},
    {.names = "docker run,docker create,docker container run,docker container create,podman run,podman create,podman "
              "container run,nerdctl run",
     .syntax =
         {"a:c:de:h:il:m:p:Pqtu:v:w:",
          "detach disable-content-trust? help init interactive no-healthcheck oom-kill-disable privileged publish-all "
          "quiet read-only replace rm sig-proxy? tty",
          Syntax::any_valued},
     .operands = 1,
     .script = "entrypoint"},
    {.names = "docker compose run,docker-compose run,podman compose run,podman-compose run",
     .syntax =
         {"de:iTl:p:Pu:v:w:q",
          "build detach help interactive no-deps no-TTY publish-all quiet quiet-pull remove-orphans rm service-ports "
          "use-aliases",
          Syntax::any_valued},
     .operands = 1},
    {.names = "kubectl exec,oc exec,k3s kubectl exec",
     .syntax = {"c:f:iqtn:", "stdin tty quiet", Syntax::any_valued},
     .operands = 1,
     .behind_dashes = true},
    {.names = "lxc exec,incus exec,lxc-execute,flatpak run,distrobox enter,toolbox run",
     .syntax = {"e:n:c:tT", "", loose | Syntax::any_long},
     .operands = 1,
     .behind_dashes = true},
    {.names = "adb shell", .rest = Rest::joined},
    {.names = "vagrant ssh",
     .syntax = {"c:p", "command= plain", anywhere},
     .script = "c command",
     .rest = Rest::ignored},
    {.names = "oc rsh", .syntax = {"c:n:t", "", loose}, .operands = 1, .bare = Bare::shell},
    // Package managers: what runs comes from elsewhere, or from the project.
    {.names = "npx,bunx,pnpx,uvx,pipx run,npm exec,npm x,npm init,npm create,pnpm dlx,pnpm create,yarn dlx,yarn create,"
              "bun x,bun create,uv tool run,nix run,nix shell,nix develop,yarn exec,pnpm exec,nix-shell",
     .syntax = {"c:p:w:I:A:", "call= package= workspace= from= with= python= run= command= shell-mode", loose},
     .idle = "version help",
     .script = "c call run",
     .rest = Rest::code,
     .bare = Bare::code},
    {.names = "uv run,poetry run,pipenv run,pdm run,hatch run,rye run,bundle exec,conda run,mamba run,micromamba run,"
              "mise exec,mise x,asdf exec,rbenv exec,pyenv exec,nodenv exec,doppler run,op run",
     .syntax = {"C:c:e:m:n:p:P:",
                "with= python= project= directory= package= extra= group= env-file= name= prefix= "
                "command= module config= env=",
                loose},
     .script = "command",
     .behind_dashes = true},
    {.names = "chamber exec,aws-vault exec,direnv exec,rustup run",
     .syntax = {"d:n:", "", loose | Syntax::any_long},
     .operands = 1,
     .behind_dashes = true},
    {.names = "sops exec-env,sops exec-file", .syntax = {}, .operands = 1, .rest = Rest::joined},
    {.names = "cargo watch,cargo-watch",
     .syntax = {"cqx:s:w:i:d:B:C:E:", "exec= shell= watch= ignore= delay=", loose},
     .script = "s shell"},
    // git's ways to run what it is told.
    {.names = "git submodule foreach", .syntax = {"q", "recursive quiet", loose}, .rest = Rest::joined},
    {.names = "git bisect run", .syntax = {}},
    {.names = "git rebase",
     .syntax = {"C:s:S::x:X:", "exec= onto= strategy= strategy-option= whitespace= empty= gpg-sign?", anywhere},
     .script = "x exec",
     .rest = Rest::ignored},
    {.names = "git filter-branch",
     .syntax =
         {"fd:",
          "commit-filter= env-filter= index-filter= msg-filter= parent-filter= setup= tag-name-filter= tree-filter= "
          "original= subdirectory-filter= state-branch= prune-empty force",
          anywhere},
     .script = "commit-filter env-filter index-filter msg-filter parent-filter setup tag-name-filter tree-filter",
     .rest = Rest::ignored},
    {.names = "git difftool",
     .syntax = {"dgt:x:y", "extcmd= tool=", anywhere},
     .script = "x extcmd",
     .rest = Rest::ignored},
    {.names = "git grep",
     .syntax = {"O::A:B:C:e:f:m:", "open-files-in-pager?", anywhere},
     .script = "O open-files-in-pager",
     .rest = Rest::ignored},
    {.names = "git clone,git fetch,git pull,git push,git ls-remote,git fetch-pack,git send-pack,git archive",
     .syntax = {"b:c:j:o:u:",
                "upload-pack= receive-pack= exec= depth= branch= origin= config= reference= template= "
                "output= format= prefix= remote= server-option= push-option= filter= shallow-since= shallow-exclude= "
                "recurse-submodules? force force-with-lease? jobs= refmap= negotiation-tip= set-upstream",
                anywhere},
     .script = "upload-pack receive-pack exec",
     .rest = Rest::ignored},
    {.names = "git send-email",
     .syntax = {"", "sendmail-cmd= to-cmd= cc-cmd= header-cmd= to= cc= from= subject=", anywhere},
     .script = "sendmail-cmd to-cmd cc-cmd header-cmd",
     .rest = Rest::ignored},
};

using Index = std::unordered_map<std::string_view, const Prefix*>;

const Index& index() {
  static const Index made = [] {
    Index index;
    for (const Prefix& prefix : prefixes) {
      std::string_view rest = prefix.names;
      while (!rest.empty()) {
        const std::string_view name = rest.substr(0, rest.find(','));
        index.emplace(name, &prefix);
        rest.remove_prefix(std::min(rest.size(), name.size() + 1));
      }
    }
    return index;
  }();
  return made;
}

}  // namespace

const Prefix* find_prefix(std::string_view name) {
  const auto found = index().find(name);
  return found == index().end() ? nullptr : found->second;
}

bool has_prefix_subcommands(std::string_view program) {
  static const std::unordered_set<std::string_view> programs = [] {
    std::unordered_set<std::string_view> made;
    for (const auto& [name, prefix] : index()) {
      if (name.find(' ') != std::string_view::npos) made.insert(name.substr(0, name.find(' ')));
    }
    return made;
  }();
  return programs.contains(program);
}

}  // namespace wtool::policy
