// A VM of a simulated cloud, and what its kubelet has to know. A plain value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/instant.h"
#include "infrastructure/vm.h"
#include "kube/resource.h"

namespace capstan::infrastructure::sim {

struct SimVm {
  Vm vm = {};
  std::string instance_key = {};
  std::string account = {};
  kube::ObjectKey cluster = {};  // from its tags
  std::string vm_class = {};
  std::string kubernetes_version = {};
  SteadyTime created = {};
  Nanoseconds registers_after = {};  // from then on
  std::optional<SteadyTime> vanishes = {};
  std::vector<std::string> local_disks = {};
};

}  // namespace capstan::infrastructure::sim
