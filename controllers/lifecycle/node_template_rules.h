// What spec.nodeTemplate of a policy may not give a Node: keys that Cluster API or Capstan keeps there, and
// what a Node can't have. Told on the policy, passed over on Nodes. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/policy/machine_lifecycle_policy.h"

namespace capstan::controllers::lifecycle {

using TaintsToLose = api::List<api::TaintIdentity>;
// What a Node has to lose before its Machine counts as Running, of a policy that gives taints: one that it
// gave would be there for ever, and the Machine be replaced for ever.
TaintsToLose taints_to_lose(const api::MachineLifecyclePolicySpec& policy);

// Each says why, in words that follow the name of what is refused; empty: it may be given.
std::string fault_of_label(std::string_view key, std::string_view value);
std::string fault_of_annotation(std::string_view key);
std::string fault_of_taint(const api::TemplateTaint& taint, const TaintsToLose& to_lose);
std::string fault_of_capacity(std::string_view resource, std::string_view quantity);

// "label cluster.x-k8s.io/role is kept by Cluster API"
std::vector<std::string> faults_of(const api::PolicyNodeTemplate& wanted, const TaintsToLose& to_lose = {});

// Condition of a MachineLifecyclePolicy with spec.nodeTemplate: whether Nodes get all of it.
inline constexpr std::string_view kNodeTemplateAccepted = "NodeTemplateAccepted";
inline constexpr std::string_view kAccepted = "Accepted";
inline constexpr std::string_view kKeysRefused = "KeysRefused";
// Condition of a Machine whose own keys are in the way of it; there is none otherwise.
inline constexpr std::string_view kNodeTemplateCondition = "capstan.dev/NodeTemplate";

}  // namespace capstan::controllers::lifecycle
