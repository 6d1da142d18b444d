// Tools that read text and write it to standard output.
#include "policy/printf_format.h"
#include "policy/programs/reader.h"

namespace wtool::policy::programs {

namespace {

// bash's builtin printf can assign to a variable, and evaluates the variable's name.
std::optional<Problem> check_printf(const ParsedCommand& reading) {
  const std::size_t format = format_index(reading.operand(0));
  if (reading.operand(0).starts_with("-v")) {
    return Problem{reading.operands[0], "printf -v assigns to a variable, whose name bash evaluates", "leave -v out"};
  }
  if (reading.operands.size() <= format + 1 || !may_assign(reading.operand(format))) return std::nullopt;
  return Problem{reading.operands[format], "printf assigns to a variable for %n in bash", "leave %n out"};
}

constexpr ProgramSpec text_specs[] = {
    {.names = "cat",
     .options =
         "-A --show-all -b --number-nonblank -e -E --show-ends -n --number -s --squeeze-blank -t -T --show-tabs -u "
         "-v --show-nonprinting",
     .covenant = Covenant{.options = "-n -b -A -E -T -s -v -e -t --number --number-nonblank --show-all --squeeze-blank",
                          .least = 1}},
    {.names = "tac", .options = "-b --before -r --regex -s=STRING --separator=STRING"},
    {.names = "head",
     .options = "-c=NUM --bytes=NUM -n=NUM --lines=NUM -q --quiet --silent -v --verbose -z --zero-terminated -NUM",
     .covenant = Covenant{.options = "-q -v -n=INT -c=INT -NUM --lines=INT --bytes=INT --quiet --verbose", .least = 1}},
    {.names = "tail",
     .options =
         "-c=NUM --bytes=NUM -f --follow[=HOW] -F -n=NUM --lines=NUM --max-unchanged-stats=N --pid=PID -q --quiet "
         "--silent --retry -s=N --sleep-interval=N -v --verbose -z --zero-terminated -NUM",
     .covenant = Covenant{.options = "-q -v -n=INT -c=INT -NUM --lines=INT --bytes=INT --quiet --verbose", .least = 1}},
    {.names = "wc",
     .options = "-c --bytes -m --chars -l --lines --files0-from=LIST -L --max-line-length -w --words --total=WHEN",
     .covenant = Covenant{.options = "-l -w -c -m -L --lines --words --bytes --chars --max-line-length", .least = 1}},
    {.names = "nl",
     .options =
         "-b=STYLE --body-numbering=STYLE -d=CC --section-delimiter=CC -f=STYLE --footer-numbering=STYLE -h=STYLE "
         "--header-numbering=STYLE -i=NUM --line-increment=NUM -l=NUM --join-blank-lines=NUM -n=FORMAT "
         "--number-format=FORMAT -p --no-renumber -s=STRING --number-separator=STRING -v=NUM "
         "--starting-line-number=NUM -w=NUM --number-width=NUM"},
    {.names = "od",
     .options = "-A=RADIX --address-radix=RADIX --endian=ORDER -j=BYTES --skip-bytes=BYTES -N=BYTES --read-bytes=BYTES "
                "-S=BYTES --strings[=BYTES] -t=TYPE --format=TYPE -v --output-duplicates -w[=BYTES] --width[=BYTES] "
                "--traditional -a -b -c -d -f -i -l -o -s -x -B -D -e -F -h -H -I -L -O -X"},
    {.names = "hexdump, hd",
     .options = "-b --one-byte-octal -c --one-byte-char -C --canonical -d --two-bytes-decimal -o --two-bytes-octal -x "
                "--two-bytes-hex -L[=WHEN] --color[=WHEN] -e=FORMAT --format=FORMAT -f=FILE --format-file=FILE -n=NUM "
                "--length=NUM -s=NUM --skip=NUM -v --no-squeezing -h -V"},
    {.names = "strings",
     .options =
         "-a --all -d --data -f --print-file-name -n=NUM --bytes=NUM -t=RADIX --radix=RADIX -w "
         "--include-all-whitespace -o -T=NAME --target=NAME -e=CODE --encoding=CODE --unicode=HOW -U=HOW -s=STRING "
         "--output-separator=STRING -h -v -V -NUM",
     .response_files = true},
    {.names = "cut",
     .options =
         "-b=FIELDS --bytes=FIELDS -c=FIELDS --characters=FIELDS -d=CHAR --delimiter=CHAR -f=FIELDS --fields=FIELDS -n "
         "--complement -s --only-delimited --output-delimiter=STRING -z --zero-terminated"},
    {.names = "paste", .options = "-d=CHARS --delimiters=CHARS -s --serial -z --zero-terminated"},
    {.names = "column",
     .options = "-t --table -n=NAME --table-name=NAME -O=COLUMNS --table-order=COLUMNS -N=NAMES --table-columns=NAMES "
                "-l=NUM --table-columns-limit=NUM -E=COLUMNS --table-noextreme=COLUMNS -d --table-noheadings -e "
                "--table-header-repeat -H=COLUMNS --table-hide=COLUMNS -R=COLUMNS --table-right=COLUMNS -T=COLUMNS "
                "--table-truncate=COLUMNS -W=COLUMNS --table-wrap=COLUMNS -L --keep-empty-lines -J --json -r=COLUMN "
                "--tree=COLUMN -i=COLUMN --tree-id=COLUMN -p=COLUMN --tree-parent=COLUMN -c=WIDTH --output-width=WIDTH "
                "-o=STRING --output-separator=STRING -s=STRING --separator=STRING -x --fillrows -h -V"},
    {.names = "colrm, rev", .options = "-h -V"},
    {.names = "tr",
     .options = "-c -C --complement -d --delete -s --squeeze-repeats -t --truncate-set1",
     .operands = Operands::text},
    {.names = "sort",
     .options = "-b --ignore-leading-blanks -d --dictionary-order -f --ignore-case -g --general-numeric-sort -i "
                "--ignore-nonprinting -M --month-sort -h --human-numeric-sort -n --numeric-sort -R --random-sort "
                "--random-source=FILE -r --reverse --sort=WORD -V --version-sort --batch-size=NUM -c --check[=HOW] -C "
                "--debug --files0-from=LIST -k=KEY --key=KEY -m --merge -s --stable -S=SIZE --buffer-size=SIZE -t=SEP "
                "--field-separator=SEP --parallel=NUM -u --unique -z --zero-terminated",
     .effects = "writes: -o=FILE --output=FILE; runs_program: --compress-program=PROGRAM; writes (writes temporary "
                "files to a place of the caller's choice): -T=DIR --temporary-directory=DIR",
     .runs = Runs::option_value,
     .manner = lenient | permutes,
     .script = "compress-program"},
    {.names = "uniq",
     .options = "-c --count -d --repeated -D --all-repeated[=METHOD] -f=NUM --skip-fields=NUM --group[=METHOD] -i "
                "--ignore-case -s=NUM --skip-chars=NUM -u --unique -z --zero-terminated -w=NUM --check-chars=NUM -NUM",
     .most = 1,
     .beyond = "a second operand of uniq is a file that it writes to"},
    {.names = "comm",
     .options = "-1 -2 -3 --check-order --nocheck-order --output-delimiter=STRING --total -z --zero-terminated"},
    {.names = "join",
     .options = "-a=NUM -e=STRING -i --ignore-case -j=FIELD -o=FORMAT -t=CHAR -v=NUM -1=FIELD -2=FIELD --check-order "
                "--nocheck-order --header -z --zero-terminated"},
    {.names = "fold", .options = "-b --bytes -s --spaces -w=WIDTH --width=WIDTH -c --characters -NUM"},
    {.names = "fmt",
     .options =
         "-c --crown-margin -p=PREFIX --prefix=PREFIX -s --split-only -t --tagged-paragraph -u --uniform-spacing "
         "-w=WIDTH --width=WIDTH -g=WIDTH --goal=WIDTH -NUM"},
    {.names = "expand", .options = "-i --initial -t=COLUMNS --tabs=COLUMNS -NUM"},
    {.names = "unexpand", .options = "-a --all --first-only -t=COLUMNS --tabs=COLUMNS -NUM"},
    {.names = "pr",
     .options =
         "-NUM --columns=NUM -a --across -c --show-control-chars -d --double-space -D=FORMAT --date-format=FORMAT "
         "-e[=CHARS] --expand-tabs[=CHARS] -F -f --form-feed -h=TEXT --header=TEXT -i[=CHARS] "
         "--output-tabs[=CHARS] -J --join-lines -l=NUM --length=NUM -m --merge -n[=CHARS] --number-lines[=CHARS] "
         "-N=NUM --first-line-number=NUM -o=NUM --indent=NUM -r --no-file-warnings -s[=CHAR] --separator[=CHAR] "
         "-S[=STRING] --sep-string[=STRING] -t --omit-header -T --omit-pagination -v --show-nonprinting -w=WIDTH "
         "--width=WIDTH -W=WIDTH --page-width=WIDTH --pages=RANGE"},
    {.names = "cmp",
     .options =
         "-b --print-bytes -c --print-chars -i=SKIP --ignore-initial=SKIP -l --verbose -n=LIMIT --bytes=LIMIT -s "
         "--quiet --silent -v"},
    {.names = "diff",
     .options =
         "--normal -q --brief -s --report-identical-files -c -C=NUM --context[=NUM] -u -U=NUM --unified[=NUM] -e --ed "
         "-n "
         "--rcs -y --side-by-side -W=NUM --width=NUM --left-column --suppress-common-lines -p --show-c-function -F=RE "
         "--show-function-line=RE --label=LABEL -L=LABEL -t --expand-tabs -T --initial-tab --tabsize=NUM "
         "--suppress-blank-empty -r --recursive --no-dereference -N --new-file -P --unidirectional-new-file "
         "--ignore-file-name-case --no-ignore-file-name-case -x=PATTERN --exclude=PATTERN -X=FILE --exclude-from=FILE "
         "-S=NAME --starting-file=NAME --from-file=FILE --to-file=FILE -i --ignore-case -E --ignore-tab-expansion -Z "
         "--ignore-trailing-space -b --ignore-space-change -w --ignore-all-space -B --ignore-blank-lines -I=RE "
         "--ignore-matching-lines=RE -a --text --strip-trailing-cr -D=NAME --ifdef=NAME --GTYPE-group-format=FORMAT "
         "--line-format=FORMAT --old-line-format=FORMAT --new-line-format=FORMAT --unchanged-line-format=FORMAT "
         "--old-group-format=FORMAT --new-group-format=FORMAT --unchanged-group-format=FORMAT "
         "--changed-group-format=FORMAT -d --minimal -H --speed-large-files --horizon-lines=NUM --color[=WHEN] "
         "--palette=PALETTE -v -NUM",
     .effects = "other (runs pr): -l --paginate"},
    {.names = "diff3",
     .options = "-A --show-all -e --ed -E --show-overlap -3 --easy-only -x --overlap-only -X -m --merge -a --text "
                "--strip-trailing-cr -T --initial-tab -L=LABEL --label=LABEL -v",
     .effects = "runs_program: --diff-program=PROGRAM",
     .runs = Runs::option_value,
     .manner = lenient | permutes,
     .script = "diff-program"},
    {.names = "md5sum, sha1sum, sha224sum, sha256sum, sha384sum, sha512sum, b2sum, cksum, sum, shasum",
     .options = "-b --binary -c@ --check@ -l=BITS --length=BITS --tag -t --text -z --zero --ignore-missing -q --quiet "
                "--status --strict -w --warn -a=NAME --algorithm=NAME --untagged --base64 --raw --debug -r -s --sysv"},
    {.names = "base64, base32, basenc",
     .options =
         "-d --decode -D -i --ignore-garbage -w=NUM --wrap=NUM --base64 --base64url --base32 --base32hex --base16 "
         "--base2msbf --base2lsbf --z85"},
    {.names = "shuf",
     .options =
         "-e --echo -i=RANGE --input-range=RANGE -n=COUNT --head-count=COUNT --random-source=FILE -r --repeat -z "
         "--zero-terminated",
     .effects = "writes: -o=FILE --output=FILE"},
    {.names = "iconv",
     .options = "-f=CODE --from-code=CODE -t=CODE --to-code=CODE -l --list -c -s --silent --verbose",
     .effects = "writes: -o=FILE --output=FILE"},
    {.names = "ptx",
     .options =
         "-A --auto-reference -F=STRING --flag-truncation=STRING -M=STRING --macro-name=STRING -O -T --format=HOW -R "
         "--right-side-refs -S=REGEXP --sentence-regexp=REGEXP -W=REGEXP --word-regexp=REGEXP -b=FILE "
         "--break-file=FILE "
         "-f --ignore-case -g=NUMBER --gap-size=NUMBER -i=FILE --ignore-file=FILE -o=FILE --only-file=FILE -r "
         "--references -t --typeset-mode -w=NUMBER --width=NUMBER",
     .effects = "writes (makes the second operand an output file): -G --traditional"},
    {.names = "tsort, factor, look",
     .options = "-a --alternative -d --alphanum -f --ignore-case -t=CHAR --terminate=CHAR -h --exponents"},
    {.names = "numfmt",
     .options = "--debug -d=X --delimiter=X --field=FIELDS --format=FORMAT --from=UNIT --from-unit=N --grouping "
                "--header[=N] --invalid=MODE --padding=N --round=METHOD --suffix=SUFFIX --to=UNIT --to-unit=N -z "
                "--zero-terminated",
     .operands = Operands::text},
    {.names = "seq",
     .options = "-f=FORMAT --format=FORMAT -s=STRING --separator=STRING -w --equal-width -NUM",
     .operands = Operands::text},
    {.names = "echo, expr, true, false, :, yes", .operands = Operands::text, .style = Style::none},
    {.names = "printf", .operands = Operands::text, .style = Style::none, .check = check_printf},
    {.names = "sleep", .operands = Operands::text},
    {.names = "cal, ncal",
     .options = "-1 -3 -n=NUM --months=NUM -S --span -s --sunday -m --monday -j --julian -y --year -Y --twelve -w "
                "--week[=NUM] -v --vertical --color[=WHEN] -h -V -A=NUM -B=NUM -b -C -N",
     .operands = Operands::text},
    {.names = "bc", .options = "-h -i --interactive -l --mathlib -q --quiet -s --standard -w --warn -v"},
};

}  // namespace

std::span<const ProgramSpec> text_programs() { return text_specs; }

}  // namespace wtool::policy::programs
