#include "reporting/state_table.h"

#include <algorithm>

#include "reporting/display.h"

namespace wtool::host::workflow {
namespace {

constexpr std::size_t most_rows = 200;

const char* word_for(Step::Status status) {
  switch (status) {
    case Step::Status::succeeded:
      return "ok";
    case Step::Status::failed:
      return "failed";
    case Step::Status::aborted:
      return "aborted";
    case Step::Status::running:
      break;
  }
  return "not ended";
}

}  // namespace

void StateTable::add(const Visit& visit) {
  std::string name(visit.workflow);
  if (!name.empty()) name += " / ";
  name += visit.state;
  const auto [found, added] = index_.emplace(name, rows_.size());
  if (added) rows_.emplace_back().name = name;
  Row& row = rows_[found->second];
  row.acts = visit.acts;
  if (visit.combinations) {
    ++row.matrices;
    row.matrix_took += visit.took;
    row.status = visit.status;
    return;
  }
  ++row.visits;
  row.failures += visit.status == Step::Status::failed ? 1 : 0;
  row.kept += visit.replayed ? 1 : 0;
  row.further_tries += std::max(visit.tries - 1, 0);
  if (!row.branches.contains(visit.branch)) row.branches.emplace(visit.branch);
  if (row.matrices == 0) row.status = visit.status;
  row.took += visit.took;
  row.longest = std::max(row.longest, visit.took);
}

std::string StateTable::status_of(const Row& row) {
  // A state without an action just passes; but a join of branches that failed has failed.
  std::string text = row.acts || row.status != Step::Status::succeeded ? word_for(row.status) : "-";
  std::vector<std::string> notes;
  if (row.visits > 1) {
    notes.push_back(std::to_string(row.visits) + (row.matrices > 0 ? " combinations" : " times"));
    if (row.branches.size() > 1 && row.matrices == 0) {
      notes.back() += " in " + std::to_string(row.branches.size()) + " branches";
    }
    if (row.failures > 0) notes.push_back(std::to_string(row.failures) + " failed");
  }
  if (row.further_tries > 0) {
    notes.push_back(std::to_string(static_cast<std::size_t>(row.further_tries) + row.visits) + " tries");
  }
  if (row.kept > 0) notes.push_back(row.kept == row.visits ? "kept" : std::to_string(row.kept) + " kept");
  for (std::size_t i = 0; i < notes.size(); ++i) text += (i == 0 ? " (" : ", ") + notes[i];
  return text + (notes.empty() ? "" : ")");
}

std::string StateTable::text() const {
  std::size_t name_width = 5;
  std::size_t status_width = 7;
  std::vector<std::string> names;
  std::vector<std::string> statuses;
  for (std::size_t i = 0; i < std::min(rows_.size(), most_rows); ++i) {
    names.push_back(cut_to_width(cleaned_for_terminal(rows_[i].name, false), 48));
    statuses.push_back(status_of(rows_[i]));
    name_width = std::max(name_width, display_width(names.back()));
    status_width = std::max(status_width, display_width(statuses.back()));
  }
  std::string out = "  " + padded("State", name_width) + "  " + padded("Status", status_width) + "  Time\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += "  " + padded(names[i], name_width) + "  " + padded(statuses[i], status_width) + "  " +
           duration_text(rows_[i].matrices > 0 ? rows_[i].matrix_took : rows_[i].took);
    if (rows_[i].visits > 1 && rows_[i].acts) out += " (longest " + duration_text(rows_[i].longest) + ")";
    out += "\n";
  }
  if (rows_.size() > most_rows) out += "  ... and " + std::to_string(rows_.size() - most_rows) + " more states\n";
  return out;
}

}  // namespace wtool::host::workflow
