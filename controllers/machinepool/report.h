// The status a MachinePool deserves after a turn: flags, counters, references to Nodes, phase and all
// conditions of both generations. Pure: nothing new is read here.
#pragma once

#include <array>

#include "api/policy/names.h"
#include "controllers/machinepool/effects.h"
#include "controllers/machinepool/pool_health.h"

namespace capstan::controllers::machinepool {

inline constexpr std::array kOwnedConditions = {api::condition::kPaused,
                                                api::condition::kBootstrapConfigReady,
                                                api::condition::kInfrastructureReady,
                                                api::condition::kAvailable,
                                                api::condition::kScalingUp,
                                                api::condition::kScalingDown,
                                                api::condition::kMachinesReady,
                                                api::condition::kMachinesUpToDate,
                                                api::condition::kDeleting,
                                                api::condition::kContested,
                                                api::policy::condition::kFrozen,
                                                kHealthy};
inline constexpr std::array kOwnedV1Beta1Conditions = {
    api::v1beta1_condition::kReady, api::v1beta1_condition::kBootstrapReady,
    api::v1beta1_condition::kInfrastructureReady, api::v1beta1_condition::kReplicasReady};

struct Reported {
  api::MachinePool after = {};
  std::optional<Seconds> recheck = {};  // when time alone will change it
  std::vector<Note> notes = {};         // what is new; conditions say the rest
};
Reported report(const Observation& seen, const Plan& plan, const Effects& effects);

// Whether a system outside of the cluster decides how large the pool is (an autoscaler of the cloud).
bool is_sized_by_others(const api::MachinePool& pool);

}  // namespace capstan::controllers::machinepool
