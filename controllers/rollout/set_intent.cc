#include "controllers/rollout/set_intent.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "api/names.h"
#include "api/policy/mcm_names.h"
#include "api/policy/names.h"
#include "base/try.h"
#include "controllers/rollout/moves.h"
#include "controllers/rollout/template_diff.h"

namespace capstan::controllers::rollout {

namespace annotation = api::annotation;
namespace label = api::label;

namespace {

constexpr std::size_t kLongestName = 63;  // of a MachineSet: it ends up in labels and Machine names

// Annotations of the deployment that say something about itself alone.
constexpr std::array kNotForSets = {annotation::kLastAppliedConfiguration,
                                    annotation::kRevision,
                                    annotation::kRevisionHistory,
                                    annotation::kDesiredReplicas,
                                    annotation::kMaxReplicas,
                                    annotation::kConversionData,
                                    annotation::kConfirmRelease,
                                    kMadeForRolloutAfter,
                                    api::policy::annotation::kVictims,
                                    api::policy::mcm::kVictims,
                                    api::policy::annotation::kRollbackTo,
                                    api::policy::annotation::kFreeze,
                                    api::policy::annotation::kUnfreeze,
                                    api::policy::annotation::kUnfreezeOfMcm,
                                    api::policy::annotation::kUnfrozenAt,
                                    api::policy::annotation::kReleased,
                                    api::policy::annotation::kRolledTo,
                                    api::policy::annotation::kConfirmDeletion};

// What tells the Machines of a set from those of its siblings. What it selects by and makes them with counts
// more than the label on the set itself: following an edit of that one would let go of all of them.
const Text* hash_of(const api::MachineSet& set) {
  const Text* selected = set.spec.selector.match_labels.find(label::kMachineTemplateHash);
  const Text* made_with = set.spec.machine_template.metadata.labels.find(label::kMachineTemplateHash);
  const bool agree = selected != nullptr && made_with != nullptr && *selected == *made_with;
  return agree ? selected : set.metadata.labels.find(label::kMachineTemplateHash);
}

api::LabelSelector with_hash(api::LabelSelector selector, const Text& hash) {
  selector.match_labels.set(Text(label::kMachineTemplateHash), hash);
  return selector;
}

std::optional<std::int32_t> number_in(std::string_view text) {
  std::int32_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = fault == std::errc() && end == text.data() + text.size() && number >= 0;
  return is_number ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<api::LabelSelector> selector_for(const api::MachineDeployment& deployment,
                                               const api::MachineSet& set) {
  const Text* hash = hash_of(set);
  if (hash == nullptr) return std::nullopt;
  return with_hash(deployment.spec.selector, *hash);
}

std::optional<std::int32_t> replicas_wanted_before(std::span<const SetSnapshot> sets) {
  std::optional<std::int32_t> noted;
  std::optional<std::int32_t> sum;
  for (const SetSnapshot& set : sets) {
    sum = sum.value_or(0) + set->spec.replicas.value_or(0);
    const auto note = replicas_noted(set->metadata.annotations);
    if (note) noted = std::max(noted.value_or(0), *note);
  }
  return noted ? noted : sum;
}

std::optional<std::int32_t> replicas_noted(const api::TextMap& annotations) {
  return number_in(annotations.value_or_empty(annotation::kDesiredReplicas));
}

std::string set_name(std::string_view deployment, std::string_view suffix) {
  const std::string front = std::string(deployment) + "-";
  return front.substr(0, kLongestName - suffix.size()) + std::string(suffix);
}

api::TextMap SetIntent::annotations() const {
  api::TextMap all = deployment.metadata.annotations;
  for (const std::string_view name : kNotForSets) all.erase(name);
  all.set(annotation::kDesiredReplicas, std::to_string(limits.desired));
  all.set(annotation::kMaxReplicas, std::to_string(limits.most()));
  all.set(annotation::kDisableMachineCreate, "false");
  return all;
}

void SetIntent::follow_deployment(api::MachineSet& set, const Text& hash) const {
  const api::MachineTemplate& wanted = deployment.spec.machine_template;
  set.metadata.labels = wanted.metadata.labels;
  set.metadata.labels.set(Text(label::kMachineTemplateHash), hash);
  set.metadata.labels.set(Text(label::kDeploymentName), deployment.metadata.name);
  set.metadata.annotations = annotations();
  set.metadata.owner_references = api::OwnerReferences({owner});
  set.spec.selector = with_hash(deployment.spec.selector, hash);
  set.spec.machine_template.metadata = wanted.metadata;
  set.spec.machine_template.metadata.labels.set(Text(label::kMachineTemplateHash), hash);
  set.spec.machine_naming = deployment.spec.machine_naming;
  set.spec.deletion = deployment.spec.deletion;
  carry_over(wanted.spec, set.spec.machine_template.spec);
}

api::MachineSet SetIntent::fresh(std::string_view suffix, const Revision& revision, Count replicas,
                                 bool begun) const {
  const api::MachineTemplate& wanted = deployment.spec.machine_template;
  api::MachineSet set;
  set.metadata.name = Text(set_name(deployment.metadata.name.view(), suffix));
  set.metadata.namespace_ = deployment.metadata.namespace_;
  set.spec.cluster_name = deployment.spec.cluster_name;
  set.spec.replicas = static_cast<std::int32_t>(replicas);
  set.spec.machine_template.spec = wanted.spec;
  follow_deployment(set, Text(fmt::format("{}-{}", template_number(wanted), suffix)));
  set.metadata.annotations.set(annotation::kRevision, revision.number);
  if (begun) {
    set.metadata.annotations.set(Text(kMadeForRolloutAfter), Text(deployment.spec.rollout.after.to_string()));
  }
  return set;
}

Result<api::MachineSet> SetIntent::existing(const api::MachineSet& present, Count replicas) const {
  const Text* hash = hash_of(present);
  if (hash == nullptr) {
    return fail(Code::Invalid,
                fmt::format("MachineSet {} has no label {}: put one on that no other MachineSet of the "
                            "deployment has, or take the MachineSet out of spec.selector",
                            present.metadata.name.view(), label::kMachineTemplateHash));
  }
  api::MachineSet set;
  set.metadata.name = present.metadata.name;
  set.metadata.namespace_ = present.metadata.namespace_;
  set.metadata.uid = present.metadata.uid;
  set.metadata.resource_version = present.metadata.resource_version;
  set.metadata.finalizers = present.metadata.finalizers;
  set.spec = present.spec;
  set.spec.replicas = static_cast<std::int32_t>(replicas);
  follow_deployment(set, *hash);
  keep_rollout_hash(present.spec.machine_template, set.spec.machine_template);
  if (const Text* moment = present.metadata.annotations.find(kMadeForRolloutAfter))
    set.metadata.annotations.set(Text(kMadeForRolloutAfter), *moment);
  return set;
}

Result<api::MachineSet> SetIntent::newest(const api::MachineSet& present, const Revision& revision,
                                          Count replicas) const {
  api::MachineSet set = TRY(existing(present, replicas));
  auto& annotations = set.metadata.annotations;
  annotations.set(annotation::kRevision, revision.number);
  if (!revision.history.empty()) annotations.set(annotation::kRevisionHistory, revision.history);
  keep_moves(present, present.metadata.name.view(), annotations);
  return set;
}

Result<api::MachineSet> SetIntent::old(const api::MachineSet& present, std::string_view newest,
                                       Count replicas) const {
  api::MachineSet set = TRY(existing(present, replicas));
  auto& annotations = set.metadata.annotations;
  for (const std::string_view kept : {annotation::kRevision, annotation::kRevisionHistory}) {
    const Text* value = present.metadata.annotations.find(kept);
    if (value != nullptr) annotations.set(Text(kept), *value);
  }
  if (is_on_delete(deployment)) annotations.set(annotation::kDisableMachineCreate, "true");
  keep_moves(present, newest, annotations);
  return set;
}

}  // namespace capstan::controllers::rollout
