#include "controllers/machine/deletion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/conditions/conditions.h"
#include "api/conditions/v1beta1.h"
#include "api/names.h"
#include "base/safeguards.h"
#include "controllers/drain/eviction.h"
#include "controllers/drain/pace.h"
#include "controllers/machine/hooks.h"

namespace capstan::controllers::machine {
namespace {

namespace reason = api::reason;
using Do = Step::Act;

// What a stage says of itself.
struct Answer {
  enum class Kind { Done, Act, Wait };
  Kind kind = Kind::Done;
  Do act = Do::None;
  std::string_view reason = {};
  std::string message = {};
  std::optional<Seconds> recheck = {};
  std::optional<Error> trouble = {};
};

Answer done() { return {}; }
Answer wait(std::string_view why, std::string message, std::optional<Seconds> recheck = {}) {
  return {.kind = Answer::Kind::Wait, .reason = why, .message = std::move(message), .recheck = recheck};
}
Answer ask(Do act) {
  return {.kind = Answer::Kind::Act, .act = act, .reason = reason::kDeleting, .message = "Deletion started"};
}

Answer begin(const DeletionFacts& facts, api::MachineDeletionStatus& marks);
Answer pre_drain(const DeletionFacts& facts, api::MachineDeletionStatus& marks);
Answer drain(const DeletionFacts& facts, api::MachineDeletionStatus& marks);
Answer volumes(const DeletionFacts& facts, api::MachineDeletionStatus& marks);
Answer pre_terminate(const DeletionFacts& facts, api::MachineDeletionStatus& marks);
Answer take_attachments(const DeletionFacts& facts, api::MachineDeletionStatus& marks);
Answer delete_attachments(const DeletionFacts& facts, api::MachineDeletionStatus& marks);
Answer infrastructure(const DeletionFacts& facts, api::MachineDeletionStatus& marks);
Answer bootstrap(const DeletionFacts& facts, api::MachineDeletionStatus& marks);
Answer node(const DeletionFacts& facts, api::MachineDeletionStatus& marks);
Answer finalizer(const DeletionFacts& facts, api::MachineDeletionStatus& marks);
std::string with_remarks(std::string message, const DeletionFacts& facts);

struct StageRow {
  Stage stage;
  std::string_view name;
  Answer (*answer)(const DeletionFacts&, api::MachineDeletionStatus&);
};
constexpr std::array kStages = {
    StageRow{Stage::Begin, "Begin", begin},
    StageRow{Stage::PreDrainHooks, "PreDrainHooks", pre_drain},
    StageRow{Stage::Drain, "Drain", drain},
    StageRow{Stage::VolumesDetached, "VolumesDetached", volumes},
    StageRow{Stage::PreTerminateHooks, "PreTerminateHooks", pre_terminate},
    StageRow{Stage::TakeAttachments, "TakeAttachments", take_attachments},
    StageRow{Stage::DeleteInfra, "DeleteInfra", infrastructure},
    StageRow{Stage::DeleteBootstrap, "DeleteBootstrap", bootstrap},
    StageRow{Stage::DeleteAttachments, "DeleteAttachments", delete_attachments},
    StageRow{Stage::DeleteNode, "DeleteNode", node},
    StageRow{Stage::RemoveFinalizer, "RemoveFinalizer", finalizer},
};

std::string_view in_words(Step::Act act) {
  switch (act) {
    case Step::Act::None: return {};
    case Step::Act::ConfirmClusterGone: return "ask whether its Cluster is gone";
    case Step::Act::ConfirmControlPlaneGone: return "ask whether its control plane is gone";
    case Step::Act::Drain: return "drain its Node";
    case Step::Act::CheckVolumes: return "look for volumes of its Node";
    case Step::Act::DeleteAttachments: return "delete the VolumeAttachments of its Node";
    case Step::Act::DeleteInfra: return "delete its infrastructure object";
    case Step::Act::ConfirmInfraGone: return "ask whether its infrastructure object is gone";
    case Step::Act::DeleteBootstrap: return "delete its bootstrap object";
    case Step::Act::ConfirmBootstrapGone: return "ask whether its bootstrap object is gone";
    case Step::Act::DeleteNode: return "delete its Node";
    case Step::Act::RemoveFinalizer: return "take its finalizer off";
  }
  return {};
}

}  // namespace

std::string_view to_string(Stage stage) { return kStages.at(static_cast<std::size_t>(stage)).name; }

std::vector<std::string> describe(const Step& step) {
  const std::string_view deed = in_words(step.act);
  if (deed.empty()) return {};
  return {fmt::format("deletion, stage {}: {}", to_string(step.stage), deed)};
}

Step next_step(const DeletionFacts& facts) {
  api::MachineDeletionStatus marks = facts.marks;
  for (const StageRow& row : kStages) {
    Answer answer = row.answer(facts, marks);
    if (answer.kind == Answer::Kind::Done) continue;
    return {.stage = row.stage,
            .answer = answer.kind == Answer::Kind::Act ? Step::Answer::Act : Step::Answer::Wait,
            .act = answer.act,
            .reason = answer.reason,
            .message = with_remarks(std::move(answer.message), facts),
            .recheck = answer.recheck,
            .trouble = std::move(answer.trouble),
            .marks = marks};
  }
  return {.stage = Stage::RemoveFinalizer,
          .answer = Step::Answer::Act,
          .act = Do::RemoveFinalizer,
          .marks = marks};
}

// --- is the Node to be touched at all? ---

NodeVerdict may_delete_node(const DeletionFacts& facts) {
  using State = NodeVerdict::State;
  const auto no = [](std::string why) {
    return NodeVerdict{.state = State::NotAllowed, .why = std::move(why)};
  };
  const auto unknown = [](std::string why, Do ask) {
    return NodeVerdict{.state = State::Unknown, .why = std::move(why), .ask = ask};
  };
  switch (facts.cluster_known.state) {
    case Known::State::Missing: return unknown("the Cluster is not in the cache", Do::ConfirmClusterGone);
    case Known::State::Unknown:
    case Known::State::Undefined:
    case Known::State::Elsewhere: return unknown(facts.cluster_known.problem, Do::None);
    case Known::State::None:
    case Known::State::Gone: return no("the Cluster is gone");
    case Known::State::Deleting: return no("the Cluster is being deleted");
    case Known::State::Present:
      if (facts.cluster != nullptr && facts.cluster->metadata.deleting())
        return no("the Cluster is being deleted");
      break;
  }
  if (!facts.not_its_own.empty()) return no(facts.not_its_own);
  if (facts.node.empty()) {
    return no(facts.node_problem.empty() ? "the Machine has no Node"
                                         : "no Node found: " + facts.node_problem);
  }
  const auto& mine = facts.machine->spec.provider_id;
  if (!facts.node_provider_id.empty() && !mine.empty() && mine != std::string_view(facts.node_provider_id)) {
    return no("the Node " + facts.node + " belongs to another instance");
  }
  if (facts.whose_node.whose == claims::Verdict::Whose::Unknown)
    return unknown(facts.whose_node.why, Do::None);
  if (!facts.whose_node.ours()) return no(facts.whose_node.why);
  const Known& control_plane = facts.control_plane.object;
  switch (control_plane.state) {
    case Known::State::Unknown:
    case Known::State::Elsewhere: return unknown(control_plane.problem, Do::None);
    case Known::State::Deleting: return no("the control plane is being deleted");
    case Known::State::Present:
      if (facts.control_plane.externally_managed) return {.state = State::Allowed};
      break;
    case Known::State::Missing:
    case Known::State::Undefined:
      if (facts.control_plane.active_machines == 0) {
        return unknown(control_plane.kind + " is not in the cache", Do::ConfirmControlPlaneGone);
      }
      break;
    case Known::State::None:
    case Known::State::Gone: break;
  }
  if (facts.control_plane.active_machines == 0) return no("no control plane Machine is left");
  return {.state = State::Allowed};
}

namespace {

// What is unusual about this deletion is said as long as it lasts; what is said already is not said again.
std::string with_remarks(std::string message, const DeletionFacts& facts) {
  std::vector<std::string> remarks = facts.choices.ignored;
  std::string_view force = facts.choices.by_force;
  if (force.empty() && facts.drain && facts.drain->by_force) force = facts.drain->by_force->why;
  if (!force.empty()) remarks.push_back(fmt::format("drain by force: {}", force));
  for (const std::string& remark : remarks) {
    const std::string line = "\n* " + remark;
    if (!message.contains(line)) message += line;
  }
  return message;
}

bool node_allowed(const DeletionFacts& facts) {
  return may_delete_node(facts).state == NodeVerdict::State::Allowed;
}

constexpr std::string_view kSeeLogs = "Please check controller logs for errors";

Answer stuck(std::string_view why, std::string message, Error trouble) {
  message += "\n* " + trouble.message;
  Answer answer = wait(why, std::move(message));
  answer.trouble = std::move(trouble);
  return answer;
}

Answer begin(const DeletionFacts& facts, api::MachineDeletionStatus&) {
  const NodeVerdict verdict = may_delete_node(facts);
  if (verdict.state != NodeVerdict::State::Unknown) return done();
  if (verdict.ask != Do::None) return ask(verdict.ask);
  return stuck(reason::kInternalError, std::string(kSeeLogs),
               {.code = Code::Unavailable, .message = verdict.why});
}

// --- hooks ---

Answer pre_drain(const DeletionFacts& facts, api::MachineDeletionStatus& marks) {
  if (!node_allowed(facts)) return done();
  const auto hooks = pre_drain_hooks(facts.machine->metadata);
  if (hooks.empty()) return done();
  if (!marks.wait_for_pre_drain_hook_start_time.is_set())
    marks.wait_for_pre_drain_hook_start_time = facts.now;
  return wait(reason::kWaitingForPreDrainHook,
              fmt::format("Waiting for pre-drain hooks to succeed (hooks: {})", joined(hooks)));
}

Answer pre_terminate(const DeletionFacts& facts, api::MachineDeletionStatus& marks) {
  const auto hooks = pre_terminate_hooks(facts.machine->metadata);
  if (hooks.empty()) return done();
  if (!marks.wait_for_pre_terminate_hook_start_time.is_set())
    marks.wait_for_pre_terminate_hook_start_time = facts.now;
  return wait(reason::kWaitingForPreTerminateHook,
              fmt::format("Waiting for pre-terminate hooks to succeed (hooks: {})", joined(hooks)));
}

// --- drain and volumes ---

// When a timeout that began at `since` is over; nothing: never.
std::optional<Time> end_of(Time since, std::optional<std::int32_t> timeout) {
  if (!since.is_set() || timeout.value_or(0) <= 0) return {};
  return since + Seconds(*timeout);
}

bool is_over(Time now, const std::optional<Time>& end) { return end && now >= *end; }

// Not later than the timeout, so that it is noticed when it is over.
Seconds no_later(Seconds recheck, Time now, const std::optional<Time>& end) {
  return end && *end > now ? std::min(recheck, *end - now) : recheck;
}

std::optional<Time> drain_end(const DeletionFacts& facts) {
  return end_of(facts.marks.node_drain_start_time, drain::drain_timeout(*facts.machine, facts.choices));
}

// What can't be deleted within a minute is left running, as after the timeout of an ordinary drain.
constexpr Seconds kForceTries{60};

bool force_is_in_vain(const DeletionFacts& facts) { return facts.force_tried_for >= kForceTries; }

std::optional<Time> volume_end(const DeletionFacts& facts) {
  return end_of(facts.marks.wait_for_node_volume_detach_start_time,
                facts.machine->spec.deletion.node_volume_detach_timeout_seconds);
}

bool v1beta1_is_true(const api::Machine& machine, std::string_view type) {
  const auto& deprecated = machine.status.deprecated;
  return deprecated && deprecated->v1beta1 &&
         api::conditions::v1beta1::is_true(deprecated->v1beta1->conditions, type);
}

std::string_view last_reason(const api::Machine& machine) {
  const auto deleting = api::conditions::find(machine.status.conditions, api::condition::kDeleting);
  return deleting == nullptr ? std::string_view() : deleting->reason.view();
}

// In this turn or one before, the object was seen and a DELETE was sent for it.
bool delete_was_sent(const DeletionFacts& facts, Stage stage) {
  if (facts.delete_sent && *facts.delete_sent >= stage) return true;
  const auto last = last_reason(*facts.machine);
  if (last == reason::kWaitingForBootstrapDeletion || last == reason::kDeletingNode ||
      last == reason::kDeletionCompleted) {
    return true;
  }
  return stage == Stage::DeleteInfra && last == reason::kWaitingForInfrastructureDeletion;
}

// Draining makes sense as long as there is a machine under the Node that is not being deleted.
std::optional<Answer> without_infrastructure(const DeletionFacts& facts) {
  switch (facts.infrastructure.state) {
    case Known::State::Present:
    case Known::State::Elsewhere: return {};
    case Known::State::Undefined: return ask(Do::ConfirmInfraGone);
    case Known::State::Missing:
      if (delete_was_sent(facts, Stage::DeleteInfra)) return done();
      return ask(Do::ConfirmInfraGone);
    case Known::State::Unknown:
      return stuck(reason::kInternalError, std::string(kSeeLogs),
                   {.code = Code::Unavailable, .message = facts.infrastructure.problem});
    case Known::State::None:
    case Known::State::Gone:
    case Known::State::Deleting: return done();
  }
  return {};
}

// What to say while caches are behind and nothing may be done: the same as before.
Answer stale(const DeletionFacts& facts, std::string_view why, std::string_view message) {
  const auto before = api::conditions::find(facts.machine->status.conditions, api::condition::kDeleting);
  const bool same = before != nullptr && before->reason == why;
  return wait(why, same ? before->message.str() : std::string(message), Seconds(1));
}

constexpr Seconds kFreePlaceRecheck{1};

// Too many of us ask this workload cluster at the moment: no failure, but what the Machine waits for.
Answer wait_for_a_free_place(const DeletionFacts& facts, std::string_view why, const Error& crowded_out) {
  return wait(
      why,
      fmt::format("Waiting for a free place at the API server of Cluster {}: other Machines of it are "
                  "asking there",
                  facts.machine->spec.cluster_name.view()),
      crowded_out.retry_after.value_or(kFreePlaceRecheck));
}

struct Slow {
  const drain::StageReport& report;
  std::string_view reason;
  std::string_view on_error;
  Seconds recheck;
};

Answer slow(const DeletionFacts& facts, const Slow& stage) {
  const drain::StageReport& report = stage.report;
  if (report.done) return done();
  if (!report.trouble) return wait(stage.reason, report.message, stage.recheck);
  if (drain::is_our_own_brake(*report.trouble))
    return wait_for_a_free_place(facts, stage.reason, *report.trouble);
  Answer answer = stuck(stage.reason, std::string(stage.on_error), *report.trouble);
  answer.recheck = stage.recheck;
  return answer;
}

constexpr Seconds kDrainBrakeRecheck{15};

// Its time does not run meanwhile: the drain begins anew.
Answer hold_drain(const DeletionFacts& facts, api::MachineDeletionStatus& marks) {
  marks.node_drain_start_time = {};
  return wait(reason::kDrainingNode, "The drain is held: " + facts.drain_held, kDrainBrakeRecheck);
}

Answer drain(const DeletionFacts& facts, api::MachineDeletionStatus& marks) {
  if (!node_allowed(facts) || drain_is_over(facts)) return done();
  if (auto answer = without_infrastructure(facts)) return *answer;
  if (!facts.drain_held.empty()) return hold_drain(facts, marks);
  if (!marks.node_drain_start_time.is_set()) marks.node_drain_start_time = facts.now;
  if (!facts.drain) {
    if (!facts.fresh)
      return stale(facts, reason::kDrainingNode, "Waiting for caches before draining the Node");
    return {.kind = Answer::Kind::Act,
            .act = Do::Drain,
            .reason = reason::kDrainingNode,
            .message = "Draining the node before deletion"};
  }
  return slow(facts, {.report = *facts.drain,
                      .reason = reason::kDrainingNode,
                      .on_error = "Error draining Node, please check controller logs for errors",
                      .recheck = no_later(facts.drain->recheck, facts.now, drain_end(facts))});
}

Answer volumes(const DeletionFacts& facts, api::MachineDeletionStatus& marks) {
  if (!node_allowed(facts) || volume_wait_is_over(facts)) return done();
  if (auto answer = without_infrastructure(facts)) return *answer;
  if (!marks.wait_for_node_volume_detach_start_time.is_set())
    marks.wait_for_node_volume_detach_start_time = facts.now;
  if (!facts.volumes) {
    return {.kind = Answer::Kind::Act,
            .act = Do::CheckVolumes,
            .reason = reason::kWaitingForVolumeDetach,
            .message = "Waiting for node volumes to be detached"};
  }
  return slow(
      facts,
      {.report = *facts.volumes,
       .reason = reason::kWaitingForVolumeDetach,
       .on_error =
           "Error waiting for volumes to be detached from Node, please check controller logs for errors",
       .recheck = no_later(facts.volumes->recheck, facts.now, volume_end(facts))});
}

constexpr Seconds kAttachmentsRetry{2};

// What can't be deleted within a minute is left to the controllers of the workload cluster.
bool wants_attachments_gone(const DeletionFacts& facts) {
  return facts.choices.deletes_attachments && facts.attachments_tried_for < kForceTries &&
         node_allowed(facts);
}

Answer attachments(const DeletionFacts& facts, std::string_view why) {
  if (facts.attachments) {
    return slow(facts, {.report = *facts.attachments,
                        .reason = why,
                        .on_error = "Error deleting VolumeAttachments of the Node, please check controller "
                                    "logs for errors",
                        .recheck = kAttachmentsRetry});
  }
  constexpr std::string_view kMessage = "Deleting VolumeAttachments of the Node";
  if (!facts.fresh) return stale(facts, why, kMessage);
  return {.kind = Answer::Kind::Act,
          .act = Do::DeleteAttachments,
          .reason = why,
          .message = std::string(kMessage)};
}

// A VM that runs may still write to its volumes; that of a Node out of reach may be long in going.
Answer take_attachments(const DeletionFacts& facts, api::MachineDeletionStatus&) {
  const bool may_go = facts.node_unreachable || is_off(Safeguard::AttachmentsAwaitVm);
  if (!may_go || !wants_attachments_gone(facts)) return done();
  return attachments(facts, reason::kWaitingForVolumeDetach);
}

// The VM is gone with its object, which the API server has to confirm.
Answer delete_attachments(const DeletionFacts& facts, api::MachineDeletionStatus&) {
  if (!wants_attachments_gone(facts)) return done();
  if (facts.infrastructure.state == Known::State::Missing) return ask(Do::ConfirmInfraGone);
  return facts.infrastructure.is_gone() ? attachments(facts, reason::kDeletingNode) : done();
}

// --- objects of providers ---

constexpr Seconds kElsewhereRecheck{30};

struct Provided {
  const Known& known;
  const std::optional<Error>& trouble;
  Stage stage;
  std::string_view reason;
  Do remove;
  Do confirm;
};

Answer provided(const DeletionFacts& facts, const Provided& object) {
  const std::string waiting = "Waiting for " + object.known.kind + " to be deleted";
  switch (object.known.state) {
    case Known::State::None:
    case Known::State::Gone: return done();
    case Known::State::Missing:
      if (delete_was_sent(facts, object.stage)) return done();
      return {.kind = Answer::Kind::Act, .act = object.confirm, .reason = object.reason, .message = waiting};
    case Known::State::Unknown:
      return stuck(reason::kInternalError, std::string(kSeeLogs),
                   {.code = Code::Unavailable, .message = object.known.problem});
    case Known::State::Undefined:
      return {.kind = Answer::Kind::Act, .act = object.confirm, .reason = object.reason, .message = waiting};
    case Known::State::Elsewhere:
      return wait(
          kInfrastructureElsewhere,
          fmt::format("Waiting for {} to be deleted, which belongs to this Machine although its reference "
                      "names {} {}, which does not exist: correct the reference, or delete that object",
                      object.known.problem, object.known.kind,
                      facts.machine->spec.infrastructure_ref.name.view()),
          kElsewhereRecheck);
    case Known::State::Deleting:
      // No event comes when an object is gone that only a live look shows.
      if (object.known.problem.empty()) return wait(object.reason, waiting);
      return wait(object.reason, waiting + ": " + object.known.problem, kElsewhereRecheck);
    case Known::State::Present: break;
  }
  if (object.trouble) {
    return stuck(reason::kInternalError,
                 "Failed to delete " + object.known.kind + ", please check controller logs for errors",
                 *object.trouble);
  }
  if (!facts.fresh) return stale(facts, object.reason, waiting);
  return {.kind = Answer::Kind::Act, .act = object.remove, .reason = object.reason, .message = waiting};
}

Answer infrastructure(const DeletionFacts& facts, api::MachineDeletionStatus&) {
  return provided(facts, {.known = facts.infrastructure,
                          .trouble = facts.infrastructure_trouble,
                          .stage = Stage::DeleteInfra,
                          .reason = reason::kWaitingForInfrastructureDeletion,
                          .remove = Do::DeleteInfra,
                          .confirm = Do::ConfirmInfraGone});
}

Answer bootstrap(const DeletionFacts& facts, api::MachineDeletionStatus&) {
  return provided(facts, {.known = facts.bootstrap,
                          .trouble = facts.bootstrap_trouble,
                          .stage = Stage::DeleteBootstrap,
                          .reason = reason::kWaitingForBootstrapDeletion,
                          .remove = Do::DeleteBootstrap,
                          .confirm = Do::ConfirmBootstrapGone});
}

// --- the Node object and the end ---

constexpr std::int32_t kNodeDeletionTimeout = 10;  // where no webhook has filled it in
constexpr Seconds kNodeDeletionTries{10};          // at least so long, however late it is
constexpr Seconds kNodeDeletionRetry{2};

bool node_deletion_is_given_up(const DeletionFacts& facts) {
  const auto timeout =
      facts.machine->spec.deletion.node_deletion_timeout_seconds.value_or(kNodeDeletionTimeout);
  return is_over(facts.now, end_of(facts.machine->metadata.deletion_timestamp, timeout)) &&
         facts.node_deletion_tried_for >= kNodeDeletionTries;
}

Answer node(const DeletionFacts& facts, api::MachineDeletionStatus&) {
  if (!node_allowed(facts)) return done();
  if (!facts.node_deletion) {
    if (!facts.fresh)
      return stale(facts, reason::kDeletingNode, "Waiting for caches before deleting the Node");
    return {.kind = Answer::Kind::Act,
            .act = Do::DeleteNode,
            .reason = reason::kDeletingNode,
            .message = "Deleting the Node"};
  }
  if (facts.node_deletion->done || node_deletion_is_given_up(facts)) return done();
  return slow(facts, {.report = *facts.node_deletion,
                      .reason = reason::kDeletingNode,
                      .on_error = "Error deleting Node, please check controller logs for errors",
                      .recheck = kNodeDeletionRetry});
}

Answer finalizer(const DeletionFacts& facts, api::MachineDeletionStatus&) {
  if (!facts.fresh)
    return stale(facts, reason::kDeleting, "Waiting for caches before letting the Machine go");
  return {.kind = Answer::Kind::Act,
          .act = Do::RemoveFinalizer,
          .reason = reason::kDeletionCompleted,
          .message = "Deletion completed"};
}

}  // namespace

bool delete_of_infrastructure_was_sent(const DeletionFacts& facts) {
  return delete_was_sent(facts, Stage::DeleteInfra);
}

bool is_out_of_time(const DeletionFacts& facts) {
  return facts.choices.by_force.empty() && is_over(facts.now, drain_end(facts));
}

std::string_view why_by_force(const DeletionFacts& facts) {
  if (!facts.choices.by_force.empty()) return facts.choices.by_force;
  const bool forces = facts.choices.force_on_timeout && is_out_of_time(facts);
  return forces ? "the drain timeout is over, and the policy's drain.onTimeout is ForceDelete"
                : std::string_view();
}

bool drain_is_over(const DeletionFacts& facts) {
  if (facts.drain && facts.drain->done) return true;
  if (force_is_in_vain(facts)) return true;
  const auto& machine = *facts.machine;
  return machine.metadata.annotations.contains(api::annotation::kExcludeNodeDraining) ||
         facts.marks.wait_for_pre_terminate_hook_start_time.is_set() ||
         facts.marks.wait_for_node_volume_detach_start_time.is_set() ||
         v1beta1_is_true(machine, api::v1beta1_condition::kDrainingSucceeded) ||
         (is_over(facts.now, drain_end(facts)) && why_by_force(facts).empty());
}

bool volume_wait_is_over(const DeletionFacts& facts) {
  if (facts.volumes && facts.volumes->done) return true;
  if (!facts.choices.by_force.empty()) return true;
  const auto& machine = *facts.machine;
  return machine.metadata.annotations.contains(api::annotation::kExcludeWaitForNodeVolumeDetach) ||
         facts.marks.wait_for_pre_terminate_hook_start_time.is_set() ||
         v1beta1_is_true(machine, api::v1beta1_condition::kVolumeDetachSucceeded) ||
         is_over(facts.now, volume_end(facts));
}

// --- the older generation of conditions ---

namespace {

void add_hook(std::vector<api::V1Beta1Condition>& list, std::string_view type,
              const std::vector<std::string>& hooks) {
  namespace older = api::conditions::v1beta1;
  list.push_back(hooks.empty()
                     ? older::yes(type)
                     : older::no(type, api::v1beta1_reason::kWaitingExternalHook, api::severity::kInfo));
}

void add_drain(std::vector<api::V1Beta1Condition>& list, const drain::StageReport& report) {
  namespace older = api::conditions::v1beta1;
  constexpr auto kType = api::v1beta1_condition::kDrainingSucceeded;
  if (report.done) return list.push_back(older::yes(kType));
  const bool failed = report.trouble && !drain::is_our_own_brake(*report.trouble);
  list.push_back(
      failed ? older::no(kType, api::v1beta1_reason::kDrainingFailed, api::severity::kWarning,
                         report.trouble->message)
             : older::no(kType, api::v1beta1_reason::kDraining, api::severity::kInfo, report.message));
}

void add_volumes(std::vector<api::V1Beta1Condition>& list, const drain::StageReport& report) {
  namespace older = api::conditions::v1beta1;
  constexpr auto kType = api::v1beta1_condition::kVolumeDetachSucceeded;
  if (report.done) return list.push_back(older::yes(kType));
  list.push_back(older::no(kType, api::v1beta1_reason::kWaitingForVolumeDetach, api::severity::kInfo,
                           "Waiting for node volumes to be detached"));
}

}  // namespace

std::vector<api::V1Beta1Condition> v1beta1_conditions(const DeletionFacts& facts) {
  namespace older = api::conditions::v1beta1;
  const Stage reached = next_step(facts).stage;
  std::vector<api::V1Beta1Condition> list;
  if (reached >= Stage::PreDrainHooks && node_allowed(facts)) {
    add_hook(list, api::v1beta1_condition::kPreDrainDeleteHookSucceeded,
             pre_drain_hooks(facts.machine->metadata));
  }
  if (facts.drain) add_drain(list, *facts.drain);
  if (facts.volumes) add_volumes(list, *facts.volumes);
  if (reached >= Stage::PreTerminateHooks) {
    add_hook(list, api::v1beta1_condition::kPreTerminateDeleteHookSucceeded,
             pre_terminate_hooks(facts.machine->metadata));
  }
  if (reached == Stage::DeleteNode && facts.node_deletion && facts.node_deletion->trouble &&
      !drain::is_our_own_brake(*facts.node_deletion->trouble)) {
    list.push_back(older::no(api::v1beta1_condition::kNodeHealthy, api::v1beta1_reason::kDeletionFailed,
                             api::severity::kWarning));
  }
  return list;
}

}  // namespace capstan::controllers::machine
