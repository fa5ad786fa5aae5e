#include "bootstrap/approval/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/bootstrap/names.h"
#include "base/safeguards.h"

namespace capstan::bootstrap::approval {
namespace {

constexpr std::string_view kClientAuth = "client auth";
constexpr std::array<std::string_view, 3> kUsages = {kClientAuth, "digital signature", "key encipherment"};

Verdict approve(std::string why) { return {.decision = Decision::Approve, .why = std::move(why)}; }
Verdict deny(std::string why) { return {.decision = Decision::Deny, .why = std::move(why)}; }

bool has(const std::vector<std::string>& list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

bool is_for_clients_only(const Request& request) {
  return has(request.usages, kClientAuth) &&
         std::ranges::all_of(request.usages, [](const std::string& usage) {
           return std::ranges::find(kUsages, usage) != kUsages.end();
         });
}

std::string name_of(const Member& member) {
  return fmt::format("{} {}/{}", member.owner.kind, member.config.namespace_, member.owner.name);
}

Verdict judge_machine(const Member& member, const Identity& identity) {
  if (identity.machine != member.owner.name && !is_off(Safeguard::Approval))
    return deny("the bootstrap token was minted for " + name_of(member));
  if (!member.owner.nodes_missing) return deny(name_of(member) + " has a Node already");
  return approve("the bootstrap token was minted for " + name_of(member));
}

// Its token is for all instances, so any of them may ask for any name that is not taken.
Verdict judge_instance(const Case& seen, const Member& pool, const Identity& identity) {
  if (seen.names_other_machine)
    return deny(fmt::format("Machine {} is not of {}", identity.machine, name_of(pool)));
  if (seen.node_is_there) return deny(fmt::format("Node {} is there already", identity.machine));
  if (seen.had_certificate) return deny("an instance of that name has got a certificate already");
  return approve("the bootstrap token was minted for " + name_of(pool));
}

Verdict judge_birth(const Case& seen, const Identity& identity) {
  const Member& member = *seen.minted_for;
  if (identity.namespace_ != member.config.namespace_ || identity.node_config != member.node_config)
    return deny(fmt::format("{} has NodeConfig {}", name_of(member), member.node_config));
  if (member.owner.deleting) return deny(name_of(member) + " is being deleted");
  return member.owner.is_pool() ? judge_instance(seen, member, identity) : judge_machine(member, identity);
}

bool is_same_agent(const Request& request) {
  return request.requester == request.subject.common_name &&
         has(request.groups, request.subject.organizations.front());
}

bool is_its_kubelet(const Case& seen, const Identity& identity) {
  const std::string node = node_of(seen.request);
  const Owner& owner = seen.holder->owner;
  return has(owner.nodes, node) && (!owner.is_pool() || node == identity.machine);
}

Verdict judge_renewal(const Case& seen, const Identity& identity) {
  if (!seen.holder)
    return deny(fmt::format("no machine {} has NodeConfig {}", identity.machine, identity.node_config));
  if (seen.holder->owner.deleting) return deny(name_of(*seen.holder) + " is being deleted");
  if (is_same_agent(seen.request)) return approve("the agent renews its certificate");
  if (is_its_kubelet(seen, identity)) return approve("the kubelet of that machine asks for its agent");
  return deny(fmt::format("{} is not {}", seen.request.requester, name_of(*seen.holder)));
}

bool renews(const Case& seen) {
  return seen.ours && (seen.request.requester.starts_with(api::bootstrap::kAgentUserPrefix) ||
                       !node_of(seen.request).empty());
}

}  // namespace

std::optional<Verdict> judge(const Case& seen) {
  if (!seen.minted_for && !renews(seen)) return std::nullopt;
  const auto identity = identity_in(seen.request);
  if (!identity) return deny("the subject is not that of one machine and its NodeConfig alone");
  if (!is_for_clients_only(seen.request)) return deny("the certificate is to be for client auth only");
  return seen.minted_for ? judge_birth(seen, *identity) : judge_renewal(seen, *identity);
}

std::vector<std::optional<Verdict>> judge_all(std::vector<Case> cases) {
  std::vector<std::optional<Verdict>> verdicts;
  std::vector<Identity> approved;
  for (Case& seen : cases) {
    const auto identity = identity_in(seen.request);
    if (identity && std::ranges::find(approved, *identity) != approved.end()) seen.had_certificate = true;
    verdicts.push_back(judge(seen));
    if (identity && verdicts.back() && verdicts.back()->decision == Decision::Approve)
      approved.push_back(*identity);
  }
  return verdicts;
}

}  // namespace capstan::bootstrap::approval
