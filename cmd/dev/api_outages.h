// ApiOutages keeps API servers of workload clusters away as long as the faults of a simulated cloud say so.
// Made by whatever runs such servers in its process; its one thread ends with it.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/threads.h"
#include "cmd/dev/embedded_control_planes.h"
#include "infrastructure/sim/cloud.h"

namespace capstan::dev {

class ApiOutages {
 public:
  // All of it lives longer.
  ApiOutages(const Clock& clock, Threads& threads, const infrastructure::sim::SimCloud& cloud,
             EmbeddedControlPlanes& planes);
  ~ApiOutages();
  ApiOutages(const ApiOutages&) = delete;
  ApiOutages& operator=(const ApiOutages&) = delete;

 private:
  std::unique_ptr<Thread> thread_;
};

}  // namespace capstan::dev
