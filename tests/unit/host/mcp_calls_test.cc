// The pool of threads that runs the calls of a client.
#include <pthread.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <memory>
#include <semaphore>
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
               .send = [](const std::shared_ptr<Batch>&, std::string) {},
               .is_full = [] { return false; }});
  {
    const NoThreads none;
    BOOST_TEST((calls.add(call("1")) == Calls::Added::no_thread));
    BOOST_TEST(!calls.contains("1"));
  }
  BOOST_TEST((calls.add(call("2")) == Calls::Added::yes));
}

BOOST_AUTO_TEST_CASE(no_call_begins_while_the_output_is_full) {
  std::atomic<bool> full{true};
  std::atomic<int> early{0}, run{0};
  std::counting_semaphore<> sent(0);
  Calls calls(2, std::chrono::hours(1),
              {.run =
                   [&](ClientCall&) {
                     early += full.load() ? 1 : 0;
                     ++run;
                     return "done\n";
                   },
               .refuse = [](ClientCall&) { return ""; },
               .drop = [](ClientCall&, const std::string&) { return ""; },
               .due = [](ClientCall&) {},
               .send = [&](const std::shared_ptr<Batch>&, std::string) { sent.release(); },
               .is_full = [&] { return full.load(); }});
  for (const char* key : {"1", "2", "3", "4"}) BOOST_TEST((calls.add(call(key)) == Calls::Added::yes));
  calls.cancel("2", "not wanted");
  BOOST_TEST(!calls.contains("2"));
  for (const char* key : {"1", "3", "4"}) BOOST_TEST(calls.contains(key));
  full = false;
  calls.resume();
  for (int i = 0; i < 3; ++i) sent.acquire();
  BOOST_TEST(run.load() == 3);
  BOOST_TEST(early.load() == 0);
}

BOOST_AUTO_TEST_CASE(calls_that_wait_for_a_full_output_end_with_the_server_and_not_for_their_time) {
  std::atomic<int> run{0}, refused{0}, dropped{0};
  Calls calls(1, std::chrono::milliseconds(0),
              {.run =
                   [&](ClientCall&) {
                     ++run;
                     return "done\n";
                   },
               .refuse =
                   [&](ClientCall&) {
                     ++refused;
                     return "";
                   },
               .drop =
                   [&](ClientCall&, const std::string&) {
                     ++dropped;
                     return "";
                   },
               .due = [](ClientCall&) {},
               .send = [](const std::shared_ptr<Batch>&, std::string) {},
               .is_full = [] { return true; }});
  for (const char* key : {"1", "2", "3"}) BOOST_TEST((calls.add(call(key)) == Calls::Added::yes));
  calls.end("the server ends");
  BOOST_TEST(run.load() == 0);
  BOOST_TEST(refused.load() == 0);
  BOOST_TEST(dropped.load() == 3);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace wtool::host::mcp
