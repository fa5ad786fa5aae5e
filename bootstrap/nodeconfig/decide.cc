#include "bootstrap/nodeconfig/decide.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/bootstrap/node_config_rules.h"
#include "api/conditions/conditions.h"
#include "api/names.h"
#include "bootstrap/nodeconfig/standing.h"

namespace capstan::bootstrap::nodeconfig {
namespace {

using api::NoteCode;
using runtime::Waiting;

constexpr std::size_t kUsersNamed = 5;

// A moment of waiting is no news.
void wait_first(const Observation& seen, Plan& plan) {
  plan.waiting = obstacle(seen);
  plan.recheck = runtime::until_shown(seen.object->metadata, seen.now);
  plan.waiting->shown = !plan.recheck;
}

Waiting no_answer(const Observation& seen) {
  return {.code = NoteCode::ControlPlaneUnavailable,
          .message = fmt::format("Cluster {} does not answer: {}", seen.object->spec.cluster_name.view(),
                                 seen.live->unreachable->message)};
}

Waiting still_used(const Observation& seen) {
  const auto& users = seen.users;
  const std::vector<std::string> named(
      users.begin(), users.begin() + static_cast<std::ptrdiff_t>(std::min(kUsersNamed, users.size())));
  return {.code = NoteCode::BeingDeleted,
          .message = fmt::format("it goes after the CloudConfigs that refer to it: {}{}",
                                 fmt::join(named, ", "), users.size() > named.size() ? ", and others" : "")};
}

// The release says for which content it is.
bool has_begun(const Observation& seen) {
  return seen.live->secret && seen.live->secret->release.text.starts_with(seen.content.checksum + " ");
}

// Too many have failed with this spec: that they are Ready again does not set the change going.
bool was_stopped(const api::NodeConfig& object) {
  const auto ready = api::conditions::find(object.status.conditions, api::condition::kReady);
  return ready != nullptr && ready->reason == api::bootstrap_reason::kApplyFailed &&
         ready->observed_generation == object.metadata.generation;
}

ContentChange change_of(const Observation& seen) {
  ContentChange change{.checksum = seen.content.checksum,
                       .since = seen.now,
                       .max_failed = api::max_failed(seen.object->spec.apply)};
  if (!has_begun(seen)) return change;
  change.released = seen.live->secret->release.text;
  change.since = seen.live->secret->release.since;
  change.was_stopped = was_stopped(*seen.object);
  return change;
}

void keep_secret(const Observation& seen, const ContentChange& change, Plan& plan) {
  const auto& secret = seen.live->secret;
  const Release release{.text = plan.rollout->release.value_or(change.released), .since = change.since};
  if (!secret)
    plan.actions.emplace_back(CreateSecret{.content = seen.content, .release = release});
  else if (!secret->right || !has_begun(seen))
    plan.actions.emplace_back(
        ChangeSecret{.version = secret->version, .content = seen.content, .release = release});
  else if (plan.rollout->release)
    plan.actions.emplace_back(ReleaseWave{.version = secret->version, .release = release});
}

void keep_right(Right wanted, RightState state, Plan& plan) {
  switch (state) {
    case RightState::Right: return;
    case RightState::Altered: plan.actions.emplace_back(RepairRight{.right = std::move(wanted)}); return;
    case RightState::Foreign:
      plan.actions.emplace_back(RemoveRight{.right = wanted});
      plan.actions.emplace_back(CreateRight{.right = std::move(wanted)});
      return;
    case RightState::Missing: plan.actions.emplace_back(CreateRight{.right = std::move(wanted)}); return;
  }
}

void keep_rights(const Observation& seen, Plan& plan) {
  auto rights = rights_of(runtime::key_of(*seen.object));
  for (std::size_t i = 0; i < rights.size(); ++i)
    keep_right(std::move(rights[i]), seen.live->rights.at(i), plan);
}

// Often at the beginning of a change, seldom when it takes long.
Seconds next_look(const Observation& seen, const ContentChange& change) {
  const Seconds age = seen.now > change.since ? seen.now - change.since : Seconds(0);
  return std::clamp(Seconds(age.count() / 10), kLookAgain, kLookAtLeastEvery);
}

void provide(const Observation& seen, Plan& plan) {
  if (!seen.live) return;
  if (seen.live->unreachable) {
    plan.waiting = no_answer(seen);
    plan.recheck = kLookAgain;
    return;
  }
  const ContentChange change = change_of(seen);
  plan.rollout = roll_out(change, seen.live->nodes, seen.now);
  keep_secret(seen, change, plan);
  keep_rights(seen, plan);
  if (!plan.rollout->complete()) plan.recheck = next_look(seen, change);
}

void plan_removal(const Observation& seen, Plan& plan) {
  if (!seen.live) return;
  if (seen.live->unreachable) {
    plan.waiting = no_answer(seen);
    plan.recheck = kLookAgain;
    return;
  }
  auto rights = rights_of(runtime::key_of(*seen.object));
  for (std::size_t i = rights.size(); i-- > 0;)
    if (seen.live->rights.at(i) != RightState::Missing)
      plan.actions.emplace_back(RemoveRight{.right = std::move(rights[i])});
  if (seen.live->secret) plan.actions.emplace_back(RemoveSecret{});
  plan.actions.emplace_back(TakeFinalizer{});
}

}  // namespace

Plan decide(const Observation& seen) {
  Plan plan{.paused = paused_by(seen)};
  if (plan.paused.paused || !seen.fresh) return plan;
  switch (standing_of(seen)) {
    case Standing::Waits: wait_first(seen, plan); break;
    case Standing::Begins: plan.actions.emplace_back(PutFinalizer{}); break;
    case Standing::Stands: provide(seen, plan); break;
    case Standing::Used: plan.waiting = still_used(seen); break;
    case Standing::Leaves: plan_removal(seen, plan); break;
    case Standing::Ends: plan.actions.emplace_back(TakeFinalizer{}); break;
  }
  return plan;
}

}  // namespace capstan::bootstrap::nodeconfig
