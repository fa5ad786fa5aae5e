#include "controllers/machinepool/act.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <unordered_set>

#include "api/contract/infra_machine_pool.h"
#include "api/contract/plural.h"
#include "api/schema/decode.h"
#include "api/schema/encode.h"
#include "base/safeguards.h"
#include "controllers/claims/removal.h"
#include "controllers/drain/cordon.h"
#include "controllers/drain/drain_rules.h"
#include "controllers/machinepool/observe.h"
#include "controllers/shared/repair_managers.h"
#include "controllers/shared/status_patch.h"
#include "kube/resources.h"
#include "runtime/finalizers.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machinepool {
namespace {

namespace json = boost::json;
using api::Machine;
using api::MachinePool;

// When a watch has surely brought what was written, or never will.
constexpr Nanoseconds kRemembered = std::chrono::seconds(30);
// So many writes to Nodes a turn may take; the rest follows in the next.
constexpr std::size_t kNodesPerTurn = 500;
constexpr std::size_t kMachinesPerTurn = 200;

// After that caches that do not agree with the server are asked about rarely.
constexpr Seconds kCachesCatchUp{60};

constexpr std::array kOwnedOfMachine = {api::condition::kUpToDate};

json::value claim_patch(const MachinePool& pool, const ExternalSeen& external, const Claim& claim);
DisputedFields disputed_by(const MachinePool& pool, const ExternalSeen& external, const Claim& claim);
// Nothing while a cordon is taken back: that never waits.
DisputedFields disputed_by(const NodeChange& change);
json::value node_patch(const api::Node& node, const NodeChange& change);

class Turn {
 public:
  Turn(const ActContext& with, const Observation& seen)
      : with_(with), seen_(seen), key_(runtime::key_of(*seen.pool)) {
    effects_.pool = *seen.pool;
  }

  Effects act(const Plan& plan) {
    if (!keep(write_pool(plan))) {
      effects_.kept = plan.retired;
      return std::move(effects_);
    }
    keep(write_claim(seen_.bootstrap, plan.bootstrap.claim));
    keep(write_claim(seen_.infra, plan.infra_claim));
    write_machines(plan.machines);
    write_nodes(plan.nodes);
    delete_retired(plan.retired);
    return std::move(effects_);
  }

  Effects leave(DeletionPlan& leaving) {
    for (const OwnedNow& each : leaving.claims) keep(write_claim(*each.external, each.claim));
    if (!leaving.late.empty() && !keep(add_to_list(leaving.late))) return std::move(effects_);
    if (!leaving.drain.empty() && !drain_all(leaving)) return std::move(effects_);
    if (ends_instances(leaving)) {
      const auto complete = list_is_complete();
      if (!keep(complete) || !*complete) return std::move(effects_);
    }
    for (const ExternalSeen* external : leaving.remove) keep(remove(*external));
    if (!leaving.confirm) return std::move(effects_);
    const auto gone = providers_are_gone();
    if (!keep(gone) || !*gone) {
      leaving.reason = api::reason::kDeleting;
      leaving.message = "Waiting for the caches to agree that the provider's objects are gone";
      if (!still_there_.empty()) {
        leaving.reason = api::reason::kWaitingForInfrastructureDeletion;
        leaving.message = still_there_;
        leaving.recheck = kLiveLook;
        return std::move(effects_);
      }
      const bool long_ago = seen_.now - seen_.pool->metadata.deletion_timestamp > kCachesCatchUp;
      leaving.recheck = long_ago ? kLiveLook : Seconds(1);
      return std::move(effects_);
    }
    for (const auto& node : leaving.nodes) {
      const auto deleted = delete_node(*node);
      if (deleted || leaving.impatient) continue;
      keep(deleted);
      leaving.let_go = false;
      if (!effects_.node_trouble.empty()) leaving.message = effects_.node_trouble;
    }
    if (leaving.let_go) let_go();
    return std::move(effects_);
  }

 private:
  const Deadline& deadline() const { return with_.context.deadline; }

  template <typename T>
  bool keep(const Result<T>& done) {
    if (!done) effects_.errors.push_back(done.error());
    return done.has_value();
  }

  // --- the pool and the provider's objects ---

  Result<void> write_pool(const Plan& plan) {
    // Encoding a pool of thousands to find no difference is most of a quiet turn.
    if (plan.wanted.metadata == seen_.pool->metadata && plan.wanted.spec == seen_.pool->spec) return {};
    auto written = TRY(kube::patch(with_.deps.client, *seen_.pool, plan.wanted, deadline()));
    if (!written) return {};
    with_.host.consistency.wrote(key_, with_.deps.caches.machine_pools, written->metadata.resource_version);
    effects_.pool = std::move(*written);
    return {};
  }

  bool ends_instances(const DeletionPlan& leaving) const {
    return std::ranges::find(leaving.remove, &seen_.infra) != leaving.remove.end();
  }

  // Its Nodes are found by this list when the provider's objects are gone.
  Result<void> add_to_list(const std::vector<Text>& late) {
    MachinePool wanted = *seen_.pool;
    for (const Text& id : late) wanted.spec.provider_id_list.push_back(id);
    const auto written = TRY(kube::patch(with_.deps.client, *seen_.pool, wanted, deadline()));
    if (written)
      with_.host.consistency.wrote(key_, with_.deps.caches.machine_pools, written->metadata.resource_version);
    return {};
  }

  // The provider may have named more instances than our cache has heard of. False: they have been added now,
  // and are to be looked at before any instance ends.
  Result<bool> list_is_complete() {
    const auto live = with_.deps.client.get(seen_.infra.resource, seen_.infra.key, deadline());
    if (!live && live.error().code == Code::NotFound) return true;
    if (!live) return fail(live.error());
    ExternalSeen now = seen_.infra;
    auto object = api::from_json<api::contract::ContractObject>(*live);
    if (!object && seen_.infra.live) return true;  // it names nothing that can be read
    now.object = std::make_shared<const api::contract::ContractObject>(TRY(std::move(object)));
    if (now.object->metadata.uid != seen_.infra.object->metadata.uid) return true;  // not the one to go
    auto late = late_instances(with_.deps.caches, read_infra(now, *seen_.pool), *seen_.pool);
    const auto is_known = [&](const Text& id) {
      return std::ranges::find(seen_.late, id) != seen_.late.end();
    };
    if (std::ranges::all_of(late, is_known)) return true;
    TRY(add_to_list(late));
    effects_.unfinished = true;
    return false;
  }

  Result<void> write_claim(const ExternalSeen& external, const std::optional<Claim>& claim) {
    if (!claim) return {};
    const Contests::Target target{
        .client = with_.deps.client, .resource = external.resource, .key = external.key};
    const auto fields = disputed_by(*seen_.pool, external, *claim);
    if (!with_.contests.may_write(key_, target, fields, with_.deps.clock, deadline())) return {};
    const auto written = kube::patch_briefly(with_.deps.client, external.resource, external.key,
                                             claim_patch(*seen_.pool, external, *claim), {}, deadline());
    if (!written && written.error().code == Code::NotFound) return {};  // the cache will tell
    if (!written) return fail(written.error().context("take over " + external.resource.kind));
    with_.host.consistency.wrote(key_, *external.cache, written->metadata.resource_version);
    with_.contests.wrote(key_, target, fields, with_.deps.clock);
    return {};
  }

  Result<void> remove(const ExternalSeen& external) {
    if (external.live) return remove_unreadable(external);
    const auto clearance =
        TRY(claims::clear_referred(server(), external.resource, external.object->metadata,
                                   {.kind = api::kind::kMachinePool, .metadata = seen_.pool->metadata}));
    return claims::remove(deleting(),
                          {.cache = *external.cache, .resource = external.resource, .key = external.key},
                          clearance);
  }

  claims::Server server() const {
    return {.caches = with_.deps.caches, .client = with_.deps.client, .deadline = deadline()};
  }
  claims::Deleting deleting() const {
    return {.client = with_.deps.client,
            .consistency = with_.host.consistency,
            .key = key_,
            .deadline = deadline()};
  }

  // No cache will show that it goes: the next live look does.
  Result<void> remove_unreadable(const ExternalSeen& external) {
    const auto clearance =
        TRY(claims::clear_referred(server(), external.resource, external.object->metadata,
                                   {.kind = api::kind::kMachinePool, .metadata = seen_.pool->metadata}));
    const auto removed =
        claims::remove({.client = with_.deps.client, .resource = external.resource, .key = external.key},
                       clearance, deadline());
    if (!removed && removed.error().code != Code::NotFound) return fail(removed.error());
    with_.live_looks.told_to_go(key_, reference(external), seen_.now);
    return {};
  }

  const api::ContractRef& reference(const ExternalSeen& external) const {
    const auto& wanted = seen_.pool->spec.machine_template.spec;
    return &external == &seen_.infra ? wanted.infrastructure_ref : *wanted.bootstrap.config_ref;
  }

  // --- Machines ---

  void write_machines(const MachinesPlan& plan) {
    std::size_t created = 0;
    for (const MachineWish& wish : plan.wishes) {
      if (wish.present) {
        keep(apply(wish));
      } else if (!seen_.fresh) {
        continue;
      } else if (++created > kMachinesPerTurn) {
        effects_.unfinished = true;
        break;
      } else {
        keep(create(wish.wanted));
      }
    }
    for (const Mark& mark : plan.marks) keep(write_mark(mark));
    if (!seen_.fresh) return;
    for (const auto& machine : plan.without_object) keep(remove_without_object(*machine));
  }

  void wrote(const std::optional<api::Written>& written) {
    if (written) {
      with_.host.consistency.wrote(key_, with_.deps.caches.machines, written->metadata.resource_version);
    }
  }

  Result<void> apply(const MachineWish& wish) {
    if (has_lost_managers(wish.present->metadata.managed_fields)) return give_back_managers(*wish.present);
    const auto written = kube::apply(with_.deps.client, wish.wanted, wish.present.get(),
                                     api::field_manager::kMachinePool, deadline());
    if (!written && written.error().code == Code::NotFound) return {};
    if (!written) return fail(written.error());
    wrote(*written);
    return {};
  }

  // What the Machine is after that brings the next turn.
  Result<void> give_back_managers(const Machine& machine) {
    const auto repaired =
        repair_managers(with_.deps.client, kube::resource_of<Machine>(), kube::key_of(machine),
                        api::field_manager::kMachinePool, deadline());
    if (!repaired && repaired.error().code == Code::NotFound) return {};
    if (!repaired) return fail(repaired.error());
    with_.host.consistency.wrote(key_, with_.deps.caches.machines, *repaired);
    return {};
  }

  Result<void> create(const Machine& machine) {
    const auto made = with_.host.consistency.create_by_apply(with_.deps.client, key_,
                                                             {.cache = with_.deps.caches.machines,
                                                              .resource = kube::resource_of<Machine>(),
                                                              .key = kube::key_of(machine)},
                                                             seen_.pool->metadata.uid, api::to_json(machine),
                                                             api::field_manager::kMachinePool, deadline());
    if (!made) return fail(made.error().context("create Machine " + machine.metadata.name.str()));
    return {};
  }

  Result<void> write_mark(const Mark& mark) {
    const auto written = patch_status(with_.deps.client, *mark.before, mark.after, {.types = kOwnedOfMachine},
                                      seen_.now, deadline());
    if (!written && written.error().code == Code::NotFound) return {};
    if (!written) return fail(written.error());
    wrote(*written);
    return {};
  }

  // Only what the server itself says is gone takes a Machine with it.
  Result<void> remove_without_object(const Machine& machine) {
    const kube::ObjectKey object{.namespace_ = key_.namespace_,
                                 .name = machine.spec.infrastructure_ref.name.str()};
    const auto live = with_.deps.client.get(seen_.machines.resource, object, deadline());
    if (live) return {};
    if (live.error().code != Code::NotFound) return fail(live.error());
    const auto clearance = TRY(claims::Clearance::of_child(machine.metadata, seen_.pool->metadata.uid));
    return claims::remove(deleting(),
                          {.cache = with_.deps.caches.machines,
                           .resource = kube::resource_of<Machine>(),
                           .key = kube::key_of(machine)},
                          clearance);
  }

  // --- Nodes ---

  bool keep_of_node(const Result<void>& done) {
    if (!done && effects_.node_trouble.empty()) effects_.node_trouble = done.error().message;
    return keep(done);
  }

  void write_nodes(const std::vector<NodeWish>& wishes) {
    std::size_t written = 0;
    for (const NodeWish& wish : wishes) {
      if (with_.node_writes.is_behind(key_, *wish.node)) continue;
      if (++written > kNodesPerTurn) {
        effects_.unfinished = true;
        return;
      }
      // The next would fail the same way.
      if (!keep_of_node(write_node(wish))) return;
    }
  }

  Result<void> write_node(const NodeWish& wish) {
    const api::Node& node = *wish.node;
    const auto key = kube::key_of(node);
    const Contests::Target target{
        .client = seen_.workload->client(), .resource = kube::resources::nodes(), .key = key};
    const auto fields = disputed_by(wish.change);
    if (!with_.contests.may_write(key_, target, fields, with_.deps.clock, deadline())) return {};
    const auto written = kube::patch_briefly(seen_.workload->client(), kube::resources::nodes(), key,
                                             node_patch(node, wish.change), {}, deadline());
    if (!written) {
      // Gone, or changed meanwhile: its event brings the next turn.
      if (written.error().code == Code::NotFound || written.error().code == Code::Conflict) return {};
      return fail(written.error().context("patch Node " + node.metadata.name.str()));
    }
    with_.node_writes.wrote(key_, node.metadata.uid, written->metadata.resource_version);
    with_.contests.wrote(key_, target, fields, with_.deps.clock);
    return {};
  }

  // The list is read once more from the server itself: deleting a Node that works is worse than a request.
  void delete_retired(const std::vector<Snapshot<api::Node>>& retired) {
    if (retired.empty()) return;
    const auto live = live_list();
    if (!keep(live)) {
      effects_.kept = retired;
      return;
    }
    const std::unordered_set<std::string_view> listed(live->begin(), live->end());
    std::vector<Snapshot<api::Node>> going;
    for (const auto& node : retired) {
      (listed.contains(node->spec.provider_id) ? effects_.kept : going).push_back(node);
    }
    if (has_to_drain(seen_)) going = drained(going);
    std::size_t deleted = 0;
    for (const auto& node : going) {
      if (++deleted > kNodesPerTurn) {
        effects_.unfinished = true;
        effects_.kept.push_back(node);
      } else if (!keep(delete_node(*node))) {
        effects_.kept.push_back(node);
      }
    }
  }

  std::vector<Snapshot<api::Node>> drained(const std::vector<Snapshot<api::Node>>& nodes) {
    auto round = with_.drainer.turn(seen_, {.nodes = nodes, .clear = clear_by()}, deadline());
    effects_.kept.insert(effects_.kept.end(), round.left.begin(), round.left.end());
    note_drain(round);
    return std::move(round.emptied);
  }

  // Whether the instances may go now.
  bool drain_all(DeletionPlan& leaving) {
    const auto began = seen_.pool->metadata.deletion_timestamp;
    auto round =
        with_.drainer.turn(seen_, {.nodes = leaving.drain, .began = began, .clear = clear_by()}, deadline());
    note_drain(round);
    if (round.left.empty()) return true;
    leaving.reason = round.by_volumes ? api::reason::kWaitingForVolumeDetach : api::reason::kDrainingNode;
    leaving.message = "Draining Nodes before deletion: " + round.message;
    leaving.recheck = effects_.recheck;
    return false;
  }

  void note_drain(const DrainRound& round) {
    effects_.draining = round.message;
    effects_.recheck = round.recheck;
    effects_.unfinished = effects_.unfinished || round.unfinished;
    const auto about = runtime::reference_to(kube::resource_of<MachinePool>(), seen_.pool->metadata);
    for (const std::string& name : round.drained) {
      with_.deps.events.record(about, runtime::EventType::Normal, api::event::kSuccessfulDrainNode,
                               fmt::format("success draining Node \"{}\"", name));
    }
    for (const std::string& name : round.detached) {
      with_.deps.events.record(
          about, runtime::EventType::Normal, api::event::kNodeVolumesDetached,
          fmt::format("success waiting for volumes of Node \"{}\" to be detached", name));
    }
    for (const std::string& warning : round.warnings) {
      with_.deps.events.record(about, runtime::EventType::Warning, drain::kDrainRulesContradict, warning);
    }
  }

  Result<std::vector<std::string>> live_list() {
    if (is_off(Safeguard::LiveList)) return {};
    const auto live = TRY(with_.deps.client.get(seen_.infra.resource, seen_.infra.key, deadline()));
    return api::contract::InfraMachinePool(api::contract::Foreign(live), seen_.infra.contract)
        .provider_id_list();
  }

  // The uid keeps another Node of that name safe. A conflict may mean that there is one, or nothing but bad
  // luck: the cache will tell, until then the Node is not forgotten.
  Result<void> delete_node(const api::Node& node) {
    const auto answer = clear(node);
    if (!answer) return fail(answer.error());
    if (!answer->clearance) return {};  // another's: it stays
    const kube::ObjectKey key = kube::key_of(node);
    const auto removed =
        claims::remove({.client = seen_.workload->client(), .resource = kube::resources::nodes(), .key = key},
                       *answer->clearance, deadline());
    if (removed || removed.error().code == Code::NotFound) return {};
    if (removed.error().code == Code::Conflict) return fail(removed.error());
    effects_.node_trouble =
        fmt::format("could not delete Node {}: {}", node.metadata.name.view(), removed.error().message);
    return fail(removed.error().context("delete Node " + node.metadata.name.str()));
  }

  Result<claims::Answer> clear(const api::Node& node) const {
    return claims::clear_node(
        server(), with_.host.externals,
        {.cluster = {.namespace_ = key_.namespace_, .name = seen_.pool->spec.cluster_name.str()},
         .provider_id = node.spec.provider_id,
         .node = &node},
        {.pool = seen_.pool.get()});
  }

  PoolDrainer::Clear clear_by() const {
    return [this](const api::Node& node) { return clear(node); };
  }

  // --- the end ---

  Result<bool> providers_are_gone() {
    const auto& wanted = seen_.pool->spec.machine_template.spec;
    bool gone = TRY(is_gone(seen_.infra, wanted.infrastructure_ref));
    if (const auto& config = wanted.bootstrap.config_ref)
      gone = TRY(is_gone(seen_.bootstrap, *config)) && gone;
    return gone;
  }

  Result<bool> is_gone(const ExternalSeen& external, const api::ContractRef& ref) {
    if (external.found() || external.state == ExternalSeen::State::Unused) return true;  // not ours
    const bool defined = external.state != ExternalSeen::State::Undefined;
    const auto live = defined ? with_.deps.client.get(external.resource, external.key, deadline())
                              : with_.deps.client.get(
                                    kube::resources::custom_resource_definitions(),
                                    {.name = api::contract::crd_name(ref.api_group, ref.kind)}, deadline());
    if (live) return false;
    if (live.error().code != Code::NotFound) return fail(live.error());
    return defined || TRY(owns_nothing_of(ref));
  }

  // A reference whose kind was mistyped later names nothing, and the instances run on.
  Result<bool> owns_nothing_of(const api::ContractRef& ref) {
    const auto left = TRY(find_owned(with_.deps.client, with_.deps.caches.crds, ref.api_group,
                                     seen_.pool->metadata.namespace_, seen_.pool->metadata.uid, deadline()));
    if (!left) return true;
    still_there_ = fmt::format(
        "Waiting for the deletion of {} {}, which the MachinePool owns and its reference to {} {} does not "
        "name: correct the reference, or delete it",
        left->kind, left->name, ref.kind.view(), ref.name.view());
    return false;
  }

  void let_go() {
    effects_.went = keep(runtime::drop_finalizer(with_.deps.client, with_.host.consistency,
                                                 with_.deps.caches.machine_pools, *seen_.pool,
                                                 api::finalizer::kMachinePool, deadline()));
  }

  const ActContext& with_;
  const Observation& seen_;
  const kube::ObjectKey key_;
  Effects effects_ = {};
  std::string still_there_ = {};  // what no reference of the pool names, and is its own
};

}  // namespace

Effects act(const ActContext& with, const Observation& seen, const Plan& plan) {
  return Turn(with, seen).act(plan);
}

Effects leave(const ActContext& with, const Observation& seen, DeletionPlan& leaving) {
  return Turn(with, seen).leave(leaving);
}

Result<void> look_at_unreadable(const ActContext& with, Observation& seen) {
  const kube::ObjectKey key = runtime::key_of(*seen.pool);
  const auto& wanted = seen.pool->spec.machine_template.spec;
  const auto look = [&](ExternalSeen& external, const api::ContractRef& ref) -> Result<void> {
    using State = ExternalSeen::State;
    if (external.state != State::Unreadable) return {};
    auto live = TRY(with.live_looks.look(with.deps.client, key, ref, with.context.deadline));
    external.resource = std::move(live.resource);
    switch (live.state) {
      case LiveObject::State::Undefined: external.state = State::Undefined; break;
      case LiveObject::State::Gone: external.state = State::Missing; break;
      case LiveObject::State::Present:
        external.state = State::Found;
        external.live = true;
        external.object = std::make_shared<const api::contract::ContractObject>(
            api::contract::ContractObject{.metadata = std::move(live.metadata)});
        break;
    }
    return {};
  };
  const auto infra = look(seen.infra, wanted.infrastructure_ref);
  if (wanted.bootstrap.config_ref) TRY(look(seen.bootstrap, *wanted.bootstrap.config_ref));
  return infra;
}

Result<bool> is_confirmed_empty(const ActContext& with, const Observation& seen) {
  const auto live = TRY(with.deps.client.get(seen.infra.resource, seen.infra.key, with.context.deadline));
  const api::contract::InfraMachinePool infra(api::contract::Foreign(live), seen.infra.contract);
  const auto ids = TRY(infra.provider_id_list());
  const auto replicas = TRY(infra.replicas());
  return ids.empty() && replicas.value_or(0) == 0 && !infra.object().deleting();
}

void NodeWrites::wrote(const kube::ObjectKey& pool, const api::Uid& node, api::ResourceVersion version) {
  const SteadyTime now = clock_.steady_now();
  pools_.with([&](auto& pools) {
    Writes& writes = pools[pool];
    writes.nodes[node] = {.version = version, .until = now + kRemembered};
    // A Node that is as wanted is not asked about again: most writes are never looked up.
    if (now - writes.swept < kRemembered) return;
    writes.swept = now;
    std::erase_if(writes.nodes, [&](const auto& each) { return each.second.until <= now; });
  });
}

std::size_t NodeWrites::size() const {
  return pools_.with([](const auto& pools) {
    std::size_t writes = 0;
    for (const auto& [pool, of_pool] : pools) writes += of_pool.nodes.size();
    return writes;
  });
}

bool NodeWrites::is_behind(const kube::ObjectKey& pool, const api::Node& node) {
  const SteadyTime now = clock_.steady_now();
  return pools_.with([&](auto& pools) {
    const auto writes = pools.find(pool);
    if (writes == pools.end()) return false;
    auto& nodes = writes->second.nodes;
    const auto found = nodes.find(node.metadata.uid);
    if (found == nodes.end()) return false;
    const bool behind = node.metadata.resource_version < found->second.version && now < found->second.until;
    if (!behind) nodes.erase(found);
    return behind;
  });
}

void NodeWrites::forget(const kube::ObjectKey& pool) {
  pools_.with([&](auto& pools) { pools.erase(pool); });
}

namespace {

json::value claim_patch(const MachinePool& pool, const ExternalSeen& external, const Claim& claim) {
  json::value patch = runtime::owners_patch(claim.owners, external.object->metadata.resource_version);
  if (claim.label) {
    patch.at("metadata").as_object()["labels"] = {{api::label::kClusterName, pool.spec.cluster_name.view()}};
  }
  return patch;
}

DisputedFields disputed_by(const MachinePool& pool, const ExternalSeen& external, const Claim& claim) {
  api::ObjectMeta wanted = external.object->metadata;
  wanted.owner_references = claim.owners;
  if (claim.label) wanted.labels.set(Text(api::label::kClusterName), pool.spec.cluster_name);
  return disputed_fields(external.object->metadata, wanted);
}

DisputedFields disputed_by(const NodeChange& change) {
  DisputedFields fields;
  if (change.uncordon) return fields;
  for (const auto& [key, value] : change.annotations)
    fields[disputed_key("metadata.annotations", key)] = "=" + value.str();
  if (!change.taints) return fields;
  std::string& taints = fields["spec.taints"];
  for (const auto& taint : *change.taints)
    taints += taint.key.str() + "=" + taint.value.str() + ":" + taint.effect.str() + " ";
  return fields;
}

// Annotations are nobody else's business; a list of taints is everybody's, so it is bound to what we saw.
json::value node_patch(const api::Node& node, const NodeChange& change) {
  json::object metadata;
  json::object patch;
  if (!change.annotations.empty()) {
    json::object annotations;
    for (const auto& [key, value] : change.annotations) annotations[key.view()] = value.view();
    metadata["annotations"] = std::move(annotations);
  }
  if (change.unmark) {
    json::object& annotations = metadata.emplace("annotations", json::object()).first->value().as_object();
    annotations[kDrainStarted] = nullptr;
    annotations[kVolumeWaitStarted] = nullptr;
  }
  if (change.uncordon) {
    metadata["resourceVersion"] = node.metadata.resource_version.str();
    json::object& annotations = metadata.emplace("annotations", json::object()).first->value().as_object();
    annotations[drain::kCordonedBy] = nullptr;
    patch["spec"] = {{"unschedulable", nullptr}};
  }
  if (change.taints) {
    metadata["resourceVersion"] = node.metadata.resource_version.str();
    json::array taints;
    for (const auto& taint : *change.taints) taints.push_back(api::to_json(taint));
    json::object& spec = patch.emplace("spec", json::object()).first->value().as_object();
    spec["taints"] = taints.empty() ? json::value(nullptr) : json::value(std::move(taints));
  }
  patch["metadata"] = std::move(metadata);
  return patch;
}

}  // namespace
}  // namespace capstan::controllers::machinepool
