// What the parts of a decision on updates in place ask of an observation: which MachineSets there are, whose
// Machines could be updated, which of them may be next. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/inplace/observation.h"
#include "controllers/inplace/plan.h"
#include "controllers/rollout/limits.h"
#include "controllers/rollout/new_set.h"

namespace capstan::controllers::inplace {

struct Question {
  Time now = {};
  const Observation& seen;
  const api::MachineDeployment& deployment;  // with its defaults
  const rollout::Choice& choice;             // among its MachineSets
  rollout::Limits limits = {};
  bool may_go_on = true;  // the rollout is not paused, and no brake holds it
};

class Situation {
 public:
  explicit Situation(const Question& ask);

  const Question& ask() const { return ask_; }
  const std::vector<MachineSeen>& machines() const { return ask_.seen.machines; }
  bool is_on() const { return ask_.seen.wanted.has_value(); }
  bool is_manual() const;
  // As the strategy says; by hand there is no surge, and one Machine at least may be unavailable.
  rollout::Limits limits() const;

  std::string_view newest() const;  // empty: there is none yet
  const SetSnapshot* find_set(std::string_view name) const;
  const MachineSeen* find_machine(std::string_view name) const;
  bool has_updatable(std::string_view set) const { return updatable_.contains(std::string(set)); }

  // Old, and nothing but its own state is in the way of an update.
  bool is_candidate(const MachineSeen& each) const;
  // It has failed or is preserved: it is not updated, and goes with its rollout.
  bool is_given_up(const MachineSeen& each) const;
  // Both sets count it at its new place by now.
  bool is_handed_over(const MachineSeen& each) const;

 private:
  const Question& ask_;
  std::set<std::string> updatable_ = {};  // old MachineSets
};

bool is_available(const MachineSeen& each);
bool is_going(const MachineSeen& each);
std::string_view name_of(const MachineSeen& each);
// Of its Node; empty: it has none, or the Node is not seen.
std::string_view label_of(const MachineSeen& each, std::string_view key);
// By which it is said: itself, or its alias of machine-controller-manager.
std::string_view key_on_node(const MachineSeen& each, std::string_view key);

}  // namespace capstan::controllers::inplace
