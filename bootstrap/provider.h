// Provider: the bootstrap provider as one object. It owns caches, informers and its controller; the
// management API server is lent to it. cmd/dev and simulations make one; start() and stop() from one thread.
#pragma once

#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/randomness.h"
#include "base/threads.h"
#include "kube/client.h"
#include "kubeconfig/dial.h"
#include "runtime/controller.h"
#include "runtime/informer.h"

namespace capstan::bootstrap {

// All of it lives longer.
struct ProviderDeps {
  const Clock& clock;
  Threads& threads;
  kube::Client& client;  // of the management cluster
  Randomness& randomness;
  kubeconfig::Dial dial = {};  // empty: no workload cluster is reached, and no machine is given a token
  Randomness* keys = nullptr;  // of tokens: net/secure_randomness.h; null: those without a dial need none
  Log log = {};
  Metrics* metrics = nullptr;
};

struct ProviderOptions {
  std::size_t concurrency = 10;
  Nanoseconds pace = std::chrono::milliseconds(100);
  std::uint64_t seed = 0;  // of watch lengths and back-offs
};

class Provider {
 public:
  explicit Provider(const ProviderDeps& deps, ProviderOptions options = {});
  ~Provider();
  Provider(const Provider&) = delete;
  Provider& operator=(const Provider&) = delete;

  // Returns when the caches are complete and the controller runs. Timeout: a kind can't be listed, most
  // likely because its CRD is missing.
  Result<void> start(const Deadline& deadline);
  void stop();
  // The two halves of start() and stop(): a process that stands by has full caches and no controller.
  Result<void> start_caches(const Deadline& deadline);
  void start_controllers();
  void stop_controllers();
  void stop_caches();

  // For probes and /debug; the informers there are from the beginning.
  std::vector<runtime::InformerState*> informers();
  std::vector<const runtime::Controller*> controllers() const;
  void refresh_metrics();  // before a scrape
  bool idle() const;       // nothing to do at this moment

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace capstan::bootstrap
