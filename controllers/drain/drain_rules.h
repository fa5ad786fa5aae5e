// MachineDrainRules made ready to be asked about Pods: those that are for one Machine, in the order of their
// names. Pure functions; used by the drain and by the wait for volumes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "api/meta/label_selector.h"
#include "api/v1beta2/machine_drain_rule.h"
#include "base/result.h"
#include "runtime/snapshot.h"

namespace capstan::controllers::drain {

// Reason of the Event about rules that want different things of the same Pods.
inline constexpr std::string_view kDrainRulesContradict = "DrainRulesContradict";

enum class Treatment {
  Skip,           // stays where it is
  WaitCompleted,  // is not evicted but waited for
  Drain,
};

struct DrainRule {
  struct Pods {
    api::Selector pods = {};
    api::Selector namespaces = {};
  };
  std::string name = {};
  Treatment treatment = Treatment::Drain;
  std::int32_t order = 0;
  std::vector<Pods> pods = {};  // one of them; empty: every Pod
};

// Who the Pods' Machine is.
struct DrainSubject {
  const api::Labels& machine;
  const api::Labels& cluster;
};

// Invalid, naming rule and field, when a selector of any of them can't be read, even of one for other
// Machines: which Pods it was meant to protect is not known.
Result<std::vector<DrainRule>> rules_for(const DrainSubject& subject,
                                         std::span<const runtime::Snapshot<api::MachineDrainRule>> rules);

// Whether any rule asks for labels of Namespaces.
bool ask_for_namespaces(std::span<const DrainRule> rules);

// Those that match, in the order of the list: the first one counts.
std::vector<const DrainRule*> rules_matching(std::span<const DrainRule> rules, const api::Labels& pod,
                                             const api::Labels& pod_namespace);

}  // namespace capstan::controllers::drain
