#include "base/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <map>
#include <sstream>
#include <stdexcept>
#include <variant>

#include "base/guarded.h"

namespace capstan {

using LabelValues = std::vector<std::string>;

// The only one who may look inside handles and families.
struct MetricAccess {
  template <typename Handle>
  static auto& series(Handle& handle) {
    return handle.series_;
  }
  template <typename Handle>
  static MetricFamily<Handle> family(std::shared_ptr<detail::FamilyState<Handle>> state) {
    MetricFamily<Handle> family;
    family.state_ = std::move(state);
    return family;
  }
};

namespace detail {
namespace {

template <typename Handle>
struct MetricOf;
template <>
struct MetricOf<Counter> {
  using Type = prometheus::Counter;
};
template <>
struct MetricOf<Gauge> {
  using Type = prometheus::Gauge;
};
template <>
struct MetricOf<Histogram> {
  using Type = prometheus::Histogram;
};

}  // namespace

// One family and the handles of its series. Handles keep it alive, so they may outlive Metrics.
template <typename Handle>
class FamilyState : public std::enable_shared_from_this<FamilyState<Handle>> {
 public:
  using Metric = typename MetricOf<Handle>::Type;

  FamilyState(std::shared_ptr<prometheus::Registry> registry, prometheus::Family<Metric>& family,
              std::vector<std::string> label_names, std::vector<double> buckets)
      : label_names_(std::move(label_names)),
        registry_(std::move(registry)),
        family_(family),
        buckets_(std::move(buckets)) {}

  const std::vector<std::string>& label_names() const { return label_names_; }

  Handle with(LabelValues values) {
    Metric* metric = series_.with([&](Series& series) {
      Held& held = series[values];
      if (held.metric == nullptr) held.metric = &add(values);
      ++held.handles;
      return held.metric;
    });
    Handle handle;
    MetricAccess::series(handle) = std::shared_ptr<Metric>(
        metric,
        [self = this->shared_from_this(), values = std::move(values)](Metric*) { self->release(values); });
    return handle;
  }

 private:
  struct Held {
    Metric* metric = nullptr;
    int handles = 0;
  };
  using Series = std::map<LabelValues, Held>;

  Metric& add(const LabelValues& values) {
    assert(values.size() == label_names_.size() && "one value for every label");
    prometheus::Labels labels;
    for (std::size_t i = 0; i < values.size(); ++i) labels.emplace(label_names_[i], values[i]);
    if constexpr (std::is_same_v<Handle, Histogram>) {
      return family_.Add(labels, buckets_);
    } else {
      return family_.Add(labels);
    }
  }

  void release(const LabelValues& values) {
    series_.with([&](Series& series) {
      const auto held = series.find(values);
      if (--held->second.handles > 0) return;
      family_.Remove(held->second.metric);
      series.erase(held);
    });
  }

  std::vector<std::string> label_names_;
  std::shared_ptr<prometheus::Registry> registry_;  // owns the family
  prometheus::Family<Metric>& family_;
  std::vector<double> buckets_;
  Guarded<Series> series_;
};

}  // namespace detail

template <typename Handle>
Handle MetricFamily<Handle>::with(std::span<const std::string_view> label_values) const {
  return state_->with(LabelValues(label_values.begin(), label_values.end()));
}

template class MetricFamily<Counter>;
template class MetricFamily<Gauge>;
template class MetricFamily<Histogram>;

namespace {

template <typename Handle>
using StatePointer = std::shared_ptr<detail::FamilyState<Handle>>;
using AnyFamily = std::variant<StatePointer<Counter>, StatePointer<Gauge>, StatePointer<Histogram>>;
using Families = std::map<std::string, AnyFamily, std::less<>>;

template <typename Handle, typename Builder>
MetricFamily<Handle> registered(Guarded<Families>& families,
                                const std::shared_ptr<prometheus::Registry>& registry, Builder builder,
                                std::string_view name, std::string_view help, Labels label_names,
                                std::vector<double> buckets = {}) {
  const std::vector<std::string> names(label_names.begin(), label_names.end());
  return families.with([&](Families& known) {
    const auto found = known.find(name);
    if (found != known.end()) {
      const auto* state = std::get_if<StatePointer<Handle>>(&found->second);
      if (state == nullptr || (*state)->label_names() != names) {
        throw std::logic_error("metric " + std::string(name) +
                               " is registered twice, with another kind or other labels");
      }
      return MetricAccess::family<Handle>(*state);
    }
    auto& family = builder.Name(std::string(name)).Help(std::string(help)).Register(*registry);
    auto state = std::make_shared<detail::FamilyState<Handle>>(registry, family, names, std::move(buckets));
    known.emplace(name, state);
    return MetricAccess::family<Handle>(std::move(state));
  });
}

}  // namespace

struct Metrics::State {
  std::shared_ptr<prometheus::Registry> registry = std::make_shared<prometheus::Registry>();
  Guarded<Families> families = {};
};

Metrics::Metrics() : state_(std::make_unique<State>()) {}
Metrics::~Metrics() = default;

CounterFamily Metrics::counters(std::string_view name, std::string_view help, Labels label_names) {
  return registered<Counter>(state_->families, state_->registry, prometheus::BuildCounter(), name, help,
                             label_names);
}

GaugeFamily Metrics::gauges(std::string_view name, std::string_view help, Labels label_names) {
  return registered<Gauge>(state_->families, state_->registry, prometheus::BuildGauge(), name, help,
                           label_names);
}

HistogramFamily Metrics::histograms(std::string_view name, std::string_view help, Labels label_names,
                                    std::vector<double> buckets) {
  return registered<Histogram>(state_->families, state_->registry, prometheus::BuildHistogram(), name, help,
                               label_names, std::move(buckets));
}

std::string Metrics::text() const {
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, state_->registry->Collect());
  return std::move(out).str();
}

void Counter::add(double by) const {
  if (series_ != nullptr) series_->Increment(by);
}
double Counter::value() const { return series_ == nullptr ? 0 : series_->Value(); }

void Gauge::set(double value) const {
  if (series_ != nullptr) series_->Set(value);
}
void Gauge::add(double by) const {
  if (series_ != nullptr) series_->Increment(by);
}
double Gauge::value() const { return series_ == nullptr ? 0 : series_->Value(); }

void Histogram::observe(double value) const {
  if (series_ != nullptr) series_->Observe(value);
}

std::vector<double> reconcile_time_buckets() {
  return {0.005, 0.01, 0.025, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6,
          0.7,   0.8,  0.9,   1.0,  1.25, 1.5,  1.75, 2.0,  2.5, 3.0,  3.5, 4.0,  4.5, 5,
          6,     7,    8,     9,    10,   15,   20,   25,   30,  40,   50,  60};
}

std::vector<double> exponential_buckets(double start, double factor, int count) {
  std::vector<double> bounds;
  for (double bound = start; count > 0; --count, bound *= factor) bounds.push_back(bound);
  return bounds;
}

}  // namespace capstan
