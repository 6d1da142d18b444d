// tests/data/reads-only.txt: if `commands.arguments: safe` allows a command, strace shows that the command only reads.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "support/host_variable.h"
#include "support/program.h"
#include "support/sandboxed.h"

BOOST_AUTO_TEST_SUITE(reads_only_test)

using namespace wtool::test;

namespace {

constexpr const char* setup = R"(
printf 'one\ntwo\n' >a.txt; printf 'one\nthree\n' >b.txt; printf 'x,1\ny,2\n' >table.csv; echo '{"a":["b"]}' >a.json
echo 1+1 >sum.bc; echo 'a b' >pairs; mkdir folder; cp a.txt folder; cp /bin/true program
base64 a.txt >encoded; md5sum a.txt >sums; sha512sum a.txt >sums512
gzip -c a.txt >a.gz; bzip2 -c a.txt >a.bz2; xz -c a.txt >a.xz; zstd -qc a.txt >a.zst; zip -q a.zip a.txt
tar -cf a.tar a.txt; echo a.txt | cpio -o >a.cpio
git init -q; echo one >README.md; git add README.md; git -c user.name=N -c user.email=E commit -qm one; echo two >>README.md
)";

// The system calls that run a program, change something that has a name, or reach another process or another machine.
constexpr const char* watched =
    "trace=execve,execveat,open,openat,openat2,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,"
    "link,"
    "linkat,symlink,symlinkat,truncate,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,utimensat,setxattr,fsetxattr,"
    "lsetxattr,mknod,mknodat,connect,bind,kill,mount,ptrace";

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::string quoted(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "'" : " '") + word + "'";
  return line;
}

bool only_reads(const std::string& name, const std::string& rest) {
  static const std::regex writing("O_WRONLY|O_RDWR|O_CREAT|O_TRUNC"), harmless("\"/dev/(null|tty)\"");
  if (name.starts_with("open")) return !std::regex_search(rest, writing) || std::regex_search(rest, harmless);
  // Programs that read may ask the cache of the name service, and `ip` and `ss` read the kernel's tables through a
  // netlink socket.
  if (name == "connect") return rest.find("/nscd/") != std::string::npos;
  if (name == "bind") return rest.find("AF_NETLINK") != std::string::npos;
  return name == "kill" && rest.find(", 0)") != std::string::npos;
}

// The calls in the trace that are more than reading. The first program in the trace is the one under test.
std::vector<std::string> more_than_reading(const std::string& trace) {
  static const std::regex call(R"(^\d+ +(\w+)\((.*))");
  std::vector<std::string> found;
  std::ifstream file(trace);
  bool has_started = false;
  for (std::string line; std::getline(file, line);) {
    std::smatch parts;
    if (!std::regex_search(line, parts, call)) continue;
    const bool starts = parts[1].str().starts_with("exec");
    if (starts && !has_started) {
      has_started = line.ends_with(" = 0");
    } else if (starts || !only_reads(parts[1], parts[2])) {
      found.push_back(line);
    }
  }
  if (!has_started) found.emplace_back("it was not started");
  return found;
}

struct TracedFolder : Sandboxed {
  // Uses only the system's programs, not scripts that a person has put before them in PATH.
  HostVariable path{"PATH", "/usr/bin:/bin:/usr/sbin:/sbin"};
  std::map<std::string, std::string> launched_with;

  TracedFolder() {
    // If a program is not installed, its line leaves an empty file. Lines with such a program are not run later.
    wtool::test::run({"/bin/sh", "-c", setup}, {.directory = inside});
    BOOST_REQUIRE(std::filesystem::exists(inside + "/README.md"));
  }

  // A program may be started by `env`, which sets variables so that the program starts no other one. `env` is then the
  // one program that starts another.
  std::vector<std::string> without_launcher(std::vector<std::string> argv, const std::string& program) {
    if (argv.front() != "env" || program == "env") return argv;
    argv.erase(argv.begin());
    for (std::size_t at = 0; (at = argv.front().find('=')) != std::string::npos; argv.erase(argv.begin())) {
      launched_with[argv.front().substr(0, at)] = argv.front().substr(at + 1);
    }
    return argv;
  }

  std::vector<std::string> trace(const std::vector<std::string>& argv) const {
    const std::string file = outside + "/trace";
    std::vector<std::string> traced{"/usr/bin/strace", "-f", "-qq", "-s", "200", "-o", file, "-e", watched};
    traced.insert(traced.end(), argv.begin(), argv.end());
    wtool::test::run(traced, {.directory = inside, .set = launched_with});
    return more_than_reading(file);
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(reads_only)

BOOST_FIXTURE_TEST_CASE(a_command_that_writes_or_runs_another_is_seen, TracedFolder) {
  BOOST_TEST(trace({"true"}).empty());
  BOOST_TEST(!trace({"touch", "a.txt"}).empty());
  BOOST_TEST(!trace({"sort", "-o", "sorted", "a.txt"}).empty());
  BOOST_TEST(!trace({"env", "true"}).empty());
  BOOST_TEST(!trace({"rm", "b.txt"}).empty());
}

BOOST_FIXTURE_TEST_CASE(what_is_allowed_as_safe_neither_writes_nor_runs_another_program, TracedFolder) {
  std::ifstream file(WTOOL_TEST_SOURCE_DIR "/tests/data/reads-only.txt");
  std::set<std::string> seen;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::vector<std::string> words = words_of(line);
    if (!is_installed(words.front())) continue;
    const Json config{{"commands", {{"allow", {words.front()}}, {"arguments", "safe"}}}};
    const Json explained =
        ToolUnderTest(plugin, config).explain({{"command", quoted(words)}, {"working_directory", inside}});
    BOOST_TEST_CONTEXT(line) {
      BOOST_TEST(explained.at("verdict") == "allow", explained);
      if (explained.at("verdict") != "allow") continue;
      for (const std::string& call : trace(without_launcher(explained.at("argv"), words.front()))) BOOST_ERROR(call);
    }
    seen.insert(words.front());
  }
  BOOST_TEST(seen.size() >= 60U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
