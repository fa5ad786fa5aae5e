// What the provider's objects behind a Machine say, read by contract, and what it means: which values are to
// be copied, what is still missing, which mistake of the provider a user has to hear about. Pure functions
// over snapshots; used by observe, decide and report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/contract/foreign.h"
#include "api/v1beta2/machine.h"
#include "controllers/machine/observation.h"
#include "controllers/shared/provider_claim.h"

namespace capstan::controllers::machine {

// How the object has to be owned and labelled so that it is this Machine's; nothing when it is so. Conflict
// when something else controls it, or when nothing does and it is another Machine's by right, or was not made
// for this one.
Result<std::optional<ProviderClaim>> claim(const ExternalSeen& external, const Observation& seen);

struct BootstrapFinding {
  std::optional<ProviderClaim> claim = {};
  bool created = false;       // the object says so
  std::string secret = {};    // to be copied; empty: nothing to copy
  std::string mismatch = {};  // it speaks the older contract under the newer label
  std::string problem = {};   // nothing of it counts: another object controls it, or a field is impossible
  api::contract::Failures failures = {};
  bool operator==(const BootstrapFinding&) const = default;
};
BootstrapFinding read_bootstrap(const Observation& seen);

struct InfraFinding {
  std::optional<ProviderClaim> claim = {};
  bool provisioned = false;  // the object says so now
  bool copy = false;         // the values below are to be copied
  std::string provider_id = {};
  std::optional<std::vector<api::MachineAddress>> addresses = {};
  std::optional<std::string> failure_domain = {};
  std::optional<std::string> spec_failure_domain = {};
  bool interruptible = false;
  std::string mismatch = {};
  std::string problem = {};
  std::string left_out = {};  // values that no Machine may have, each with its field: they are not copied
  api::contract::Failures failures = {};
  bool operator==(const InfraFinding&) const = default;
};
InfraFinding read_infra(const Observation& seen);

// spec.providerID as it will be after this turn; empty while it is not known.
std::string provider_id_to_be(const Observation& seen);

}  // namespace capstan::controllers::machine
