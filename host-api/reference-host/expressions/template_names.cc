// Which names a template reads, which ones its tags make, and which prompts it includes.
#include <algorithm>

#include "expressions/template.h"

namespace wtool::host::expressions {
namespace {

// Calls `visit` with each piece, including the pieces within others.
template <class Visit>
void walk(const Body& body, const Visit& visit) {
  for (const TemplatePiece& piece : body) {
    visit(piece);
    if (const auto* choice = std::get_if<TemplateChoice>(&piece.what)) {
      for (const TemplateBranch& branch : choice->branches) walk(branch.body, visit);
    } else if (const auto* loop = std::get_if<Loop>(&piece.what)) {
      walk(loop->body, visit);
      walk(loop->otherwise, visit);
    } else if (const auto* capture = std::get_if<CaptureTag>(&piece.what)) {
      walk(capture->body, visit);
    } else if (const auto* alternatives = std::get_if<Case>(&piece.what)) {
      for (const When& when : alternatives->parts) walk(when.body, visit);
    }
  }
}

class NameFinder {
 public:
  std::vector<NameUse> run(const Template& parsed) {
    bound_ = names_made(parsed, false);
    if (parsed.tagged) {
      find(*parsed.tagged);
    } else {
      for (const Placeholder& placeholder : parsed.placeholders) find(placeholder);
    }
    return std::move(found_);
  }

 private:
  bool is_bound(const std::string& name) const {
    return std::find(bound_.begin(), bound_.end(), name) != bound_.end() || (name == "forloop" && loops_ > 0);
  }

  void find(const std::vector<Filter>& filters, std::size_t offset, bool optional) {
    for (const Filter& filter : filters) {
      for (const auto& [place, path] : filter.variables) {
        if (!is_bound(path.name)) found_.push_back({path.name, first_field(path.steps), offset, optional});
      }
    }
  }

  static std::string first_field(const std::vector<PathStep>& steps) { return steps.empty() ? "" : steps[0].name; }

  void find(const Placeholder& placeholder) {
    if (!placeholder.literal && !is_bound(placeholder.name)) {
      found_.push_back({placeholder.name, first_field(placeholder.path), placeholder.offset,
                        placeholder.has(Filter::Kind::fallback)});
    }
    find(placeholder.filters, placeholder.offset, false);
  }
  void find(const std::optional<Operand>& operand) {
    if (operand) find(*operand);
  }

  void find(const Expression& expression) {
    for (const NameUse& name : expression.names) {
      if (!is_bound(name.name)) found_.push_back(name);
    }
  }

  void find(const Body& body) {
    for (const TemplatePiece& piece : body) {
      std::visit([this](const auto& what) { find(what); }, piece.what);
    }
  }

  void find(const std::string&) {}
  void find(const Jump&) {}
  void find(const TemplateChoice& choice) {
    // A branch may read a value whose existence its test, or an earlier test, has checked.
    const std::size_t asked_before = asked_.size();
    for (const TemplateBranch& branch : choice.branches) {
      if (branch.test) {
        find(*branch.test);
        for (const NameUse& name : branch.test->names) {
          if (name.optional) asked_.push_back(name.name);
        }
      }
      const std::size_t first = found_.size();
      find(branch.body);
      for (std::size_t i = first; i < found_.size(); ++i) {
        const auto asked = std::find(asked_.begin(), asked_.end(), found_[i].name);
        found_[i].optional = found_[i].optional || asked != asked_.end();
      }
    }
    asked_.resize(asked_before);
  }
  void find(const Loop& loop) {
    if (loop.range) {
      find(loop.range->first);
      find(loop.range->second);
    } else if (loop.path) {
      find(*loop.path);
    } else {
      find(loop.list);
    }
    find(loop.filters, loop.list_offset, false);
    find(loop.limit);
    find(loop.offset_in_list);
    bound_.push_back(loop.variable);
    ++loops_;
    find(loop.body);
    --loops_;
    bound_.pop_back();
    find(loop.otherwise);
  }
  void find(const Assign& assign) { find(assign.value); }
  void find(const CaptureTag& capture) { find(capture.body); }
  void find(const Case& alternatives) {
    // A variable that is only compared need not have a value.
    const std::size_t first = found_.size();
    find(alternatives.subject);
    for (const When& when : alternatives.parts) {
      for (const Operand& value : when.values) find(value);
    }
    if (alternatives.subject.filters.empty()) {
      for (std::size_t i = first; i < found_.size(); ++i) found_[i].optional = true;
    }
    for (const When& when : alternatives.parts) find(when.body);
  }
  void find(const Cycle& cycle) {
    find(cycle.group);
    for (const Operand& value : cycle.values) find(value);
  }
  void find(const Inclusion& inclusion) {
    find(inclusion.name);
    for (const auto& [name, value] : inclusion.arguments) find(value);
    find(inclusion.value);
  }

  std::vector<NameUse> found_;
  std::vector<std::string> bound_;
  std::vector<std::string> asked_;  // the names whose existence the enclosing tests check
  std::size_t loops_ = 0;           // how many loops enclose the current piece
};

}  // namespace

bool Placeholder::has(Filter::Kind kind) const {
  return std::any_of(filters.begin(), filters.end(), [kind](const Filter& filter) { return filter.kind == kind; });
}

std::vector<NameUse> names_used(const Template& parsed) { return NameFinder().run(parsed); }

std::vector<std::string> names_made(const Template& parsed, bool in_loops) {
  std::vector<std::string> names;
  if (!parsed.tagged) return names;
  walk(*parsed.tagged, [&](const TemplatePiece& piece) {
    if (const auto* assign = std::get_if<Assign>(&piece.what)) names.push_back(assign->variable);
    if (const auto* capture = std::get_if<CaptureTag>(&piece.what)) names.push_back(capture->variable);
    if (const auto* loop = std::get_if<Loop>(&piece.what); loop != nullptr && in_loops) {
      names.insert(names.end(), {loop->variable, "forloop"});
    }
  });
  return names;
}

std::vector<const Inclusion*> inclusions(const Template& parsed) {
  std::vector<const Inclusion*> found;
  if (!parsed.tagged) return found;
  walk(*parsed.tagged, [&found](const TemplatePiece& piece) {
    const auto* inclusion = std::get_if<Inclusion>(&piece.what);
    if (inclusion != nullptr && inclusion->name.literal) found.push_back(inclusion);
  });
  return found;
}

std::string variable_of(const Inclusion& inclusion, const std::string& name) {
  if (!inclusion.variable.empty()) return inclusion.variable;
  const std::string last = name.substr(name.rfind('/') + 1);
  return last.substr(0, last.find('.'));
}

}  // namespace wtool::host::expressions
