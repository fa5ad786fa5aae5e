// The series of one controller, named as controller-runtime and Cluster API name theirs, so that dashboards
// work unchanged. Safe from any thread.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/metrics.h"
#include "runtime/queue.h"

namespace capstan::runtime {

enum class TurnResult { Success, Error, Requeue, RequeueAfter };
std::string_view to_string(TurnResult result);

class ControllerMetrics {
 public:
  // `metrics` may be null: nothing is counted.
  ControllerMetrics(Metrics* metrics, std::string_view controller, std::size_t concurrency);

  void turn_started(const Taken& taken) const;
  void turn_ended(TurnResult result, Nanoseconds took) const;
  void turn_threw() const { panics_.add(); }
  void turn_timed_out() const { timeouts_.add(); }
  // A turn was put off, or past the bound kept from acting, because the cache of `kind` is behind.
  void stale_cache(std::string_view kind, bool overdue);

  // What is read from the queue when the metrics are scraped.
  struct Turns {
    std::size_t active = 0;
    Nanoseconds longest = {};
    Nanoseconds unfinished = {};  // of all together
  };
  void refresh(const Queue::Counts& counts, const Turns& turns);

 private:
  using Results = PerEnum<Counter, TurnResult, 4>;

  Results turns_ = {};
  Results capi_turns_ = {};
  Counter errors_ = {};
  Counter terminal_errors_ = {};  // upstream's name; stays 0, for every error is tried again
  Counter panics_ = {};
  Counter timeouts_ = {};
  Histogram time_ = {};
  Histogram capi_time_ = {};
  Gauge active_ = {};
  Gauge concurrency_ = {};
  PerEnum<Gauge, Priority, 3> depth_ = {};
  Counter adds_ = {};
  Counter retries_ = {};
  Histogram queued_ = {};
  Histogram worked_ = {};
  Gauge longest_ = {};
  Gauge unfinished_ = {};
  std::string controller_;
  CounterFamily stale_ = {};
  CounterFamily overdue_ = {};
  bool counting_ = false;
  using ByKind = std::map<std::string, Counter, std::less<>>;
  Counter series_of(Guarded<ByKind>& known, const CounterFamily& family, std::string_view kind) const;

  Guarded<ByKind> stale_by_kind_;
  Guarded<ByKind> overdue_by_kind_;
  Guarded<Queue::Counts> refreshed_;  // what adds_ and retries_ include already
};

}  // namespace capstan::runtime
