// MachineDrainRule in v1beta1: in both versions the same. Included by api/v1beta1/kinds.cc; plain data.
#pragma once

#include "api/v1beta1/common.h"
#include "api/v1beta2/machine_drain_rule.h"

namespace capstan::api::v1beta1 {

inline constexpr std::array kDrainMembers = {
    always(like<DrainConfig>("behavior")),
    like<DrainConfig>("order"),
};
inline constexpr TypeInfo kDrain = object(kDrainMembers);
inline constexpr std::array kMachineDrainRuleSpecMembers = {
    always(as(kDrain, like<MachineDrainRuleSpec>("drain"))),
    like<MachineDrainRuleSpec>("machines"),
    like<MachineDrainRuleSpec>("pods"),
};
inline constexpr TypeInfo kMachineDrainRuleSpec = object(kMachineDrainRuleSpecMembers);

inline constexpr ResourceInfo kMachineDrainRuleResource =
    old_version_of(resource<MachineDrainRule>, resource<MachineDrainRule>.columns);
inline constexpr std::array kMachineDrainRuleMembers = {
    like<MachineDrainRule>("metadata"),
    always(as(kMachineDrainRuleSpec, like<MachineDrainRule>("spec"))),
};
inline constexpr TypeInfo kMachineDrainRuleType = top(kMachineDrainRuleMembers, kMachineDrainRuleResource);

inline constexpr Kind kMachineDrainRule = {.old_type = &kMachineDrainRuleType,
                                           .new_type = &type_of<MachineDrainRule>};

}  // namespace capstan::api::v1beta1
