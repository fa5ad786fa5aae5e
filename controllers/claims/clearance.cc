#include "controllers/claims/clearance.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "api/schema/decode.h"
#include "base/safeguards.h"
#include "base/try.h"
#include "kube/typed.h"
#include "runtime/ownership.h"

namespace capstan::controllers::claims {

struct Clearing {
  static Clearance of(const auto& metadata) { return Clearance(metadata.uid); }
};

namespace {

Result<void> fill_with_claimants(const Server& with, const Instance& instance, const Asking& asking,
                                 Caches& live);
Result<runtime::External> read_live(const Server& with, runtime::ExternalRefs& externals,
                                    const api::ContractRef& ref, std::string_view namespace_);
Result<std::optional<std::string>> earlier_referrer(const Server& with, const kube::Resource& resource,
                                                    const api::ObjectMeta& object, const Referrer& referrer);

}  // namespace

Result<Clearance> Clearance::of_child(const api::ObjectMeta& child, const api::Uid& owner) {
  if (runtime::is_owned_by(child, owner)) return Clearing::of(child);
  return fail(Code::Conflict,
              fmt::format("{} is not owned by the one that would delete it", child.name.view()));
}

Result<Clearance> Clearance::of_child_of_cluster(const api::ObjectMeta& child,
                                                 const api::ObjectMeta& cluster) {
  const auto* owner =
      runtime::find_owner(child.owner_references, api::group::kCluster, api::kind::kCluster, cluster.name);
  if (owner != nullptr) return Clearing::of(child);
  return fail(Code::Conflict,
              fmt::format("{} is not owned by Cluster {}", child.name.view(), cluster.name.view()));
}

Result<Clearance> Clearance::of_unowned(const api::ObjectMeta& object, std::string_view cluster_name,
                                        const api::ObjectMeta& cluster) {
  if (object.owner_references->empty() && cluster.name == cluster_name) return Clearing::of(object);
  return fail(Code::Conflict,
              fmt::format("{} is owned, or not of Cluster {}", object.name.view(), cluster.name.view()));
}

// --- Nodes ---

Result<Answer> clear_node(const Server& with, runtime::ExternalRefs& externals, const Instance& instance,
                          const Asking& asking) {
  assert(instance.node != nullptr && "there is a Node to be cleared");
  if (std::string why = kept_by_unreadable(with.caches, instance, asking); !why.empty())
    return Answer{.why_not = std::move(why)};
  const bool complete = with.caches.machines.synced() && with.caches.machine_pools.synced();
  if (is_off(Safeguard::Claims) || (complete && rivals_on(with.caches, instance, asking).none()))
    return Answer{.clearance = Clearing::of(instance.node->metadata)};
  Caches live;
  TRY(fill_with_claimants(with, instance, asking, live));
  std::optional<Error> trouble;
  const ReadObject read = [&](const api::ContractRef& ref, std::string_view namespace_) {
    auto object = read_live(with, externals, ref, namespace_);
    if (!object && object.error().code != Code::Unavailable) trouble = object.error();
    return object;
  };
  const auto claims = claims_on(live, read, instance, asking);
  const api::Uid mine =
      asking.pool != nullptr ? asking.pool->metadata.uid : claimant_of(live, *asking.machine);
  Verdict verdict = whose_instance(instance.provider_id, claims, mine);
  if (verdict.ours()) return Answer{.clearance = Clearing::of(instance.node->metadata)};
  if (verdict.whose == Verdict::Whose::Unknown && trouble) return fail(*trouble);
  return Answer{.why_not = std::move(verdict.why)};
}

namespace {

template <typename T>
Result<void> apply_live(const Server& with, const std::vector<Snapshot<T>>& known, runtime::Store<T>& live) {
  for (const auto& each : known) {
    auto now = kube::get<T>(with.client, runtime::key_of(*each), with.deadline);
    if (now) {
      live.apply(std::move(*now));
    } else if (now.error().code != Code::NotFound) {
      return fail(now.error());
    }
  }
  return {};
}

template <typename T>
Result<void> list_live(const Server& with, const std::string& namespace_, runtime::Store<T>& live) {
  auto listed = kube::list<T>(with.client, {.namespace_ = namespace_}, with.deadline);
  // A kind that is not installed has no objects.
  if (!listed && listed.error().code == Code::NotFound) return {};
  if (!listed) return fail(listed.error());
  for (T& each : listed->items) live.apply(std::move(each));
  return {};
}

// The rivals that the caches show are read one by one; what a cache does not show for sure is listed.
Result<void> fill_with_claimants(const Server& with, const Instance& instance, const Asking& asking,
                                 Caches& live) {
  const Caches& caches = with.caches;
  const Claimants rivals = rivals_on(caches, instance, asking);
  if (const auto cluster = caches.clusters.get(instance.cluster)) live.clusters.apply(*cluster);
  // Whose pool a Machine belongs to is no matter of the rivals.
  const auto own = [&](const api::Machine& machine) -> Snapshot<api::MachinePool> {
    const api::Uid claimant = claimant_of(caches, machine);
    if (claimant == machine.metadata.uid) return nullptr;
    const auto* controller = machine.metadata.controller();
    const std::string_view name = controller != nullptr
                                      ? controller->name.view()
                                      : machine.metadata.labels.value_or_empty(api::label::kPoolName);
    return caches.machine_pools.get(
        {.namespace_ = machine.metadata.namespace_.str(), .name = std::string(name)});
  };
  std::vector<Snapshot<api::MachinePool>> pools = rivals.pools;
  for (const auto& machine : rivals.machines) {
    if (auto pool = own(*machine)) pools.push_back(std::move(pool));
  }
  if (asking.machine != nullptr) {
    if (const auto pool = own(*asking.machine)) live.machine_pools.apply(*pool);
  }
  TRY(caches.machines.synced() ? apply_live(with, rivals.machines, live.machines)
                               : list_live(with, instance.cluster.namespace_, live.machines));
  TRY(caches.machine_pools.synced() ? apply_live(with, pools, live.machine_pools)
                                    : list_live(with, instance.cluster.namespace_, live.machine_pools));
  return {};
}

Result<runtime::External> read_live(const Server& with, runtime::ExternalRefs& externals,
                                    const api::ContractRef& ref, std::string_view namespace_) {
  runtime::External external = TRY(externals.resolve(ref.api_group, ref.kind));
  external.key = {.namespace_ = std::string(namespace_), .name = ref.name.str()};
  auto now = with.client.get(external.resource, external.key, with.deadline);
  if (!now && now.error().code == Code::NotFound) return external;
  if (!now) return fail(now.error());
  external.object = std::make_shared<const api::contract::ContractObject>(
      TRY(api::from_json<api::contract::ContractObject>(*now)));
  return external;
}

}  // namespace

// --- objects of providers ---

Result<Clearance> clear_referred(const Server& with, const kube::Resource& resource,
                                 const api::ObjectMeta& object, const Referrer& referrer) {
  if (is_off(Safeguard::Claims)) return Clearing::of(object);
  const auto refused = [&](const std::string& by) {
    return fail(Code::Conflict,
                fmt::format("{} {} is {}'s: it is not deleted with {} {}", resource.kind, object.name.view(),
                            by, referrer.kind, referrer.metadata.name.view()));
  };
  if (const auto* controller = object.controller()) {
    if (controller->uid == referrer.metadata.uid) return Clearing::of(object);
    constexpr std::array kReferrers = {api::kind::kCluster, api::kind::kMachine, api::kind::kMachinePool};
    // Others control an object only until its own controller takes it over, or are asked about by the caller.
    const bool has_it = controller->group() == api::group::kCluster &&
                        std::ranges::find(kReferrers, controller->kind.view()) != kReferrers.end() &&
                        !(controller->kind == referrer.kind && controller->name == referrer.metadata.name);
    if (has_it) return refused(fmt::format("{} {}", controller->kind.view(), controller->name.view()));
  }
  if (const auto other = TRY(earlier_referrer(with, resource, object, referrer))) return refused(*other);
  return Clearing::of(object);
}

namespace {

// The place among its owners; one that is none comes behind all.
std::size_t place_of(const api::ObjectMeta& object, std::string_view kind, const api::ObjectMeta& owner) {
  const auto& owners = *object.owner_references;
  const auto at = std::ranges::find_if(owners, [&](const api::OwnerReference& each) {
    return each.uid == owner.uid ||
           (each.kind == kind && each.name == owner.name && each.group() == api::group::kCluster);
  });
  return static_cast<std::size_t>(at - owners.begin());
}

struct Question {
  const Server& with;
  const api::ObjectMeta& object;
  const Referrer& referrer;
};

template <typename T>
Result<std::optional<std::string>> earlier_of(const Question& about, std::string_view kind,
                                              const std::vector<Snapshot<T>>& referrers) {
  const std::size_t mine = place_of(about.object, about.referrer.kind, about.referrer.metadata);
  const bool owned = mine < about.object.owner_references->size();
  for (const auto& each : referrers) {
    if (each->metadata.uid == about.referrer.metadata.uid) continue;
    // Without any owner among them it is not known whose it is, and nothing is deleted on a guess.
    if (owned && place_of(about.object, kind, each->metadata) > mine) continue;
    const auto now = kube::get<T>(about.with.client, runtime::key_of(*each), about.with.deadline);
    if (!now && now.error().code == Code::NotFound) continue;
    if (!now) return fail(now.error());
    if (now->metadata.uid == each->metadata.uid)
      return std::optional(fmt::format("{} {}", kind, each->metadata.name.view()));
  }
  return std::optional<std::string>();
}

Result<std::optional<std::string>> earlier_referrer(const Server& with, const kube::Resource& resource,
                                                    const api::ObjectMeta& object, const Referrer& referrer) {
  const ReferredObject referred{
      .group = resource.group, .kind = resource.kind, .namespace_ = object.namespace_, .name = object.name};
  const Question about{.with = with, .object = object, .referrer = referrer};
  const Caches& caches = with.caches;
  if (auto found = TRY(earlier_of(about, api::kind::kCluster, caches.clusters_referring_to(referred))))
    return found;
  if (auto found = TRY(earlier_of(about, api::kind::kMachine, caches.machines_referring_to(referred))))
    return found;
  return earlier_of(about, api::kind::kMachinePool, caches.machine_pools_referring_to(referred));
}

}  // namespace
}  // namespace capstan::controllers::claims
