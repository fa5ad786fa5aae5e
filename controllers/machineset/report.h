// The status a MachineSet deserves after a turn: counters, the selector for the scale subresource, and all
// conditions of both generations. Pure: nothing new is read here.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/machineset/effects.h"
#include "controllers/machineset/plan.h"

namespace capstan::controllers::machineset {

inline constexpr std::array kOwnedConditions = {
    api::condition::kPaused,        api::condition::kScalingUp,        api::condition::kScalingDown,
    api::condition::kMachinesReady, api::condition::kMachinesUpToDate, api::condition::kRemediating,
    api::condition::kDeleting,      api::condition::kContested,        api::policy::condition::kFrozen};
inline constexpr std::array kOwnedV1Beta1Conditions = {
    api::v1beta1_condition::kReady, api::v1beta1_condition::kMachinesCreated,
    api::v1beta1_condition::kResized, api::v1beta1_condition::kMachinesReady};

struct Reported {
  api::MachineSet after = {};
  std::optional<Seconds> recheck = {};  // when time alone will change it
};
Reported report(const Observation& seen, const Plan& plan, const Effects& effects);

// For Events, when something new stands against creating; the condition says so all the time.
std::vector<Note> news(const Observation& seen, const api::MachineSet& after);

}  // namespace capstan::controllers::machineset
