// What came of a plan: the object as it is now, the VM as the cloud described it, and what went wrong. A
// plain struct, filled by act, read by report.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "infrastructure/controller/caches.h"
#include "infrastructure/driver.h"

namespace capstan::infrastructure::machine {

// For the condition Ready, and when to try again.
struct Trouble {
  std::string_view reason = {};
  std::string message = {};
  Seconds retry = {};
  bool quiet = false;  // may be over before a user has read of it
};

struct Effects {
  Snapshot<api::DriverMachine> object = {};  // with what act wrote; null: as it was seen
  std::optional<Vm> vm = {};
  bool vm_gone = false;   // it was there once, and the cloud knows nothing of it
  bool released = false;  // the finalizer is off: there is no status to write
  std::optional<Trouble> trouble = {};
  std::optional<Error> error = {};  // of our own API server: back off
};

}  // namespace capstan::infrastructure::machine
