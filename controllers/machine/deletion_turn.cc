#include "controllers/machine/deletion_turn.h"

#include <boost/json.hpp>

#include "api/contract/plural.h"
#include "api/names.h"
#include "base/safeguards.h"
#include "base/try.h"
#include "controllers/claims/removal.h"
#include "controllers/drain/drain_message.h"
#include "controllers/drain/eviction.h"
#include "controllers/drain/pace.h"
#include "controllers/machine/observe.h"
#include "controllers/machine/other_kinds.h"
#include "controllers/shared/note.h"
#include "controllers/shared/turn_steps.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "runtime/note.h"

namespace capstan::controllers::machine {

struct StepContext {
  const ActContext& with;
  Memory& memory;
  const DeletionObjects& objects;
  DeletionFacts& facts;  // each act leaves one behind

  kube::ObjectKey machine() const { return kube::key_of(*facts.machine); }
  kube::Client& client() const { return with.deps.client; }
  const Deadline& deadline() const { return with.context.deadline; }
};

namespace {

using api::NoteCode;
using Do = Step::Act;

void confirm_infrastructure(const StepContext& at);
struct Removal {
  Stage stage;
  const std::optional<runtime::External>& object;
  Known& known;
  std::optional<Error>& failed;
};
void remove(const StepContext& at, const Removal& removal);
Result<std::optional<claims::Clearance>> clear_node(const StepContext& at,
                                                    kubeconfig::WorkloadCluster& workload);
void remove_node(const StepContext& at);
void record_event(const StepContext& at, NoteCode code, std::string text);
void end_by_force(const StepContext& at, const drain::ByForce& by_force);
void record_given_up(const StepContext& at, const drain::StageReport& report);
void record_attachments(const StepContext& at);

constexpr std::size_t kNamesShown = 10;  // in an Event

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

// A bootstrap object without finalizers is gone with the DELETE. Should it have got one just now, nothing but
// data outlives the Machine; a VM is always waited for.
bool goes_at_once(Stage stage, const api::contract::ContractObject& object) {
  return stage == Stage::DeleteBootstrap && object.metadata.finalizers->empty();
}

kube::ObjectKey cluster_of(const api::Machine& machine) {
  return {machine.metadata.namespace_.str(), machine.spec.cluster_name.str()};
}

drain::ForceRules force_rules(const DeletionFacts& facts) {
  drain::ForceRules rules{.why = std::string(why_by_force(facts)), .reached_since = facts.reached_since};
  if (facts.choices.not_ready_seconds) rules.not_ready_for = Seconds(*facts.choices.not_ready_seconds);
  return rules;
}

std::optional<Seconds> eviction_time(const DeletionFacts& facts) {
  const auto& seconds = facts.choices.eviction_seconds;
  return seconds ? std::optional(Seconds(*seconds)) : std::nullopt;
}

constexpr Seconds kForbiddenPause{60};  // of the drain of a preserved Machine's Node

drain::StageReport trouble(Error error) { return {.recheck = Seconds(20), .trouble = std::move(error)}; }

// An object that only a live look shows has no cache for which the consistency gate could wait.
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
    : drainer_({.clock = deps.clock,
                .threads = deps.threads,
                .wake =
                    [this](const kube::ObjectKey& key) {
                      if (host_) host_->queue.add(key);
                    },
                .metrics = deps.metrics}) {}

void Deleter::bind(const Host& host) { host_.emplace(host); }

void Deleter::forget(const kube::ObjectKey& machine) { drainer_.forget(machine); }

void Deleter::interrupt(const kube::ObjectKey& machine) { drainer_.stop_watching(machine); }

void Deleter::stop_drains() { drainer_.stop(); }

DeletionTurn Deleter::turn(const ActContext& with, Memory& memory, const DeletionObjects& objects,
                           DeletionFacts facts) {
  const StepContext at{.with = with, .memory = memory, .objects = objects, .facts = facts};
  memory.deletions.recall(facts);
  for (;;) {
    Step step = next_step(facts);
    log_plan(with.context.log, step);
    facts.marks = step.marks;
    if (step.answer == Step::Answer::Wait || step.act == Do::RemoveFinalizer) {
      end_of_drain(step, at.machine());
      return {.facts = std::move(facts), .step = std::move(step)};
    }
    act(at, step);
  }
}

drain::StageReport Deleter::empty(const ActContext& with, Memory& memory, DeletionFacts facts) {
  const DeletionObjects none;
  const StepContext at{.with = with, .memory = memory, .objects = none, .facts = facts};
  facts.cordons = false;
  facts.choices.by_force.clear();  // that is for its deletion
  const NodeVerdict verdict = may_delete_node(facts);
  if (verdict.state == NodeVerdict::State::Unknown)
    return trouble({.code = Code::Unavailable, .message = verdict.why});
  if (verdict.state == NodeVerdict::State::NotAllowed)
    return {.message = "it waits: " + verdict.why, .recheck = kForbiddenPause};
  if (!drain_is_over(facts)) drain(at);
  drain::StageReport report = facts.drain.value_or(drain::StageReport::finished());
  if (report.done) drainer_.forget(at.machine());
  return report;
}

// What was learnt of a drain serves the look at volumes; its watches end with it, however it ended.
void Deleter::end_of_drain(const Step& step, const kube::ObjectKey& machine) {
  if (step.stage > Stage::VolumesDetached) return drainer_.forget(machine);
  if (step.stage == Stage::VolumesDetached) return drainer_.stop_watching_pods(machine);
  if (step.stage != Stage::Drain) drainer_.stop_watching(machine);
}

// Every act leaves a fact behind, so that the next step is another one.
void Deleter::act(const StepContext& at, const Step& step) {
  const auto& [with, memory, objects, facts] = at;
  switch (step.act) {
    case Do::ConfirmClusterGone: return confirm_cluster(at.client(), facts, at.deadline());
    case Do::ConfirmControlPlaneGone:
      return confirm(at.client(), objects.control_plane, facts.control_plane.object, at.deadline());
    case Do::ConfirmInfraGone: return confirm_infrastructure(at);
    case Do::ConfirmBootstrapGone:
      return confirm(at.client(), objects.bootstrap, facts.bootstrap, at.deadline());
    case Do::Drain: return drain(at);
    case Do::CheckVolumes: return check_volumes(at);
    case Do::DeleteAttachments: return delete_attachments(at);
    case Do::DeleteInfra:
      return remove(at,
                    {step.stage, objects.infrastructure, facts.infrastructure, facts.infrastructure_trouble});
    case Do::DeleteBootstrap:
      return remove(at, {step.stage, objects.bootstrap, facts.bootstrap, facts.bootstrap_trouble});
    case Do::DeleteNode: return remove_node(at);
    case Do::RemoveFinalizer:
    case Do::None: return;
  }
}

void Deleter::drain(const StepContext& at) {
  DeletionFacts& facts = at.facts;
  const Time started = facts.marks.node_drain_start_time;
  const auto workload = at.with.deps.workload_clusters.get(cluster_of(*facts.machine));
  const auto clearance = workload ? clear_node(at, **workload)
                                  : Result<std::optional<claims::Clearance>>(fail(workload.error()));
  if (clearance && !facts.whose_node.ours()) return;
  if (!clearance) {
    facts.drain = lost(at, started, clearance.error());
  } else if (!*clearance) {
    facts.drain = drain::StageReport::finished();
  } else {
    facts.drain = on_node(at, started, {&drain::Drainer::turn, *clearance});
  }
  for (const std::string& warning : facts.drain->warnings) {
    record_event(at, NoteCode::DrainRulesContradict, warning);
  }
  record_given_up(at, *facts.drain);
  const bool in_vain = facts.drain->trouble && !drain::is_our_own_brake(*facts.drain->trouble);
  if (in_vain && !why_by_force(facts).empty())
    facts.force_tried_for = at.memory.deletions.force_in_vain_for(at.machine());
  if (facts.drain->by_force) {
    end_by_force(at, *facts.drain->by_force);
  } else if (facts.drain->done) {
    record_event(at, NoteCode::NodeDrained, "success draining Machine's node \"" + facts.node + "\"");
  } else if (in_vain) {
    record_event(at, NoteCode::NodeNotDrained,
                 "error draining Machine's node \"" + facts.node + "\": " + facts.drain->trouble->message);
  }
}

void Deleter::check_volumes(const StepContext& at) {
  DeletionFacts& facts = at.facts;
  const Time started = facts.marks.wait_for_node_volume_detach_start_time;
  facts.volumes = on_node(at, started, {&drain::Drainer::check_volumes});
  if (facts.volumes->done) {
    if (facts.now == started) return;  // nothing was waited for
    record_event(at, NoteCode::NodeVolumesDetached,
                 "success waiting for node volumes detaching Machine's node \"" + facts.node + "\"");
  } else if (facts.volumes->trouble && !drain::is_our_own_brake(*facts.volumes->trouble)) {
    record_event(at, NoteCode::NodeVolumesNotDetached,
                 "error waiting for node volumes detaching, Machine's node \"" + facts.node +
                     "\": " + facts.volumes->trouble->message);
  }
}

void Deleter::delete_attachments(const StepContext& at) {
  DeletionFacts& facts = at.facts;
  const auto workload = at.with.deps.workload_clusters.get(cluster_of(*facts.machine));
  const auto clearance = workload ? clear_node(at, **workload)
                                  : Result<std::optional<claims::Clearance>>(fail(workload.error()));
  if (clearance && !facts.whose_node.ours()) return;
  if (!clearance) {
    facts.attachments = trouble(clearance.error());
  } else if (!*clearance) {
    facts.attachments = drain::StageReport::finished();
  } else {
    facts.attachments = on_node(at, facts.now, {&drain::Drainer::delete_attachments, *clearance});
  }
  record_attachments(at);
}

drain::StageReport Deleter::on_node(const StepContext& at, Time started, const OnNode& stage) {
  const DeletionFacts& facts = at.facts;
  const Deps& deps = at.with.deps;
  auto workload = deps.workload_clusters.get(cluster_of(*facts.machine));
  if (!workload) return lost(at, started, workload.error());
  return (drainer_.*stage.turn)(
      {.machine = *facts.machine,
       .cluster = *facts.cluster,
       .rules = deps.caches.drain_rules_in(facts.machine->metadata.namespace_.view()),
       .workload = *workload,
       .node = facts.node,
       .clearance = stage.clearance,
       .started = started,
       .now = facts.now,
       .force = force_rules(facts),
       .cordons = facts.cordons,
       .explain_budgets = facts.choices.explain_budgets,
       .eviction_time = eviction_time(facts),
       .volumes_in_turn = facts.choices.volumes_in_turn,
       .vm_is_gone = facts.infrastructure.is_gone()},
      at.deadline());
}

drain::StageReport Deleter::lost(const StepContext& at, Time started, const Error& error) {
  drainer_.forget(at.machine());
  drain::StageReport report = trouble(error);
  report.recheck = drain::pause_after(at.facts.now - started);
  return report;
}

namespace {

// --- objects of providers ---

// The object that the reference names is not there, and this Machine has sent no DELETE for it: the instance
// of the Machine may be behind another object.
bool may_be_elsewhere(const DeletionFacts& facts) {
  if (facts.infrastructure.state == Known::State::Undefined) return true;
  return !facts.machine->spec.provider_id.empty() && !delete_of_infrastructure_was_sent(facts);
}

// A reference that was edited, or a typo: the object may be there under the kind or name that was meant.
void confirm_infrastructure(const StepContext& at) {
  Known& known = at.facts.infrastructure;
  const bool elsewhere = may_be_elsewhere(at.facts);
  confirm(at.client(), at.objects.infrastructure, known, at.deadline());
  if (!elsewhere || known.state != Known::State::Gone || is_off(Safeguard::OtherKinds)) return;
  const auto other =
      other_infrastructure(at.client(), at.with.deps.caches.crds, *at.facts.machine, at.deadline());
  if (!other) {
    known.state = Known::State::Unknown;
    known.problem = other.error().message;
  } else if (!other->empty()) {
    known.state = Known::State::Elsewhere;
    known.problem = *other;
  }
}

claims::Server server(const StepContext& at) {
  return {.caches = at.with.deps.caches, .client = at.client(), .deadline = at.deadline()};
}

Result<void> try_to_remove(const StepContext& at, const runtime::External& object) {
  const auto clearance =
      TRY(claims::clear_referred(server(at), object.resource, object.object->metadata,
                                 {.kind = api::kind::kMachine, .metadata = at.facts.machine->metadata}));
  return remove_object({.client = at.client(),
                        .consistency = at.with.host.consistency,
                        .key = at.machine(),
                        .deadline = at.deadline()},
                       object, clearance);
}

void remove(const StepContext& at, const Removal& removal) {
  const std::string& kind = removal.known.kind;
  const auto& object = removal.object;
  if (!object || !object->object) {
    removal.failed = Error{.code = Code::Unavailable, .message = kind + " is not in the cache"};
    return;
  }
  const Result<void> removed = try_to_remove(at, *object);
  if (!removed) {
    at.memory.deletions.delete_failed(at.machine());
    removal.failed = removed.error();
    return;
  }
  removal.known.state =
      goes_at_once(removal.stage, *object->object) ? Known::State::Gone : Known::State::Deleting;
  at.facts.delete_sent = removal.stage;
  at.memory.deletions.delete_was_sent(at.facts);
  at.with.context.log.info("deleting", {{"kind", kind}, {"name", object->key.describe()}});
}

// --- the workload cluster ---

// Nothing: there is no Node, or it is not the Machine's; then the facts say so.
Result<std::optional<claims::Clearance>> clear_node(const StepContext& at,
                                                    kubeconfig::WorkloadCluster& workload) {
  DeletionFacts& facts = at.facts;
  const auto node = TRY(the_node(workload, facts, at.deadline()));
  if (!node) return std::optional<claims::Clearance>();
  auto answer = TRY(claims::clear_node(server(at), at.with.host.externals, instance_of(*facts.machine, *node),
                                       {.machine = facts.machine}));
  if (!answer.clearance) {
    facts.whose_node = {.whose = claims::Verdict::Whose::Anothers, .why = std::move(answer.why_not)};
  }
  return std::move(answer.clearance);
}

Result<void> try_to_remove_node(const StepContext& at) {
  const auto workload = TRY(at.with.deps.workload_clusters.get(cluster_of(*at.facts.machine)));
  const auto clearance = TRY(clear_node(at, *workload));
  if (!clearance) return {};
  return remove_the_node(*workload, at.facts.node, *clearance, at.deadline());
}

void remove_node(const StepContext& at) {
  DeletionFacts& facts = at.facts;
  const Result<void> removed = try_to_remove_node(at);
  if (removed) {
    facts.node_deletion = drain::StageReport::finished();
    return;
  }
  facts.node_deletion = trouble(removed.error());
  facts.node_deletion_tried_for = at.memory.deletions.node_refused_for(at.machine());
  if (drain::is_our_own_brake(removed.error())) return;
  record_event(at, NoteCode::NodeNotDeleted,
               "error deleting Machine's node \"" + facts.node + "\": " + removed.error().message);
}

// Volumes of Pods that no kubelet has ended would stay attached until the VM is gone. A drain that was out of
// time has kubelets that can end them: its volumes are waited for.
void end_by_force(const StepContext& at, const drain::ByForce& by_force) {
  DeletionFacts& facts = at.facts;
  if (!is_out_of_time(facts)) facts.volumes = drain::StageReport::finished();
  const std::string pods = by_force.pods.empty()
                               ? "no Pod was left"
                               : "deleted Pods " + drain::some_of(by_force.pods, kNamesShown);
  record_event(at, NoteCode::NodeDrainedByForce,
               "drained Machine's node \"" + facts.node + "\" by force (" + by_force.why + "): " + pods);
}

void record_given_up(const StepContext& at, const drain::StageReport& report) {
  if (report.given_up.empty()) return;
  record_event(at, NoteCode::EvictionsGivenUp,
               "deleted Pods " + drain::some_of(report.given_up, kNamesShown) + " of Machine's node \"" +
                   at.facts.node + "\": their evictions are still refused after the time of the policy's " +
                   "drain.evictionRetries");
}

void record_attachments(const StepContext& at) {
  DeletionFacts& facts = at.facts;
  const drain::StageReport& report = *facts.attachments;
  if (!report.detached.empty()) {
    record_event(at, NoteCode::VolumeAttachmentsDeleted,
                 "deleted VolumeAttachments " + drain::some_of(report.detached, kNamesShown) +
                     " of Machine's node \"" + facts.node + "\"");
  }
  if (!report.trouble || drain::is_our_own_brake(*report.trouble)) return;
  facts.attachments_tried_for = at.memory.deletions.attachments_in_vain_for(at.machine());
  record_event(at, NoteCode::VolumeAttachmentsNotDeleted,
               "error deleting VolumeAttachments of Machine's node \"" + facts.node +
                   "\": " + report.trouble->message);
}

void record_event(const StepContext& at, NoteCode code, std::string text) {
  record_note(at.with.deps.events,
              runtime::reference_to(kube::resource_of<api::Machine>(), at.facts.machine->metadata),
              {.code = code, .text = std::move(text)});
}

}  // namespace
}  // namespace capstan::controllers::machine
