// Everything a fleet needs in one process: the embedded management server with our CRDs, the simulated cloud
// with its kubelets and workload API servers, the providers, and the manager exactly as `capstan` wires it.
// Made by `up` and `demo`; one thread starts and stops it.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "apiserver/http/server.h"
#include "base/log.h"
#include "cmd/dev/embedded_control_planes.h"
#include "cmd/manager/wiring.h"
#include "infrastructure/sim/cloud.h"

namespace capstan::dev {

struct StackOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  std::uint64_t seed = 1;
  infrastructure::sim::Script cloud = {};
  Nanoseconds look_at_cloud_every = std::chrono::seconds(30);  // for VMs that vanished
  manager::Options manager = {};
  // Names of CustomResourceDefinitions of ours that the server does not get.
  std::vector<std::string> kinds_left_out = {};
};

class Stack {
 public:
  // Returns when the controllers run. Errors say which part would not start.
  static Result<std::unique_ptr<Stack>> start(const manager::Seams& seams, const StackOptions& options,
                                              Log log, const std::stop_token& stop);
  ~Stack();
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  kube::Client& client();  // a user's
  Result<std::string> kubeconfig() const;
  std::string url() const;
  EmbeddedControlPlanes& control_planes();
  infrastructure::sim::SimCloud& cloud();

 private:
  class Parts;
  explicit Stack(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace capstan::dev
