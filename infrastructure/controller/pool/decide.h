// What is to become of a DriverMachinePool: how large it is to be, which instances are missing and which are
// too many. Pure. A VM that the group keeps itself has a place, a number that is part of its name and of its
// instance key; an instance with a Machine has a name of its own.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "infrastructure/controller/pool/observe.h"
#include "infrastructure/driver.h"
#include "runtime/paused.h"

namespace capstan::infrastructure::pool {

inline constexpr std::size_t kMostInstances = 10000;  // what spec.providerIDList can hold

enum class Step {
  Rest,     // nothing to do, or nothing that may be done now
  Wait,     // another object comes first: `reason` and `message` say whose
  Size,     // bring the group to its size
  Remove,   // all instances, then the finalizer
  Release,  // the finalizer: there never was an instance
};

struct Plan {
  Step step = Step::Rest;
  runtime::Paused paused = {};
  // Size: before the cloud is asked for anything, finalizer and identity have to be in the object.
  bool sign_on = false;
  // Size: how many; nothing: as many as there are, for `reason`.
  std::optional<std::size_t> wanted = {};
  bool tell_owner = false;  // an autoscaler decides the size: spec.replicas has to follow
  // Size and Remove, with Machines
  std::size_t missing = 0;
  std::vector<Member> victims = {};
  // Size, with Machines: goes and is replaced if a live look at its Machine still finds the marks.
  std::optional<Member> sick = {};
  std::vector<Member> well_again = {};  // their owner's mark goes
  // Wait, and Size without a number
  std::string_view reason = {};
  std::string message = {};
  bool report_wait = false;  // it takes so long that people should know
  std::optional<Seconds> recheck = {};
};
Plan decide(const Observation& seen);

// Without Machines, given what the cloud has.
struct Sizing {
  std::vector<std::size_t> missing = {};  // places
  std::vector<Vm> victims = {};
  std::vector<Vm> staying = {};  // by place
};
Sizing size(const Observation& seen, const Plan& plan, const std::vector<Vm>& there);

std::string vm_name(const api::DriverMachinePool& pool, std::size_t place);
std::string instance_key(const api::DriverMachinePool& pool, std::size_t place);
// Whether the tags of a VM name this pool; a copy of a pool brings the key of the original along. A tag that
// is not there contradicts nothing.
bool is_ours(const api::DriverMachinePool& pool, const Vm& vm);
// Those of the annotation that are not gone already.
std::string victims_left(std::string_view annotation, const std::vector<std::string>& gone);
// Where the next instance goes: to the domain with the fewest, the first of them in the list's order.
std::string emptiest(const api::List<Text>& domains, const std::vector<std::string>& used);

}  // namespace capstan::infrastructure::pool
