// The cache of steps never gives a wrong hit, never has half an entry, and never takes more room than it may.
#include "cache/step_cache.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/sha256.h"
#include "cache/patterns.h"
#include "cache/shared_claim.h"
#include "support/program.h"

using namespace wtool::host::cache;
using wtool::test::ScratchFolder;

namespace {

namespace fs = std::filesystem;

std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string listed(const FoundFiles& found) {
  std::string out;
  for (const std::string& path : found.paths) out += path + " ";
  for (const std::string& pattern : found.unmatched) out += "!" + pattern + " ";
  return out + found.problem;
}

StepCache::Refuses nothing_refused() {
  return [](std::string_view, bool) { return false; };
}

struct Kept {
  ScratchFolder scratch;

  Kept() {
    scratch.file("project/src/a.c", "int a;\n");
    scratch.file("project/src/deep/b.c", "int b;\n");
    scratch.file("project/Makefile", "all:\n");
  }
  std::string project(const std::string& name = "") const {
    return scratch.path() + "/project" + (name.empty() ? "" : "/" + name);
  }
  std::string folder() const { return scratch.path() + "/cache/steps"; }
  StepCache::Options options() const {
    StepCache::Options made;
    made.folder = folder();
    made.directory = project();
    return made;
  }
  Work work() const {
    Work made;
    made.step = "Build";
    made.file = "w.md";
    made.directory = project();
    made.parts = {{"the call", "cc"}};
    made.inputs = {"src/**", "Makefile"};
    made.outputs = {"build/app"};
    return made;
  }
  // Does the work, unless it is up to date. Returns why it was done; empty: it was not.
  std::string once(const Work& wanted, const std::string& makes, StepCache::Options with) const {
    StepCache cache(std::move(with));
    Look look = cache.look(wanted);
    if (look.entry && cache.restore(wanted, look)) {
      BOOST_TEST(look.entry->result == "made " + makes);
      return "";
    }
    scratch.file("project/build/app", makes);
    const std::string why = cache.keep(wanted, look, "made " + makes, "run", nothing_refused);
    return look.why + (why.empty() ? "" : "; not kept: " + why);
  }
  std::string once(const Work& wanted, const std::string& makes = "app") const {
    return once(wanted, makes, options());
  }
  std::string once() const { return once(work()); }
  // Replaces `from`, which each entry must contain, in all entries.
  void change_entries(const std::string& from, const std::string& to) const {
    for (const auto& entry : fs::recursive_directory_iterator(folder() + "/entries")) {
      if (entry.is_directory()) continue;
      std::string text = content(entry.path());
      const std::size_t at = text.find(from);
      BOOST_REQUIRE(at != std::string::npos);
      text.replace(at, from.size(), to);
      std::ofstream(entry.path(), std::ios::binary | std::ios::trunc) << text;
    }
  }
  std::size_t blobs() const {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder() + "/blobs"))
      count += entry.is_directory() ? 0 : 1;
    return count;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(patterns, Kept)

BOOST_AUTO_TEST_CASE(patterns_name_files) {
  scratch.file("project/.git/config", "");
  scratch.file("project/.hidden", "");
  scratch.file("project/a[1]", "");
  const auto found = [&](const std::vector<std::string>& names, const std::vector<std::string>& without = {}) {
    return listed(find_files(project(), names, without));
  };
  BOOST_TEST(found({"src/**"}) == "src/a.c src/deep/b.c ");
  BOOST_TEST(found({"src"}) == "src/a.c src/deep/b.c ");
  BOOST_TEST(found({"src/*.c"}) == "src/a.c ");
  BOOST_TEST(found({"**/*.c"}) == "src/a.c src/deep/b.c ");
  BOOST_TEST(found({"src/?.c", "src/[ab].c"}) == "src/a.c ");
  BOOST_TEST(found({"src/**", "!src/deep/**"}) == "src/a.c ");
  BOOST_TEST(found({"./src//a.c"}) == "src/a.c ");
  BOOST_TEST(found({"**"}) == ".hidden Makefile a[1] src/a.c src/deep/b.c ");
  BOOST_TEST(found({"a[1]"}) == "a[1] ");
  BOOST_TEST(matches("a[1]", "a[1]"));
  BOOST_TEST(found({"."}) == ".hidden Makefile a[1] src/a.c src/deep/b.c ");
  BOOST_TEST(found({".git/*"}) == ".git/config ");
  BOOST_TEST(found({"src/../Makefile"}) == "src/../Makefile ");
  BOOST_TEST(found({project("Makefile")}) == project("Makefile") + " ");
  BOOST_TEST(found({"scr/**", "none.c", "src/a.c"}) == "src/a.c !scr/** !none.c ");
  BOOST_TEST(found({"src/**", "!src"}) == "!src/** ");
  BOOST_TEST(found({"**"}, {"src/**"}) == ".hidden Makefile a[1] ");
  BOOST_TEST(found({"src/a.c"}, {"src/**"}) == "src/a.c ");
  BOOST_TEST(found({"src/a.c", "!none"}, {"src/**"}) == "src/a.c ");
}

BOOST_AUTO_TEST_CASE(folders_that_are_nested_too_deeply_are_a_problem) {
  std::string deep = "deep";
  for (int i = 0; i < 200; ++i) deep += "/a";
  scratch.file("project/" + deep + "/f.c", "");
  const FoundFiles found = find_files(project(), {"deep/**"});
  BOOST_TEST(found.problem.ends_with("/a/a is nested in too many folders"), found.problem);
}

BOOST_AUTO_TEST_CASE(the_folder_and_the_plain_spelling_of_a_pattern_are_known) {
  BOOST_TEST(folder_of("a/b/c") == "a/b");
  BOOST_TEST(folder_of("a/b/*/c") == "a/b");
  BOOST_TEST(folder_of("./a//b") == "a");
  BOOST_TEST(folder_of("/usr/lib/x") == "/usr/lib");
  BOOST_TEST(folder_of("/x") == "/");
  BOOST_TEST(folder_of("*/x") == "");
  BOOST_TEST(folder_of("x") == "");
  BOOST_TEST(plain_path("a//./b/") == "a/b");
  BOOST_TEST(plain_path("/a/.//b") == "/a/b");
  BOOST_TEST(plain_path("a") == "a");
  BOOST_TEST(plain_path("./.") == "");
}

BOOST_AUTO_TEST_CASE(many_wildcards_for_folders_take_a_bounded_time, *boost::unit_test::timeout(60)) {
  std::string deep = "deep";
  for (int i = 0; i < 40; ++i) deep += "/a";
  scratch.file("project/" + deep + "/f.c", "");
  std::string pattern = "deep";
  for (int i = 0; i < 20; ++i) pattern += "/**/a";
  BOOST_TEST(listed(find_files(project(), {pattern + "/**/f.c"})) == deep + "/f.c ");
  BOOST_TEST(listed(find_files(project(), {pattern + "/**/none"})) == "!" + pattern + "/**/none ");
  BOOST_TEST(listed(find_files(project(), {"**/**/**/**/f.c"})) == deep + "/f.c ");
  BOOST_TEST(matches(pattern, deep + "/f.c"));
  BOOST_TEST(matches("**/**/*.c", deep + "/f.c"));
  BOOST_TEST(!matches(pattern + "/**/none", deep + "/f.c"));
  BOOST_TEST(matches("src", "src/a.c"));
  for (const char* all : {".", "./", "**"}) BOOST_TEST(matches(all, "src/a.c"), all);
  BOOST_TEST(!matches("src/a.c", "src"));
  BOOST_TEST(!matches("src/*.c", "src/deep/b.h"));
}

BOOST_AUTO_TEST_CASE(links_are_followed_and_circles_are_a_problem) {
  scratch.file("elsewhere/c.c", "");
  fs::create_directory_symlink(scratch.path() + "/elsewhere", project("src/lib"));
  BOOST_TEST(listed(find_files(project(), {"src/**"})) == "src/a.c src/deep/b.c src/lib/c.c ");
  fs::create_directory_symlink(project("src"), project("src/deep/up"));
  BOOST_TEST(find_files(project(), {"src/**"}).problem.find("is a link to a folder that contains it") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_folder_below_which_something_may_match_is_known_without_looking) {
  const std::pair<const char*, const char*> some[] = {
      {"src/**", "src"}, {"src/**", "src/a/b"}, {"src/*/*.c", "src"}, {"src/*/*.c", "src/x"},
      {"src", "src/a"},  {"s[ru]c/x", "src"},   {"**/*.c", "a/b/c"},  {"**", "a"}};
  for (const auto& [pattern, folder] : some) BOOST_TEST(may_match_below(pattern, folder), pattern << " " << folder);
  const std::pair<const char*, const char*> none[] = {
      {"src/**", "lib"}, {"src/*/*.c", "lib/x"}, {"*.txt", "src"}, {"s[ab]c/x", "src"}};
  for (const auto& [pattern, folder] : none) BOOST_TEST(!may_match_below(pattern, folder), pattern << " " << folder);
}

BOOST_AUTO_TEST_CASE(patterns_that_may_name_one_file_are_known_without_looking) {
  const std::pair<const char*, const char*> some[] = {
      {"o", "o"},        {"o", "o/a"},       {"o/**", "o"},    {"o/**", "o/a/b"},  {"**", "a/b"},
      {"**/a", "b/**"},  {"o/*.c", "o/a.c"}, {"o/*", "*/a"},   {"o/a*c", "o/ab*"}, {"o/[ab]", "o/a"},
      {"./o//a", "o/a"}, {"**/x/**", "a/x"}, {"a[1]", "a[1]"}, {"*.c", "**/*.c"}};
  for (const auto& [one, other] : some) {
    BOOST_TEST(may_name_one_file(one, other), one << " " << other);
    BOOST_TEST(may_name_one_file(other, one), other << " " << one);
  }
  const std::pair<const char*, const char*> none[] = {{"o", "p"},   {"o/a", "o/b"},     {"o/*.c", "o/*.h"},
                                                      {"a*", "b*"}, {"o/*.c", "o/a.h"}, {"a/**", "b/**"}};
  for (const auto& [one, other] : none) {
    BOOST_TEST(!may_name_one_file(one, other), one << " " << other);
    BOOST_TEST(!may_name_one_file(other, one), other << " " << one);
  }
}

BOOST_AUTO_TEST_CASE(outputs_lie_below_the_directory) {
  BOOST_TEST(output_problem("build/**") == "");
  BOOST_TEST(output_problem("/etc/x") != "");
  BOOST_TEST(output_problem("a/../../x") != "");
  BOOST_TEST(output_problem("!x") != "");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(step_cache, Kept)

BOOST_AUTO_TEST_CASE(work_is_done_once) {
  BOOST_TEST(once() == "no result of this step is kept");
  BOOST_TEST(once() == "");
}

BOOST_AUTO_TEST_CASE(each_changed_part_of_the_key_makes_the_work_be_done) {
  const auto differs = [&](const std::string& why, const std::function<void(Work&)>& change) {
    BOOST_REQUIRE(once().find("not kept") == std::string::npos);
    BOOST_REQUIRE(once() == "");
    Work wanted = work();
    change(wanted);
    BOOST_TEST(once(wanted) == why);
    BOOST_TEST(once(wanted) == "");
  };
  differs("the call changed", [](Work& it) { it.parts["the call"] = "gcc"; });
  differs("the variable CC is new", [](Work& it) { it.parts["the variable CC"] = "clang"; });
  differs("a is new, the call is gone", [](Work& it) { it.parts = {{"a", "call"}}; });
  differs("a is new, b is new, c is new, and 2 more", [](Work& it) {
    it.parts = {{"a", "call"}, {"b", ""}, {"c", ""}, {"d", ""}};
  });
  differs("the names of its inputs changed", [](Work& it) { it.inputs.emplace_back("src/a.c"); });
  differs("the names of its outputs changed", [](Work& it) { it.outputs = {"build/*"}; });
  differs("'src/a.c' changed", [&](Work&) { scratch.file("project/src/a.c", "int A;\n"); });
  differs("'src/new.c' is new", [&](Work&) { scratch.file("project/src/new.c", ""); });
  differs("'src/deep/b.c' is gone", [&](Work&) { fs::remove(project("src/deep/b.c")); });
  differs("'Makefile' changed", [&](Work&) { ::chmod(project("Makefile").c_str(), 0755); });
}

BOOST_AUTO_TEST_CASE(another_version_or_directory_makes_the_work_be_done) {
  StepCache::Options newer = options();
  newer.parts = {{"the version", "2"}};
  once();
  BOOST_TEST(once(work(), "app", newer) == "the version is new");
  fs::copy(project(), scratch.path() + "/copy", fs::copy_options::recursive);
  Work elsewhere = work();
  elsewhere.directory = scratch.path() + "/copy";
  BOOST_TEST(once(elsewhere) == "no result of this step is kept");
}

BOOST_AUTO_TEST_CASE(a_part_does_not_run_into_the_next_one) {
  Work one = work(), other = work();
  one.parts = {{"a", "bc"}};
  other.parts = {{"ab", "c"}};
  once(one);
  BOOST_TEST(once(other) != "");
}

BOOST_AUTO_TEST_CASE(a_link_that_leads_elsewhere_is_a_change) {
  scratch.file("project/one", "same");
  scratch.file("project/two", "same");
  fs::create_symlink("../one", project("src/link"));
  once();
  BOOST_TEST(once() == "");
  fs::remove(project("src/link"));
  fs::create_symlink("../two", project("src/link"));
  BOOST_TEST(once() == "'src/link' changed");
}

BOOST_AUTO_TEST_CASE(a_change_of_the_same_size_and_time_is_seen) {
  once();
  struct stat before {};
  BOOST_REQUIRE(::stat(project("src/a.c").c_str(), &before) == 0);
  scratch.file("project/src/a.c", "int c;\n");
  const struct timespec times[] = {before.st_atim, before.st_mtim};
  BOOST_REQUIRE(::utimensat(AT_FDCWD, project("src/a.c").c_str(), times, 0) == 0);
  BOOST_TEST(once() == "'src/a.c' changed");
}

BOOST_AUTO_TEST_CASE(what_was_done_before_the_last_change_is_still_known) {
  once(work(), "first");
  scratch.file("project/src/a.c", "int other;\n");
  once(work(), "second");
  scratch.file("project/src/a.c", "int a;\n");
  BOOST_TEST(once(work(), "first") == "");
  BOOST_TEST(content(project("build/app")) == "first");
}

BOOST_AUTO_TEST_CASE(outputs_are_put_back) {
  ::chmod(project("Makefile").c_str(), 0755);
  StepCache cache(options());
  Work wanted = work();
  wanted.outputs = {"build/**"};
  Look look = cache.look(wanted);
  scratch.file("project/build/deep/tool", "#!/bin/sh\n", 0755);
  fs::create_symlink("deep/tool", project("build/link"));
  BOOST_TEST(cache.keep(wanted, look, "r", "", nothing_refused) == "");
  fs::remove_all(project("build"));
  look = cache.look(wanted);
  BOOST_REQUIRE(look.entry);
  BOOST_TEST(cache.restore(wanted, look), look.why);
  BOOST_TEST(content(project("build/link")) == "#!/bin/sh\n");
  BOOST_TEST(fs::read_symlink(project("build/link")) == "deep/tool");
  BOOST_TEST(::access(project("build/deep/tool").c_str(), X_OK) == 0);
}

BOOST_AUTO_TEST_CASE(an_output_is_put_back_with_its_mode) {
  const auto mode = [&] {
    struct stat status {};
    ::stat(project("build/app").c_str(), &status);
    return status.st_mode & 0777U;
  };
  StepCache cache(options());
  Look look = cache.look(work());
  scratch.file("project/build/app", "private", 0600);
  BOOST_TEST(cache.keep(work(), look, "made private", "", nothing_refused) == "");
  ::chmod(project("build/app").c_str(), 0666);
  BOOST_TEST(once(work(), "private") == "");
  BOOST_TEST(mode() == 0600U);
  fs::remove(project("build/app"));
  BOOST_TEST(once(work(), "private") == "");
  BOOST_TEST(mode() == 0600U);
}

BOOST_AUTO_TEST_CASE(an_output_that_another_state_of_the_inputs_made_is_not_a_hit) {
  Work wanted = work();
  wanted.outputs = {"build"};
  once(wanted);
  scratch.file("project/build/other", "of another state");
  BOOST_TEST(once(wanted) == "the output 'build/other' is not among the kept outputs");
  fs::remove(project("build/other"));
  once(wanted);
  BOOST_TEST(once(wanted) == "");
  wanted.outputs = {"build/*"};
  once(wanted);
  scratch.file("project/build/new", "");
  BOOST_TEST(once(wanted) == "the output 'build/new' is not among the kept outputs");
}

BOOST_AUTO_TEST_CASE(a_command_that_writes_into_an_output_does_not_write_into_the_store) {
  once();
  fs::remove(project("build/app"));
  BOOST_TEST(once() == "");
  std::ofstream(project("build/app"), std::ios::app) << "more";
  BOOST_TEST(once() == "the output 'build/app' was changed by something else, or is no longer kept");
  BOOST_TEST(content(project("build/app")) == "app");
}

BOOST_AUTO_TEST_CASE(nothing_is_written_through_a_link) {
  once();
  fs::remove_all(project("build"));
  fs::create_directory(scratch.path() + "/elsewhere");
  fs::create_directory_symlink(scratch.path() + "/elsewhere", project("build"));
  StepCache cache(options());
  Look look = cache.look(work());
  BOOST_REQUIRE(look.entry);
  BOOST_TEST(!cache.restore(work(), look));
  BOOST_TEST(look.why.find("cannot be put back") != std::string::npos, look.why);
  BOOST_TEST(!fs::exists(scratch.path() + "/elsewhere/app"));
}

BOOST_AUTO_TEST_CASE(damage_is_found) {
  once();
  for (const auto& entry : fs::recursive_directory_iterator(folder() + "/blobs")) {
    if (!entry.is_directory()) std::ofstream(entry.path(), std::ios::app) << "x";
  }
  fs::remove(project("build/app"));
  BOOST_TEST(once().find("cannot be put back: the content in the store is damaged") != std::string::npos);
  BOOST_TEST(content(project("build/app")) == "app");  // made again
  BOOST_REQUIRE(once() == "");
  change_entries("made app", "made apq");
  BOOST_TEST(once() == "no result of this step is kept");
  BOOST_REQUIRE(once() == "");
  for (const auto& entry : fs::recursive_directory_iterator(folder() + "/entries")) {
    if (!entry.is_directory()) fs::resize_file(entry.path(), entry.file_size() / 2);
  }
  BOOST_TEST(once() == "no result of this step is kept");
}

BOOST_AUTO_TEST_CASE(damage_to_what_only_explains_a_difference_loses_no_result) {
  once();
  change_entries("\"the call\"", "\"the cull\"");
  BOOST_TEST(once() == "");
  Work other = work();
  other.parts["the call"] = "gcc";
  StepCache cache(options());
  BOOST_TEST(cache.look(other).why == "no result of this step is kept");
  BOOST_TEST(once() == "");
}

BOOST_AUTO_TEST_CASE(an_entry_of_another_version_is_made_again) {
  once();
  for (const auto& entry : fs::recursive_directory_iterator(folder() + "/entries")) {
    if (entry.is_directory()) continue;
    // Versions up to 2 had no part of its own for explanations.
    std::ofstream(entry.path(), std::ios::binary | std::ios::trunc)
        << R"({"v":2,"key":"k","step":"Build","file":"w.md","run":"run","made":1,"parts":{},"outputs":[]})"
        << "\nmade app";
  }
  BOOST_TEST(once() == "no result of this step is kept");
  BOOST_TEST(once() == "");
}

// Its file has the name of the other key, so the text of the entry alone says to which key it belongs.
BOOST_AUTO_TEST_CASE(an_entry_under_the_name_of_another_key_is_removed) {
  once();
  const std::string other(64, 'a');
  fs::path entry;
  for (const auto& file : fs::recursive_directory_iterator(folder() + "/entries")) {
    if (!file.is_directory()) entry = file.path();
  }
  const std::string copy = folder() + "/entries/aa/" + other;
  fs::create_directories(folder() + "/entries/aa");
  fs::copy_file(entry, copy);
  const Store store(folder(), usual_max_bytes);
  BOOST_TEST(!store.find(other));
  BOOST_TEST(!fs::exists(copy));
  BOOST_TEST(store.find(entry.filename().string()).has_value());
}

BOOST_AUTO_TEST_CASE(an_output_is_not_kept_even_if_only_its_first_piece_is_refused) {
  const auto refuses = [] { return [](std::string_view bytes, bool) { return bytes == "app"; }; };
  StepCache cache(options());
  const Look look = cache.look(work());
  scratch.file("project/build/app", "app");
  BOOST_TEST(cache.keep(work(), look, "r", "", refuses) == "the output 'build/app': contains a secret");
  BOOST_TEST(blobs() == 0);
}

BOOST_AUTO_TEST_CASE(a_link_is_as_before_only_if_the_file_behind_it_is) {
  Work wanted = work();
  wanted.inputs = {"Makefile"};
  wanted.outputs = {"build/link"};
  const auto link_once = [&] {
    StepCache cache(options());
    Look look = cache.look(wanted);
    if (look.entry) return std::string("kept");
    fs::create_directories(project("build"));
    fs::remove(project("build/link"));
    fs::create_symlink("../src/a.c", project("build/link"));
    const std::string why = cache.keep(wanted, look, "made", "run", nothing_refused);
    return look.why + why;
  };
  BOOST_TEST(link_once() == "no result of this step is kept");
  BOOST_TEST(link_once() == "kept");
  scratch.file("project/src/a.c", "int changed;\n");
  BOOST_TEST(link_once().find("build/link' was changed by something else") != std::string::npos);
  BOOST_TEST(link_once() == "kept");
}

BOOST_AUTO_TEST_CASE(a_lost_or_damaged_record_of_hashes_costs_only_time) {
  once();
  for (const auto& entry : fs::directory_iterator(folder() + "/files"))
    std::ofstream(entry.path(), std::ios::app) << "x";
  BOOST_TEST(once() == "");
}

BOOST_AUTO_TEST_CASE(a_step_that_can_never_be_up_to_date_is_a_doubt) {
  const auto doubt = [&](const std::function<void(Work&)>& change) {
    Work wanted = work();
    change(wanted);
    StepCache cache(options());
    const Look look = cache.look(wanted);
    BOOST_TEST(look.is_doubt);
    BOOST_TEST(!look.entry);
    return look.why;
  };
  BOOST_TEST(doubt([](Work& it) { it.inputs = {"scr/**"}; }) == "no file matches the input 'scr/**'");
  BOOST_TEST(doubt([](Work& it) {
               it.outputs = {"src/a.c"};
               it.inputs = {"src/a.c"};
             }) == "'src/a.c' is both an input and an output");
  BOOST_TEST(doubt([](Work& it) {
               it.outputs = {"src/**"};
               it.inputs = {"src/a.c"};
             }) == "'src/a.c' is both an input and an output");
  BOOST_TEST(doubt([](Work& it) { it.outputs = {"../x"}; }) ==
             "the output '../x' contains \"..\", which could lead out of the step's directory");
  BOOST_TEST(doubt([](Work& it) {
               it.outputs = {"src/**"};
               it.inputs = {"src/*.c"};
             }) == "no file matches the input 'src/*.c'");
}

BOOST_AUTO_TEST_CASE(work_that_makes_no_output_or_changes_its_inputs_is_not_kept) {
  Work wanted = work();
  wanted.outputs = {"build/app", "build/other"};
  BOOST_TEST(once(wanted) == "no result of this step is kept; not kept: it made no output 'build/other'");
  // The step makes an output below a link to a folder, where outputs are not searched for.
  scratch.file("project/real/out.txt", "x");
  fs::create_directory_symlink("real", project("sub"));
  wanted.outputs = {"sub/out.txt"};
  const std::string behind = once(wanted);
  BOOST_TEST(behind.ends_with("; not kept: the output 'sub/out.txt' is below a link: 'sub'"), behind);
  StepCache cache(options());
  const Look look = cache.look(work());
  scratch.file("project/src/a.c", "int changed;\n");
  BOOST_TEST(cache.keep(work(), look, "r", "", nothing_refused) == "its inputs changed while it ran");
}

BOOST_AUTO_TEST_CASE(a_fifo_is_not_an_input) {
  BOOST_REQUIRE(::mkfifo(project("src/fifo").c_str(), 0600) == 0);
  BOOST_TEST(once() == "'src/fifo' is not a file; not kept: 'src/fifo' is not a file");
}

BOOST_AUTO_TEST_CASE(what_is_refused_is_not_kept) {
  const auto refuses = [](const std::string& secret) {
    return [secret] {
      return [secret, text = std::string()](std::string_view bytes, bool) mutable {
        text += bytes;
        return text.find(secret) != std::string::npos;
      };
    };
  };
  StepCache cache(options());
  Look look = cache.look(work());
  scratch.file("project/build/app", std::string(300'000, ' ') + "hunter2");
  BOOST_TEST(cache.keep(work(), look, "r", "", refuses("hunter2")) == "the output 'build/app': contains a secret");
  BOOST_TEST(cache.keep(work(), look, "hunter2", "", refuses("hunter2")) == "its result contains a secret");
  BOOST_TEST(cache.keep(work(), look, "r", "", refuses("deep/b.c")) == "the name of a file contains a secret");
  BOOST_TEST(cache.keep(work(), look, "r", "", refuses("build/app")) == "the name of a file contains a secret");
  BOOST_TEST(!cache.look(work()).entry);
  BOOST_TEST(blobs() == 0);
  // A secret may become known later.
  BOOST_TEST(cache.keep(work(), look, "r", "", nothing_refused) == "");
  BOOST_TEST(blobs() == 1);
  cache.recheck(refuses("hunter2"));
  BOOST_TEST(blobs() == 0);
  BOOST_TEST(!cache.look(work()).entry);
}

BOOST_AUTO_TEST_CASE(force_does_the_work_and_keeps_it) {
  once();
  StepCache::Options forced = options();
  forced.force = true;
  BOOST_TEST(once(work(), "app", forced) == "--force");
  BOOST_TEST(once() == "");
}

BOOST_AUTO_TEST_CASE(a_look_writes_nothing) {
  StepCache::Options looks = options();
  looks.looks_only = true;
  {
    StepCache cache(looks);
    BOOST_TEST(cache.look(work()).why == "no result of this step is kept");
  }
  BOOST_TEST(!fs::exists(folder()));
}

// The hashes match, so another program, or another version of this one, has written the entry.
BOOST_AUTO_TEST_CASE(an_entry_of_another_form_is_not_used) {
  const auto rewrite = [&](const std::string& from, const std::string& to) {
    for (const auto& entry : fs::recursive_directory_iterator(folder() + "/entries")) {
      if (entry.is_directory()) continue;
      std::istringstream lines(content(entry.path()));
      std::string hash, parts, rest, line;
      std::getline(lines, hash);
      std::getline(lines, parts);
      std::getline(lines, hash);
      std::getline(lines, rest, '\0');
      const std::size_t at = rest.find(from);
      BOOST_REQUIRE(at != std::string::npos);
      rest.replace(at, from.size(), to);
      std::ofstream(entry.path(), std::ios::binary | std::ios::trunc) << wtool::sha256(parts) << '\n'
                                                                      << parts << '\n'
                                                                      << wtool::sha256(rest) << '\n'
                                                                      << rest;
    }
  };
  for (const auto& [from, to] : {std::pair{"\"outputs\":[", "\"other\":["},
                                 {"\"v\":4", "\"v\":5"},
                                 {"\"sha256\":", "\"other\":"},
                                 {"\"made\":", "\"made\":1.5,\"other\":"},
                                 {"\"bytes\":", "\"bytes\":-"},
                                 {"{", "["}}) {
    once();
    BOOST_TEST(once() == "", from);
    rewrite(from, to);
    BOOST_TEST(once() != "", from);
  }
}

BOOST_AUTO_TEST_CASE(a_store_without_its_newest_entries_still_finds_all) {
  once();
  for (const char* target : {"../entries/none", "/dev/zero", "", "/etc"}) {
    fs::remove_all(folder() + "/latest");
    fs::create_directory(folder() + "/latest");
    Work changed = work();
    changed.parts["the call"] = "c++";
    once(changed);
    for (const auto& link : fs::directory_iterator(folder() + "/latest")) {
      const fs::path path = link.path();
      fs::remove(path);
      if (*target != '\0') fs::create_symlink(target, path);
    }
    BOOST_TEST(once() == "", target);
    BOOST_TEST(once() == "", target);
  }
}

// Its files belong to somebody else.
BOOST_AUTO_TEST_CASE(a_folder_of_the_store_that_became_a_link_is_not_cleared) {
  once();
  scratch.file("mine/file", "mine");
  fs::remove_all(folder() + "/latest");
  fs::create_directory_symlink(scratch.path() + "/mine", folder() + "/latest");
  fs::create_directory_symlink(scratch.path() + "/mine", folder() + "/new/link");
  std::string problem;
  Store(folder(), usual_max_bytes).clear(problem);
  BOOST_TEST(problem == "");
  BOOST_TEST(content(scratch.path() + "/mine/file") == "mine");
  BOOST_TEST(!fs::exists(fs::symlink_status(folder() + "/new/link")));
}

BOOST_AUTO_TEST_CASE(a_store_that_others_may_write_is_not_used) {
  once();
  ::chmod(folder().c_str(), 0777);
  BOOST_TEST(once().find("can be written by other users") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_store_that_is_closed_to_its_owner_is_a_problem) {
  once();
  ::chmod(folder().c_str(), 0);
  BOOST_TEST(Store(folder(), usual_max_bytes).problem() == folder() + " is closed to its owner; run chmod 700 on it");
  ::chmod(folder().c_str(), 0700);
}

BOOST_AUTO_TEST_CASE(a_store_that_cannot_be_created_says_why) {
  const std::string above = scratch.path() + "/cache";
  fs::create_symlink(scratch.path() + "/missing", above);
  StepCache cache(options());
  const Work wanted = work();
  scratch.file("project/build/app", "made");
  const std::string why = cache.keep(wanted, cache.look(wanted), "result", "", nothing_refused);
  BOOST_TEST(why.starts_with("the folder " + above + " cannot be created: "), why);
}

BOOST_AUTO_TEST_CASE(the_oldest_entries_go_first) {
  StepCache::Options small = options();
  small.max_bytes = 75'000;  // two results with their outputs
  const auto step = [&](const std::string& name, char byte) {
    Work wanted = work();
    wanted.step = name;
    wanted.parts["the call"] = name;
    return once(wanted, std::string(15'000, byte), small);
  };
  const auto age = [&](int seconds) {
    for (const auto& entry : fs::recursive_directory_iterator(folder() + "/entries")) {
      if (!entry.is_directory())
        fs::last_write_time(entry.path(), entry.last_write_time() - std::chrono::seconds(seconds));
    }
  };
  step("One", '1');
  age(100);
  step("Two", '2');
  age(100);
  BOOST_TEST(step("One", '1') == "");  // used, so Two is now the oldest
  age(100);
  step("Three", '3');
  const Store store(folder(), small.max_bytes);
  std::string left;
  for (const ListedEntry& one : store.list()) left += one.entry.step + " ";
  BOOST_TEST(left == "Three One ");
  BOOST_TEST(blobs() == 2);
  BOOST_TEST(step("Two", '2') == "no result of this step is kept");
  std::string problem;
  BOOST_TEST(store.clear(problem) > 30'000);
  BOOST_TEST(problem == "");
  BOOST_TEST(store.list().empty());
}

BOOST_AUTO_TEST_CASE(the_time_of_a_use_is_written_only_if_the_last_one_is_older_than_a_minute_or_in_the_future) {
  once();
  const Store store(folder(), options().max_bytes);
  const auto used_after = [&](std::int64_t difference) {
    for (const auto& entry : fs::recursive_directory_iterator(folder() + "/entries")) {
      if (!entry.is_directory()) {
        fs::last_write_time(entry.path(), fs::file_time_type::clock::now() + std::chrono::seconds(difference));
      }
    }
    const std::int64_t before = store.list().at(0).entry.used;
    BOOST_TEST(once() == "");
    return store.list().at(0).entry.used - before;
  };
  BOOST_TEST(used_after(-20) == 0);
  BOOST_TEST(used_after(-100) >= 99);
  BOOST_TEST(used_after(100) <= -90);
}

BOOST_AUTO_TEST_CASE(a_store_is_trimmed_only_if_it_is_too_large_and_nobody_writes_to_it) {
  once();
  std::uint64_t all = 0;
  const std::string left = scratch.file("cache/steps/new/left", "left by a process that was killed");
  for (const char* kind : {"/entries", "/blobs", "/new"}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder() + kind)) {
      if (!entry.is_directory()) all += entry.file_size();
    }
  }
  Store(folder(), all).trim();
  BOOST_TEST(fs::exists(left));
  Store small(folder(), all - 1);
  {
    std::string problem;
    const Store::Keeping writes(small, problem);
    BOOST_TEST(problem == "");
    small.trim();
    BOOST_TEST(fs::exists(left));
  }
  small.trim();
  BOOST_TEST(!fs::exists(left));
  BOOST_TEST(blobs() == 1);
}

BOOST_AUTO_TEST_CASE(what_a_killed_process_was_restoring_is_removed_and_nothing_else) {
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  const std::string prefix = "project/build/" + std::string(unfinished_prefix);
  const std::string unfinished = scratch.file(prefix + std::to_string(gone) + "-0123456789abcdef", "half");
  std::vector<std::string> others = {
      scratch.file(prefix + std::to_string(::getpid()) + "-0123456789abcdef", "being written"),
      scratch.file(prefix + "x-0123456789abcdef", "no number"),
      scratch.file("project/build/xwtool-restoring-" + std::to_string(gone) + "-0123456789abcdef", "no prefix"),
      scratch.file("project/build/app", "app"),
  };
  if (::geteuid() == 0) {
    others.push_back(scratch.file(prefix + std::to_string(gone) + "-other", "of another user"));
    BOOST_REQUIRE(::chown(others.back().c_str(), 65534, 65534) == 0);
  }
  Store::remove_unfinished(project(), "build");
  BOOST_TEST(!fs::exists(unfinished));
  for (const std::string& other : others) BOOST_TEST(fs::exists(other), other);
  Store::remove_unfinished(project(), "nowhere");
}

BOOST_AUTO_TEST_CASE(outputs_larger_than_the_store_are_not_kept) {
  StepCache::Options small = options();
  small.max_bytes = 1000;
  BOOST_TEST(once(work(), std::string(2000, 'x'), small).find("1000 bytes, the limit of the whole store") !=
             std::string::npos);
  BOOST_TEST(blobs() == 0);
}

BOOST_AUTO_TEST_CASE(a_kill_at_any_moment_leaves_no_half_entry) {
  const std::string big(200'000, 'x');
  for (int round = 0; round < 30; ++round) {
    int done[2];
    BOOST_REQUIRE(::pipe(done) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
      StepCache cache(options());
      for (int i = 0;; ++i) {
        Work wanted = work();
        wanted.parts["the call"] = std::to_string(round) + "." + std::to_string(i);
        const Look look = cache.look(wanted);
        scratch.file("project/build/app", big + wanted.parts["the call"]);
        cache.keep(wanted, look, "made " + wanted.parts["the call"], "", nothing_refused);
        if (::write(done[1], "x", 1) != 1) ::_exit(1);
      }
    }
    BOOST_REQUIRE(child > 0);
    char byte = 0;
    // Each round lets the process do two pieces of work, and kills it a little later than the round before.
    for (int i = 0; i < 2; ++i) BOOST_REQUIRE(::read(done[0], &byte, 1) == 1);
    for (int i = 0; i < round * 20; ++i) ::sched_yield();
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(done[0]);
    ::close(done[1]);
  }
  const Store store(folder(), usual_max_bytes);
  std::size_t entries = 0;
  for (const auto& file : fs::recursive_directory_iterator(folder() + "/entries"))
    entries += file.is_directory() ? 0 : 1;
  BOOST_TEST(entries >= 60);
  const auto all = store.list();
  BOOST_TEST(all.size() == entries);
  for (const ListedEntry& one : all) {
    BOOST_REQUIRE(one.entry.outputs.size() == 1);
    const CachedOutput& output = one.entry.outputs[0];
    BOOST_TEST(wtool::sha256(content(folder() + "/blobs/" + output.hash.substr(0, 2) + "/" + output.hash)) ==
               output.hash);
    BOOST_TEST(one.entry.result.starts_with("made "));
  }
}

BOOST_AUTO_TEST_CASE(a_file_that_is_old_is_read_once) {
  FileHashes hashes;
  const FileState state = hashes.look(project("src/a.c"));
  BOOST_TEST(state.hash == wtool::sha256("int a;\n"));
  hashes.look(project("src/a.c"));
  BOOST_TEST(hashes.files_read() == 2);  // The file is too recent to be trusted.
  const auto before = hashes.files_read();
  hashes.look("/bin/sh");
  hashes.look("/bin/sh");
  BOOST_TEST(hashes.files_read() == before + 1);
}

BOOST_AUTO_TEST_CASE(outputs_that_another_run_claims_are_a_conflict_for_both) {
  const std::string folder = scratch.path() + "/claims";
  fs::create_directory(folder);
  const auto claim = [&](SharedClaim& held, const std::string& step, const std::string& output) {
    held.take(folder, {step, "r-" + step, {project(), {output}}});
  };
  {
    SharedClaim one, two, three, four;
    claim(one, "A", "build/**");
    claim(two, "B", "other/b");
    BOOST_TEST(one.conflict() == "");
    BOOST_TEST(two.conflict() == "");
    claim(three, "C", "build/app");
    BOOST_TEST(one.conflict() ==
               "its output 'build/**' is also an output of C in the run r-C, which ran at the same time");
    BOOST_TEST(two.conflict() == "");
    BOOST_TEST(three.conflict() ==
               "its output 'build/app' is also an output of A in the run r-A, which ran at the same time");
    // It does not matter any more for a later step.
    one.release();
    three.release();
    claim(four, "D", "build/app");
    BOOST_TEST(four.conflict() == "");
  }
  BOOST_TEST(fs::is_empty(folder));
}

BOOST_AUTO_TEST_CASE(what_a_killed_process_has_claimed_is_free_again) {
  const std::string folder = scratch.path() + "/claims";
  fs::create_directory(folder);
  const pid_t child = ::fork();
  if (child == 0) {
    SharedClaim held;
    held.take(folder, {"A", "", {project(), {"build/app"}}});
    ::raise(SIGKILL);
  }
  int status = 0;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
  BOOST_TEST(!fs::is_empty(folder));
  SharedClaim held;
  held.take(folder, {"B", "", {project(), {"build/app"}}});
  BOOST_TEST(held.conflict() == "");
  held.release();
  BOOST_TEST(fs::is_empty(folder));
}

BOOST_AUTO_TEST_CASE(outputs_that_cannot_be_claimed_are_not_kept) {
  SharedClaim held;
  held.take(project("missing"), {"A", "", {project(), {"build/app"}}});
  BOOST_TEST(held.conflict().starts_with("it cannot claim its outputs"), held.conflict());
  BOOST_TEST(held.conflict().ends_with(": No such file or directory"), held.conflict());
}

BOOST_AUTO_TEST_CASE(an_output_that_another_run_claims_while_it_is_made_is_not_kept) {
  const Work wanted = work();
  scratch.file("project/build/app", "made");
  SharedClaim ours, theirs;
  {
    StepCache cache(options());
    const Look look = cache.look(wanted);
    cache.claim(ours, {"'Build'", "one", {project(), wanted.outputs}});
    cache.claim(theirs, {"'Build'", "two", {project(), wanted.outputs}});
    BOOST_TEST(cache.keep(wanted, look, "result", "one", nothing_refused, ours)
                   .ends_with("'Build' in the run two, which ran at the same time"));
    ours.release();
    theirs.release();
    cache.claim(ours, {"'Build'", "one", {project(), wanted.outputs}});
    BOOST_TEST(cache.keep(wanted, look, "result", "one", nothing_refused, ours) == "");
  }
}

BOOST_AUTO_TEST_CASE(hashes_are_kept_on_disk_until_their_record_is_damaged) {
  const std::string record = scratch.path() + "/record";
  const auto files_read = [&] {
    FileHashes hashes(record);
    BOOST_TEST(hashes.look("/bin/sh").hash == wtool::sha256(content("/bin/sh")));
    const auto count = hashes.files_read();
    hashes.save();
    return count;
  };
  BOOST_TEST(files_read() == 1);
  BOOST_TEST(files_read() == 0);
  const std::string good = content(record);
  const std::size_t line = good.find('\n') + 1;
  const auto rewritten = [&](const std::string& rest) {
    std::ofstream(record, std::ios::binary | std::ios::trunc)
        << good.substr(0, line - 1 - wtool::sha256_size) << wtool::sha256(rest) << '\n'
        << rest;
    return files_read();
  };
  const std::string rest = good.substr(line);
  BOOST_TEST(rewritten(rest) == 0);
  const std::size_t numbers = rest.find('\0') + 1;
  BOOST_TEST(rewritten(rest.substr(0, numbers) + "x" + rest.substr(numbers)) == 1);
  BOOST_TEST(rewritten(rest.substr(0, rest.size() - 2) + "\n") == 1);  // The hash lacks a digit.
  BOOST_TEST(rewritten(rest.substr(0, numbers - 1)) == 1);             // There is only the path.
  for (const std::string& damaged : {good.substr(0, line - 1), good.substr(1), good + "x", std::string("wtool")}) {
    std::ofstream(record, std::ios::binary | std::ios::trunc) << damaged;
    BOOST_TEST(files_read() == 1);
    BOOST_TEST(files_read() == 0);
  }
}

BOOST_AUTO_TEST_CASE(a_record_that_cannot_be_written_leaves_no_file) {
  const std::string record = scratch.file("records/record/inside", "");
  FileHashes hashes(fs::path(record).parent_path());
  hashes.look("/bin/sh");
  hashes.save();
  BOOST_TEST(std::distance(fs::directory_iterator(scratch.path() + "/records"), fs::directory_iterator()) == 1);
}

BOOST_AUTO_TEST_SUITE_END()
