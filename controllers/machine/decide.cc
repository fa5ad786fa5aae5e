#include "controllers/machine/decide.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "api/conditions/conditions.h"
#include "controllers/lifecycle/aliases.h"
#include "controllers/machine/exhaustion_steps.h"
#include "controllers/machine/node_template_steps.h"
#include "controllers/machine/preservation_steps.h"
#include "controllers/shared/finalizer.h"
#include "controllers/shared/recheck.h"
#include "kube/kinds.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machine {
namespace {

using api::NoteCode;
using std::chrono::milliseconds;

// Objects made after the Machine wake it when they come; those made before it may be shown later than it is.
constexpr Seconds kYoung{5};
constexpr Nanoseconds kYoungRecheck = Seconds(1);
constexpr Nanoseconds kCacheRecheck = milliseconds(500);
constexpr Seconds kCachePatience{60};
constexpr Seconds kMissingRecheck{30};
constexpr Seconds kUnreadRecheck{15};  // a list that comes later wakes those that own its objects

std::optional<Nanoseconds> too_early(const Observation& seen);
void own_and_label(const Observation& seen, Plan& plan);
void bootstrap_phase(const Observation& seen, Plan& plan);
void infrastructure_phase(const Observation& seen, Plan& plan);
void node_phase(const Observation& seen, Plan& plan);
void certificate_expiry(const Observation& seen, Plan& plan);
void reference_troubles(const Observation& seen, Plan& plan);
void other_cluster(const Observation& seen, Plan& plan);
void machine_first(const Observation& seen, Plan& plan);
void keys_at_odds(const Observation& seen, Plan& plan);

}  // namespace

Plan decide(const Observation& seen) {
  Plan plan{.too_early = too_early(seen), .wanted = *seen.machine};
  if (plan.too_early) return plan;
  if (!seen.cluster && !seen.deleting()) {
    plan.notes.push_back({.code = NoteCode::ClusterMissing,
                          .text = fmt::format("spec.clusterName: Cluster {}/{} does not exist",
                                              seen.machine->metadata.namespace_.view(),
                                              seen.machine->spec.cluster_name.view())});
    return plan;
  }
  own_and_label(seen, plan);
  preserve_machine(seen, plan);
  bootstrap_phase(seen, plan);
  infrastructure_phase(seen, plan);
  note_exhaustion(seen, plan);
  node_phase(seen, plan);
  certificate_expiry(seen, plan);
  reference_troubles(seen, plan);
  other_cluster(seen, plan);
  machine_first(seen, plan);
  keys_at_odds(seen, plan);
  return plan;
}

std::string duplicate_nodes(const Observation& seen) {
  return fmt::format("Nodes {} have the same spec.providerID {}: delete those that are not this Machine's",
                     fmt::join(seen.node.names, ", "), provider_id_to_be(seen));
}

std::string_view reason_of(const claims::Verdict& verdict) {
  using Whose = claims::Verdict::Whose;
  switch (verdict.whose) {
    case Whose::Ours: break;
    case Whose::Anothers: return api::reason_of(NoteCode::InstanceOfAnother);
    case Whose::Contested: return api::reason_of(NoteCode::InstanceContested);
    case Whose::Unknown: return api::reason::kInspectionFailed;
  }
  return {};
}

namespace {

void keys_at_odds(const Observation& seen, Plan& plan) {
  const auto note = [&](const api::Labels& values) {
    for (std::string& sentence : lifecycle::overruled_aliases(values))
      plan.notes.push_back({.code = NoteCode::AliasOverruled, .text = std::move(sentence)});
  };
  note(seen.machine->metadata.labels);
  note(seen.machine->metadata.annotations);
  if (!seen.node.found()) return;
  note(seen.node.node->metadata.labels);
  note(seen.node.node->metadata.annotations);
}

bool never_reported(const Observation& seen) {
  return api::conditions::find(seen.machine->status.conditions, api::condition::kInfrastructureReady) ==
         nullptr;
}

bool is_provisioned(const Observation& seen) {
  return seen.machine->status.initialization.infrastructure_provisioned.value_or(false);
}

std::optional<Nanoseconds> too_early(const Observation& seen) {
  const Seconds age = seen.now - seen.machine->metadata.creation_timestamp;
  const auto waits_for_cache = [](const ExternalSeen& external) {
    return external.state == ExternalSeen::State::CacheBehind;
  };
  if (waits_for_cache(seen.bootstrap) || waits_for_cache(seen.infra)) {
    // A cache that never comes (we may not read that kind) has to be reported in the end, and is not asked
    // for twice a second by every Machine there is: its first list wakes those that own their objects. It
    // does not hide what becomes of a Node.
    const bool in_vain = !seen.bootstrap.listed_soon || !seen.infra.listed_soon;
    const bool is_new = !seen.deleting() && never_reported(seen);
    const bool long_enough = is_new ? age > kCachePatience : in_vain;
    if (!long_enough) return in_vain ? kMissingRecheck : kCacheRecheck;
  }
  if (seen.node.whose.listed_soon && !never_reported(seen)) return kCacheRecheck;
  const bool something_missing = seen.bootstrap.missing() || seen.infra.missing();
  if (something_missing && !seen.deleting() && never_reported(seen) && age < kYoung) return kYoungRecheck;
  return std::nullopt;
}

bool has_cluster_owner(const api::ObjectMeta& metadata) {
  return std::ranges::any_of(*metadata.owner_references, [](const api::OwnerReference& owner) {
    return owner.kind == api::kind::kCluster && owner.group() == api::group::kCluster;
  });
}

// A user made this Machine, no controller.
bool stands_alone(const api::ObjectMeta& metadata) {
  if (metadata.controller() != nullptr || has_cluster_owner(metadata)) return false;
  return std::ranges::none_of(
      std::array{api::label::kSetName, api::label::kPoolName, api::label::kControlPlaneName},
      [&](std::string_view label) { return metadata.labels.contains(label); });
}

void own_and_label(const Observation& seen, Plan& plan) {
  if (seen.deleting()) return;
  auto& metadata = plan.wanted.metadata;
  metadata.finalizers = with_finalizer(metadata.finalizers, api::finalizer::kMachine);
  metadata.labels.set(Text(api::label::kClusterName), seen.machine->spec.cluster_name);
  if (!stands_alone(metadata)) return;
  metadata.owner_references = runtime::with_owner(
      metadata.owner_references,
      runtime::owner_reference(kube::resource_of<api::Cluster>(), seen.cluster->metadata));
}

void claim_object(ClaimObject::Which which, const std::optional<ProviderClaim>& claim, Plan& plan) {
  if (claim) plan.actions.push_back(ClaimObject{.which = which, .claim = *claim});
}

void bootstrap_phase(const Observation& seen, Plan& plan) {
  if (seen.bootstrap.state == ExternalSeen::State::Unused) return;
  auto& wanted = plan.wanted;
  plan.bootstrap = read_bootstrap(seen);
  claim_object(ClaimObject::Which::Bootstrap, plan.bootstrap.claim, plan);
  auto& created = wanted.status.initialization.bootstrap_data_secret_created;
  if (seen.bootstrap.missing()) {
    if (!seen.deleting() && !created.value_or(false)) recheck_within(plan.recheck, kMissingRecheck);
    return;
  }
  if (seen.deleting()) return;
  if (wanted.spec.bootstrap.data_secret_name) {
    created = true;
  } else if (!plan.bootstrap.secret.empty() && plan.bootstrap.problem.empty()) {
    wanted.spec.bootstrap.data_secret_name = Text(plan.bootstrap.secret);
    created = true;
  }
}

void copy_from(const InfraFinding& infra, api::Machine& wanted) {
  if (infra.addresses) wanted.status.addresses = *infra.addresses;
  if (infra.spec_failure_domain) wanted.spec.failure_domain = Text(*infra.spec_failure_domain);
  if (infra.failure_domain) wanted.status.failure_domain = Text(*infra.failure_domain);
  wanted.spec.provider_id = Text(infra.provider_id);
  wanted.status.initialization.infrastructure_provisioned = true;
}

void infrastructure_phase(const Observation& seen, Plan& plan) {
  plan.infra = read_infra(seen);
  claim_object(ClaimObject::Which::Infrastructure, plan.infra.claim, plan);
  if (seen.infra.missing() && !seen.deleting()) {
    if (plan.wanted.status.initialization.infrastructure_provisioned.value_or(false)) {
      plan.troubles.push_back("the infrastructure object is gone");
    } else {
      recheck_within(plan.recheck, kMissingRecheck);
    }
  }
  if (plan.infra.copy) copy_from(plan.infra, plan.wanted);
}

std::optional<bool> outdated(const Observation& seen) {
  const bool of_a_set = std::ranges::any_of(
      *seen.machine->metadata.owner_references,
      [](const api::OwnerReference& owner) { return owner.kind == api::kind::kMachineSet; });
  if (!of_a_set) return false;
  if (!seen.machine_set) return std::nullopt;
  if (!seen.machine_set->metadata.labels.contains(api::label::kDeploymentName)) return false;
  if (!seen.deployment) return std::nullopt;
  return is_outdated(seen.machine_set->metadata.annotations, seen.deployment->metadata.annotations);
}

// While the infrastructure object can't be read, what it said before stays.
bool interruptible(const Observation& seen, const Plan& plan) {
  if (seen.infra.found() && plan.infra.problem.empty()) return plan.infra.interruptible;
  return seen.node.node->metadata.labels.contains(api::label::kInterruptible);
}

void change_node(const Observation& seen, Plan& plan) {
  const NodeSync sync{.node = *seen.node.node,
                      .machine = plan.wanted,
                      .rules = seen.settings.node_sync,
                      .interruptible = interruptible(seen, plan),
                      .outdated = outdated(seen)};
  auto change = node_change(sync);
  preserve_node(seen, change);
  template_node(seen, change, plan);
  if (!change) return;
  plan.actions.push_back(ChangeNode{.node = seen.node.node, .change = std::move(*change)});
  if (!became_interruptible(sync)) return;
  plan.notes.push_back({.code = NoteCode::NodeBecameInterruptible, .text = sync.node.metadata.name.str()});
}

void found_node(const Observation& seen, Plan& plan) {
  const api::Node& node = *seen.node.node;
  auto& status = plan.wanted.status;
  if (!status.node_ref) {
    status.node_ref = api::MachineNodeRef{.name = node.metadata.name};
    plan.notes.push_back({.code = NoteCode::NodeFound, .text = node.metadata.name.str()});
  }
  status.node_info = node.status.node_info;
  if (!seen.deleting() && !seen.node.behind) change_node(seen, plan);
}

// It is left as it is. What the other claimant does wakes this one.
void anothers_node(const Observation& seen, Plan& plan) {
  const claims::Verdict& whose = seen.node.whose;
  if (seen.deleting()) return;  // what would help is under way
  if (whose.whose == claims::Verdict::Whose::Unknown) return recheck_within(plan.recheck, kUnreadRecheck);
  const bool contested = whose.whose == claims::Verdict::Whose::Contested;
  plan.troubles.push_back(whose.why);
  plan.notes.push_back(
      {.code = contested ? NoteCode::InstanceContested : NoteCode::InstanceOfAnother, .text = whose.why});
}

void node_phase(const Observation& seen, Plan& plan) {
  if (!seen.node.whose.ours()) return anothers_node(seen, plan);
  if (seen.node.lookup == NodeSeen::Lookup::One) found_node(seen, plan);
  if (seen.node.lookup != NodeSeen::Lookup::Many) return;
  const std::string problem = duplicate_nodes(seen);
  plan.troubles.push_back(problem);
  plan.notes.push_back({.code = NoteCode::NodesAmbiguous, .text = problem});
}

// Whatever is wrong with what the Machine refers to, by the field a user has to look at.
void reference_troubles(const Observation& seen, Plan& plan) {
  const auto add = [&](std::string_view field, const std::string& problem) {
    if (problem.empty()) return;
    plan.notes.push_back({.code = NoteCode::InvalidReference, .text = fmt::format("{}: {}", field, problem)});
    plan.troubles.push_back(plan.notes.back().text);
  };
  for (const auto& problem : {seen.bootstrap.problem, plan.bootstrap.problem, plan.bootstrap.mismatch}) {
    add("spec.bootstrap.configRef", problem);
  }
  for (const auto& problem : {seen.infra.problem, plan.infra.problem, plan.infra.mismatch}) {
    add("spec.infrastructureRef", problem);
  }
  if (!plan.infra.left_out.empty()) {
    plan.notes.push_back({.code = NoteCode::InvalidReference,
                          .text = fmt::format("spec.infrastructureRef: {}", plan.infra.left_out)});
  }
  // No event comes for a new CRD, nor for an object that the Machine has not made its own yet.
  const auto needs_a_look = [&](const ExternalSeen& external) {
    const bool listed_some_day = external.state == ExternalSeen::State::CacheBehind && is_provisioned(seen);
    return !external.problem.empty() && !listed_some_day;
  };
  if (needs_a_look(seen.bootstrap) || needs_a_look(seen.infra)) recheck_within(plan.recheck, kMissingRecheck);
}

// Events of a Cluster and of its Nodes wake the Machines that name it.
void other_cluster(const Observation& seen, Plan& plan) {
  if (seen.contradiction.empty()) return;
  plan.notes.push_back({.code = NoteCode::InvalidReference, .text = seen.contradiction});
  plan.troubles.push_back(seen.contradiction);
  recheck_within(plan.recheck, kMissingRecheck);
}

void certificate_expiry(const Observation& seen, Plan& plan) {
  if (!seen.is_control_plane()) return;
  const auto* text = seen.machine->metadata.annotations.find(api::annotation::kCertificatesExpiry);
  if (text == nullptr && seen.bootstrap.found()) {
    text = seen.bootstrap.object->metadata.annotations.find(api::annotation::kCertificatesExpiry);
  }
  auto& expiry = plan.wanted.status.certificates_expiry_date;
  if (text == nullptr) {
    if (!seen.bootstrap.unknown()) expiry = {};
  } else if (const auto time = Time::parse(*text)) {
    expiry = *time;
  } else {
    plan.troubles.push_back(
        fmt::format("annotation {}: {}", api::annotation::kCertificatesExpiry, time.error().message));
  }
}

// What follows counts on the Machine's own patch.
void machine_first(const Observation& seen, Plan& plan) {
  std::vector<Action> first;
  const bool takes_over = !plan.actions.empty();
  if (seen.deleting() && takes_over) first.push_back(ConfirmMachine{});
  const bool differs =
      plan.wanted.metadata != seen.machine->metadata || plan.wanted.spec != seen.machine->spec;
  if (differs) {
    api::Machine to = *seen.machine;
    to.metadata = plan.wanted.metadata;
    to.spec = plan.wanted.spec;
    first.push_back(
        PatchMachine{.from = seen.machine, .to = std::move(to), .may_be_refused = seen.deleting()});
  }
  plan.actions.insert(plan.actions.begin(), std::make_move_iterator(first.begin()),
                      std::make_move_iterator(first.end()));
}

}  // namespace
}  // namespace capstan::controllers::machine
