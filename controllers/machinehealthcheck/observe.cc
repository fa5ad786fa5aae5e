#include "controllers/machinehealthcheck/observe.h"

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "base/safeguards.h"
#include "controllers/machinehealthcheck/governance.h"
#include "controllers/machinehealthcheck/request_rules.h"
#include "controllers/machinehealthcheck/scope.h"
#include "controllers/machinehealthcheck/targets.h"
#include "controllers/shared/pause.h"
#include "kube/resources.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

// A live read before a Node that the cache lacks counts as deleted; once the Machine says so, none is needed.
bool is_known_missing(const api::Machine& machine) {
  const auto shown = api::conditions::find(machine.status.conditions, api::condition::kHealthCheckSucceeded);
  return shown != nullptr && shown->reason == api::reason::kNodeDeleted &&
         shown->status == api::status::kFalse;
}

class Observer {
 public:
  Observer(const ObserveContext& with, const Memory& memory, Observation& seen)
      : with_(with),
        caches_(with.deps.caches),
        seen_(seen),
        cluster_(runtime::key_of(*seen.cluster)),
        unmarked_(memory.unmarked_of(runtime::key_of(*seen.check))) {}

  void look() {
    seen_.brake = with_.deps.brake.ask(runtime::Intent::Remediate, {.kind = api::kind::kMachineHealthCheck,
                                                                    .key = runtime::key_of(*seen_.check)});
    see_targets();
    see_rivals();
  }

 private:
  void see_targets();
  // False while Nodes matter and can't be seen as they are.
  bool see_connection();
  Target target_of(Snapshot<api::Machine> machine) const;
  void see_node(Target& target) const;
  void see_request(Target& target) const;
  Target::NodeState state_of_uncached(const api::Machine& machine, const kube::ObjectKey& node) const;
  void see_rivals();

  const ObserveContext& with_;
  const Caches& caches_;
  Observation& seen_;
  const kube::ObjectKey cluster_;
  const Memory::Machines unmarked_;
  std::shared_ptr<kubeconfig::WorkloadCluster> workload_ = {};
};

void Observer::see_targets() {
  const auto selector = selector_of(*seen_.check);
  if (!selector) {
    seen_.selector_problem = selector.error().message;
    return;
  }
  seen_.connected = see_connection();
  if (!seen_.connected) return;
  auto machines = caches_.machines_of(cluster_);
  seen_.template_problem = template_problem(*seen_.check, machines);
  for (auto& machine : machines) {
    if (is_target(*machine, *selector)) {
      seen_.targets.push_back(target_of(std::move(machine)));
    } else {
      seen_.others = true;
      if (is_exempted(*machine, *selector)) seen_.exempted.push_back(std::move(machine));
    }
  }
  Governance(caches_, cluster_.namespace_).assign_policies(seen_);
}

bool Observer::see_connection() {
  if (!control_plane_initialized(*seen_.cluster)) return true;
  const auto connected = with_.deps.workload_clusters.get(cluster_);
  const auto reach = with_.deps.workload_clusters.reach(cluster_);
  const bool goes_on = is_off(Safeguard::OutOfReach) && reach.last_success.is_set();
  // In doubt, what the cache says of Nodes may have been over for a while.
  if ((!connected && !goes_on) || !reach.doubt.empty()) return false;
  if (connected) workload_ = *connected;
  return true;
}

Target Observer::target_of(Snapshot<api::Machine> machine) const {
  Target target{.machine = std::move(machine)};
  target.unmarked = unmarked_.contains(target.machine->metadata.uid);
  see_node(target);
  see_request(target);
  return target;
}

void Observer::see_node(Target& target) const {
  const auto& reference = target.machine->status.node_ref;
  if (!workload_ || !reference) return;
  const kube::ObjectKey key{.namespace_ = {}, .name = reference->name.str()};
  target.node = workload_->nodes().get(key);
  target.node_state = target.node ? Target::NodeState::Here : state_of_uncached(*target.machine, key);
}

Target::NodeState Observer::state_of_uncached(const api::Machine& machine,
                                              const kube::ObjectKey& node) const {
  if (is_known_missing(machine)) return Target::NodeState::Missing;
  const auto live = workload_->client().get(kube::resources::nodes(), node, with_.context.deadline);
  const bool missing = !live && live.error().code == Code::NotFound;
  return missing ? Target::NodeState::Missing : Target::NodeState::Unsure;
}

void Observer::see_request(Target& target) const {
  const bool by_request = seen_.check->spec.remediation.template_ref && seen_.template_problem.empty();
  if (!by_request) return;
  const kube::Resource kind = request_kind(*seen_.check);
  target.may_be_requested = with_.deps.brake
                                .ask(runtime::Intent::Remediate,
                                     {.kind = api::kind::kMachine, .key = runtime::key_of(*target.machine)})
                                .open;
  RequestSeen& request = target.request;
  request.state = RequestSeen::State::Unwatched;
  if (!with_.host.externals.resolve(kind.group, kind.kind)) return;
  const auto cached = with_.host.externals.get(
      {.api_group = Text(kind.group), .kind = Text(kind.kind), .name = target.machine->metadata.name},
      cluster_.namespace_);
  request.state = RequestSeen::State::Unlisted;
  if (!cached) return;
  request.state = cached->object ? RequestSeen::State::Present : RequestSeen::State::Absent;
  if (cached->object) request.metadata = cached->object->metadata;
}

void Observer::see_rivals() {
  for (auto& other : caches_.machine_health_checks_of(cluster_)) {
    if (other->metadata.uid == seen_.check->metadata.uid) continue;
    auto selector = selector_of(*other);
    if (!selector) continue;
    const bool overlaps = std::ranges::any_of(
        seen_.targets, [&](const Target& target) { return is_target(*target.machine, *selector); });
    if (!overlaps) continue;
    seen_.overlapping.push_back(other->metadata.name.str());
    if (other->metadata.annotations.contains(api::annotation::kPaused)) continue;
    seen_.rivals.push_back({.check = std::move(other), .selector = std::move(*selector)});
  }
}

bool is_paused(const Observation& seen) {
  return pause_of(seen.cluster.get(), seen.check->metadata, api::kind::kMachineHealthCheck).paused;
}

}  // namespace

std::optional<Observation> observe(const ObserveContext& with, const Memory& memory,
                                   const kube::ObjectKey& key) {
  const Deps& deps = with.deps;
  Observation seen{.now = deps.clock.now(),
                   .check = deps.caches.machine_health_checks.get(key),
                   .fresh = with.context.fresh};
  if (!seen.check || !is_ours(*seen.check, deps.caches, deps.watch_filter)) return std::nullopt;
  seen.cluster = deps.caches.cluster_of(key.namespace_, seen.check->spec.cluster_name);
  // The Cluster's arrival or the end of the pause wakes the check.
  if (seen.cluster && !is_paused(seen)) Observer(with, memory, seen).look();
  return seen;
}

}  // namespace capstan::controllers::machinehealthcheck
