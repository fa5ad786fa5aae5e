#include "controllers/machinepool/pool_drain.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/v1beta2/syntax.h"
#include "controllers/machine/drain/eviction.h"
#include "controllers/machinepool/deletion.h"
#include "kube/resources.h"
#include "kube/typed.h"

namespace capstan::controllers::machinepool {
namespace {

// So many drains a turn sees to; the rest follows in the next.
constexpr std::size_t kDrainsPerTurn = 50;
constexpr std::size_t kShown = 3;
constexpr Seconds kMarkRecheck{10};

// Who drain rules take the Node's instance for: what its Machine would be, had it one.
api::Machine stand_in(const api::MachinePool& pool, std::string_view node) {
  api::Machine machine;
  const auto key = drain_key(pool, node);
  machine.metadata.namespace_ = Text(key.namespace_);
  machine.metadata.name = Text(key.name);
  machine.metadata.labels = pool.spec.machine_template.metadata.labels;
  machine.metadata.labels.set(Text(api::label::kPoolName), Text(api::label_value(pool.metadata.name)));
  machine.metadata.labels.set(Text(api::label::kClusterName), pool.spec.cluster_name);
  machine.spec.cluster_name = pool.spec.cluster_name;
  return machine;
}

std::string indented(std::string_view text) {
  std::string result;
  for (const char c : text) {
    result += c;
    if (c == '\n') result += "  ";
  }
  return result;
}

std::string summary(const std::vector<std::string>& lines, std::size_t emptied) {
  if (lines.empty()) return {};
  std::string text = fmt::format("{} of {} Nodes are drained", emptied, emptied + lines.size());
  for (std::size_t i = 0; i < std::min(lines.size(), kShown); ++i) text += "\n* " + lines[i];
  if (lines.size() > kShown) text += fmt::format("\n* ... ({} more)", lines.size() - kShown);
  return text;
}

}  // namespace

PoolDrainer::PoolDrainer(const Deps& deps)
    : deps_(deps), drainer_({.clock = deps.clock, .threads = deps.threads, .wake = [this](const auto& drain) {
                               woken(drain);
                             }}) {}

void PoolDrainer::wake_through(runtime::Queue& queue) { queue_ = &queue; }

void PoolDrainer::woken(const kube::ObjectKey& drain) {
  const auto slash = drain.name.find('/');
  if (queue_ == nullptr || slash == drain.name.npos) return;
  const kube::ObjectKey pool{.namespace_ = drain.namespace_, .name = drain.name.substr(0, slash)};
  drains_.with([&](auto& all) {
    const auto drains = all.find(pool);
    if (drains == all.end()) return;
    const auto known = drains->second.find(drain.name.substr(slash + 1));
    if (known != drains->second.end()) known->second.due = {};
  });
  queue_->add(pool);
}

PoolDrainer::NodeDrain PoolDrainer::drain_of(const kube::ObjectKey& pool, const api::Node& node) {
  return drains_.with([&](auto& all) {
    NodeDrain& known = all[pool][node.metadata.name.str()];
    if (known.uid != node.metadata.uid) known = {.uid = node.metadata.uid};
    return known;
  });
}

void PoolDrainer::remember(const kube::ObjectKey& pool, const api::Node& node, const NodeDrain& drain) {
  drains_.with([&](auto& all) { all[pool][node.metadata.name.str()] = drain; });
}

DrainRound PoolDrainer::turn(const Observation& seen, std::span<const Snapshot<api::Node>> nodes,
                             const std::optional<Time>& began, const Deadline& deadline) {
  const kube::ObjectKey pool = runtime::key_of(*seen.pool);
  DrainRound round;
  std::vector<std::string> lines;
  std::size_t turns = 0;
  for (const auto& node : nodes) {
    NodeDrain drain = drain_of(pool, *node);
    if (began) drain.began = *began;
    const bool due = drain.due <= seen.now;
    const bool timed_out = drain.began.is_set() && drain_timed_out(seen, drain.began);
    if (!drain.done && !timed_out && due) {
      if (++turns > kDrainsPerTurn) {
        round.unfinished = true;
      } else {
        drain.due = seen.now + kMarkRecheck;
        remember(pool, *node, drain);  // before the turn: who is woken meanwhile is woken for the next one
        one_turn(seen, *node, deadline, drain, round);
      }
    }
    if (drain.done || timed_out) {
      round.emptied.push_back(node);
      continue;
    }
    round.left.push_back(node);
    lines.push_back(fmt::format("Node {}: {}", node->metadata.name.view(), drain.message));
    const Seconds again = std::max(drain.due - seen.now, Seconds(1));
    round.recheck = std::min(round.recheck.value_or(again), again);
  }
  round.message = summary(lines, round.emptied.size());
  return round;
}

void PoolDrainer::one_turn(const Observation& seen, const api::Node& node, const Deadline& deadline,
                           NodeDrain& drain, DrainRound& round) {
  const kube::ObjectKey pool = runtime::key_of(*seen.pool);
  if (!drain.began.is_set()) {
    const auto began = mark(seen, node, deadline);
    if (!began) {
      drain.message = "the start of its drain could not be noted: " + began.error().message;
      return remember(pool, node, drain);
    }
    drain.began = *began;
  }
  const api::Machine machine = stand_in(*seen.pool, node.metadata.name);
  auto report = drainer_.turn({.machine = machine,
                               .cluster = *seen.cluster,
                               .rules = deps_.caches.drain_rules_in(pool.namespace_),
                               .workload = seen.workload,
                               .node = node.metadata.name.str(),
                               .started = drain.began,
                               .now = seen.now},
                              deadline);
  for (auto& warning : report.warnings) round.warnings.push_back(std::move(warning));
  if (report.done) {
    drain.done = true;
    drainer_.forget(drain_key(*seen.pool, node.metadata.name));
    round.done.push_back(node.metadata.name.str());
  } else if (report.trouble) {
    if (!machine::is_our_own_brake(*report.trouble) || drain.message.empty()) {
      drain.message = report.trouble->message;
    }
  } else {
    drain.message = indented(report.message);
  }
  const auto timeout = seen.pool->spec.machine_template.spec.deletion.node_drain_timeout_seconds.value_or(0);
  drain.due = seen.now + std::max(report.recheck, Seconds(1));
  if (timeout > 0) drain.due = std::min(drain.due, drain.began + Seconds(timeout));
  drains_.with([&](auto& all) {
    NodeDrain& known = all[pool][node.metadata.name.str()];
    const bool woken = !known.due.is_set();
    known = drain;
    if (woken) known.due = {};
  });
}

// Written once; whoever comes after us goes on counting from there.
Result<Time> PoolDrainer::mark(const Observation& seen, const api::Node& node, const Deadline& deadline) {
  const std::string_view known = node.metadata.annotations.value_or_empty(kDrainStarted);
  if (const auto began = Time::parse(known); began && !known.empty()) return *began;
  const boost::json::value patch = {{"metadata", {{"annotations", {{kDrainStarted, seen.now.to_string()}}}}}};
  const auto written =
      seen.workload->client().patch(kube::resources::nodes(), runtime::key_of(node), patch, {}, deadline);
  if (!written && written.error().code != Code::NotFound) return fail(written.error());
  return seen.now;
}

void PoolDrainer::forget(const kube::ObjectKey& pool) {
  const Drains ended = drains_.with([&](auto& all) {
    auto node = all.extract(pool);
    return node.empty() ? Drains() : std::move(node.mapped());
  });
  for (const auto& [name, drain] : ended) {
    drainer_.forget({.namespace_ = pool.namespace_, .name = pool.name + "/" + name});
  }
}

void PoolDrainer::rest() { drainer_.rest(); }

}  // namespace capstan::controllers::machinepool
