// Tools with a little language of their own, and interpreters of great ones.
#include "policy/arguments/awk.h"
#include "policy/arguments/sed.h"
#include "policy/programs/reader.h"

namespace wtool::policy::programs {

namespace {

// Its expressions can read files and the environment, and one of its programs has an operator that runs commands.
std::optional<Problem> check_yq(const Reading& reading) {
  for (std::size_t i = 0; i < reading.operands.size(); ++i) {
    const std::string_view text = reading.operand(i);
    for (const std::string_view word : {"load", "system", "env"}) {
      if (text.find(word) != text.npos && text.find('(') != text.npos) {
        return Problem{
            reading.operands[i], "an expression of yq with " + std::string(word) + " can reach outside its input", {}};
      }
    }
  }
  return std::nullopt;
}

constexpr std::string_view awk_dangers =
    "other (reads a program that is not judged here): -f=FILE! --file=FILE! -E=FILE! --exec=FILE! -i=FILE "
    "--include=FILE -l=NAME --load=NAME; writes: -d[=FILE] --dump-variables[=FILE] -o[=FILE] --pretty-print[=FILE] "
    "-p[=FILE] --profile[=FILE]; interactive (starts a debugger): -D[=FILE] --debug[=FILE]; other (means another thing "
    "to every awk): -W=OPTION";

constexpr ProgramSpec specs[] = {
    {.names = "sed, gsed",
     .options =
         "-n --quiet --silent --debug -e=SCRIPT! --expression=SCRIPT! -E -r --regexp-extended -l=N --line-length=N "
         "-b --binary --follow-symlinks -s --separate --sandbox -u --unbuffered -z --null-data",
     .effects = "writes (writes to the files that it reads): -i[=SUFFIX] --in-place[=SUFFIX]; other (reads a script "
                "that is not judged here): -f=FILE! --file=FILE!; other (changes how the script is read): --posix",
     .operands = Operands::first_text,
     .check = check_sed},
    {.names = "gawk",
     .options =
         "-v=TEXT --assign=TEXT -F=FS --field-separator=FS -e=SCRIPT! --source=SCRIPT! -b --characters-as-bytes -c "
         "--traditional -C --copyright -g --gen-pot -h -M --bignum -n --non-decimal-data -N --use-lc-numeric -O "
         "--optimize -P --posix -r --re-interval -s --no-optimize -S --sandbox -t --lint-old -V -L[=HOW] "
         "--lint[=HOW] -I --trace",
     .effects = awk_dangers,
     .operands = Operands::first_text,
     .style = Style::posix,
     .check = check_awk},
    // What one awk takes as an option with a value another ignores, and then the value is its program.
    {.names = "awk, mawk, nawk, original-awk",
     .options = "-v=TEXT -F=FS -V",
     .effects = awk_dangers,
     .operands = Operands::first_text,
     .style = Style::posix,
     .check = check_awk},
    // jq neither executes nor writes.
    {.names = "jq",
     .options =
         "-c --compact-output -n --null-input -e --exit-status -s --slurp -r --raw-output -j --join-output -a "
         "--ascii-output --raw-output0 -R --raw-input -C --color-output -M --monochrome-output -S --sort-keys --tab "
         "--indent=NUM --unbuffered --stream --stream-errors --seq --args --jsonargs --arg=NAME,TEXT "
         "--argjson=NAME,TEXT --slurpfile=NAME,FILE --rawfile=NAME,FILE -f=FILE! --from-file=FILE! -L=DIR "
         "--library-path=DIR -h -V",
     .operands = Operands::first_text,
     .style = Style::exact},
    // Of the two programs of this name, one writes with -i or with --split-exp, and with -s; the other is jq in front.
    {.names = "yq",
     .options = "-c -n --null-input -r --raw-output -e --exit-status -C --colors -M --no-colors -P --prettyPrint "
                "-o=FORMAT --output-format=FORMAT -p=FORMAT --input-format=FORMAT -N --no-doc -I=NUM --indent=NUM -j "
                "--tojson -y --yaml-output -S -a --arg=NAME,TEXT --argjson=NAME,TEXT -h -V",
     .effects = "writes (writes to the files that it reads): -i --inplace --in-place; writes (writes files): "
                "-s=EXPRESSION --split-exp=EXPRESSION; other (reads a program that is not judged here): "
                "--from-file=FILE! --split-exp-file=FILE",
     .operands = Operands::first_text,
     .style = Style::exact,
     .check = check_yq},
    {.names = "python, python2, python3, pypy, pypy3",
     .does = Effect::runs_code,
     .never = "runs a program",
     .alone = "-V --version --help -h"},
    {.names = "node, nodejs, ruby, php, perl, lua, luajit, deno, bun, tsx, ts-node, Rscript, julia, ghci, irb",
     .does = Effect::runs_code,
     .never = "runs a program",
     .alone = "-v --version --help -version"},
    {.names = "java",
     .does = Effect::runs_code,
     .never = "runs a program",
     .alone = "-v --version --help -version",
     .response_files = true},
    {.names = "make, gmake, ninja, cmake, ctest, meson, gradle, mvn, ant, rake, just, task, bazel, scons, tox, nox",
     .does = Effect::runs_code,
     .never = "runs what the project's build files say",
     .alone = "-v --version --help"},
    {.names = "gcc, g++, cc, c++, cpp, gfortran, clang, clang++, rustc, javac, jar, javadoc, kotlinc, tsc, ld, gold, "
              "as, ar, "
              "ranlib, strip, objcopy, protoc",
     .does = Effect::writes,
     .never = "writes what it makes",
     .alone = "-v --version --help -dumpversion -dumpmachine",
     .response_files = true},
};

}  // namespace

std::span<const ProgramSpec> language_programs() { return specs; }

}  // namespace wtool::policy::programs
