// Containers and clusters: commands that show their state from outside.
#include "policy/programs/reader.h"

namespace wtool::policy::programs {

namespace {

// Other formats of kubectl read a file: -o jsonpath-file=FILE.
std::optional<Problem> check_kubectl(const ParsedCommand& reading) {
  for (const Given& given : reading.given) {
    if (given.option == nullptr || !is_listed("-o --output", given.option->name)) continue;
    const std::string_view value = given.value.value_or("");
    const std::string_view format = value.substr(0, value.find('='));
    if (is_listed("json yaml name wide jsonpath jsonpath-as-json go-template template custom-columns", format))
      continue;
    return Problem{given.value_word,
                   given.option->name + " of " + reading.name + " reads a file, or is not known to be safe",
                   "write the template in the line"};
  }
  return std::nullopt;
}

// docker compose gets a file that an address names with git, or from a registry: https://..., oci://..., git@HOST:...,
// github.com/...
std::optional<Problem> check_compose(const ParsedCommand& reading) {
  for (const Given& given : reading.given) {
    if (given.option == nullptr || !given.value || !is_listed("-f --file", given.option->name)) continue;
    if (given.value->find(':') == std::string_view::npos && !given.value->starts_with("github.com/")) continue;
    return Problem{given.value_word, reading.name + " gets " + std::string(*given.value) + " from another machine",
                   "name a file of this machine"};
  }
  return std::nullopt;
}

constexpr ProgramSpec container_specs[] = {
    {.names = "docker, podman, nerdctl",
     .options = "-v -D --debug -l=LEVEL --log-level=LEVEL",
     .effects = "opens_network (connects to another host): -H=HOST --host=HOST -c=NAME --context=NAME; other (reads "
                "another configuration): --config=DIR",
     .operands = Operands::choose,
     .style = Style::exact,
     .unproven =
         "-h --connection=VALUE --identity=VALUE --namespace=VALUE --root=VALUE --runroot=VALUE --storage-driver=VALUE "
         "--tls --tlscacert=VALUE --tlscert=VALUE --tlskey=VALUE --tlsverify --remote --version --help",
     .manner = lenient,
     .subcommands = true,
     .values_known = true,
     .variables = "DOCKER DOCKER_* BUILDKIT_* BUILDX_* COMPOSE_* CONTAINER_* CONTAINERS_* CONTAINERD_* PODMAN_*",
     .harmless_variables = "DOCKER_CLI_HINTS DOCKER_BUILDKIT"},
    {.names =
         "docker ps, docker images, docker inspect, docker version, docker info, docker stats, docker top, "
         "docker port, docker history, docker diff, docker search, docker events, podman ps, podman images, podman "
         "inspect, podman version, podman info, podman stats, podman top, podman port, podman history, "
         "podman diff, podman search, nerdctl ps, nerdctl images, nerdctl inspect, nerdctl version, "
         "nerdctl info",
     .options =
         "-a --all -q --quiet -f=FILTER --filter=FILTER --format=FORMAT --no-trunc -n=NUM --last=NUM -l --latest -s "
         "--size "
         "--digests --tree --type=TYPE --details --since=TIME --until=TIME -t --timestamps --tail=NUM --no-stream -H "
         "--human --limit=NUM",
     .style = Style::exact},
    {.names = "docker logs, podman logs, nerdctl logs, docker container logs, docker compose logs, docker-compose "
              "logs, docker "
              "service logs",
     .options =
         "-f --follow --details --since=TIME --until=TIME -n=NUM --tail=NUM -t --timestamps --no-color --no-log-prefix",
     .style = Style::exact,
     .check = check_compose},
    {.names = "docker context, docker service, docker node, docker stack, docker plugin, docker buildx, docker "
              "manifest, docker config, docker secret",
     .operands = Operands::choose,
     .style = Style::exact},
    {.names = "docker container, docker image, docker volume, docker network, docker system",
     .operands = Operands::choose,
     .style = Style::exact,
     .unproven = "-h --help",
     .manner = lenient,
     .subcommands = true,
     .values_known = true},
    {.names =
         "docker container ls, docker container list, docker container ps, docker container inspect, docker container "
         "stats, docker container top, docker container port, docker container diff, docker image ls, docker image "
         "list, docker image inspect, docker image history, docker volume ls, docker volume list, docker volume "
         "inspect, docker network ls, docker network list, docker network inspect, docker system df, docker system "
         "info, docker context ls, docker context show, docker context inspect, docker service ls, docker service ps, "
         "docker service inspect, docker node ls, docker node ps, docker node inspect, docker stack ls, docker stack "
         "ps, docker stack services, docker plugin ls, docker plugin inspect, docker buildx ls, docker buildx version, "
         "docker buildx du, docker config ls, docker config inspect, docker secret ls, docker secret inspect",
     .options = "-v --verbose",
     .with = "docker ps",
     .style = Style::exact},
    {.names = "docker compose, docker-compose",
     .options = "-f=FILE --file=FILE -p=NAME --project-name=NAME --profile=NAME --ansi=WHEN",
     .effects =
         "other (names another folder): --project-directory=DIR; other (reads another environment): --env-file=FILE",
     .operands = Operands::choose,
     .style = Style::exact,
     .unproven = "-h -v -D --all-resources --compatibility --dry-run --help --parallel=VALUE --progress=VALUE "
                 "--verbose --version",
     .manner = lenient,
     .subcommands = true,
     .values_known = true},
    {.names = "docker compose ps, docker compose ls, docker compose images, docker compose top, docker compose "
              "version, docker compose port, docker compose events, docker-compose ps, docker-compose images, "
              "docker-compose top, docker-compose version, docker-compose port",
     .options = "--services --status=STATUS --no-color --no-log-prefix --follow --short --orphans",
     .with = "docker ps",
     .style = Style::exact,
     .check = check_compose},
    {.names = "docker compose config, docker-compose config",
     .options = "--services --volumes --images --profiles --hash=NAME --format=FORMAT -q --quiet --no-interpolate "
                "--no-normalize --resolve-image-digests",
     .effects = "writes: -o=FILE --output=FILE --lock-image-digests",
     .style = Style::exact,
     .check = check_compose},
    {.names = "kubectl, oc",
     .options =
         "-n=NAME --namespace=NAME --context=NAME --cluster=NAME --user=NAME --request-timeout=TIME -v=LEVEL --v=LEVEL "
         "-A --all-namespaces -o=OUTPUT --output=OUTPUT -l=SELECTOR --selector=SELECTOR --field-selector=SELECTOR "
         "-w --watch --watch-only --no-headers --show-labels --show-kind --sort-by=EXPRESSION -L=LABELS "
         "--label-columns=LABELS "
         "--ignore-not-found --chunk-size=NUM -R --recursive --show-managed-fields --server-print --subresource=NAME",
     .effects =
         "other (reads another configuration, which can name programs): --kubeconfig=FILE; opens_network (connects to "
         "another host): -s=HOST --server=HOST --token=TOKEN --as=USER --as-group=GROUP --certificate-authority=FILE "
         "--client-key=FILE --client-certificate=FILE --insecure-skip-tls-verify --tls-server-name=NAME "
         "--username=NAME --password=TEXT; writes: --cache-dir=DIR --profile-output=FILE --profile=NAME --raw=ADDRESS; "
         "other (reads its input from a file): -f=FILE --filename=FILE -k=DIR --kustomize=DIR --template=TEXT",
     .operands = Operands::choose,
     .style = Style::exact,
     .unproven = "-h --as-uid=VALUE --disable-compression[=VALUE] --help --log-flush-frequency=VALUE "
                 "--match-server-version[=VALUE] --vmodule=VALUE --warnings-as-errors[=VALUE]",
     .manner = lenient,
     .subcommands = true,
     .values_known = true,
     .variables = "KUBE*"},
    {.names = "kubectl get, kubectl describe, kubectl version, kubectl api-resources, kubectl api-versions, kubectl "
              "explain, kubectl "
              "events, oc get, oc describe, oc version, oc status, oc whoami",
     .options =
         "--show-events --client --short --namespaced --verbs=VERBS --api-group=NAME --cached --for=WHAT --types=TYPES",
     .with = "kubectl",
     .style = Style::exact,
     .check = check_kubectl},
    {.names = "kubectl logs, oc logs",
     .options =
         "-f --follow -p --previous -c=NAME --container=NAME --all-containers --all-pods --tail=NUM --since=TIME "
         "--since-time=TIME --timestamps --limit-bytes=NUM --prefix --max-log-requests=NUM",
     .with = "kubectl",
     .style = Style::exact,
     .check = check_kubectl},
    {.names = "kubectl top, kubectl config, kubectl auth, kubectl rollout",
     .with = "kubectl",
     .operands = Operands::choose,
     .style = Style::exact,
     .check = check_kubectl},
    {.names = "kubectl cluster-info",
     .with = "kubectl",
     .operands = Operands::none,
     .style = Style::exact,
     .check = check_kubectl},
    {.names =
         "kubectl top pod, kubectl top pods, kubectl top node, kubectl top nodes, kubectl config "
         "current-context, kubectl config get-contexts, kubectl config get-clusters, kubectl auth can-i, kubectl auth "
         "whoami, kubectl rollout status, kubectl rollout history",
     .options = "--containers --minify --list --revision=NUM --timeout=TIME",
     .with = "kubectl",
     .style = Style::exact,
     .check = check_kubectl},
    {.names = "kubectl config view",
     .options = "--minify",
     .effects = "other (shows the keys and tokens of the configuration): --raw --flatten",
     .with = "kubectl",
     .style = Style::exact,
     .check = check_kubectl},
    {.names = "helm",
     .options =
         "-n=NAME --namespace=NAME --kube-context=NAME --debug -A --all-namespaces -a --all -o=FORMAT --output=FORMAT "
         "--max=NUM -q --short --revision=NUM -r --reverse -d --date",
     .effects = "other (reads another configuration, which can name programs): --kubeconfig=FILE; runs_program: "
                "--post-renderer=PROGRAM",
     .operands = Operands::choose,
     .style = Style::exact,
     .unproven = "--kube-apiserver=VALUE --kube-as-user=VALUE --kube-token=VALUE",
     .manner = lenient | permutes,
     .subcommands = true,
     .values_known = true,
     .variables = "HELM_*"},
    {.names = "helm list, helm ls, helm status, helm history, helm version, helm env, helm search",
     .with = "helm",
     .style = Style::exact},
    {.names = "helm get", .with = "helm", .style = Style::exact},
    {.names = "terraform, tofu",
     .options = "-v -version -help",
     .operands = Operands::choose,
     .style = Style::go,
     // Otherwise, even `terraform version` asks for a newer version, and writes what it was told into the home folder.
     .launched = "env CHECKPOINT_DISABLE=1",
     .unproven = "-chdir=VALUE",
     .manner = lenient | single_dash,
     .subcommands = true,
     .values_known = true,
     .variables = "TF_*",
     .harmless_variables = "TF_LOG TF_IN_AUTOMATION TF_INPUT"},
    // Most other subcommands start the folder's providers, which are programs. For `output`, the backend of the folder can
    // name a program that provides credentials.
    {.names = "terraform version, tofu version", .options = "-json -no-color", .style = Style::go},
    {.names = "gh",
     .options = "",
     .operands = Operands::choose,
     .style = Style::exact,
     .unproven = "-R=VALUE --repo=VALUE --help --version",
     .manner = lenient,
     .subcommands = true,
     .values_known = true,
     .variables = "GH_* GITHUB_*",
     .harmless_variables = "GH_TOKEN GITHUB_TOKEN"},
    {.names = "gh pr, gh issue, gh repo, gh run, gh release, gh workflow, gh auth, gh search, gh label",
     .operands = Operands::choose,
     .style = Style::exact},
    {.names = "gh pr list, gh pr view, gh pr diff, gh pr status, gh pr checks, gh issue list, gh issue view, gh issue "
              "status, gh "
              "repo view, gh repo list, gh run view, gh release list, gh release view, gh workflow list, "
              "gh workflow "
              "view, gh search code, gh search issues, gh search prs, gh search repos, gh search "
              "commits, gh label list",
     .options =
         "-R=REPO --repo=REPO -L=NUM --limit=NUM -s=STATE --state=STATE -a=NAME --assignee=NAME -A=NAME --author=NAME "
         "-l=NAME --label=NAME -S=QUERY --search=QUERY -B=NAME --base=NAME -H=NAME --head=NAME --json=FIELDS -q=FILTER "
         "--jq=FILTER -t=TEMPLATE --template=TEMPLATE -c --comments --patch --name-only --color=WHEN --log "
         "--log-failed -v --verbose --job=ID --required -d --draft",
     .effects = "interactive (opens a browser): -w --web",
     .style = Style::exact},
    {.names = "gh run list",
     .options =
         "-R=REPO --repo=REPO -L=NUM --limit=NUM -w=NAME --workflow=NAME -b=NAME --branch=NAME -e=NAME --event=NAME "
         "-u=NAME --user=NAME -c=SHA --commit=SHA -s=STATUS --status=STATUS --created=DATE -a --all --json=FIELDS "
         "-q=FILTER --jq=FILTER -t=TEMPLATE --template=TEMPLATE",
     .style = Style::exact},
    {.names = "gh auth status",
     .options = "-a --active -h=NAME --hostname=NAME --json=FIELDS -q=FILTER --jq=FILTER",
     .effects = "other (shows a secret): -t --show-token",
     .style = Style::exact},
};

}  // namespace

std::span<const ProgramSpec> container_programs() { return container_specs; }

}  // namespace wtool::policy::programs
