// A step is up to date only if nothing that it depends on has changed since its result was kept.
#include "cache/step_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

#include "cached_project.h"

using namespace wtool::test;

BOOST_FIXTURE_TEST_SUITE(step_cache, CachedProject)

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
  cache.begin(wanted, look);
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
  cache.begin(work(), look);
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

BOOST_AUTO_TEST_CASE(what_another_step_has_made_is_never_replaced) {
  const auto step = [&](const std::string& name, const std::string& call, const std::string& path,
                        const std::string& makes) {
    Work wanted = work();
    wanted.step = name;
    wanted.parts["the call"] = name + call;
    wanted.inputs = {"Makefile"};
    wanted.outputs = {path == "LICENSE" ? "build/**" : "build/app"};
    StepCache cache(options());
    Look look = cache.look(wanted);
    if (look.entry && cache.restore(wanted, look)) return std::string("kept");
    cache.begin(wanted, look);
    scratch.file("project/build/" + path, makes);
    BOOST_TEST(cache.keep(wanted, look, "made", "run", nothing_refused) == "");
    return look.why;
  };
  const std::string changed = "the output 'build/app' was changed by something else, or is no longer kept";
  // `License` finds the output of `Compile` in its own folder.
  step("Compile", "1", "app", "1");
  step("License", "1", "LICENSE", "x");
  step("Compile", "2", "app", "2");
  BOOST_TEST(step("License", "1", "LICENSE", "x") == changed);
  BOOST_TEST(content(project("build/app")) == "2");
  BOOST_TEST(step("Compile", "1", "app", "1") == "kept");
  step("License", "2", "LICENSE", "y");
  BOOST_TEST(step("Compile", "2", "app", "2") == "kept");
  BOOST_TEST(step("License", "1", "LICENSE", "x") == "kept");
  BOOST_TEST(content(project("build/app")) == "2");
  BOOST_TEST(content(project("build/LICENSE")) == "x");
  fs::remove(project("build/app"));
  BOOST_TEST(step("License", "1", "LICENSE", "x") ==
             "the output 'build/app' is gone, and was kept from a file that something else had begun");
  // `Sign` changes the file that `Compile` has made.
  BOOST_TEST(step("Compile", "1", "app", "1") == "kept");
  step("Sign", "1", "app", "1 signed with 1");
  step("Compile", "2", "app", "2");
  step("Sign", "2", "app", "2 signed with 2");
  BOOST_TEST(step("Sign", "1", "app", "2 signed with 1") == changed);
  BOOST_TEST(step("Sign", "1", "app", "") == "kept");
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
    cache.begin(wanted, look);
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
  BOOST_TEST(once(wanted) == "no result of this step is kept; not kept: no file is in its output 'build/other'");
  // The step makes an output below a link to a folder, where outputs are not searched for.
  scratch.file("project/real/out.txt", "x");
  fs::create_directory_symlink("real", project("sub"));
  wanted.outputs = {"sub/out.txt"};
  const std::string behind = once(wanted);
  BOOST_TEST(behind.ends_with("; not kept: the output 'sub/out.txt' is below a link: 'sub'"), behind);
  StepCache cache(options());
  const Look look = cache.look(work());
  scratch.file("project/src/a.c", "int changed;\n");
  BOOST_TEST(cache.keep(work(), look, "r", "", nothing_refused) ==
             "its inputs changed while it ran: 'src/a.c' was written, or got another mode or hard link");
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

BOOST_AUTO_TEST_SUITE_END()
