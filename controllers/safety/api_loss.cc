#include "controllers/safety/api_loss.h"

#include <fmt/format.h>

#include "base/safeguards.h"

namespace capstan::controllers::safety {

ApiLoss api_loss(const ApiHealth& health, const ApiLimits& limits) {
  if (!health.last_heard.is_set()) return ApiLoss::NoEvidence;
  if (!health.failing) return ApiLoss::None;
  return limits.now - health.last_heard > limits.grace ? ApiLoss::Down : ApiLoss::OneProbeFailed;
}

bool holds(ApiLoss loss) {
  return !is_off(Safeguard::ApiLoss) && (loss == ApiLoss::Down || loss == ApiLoss::NoEvidence);
}

std::string words_for(ApiLoss loss, const ApiHealth& health, std::string_view server) {
  const std::string since =
      loss == ApiLoss::NoEvidence
          ? fmt::format("{} has not been reached since this manager started", server)
          : fmt::format("{} has not been reached since {}", server, health.last_heard.to_string());
  const std::string why = health.problem.empty() ? "" : fmt::format(" ({})", health.problem);
  return since + why + ": nothing is made, replaced, scaled down, rolled or drained until it answers";
}

}  // namespace capstan::controllers::safety
