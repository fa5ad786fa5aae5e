#include "runtime/controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/core/demangle.hpp>
#include <exception>
#include <system_error>
#include <typeinfo>
#include <utility>

namespace capstan::runtime {
namespace {

constexpr std::size_t kLargeCrew = 8;
constexpr std::size_t kCrewAtRest = 2;             // as many as the queue lets wait
constexpr std::uint32_t kFailuresBeforeAlarm = 5;  // in a row; before that a transient error is just logged

TurnResult result_of(const Next& next) {
  if (next.failed) return TurnResult::Error;
  return next.after ? TurnResult::RequeueAfter : TurnResult::Success;
}

}  // namespace

Controller::Controller(const ControllerDeps& deps, ControllerOptions options, Reconciler& reconciler)
    : deps_(deps),
      options_(std::move(options)),
      reconciler_(reconciler),
      metrics_(deps.metrics, options_.name, options_.concurrency),
      log_(deps.log.component(options_.name).with({{"controller", options_.name}})),
      consistency_(deps.clock, options_.consistency),
      queue_(deps.clock, deps.threads, options_.queue) {}

Controller::~Controller() { stop(); }

void Controller::start() {
  crew_.with([](Crew& crew) { crew.hiring = true; });
  hire();
}

void Controller::stop() {
  auto threads = crew_.with([](Crew& crew) {
    crew.hiring = false;
    std::vector<std::unique_ptr<Thread>> all = std::move(crew.ended);
    for (auto& [worker, thread] : crew.threads) {
      if (thread) all.push_back(std::move(thread));
    }
    crew.threads.clear();
    return all;
  });
  queue_.close();
  for (const auto& thread : threads) thread->request_stop();
  for (const auto& thread : threads) thread->join();
}

// One more worker, if there may be one.
void Controller::hire() {
  std::vector<std::unique_ptr<Thread>> ended;  // joined here: they are at their last line
  const std::uint64_t worker = crew_.with([&](Crew& crew) -> std::uint64_t {
    if (!crew.hiring || crew.threads.size() >= options_.concurrency) return 0;
    ended = std::move(crew.ended);
    crew.threads.emplace(++crew.last_worker, nullptr);
    crew.was_large = crew.was_large || crew.threads.size() >= kLargeCrew;
    return crew.last_worker;
  });
  if (worker == 0) return;
  std::unique_ptr<Thread> thread;
  try {
    thread = deps_.threads.spawn(fmt::format("{}-{}", options_.name, worker),
                                 [this, worker](const std::stop_token& stop) { work(worker, stop); });
  } catch (const std::system_error& thrown) {
    const bool alone = crew_.with([&](Crew& crew) {
      crew.threads.erase(worker);
      return crew.threads.empty();
    });
    if (alone) throw;
    log_.error("no thread for one more worker", {{"error", std::string(thrown.what())}});
    return;
  }
  crew_.with([&](Crew& crew) {
    if (!crew.hiring) return;  // too late: it finds the queue closed, and is joined here
    const auto at = crew.threads.find(worker);
    (at == crew.threads.end() ? crew.ended.emplace_back() : at->second) = std::move(thread);
  });
}

void Controller::work(std::uint64_t worker, const std::stop_token& stop) {
  while (const auto taken = queue_.take(Deadline::never(stop), options_.patience)) {
    if (taken->nobody_idle) hire();
    queue_.finish(taken->key, take_turn(*taken, stop));
  }
  retire(worker);
}

// A worker ends while the controller goes on: there was nothing to do, and its stack is memory. A load that
// comes back hires again.
void Controller::retire(std::uint64_t worker) {
  const bool load_is_over = crew_.with([&](Crew& crew) {
    const auto at = crew.threads.find(worker);
    if (!crew.hiring || at == crew.threads.end()) return false;
    if (at->second) crew.ended.push_back(std::move(at->second));
    crew.threads.erase(at);
    return crew.threads.size() <= kCrewAtRest && std::exchange(crew.was_large, false);
  });
  if (load_is_over && deps_.after_load) deps_.after_load();
}

Next Controller::take_turn(const Taken& taken, const std::stop_token& stop) {
  const SteadyTime started = deps_.clock.steady_now();
  Context context{.deadline = {.at = started + options_.turn_timeout, .stop = stop},
                  .reconcile_id = random_uuid(deps_.randomness)};
  context.log = log_.with({{options_.kind, taken.key}, {"reconcileID", context.reconcile_id}});
  metrics_.turn_started(taken);
  const std::uint64_t number = note_turn(context, taken.key);
  const Next next = run(context, taken);
  crew_.with([&](Crew& crew) { crew.turns.erase(number); });
  if (!next.skipped) metrics_.turn_ended(result_of(next), deps_.clock.steady_now() - started);
  return next;
}

// The gate, then the reconciler.
Next Controller::run(Context& context, const Taken& taken) {
  const Freshness seen = freshness(taken.key, context.deadline);
  if (seen.state != Freshness::State::Fresh) {
    metrics_.stale_cache(seen.kind, seen.state == Freshness::State::Overdue);
    context.log.debug("a cache is behind our own writes", {{"waitsFor", seen.waits_for}});
  }
  if (seen.state == Freshness::State::Behind) return {.after = seen.again_in, .skipped = true};
  context.fresh = seen.state == Freshness::State::Fresh;
  context.stale = seen.waits_for;

  const auto outcome = guarded(context, taken.key);
  if (deps_.clock.steady_now() >= context.deadline.at) metrics_.turn_timed_out();
  if (!outcome) return after_failure(context, outcome.error(), taken);
  Next next{.after = outcome->again, .quiet = outcome->quiet};
  // What it must not do now it shall do as soon as it may.
  if (!context.fresh) next.after = std::min(next.after.value_or(seen.again_in), seen.again_in);
  return next;
}

Freshness Controller::freshness(const ObjectKey& key, const Deadline& deadline) {
  Freshness seen = consistency_.check(key);
  if (!seen.ask_live) return seen;
  consistency_.resolve(deps_.client, key, deadline);
  return consistency_.check(key);
}

// The one place where an exception becomes an error. SimulatedCrash is no std::exception and passes.
Result<Outcome> Controller::guarded(const Context& context, const ObjectKey& key) {
  try {
    return reconciler_.reconcile(context, key);
  } catch (const std::exception& thrown) {
    metrics_.turn_threw();
    return fail(Code::Internal,
                fmt::format("{} thrown: {}", boost::core::demangle(typeid(thrown).name()), thrown.what()));
  }
}

Next Controller::after_failure(const Context& context, const Error& error, const Taken& taken) {
  if (context.deadline.stopped()) {
    context.log.debug("turn was stopped", {{"error", error}});
  } else if (error.code == Code::Conflict) {
    context.log.debug("the world changed meanwhile", {{"error", error}});
  } else if (is_transient(error.code) && taken.failures < kFailuresBeforeAlarm) {
    context.log.info("turn failed, will be tried again",
                     {{"error", error}, {"failures", taken.failures + 1}});
  } else {
    context.log.error("turn failed", {{"error", error}, {"failures", taken.failures + 1}});
  }
  Next next{.failed = true};
  if (error.retry_after) next.after = *error.retry_after;
  return next;
}

std::uint64_t Controller::note_turn(const Context& context, const ObjectKey& key) {
  const SteadyTime now = deps_.clock.steady_now();
  return crew_.with([&](Crew& crew) {
    crew.turns.emplace(++crew.last_turn,
                       std::pair(Turn{.key = key, .reconcile_id = context.reconcile_id}, now));
    return crew.last_turn;
  });
}

std::vector<Controller::Turn> Controller::turns() const {
  const SteadyTime now = deps_.clock.steady_now();
  return crew_.with([&](const Crew& crew) {
    std::vector<Turn> turns;
    for (const auto& [number, turn] : crew.turns) {
      turns.push_back(turn.first);
      turns.back().running = now - turn.second;
    }
    return turns;
  });
}

std::size_t Controller::workers() const {
  return crew_.with([](const Crew& crew) { return crew.threads.size(); });
}

void Controller::refresh_metrics() {
  ControllerMetrics::Turns now;
  for (const Turn& turn : turns()) {
    ++now.active;
    now.longest = std::max(now.longest, turn.running);
    now.unfinished += turn.running;
  }
  metrics_.refresh(queue_.counts(), now);
}

}  // namespace capstan::runtime
