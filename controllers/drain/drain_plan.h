// Which Pods of a Node are evicted now, later, waited for or left alone. Pure: the Pods and
// what had to be asked about them come in, a plan goes out. The drainer carries it out; the wait for volumes
// asks which Pods it skips.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "api/core/pod.h"
#include "base/time.h"
#include "controllers/drain/drain_rules.h"

namespace capstan::controllers::drain {

// What has to be known besides the Pods themselves.
struct DrainQuestions {
  std::set<api::ObjectKey> daemon_sets = {};  // do they still exist?
  std::set<std::string> namespaces = {};      // which labels do they have?
};
DrainQuestions questions_about(std::span<const api::Pod> pods, std::span<const DrainRule> rules);

struct DrainAnswers {
  std::set<api::ObjectKey> living_daemon_sets = {};
  std::map<std::string, api::Labels, std::less<>> namespaces = {};
};

struct DrainInput {
  Time now = {};
  bool unreachable = false;  // no kubelet answers that could end the Pods
  std::span<const api::Pod> pods = {};
  std::span<const DrainRule> rules = {};
  const DrainAnswers& answers;
};

// Each list in the order of namespace and name; the Pods belong to the input.
struct DrainPlan {
  using Pods = std::vector<const api::Pod*>;
  Pods skipped = {};
  Pods evict = {};           // now
  Pods terminating = {};     // on their way out
  Pods overdue = {};         // the same, but their grace period is over
  Pods wait_completed = {};  // now
  Pods evict_later = {};
  Pods wait_later = {};
};
DrainPlan drain_plan(const DrainInput& input);

// How long after the end of its grace period a Pod may still be there before we call it overdue.
inline constexpr Seconds kGraceSlack{30};
// When time alone will change the plan: a terminating Pod becomes overdue, or is given up.
std::optional<Time> next_by_time(const DrainPlan& plan, bool unreachable);

// Rules that want different things of the same Pods.
struct Contradiction {
  std::string between = {};  // the rules
  std::string line = {};     // the same, about which Pods, and what to do
};
std::vector<Contradiction> contradictions(const DrainInput& input);

}  // namespace capstan::controllers::drain
