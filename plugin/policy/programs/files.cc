// Tools that look at files and folders.
#include "policy/programs/reader.h"

namespace wtool::policy::programs {

namespace {

// xxd reads no options after its first operand: `xxd a -p` writes to a file named -p, and `xxd a --` to one named --.
std::optional<Problem> check_xxd(const ParsedCommand& reading) {
  if (reading.operands.empty() || reading.operands[0] + 1 == reading.words.size()) return std::nullopt;
  return Problem{reading.operands[0] + 1, "a second operand of xxd is a file that it writes to",
                 "put the options first"};
}

constexpr ProgramSpec file_specs[] = {
    {.names = "ls, dir, vdir",
     .options =
         "-a --all -A --almost-all --author -b --escape --block-size=SIZE -B --ignore-backups -c -C --color[=WHEN] "
         "-d --directory -D --dired -f -F --classify[=WHEN] --file-type --format=WORD --full-time -g "
         "--group-directories-first -G --no-group -h --human-readable --si -H --dereference-command-line "
         "--dereference-command-line-symlink-to-dir --hide=PATTERN --hyperlink[=WHEN] --indicator-style=WORD -i "
         "--inode -I=PATTERN --ignore=PATTERN -k --kibibytes -l -L --dereference -m -n --numeric-uid-gid -N "
         "--literal -o -p -q --hide-control-chars --show-control-chars -Q --quote-name --quoting-style=WORD -r "
         "--reverse -R --recursive -s --size -S --sort=WORD --time=WORD --time-style=STYLE -t -T=COLUMNS "
         "--tabsize=COLUMNS -u -U -v -w=COLUMNS --width=COLUMNS -x -X -Z --context --zero -1",
     .covenant =
         Covenant{
             .options =
                 "-a -A -l -h -R -r -t -S -1 -d -F -i -s -p -n -g -G -X -U -c -u -k -m -x -C -Q -b -q -B -f -v -o -N "
                 "--all --almost-all --human-readable --recursive --reverse --directory --size --inode --classify "
                 "--no-group --group-directories-first --full-time --sort=TEXT --color[=TEXT]"},
     .variables = "LS_OPTIONS"},
    {.names = "exa, eza",
     .options =
         "-1 --oneline -l --long -G --grid -x --across -R --recurse -T --tree -F --classify --color=WHEN "
         "--colour=WHEN --icons --no-icons -a --all -d --list-dirs -L=NUM --level=NUM -r --reverse -s=FIELD "
         "--sort=FIELD --group-directories-first -D --only-dirs -I=GLOBS --ignore-glob=GLOBS --git-ignore -b "
         "--binary -B --bytes -g --group -h --header -H --links -i --inode -m --modified -n --numeric -S --blocks "
         "-t=FIELD --time=FIELD -u --accessed -U --created --git --time-style=STYLE --no-permissions --no-user "
         "--no-filesize --no-time"},
    {.names = "tree",
     .options =
         "-a -d -l -f -x -L=LEVEL -P=PATTERN -I=PATTERN --gitignore --gitfile=FILE --infofile=FILE --ignore-case "
         "--matchdirs --metafirst --info --noreport --charset=SET --filelimit=NUM -q -N -Q -p -u -g -s -h --si "
         "--du -D --timefmt=FORMAT -F --inodes --device -v -t -c -U -r --dirsfirst --filesfirst --sort=HOW -i -A -S "
         "-n -C -X -J -H=BASE -T=TITLE --nolinks --prune --fromfile --fromtabfile --hintro=FILE --houtro=FILE",
     .effects = "writes: -o=FILE --output=FILE; writes (writes 00Tree.html into folders): -R",
     .style = Style::tree},
    {.names = "xxd",
     .options = "-a -autoskip -b -bits -c=COLUMNS -cols=COLUMNS -C -capitalize -d -decimal -e -E -EBCDIC -g=BYTES "
                "-groupsize=BYTES "
                "-h -i -include -l=LENGTH -len=LENGTH -n=NAME -name=NAME -o=OFFSET -p -ps -postscript -plain -s=SEEK "
                "-seek=SEEK -u "
                "-uppercase -upper -v -version -R=WHEN -t",
     .effects = "writes (turns text back into bytes and can write them into a file): -r -revert",
     .most = 1,
     .beyond = "a second operand of xxd is a file that it writes to",
     .style = Style::go,
     .check = check_xxd},
    {.names = "bat, batcat",
     .options =
         "-A --show-all -p --plain -l=LANGUAGE --language=LANGUAGE -H=LINES --highlight-line=LINES "
         "--file-name=NAME -d --diff --diff-context=N --tabs=T --wrap=MODE --terminal-width=N -n --number "
         "--color=WHEN --italic-text=WHEN --decorations=WHEN -f --force-colorization --paging=never|auto "
         "-m=MAP --map-syntax=MAP --theme=NAME --list-themes --style=PARTS -r=RANGE --line-range=RANGE "
         "--ignored-suffix=SUFFIX --strip-ansi=WHEN --squeeze-limit=NUM --binary=HOW --nonprintable-notation=HOW "
         "--theme-dark=NAME --theme-light=NAME -L "
         "--list-languages -u --unbuffered -h -V -P",
     .effects = "runs_program (runs a program): --pager=PROGRAM",
     .variables = "BAT_* DELTA_*"},
    {.names = "basename", .options = "-a --multiple -s=SUFFIX --suffix=SUFFIX -z --zero", .style = Style::posix},
    {.names = "dirname", .options = "-z --zero"},
    {.names = "pathchk", .options = "-p -P --portability"},
    {.names = "dircolors",
     .options = "-b --sh --bourne-shell -c --csh --c-shell -p --print-database --print-ls-colors"},
    {.names = "realpath",
     .options = "-e --canonicalize-existing -m --canonicalize-missing -L --logical -P --physical -q --quiet "
                "--relative-to=DIR --relative-base=DIR -s --strip --no-symlinks -z --zero"},
    {.names = "readlink",
     .options = "-f --canonicalize -e --canonicalize-existing -m --canonicalize-missing -n --no-newline -q --quiet -s "
                "--silent -v --verbose -z --zero"},
    {.names = "pwd", .options = "-L --logical -P --physical", .covenant = Covenant{.options = "-L -P", .most = 0}},
    {.names = "cd", .options = "-L -P -e"},
    {.names = "stat",
     .options = "-L --dereference -f --file-system --cached=MODE -c=FORMAT --format=FORMAT --printf=FORMAT -t --terse"},
    {.names = "file",
     .options = "-v -m=FILE --magic-file=FILE -b --brief -c --checking-printout -e=TEST --exclude=TEST "
                "--exclude-quiet=TEST -f=LIST --files-from=LIST -F=STRING --separator=STRING -i --mime --mime-type "
                "--mime-encoding --apple --extension -k --keep-going -l --list -L --dereference -h --no-dereference -n "
                "--no-buffer -N --no-pad -0 --print0 -P=PARAMETER --parameter=PARAMETER -r --raw -s --special-files -d "
                "--debug",
     .effects = "writes (writes a compiled magic file): -C --compile; writes (sets the times of the file): -p "
                "--preserve-date; other (runs decompressors): -z --uncompress -Z --uncompress-noreport; privileged "
                "(takes the safety off): -S --no-sandbox"},
    {.names = "du",
     .options =
         "-0 --null -a --all --apparent-size -A -B=SIZE --block-size=SIZE -b --bytes -c --total -D --dereference-args "
         "-d=NUM --max-depth=NUM --files0-from=LIST -H -h --human-readable --inodes -k -L --dereference -l "
         "--count-links -m -P --no-dereference -S --separate-dirs --si -s --summarize -t=SIZE --threshold=SIZE "
         "--time[=WORD] --time-style=STYLE -X=FILE --exclude-from=FILE --exclude=PATTERN -x --one-file-system"},
    {.names = "df",
     .options = "-a --all -B=SIZE --block-size=SIZE -h --human-readable -H --si -i --inodes -k -l --local --no-sync "
                "--output[=FIELDS] -P --portability --sync --total -t=TYPE --type=TYPE -T --print-type -x=TYPE "
                "--exclude-type=TYPE -v -m"},
    {.names = "namei",
     .options = "-x --mountpoints -m --modes -o --owners -l --long -n --nosymlinks -v --vertical -Z -h -V"},
    {.names = "getfacl, lsattr",
     .options = "-a -d -e -c -E -s -R -L -P -t -p -n -l -v -V --access --default --omit-header --all-effective "
                "--no-effective --skip-base --recursive --logical --physical --tabular --numeric --absolute-names"},
    {.names = "nm",
     .options =
         "-a --debug-syms -A --print-file-name -B -C --demangle[=STYLE] --no-demangle --recurse-limit "
         "--no-recurse-limit -D --dynamic -e -f=FORMAT --format=FORMAT -g --extern-only --ifunc-chars=CHARS -j "
         "--just-symbols -l --line-numbers -n --numeric-sort -o -p --no-sort -P --portability -r --reverse-sort -S "
         "--print-size -s --print-armap --quiet --size-sort --special-syms --synthetic -t=RADIX --radix=RADIX "
         "--target=NAME -u --undefined-only --defined-only --unicode=HOW -W --no-weak --with-symbol-versions -X=MODE "
         "-h -V",
     .effects = "runs_code (loads code): --plugin=FILE",
     .response_files = true},
    {.names = "size, readelf, objdump",
     .options =
         "-a --all -A -B -C --demangle[=STYLE] -D --dynamic --defined-only -g --extern-only -l --line-numbers -n "
         "--numeric-sort -o -p --no-sort -P --portability -r --reverse-sort -S --print-size -s --size-sort -u "
         "--undefined-only -d -t -x -h --file-header --headers -W --wide -e --segments --program-headers --sections "
         "--section-headers --syms --symbols --dyn-syms --relocs --notes --disassemble --all-headers --private-headers "
         "--private=OPTIONS "
         "-f -T -R -V -I --arch-specific --version-info -c --archive-index -j=NAME --section=NAME -M=OPTIONS "
         "--no-show-raw-insn --source --reloc --full-contents --info --totals --format=FORMAT --radix=RADIX",
     .effects = "runs_code (loads code): --plugin=FILE",
     .response_files = true},
    {.names = "addr2line, c++filt",
     .options = "-a --addresses -b=NAME --target=NAME -e=FILE --exe=FILE -f --functions -i --inlines -j=NAME "
                "--section=NAME -p --pretty-print -s --basenames -C --demangle[=STYLE] -n --no-strip-underscore -t "
                "--types -h -v",
     .response_files = true},
    {.names = "ldd", .does = Effect::runs_program, .never = "may run the program that it is asked about"},
};

}  // namespace

std::span<const ProgramSpec> file_programs() { return file_specs; }

}  // namespace wtool::policy::programs
