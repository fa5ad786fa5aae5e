// Which VMs a group that keeps them itself lacks and has too many of, given what the cloud has. A VM has a
// place, a number that is part of its name and of its instance key. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "api/driver/driver_machine_pool.h"
#include "infrastructure/controller/brakes.h"
#include "infrastructure/vm.h"

namespace capstan::infrastructure::pool {

struct Sizing {
  std::vector<std::size_t> missing = {};  // places
  std::vector<Vm> victims = {};
  std::vector<Vm> staying = {};  // by place
  std::vector<Vm> kept = {};     // they do not run, and stay as long as a brake holds them
};
// `wanted`: nothing for as many as there are.
Sizing sizing(const api::DriverMachinePool& pool, std::optional<std::size_t> wanted,
              const std::vector<Vm>& there);

// Makes none, and lets all stay, as far as the brakes hold them.
void hold_back(const Brakes& brakes, Sizing& sizing);

std::string vm_name(const api::DriverMachinePool& pool, std::size_t place);
std::string instance_key(const api::DriverMachinePool& pool, std::size_t place);
// Whether the tags of a VM name this pool; a copy of a pool brings the key of the original along.
bool is_ours(const api::DriverMachinePool& pool, const Vm& vm);

}  // namespace capstan::infrastructure::pool
