// Which drivers a provider has: the file that --drivers names. Who runs the provider writes it; objects can
// only choose one of its names. Read once, when the provider starts.
//
//   drivers:
//   - name: metal
//     endpoint: unix:/run/capstan/metal.sock
//   - name: cloud
//     endpoint: https://driver.example:8443
//     tls: {caFile: /tls/ca.pem, certFile: /tls/tls.crt, keyFile: /tls/tls.key}
//     workers: 20
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "infrastructure/remote/http_transport.h"

namespace capstan::infrastructure::remote {

struct NamedDriver {
  std::string name = {};
  TransportOptions transport = {};
};

// Invalid names the driver and what is wrong with it.
Result<std::vector<NamedDriver>> parse_drivers(std::string_view yaml);
// Of the file of that name.
Result<std::vector<NamedDriver>> read_drivers(const std::string& path);

}  // namespace capstan::infrastructure::remote
