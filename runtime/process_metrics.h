// What every Prometheus dashboard expects of a process: CPU time, memory, open files, start. Read from /proc
// when asked (runtime/endpoints.h asks before each scrape). Safe from any thread; Linux only.
#pragma once

#include "base/guarded.h"
#include "base/metrics.h"

namespace capstan::runtime {

class ProcessMetrics {
 public:
  explicit ProcessMetrics(Metrics& metrics);
  void refresh();

 private:
  Guarded<Counter> cpu_seconds_;  // a scrape adds what was used since the one before
  Gauge resident_bytes_;
  Gauge virtual_bytes_;
  Gauge open_fds_;
  Gauge max_fds_;
  Gauge start_seconds_;
};

}  // namespace capstan::runtime
