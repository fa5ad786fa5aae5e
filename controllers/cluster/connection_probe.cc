#include "controllers/cluster/connection_probe.h"

#include <fmt/format.h>

#include "api/conditions/conditions.h"
#include "api/names.h"

namespace capstan::controllers::cluster {
namespace {

namespace condition = api::condition;
namespace reason = api::reason;
namespace status = api::status;

constexpr std::string_view kFailed = "Remote connection probe failed";

enum class Probe { Answers, Forgiven, NotYet, Failed };

Probe judge(const kubeconfig::Reach& reach, Time now, Seconds grace) {
  if (reach.last_success.is_set()) {
    if (reach.connected && !reach.first_failure.is_set()) return Probe::Answers;
    return now - reach.last_success > grace ? Probe::Failed : Probe::Forgiven;
  }
  if (reach.connected) return Probe::Answers;
  const bool failing_long = reach.first_failure.is_set() && now - reach.first_failure > kFirstContactGrace;
  return failing_long ? Probe::Failed : Probe::NotYet;
}

api::Condition failed(std::string_view message) {
  return api::conditions::make(condition::kRemoteConnectionProbe, status::kFalse, reason::kProbeFailed,
                               message);
}

std::string failure_of(const kubeconfig::Reach& reach) {
  std::string message(kFailed);
  if (reach.last_success.is_set()) message += ", probe last succeeded at " + reach.last_success.to_string();
  if (!reach.problem.empty()) message += ": " + reach.problem;
  return message;
}

// The same failure as a manager before this one told it, which knew when the cluster last answered.
bool tells_more(const api::ConditionView& before, const api::Condition& now, const kubeconfig::Reach& reach) {
  if (reach.last_success.is_set() || before.reason != now.reason) return false;
  const auto was = before.message.view();
  return was.starts_with(kFailed) && was.ends_with(now.message.view().substr(kFailed.size()));
}

}  // namespace

std::optional<api::Condition> probe_condition(const kubeconfig::Reach& reach, api::ConditionPlace before,
                                              Time now, Seconds grace) {
  switch (judge(reach, now, grace)) {
    case Probe::Answers:
    case Probe::Forgiven:
      return api::conditions::make(
          condition::kRemoteConnectionProbe, status::kTrue, reason::kProbeSucceeded,
          reach.insecure ? "the kubeconfig says insecure-skip-tls-verify: nobody checks whom we talk to"
                         : "");
    case Probe::NotYet:
      if (before != nullptr) return std::nullopt;
      return failed("Remote connection not established yet");
    case Probe::Failed: {
      auto failure = failed(failure_of(reach));
      if (before != nullptr && tells_more(*before, failure, reach)) return std::nullopt;
      return failure;
    }
  }
  return std::nullopt;
}

std::optional<Seconds> when_probe_turns(const kubeconfig::Reach& reach, Time now, Seconds grace) {
  switch (judge(reach, now, grace)) {
    case Probe::Answers:
    case Probe::Failed: return std::nullopt;
    case Probe::Forgiven: return grace - (now - reach.last_success) + Seconds(1);
    case Probe::NotYet:
      if (!reach.first_failure.is_set()) return std::nullopt;
      return kFirstContactGrace - (now - reach.first_failure) + Seconds(1);
  }
  return std::nullopt;
}

}  // namespace capstan::controllers::cluster
