#include "bootstrap/nodeconfig/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace capstan::bootstrap::nodeconfig {
namespace {

using api::NoteCode;
using runtime::Readiness;

constexpr std::size_t kNodesNamed = 5;

std::string named(const std::vector<std::string>& nodes) {
  const auto shown = static_cast<std::ptrdiff_t>(std::min(kNodesNamed, nodes.size()));
  std::string text =
      fmt::format("{}", fmt::join(std::vector<std::string>(nodes.begin(), nodes.begin() + shown), ", "));
  if (nodes.size() > kNodesNamed) text += fmt::format(" and {} more", nodes.size() - kNodesNamed);
  return text;
}

std::string progress_text(const Rollout& rollout) {
  std::string text = fmt::format("{} of {} Nodes have it", rollout.up_to_date, rollout.nodes);
  if (!rollout.pending.empty()) text += "; waiting for " + named(rollout.pending);
  if (!rollout.errors.empty()) text += fmt::format("; failed: {}", fmt::join(rollout.errors, "; "));
  return text;
}

Readiness readiness_of(const Rollout& rollout) {
  if (rollout.complete()) return {};
  if (rollout.stopped)
    return {.obstacle = NoteCode::NodeConfigNotApplied,
            .message = progress_text(rollout) + ". No further Node gets it until the spec is changed"};
  return {.obstacle = NoteCode::ApplyingNodeConfig, .message = progress_text(rollout), .silent = true};
}

std::optional<Readiness> readiness(const Plan& plan) {
  if (plan.rollout) return readiness_of(*plan.rollout);
  if (!plan.waiting || !plan.waiting->shown) return std::nullopt;
  return Readiness{.obstacle = plan.waiting->code, .message = plan.waiting->message};
}

void set_progress(const Observation& seen, const Rollout& rollout, api::NodeConfigStatus& status) {
  status.checksum = Text(seen.content.checksum);
  status.nodes = static_cast<std::int32_t>(rollout.nodes);
  status.up_to_date_nodes = static_cast<std::int32_t>(rollout.up_to_date);
  status.failed_nodes = static_cast<std::int32_t>(rollout.failed);
  status.first_errors = {};
  for (const std::string& error : rollout.errors) status.first_errors.push_back(Text(error));
}

}  // namespace

Reported report(const Observation& seen, const Plan& plan) {
  Reported reported{.after = *seen.object};
  api::NodeConfigStatus& status = reported.after.status;
  const api::NodeConfigStatus before = status;
  if (plan.rollout) set_progress(seen, *plan.rollout, status);
  reported.notes = runtime::conclude(reported.after, before,
                                     {.readiness = readiness(plan), .paused = plan.paused, .now = seen.now});
  return reported;
}

}  // namespace capstan::bootstrap::nodeconfig
