// What the provider's objects behind a MachinePool say, read by contract: which values are to be copied, what
// is still missing, and which list of instances can be believed. Pure functions over snapshots; used by
// observe, decide and report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/contract/foreign.h"
#include "api/v1beta2/machine_pool.h"
#include "base/instant.h"
#include "controllers/shared/external_seen.h"
#include "controllers/shared/provider_claim.h"

namespace capstan::controllers::machinepool {

struct Observation;

// What spec.providerIDList can hold, so what a pool can have.
inline constexpr std::size_t kMostInstances = 10000;

struct BootstrapFinding {
  std::optional<ProviderClaim> claim = {};
  bool created = false;
  std::string secret = {};   // of an object whose data are there
  std::string problem = {};  // nothing it says counts
  api::contract::Failures failures = {};
  bool operator==(const BootstrapFinding&) const = default;
};
BootstrapFinding read_bootstrap(const ExternalSeen& bootstrap, const api::MachinePool& pool);

struct InfraFinding {
  std::optional<ProviderClaim> claim = {};
  bool ready = false;
  api::List<Text> provider_ids = {};
  std::string wrong_ids = {};  // why they can't be a list of instances, and what would help
  std::optional<std::int32_t> replicas = {};
  std::optional<std::string> machine_kind = {};
  std::string problem = {};  // nothing it says counts
  api::contract::Failures failures = {};
};
InfraFinding read_infra(const ExternalSeen& infra, const api::MachinePool& pool);

// spec.providerIDList after this turn.
struct ListFinding {
  api::List<Text> ids = {};
  bool believed = false;     // it is what the infrastructure says now
  bool doubted = false;      // it says "none" where there were some, or did so a moment ago
  std::string problem = {};  // why it is not believed, and what would help
  bool operator==(const ListFinding&) const = default;
};
ListFinding list_to_be(const Observation& seen);

// Instances that the infrastructure of a pool that goes names and the pool's list does not: they go with it,
// whether they are said to be ready or not, and so do their Nodes.
std::vector<Text> named_late(const InfraFinding& infra, const api::MachinePool& pool);

// How long an empty list has to last before it is looked at for the second time, and for how long after it
// began one that is back is believed only if it is whole.
inline constexpr Seconds kSecondLook{30};
// Whether instances of a pool that is to have some were reported as gone altogether; `replicas` does not
// contradict.
bool says_emptied(const InfraFinding& infra, const api::MachinePool& pool);
// Whether it names all instances that the pool's list has.
bool is_whole(const InfraFinding& infra, const api::MachinePool& pool);

}  // namespace capstan::controllers::machinepool
