#include "engine/received_output.h"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <string>

namespace received_output_test {

using namespace wtool::engine;

namespace {

struct Folder {
  Folder() {
    char pattern[] = "/tmp/wtool-received-XXXXXX";
    BOOST_REQUIRE(::mkdtemp(pattern) != nullptr);
    path = pattern;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string path;
};

RunOptions with_cap(std::size_t bytes) {
  RunOptions options;
  options.capture_bytes = bytes;
  return options;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_stream_is_captured_and_passed_on_as_it_comes) {
  const RunOptions options = with_cap(100);
  std::string seen;
  const OutputSink sink = [&](Stream stream, std::string_view bytes) {
    seen += (stream == Stream::standard_output ? "out:" : "err:") + std::string(bytes) + ' ';
    return bytes != "stop";
  };
  ReceivedOutput received(options, sink);
  BOOST_TEST(received.add(Stream::standard_output, "one"));
  BOOST_TEST(received.add(Stream::standard_error, "two"));
  BOOST_TEST(!received.add(Stream::standard_output, "stop"));
  CommandOutcome outcome;
  received.finish(outcome);
  BOOST_TEST(seen == "out:one err:two out:stop ");
  BOOST_TEST(outcome.standard_output.text == "onestop");
  BOOST_TEST(outcome.standard_error.text == "two");
  BOOST_TEST(outcome.output_file.path.empty());
}

BOOST_AUTO_TEST_CASE(a_file_that_begins_late_has_all_bytes) {
  const Folder folder;
  SpillDirectory directory(folder.path, 1U << 20);
  RunOptions options = with_cap(10);
  options.spill = SpillOptions::When::when_cut;
  options.spill_directory = &directory;
  options.name = "call";
  const OutputSink none;
  ReceivedOutput received(options, none);
  for (const char* piece : {"12345", "67890", "abcde", "f"}) received.add(Stream::standard_output, piece);
  CommandOutcome outcome;
  received.finish(outcome);
  BOOST_TEST(outcome.standard_output.truncated);
  BOOST_TEST(outcome.standard_output.bytes == 16U);
  std::ifstream in(outcome.output_file.path);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  BOOST_TEST(whole == "1234567890abcdef");
}

BOOST_AUTO_TEST_CASE(output_that_fits_makes_no_file) {
  const Folder folder;
  SpillDirectory directory(folder.path, 1U << 20);
  RunOptions options = with_cap(10);
  options.spill = SpillOptions::When::when_cut;
  options.spill_directory = &directory;
  const OutputSink none;
  ReceivedOutput received(options, none);
  received.add(Stream::standard_output, "1234567890");
  CommandOutcome outcome;
  received.finish(outcome);
  BOOST_TEST(outcome.output_file.path.empty());
  BOOST_TEST(std::filesystem::is_empty(folder.path));
}

}  // namespace received_output_test
