// What became of a plan: the object as it is now, how many instances there are and what went wrong. Made by
// act.h, read by report.h. A plain value.
#pragma once

#include <cstddef>
#include <optional>

#include "api/driver/driver_machine_pool.h"
#include "base/result.h"
#include "infrastructure/controller/pool/refusal.h"
#include "infrastructure/controller/trouble.h"
#include "runtime/index.h"

namespace capstan::infrastructure::pool {

struct Effects {
  runtime::Snapshot<api::DriverMachinePool> object = {};  // with what was written; null: as it was seen
  std::optional<std::size_t> there = {};                  // instances that stay; nothing: not found out
  // What drivers left about instances that are being made or removed; nothing: as it was.
  std::optional<api::List<api::DriverInstanceState>> last_known_states = {};
  std::optional<Refusal> refusal = {};  // of a group's last creation
  bool more = false;                    // there is more to do right away
  bool released = false;                // the finalizer is off: there is no status to write
  std::optional<Trouble> trouble = {};
  std::optional<Error> error = {};  // of our own API server: back off
};

}  // namespace capstan::infrastructure::pool
