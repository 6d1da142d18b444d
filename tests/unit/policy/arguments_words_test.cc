// policy/arguments.h: which words are text, which tools take more arguments, and which reach files that no word names.
#include <time.h>

#include "arguments_rows.h"

namespace arguments_words_test {

using namespace wtool::test;
using namespace wtool::policy;

BOOST_AUTO_TEST_SUITE(arguments_words)

namespace {

using Kind = ArgumentJudgement::Kind;

// One character a word: t for text, . for what may be a path.
std::string text_of(std::string_view line) {
  const auto words = words_of(line);
  std::string shown;
  for (const bool is_text : text_words(words[0], words)) shown += is_text ? 't' : '.';
  return shown;
}

}  // namespace

BOOST_AUTO_TEST_CASE(words_that_are_not_paths_are_known) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"grep -n a/b f", "ttt."},
      {"grep -e /x -e /y f", "ttttt."},
      {"grep -f /x /y", "tt.."},
      {"grep -f/x /y", "t.."},
      {"grep --file=/x /y", "t.."},
      {"grep --file /x /y", "tt.."},
      {"grep --regexp=/x f", "tt."},
      {"grep -nf/x /y", "t.."},
      {"grep x y --exclude-from /z", "tt.t."},
      {"grep --unknown /x /y", "t..."},
      {"grep /x /y -e /z", "t..tt"},
      {"grep -- /x /y", "ttt."},
      {"rg /x /y", "tt."},
      {"rg --files /x", "tt."},
      {"rg -g '*/x' /y /z", "tttt."},
      {"sed s/a/b/ f", "tt."},
      {"sed -n -e /a/p f", "tttt."},
      {"sed -f /x f", "tt.."},
      {"sed -n$p f", "t.."},
      {"awk /x/ f", "tt."},
      {"awk -F / {print} f", "tttt."},
      {"awk -v a=/x {print} f", "tttt."},
      {"awk -f /x f", "tt.."},
      {"find /a -name ../x -type f", "t.tttt"},
      {"find . -newer /x -path */y", "t.t.tt"},
      {"find . ( -name /a ) ! -newermt /b", "t.ttttttt"},
      {"find . -samefile /x -fprintf /o %p", "t.t.t.."},
      {"find . -exec cat /x ;", "t....."},
      {"echo /etc ..", "ttt"},
      {"printf %s/ /x", "ttt"},
      {"tr / _", "ttt"},
      {"expr 4 / 2", "tttt"},
      {"jq .a/.b f", "tt."},
      {"jq --arg x /y .a f", "ttttt."},
      {"jq --slurpfile x /y .a f", "ttt.t."},
      {"date +%d/%m", "tt"},
      {"date -r /x", "tt."},
      {"date -f/x", "t."},
      {"head -n 5 /x", "ttt."},
      {"ls -la /x", "tt."},
      {"ls --ignore=/x /y", "tt."},
      {"cut -d / -f1 /x", "tttt."},
      {"sort -t/ -o /x y", "ttt.."},
      {"seq 1/2", "tt"},
      {"sleep 1/2", "tt"},
      {"test -f /x", "tt."},
      {"[ /a -nt /b ]", "t.t.t"},
      {"git log --grep=/x -S /y --author /z", "ttttttt"},
      {"git log main..topic", "tt."},
      {"git log a/b..c/d -- /x", "tt.t."},
      {"git log ..", "tt."},
      {"git log ../x", "tt."},
      {"git log x/../..", "tt."},
      {"git log -- a..b", "ttt."},
      {"git diff origin/x...HEAD", "tt."},
      {"git diff -O/x", "tt."},
      {"git -C /x log", "tt.t"},
      {"git --git-dir=/x log", "t.t"},
      {"git commit -m /x -F /y /z", "ttttt.."},
      {"git commit -am /x", "tttt"},
      {"git grep /x /y", "ttt."},
      {"git grep -e /x /y", "tttt."},
      {"git unknown /x", "t.."},
      {"git show HEAD:/x", "tt."},
      {"tar tf /x y", "tt.."},
      {"tar -C /x -tf /y", "tt.t."},
      {"tar tzf x /y", "tt.."},
      {"cp /a /b", "t.."},
      {"unknown /a -x", "t.."},
      {"sudo /x", "t."},
      {"basename /x .c", "t.."},
      {"realpath --relative-to=/x y", "t.."},
      // Where a value is neither a pattern nor a text, a slash makes it a path, because the program may open it.
      {"iconv -f /x a", "tt.."},
      {"iconv -f/x a", "t.."},
      {"iconv -f latin1 a", "ttt."},
      {"lsmem -s /x", "tt."},
      {"cargo metadata --no-deps --filter-platform /x", "tttt."},
      {"cargo metadata --no-deps --filter-platform=x", "tttt"},
      {"kubectl get pods -o jsonpath={.a/b}", "tt.t."},
      {"realpath --relative-to /x y", "tt.."},
      // These scripts take the value of some options for a file.
      {"zdiff -L /x a", "tt.."},
      {"zgrep --context /x a", "tt.."},
      {"zgrep -n /x a", "tt.."},
      {"bzgrep -D /x a", "tt.."},
      {"zgrep -e/x a", "tt."},
  };
  for (const auto& [line, expected] : rows) BOOST_TEST(text_of(line) == expected, line << ": " << text_of(line));
  BOOST_TEST(text_words("ls", {}).empty());
}

BOOST_AUTO_TEST_CASE(arguments_may_follow_if_they_cannot_be_unsafe) {
  for (const std::string_view line :
       {"grep foo", "grep -l x", "cat", "wc -l", "ls -la", "head -5", "echo", "cat --", "sort --", "sed -n s/a/b/p --",
        "md5sum", "stat -c %s", "basename -a", "rg --", "git ls-files --", "docker inspect", "zcat"}) {
    const auto words = words_of(line);
    BOOST_TEST(takes_more_arguments(words[0], words), line);
  }
  for (const std::string_view line :
       {"sort", "rg x", "sed -n s/a/b/p", "sed --", "rm", "git log", "uniq", "uniq --", "tar tf", "date", "hostname",
        "unknown", "printf", "grep --unknown x", "env", "xargs", "find", "awk 1",
        // These also accept the options of git diff, of systemctl and of zstd.
        "git blame", "systemctl status", "zstdcat",
        // These may read options behind "--".
        "git blame --", "git blame -- f", "git stash list -- f"}) {
    const auto words = words_of(line);
    BOOST_TEST(!takes_more_arguments(words[0], words), line);
  }
  BOOST_TEST(!takes_more_arguments("cat", {}));
}

BOOST_AUTO_TEST_CASE(files_that_no_word_names_are_found) {
  for (const std::string_view line : {"wc --files0-from=x",
                                      "wc --files0-from -",
                                      "sort --files0-from x",
                                      "du --files0-from=x",
                                      "tar -tf a -T x",
                                      "tar tfT a x",
                                      "tar --files-from=x -tf a",
                                      "file -f x",
                                      "xargs -a x cat",
                                      "find -files0-from x",
                                      "find . -name y -files0-from x",
                                      "sed w f",
                                      "awk '{print > \"x\"}' f",
                                      "jq 'import \"x\" as $y; .' f",
                                      "jq 'include \"x\"; .' f",
                                      "jq ' import \"x\" as $y; .' f",
                                      "jq '# x\nimport \"x\" as $y; .' f",
                                      "jq 'module {}; include \"x\"; .' f",
                                      "yq 'import \"s\" as $d {search: \"../x\"}; $d' f",
                                      "yq -s 'import \"s\" as $d; $d' f",
                                      "yq 'load_str(\"/x\")' f",
                                      "yq eval 'load \"/x\"' f",
                                      "yq --split-exp 'load(\"/x\")' . f",
                                      "yq --unknown x 'load(\"/x\")' f",
                                      "yq 'system(\"cat /x\")' f",
                                      "yq program.yq f",
                                      "sed k",
                                      "nm @r",
                                      "strings -n 3 @r",
                                      "x86_64-linux-gnu-nm @r",
                                      "bzdiff '-Fx --from-file=/x' a.bz2",
                                      "bzgrep '--context=1 . /x' y a.bz2",
                                      "bzgrep x '*'",
                                      "ack -x y",
                                      "ack -lx y",
                                      "git hash-object --stdin-paths",
                                      "git hash-object --stdin-p",
                                      "git config --file - --includes --list",
                                      "git config list --includes --file=-",
                                      "git config --includes --get a.b",
                                      "cpio -o",
                                      "cpio -pd x",
                                      "sha256sum -c x",
                                      "md5sum --check x"}) {
    const auto words = words_of(line);
    BOOST_TEST((judge_reach(words[0], words).kind == Kind::unsafe), line);
  }
  for (const std::string_view line : {"wc -l x",
                                      "sort -o x y",
                                      "find . -name -files0-from",
                                      "tar -tf a",
                                      "sed p f",
                                      "jq .a f",
                                      "jq -f x f",
                                      "jq .include f",
                                      "jq '.exclude, .include' f",
                                      "jq '.a | {import}' f",
                                      "yq .payload f",
                                      "yq .a workload.yaml",
                                      "yq -i '.a = strenv(B)' f",
                                      "yq --from-file=x workload.yaml",
                                      "yq '.imports.include' f",
                                      "git log",
                                      "file -f /dev/null",
                                      "bzgrep x a.bz2",
                                      "bzdiff -u a.bz2 b.bz2",
                                      "zgrep 'a b' c.gz",
                                      "ack -l x y",
                                      "git hash-object --stdin",
                                      "git config --no-includes --list",
                                      "cpio -t"}) {
    const auto words = words_of(line);
    BOOST_TEST((judge_reach(words[0], words).kind == Kind::safe), line);
  }
  BOOST_TEST((judge_reach("unknown", {"unknown"}).kind == Kind::no_rules));
  BOOST_TEST((judge_reach("wc", {}).kind == Kind::no_rules));
}

BOOST_AUTO_TEST_CASE(programs_that_options_name_are_found_among_any_arguments) {
  for (const std::string_view line :
       {"tar -xf a --to-command=sh", "tar cIf sh a x", "tar -cf a --checkpoint-action=exec=sh x",
        "tar --rsh-command sh -tf a:b", "tar -xF sh -f a", "tar --use-comp=sh -xf a", "sort --compress-program=sh a",
        "sort --compress-prog sh a", "rg --pre sh x", "rg --hostname-bin=x y", "zip a b -T -TT sh", "rpm --pipe sh",
        "sort --unknown --compress-program=sh",
        // The value of an option that is not known here may be "--", or an option.
        "bat --unknown -- --pager=sh a", "bat --unknown -r --pager=sh a", "git pull -- --upload-pack=sh .",
        "git pull --unknown -- --upload-pack=sh .", "ack -A --pager=sh x", "ack -C --pager=sh x", "ack -p --pager=sh x",
        "ack --pag=sh x", "ack --range-start -- --pager=sh x", "ag --filename-pattern -- --pager=sh x",
        "ag --ackmate-dir-filter -- --pager=sh x", "nm -j --plugin=./p.so a.o", "npm test --script-sh=sh",
        "npm test --python ./x", "cargo build --config build.rustc=sh", "rpm -q --specfile x.spec",
        "git config set -f f core.pager sh", "git config set --comment c core.pager sh", "gcc @r", "gcc-12 -o x @r",
        "java @r", "rustc @r", "ar @r", "git config core.fsmonitor x ^$", "git config --global core.fsmonitor x ``",
        "git config --rename-section x core", "git config rename-section x core"}) {
    const auto words = words_of(line);
    BOOST_TEST((judge_program_text(words[0], words).kind == Kind::unsafe), line);
  }
  for (const std::string_view line : {"tar -xf a", "tar czf a b", "tar tf host:x", "sort -o a b", "rg -z x", "cp a b",
                                      "python3 x.py", "find . -delete", "fd -x rm", "sudo x"}) {
    const auto words = words_of(line);
    BOOST_TEST((judge_program_text(words[0], words).kind == Kind::safe), line);
  }
  BOOST_TEST((judge_program_text("unknown", {"unknown"}).kind == Kind::no_rules));
  BOOST_TEST((judge_program_text("sed", {}).kind == Kind::no_rules));
}

BOOST_AUTO_TEST_CASE(what_gets_arguments_that_nobody_knows_may_run_programs) {
  for (const char* tool : {"split",
                           "sdiff",
                           "wget",
                           "gdb",
                           "cmake",
                           "sqlite3",
                           "rsync",
                           "scp",
                           "nc",
                           "tcpdump",
                           "openssl",
                           "sort",
                           "git",
                           "find",
                           "sed",
                           "gcc",
                           "x86_64-linux-gnu-gcc-12",
                           "node",
                           "python3.11",
                           "docker",
                           "go",
                           "no-such-program",
                           "./build.sh",
                           "cat2",
                           "strings"}) {
    BOOST_TEST(may_run_programs(tool), tool);
  }
  // What follows these tools is the command inside, or an operand.
  for (const char* tool : {"cat", "grep", "wc", "rm", "cp", "env", "timeout", "nice", "sh", "xargs"}) {
    BOOST_TEST(!may_run_programs(tool), tool);
  }
}

BOOST_AUTO_TEST_CASE(what_is_not_known_has_no_rules) {
  for (const char* tool : {"unknown", "", "git log", "git:diff", "./cat", "sh", "bash"}) {
    BOOST_TEST((judge_arguments(tool, {tool, "-x"}).kind == Kind::no_rules), tool);
  }
  BOOST_TEST((judge_arguments("cat", {}).kind == Kind::no_rules));
  // The program may have been named by its path.
  BOOST_TEST((judge_arguments("sort", {"/usr/bin/sort", "-o", "x"}).kind == Kind::unsafe));
  BOOST_TEST(judge_arguments("sort", {"/usr/bin/sort", "-X"}).reason ==
             "the option -X of sort is not known to be safe");
}

BOOST_AUTO_TEST_CASE(the_word_that_is_unsafe_is_named) {
  const std::pair<std::string_view, std::size_t> rows[] = {
      {"sort -n -o x y", 2},           {"sort a b -rox", 3},          {"tar cIf sh x y", 1},  {"tar tIf sh x", 1},
      {"tar tf a -I sh", 3},           {"find . -name x -delete", 4}, {"uniq a b", 2},        {"cp a b", 0},
      {"git -P log --output=x", 3},    {"git -c a.b=c log", 2},       {"git push origin", 1}, {"sed -n -e p -e e", 3},
      {"awk -v a=b {system(1)} f", 3},
  };
  for (const auto& [line, word] : rows) {
    const auto words = words_of(line);
    BOOST_TEST(judge_arguments(words[0], words).word == word, line << ": " << judge_arguments(words[0], words).word);
  }
  BOOST_TEST(judge_arguments("sort", {"sort", "-ox"}).hint == "leave -o out");
}

BOOST_AUTO_TEST_CASE(bytes_of_any_kind_are_judged_without_trouble) {
  for (const char* tool : {"sed", "awk", "git", "find", "tar", "grep", "jq", "xxd", "docker", "env"}) {
    for (int first = 1; first < 256; ++first) {
      const std::string letter(1, static_cast<char>(first));
      for (const std::string& word :
           {letter, '-' + letter, "--" + letter, letter + letter + letter, "s" + letter + "a" + letter}) {
        const std::vector<std::string> words{tool, word, word};
        BOOST_TEST(text_words(tool, words).size() == words.size());
        const ArgumentJudgement judgement = judge_arguments(tool, words);
        BOOST_TEST((judgement.kind == Kind::unsafe) == !judgement.reason.empty());
        judge_program_text(tool, words);
      }
    }
  }
}

// The time grows in proportion to the text. It is compared with the time for a shorter text of the same kind, on the
// same machine.
BOOST_AUTO_TEST_CASE(long_command_lines_take_linear_time) {
  const auto repeated = [](std::string_view text, std::size_t count) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) all += text;
    return all;
  };
  // Processor time is measured, because on a busy machine a thread may wait longer than it works.
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
  };
  const auto took = [&](const std::vector<std::string>& words) {
    const double start = now();
    judge_arguments(words[0], words);
    judge_program_text(words[0], words);
    judge_reach(words[0], words);
    text_words(words[0], words);
    return now() - start;
  };
  // Forty times the words take more than forty times as long, because they do not fit into the processor's caches, and
  // the kernel has to give memory for them: a hundred times where nothing else runs, and three hundred on a busy machine.
  // Quadratic work takes 1,600 times as long. The fastest of several times counts, because where virtual machines share a
  // processor, the time of the others counts as ours.
  const auto is_linear = [&](const std::vector<std::string>& words,
                             const std::vector<std::string>& forty_times_as_many) {
    double once = 1e9;
    double forty_times = 1e9;
    for (int i = 0; i < 10 && forty_times >= 800 * once; ++i) {
      for (int k = 0; k < 3; ++k) once = std::min(once, took(words));
      forty_times = std::min(forty_times, took(forty_times_as_many));
    }
    boost::test_tools::assertion_result result(forty_times < 800 * once);
    result.message() << words[0] << ' ' << words[1].substr(0, 20) << ": " << once << " s, " << forty_times << " s";
    return result;
  };
  const std::pair<const char*, const char*> texts[] = {
      {"sed", "[[:"},      {"sed", "s/[[:a/"},   {"sed", "s/a/b/;"}, {"sed", "{"},
      {"sed", "a\\\n"},    {"awk", "/[[:a:]/;"}, {"awk", "(["},      {"awk", "getline;"},
      {"awk", "print a,"}, {"awk", "x=1;\n"},    {"awk", "\"a\" "},
  };
  for (const auto& [tool, text] : texts) {
    const std::string prefix = std::string(text) == "[[:" ? "s/" : "";
    BOOST_TEST(is_linear({tool, prefix + repeated(text, 8'000)}, {tool, prefix + repeated(text, 320'000)}));
  }
  const std::pair<const char*, const char*> lines[] = {
      {"git", "-ca.b=c"}, {"sort", "-o"},           {"tar", "-fa:b"}, {"grep", "-ex"},
      {"find", "-name"},  {"tar", "--force-local"}, {"git", "log"},
  };
  for (const auto& [tool, word] : lines) {
    const auto line = [&, &tool = tool, &word = word](std::size_t count) {
      std::vector<std::string> words(count, word);
      words.insert(words.begin(), tool);
      return words;
    };
    BOOST_TEST(is_linear(line(4'000), line(160'000)));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace arguments_words_test
