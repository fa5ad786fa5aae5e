// The annotation capstan.dev/released: what a MachineSet (Machines) or a MachineDeployment (MachineSets) has
// lost by a change of labels or selectors, and since when. It is written before anything is released, so that
// a crash in between forgets nothing. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/meta/object_meta.h"
#include "base/time.h"

namespace capstan::controllers::safety {

struct Released {
  // More names would not fit into an annotation: what is not noted is not released, and counts as owned.
  static constexpr std::size_t kNames = 1000;

  Time since = {};
  std::vector<std::string> names = {};  // sorted, each once

  void add(std::string_view name, Time now);
  bool has(std::string_view name) const;
  // "2 since 2026-01-01T12:00:00Z: m1,m2"; empty without names.
  std::string value() const;
  bool operator==(const Released&) const = default;
};

// A value that is none of ours names nothing.
Released released_by(const api::ObjectMeta& owner);
// Without names the annotation goes.
void note_released(const Released& released, api::ObjectMeta& owner);

}  // namespace capstan::controllers::safety
