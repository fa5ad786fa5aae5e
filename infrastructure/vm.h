// A VM as a cloud describes it, and how it is named. What drivers answer and controllers judge. Plain values
// and pure functions.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/v1beta2/machine.h"

namespace capstan::infrastructure {

using Tags = std::map<std::string, std::string, std::less<>>;

// Which VM: by the cloud's own name where it is known, otherwise by the instance key it carries.
struct VmId {
  std::string provider_id = {};
  std::string instance_key = {};
  std::string last_known_state = {};  // what the driver left with its last answer about this VM
  bool operator==(const VmId&) const = default;
};

enum class VmState { Pending, Running, Stopping, Stopped };

struct Vm {
  std::string provider_id = {};  // what its Node will carry as spec.providerID
  std::string name = {};         // of the VM, and what its Node will be called
  VmState state = VmState::Pending;
  Tags tags = {};  // the instance key among them
  std::vector<api::MachineAddress> addresses = {};
  std::string failure_domain = {};
  bool interruptible = false;
  std::string last_known_state = {};  // for the driver alone; of a create or initialize
  bool operator==(const Vm&) const = default;
};

// Empty when the VM has no tag of that name.
std::string_view tag_of(const Vm& vm, std::string_view name);
// The tags, and the key of the cluster where it has one.
Tags with_cluster_key(std::string_view cluster_key, Tags tags);
// A tag that is not there contradicts nothing.
bool may_carry(const Vm& vm, std::string_view tag, std::string_view value);

}  // namespace capstan::infrastructure
