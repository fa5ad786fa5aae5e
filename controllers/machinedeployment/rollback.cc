#include "controllers/machinedeployment/rollback.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/policy/names.h"
#include "base/safeguards.h"
#include "controllers/rollout/revision.h"
#include "controllers/rollout/rollback.h"
#include "controllers/rollout/template_diff.h"

namespace capstan::controllers::machinedeployment {
namespace {

using api::policy::annotation::kRollbackTo;

std::string revisions_there_are(const Observation& seen) {
  std::vector<std::int64_t> numbers;
  for (const auto& set : seen.sets) {
    if (const auto number = rollout::revision_of(*set); number && !set->metadata.deleting())
      numbers.push_back(*number);
  }
  std::ranges::sort(numbers);
  return numbers.empty() ? "there is none" : fmt::format("there are {}", fmt::join(numbers, ", "));
}

RefuseRollback revision_not_found(const Observation& seen) {
  const std::string& wanted = seen.rollback->wanted;
  const auto number = rollout::parse_revision(wanted);
  if (!number || *number < 0) {
    return {.code = api::NoteCode::RollbackRefused,
            .why = fmt::format("annotation {}: {:?} is no revision; use its number, or 0 for the last one",
                               kRollbackTo, wanted)};
  }
  return {.code = api::NoteCode::RollbackRevisionNotFound,
          .why = *number == 0 ? fmt::format("no MachineSet has another template than the present one; of "
                                            "revisions {}",
                                            revisions_there_are(seen))
                              : fmt::format("revision {} is gone; of revisions {}", wanted,
                                            revisions_there_are(seen))};
}

std::optional<RefuseRollback> rollback_objection(const TemplateSeen& each, std::string_view revision) {
  if (is_off(Safeguard::RollbackTemplates)) return std::nullopt;
  if (each.state == TemplateSeen::State::Missing) {
    return RefuseRollback{
        .code = api::NoteCode::RollbackTemplateGone,
        .why = fmt::format("revision {} refers to {} {}, which does not exist; create it, and ask again",
                           revision, each.kind, each.name)};
  }
  if (each.state != TemplateSeen::State::Unknown) return std::nullopt;
  return RefuseRollback{.code = api::NoteCode::RollbackRefused,
                        .why = fmt::format("revision {}: {}", revision, each.problem)};
}

bool has_unlisted_target(const RollbackSeen& rollback) {
  return rollback.infrastructure.state == TemplateSeen::State::Unlisted ||
         rollback.bootstrap.state == TemplateSeen::State::Unlisted;
}

Action rollback_step(const Observation& seen) {
  const RollbackSeen& rollback = *seen.rollback;
  if (!rollback.target) return revision_not_found(seen);
  const auto& earlier = rollback.target->spec.machine_template;
  const std::string revision = std::to_string(rollout::revision_of(*rollback.target).value_or(0));
  if (rollout::differences(earlier, seen.deployment.spec.machine_template).empty()) {
    return RefuseRollback{.code = api::NoteCode::RollbackTemplateUnchanged,
                          .why = fmt::format("revision {} has the template that there is already", revision)};
  }
  for (const TemplateSeen* each : {&rollback.infrastructure, &rollback.bootstrap}) {
    if (auto objection = rollback_objection(*each, revision)) return std::move(*objection);
  }
  return RollBack{.revision = revision,
                  .to = rollout::rolled_back(seen.stored->spec.machine_template, earlier)};
}

}  // namespace

std::optional<Plan> plan_rollback(const Observation& seen) {
  if (!seen.rollback || !seen.complete) return std::nullopt;
  Plan plan{.stuck = true};
  if (has_unlisted_target(*seen.rollback)) {
    plan.too_early = kListRecheck;
    return plan;
  }
  plan.rolls_back = true;
  plan.actions.push_back(rollback_step(seen));
  return plan;
}

}  // namespace capstan::controllers::machinedeployment
