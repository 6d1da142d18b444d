// The pool of threads that runs the calls of a client.
#include <pthread.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "mcp/call.h"

namespace wtool::host::mcp {

namespace {

// While it lives, no thread can be started: its stack would not fit into the address space.
class NoThreads {
 public:
  NoThreads() {
    BOOST_REQUIRE(::pthread_getattr_default_np(&before_) == 0);
    pthread_attr_t huge;
    BOOST_REQUIRE(::pthread_getattr_default_np(&huge) == 0);
    BOOST_REQUIRE(::pthread_attr_setstacksize(&huge, std::size_t{1} << 48) == 0);
    BOOST_REQUIRE(::pthread_setattr_default_np(&huge) == 0);
    ::pthread_attr_destroy(&huge);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;
  ~NoThreads() {
    ::pthread_setattr_default_np(&before_);
    ::pthread_attr_destroy(&before_);
  }

 private:
  pthread_attr_t before_{};
};

std::shared_ptr<ClientCall> call(const std::string& key) {
  auto made = std::make_shared<ClientCall>();
  made->id = made->key = key;
  return made;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(mcp_calls)

BOOST_AUTO_TEST_CASE(a_call_without_a_thread_is_told_from_one_that_is_too_many) {
  Calls calls(1, std::chrono::seconds(1),
              {.run = [](ClientCall&) { return "done\n"; },
               .refuse = [](ClientCall&) { return ""; },
               .drop = [](ClientCall&, const std::string&) { return ""; },
               .due = [](ClientCall&) {},
               .send = [](const std::shared_ptr<Batch>&, std::string) {}});
  {
    const NoThreads none;
    BOOST_TEST((calls.add(call("1")) == Calls::Added::no_thread));
    BOOST_TEST(!calls.contains("1"));
  }
  BOOST_TEST((calls.add(call("2")) == Calls::Added::yes));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace wtool::host::mcp
