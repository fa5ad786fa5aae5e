#include "controllers/machinepool/providers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json.hpp>
#include <unordered_set>

#include "api/contract/bootstrap_config.h"
#include "api/contract/infra_machine_pool.h"
#include "base/safeguards.h"
#include "base/try.h"
#include "controllers/machinepool/observation.h"
#include "kube/kinds.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machinepool {
namespace {

namespace contract = api::contract;

constexpr std::size_t kLongestId = 512;  // of an entry of spec.providerIDList
constexpr std::size_t kShown = 3;
constexpr std::size_t kShownOfId = 40;

Result<std::optional<ProviderClaim>> claim(const ExternalSeen& external, const api::MachinePool& pool);
Result<BootstrapFinding> read(const contract::BootstrapConfig& config);
Result<InfraFinding> read(const contract::InfraMachinePool& infra);
std::string wrong_with(const api::List<Text>& ids);

// By a user; a number that comes from outside may be the provider's mistake.
bool is_scaled_to_none(const api::MachinePool& pool) {
  return pool.spec.replicas == 0 && !pool.metadata.annotations.contains(api::annotation::kReplicasManagedBy);
}

}  // namespace

BootstrapFinding read_bootstrap(const ExternalSeen& bootstrap, const api::MachinePool& pool) {
  if (!bootstrap.found()) return {};
  const auto& object = *bootstrap.object;
  const contract::BootstrapConfig config(contract::Foreign(object), bootstrap.contract);
  auto finding = read(config);
  if (!finding) return {.problem = finding.error().message};
  auto claimed = claim(bootstrap, pool);
  if (!claimed) return {.problem = claimed.error().message};
  finding->claim = std::move(*claimed);
  if (finding->created && finding->secret.empty()) {
    return {.problem = fmt::format("{}: {} is empty although the data Secret was created",
                                   config.object().describe(), contract::path::kDataSecretName.str())};
  }
  return *finding;
}

InfraFinding read_infra(const ExternalSeen& infra, const api::MachinePool& pool) {
  if (!infra.found()) return {};
  const auto& object = *infra.object;
  auto finding = read(contract::InfraMachinePool(contract::Foreign(object), infra.contract));
  if (!finding) return {.problem = finding.error().message};
  auto claimed = claim(infra, pool);
  if (!claimed) return {.problem = claimed.error().message};
  finding->claim = std::move(*claimed);
  const std::int32_t replicas = finding->replicas.value_or(0);
  if (replicas < 0 || static_cast<std::size_t>(replicas) > kMostInstances) {
    return {.problem = fmt::format("{}: status.replicas is {}: its provider has to report 0 to {} instances",
                                   contract::Foreign(object).describe(), replicas, kMostInstances)};
  }
  finding->wrong_ids = wrong_with(finding->provider_ids);
  return *finding;
}

bool says_emptied(const InfraFinding& infra, const api::MachinePool& pool) {
  return !is_scaled_to_none(pool) && infra.ready && infra.problem.empty() && infra.provider_ids.empty() &&
         infra.replicas.value_or(0) == 0 && !pool.spec.provider_id_list.empty();
}

bool is_whole(const InfraFinding& infra, const api::MachinePool& pool) {
  const std::unordered_set<std::string_view> named(infra.provider_ids.begin(), infra.provider_ids.end());
  return std::ranges::all_of(pool.spec.provider_id_list,
                             [&](const Text& id) { return named.contains(id.view()); });
}

std::vector<Text> named_late(const InfraFinding& infra, const api::MachinePool& pool) {
  if (!infra.problem.empty() || !infra.wrong_ids.empty()) return {};
  const auto& known = pool.spec.provider_id_list;
  const std::unordered_set<std::string_view> before(known.begin(), known.end());
  std::vector<Text> late;
  for (const Text& id : infra.provider_ids) {
    if (!before.contains(id.view())) late.push_back(id);
  }
  late.resize(std::min(late.size(), kMostInstances - std::min(kMostInstances, known.size())));
  return late;
}

ListFinding list_to_be(const Observation& seen) {
  const InfraFinding& infra = seen.infra_says;
  ListFinding list{.ids = seen.pool->spec.provider_id_list};
  if (seen.deleting()) {
    for (const Text& id : seen.late) list.ids.push_back(id);
    return list;
  }
  list.problem = fmt::format("{}", fmt::join(seen.anothers, "; "));
  if (!seen.infra.found() || seen.infra.object->metadata.deleting()) return list;
  if (!infra.problem.empty() || !infra.ready || !list.problem.empty()) return list;
  if (infra.provider_ids.empty() && infra.replicas.value_or(0) != 0) {
    list.problem = fmt::format(
        "{} reports {} replicas and an empty spec.providerIDList: waiting for its provider to name them",
        seen.infra.resource.kind, *infra.replicas);
    return list;
  }
  list.doubted = seen.comes_back || (says_emptied(infra, *seen.pool) && !seen.emptied_for_sure);
  if (list.doubted && !is_off(Safeguard::SecondLook)) {
    list.problem = fmt::format(
        "{} has lost all {} entries of spec.providerIDList at once{}: no Node is deleted before a second "
        "look after {} s has confirmed it; if its instances still run, put the list back",
        seen.infra.resource.kind, list.ids.size(), seen.comes_back ? " and only some are back" : "",
        kSecondLook.count());
    return list;
  }
  std::string wrong = infra.wrong_ids;
  if (wrong.empty() && !seen.taken.empty()) {
    wrong = fmt::format(
        "names instances of other MachinePools ({}): an instance belongs to one pool, take it out of one of "
        "them",
        fmt::join(seen.taken, ", "));
  }
  if (!wrong.empty()) {
    list.problem = fmt::format("spec.providerIDList of {} {} {}; the list known before stays",
                               seen.infra.resource.kind, seen.infra.key.name, wrong);
    return list;
  }
  list.ids = infra.provider_ids;
  list.believed = true;
  return list;
}

namespace {

Result<std::optional<ProviderClaim>> claim(const ExternalSeen& external, const api::MachinePool& pool) {
  const auto& object = *external.object;
  const auto& metadata = object.metadata;
  if (metadata.deleting()) return std::nullopt;  // too late to matter
  if (!external.right_of.empty()) {
    return fail(
        Code::Conflict,
        fmt::format("{}: has no controller, and MachinePool {} names it with the better right: let this "
                    "MachinePool name an object of its own",
                    contract::Foreign(object).describe(), external.right_of));
  }
  auto owned = runtime::with_controller(
      metadata.owner_references,
      runtime::controller_reference(kube::resource_of<api::MachinePool>(), pool.metadata));
  if (!owned) {
    return fail(owned.error().code, fmt::format("{}: {}: let this MachinePool name an object of its own",
                                                contract::Foreign(object).describe(), owned.error().message));
  }
  ProviderClaim wanted{
      .from = metadata.owner_references,
      .owners = std::move(*owned),
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
  const auto ids = TRY(infra.provider_id_list());
  finding.provider_ids = api::List<Text>(ids.begin(), ids.end());
  return finding;
}

// Empty when nothing is.
std::string wrong_with(const api::List<Text>& ids) {
  if (ids.size() > kMostInstances) {
    return fmt::format("has {} entries, more than the {} a MachinePool can have: split it into several pools",
                       ids.size(), kMostInstances);
  }
  const auto empty = std::ranges::count_if(ids, [](const Text& id) { return id.empty(); });
  if (empty > 0) {
    return fmt::format("has {} empty {}: its provider has to name every instance or leave it out", empty,
                       empty == 1 ? "entry" : "entries");
  }
  std::unordered_set<Text> once;
  once.reserve(ids.size());
  std::vector<std::string_view> twice;
  for (const Text& id : ids) {
    if (id.size() > kLongestId) {
      return fmt::format("has an entry of {} characters, {} are allowed: {}...", id.size(), kLongestId,
                         id.view().substr(0, kShownOfId));
    }
    if (!once.insert(id).second && twice.size() < kShown) twice.emplace_back(id);
  }
  if (twice.empty()) return {};
  return fmt::format("has entries more than once ({}): its provider has to name every instance once",
                     fmt::join(twice, ", "));
}

}  // namespace
}  // namespace capstan::controllers::machinepool
