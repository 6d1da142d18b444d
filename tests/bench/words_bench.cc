// Measures how long the policy takes. For usual commands: the nanoseconds of a parse, and of a verdict under an allow
// list with arguments: safe. For lines of 1,000 words: a verdict, with and without looking up paths. For texts that are
// slow to read: a parse of 256 KiB, and the nanoseconds per byte for 256 KiB and for 32 KiB. The two figures per byte
// are equal if the time is linear.
//
// Usage: words_bench [--quick]   (--quick: few rounds, to see that it works)
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "policy/judge.h"
#include "policy/programs.h"
#include "policy/words.h"

namespace {

using wtool::policy::parse;

// Fails if the verdict is not the expected one: a line that is refused early would look fast.
class Judge {
 public:
  Judge(bool safe, bool confined) {
    rules_.allow =
        std::vector<std::string>{"ls", "git", "grep", "sort", "uniq", "head", "cat", "wc", "npm", "echo", "cd"};
    rules_.safe_arguments = safe;
    if (confined) directories_ = {{directory_}, true};
  }
  bool allows(const std::string& line) const {
    wtool::policy::Situation situation{rules_, directories_, programs_, directories_.roots, directory_};
    situation.expands = true;
    return judge(line, situation).verdict.decision == wtool::policy::Decision::allow;
  }

 private:
  std::string directory_ = "/usr";
  wtool::policy::CommandRules rules_{};
  wtool::policy::DirectoryRules directories_{};
  wtool::policy::Programs programs_{std::vector<std::string>{"/usr/bin", "/bin"}, "", {}};
};

// The best of several rounds, because other programs can only make it slower.
template <typename Work>
double best_of(int rounds, int repetitions, const Work& work) {
  double best = 1e18;
  std::size_t sum = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < repetitions; ++i) sum += work();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - began;
    best = std::min(best, took.count() / repetitions);
  }
  if (sum == static_cast<std::size_t>(-1)) std::puts("");  // so that nothing is optimised away
  return best;
}

double nanoseconds(const std::string& text, int rounds, int repetitions) {
  return best_of(rounds, repetitions, [&] { return parse(text).commands.size(); });
}

// Nanoseconds of a verdict; exits where the line is not allowed.
double verdict_time(const Judge& judge, const std::string& line, int rounds, int repetitions) {
  if (!judge.allows(line)) {
    std::fprintf(stderr, "words_bench: not allowed, so its time says nothing: %.100s\n", line.c_str());
    std::exit(1);
  }
  return best_of(rounds, repetitions, [&] { return judge.allows(line) ? 1U : 0U; });
}

// A line of 1,000 words; each word after the first is looked up below /usr.
std::string thousand_words() {
  std::string line = "echo";
  for (int i = 0; i < 999; ++i) line += i % 2 == 0 ? " share/doc" : " word" + std::to_string(i);
  return line;
}

std::string repeated(const std::string& piece, std::size_t size) {
  std::string text;
  while (text.size() + piece.size() <= size) text += piece;
  return text;
}

// Backquotes in backquotes, as deep as fit into `size` bytes, with text at every depth.
std::string nested_backquotes(std::size_t size) {
  std::string text = repeated("a ", size / 2);
  for (;;) {
    std::string outer = "`";
    for (const char c : text) {
      if (c == '`' || c == '\\') outer += '\\';
      outer += c;
    }
    outer += '`';
    if (outer.size() > size) return text;
    text = std::move(outer);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  const int rounds = quick ? 1 : 15;

  std::printf("%-64s %10s\n", "usual commands", "ns");
  for (const char* line :
       {"ls -la", "git status", "git log --oneline -n 20 | head -5", "npm test && npm run build 2>&1",
        "grep -rn 'a pattern' src --include='*.cc' | sort | uniq -c | sort -rn > /dev/null",
        "cat <<'EOF' && git add -A\nsome text\nof two lines\nEOF\n",
        "for f in *.c; do gcc -c \"$f\" -o \"${f%.c}.o\" || exit 1; done",
        "cd build && cmake .. -DCMAKE_BUILD_TYPE=Release && make -j$(nproc)"}) {
    std::string shown = line;
    for (char& c : shown) c = c == '\n' ? ' ' : c;
    std::printf("%-64.64s %10.0f\n", shown.c_str(), nanoseconds(line, rounds, quick ? 10 : 2000));
  }

  std::printf("\n%-64s %10s\n", "verdicts: an allow list, arguments: safe", "ns");
  const Judge safe(true, false);
  for (const char* line :
       {"ls -la", "git status", "git log --oneline -n 20 | head -5", "grep -rn main share --include='*.cc'",
        "cat share/doc/x | sort | uniq -c | sort -rn > /dev/null", "cd share && ls && wc -l doc/x"}) {
    std::printf("%-64.64s %10.0f\n", line, verdict_time(safe, line, rounds, quick ? 10 : 500));
  }
  std::printf("%-64s %10.0f\n", "1,000 words", verdict_time(safe, thousand_words(), rounds, quick ? 1 : 50));
  std::printf("%-64s %10.0f\n", "1,000 words, confined: each is looked up as a path",
              verdict_time(Judge(true, true), thousand_words(), rounds, quick ? 1 : 50));

  const std::size_t large = 256 * 1024;
  const std::size_t small = large / 8;
  std::printf("\n%-28s %12s %12s %14s\n", "256 KiB of", "ms", "ns a byte", "and at 32 KiB");
  for (const char* piece : {"(",
                            "$(",
                            "`",
                            "\"",
                            "\\",
                            "<<a",
                            "<<a ",
                            "a=",
                            "${",
                            "((",
                            "$((",
                            "((a;",
                            "a ",
                            "'a' ",
                            "a;",
                            "$(a) ",
                            "`a` ",
                            "\"$(a)\"",
                            "<<a\n",
                            "a <<'a'\nb\na\n",
                            "a[",
                            "a[1]=",
                            "{a,",
                            "@(a|",
                            "$[",
                            "[[ ",
                            "a() ",
                            "if ",
                            "! ",
                            "time ",
                            "x=(",
                            "\\\n",
                            "#",
                            "a|",
                            "a&",
                            "&>a ",
                            "{ a; } <b;",
                            "$'\\x41'",
                            "((a) );",
                            "$((a) );",
                            "\xC2\xA0",
                            "\xFF",
                            "case a in b) ",
                            "\"`\\`a\\``\" "}) {
    const double at_large = nanoseconds(repeated(piece, large), quick ? 1 : 3, 1);
    const double at_small = nanoseconds(repeated(piece, small), quick ? 1 : 5, 1);
    std::string shown;
    for (const char* c = piece; *c != '\0'; ++c) shown += *c == '\n' ? "\\n" : std::string(1, *c);
    std::printf("%-28s %12.2f %12.1f %14.1f\n", shown.c_str(), at_large / 1e6, at_large / static_cast<double>(large),
                at_small / static_cast<double>(small));
  }
  const std::string deep = nested_backquotes(large);
  const double took = nanoseconds(deep, quick ? 1 : 3, 1);
  std::printf("%-28s %12.2f %12.1f\n", "nested backquotes", took / 1e6, took / static_cast<double>(deep.size()));
  return 0;
}
