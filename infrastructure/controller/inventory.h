// Looks every so often at what the cloud lists and remembers the DriverMachines whose VM is not as their
// status says: gone, stopped, or back. A list may lag, so it only raises doubt: the machine's own turn asks
// the cloud about that one VM. One thread; doubts() and settle() from any.
#pragma once

#include <functional>
#include <memory>
#include <set>

#include "base/guarded.h"
#include "base/log.h"
#include "base/threads.h"
#include "infrastructure/controller/caches.h"
#include "infrastructure/drivers.h"
#include "kube/client.h"

namespace capstan::infrastructure {

struct InventoryDeps {
  const Clock& clock;
  Threads& threads;
  kube::Client& client;  // for credentials
  Drivers drivers;
  const Caches& caches;
  Log log = {};
};

class Inventory {
 public:
  Inventory(const InventoryDeps& deps, Nanoseconds every) : deps_(deps), every_(every) {}
  ~Inventory() { stop(); }
  Inventory(const Inventory&) = delete;
  Inventory& operator=(const Inventory&) = delete;

  // Called with each object in doubt; set before start().
  void on_doubt(std::function<void(const ObjectKey&)> wake) { wake_ = std::move(wake); }
  void start();
  void stop();
  // One look at the cloud.
  void look(const Deadline& deadline);

  bool doubts(const ObjectKey& machine) const;
  void settle(const ObjectKey& machine);

 private:
  struct Account {
    std::string driver = {};
    std::string namespace_ = {};
    std::string credentials = {};
    auto operator<=>(const Account&) const = default;
  };
  void look_at(const Account& account, const std::vector<Snapshot<api::DriverMachine>>& machines,
               const Deadline& deadline);

  const InventoryDeps deps_;
  const Nanoseconds every_;
  std::function<void(const ObjectKey&)> wake_ = {};
  Guarded<std::set<ObjectKey>> doubted_;
  std::unique_ptr<Thread> thread_;
};

}  // namespace capstan::infrastructure
