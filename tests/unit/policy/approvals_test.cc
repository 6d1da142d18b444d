// policy/approvals.h: an answer counts for exactly what was asked, is stored safely, and is not used if other users may
// write it.
#include "policy/approvals.h"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <thread>

#include "support/program.h"
#include "support/sandboxed.h"

namespace approvals_test {

using namespace wtool::policy;
using wtool::test::Sandboxed;

namespace {

struct Kept {
  wtool::test::ScratchFolder scratch;
  const std::string file = scratch.path() + "/deep/er/approvals.json";
  const Approvals approvals{file};
  const Subject subject{"npm publish", "/site", {{"CI", "1"}, {"A", "b"}}};

  Remembered known(const Subject& what) const {
    const auto answer = approvals.look_up(what);
    if (const auto* problem = std::get_if<std::string>(&answer)) BOOST_FAIL(*problem);
    return std::get<Remembered>(answer);
  }
  std::string problem() const {
    const auto answer = approvals.look_up(subject);
    return std::holds_alternative<std::string>(answer) ? std::get<std::string>(answer) : "";
  }
  void write(const std::string& text, mode_t mode = 0600) const {
    scratch.file("approvals.json", text);
    ::chmod((scratch.path() + "/approvals.json").c_str(), mode);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(approvals, Kept)

BOOST_AUTO_TEST_CASE(nothing_is_known_before_anything_was_answered) {
  BOOST_TEST((known(subject) == Remembered::nothing));
  BOOST_TEST((std::get<Remembered>(Approvals("").look_up(subject)) == Remembered::nothing));
  BOOST_TEST(!Approvals("").remember(subject, true).empty());
}

BOOST_AUTO_TEST_CASE(an_answer_holds_for_the_same_command_directory_and_environment_in_any_order) {
  BOOST_TEST(approvals.remember(subject, true) == "");
  BOOST_TEST((known(subject) == Remembered::always));
  BOOST_TEST((known({"npm publish", "/site", {{"A", "b"}, {"CI", "1"}}}) == Remembered::always));
  const std::vector<Subject> others{{"npm publish ", "/site", subject.environment},
                                    {"npm publish", "/site2", subject.environment},
                                    {"npm publish", "/site", {}},
                                    {"npm publish", "/site", {{"CI", "1"}, {"A", "c"}}},
                                    {"npm publish", "/site", {{"CI", "1"}, {"A", "b"}, {"B", ""}}}};
  for (const Subject& other : others) {
    BOOST_TEST((known(other) == Remembered::nothing));
    BOOST_TEST(fingerprint(other) != fingerprint(subject));
  }
  BOOST_TEST(fingerprint(subject).size() == 64U);
}

BOOST_AUTO_TEST_CASE(an_answer_holds_for_the_same_standard_input_which_is_kept_as_a_hash) {
  const auto with = [&](const std::optional<std::string>& text) {
    Subject other = subject;
    other.standard_input = text;
    return other;
  };
  BOOST_TEST(approvals.remember(with("the text"), true) == "");
  BOOST_TEST((known(with("the text")) == Remembered::always));
  for (const auto& other :
       {std::optional<std::string>("text"), std::optional<std::string>(""), std::optional<std::string>()}) {
    BOOST_TEST((known(with(other)) == Remembered::nothing));
    BOOST_TEST(fingerprint(with(other)) != fingerprint(with("the text")));
  }
  BOOST_TEST(approvals.remember(subject, false) == "");
  BOOST_TEST((known(with("the text")) == Remembered::always));
  BOOST_TEST((known(subject) == Remembered::never));
  BOOST_TEST(Sandboxed::content(file).find("the text") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_answer_that_opens_the_network_and_one_that_does_not_are_two) {
  Subject with_network = subject;
  with_network.lifts_network = true;
  BOOST_TEST(fingerprint(with_network) != fingerprint(subject));
  BOOST_TEST(approvals.remember(subject, true) == "");
  BOOST_TEST((known(with_network) == Remembered::nothing));
  BOOST_TEST(approvals.remember(with_network, false) == "");
  BOOST_TEST((known(subject) == Remembered::always));
  BOOST_TEST((known(with_network) == Remembered::never));
}

BOOST_AUTO_TEST_CASE(the_last_answer_replaces_the_one_before) {
  BOOST_TEST(approvals.remember(subject, true) == "");
  BOOST_TEST(approvals.remember({"other", "/", {}}, true) == "");
  BOOST_TEST(approvals.remember(subject, false) == "");
  BOOST_TEST((known(subject) == Remembered::never));
  const auto kept = nlohmann::json::parse(Sandboxed::content(file));
  BOOST_TEST(kept.at("always").size() == 1U);
  BOOST_TEST(kept.at("never").size() == 1U);
}

BOOST_AUTO_TEST_CASE(never_is_stronger_than_always_in_a_file_that_a_person_has_edited) {
  const std::string entry = R"({"command": "npm publish", "directory": "/site"})";
  write("{\"never\": [" + entry + "], \"always\": [" + entry + "]}");
  const Approvals edited(scratch.path() + "/approvals.json");
  BOOST_TEST((std::get<Remembered>(edited.look_up({"npm publish", "/site", {}})) == Remembered::never));
}

BOOST_AUTO_TEST_CASE(an_entry_without_a_directory_is_an_error_that_names_what_an_entry_must_have) {
  write(R"({"always": [{"command": "npm publish", "environment": {}}]})");
  const auto answer = Approvals(scratch.path() + "/approvals.json").look_up(subject);
  BOOST_REQUIRE(std::holds_alternative<std::string>(answer));
  BOOST_TEST(std::get<std::string>(answer).find("must be a list of objects with command and directory;") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_file_that_is_not_understood_is_an_error_and_stays_as_it_is) {
  const Approvals broken(scratch.path() + "/approvals.json");
  for (const std::string text : {"{", "[]", "{\"sometimes\": []}", "{\"always\": {}}", "{\"always\": [1]}",
                                 "{\"always\": [{\"command\": \"x\"}]}", "{\"always\": [], \"always\": []}"}) {
    write(text);
    const auto answer = broken.look_up(subject);
    BOOST_REQUIRE_MESSAGE(std::holds_alternative<std::string>(answer), text);
    BOOST_TEST(std::get<std::string>(answer).find("approvals.json") != std::string::npos);
    BOOST_TEST(!broken.remember(subject, true).empty());
    BOOST_TEST(Sandboxed::content(scratch.path() + "/approvals.json") == text);
  }
  write(" \n");
  BOOST_TEST(broken.remember(subject, true) == "");
}

BOOST_AUTO_TEST_CASE(a_file_that_others_may_write_or_that_is_not_a_file_is_not_used) {
  const std::string path = scratch.path() + "/approvals.json";
  write("{}", 0620);
  BOOST_TEST(!std::get<std::string>(Approvals(path).look_up(subject)).empty());
  write("{}", 0602);
  BOOST_TEST(!std::get<std::string>(Approvals(path).look_up(subject)).empty());
  ::unlink(path.c_str());
  BOOST_REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  BOOST_TEST(!std::get<std::string>(Approvals(path).look_up(subject)).empty());
  BOOST_TEST(!std::get<std::string>(Approvals(scratch.path()).look_up(subject)).empty());
}

BOOST_AUTO_TEST_CASE(a_folder_that_cannot_be_made_is_an_error_that_names_the_file) {
  const std::string path = scratch.file("plain", "") + "/approvals.json";
  BOOST_TEST(Approvals(path).remember(subject, true).find(path) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(answers_at_the_same_time_are_all_kept) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] { Approvals(file).remember({"command " + std::to_string(i), "/", {}}, i % 2 == 0); });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 8; ++i) {
    const Remembered wanted = i % 2 == 0 ? Remembered::always : Remembered::never;
    BOOST_TEST((known({"command " + std::to_string(i), "/", {}}) == wanted));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace approvals_test
