// Which Machines go first when a MachineSet has too many. Pure.
#pragma once

#include <functional>
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

struct DeletionRules {
  // `Random` is the order of names: the word promises nothing, and one order that never changes between turns
  // makes repeated turns pick the same Machines.
  DeletionOrder order = DeletionOrder::Random;
  Time now = {};
  // A policy asks for it: by where they are in their life, and then the oldest first where the order is
  // Random.
  bool by_lifecycle = false;
  std::function<bool(const api::Machine&)> named =
      {};                      // by the annotation capstan.dev/victims; null: none is
  bool preserved_last = true;  // not where the Machines are being rolled away
};
// The first to go first: those that go already, those that are marked, those that are not preserved, those
// with a lower capstan.dev/deletion-priority, then by the rules. Of those that are preserved the ones without
// a user's wish go first, and the ones whose time is over sooner.
Machines in_deletion_order(Machines machines, const DeletionRules& rules);

}  // namespace capstan::controllers::machineset
