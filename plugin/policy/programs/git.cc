// git: its subcommands, and which of them only read.
#include "policy/arguments/parts.h"
#include "policy/programs/reader.h"

namespace wtool::policy::programs {

namespace {

std::optional<Problem> check_config(const ParsedCommand& reading) {
  // After its first operand, git config reads no options: `git config NAME VALUE --get` writes.
  for (const Given& given : reading.given) {
    if (reading.operands.empty() || given.word < reading.operands[0]) continue;
    return Problem{given.word, "git config NAME VALUE changes the setting", "put the options first"};
  }
  if (reading.first_operand_behind_dashes > 0 && reading.first_operand_behind_dashes <= reading.operands.size()) {
    return Problem{reading.operands[0], "git config NAME VALUE changes the setting", "put -- first"};
  }
  if (reading.has("-l --list --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool")) {
    return std::nullopt;
  }
  if (reading.operands.size() == 1) return std::nullopt;
  const std::size_t at = reading.operands.size() > 1 ? reading.operands[1] : reading.begin;
  return Problem{at, "git config NAME VALUE changes the setting", "git config --get NAME shows a setting"};
}

// Without these options, git runs programs that the configuration names, and `git status` in each submodule, which has
// its own configuration.
constexpr std::string_view git_for_status = "--ignore-submodules=dirty";
constexpr std::string_view git_for_differences =
    "--no-ext-diff --no-textconv --ignore-submodules=dirty --submodule=short";

constexpr ProgramSpec git_specs[] = {
    {.names = "git",
     .options = "-v --version --html-path --man-path --info-path -P --no-pager --no-replace-objects --no-lazy-fetch "
                "--no-optional-locks --no-advice --literal-pathspecs --glob-pathspecs --noglob-pathspecs "
                "--icase-pathspecs -C=DIR -h -c=SETTING",
     .effects = "interactive (starts a pager): -p --paginate; interactive (opens a viewer): --help; other (changes "
                "where git finds its programs): --exec-path[=DIR]; other (takes a setting from the environment): "
                "--config-env=SETTING; other (names another repository): --git-dir=DIR --work-tree=DIR "
                "--namespace=NAME --bare --super-prefix=DIR; other (sets attributes): --attr-source=TREE",
     .operands = Operands::choose,
     .style = Style::git,
     // With these options, git executes nothing that a configuration names, except filters
     // (policy/covenant/repository.h), and does not write the index when it only reads. Used for execute_run, and for
     // commands that `arguments: safe` has judged.
     .hardened = "--no-pager --no-optional-locks "
                 "-c core.fsmonitor=false "
                 "-c core.hooksPath=/dev/null "
                 "-c core.pager=cat "
                 "-c diff.autoRefreshIndex=false "
                 "-c core.sshCommand=false "
                 "-c gpg.program=false "
                 "-c gpg.openpgp.program=false "
                 "-c gpg.x509.program=false "
                 "-c gpg.ssh.program=false "
                 "-c log.showSignature=false "
                 "-c safe.bareRepository=explicit "
                 "-c status.submoduleSummary=false",
     // Git might otherwise fetch missing objects by itself, if the configuration says that another repository has them.
     // The variable overrides the settings of all protocols, whatever their names, which may be paths of programs. Its
     // value is the list of protocols that are allowed. No alias and no program can have the name "/", but a project may
     // call a protocol "none", or nothing.
     .launched = "env GIT_ALLOW_PROTOCOL=/ GIT_NO_LAZY_FETCH=1",
     .unproven = "--list-cmds=VALUE",
     .manner = lenient,
     .subcommands = true,
     .values_known = true,
     .harmless_settings =
         "core.pager=''|cat|false pager.*=''|cat|false color.* column.* advice.* core.quotepath core.abbrev "
         "core.precomposeunicode log.date log.decorate log.follow log.abbrevcommit log.mailmap diff.renames "
         "diff.renamelimit diff.algorithm diff.noprefix diff.mnemonicprefix diff.context diff.colormoved "
         "diff.wordregex grep.linenumber grep.fullname grep.patterntype grep.threads status.short "
         "status.branch status.relativepaths status.showuntrackedfiles user.name user.email "
         "i18n.logoutputencoding init.defaultbranch gc.auto maintenance.auto",
     // protocol.* may allow the transport `ext`, which runs a command.
     .settings = "core.pager=''|cat|false|true|less|more pager.*=''|cat|false|true|less|more "
                 "core.fsmonitor=''|true|false protocol.*=never url.* core.sshcommand core.gitproxy core.editor "
                 "core.hookspath core.askpass core.alternaterefscommand core.attributesfile core.worktree "
                 "diff.external diff.tool merge.tool gpg.program sequence.editor uploadpack.packobjectshook "
                 "include.path web.browser interactive.difffilter init.templatedir imap.tunnel sendemail.smtpserver "
                 "instaweb.httpd help.browser man.viewer credential.helper http.sslcert receive.procreceiverefs "
                 "bundle.heuristic *.command *.textconv *.cmd *.driver *.clean *.smudge *.process *.helper *.program "
                 "*.uploadpack *.receivepack *.vcs *.path *.defaultkeycommand *.sendmailcmd *.tocmd *.cccmd",
     .variables = "GIT_*",
     .harmless_variables =
         "GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL "
         "GIT_COMMITTER_DATE GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS GIT_MERGE_VERBOSITY GIT_REFLOG_ACTION "
         "GIT_LITERAL_PATHSPECS GIT_GLOB_PATHSPECS GIT_NOGLOB_PATHSPECS GIT_ICASE_PATHSPECS GIT_ADVICE"},
    // With --output, every subcommand that has these options writes to a file. None of them starts a pager, because
    // there is no terminal. -m and --diff-merges=on are not in the list, because the configuration chooses how they
    // show a merge. If it chooses remerge, they run merge programs.
    {.names = "git:diff",
     .options =
         "-p -u --patch -s --no-patch -U[=NUM] --unified[=NUM] --output-indicator-new=C --output-indicator-old=C "
         "--output-indicator-context=C --raw --patch-with-raw --indent-heuristic --minimal --patience --histogram "
         "--anchored=TEXT --diff-algorithm=NAME --stat[=WIDTH] --stat-width=NUM --stat-name-width=NUM --stat-count=NUM "
         "--stat-graph-width=NUM --compact-summary --numstat --shortstat -X[=PARAMETERS] --dirstat[=PARAMETERS] "
         "--cumulative "
         "--dirstat-by-file[=PARAMETERS] --summary --patch-with-stat -z --name-only --name-status "
         "--submodule[=log|short] "
         "--color[=WHEN] --no-color --color-moved[=MODE] --no-color-moved --color-moved-ws=MODES --no-color-moved-ws "
         "--word-diff[=MODE] --word-diff-regex=REGEX --color-words[=REGEX] --no-renames --rename-empty --check "
         "--ws-error-highlight=KIND --full-index --binary --abbrev[=NUM] -B[=NUM] --break-rewrites[=NUM] -M[=NUM] "
         "--find-renames[=NUM] -C[=NUM] --find-copies[=NUM] --find-copies-harder -D --irreversible-delete -l=NUM "
         "--diff-filter=KINDS -S=TEXT -G=REGEX --find-object=ID --pickaxe-all --pickaxe-regex -O=FILE "
         "--skip-to=FILE --rotate-to=FILE -R --relative[=DIR] --no-relative -a --text --ignore-cr-at-eol "
         "--ignore-space-at-eol "
         "-b --ignore-space-change -w --ignore-all-space --ignore-blank-lines -I=REGEX --ignore-matching-lines=REGEX "
         "--inter-hunk-context=NUM -W --function-context --no-ext-diff --no-textconv --ignore-submodules[=all|dirty] "
         "--src-prefix=TEXT --dst-prefix=TEXT --no-prefix --default-prefix --line-prefix=TEXT --ita-invisible-in-index "
         "--ita-visible-in-index -c --cc --combined-all-paths "
         "--diff-merges=off|none|first-parent|1|separate|combined|c|dense-combined|cc "
         "--no-diff-merges -q "
         "--quiet "
         "--exit-code -t",
     .effects = "writes: --output=FILE; other (runs gpg): --show-signature; other (runs the diff program of the "
                "configuration): --ext-diff; other (runs the text conversion of the configuration): --textconv; other "
                "(merges with the merge programs of the configuration): --remerge-diff; other (runs the filters of "
                "submodules): --no-ignore-submodules",
     .style = Style::git},
    {.names = "git:execute_run",
     .options = "-p -s -w -b -M -C -R -a -z -U=NUM -S=TEXT -G=TEXT --cached --staged --stat[=TEXT] --numstat "
                "--shortstat --summary --raw --patch --no-patch --name-only --name-status --diff-filter=TEXT "
                "--unified=NUM --word-diff[=TEXT] --color[=TEXT] --no-color --no-renames --find-renames[=TEXT] "
                "--ignore-all-space --ignore-space-change --ignore-blank-lines --function-context --minimal --check "
                "--quiet --exit-code --merge-base --full-index --binary"},
    // These subcommands write, use the network, or run what the configuration names. An alias cannot have one of these
    // names.
    {.names = "git:execute_run_asks",
     .words = "add am apply archive bisect bundle cat-file checkout cherry clean clone cherry-pick commit config "
              "diff-tree diff-index fetch format-patch fsck gc grep help init maintenance merge mv notes pull push "
              "range-diff rebase reflog reset restore revert rev-list rm shortlog show-ref sparse-checkout stash "
              "submodule switch worktree for-each-ref"},
    {.names = "git:log",
     .options =
         "-NUM -n=NUM --max-count=NUM --skip=NUM --since=DATE --after=DATE --since-as-filter=DATE --until=DATE "
         "--before=DATE "
         "--max-age=TIME --min-age=TIME --author=PATTERN --committer=PATTERN --grep-reflog=PATTERN --grep=PATTERN "
         "--all-match "
         "--invert-grep -i --regexp-ignore-case --basic-regexp -E --extended-regexp -F --fixed-strings -P "
         "--perl-regexp "
         "--remove-empty --merges --no-merges --min-parents=NUM --max-parents=NUM --no-min-parents --no-max-parents "
         "--first-parent --exclude-first-parent-only --not --all --branches[=PATTERN] --tags[=PATTERN] "
         "--remotes[=PATTERN] "
         "--glob=PATTERN --exclude=PATTERN --exclude-hidden=WHAT --reflog --single-worktree "
         "--ignore-missing --bisect --stdin --cherry-mark --cherry-pick --left-only --right-only --cherry -g "
         "--walk-reflogs "
         "--merge --boundary --simplify-by-decoration --show-pulls --full-history --dense --sparse --simplify-merges "
         "--ancestry-path[=COMMIT] --date-order --author-date-order --topo-order --reverse --no-walk[=HOW] --do-walk "
         "--pretty[=FORMAT] --format=FORMAT --abbrev-commit --no-abbrev-commit --oneline --encoding=CODE "
         "--expand-tabs[=NUM] "
         "--no-expand-tabs --notes[=REF] --no-notes --show-notes[=REF] --standard-notes --relative-date "
         "--date=FORMAT --parents --children --left-right --graph --no-graph --show-linear-break[=TEXT] --follow "
         "--no-decorate "
         "--decorate[=WHEN] --decorate-refs=PATTERN --decorate-refs-exclude=PATTERN --clear-decorations --source "
         "--mailmap "
         "--no-mailmap --use-mailmap --full-diff --log-size -L=RANGE --root --no-commit-id -r --always --early-output "
         "--count --timestamp --objects --header --disk-usage[=FORM] --use-bitmap-index --progress=TEXT --quiet "
         "--no-object-names --object-names --filter=SPEC --no-filter --missing=ACTION --exclude-promisor-objects "
         "--commit-header "
         "--no-commit-header --bisect-vars --bisect-all --unpacked --in-commit-order --objects-edge --default=REVISION",
     .effects = "other (asks the program of the configuration for the references): --alternate-refs",
     .style = Style::git},
    {.names = "git:execute_run_log",
     .options = "-i -E -F -c -n=NUM -L=TEXT -NUM --oneline --graph --all --branches[=TEXT] --tags[=TEXT] "
                "--remotes[=TEXT] --decorate[=TEXT] --no-decorate --max-count=NUM --skip=NUM --since=TEXT "
                "--after=TEXT --until=TEXT --before=TEXT --author=TEXT --committer=TEXT --grep=TEXT --format=TEXT "
                "--pretty[=TEXT] --date=TEXT --abbrev-commit --abbrev[=TEXT] --follow --reverse --merges --no-merges "
                "--first-parent --full-history --topo-order --date-order --left-right --cherry-pick --relative-date"},
    {.names = "git:list",
     .options =
         "--contains[=COMMIT] --no-contains[=COMMIT] --merged[=COMMIT] --no-merged[=COMMIT] --sort=KEY "
         "--points-at=OBJECT --format=FORMAT --color[=WHEN] --column[=STYLE] --no-column -i --ignore-case --omit-empty",
     .style = Style::git},
    {.names = "git status",
     .options = "-s --short -b --branch --show-stash --ahead-behind --porcelain[=VERSION] --long -z --null "
                "-u[=MODE] --untracked-files[=MODE] --ignored[=MODE] --ignore-submodules[=all|dirty] --column[=STYLE] "
                "-M[=NUM] "
                "--renames --find-renames[=NUM]",
     .effects = "other (runs the text conversion of the configuration): -v --verbose; other (runs the filters of "
                "submodules): --no-ignore-submodules",
     .style = Style::git,
     .hardened = git_for_status,
     .covenant =
         Covenant{.options =
                      "-s -b -z --short --long --branch --porcelain[=TEXT] --untracked-files[=TEXT] --ignored[=TEXT] "
                      "--show-stash --no-renames",
                  .hardened = git_for_status}},
    {.names = "git log",
     .with = "git:diff, git:log, git:show",
     .style = Style::git,
     .hardened = git_for_differences,
     .covenant = Covenant{.with = "git:execute_run_log, git:execute_run", .hardened = git_for_differences}},
    {.names = "git show",
     .with = "git:diff, git:log, git:show",
     .style = Style::git,
     .hardened = git_for_differences,
     .covenant = Covenant{.with = "git:execute_run_log, git:execute_run", .hardened = git_for_differences}},
    // An alias may take the name of a command that git has given up, such as whatchanged.
    {.names = "git reflog show, git stash show, git rev-list",
     .with = "git:diff, git:log, git:show",
     .style = Style::git,
     .hardened = git_for_differences},
    // An older git would show the log of a branch called "list".
    {.names = "git reflog list",
     .operands = Operands::none,
     .beyond = "git reflog list takes no name",
     .style = Style::git},
    {.names = "git cherry", .options = "-v --verbose --abbrev[=NUM]", .style = Style::git},
    {.names = "git:show", .options = "-v --include-untracked --only-untracked -u", .style = Style::git},
    {.names = "git stash list",
     .with = "git:diff, git:log",
     .style = Style::git,
     .check = check_dashes,
     .hardened = git_for_differences},
    {.names = "git diff",
     .options = "--cached --staged --merge-base --no-index --base --ours --theirs -0 -1 -2 -3",
     .with = "git:diff",
     .style = Style::git,
     .hardened = git_for_differences,
     .covenant = Covenant{.with = "git:execute_run", .hardened = git_for_differences}},
    {.names = "git diff-tree, git diff-index, git diff-files",
     .options =
         "-r -t --root --stdin -m --cached --merge-base --no-commit-id --pretty[=FORMAT] --always -v --base --ours "
         "--theirs -0 -1 -2 -3 -q",
     .with = "git:diff",
     .style = Style::git,
     .hardened = git_for_differences},
    // git range-diff makes the patches with a second git, to which no option is passed.
    {.names = "git range-diff",
     .does = Effect::runs_program,
     .never = "runs the text conversions of the configuration",
     .alone = "",
     .style = Style::git},
    {.names = "git shortlog",
     .options = "-n --numbered -s --summary -e --email -c --committer --group=TYPE -w[=WIDTHS] --format=FORMAT",
     .with = "git:log",
     .style = Style::git},
    {.names = "git blame, git annotate",
     .options =
         "--incremental -b --root --show-stats --progress --score-debug -f --show-name -n --show-number -p --porcelain "
         "--line-porcelain -c -t -l -s -e --show-email -w --ignore-rev=REV --ignore-revs-file=FILE --color-lines "
         "--color-by-age --minimal -S=FILE --contents=FILE -C[=NUM] -M[=NUM] -L=RANGE --abbrev[=NUM] --reverse "
         "--since=DATE --date=FORMAT --first-parent --encoding=CODE",
     .style = Style::git,
     .check = check_dashes,
     .hardened = "--no-textconv",
     .covenant =
         Covenant{.options =
                      "-w -s -l -e -c -n -t -f -M -C -L=TEXT --porcelain --line-porcelain --date=TEXT --show-email "
                      "--show-name",
                  .hardened = "--no-textconv"}},
    {.names = "git grep",
     .options =
         "--cached --no-index --index --untracked --exclude-standard --recurse-submodules -v --invert-match -i "
         "--ignore-case -w --word-regexp -a --text -I -r --recursive --max-depth=NUM -E --extended-regexp -G "
         "--basic-regexp -F --fixed-strings -P --perl-regexp -n --line-number --column -h -H --full-name -l "
         "--files-with-matches --name-only -L --files-without-match -z --null -o --only-matching -c --count "
         "--color[=WHEN] --break --heading -C=NUM --context=NUM -B=NUM --before-context=NUM -A=NUM --after-context=NUM "
         "--threads=NUM -NUM -p --show-function -W --function-context -f=FILE! -e=PATTERN! --and --or --not -q --quiet "
         "--all-match --ext-grep -m=NUM --max-count=NUM",
     .effects = "runs_program (opens the files in a program): -O[=PAGER] --open-files-in-pager[=PAGER]; other (runs "
                "the text conversion of the configuration): --textconv",
     .operands = Operands::first_text,
     .style = Style::git,
     .runs = Runs::options,
     .manner = lenient | permutes,
     .script = "O open-files-in-pager"},
    {.names = "git ls-files",
     .options = "-z -t -v -f -c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -k --killed "
                "--directory --eol --empty-directory -u --unmerged --resolve-undo -x=PATTERN --exclude=PATTERN -X=FILE "
                "--exclude-from=FILE --exclude-per-directory=FILE --exclude-standard --full-name --recurse-submodules "
                "--error-unmatch --with-tree=TREE --abbrev[=NUM] --debug --deduplicate --sparse --format=FORMAT",
     .style = Style::git,
     .covenant =
         Covenant{
             .options =
                 "-c -d -m -o -s -t -z --cached --deleted --modified --others --stage --exclude-standard --ignored"}},
    {.names = "git ls-tree",
     .options = "-d -r -t -z -l --long --name-only --name-status --object-only --full-name --full-tree --format=FORMAT "
                "--abbrev[=NUM]",
     .style = Style::git,
     .covenant = Covenant{.options = "-r -d -l -t -z --name-only --long --full-name"}},
    {.names = "git cat-file",
     .options = "-e -p -t -s -Z -z --use-mailmap --batch[=FORMAT] --batch-check[=FORMAT] --batch-command[=FORMAT] "
                "--batch-all-objects --buffer --unordered --follow-symlinks --allow-unknown-type",
     .effects = "other (runs the text conversion of the configuration): --textconv; other (runs the filters of the "
                "configuration): --filters; other (belongs to --filters): --path=FILE",
     .style = Style::git},
    {.names = "git describe",
     .options = "--contains --debug --all --tags --long --first-parent --abbrev[=NUM] --exact-match --candidates=NUM "
                "--match=PATTERN --exclude=PATTERN --always",
     .effects = "other (runs the filters of submodules): --dirty[=MARK] --broken[=MARK]",
     .style = Style::git,
     .covenant = Covenant{.options = "--tags --all --always --long --abbrev[=TEXT]"}},
    {.names = "git rev-parse",
     .options =
         "--sq-quote --keep-dashdash --stop-at-non-option --stuck-long --revs-only --no-revs --flags --no-flags "
         "--default=ARG --prefix=DIR --verify -q --quiet --sq --short[=NUM] --not --abbrev-ref[=MODE] --symbolic "
         "--symbolic-full-name --all --branches[=PATTERN] --tags[=PATTERN] --remotes[=PATTERN] --glob=PATTERN "
         "--exclude=PATTERN --disambiguate=PREFIX --local-env-vars --path-format=HOW --git-dir --git-common-dir "
         "--resolve-git-dir=DIR --git-path=NAME --show-toplevel --show-superproject-working-tree --shared-index-path "
         "--absolute-git-dir --is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository "
         "--show-cdup --show-prefix --show-object-format[=WHAT] --show-ref-format --since=DATE --after=DATE "
         "--until=DATE "
         "--before=DATE --end-of-options",
     .style = Style::git,
     .covenant =
         Covenant{
             .options =
                 "-q --abbrev-ref --short[=TEXT] --verify --quiet --symbolic-full-name --show-toplevel --show-prefix "
                 "--git-dir --is-inside-work-tree"}},
    {.names = "git name-rev",
     .options =
         "--tags --refs=PATTERN --exclude=PATTERN --all --stdin --annotate-stdin --name-only --no-undefined --always",
     .style = Style::git},
    {.names = "git merge-base",
     .options = "-a --all --octopus --is-ancestor --independent --fork-point",
     .style = Style::git,
     .covenant = Covenant{.options = "-a --all --is-ancestor"}},
    {.names = "git show-ref",
     .options = "--tags --heads --branches --verify --head -d --dereference -s --hash[=NUM] --abbrev[=NUM] -q --quiet "
                "--exists --exclude-existing[=PATTERN]",
     .style = Style::git},
    {.names = "git for-each-ref",
     .options = "--count=NUM --shell --perl --python --tcl --include-root-refs --exclude=PATTERN --stdin",
     .with = "git:list",
     .style = Style::git},
    {.names = "git show-branch",
     .options =
         "-a --all -r --remotes --color[=WHEN] --more[=NUM] --list --no-name --sha1-name --merge-base --independent "
         "--topo-order --date-order --sparse --topics --current -g[=NUM] --reflog[=NUM]",
     .style = Style::git},
    {.names = "git branch",
     .options = "-v -vv --verbose -q --quiet -r --remotes --abbrev[=NUM] -a --all -l --list --show-current",
     .effects = "writes (deletes a branch): -d --delete -D; writes (renames a branch): -m --move -M; writes (copies a "
                "branch): -c --copy -C; writes (makes or moves a branch): -f --force; writes (changes what a branch "
                "follows): -t[=HOW] --track[=HOW] -u=NAME --set-upstream-to=NAME --unset-upstream --set-upstream; "
                "writes (makes a log): --create-reflog; interactive (opens an editor): --edit-description",
     .with = "git:list",
     .style = Style::git,
     .only_with = "-l --list --contains --no-contains --merged --no-merged --points-at",
     .without = "with a name creates a branch",
     .instead = "git branch --list NAME shows it",
     .only_operands = true,
     .manner = lenient | permutes,
     .values_known = true,
     .synonyms = "D=delete+force M=move+force C=copy+force d=delete m=move c=copy f=force",
     .covenant = Covenant{.options = "-a -r -v --all --remotes --list --verbose --show-current --no-color",
                          .most = 0,
                          .otherwise_asks = true}},
    {.names = "git tag",
     .options = "-l --list -n[=NUM]",
     .effects = "writes (deletes a tag): -d --delete; other (runs gpg): -v --verify; writes (makes a tag): -a "
                "--annotate -m=TEXT --message=TEXT -F=FILE --file=FILE -e --edit -s --sign -u=KEY --local-user=KEY -f "
                "--force --create-reflog --cleanup=MODE --trailer=TEXT",
     .with = "git:list",
     .style = Style::git,
     .only_with = "-l --list --contains --no-contains --merged --no-merged --points-at -n",
     .without = "with a name creates a tag",
     .instead = "git tag --list NAME shows it",
     .only_operands = true,
     .manner = lenient | permutes,
     .values_known = true,
     .synonyms = "d=delete f=force s=sign a=annotate",
     .covenant = Covenant{.options = "-l --list", .most = 0, .otherwise_asks = true}},
    {.names = "git remote",
     .options = "-v --verbose",
     .operands = Operands::choose,
     .style = Style::git,
     .manner = lenient,
     .subcommands = true,
     .values_known = true,
     .covenant = Covenant{.options = "-v --verbose", .most = 0, .otherwise_asks = true}},
    {.names = "git remote get-url", .options = "--push --all", .style = Style::git},
    {.names = "git stash",
     .operands = Operands::choose,
     .bare = "without list or show changes the working tree",
     .style = Style::git,
     .unproven = "-v --verbose",
     .manner = lenient,
     .subcommands = true,
     .values_known = true},
    {.names = "git reflog",
     .with = "git:diff, git:log",
     .operands = Operands::may_choose,
     .style = Style::git,
     .hardened = git_for_differences,
     .unproven = "-v --verbose",
     .manner = lenient,
     .subcommands = true,
     .values_known = true},
    {.names = "git reflog expire, git reflog delete, git reflog drop",
     .does = Effect::writes,
     .never = "removes entries of the log",
     .alone = "",
     .style = Style::git},
    {.names = "git reflog write",
     .does = Effect::writes,
     .never = "adds an entry to the log",
     .alone = "",
     .style = Style::git},
    {.names = "git reflog exists", .style = Style::git},
    {.names = "git worktree",
     .operands = Operands::choose,
     .style = Style::git,
     .unproven = "-v --verbose",
     .manner = lenient,
     .subcommands = true,
     .values_known = true},
    {.names = "git worktree list", .options = "--porcelain -z -v --verbose --expire=TIME", .style = Style::git},
    {.names = "git submodule",
     .options = "-q --quiet --cached",
     .operands = Operands::choose,
     .style = Style::git,
     .manner = lenient,
     .subcommands = true,
     .values_known = true},
    {.names = "git submodule status", .options = "-q --quiet --cached --recursive", .style = Style::git},
    {.names = "git submodule summary", .options = "--cached --files -n=NUM --summary-limit=NUM", .style = Style::git},
    {.names = "git notes",
     .options = "--ref=REF",
     .operands = Operands::choose,
     .style = Style::git,
     .unproven = "-v --verbose",
     .manner = lenient,
     .subcommands = true,
     .values_known = true},
    {.names = "git notes list, git notes get-ref", .style = Style::git},
    // git notes show shows the note with a second git, to which no option is passed. git log --notes shows it, too.
    {.names = "git notes show",
     .does = Effect::runs_program,
     .never = "runs the text conversions of the configuration",
     .alone = "",
     .style = Style::git},
    {.names = "git bundle, git commit-graph, git multi-pack-index, git sparse-checkout, git maintenance",
     .operands = Operands::choose,
     .style = Style::git},
    {.names = "git bisect",
     .operands = Operands::choose,
     .style = Style::git,
     .unproven = "-v --verbose",
     .manner = lenient,
     .subcommands = true,
     .values_known = true},
    {.names =
         "git bundle list-heads, git bundle verify, git commit-graph verify, git sparse-checkout list, git bisect log",
     .options = "-q --quiet --progress -l --long -s --size",
     .style = Style::git},
    {.names = "git config",
     .options = "--global --system --local --worktree -f=FILE --file=FILE --blob=ID --get --get-all --get-regexp "
                "--get-urlmatch -l --list --fixed-value --get-color --get-colorbool -t=TYPE --type=TYPE --bool --int "
                "--bool-or-int --bool-or-str --path --expiry-date -z --null --name-only --includes< --show-origin "
                "--show-scope "
                "--default=VALUE",
     .effects = "writes (writes a setting): --replace-all --add --unset --unset-all; writes (changes a section): "
                "--rename-section --remove-section; interactive (opens an editor): -e --edit",
     .operands = Operands::may_choose,
     .style = Style::git,
     .check = check_config,
     .unproven = "-v --verbose",
     .manner = lenient,
     .subcommands = true,
     .values_known = true},
    {.names = "git config list, git config get",
     .options =
         "--all --regexp --value=PATTERN --fixed-value --show-names --global --system --local --worktree -f=FILE "
         "--file=FILE -z --null --name-only --show-origin --show-scope --type=TYPE --default=VALUE --includes< "
         "--url=URL",
     .style = Style::git},
    {.names = "git config set, git config unset, git config edit, git config rename-section, git config remove-section",
     .does = Effect::writes,
     .never = "writes settings",
     .alone = "",
     .style = Style::git},
    {.names = "git symbolic-ref",
     .options = "-q --quiet --short --recurse",
     .effects = "writes (deletes the reference): -d --delete; other (belongs to a change of the reference): -m=TEXT",
     .most = 1,
     .beyond = "a second operand of git symbolic-ref changes the reference",
     .style = Style::git},
    {.names = "git count-objects", .options = "-v --verbose -H --human-readable", .style = Style::git},
    {.names = "git var", .options = "-l", .style = Style::git},
    {.names = "git version", .options = "--build-options", .style = Style::git, .covenant = Covenant{.most = 0}},
    {.names = "git check-ignore",
     .options = "-q --quiet -v --verbose --stdin -z -n --non-matching --no-index",
     .style = Style::git},
    {.names = "git check-attr", .options = "-a --all --cached --stdin -z --source=TREE", .style = Style::git},
    {.names = "git check-mailmap", .options = "--stdin", .style = Style::git},
    {.names = "git check-ref-format",
     .options = "--branch --normalize --allow-onelevel --refspec-pattern",
     .style = Style::git},
    {.names = "git verify-pack", .options = "-v --verbose -s --stat-only", .style = Style::git},
    {.names = "git fsck",
     .options =
         "-v --verbose --unreachable --dangling --tags --root --cache --reflogs --full --connectivity-only --strict "
         "--progress --name-objects",
     .effects = "writes (writes what it finds): --lost-found",
     .style = Style::git},
    {.names = "git hash-object",
     .options = "-t=TYPE --stdin --stdin-paths< --literally --path=FILE --no-filters",
     .effects = "writes (writes an object): -w",
     .style = Style::git},
    {.names = "git patch-id", .options = "--stable --unstable --verbatim", .style = Style::git},
    {.names = "git merge-tree", .does = Effect::writes, .never = "writes objects", .alone = "", .style = Style::git},
    // The following subcommands are listed because of the programs that they run.
    {.names = "git clone",
     .options =
         "-q --quiet -v --verbose --progress -n --no-checkout --bare --mirror -l --local -s --shared "
         "--recurse-submodules[=PATH] --recursive[=PATH] -j=NUM --jobs=NUM --reference=DIR "
         "--reference-if-able=DIR --dissociate -o=NAME --origin=NAME -b=NAME --branch=NAME --depth=NUM "
         "--shallow-since=TIME "
         "--shallow-exclude=REV --single-branch --tags --shallow-submodules --separate-git-dir=DIR -c=SETTING "
         "--config=SETTING --server-option=OPTION -4 --ipv4 -6 --ipv6 --filter=SPEC --remote-submodules --sparse "
         "--bundle-uri=ADDRESS --revision=REV",
     .effects = "runs_program: -u=PROGRAM --upload-pack=PROGRAM; runs_program (brings hooks, which are programs): "
                "--template=DIR",
     .does = Effect::writes,
     .never = "writes files, and runs the hooks and filters of the configuration",
     .alone = "",
     .style = Style::git,
     .unproven = "--ref-format=VALUE",
     .runs = Runs::options,
     .manner = lenient | permutes,
     .script = "u upload-pack"},
    // Each of these subcommands has its own row. In a shared row, an option that takes a value in only one subcommand
    // would hide the program that the next word names in another. An option of one subcommand could also make an
    // abbreviation ambiguous, and thus unknown, with which another subcommand names a program.
    {.names = "git fetch",
     .effects = "runs_program: --upload-pack=PROGRAM",
     .does = Effect::opens_network,
     .never = "connects to other repositories, through programs that these or the configuration name",
     .alone = "",
     .style = Style::git,
     .unproven = "--depth=VALUE --deepen=VALUE --shallow-since=VALUE --shallow-exclude=VALUE --refmap=VALUE -o=VALUE "
                 "--server-option=VALUE --negotiation-tip=VALUE --negotiation-restrict=VALUE "
                 "--negotiation-include=VALUE -j=VALUE --jobs=VALUE --recurse-submodules[=VALUE] "
                 "--recurse-submodules-default=VALUE --submodule-prefix=VALUE --filter=VALUE",
     .runs = Runs::options,
     .manner = lenient | permutes,
     .script = "upload-pack"},
    {.names = "git pull",
     .effects = "runs_program: --upload-pack=PROGRAM",
     .does = Effect::opens_network,
     .never = "connects to other repositories, through programs that these or the configuration name",
     .alone = "",
     .style = Style::git,
     .unproven = "--depth=VALUE --deepen=VALUE --shallow-since=VALUE --shallow-exclude=VALUE --refmap=VALUE -o=VALUE "
                 "--server-option=VALUE --negotiation-tip=VALUE --negotiation-restrict=VALUE "
                 "--negotiation-include=VALUE -j[=VALUE] --jobs[=VALUE] --recurse-submodules[=VALUE] -r[=VALUE] "
                 "--rebase[=VALUE] --log[=VALUE] --signoff[=VALUE] --cleanup=VALUE -s=VALUE --strategy=VALUE -X=VALUE "
                 "--strategy-option=VALUE -S[=VALUE] --gpg-sign[=VALUE]",
     .runs = Runs::options,
     .manner = lenient | permutes,
     .script = "upload-pack"},
    {.names = "git ls-remote",
     .effects = "runs_program: --upload-pack=PROGRAM --exec=PROGRAM",
     .does = Effect::opens_network,
     .never = "connects to other repositories, through programs that these or the configuration name",
     .alone = "",
     .style = Style::git,
     .unproven = "--sort=VALUE -o=VALUE --server-option=VALUE",
     .runs = Runs::options,
     .manner = lenient | permutes,
     .script = "upload-pack exec"},
    {.names = "git archive",
     .effects = "runs_program: --exec=PROGRAM",
     .does = Effect::opens_network,
     .never = "connects to other repositories, through programs that these or the configuration name",
     .alone = "",
     .style = Style::git,
     .unproven = "--format=VALUE --prefix=VALUE --add-file=VALUE --add-virtual-file=VALUE -o=VALUE --output=VALUE "
                 "--mtime=VALUE --remote=VALUE",
     .runs = Runs::options,
     .manner = lenient | permutes,
     .script = "exec"},
    {.names = "git fetch-pack",
     .effects = "runs_program: --upload-pack=PROGRAM --exec=PROGRAM",
     .does = Effect::opens_network,
     .never = "connects to other repositories, through programs that these or the configuration name",
     .alone = "",
     .style = Style::git,
     .unproven = "--depth[=VALUE] --shallow-since[=VALUE] --shallow-exclude[=VALUE] --filter[=VALUE]",
     .runs = Runs::options,
     .manner = lenient | permutes,
     .script = "upload-pack exec"},
    {.names = "git send-pack",
     .effects = "runs_program: --receive-pack=PROGRAM --exec=PROGRAM",
     .does = Effect::opens_network,
     .never = "connects to other repositories, through programs that these or the configuration name",
     .alone = "",
     .style = Style::git,
     .unproven = "--remote=VALUE --push-option=VALUE --signed[=VALUE] --force-with-lease[=VALUE]",
     .runs = Runs::options,
     .manner = lenient | permutes,
     .script = "receive-pack exec"},
    {.names = "git push",
     .effects = "runs_program: --receive-pack=PROGRAM --exec=PROGRAM",
     .does = Effect::opens_network,
     .never = "connects to other repositories, through programs that these or the configuration name",
     .alone = "",
     .style = Style::git,
     .unproven = "-4 -6 -f -n -q -v -u -d -o=VALUE --all --branches --atomic --delete --dry-run --follow-tags --force "
                 "--force-if-includes --force-with-lease[=VALUE] --ipv4 --ipv6 --mirror --no-verify --porcelain "
                 "--progress --prune --push-option=VALUE --quiet --recurse-submodules=VALUE --repo=VALUE "
                 "--set-upstream --signed[=VALUE] --tags --thin --verbose --verify",
     .runs = Runs::options,
     .manner = lenient | permutes,
     .script = "receive-pack exec",
     .values_known = true,
     .synonyms = "f=force n=dry-run d=delete u=set-upstream q=quiet v=verbose"},
    {.names = "git rebase",
     .options = "-i --interactive",
     .effects = "runs_program: -x=COMMAND --exec=COMMAND",
     .does = Effect::writes,
     .never = "changes files or runs other programs",
     .alone = "",
     .style = Style::git,
     .unproven =
         "-C=VALUE -s=VALUE -S[=VALUE] -X=VALUE --onto=VALUE --strategy=VALUE --strategy-option=VALUE "
         "--whitespace=VALUE --empty=VALUE --gpg-sign[=VALUE] --trailer=VALUE -r[=VALUE] --rebase-merges[=VALUE]",
     .runs = Runs::options,
     .manner = lenient | permutes,
     .script = "x exec"},
    {.names = "git difftool",
     .effects = "runs_program: -x=COMMAND --extcmd=COMMAND",
     .does = Effect::writes,
     .never = "changes files or runs other programs",
     .alone = "",
     .style = Style::git,
     .unproven = "-d -g -t=VALUE -y --tool=VALUE",
     .runs = Runs::options,
     .manner = lenient | permutes,
     .script = "x extcmd"},
    {.names = "git bisect run",
     .does = Effect::runs_program,
     .never = "runs another program",
     .alone = "",
     .style = Style::git,
     .runs = Runs::command},
    {.names = "git submodule foreach",
     .does = Effect::runs_program,
     .never = "runs another program",
     .alone = "",
     .style = Style::git,
     .unproven = "-q --recursive --quiet",
     .runs = Runs::joined,
     .manner = lenient},
    {.names = "git filter-branch",
     .does = Effect::runs_program,
     .never = "runs another program",
     .alone = "",
     .style = Style::git,
     .unproven = "-f -d=VALUE --commit-filter=VALUE --env-filter=VALUE --index-filter=VALUE --msg-filter=VALUE "
                 "--parent-filter=VALUE --setup=VALUE --tag-name-filter=VALUE --tree-filter=VALUE --original=VALUE "
                 "--subdirectory-filter=VALUE --state-branch=VALUE --prune-empty --force",
     .runs = Runs::options,
     .manner = lenient | permutes,
     .script = "commit-filter env-filter index-filter msg-filter parent-filter setup tag-name-filter tree-filter"},
    {.names =
         "git submodule--helper, git merge-index, git merge-one-file, git remote-ext, git remote-fd, git daemon, git "
         "instaweb, git bisect--helper, git rebase--interactive, git difftool--helper, git mergetool--lib, git hook, "
         "git "
         "for-each-repo, git http-backend, git shell, git p4, git svn, git cvsserver, git web--browse",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .alone = "",
     .style = Style::git},
    {.names = "git send-email",
     .does = Effect::runs_program,
     .never = "runs other programs",
     .alone = "",
     .style = Style::git,
     .unproven = "--sendmail-cmd=VALUE --to-cmd=VALUE --cc-cmd=VALUE --header-cmd=VALUE --to=VALUE --cc=VALUE "
                 "--from=VALUE --subject=VALUE",
     .runs = Runs::options,
     .manner = lenient | permutes,
     .script = "sendmail-cmd to-cmd cc-cmd header-cmd"},
    {.names = "git init",
     .effects = "runs_program (brings hooks, which are programs): --template=DIR",
     .does = Effect::writes,
     .never = "makes a repository",
     .alone = "",
     .style = Style::git},
    // The following subcommands are listed because some of their words are texts, not paths.
    {.names = "git commit",
     .options =
         "-q --quiet -m=TEXT --message=TEXT --amend --no-edit --allow-empty "
         "--allow-empty-message -s --signoff -n --no-verify --author=TEXT --date=TEXT -C=COMMIT --reuse-message=COMMIT "
         "-c=COMMIT --reedit-message=COMMIT -F=FILE --file=FILE -t=FILE --template=FILE -e --edit --cleanup=MODE "
         "-u[=MODE] --untracked-files[=MODE] -S[=KEY] --gpg-sign[=KEY] --fixup=COMMIT "
         "--squash=COMMIT "
         "--reset-author --short --branch --porcelain --long -z --null --dry-run --status --trailer=TEXT "
         "--no-post-rewrite --pathspec-file-nul",
     .effects = "other (asks which changes to store): -p --patch --interactive; writes (stores the files in the "
                "repository): -a "
                "--all -i --include -o --only --pathspec-from-file=LIST; other (runs the text conversion of the "
                "configuration): -v --verbose",
     // With --dry-run, it writes the index and the objects of what is staged, and runs the filters of submodules.
     .does = Effect::writes,
     .never = "writes to the repository",
     .alone = "",
     .style = Style::git,
     .manner = lenient | permutes,
     .values_known = true,
     .synonyms = "n=no-verify a=all m=message"},
    {.names = "git clean",
     .options = "-d -x -X -n --dry-run -q --quiet -e=PATTERN --exclude=PATTERN",
     .effects = "writes (removes files): -f --force; other (asks what to remove): -i --interactive",
     .style = Style::git,
     .only_with = "-n --dry-run",
     .without = "removes files",
     .instead = "git clean --dry-run shows what it would do",
     .manner = lenient | permutes,
     .values_known = true,
     .synonyms = "f=force n=dry-run"},
};

}  // namespace

std::span<const ProgramSpec> git_programs() { return git_specs; }

}  // namespace wtool::policy::programs
