// The standard input of a server: a named pipe in a folder that only this user can enter, and in which commands in a
// sandbox cannot write (TemporaryPlace::guarded). A call of shell_execute can pass only a fixed text as standard input,
// so the server's command reads this pipe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/descriptor.h"
#include "base/temporary_path.h"

namespace wtool::host::servers {

// Any thread may call any member. No member waits for the reader.
class InputPipe {
 public:
  // Makes the folder and the pipe. nullptr: `error` says why that failed.
  static std::unique_ptr<InputPipe> make(std::string& error);
  InputPipe(const InputPipe&) = delete;
  InputPipe& operator=(const InputPipe&) = delete;
  // Removes the pipe; what was not read by then is lost.
  ~InputPipe();

  // A path that such a pipe might have, for checks of a command that reads one.
  static std::string example();
  const std::string& path() const { return path_; }

  // Queues the line for the reader. False: too much is already waiting, because the reader does not read.
  bool write(std::string_view line);
  // Ends the input: the reader gets an end of file after all lines, or after those that it has read within `time`. If
  // this object still exists after `time`, `late` is called on another thread.
  void finish(std::chrono::milliseconds time, std::function<void()> late);

 private:
  InputPipe(TemporaryPath folder, Descriptor pipe);
  void work();

  const TemporaryPath folder_;
  const std::string path_;
  Descriptor pipe_;
  std::mutex mutex_;  // guards everything below
  std::condition_variable changed_;
  std::string waiting_;
  std::function<void()> late_;
  std::chrono::steady_clock::time_point until_{};  // until then the reader may end by itself
  bool finished_ = false;
  bool ends_ = false;
  std::thread thread_;  // last: it uses all members above
};

}  // namespace wtool::host::servers
