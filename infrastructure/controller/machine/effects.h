// What became of a plan: the object as it is now, the VM as the cloud described it, and what went wrong. Made
// by act.h, read by report.h. A plain value.
#pragma once

#include <optional>
#include <string>

#include "api/driver/driver_machine.h"
#include "base/result.h"
#include "infrastructure/controller/trouble.h"
#include "infrastructure/vm.h"
#include "runtime/index.h"

namespace capstan::infrastructure::machine {

struct Effects {
  runtime::Snapshot<api::DriverMachine> object = {};  // with what was written; null: as it was seen
  std::optional<Vm> vm = {};
  bool vm_gone = false;                              // it was there once, and the cloud knows nothing of it
  bool verified = false;                             // the cloud has answered: the doubt is over
  bool released = false;                             // the finalizer is off: there is no status to write
  std::optional<std::string> last_known_state = {};  // of the driver; nothing: as it was
  std::optional<Trouble> trouble = {};
  std::optional<Error> error = {};  // of our own API server: back off
};

}  // namespace capstan::infrastructure::machine
