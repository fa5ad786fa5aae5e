#include "runtime/process_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/time.h"

namespace capstan::runtime {
namespace {

// The value behind `name` in a scrape; -1 when it is not there.
double value_of(const Metrics& metrics, const std::string& name) {
  const std::string text = "\n" + metrics.text();
  const auto at = text.find("\n" + name + " ");
  return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 2));
}

TEST(ProcessMetrics, TellsWhatThisProcessUses) {
  Metrics metrics;
  ProcessMetrics process(metrics);

  process.refresh();

  EXPECT_GT(value_of(metrics, "process_resident_memory_bytes"), 1e6);
  EXPECT_GT(value_of(metrics, "process_virtual_memory_bytes"),
            value_of(metrics, "process_resident_memory_bytes"));
  EXPECT_GE(value_of(metrics, "process_max_fds"), value_of(metrics, "process_open_fds"));
}

TEST(ProcessMetrics, StartedBeforeNowAndNotLongAgo) {
  Metrics metrics;
  ProcessMetrics process(metrics);
  const double now = std::chrono::duration<double>(SystemClock().now().time_since_epoch()).count();

  const double started = value_of(metrics, "process_start_time_seconds");

  EXPECT_LE(started, now + 1);
  EXPECT_GT(started, now - 3600);
}

TEST(ProcessMetrics, CountsAnOpenFile) {
  Metrics metrics;
  ProcessMetrics process(metrics);
  process.refresh();
  const double before = value_of(metrics, "process_open_fds");
  const int extra = dup(0);

  process.refresh();
  close(extra);

  EXPECT_EQ(value_of(metrics, "process_open_fds"), before + 1);
}

TEST(ProcessMetrics, CpuTimeOnlyGrows) {
  Metrics metrics;
  ProcessMetrics process(metrics);
  process.refresh();
  const double before = value_of(metrics, "process_cpu_seconds_total");
  while (value_of(metrics, "process_cpu_seconds_total") <= before) process.refresh();

  process.refresh();

  EXPECT_GT(value_of(metrics, "process_cpu_seconds_total"), before);
}

}  // namespace
}  // namespace capstan::runtime
