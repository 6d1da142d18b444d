#include "base/pilot/ticket.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

namespace ticket_test {

using namespace wtool::pilot;

namespace {

struct Folder {
  Folder() {
    char name[] = "/tmp/wtool-ticket-XXXXXX";
    path = ::mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string path;
};

Ticket example() {
  return {.addresses = {"10.0.0.1"},
          .port = 4711,
          .slots = 3,
          .idle_seconds = 9,
          .directory = "/shared",
          .token = "/shared/token",
          .aes = true,
          .key = random_key()};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(ticket)

BOOST_AUTO_TEST_CASE(what_was_written_is_read_and_only_its_user_can) {
  const Folder folder;
  const std::string file = folder.path + "/ticket";
  std::string error;
  const Ticket written = example();
  BOOST_REQUIRE_MESSAGE(write_ticket(file, written, error), error);
  struct stat info {};
  BOOST_REQUIRE(::stat(file.c_str(), &info) == 0);
  BOOST_TEST((info.st_mode & 0777) == 0600);
  const auto read = read_ticket(file, error);
  BOOST_REQUIRE_MESSAGE(read.has_value(), error);
  BOOST_TEST(read->port == 4711);
  BOOST_TEST((read->key == written.key));
  BOOST_TEST(read->directory == "/shared");
  BOOST_TEST(read->token == "/shared/token");
  BOOST_TEST(read->aes);
}

BOOST_AUTO_TEST_CASE(a_ticket_for_munge_holds_no_key) {
  const Folder folder;
  const std::string file = folder.path + "/ticket";
  std::string error;
  Ticket written = example();
  written.munge = true;
  written.munge_socket = "/run/m";
  BOOST_REQUIRE_MESSAGE(write_ticket(file, written, error), error);
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  BOOST_TEST(text.find("key") == std::string::npos);
  const auto read = read_ticket(file, error);
  BOOST_REQUIRE_MESSAGE(read.has_value(), error);
  BOOST_TEST(read->munge);
  BOOST_TEST(read->munge_socket == "/run/m");
  BOOST_TEST((read->key == Key{}));
}

BOOST_AUTO_TEST_CASE(a_file_that_is_there_is_not_written_over) {
  const Folder folder;
  const std::string file = folder.path + "/ticket";
  std::ofstream(file) << "mine";
  std::string error;
  BOOST_TEST(!write_ticket(file, example(), error));
  BOOST_TEST(error.find("exists") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_ticket_that_others_can_read_is_refused) {
  const Folder folder;
  const std::string file = folder.path + "/ticket";
  std::string error;
  BOOST_REQUIRE(write_ticket(file, example(), error));
  ::chmod(file.c_str(), 0640);
  BOOST_TEST(!read_ticket(file, error).has_value());
  BOOST_TEST(error.find("0600") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_missing_ticket_asks_whether_the_folder_is_shared) {
  std::string error;
  BOOST_TEST(!read_ticket("/nowhere/ticket", error).has_value());
  BOOST_TEST(error.find("shared with this node") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(garbage_is_not_a_ticket) {
  const Folder folder;
  for (const std::string text : {"", "{}", "[1]", R"({"addresses": 3})", "\xff"}) {
    const std::string file = folder.path + "/ticket";
    std::filesystem::remove(file);
    std::ofstream(file) << text;
    ::chmod(file.c_str(), 0600);
    std::string error;
    BOOST_TEST(!read_ticket(file, error).has_value());
    BOOST_TEST(error.find(" is malformed") != std::string::npos);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ticket_test
