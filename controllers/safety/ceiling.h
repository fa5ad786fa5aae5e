// The ceiling: a MachineSet makes no Machine while those it owns, those its siblings have or are about to
// make, and those that were released are as many as its MachineDeployment (or, without one, it itself) may
// have. So no label and no selector, however wrong, makes Machines without end. Pure.
#pragma once

#include <string>

#include "api/meta/label_selector.h"
#include "controllers/safety/overshoot.h"

namespace capstan::controllers::safety {

struct Ceiling {
  bool is_on = false;  // a policy asks for it
  Count most = 0;      // replicas, surge and margin
  Count owned = 0;     // by the set, and by its siblings or still to be made by them
  Count released = 0;  // by the set, by its siblings, and with MachineSets that the MachineDeployment lost
  std::string blame = {};  // which label did that, where it can be seen

  bool operator==(const Ceiling&) const = default;
};

// How many of `missing` Machines may be made.
Count allowed_by(const Ceiling& ceiling, Count missing);
// Why it is not all of them.
std::string ceiling_in_words(const Ceiling& ceiling);

// "label team is \"b\" and not \"a\""; empty where the selector matches.
std::string mismatch(const api::LabelSelector& selector, const api::TextMap& labels);

}  // namespace capstan::controllers::safety
