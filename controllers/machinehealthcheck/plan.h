// What a turn of a MachineHealthCheck is going to do, and why. Made by decide.h, carried out by act.h, shown
// by report.h. A plain value.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "controllers/machinehealthcheck/allowance.h"
#include "controllers/machinehealthcheck/checks.h"
#include "controllers/machinehealthcheck/marks.h"
#include "controllers/machinehealthcheck/shared_cause.h"
#include "runtime/paused.h"

namespace capstan::controllers::machinehealthcheck {

// The check gets the label and the owner reference of its Cluster.
struct OwnCheck {
  api::ObjectMeta from = {};
  api::ObjectMeta to = {};
  bool operator==(const OwnCheck&) const = default;
};
// Conditions of a Machine change.
struct MarkMachine {
  Snapshot<api::Machine> machine = {};  // as it was seen
  Marks from = {};
  Marks to = {};
  bool handed_over = false;  // for remediation: an Event of the Machine says so
  bool operator==(const MarkMachine&) const = default;
};
// A request for remediation is made, then the conditions of its Machine change. Two live reads guard it: one
// of the request, where its kind is not watched, and one of the template. What comes of them is shown as
// ExternallyRemediated beside `to`.
struct RequestRemediation {
  Snapshot<api::Machine> machine = {};
  Marks from = {};
  Marks to = {};
  bool operator==(const RequestRemediation&) const = default;
};
// The request of a Machine that is well is taken back, then its conditions change. The request is looked at
// again before, live where its kind is not watched. A Machine that was marked unhealthy keeps that mark when
// the request stays: without it a healthy Machine would be repaired.
struct WithdrawRequest {
  Snapshot<api::Machine> machine = {};
  Marks from = {};
  Marks to = {};
  bool operator==(const WithdrawRequest&) const = default;
};

using Action = std::variant<OwnCheck, MarkMachine, RequestRemediation, WithdrawRequest>;

// So many Machines are marked well in one turn.
inline constexpr std::size_t kGoodNewsPerTurn = 100;

struct Plan {
  std::vector<Action> actions = {};  // the exempted first, then the unhealthy, then those that are well
  // Machines that are well and are marked in one of the next turns, by name.
  std::vector<std::string> waiting = {};

  runtime::Paused pause = {};
  bool cluster_missing = false;  // then nothing else is known
  bool judged = false;           // everything below is known

  std::vector<Verdict> verdicts = {};  // one per target, in the same order
  Counts counts = {};
  bool selects_none = false;  // the Cluster is up and has Machines, but none that it selects
  Allowance allowance = {};
  SharedCauseVerdict shared_cause = {};
  // Unhealthy targets are handed over for remediation, but for those that are held.
  bool remediate = false;
  bool held(std::size_t target) const {
    return target < shared_cause.held.size() && shared_cause.held[target];
  }
  std::optional<Nanoseconds> recheck = {};
  bool operator==(const Plan&) const = default;
};

// A line per action, for logs and tests.
std::vector<std::string> describe(const Plan& plan);

}  // namespace capstan::controllers::machinehealthcheck
