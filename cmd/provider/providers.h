// The bootstrap and infrastructure providers of this process, as many of them as --providers names: caches
// first, then controllers, and back. Made by wiring.h; one thread starts and stops them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/metrics.h"
#include "cmd/program/process.h"
#include "cmd/provider/options.h"
#include "infrastructure/remote/drivers_file.h"
#include "kube/client.h"
#include "kubeconfig/dial.h"
#include "runtime/controller.h"
#include "runtime/informer.h"

namespace capstan::provider {

// All of it lives longer. Each provider has a client of its own, by whose user agent API servers tell them
// apart.
struct ProvidersDeps {
  const program::Seams& seams;
  kube::Client& bootstrap;
  kube::Client& infrastructure;
  kubeconfig::Dial dial;  // of the bootstrap provider, to workload clusters
  Randomness& keys;       // of its tokens
  Metrics& metrics;
  std::vector<infrastructure::remote::NamedDriver> drivers = {};  // none: the simulated one
  Log log = {};
};

// What the caches of one provider are filled by.
struct NamedInformers {
  std::string provider = {};
  std::vector<runtime::InformerState*> informers = {};
};

class Providers {
 public:
  Providers(const Options& options, const ProvidersDeps& deps);
  ~Providers();
  Providers(const Providers&) = delete;
  Providers& operator=(const Providers&) = delete;

  // Returns when the caches are complete.
  Result<void> start_caches(const Deadline& deadline);
  void start_controllers();
  void stop_controllers();
  void stop_caches();

  std::vector<NamedInformers> informers();
  std::vector<const runtime::Controller*> controllers() const;
  void refresh_metrics();  // before a scrape

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace capstan::provider
