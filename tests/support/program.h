// Runs a program as a person would, with its output captured: on pipes, or on its own terminal.
//
// run() is for a program that ends by itself. Program is for one with which the test interacts while it runs. A program
// that still runs when its Program is destroyed is killed (by its own id) and reaped.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace wtool::test {

struct ProgramOptions {
  std::string directory{};                   // empty: as the test's
  std::map<std::string, std::string> set{};  // added to the test's environment
  std::vector<std::string> unset{};          // taken out of it
  std::string input{};                       // sent to standard input, which then ends
  bool talk = false;                         // standard input is a pipe instead, for say()
  std::string output_to{};                   // a file for standard output instead of a pipe, such as /dev/full
  unsigned short columns = 80;               // of a terminal
  unsigned short rows = 24;
  std::chrono::milliseconds limit{60'000};  // after this it is killed, and `limit_passed` is set
};

struct Finished {
  int exit_code = -1;  // -1 when it died of a signal
  int signal = 0;
  bool limit_passed = false;
  std::string out;
  std::string err;  // empty for a program on a terminal: both go to `out`
  std::chrono::milliseconds took{};
};

Finished run(const std::vector<std::string>& argv, const ProgramOptions& options = {});

// True if the program is in a folder of the test's PATH.
bool is_installed(const std::string& program);

class Program {
 public:
  enum class On {
    pipes,
    terminal,  // a pseudo-terminal: it controls the program, which is in its foreground group
  };
  Program(const std::vector<std::string>& argv, On on, const ProgramOptions& options = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return pid_; }
  // Reads until the output contains `text`, the program ends, or the limit has passed. Returns whether it contains the
  // text.
  bool wait_for_output(std::string_view text);
  // Reads until `seen` returns true, the program ends, or the limit has passed; returns the last result of `seen`.
  bool wait_for(const std::function<bool()>& seen);
  // Reads what is available now.
  void read_now();
  const std::string& output() const { return finished_.out; }
  // The next line of the output, without its newline. False: the output has ended, or the limit has passed.
  bool next_line(std::string& line);
  // The same with its own time limit.
  bool next_line(std::string& line, std::chrono::milliseconds patience);
  // Writes all of it to standard input, which must be a pipe (`talk`); false if that is closed.
  bool say(std::string_view text) const;
  void end_input();
  // Closes the reading ends of the output.
  void stop_listening();
  // Types, on a terminal: "\x03" is Ctrl-C.
  void type(std::string_view keys) const;
  // Changes the terminal's size, as a person does by resizing the window.
  void resize(unsigned short columns, unsigned short rows) const;
  void kill(int signal) const;
  // Closes the terminal's other end, as a person does by closing the window.
  void hang_up();
  // Reads to the end of the output and reaps. If another process keeps the output open, the end of the program counts.
  Finished wait();

 private:
  // Reads what is available; false if nothing came within `patience`.
  bool read_some(std::chrono::milliseconds patience);
  bool reap(bool block);

  pid_t pid_ = -1;
  int pidfd_ = -1;
  int in_ = -1;           // the writing end of its input, with `talk`
  std::size_t line_ = 0;  // where the next line of the output begins
  int out_ = -1;          // or the terminal's other end
  int err_ = -1;
  bool ended_ = false;
  std::chrono::steady_clock::time_point began_;
  std::chrono::steady_clock::time_point limit_;
  Finished finished_;
};

// An empty folder, removed with all that is in it at the end of the scope.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  // Absolute, without symbolic links.
  const std::string& path() const { return path_; }
  // Writes a file in the folder, and returns the file's absolute path. mode: as in chmod.
  std::string file(std::string_view name, std::string_view content, unsigned mode = 0644) const;

 private:
  std::string path_;
};

// Where commands wait, without polling, until the test lets all of them continue.
class Gate {
 public:
  explicit Gate(const ScratchFolder& folder);
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  // A command line of sh that ends when the gate is open.
  std::string wait() const { return ": < " + pipe_; }
  void open();

 private:
  const std::string pipe_;
  int writer_ = -1;
};

}  // namespace wtool::test
