// A project with a few source files, and a cache of steps for it: what the tests of the cache begin with.
#pragma once

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "cache/step_cache.h"
#include "support/program.h"

namespace wtool::test {

namespace fs = std::filesystem;
using namespace host::cache;

inline std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline StepCache::Refuses nothing_refused() {
  return [](std::string_view, bool) { return false; };
}

struct CachedProject {
  ScratchFolder scratch;

  CachedProject() {
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
    cache.begin(wanted, look);
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

}  // namespace wtool::test
