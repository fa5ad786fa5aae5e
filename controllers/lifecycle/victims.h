// The annotation capstan.dev/victims: "name~time,name~time", Machines that an autoscaler or a user wants
// gone, in the same write that makes the replicas fewer. The time is when one was named; an entry without one
// is completed. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/v1beta2/machine.h"
#include "base/time.h"

namespace capstan::controllers::lifecycle {

struct Victim {
  std::string name = {};
  Time named = {};
  bool operator==(const Victim&) const = default;
};

struct DroppedVictim {
  std::string entry = {};
  std::string why = {};
  bool operator==(const DroppedVictim&) const = default;
};

struct Victims {
  std::vector<Victim> valid = {};  // in the order of the annotation, each once
  std::vector<DroppedVictim> dropped = {};
  std::optional<Seconds> recheck = {};  // when the first of them will be too old

  bool names(std::string_view machine) const;
  std::string value() const;  // of the annotation; empty: there is none to be
};

struct VictimRules {
  Time now = {};
  Seconds expiry = {};
  // Why a Machine of that name is none that could go; empty: it could.
  std::function<std::string(std::string_view name)> objection = {};
};
// The list as an object has it, by our key or its alias; empty: it names none.
std::string victims_said(const api::Labels& annotations);
// Under the key that says it: what wrote the alias reads there what has become of it.
void rewrite_victims(api::Labels& annotations, std::string_view to);

Victims victims_in(std::string_view annotation, const VictimRules& rules);

// Why it can't go, or need not; empty: it can. Null: the owner has no Machine of that name.
std::string objection_to(const api::Machine* machine);

// Of each that was dropped though it does not go: "web-1~2026-01-01T12:00:00Z: no Machine of that name
// belongs to it".
std::vector<std::string> reasons(const Victims& victims);

}  // namespace capstan::controllers::lifecycle
