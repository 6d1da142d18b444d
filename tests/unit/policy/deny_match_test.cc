// policy/wrappers.h, arguments_match: which commands an entry of a deny list matches. An entry is a program, options
// and operands; the commands are written as in simple_command.h.
#include <boost/test/unit_test.hpp>

#include "policy/wrappers.h"
#include "simple_command.h"

namespace deny_match_test {

using namespace wtool::policy;

namespace {

// The entry as a deny list has it: words that begin with a dash are its options.
bool matches(const std::string& entry, const std::string& line) {
  const auto words = wtool::test::command_of(entry).words;
  std::vector<std::string> options, operands;
  for (std::size_t i = 1; i < words.size(); ++i) {
    (words[i].text.starts_with('-') ? options : operands).push_back(words[i].text);
  }
  return arguments_match(words.front().text, wtool::test::command_of(line).words, options, operands);
}

struct Row {
  std::string entry;
  std::vector<std::string> matched, passed;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(deny_match)

BOOST_AUTO_TEST_CASE(entries_match_in_every_spelling_and_no_further) {
  const Row rows[] = {
      {"rm", {"rm", "rm x", "rm -f -- x"}, {}},
      {"rm -f",
       {"rm -f x", "rm -r -f x", "rm -rf x", "rm -fr x", "rm x -f", "rm --force x", "rm --forc x", "rm --f x", "rm ~ x",
        "rm -r ~"},
       {"rm x", "rm -- -f", "rm -r x", "rm -- ~", "rm f", "rm ./-f", "rm -v -- -rf", "rm --recursive x"}},
      {"rm --force", {"rm -f x", "rm -rf x", "rm --forc"}, {"rm -r x", "rm -- --force"}},
      {"rm -rf",
       {"rm -rf x", "rm -r -f x", "rm -fR x", "rm --recursive --force x", "rm -f x -r"},
       {"rm -r x", "rm -f x"}},
      {"rm -rf /", {"rm -rf /", "rm / -rf", "rm -r -f -- /", "rm -rf ~"}, {"rm -rf x", "rm -rf /x"}},
      {"zypper install",
       {"zypper install x", "zypper -x install x", "zypper -C d install x"},
       {"zypper -x search install"}},
      {"git push",
       {"git push", "git -C dir push", "git --no-pager push", "git -c a=b push x", "git --git-dir d push",
        "git --git-dir=d push", "git ~ push", "git -p push", "git --exec-path=x push", "git ~"},
       {"git log push", "git -C push log", "git pull", "git --git-dir push log", "git stash push", "git -- log"}},
      {"git push --force",
       {"git push --force", "git push -f", "git push origin main --force", "git -C d push -fu x",
        "git push origin +main", "git push --forc", "git push ~", "git push --branch --force"},
       {"git push", "git push --force-with-lease", "git push -- --force", "git push -o f x", "git pull --force",
        "git push origin main:f"}},
      {"git push --delete",
       {"git push origin :main", "git push -d x", "git push --delete x"},
       {"git push origin a:b", "git push origin :"}},
      {"git branch -D",
       {"git branch -D x", "git branch -d -f x", "git branch --delete --force x"},
       {"git branch -d x", "git branch -f x"}},
      {"git reset --hard", {"git reset --hard", "git reset HEAD --har"}, {"git reset --soft", "git reset -- --hard"}},
      {"git remote add", {"git remote add x", "git remote -v add x"}, {"git remote -v", "git add remote"}},
      {"docker rm",
       {"docker rm x", "docker container rm x", "docker -H h rm x", "docker --context=c rm"},
       {"docker rmi x", "docker ps", "docker run rm"}},
      {"docker rmi", {"docker rmi x", "docker image rm x"}, {"docker rm x"}},
      {"docker system prune", {"docker system prune -af", "docker --debug system prune"}, {"docker system df"}},
      {"kubectl delete",
       {"kubectl delete pod x", "kubectl -n ns delete x", "kubectl --namespace ns delete",
        "kubectl --context=c delete"},
       {"kubectl get delete", "kubectl -n delete get x"}},
      {"kubectl -orm", {"kubectl get -orm x", "kubectl -orm"}, {"kubectl get -ojson", "kubectl get -n -orm x"}},
      {"npm publish",
       {"npm publish", "npm --prefix d publish", "npm pub", "npm publ", "npm -w x publish"},
       {"npm test", "npm run publish"}},
      {"npm install -g", {"npm i -g x", "npm install --global x", "npm add x -g"}, {"npm install x", "npm ci"}},
      {"cargo publish",
       {"cargo publish", "cargo +nightly publish", "cargo -Z x publish", "cargo --color never publish"},
       {"cargo build publish"}},
      {"cargo run", {"cargo r", "cargo -q run"}, {"cargo rustc"}},
      {"systemctl stop",
       {"systemctl stop x", "systemctl --user stop x", "systemctl -H h stop", "systemctl --no-block stop"},
       {"systemctl status stop", "systemctl -H stop status"}},
      {"apt-get install",
       {"apt-get install x", "apt-get -y install", "apt-get -o A=b install", "apt-get -qq -t x install"},
       {"apt-get update"}},
      {"aws s3 rm",
       {"aws s3 rm x", "aws --profile p s3 rm", "aws s3 --region r rm x"},
       {"aws s3 ls rm", "aws --profile s3 rm"}},
      {"aptitude remove", {"aptitude -P remove x", "aptitude -t x remove y"}, {"aptitude -t remove show"}},
      {"apt-get remove", {"apt-get -a x remove y"}, {"apt-get -t remove update"}},
      {"pnpm publish", {"pnpm -w publish", "pnpm --filter x publish"}, {"pnpm --filter publish test"}},
      {"go install", {"go install x", "go -C d install"}, {"go build install"}},
      {"make install",
       {"make install", "make -C d install", "make -j4 install", "make -j 4 install", "make -B install"},
       {"make all", "make -C install"}},
      {"find -delete",
       {"find . -delete", "find . -name x -delete"},
       {"find . -depth", "find . -name x", "find . -del"}},
      {"java -jar", {"java -jar x", "java -Xmx1g -jar x"}, {"java -j", "java x"}},
      {"foo bar",
       {"foo bar", "foo -x bar", "foo --x v bar", "foo --x bar", "foo -x v bar"},
       {"foo baz bar", "foo v bar", "foo --x=v w bar"}},
      {"foo -x", {"foo -x", "foo -ax", "foo a -x", "foo ~"}, {"foo --x-ray", "foo x", "foo -- -x"}},
      {"foo --long",
       {"foo --long", "foo --long=1", "foo --lon", "foo a --long b"},
       {"foo --longer", "foo -l", "foo long"}},
      {"foo -long", {"foo -long", "foo -long=1"}, {"foo -x"}},
      {"cp -f", {"cp -f a b", "cp -rf a b", "cp --force a b"}, {"cp -S f a b", "cp -Sf a b", "cp -t f a"}},
      {"chmod -R", {"chmod -R 777 x", "chmod --recursive 777 x", "chmod 777 -R x"}, {"chmod 777 x"}},
      {"curl -o", {"curl -o f x", "curl -sSo f x", "curl --output f x"}, {"curl x", "curl -H -o x", "curl -O x"}},
  };
  for (const Row& row : rows) {
    for (const std::string& line : row.matched) {
      BOOST_TEST(matches(row.entry, line), "\"" << row.entry << "\" does not match \"" << line << "\"");
    }
    for (const std::string& line : row.passed) {
      BOOST_TEST(!matches(row.entry, line), "\"" << row.entry << "\" matches \"" << line << "\"");
    }
  }
}

BOOST_AUTO_TEST_CASE(no_words_match_nothing) { BOOST_TEST(!arguments_match("rm", {}, {}, {})); }

BOOST_AUTO_TEST_SUITE_END()

}  // namespace deny_match_test
