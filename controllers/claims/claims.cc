#include "controllers/claims/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "api/contract/infra_machine.h"
#include "api/contract/infra_machine_pool.h"
#include "base/safeguards.h"
#include "runtime/ownership.h"

namespace capstan::controllers::claims {
namespace {

using Contenders = std::vector<const Claim*>;
using Whose = Verdict::Whose;

constexpr std::size_t kShown = 3;

struct Ruling {
  const Claim* winner = nullptr;
  bool unknown = false;  // without a winner: it depends on what can't be read
};
Ruling ruling(const Contenders& contenders);
std::string shown(const Contenders& claims);
std::string field_of(const Claim& claim);

}  // namespace

Verdict whose_instance(std::string_view provider_id, const std::vector<Claim>& claims, const api::Uid& mine) {
  if (is_off(Safeguard::Claims)) return {};
  const auto me = std::ranges::find(claims, mine, &Claim::uid);
  assert(me != claims.end() && "the asking one is a claimant");
  Contenders contenders;
  Contenders others;
  for (const Claim& claim : claims) {
    if (claim.source == Source::Foreign) continue;
    contenders.push_back(&claim);
    if (&claim != &*me) others.push_back(&claim);
  }
  const Ruling found = ruling(contenders);
  if (found.winner == &*me) return {};
  if (found.winner != nullptr) {
    return {.whose = Whose::Anothers,
            .why = fmt::format("{} names the instance of {} {}, which keeps the Node: correct {}, or delete "
                               "this {}; the Node stays",
                               field_of(*me), found.winner->kind, found.winner->name.view(), field_of(*me),
                               me->kind)};
  }
  if (me->source == Source::Foreign) {
    return {.whose = Whose::Anothers,
            .why = fmt::format("this {} does not control the infrastructure object that names {}: give it "
                               "one of its own, or delete it; the Node stays",
                               me->kind, provider_id)};
  }
  const std::string with = shown(others);
  if (found.unknown) {
    return {.whose = Whose::Unknown,
            .why = fmt::format("{} is claimed by {}, too; whose it is can't be told before their "
                               "infrastructure objects can be read",
                               provider_id, with)};
  }
  return {.whose = Whose::Contested,
          .why = fmt::format("{} is claimed by {}, too, with equal right: nothing touches the Node until {} "
                             "is corrected in all but one of them, or they are deleted",
                             provider_id, with, field_of(*me))};
}

namespace {

template <typename Keeps>
Contenders filtered(const Contenders& claims, Keeps keeps) {
  Contenders kept;
  std::ranges::copy_if(claims, std::back_inserter(kept), keeps);
  return kept;
}

bool is_controlled(const Claim* claim) { return claim->source == Source::Controlled; }
bool is_living(const Claim* claim) { return claim->source != Source::Gone; }

Ruling ruling(const Contenders& contenders) {
  const auto holders = filtered(contenders, [](const Claim* claim) { return claim->has_node_ref; });
  const bool controlled = std::ranges::any_of(contenders, is_controlled);
  if (holders.size() == 1 && (is_living(holders.front()) || !controlled)) return {.winner = holders.front()};
  Contenders left = holders.size() > 1 ? holders : contenders;
  if (std::ranges::any_of(left, is_living)) left = filtered(left, is_living);
  if (left.size() == 1) return {.winner = left.front()};
  if (std::ranges::any_of(left, [](const Claim* claim) { return claim->source == Source::Unknown; }))
    return {.unknown = true};
  const auto controllers = filtered(left, is_controlled);
  return {.winner = controllers.size() == 1 ? controllers.front() : nullptr};
}

std::string shown(const Contenders& claims) {
  std::string text;
  for (std::size_t i = 0; i < std::min(claims.size(), kShown); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", claims[i]->kind, claims[i]->name.view());
  }
  if (claims.size() > kShown) text += fmt::format(" and {} more", claims.size() - kShown);
  return text;
}

std::string field_of(const Claim& claim) {
  return claim.kind == api::kind::kMachinePool ? "spec.providerIDList" : "spec.providerID";
}

// --- what the caches say ---

// Another instance has come under the Node's name, or the Machine is of one that had it before.
bool is_of_another_instance(const api::Machine& machine, const Instance& instance) {
  const auto& id = machine.spec.provider_id;
  return !id.empty() && !instance.provider_id.empty() && id != instance.provider_id;
}

// A Machine that has had its Node keeps it while the Node can't be seen.
bool names_node(const api::Machine& machine, const Instance& instance) {
  const auto& ref = machine.status.node_ref;
  if (!ref || is_of_another_instance(machine, instance)) return false;
  if (instance.node == nullptr) return !machine.spec.provider_id.empty();
  return ref->name == instance.node->metadata.name;
}

bool names_node(const api::MachinePool& pool, const Instance& instance) {
  if (instance.node == nullptr) return false;
  return std::ranges::any_of(pool.status.node_refs,
                             [&](const auto& ref) { return ref.uid == instance.node->metadata.uid; });
}

bool lists(const api::MachinePool& pool, std::string_view provider_id) {
  return std::ranges::any_of(pool.spec.provider_id_list, [&](const Text& id) { return id == provider_id; });
}

// Some controllers only look after an object until its Machine takes it over.
bool gives_way(const api::OwnerReference& controller, const api::Cluster* cluster) {
  if (controller.kind == api::kind::kMachineSet && controller.group() == api::group::kCluster) return true;
  if (cluster == nullptr || !cluster->spec.control_plane_ref) return false;
  const auto& control_plane = *cluster->spec.control_plane_ref;
  return controller.kind == control_plane.kind && controller.group() == control_plane.api_group;
}

struct Owner {
  std::string_view kind;
  const api::ObjectMeta& metadata;
};

enum class Control { None, Owner, Another };
Control control_of(const api::ObjectMeta& object, const Owner& owner, const api::Cluster* cluster) {
  const auto* controller = object.controller();
  if (controller == nullptr || gives_way(*controller, cluster)) return Control::None;
  if (controller->uid == owner.metadata.uid) return Control::Owner;
  if (is_off(Safeguard::CopiedProviderId)) return Control::None;
  // Of one that had the name before: it is taken over.
  const bool namesake = controller->kind == owner.kind && controller->name == owner.metadata.name &&
                        controller->group() == api::group::kCluster;
  return namesake ? Control::None : Control::Another;
}

bool names_instance(const api::Machine&, const runtime::External& infra, std::string_view provider_id) {
  const api::contract::InfraMachine view(api::contract::Foreign(*infra.object), infra.contract);
  const auto id = view.provider_id();
  return id && *id && **id == provider_id;
}

bool names_instance(const api::MachinePool&, const runtime::External& infra, std::string_view provider_id) {
  const api::contract::InfraMachinePool view(api::contract::Foreign(*infra.object), infra.contract);
  const auto ids = view.provider_id_list();
  return ids && std::ranges::find(*ids, provider_id) != ids->end();
}

Owner owner_of(const api::Machine& machine) { return {api::kind::kMachine, machine.metadata}; }
Owner owner_of(const api::MachinePool& pool) { return {api::kind::kMachinePool, pool.metadata}; }

const api::ContractRef& infrastructure_of(const api::Machine& machine) {
  return machine.spec.infrastructure_ref;
}
const api::ContractRef& infrastructure_of(const api::MachinePool& pool) {
  return pool.spec.machine_template.spec.infrastructure_ref;
}

// Its own turn tells of a Machine what the infrastructure says; of a pool, that it says it no longer.
Source source_otherwise(const api::Machine&, std::string_view) { return Source::Silent; }
Source source_otherwise(const api::MachinePool& pool, std::string_view provider_id) {
  return lists(pool, provider_id) ? Source::Silent : Source::Gone;
}

// The better of two: what one of a pool's Machines says counts for the pool.
Source better(Source left, Source right) { return std::min(left, right); }

Snapshot<api::MachinePool> pool_named(const Caches& caches, std::string_view namespace_,
                                      std::string_view name) {
  return caches.machine_pools.get({.namespace_ = std::string(namespace_), .name = std::string(name)});
}

// Of Machines that a pool has made but does not control yet the label tells.
Snapshot<api::MachinePool> pool_of(const Caches& caches, const api::Machine& machine) {
  const auto& metadata = machine.metadata;
  const auto* controller = metadata.controller();
  if (controller == nullptr) {
    const Text* label = metadata.labels.find(api::label::kPoolName);
    return label == nullptr ? nullptr : pool_named(caches, metadata.namespace_, *label);
  }
  if (controller->kind != api::kind::kMachinePool || controller->group() != api::group::kCluster)
    return nullptr;
  auto pool = pool_named(caches, metadata.namespace_, controller->name);
  return pool && pool->metadata.uid == controller->uid ? pool : nullptr;
}

class Collector {
 public:
  Collector(const Caches& caches, const ReadObject& read, const Instance& instance)
      : caches_(caches), read_(read), instance_(instance), cluster_(caches.clusters.get(instance.cluster)) {}

  void add(const api::Machine& machine) {
    const auto pool = pool_of(caches_, machine);
    Claim& claim = pool ? claim_of(owner_of(*pool)) : claim_of(owner_of(machine));
    claim.has_node_ref = claim.has_node_ref || names_node(machine, instance_);
    claim.source = better(claim.source, source_of(machine));
  }
  void add(const api::MachinePool& pool) {
    Claim& claim = claim_of(owner_of(pool));
    claim.has_node_ref = claim.has_node_ref || names_node(pool, instance_);
    claim.source = better(claim.source, source_of(pool));
  }

  std::vector<Claim> take() { return std::move(claims_); }

 private:
  Claim& claim_of(const Owner& owner) {
    const auto known = std::ranges::find(claims_, owner.metadata.uid, &Claim::uid);
    if (known != claims_.end()) return *known;
    return claims_.emplace_back(Claim{.kind = owner.kind,
                                      .name = owner.metadata.name,
                                      .uid = owner.metadata.uid,
                                      .source = Source::Foreign});
  }

  template <typename T>
  Source source_of(const T& claimant) const {
    const auto infra = read_(infrastructure_of(claimant), claimant.metadata.namespace_);
    if (!infra) return Source::Unknown;
    if (!infra->object) return infra->unreadable.empty() ? Source::Gone : Source::Unknown;
    switch (control_of(infra->object->metadata, owner_of(claimant), cluster_.get())) {
      case Control::Another: return Source::Foreign;
      case Control::None: break;
      case Control::Owner:
        if (names_instance(claimant, *infra, instance_.provider_id)) return Source::Controlled;
        return source_otherwise(claimant, instance_.provider_id);
    }
    return Source::Silent;
  }

  const Caches& caches_;
  const ReadObject& read_;
  const Instance& instance_;
  const Snapshot<api::Cluster> cluster_;
  std::vector<Claim> claims_ = {};
};

api::Uid uid_of(const Caches& caches, const Asking& asking) {
  return asking.pool != nullptr ? asking.pool->metadata.uid : claimant_of(caches, *asking.machine);
}

// Namely those that `is_meant`, which is asked first: to look through the nodeRefs of a pool takes longer.
template <typename IsMeant>
Claimants claimants_on(const Caches& caches, const Instance& instance, const IsMeant& is_meant) {
  Claimants found;
  const auto add = [&](auto& list, auto&& more, bool by_node) {
    for (auto& each : more) {
      if (!is_meant(*each) || (by_node && !names_node(*each, instance))) continue;
      if (std::ranges::find(list, each) == list.end()) list.push_back(std::move(each));
    }
  };
  const auto& [cluster, id, node] = instance;
  if (!id.empty()) {
    add(found.machines, caches.machines_with_provider_id(cluster, id), false);
    add(found.pools, caches.machine_pools_with_provider_id(cluster, id), false);
  }
  if (node != nullptr) {
    add(found.machines, caches.machines_on_node(cluster, node->metadata.name), true);
    add(found.pools, caches.machine_pools_on_node(cluster, node->metadata.name), true);
  }
  return found;
}

// A providerID of such a Machine came with its manifest.
bool never_had_instance(const Asking& asking) {
  if (asking.machine == nullptr) return false;
  const auto& status = asking.machine->status;
  return !status.initialization.infrastructure_provisioned.value_or(false) && !status.node_ref;
}

struct IsRival {
  const Caches& caches;
  const Asking& asking;
  const api::Uid mine;

  bool operator()(const api::Machine& machine) const {
    if (asking.machine != nullptr && machine.metadata.uid == asking.machine->metadata.uid) return false;
    return claimant_of(caches, machine) != mine;
  }
  bool operator()(const api::MachinePool& pool) const { return pool.metadata.uid != mine; }
};

}  // namespace

api::Uid claimant_of(const Caches& caches, const api::Machine& machine) {
  const auto pool = pool_of(caches, machine);
  return pool ? pool->metadata.uid : machine.metadata.uid;
}

Claimants rivals_on(const Caches& caches, const Instance& instance, const Asking& asking) {
  return claimants_on(caches, instance,
                      IsRival{.caches = caches, .asking = asking, .mine = uid_of(caches, asking)});
}

std::string kept_by_unreadable(const Caches& caches, const Instance& instance, const Asking& asking) {
  if (instance.node == nullptr || is_off(Safeguard::UnreadableCounts)) return {};
  const auto& said = instance.node->metadata.annotations;
  const Text* name = said.find(api::annotation::kMachine);
  if (name == nullptr || (asking.machine != nullptr && asking.machine->metadata.name == *name)) return {};
  const ObjectKey key{.namespace_ = instance.cluster.namespace_, .name = name->str()};
  const auto unreadable = caches.machines.unreadable(key);
  if (!unreadable || caches.machines.get(key)) return {};
  return fmt::format("Node {} says that it is Machine {}'s, which can't be read: {}; the Node stays",
                     instance.node->metadata.name.view(), name->view(), unreadable->problem);
}

std::vector<Claim> claims_on(const Caches& caches, const ReadObject& read, const Instance& instance,
                             const Asking& asking) {
  Collector all(caches, read, instance);
  if (asking.pool != nullptr) all.add(*asking.pool);
  if (asking.machine != nullptr) {
    all.add(*asking.machine);
    if (const auto pool = pool_of(caches, *asking.machine)) all.add(*pool);
  }
  const Claimants found = claimants_on(caches, instance, [](const auto&) { return true; });
  for (const auto& machine : found.machines) all.add(*machine);
  for (const auto& pool : found.pools) all.add(*pool);
  return all.take();
}

Verdict whose(const Caches& caches, runtime::ExternalRefs& externals, const Instance& instance,
              const Asking& asking, const api::contract::ContractObject* infra) {
  const Owner owner = asking.pool != nullptr ? owner_of(*asking.pool) : owner_of(*asking.machine);
  const bool refused =
      infra != nullptr && !runtime::is_controlled_by(infra->metadata, owner.metadata.uid) &&
      control_of(infra->metadata, owner, caches.clusters.get(instance.cluster).get()) == Control::Another;
  if (infra == nullptr && never_had_instance(asking) && !is_off(Safeguard::CopiedProviderId)) {
    return {.whose = Whose::Anothers,
            .why = fmt::format("no infrastructure object says that {} is this Machine's: create the one that "
                               "spec.infrastructureRef names, or correct spec.providerID; the Node stays",
                               instance.provider_id)};
  }
  if (!refused && rivals_on(caches, instance, asking).none()) {
    std::string why = kept_by_unreadable(caches, instance, asking);
    return why.empty() ? Verdict() : Verdict{.whose = Whose::Anothers, .why = std::move(why)};
  }
  bool lists = false;
  const ReadObject read = [&](const api::ContractRef& ref, std::string_view namespace_) {
    auto found = externals.get(ref, namespace_);
    lists = lists || (!found && found.error().retry_after);
    return found;
  };
  Verdict verdict =
      whose_instance(instance.provider_id, claims_on(caches, read, instance, asking), uid_of(caches, asking));
  verdict.listed_soon = lists && verdict.whose == Whose::Unknown;
  return verdict;
}

}  // namespace capstan::controllers::claims
