// How far the deletion of a Machine has come and what is next. Computed anew from facts in every
// turn, never stored; what has to outlive a turn stands in status.deletion and in the Deleting condition, or
// is remembered until it does. controllers/machine fills the facts in, deletion_turn.h does what is next.
// Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "base/time.h"
#include "controllers/claims/verdict.h"
#include "controllers/drain/choices.h"
#include "controllers/drain/stage_report.h"

namespace capstan::controllers::machine {

// What is known of an object that deletion depends on.
struct Known {
  enum class State {
    None,       // the Machine refers to none
    Unknown,    // could not be found out; `problem` says why
    Missing,    // not in the cache, which is complete; the API server has not been asked
    Undefined,  // the cache has no definition of its kind; the API server has not been asked
    Gone,       // the API server has said so
    Elsewhere,  // under another kind or name than the reference has, which is not there; `problem` names it
    Deleting,
    Present,
  };
  State state = State::None;
  std::string kind = {};
  std::string group = {};
  std::string problem = {};

  bool is_gone() const { return state == State::Gone || state == State::None; }
};

struct ControlPlaneFacts {
  Known object = {};  // behind Cluster.spec.controlPlaneRef
  bool externally_managed = false;
  std::size_t active_machines = 0;  // control plane Machines of the Cluster that are not being deleted
};

enum class Stage {
  Begin,  // is the Node to be drained and deleted at all?
  PreDrainHooks,
  Drain,
  VolumesDetached,
  PreTerminateHooks,
  TakeAttachments,  // of a Node that is out of reach
  DeleteInfra,
  DeleteBootstrap,
  DeleteAttachments,
  DeleteNode,
  RemoveFinalizer,
};
std::string_view to_string(Stage stage);

struct DeletionFacts {
  Time now = {};
  bool fresh = true;                      // the caches have seen all we wrote; otherwise nothing is destroyed
  const api::Machine* machine = nullptr;  // never null, with a deletionTimestamp
  // status.deletion: as the Machine has it, plus what this turn has begun.
  api::MachineDeletionStatus marks = {};

  const api::Cluster* cluster = nullptr;  // null: see cluster_known
  Known cluster_known = {};               // Present, Missing, Gone or Unknown
  ControlPlaneFacts control_plane = {};
  // status.nodeRef, else what was found by providerID in this turn. Empty: there is none.
  std::string node = {};
  std::string node_problem = {};  // why looking for it failed; no reason to stop
  // Of the Node of that name in the cache. Another one than the Machine's: it belongs to another instance.
  std::string node_provider_id = {};

  Known infrastructure = {};
  Known bootstrap = {};
  // Why the infrastructure object is not the Machine's own: its instance stays, and the Node with it.
  std::string not_its_own = {};
  bool cordons = true;            // not the Node of a Machine that is preserved
  bool node_unreachable = false;  // the Node of that name in the cache
  // Whose the Node is, as far as is known by now.
  claims::Verdict whose_node = {};
  drain::DrainChoices choices = {};
  std::string drain_held = {};  // by a brake: why, and what opens it; empty: nothing holds it
  Time reached_since = {};      // its cluster, without a break; unset: not known

  // The last of DeleteInfra and DeleteBootstrap for whose object this process has sent a DELETE. The Deleting
  // condition says it, too, but later, or never.
  std::optional<Stage> delete_sent = {};

  // What this turn has already tried; nothing before.
  std::optional<drain::StageReport> drain = {};
  std::optional<drain::StageReport> volumes = {};
  std::optional<drain::StageReport> attachments = {};
  std::optional<drain::StageReport> node_deletion = {};
  // For how long a drain by force has been tried in vain, as far as this process knows.
  Seconds force_tried_for = {};
  // For how long VolumeAttachments have been tried to be deleted in vain, the same.
  Seconds attachments_tried_for = {};
  // How long the Node has been refusing to go, as far as this process knows.
  Seconds node_deletion_tried_for = {};
  std::optional<Error> infrastructure_trouble = {};  // the DELETE failed
  std::optional<Error> bootstrap_trouble = {};
};

// What next_step answers.
struct Step {
  enum class Answer { Act, Wait };
  // What to do now. Confirm means: ask the API server whether it is really gone, and note that in the facts.
  enum class Act {
    None,
    ConfirmClusterGone,
    ConfirmControlPlaneGone,
    Drain,
    CheckVolumes,
    DeleteAttachments,
    DeleteInfra,
    ConfirmInfraGone,
    DeleteBootstrap,
    ConfirmBootstrapGone,
    DeleteNode,
    RemoveFinalizer,
  };

  Stage stage = Stage::Begin;
  Answer answer = Answer::Wait;
  Act act = Act::None;
  // For the Deleting condition, whatever the answer.
  std::string_view reason = {};
  std::string message = {};
  std::optional<Seconds> recheck = {};  // while waiting; nothing: an event will come
  // What it waits for is an error: log it; without a recheck back off by returning it.
  std::optional<Error> trouble = {};
  api::MachineDeletionStatus marks = {};  // status.deletion from now on
};

// The first stage that is not done.
Step next_step(const DeletionFacts& facts);

// "deletion, stage Drain: drain its Node"; none where it waits for an event, which its condition says.
std::vector<std::string> describe(const Step& step);

// Whether the Node may be drained and deleted: not when its Cluster goes too, when nothing serves its API any
// more, or when there is no Node.
struct NodeVerdict {
  enum class State { Allowed, NotAllowed, Unknown };
  State state = State::NotAllowed;
  std::string why = {};
  Step::Act ask = Step::Act::None;  // Unknown: what to find out; None: wait
};
NodeVerdict may_delete_node(const DeletionFacts& facts);

// Conditions of the older generation that these facts give; those that do not follow from them stay as they
// are.
std::vector<api::V1Beta1Condition> v1beta1_conditions(const DeletionFacts& facts);

// A reason of the condition Deleting: the instance is behind another infrastructure object than the reference
// names. Not the one that says that a DELETE was sent.
inline constexpr std::string_view kInfrastructureElsewhere = "InfrastructureElsewhere";

// A DELETE was sent for the infrastructure object, in this turn or one before.
bool delete_of_infrastructure_was_sent(const DeletionFacts& facts);
// The drain is over: it finished, ran out of time, or a later stage has begun.
bool drain_is_over(const DeletionFacts& facts);
// Why Pods are to be deleted now and not evicted; empty: they are evicted.
std::string_view why_by_force(const DeletionFacts& facts);
// By force, because its time is over: what comes after it is as ever.
bool is_out_of_time(const DeletionFacts& facts);
bool volume_wait_is_over(const DeletionFacts& facts);

}  // namespace capstan::controllers::machine
