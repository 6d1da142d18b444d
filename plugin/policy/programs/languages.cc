// Tools with a small language of their own, and interpreters of large ones.
#include "policy/arguments/parts.h"
#include "policy/programs/reader.h"

namespace wtool::policy::programs {

namespace {

// The expression without its texts in quotes, which may be the names of keys. Texts that contain expressions, \(...), and
// quotes in a comment leave it as it is.
std::string without_texts(std::string_view expression) {
  std::string rest(expression);
  if (expression.find('#') != expression.npos || expression.find("\\(") != expression.npos) return rest;
  for (std::size_t begin = 0; (begin = rest.find('"', begin)) != rest.npos; ++begin) {
    std::size_t end = begin + 1;
    while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2 : 1;
    if (end >= rest.size()) return rest;
    rest.replace(begin, end - begin + 1, " ");
  }
  return rest;
}

// Whether the expression has an operator whose name contains `word`, such as str_load. It needs no parentheses. What
// follows a single dot, as in `.payload`, is the name of a key, unless it is a number; behind `$`, it is a variable.
bool has_operator(std::string_view expression, std::string_view word) {
  for (std::size_t at = expression.find(word); at != expression.npos; at = expression.find(word, at + 1)) {
    const std::size_t before =
        expression.substr(0, at).find_last_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    if (before == expression.npos) return true;
    const bool is_number = expression[before + 1] >= '0' && expression[before + 1] <= '9';
    const bool is_key = expression[before] == '.' && (before == 0 || expression[before - 1] != '.');
    if (is_number || !(is_key || expression[before] == '$')) return true;
  }
  return false;
}

// The directive at the beginning of a program of jq, where alone jq accepts one: it reads another file. Elsewhere, the
// word is the name of a key: .include
std::string_view directive_of_jq(std::string_view program) {
  program.remove_prefix(std::min(program.find_first_not_of(" \t\r\n"), program.size()));
  // Where a comment ends depends on the version of jq.
  const bool anywhere = program.starts_with('#') || program.starts_with("module");
  for (const std::string_view word : {"import", "include"}) {
    if (anywhere ? program.find(word) != program.npos : program.starts_with(word)) return word;
  }
  return {};
}

// yq's expressions can read other files and the environment. One of the programs of this name has an operator that runs
// commands, one that reads a text as an expression, and reads a first operand with the ending .yq as a program.
std::optional<Problem> judge_yq(const ParsedCommand& reading, std::size_t at, std::string_view operators) {
  const std::string_view expression = reading.words[at];
  const std::string judged = without_texts(expression);
  for (const std::string_view word : parts_of(operators)) {
    if (!has_operator(judged, word)) continue;
    const std::string name(word.substr(0, word.find('(')));
    return Problem{at, "an expression of yq with " + name + " can reach outside its input", {}};
  }
  // One of the programs of this name passes its expression to jq.
  const std::string_view directive = directive_of_jq(expression);
  if (directive.empty()) return std::nullopt;
  return Problem{at, std::string(directive) + " in an expression of yq reads another file", {}};
}

// Looks for these operators in every word that may be an expression.
std::optional<Problem> judge_yq(const ParsedCommand& reading, std::string_view operators) {
  // In one of the programs, -s takes an expression. In the other, it takes no value, so the next word is the expression.
  for (const Given& given : reading.given) {
    if (!given.value || !is_listed("-s --split-exp", given.option->name)) continue;
    if (auto problem = judge_yq(reading, given.value_word, operators)) return problem;
  }
  const bool has_verb = !reading.operands.empty() && is_listed("eval e eval-all ea", reading.operand(0));
  const std::size_t at = has_verb ? 1 : 0;
  if (reading.first_replaced || reading.operands.size() <= at) return std::nullopt;
  if (reading.operand(at).ends_with(".yq")) {
    return Problem{reading.operands[at], "it is a program that is not judged here", {}};
  }
  // Behind an unknown option, which may take a value, it is not clear which operand is the expression.
  const std::size_t last = reading.complete ? at : reading.operands.size() - 1;
  for (std::size_t i = at; i <= last; ++i) {
    if (auto problem = judge_yq(reading, reading.operands[i], operators)) return problem;
  }
  return std::nullopt;
}

std::optional<Problem> check_yq(const ParsedCommand& reading) {
  return judge_yq(reading, "load system eval env( envsubst");
}

constexpr ProgramSpec language_specs[] = {
    {.names = "sed, gsed",
     .options =
         "-n --quiet --silent --debug -e=SCRIPT! --expression=SCRIPT! -E -r --regexp-extended -l=N --line-length=N "
         "-b --binary --follow-symlinks -s --separate --sandbox -u --unbuffered -z --null-data",
     .effects = "writes (writes to the files that it reads): -i[=SUFFIX] --in-place[=SUFFIX]; other (reads a script "
                "that is not judged here): -f=FILE! --file=FILE!; other (changes how the script is read): --posix",
     .operands = Operands::first_text,
     .check = check_sed},
    {.names = "awk:dangers",
     .effects = "other (reads a program that is not judged here): -f=FILE! --file=FILE! -E=FILE! --exec=FILE! -i=FILE "
                "--include=FILE -l=NAME --load=NAME; writes: -d[=FILE] --dump-variables[=FILE] -o[=FILE] "
                "--pretty-print[=FILE] "
                "-p[=FILE] --profile[=FILE]; interactive (starts a debugger): -D[=FILE] --debug[=FILE]; other (has "
                "a different meaning "
                "in each awk): -W=OPTION"},
    {.names = "gawk",
     .options =
         "-v=TEXT --assign=TEXT -F=FS --field-separator=FS -e=SCRIPT! --source=SCRIPT! -b --characters-as-bytes -c "
         "--traditional -C --copyright -g --gen-pot -h -M --bignum -n --non-decimal-data -N --use-lc-numeric -O "
         "--optimize -P --posix -r --re-interval -s --no-optimize -S --sandbox -t --lint-old -V -L[=HOW] "
         "--lint[=HOW] -I --trace",
     .with = "awk:dangers",
     .operands = Operands::first_text,
     .style = Style::posix,
     .check = check_awk,
     .variables = "AWKPATH AWKLIBPATH GAWK_*"},
    // Some awks ignore an option that takes a value in other awks, and then run that value as their program.
    {.names = "awk, mawk, nawk, original-awk",
     .options = "-v=TEXT -F=FS -V",
     .with = "awk:dangers",
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
     .style = Style::exact,
     .variables = "JQ_*"},
    // Two programs have this name. One writes with -i, --split-exp and -s; the other passes its arguments to jq.
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
     .alone = "-V --version --help -h",
     .unproven = "-c=VALUE -i -m=VALUE -W=VALUE -X=VALUE -Q=VALUE --check-hash-based-pycs=VALUE --help --version",
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "m V h version help",
     .code = "c",
     .variables = "PYTHON* PY_* PYTEST_* TOX_* COVERAGE_* DJANGO_SETTINGS_MODULE FLASK_* IPYTHON* JUPYTER_* PYLINTRC "
                  "MPLBACKEND GUNICORN_* VIRTUAL_ENV",
     .harmless_variables =
         "PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONUTF8 PYTHONHASHSEED "
         "PYTHONFAULTHANDLER PYTHONOPTIMIZE PYTHONVERBOSE PYTHONNOUSERSITE PYTHONSAFEPATH PYTHONASYNCIODEBUG "
         "PYTHONDEVMODE PYTHONTRACEMALLOC PYTHONCOERCECLOCALE PYTHON_COLORS FLASK_ENV"},
    {.names = "deno",
     .does = Effect::runs_code,
     .never = "runs a program",
     .alone = "-V --version --help",
     .unproven = "-L=VALUE --log-level=VALUE -c=VALUE --config=VALUE --import-map=VALUE --cert=VALUE --location=VALUE "
                 "--seed=VALUE --ext=VALUE --preload=VALUE --require=VALUE",
     .manner = lenient,
     .variables = "DENO_*"},
    {.names = "node, nodejs",
     .does = Effect::runs_code,
     .never = "runs a program",
     .alone = "-v --version --help",
     .unproven = "-C=VALUE -c -e -h -i -p -r=VALUE -v --eval=VALUE --print=VALUE --require=VALUE --import=VALUE "
                 "--loader=VALUE --experimental-loader=VALUE --conditions=VALUE --check --help --interactive "
                 "--input-type=VALUE --env-file=VALUE --test --run=VALUE --title=VALUE --watch-path=VALUE "
                 "--diagnostic-dir=VALUE --icu-data-dir=VALUE --openssl-config=VALUE --redirect-warnings=VALUE "
                 "--version --test-reporter=VALUE --test-name-pattern=VALUE --test-reporter-destination=VALUE --watch "
                 "--inspect[=VALUE] --inspect-brk[=VALUE] --snapshot-blob=VALUE --experimental-default-type=VALUE "
                 "--localstorage-file=VALUE --max-http-header-size=VALUE --unhandled-rejections=VALUE "
                 "--dns-result-order=VALUE --trace-event-categories=VALUE --trace-event-file-pattern=VALUE",
     .runs = Runs::interpreter,
     .manner = lenient | underscores,
     .idle = "v h version help c check test run",
     .code = "e p eval print r require import loader experimental-loader",
     .variables = "NODE NODE_* TS_NODE_* BABEL_* ELECTRON_* COREPACK_* NVM_* VOLTA_*",
     .harmless_variables = "NODE_ENV NODE_NO_WARNINGS NODE_DISABLE_COLORS NODE_NO_READLINE"},
    {.names = "ruby, irb",
     .does = Effect::runs_code,
     .never = "runs a program",
     .alone = "-v --version --help",
     .unproven =
         "-0 -1 -2 -3 -4 -5 -6 -7 -a -C=VALUE -c -d -e=VALUE -E=VALUE -F[=VALUE] -h -i[=VALUE] -I=VALUE -K -l -n "
         "-p -r=VALUE -s -S -v -w -W[=VALUE] -x[=VALUE] -X=VALUE -y -T --encoding=VALUE --external-encoding=VALUE "
         "--internal-encoding=VALUE --disable=VALUE --enable=VALUE --help --version --dump=VALUE --copyright "
         "--jit[=VALUE] --yjit[=VALUE] --parser=VALUE --backtrace-limit=VALUE --verbose",
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "h help version",
     .code = "e r",
     .variables = "RUBY* GEM_* BUNDLE_* RAILS_* RAKE* RBENV_* RVM_*",
     .harmless_variables = "RAILS_ENV"},
    {.names = "php",
     .does = Effect::runs_code,
     .never = "runs a program",
     .alone = "-v --version --help",
     .unproven = "-a -c=VALUE -B=VALUE -d=VALUE -E=VALUE -f=VALUE -F=VALUE -H -i -l -n -q -r=VALUE "
                 "-R=VALUE -s -S=VALUE -t=VALUE -v -w -z=VALUE -h --run=VALUE --process-code=VALUE "
                 "--process-begin=VALUE --process-end=VALUE --define=VALUE --file=VALUE --process-file=VALUE "
                 "--rf=VALUE --rc=VALUE --re=VALUE --ri=VALUE --rz=VALUE --rfunction=VALUE --rclass=VALUE "
                 "--rextension=VALUE --rzendextension=VALUE --rextinfo=VALUE --php-ini=VALUE --no-php-ini --version "
                 "--info --help "
                 "--server=VALUE --docroot=VALUE --timing[=VALUE] --zend-extension=VALUE --interactive",
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "f i l m v s S file info version help server h w syntax-check",
     .code = "r B R E F c d z run process-code process-begin process-end process-file php-ini define zend-extension a "
             "interactive",
     .variables = "PHP*"},
    {.names = "perl",
     .does = Effect::runs_code,
     .never = "runs a program",
     .alone = "-v --version --help",
     .unproven =
         "-0 -1 -2 -3 -4 -5 -6 -7 -8 -9 -a -C[=VALUE] -c -d[=VALUE] -D[=VALUE] -e=VALUE -E=VALUE -F[=VALUE] -g -h "
         "-i[=VALUE] -I=VALUE -l -m=VALUE -M=VALUE -n -p -s -S -t -T -u -U -v -V[=VALUE] -w -W -x[=VALUE] -X --help "
         "--version",
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "v V h help version",
     .code = "e E M m d",
     .variables = "PERL*",
     .harmless_variables = "PERL_UNICODE PERL_HASH_SEED"},
    {.names = "lua, luajit",
     .does = Effect::runs_code,
     .never = "runs a program",
     .alone = "-v",
     .unproven = "-e=VALUE -i -l=VALUE -v -E -W -j=VALUE -O[=VALUE] -b",
     .runs = Runs::interpreter,
     .manner = lenient,
     .code = "e j l i",
     .variables = "LUA_* LUAROCKS_*"},
    {.names = "bun",
     .does = Effect::runs_code,
     .never = "runs a program",
     .alone = "-v --version --help",
     .unproven = "-C=VALUE -w=VALUE -d=VALUE -F=VALUE -g -l=VALUE -s -h -v -y --cache=VALUE --conditions=VALUE "
                 "--cwd=VALUE --define=VALUE --dir=VALUE --elide-lines=VALUE --env-file=VALUE --external=VALUE "
                 "--extension-order=VALUE --filter=VALUE --global --install=VALUE --loader=VALUE --main-fields=VALUE "
                 "--port=VALUE --shell=VALUE --title=VALUE --tsconfig-override=VALUE "
                 "--help --loglevel=VALUE --prefix=VALUE --registry=VALUE --silent --userconfig=VALUE --version "
                 "--workspace=VALUE --workspaces --yes",
     .manner = lenient,
     .subcommands = true,
     .values_known = true,
     .synonyms = "g=global f=force y=yes w=workspace",
     .variables = "BUN_*"},
    {.names = "tsx, ts-node",
     .does = Effect::runs_code,
     .never = "runs a program",
     .alone = "-v --version --help",
     .unproven =
         "-c=VALUE -e=VALUE -E=VALUE -g=VALUE -l=VALUE -r=VALUE -p=VALUE -C=VALUE --eval=VALUE --compiler=VALUE "
         "--load=VALUE --execute=VALUE --expression=VALUE --require=VALUE --print=VALUE --command=VALUE",
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "version help",
     .code = "c e E r C compiler eval l load execute expression require p print g command"},
    {.names = "Rscript",
     .does = Effect::runs_code,
     .never = "runs a program",
     .unproven = "-e=VALUE --file[=VALUE] --args --default-packages[=VALUE] --version --help --slave",
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "file version help",
     .code = "e"},
    {.names = "julia",
     .does = Effect::runs_code,
     .never = "runs a program",
     .alone = "-v --version --help",
     .unproven =
         "-e=VALUE -E=VALUE -p=VALUE -t=VALUE -J=VALUE -L=VALUE -C=VALUE -O[=VALUE] -g[=VALUE] -v -h -q -i -H=VALUE "
         "--eval=VALUE --print=VALUE --load=VALUE --project[=VALUE] --threads=VALUE --procs=VALUE --sysimage=VALUE "
         "--version --help --startup-file=VALUE --color=VALUE --machine-file=VALUE --cpu-target=VALUE",
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "v h version help",
     .code = "e E L eval print load",
     .variables = "JULIA_*"},
    {.names = "ghci",
     .does = Effect::runs_code,
     .never = "runs a program",
     .unproven = "-e=VALUE",
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "version help",
     .code = "e"},
    {.names = "java",
     .does = Effect::runs_code,
     .never = "runs a program",
     .alone = "-version --version --help",
     .response_files = true,
     .manner = single_dash | lenient | permutes,
     .values_known = true,
     .variables = "JAVA JAVA_* _JAVA_* JDK_* JRE_* CLASSPATH JVM_* KOTLIN_* SCALA_*",
     .harmless_variables = "JAVA_VERSION"},
    {.names = "ninja, gradle, ant, task, nox",
     .does = Effect::runs_code,
     .never = "runs what the project's build files say",
     .reads_input = true,
     .variables = "NINJA_* MESON_* BAZEL* MAVEN_* M2_* GRADLE_* ANT_* SBT_*"},
    // scons --help shows what the project's SConstruct says.
    {.names = "scons",
     .does = Effect::runs_code,
     .never = "runs what the project's build files say",
     .alone = "--version",
     .reads_input = true},
    // mvn passes .mvn/jvm.config of the project to Java, even for its version.
    {.names = "mvn",
     .does = Effect::runs_code,
     .never = "runs what the project's build files say",
     .alone = "",
     .runs = Runs::words,
     .parts = "EXEC.EXECUTABLE",
     .reads_input = true},
    {.names = "ctest",
     .does = Effect::runs_code,
     .never = "runs what the project's build files say",
     .runs = Runs::words,
     .words = "--build-and-test --launch",
     .reads_input = true},
    {.names = "meson",
     .does = Effect::runs_code,
     .never = "runs what the project's build files say",
     .alone = "--version --help",
     .runs = Runs::words,
     .words = "devenv runpython --internal --wr --wra --wrap",
     .beginnings = "--wr= --wra= --wrap= --wrapp --gdb-p",
     .reads_input = true},
    // bazel first runs tools/bazel of the project, if it exists.
    {.names = "bazel",
     .does = Effect::runs_code,
     .never = "runs what the project's build files say",
     .alone = "",
     .runs = Runs::words,
     .beginnings = "--run_under --workspace_status_command --shell_executable --credential_helper --server_javabase "
                   "--bazelrc",
     .reads_input = true},
    // tox first runs toxfile.py of the project.
    {.names = "tox",
     .does = Effect::runs_code,
     .never = "runs what the project's build files say",
     .alone = "",
     .runs = Runs::words,
     .words = "exec e",
     .beginnings = "-x --ov",
     .reads_input = true},
    {.names = "rake",
     .does = Effect::runs_code,
     .never = "runs what the project's build files say",
     .alone = "-V --version --help",
     .unproven = "-e=VALUE -E=VALUE -p=VALUE -r=VALUE -f[=VALUE] -I=VALUE -R=VALUE -n -q -s -t -v -m -N -A -B -G -g -P "
                 "-X -V -H -h --execute=VALUE --execute-print=VALUE --execute-continue=VALUE --require=VALUE "
                 "--libdir=VALUE --rakefile[=VALUE] --rakelibdir=VALUE --suppress-backtrace=VALUE",
     .runs = Runs::words,
     .manner = lenient | permutes,
     .code = "e E p r execute execute-print execute-continue require",
     .beginnings = "--e --re",
     .reads_input = true},
    {.names = "just",
     .does = Effect::runs_code,
     .never = "runs what the project's build files say",
     .alone = "-V --version --help",
     .unproven = "-c=VALUE --command=VALUE --shell=VALUE --shell-arg=VALUE --chooser=VALUE --set=VALUE,VALUE -f=VALUE "
                 "--justfile=VALUE -d=VALUE --working-directory=VALUE -s=VALUE --show=VALUE --color=VALUE "
                 "--dotenv-filename=VALUE --dotenv-path=VALUE -e --edit --choose -n -q -u -v -l -h -V -g",
     .runs = Runs::words,
     .manner = lenient | permutes,
     .code = "c command shell shell-arg chooser choose e edit",
     .reads_input = true},
    {.names = "make, gmake",
     .does = Effect::runs_code,
     .never = "runs what the project's build files say",
     .alone = "-v --version --help",
     .unproven =
         "-b -m -C=VALUE -d -e -E=VALUE -f=VALUE -h -i -I=VALUE -k -n -o=VALUE -p -q -r -R -s -S -t -v -w -W=VALUE "
         "--directory=VALUE --file=VALUE --makefile=VALUE --include-dir=VALUE --old-file=VALUE --assume-old=VALUE "
         "--what-if=VALUE --new-file=VALUE --assume-new=VALUE --eval=VALUE --always-make --silent --quiet",
     .runs = Runs::words,
     .manner = lenient | permutes,
     .code = "E eval",
     .beginnings = "--ev",
     .parts = "$(SHELL ${SHELL $(CALL ${CALL $(EVAL ${EVAL $(FILE ${FILE $(GUILE ${GUILE",
     .reads_input = true,
     .subcommands = true,
     .values_known = true,
     .variables = "MAKE* GNUMAKEFLAGS MFLAGS",
     .harmless_variables = "MAKELEVEL"},
    {.names = "cmake",
     .does = Effect::runs_code,
     .never = "runs what the project's build files say",
     .manner = lenient,
     .reads_input = true,
     .subcommands = true,
     .values_known = true,
     .variables = "CMAKE_* CTEST_* CPACK_*"},
    // The commands of cmake -E.
    {.names = "cmake env, cmake time", .rules = false, .runs = Runs::command, .manner = any_long, .assignments = true},
    {.names = "cmake chdir", .rules = false, .runs = Runs::command, .manner = any_long, .before = 1},
    // cmake's generators write these commands into build files. The values of the options are programs with arguments.
    {.names = "cmake __run_co_compile",
     .rules = false,
     .runs = Runs::command,
     .manner = any_long,
     .code = "tidy iwyu lwyu cpplint cppcheck pvs icstat launcher"},
    {.names = "cmake vs_link_exe, cmake vs_link_dll",
     .rules = false,
     .runs = Runs::command,
     .manner = any_long,
     .behind_dashes = true},
    {.names = "cmake cmake_link_script, cmake cmake_llvm_rc, cmake cmake_autogen, cmake cmake_autorcc, cmake "
              "cmake_device_link",
     .rules = false,
     .runs = Runs::code,
     .manner = any_long},
    {.names = "jar, javadoc, tsc, ld, gold, as, ar, ranlib, strip, objcopy, protoc",
     .does = Effect::writes,
     .never = "writes its output files",
     .response_files = true},
    {.names = "rustc",
     .does = Effect::writes,
     .never = "writes its output files",
     .alone = "-V -vV --version --help",
     .response_files = true,
     .variables = "RUSTC* RUSTFLAGS RUSTDOC* RUST_*",
     .harmless_variables = "RUST_LOG RUST_BACKTRACE RUST_LIB_BACKTRACE RUST_TEST_THREADS RUST_MIN_STACK"},
    {.names = "cc, c++, cpp, gfortran, clang++",
     .does = Effect::writes,
     .never = "writes its output files",
     .alone = "--version --help -dumpversion -dumpmachine",
     .response_files = true,
     .runs = Runs::words,
     .words = "-wrapper -load -plugin -Xclang -Xlinker -Xassembler",
     .beginnings = "-fplugin -fpass-plugin -B --prefix -specs --specs -fuse-ld= --ld-path -Wl,-plugin -Wl,--plugin"},
    {.names = "javac",
     .does = Effect::writes,
     .never = "writes its output files",
     .alone = "-version --version --help",
     .response_files = true,
     .manner = single_dash | lenient | permutes,
     .values_known = true},
    {.names = "gcc, g++, clang",
     .does = Effect::writes,
     .never = "writes its output files",
     .alone = "-v --version --help -dumpversion -dumpmachine",
     .response_files = true,
     .runs = Runs::words,
     .manner = single_dash | lenient | permutes,
     .words = "-wrapper -load -plugin -Xclang -Xlinker -Xassembler",
     .beginnings = "-fplugin -fpass-plugin -B --prefix -specs --specs -fuse-ld= --ld-path -Wl,-plugin -Wl,--plugin",
     .values_known = true,
     .variables = "GCC_* CLANG_* CCC_*"},
    {.names = "kotlinc",
     .does = Effect::writes,
     .never = "writes its output files",
     .alone = "-version",
     .response_files = true,
     .unproven = "-e=VALUE -M=VALUE -X=VALUE --eval=VALUE",
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "version help",
     .code = "e eval M X"},
};

}  // namespace

std::optional<Problem> find_reach_of_expression(const ParsedCommand& reading) {
  if (reading.tool->spec().check == check_yq) return judge_yq(reading, "load system eval");
  if (reading.name != "jq" || reading.first_replaced || reading.operands.empty()) return std::nullopt;
  const std::string_view directive = directive_of_jq(reading.operand(0));
  if (directive.empty()) return std::nullopt;
  return Problem{reading.operands[0], std::string(directive) + " in a filter of jq reads another file", {}};
}

std::span<const ProgramSpec> language_programs() { return language_specs; }

}  // namespace wtool::policy::programs
