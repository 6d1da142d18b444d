// Package managers and build tools: how they list and describe packages, not how they install or build.
#include <algorithm>

#include "policy/programs/reader.h"

namespace wtool::policy::programs {

namespace {

// The formatters of rpm that only change how a value looks. The formatter `expand` expands the macros in the value, so
// that a package can run a command.
constexpr std::string_view rpm_formatters =
    "armor arraysize base64 date day depflags deptype fflags fstatus hex humaniec humansi json octal perms permissions "
    "pgpsig shescape string tagname tagnum triggertype vflags xml";

// rpm expands macros in names: %(COMMAND) runs the command. It gets a package that an address names with curl.
std::optional<Problem> check_rpm(const ParsedCommand& reading) {
  for (const Given& given : reading.given) {
    if (given.option == nullptr || !is_listed("--queryformat --qf", given.option->name)) continue;
    const std::string_view format = given.value.value_or("");
    for (std::size_t at = format.find(':'); at != format.npos; at = format.find(':', at + 1)) {
      std::string_view name = format.substr(at + 1);
      name = name.substr(0, name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"));
      if (name.empty() || is_listed(rpm_formatters, name)) continue;
      return Problem{given.value_word, "the formatter " + std::string(name) + " of rpm may run a program", {}};
    }
  }
  for (const std::size_t operand : reading.operands) {
    const std::string_view name = reading.words[operand];
    if (name.find('%') != name.npos) return Problem{operand, "a macro in a name may run a program", {}};
    if (name.find("://") == name.npos) continue;
    return Problem{operand, "rpm gets " + std::string(name) + " with another program", "name a package, or a file"};
  }
  return std::nullopt;
}

// brew reads a formula in a file by running it.
std::optional<Problem> check_brew(const ParsedCommand& reading) {
  for (const std::size_t operand : reading.operands) {
    if (!reading.words[operand].ends_with(".rb")) continue;
    return Problem{operand, "the formula in " + std::string(reading.words[operand]) + " is code that brew runs",
                   "name the formula"};
  }
  return std::nullopt;
}

// Whether npm takes the text for a package of the registry, such as react, @scope/name or react@18. Other texts name a
// folder, a file, or a repository, which npm gets with git.
bool is_registry_name(std::string_view text) {
  if (text.starts_with('@')) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return false;
    text.remove_prefix(slash + 1);
  }
  return !text.empty() && !text.starts_with('.') && !text.starts_with('~') &&
         text.find_first_of(":/\\") == std::string_view::npos && !text.ends_with(".tgz") && !text.ends_with(".tar") &&
         !text.ends_with(".gz");
}

// npm takes `true` and `false`, and other words after some options, as the values of options that are read here without
// one. The operand after them is then the package, so each operand is judged as if it were the package.
std::optional<Problem> check_npm_view(const ParsedCommand& reading) {
  if (reading.is_alone()) return std::nullopt;
  const auto wrong = std::find_if(reading.operands.begin(), reading.operands.end(), [&](std::size_t operand) {
    return is_listed("true false", reading.words[operand]) || !is_registry_name(reading.words[operand]);
  });
  if (!reading.operands.empty() && wrong == reading.operands.end()) return std::nullopt;
  // Without an operand, npm takes the name in package.json.
  return Problem{reading.operands.empty() ? reading.begin : *wrong,
                 reading.name + " gets what is not in the registry with git", "name a package"};
}

// The options that wtool adds come after the subcommand, and so must count as options there.
std::optional<Problem> check_npm_dashes(const ParsedCommand& reading) {
  const auto dashes = std::find(reading.words.begin(), reading.words.end(), "--");
  if (dashes == reading.words.end()) return std::nullopt;
  return Problem{static_cast<std::size_t>(dashes - reading.words.begin()), "after --, npm takes no options",
                 "leave -- out"};
}

// With a version, go asks other machines, and keeps the answer in its module cache.
std::optional<Problem> check_go_list(const ParsedCommand& reading) {
  for (const std::size_t operand : reading.operands) {
    if (reading.words[operand].find('@') == std::string_view::npos) continue;
    return Problem{operand, "go asks another machine for " + std::string(reading.words[operand]),
                   "name the module without a version"};
  }
  return std::nullopt;
}

constexpr ProgramSpec package_specs[] = {
    // npm writes a log of each command, into the folder that logs-dir of the project's .npmrc names, and notes when it last
    // looked for a new version of itself.
    {.names = "npm",
     .options =
         "-v -l --long --json --depth=NUM -a --all -g --global --prod --production --dev --omit=TYPE --include=TYPE "
         "--loglevel=LEVEL -s --silent -q --quiet --no-color --color[=WHEN] --parseable -p -w=NAME "
         "--workspace=NAME --workspaces --no-fund --audit-level=LEVEL --offline --package-lock-only --link "
         "--no-progress",
     .effects =
         "other (works on another folder): -C=DIR --prefix=DIR; other (reads another configuration): --userconfig=FILE "
         "--globalconfig=FILE --registry=ADDRESS; runs_program: --script-shell=PROGRAM --shell=FILE "
         "--viewer=PROGRAM "
         "--editor=PROGRAM --init-module=FILE --node-gyp=FILE --python=PROGRAM --git=PROGRAM --browser[=PROGRAM] "
         "--node-options=OPTIONS; writes (writes a cache): "
         "--cache=DIR",
     .operands = Operands::choose,
     .style = Style::exact,
     .hardened = "--logs-max=0 --no-update-notifier",
     .dashes_are_options = true,
     .unproven = "-d -h -y --cwd=VALUE --dir=VALUE --filter=VALUE --help --version --yes",
     .manner = lenient,
     .subcommands = true,
     .values_known = true,
     .synonyms = "g=global f=force y=yes w=workspace",
     .variables = "NPM NPM_* npm_*"},
    {.names = "npm ls, npm list, npm la, npm ll, npm why, npm explain, npm "
              "root, "
              "npm prefix, npm bin, npm ping, npm search, npm whoami",
     .with = "npm",
     .style = Style::exact},
    {.names = "npm view, npm info, npm show, npm v", .with = "npm", .style = Style::exact, .check = check_npm_view},
    {.names = "npm version",
     .with = "npm",
     .operands = Operands::none,
     .beyond = "an operand of npm version changes the version",
     .style = Style::exact},
    // npm gets what it is told of a package whose name is an address of git with the program that .npmrc of the project
    // names as git. Such names come from package.json, from folders in node_modules and from the registry, which .npmrc
    // names, too.
    {.names = "npm query, npm outdated",
     .with = "npm",
     .style = Style::exact,
     .check = check_npm_dashes,
     .hardened = "--git=/bin/false"},
    // With package-lock=false in .npmrc, npm also asks the repositories in package.json.
    {.names = "npm audit",
     .with = "npm",
     .operands = Operands::none,
     .beyond = "npm audit fix changes what is installed",
     .style = Style::exact,
     .check = check_npm_dashes,
     .hardened = "--package-lock=true --git=/bin/false"},
    {.names = "npm config, npm pkg, npm cache, npm dist-tag",
     .with = "npm",
     .operands = Operands::choose,
     .style = Style::exact},
    {.names = "npm config get, npm config list, npm config ls, npm pkg get, npm cache ls, npm dist-tag ls",
     .with = "npm",
     .style = Style::exact},
    // yarn first runs the program that yarnPath of .yarnrc or .yarnrc.yml names, even for its version.
    {.names = "yarn",
     .effects = "other (works on another folder): --cwd=DIR --prefix=DIR --modules-folder=DIR; runs_program: "
                "--script-shell=PROGRAM --shell=FILE --use-yarnrc=FILE",
     .does = Effect::runs_code,
     .never = "runs the program that the project's .yarnrc names",
     .alone = "",
     .style = Style::exact,
     .unproven = "-d -h -y -s -v --cache=VALUE --cache-folder=VALUE --filter=VALUE --help --json --loglevel=VALUE "
                 "--registry=VALUE --silent --userconfig=VALUE --verbose --version",
     .manner = lenient,
     .subcommands = true,
     .values_known = true,
     .synonyms = "g=global f=force y=yes w=workspace",
     .variables = "YARN_*"},
    // pnpm first runs the version of itself that packageManager of package.json names, from the registry that the
    // project's .npmrc names, even for its version. It also runs .pnpmfile.cjs of the project.
    {.names = "pnpm",
     .effects = "other (works on another folder): -C=DIR --dir=DIR --prefix=DIR --modules-dir=DIR; runs_program: "
                "--script-shell=PROGRAM --shell=FILE --pnpmfile=FILE --global-pnpmfile=FILE",
     .does = Effect::runs_code,
     .never = "runs the version that the project's package.json names, from the registry of its .npmrc",
     .alone = "",
     .style = Style::exact,
     .unproven = "-w -d -h -y -F=VALUE --filter=VALUE --filter-prod=VALUE --help --loglevel=VALUE --registry=VALUE "
                 "--reporter=VALUE --userconfig=VALUE --version --yes",
     .manner = lenient,
     .subcommands = true,
     .values_known = true,
     .synonyms = "g=global f=force y=yes",
     .variables = "PNPM_*"},
    {.names = "pip, pip3",
     .options =
         "-V -v --verbose -q --quiet --no-color --disable-pip-version-check --isolated --no-python-version-warning -h",
     .effects = "runs_program: --python=PROGRAM; writes: --log=FILE --log-file=FILE --cache-dir=DIR",
     .operands = Operands::choose,
     .unproven = "--cert=VALUE --client-cert=VALUE --proxy=VALUE --retries=VALUE --timeout=VALUE --trusted-host=VALUE",
     .manner = lenient,
     .subcommands = true,
     .values_known = true,
     .synonyms = "y=yes",
     .variables = "PIP_* PIPENV_* REQUESTS_CA_BUNDLE"},
    {.names = "pip list, pip check, pip debug, pip3 list, pip3 check, pip3 debug",
     .options = "-o --outdated -u --uptodate -e --editable -l --local --user --pre --format=FORMAT --not-required "
                "--exclude-editable --include-editable --exclude=NAME --all -r=FILE --requirement=FILE --path=DIR",
     .with = "pip"},
    // It does so even with --exclude-editable. Such a folder can be one of the project, whose configuration names programs.
    {.names = "pip freeze, pip3 freeze",
     .does = Effect::runs_program,
     .never = "runs git, hg and others in the folders of editable packages",
     .alone = "--help"},
    // In the other subcommands, -f takes the address of packages.
    {.names = "pip show, pip3 show", .options = "-f --files", .with = "pip"},
    {.names = "pip index, pip config, pip cache, pip3 index, pip3 config, pip3 cache",
     .with = "pip",
     .operands = Operands::choose},
    {.names =
         "pip index versions, pip config list, pip config get, pip config debug, pip cache dir, pip cache info, pip "
         "cache list, "
         "pip3 index versions, pip3 config list, pip3 config get, pip3 config debug, pip3 cache dir, pip3 cache info, "
         "pip3 cache list",
     .options = "--global --user --site --format=FORMAT --pre",
     .with = "pip"},
    {.names = "cargo",
     .options = "-V -v -vv --verbose -q --quiet --color=WHEN --frozen --locked --offline --list -h",
     .effects = "runs_program (sets a setting that can name programs): --config=SETTING; other (works on another "
                "folder): -C=DIR; other (changes what cargo does): -Z=FLAG; other (asks the compiler, which the "
                "configuration of the project can name): --explain=CODE",
     .operands = Operands::choose,
     .unproven = "--help --manifest-path=VALUE --version",
     .manner = lenient | plus,
     .subcommands = true,
     .values_known = true,
     .variables = "CARGO_* CARGO",
     .harmless_variables = "CARGO_TERM_* CARGO_INCREMENTAL CARGO_NET_OFFLINE CARGO_BUILD_JOBS CARGO_PROFILE_*"},
    {.names = "cargo pkgid, cargo locate-project, cargo read-manifest, cargo verify-project, cargo version",
     .options = "--manifest-path=FILE -p=SPEC --package=SPEC --workspace --message-format=FORMAT",
     .with = "cargo"},
    {.names = "cargo metadata",
     .options = "--manifest-path=FILE -F=NAMES --features=NAMES --all-features --no-default-features "
                "--format-version=NUM --no-deps --filter-platform=TRIPLE",
     .with = "cargo",
     .only_with = "--no-deps",
     .without = "asks the compiler and registries, for which the configuration of the project can name programs",
     .instead = "cargo metadata --no-deps describes the packages of the project"},
    // No option prevents this: [env] of the configuration can set LD_PRELOAD for the compiler, and each registry can have
    // a program that provides credentials. An alias takes the place of a command that is a program of its own.
    {.names = "cargo tree, cargo search, cargo info, cargo fmt",
     .does = Effect::runs_program,
     .never = "may run programs that the configuration of the project names",
     .alone = ""},
    {.names = "rustup",
     .options = "-v --verbose -q --quiet -V -h",
     .operands = Operands::choose,
     .unproven = "-C=VALUE -Z=VALUE --color=VALUE --config=VALUE --explain=VALUE --frozen --help --list --locked "
                 "--manifest-path=VALUE --offline --version",
     .manner = lenient | plus,
     .subcommands = true,
     .values_known = true,
     .variables = "RUSTUP_*"},
    {.names = "rustup show, rustup check, rustup which", .options = "-v --verbose --toolchain=NAME"},
    {.names = "go",
     .operands = Operands::choose,
     .style = Style::go,
     .unproven = "-C=VALUE",
     .manner = lenient | single_dash,
     .subcommands = true,
     .values_known = true,
     .variables = "GO GOFLAGS GOPATH GOROOT* GOBIN GOPROXY GONOPROXY GONOSUM* GOSUMDB GOPRIVATE GOINSECURE GOTOOL* "
                  "GOENV GOCACHE* GOMODCACHE GOEXPERIMENT GODEBUG GOVCS GOTMPDIR GOAUTH GOWORK GO_* GOPACKAGESDRIVER "
                  "CGO_* GCCGO*",
     .harmless_variables = "GOMAXPROCS GOOS GOARCH GOGC GOMEMLIMIT GOTRACEBACK"},
    {.names = "go version, go help", .options = "-m -v -json", .style = Style::go},
    {.names = "go env", .options = "-json -changed", .effects = "writes (writes settings): -w -u", .style = Style::go},
    // With some options, go list runs the compiler and cgo; -mod=mod updates go.mod.
    {.names = "go list",
     .options = "-f=FORMAT -json[=FIELDS] -m -deps -test -e -find -mod=readonly|vendor -tags=TAGS",
     .effects = "runs_program: -toolexec=COMMAND -exec=COMMAND; writes (builds): -export -compiled; writes: "
                "-modfile=FILE -overlay=FILE; opens_network: -u -versions -retracted",
     .style = Style::go,
     .check = check_go_list,
     // Otherwise go asks git for the state of the repository, and git runs what its configuration names.
     .hardened = "-buildvcs=false"},
    {.names = "go mod", .operands = Operands::choose, .style = Style::go},
    {.names = "go mod graph, go mod why, go mod verify", .options = "-m -vendor -x -go=VERSION", .style = Style::go},
    {.names = "gem", .options = "-v -h", .operands = Operands::choose},
    {.names = "gem list, gem search, gem info, gem environment, gem outdated, gem which, gem contents, gem dependency",
     .options =
         "-l --local -r --remote -a --all -e --exact -d --details -i --installed -v=VERSION --versions -q --quiet "
         "--verbose"},
    // composer --help lists the commands of the project's plug-ins, so it runs them.
    {.names = "composer",
     .does = Effect::runs_code,
     .never = "runs the plug-ins of the project",
     .alone = "-V --version",
     .manner = lenient,
     .subcommands = true,
     .values_known = true,
     .variables = "COMPOSER*"},
    {.names = "aptitude",
     .options = "-q --quiet -v -h",
     .effects = "other (sets a setting that can name programs): -o=SETTING --option=SETTING -c=FILE --config-file=FILE",
     .operands = Operands::choose,
     .unproven = "-t=VALUE -P -y -d -s -m -f -u -V -b -F=VALUE -O=VALUE -w=VALUE -S=VALUE --add-user-tag=VALUE "
                 "--assume-no --assume-yes --default-release=VALUE --disable-columns --display-format=VALUE --dry-run "
                 "--group-by=VALUE --log-file=VALUE --log-level=VALUE --purge --remove-user-tag=VALUE "
                 "--show-summary[=VALUE] --simulate --sort=VALUE --target-release=VALUE --user-tag=VALUE --width=VALUE "
                 "--yes",
     .runs = Runs::words,
     .manner = lenient | permutes,
     .code = "c config-file solver planner",
     .parts = "INVOKE DIR::BIN ROOTDIR DIR= PRE-INSTALL-PKGS AUTO-DETECT AUTODETECT HOOKS:: DPKG::PATH "
              "CHROOT-DIRECTORY ::COMPRESSOR ::SOLVER ::PLANNER --SOLVER= --PLANNER= GPGCOMMAND GPGVCOMMAND "
              "BUILD-COMMAND",
     .subcommands = true,
     .values_known = true,
     .synonyms = "y=yes y=assume-yes"},
    {.names = "apt, apt-get",
     .options = "-q --quiet -v -h",
     .effects = "other (sets a setting that can name programs): -o=SETTING --option=SETTING -c=FILE --config-file=FILE",
     .operands = Operands::choose,
     .unproven = "-t=VALUE -P=VALUE -y -d -s -m -f -u -V -b --assume-no --assume-yes --build-profiles=VALUE "
                 "--default-release=VALUE --dry-run --host-architecture=VALUE --planner=VALUE --purge --simulate "
                 "--solver=VALUE --target-release=VALUE --yes",
     .runs = Runs::words,
     .manner = lenient | permutes,
     .code = "c config-file solver planner",
     .parts = "INVOKE DIR::BIN ROOTDIR DIR= PRE-INSTALL-PKGS AUTO-DETECT AUTODETECT HOOKS:: DPKG::PATH "
              "CHROOT-DIRECTORY ::COMPRESSOR ::SOLVER ::PLANNER --SOLVER= --PLANNER= GPGCOMMAND GPGVCOMMAND "
              "BUILD-COMMAND",
     .subcommands = true,
     .values_known = true,
     .synonyms = "y=yes y=assume-yes",
     .variables = "APT_*"},
    {.names = "apt list, apt show, apt search, apt policy, apt depends, apt rdepends",
     .options = "-a --all-versions --installed --upgradable --manual-installed -n --names-only -f --full -v --verbose",
     .with = "apt"},
    {.names = "apt-cache",
     .options =
         "-q --quiet -i --important -f --full -a --all-versions -n --names-only --all-names --recurse --installed "
         "-h -v",
     .with = "apt",
     .operands = Operands::choose,
     .unproven = "-c=VALUE -o=VALUE -p=VALUE -s=VALUE --config-file=VALUE --option=VALUE --pkg-cache=VALUE "
                 "--src-cache=VALUE",
     .manner = lenient | permutes,
     .subcommands = true,
     .values_known = true,
     .synonyms = "y=yes y=assume-yes"},
    {.names = "apt-cache show, apt-cache search, apt-cache policy, apt-cache depends, apt-cache rdepends, apt-cache "
              "madison, "
              "apt-cache pkgnames, apt-cache showpkg, apt-cache stats, apt-cache showsrc",
     .options = "-i --important -f --full -a --all-versions -n --names-only --recurse --installed --no-recommends "
                "--no-suggests",
     .with = "apt"},
    {.names = "dpkg",
     .options = "-l --list -L --listfiles -s --status -S --search -p --print-avail -c --contents -I --info "
                "--print-architecture --get-selections --compare-versions -V --verify -C --audit --no-pager",
     .effects = "writes (installs): -i --install --unpack --configure; writes (removes): -r --remove -P --purge; "
                "runs_program: --pre-invoke=COMMAND --post-invoke=COMMAND --status-logger=COMMAND; writes (changes a "
                "setting): --set-selections --clear-selections --add-architecture --remove-architecture --force-all; "
                "other (works on another root): --root=DIR --admindir=DIR --instdir=DIR; writes (unpacks): -x -X "
                "--extract --vextract -e --control -b --build",
     .variables = "DEB_* DEBIAN_* DPKG_*",
     .harmless_variables = "DEBIAN_FRONTEND"},
    {.names = "dpkg-query",
     .options = "-l --list -L --listfiles -s --status -S --search -W --show -p --print-avail "
                "-f=FORMAT --showformat=FORMAT --no-pager"},
    {.names = "rpm",
     .options =
         "-q --query -a --all -i --info -l --list -f --file -p --package -c --configfiles -d --docfiles -R --requires "
         "--provides --changelog --queryformat=FORMAT --qf=FORMAT --whatprovides --whatrequires -s --state "
         "--last",
     .effects = "other (runs the scripts of packages): -V --verify; runs_program: --pipe=COMMAND -E=MACRO --eval=MACRO "
                "-D=MACRO --define=MACRO --predefine=MACRO --rcfile=FILE --macros=FILE --load=FILE; runs_code (runs "
                "the macros of a "
                "file): --specfile; writes (installs): -U --upgrade -F "
                "--freshen --install; writes (removes): -e --erase; writes (changes the database): --rebuilddb "
                "--initdb --import --setperms --setugids",
     .style = Style::exact,
     .only_with = "-q --query",
     .without = "without -q changes what is installed",
     .instead = "rpm -q only queries",
     .check = check_rpm,
     .runs = Runs::words,
     .parts = "%( %{LUA %{EXPAND %{LOAD :EXPAND}",
     .variables = "RPM_*"},
    {.names = "brew",
     .options = "-v -h",
     .operands = Operands::choose,
     .variables = "HOMEBREW_*",
     .harmless_variables = "HOMEBREW_NO_*"},
    {.names = "brew list, brew info, brew search, brew outdated, brew deps, brew uses, brew config, brew doctor",
     .options = "--json[=VERSION] --versions --cask --formula --installed --tree -v --verbose -q --quiet -1",
     .check = check_brew},
    {.names = "npx, pnpx, bunx, uvx, nix-shell",
     .does = Effect::runs_program,
     .never = "installs and runs programs",
     .unproven = "-c=VALUE -p=VALUE -w=VALUE -I=VALUE -A=VALUE --call=VALUE --package=VALUE --workspace=VALUE "
                 "--from=VALUE --with=VALUE --python=VALUE --run=VALUE --command=VALUE --shell-mode",
     .runs = Runs::code,
     .manner = lenient,
     .idle = "version help",
     .script = "c call run",
     .bare_runs = Bare::code},
    {.names = "pipx, pipenv, conda, mamba, nix, flatpak",
     .does = Effect::runs_program,
     .never = "installs and runs programs",
     .manner = lenient,
     .subcommands = true,
     .values_known = true,
     .variables = "CONDA_* NIX_* NIXPKGS_* GUIX_*"},
    {.names = "uv",
     .does = Effect::runs_program,
     .never = "installs and runs programs",
     .alone = "-V --version --help",
     .unproven = "-n -q -v -h -V --cache-dir=VALUE --color=VALUE --config-file=VALUE --directory=VALUE --project=VALUE "
                 "--python=VALUE --python-preference=VALUE",
     .manner = lenient,
     .subcommands = true,
     .values_known = true,
     .variables = "UV_*"},
    // poetry first loads the plug-ins of the project.
    {.names = "poetry",
     .does = Effect::runs_program,
     .never = "installs and runs programs",
     .alone = "",
     .unproven = "-n -q -v -h -V -C=VALUE -P=VALUE --directory=VALUE --project=VALUE",
     .manner = lenient,
     .subcommands = true,
     .values_known = true,
     .variables = "POETRY_*"},
};

}  // namespace

std::span<const ProgramSpec> package_programs() { return package_specs; }

}  // namespace wtool::policy::programs
