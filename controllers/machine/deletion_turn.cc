#include "controllers/machine/deletion_turn.h"

#include <boost/json.hpp>

#include "api/contract/plural.h"
#include "api/names.h"
#include "base/safeguards.h"
#include "base/try.h"
#include "controllers/claims/removal.h"
#include "controllers/drain/drain_rules.h"
#include "controllers/drain/eviction.h"
#include "controllers/machine/observe.h"
#include "controllers/machine/other_kinds.h"
#include "kube/resources.h"
#include "kube/typed.h"

namespace capstan::controllers::machine {
namespace {

using Do = Step::Act;

// Asks the API server about an object the cache does not have.
void confirm(kube::Client& client, const runtime::External& object, Known& known, const Deadline& deadline) {
  const auto answer = client.get(object.resource, object.key, deadline);
  if (answer) {
    known.state = Known::State::Unknown;
    known.problem = object.resource.kind + " " + object.key.describe() + " is not in the cache yet";
  } else if (answer.error().code == Code::NotFound) {
    known.state = Known::State::Gone;
  } else {
    known.state = Known::State::Unknown;
    known.problem = answer.error().message;
  }
}

// Null when there is none.
Result<Snapshot<api::Node>> the_node(kubeconfig::WorkloadCluster& workload, const DeletionFacts& facts,
                                     const Deadline& deadline) {
  const kube::ObjectKey key{.name = facts.node};
  if (auto known = workload.nodes().get(key)) return known;
  auto live = kube::get<api::Node>(workload.client(), key, deadline);
  if (!live && live.error().code != Code::NotFound) return fail(live.error());
  // None, or another instance's that has come just now.
  if (!live || live->spec.provider_id != facts.machine->spec.provider_id) return Snapshot<api::Node>();
  return std::make_shared<const api::Node>(std::move(*live));
}

// Of the uid it was seen with: meanwhile another machine may have come under its name.
Result<void> remove_the_node(kubeconfig::WorkloadCluster& workload, const std::string& name,
                             const claims::Clearance& clearance, const Deadline& deadline) {
  const kube::ObjectKey key{.name = name};
  const auto removed = claims::remove(
      {.client = workload.client(), .resource = kube::resources::nodes(), .key = key}, clearance, deadline);
  if (removed || removed.error().code == Code::NotFound || removed.error().code == Code::Conflict) return {};
  return fail(removed.error().context("delete Node " + name));
}

void confirm_cluster(kube::Client& client, DeletionFacts& facts, const Deadline& deadline) {
  const runtime::External cluster{
      .resource = kube::resource_of<api::Cluster>(),
      .key = {facts.machine->metadata.namespace_.str(), facts.machine->spec.cluster_name.str()}};
  confirm(client, cluster, facts.cluster_known, deadline);
}

void confirm_definition_gone(kube::Client& client, Known& known, const Deadline& deadline);

void confirm(kube::Client& client, const std::optional<runtime::External>& object, Known& known,
             const Deadline& deadline) {
  if (known.state == Known::State::Undefined) return confirm_definition_gone(client, known, deadline);
  if (object) return confirm(client, *object, known, deadline);
  known.state = Known::State::Unknown;
  known.problem = "the reference to " + known.kind + " could not be resolved";
}

// Without a definition of its kind there is no object of it.
void confirm_definition_gone(kube::Client& client, Known& known, const Deadline& deadline) {
  const runtime::External definition{
      .resource = kube::resources::custom_resource_definitions(),
      .key = {.namespace_ = {}, .name = api::contract::crd_name(known.group, known.kind)}};
  confirm(client, definition, known, deadline);
}

void add_marks(api::MachineDeletionStatus& marks, const api::MachineDeletionStatus& more) {
  for (const auto mark : {&api::MachineDeletionStatus::node_drain_start_time,
                          &api::MachineDeletionStatus::wait_for_node_volume_detach_start_time,
                          &api::MachineDeletionStatus::wait_for_pre_drain_hook_start_time,
                          &api::MachineDeletionStatus::wait_for_pre_terminate_hook_start_time}) {
    if (!(marks.*mark).is_set()) marks.*mark = more.*mark;
  }
}

// A bootstrap object that nobody holds is gone with the DELETE. Should somebody have taken hold of it just
// now, nothing but data is left to him; a VM is always waited for.
bool goes_at_once(Stage stage, const api::contract::ContractObject& object) {
  return stage == Stage::DeleteBootstrap && object.metadata.finalizers->empty();
}

kube::ObjectKey cluster_of(const api::Machine& machine) {
  return {machine.metadata.namespace_.str(), machine.spec.cluster_name.str()};
}

drain::StageReport trouble(Error error) { return {.recheck = Seconds(20), .trouble = std::move(error)}; }

// An object that only a live look shows (reconciler.h) is no business of the consistency gate.
Result<void> remove_object(const claims::Deleting& by, const runtime::External& object,
                           const claims::Clearance& clearance) {
  if (object.cache != nullptr) {
    return claims::remove(by, {.cache = *object.cache, .resource = object.resource, .key = object.key},
                          clearance);
  }
  const auto removed = claims::remove({.client = by.client, .resource = object.resource, .key = object.key},
                                      clearance, by.deadline);
  if (!removed && removed.error().code == Code::NotFound) return {};
  return removed;
}

}  // namespace

bool DeletionTurn::waits_for_provider() const {
  if (step.answer != Step::Answer::Wait || step.trouble) return false;
  if (step.stage == Stage::DeleteInfra) return facts.infrastructure.state == Known::State::Deleting;
  return step.stage == Stage::DeleteBootstrap && facts.bootstrap.state == Known::State::Deleting;
}

Deleter::Deleter(const Deps& deps)
    : deps_(deps),
      drainer_({.clock = deps.clock, .threads = deps.threads, .wake = [this](const kube::ObjectKey& key) {
                  if (host_) host_->queue.add(key);
                }}) {}

void Deleter::bind(const Host& host) { host_.emplace(host); }

void Deleter::forget(const kube::ObjectKey& machine) {
  drainer_.forget(machine);
  node_deletions_.with([&](auto& since) { since.erase(machine); });
  progress_.with([&](auto& all) { all.erase(machine); });
}

void Deleter::stop_drains() { drainer_.rest(); }

DeletionTurn Deleter::turn(const runtime::Context& context, const DeletionObjects& objects,
                           DeletionFacts facts) {
  facts.node_provider_id = provider_id_of_node(facts);
  recall(facts);
  for (;;) {
    Step step = next_step(facts);
    facts.marks = step.marks;
    if (step.answer == Step::Answer::Wait || step.act == Do::RemoveFinalizer) {
      end_of_drain(step, kube::key_of(*facts.machine));
      return {.facts = std::move(facts), .step = std::move(step)};
    }
    act(context, objects, step, facts);
  }
}

// What was learnt of a drain serves the look at volumes; its watches end with it, however it ended.
void Deleter::end_of_drain(const Step& step, const kube::ObjectKey& machine) {
  if (step.stage > Stage::VolumesDetached) return drainer_.forget(machine);
  if (step.stage == Stage::VolumesDetached) return drainer_.stop_watching_pods(machine);
  if (step.stage != Stage::Drain) drainer_.stop_watching(machine);
}

void Deleter::interrupt(const kube::ObjectKey& machine) { drainer_.stop_watching(machine); }

std::string Deleter::provider_id_of_node(const DeletionFacts& facts) {
  const auto workload = deps_.workload_clusters.get(cluster_of(*facts.machine));
  const auto node = workload ? (*workload)->nodes().get({.name = facts.node}) : nullptr;
  return node ? node->spec.provider_id.str() : std::string();
}

// Every act leaves a fact behind, so that the next step is another one.
void Deleter::act(const runtime::Context& context, const DeletionObjects& objects, const Step& step,
                  DeletionFacts& facts) {
  const Deadline& deadline = context.deadline;
  switch (step.act) {
    case Do::ConfirmClusterGone: return confirm_cluster(deps_.client, facts, deadline);
    case Do::ConfirmControlPlaneGone:
      return confirm(deps_.client, objects.control_plane, facts.control_plane.object, deadline);
    case Do::ConfirmInfraGone: return confirm_infrastructure(objects, facts, deadline);
    case Do::ConfirmBootstrapGone: return confirm(deps_.client, objects.bootstrap, facts.bootstrap, deadline);
    case Do::Drain: return drain(context, facts);
    case Do::CheckVolumes: return check_volumes(context, facts);
    case Do::DeleteInfra:
      return remove(context, facts,
                    {step.stage, objects.infrastructure, facts.infrastructure, facts.infrastructure_trouble});
    case Do::DeleteBootstrap:
      return remove(context, facts,
                    {step.stage, objects.bootstrap, facts.bootstrap, facts.bootstrap_trouble});
    case Do::DeleteNode: return remove_node(context, facts);
    case Do::RemoveFinalizer:
    case Do::None: return;
  }
}

// A reference that was edited, or a typo: the object may be there under the kind that was meant.
void Deleter::confirm_infrastructure(const DeletionObjects& objects, DeletionFacts& facts,
                                     const Deadline& deadline) {
  Known& known = facts.infrastructure;
  const bool undefined = known.state == Known::State::Undefined;
  confirm(deps_.client, objects.infrastructure, known, deadline);
  if (!undefined || known.state != Known::State::Gone || is_off(Safeguard::OtherKinds)) return;
  const auto other =
      infrastructure_under_another_kind(deps_.client, deps_.caches.crds, *facts.machine, deadline);
  if (!other) {
    known.state = Known::State::Unknown;
    known.problem = other.error().message;
  } else if (!other->empty()) {
    known.state = Known::State::Elsewhere;
    known.problem = *other;
  }
}

void Deleter::remove(const runtime::Context& context, DeletionFacts& facts, const Removal& removal) {
  const std::string& kind = removal.known.kind;
  const auto& object = removal.object;
  if (!object || !object->object) {
    removal.failed = Error{.code = Code::Unavailable, .message = kind + " is not in the cache"};
    return;
  }
  const kube::ObjectKey machine = kube::key_of(*facts.machine);
  const auto clearance =
      claims::clear_referred(server(context), object->resource, object->object->metadata,
                             {.kind = api::kind::kMachine, .metadata = facts.machine->metadata});
  const Result<void> removed = clearance ? remove_object({.client = deps_.client,
                                                          .consistency = host_->consistency,
                                                          .key = machine,
                                                          .deadline = context.deadline},
                                                         *object, *clearance)
                                         : Result<void>(fail(clearance.error()));
  if (!removed) {
    progress_.with([&](auto& all) { all.erase(machine); });  // what it was true of may be gone since
    removal.failed = removed.error();
    return;
  }
  removal.known.state =
      goes_at_once(removal.stage, *object->object) ? Known::State::Gone : Known::State::Deleting;
  facts.delete_sent = removal.stage;
  remember(facts);
  context.log.info("deleting", {{"kind", kind}, {"name", object->key.describe()}});
}

void Deleter::remember(const DeletionFacts& facts) {
  progress_.with([&](auto& all) {
    all[kube::key_of(*facts.machine)] = {.machine = facts.machine->metadata.uid,
                                         .stage = *facts.delete_sent,
                                         .marks = facts.marks,
                                         .drain = facts.drain,
                                         .volumes = facts.volumes};
  });
}

// Another Machine may have had the name before.
void Deleter::recall(DeletionFacts& facts) const {
  progress_.with([&](const auto& all) {
    const auto found = all.find(kube::key_of(*facts.machine));
    if (found == all.end() || found->second.machine != facts.machine->metadata.uid) return;
    const Progress& before = found->second;
    facts.delete_sent = before.stage;
    add_marks(facts.marks, before.marks);
    facts.drain = before.drain;
    facts.volumes = before.volumes;
  });
}

// --- the workload cluster ---

claims::Server Deleter::server(const runtime::Context& context) const {
  return {.caches = deps_.caches, .client = deps_.client, .deadline = context.deadline};
}

// Nothing: there is no Node, or it is not the Machine's; then the facts say so.
Result<std::optional<claims::Clearance>> Deleter::clear_node(const runtime::Context& context,
                                                             kubeconfig::WorkloadCluster& workload,
                                                             DeletionFacts& facts) {
  const auto node = TRY(the_node(workload, facts, context.deadline));
  if (!node) return std::optional<claims::Clearance>();
  auto answer = TRY(claims::clear_node(server(context), host_->externals, instance_of(*facts.machine, *node),
                                       {.machine = facts.machine}));
  if (!answer.clearance) {
    facts.whose_node = {.whose = claims::Verdict::Whose::Anothers, .why = std::move(answer.why_not)};
  }
  return std::move(answer.clearance);
}

drain::StageReport Deleter::lost(const DeletionFacts& facts, Time started, const Error& error) {
  drainer_.forget(kube::key_of(*facts.machine));
  drain::StageReport report = trouble(error);
  report.recheck = drain::pause_after(facts.now - started);
  return report;
}

drain::StageReport Deleter::on_node(const DeletionFacts& facts, Time started, const OnNode& stage,
                                    const Deadline& deadline) {
  auto workload = deps_.workload_clusters.get(cluster_of(*facts.machine));
  if (!workload) return lost(facts, started, workload.error());
  return (drainer_.*stage.turn)(
      {.machine = *facts.machine,
       .cluster = *facts.cluster,
       .rules = deps_.caches.drain_rules_in(facts.machine->metadata.namespace_.view()),
       .workload = *workload,
       .node = facts.node,
       .clearance = stage.clearance,
       .started = started,
       .now = facts.now},
      deadline);
}

void Deleter::drain(const runtime::Context& context, DeletionFacts& facts) {
  const Time started = facts.marks.node_drain_start_time;
  const auto workload = deps_.workload_clusters.get(cluster_of(*facts.machine));
  const auto clearance = workload ? clear_node(context, **workload, facts)
                                  : Result<std::optional<claims::Clearance>>(fail(workload.error()));
  if (clearance && !facts.whose_node.ours()) return;
  if (!clearance) {
    facts.drain = lost(facts, started, clearance.error());
  } else if (!*clearance) {
    facts.drain = drain::StageReport::finished();
  } else {
    facts.drain = on_node(facts, started, {&drain::Drainer::turn, **clearance}, context.deadline);
  }
  for (const std::string& warning : facts.drain->warnings) {
    record_event(*facts.machine, runtime::EventType::Warning, drain::kDrainRulesContradict, warning);
  }
  if (facts.drain->done) {
    record_event(*facts.machine, runtime::EventType::Normal, api::event::kSuccessfulDrainNode,
                 "success draining Machine's node \"" + facts.node + "\"");
  } else if (facts.drain->trouble && !drain::is_our_own_brake(*facts.drain->trouble)) {
    record_event(*facts.machine, runtime::EventType::Warning, api::event::kFailedDrainNode,
                 "error draining Machine's node \"" + facts.node + "\": " + facts.drain->trouble->message);
  }
}

void Deleter::check_volumes(const runtime::Context& context, DeletionFacts& facts) {
  const Time started = facts.marks.wait_for_node_volume_detach_start_time;
  facts.volumes = on_node(facts, started, {&drain::Drainer::check_volumes}, context.deadline);
  if (facts.volumes->done) {
    if (facts.now == started) return;  // nothing was waited for
    record_event(*facts.machine, runtime::EventType::Normal, api::event::kNodeVolumesDetached,
                 "success waiting for node volumes detaching Machine's node \"" + facts.node + "\"");
  } else if (facts.volumes->trouble && !drain::is_our_own_brake(*facts.volumes->trouble)) {
    record_event(*facts.machine, runtime::EventType::Warning, api::event::kFailedWaitForVolumeDetach,
                 "error waiting for node volumes detaching, Machine's node \"" + facts.node +
                     "\": " + facts.volumes->trouble->message);
  }
}

void Deleter::remove_node(const runtime::Context& context, DeletionFacts& facts) {
  const kube::ObjectKey machine = kube::key_of(*facts.machine);
  const Result<void> removed = try_to_remove_node(context, facts);
  if (removed) {
    facts.node_deletion = drain::StageReport::finished();
    return;
  }
  facts.node_deletion = trouble(removed.error());
  facts.node_deletion_tried_for = trying_for(machine);
  if (drain::is_our_own_brake(removed.error())) return;
  record_event(*facts.machine, runtime::EventType::Warning, api::event::kFailedDeleteNode,
               "error deleting Machine's node \"" + facts.node + "\": " + removed.error().message);
}

Result<void> Deleter::try_to_remove_node(const runtime::Context& context, DeletionFacts& facts) {
  const auto workload = TRY(deps_.workload_clusters.get(cluster_of(*facts.machine)));
  const auto clearance = TRY(clear_node(context, *workload, facts));
  if (!clearance) return {};
  return remove_the_node(*workload, facts.node, *clearance, context.deadline);
}

Seconds Deleter::trying_for(const kube::ObjectKey& machine) {
  const SteadyTime now = deps_.clock.steady_now();
  const SteadyTime since = node_deletions_.with(
      [&](auto& deletions) { return deletions.try_emplace(machine, now).first->second; });
  return std::chrono::floor<Seconds>(now - since);
}

void Deleter::record_event(const api::Machine& machine, runtime::EventType type, std::string_view reason,
                           std::string_view message) {
  deps_.events.record(runtime::reference_to(kube::resource_of<api::Machine>(), machine.metadata), type,
                      reason, message);
}

}  // namespace capstan::controllers::machine
