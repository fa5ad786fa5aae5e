#include "controllers/machine/lifecycle_report.h"

#include <fmt/ranges.h>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/lifecycle/request.h"
#include "controllers/shared/contact.h"

namespace capstan::controllers::machine {

bool is_node_known(const Observation& seen) {
  const bool clear = seen.node.lookup == NodeSeen::Lookup::One || seen.node.lookup == NodeSeen::Lookup::None;
  return contact_of(seen.node.reach).now && clear && seen.node.whose.ours();
}

lifecycle::Facts lifecycle_facts(const Observation& seen, const api::Machine& machine) {
  return {.now = seen.now,
          .machine = machine,
          .node_known = is_node_known(seen),
          .node = seen.node.node.get(),
          .contact = contact_of(seen.node.reach),
          .node_deleted = seen.node.deleted};
}

namespace {

// Keys that count, or are to count, and mean nothing, where the policy asks for nothing else of the Machine.
LifecycleReport ignored_keys(const Observation& seen, const api::Machine& after) {
  auto lines = lifecycle::ignored_without_rules(after);
  if (auto line = lifecycle::unheeded_request(after, seen.node.node.get()); !line.empty())
    lines.push_back(std::move(line));
  if (lines.empty() || after.metadata.deleting()) return {};
  return {.condition = api::conditions::make(api::policy::condition::kLifecycle, api::status::kUnknown,
                                             api::policy::reason::kInvalidRequest,
                                             fmt::to_string(fmt::join(lines, "; ")))};
}

}  // namespace

LifecycleReport lifecycle_report(const Observation& seen, const api::Machine& after) {
  if (!seen.policy && seen.policy_known && seen.governed_by) return ignored_keys(seen, after);
  if (!seen.policy) return {.keep = !seen.policy_known};
  const auto rules = lifecycle::rules_for(seen.policy->spec, after);
  const auto verdict = lifecycle::judge(lifecycle_facts(seen, after), rules);
  if (!verdict) return {.keep = true};
  return {.condition =
              api::conditions::make(api::policy::condition::kLifecycle, lifecycle::status_of(verdict->phase),
                                    lifecycle::to_string(verdict->phase), verdict->message),
          .recheck = verdict->recheck};
}

}  // namespace capstan::controllers::machine
