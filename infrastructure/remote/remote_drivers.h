// All drivers of a provider that live in other processes. Made once from the file of drivers; safe from any
// thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "infrastructure/drivers.h"
#include "infrastructure/remote/drivers_file.h"
#include "infrastructure/remote/remote_driver.h"

namespace capstan::infrastructure::remote {

class RemoteDrivers {
 public:
  RemoteDrivers(const TransportDeps& deps, const std::vector<NamedDriver>& drivers);

  // As long as this object lives.
  Drivers drivers();
  std::size_t workers() const { return workers_; }  // of all of them

 private:
  struct Remote {
    HttpTransport transport;
    RemoteDriver driver;
    Remote(const TransportDeps& deps, const TransportOptions& options)
        : transport(deps, options), driver(transport, deps.clock) {}
  };

  std::map<std::string, Remote, std::less<>> remotes_;
  std::size_t workers_ = 0;
};

}  // namespace capstan::infrastructure::remote
