#include "sessions/pty.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

#include "base/blocked_signals.h"
#include "base/calm_poll.h"
#include "base/text.h"
#include "base/utf8.h"

namespace wtool {

namespace {

using engine::Cancellation;
using std::chrono::milliseconds;

// How often a waiting caller checks whether it was cancelled.
constexpr milliseconds between_looks{50};
// The most runs of cells in one view: if each of 100,000 cells had its own colour, a view would take a hundred
// megabytes.
constexpr std::size_t max_runs = 4000;
// When output keeps the screen busy for this long, other threads get a turn.
constexpr milliseconds long_take{2};

bool is_cancelled(const Cancellation& caller) { return caller.mode() != Cancellation::Mode::none; }

std::string_view trimmed_end(std::string_view line) { return line.substr(0, line.find_last_not_of(' ') + 1); }

engine::TerminalPair open_pair(screen::Size size) {
  engine::TerminalPair pair;
  if (const int error = engine::open_terminal(size.rows, size.columns, pair); error != 0) {
    throw std::system_error(error, std::generic_category(), "no terminal can be made");
  }
  return pair;
}

}  // namespace

Pty::Pty(std::string id, std::string command, screen::Size size, milliseconds idle)
    : id_(std::move(id)),
      command_(std::move(command)),
      idle_(idle),
      pair_(open_pair(size)),
      master_(std::make_shared<const Descriptor>(std::move(pair_.master))),
      screen_(size) {}

Pty::~Pty() {
  request_end(Cancellation::Mode::now, "the terminal is no longer used");
  if (thread_.joinable()) thread_.join();
}

void Pty::run(std::function<PtyEnd()> body) {
  const BlockedSignals blocked;  // the host's signals are not for the new thread
  thread_ = std::thread([this, body = std::move(body)] {
    PtyEnd end;
    try {
      end = body();
    } catch (const std::exception&) {
      end.how = "it was lost";  // short enough to need no memory, which may have run out
    }
    finish(std::move(end));
  });
}

void Pty::fail() {
  PtyEnd end;
  end.how = "not started";  // short enough to need no memory
  finish(std::move(end));
}

void Pty::finish(PtyEnd end) {
  const std::lock_guard lock(mutex_);
  end_ = std::move(end);
  master_.reset();
  pair_.slave.reset();
  changed_.notify_all();
}

bool Pty::wait_for_start() {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, between_looks, [this] { return started_ || end_; });
}

// ---- On the thread of the run.

int Pty::master() const {
  const auto master = open_master();
  return master ? master->get() : -1;
}

std::shared_ptr<const Descriptor> Pty::open_master() const {
  const std::lock_guard lock(mutex_);
  return master_;
}

void Pty::started() {
  const std::lock_guard lock(mutex_);
  started_ = true;
  used_ = Clock::now();
  changed_.notify_all();
}

void Pty::take(std::string_view bytes) {
  std::shared_ptr<const Descriptor> master;
  std::string replies;
  const auto begin = Clock::now();
  {
    const std::lock_guard lock(mutex_);
    screen_.take(bytes, replies);
    shown_ = Clock::now();
    ++taken_;
    master = master_;
    changed_.notify_all();
  }
  // Answers the questions that the program asked its terminal. The answers are dropped if the program does not read
  // them.
  if (!replies.empty() && master) (void)!::write(master->get(), replies.data(), replies.size());
  // The lock is not fair: a waiting thread gets it only if it stays free for a moment.
  if (const auto took = Clock::now() - begin; took > long_take) std::this_thread::sleep_for(took / 8);
}

void Pty::look() {
  const std::lock_guard lock(mutex_);
  // A program that has not started cannot be used yet: a person may take long to approve it.
  if (!started_ || Clock::now() - used_ < idle_) return;
  cancellation_.request(Cancellation::Mode::graceful,
                        "nobody has looked at it or typed into it for " +
                            std::to_string(std::chrono::duration_cast<std::chrono::seconds>(idle_).count()) +
                            " s (pty.idle_seconds)");
}

void Pty::hang_up() {
  const std::lock_guard lock(mutex_);
  master_.reset();
}

// ---- On the callers' threads.

std::string Pty::bytes_of(std::string_view text, const std::vector<screen::Key>& keys) {
  const std::lock_guard lock(mutex_);
  std::string bytes = screen::Screen::bytes_of(text);
  for (const screen::Key& key : keys) bytes += screen_.bytes_of(key);
  return bytes;
}

Pty::Sent Pty::send(std::string_view bytes, Clock::time_point deadline, const Cancellation& caller) {
  const std::lock_guard one_at_a_time(send_mutex_);
  {
    const std::lock_guard lock(mutex_);
    if (end_) return Sent::ended;
    used_ = Clock::now();
  }
  while (!bytes.empty()) {
    const auto master = open_master();
    if (!master) return Sent::ended;
    const ssize_t written = ::write(master->get(), bytes.data(), bytes.size());
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
      continue;
    }
    if (written < 0 && errno != EAGAIN && errno != EINTR) return Sent::ended;
    if (is_cancelled(caller)) return Sent::cancelled;
    if (Clock::now() >= deadline) return Sent::not_taken;
    pollfd room{master->get(), POLLOUT, 0};
    calm_poll(&room, 1, static_cast<int>(between_looks.count()));
  }
  return Sent::all;
}

// What is shown behind the place where something was typed. A line that was too long for the screen is one line, as in
// what was typed. Nothing: nothing was typed, or the place means nothing (see Wish).
std::optional<std::string> Pty::answer(const Wish& wish) const {
  const auto& before = wish.since.before;
  if (wish.typed.empty() || before.empty() || wish.since.alternate || screen_.alternate()) return std::nullopt;
  const auto& past = screen_.scrollback();
  const auto rows = screen_.lines(true);
  const std::uint64_t end_of_past = screen_.scrolled();
  const std::uint64_t first_kept = end_of_past - past.size();
  const auto columns = static_cast<std::size_t>(screen_.size().columns);
  std::string text;
  const std::uint64_t place = wish.since.scrolled + before.size() - 1;  // the line in which something was typed
  for (std::uint64_t i = std::max(wish.since.scrolled, first_kept); i < end_of_past + rows.size(); ++i) {
    std::string_view line = i < end_of_past ? past[static_cast<std::size_t>(i - first_kept)]
                                            : rows[static_cast<std::size_t>(i - end_of_past)];
    const bool is_full = line.size() >= columns && line.back() != ' ' && character_count(line) >= columns;
    if (i <= place) {
      const std::string& old = before[static_cast<std::size_t>(i - wish.since.scrolled)];
      if (i < place ? trimmed_end(line) != old : !line.starts_with(old)) return std::nullopt;
      line.remove_prefix(i < place ? line.size() : old.size());
    }
    text += line;
    if (!is_full && i >= place) text += '\n';
  }
  return text;
}

// How the awaited text is seen now; nothing: it is not.
std::optional<Pty::Seen> Pty::seen(const Wish& wish) const {
  if (const auto text = answer(wish)) {
    if (occurrences(*text, wish.text) > occurrences(wish.typed, wish.text)) return Seen::text;
    return std::nullopt;
  }
  const auto holds = [&](const std::string& line) { return line.find(wish.text) != std::string::npos; };
  const auto lines = screen_.lines(true);
  const auto& past = screen_.scrollback();
  const std::uint64_t since = screen_.scrolled() - wish.since.scrolled;
  const auto count = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(since, past.size()));
  if (std::none_of(lines.begin(), lines.end(), holds) && std::none_of(past.end() - count, past.end(), holds)) {
    return std::nullopt;
  }
  return wish.since.had_text ? Seen::old_text : Seen::text;
}

Pty::Seen Pty::wait(const Wish& wish, const Cancellation& caller) {
  std::unique_lock lock(mutex_);
  std::optional<std::uint64_t> searched;  // taken_ at the last search, since the same screen is not searched twice
  for (;;) {
    if (!wish.text.empty() && searched != taken_) {
      searched = taken_;
      if (const auto how = seen(wish)) return *how;
    }
    const auto now = used_ = Clock::now();
    const bool may_be_quiet = wish.text.empty() && taken_ > wish.since.shown;
    if (end_) return Seen::ended;
    if (may_be_quiet && now >= shown_ + wish.quiet) return Seen::quiet;
    if (now >= wish.deadline) return Seen::time;
    if (is_cancelled(caller)) return Seen::cancelled;
    auto next = std::min(wish.deadline, now + between_looks);
    if (may_be_quiet) next = std::min(next, shown_ + wish.quiet);
    changed_.wait_until(lock, next);
  }
}

PtyView Pty::view(bool cells, std::size_t scrollback) {
  const std::lock_guard lock(mutex_);
  used_ = Clock::now();
  PtyView view;
  view.size = screen_.size();
  view.lines = screen_.lines();
  std::size_t runs = 0;
  for (int row = 0; cells && row < view.size.rows && runs < max_runs; ++row) {
    view.cells.push_back(screen_.runs(row));
    runs += view.cells.back().size();
  }
  const auto& past = screen_.scrollback();
  const auto count = static_cast<std::ptrdiff_t>(std::min(scrollback, past.size()));
  view.scrollback.assign(past.end() - count, past.end());
  view.scrolled = screen_.scrolled();
  view.cursor = screen_.cursor();
  view.title = screen_.title();
  view.alternate = screen_.alternate();
  view.end = end_;
  return view;
}

Pty::Mark Pty::mark(std::string_view text) const {
  const std::lock_guard lock(mutex_);
  Mark mark;
  mark.shown = taken_;
  mark.scrolled = screen_.scrolled();
  mark.alternate = screen_.alternate();
  const auto lines = screen_.lines(true);
  mark.had_text = !text.empty() && std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.find(text) != std::string::npos;
  });
  const auto cursor_row = static_cast<std::size_t>(screen_.cursor().row);
  for (std::size_t row = 0; row < cursor_row; ++row) mark.before.emplace_back(trimmed_end(lines[row]));
  mark.before.emplace_back(trimmed_end(screen_.before_cursor()));
  return mark;
}

std::optional<PtyEnd> Pty::end() const {
  const std::lock_guard lock(mutex_);
  return end_;
}

bool Pty::resize(screen::Size size) {
  const std::lock_guard lock(mutex_);
  if (end_ || !master_ || !engine::resize_terminal(master_->get(), size.rows, size.columns)) return false;
  screen_.resize(size);
  used_ = Clock::now();
  changed_.notify_all();
  return true;
}

void Pty::request_end(Cancellation::Mode mode, std::string_view reason) {
  try {
    cancellation_.request(mode, reason);
  } catch (const std::bad_alloc&) {
    cancellation_.request(mode, {});
  }
}

PtyEnd Pty::wait_end(const Cancellation* caller, Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, between_looks, [this] { return end_.has_value(); })) {
    if (caller != nullptr && is_cancelled(*caller)) cancellation_.request(Cancellation::Mode::now, caller->reason());
    if (Clock::now() >= deadline) request_end(Cancellation::Mode::now, "the caller has no more time");
  }
  return *end_;
}

// ---- All terminals.

std::shared_ptr<Pty> Ptys::create(std::string command, screen::Size size, milliseconds idle, std::size_t most) {
  const std::lock_guard lock(mutex_);
  const auto running = std::count_if(all_.begin(), all_.end(), [](const auto& one) { return !one.second->ended(); });
  if (static_cast<std::size_t>(running) >= most) return nullptr;
  const std::uint64_t number = ++last_;
  auto pty = std::make_shared<Pty>("pty-" + std::to_string(number), std::move(command), size, idle);
  all_.emplace(number, pty);
  return pty;
}

std::shared_ptr<Pty> Ptys::find(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const auto& one) { return one.second->id() == id; });
  return found == all_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<Pty>> Ptys::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Pty>> list;
  for (const auto& [number, pty] : all_) list.push_back(pty);
  return list;
}

void Ptys::remove(std::string_view id) {
  std::shared_ptr<Pty> removed;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const auto& one) { return one.second->id() == id; });
  if (found == all_.end()) return;
  removed = found->second;
  all_.erase(found);
}

void Ptys::make_room(std::size_t most) {
  std::vector<std::shared_ptr<Pty>> removed;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  for (auto one = all_.begin(); one != all_.end() && all_.size() > most;) {
    if (one->second->ended()) {
      removed.push_back(one->second);
      one = all_.erase(one);
    } else {
      ++one;
    }
  }
}

void Ptys::end() {
  const auto list = all();
  for (const auto& pty : list) pty->request_end(Cancellation::Mode::now, "the host has ended");
  for (const auto& pty : list) pty->wait_end();
  const std::lock_guard lock(mutex_);
  all_.clear();
}

}  // namespace wtool
