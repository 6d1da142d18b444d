// Finds steps of other runs, in any process with the same store, that may write the same files at the same time. What
// such a step finds in its outputs at its end may be the work of the other one, so neither result may be kept.
//
// - While a step may write its outputs, it has a file in the store that names them, locked by flock. A kill frees the
//   lock, so a file that nobody locks is left over, and the next step removes it.
// - A step first makes its file, and then looks at the others. Of two steps, at least one therefore sees the other, and
//   that one writes into the other's file that they share an output. Nobody waits for anybody.
// - A step reads its own file after it has copied its outputs into the store. Whoever came later has not been able to
//   write into what was copied.
#pragma once

#include <string>

#include "base/descriptor.h"
#include "cache/patterns.h"

namespace wtool::host::cache {

// Only one thread at a time may use an object of this class.
class SharedClaim {
 public:
  struct Contents {
    std::string step;  // for people: "'Build'"
    std::string run;   // its id; may be empty
    Outputs outputs;
  };

  SharedClaim() = default;
  SharedClaim(const SharedClaim&) = delete;
  SharedClaim& operator=(const SharedClaim&) = delete;
  ~SharedClaim() { release(); }

  // `folder` is that of the claims. Claims the outputs until release().
  void take(const std::string& folder, const Contents& contents);
  void release();
  bool is_taken() const { return static_cast<bool>(file_) || !conflict_.empty(); }
  // Why the result may not be kept, as a sentence without its full stop: since take(), another step has claimed some of
  // the outputs, or nothing could be claimed. Empty: it may.
  std::string conflict() const;

 private:
  void fail(const std::string& what, int error);
  void look_at(const std::string& path, const Contents& contents);

  std::string path_;
  Descriptor file_;
  std::string conflict_;  // what take() has found
};

}  // namespace wtool::host::cache
