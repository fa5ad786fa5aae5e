#include "controllers/machinehealthcheck/shared_cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "api/names.h"
#include "base/duration.h"
#include "controllers/shared/recheck.h"

namespace capstan::controllers::machinehealthcheck {
namespace {

using Numbers = std::vector<std::size_t>;  // of symptoms

// The first moment that is later than an expiry.
constexpr Nanoseconds kMomentLater = std::chrono::milliseconds(1);
constexpr std::int64_t kWhole = 100;
// People read the first few; the remedy below them must not be cut off.
constexpr std::size_t kShownDomains = 10;

struct Limits {
  Seconds window{0};
  std::int32_t percent = 0;
  std::int32_t minimum = 0;
};

struct Finding {
  Evidence evidence = {};
  Numbers ill = {};  // all of the domain, however long
};

const api::SharedCause* asked_of(const Symptom& symptom) {
  const bool asked = symptom.policy != nullptr && symptom.policy->spec.health.shared_cause;
  return asked ? &*symptom.policy->spec.health.shared_cause : nullptr;
}

Limits limits_of(const api::SharedCause& asked) {
  using Defaults = api::SharedCause;
  return {.window = Seconds(std::max(asked.window_seconds.value_or(Defaults::kWindowSeconds), 0)),
          .percent = asked.threshold_percent.value_or(Defaults::kThresholdPercent),
          .minimum = asked.minimum_targets.value_or(Defaults::kMinimumTargets)};
}

// By policy, scope and name, in an order that does not depend on addresses.
using Domains = std::map<std::tuple<std::string_view, Scope, std::string_view>, Numbers>;

Domains domains_of(std::span<const Symptom> symptoms) {
  Domains domains;
  for (std::size_t i = 0; i < symptoms.size(); ++i) {
    const Symptom& symptom = symptoms[i];
    if (asked_of(symptom) == nullptr) continue;
    const auto policy = symptom.policy->metadata.name.view();
    domains[{policy, Scope::Cluster, {}}].push_back(i);
    if (!symptom.failure_domain.empty())
      domains[{policy, Scope::FailureDomain, symptom.failure_domain}].push_back(i);
    if (!symptom.pool.empty()) domains[{policy, Scope::Pool, symptom.pool}].push_back(i);
  }
  return domains;
}

struct Burst {
  std::int32_t count = 0;
  Time first = {};
  Time last = {};
};

// The most that began within one window of each other; of equal ones the latest.
Burst largest_burst(std::vector<Time> starts, Seconds window) {
  std::ranges::sort(starts);
  Burst largest;
  std::size_t from = 0;
  for (std::size_t to = 0; to < starts.size(); ++to) {
    while (starts[to] - starts[from] > window) ++from;
    const auto count = static_cast<std::int32_t>(to - from + 1);
    if (count >= largest.count) largest = {.count = count, .first = starts[from], .last = starts[to]};
  }
  return largest;
}

Finding look_at(const Numbers& members, std::span<const Symptom> symptoms, WallTime now) {
  const Limits limits = limits_of(*asked_of(symptoms[members.front()]));
  Finding found{.evidence = {.targets = static_cast<std::int32_t>(members.size()),
                             .window = limits.window,
                             .threshold_percent = limits.percent}};
  std::vector<Time> starts;
  for (const std::size_t i : members) {
    const Symptom& symptom = symptoms[i];
    if (symptom.ill_since.is_set()) {
      starts.push_back(symptom.ill_since);
      found.ill.push_back(i);
    } else if (symptom.well_since.is_set() && symptom.well_since.wall() + limits.window >= now) {
      ++found.evidence.recovered;
      found.evidence.last_recovery = std::max(found.evidence.last_recovery, symptom.well_since);
    }
  }
  const Burst burst = largest_burst(std::move(starts), limits.window);
  found.evidence.ill = burst.count;
  found.evidence.first = burst.first;
  found.evidence.last = burst.last;
  return found;
}

std::int64_t in_it(const Evidence& evidence) { return std::int64_t{evidence.ill} + evidence.recovered; }

bool is_shared(const Evidence& evidence, std::int32_t minimum) {
  return evidence.ill > 0 && evidence.targets >= minimum &&
         in_it(evidence) * kWhole >= std::int64_t{evidence.threshold_percent} * evidence.targets;
}

// The next recovery that is too long ago.
std::optional<Nanoseconds> next_change(const Numbers& members, std::span<const Symptom> symptoms,
                                       Seconds window, WallTime now) {
  std::optional<Nanoseconds> next;
  for (const std::size_t i : members) {
    const Symptom& symptom = symptoms[i];
    if (symptom.ill_since.is_set() || !symptom.well_since.is_set()) continue;
    const WallTime end = symptom.well_since.wall() + window;
    if (end < now) continue;
    recheck_within(next, end - now + kMomentLater);
  }
  return next;
}

// A greater share first, then the wider domain.
bool stronger(const Finding& a, const Finding& b) {
  const std::int64_t left = in_it(a.evidence) * b.evidence.targets;
  const std::int64_t right = in_it(b.evidence) * a.evidence.targets;
  if (left != right) return left > right;
  return std::tie(a.evidence.scope, a.evidence.domain, a.evidence.policy) <
         std::tie(b.evidence.scope, b.evidence.domain, b.evidence.policy);
}

std::string name_of(const Evidence& evidence, std::string_view cluster) {
  switch (evidence.scope) {
    case Scope::Cluster: return fmt::format("Cluster {}", cluster);
    case Scope::FailureDomain: return fmt::format("failure domain {}", evidence.domain);
    case Scope::Pool: break;
  }
  return evidence.domain;
}

std::string sentence(const Evidence& evidence, std::string_view cluster) {
  std::string text =
      fmt::format("{} of {} targets of {} turned unhealthy within {}, from {} to {}", evidence.ill,
                  evidence.targets, name_of(evidence, cluster), format_duration(evidence.window),
                  evidence.first.to_string(), evidence.last.to_string());
  if (evidence.recovered > 0)
    text += fmt::format(", {} more are well again, the last since {}", evidence.recovered,
                        evidence.last_recovery.to_string());
  return text + fmt::format(" (MachineLifecyclePolicy {}: {}%)", evidence.policy, evidence.threshold_percent);
}

}  // namespace

SharedCauseVerdict shared_cause(std::span<const Symptom> symptoms, WallTime now) {
  SharedCauseVerdict verdict{.held = std::vector<bool>(symptoms.size(), false)};
  std::vector<Finding> found;
  for (const auto& [key, members] : domains_of(symptoms)) {
    const auto& [policy, scope, domain] = key;
    Finding finding = look_at(members, symptoms, now);
    if (!is_shared(finding.evidence, limits_of(*asked_of(symptoms[members.front()])).minimum)) continue;
    finding.evidence.scope = scope;
    finding.evidence.domain = domain;
    finding.evidence.policy = policy;
    recheck_within(verdict.next, next_change(members, symptoms, finding.evidence.window, now));
    found.push_back(std::move(finding));
  }
  std::ranges::sort(found, stronger);
  for (Finding& finding : found) {
    const bool explained =
        std::ranges::all_of(finding.ill, [&](std::size_t i) { return bool(verdict.held[i]); });
    for (const std::size_t i : finding.ill) verdict.held[i] = true;
    if (!explained) verdict.evidence.push_back(std::move(finding.evidence));
  }
  return verdict;
}

std::string describe(const SharedCauseVerdict& verdict, std::string_view cluster) {
  std::string text =
      "Remediation is on hold, this looks like what the machines share and not like the machines:";
  const std::size_t shown = std::min(verdict.evidence.size(), kShownDomains);
  for (std::size_t i = 0; i < shown; ++i) text += "\n  * " + sentence(verdict.evidence[i], cluster);
  if (shown < verdict.evidence.size())
    text += fmt::format("\n  * and {} more failure domains and pools", verdict.evidence.size() - shown);
  return text + fmt::format(
                    "\nIt goes on when fewer are unhealthy; a Machine with the annotation {} is "
                    "replaced all the same",
                    api::annotation::kRemediateMachine);
}

}  // namespace capstan::controllers::machinehealthcheck
