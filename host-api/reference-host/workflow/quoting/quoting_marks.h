// The placeholders of a command while it is read: the position of each in the text, and which of them is next.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "workflow/quoting/quoting_context.h"

namespace wtool::host::workflow {

// What to do instead of using a refused place.
inline constexpr const char* use_variable =
    "; set a shell variable first (value=${...} on a line of its own) and use \"$value\" here";

class PlaceholderMarks {
 public:
  // There is a placeholder between each text and the next.
  explicit PlaceholderMarks(const std::vector<std::string>& texts) {
    for (std::size_t i = 0; i + 1 < texts.size(); ++i) {
      text_ += texts[i];
      marks_.push_back(text_.size());
    }
    text_ += texts.back();
    // Every placeholder is refused until assign() gives it another place.
    Place unknown;
    unknown.kind = Place::Kind::refused;
    unknown.why = "its place in the command is unclear";
    places_.resize(marks_.size(), unknown);
  }

  // The command without its placeholders. The position of a placeholder is an offset in this text.
  const std::string& text() const { return text_; }
  std::vector<Place> take_places() { return std::move(places_); }

  // is_at() and is_before() are about the next placeholder, which has no place yet; was_just_at() is about the
  // placeholder before it.
  bool is_at(std::size_t offset) const { return next_ < marks_.size() && marks_[next_] == offset; }
  bool is_before(std::size_t offset) const { return next_ < marks_.size() && marks_[next_] < offset; }
  bool was_just_at(std::size_t offset) const { return next_ > 0 && marks_[next_ - 1] == offset; }
  Place& next_place() { return places_[next_]; }
  std::size_t next_offset() const { return marks_[next_]; }  // only if there is a next placeholder

  // True if a placeholder is strictly between the two offsets (is_between), or between them or at one of them
  // (is_within).
  bool is_between(std::size_t begin, std::size_t end) const { return end > begin + 1 && is_within(begin + 1, end - 1); }
  bool is_within(std::size_t first, std::size_t last) const {
    const auto found = std::lower_bound(marks_.begin(), marks_.end(), first);
    return found != marks_.end() && *found <= last;
  }

  void assign(Place::Kind kind, std::string why, const std::vector<HereDelimiter>& here_documents) {
    Place& place = places_[next_++];
    place.kind = lost_.empty() ? kind : Place::Kind::refused;
    place.why = lost_.empty() ? std::move(why) : lost_;
    place.here_documents = here_documents;
  }

  void refuse_up_to(std::size_t end, const std::string& why, const std::vector<HereDelimiter>& here_documents) {
    while (is_before(end)) assign(Place::Kind::refused, why, here_documents);
  }

  // Refuses all further placeholders, because the reading is uncertain from here on.
  void lose(const std::string& what) {
    if (!lost_.empty()) return;
    lost_ = "it follows " + what + ", after which no value can be quoted safely" + use_variable;
  }

 private:
  std::string text_;
  std::vector<std::size_t> marks_;  // where in text_ each placeholder is; sorted
  std::vector<Place> places_;
  std::size_t next_ = 0;
  std::string lost_;
};

}  // namespace wtool::host::workflow
