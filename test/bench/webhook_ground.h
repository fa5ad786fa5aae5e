// Where the webhook figures are measured: an embedded API server with our CRDs, and `capstan` with its
// webhook server and its probes, both processes of their own. Everything throws std::runtime_error when it
// does not come about. No thread is started, so that the owner may still fork. One thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "test/bench/figure.h"
#include "test/bench/review_callers.h"
#include "test/conformance/embedded.h"
#include "test/envtest/child_process.h"
#include "test/envtest/scratch_folder.h"

namespace capstan::bench {

std::unique_ptr<conformance::Embedded> embedded_with_crds(const Place& place);

class WebhookGround {
 public:
  explicit WebhookGround(const Place& place);  // returns once the manager is ready

  // A MachineDeployment is created, with every field of its schema: defaulted and validated by turns.
  ReviewEndpoint reviews() const;
  std::uint16_t webhook_port() const { return webhook_port_; }
  std::uint16_t probe_port() const { return probe_port_; }
  double manager_resident_mb() const;

 private:
  void start_manager(const Place& place);
  void await_ready();

  std::unique_ptr<conformance::Embedded> server_;
  envtest::ScratchFolder folder_;
  std::filesystem::path ca_;
  std::uint16_t webhook_port_ = 0;
  std::uint16_t probe_port_ = 0;
  envtest::ChildProcess manager_;
};

// A ConversionReview of Machines that are asked for in v1beta1.
std::string conversion_review(int machines);

}  // namespace capstan::bench
