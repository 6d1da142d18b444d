// The options in the help texts and manuals of installed programs: each is either known to the database under its own
// name, or refused under `commands.arguments: safe`. So an option of a newer version cannot pass as the abbreviation of
// another one, or as a bundle of letters. Only help commands that are judged safe themselves are run; the options are
// judged, and never run.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <iostream>
#include <set>

#include "policy/arguments.h"
#include "policy/programs/spec.h"
#include "support/host_variable.h"
#include "support/program.h"

BOOST_AUTO_TEST_SUITE(help_options_test)

using namespace wtool::policy;
using namespace wtool::policy::programs;
using namespace wtool::test;
using Words = std::vector<std::string>;

namespace {

// The absolute path of a program; empty if it is not installed.
std::string path_of(const std::string& program) {
  for (const char* folder : {"/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/"}) {
    if (std::filesystem::exists(folder + program)) return folder + program;
  }
  return {};
}

bool is_safe(const Words& words) { return judge_arguments(words.front(), words).kind == ArgumentJudgement::Kind::safe; }

Words with(Words words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more);
  return words;
}

// The options in a help text: "-n", "--lines", "-name", where a word or an alternative begins.
std::set<std::string> options_in(const std::string& help) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  std::set<std::string> options;
  for (std::size_t at = 0; (at = help.find('-', at)) != std::string::npos;) {
    const bool begins = at == 0 || std::string_view(" \t\n[(|,/").find(help[at - 1]) != std::string_view::npos;
    const std::size_t name = at + (help.compare(at, 2, "--") == 0 ? 2 : 1);
    std::size_t end = name;
    while (end < help.size() && (letters.find(help[end]) != letters.npos ||
                                 (end > name && std::string_view("-_").find(help[end]) != std::string_view::npos))) {
      ++end;
    }
    while (end > name && (help[end - 1] == '-' || help[end - 1] == '_')) --end;
    if (begins && end > name) options.insert(help.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return options;
}

// True if the database has, in the program's notation, an option of exactly this name that only reads.
bool is_known(const OptionTable& program, const std::string& option, const std::set<std::string>& named) {
  const auto has = [&](const std::string& name) {
    return std::any_of(program.options().begin(), program.options().end(), [&](const Option& each) {
      // A command behind an option is judged by itself.
      return each.name == name && (each.safe() || each.command) && !each.unproven;
    });
  };
  if (has(option) || (" " + std::string(program.spec().alone) + " ").find(" " + option + " ") != std::string::npos)
    return true;
  if (program.spec().names.starts_with("exa") && option == "--colo") return true;  // --colo[u]r
  if (program.spec().names == "rg" && option == "-cdq") return true;               // of another program
  const bool is_long = option.starts_with("--");
  if (is_long && program.spec().style == Style::go) return has(option.substr(1));
  if (is_long && program.spec().style == Style::git && option.starts_with("--no-")) return has("--" + option.substr(5));
  if (is_long) return false;
  const std::string_view letters = std::string_view(option).substr(1);
  if (letters.find_first_not_of("0123456789") == letters.npos && has("-NUM")) return true;
  // The first letter is an option with a value, and the rest is that value, as in -nNUM.
  const Option* const first = program.letter(letters[0]);
  if (first != nullptr && first->safe() && first->value != OptionValue::none) return true;
  // -newerXY is a whole family. Some helps show letters as a bundle (-RVadlpv, -hh, -vET) and also name each by itself.
  if (option == "-RVadlpv" || option == "-6tuw" || option == "-newerXY") return true;
  return letters.size() > 1 && std::all_of(letters.begin(), letters.end(), [&](char letter) {
           return has({'-', letter}) && (letter == letters[0] || named.contains({'-', letter}));
         });
}

// The help of a program or of its subcommand; empty if asking for it is not known to be safe.
std::string help_of(const Words& program, const std::string& directory) {
  Words words = with(program, {program.size() > 1 ? "-h" : "--help"});
  if (!is_safe(words)) return {};
  words.front() = path_of(words.front());
  const Finished help = run(words, {.directory = directory, .limit = std::chrono::seconds(20)});
  return help.out + '\n' + help.err;
}

// A line of a manual's source as a reader sees it, without the request at its start.
std::string plain_text(std::string line) {
  const bool is_bsd = line.starts_with(".It") || line.starts_with(".Fl");
  if (line.starts_with('.')) line.erase(0, std::min(line.find(' '), line.size()));
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') continue;
    if (line[i] != '\\' || i + 1 == line.size()) {
      text += line[i];
      continue;
    }
    switch (const char escaped = line[++i]) {
      case '-':
        text += '-';
        break;
      case 'f':
      case '(':
      case '*':
        if (i + 1 < line.size() && line[i + 1] == '[') {
          i = std::min(line.find(']', i), line.size());
        } else if (i + 1 < line.size() && (escaped == '(' || line[i + 1] == '(')) {
          i += escaped == '(' ? 2 : 3;
        } else {
          ++i;
        }
        break;
      default:  // Not a character of an option: \& \| \/ \c
        break;
    }
  }
  if (!is_bsd) return text;
  // "Fl a Ar file Fl Fl all": the word after Fl is an option.
  std::string flags = " " + text;
  for (std::size_t at; (at = flags.find(" Fl Fl ")) != std::string::npos;) flags.replace(at, 7, " --");
  for (std::size_t at; (at = flags.find(" Fl ")) != std::string::npos;) flags.replace(at, 4, " -");
  return flags;
}

// The options that the source of a manual describes, each under its own heading. Options in running text and examples
// often belong to another program.
std::set<std::string> options_in_manual(const std::string& source) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < source.size();) {
    const std::size_t end = std::min(source.find('\n', at), source.size());
    lines.push_back(source.substr(at, end - at));
    at = end + 1;
  }
  std::set<std::string> options;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto is_request = [&](std::initializer_list<std::string_view> names) {
      return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return lines[i].starts_with(name); });
    };
    std::string heading;
    if (is_request({".IP ", ".It "})) {
      heading = plain_text(lines[i]);
    } else if (is_request({".TP", ".TQ"}) && i + 1 < lines.size()) {
      heading = plain_text(lines[i + 1]);
    } else if (is_request({".PP", ".sp"}) && i + 2 < lines.size() && lines[i + 2].starts_with(".RS")) {
      heading = plain_text(lines[i + 1]);
    }
    heading.erase(0, heading.find_first_not_of(' '));
    if (heading.starts_with('-')) options.merge(options_in(heading));
  }
  return options;
}

// The source of the manual of a program or of its subcommand; empty where it is not installed.
std::string manual_of(const Words& program) {
  std::string name = program.front();
  for (std::size_t i = 1; i < program.size(); ++i) name += '-' + program[i];
  for (const char* section : {"1", "8"}) {
    const std::string file = std::string("/usr/share/man/man") + section + '/' + name + '.' + section + ".gz";
    if (!std::filesystem::exists(file)) continue;
    const Finished manual = run({"/bin/zcat", file}, {.limit = std::chrono::seconds(20)});
    return manual.out;
  }
  return {};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(help_options)

BOOST_AUTO_TEST_CASE(options_are_read_in_a_manual) {
  const std::set<std::string> expected = {"-a", "--all", "-n", "--lines", "-i", "-w", "--wide", "-x", "--sort"};
  BOOST_TEST(options_in_manual(".SH OPTIONS\n.TP\n\\fB\\-a\\fR, \\f[B]\\-\\-all\\f[R]\nas \\-\\-other does\n"
                               ".IP \"\\fB\\-n\\fR \\fINUM\\fR\" 4\n.TQ\n.BI \\-\\-lines= NUM\n.It Fl i Ar file\n"
                               ".It Fl w , Fl Fl wide\n.PP\n\\-x \\-\\-sort\n.RS 4\n.PP\n\\-no\nheading\n"
                               ".IP ls \\-l\n") == expected,
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(options_are_read_in_a_help) {
  const std::set<std::string> expected = {"-a",           "--all",  "-n", "--lines", "-name",
                                          "--block-size", "--no_x", "-h", "--from"};
  BOOST_TEST(options_in("Usage: x [-h|--from]\n  -a, --all  do not e-mail -- it\n  -n NUM/--lines=NUM\n (-name) "
                        "--block-size[=N], - --no_x- a--b") == expected,
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(each_option_of_an_installed_program_is_known_or_refused) {
  const HostVariable path("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");
  const ScratchFolder scratch;
  const HostVariable home("HOME", scratch.path());
  std::size_t programs = 0, manuals = 0, options = 0, allowed = 0;
  for (const std::string_view name : program_names()) {
    Words program;
    for (std::size_t at = 0; at <= name.size();) {
      const std::size_t end = std::min(name.find(' ', at), name.size());
      program.emplace_back(name.substr(at, end - at));
      at = end + 1;
    }
    const OptionTable* const known = find_rules(name);
    // Programs without options read every word as an operand.
    const bool has_options = known != nullptr && (known->spec().style != Style::none || known->spec().check != nullptr);
    if (!has_options || path_of(program.front()).empty()) continue;
    std::set<std::string> named = options_in(help_of(program, scratch.path()));
    std::set<std::string> described = options_in_manual(manual_of(program));
    manuals += described.empty() ? 0 : 1;
    named.merge(described);
    programs += named.empty() ? 0 : 1;
    options += named.size();
    for (const std::string& option : named) {
      for (const Words& words :
           {with(program, {option}), with(program, {option, "x"}), with(program, {option + "=x"})}) {
        if (!is_safe(words)) continue;
        ++allowed;
        BOOST_TEST(is_known(*known, option, named),
                   name << " takes " << words.back() << " as safe, and does not know " << option);
        break;
      }
    }
  }
  std::cout << "judged " << options << " options of " << programs << " programs and subcommands that are installed, "
            << manuals << " of them with a manual; " << allowed << " of them are allowed" << std::endl;
  BOOST_TEST((path_of("ls").empty() || allowed > 0));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
