// Shells and interpreters: which options give them code, and where else they find code.
#include "policy/programs/spec.h"

namespace wtool::policy::programs {

namespace {

constexpr ProgramSpec interpreter_specs[] = {
    {.names = "ipython, jython, micropython, bpython",
     .options = "-c=VALUE -i -m=VALUE -W=VALUE -X=VALUE -Q=VALUE --check-hash-based-pycs=VALUE --help --version",
     .rules = false,
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "m V h version help",
     .code = "c"},
    {.names = "jruby, truffleruby, mruby",
     .options =
         "-0 -1 -2 -3 -4 -5 -6 -7 -a -C=VALUE -c -d -e=VALUE -E=VALUE -F[=VALUE] -h -i[=VALUE] -I=VALUE -K -l -n "
         "-p -r=VALUE -s -S -v -w -W[=VALUE] -x[=VALUE] -X=VALUE -y -T --encoding=VALUE --external-encoding=VALUE "
         "--internal-encoding=VALUE --disable=VALUE --enable=VALUE --help --version --dump=VALUE --copyright "
         "--jit[=VALUE] --yjit[=VALUE] --parser=VALUE --backtrace-limit=VALUE --verbose",
     .rules = false,
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "h help version",
     .code = "e r"},
    {.names = "php-cgi, phpdbg",
     .options = "-a -c=VALUE -B=VALUE -d=VALUE -E=VALUE -f=VALUE -F=VALUE -H -i -l -n -q -r=VALUE -R=VALUE "
                "-s -S=VALUE -t=VALUE -v -w -z=VALUE -h --run=VALUE --process-code=VALUE --process-begin=VALUE "
                "--process-end=VALUE --define=VALUE --file=VALUE --process-file=VALUE --rf=VALUE --rc=VALUE --re=VALUE "
                "--ri=VALUE --rz=VALUE --rfunction=VALUE --rclass=VALUE --rextension=VALUE --rzendextension=VALUE "
                "--rextinfo=VALUE --php-ini=VALUE --no-php-ini --version --info --help --server=VALUE --docroot=VALUE "
                "--timing[=VALUE] --zend-extension=VALUE --interactive",
     .rules = false,
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "f i l m v s S file info version help server h w syntax-check",
     .code = "r B R E F c d z run process-code process-begin process-end process-file php-ini define zend-extension a "
             "interactive"},
    {.names = "texlua",
     .options = "-e=VALUE -i -l=VALUE -v -E -W -j=VALUE -O[=VALUE] -b",
     .rules = false,
     .runs = Runs::interpreter,
     .manner = lenient,
     .code = "e j l i"},
    {.names = "littler, r",
     .options =
         "-e=VALUE -l=VALUE -L=VALUE -d -h -i -p -q -t -v -V --eval=VALUE --packages=VALUE --libpath=VALUE --version "
         "--help --usage --vanilla --rtemp --quick --interactive --datastdin --verbose",
     .rules = false,
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "version help",
     .code = "e i eval interactive"},
    {.names = "osascript",
     .options = "-e=VALUE -l=VALUE -i -s=VALUE",
     .rules = false,
     .runs = Runs::interpreter,
     .manner = lenient,
     .code = "e"},
    {.names = "runghc, runhaskell",
     .options = "-e=VALUE -f=VALUE --ghc-arg=VALUE",
     .rules = false,
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "version help",
     .code = "e f ghc-arg"},
    {.names = "kotlin",
     .options = "-e=VALUE -M=VALUE -X=VALUE --eval=VALUE",
     .rules = false,
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "version help",
     .code = "e eval M X"},
    {.names = "clojure, clj",
     .options = "-e=VALUE -i=VALUE -M=VALUE -X=VALUE -T=VALUE --eval=VALUE --init=VALUE --report=VALUE",
     .rules = false,
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "version help",
     .code = "e eval M X T"},
    // An operand of bb may be a file, but also an expression.
    {.names = "bb",
     .rules = false,
     .runs = Runs::code,
     .manner = lenient,
     .code = "e eval f file x exec m main",
     .reads_input = true},
    // -pa, -pr and -pz cannot be listed, because what follows a single dash is read as separate letters. They count as
    // unknown options, and the words after an unknown option are judged, too.
    {.names = "elixir, iex",
     .options = "-e=VALUE -r=VALUE -S=VALUE --eval=VALUE --require=VALUE --rpc-eval=VALUE,VALUE --erl=VALUE "
                "--erl-config=VALUE --vm-args=VALUE --boot=VALUE --boot-var=VALUE,VALUE --dot-iex=VALUE "
                "--remsh=VALUE --pipe-to=VALUE,VALUE --logger-otp-reports=VALUE --logger-sasl-reports=VALUE "
                "--name=VALUE --sname=VALUE --cookie=VALUE",
     .rules = false,
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "version help",
     .code = "e r eval require rpc-eval erl vm-args boot dot-iex pipe-to",
     .variables = "ERL_* ELIXIR_* MIX_* HEX_*",
     .harmless_variables = "MIX_ENV"},
    {.names = "erl",
     .options = "-eval=VALUE -run=VALUE -s=VALUE -S=VALUE -args_file=VALUE -boot=VALUE -config=VALUE -noshell "
                "-sname=VALUE -name=VALUE -pa=VALUE -setcookie=VALUE",
     .rules = false,
     .runs = Runs::interpreter,
     .manner = lenient | single_dash,
     .code = "eval run s S args_file boot"},
    {.names = "ocaml, sbcl, racket, gosh, csi, clisp, ecl, chicken, gforth, gst, octave-cli, maxima, scheme, "
              "mit-scheme, coffee, raku, perl6, pike, io",
     .options = "-c=VALUE -e=VALUE -E=VALUE -g=VALUE -l=VALUE -r=VALUE -p=VALUE -P=VALUE -x=VALUE --eval=VALUE "
                "--evaluate=VALUE --batch-string=VALUE --run-string=VALUE --load=VALUE --execute=VALUE "
                "--expression=VALUE --require=VALUE --print=VALUE --command=VALUE --nodejs=VALUE",
     .rules = false,
     .runs = Runs::interpreter,
     .manner = lenient,
     .idle = "version help",
     .code = "c e E r eval evaluate batch-string run-string l load execute expression require p P x print g command "
             "nodejs"},
    {.names = "sh, dash, bash, rbash, ash",
     .options =
         "-a -b -e -f -h -i -k -l -m -n -p -r -s -t -u -v -x -B -C -D -E -H -P -T -V -c -I -q -o=VALUE -O=VALUE "
         "--debug --debugger --dump-po-strings --dump-strings --help --init-file=VALUE --login --noediting --noprofile "
         "--norc --posix --pretty-print --protected --rcfile=VALUE --restricted --verbose --version --wordexp",
     .rules = false,
     .runs = Runs::shell,
     .manner = plus,
     .code = "rcfile init-file"},
    {.names = "ksh, ksh93, mksh, pdksh, oksh, lksh, yash",
     .options = "-a -b -C -e -f -h -i -k -l -m -n -p -P -r -s -u -v -x -X -E -G -H -U -c -o=VALUE -A=VALUE -D=VALUE "
                "-R=VALUE -T=VALUE --login --posix --restricted --version --help",
     .rules = false,
     .runs = Runs::shell,
     .manner = plus,
     .code = "E"},
    {.names = "zsh, rzsh",
     .options = "-a -b -c -d -e -f -g -h -i -j -k -l -m -n -p -q -r -s -t -u -v -w -x -y -z -A -B -C -D -E -F -G -H -I "
                "-J -K -L -M -N -O -P -Q -R -S -T -U -V -W -X -Y -Z -0 -1 -2 -3 -4 -5 -6 -7 -8 -9 -o=VALUE --version "
                "--help --emulate=VALUE",
     .rules = false,
     .runs = Runs::shell,
     .manner = plus | any_long},
    {.names = "fish",
     .options =
         "-c=VALUE -C=VALUE -d=VALUE -D=VALUE -f=VALUE -i -h -l -n -N -p=VALUE -P -v -o=VALUE --command=VALUE "
         "--init-command=VALUE --debug=VALUE --debug-output=VALUE --features=VALUE --login --no-config --no-execute "
         "--interactive --private --profile=VALUE --version --help --print-rusage-self --print-debug-categories",
     .rules = false,
     .runs = Runs::shell,
     .foreign = true},
    {.names = "csh, tcsh",
     .options = "-b -c -d -e -f -i -l -m -n -q -s -t -v -V -x -X --version --help",
     .rules = false,
     .runs = Runs::shell,
     .foreign = true},
    // These take the names of options in any case, and abbreviated: -Command, -EncodedCommand.
    {.names = "pwsh, powershell",
     .options = "-c=VALUE",
     .rules = false,
     .runs = Runs::shell,
     .manner = lenient,
     .foreign = true},
    {.names = "nu, elvish, xonsh, rc, es, oil, ysh, osh",
     .options = "-c=VALUE -e=VALUE -i -l -n -h -v -V --commands=VALUE --execute=VALUE "
                "--command=VALUE --config=VALUE --env-config=VALUE --login",
     .rules = false,
     .runs = Runs::shell,
     .manner = lenient,
     .foreign = true},
};

}  // namespace

std::span<const ProgramSpec> interpreter_programs() { return interpreter_specs; }

}  // namespace wtool::policy::programs
