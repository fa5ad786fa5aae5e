#include "infrastructure/controller/pool/member_actions.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/driver/names.h"
#include "api/names.h"
#include "infrastructure/controller/pool/turnover.h"

namespace capstan::infrastructure::pool {
namespace {

constexpr std::size_t kMembersPerTurn = 200;

// The domains of the instances there are, and of those that the plan makes.
class Spread {
 public:
  explicit Spread(const Observation& seen);
  std::string next();

 private:
  const api::List<Text>& domains_;
  std::vector<std::string> used_ = {};
};

void turn_over(const Observation& seen, const Turnover& turnover, Plan& plan);
WriteList list_of(const Observation& seen, const std::vector<Member>& victims);
std::optional<runtime::Readiness> flaw_of(const std::vector<Member>& members);

}  // namespace

void size_members(const Observation& seen, Plan& plan) {
  Turnover turnover = plan.wanted ? pool::turnover(seen, *plan.wanted) : Turnover();
  std::string held = hold_back(plan.brakes, turnover);
  if (turnover.recheck) plan.recheck = turnover.recheck;
  turn_over(seen, turnover, plan);
  plan.actions.emplace_back(list_of(seen, turnover.victims));
  for (const Member& member : seen.members) {
    if (plan.wanted && !leaves(member) && member.machine && is_well_again(*member.machine))
      plan.actions.emplace_back(DropMark{.machine = member.machine});
  }
  if (auto flaw = flaw_of(seen.members)) plan.flaw = std::move(flaw);
  if (!held.empty()) plan.flaw = resizing(std::move(held));
}

std::string emptiest(const api::List<Text>& domains, const std::vector<std::string>& used) {
  if (domains.empty()) return {};
  const auto count = [&](const Text& domain) { return std::ranges::count(used, domain.view()); };
  return std::ranges::min_element(domains, {}, count)->str();
}

namespace {

void turn_over(const Observation& seen, const Turnover& turnover, Plan& plan) {
  Spread spread(seen);
  for (const Member& victim : turnover.victims) plan.actions.emplace_back(RemoveMember{.member = victim});
  if (turnover.sick)
    plan.actions.emplace_back(ReplaceMember{.member = *turnover.sick, .failure_domain = spread.next()});
  for (std::size_t i = 0; i < std::min(turnover.missing, kMembersPerTurn); ++i)
    plan.actions.emplace_back(CreateMember{.failure_domain = spread.next()});
}

Spread::Spread(const Observation& seen) : domains_(seen.owner->spec.failure_domains) {
  for (const Member& member : seen.members) {
    if (leaves(member)) continue;
    const auto& annotations = member.object->metadata.annotations;
    used_.emplace_back(annotations.value_or_empty(api::driver::annotation::kFailureDomain));
  }
}

std::string Spread::next() {
  used_.push_back(emptiest(domains_, used_));
  return used_.back();
}

// A Node whose instance is not listed any more is removed by the core, without a drain: an instance that
// leaves stays listed until it is gone.
WriteList list_of(const Observation& seen, const std::vector<Member>& victims) {
  WriteList list;
  for (const Text& id : seen.object->spec.provider_id_list) list.from.insert(id.str());
  for (const Member& member : seen.members) {
    const Text& id = member.object->spec.provider_id;
    if (!id.empty()) list.to.insert(id.str());
  }
  for (const Member& victim : victims) list.victims_gone.push_back(victim.object->metadata.name.str());
  list.working = static_cast<std::size_t>(std::ranges::count_if(seen.members, works));
  return list;
}

// The first instance that is not ready.
std::optional<runtime::Readiness> flaw_of(const std::vector<Member>& members) {
  for (const Member& member : members) {
    const auto ready = api::conditions::find(member.object->status.conditions, api::condition::kReady);
    if (leaves(member) || ready == nullptr || ready->status != api::status::kFalse) continue;
    return runtime::Readiness{
        .obstacle = api::NoteCode::InstanceNotReady,
        .message = fmt::format("{} {}: {}", api::driver::kind::kDriverMachine,
                               member.object->metadata.name.view(), ready->message.view())};
  }
  return std::nullopt;
}

}  // namespace
}  // namespace capstan::infrastructure::pool
