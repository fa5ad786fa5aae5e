// Who stands above the Machine of a drain story: its MachineSet and MachineDeployment, or its MachinePool,
// each with its real controller on the stage's management cluster. What they say of themselves is read from
// their own conditions. Runs inside a Baton; one thread.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/machine/turn_fixture.h"

namespace capstan::scenarios {

enum class DrainOwner { None, Deployment, Pool };

class DrainOwners {
 public:
  // Null for DrainOwner::None. The world is started already and stops before this goes.
  static std::unique_ptr<DrainOwners> of(DrainOwner owner, controllers::machine::MachineFixture& world);
  virtual ~DrainOwners() = default;

  // What they have made, on its way: its name.
  virtual std::string make_machine() = 0;
  // Makes them decide that it goes. Returns which of them does, and what.
  struct Word {
    std::string who = {};
    std::string text = {};
  };
  virtual Word let_it_go() = 0;
  // The condition that reports it, of each of them.
  virtual std::vector<Word> say() const = 0;
  virtual void stop() = 0;
};

}  // namespace capstan::scenarios
