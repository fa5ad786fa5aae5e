// What came of a plan: the object as it is now, how many instances there are and what went wrong. A plain
// struct, filled by act, read by report.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "infrastructure/controller/caches.h"

namespace capstan::infrastructure::pool {

// For the condition Ready, and when to try again.
struct Trouble {
  std::string_view reason = {};
  std::string message = {};
  Seconds retry = {};
  bool quiet = false;  // may be over before a user has read of it
};

struct Effects {
  Snapshot<api::DriverMachinePool> object = {};  // with what act wrote; null: as it was seen
  std::optional<std::size_t> there = {};         // instances that stay; nothing: not found out
  bool more = false;                             // there is more to do right away
  bool released = false;                         // the finalizer is off: there is no status to write
  std::optional<Trouble> trouble = {};
  std::optional<Error> error = {};  // of our own API server: back off
};

}  // namespace capstan::infrastructure::pool
