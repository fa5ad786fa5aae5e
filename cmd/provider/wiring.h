// Constructs capstan-provider, once, from top to bottom, and starts and stops it in order: endpoints, the
// connection, caches, Leases, controllers. One thread.
#pragma once

#include <memory>
#include <stop_token>

#include "base/log.h"
#include "cmd/program/process.h"
#include "cmd/provider/options.h"
#include "runtime/endpoints.h"

namespace capstan::provider {

class Wiring {
 public:
  // `seams` lives longer.
  static Result<std::unique_ptr<Wiring>> make(const program::Seams& seams, const Options& options, Log log);
  ~Wiring();
  Wiring(const Wiring&) = delete;
  Wiring& operator=(const Wiring&) = delete;

  // Returns when the controllers run, or when it is stopped before that.
  Result<void> start(std::stop_token stop);
  void stop();

  // What probes and /debug answer; from any thread.
  const runtime::Endpoints& endpoints() const;

 private:
  class Parts;
  explicit Wiring(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace capstan::provider
