#include "bootstrap/controller/report.h"

#include "bootstrap/controller/stage.h"

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

// Also of a token that an earlier turn has made, and did not come to say so.
Text token_after(const Observation& seen, const Effects& effects) {
  if (!effects.token.empty()) return Text(effects.token);
  const bool is_there = seen.live && !seen.live->tokens.empty();
  return is_there && stage_of(seen) == Stage::Joining ? Text(api::bootstrap_token::kIssued)
                                                      : seen.object->status.bootstrap_token;
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
  status.bootstrap_token = token_after(seen, effects);
  reported.notes =
      runtime::conclude(reported.after, before,
                        {.readiness = readiness(plan, effects), .paused = plan.paused, .now = seen.now});
  return reported;
}

}  // namespace capstan::bootstrap::controller
