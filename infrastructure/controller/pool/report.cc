#include "infrastructure/controller/pool/report.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/driver/names.h"

namespace capstan::infrastructure::pool {
namespace {

using runtime::Readiness;

void count(const Observation& seen, const Plan& plan, api::DriverMachinePool& after);
std::optional<Readiness> readiness(const Observation& seen, const Plan& plan, const Effects& effects);
Readiness readiness_of_size(std::size_t there, std::size_t listed, const Plan& plan);
std::string and_why(std::string_view held, const std::string& why);

}  // namespace

Reported report(const Observation& seen, const Plan& plan, const Effects& effects) {
  Reported reported{.after = effects.object ? *effects.object : *seen.object};
  api::DriverMachinePool& after = reported.after;
  const api::DriverMachinePoolStatus before = after.status;
  if (effects.there) count(seen, plan, after);
  if (effects.last_known_states) after.status.last_known_states = *effects.last_known_states;
  reported.notes = runtime::conclude(
      after, before, {.readiness = readiness(seen, plan, effects), .paused = plan.paused, .now = seen.now});
  return reported;
}

namespace {

// What became true stays true: a group that lost all its instances is no new group.
void count(const Observation& seen, const Plan& plan, api::DriverMachinePool& after) {
  const auto& list = after.spec.provider_id_list;
  after.status.replicas = static_cast<std::int32_t>(list.size());
  if (seen.with_machines())
    after.status.infrastructure_machine_kind = Text(api::driver::kind::kDriverMachine);
  if (list.empty() && plan.wanted != 0U) return;
  after.status.initialization.provisioned = true;
  after.status.ready = true;
}

std::optional<Readiness> readiness(const Observation& seen, const Plan& plan, const Effects& effects) {
  if (effects.trouble) {
    if (auto shown = readiness_in(*effects.trouble, seen.object->metadata, seen.now)) return shown;
  }
  if (plan.waiting && plan.waiting->shown && !effects.error)
    return Readiness{.obstacle = plan.waiting->code, .message = plan.waiting->message};
  if (!effects.there) return std::nullopt;
  if (plan.flaw) return plan.flaw;
  if (!plan.wanted) return std::nullopt;
  return readiness_of_size(*effects.there, effects.object->spec.provider_id_list.size(), plan);
}

Readiness readiness_of_size(std::size_t there, std::size_t listed, const Plan& plan) {
  const std::size_t wanted = *plan.wanted;
  if (there < wanted)
    return resizing(fmt::format("{} of {} instances are there{}", there, wanted,
                                and_why("none is made", plan.brakes.creations)));
  if (there > wanted || listed > wanted)
    return resizing(fmt::format("{} instances are there, {} are wanted{}", std::max(listed, there), wanted,
                                and_why("none is removed", plan.brakes.deletions)));
  return {};
}

std::string and_why(std::string_view held, const std::string& why) {
  return why.empty() ? std::string() : fmt::format("; {}: {}", held, why);
}

}  // namespace
}  // namespace capstan::infrastructure::pool
