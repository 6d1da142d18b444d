// wtool stop RUN [--now]: aborts a run, and waits until all of its processes have ended.
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/environment.h"
#include "base/listing.h"
#include "base/pidfd.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/interrupts.h"
#include "cli/journaled_run.h"
#include "journal/journal.h"
#include "journal/journal_reader.h"
#include "journal/runs_folder.h"
#include "report/formats.h"
#include "runner/waiting.h"

namespace wtool::host {

namespace {

constexpr auto look_at_processes_again = std::chrono::milliseconds(50);
// When the person is told which processes have not ended yet.
constexpr auto patience = std::chrono::seconds(2);
constexpr std::size_t most_named = 5;

struct StopOptions {
  std::string run;
  bool now = false;
};

// Sends a marked signal, which does not count as one more Ctrl-C (cli/interrupts.h).
bool send(const Descriptor& process, int signal, int mark) {
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = ::getpid();
  info.si_uid = ::getuid();
  info.si_value.sival_int = mark;
  return ::syscall(SYS_pidfd_send_signal, process.get(), signal, &info, 0U) == 0;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  const Listing opened(::opendir(folder.c_str()));
  if (!opened) return names;
  while (const dirent* entry = ::readdir(opened.get())) names.emplace_back(entry->d_name);
  return names;
}

pid_t number_in(const std::string& text) {
  pid_t number = 0;
  return read_number(text, number) ? number : 0;
}

struct ProcessState {
  char letter = 0;   // as in proc(5)
  pid_t parent = 0;  // 0: the process has ended
};

ProcessState state_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  // The name of the program, in brackets, may itself contain blanks and brackets.
  const std::size_t end = text.rfind(')');
  if (end == std::string::npos || text.size() < end + 4) return {};
  const std::size_t begin = text.find(' ', end + 2) + 1;
  return {text[end + 2], number_in(text.substr(begin, text.find(' ', begin) - begin))};
}

const char* word_for(char state) {
  switch (state) {
    case 'T':
      return "stopped";
    case 't':
      return "stopped by a debugger";
    case 'D':
      return "waiting for a device";
    case 'R':
      return "running";
    default:
      return "sleeping";
  }
}

// Whether the process has the journal open. If not, the number may by now be that of another process.
bool has_open(pid_t process, const std::string& journal) {
  struct stat wanted {};
  if (::stat(journal.c_str(), &wanted) != 0) return false;
  const std::string folder = "/proc/" + std::to_string(process) + "/fd/";
  for (const std::string& name : names_in(folder)) {
    struct stat one {};
    const std::string path =
        folder + name;  // NOLINT(performance-inefficient-string-concatenation): a new text each time
    if (::stat(path.c_str(), &one) == 0 && one.st_dev == wanted.st_dev && one.st_ino == wanted.st_ino) {
      return true;
    }
  }
  return false;
}

// The process of a run and all processes below it, held by pidfds, so that a reused process number causes no mistake.
class ProcessesOfRun {
 public:
  explicit ProcessesOfRun(pid_t first) : first_(first) { add(first); }

  const Descriptor& first() const { return known_.at(first_); }

  // Adds the processes that were started since the last call.
  void look() {
    std::map<pid_t, pid_t> parents;
    for (const std::string& name : names_in("/proc")) {
      const pid_t process = number_in(name);
      if (process > 0) parents[process] = state_of(process).parent;
    }
    for (const auto& [process, parent] : parents) {
      pid_t above = parent;
      for (int depth = 0; above > 0 && depth < 1000 && !known_.contains(above); ++depth) {
        const auto found = parents.find(above);
        above = found == parents.end() ? 0 : found->second;
      }
      if (above > 0 && known_.contains(above) && !known_.contains(process)) add(process);
    }
  }

  bool are_gone() {
    std::erase_if(known_, [&](const auto& one) { return has_ended(one.second); });
    return known_.empty();
  }

  // "the process 4711 (stopped), the process 4712 (sleeping)"
  std::string text() const {
    std::string text;
    std::size_t named = 0;
    for (const auto& [process, opened] : known_) {
      if (++named > most_named) return text + ", ...";
      text += (text.empty() ? "" : ", ") + ("the process " + std::to_string(process)) + " (" +
              word_for(state_of(process).letter) + ")";
    }
    return text;
  }

 private:
  void add(pid_t process) {
    Descriptor opened = open_process(process);
    if (opened) known_.emplace(process, std::move(opened));
  }

  const pid_t first_;
  std::map<pid_t, Descriptor> known_;
};

int failed_to_stop(const std::string& id, const std::string& why) {
  complain("the run " + id + " cannot be stopped: " + why);
  return exit_failed;
}

int say_how_it_ended(const std::string& id, const std::string& file) {
  std::string error;
  const auto run = journal::read_journal_ends(file, error);
  if (!run) {
    complain(error);
    return exit_unusable;
  }
  return print(id + ": " + report::status_text(*run, false) + '\n') ? exit_ok : exit_unusable;
}

bool is_suspended(const std::string& file) {
  std::string error;
  const auto ended = journal::read_journal_ends(file, error);
  return ended && ended->status == runner::RunReport::Status::suspended;
}

// Nothing of a suspended run is running, so only its journal has to say that the run has ended. Nothing else could end a
// run whose question only another person may answer.
int stop_suspended(const std::string& id, const std::string& file) {
  std::string error;
  const runner::Secrets none;
  const auto journal = journal::Journal::reopen(file, journal_options(none), error);
  const auto content = journal ? journal::read_journal(file, error) : std::nullopt;
  if (!content) return failed_to_stop(id, error);
  // Until the journal was locked, another process may have continued the run.
  if (content->run.status == runner::RunReport::Status::suspended) {
    if (error = journal->go_on_at(content->whole_bytes, std::nullopt); !error.empty()) return failed_to_stop(id, error);
    runner::RunReport report;
    report.status = runner::RunReport::Status::aborted;
    report.reason = "stopped with `wtool stop` while it waited for an answer";
    journal->run_ended(report);
    if (!journal->is_up_to_date()) return exit_failed;  // the journal has said why
    complain(
        "the run waited for an answer, and was not running; its `finally` states have not run, and `wtool resume " +
        id + "` continues it");
  }
  return say_how_it_ended(id, file);
}

int stop_run(const StopOptions& options) {
  std::string error;
  const std::string id = journal::find_run(".", options.run, error);
  if (id.empty()) {
    complain(error);
    return exit_unusable;
  }
  const std::string file = journal::journal_file(".", id);
  if (!journal::is_being_written(file)) {
    if (is_suspended(file)) return stop_suspended(id, file);
    complain("the run " + id + " is not running");
    return say_how_it_ended(id, file);
  }
  const auto content = journal::read_journal(file, error);
  if (!content) {
    complain(error);
    return exit_unusable;
  }
  const auto number = static_cast<pid_t>(content->run.pid);
  if (content->run.host != host_name()) return failed_to_stop(id, "it runs on the machine " + content->run.host);
  if (number <= 1) return failed_to_stop(id, "its journal does not name its process");
  ProcessesOfRun processes(number);
  if (processes.are_gone() || !has_open(number, file)) {
    if (!journal::is_being_written(file)) return stop_run({id, options.now});  // it has ended meanwhile
    return failed_to_stop(id, "the process " + std::to_string(number) +
                                  " in its journal does not write the journal; the run may be in another container");
  }
  if (content->run.settings.server) {
    return failed_to_stop(id, "it is a call that a client of the server " + std::to_string(number) +
                                  " (`wtool mcp`) has made; only that "
                                  "client can cancel it");
  }
  processes.look();
  // The second signal is a different one, since two equal pending signals may be merged into one.
  if (!send(processes.first(), SIGTERM, mark_of_stop) ||
      (options.now && !send(processes.first(), SIGINT, mark_of_stop_now))) {
    if (errno != ESRCH) return failed_to_stop(id, ::strerror(errno));
  }
  // A run that was stopped (Ctrl-Z) takes no other signal before it is continued.
  send(processes.first(), SIGCONT, mark_of_stop);
  Stop stop;
  const Interrupts interrupts(stop);
  const auto told = std::chrono::steady_clock::now() + patience;
  bool is_told = false;
  while (!stop.requested()) {
    processes.look();
    if (processes.are_gone()) return is_suspended(file) ? stop_suspended(id, file) : say_how_it_ended(id, file);
    if (!is_told && std::chrono::steady_clock::now() >= told) {
      is_told = true;
      complain("the run " + id + " was told to end; waiting for " + processes.text());
    }
    runner::wait_until(std::chrono::steady_clock::now() + look_at_processes_again, stop);
  }
  complain("the run " + id + " was told to end, but has not ended yet" +
           (options.now ? "" : "; `wtool stop " + id + " --now` kills its commands immediately"));
  return interrupts.exit_status();
}

}  // namespace

void add_stop(CLI::App& app, Context& context) {
  auto options = std::make_shared<StopOptions>();
  CLI::App* command = app.add_subcommand("stop", "Abort a run, and wait until nothing of it is left");
  command
      ->add_option("RUN", options->run, "The run's id, the beginning of the id, or `last`; `wtool runs` lists the runs")
      ->required();
  command->add_flag("--now", options->now, "Kill the run's commands immediately; by default they get SIGTERM first");
  command->footer(
      "The run is aborted as by Ctrl-C: `finally` states still run, and `wtool resume` can continue it. A run that\n"
      "waits for an answer of `wtool approve` is not running: it counts as aborted from then on, without `finally`.\n"
      "Exit status: 0 if nothing of the run is left, even if it was not running; 1 if it cannot be stopped from here.\n"
      "\n"
      "Examples:\n"
      "  wtool stop last\n"
      "  wtool stop 20261121-231502 --now");
  command->callback([&context, options] { context.command = [options] { return stop_run(*options); }; });
}

}  // namespace wtool::host
