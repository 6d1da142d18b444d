// Runs the built program as a person would: arguments in, exit status and both outputs back.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace wtool::host {

struct Finished {
  int status = -1;  // exit status, or 128 plus the signal that ended it
  std::string out;
  std::string err;
};

// The program while it runs. Its working directory is an empty folder; WTOOL_LOG and WTOOL_PLUGIN_PATH are not passed
// on; SIGINT, SIGTERM, SIGHUP and SIGPIPE have their default dispositions.
class Program {
 public:
  struct Options {
    std::string input = {};                                             // standard input; small enough for a pipe
    std::vector<std::pair<std::string, std::string>> environment = {};  // in addition to this process's
    std::string out_file = {};                                          // standard output goes there instead
    bool close_out = false;                                             // the reader of standard output has gone
    bool no_out = false;                                                // there is no standard output at all
  };
  Program(const std::vector<std::string>& arguments, const Options& options);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  // Reads standard error until it contains `text`. False: standard error ended before that.
  bool wait_for_error_text(const std::string& text);
  void signal(int number) const;
  Finished finish();

 private:
  void read_some();
  int pid_ = -1;
  int out_ = -1;
  int err_ = -1;
  Finished finished_;
};

Finished run_program(const std::vector<std::string>& arguments, const Program::Options& options = {});

// The folder the programs start in.
const std::string& program_folder();

}  // namespace wtool::host
