#include "controllers/machine/providers.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/contract/bootstrap_config.h"
#include "api/contract/infra_machine.h"
#include "api/contract/paths.h"
#include "api/schema/validate.h"
#include "base/try.h"
#include "kube/kinds.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machine {
namespace {

namespace contract = api::contract;

// As the schema of a Machine has it, in characters; it takes as many bytes in any case.
constexpr std::size_t kLongestProviderId = 512;
constexpr std::size_t kLongestSecretName = 253;
constexpr std::size_t kLongestFailureDomain = 256;
constexpr std::size_t kMostAddresses = 256;
constexpr std::size_t kLeftOutShown = 3;

std::string v1beta1_contract_only(const ExternalSeen& external, const contract::Path& wanted);
std::string too_long(const contract::Foreign& object, const contract::Path& path, std::string_view value,
                     std::size_t longest);
void leave_out_what_no_machine_may_have(const contract::Foreign& object, InfraFinding& finding);
Result<BootstrapFinding> read(const contract::BootstrapConfig& config);
Result<InfraFinding> read(const contract::InfraMachine& infra, bool was_provisioned);
bool made_for(const api::OwnerReference& owner, const Observation& seen);
Result<void> may_take(const ExternalSeen& external, const Observation& seen);
bool has_living_set(const Observation& seen);

}  // namespace

BootstrapFinding read_bootstrap(const Observation& seen) {
  if (!seen.bootstrap.found()) return {};
  const auto& object = *seen.bootstrap.object;
  const contract::BootstrapConfig config(contract::Foreign(object), seen.bootstrap.contract);
  auto finding = read(config);
  if (!finding) return {.problem = finding.error().message};
  auto claimed = claim(seen.bootstrap, seen);
  if (!claimed) return {.problem = claimed.error().message};
  finding->claim = std::move(*claimed);
  finding->mismatch = v1beta1_contract_only(seen.bootstrap, contract::path::kDataSecretCreated);
  if (seen.machine->spec.bootstrap.data_secret_name || object.metadata.deleting()) {
    finding->secret.clear();
  } else if (finding->created && finding->secret.empty()) {
    finding->problem = fmt::format("{}: {} is empty although the data Secret was created",
                                   config.object().describe(), contract::path::kDataSecretName.str());
  } else {
    finding->problem =
        too_long(config.object(), contract::path::kDataSecretName, finding->secret, kLongestSecretName);
  }
  return *finding;
}

InfraFinding read_infra(const Observation& seen) {
  if (!seen.infra.found()) return {};
  const auto& object = *seen.infra.object;
  const contract::InfraMachine infra(contract::Foreign(object), seen.infra.contract);
  auto finding = read(infra, seen.machine->status.initialization.infrastructure_provisioned.value_or(false));
  if (!finding) return {.problem = finding.error().message};
  auto claimed = claim(seen.infra, seen);
  if (!claimed) return {.problem = claimed.error().message};
  finding->claim = std::move(*claimed);
  finding->mismatch = v1beta1_contract_only(seen.infra, contract::path::kProvisioned);
  finding->problem =
      too_long(infra.object(), contract::path::kProviderId, finding->provider_id, kLongestProviderId);
  if (!finding->problem.empty()) finding->copy = false;
  leave_out_what_no_machine_may_have(infra.object(), *finding);
  if (object.metadata.deleting()) finding->copy = false;
  return *finding;
}

std::string provider_id_to_be(const Observation& seen) {
  const auto finding = read_infra(seen);
  std::string known = seen.machine->spec.provider_id.str();
  if (finding.copy) return finding.provider_id;
  if (!known.empty() || !seen.deleting() || !seen.infra.found()) return known;
  if (!claim(seen.infra, seen)) return known;
  // On the way out whatever leads to the Node is good enough, as long as it is the Machine's own.
  const contract::InfraMachine infra(contract::Foreign(*seen.infra.object), seen.infra.contract);
  return infra.provider_id().value_or(std::nullopt).value_or("");
}

Result<std::optional<ProviderClaim>> claim(const ExternalSeen& external, const Observation& seen) {
  const api::Machine& machine = *seen.machine;
  const auto& object = *external.object;
  const auto& metadata = object.metadata;
  if (metadata.deleting()) return std::nullopt;  // too late to matter
  std::vector<api::OwnerReference> owners = *metadata.owner_references;
  std::erase_if(owners, [&](const api::OwnerReference& owner) { return made_for(owner, seen); });
  const auto reference = runtime::controller_reference(kube::resource_of<api::Machine>(), machine.metadata);
  auto owned = runtime::with_controller(api::OwnerReferences(std::move(owners)), reference);
  if (!owned) {
    return fail(owned.error().code, fmt::format("{}: {}: let this Machine name an object of its own",
                                                contract::Foreign(object).describe(), owned.error().message));
  }
  TRY(may_take(external, seen));
  ProviderClaim wanted{
      .from = metadata.owner_references,
      .owners = std::move(*owned),
      .label = !has_living_set(seen) &&
               metadata.labels.value_or_empty(api::label::kClusterName) != machine.spec.cluster_name};
  if (wanted.owners == metadata.owner_references && !wanted.label) return std::nullopt;
  return wanted;
}

namespace {

// Only the field of the older contract is filled: under the newer label it does not count, and without
// this message no user would see why nothing goes on.
std::string v1beta1_contract_only(const ExternalSeen& external, const contract::Path& wanted) {
  const contract::Foreign object(*external.object);
  if (external.contract != contract::ContractVersion::V1Beta2 || object.at(wanted)) return {};
  const auto ready = contract::read_bool(object, contract::path::kReady);
  if (!ready || !ready->value_or(false)) return {};
  return fmt::format(
      "{} fills only {} of contract v1beta1, but its CRD has the label {}v1beta2, under which {} counts: fix "
      "the provider or remove that label",
      object.kind(), contract::path::kReady.str(), api::label::kContractPrefix, wanted.str());
}

std::string too_long(const contract::Foreign& object, const contract::Path& path, std::string_view value,
                     std::size_t longest) {
  if (value.size() <= longest) return {};
  return fmt::format("{}: {} is longer than the {} characters that a Machine may have there",
                     object.describe(), path.str(), longest);
}

class LeftOut {
 public:
  explicit LeftOut(const contract::Foreign& object) : object_(object) {}
  void add(const std::string& what) {
    if (++count_ <= kLeftOutShown) text_ += (text_.empty() ? "" : "; ") + what;
  }
  std::string text() const {
    if (count_ == 0) return {};
    const std::string more =
        count_ > kLeftOutShown ? fmt::format("; and {} more", count_ - kLeftOutShown) : std::string();
    return fmt::format("{}: not copied to the Machine: {}{}", object_.describe(), text_, more);
  }

 private:
  const contract::Foreign& object_;
  std::size_t count_ = 0;
  std::string text_ = {};
};

void leave_out(std::optional<std::string>& value, const contract::Path& path, LeftOut& left_out) {
  if (!value || value->size() <= kLongestFailureDomain) return;
  left_out.add(fmt::format("{} is longer than {} characters", path.str(), kLongestFailureDomain));
  value.reset();
}

void leave_out_what_no_machine_may_have(const contract::Foreign& object, InfraFinding& finding) {
  LeftOut left_out(object);
  leave_out(finding.failure_domain, contract::path::kFailureDomain, left_out);
  leave_out(finding.spec_failure_domain, contract::path::kSpecFailureDomain, left_out);
  if (finding.addresses) {
    std::vector<api::MachineAddress> good;
    for (std::size_t i = 0; i < finding.addresses->size(); ++i) {
      const auto causes = api::validate((*finding.addresses)[i]);
      if (causes.empty() && good.size() < kMostAddresses) {
        good.push_back((*finding.addresses)[i]);
        continue;
      }
      const std::string field = fmt::format("{}[{}]", contract::path::kAddresses.str(), i);
      left_out.add(causes.empty()
                       ? fmt::format("{}: a Machine may have {} addresses", field, kMostAddresses)
                       : fmt::format("{}.{}: {}", field, causes.front().field, causes.front().message));
    }
    finding.addresses = std::move(good);
  }
  finding.left_out = left_out.text();
}

Result<BootstrapFinding> read(const contract::BootstrapConfig& config) {
  BootstrapFinding finding;
  finding.failures = TRY(config.failures());
  finding.created = TRY(config.data_secret_created());
  if (finding.created) finding.secret = TRY(config.data_secret_name()).value_or("");
  return finding;
}

// What was provisioned once is read on, whatever the object says later.
Result<InfraFinding> read(const contract::InfraMachine& infra, bool was_provisioned) {
  InfraFinding finding;
  finding.failures = TRY(infra.failures());
  finding.provisioned = TRY(infra.provisioned());
  finding.interruptible = TRY(infra.interruptible());
  if (!finding.provisioned && !was_provisioned) return finding;
  finding.provider_id = TRY(infra.provider_id()).value_or("");
  if (finding.provider_id.empty()) return finding;
  finding.addresses = TRY(infra.addresses());
  finding.failure_domain = TRY(infra.failure_domain());
  finding.spec_failure_domain = TRY(infra.spec_failure_domain());
  finding.copy = true;
  return finding;
}

// Owners that were only meant to last until the Machine takes over.
bool made_for(const api::OwnerReference& owner, const Observation& seen) {
  if (owner.kind == api::kind::kMachineSet && owner.group() == api::group::kCluster) return true;
  if (!seen.is_control_plane() || !seen.cluster || !seen.cluster->spec.control_plane_ref) return false;
  const auto& control_plane = *seen.cluster->spec.control_plane_ref;
  return owner.kind == control_plane.kind && owner.group() == control_plane.api_group;
}

// A MachineSet labels the objects of its Machines; were the Machine's controller to do so as well, a label
// that another manager contests would be written by both. A paused MachineSet labels nothing.
bool has_living_set(const Observation& seen) {
  const api::OwnerReference* owner = seen.machine->metadata.controller();
  if (!seen.machine_set || owner == nullptr || seen.deleting()) return false;
  const auto& set = seen.machine_set->metadata;
  return owner->uid == set.uid && !set.deleting() && !set.annotations.contains(api::annotation::kPaused);
}

// What nothing controls can be a Machine's that was copied with its references, or a stranger of its name.
Result<void> may_take(const ExternalSeen& external, const Observation& seen) {
  const auto& metadata = external.object->metadata;
  if (metadata.controller() != nullptr) return {};
  const std::string what = contract::Foreign(*external.object).describe();
  if (!external.right_of.empty()) {
    return fail(Code::Conflict,
                fmt::format("{}: has no controller, and Machine {} names it with the better right: let this "
                            "Machine name an object of its own",
                            what, external.right_of));
  }
  const auto& was = seen.machine->status.initialization;
  const bool made_ready = &external == &seen.infra ? was.infrastructure_provisioned.value_or(false)
                                                   : was.bootstrap_data_secret_created.value_or(false);
  const auto* of_a_set = seen.machine->metadata.controller();
  if (made_ready || of_a_set == nullptr || of_a_set->kind != api::kind::kMachineSet) return {};
  const bool by_owner = std::ranges::any_of(
      *metadata.owner_references, [&](const api::OwnerReference& owner) { return made_for(owner, seen); });
  if (by_owner || metadata.annotations.contains(api::annotation::kClonedFromName)) return {};
  return fail(
      Code::Conflict,
      fmt::format("{}: was not made from a template for this Machine, it only has its name: delete one "
                  "of the two",
                  what));
}

}  // namespace
}  // namespace capstan::controllers::machine
