// A creation that the driver of a group has refused for want of room, or for a time that it named: until that
// is over no other one is tried, for a group looks at its VMs more often than a cloud wants to be asked for
// one. Pure.
#pragma once

#include <optional>

#include "api/driver/driver_machine_pool.h"
#include "infrastructure/controller/trouble.h"

namespace capstan::infrastructure::pool {

struct Refusal {
  Time until = {};
  api::Uid pool = {};
  Trouble trouble = {};
  api::DriverMachinePoolSpec spec = {};  // what was asked for; without the list of what there is
  bool operator==(const Refusal&) const = default;
};

Refusal refusal_of(const Trouble& trouble, const api::DriverMachinePool& pool, Time now);
// Nothing once its time is over, or a clock was set back behind its beginning, or where something else would
// be asked for.
std::optional<Refusal> still_standing(const std::optional<Refusal>& refusal,
                                      const api::DriverMachinePool& pool, Time now);
// With what is left of its time.
Trouble as_trouble(const Refusal& refusal, Time now);

}  // namespace capstan::infrastructure::pool
