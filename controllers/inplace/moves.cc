#include "controllers/inplace/moves.h"

#include <algorithm>

namespace capstan::controllers::inplace {
namespace {

class Moves {
 public:
  Moves(const Situation& now, const Progress& progress) : now_(now), progress_(progress) {}

  void look_at(const api::MachineSet& set) {
    HandOver& found = all_.by_set[set.metadata.name.str()];
    keep_leaving(set, found);
    keep_coming(set, found);
    for (const MachineSeen& each : now_.machines()) {
      if (!begins_to_move(each)) continue;
      if (each.set == set.metadata.name.view() && add(found.leaving, name_of(each))) count(each, -1, found);
      if (each.mark->set == set.metadata.name.view() && add(found.coming, name_of(each)))
        count(each, 1, found);
    }
  }

  HandOvers take() { return std::move(all_); }

 private:
  void count(const MachineSeen& each, int change, HandOver& found) {
    found.growth += change;
    if (std::ranges::find(all_.recounted, each.machine) == all_.recounted.end())
      all_.recounted.push_back(each.machine);
  }

  // One that is being deleted stays counted out until it is gone. One that is not to move any more is counted
  // again.
  void keep_leaving(const api::MachineSet& set, HandOver& found) {
    for (const std::string& name : handed_over_by(set.metadata)) {
      const MachineSeen* each = now_.find_machine(name);
      if (each == nullptr || each->set != set.metadata.name.view()) continue;
      if (is_going(*each) || is_to_move(*each)) {
        found.leaving.push_back(name);
      } else {
        count(*each, 1, found);
      }
    }
  }

  // In the place of one that is gone the set makes another one.
  void keep_coming(const api::MachineSet& set, HandOver& found) {
    for (const std::string& name : taken_over_by(set.metadata)) {
      const MachineSeen* each = now_.find_machine(name);
      if (each == nullptr || each->set == set.metadata.name.view()) continue;
      if (is_going(*each) || (is_to_move(*each) && each->mark->set == set.metadata.name.view())) {
        found.coming.push_back(name);
      } else {
        count(*each, -1, found);
      }
    }
  }

  // What one of its sets has noted the other notes, too, whatever the Node says by now.
  bool begins_to_move(const MachineSeen& each) const {
    if (std::ranges::find(progress_.to_move, &each) != progress_.to_move.end()) return true;
    if (is_going(each) || !is_to_move(each) || each.set == each.mark->set) return false;
    const SetSnapshot* from = now_.find_set(each.set);
    return from != nullptr &&
           (has_name(handed_over_by((*from)->metadata), name_of(each)) ||
            has_name(taken_over_by((*now_.find_set(each.mark->set))->metadata), name_of(each)));
  }

  bool is_to_move(const MachineSeen& each) const {
    if (!each.mark || each.mark->step != UpdateStep::Updating) return false;
    const SetSnapshot* to = now_.find_set(each.mark->set);
    return to != nullptr && !(*to)->metadata.deleting();
  }

  static bool add(Names& names, std::string_view name) {
    const auto at = std::ranges::lower_bound(names, name);
    if (at != names.end() && *at == name) return false;
    names.emplace(at, name);
    return true;
  }

  const Situation& now_;
  const Progress& progress_;
  HandOvers all_ = {};
};

}  // namespace

HandOvers hand_overs(const Situation& now, const Progress& progress) {
  Moves moves(now, progress);
  if (const auto& newest = now.ask().choice.newest) moves.look_at(*newest);
  for (const auto& set : now.ask().choice.old) moves.look_at(*set);
  return moves.take();
}

}  // namespace capstan::controllers::inplace
