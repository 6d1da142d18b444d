// engine/event_batch.h: when live output is delivered, in which pieces and in which order. The test controls the time.
#include "engine/event_batch.h"

#include <boost/test/unit_test.hpp>

namespace event_batch_test {

using std::chrono::milliseconds;
using wtool::engine::EventBatch;
using wtool::engine::Stream;

namespace {

constexpr Stream out = Stream::standard_output;
constexpr Stream err = Stream::standard_error;

struct Receiver {
  std::vector<std::string> got;  // "o:" or "e:" and the bytes
  const char* last_data = nullptr;
  bool content = true;
  wtool::engine::OutputSink sink = [this](Stream stream, std::string_view bytes) {
    got.push_back((stream == out ? "o:" : "e:") + std::string(bytes));
    last_data = bytes.data();
    return content;
  };
  EventBatch batch{sink};
  EventBatch::Clock::time_point start = EventBatch::Clock::now();

  EventBatch::Clock::time_point at(int ms) const { return start + milliseconds(ms); }
  bool add(Stream stream, std::string_view bytes, int ms) { return batch.add(stream, bytes, at(ms)); }
  // What has come since the last call.
  std::vector<std::string> take() { return std::exchange(got, {}); }
};

using Got = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_SUITE(event_batch)

BOOST_FIXTURE_TEST_CASE(the_first_bytes_of_each_stream_go_out_at_once, Receiver) {
  add(out, "a", 0);
  add(err, "b", 0);
  BOOST_TEST(take() == (Got{"o:a", "e:b"}), boost::test_tools::per_element());
  BOOST_TEST(!batch.next_due().has_value());
}

BOOST_FIXTURE_TEST_CASE(what_comes_soon_after_is_gathered_until_its_time, Receiver) {
  add(out, "first", 0);
  add(out, "a", 1);
  add(out, "b", 19);
  batch.deliver_due(at(19));
  BOOST_TEST(take() == Got{"o:first"}, boost::test_tools::per_element());
  BOOST_TEST((batch.next_due() == at(20)));
  batch.deliver_due(at(20));
  BOOST_TEST(take() == Got{"o:ab"}, boost::test_tools::per_element());
  BOOST_TEST(!batch.next_due().has_value());
}

BOOST_FIXTURE_TEST_CASE(bytes_after_a_pause_go_out_at_once, Receiver) {
  add(out, "first", 0);
  add(out, "Password: ", 20);
  BOOST_TEST(take() == (Got{"o:first", "o:Password: "}), boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(bytes_that_come_when_the_time_is_up_go_out_with_what_waited, Receiver) {
  add(out, "first", 0);
  add(out, "a", 5);
  add(out, "b", 30);
  BOOST_TEST(take() == (Got{"o:first", "o:ab"}), boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(a_batch_has_at_most_its_size_and_loses_nothing, Receiver) {
  add(out, "first", 0);
  std::string all = "first";
  for (int i = 0; i < 30'000; ++i) {
    const std::string line = "line " + std::to_string(i) + "\n";
    all += line;
    add(out, line, 1);
  }
  batch.end(at(2));
  std::string together;
  const Got pieces = take();
  for (const std::string& piece : pieces) {
    BOOST_TEST(piece.size() - 2 <= EventBatch::most);
    together += piece.substr(2);
  }
  BOOST_TEST((together == all));
  BOOST_TEST(pieces.size() <= 2 + all.size() / (EventBatch::most - 20));
}

BOOST_FIXTURE_TEST_CASE(a_batch_that_is_exactly_full_does_not_wait, Receiver) {
  add(out, "first", 0);
  add(out, std::string(EventBatch::most - 1, 'a'), 1);
  BOOST_TEST(take().size() == 1U);
  add(out, "b", 2);
  BOOST_TEST(take() == Got{"o:" + std::string(EventBatch::most - 1, 'a') + "b"}, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(a_large_read_goes_out_uncopied_after_what_waited, Receiver) {
  const std::string large(EventBatch::most, 'x');
  add(out, "first", 0);
  add(out, "a", 1);
  add(out, large, 2);
  BOOST_TEST(take() == (Got{"o:first", "o:a", "o:" + large}), boost::test_tools::per_element());
  BOOST_TEST((last_data == large.data()));
}

BOOST_FIXTURE_TEST_CASE(batches_go_out_in_the_order_of_their_first_bytes, Receiver) {
  add(out, "o", 0);
  add(err, "e", 10);
  take();
  add(err, "1", 11);  // Due at 30.
  add(out, "2", 12);  // Due at 20, before the first.
  add(err, "3", 13);
  batch.deliver_due(at(20));
  BOOST_TEST(take() == (Got{"e:13", "o:2"}), boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(what_goes_out_at_once_follows_what_waited_on_the_other_stream, Receiver) {
  add(err, "e", 0);
  add(err, "1", 1);
  add(out, "2", 2);
  BOOST_TEST(take() == (Got{"e:e", "e:1", "o:2"}), boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(the_end_of_a_stream_brings_what_waited, Receiver) {
  add(out, "o", 0);
  add(err, "e", 0);
  add(out, "1", 1);
  add(err, "2", 1);
  take();
  batch.end(out, at(2));
  BOOST_TEST(take() == Got{"o:1"}, boost::test_tools::per_element());
  batch.end(at(3));
  BOOST_TEST(take() == Got{"e:2"}, boost::test_tools::per_element());
  batch.end(at(4));
  BOOST_TEST(take().empty());
}

BOOST_FIXTURE_TEST_CASE(a_receiver_can_stop_the_command_on_every_way_of_delivery, Receiver) {
  content = false;
  BOOST_TEST(!add(out, "at once", 0));
  BOOST_TEST(add(out, "gathered", 1));
  BOOST_TEST(!batch.deliver_due(at(20)));
  BOOST_TEST(batch.deliver_due(at(40)));  // Nothing waited.
  BOOST_TEST(add(out, "gathered", 21));
  BOOST_TEST(!batch.end(at(22)));
}

BOOST_AUTO_TEST_CASE(without_a_receiver_nothing_is_wanted) {
  const wtool::engine::OutputSink none;
  EventBatch batch(none);
  BOOST_TEST(!batch.wanted());
  BOOST_TEST(batch.end(EventBatch::Clock::now()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace event_batch_test
