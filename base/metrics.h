// Counters, gauges and histograms for /metrics, over prometheus-cpp core. A family is registered once at
// start-up and hands out series; keep the series, looking one up is slow. Label values come from closed enums
// or from a handful of names known at start-up, never from object names. Safe from any thread.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
}  // namespace prometheus

namespace capstan {

// A series lives as long as a handle on it: when the last one goes, it disappears from /metrics. A default
// handle counts nothing.
class Counter {
 public:
  Counter() = default;
  void add(double by = 1) const;
  double value() const;

 private:
  friend struct MetricAccess;
  std::shared_ptr<prometheus::Counter> series_;
};

class Gauge {
 public:
  Gauge() = default;
  void set(double value) const;
  void add(double by = 1) const;
  double value() const;

 private:
  friend struct MetricAccess;
  std::shared_ptr<prometheus::Gauge> series_;
};

class Histogram {
 public:
  Histogram() = default;
  void observe(double value) const;

 private:
  friend struct MetricAccess;
  std::shared_ptr<prometheus::Histogram> series_;
};

namespace detail {
template <typename Handle>
class FamilyState;
}  // namespace detail

template <typename Handle>
class MetricFamily {
 public:
  // The series with these label values, in the order of the label names.
  Handle with(std::span<const std::string_view> label_values) const;
  Handle with(std::initializer_list<std::string_view> label_values) const {
    return with(std::span(label_values.begin(), label_values.size()));
  }

 private:
  friend struct MetricAccess;
  std::shared_ptr<detail::FamilyState<Handle>> state_;
};

using CounterFamily = MetricFamily<Counter>;
using GaugeFamily = MetricFamily<Gauge>;
using HistogramFamily = MetricFamily<Histogram>;

// One series per enumerator, found by index: results[Result::Success].add().
template <typename Handle, typename Enum, std::size_t kCount>
class PerEnum {
 public:
  PerEnum() = default;
  // `values` are all enumerators, counted from zero; their to_string is the last label.
  PerEnum(const MetricFamily<Handle>& family, const std::array<Enum, kCount>& values,
          std::initializer_list<std::string_view> first_labels = {}) {
    std::vector<std::string_view> labels(first_labels);
    labels.emplace_back();
    for (const Enum value : values) {
      labels.back() = to_string(value);
      series_.at(static_cast<std::size_t>(value)) = family.with(labels);
    }
  }
  const Handle& operator[](Enum value) const { return series_.at(static_cast<std::size_t>(value)); }

 private:
  std::array<Handle, kCount> series_ = {};
};

using Labels = std::initializer_list<std::string_view>;

class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // Asking again for a known name gives the same family; with another kind or other labels it throws
  // std::logic_error.
  CounterFamily counters(std::string_view name, std::string_view help, Labels label_names = {});
  GaugeFamily gauges(std::string_view name, std::string_view help, Labels label_names = {});
  HistogramFamily histograms(std::string_view name, std::string_view help, Labels label_names,
                             std::vector<double> buckets);

  // Everything, in Prometheus' text format.
  std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Seconds, as controller-runtime cuts them: 5 ms to 60 s.
std::vector<double> reconcile_time_buckets();
// count bounds, each factor times the one before.
std::vector<double> exponential_buckets(double start, double factor, int count);

}  // namespace capstan
