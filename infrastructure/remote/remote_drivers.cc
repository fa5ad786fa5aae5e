#include "infrastructure/remote/remote_drivers.h"

namespace capstan::infrastructure::remote {

RemoteDrivers::RemoteDrivers(const TransportDeps& deps, const std::vector<NamedDriver>& drivers) {
  for (const NamedDriver& each : drivers) {
    remotes_.try_emplace(each.name, deps, each.transport);
    workers_ += each.transport.workers;
  }
}

Drivers RemoteDrivers::drivers() {
  std::map<std::string, Driver*, std::less<>> by_name;
  for (auto& [name, remote] : remotes_) by_name.emplace(name, &remote.driver);
  return Drivers(std::move(by_name));
}

}  // namespace capstan::infrastructure::remote
