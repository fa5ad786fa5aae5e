#include "controllers/machinepool/pool_drain.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/json.hpp>
#include <set>

#include "api/v1beta2/syntax.h"
#include "controllers/drain/eviction.h"
#include "controllers/machinepool/deletion.h"
#include "controllers/shared/recheck.h"
#include "kube/resources.h"
#include "kube/typed.h"

namespace capstan::controllers::machinepool {
namespace {

// So many drains a turn sees to; the rest follows in the next.
constexpr std::size_t kDrainsPerTurn = 50;
constexpr std::size_t kShown = 3;
constexpr Seconds kMarkRecheck{10};

// The Machine that drain rules see: as it would be, had the Node's instance one.
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

std::optional<Time> marked(const api::Node& node, std::string_view annotation) {
  const std::string_view known = node.metadata.annotations.value_or_empty(annotation);
  const auto since = Time::parse(known);
  return since && !known.empty() ? std::optional(*since) : std::nullopt;
}

bool is_marked(const api::Node& node, std::string_view annotation) {
  return marked(node, annotation).has_value();
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
    : deps_(deps),
      drainer_({.clock = deps.clock,
                .threads = deps.threads,
                .wake = [this](const auto& drain) { woken(drain); },
                .metrics = deps.metrics}) {}

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

std::vector<kube::ObjectKey> PoolDrainer::look_again_in(std::string_view namespace_) {
  return drains_.with([&](auto& all) {
    std::vector<kube::ObjectKey> pools;
    for (auto& [pool, drains] : all) {
      if (pool.namespace_ != namespace_) continue;
      pools.push_back(pool);
      for (auto& [name, drain] : drains) drain.due = {};
    }
    return pools;
  });
}

PoolDrainer::NodeDrain PoolDrainer::drain_of(const kube::ObjectKey& pool, const api::Node& node) {
  return drains_.with([&](auto& all) {
    NodeDrain& known = all[pool][node.metadata.name.str()];
    if (known.uid != node.metadata.uid) known = {.uid = node.metadata.uid};
    return known;
  });
}

void PoolDrainer::forget_others(const kube::ObjectKey& pool, std::span<const Snapshot<api::Node>> nodes) {
  std::set<std::string_view> going;
  for (const auto& node : nodes) going.insert(node->metadata.name.view());
  std::vector<std::string> staying;
  drains_.with([&](auto& all) {
    std::erase_if(all[pool], [&](const auto& each) {
      if (going.contains(each.first)) return false;
      staying.push_back(each.first);
      return true;
    });
  });
  for (const auto& name : staying)
    drainer_.forget({.namespace_ = pool.namespace_, .name = pool.name + "/" + name});
}

void PoolDrainer::remember(const kube::ObjectKey& pool, const api::Node& node, const NodeDrain& drain) {
  drains_.with([&](auto& all) { all[pool][node.metadata.name.str()] = drain; });
}

DrainRound PoolDrainer::turn(const Observation& seen, const Wanted& wanted, const Deadline& deadline) {
  const kube::ObjectKey pool = runtime::key_of(*seen.pool);
  forget_others(pool, wanted.nodes);
  DrainRound round{.by_volumes = true};
  std::vector<std::string> lines;
  std::size_t turns = 0;
  for (const auto& node : wanted.nodes) {
    NodeDrain drain = drain_of(pool, *node);
    if (wanted.began) drain.began = *wanted.began;
    if (!drain.done && (drain.due <= seen.now || news(seen, *node, drain))) {
      if (++turns > kDrainsPerTurn) {
        round.unfinished = true;
      } else {
        drain.due = seen.now + kMarkRecheck;
        remember(pool, *node, drain);  // before the turn: what wakes it meanwhile wakes it for the next one
        one_turn({.seen = seen, .node = *node, .wanted = wanted, .deadline = deadline, .round = round},
                 drain);
      }
    }
    if (drain.done) {
      round.emptied.push_back(node);
      continue;
    }
    round.left.push_back(node);
    round.by_volumes = round.by_volumes && drain.drained;
    lines.push_back(fmt::format("Node {}: {}", node->metadata.name.view(), drain.message));
    recheck_within(round.recheck, std::max(drain.due - seen.now, Seconds(1)));
  }
  round.by_volumes = round.by_volumes && !round.left.empty();
  round.message = summary(lines, round.emptied.size());
  return round;
}

// It is over by now, though nothing has come of it: a timeout, or an annotation.
bool PoolDrainer::news(const Observation& seen, const api::Node& node, const NodeDrain& drain) {
  if (!drain.drained) return drain_is_over(seen, drain.began) || is_marked(node, kVolumeWaitStarted);
  return volume_wait_is_over(seen, drain.waits_since);
}

void PoolDrainer::one_turn(const Turn& turn, NodeDrain& drain) {
  const kube::ObjectKey pool = runtime::key_of(*turn.seen.pool);
  const auto key = drain_key(*turn.seen.pool, turn.node.metadata.name);
  if (!drain.drained) turn_of_drain(turn, drain);
  if (drain.drained && !drain.done) {
    drainer_.stop_watching_pods(key);
    turn_of_volumes(turn, drain);
  }
  if (drain.done) drainer_.forget(key);
  drains_.with([&](auto& all) {
    NodeDrain& known = all[pool][turn.node.metadata.name.str()];
    const bool woken = !known.due.is_set();
    known = drain;
    if (woken) known.due = {};
  });
}

void PoolDrainer::turn_of_drain(const Turn& turn, NodeDrain& drain) {
  const Observation& seen = turn.seen;
  // One that is over is not begun again: Pods that came since are not waited for.
  drain.drained = is_marked(turn.node, kVolumeWaitStarted) || drain_is_over(seen, drain.began);
  if (drain.drained) return;
  const auto answer = turn.wanted.clear(turn.node);
  if (!answer) {
    drain.message = answer.error().message;
    return;
  }
  drain.done = drain.drained = !answer->clearance;  // another's: it stays as it is
  if (drain.done) return;
  if (!drain.began.is_set()) {
    const auto began = mark(turn, kDrainStarted);
    if (!began) {
      drain.message = "the start of its drain could not be noted: " + began.error().message;
      return;
    }
    drain.began = *began;
    drain.drained = drain_is_over(seen, drain.began);
    if (drain.drained) return;
  }
  auto report = ask(turn, drain.began, {&drain::Drainer::turn, answer->clearance});
  for (auto& warning : report.warnings) turn.round.warnings.push_back(std::move(warning));
  drain.drained = report.done;
  if (drain.drained) return turn.round.drained.push_back(turn.node.metadata.name.str());
  const auto timeout = seen.pool->spec.machine_template.spec.deletion.node_drain_timeout_seconds;
  note(report, drain.began, timeout, seen.now, drain);
}

void PoolDrainer::turn_of_volumes(const Turn& turn, NodeDrain& drain) {
  const Observation& seen = turn.seen;
  if (!drain.waits_since.is_set()) {
    const auto since = marked(turn.node, kVolumeWaitStarted);
    if (since) drain.waits_since = *since;
  }
  drain.done = volume_wait_is_over(seen, drain.waits_since);
  if (drain.done) return;
  const bool waited = drain.waits_since.is_set();
  auto report = ask(turn, waited ? drain.waits_since : seen.now, {&drain::Drainer::check_volumes});
  drain.done = report.done;
  if (drain.done && waited) turn.round.detached.push_back(turn.node.metadata.name.str());
  if (drain.done) return;
  if (!waited) {
    const auto since = mark(turn, kVolumeWaitStarted);
    if (!since) {
      drain.message = "the start of the wait for its volumes could not be noted: " + since.error().message;
      return;
    }
    drain.waits_since = *since;
  }
  const auto timeout = seen.pool->spec.machine_template.spec.deletion.node_volume_detach_timeout_seconds;
  note(report, drain.waits_since, timeout, seen.now, drain);
}

drain::StageReport PoolDrainer::ask(const Turn& turn, Time since, const Stage& stage) {
  const Observation& seen = turn.seen;
  const api::Machine machine = stand_in(*seen.pool, turn.node.metadata.name);
  return (drainer_.*stage.turn)({.machine = machine,
                                 .cluster = *seen.cluster,
                                 .rules = deps_.caches.drain_rules_in(seen.pool->metadata.namespace_.view()),
                                 .workload = turn.wanted.workload,
                                 .node = turn.node.metadata.name.str(),
                                 .clearance = stage.clearance,
                                 .started = since,
                                 .now = seen.now},
                                turn.deadline);
}

void PoolDrainer::note(const drain::StageReport& report, Time since, std::optional<std::int32_t> timeout,
                       Time now, NodeDrain& drain) {
  if (report.trouble) {
    if (!drain::is_our_own_brake(*report.trouble) || drain.message.empty()) {
      drain.message = report.trouble->message;
    }
  } else {
    drain.message = indented(report.message);
  }
  drain.due = now + std::max(report.recheck, Seconds(1));
  if (timeout.value_or(0) > 0) drain.due = std::min(drain.due, since + Seconds(*timeout));
}

// Written once: a manager that is started later goes on counting from there.
Result<Time> PoolDrainer::mark(const Turn& turn, std::string_view annotation) {
  if (const auto began = marked(turn.node, annotation)) return *began;
  boost::json::object annotations;
  annotations[annotation] = turn.seen.now.to_string();
  const boost::json::value patch = {{"metadata", {{"annotations", std::move(annotations)}}}};
  const auto written = kube::patch_briefly(turn.wanted.workload->client(), kube::resources::nodes(),
                                           runtime::key_of(turn.node), patch, {}, turn.deadline);
  if (!written && written.error().code != Code::NotFound) return fail(written.error());
  return turn.seen.now;
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

void PoolDrainer::stop() { drainer_.stop(); }

}  // namespace capstan::controllers::machinepool
