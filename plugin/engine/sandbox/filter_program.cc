#include "engine/sandbox/filter_program.h"

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <limits>

namespace wtool::engine {

namespace {

using Code = std::vector<sock_filter>;

static_assert(std::endian::native == std::endian::little, "the lower half of an argument is expected to be first");

constexpr std::uint32_t first_of_x32 = 0x40000000;
constexpr std::uint32_t no_call = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t max_jump = std::numeric_limits<std::uint8_t>::max();

sock_filter load(std::size_t offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }

// `met` and `unmet`: how many instructions are skipped if the comparison holds, and if it does not.
sock_filter jump(unsigned comparison, std::uint32_t value, std::size_t met, std::size_t unmet) {
  return BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | BPF_K | comparison), value, static_cast<std::uint8_t>(met),
                  static_cast<std::uint8_t>(unmet));
}

sock_filter give(std::uint32_t action) { return BPF_STMT(BPF_RET | BPF_K, action); }
sock_filter fail_with(int error) { return give(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)); }

// The code of a test. It skips `unmet` instructions if the test does not hold.
Code code_of(const ArgumentTest& test, std::size_t unmet) {
  const std::size_t low = offsetof(seccomp_data, args) + test.argument * sizeof(std::uint64_t);
  switch (test.kind) {
    case ArgumentTest::Kind::is:
      return {load(low), jump(BPF_JEQ, test.value, 0, unmet)};
    case ArgumentTest::Kind::is_not:
      return {load(low), jump(BPF_JEQ, test.value, unmet, 0)};
    case ArgumentTest::Kind::has_any:
      return {load(low), jump(BPF_JSET, test.value, 0, unmet)};
    case ArgumentTest::Kind::masked:
      return {load(low), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, test.mask), jump(BPF_JEQ, test.value, 0, unmet)};
    case ArgumentTest::Kind::not_null:
      return {load(low), jump(BPF_JEQ, 0, 0, 2), load(low + sizeof(std::uint32_t)), jump(BPF_JEQ, 0, unmet, 0)};
  }
  return {};
}

bool same(const Code& a, const Code& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const sock_filter& x, const sock_filter& y) {
    return x.code == y.code && x.k == y.k && x.jt == y.jt && x.jf == y.jf;
  });
}

// Neighbouring numbers, from `first` on, for which the program ends with the same code.
struct NumberRange {
  std::uint32_t first;
  std::size_t end;  // the index of that code
};

// Makes the code that jumps to the end (the final code) for the call number in the accumulator.
class Tree {
 public:
  Tree(const std::vector<NumberRange>& ranges, std::uint32_t newest) : ranges_(ranges), newest_(newest) {}

  // The jumps of the tree, followed by `ends`. Empty: a jump would be too long.
  Code assemble(const std::vector<Code>& ends) {
    const std::size_t count = ranges_.size();
    nodes_.assign((count + 1) * (count + 1), {});
    for (std::size_t size = 2; size <= count; ++size) {
      for (std::size_t begin = 0; begin + size <= count; ++begin) node(begin, begin + size) = best(begin, begin + size);
    }
    add(0, count);
    std::vector<std::size_t> places;
    std::size_t place = jumps_.size();
    for (const Code& end : ends) {
      places.push_back(place);
      place += end.size();
    }
    Code code;
    for (std::size_t at = 0; at < jumps_.size(); ++at) {
      const auto distance = [&](const Target& to) { return (to.is_end ? places[to.index] : to.index) - (at + 1); };
      const Jump& one = jumps_[at];
      if (distance(one.met) > max_jump || distance(one.unmet) > max_jump) return {};
      code.push_back(jump(one.comparison, one.value, distance(one.met), distance(one.unmet)));
    }
    for (const Code& end : ends) code.insert(code.end(), end.begin(), end.end());
    return code;
  }

 private:
  // How to search the ranges from one index to another: split in two at `middle`, or, if `middle` is 0,
  // test them one by one.
  struct Node {
    std::uint64_t cost = 0;
    std::size_t middle = 0;
  };
  struct Target {
    bool is_end;
    std::size_t index;  // of an end, or of a jump
  };
  struct Jump {
    unsigned comparison;
    std::uint32_t value;
    Target met;
    Target unmet;
  };

  // The cost of translating one more instruction, as the number of instructions that the kernel could run in the same
  // time (measured on x86-64).
  static constexpr std::uint64_t cost_of_length = 35;

  Node& node(std::size_t begin, std::size_t end) { return nodes_[begin * (ranges_.size() + 1) + end]; }

  // How many numbers up to `newest` are in these ranges.
  std::uint64_t numbers(std::size_t begin, std::size_t end) const {
    const auto bounded = [&](std::size_t range) {
      return range == ranges_.size() ? newest_ + 1 : std::min(ranges_[range].first, newest_ + 1);
    };
    return bounded(end) - bounded(begin);
  }

  // True if every second range is a single number, and the ranges around those numbers all have the same end.
  bool are_single(std::size_t begin, std::size_t end) const {
    if ((end - begin) % 2 == 0) return false;
    for (std::size_t range = begin + 1; range < end; range += 2) {
      if (ranges_[range + 1].first != ranges_[range].first + 1) return false;
      if (ranges_[range + 1].end != ranges_[begin].end) return false;
    }
    return true;
  }

  Node best(std::size_t begin, std::size_t end) {
    const std::uint64_t here = numbers(begin, end);
    Node best{std::numeric_limits<std::uint64_t>::max(), 0};
    if (are_single(begin, end)) best.cost = (end - begin) / 2 * (here + cost_of_length);
    for (std::size_t middle = begin + 1; middle < end; ++middle) {
      const std::uint64_t cost = here + cost_of_length + node(begin, middle).cost + node(middle, end).cost;
      if (cost < best.cost) best = {cost, middle};
    }
    return best;
  }

  Target add(std::size_t begin, std::size_t end) {
    if (end - begin == 1) return {true, ranges_[begin].end};
    const std::size_t at = jumps_.size();
    const std::size_t middle = node(begin, end).middle;
    if (middle == 0) {
      for (std::size_t range = begin + 1; range < end; range += 2) {
        const bool last = range + 2 == end;
        const Target otherwise = last ? Target{true, ranges_[begin].end} : Target{false, jumps_.size() + 1};
        jumps_.push_back({BPF_JEQ, ranges_[range].first, {true, ranges_[range].end}, otherwise});
      }
    } else {
      jumps_.push_back({BPF_JGE, ranges_[middle].first, {}, {}});
      jumps_[at].unmet = add(begin, middle);
      jumps_[at].met = add(middle, end);
    }
    return {false, at};
  }

  const std::vector<NumberRange>& ranges_;
  const std::uint32_t newest_;
  std::vector<Node> nodes_;
  std::vector<Jump> jumps_;
};

}  // namespace

void FilterProgram::refuse(std::uint32_t number, int error, std::vector<ArgumentTest> tests) {
  rules_[number].push_back({error, std::move(tests)});
}

std::string FilterProgram::assemble(std::uint32_t architecture, std::uint32_t newest) const {
  std::vector<Code> ends;
  std::vector<NumberRange> ranges;
  const auto add = [&](std::uint32_t first, const Code& code) {
    const auto known = std::find_if(ends.begin(), ends.end(), [&](const Code& end) { return same(end, code); });
    const auto end = static_cast<std::size_t>(known - ends.begin());
    if (known == ends.end()) ends.push_back(code);
    if (ranges.empty() || ranges.back().end != end) ranges.push_back({first, end});
  };
  const Code allowed{give(SECCOMP_RET_ALLOW)};
  std::uint32_t next = 0;
  for (const auto& [number, rules] : rules_) {
    if (number > next) add(next, allowed);
    Code code = allowed;
    for (auto rule = rules.rbegin(); rule != rules.rend(); ++rule) {
      if (rule->tests.empty()) code.clear();  // The rules that follow cannot be reached.
      Code whole{fail_with(rule->error)};
      for (auto test = rule->tests.rbegin(); test != rule->tests.rend(); ++test) {
        const Code part = code_of(*test, whole.size());
        whole.insert(whole.begin(), part.begin(), part.end());
      }
      code.insert(code.begin(), whole.begin(), whole.end());
    }
    add(number, code);
    next = number + 1;
  }
  if (next <= newest) add(next, allowed);
  add(newest + 1, {fail_with(ENOSYS)});
  add(first_of_x32, {give(SECCOMP_RET_KILL_PROCESS)});
  // Some programs make a call with this number to find out whether a filter exists.
  add(no_call, {fail_with(ENOSYS)});

  Code code{load(offsetof(seccomp_data, arch)), jump(BPF_JEQ, architecture, 1, 0), give(SECCOMP_RET_KILL_PROCESS),
            load(offsetof(seccomp_data, nr))};
  const Code rest = Tree(ranges, newest).assemble(ends);
  if (rest.empty()) return {};
  code.insert(code.end(), rest.begin(), rest.end());
  return {reinterpret_cast<const char*>(code.data()), code.size() * sizeof(sock_filter)};
}

}  // namespace wtool::engine
