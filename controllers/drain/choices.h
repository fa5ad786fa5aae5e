// How the Node of one Machine is drained where its policy or the Machine's own keys say more than Cluster API
// does. Pure; the deletion of the Machine goes by it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/meta/object_meta.h"
#include "api/policy/machine_lifecycle_policy.h"
#include "api/v1beta2/machine.h"
#include "controllers/drain/volume_queue.h"

namespace capstan::controllers::drain {

struct DrainChoices {
  std::string by_force = {};                         // why; empty: Pods are evicted
  std::optional<std::int32_t> timeout_seconds = {};  // wins over spec.deletion.nodeDrainTimeoutSeconds
  std::optional<std::int32_t> default_timeout_seconds = {};  // where that one is left out
  bool force_on_timeout = false;                             // else what is left is left running
  std::optional<std::int32_t> not_ready_seconds = {};  // a Node that was not ready for so long: by force
  std::optional<std::int32_t> eviction_seconds = {};   // after that, what is refused is deleted
  std::optional<VolumeWaits> volumes_in_turn = {};     // else all Pods go together
  bool deletes_attachments = false;                    // VolumeAttachments that are left of the Node
  bool explain_budgets = false;                        // a policy is there
  std::vector<std::string> ignored = {};               // keys that mean nothing, each with what is meant
};
// `policy`: of the Machine; null: none selects it.
DrainChoices drain_choices(const api::ObjectMeta& machine, const api::MachineLifecyclePolicySpec* policy);
// Why a drain that is no deletion, of a preserved or an updated Machine, is by force; empty: it is not.
std::string force_of_a_drain(const api::ObjectMeta& machine);
// Nothing or 0: the drain may take for ever.
std::optional<std::int32_t> drain_timeout(const api::Machine& machine, const DrainChoices& choices);

}  // namespace capstan::controllers::drain
