// Tools that search: grep and its relatives, find, and the indexes of names. arguments/find.cc reads find's expression.
#include "policy/arguments/parts.h"

namespace wtool::policy::programs {

namespace {

constexpr ProgramSpec search_specs[] = {
    {.names = "grep, egrep, fgrep",
     .options =
         "-E --extended-regexp -F --fixed-strings -G --basic-regexp -P --perl-regexp -e=PATTERN! --regexp=PATTERN! "
         "-f=FILE! --file=FILE! -i --ignore-case -y --no-ignore-case -w --word-regexp -x --line-regexp -z --null-data "
         "-s --no-messages -v --invert-match -V -m=NUM --max-count=NUM -b --byte-offset -n --line-number "
         "--line-buffered -H --with-filename -h --no-filename --label=LABEL -o --only-matching -q --quiet --silent "
         "--binary-files=TYPE -a --text -I -d=ACTION --directories=ACTION -D=ACTION --devices=ACTION -r --recursive "
         "-R --dereference-recursive --include=GLOB --exclude=GLOB --exclude-from=FILE --exclude-dir=GLOB -L "
         "--files-without-match -l --files-with-matches -c --count -T --initial-tab -Z --null -B=NUM "
         "--before-context=NUM -A=NUM --after-context=NUM -C=NUM --context=NUM -NUM --group-separator=SEP "
         "--no-group-separator --color[=WHEN] --colour[=WHEN] -U --binary -u --unix-byte-offsets",
     .operands = Operands::first_text,
     .covenant =
         Covenant{
             .options =
                 "-n -i -v -c -l -L -w -x -o -h -H -s -q -E -F -G -P -r -I -a -z -A=NUM -B=NUM -C=NUM -m=NUM -e=TEXT! "
                 "-NUM --line-number --ignore-case --invert-match --count --files-with-matches --files-without-match "
                 "--word-regexp --line-regexp --only-matching --no-filename --with-filename --no-messages --quiet "
                 "--extended-regexp --fixed-strings --basic-regexp --perl-regexp --recursive --text "
                 "--after-context=NUM --before-context=NUM --context=NUM --max-count=NUM --regexp=TEXT! --include=TEXT "
                 "--exclude=TEXT --exclude-dir=TEXT --color[=TEXT]",
             .least = 1},
     .variables = "GREP EGREP FGREP GREP_*"},
    {.names = "zgrep, zegrep, zfgrep, xzgrep, xzegrep, xzfgrep",
     .with = "grep",
     .operands = Operands::first_text,
     .manner = shell_script,
     .variables = "GREP EGREP FGREP GREP_*"},
    {.names = "bzgrep, bzegrep, bzfgrep",
     .with = "grep",
     .operands = Operands::first_text,
     .manner = shell_script | splits,
     .variables = "GREP EGREP FGREP GREP_*"},
    {.names = "rg",
     .options =
         "-e=PATTERN! --regexp=PATTERN! -f=FILE! --file=FILE! -A=NUM --after-context=NUM -B=NUM --before-context=NUM "
         "-C=NUM --context=NUM --block-buffered --no-block-buffered -b --byte-offset --no-byte-offset -s "
         "--case-sensitive --color=WHEN --colors=SPEC --column --no-column --context-separator=SEP "
         "--no-context-separator -c --count --count-matches --crlf --no-crlf --debug --trace --dfa-size-limit=SIZE "
         "-E=CODE "
         "--encoding=CODE --no-encoding --engine=NAME --auto-hybrid-regex --no-auto-hybrid-regex "
         "--field-context-separator=SEP --field-match-separator=SEP --files! -l --files-with-matches "
         "--files-without-match -F --fixed-strings --no-fixed-strings -L --follow --no-follow -g=GLOB --glob=GLOB "
         "--glob-case-insensitive --no-glob-case-insensitive --heading --no-heading -h -. --hidden --no-hidden "
         "--hyperlink-format=FORMAT --iglob=GLOB -i --ignore-case --ignore-file=FILE --ignore-file-case-insensitive "
         "--no-ignore-file-case-insensitive --include-zero --no-include-zero -v --invert-match --no-invert-match "
         "--json --no-json --line-buffered --no-line-buffered -n --line-number -N --no-line-number -x --line-regexp "
         "-M=NUM --max-columns=NUM --max-columns-preview --no-max-columns-preview -m=NUM --max-count=NUM -d=NUM "
         "--max-depth=NUM --maxdepth=NUM --max-filesize=NUM --mmap --no-mmap -U --multiline --no-multiline "
         "--multiline-dotall --no-multiline-dotall --no-config --no-ignore --ignore --no-ignore-dot --ignore-dot "
         "--no-ignore-exclude --ignore-exclude --no-ignore-files --ignore-files --no-ignore-global --ignore-global "
         "--no-ignore-messages --ignore-messages --no-ignore-parent --ignore-parent --no-ignore-vcs --ignore-vcs "
         "--no-messages --messages --no-require-git --require-git --no-unicode --unicode -0 --null --null-data "
         "--no-null-data --one-file-system --no-one-file-system -o --only-matching --path-separator=SEP --passthru "
         "--passthrough -P --pcre2 --no-pcre2 --pcre2-version --no-pre --pre-glob=GLOB -p --pretty -q --quiet "
         "--regex-size-limit=SIZE -r=TEXT --replace=TEXT --no-search-zip -S --smart-case --sort=WHAT --sortr=WHAT "
         "--sort-files --no-sort-files --stats --no-stats --stop-on-nonmatch -a --text --no-text -j=NUM --threads=NUM "
         "--trim --no-trim -t=TYPE --type=TYPE -T=TYPE --type-not=TYPE --type-add=SPEC --type-clear=TYPE --type-list! "
         "-u --unrestricted -V --vimgrep -H --with-filename -I --no-filename -w --word-regexp",
     .effects = "runs_program: --pre=COMMAND --hostname-bin=COMMAND; other (runs decompressors): -z --search-zip; "
                "writes (writes text for the shell): --generate=WHAT",
     .operands = Operands::first_text,
     .style = Style::exact,
     .hardened = "--no-config",
     .runs = Runs::option_value,
     .manner = lenient | permutes,
     .script = "pre hostname-bin",
     .variables = "RIPGREP_CONFIG_PATH"},
    {.names = "ag",
     .options =
         "--ackmate -A[=NUM] --after[=NUM] -B[=NUM] --before[=NUM] --break --nobreak -c --count --color --nocolor "
         "--color-line-number=CODES --color-match=CODES --color-path=CODES --column --filename --nofilename -H "
         "--heading --noheading -h -C[=NUM] --context[=NUM] -g=PATTERN! -l --files-with-matches -L "
         "--files-without-matches --no-numbers -o --only-matching --print-long-lines --passthrough --passthru "
         "--silent --stats --stats-only --vimgrep -0 --null --print0 -a --all-types -D --debug --depth=NUM -f "
         "--follow -F --fixed-strings -G=PATTERN --file-search-regex=PATTERN --hidden -i --ignore-case "
         "--ignore=PATTERN --ignore-dir=NAME -m=NUM --max-count=NUM --numbers -p=FILE --path-to-ignore=FILE -Q "
         "--literal -s --case-sensitive -S --smart-case --search-binary -t --all-text -u --unrestricted -U "
         "--skip-vcs-ignores -v --invert-match -w --word-regexp -W=NUM --width=NUM --one-device --nofollow "
         "--list-file-types --nopager --workers=NUM --affinity --noaffinity --multiline --nomultiline --cpp --python "
         "--js --ts --go --rust --java --html --css --json --yaml --shell --make --ruby --cc --markdown "
         "--ackmate-dir-filter=PATTERN --filename-pattern=PATTERN! --group --nogroup -n --norecurse -r -R --recurse -V",
     .effects = "runs_program: --pager=COMMAND; other (runs decompressors): -z --search-zip",
     .operands = Operands::first_text,
     .variables = "AG_*"},
    {.names = "ack",
     .options =
         "-i --ignore-case -S --smart-case -I --no-smart-case -v --invert-match -w --word-regexp -Q --literal -l "
         "--files-with-matches -L --files-without-matches -o --match=PATTERN! -m=NUM --max-count=NUM -1 -H "
         "--with-filename -h --no-filename -c --count --column -A[=NUM] --after-context[=NUM] -B[=NUM] "
         "--before-context[=NUM] -C[=NUM] --context[=NUM] -p[=NUM] --proximate[=NUM] -P --print0 -s --heading "
         "--noheading --break --nobreak --color "
         "--nocolor --group --nogroup -f! -g! --sort-files --show-types --files-from=LIST -x< -r -R --recurse -n "
         "--no-recurse --follow --nofollow -k --known-types -t=TYPE --type=TYPE -T=TYPE --ignore-dir=NAME "
         "--noignore-dir=NAME --ignore-directory=NAME --noignore-directory=NAME --ignore-file=FILTER --nopager --noenv "
         "--passthru --flush --color-colno=CODES "
         "--color-filename=CODES --color-lineno=CODES --color-match=CODES --range-start=PATTERN --range-end=PATTERN "
         "--range-invert --type-add=SPEC --type-set=SPEC --type-del=SPEC --underline --debug --filter --cc --cpp "
         "--perl --python "
         "--js --java --go --rust --html --css --json --yaml --shell",
     .effects =
         "runs_program: --pager[=COMMAND]; runs_code (runs perl code): --output=EXPRESSION; other (reads options "
         "from a file): --ackrc=FILE",
     .operands = Operands::first_text,
     .style = Style::exact,
     .hardened = "--noenv",
     .variables = "ACK_* ACKRC"},
    {.names = "fd, fdfind",
     .options =
         "-H --hidden --no-hidden -I --no-ignore --ignore --no-ignore-vcs --ignore-vcs --no-ignore-parent "
         "--no-global-ignore-file --no-require-git -u --unrestricted -s --case-sensitive -i --ignore-case -g --glob "
         "--regex -F --fixed-strings --and=PATTERN -a --absolute-path --relative-path -l --list-details -L "
         "--follow --no-follow -p --full-path -0 --print0 -d=NUM --max-depth=NUM --maxdepth=NUM --min-depth=NUM "
         "--exact-depth=NUM -E=PATTERN --exclude=PATTERN --prune -t=TYPE --type=TYPE -e=EXT --extension=EXT "
         "-S=SIZE --size=SIZE --changed-within=TIME --changed-before=TIME --newer=TIME --older=TIME "
         "--change-newer-than=TIME --change-older-than=TIME -o=OWNER --owner=OWNER --format=FORMAT --ignore-file=FILE "
         "-c=WHEN --color=WHEN --hyperlink[=WHEN] -j=NUM --threads=NUM --max-results=NUM -1 -q --quiet "
         "--has-results --show-errors --base-directory=DIR --path-separator=SEP --search-path=DIR "
         "--strip-cwd-prefix[=WHEN] --one-file-system --mount --xdev -h -V",
     .effects =
         "runs_program (runs the command after it): -x=COMMAND... --exec=COMMAND... -X=COMMAND... "
         "--exec-batch=COMMAND...; writes (writes text for the shell): --gen-completions[=SHELL]; other (sets how "
         "many names a command gets): --batch-size=NUM",
     .operands = Operands::first_text,
     .style = Style::exact,
     .runs = Runs::options,
     .manner = lenient | permutes | semicolons,
     .placeholders = "{} {/} {//} {.} {/.}"},
    {.names = "locate, mlocate, plocate",
     .options =
         "-A --all -b --basename -c --count -d=FILE --database=FILE -e --existing -L --follow -h -i --ignore-case "
         "-l=NUM --limit=NUM -n=NUM -m --mmap -P --nofollow -H -0 --null -S --statistics -q --quiet -r=REGEX "
         "--regexp=REGEX --regex -s --stdio -V -w --wholename -N --literal -p --ignore-spaces",
     .operands = Operands::text},
    // find's options are tests and actions; check_find reads them.
    {.names = "find",
     .options =
         "-a -and -o -or -not -true -false -daystart -depth -d -follow -mount -xdev -x -noleaf -warn -nowarn "
         "-ignore_readdir_race -noignore_readdir_race -empty -executable -readable -writable -nouser -nogroup -print "
         "-print0 -ls -prune -quit -help -version -H -L -P -E -X -s -O0 -O1 -O2 -O3 -D=OPTIONS -maxdepth=NUM "
         "-mindepth=NUM -regextype=TYPE -amin=NUM -cmin=NUM -mmin=NUM -atime=NUM -ctime=NUM -mtime=NUM -used=NUM "
         "-fstype=TYPE -gid=ID -group=NAME -uid=ID -user=NAME -name=PATTERN -iname=PATTERN -lname=PATTERN "
         "-ilname=PATTERN -path=PATTERN -ipath=PATTERN -wholename=PATTERN -iwholename=PATTERN -regex=PATTERN "
         "-iregex=PATTERN -inum=NUM -links=NUM -perm=MODE -size=SIZE -type=TYPE -xtype=TYPE -context=PATTERN "
         "-printf=FORMAT -anewer=FILE -cnewer=FILE -newer=FILE -samefile=FILE -files0-from=LIST",
     .effects = "writes (deletes files): -delete; runs_program: -exec -execdir -ok -okdir; writes: -fprint=FILE "
                "-fprint0=FILE -fprintf=FILE,FORMAT -fls=FILE",
     .style = Style::none,
     .check = check_find,
     .manner = single_dash | lenient | permutes,
     .values_known = true,
     .covenant =
         Covenant{
             .options =
                 "-name=TEXT -iname=TEXT -path=TEXT -ipath=TEXT -wholename=TEXT -regex=TEXT -iregex=TEXT "
                 "-regextype=TEXT -type=TEXT -size=TEXT -perm=TEXT -user=TEXT -group=TEXT -printf=TEXT -newer=FILE "
                 "-maxdepth=NUM -mindepth=NUM -mtime=INT -mmin=INT -atime=INT -amin=INT -ctime=INT -cmin=INT "
                 "-links=INT -empty -executable -readable -writable -print -print0 -ls -prune -quit -depth -daystart "
                 "-mount -xdev -true -false -not -a -and -o -or"}},
};

}  // namespace

std::span<const ProgramSpec> search_programs() { return search_specs; }

}  // namespace wtool::policy::programs
