#include "controllers/machinepool/providers.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "api/contract/bootstrap_config.h"
#include "api/contract/infra_machine_pool.h"
#include "base/safeguards.h"
#include "base/try.h"
#include "kube/typed.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machinepool {
namespace {

namespace contract = api::contract;

constexpr std::size_t kMostInstances = 10000;  // what spec.providerIDList can hold
constexpr std::size_t kShown = 3;

Result<std::optional<Claim>> claim(const contract::ContractObject& object, const api::MachinePool& pool);
Result<BootstrapFinding> read(const contract::BootstrapConfig& config);
Result<InfraFinding> read(const contract::InfraMachinePool& infra);
std::string wrong_with(const std::vector<std::string>& ids);

}  // namespace

BootstrapFinding read_bootstrap(const Observation& seen) {
  if (!seen.bootstrap.found()) return {};
  const auto& object = *seen.bootstrap.object;
  const contract::BootstrapConfig config(contract::Foreign(object), seen.bootstrap.contract);
  auto finding = read(config);
  if (!finding) return {.problem = finding.error().message};
  auto claimed = claim(object, *seen.pool);
  if (!claimed) return {.problem = claimed.error().message};
  finding->claim = std::move(*claimed);
  if (finding->created && finding->secret.empty()) {
    return {.problem = fmt::format("{}: {} is empty although the data Secret was created",
                                   config.object().describe(), contract::path::kDataSecretName.str())};
  }
  return *finding;
}

InfraFinding read_infra(const Observation& seen) {
  if (!seen.infra.found()) return {};
  const auto& object = *seen.infra.object;
  auto finding = read(contract::InfraMachinePool(contract::Foreign(object), seen.infra.contract));
  if (!finding) return {.problem = finding.error().message};
  auto claimed = claim(object, *seen.pool);
  if (!claimed) return {.problem = claimed.error().message};
  finding->claim = std::move(*claimed);
  if (finding->replicas.value_or(0) < 0) {
    return {.problem = fmt::format("{}: status.replicas is {}: a number of instances is not negative",
                                   contract::Foreign(object).describe(), *finding->replicas)};
  }
  return *finding;
}

bool says_emptied(const InfraFinding& infra, const api::MachinePool& pool) {
  return infra.ready && infra.problem.empty() && infra.provider_ids.empty() &&
         infra.replicas.value_or(0) == 0 && !pool.spec.provider_id_list.empty();
}

ListFinding list_to_be(const Observation& seen, const InfraFinding& infra) {
  ListFinding list{.ids = seen.pool->spec.provider_id_list};
  if (!seen.infra.found() || seen.infra.object->metadata.deleting()) return list;
  if (!infra.problem.empty() || !infra.ready) return list;
  if (infra.provider_ids.empty() && infra.replicas.value_or(0) != 0) {
    list.problem = fmt::format("{} reports {} replicas and an empty spec.providerIDList: {}",
                               seen.infra.resource.kind, *infra.replicas, "waiting for the list");
    return list;
  }
  list.emptied = says_emptied(infra, *seen.pool);
  if (list.emptied && !seen.emptied_for_sure && !is_off(Safeguard::SecondLook)) {
    list.problem = fmt::format(
        "{} has lost all {} entries of spec.providerIDList at once: no Node is deleted before a second look "
        "has confirmed it",
        seen.infra.resource.kind, list.ids.size());
    return list;
  }
  std::string wrong = wrong_with(infra.provider_ids);
  if (wrong.empty() && !seen.taken.empty()) {
    wrong = fmt::format("names instances of other MachinePools ({}): an instance belongs to one pool",
                        fmt::join(seen.taken, ", "));
  }
  if (!wrong.empty()) {
    list.problem = fmt::format("spec.providerIDList of {} {} {}; the list known before stays",
                               seen.infra.resource.kind, seen.infra.key.name, wrong);
    return list;
  }
  std::vector<Text> ids;
  ids.reserve(infra.provider_ids.size());
  for (const std::string& id : infra.provider_ids) ids.emplace_back(id);
  list.ids = std::move(ids);
  list.believed = true;
  return list;
}

namespace {

Result<std::optional<Claim>> claim(const contract::ContractObject& object, const api::MachinePool& pool) {
  const auto& metadata = object.metadata;
  if (metadata.deleting()) return std::nullopt;  // too late to matter
  auto owned = runtime::with_controller(
      metadata.owner_references,
      runtime::controller_reference(kube::resource_of<api::MachinePool>(), pool.metadata));
  if (!owned) return fail(owned.error().context(contract::Foreign(object).describe()));
  Claim wanted{.owners = std::move(*owned),
               .label = metadata.labels.value_or_empty(api::label::kClusterName) != pool.spec.cluster_name};
  if (wanted.owners == metadata.owner_references && !wanted.label) return std::nullopt;
  return wanted;
}

Result<BootstrapFinding> read(const contract::BootstrapConfig& config) {
  BootstrapFinding finding;
  finding.failures = TRY(config.failures());
  finding.created = TRY(config.data_secret_created());
  if (finding.created) finding.secret = TRY(config.data_secret_name()).value_or("");
  return finding;
}

Result<InfraFinding> read(const contract::InfraMachinePool& infra) {
  InfraFinding finding;
  finding.failures = TRY(infra.failures());
  finding.ready = TRY(infra.ready());
  finding.machine_kind = TRY(infra.infrastructure_machine_kind());
  finding.replicas = TRY(infra.replicas());
  finding.provider_ids = TRY(infra.provider_id_list());
  return finding;
}

// Empty when nothing is.
std::string wrong_with(const std::vector<std::string>& ids) {
  if (ids.size() > kMostInstances) {
    return fmt::format("has {} entries, more than the {} a MachinePool can have", ids.size(), kMostInstances);
  }
  const auto empty = std::ranges::count(ids, std::string());
  if (empty > 0) return fmt::format("has {} empty {}", empty, empty == 1 ? "entry" : "entries");
  std::set<std::string_view> once;
  std::vector<std::string_view> twice;
  for (const std::string& id : ids) {
    if (!once.insert(id).second && twice.size() < kShown) twice.emplace_back(id);
  }
  if (!twice.empty()) return fmt::format("has entries more than once ({})", fmt::join(twice, ", "));
  return {};
}

}  // namespace
}  // namespace capstan::controllers::machinepool
