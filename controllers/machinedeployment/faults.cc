#include "controllers/machinedeployment/faults.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/meta/label_selector.h"
#include "api/names.h"
#include "controllers/machinedeployment/counters.h"
#include "controllers/machinedeployment/release.h"
#include "controllers/rollout/limits.h"

namespace capstan::controllers::machinedeployment {
namespace {

bool has_all_machines(const Observation& seen) {
  return sum_of(seen.sets, &api::MachineSetStatus::replicas).value_or(0) >=
         seen.deployment.spec.replicas.value_or(0);
}

void check_cluster(const Observation& seen, std::vector<Fault>& faults) {
  const std::string name = seen.stored->spec.cluster_name.str();
  if (!seen.misnamed.empty()) {
    faults.push_back({.because = seen.misnamed, .remedy = seen.misnamed});
  } else if (!seen.cluster) {
    faults.push_back(
        {.because = fmt::format("Cluster {} does not exist", name),
         .remedy = fmt::format("spec.clusterName: Cluster {} does not exist; create it, or delete "
                               "this MachineDeployment",
                               name)});
  } else if (seen.cluster->metadata.deleting()) {
    Fault fault{.because = fmt::format("Cluster {} is being deleted", name)};
    // Every Cluster goes that way: a surprise only to who waits for more Machines.
    if (!has_all_machines(seen)) {
      fault.remedy =
          fmt::format("spec.clusterName: Cluster {} is being deleted, nothing is made for it any more", name);
    }
    faults.push_back(std::move(fault));
  }
}

void check_replicas(const api::MachineDeployment& deployment, std::vector<Fault>& faults) {
  const std::int32_t replicas = deployment.spec.replicas.value_or(0);
  if (replicas >= 0) return;
  faults.push_back(
      {.because = fmt::format("spec.replicas {} is negative", replicas),
       .remedy = fmt::format("spec.replicas: {} is negative; 0 or more Machines can be wanted", replicas)});
}

// Whether `selector` lets pass what carries this label, by what it says about that label alone.
bool accepts(const api::LabelSelector& selector, std::string_view label, const Text& value) {
  api::LabelSelector about;
  if (const Text* wanted = selector.match_labels.find(label)) about.match_labels.set(Text(label), *wanted);
  std::ranges::copy_if(selector.match_expressions, std::back_inserter(about.match_expressions),
                       [&](const auto& each) { return each.key == label; });
  const auto compiled = api::Selector::from(about);
  return compiled && compiled->matches({{Text(label), value}});
}

void check_selector(const api::MachineDeployment& deployment, std::vector<Fault>& faults) {
  const auto selector = api::Selector::from(deployment.spec.selector);
  if (!selector) {
    faults.push_back({.because = "spec.selector can't be understood: " + selector.error().message,
                      .remedy = "spec.selector: " + selector.error().message + "; correct it"});
    return;
  }
  if (selector->matches_everything()) {
    faults.push_back({.because = "spec.selector selects everything",
                      .remedy = "spec.selector: it is empty and would take over every MachineSet; name a "
                                "label that only this MachineDeployment's template has"});
  } else if (!accepts(deployment.spec.selector, api::label::kDeploymentName, deployment.metadata.name)) {
    // Every Machine is given this label, whatever its template says.
    const std::string given =
        fmt::format("{}={}", api::label::kDeploymentName, deployment.metadata.name.view());
    faults.push_back({.because = "spec.selector does not match " + given,
                      .remedy = fmt::format("spec.selector: it wants {}, but Machines of this "
                                            "MachineDeployment get {}; put that into spec.selector and "
                                            "spec.template.metadata.labels",
                                            selector->str(), given)});
  } else if (!selector->matches(deployment.spec.machine_template.metadata.labels)) {
    faults.push_back({.because = "spec.selector does not match spec.template.metadata.labels",
                      .remedy = fmt::format(
                          "spec.template.metadata.labels: spec.selector wants {}, and Machines made from "
                          "this template would never be counted; give the template these labels or "
                          "change the selector",
                          selector->str())});
  }
}

// Only of a selector that can be acted upon.
void check_release(const Observation& seen, std::vector<Fault>& faults) {
  if (!faults.empty()) return;
  const std::string question = release_to_confirm(seen);
  if (!question.empty()) faults.push_back({.because = question, .remedy = question});
}

void check_strategy(const api::MachineDeployment& deployment, std::vector<Fault>& faults) {
  const auto& strategy = deployment.spec.rollout.strategy;
  const std::string type = strategy ? strategy->type.str() : std::string();
  if (type != api::rollout_strategy::kRollingUpdate && type != api::rollout_strategy::kOnDelete) {
    faults.push_back({.because = fmt::format("spec.rollout.strategy.type {:?} is unknown", type),
                      .remedy = "spec.rollout.strategy.type: use RollingUpdate or OnDelete"});
    return;
  }
  const auto limits = rollout::limits_of(deployment);
  if (limits) return;
  faults.push_back({.because = limits.error().message,
                    .remedy = limits.error().message + "; use a number or a percentage like 25%"});
}

void check_template(const TemplateSeen& seen, std::vector<Fault>& faults) {
  if (seen.state == TemplateSeen::State::Unknown) {
    faults.push_back({.because = seen.problem, .remedy = fmt::format("{}: {}", seen.field, seen.problem)});
  }
  if (seen.state != TemplateSeen::State::Missing) return;
  faults.push_back({.because = seen.kind + " does not exist",
                    .remedy = fmt::format("{}: {} {} does not exist; create it or change the reference",
                                          seen.field, seen.kind, seen.name)});
}

}  // namespace

std::vector<Fault> faults_of(const Observation& seen) {
  std::vector<Fault> faults;
  for (const std::string& problem : seen.unreadable) {
    faults.push_back(
        {.because = problem,
         .remedy = problem + ": no other MachineSet is made or scaled beside it; mend it, or delete it"});
  }
  check_cluster(seen, faults);
  if (!seen.no_defaults.empty()) {
    faults.push_back(
        {.because = seen.no_defaults, .remedy = seen.no_defaults + "; correct it or set spec.replicas"});
  }
  check_replicas(seen.deployment, faults);
  check_selector(seen.deployment, faults);
  check_strategy(seen.deployment, faults);
  check_release(seen, faults);
  return faults;
}

std::vector<Fault> missing_templates(const Observation& seen) {
  std::vector<Fault> faults;
  check_template(seen.bootstrap, faults);
  check_template(seen.infrastructure, faults);
  return faults;
}

bool has_unlisted_template(const Observation& seen) {
  return seen.bootstrap.state == TemplateSeen::State::Unlisted ||
         seen.infrastructure.state == TemplateSeen::State::Unlisted;
}

}  // namespace capstan::controllers::machinedeployment
