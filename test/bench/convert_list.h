// What a client waits for a list of Machines in v1beta1 that are stored as v1beta2: the API server reads
// them, asks /convert once for all, and decodes and encodes them again. With upstream's endpoint and with
// ours on one real kube-apiserver, one after the other. Printed only: most of it is the API server's own
// time.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <functional>

#include "test/envtest/real_servers.h"

namespace capstan::bench {

struct ListedMachines {
  const envtest::RealServers& management;
  boost::json::array machines = {};  // as v1beta2, to be created
  std::uint16_t upstream_port = 0;   // of each /convert, with a certificate of the management server's CA
  std::uint16_t our_port = 0;
  std::function<int()> our_reviews = {};  // how many our endpoint has answered
};

// Throws std::runtime_error when it can't be measured.
void print_list_times(const ListedMachines& listed);

}  // namespace capstan::bench
