// The kit for authors of drivers: makes a VM, asks about it in every way a provider does, removes it, and
// says which promises of infrastructure/driver.h were kept. `capstan-dev driver-check` runs it. Blocks as the
// driver does.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/threads.h"
#include "infrastructure/driver.h"
#include "infrastructure/remote/transport.h"

namespace capstan::infrastructure::remote {

struct CheckDeps {
  const Clock& clock;
  Threads& threads;
  Driver& driver;
  Transport* transport = nullptr;  // to the same driver; without one nothing is said about messages
};

struct CheckOptions {
  std::string run = {};  // in names and keys of what is made: no other run has it
  std::string vm_class = {};
  std::string provider_spec = {};
  Credentials credentials = {};
  std::int32_t more_vms = 0;                       // beyond the two: for a list of several pages
  Nanoseconds patience = std::chrono::minutes(2);  // for each call, and for a VM to be gone
};

struct CheckResult {
  std::string promise = {};               // "create answers a VM"
  std::optional<std::string> fault = {};  // nothing: kept
};

// Goes on after a fault as far as that makes sense. What it has made it removes, kept promises or not.
std::vector<CheckResult> check_driver(const CheckDeps& deps, const CheckOptions& options,
                                      const std::function<void(const CheckResult&)>& on_result = {});

}  // namespace capstan::infrastructure::remote
