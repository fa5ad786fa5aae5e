#include "infrastructure/controller/pool/turnover.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "infrastructure/controller/pool/victims.h"
#include "runtime/readiness.h"

namespace capstan::infrastructure::pool {
namespace {

// How long an instance without a Node counts as coming; later it is a health check's to judge.
constexpr Seconds kUntilJoined{600};

void shrink(const Observation& seen, std::vector<Member> staying, std::size_t wanted, Turnover& turnover);
void replace_one(const Observation& seen, std::vector<Member> staying, Turnover& turnover);
std::int64_t youngest_first(const Member& member);
bool is_annotated(const Member& member, std::string_view annotation);
Seconds until_joined(const Member& member, Time now);

}  // namespace

// A Machine without a VM is replaced.
Turnover turnover(const Observation& seen, std::size_t wanted) {
  Turnover turnover;
  std::vector<Member> staying;
  for (const Member& member : seen.members) {
    if (!leaves(member)) (has_lost_its_vm(member) ? turnover.victims : staying).push_back(member);
  }
  if (staying.size() < wanted)
    turnover.missing = wanted - staying.size();
  else if (staying.size() == wanted)
    replace_one(seen, std::move(staying), turnover);
  else
    shrink(seen, std::move(staying), wanted, turnover);
  return turnover;
}

// A replacement begins with a deletion, and what is made for it comes with it.
std::string hold_back(const Brakes& brakes, Turnover& turnover) {
  std::string held;
  if (!brakes.deletions.empty() && !turnover.victims.empty()) {
    held =
        fmt::format("{} instances are to go; none is removed: {}", turnover.victims.size(), brakes.deletions);
    turnover.victims.clear();
  }
  if (!brakes.creations.empty() && turnover.sick) {
    held = fmt::format("instance {} is to be replaced; none is: {}",
                       turnover.sick->object->metadata.name.view(), brakes.creations);
    turnover.sick.reset();
  }
  if (!brakes.creations.empty() && turnover.missing > 0) {
    held = fmt::format("{} instances are missing; none is made: {}", turnover.missing, brakes.creations);
    turnover.missing = 0;
  }
  return held;
}

namespace {

// First go those that a user marked, those that the pool names, those that a health check handed over, those
// that do not work, the youngest.
void shrink(const Observation& seen, std::vector<Member> staying, std::size_t wanted, Turnover& turnover) {
  const Names named = named_victims(*seen.object);
  const auto rank = [&](const Member& member) {
    const Text& name = member.object->metadata.name;
    const bool ready =
        member.machine && api::conditions::is_true(member.machine->status.conditions, api::condition::kReady);
    return std::tuple(!is_annotated(member, api::annotation::kDeleteMachine), !named.contains(name.view()),
                      !is_handed_over(member), ready, youngest_first(member), name);
  };
  std::ranges::sort(staying, {}, rank);
  staying.resize(staying.size() - wanted);
  turnover.victims.insert(turnover.victims.end(), staying.begin(), staying.end());
}

// One at a time, for a pool has no maxInFlight: the next goes when the one before is gone and the one that
// came for it has a Node. One that a user named goes first, then the youngest.
void replace_one(const Observation& seen, std::vector<Member> staying, Turnover& turnover) {
  const auto rank = [](const Member& member) {
    return std::tuple(!is_annotated(member, api::annotation::kRemediateMachine), youngest_first(member),
                      member.object->metadata.name);
  };
  const auto well =
      std::ranges::partition(staying, [](const Member& member) { return is_handed_over(member); });
  if (well.begin() == staying.begin()) return;
  const auto goes = [](const Member& member) { return leaves(member) && is_handed_over(member); };
  if (std::ranges::any_of(seen.members, goes)) return;
  Seconds longest{0};
  for (const Member& member : well) longest = std::max(longest, until_joined(member, seen.now));
  if (longest > Seconds(0))
    turnover.recheck = longest;
  else
    turnover.sick = *std::ranges::min_element(staying.begin(), well.begin(), {}, rank);
}

std::int64_t youngest_first(const Member& member) {
  const Time created = member.object->metadata.creation_timestamp;
  return created.is_set() ? -created.unix_seconds() : 0;
}

bool is_annotated(const Member& member, std::string_view annotation) {
  return member.machine && member.machine->metadata.annotations.contains(annotation);
}

// Nothing when it has joined, or will not any more.
Seconds until_joined(const Member& member, Time now) {
  if (member.machine && member.machine->status.node_ref) return {};
  return std::max(kUntilJoined - runtime::age_of(member.object->metadata, now), Seconds(0));
}

}  // namespace
}  // namespace capstan::infrastructure::pool
