// Which Machines go first when a MachineSet has too many. Pure.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "api/v1beta2/machine.h"
#include "base/result.h"
#include "base/time.h"

namespace capstan::controllers::machineset {

template <typename T>
using Snapshot = std::shared_ptr<const T>;
using Machines = std::vector<Snapshot<api::Machine>>;

enum class DeletionOrder { Random, Newest, Oldest };
// Empty means Random; Invalid for any other word.
Result<DeletionOrder> parse_deletion_order(std::string_view text);

// No nodeRef, a Node that is not healthy, or a health check that failed. What is not known is no fault.
bool is_unhealthy(const api::Machine& machine);

// Highest first to go. `Random` is the order of names: the word promises nothing, and one order that never
// changes between turns makes repeated turns pick the same Machines.
Machines in_deletion_order(Machines machines, DeletionOrder order, Time now);

}  // namespace capstan::controllers::machineset
