#include "controllers/drain/drain_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"

namespace capstan::controllers::drain {
namespace {

// What a rule says of Machines, ready to match.
struct Machines {
  api::Selector machines = {};
  api::Selector clusters = {};
};

// One left out matches everything.
Result<api::Selector> selector_of(const std::optional<api::LabelSelector>& selector,
                                  const std::string& field) {
  if (!selector) return api::Selector();
  auto compiled = api::Selector::from(*selector);
  if (!compiled) return fail(compiled.error().context(field));
  return compiled;
}

Result<std::vector<Machines>> machines_of(const api::MachineDrainRule& rule, const std::string& name) {
  std::vector<Machines> compiled;
  for (const auto& entry : rule.spec.machines) {
    const std::string field = fmt::format("{} spec.machines[{}]", name, compiled.size());
    Machines one{.machines = TRY(selector_of(entry.selector, field + ".selector"))};
    one.clusters = TRY(selector_of(entry.cluster_selector, field + ".clusterSelector"));
    compiled.push_back(std::move(one));
  }
  return compiled;
}

Result<std::vector<DrainRule::Pods>> pods_of(const api::MachineDrainRule& rule, const std::string& name) {
  std::vector<DrainRule::Pods> compiled;
  for (const auto& entry : rule.spec.pods) {
    const std::string field = fmt::format("{} spec.pods[{}]", name, compiled.size());
    DrainRule::Pods one{.pods = TRY(selector_of(entry.selector, field + ".selector"))};
    one.namespaces = TRY(selector_of(entry.namespace_selector, field + ".namespaceSelector"));
    compiled.push_back(std::move(one));
  }
  return compiled;
}

Result<Treatment> treatment_of(const api::MachineDrainRule& rule, const std::string& name) {
  const auto& behavior = rule.spec.drain.behavior;
  if (behavior == api::drain_behavior::kDrain) return Treatment::Drain;
  if (behavior == api::drain_behavior::kSkip) return Treatment::Skip;
  if (behavior == api::drain_behavior::kWaitCompleted) return Treatment::WaitCompleted;
  return fail(Code::Invalid,
              fmt::format("{} spec.drain.behavior: unknown value \"{}\"", name, behavior.view()));
}

bool is_for(std::span<const Machines> machines, const DrainSubject& subject) {
  return machines.empty() || std::ranges::any_of(machines, [&](const Machines& one) {
           return one.machines.matches(subject.machine) && one.clusters.matches(subject.cluster);
         });
}

}  // namespace

Result<std::vector<DrainRule>> rules_for(const DrainSubject& subject,
                                         std::span<const runtime::Snapshot<api::MachineDrainRule>> rules) {
  std::vector<DrainRule> applied;
  for (const auto& rule : rules) {
    const std::string name = "MachineDrainRule " + rule->metadata.name.str();
    const auto machines = TRY(machines_of(*rule, name));
    DrainRule compiled{.name = rule->metadata.name.str(), .treatment = TRY(treatment_of(*rule, name))};
    compiled.pods = TRY(pods_of(*rule, name));
    if (compiled.treatment == Treatment::Drain) compiled.order = rule->spec.drain.order.value_or(0);
    if (is_for(machines, subject)) applied.push_back(std::move(compiled));
  }
  std::ranges::sort(applied, {}, &DrainRule::name);
  return applied;
}

bool ask_for_namespaces(std::span<const DrainRule> rules) {
  return std::ranges::any_of(rules, [](const DrainRule& rule) {
    return std::ranges::any_of(rule.pods,
                               [](const auto& entry) { return !entry.namespaces.matches_everything(); });
  });
}

std::vector<const DrainRule*> rules_matching(std::span<const DrainRule> rules, const api::Labels& pod,
                                             const api::Labels& pod_namespace) {
  std::vector<const DrainRule*> matching;
  for (const DrainRule& rule : rules) {
    const bool matches =
        rule.pods.empty() || std::ranges::any_of(rule.pods, [&](const DrainRule::Pods& entry) {
          return entry.pods.matches(pod) && entry.namespaces.matches(pod_namespace);
        });
    if (matches) matching.push_back(&rule);
  }
  return matching;
}

}  // namespace capstan::controllers::drain
