// Interpreters of other languages that are given code in their arguments or at their standard input, and programs that
// are steered in ways nobody can judge: editors, terminal multiplexers, spoolers.
#include <algorithm>

#include "policy/wrappers/family.h"

namespace wtool::policy {

namespace {

struct Interpreter {
  std::string_view names;
  Syntax syntax;          // lenient: options with values that could hide where the program's file stands
  std::string_view code;  // options that are or name code
  std::string_view ends;  // options that say what runs, so that standard input is not read as code
  bool reads_input;       // without a file, standard input is code
};

constexpr unsigned loose = Syntax::lenient;

constexpr Interpreter interpreters[] = {
    {"python pypy python2 python3 pypy3 ipython jython micropython bpython",
     {"c:m:W:X:Q:", "check-hash-based-pycs= help version", loose},
     "c",
     "m V h version help",
     true},
    {"perl",
     {"0123456789aC::cd::D::e:E:F:ghi::I:lm:M:npsStTuUvV::wWxX", "help version", loose},
     "e E M m d",
     "v V h help version",
     true},
    {"ruby jruby truffleruby irb mruby",
     {"01234567aC:cde:E:F:hi::I:K::lnpr:sSvwW::xX:yT::",
      "encoding= external-encoding= internal-encoding= disable= enable= help version dump= "
      "copyright jit? yjit? parser= backtrace-limit= verbose",
      loose},
     "e r",
     "v h help version",
     true},
    {"node nodejs",
     {"C:cehipr:v",
      "eval= print= require= import= loader= experimental-loader= conditions= check help interactive input-type= "
      "env-file= test run= title= watch-path= diagnostic-dir= icu-data-dir= openssl-config= "
      "redirect-warnings= version test-reporter= test-name-pattern= test-reporter-destination= watch inspect? "
      "inspect-brk? snapshot-blob= experimental-default-type= localstorage-file= max-http-header-size= "
      "unhandled-rejections= dns-result-order= trace-event-categories= trace-event-file-pattern=",
      loose | Syntax::underscores},
     "e p eval print r require import loader experimental-loader",
     "v h version help c check test run",
     true},
    {"php php-cgi phpdbg",
     {"ac:B:d:E:f:F:H:iln:qr:R:sS:t:vwz:h",
      "run= process-code= process-begin= process-end= define= file= process-file= rf= rc= re= ri= "
      "php-ini= no-php-ini version info help server= docroot= timing? zend-extension= "
      "interactive",
      loose},
     "r B R E F d z run process-code process-begin process-end process-file define zend-extension a interactive",
     "f i l m v s S file info version help server h w syntax-check",
     true},
    {"lua luajit texlua", {"e:il:vEWj:O::b", "", loose}, "e l i", "v", true},
    {"tclsh wish expect", {"c:f:dinb", "encoding= ", loose}, "c", "", true},
    {"Rscript R littler r",
     {"e:f:g:d:", "file= args default-packages= version help slave", loose},
     "e",
     "f file version help",
     true},
    {"julia",
     {"e:E:p:t:J:L:C:O::g::vhqiH:",
      "eval= print= load= project? threads= procs= sysimage= version help "
      "startup-file= color= machine-file= cpu-target=",
      loose},
     "e E L eval print load",
     "v h version help",
     true},
    {"osascript", {"e:l:is:", "", loose}, "e", "", true},
    {"ghc runghc runhaskell ghci", {"e:f:", "ghc-arg= ", loose}, "e", "", false},
    {"scala groovy kotlin kotlinc jshell clojure clj bb",
     {"e:c:i:M:X:T:", "eval= class-path= startup= execution=", loose},
     "e eval M X",
     "version help",
     false},
    {"elixir iex",
     {"e:r:S:p:", "eval= require= rpc-eval=2 erl= name= sname= cookie=", loose},
     "e r eval require rpc-eval erl",
     "",
     false},
    {"erl",
     {"", "eval= run= s= noshell sname= name= pa= setcookie=", loose | Syntax::single_dash},
     "eval run s",
     "",
     true},
    {"ocaml sbcl guile racket gosh csi clisp ecl chicken gforth gst swipl octave octave-cli maxima scheme mit-scheme "
     "gnuplot "
     "coffee ts-node tsx raku perl6 pike io",
     {"c:e:E:f:g:l:r:t:p:", "eval= load= execute= expression= require= print= command=", loose},
     "c e E r eval l load execute expression require p print g",
     "version help",
     true},
};

// Programs that run code whatever their arguments are, but for those that only tell something.
constexpr std::string_view steered =
    "vi vim nvim view gvim rvim vimdiff ex ed red emacs emacsclient nano pico joe jed micro helix hx kak mg ne screen "
    "mc "
    "ranger nnn lf byobu zellij dtach abduco telnet ftp lftp gdbserver visudo vipw vigr sudoedit "
    "xterm rxvt urxvt kitty alacritty gnome-terminal konsole xfce4-terminal foot wezterm ansible";
constexpr std::string_view only_telling = "--version --help -version -help -V -ls -list";

// What is given with -m to python and takes code, or runs other programs, itself.
constexpr std::string_view code_modules = "timeit pdb code asyncio idlelib cProfile profile trace runpy bdb";

void judge_input(const Judgement& judgement) {
  const Input input = standard_input(judgement.command);
  if (input.kind == Input::Kind::none) return;
  judgement.runs_code(input.word, std::string(judgement.tool) + " runs its standard input as code");
}

// `file` is what the interpreter runs.
void judge_file(const Judgement& judgement, const Word& file) {
  if (file.literal && (file.text == "-" || is_descriptor_file(file.text))) {
    judge_input(judgement);
    if (file.text != "-" && judgement.inners.empty()) {
      judgement.runs_code(file, "what stands at this descriptor is known only when it runs");
    }
  } else if (!file.literal && !looks_like_file(file)) {
    judgement.is_unclear(file, "it is known only when it runs, and may be an option that gives code");
  }
}

// An option that was passed over may have taken the word that looks like the program's file: then what stands behind it
// still counts.
void judge_hidden_code(const Judgement& judgement, const Interpreter& interpreter, std::size_t from) {
  for (std::size_t i = from; i < judgement.words().size(); ++i) {
    const Word& word = judgement.word(i);
    if (!word.literal || word.text.size() < 2 || word.text[0] != '-') continue;
    std::string name = word.text.substr(word.text[1] == '-' ? 2 : 1);
    if ((interpreter.syntax.manner & Syntax::underscores) != 0) std::replace(name.begin(), name.end(), '_', '-');
    if (is_listed(interpreter.code, name.substr(0, name.find('=')))) {
      return judgement.runs_code(word, word.text + " may give " + std::string(judgement.tool) + " code");
    }
  }
}

void judge_interpreter_words(const Judgement& judgement, const Interpreter& interpreter) {
  const Reading reading = read_options(judgement.words(), 1, interpreter.syntax);
  for (const Option& option : reading.options) {
    const bool module = option.name == "m" && judgement.tool.starts_with("py");
    if (module) {
      if (option.has_value && !option.value.literal) {
        judgement.is_unclear(option.value, "which module runs is known only when it runs");
      } else if (is_listed(code_modules, option.value.text)) {
        judgement.runs_code(option.value, "this module takes code, or a program to run");
      }
      return;  // What follows is the module's.
    }
    if (is_listed(interpreter.code, option.name)) {
      const Word& word = judgement.word(option.word);
      return judgement.runs_code(word, (option.name.size() > 1 ? "--" : "-") + option.name + " gives " +
                                           std::string(judgement.tool) + " code");
    }
  }
  if (reading.passed_over && !reading.operands.empty()) {
    judge_hidden_code(judgement, interpreter, reading.operands.front());
  }
  if (reading.find(interpreter.ends) != nullptr) return;
  if (!reading.operands.empty()) return judge_file(judgement, judgement.word(reading.operands.front()));
  if (interpreter.reads_input) judge_input(judgement);
}

// deno eval TEXT, bun -e TEXT: a subcommand or an option.
void judge_script_runtime(const Judgement& judgement) {
  for (std::size_t i = 1; i < judgement.words().size(); ++i) {
    const Word& word = judgement.word(i);
    if (!word.literal) return judgement.is_unclear(word, "it is known only when it runs, and may give code");
    if (is_listed("eval -e --eval -p --print -r --preload repl", word.text.substr(0, word.text.find('=')))) {
      return judgement.runs_code(word, word.text + " gives " + std::string(judgement.tool) + " code");
    }
    if (word.text == "-") return judge_input(judgement);
    if (is_listed("x create", word.text) && judgement.tool == "bun") {
      return judgement.runs_code(word, "it runs a package");
    }
    if (!word.text.starts_with('-') && word.text != "run") return;
  }
  judge_input(judgement);
}

// at and batch read shell text; crontab takes a file of it.
void judge_spooler(const Judgement& judgement) {
  const Reading reading = read_options(judgement.words(), 1, {"c:d:f:lmMq:rt:u:vVeTi", "", Syntax::lenient});
  if (const Option* file = reading.find("f e")) {
    return judgement.runs_code(judgement.word(file->word), "it schedules commands that are not seen here");
  }
  if (reading.find("l r d c V") != nullptr) return;
  const Input input = standard_input(judgement.command);
  if (judgement.tool == "crontab" && !reading.operands.empty() &&
      judgement.word(reading.operands.front()).text != "-") {
    return judgement.runs_code(judgement.word(reading.operands.front()), "it schedules the commands in this file");
  }
  if (input.kind == Input::Kind::none) return;
  if (input.kind == Input::Kind::text && judgement.tool != "crontab") return judgement.runs_script(input.word);
  judgement.runs_code(input.word, "it schedules the commands that stand at its standard input");
}

void judge_tmux(const Judgement& judgement) {
  constexpr std::string_view harmless =
      "ls list-sessions list-windows list-panes list-keys list-clients list-commands list-buffers has has-session info "
      "display display-message show show-options show-buffer capture-pane capturep kill-session kill-window kill-pane "
      "kill-server";
  const Reading reading = read_options(judgement.words(), 1, {"2CDlNquUvVc:f:L:S:T:h", "", Syntax::lenient});
  if (reading.find("V h") != nullptr) return;
  const bool known = !reading.operands.empty() && judgement.word(reading.operands.front()).literal &&
                     is_listed(harmless, judgement.word(reading.operands.front()).text);
  const bool alone = std::none_of(judgement.words().begin(), judgement.words().end(), [](const Word& word) {
    return word.text == ";" || word.text.find("#(") != std::string::npos;
  });
  if (!known || !alone) judgement.runs_code(judgement.word(0), "tmux runs commands in its own server");
}

// The clients of databases have commands of their own that run programs.
void judge_database(const Judgement& judgement) {
  const bool sqlite = judgement.tool.starts_with("sqlite");
  const auto runs_programs = [&](std::string_view text) {
    if (!sqlite) {
      return text.find("\\!") != std::string_view::npos || text.find("\\o |") != std::string_view::npos ||
             text.find("\\o|") != std::string_view::npos || text.find("\\g |") != std::string_view::npos ||
             text.find("\\g|") != std::string_view::npos || text.find("PROGRAM") != std::string_view::npos ||
             text.find("program") != std::string_view::npos || text.find("system ") != std::string_view::npos ||
             text.find("\\copy") != std::string_view::npos;
    }
    if (text.find("load_extension") != std::string_view::npos || text.find("edit(") != std::string_view::npos)
      return true;
    constexpr std::string_view quiet[] = {".tab",  ".sche",  ".head", ".mode", ".dump", ".ind",
                                          ".data", ".show",  ".help", ".quit", ".exit", ".vers",
                                          ".stat", ".width", ".sep",  ".null", ".tim",  ".bail"};
    for (std::size_t at = 0; at < text.size();
         at = text.find('\n', at) == std::string_view::npos ? text.size() : text.find('\n', at) + 1) {
      const std::size_t begin = text.find_first_not_of(" \t", at);
      if (begin == std::string_view::npos || text[begin] != '.') continue;
      const std::string_view line = text.substr(begin);
      if (std::none_of(std::begin(quiet), std::end(quiet),
                       [&](std::string_view each) { return line.starts_with(each); }))
        return true;
    }
    return false;
  };
  for (std::size_t i = 1; i < judgement.words().size(); ++i) {
    const Word& word = judgement.word(i);
    if (runs_programs(word.text)) return judgement.runs_code(word, "it may run a program of the system");
    if (sqlite && is_listed("-init --init", word.text)) return judgement.runs_code(word, "it names a file of commands");
  }
  const Input input = standard_input(judgement.command);
  if (input.kind == Input::Kind::text && runs_programs(input.word.text)) {
    judgement.runs_code(input.word, "it may run a program of the system");
  }
}

// Programs in whose arguments a program may be named among other things: words that are one of `exact`, begin with one
// of `beginnings`, or have one of `parts` in them, in any case.
struct TellingWords {
  std::string_view names;
  std::string_view exact, beginnings, parts;
};

constexpr TellingWords telling_words[] = {
    {"socat", "", "", "EXEC: SYSTEM: SHELL:"},
    {"dc", "", "", "!"},
    {"openssl", "-engine -provider", "", ""},
    {"start-stop-daemon", "--start -S", "", ""},
    {"apt apt-get", "", "", "INVOKE DIR::BIN"},
    {"zip", "-TT", "--un", ""},
    {"gcc g++ cc c++ cpp gfortran clang clang++", "-wrapper -load -plugin -Xclang -Xlinker -Xassembler",
     "-fplugin -fpass-plugin -B --prefix -specs --specs -fuse-ld= --ld-path -Wl,-plugin -Wl,--plugin", ""},
    {"make gmake", "-E", "--eval SHELL= .SHELLFLAGS=", ""},
};

// True where `holds` is true of one of the parts of a list that is separated by spaces.
template <typename Holds>
bool holds_of_any(std::string_view list, Holds holds) {
  while (!list.empty()) {
    const std::string_view part = list.substr(0, list.find(' '));
    if (holds(part)) return true;
    list.remove_prefix(std::min(list.size(), part.size() + 1));
  }
  return false;
}

bool tells(const TellingWords& telling, const std::string& text) {
  std::string upper = text;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return is_listed(telling.exact, text) ||
         holds_of_any(telling.beginnings, [&](std::string_view part) { return text.starts_with(part); }) ||
         holds_of_any(telling.parts, [&](std::string_view part) { return upper.find(part) != std::string::npos; });
}

void judge_telling_words(const Judgement& judgement, const TellingWords& telling) {
  bool reads_input = false;
  for (std::size_t i = 1; i < judgement.words().size(); ++i) {
    const Word& word = judgement.word(i);
    if (tells(telling, word.text)) {
      return judgement.runs_code(word, "it makes " + std::string(judgement.tool) + " run what is named here");
    }
    // -f names make's file, in the same word or the next.
    reads_input = reads_input || is_listed("- -f- --file=- --makefile=-", word.text) || is_descriptor_file(word.text) ||
                  (word.text.starts_with("-f") && is_descriptor_file(word.text.substr(2)));
  }
  if (reads_input && telling.names.starts_with("make")) judge_input(judgement);
}

void judge_steered(const Judgement& judgement) {
  const auto& words = judgement.words();
  if (words.size() == 2 && words[1].literal && is_listed(only_telling, words[1].text)) return;
  judgement.runs_code(words[0], std::string(judgement.tool) + " can run any command from within");
}

}  // namespace

bool judge_interpreter(const Judgement& judgement) {
  const std::string_view tool = judgement.tool;
  const auto* const telling = std::find_if(std::begin(telling_words), std::end(telling_words),
                                           [&](const TellingWords& each) { return is_listed(each.names, tool); });
  if (telling != std::end(telling_words)) {
    judge_telling_words(judgement, *telling);
    return true;
  }
  if (is_listed(steered, tool)) {
    judge_steered(judgement);
  } else if (is_listed("deno bun", tool)) {
    judge_script_runtime(judgement);
  } else if (is_listed("at batch crontab", tool)) {
    judge_spooler(judgement);
  } else if (tool == "tmux") {
    judge_tmux(judgement);
  } else if (is_listed("sqlite3 sqlite psql mysql mariadb", tool)) {
    judge_database(judgement);
  } else {
    const auto* const found = std::find_if(std::begin(interpreters), std::end(interpreters),
                                           [&](const Interpreter& each) { return is_listed(each.names, tool); });
    if (found == std::end(interpreters)) return false;
    judge_interpreter_words(judgement, *found);
  }
  return true;
}

}  // namespace wtool::policy
