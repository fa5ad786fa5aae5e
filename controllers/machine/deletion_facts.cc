#include "controllers/machine/deletion_facts.h"

#include <algorithm>

#include "api/contract/control_plane.h"
#include "base/safeguards.h"
#include "base/try.h"
#include "controllers/drain/cordon.h"
#include "controllers/machine/decide.h"
#include "controllers/machine/observe.h"
#include "controllers/safety/deleted_for.h"
#include "controllers/shared/contact.h"
#include "controllers/shared/external_lookup.h"
#include "kube/typed.h"

namespace capstan::controllers::machine {
namespace {

std::string drain_held(const ObserveContext& with, const api::Machine& machine);
Known known_of(const ExternalSeen& external, const api::ContractRef& ref);
std::string not_its_own(const Observation& seen, const ExternalSeen& external);
Known no_object_of(const api::ContractRef& ref);
bool is_owned(const ExternalSeen& external, const api::Machine& machine);
Known unowned(Known known, const ExternalSeen& external, const api::Machine& machine);
Known cluster_known(const Caches& caches, const Observation& seen);
void see_control_plane(const ObserveContext& with, const Observation& seen, DeletionSeen& all);
void see_node(const ObserveContext& with, const Observation& seen, DeletionFacts& facts);

}  // namespace

DeletionSeen deletion_facts(const ObserveContext& with, const Observation& seen, const Plan& plan) {
  const api::Machine& machine = *seen.machine;
  DeletionSeen all;
  DeletionFacts& facts = all.facts;
  facts.now = seen.now;
  facts.fresh = seen.fresh;
  facts.machine = &machine;
  if (machine.status.deletion) facts.marks = *machine.status.deletion;
  facts.choices =
      drain::drain_choices(machine.metadata, seen.governed_by ? &seen.governed_by->spec : nullptr);
  const auto contact = contact_of(seen.node.reach);
  if (contact.holds()) facts.reached_since = contact.since;
  facts.drain_held = drain_held(with, machine);
  facts.cluster = seen.cluster.get();
  facts.cluster_known = cluster_known(with.deps.caches, seen);
  see_control_plane(with, seen, all);
  if (plan.wanted.status.node_ref) facts.node = plan.wanted.status.node_ref->name.str();
  if (seen.node.lookup == NodeSeen::Lookup::Many) facts.node_problem = duplicate_nodes(seen);
  see_node(with, seen, facts);
  facts.not_its_own = not_its_own(seen, seen.infra);
  facts.infrastructure = facts.not_its_own.empty() ? known_of(seen.infra, machine.spec.infrastructure_ref)
                                                   : no_object_of(machine.spec.infrastructure_ref);
  all.objects.infrastructure = seen.infra.external();
  if (const auto& config = machine.spec.bootstrap.config_ref) {
    facts.bootstrap =
        not_its_own(seen, seen.bootstrap).empty() ? known_of(seen.bootstrap, *config) : no_object_of(*config);
    all.objects.bootstrap = seen.bootstrap.external();
    // Nothing but the data hangs on it, and the garbage collector comes after us: the cache is proof enough.
    if (seen.fresh && facts.bootstrap.state == Known::State::Missing)
      facts.bootstrap.state = Known::State::Gone;
  }
  for (Known* known : {&facts.infrastructure, &facts.bootstrap}) {
    const ExternalSeen& external = known == &facts.infrastructure ? seen.infra : seen.bootstrap;
    const bool only_live = !known->is_gone() && external.found() && external.live;
    if (only_live && !is_owned(external, machine)) *known = unowned(*known, external, machine);
  }
  return all;
}

Result<void> look_at_unreadable(const ObserveContext& with, LiveLooks& live_looks, Observation& seen) {
  const api::Machine& machine = *seen.machine;
  for (ExternalSeen* external : {&seen.infra, &seen.bootstrap}) {
    if (external->state != ExternalSeen::State::Unreadable) continue;
    const auto& ref =
        external == &seen.infra ? machine.spec.infrastructure_ref : *machine.spec.bootstrap.config_ref;
    auto live = TRY(live_looks.look(with.deps.client, kube::key_of(machine), ref, with.context.deadline));
    external->live = live.state != LiveObject::State::Undefined;
    external->resource = std::move(live.resource);
    switch (live.state) {
      case LiveObject::State::Undefined: external->state = ExternalSeen::State::Undefined; break;
      case LiveObject::State::Gone: external->state = ExternalSeen::State::Missing; break;
      case LiveObject::State::Present:
        external->state = ExternalSeen::State::Found;
        external->object = std::make_shared<const api::contract::ContractObject>(
            api::contract::ContractObject{.metadata = std::move(live.metadata)});
        break;
    }
  }
  return {};
}

namespace {

// What a user deletes is obeyed, brakes or not.
std::string drain_held(const ObserveContext& with, const api::Machine& machine) {
  if (!safety::is_deleted_by_a_controller(with.deps.caches, machine)) return {};
  const auto key = kube::key_of(machine);
  return with.deps.brake.ask(runtime::Intent::Evict, {.kind = api::kind::kMachine, .key = key}).why;
}

bool is_owned(const ExternalSeen& external, const api::Machine& machine) {
  return is_off(Safeguard::UnreadableOwner) ||
         std::ranges::any_of(*external.object->metadata.owner_references,
                             [&](const auto& owner) { return owner.uid == machine.metadata.uid; });
}

// A user deletes what no cache shows and nothing owns. As long as nothing came of it, the Machine does not
// wait for it.
Known unowned(Known known, const ExternalSeen& external, const api::Machine& machine) {
  const bool used = !machine.spec.provider_id.empty() || machine.status.node_ref.has_value();
  known.state = used ? Known::State::Unknown : Known::State::None;
  known.problem += "; this Machine does not own " + known.kind + " " + external.key.name +
                   ": delete that object, or make the Machine its owner";
  return known;
}

Known known_of(const ExternalSeen& external, const api::ContractRef& ref) {
  using Seen = ExternalSeen::State;
  Known known{.kind = ref.kind.str(), .group = ref.api_group.str(), .problem = external.problem};
  switch (external.state) {
    case Seen::Unused: known.state = Known::State::None; break;
    case Seen::CacheBehind:
    case Seen::Unreadable: known.state = Known::State::Unknown; break;
    case Seen::Undefined: known.state = Known::State::Undefined; break;
    case Seen::Missing: known.state = external.live ? Known::State::Gone : Known::State::Missing; break;
    case Seen::Found:
      known.state = external.object->metadata.deleting() ? Known::State::Deleting : Known::State::Present;
      break;
  }
  return known;
}

// What another object controls is not ours to delete: to this deletion there is no such object.
std::string not_its_own(const Observation& seen, const ExternalSeen& external) {
  if (!external.found()) return {};
  const auto claimed = claim(external, seen);
  return claimed ? std::string() : claimed.error().message;
}

Known no_object_of(const api::ContractRef& ref) { return {.kind = ref.kind.str()}; }

Known cluster_known(const Caches& caches, const Observation& seen) {
  Known known{.state = Known::State::Present, .kind = std::string(api::kind::kCluster)};
  if (seen.cluster) return known;
  known.state = caches.clusters.synced() ? Known::State::Missing : Known::State::Unknown;
  if (!caches.clusters.synced()) known.problem = "the cache of Cluster is not complete yet";
  return known;
}

void see_control_plane(const ObserveContext& with, const Observation& seen, DeletionSeen& all) {
  if (!seen.cluster) return;
  auto& facts = all.facts.control_plane;
  const auto machines = with.deps.caches.control_plane_machines_of(kube::key_of(*seen.cluster));
  facts.active_machines = static_cast<std::size_t>(
      std::ranges::count_if(machines, [](const auto& machine) { return !machine->metadata.deleting(); }));
  const auto& ref = seen.cluster->spec.control_plane_ref;
  if (!ref) return;
  const ExternalSeen external = see_external(with.host.externals, *ref, seen.machine->metadata.namespace_);
  facts.object = known_of(external, *ref);
  all.objects.control_plane = external.external();
  if (!external.found()) return;
  const api::contract::ControlPlane control_plane(api::contract::Foreign(*external.object),
                                                  external.contract);
  const auto hosted = control_plane.externally_managed();
  facts.externally_managed = hosted && *hosted;
  if (hosted) return;
  facts.object.state = Known::State::Unknown;
  facts.object.problem = hosted.error().message;
}

// Of the Node it is about to drain and delete, which need not be the one with its providerID.
void see_node(const ObserveContext& with, const Observation& seen, DeletionFacts& facts) {
  if (!seen.cluster || facts.node.empty()) return;
  const auto workload = with.deps.workload_clusters.get(kube::key_of(*seen.cluster));
  const auto node = workload ? (*workload)->nodes().get({.namespace_ = {}, .name = facts.node}) : nullptr;
  if (!node) return;
  facts.node_provider_id = node->spec.provider_id.str();
  facts.node_unreachable = drain::is_unreachable(*node);
  facts.whose_node = claims::whose(with.deps.caches, with.host.externals, instance_of(*seen.machine, *node),
                                   {.machine = seen.machine.get()}, seen.infra.object.get());
}

}  // namespace
}  // namespace capstan::controllers::machine
