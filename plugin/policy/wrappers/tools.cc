#include "policy/wrappers/tools.h"

#include <algorithm>
#include <unordered_map>

namespace wtool::policy {

namespace {

constexpr unsigned loose = Syntax::lenient;
constexpr unsigned anywhere = Syntax::lenient | Syntax::permutes;

constexpr Tool tools[] = {
    {"git",
     {"C:c:hpPv",
      "exec-path? git-dir= work-tree= namespace= super-prefix= config-env= list-cmds= attr-source= html-path man-path "
      "info-path paginate no-pager no-replace-objects no-lazy-fetch no-optional-locks no-advice bare literal-pathspecs "
      "glob-pathspecs noglob-pathspecs icase-pathspecs version help",
      loose},
     true,
     ""},
    {"git submodule", {"q", "quiet cached", loose}, true, ""},
    {"git bisect,git stash,git remote,git worktree,git config,git notes,git reflog", {"v", "verbose", loose}, true, ""},
    {"git push",
     {"4fnqvudo:",
      "all branches atomic delete dry-run exec= follow-tags force force-if-includes force-with-lease? ipv4 "
      "ipv6 mirror no-verify porcelain progress prune push-option= quiet receive-pack= recurse-submodules= repo= "
      "set-upstream signed? tags thin verbose verify",
      anywhere},
     false,
     "f=force n=dry-run d=delete u=set-upstream q=quiet v=verbose"},
    {"git branch",
     {"", "", anywhere},
     false,
     "D=delete+force M=move+force C=copy+force d=delete m=move c=copy f=force"},
    {"git tag", {"", "", anywhere}, false, "d=delete f=force s=sign a=annotate"},
    {"git clean", {"dfinqxXe:", "dry-run exclude= force interactive quiet", anywhere}, false, "f=force n=dry-run"},
    {"git checkout,git switch", {"", "", anywhere}, false, "f=force f=discard-changes C=force-create B=force-create"},
    {"git commit", {"", "", anywhere}, false, "n=no-verify a=all m=message"},
    {"docker,podman,nerdctl",
     {"c:DH:hl:v",
      "config= connection= context= host= identity= log-level= namespace= root= runroot= storage-driver= tls "
      "tlscacert= "
      "tlscert= tlskey= tlsverify debug remote version help",
      loose},
     true,
     ""},
    {"docker container,docker image,docker volume,docker system,docker network,podman container,podman image",
     {"h", "help", loose},
     true,
     ""},
    {"docker compose,docker-compose,podman compose,podman-compose",
     {"f:p:hvD",
      "ansi= all-resources compatibility dry-run env-file= file= help parallel= profile= progress= project-directory= "
      "project-name= verbose version",
      loose},
     true,
     ""},
    {"kubectl,oc,k3s kubectl",
     {"n:s:v:h",
      "as= as-group= as-uid= cache-dir= certificate-authority= client-certificate= client-key= cluster= context= "
      "disable-compression? help insecure-skip-tls-verify? kubeconfig= log-flush-frequency= match-server-version? "
      "namespace= password= profile= profile-output= request-timeout= server= tls-server-name= token= user= username= "
      "v= vmodule= warnings-as-errors?",
      loose},
     true,
     ""},
    {"npm,pnpm,yarn,bun",
     {"C:w:dgshvy",
      "cache= cwd= dir= filter= global help loglevel= prefix= registry= silent userconfig= version workspace= "
      "workspaces yes",
      loose},
     true,
     "g=global f=force y=yes w=workspace"},
    {"cargo,rustup",
     {"C:Z:hqvV", "color= config= explain= frozen help list locked manifest-path= offline quiet verbose version",
      loose | Syntax::plus},
     true,
     ""},
    {"go", {"C:", "C=", loose | Syntax::single_dash}, true, ""},
    {"systemctl",
     {"t:p:H:M:n:o:s:P:alqrihfT",
      "check-inhibitors= host= image= image-policy= job-mode= kill-value= kill-who= kill-whom= lines= machine= output= "
      "preset-mode= property= root= signal= state= timestamp= type= what= when= all force full global help "
      "no-ask-password "
      "no-block no-legend no-pager no-reload no-wall now quiet recursive runtime show-types system user value version "
      "wait",
      anywhere},
     true,
     "f=force"},
    {"apt,apt-get,aptitude,apt-cache,apt-mark",
     {"a:c:o:t:P:qydsmfuVbh",
      "assume-no assume-yes build-profiles= config-file= default-release= dry-run host-architecture= option= purge "
      "quiet simulate target-release= yes",
      anywhere},
     true,
     "y=yes y=assume-yes"},
    {"dnf,yum,zypper",
     {"c:d:e:R:x:yqvhC",
      "config= enablerepo= disablerepo= exclude= installroot= quiet releasever= repo= root= assumeyes", anywhere},
     true,
     "y=assumeyes y=no-confirm"},
    {"aws",
     {"",
      "ca-bundle= cli-binary-format= cli-connect-timeout= cli-read-timeout= color= debug endpoint-url= no-cli-pager "
      "no-paginate no-sign-request no-verify-ssl output= profile= query= region= version",
      anywhere},
     true,
     ""},
    {"gcloud",
     {"hq", "account= billing-project= configuration= flags-file= format= project= verbosity= quiet", anywhere},
     true,
     "q=quiet"},
    {"gh,glab", {"R:", "repo= help version", loose}, true, ""},
    {"helm",
     {"n:", "debug kube-apiserver= kube-as-user= kube-context= kube-token= kubeconfig= namespace=", anywhere},
     true,
     ""},
    {"terraform,tofu", {"", "chdir= help version", loose | Syntax::single_dash}, true, ""},
    {"hg", {"R:qvy", "config= cwd= encoding= pager= repository= quiet verbose", loose}, true, ""},
    {"make,gmake",
     {"bmC:deEf:hiI:kno:pqrRsStvwW:",
      "directory= file= makefile= include-dir= old-file= assume-old= what-if= "
      "new-file= assume-new= eval= always-make silent quiet",
      anywhere},
     true,
     ""},
    {"pip,pip3",
     {"hqvV", "cache-dir= cert= client-cert= log= proxy= python= retries= timeout= trusted-host=", loose},
     true,
     "y=yes"},
    {"ip", {"46dhosrcBbNn:ajt", "", loose | Syntax::single_dash}, true, ""},
    {"uv", {"nqvhV", "cache-dir= color= config-file= directory= project= python= python-preference=", loose}, true, ""},
    {"poetry", {"nqvhVC:P:", "directory= project=", loose}, true, ""},
    {"pipenv,pdm,hatch,rye,bundle,conda,mamba,micromamba,nix,direnv,mise,asdf,rbenv,pyenv,nodenv,doppler,op,aws-vault,"
     "sops,chamber,lxc,incus,perf,cmake,flatpak,distrobox,toolbox,vagrant,heroku,fly,adb,gitlab-runner,mix,rails,"
     "composer,"
     "pipx,nerdctl compose,k3s,perf mem,perf c2c,perf lock,perf sched,uv tool",
     {"", "", loose},
     true,
     ""},
    {"rm",
     {"dfiIrRv",
      "dir force interactive? one-file-system no-preserve-root preserve-root? recursive verbose help version",
      Syntax::permutes | loose},
     false,
     "r=R f=force r=recursive R=recursive d=dir v=verbose"},
    {"cp",
     {"abdfiHlLnPprRst:S:TuvxZ",
      "archive attributes-only backup? copy-contents force interactive link dereference no-clobber no-dereference "
      "preserve? no-preserve= parents recursive reflink? remove-destination sparse= strip-trailing-slashes "
      "symbolic-link suffix= target-directory= no-target-directory update? verbose one-file-system context? debug",
      anywhere},
     false,
     "r=R f=force r=recursive R=recursive a=archive t=target-directory"},
    {"mv",
     {"bfinS:t:TuvZ",
      "backup? debug force interactive no-clobber strip-trailing-slashes suffix= "
      "target-directory= no-target-directory update? verbose context",
      anywhere},
     false,
     "f=force n=no-clobber"},
    {"ln",
     {"bdFfiLnPrsS:t:Tv",
      "backup? directory force interactive logical no-dereference physical relative symbolic "
      "suffix= target-directory= no-target-directory verbose",
      anywhere},
     false,
     "f=force s=symbolic"},
    {"chmod,chown,chgrp",
     {"cfvRhHLP",
      "changes quiet silent verbose dereference no-dereference from= preserve-root "
      "no-preserve-root reference= recursive",
      anywhere},
     false,
     "R=recursive"},
    {"kill", {"s:lLn:", "signal= list table", anywhere}, false, ""},
    {"curl",
     {"A:b:c:C:d:D:e:E:F:h:H:K:m:o:P:Q:r:t:T:u:U:w:x:X:Y:y:z:",
      "data= data-binary= data-raw= form= header= output= request= upload-file= url= user= user-agent= config=",
      anywhere},
     false,
     "o=output X=request d=data T=upload-file K=config k=insecure F=form u=user L=location"},
    {"wget",
     {"o:a:i:t:O:T:w:Q:P:U:l:A:R:D:I:X:e:B:", "output-document= directory-prefix= execute= post-data= post-file=",
      anywhere},
     false,
     "O=output-document e=execute P=directory-prefix"},
    {"find,java,javac,openssl,gcc,g++,clang,qemu,ffmpeg,convert,terraform-ls,xrandr",
     {"", "", Syntax::single_dash | anywhere},
     false,
     ""},
};

using Index = std::unordered_map<std::string_view, const Tool*>;

Index make_index() {
  Index index;
  for (const Tool& tool : tools) {
    std::string_view rest = tool.names;
    while (!rest.empty()) {
      const std::string_view name = rest.substr(0, rest.find(','));
      index.emplace(name, &tool);
      rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    }
  }
  return index;
}

}  // namespace

const Tool* find_tool(std::string_view name) {
  static const Index index = make_index();
  const auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}

Subcommand find_subcommand(std::string_view tool, const std::vector<Word>& words, bool (*is_wanted)(std::string_view)) {
  Subcommand result{std::string(tool), 1, nullptr};
  for (const Tool* known = find_tool(tool); known != nullptr && known->has_subcommands && !is_wanted(result.name);
       known = find_tool(result.name)) {
    Syntax syntax = known->syntax;
    syntax.manner &= ~static_cast<unsigned>(Syntax::permutes);
    const Reading reading = read_options(words, result.next, syntax);
    if (reading.operands.empty()) break;
    const Word& word = words[reading.operands.front()];
    if (!word.literal) {
      result.obstacle = &word;
      break;
    }
    result.name += ' ' + word.text;
    result.next = reading.operands.front() + 1;
  }
  return result;
}

}  // namespace wtool::policy
