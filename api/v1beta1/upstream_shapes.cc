#include "api/v1beta1/upstream_shapes.h"

#include <algorithm>
#include <array>

#include "api/core/node_info.h"
#include "api/meta/condition.h"
#include "api/meta/label_selector.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/ip_address.h"
#include "api/v1beta2/ip_address_claim.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_health_check.h"
#include "api/v1beta2/machine_pool.h"
#include "api/v1beta2/machine_set.h"

namespace capstan::api::v1beta1 {
namespace {

struct Shaped {
  const Member* owner = nullptr;  // the first row of its table
  std::string_view name = {};
};

template <typename T>
constexpr Shaped at(std::string_view name) {
  return {.owner = type_of<T>.members.data(), .name = name};
}

// Optional here, plain values there.
constexpr std::array kValues = {
    at<ClusterSpec>("controlPlaneRef"),   at<ClusterSpec>("infrastructureRef"),
    at<ClusterNetwork>("apiServerPort"),  at<ClusterNetwork>("services"),
    at<ClusterNetwork>("pods"),           at<ApiEndpoint>("port"),
    at<MachineBootstrap>("configRef"),    at<MachineStatus>("nodeRef"),
    at<VersionCount>("replicas"),         at<Rollout>("strategy"),
    at<HealthRemediation>("templateRef"), at<IpAddressClaimStatus>("addressRef"),
};
// Plain values here, pointers there.
constexpr std::array kPointers = {
    at<UnhealthyNodeCondition>("timeoutSeconds"),
    at<UnhealthyMachineCondition>("timeoutSeconds"),
    at<IpAddressSpec>("prefix"),
    at<V1Beta1Status>("failureReason"),
    at<V1Beta1Status>("failureMessage"),
    at<V1Beta1MachineSetStatus>("failureReason"),
    at<V1Beta1MachineSetStatus>("failureMessage"),
    at<V1Beta1MachinePoolStatus>("failureReason"),
    at<V1Beta1MachinePoolStatus>("failureMessage"),
};
// Types of Kubernetes and of v1beta1, whose required fields are written whatever they hold; those of v1beta2
// are not.
constexpr std::array kWrittenWhole = {
    type_of<Condition>.members.data(),        type_of<Shared<Condition>>.members.data(),
    type_of<V1Beta1Condition>.members.data(), type_of<Shared<V1Beta1Condition>>.members.data(),
    type_of<NodeSystemInfo>.members.data(),   type_of<LabelSelectorRequirement>.members.data(),
};

bool stands_in(std::span<const Shaped> table, const TypeInfo& owner, const Member& member) {
  return std::ranges::any_of(
      table, [&](const Shaped& row) { return row.owner == owner.members.data() && row.name == member.name; });
}

}  // namespace

bool is_pointer_upstream(const TypeInfo& owner, const Member& member) {
  if (stands_in(kValues, owner, member)) return false;
  return member.type->shape == Shape::Holder || stands_in(kPointers, owner, member);
}

bool is_always_written_upstream(const TypeInfo& owner, const Member& member) {
  if (member.rules.keep_empty) return true;
  return member.rules.required &&
         std::ranges::find(kWrittenWhole, owner.members.data()) != kWrittenWhole.end();
}

}  // namespace capstan::api::v1beta1
