// What decisions on updates in place are asked about: deployment md1 of three with the old MachineSet "old"
// and the new one "new", which differ in their version, and Machines m1, m2, ... on Nodes of their names.
// Plain values for tests.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/inplace/decide.h"
#include "test/builders/machine.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_set.h"
#include "test/builders/node.h"

namespace capstan::controllers::inplace {

class InPlaceWorld {
 public:
  InPlaceWorld();

  api::MachineDeployment deployment = {};
  api::MachineSet old = {};
  api::MachineSet newest = {};
  rollout::Limits limits = {.desired = 3, .surge = 0, .unavailable = 1};
  Observation seen = {};
  bool may_go_on = true;

  // An available Machine of that set. `mark`: "new Draining 2026-01-01T12:00:00Z".
  MachineSeen& add(std::string_view name, std::string_view set, std::string_view mark = {});
  void label(MachineSeen& each, std::string_view key, std::string_view value);
  void note(api::MachineSet& set, std::string_view key, std::string_view names);
  Question question();
  Plan plan() { return decide(question()); }

 private:
  rollout::Choice choice_ = {};
};

// What describe() says of its actions.
std::vector<std::string> steps(const Plan& plan);

}  // namespace capstan::controllers::inplace
