#include "bootstrap/controller/report.h"

namespace capstan::bootstrap::controller {
namespace {

using runtime::Readiness;

std::optional<Readiness> readiness(const Plan& plan, const Effects& effects) {
  if (!effects.secret_name.empty()) return Readiness();
  if (!effects.taken.empty())
    return Readiness{.obstacle = api::NoteCode::DataSecretTaken, .message = effects.taken};
  if (!plan.waiting || !plan.waiting->shown) return std::nullopt;
  return Readiness{.obstacle = plan.waiting->code, .message = plan.waiting->message};
}

}  // namespace

Reported report(const Observation& seen, const Plan& plan, const Effects& effects) {
  Reported reported{.after = *seen.object};
  api::CloudConfigStatus& status = reported.after.status;
  const api::CloudConfigStatus before = status;
  if (!effects.secret_name.empty()) {
    status.initialization.data_secret_created = true;
    status.data_secret_name = Text(effects.secret_name);
  }
  reported.notes =
      runtime::conclude(reported.after, before,
                        {.readiness = readiness(plan, effects), .paused = plan.paused, .now = seen.now});
  return reported;
}

}  // namespace capstan::bootstrap::controller
