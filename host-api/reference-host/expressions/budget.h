// How much work one evaluation may do, counted in steps. One step is about the time to visit one node of an expression
// (30 to 100 ns). Texts and lists cost steps in proportion to their size, so the same bound limits the size of results.
//
// A budget that is used up stays used up. Code that ignores other errors must not ignore an exhausted budget.
#pragma once

#include <cstddef>
#include <string>

#include "expressions/value.h"

namespace wtool::host::expressions {

inline constexpr std::size_t max_expression_steps = 1'000'000;
inline constexpr std::size_t max_template_steps = 10'000'000;
inline constexpr std::size_t bytes_of_a_step = 64;              // for a text that is made or searched
inline constexpr std::size_t max_text_made = 16 * 1024 * 1024;  // bytes, made by a template or a filter

class Budget {
 public:
  explicit Budget(std::size_t steps = max_expression_steps) : all_(steps), left_(steps) {}

  // False if fewer than `steps` are left. Every later call then returns false, too.
  bool spend(std::size_t steps = 1) {
    if (exhausted_ || steps > left_) {
      exhausted_ = true;
      return false;
    }
    left_ -= steps;
    return true;
  }
  bool spend_text(std::size_t bytes) { return spend(1 + bytes / bytes_of_a_step); }

  // Counts every part of the value as often as it occurs: a value that is small in memory, because its parts are
  // shared, may be very large as a text.
  bool spend_value(const Value& value) {
    if (const std::string* text = value.as_text(); text != nullptr && !spend_text(text->size())) return false;
    if (const List* list = value.as_list()) {
      for (const Value& item : *list) {
        if (!spend_value(item)) return false;
      }
    } else if (const Map* map = value.as_map()) {
      for (const auto& [key, item] : map->fields) {
        if (!spend_text(key.size()) || !spend_value(item)) return false;
      }
    }
    return spend();
  }

  std::size_t left() const { return left_; }
  bool exhausted() const { return exhausted_; }
  std::string message() const {
    return "the evaluation takes more than " + std::to_string(all_) + " steps (" + std::to_string(bytes_of_a_step) +
           " bytes of a text count as one); let a command do this work, or evaluate less data";
  }

 private:
  std::size_t all_;
  std::size_t left_;
  bool exhausted_ = false;
};

}  // namespace wtool::host::expressions
