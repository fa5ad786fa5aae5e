#include "runtime/controller_metrics.h"

namespace capstan::runtime {
namespace {

constexpr std::array kResults = {TurnResult::Success, TurnResult::Error, TurnResult::Requeue,
                                 TurnResult::RequeueAfter};
constexpr std::array kPriorities = {Priority::Low, Priority::Normal, Priority::High};

double seconds(Nanoseconds span) { return std::chrono::duration<double>(span).count(); }

// Upstream's workqueue histograms: 10 ns to 1000 s in powers of ten.
std::vector<double> workqueue_buckets() { return exponential_buckets(1e-8, 10, 12); }

}  // namespace

std::string_view to_string(TurnResult result) {
  switch (result) {
    case TurnResult::Success: return "success";
    case TurnResult::Error: return "error";
    case TurnResult::Requeue: return "requeue";
    case TurnResult::RequeueAfter: return "requeue_after";
  }
  return "success";
}

ControllerMetrics::ControllerMetrics(Metrics* metrics, std::string_view controller, std::size_t concurrency)
    : controller_(controller), counting_(metrics != nullptr) {
  if (!counting_) return;
  const auto counter = [&](std::string_view name, std::string_view help) {
    return metrics->counters(name, help, {"controller"}).with({controller});
  };
  const auto gauge = [&](std::string_view name, std::string_view help) {
    return metrics->gauges(name, help, {"controller"}).with({controller});
  };
  const auto histogram = [&](std::string_view name, std::string_view help) {
    return metrics->histograms(name, help, {"controller"}, reconcile_time_buckets()).with({controller});
  };
  const auto queue_counter = [&](std::string_view name, std::string_view help) {
    return metrics->counters(name, help, {"name", "controller"}).with({controller, controller});
  };
  const auto queue_gauge = [&](std::string_view name, std::string_view help) {
    return metrics->gauges(name, help, {"name", "controller"}).with({controller, controller});
  };
  const auto queue_histogram = [&](std::string_view name, std::string_view help) {
    return metrics->histograms(name, help, {"name", "controller"}, workqueue_buckets())
        .with({controller, controller});
  };

  turns_ = Results(
      metrics->counters("controller_runtime_reconcile_total", "turns by result", {"controller", "result"}),
      kResults, {controller});
  capi_turns_ =
      Results(metrics->counters("capi_reconcile_total", "turns by result, without waits for a stale cache",
                                {"controller", "result"}),
              kResults, {controller});
  errors_ = counter("controller_runtime_reconcile_errors_total", "turns that ended in an error");
  terminal_errors_ =
      counter("controller_runtime_terminal_reconcile_errors_total", "errors that no retry can cure");
  panics_ = counter("controller_runtime_reconcile_panics_total", "turns that ended in an exception");
  timeouts_ = counter("controller_runtime_reconcile_timeouts_total", "turns that used up their time");
  time_ = histogram("controller_runtime_reconcile_time_seconds", "how long a turn took");
  capi_time_ = histogram("capi_reconcile_time_seconds", "how long a turn took");
  active_ = gauge("controller_runtime_active_workers", "workers that are in a turn");
  concurrency_ = gauge("controller_runtime_max_concurrent_reconciles", "how many workers there may be");
  concurrency_.set(static_cast<double>(concurrency));
  depth_ = {metrics->gauges("workqueue_depth", "keys that are ready", {"name", "controller", "priority"}),
            kPriorities,
            {controller, controller}};
  adds_ = queue_counter("workqueue_adds_total", "turns asked for");
  retries_ = queue_counter("workqueue_retries_total", "turns asked for after a failure");
  queued_ = queue_histogram("workqueue_queue_duration_seconds", "how long a ready key waited for a worker");
  worked_ = queue_histogram("workqueue_work_duration_seconds", "how long a worker held a key");
  longest_ = queue_gauge("workqueue_longest_running_processor_seconds", "age of the oldest turn in progress");
  unfinished_ = queue_gauge("workqueue_unfinished_work_seconds", "age of all turns in progress together");
  overdue_ = metrics->counters("capstan_reconcile_overdue_cache_total",
                               "turns that could only report, for a cache has been behind for too long",
                               {"controller", "cached_kind"});
  stale_ = metrics->counters("capi_reconcile_stale_cache_skips_total",
                             "turns put off because a cache had not seen our own last write",
                             {"controller", "cached_kind"});
}

void ControllerMetrics::turn_started(const Taken& taken) const { queued_.observe(seconds(taken.waited)); }

void ControllerMetrics::turn_ended(TurnResult result, Nanoseconds took) const {
  turns_[result].add();
  capi_turns_[result].add();
  time_.observe(seconds(took));
  capi_time_.observe(seconds(took));
  worked_.observe(seconds(took));
  if (result == TurnResult::Error) errors_.add();
}

void ControllerMetrics::stale_cache(std::string_view kind, bool overdue) {
  if (!counting_) return;
  if (overdue) return series_of(overdue_by_kind_, overdue_, kind).add();
  series_of(stale_by_kind_, stale_, kind).add();
}

Counter ControllerMetrics::series_of(Guarded<ByKind>& known, const CounterFamily& family,
                                     std::string_view kind) const {
  return known.with([&](ByKind& series) {
    const auto found = series.find(kind);
    if (found != series.end()) return found->second;
    return series.emplace(kind, family.with({controller_, kind})).first->second;
  });
}

void ControllerMetrics::refresh(const Queue::Counts& counts, const Turns& turns) {
  if (!counting_) return;
  const Queue::Counts before =
      refreshed_.with([&](Queue::Counts& last) { return std::exchange(last, counts); });
  adds_.add(static_cast<double>(counts.adds - before.adds));
  retries_.add(static_cast<double>(counts.retries - before.retries));
  for (const Priority priority : kPriorities) {
    depth_[priority].set(static_cast<double>(counts.ready[static_cast<std::size_t>(priority)]));
  }
  active_.set(static_cast<double>(turns.active));
  longest_.set(seconds(turns.longest));
  unfinished_.set(seconds(turns.unfinished));
}

}  // namespace capstan::runtime
