// Constructs the whole manager, once, from top to bottom, and starts and stops it in order. What is made
// first goes last: members are destroyed in reverse.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/log.h"
#include "base/randomness.h"
#include "base/threads.h"
#include "cmd/manager/options.h"
#include "cmd/program/process.h"
#include "kube/connection.h"
#include "kubeconfig/access.h"
#include "net/proxy.h"

namespace capstan::manager {

using program::Seams;

// What the process finds around it.
struct Surroundings {
  std::string host_name = {};
  std::string pod_namespace = {};
  net::ProxyRules proxies = {};
  std::optional<kubeconfig::OwnPod> own_pod = {};  // unset: we run in no cluster
};

class Wiring {
 public:
  static Result<std::unique_ptr<Wiring>> make(const Seams& seams, const Options& options,
                                              const Surroundings& around, kube::Connection connection,
                                              Log log);
  ~Wiring();
  Wiring(const Wiring&) = delete;
  Wiring& operator=(const Wiring&) = delete;

  // Returns when the controllers run, or when it is stopped before that.
  Result<void> start(std::stop_token stop);
  void stop();

 private:
  class Parts;
  explicit Wiring(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace capstan::manager
