#include "base/metrics.h"

#include <gmock/gmock.h>

#include <stdexcept>
#include <thread>

namespace capstan {
namespace {

using testing::HasSubstr;
using testing::Not;

enum class Outcome { Success, Failure };
constexpr std::array kOutcomes = {Outcome::Success, Outcome::Failure};
std::string_view to_string(Outcome outcome) { return outcome == Outcome::Success ? "success" : "error"; }

TEST(Metrics, CounterAppearsWithItsLabels) {
  Metrics metrics;
  const Counter counter = metrics.counters("reconcile_total", "reconciles", {"controller", "result"})
                              .with({"machine", "success"});

  counter.add();
  counter.add(2);

  EXPECT_THAT(metrics.text(), HasSubstr("# TYPE reconcile_total counter"));
  EXPECT_THAT(metrics.text(), HasSubstr("reconcile_total{controller=\"machine\",result=\"success\"} 3"));
  EXPECT_EQ(counter.value(), 3);
}

TEST(Metrics, GaugeGoesUpAndDown) {
  Metrics metrics;
  const Gauge depth = metrics.gauges("queue_depth", "keys waiting").with({});

  depth.set(5);
  depth.add(-2);

  EXPECT_EQ(depth.value(), 3);
  EXPECT_THAT(metrics.text(), HasSubstr("queue_depth 3"));
}

TEST(Metrics, HistogramSortsIntoItsBuckets) {
  Metrics metrics;
  const Histogram seconds = metrics.histograms("seconds", "time", {"verb"}, {0.1, 1}).with({"GET"});

  seconds.observe(0.05);
  seconds.observe(0.5);

  EXPECT_THAT(metrics.text(), HasSubstr("seconds_bucket{verb=\"GET\",le=\"0.1\"} 1"));
  EXPECT_THAT(metrics.text(), HasSubstr("seconds_bucket{verb=\"GET\",le=\"1\"} 2"));
  EXPECT_THAT(metrics.text(), HasSubstr("seconds_count{verb=\"GET\"} 2"));
}

TEST(Metrics, SeriesGoesWithItsLastHandle) {
  Metrics metrics;
  const GaugeFamily connected = metrics.gauges("cluster_up", "reachable", {"cluster"});
  const Gauge kept = connected.with({"a"});

  {
    const Gauge same = connected.with({"a"});
    const Gauge gone = connected.with({"b"});
    gone.set(1);
    EXPECT_THAT(metrics.text(), HasSubstr("cluster=\"b\""));
  }

  EXPECT_THAT(metrics.text(), Not(HasSubstr("cluster=\"b\"")));
  EXPECT_THAT(metrics.text(), HasSubstr("cluster=\"a\""));
}

TEST(Metrics, SeriesThatComesBackStartsAtZero) {
  Metrics metrics;
  const CounterFamily family = metrics.counters("c", "c", {"x"});
  family.with({"a"}).add(5);

  const Counter again = family.with({"a"});

  EXPECT_EQ(again.value(), 0);
}

TEST(Metrics, OneSeriesPerEnumerator) {
  Metrics metrics;
  const PerEnum results(metrics.counters("total", "all", {"controller", "result"}), kOutcomes, {"machine"});

  results[Outcome::Failure].add();

  EXPECT_THAT(metrics.text(), HasSubstr("total{controller=\"machine\",result=\"error\"} 1"));
  EXPECT_THAT(metrics.text(), HasSubstr("total{controller=\"machine\",result=\"success\"} 0"));
}

TEST(Metrics, AskingAgainGivesTheSameFamily) {
  Metrics metrics;
  const Counter first = metrics.counters("c", "help", {"x"}).with({"a"});
  const Counter second = metrics.counters("c", "help", {"x"}).with({"a"});

  first.add();

  EXPECT_EQ(second.value(), 1);
}

TEST(Metrics, TheSameNameWithOtherShapeIsABug) {
  Metrics metrics;
  metrics.counters("c", "help", {"x"});

  EXPECT_THROW(metrics.gauges("c", "help", {"x"}), std::logic_error);
  EXPECT_THROW(metrics.counters("c", "help", {"y"}), std::logic_error);
}

TEST(Metrics, LabelValuesAreEscaped) {
  Metrics metrics;
  const Counter counter = metrics.counters("c", "help", {"x"}).with({"a\"b\\c\nd"});

  EXPECT_THAT(metrics.text(), HasSubstr(R"(c{x="a\"b\\c\nd"} 0)"));
}

TEST(Metrics, HandlesMayOutliveTheirMetrics) {
  Counter counter;
  {
    Metrics metrics;
    counter = metrics.counters("c", "help").with({});
  }

  counter.add();

  EXPECT_EQ(counter.value(), 1);
}

TEST(Metrics, DefaultHandlesCountNothing) {
  Counter().add();
  Gauge().set(3);
  Histogram().observe(1);

  EXPECT_EQ(Counter().value(), 0);
}

TEST(Metrics, AreCountedFromManyThreads) {
  Metrics metrics;
  const CounterFamily family = metrics.counters("c", "help", {"x"});
  const Counter shared = family.with({"shared"});

  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int round = 0; round < 1'000; ++round) {
          shared.add();
          family.with({"comes and goes"}).add();
          if (round % 100 == 0) (void)metrics.text();
        }
      });
    }
  }

  EXPECT_EQ(shared.value(), 4'000);
  EXPECT_THAT(metrics.text(), Not(HasSubstr("comes and goes")));
}

TEST(ExponentialBuckets, GrowByTheirFactor) {
  EXPECT_THAT(exponential_buckets(1, 10, 3), testing::ElementsAre(1, 10, 100));
}

}  // namespace
}  // namespace capstan
