#include "controllers/drain/drainer.h"

#include <cassert>
#include <utility>

#include "controllers/drain/attachments.h"
#include "controllers/drain/drain_round.h"
#include "controllers/drain/pace.h"
#include "kube/typed.h"

namespace capstan::controllers::drain {
namespace {

StageReport report_of(Result<StageReport> outcome, const DrainRequest& request) {
  if (outcome) return std::move(*outcome);
  return {.recheck = pause_after(request.now - request.started), .trouble = std::move(outcome).error()};
}

template <typename Watch>
void end_watch(std::unique_ptr<Watch>& watch) {
  if (watch) watch->stop();
  watch.reset();
}

void end_watches(DrainMemory& memory) {
  end_watch(memory.watch);
  end_watch(memory.volume_watch);
}

}  // namespace

Drainer::Drainer(DrainerDeps deps)
    : deps_(std::move(deps)), probes_(deps_.metrics), lists_(deps_.clock, deps_.threads) {}
Drainer::~Drainer() = default;

StageReport Drainer::turn(const DrainRequest& request, const Deadline& deadline) {
  const kube::ObjectKey machine = kube::key_of(request.machine);
  const auto memory = memory_of(request);
  if (memory->watch && memory->watch->cluster() != request.workload.get()) end_watch(memory->watch);
  DrainRound round({deps_.clock, probes_}, request, *memory, deadline);
  StageReport report = report_of(round.drain(), request);
  report.warnings = round.take_warnings();
  report.given_up = round.take_given_up();
  if (report.done) {
    end_watch(memory->watch);
  } else if (!report.trouble) {
    if (!memory->watch) {
      memory->watch = std::make_unique<DrainWatch>(loop(), request.workload, request.node, wake_of(machine));
    }
    memory->watch->watch_budgets(round.held_by_budgets());
  }
  return report;
}

StageReport Drainer::check_volumes(const DrainRequest& request, const Deadline& deadline) {
  const kube::ObjectKey machine = kube::key_of(request.machine);
  const auto memory = memory_of(request);
  auto& watch = memory->volume_watch;
  if (watch && watch->cluster() != request.workload.get()) end_watch(watch);
  DrainRound round({deps_.clock, probes_}, request, *memory, deadline);
  StageReport report = report_of(round.volumes(), request);
  if (report.done) {
    end_watch(watch);
  } else if (!report.trouble && !watch) {
    watch = std::make_unique<VolumeWatch>(
        loop(), request.workload, VolumeWatch::Subject{.node = request.node, .seen = round.volumes_seen()},
        wake_of(machine));
  }
  return report;
}

StageReport Drainer::delete_attachments(const DrainRequest& request, const Deadline& deadline) {
  assert(request.clearance && "the deletion has asked whose the Node is");
  const auto memory = memory_of(request);
  const auto listed = memory->lists->attachments(*request.workload, request.node, deadline);
  if (!listed) return report_of(fail(listed.error()), request);
  return report_of(drain::delete_attachments({.client = request.workload->client(),
                                              .node = request.node,
                                              .clearance = *request.clearance,
                                              .vm_is_gone = request.vm_is_gone,
                                              .listed = *listed},
                                             deadline),
                   request);
}

std::function<void()> Drainer::wake_of(const kube::ObjectKey& machine) const {
  return [wake = deps_.wake, machine] {
    if (wake) wake(machine);
  };
}

void Drainer::stop_watching_pods(const kube::ObjectKey& machine) {
  const auto memory = known_memory_of(machine);
  if (memory) end_watch(memory->watch);
}

void Drainer::stop_watching(const kube::ObjectKey& machine) {
  const auto memory = known_memory_of(machine);
  if (memory) end_watches(*memory);
}

void Drainer::forget(const kube::ObjectKey& machine) {
  // Ends its watches outside of the lock.
  const auto memory = drains_.with([&](auto& drains) {
    auto node = drains.extract(machine);
    return node.empty() ? nullptr : std::move(node.mapped());
  });
  if (memory) end_watches(*memory);
}

void Drainer::stop() {
  const auto ended = drains_.with([](auto& drains) { return std::exchange(drains, {}); });
  for (const auto& [machine, memory] : ended) end_watches(*memory);
}

std::vector<kube::ObjectKey> Drainer::drains_in(std::string_view namespace_) const {
  return drains_.with([&](const auto& drains) {
    std::vector<kube::ObjectKey> keys;
    for (const auto& [key, memory] : drains) {
      if (key.namespace_ == namespace_) keys.push_back(key);
    }
    return keys;
  });
}

std::size_t Drainer::size() const {
  return drains_.with([](const auto& drains) { return drains.size(); });
}

std::size_t Drainer::remembered(const kube::ObjectKey& machine) const {
  return drains_.with([&](const auto& drains) -> std::size_t {
    const auto known = drains.find(machine);
    if (known == drains.end()) return 0;
    return known->second->attempts.size() + known->second->living_daemon_sets.size() +
           known->second->warned.size();
  });
}

std::shared_ptr<DrainMemory> Drainer::memory_of(const DrainRequest& request) {
  const auto memory = drains_.with([machine = kube::key_of(request.machine)](auto& drains) {
    auto& known = drains[machine];
    if (!known) known = std::make_shared<DrainMemory>();
    return known;
  });
  if (!memory->lists) memory->lists = lists_.of(kube::key_of(request.cluster));
  return memory;
}

std::shared_ptr<DrainMemory> Drainer::known_memory_of(const kube::ObjectKey& machine) {
  return drains_.with([&](auto& drains) {
    const auto known = drains.find(machine);
    return known == drains.end() ? nullptr : known->second;
  });
}

// Its thread is started outside of the lock; of two that were made at once one goes again.
kube::WatchLoop& Drainer::loop() {
  if (auto* known = loop_.with([](auto& held) { return held.get(); })) return *known;
  auto fresh = std::make_unique<kube::WatchLoop>(deps_.threads, deps_.clock);
  return *loop_.with([&](auto& held) {
    if (!held) held = std::move(fresh);
    return held.get();
  });
}

}  // namespace capstan::controllers::drain
