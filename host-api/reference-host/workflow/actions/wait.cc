// The actions `Wait 5 seconds` and `Wait for user confirmation "question"`.
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/edit_distance.h"
#include "base/text.h"
#include "workflow/actions/action_type.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t milliseconds;
};
constexpr std::array<Unit, 15> wait_units = {{{"seconds", 1000},
                                              {"second", 1000},
                                              {"secs", 1000},
                                              {"sec", 1000},
                                              {"s", 1000},
                                              {"minutes", 60'000},
                                              {"minute", 60'000},
                                              {"min", 60'000},
                                              {"m", 60'000},
                                              {"hours", 3'600'000},
                                              {"hour", 3'600'000},
                                              {"h", 3'600'000},
                                              {"milliseconds", 1},
                                              {"millisecond", 1},
                                              {"ms", 1}}};

const Unit* unit_of(std::string_view word) {
  for (const Unit& unit : wait_units) {
    if (unit.name == word) return &unit;
  }
  return nullptr;
}

ActionKind read_confirm(ActionReading& in) {
  ConfirmAction made;
  const bool user_said = in.cursor.take_word("user");
  if (!in.cursor.take_word("confirmation") && !in.cursor.take_word("input")) {
    in.cursor.fail(
        std::string("this action is written Wait for user confirmation or Wait for user input, then a question "
                    "in quotes") +
        did_you_mean(in.cursor.peek_word(), user_said ? std::vector<std::string>{"confirmation", "input"}
                                                      : std::vector<std::string>{"user", "confirmation", "input"}));
    return made;
  }
  if (in.cursor.at_end()) return made;
  TemplateText question;
  if (in.cursor.sees_text()) {
    if (!in.quoted_template("the question", question)) return made;
  } else {
    question = template_text(in.cursor.take_rest(), in.diagnostics);
  }
  made.question = std::move(question);
  return made;
}

ActionKind read_wait(ActionReading& in) {
  if (in.cursor.take_word("for")) return read_confirm(in);
  WaitAction made;
  const std::size_t at = in.cursor.here();
  std::string written;
  std::string unit_word;
  if (auto placeholder = in.cursor.take_placeholder()) {
    made.amount = template_text(std::move(*placeholder), in.diagnostics);
  } else {
    written = in.cursor.take_bare_word();
    const std::size_t digits = std::min(written.find_first_not_of("0123456789."), written.size());
    unit_word = lowered(written.substr(digits));
    written.resize(digits);
    if (written.empty()) {
      in.diagnostics.add(at,
                         "this action is written Wait 5 seconds (or minutes, hours, milliseconds), or Wait for user "
                         "confirmation \"question\"" +
                             did_you_mean(unit_word, {"for"}));
      return made;
    }
    made.amount = template_text(written, at, in.diagnostics);
  }
  const std::size_t unit_at = in.cursor.here();
  if (unit_word.empty()) unit_word = lowered(in.cursor.take_bare_word());
  const Unit* unit = unit_of(unit_word);
  if (unit == nullptr) {
    in.diagnostics.add(unit_at, "a unit is expected here: seconds, minutes, hours or milliseconds" +
                                    did_you_mean(unit_word, {"seconds", "minutes", "hours", "milliseconds"}));
    return made;
  }
  made.unit = std::chrono::milliseconds(unit->milliseconds);
  if (!written.empty()) {
    const auto amount = duration_value(written);  // the number alone, as if it were seconds
    const auto longest = static_cast<double>(max_wait) * 1000;
    if (!amount || static_cast<double>(amount->count()) / 1000 * static_cast<double>(unit->milliseconds) > longest) {
      in.diagnostics.add(at, "a wait must be a number of " + unit_word + ", and at most " +
                                 std::to_string(max_wait / 3600) + " hours");
    }
  }
  // An optional text shows readers why the run waits.
  if (in.cursor.sees_text()) in.cursor.take_text("the reason");
  return made;
}

}  // namespace

ActionType WaitAction::type() {
  ActionType type;
  type.name = "wait";
  type.words = {"wait"};
  type.forms = {"Wait 5 seconds"};
  type.can_fail = false;
  type.read = read_wait;
  type.texts = texts_of<WaitAction>([](const WaitAction& wait, TextVisitor& visit) { visit.text(wait.amount); });
  type.describe = describe_of<WaitAction>([](const WaitAction& wait, const Describer& describer) {
    const std::string amount = describer.text(wait.amount);
    double number = 0;
    if (read_number(amount, number) && number >= 0 && number < 1e9) {
      return "waits " + duration_words(std::chrono::milliseconds(
                            static_cast<std::int64_t>(number * static_cast<double>(wait.unit.count()))));
    }
    return "waits " + amount + " times " + duration_words(wait.unit);
  });
  return type;
}

ActionType ConfirmAction::type() {
  ActionType type;
  type.name = "confirm";
  type.forms = {"Wait for user confirmation"};
  type.texts =
      texts_of<ConfirmAction>([](const ConfirmAction& confirm, TextVisitor& visit) { visit.text(confirm.question); });
  type.describe = describe_of<ConfirmAction>([](const ConfirmAction& confirm, const Describer& describer) {
    return "asks a person to confirm" + (confirm.question ? ": " + describer.quoted(*confirm.question) : "");
  });
  return type;
}

}  // namespace wtool::host::workflow
