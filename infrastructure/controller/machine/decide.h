// What is to become of a DriverMachine and its VM. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "infrastructure/controller/machine/observe.h"
#include "runtime/paused.h"

namespace capstan::infrastructure::machine {

enum class Step {
  Rest,     // all is as it should be
  Wait,     // another object comes first: `reason` and `message` say whose
  Create,   // a VM: the one there may be already, or a new one
  Verify,   // the VM is in doubt: ask the cloud
  Protect,  // put the finalizer back that was taken off: without it the VM would outlive the object
  Remove,   // the VM, then the finalizer
  Release,  // the finalizer: there never was a VM
};

struct Plan {
  Step step = Step::Rest;
  runtime::Paused paused = {};
  // Create: before the cloud is asked for anything, the identity has to be in the spec.
  bool mint_key = false;
  // Create: a VM of this key may exist already.
  bool look_first = false;
  // Wait
  std::string_view reason = {};
  std::string message = {};
  bool report_wait = false;  // it takes so long that people should know
  std::optional<Seconds> recheck = {};
};

Plan decide(const Observation& seen);

}  // namespace capstan::infrastructure::machine
