// a_world(): an Observation in words, for tests of decide and report.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "controllers/machineset/decide.h"
#include "test/builders/machine.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::machineset {

class Seen {
 public:
  Seen() : Seen(builders::a_machine_set()) {}
  explicit Seen(const builders::MachineSetBuilder& set);

  Seen& with(const builders::MachineBuilder& machine);
  template <typename Change>
  Seen& where(Change&& change) {
    std::forward<Change>(change)(seen_);
    return *this;
  }
  const Observation& seen() const { return seen_; }
  Plan plan() const { return decide(seen_); }

 private:
  TemplateSeen a_template(const api::ContractRef& ref) const;

  Observation seen_ = {};
};

inline Seen a_world() { return Seen(); }
inline Seen a_world(const builders::MachineSetBuilder& set) { return Seen(set); }

// What the Machines say in OwnerRemediated that the plan marks and keeps.
std::vector<std::string> words_of_marks(const Plan& plan);

}  // namespace capstan::controllers::machineset
