// policy/programs/: the database itself. It has each program once, and every entry can be parsed.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "policy/arguments.h"
#include "policy/programs/names.h"
#include "policy/programs/spec.h"

namespace database_test {

using namespace wtool::policy;
using namespace wtool::policy::programs;

namespace {

std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const std::size_t first = part.find_first_not_of(' ');
    if (first != part.npos) parts.emplace_back(part.substr(first, part.find_last_not_of(' ') - first + 1));
  }
  return parts;
}

std::vector<const ProgramSpec*> all_specs() {
  std::vector<const ProgramSpec*> specs;
  for (const auto family : {text_programs(), file_programs(), system_programs(), search_programs(), archive_programs(),
                            language_programs(), git_programs(), package_programs(), container_programs(),
                            wrapper_programs(), writing_programs(), runner_programs(), interpreter_programs()}) {
    for (const ProgramSpec& spec : family) specs.push_back(&spec);
  }
  return specs;
}

// Escapes the bars, which separate two names of the same thing: a bar would end the cell.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

std::string shown(const ProgramSpec& spec) {
  const OptionTable& program = *find_program(parts_of(spec.names, ',').front());
  std::string safe;
  std::map<std::string, std::string> others;  // by what they do
  for (const Option& option : program.options()) {
    if (option.unproven || option.whole) continue;
    std::string& list = option.safe() ? safe : others[std::string(option.why)];
    list += (list.empty() ? "" : " ") + option.name;
  }
  if (spec.does != Effect::reads) safe = spec.alone.empty() ? "nothing" : "alone: " + std::string(spec.alone);
  std::string more = spec.does == Effect::reads ? "" : std::string(spec.never);
  for (const auto& [why, list] : others) more += (more.empty() ? "" : "; ") + why + ": `" + list + '`';
  if (!spec.beyond.empty()) more += (more.empty() ? "" : "; ") + std::string(spec.beyond);
  const bool plain = spec.does != Effect::reads || safe.empty();
  return "| " + cell(std::string(spec.names)) + " | " +
         (safe.empty() ? "no options"
          : plain      ? cell(safe)
                       : '`' + cell(safe) + '`') +
         " | " + cell(more) + " |\n";
}

// docs/guide/programs.md
std::string page() {
  std::string text =
      "# Programs that are known\n\n"
      "With `commands: {allow: [sort], arguments: safe}`, `sort -u a.txt` is allowed, and `sort -o b.txt a.txt` is "
      "denied:\n"
      "`-o writes to a file, and commands.arguments allows only safe arguments`.\n\n"
      "This page is generated from the database in `plugin/policy/programs/` (`tests/unit/policy/database_test.cc`).\n"
      "To generate it again, run `WTOOL_WRITE_PAGES=1 build/tests/bin/arguments_test -t database`.\n"
      "A program that is not here, or an option that is not in the second column, is refused under `arguments: safe`.\n"
      "Further rules judge some arguments: scripts of `sed` and `awk`, `find` expressions, `git` settings, operands.\n"
      "See [policy.md](../policy.md).\n";
  const std::pair<const char*, std::span<const ProgramSpec>> families[] = {
      {"Text", text_programs()},
      {"Files", file_programs()},
      {"The system", system_programs()},
      {"Search", search_programs()},
      {"Archives", archive_programs()},
      {"Languages", language_programs()},
      {"git", git_programs()},
      {"Packages", package_programs()},
      {"Containers", container_programs()},
      {"Programs that run others", wrapper_programs()},
      {"Writing, network, rights", writing_programs()}};
  for (const auto& [title, family] : families) {
    text += "\n## " + std::string(title) + "\n\n| program | only reads with | what else it does |\n|---|---|---|\n";
    for (const ProgramSpec& spec : family) {
      if (spec.rules && spec.names.substr(0, spec.names.find(',')).find(':') == spec.names.npos) text += shown(spec);
    }
  }
  text +=
      "\n## Judged by what they run\n\nIt is known what these programs run, but not which of their arguments only "
      "read:\n\n";
  std::string line;
  for (const std::string_view name : program_names()) {
    if (find_rules(name) != nullptr) continue;
    const std::string item = '`' + std::string(name) + "` ";
    if (line.size() + item.size() > 120) {
      text += line.substr(0, line.size() - 1) + '\n';
      line.clear();
    }
    line += item;
  }
  return text + line.substr(0, line.empty() ? 0 : line.size() - 1) + '\n';
}

}  // namespace

BOOST_AUTO_TEST_SUITE(database)

BOOST_AUTO_TEST_CASE(the_page_of_programs_says_what_the_database_says) {
  const std::string path = WTOOL_TEST_SOURCE_DIR "/docs/guide/programs.md";
  if (std::getenv("WTOOL_WRITE_PAGES") != nullptr) std::ofstream(path) << page();
  std::ifstream file(path);
  const std::string written{std::istreambuf_iterator<char>(file), {}};
  BOOST_TEST((written == page()), path << " is not what the database says: see its first lines");
}

BOOST_AUTO_TEST_CASE(each_program_is_listed_once) {
  std::map<std::string, int> times;
  for (const ProgramSpec* spec : all_specs()) {
    for (const std::string& name : parts_of(spec->names, ',')) ++times[name];
  }
  for (const auto& [name, count] : times) BOOST_TEST(count == 1, name << " stands " << count << " times");
  BOOST_TEST(times.size() > 900u);
  const auto parts = std::count_if(times.begin(), times.end(), [](const auto& entry) {
    return entry.first.size() > 1 && entry.first.find(':') != std::string::npos;
  });
  BOOST_TEST(program_names().size() == times.size() - static_cast<std::size_t>(parts));
}

BOOST_AUTO_TEST_CASE(each_effect_is_known_and_has_a_clause) {
  const std::set<std::string> names = {"writes",     "runs_program", "runs_code", "opens_network",
                                       "privileged", "interactive",  "other"};
  for (const ProgramSpec* spec : all_specs()) {
    for (const std::string& group : parts_of(spec->effects, ';')) {
      const std::string effect = group.substr(0, group.find_first_of(" (:"));
      BOOST_TEST(names.count(effect) == 1u, spec->names << ": " << group);
      BOOST_TEST((effect != "other" || group.find('(') < group.find(':')), spec->names << ": " << group);
    }
    BOOST_TEST((spec->does == Effect::reads) == spec->never.empty(), spec->names);
    for (const std::string& name : parts_of(spec->with, ',')) BOOST_TEST(find_program(name) != nullptr, name);
  }
}

// If all options of a program are known, those that make it run something are among them.
BOOST_AUTO_TEST_CASE(options_that_make_a_program_run_something_are_known) {
  for (const ProgramSpec* spec : all_specs()) {
    if ((spec->manner & (lenient | any_long | any_valued)) != 0) continue;
    const OptionTable& program = *find_program(parts_of(spec->names, ',').front());
    for (const std::string_view list : {spec->script, spec->code, spec->idle}) {
      for (const std::string& name : parts_of(list, ' ')) {
        if (name.starts_with('+')) continue;
        const Option* const option = name.size() == 1 ? program.any_letter(name[0]) : program.only(name);
        BOOST_TEST(option != nullptr, spec->names << ": " << name);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(options_are_read_as_they_are_written) {
  const OptionTable& sort = *find_program("sort");
  BOOST_TEST(sort.letter('o')->path);
  BOOST_TEST((sort.letter('o')->effect == Effect::writes));
  BOOST_TEST(sort.letter('o')->why == clause_of(Effect::writes));
  BOOST_TEST((sort.word("--compress-prog").option->effect == Effect::runs_program));
  BOOST_TEST(sort.word("--files0-from").option->list);
  BOOST_TEST((sort.word("--check").option->value == OptionValue::optional));
  BOOST_TEST(find_program("jq")->word("--arg").option->values == 2u);
  BOOST_TEST(find_program("grep")->letter('e')->replaces_first);
  BOOST_TEST(find_program("md5sum")->letter('c')->lists);
  BOOST_TEST(find_program("git branch")->word("--no-list").negated);
  BOOST_TEST(find_program("bwrap")->only("overlay")->values == 3u);
  // Unproven options are used to find out what a program runs, but never to show that it is safe.
  BOOST_TEST(find_program("npm")->word("--yes").option == nullptr);
  BOOST_TEST(find_program("npm")->only("yes") != nullptr);
  BOOST_TEST(find_program("docker exec") != nullptr);
  BOOST_TEST(find_rules("docker exec") == nullptr);
}

BOOST_AUTO_TEST_CASE(a_program_has_further_names) {
  for (const auto& [name, known] : {std::pair("python3.11", "python"),
                                    {"python3", "python3"},
                                    {"x86_64-linux-gnu-gcc-12", "gcc"},
                                    {"aarch64-linux-gnu-ld.bfd", "ld"},
                                    {"gcc-ar-12", "ar"},
                                    {"g++-12", "g++"},
                                    {"vim.basic", "vim"},
                                    {"busybox.static", "busybox"},
                                    {"bash-static", "bash"},
                                    {"python3-dbg", "python3"},
                                    {"python3.11-dbg", "python"},
                                    {"sudo-rs", "sudo"},
                                    {"nc.openbsd", "nc"},
                                    {"env.sh", "env.sh"},
                                    {"md5sum", "md5sum"},
                                    {"my-tool", "my-tool"},
                                    {"7", "7"},
                                    {"gcc12", "gcc"},
                                    {"pip311", "pip"},
                                    {"tclsh8.6", "tclsh"},
                                    {"id3", "id3"},
                                    {"pr3287", "pr3287"},
                                    {"", ""}}) {
    BOOST_TEST(known_name(name) == known, name);
  }
}

// An option that makes a program print its version often does nothing more than that only if no other word is given.
BOOST_AUTO_TEST_CASE(a_word_that_is_safe_alone_is_not_safe_with_another_word) {
  const auto is_safe = [](const std::vector<std::string>& words) {
    return judge_arguments(words.front(), words).kind == ArgumentJudgement::Kind::safe;
  };
  int rows = 0;
  for (const ProgramSpec* spec : all_specs()) {
    if (!spec->rules || spec->never.empty()) continue;
    for (const std::string& name : parts_of(spec->names, ',')) {
      const std::vector<std::string> program = parts_of(name, ' ');
      const auto with = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words = program;
        words.insert(words.end(), more.begin(), more.end());
        return words;
      };
      BOOST_TEST(!is_safe(program), name);
      for (const std::string& alone : parts_of(spec->alone, ' ')) {
        ++rows;
        BOOST_TEST(is_safe(with({alone})), name << ' ' << alone);
        for (const std::string& other : {std::string("x"), std::string("./x"), std::string("-x"), std::string("--"),
                                         std::string("--x=y"), std::string("@x"), alone}) {
          BOOST_TEST(!is_safe(with({alone, other})), name << ' ' << alone << ' ' << other);
          BOOST_TEST(!is_safe(with({other, alone})), name << ' ' << other << ' ' << alone);
        }
        BOOST_TEST(!is_safe(with({alone + "=x"})), name << ' ' << alone << "=x");
        BOOST_TEST(!is_safe(with({alone + "x"})), name << ' ' << alone << 'x');
      }
    }
  }
  BOOST_TEST(rows > 100);
}

BOOST_AUTO_TEST_CASE(programs_for_a_person_at_a_terminal_are_known_unless_they_work_alone) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"vi"},
                                                                                     {"vi", "x"},
                                                                                     {"/usr/bin/vim.basic", "x"},
                                                                                     {"less", "x"},
                                                                                     {"top"},
                                                                                     {"top", "-n1"},
                                                                                     {"watch", "ls"},
                                                                                     {"htop"}}) {
    BOOST_TEST(needs_terminal(words), words[0]);
  }
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"top", "-b"},
                                                                                     {"top", "-n1b"},
                                                                                     {"vim", "-es"},
                                                                                     {"emacs", "--batch"},
                                                                                     {"vim", "--version"},
                                                                                     {"iotop", "-bn1"},
                                                                                     {"cat"},
                                                                                     {"no-such"}}) {
    BOOST_TEST(!needs_terminal(words), words[0]);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace database_test
