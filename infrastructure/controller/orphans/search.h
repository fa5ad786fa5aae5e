// Looks for VMs that are no object's: one complete list of every account in use per period. A list only
// raises suspicion: the turn of the DriverCluster whose key the VM carries decides what becomes of it. The
// search remembers the orphans of the last complete list, and forgets them when it is started, so that
// nothing is confirmed in the first period of a process or after a change of the lease; of an account whose
// identity is another than at the last look it forgets them, too. One thread; found() and settle() from any.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/log.h"
#include "base/threads.h"
#include "infrastructure/controller/caches.h"
#include "infrastructure/controller/orphans/classify.h"
#include "infrastructure/controller/orphans/settings.h"
#include "infrastructure/drivers.h"
#include "kube/client.h"

namespace capstan::infrastructure {

struct OrphanSearchDeps {
  const Clock& clock;
  Threads& threads;
  kube::Client& client;  // for credentials and the FleetPolicy
  Drivers drivers;
  const Caches& caches;
  OrphanSettingsSource settings = {};
  Log log = {};
};

class OrphanSearch {
 public:
  explicit OrphanSearch(OrphanSearchDeps deps) : deps_(std::move(deps)) {}
  ~OrphanSearch() { stop(); }
  OrphanSearch(const OrphanSearch&) = delete;
  OrphanSearch& operator=(const OrphanSearch&) = delete;

  // Called with each DriverCluster there is news for; set before start().
  void on_news(std::function<void(const ObjectKey&)> wake) { wake_ = std::move(wake); }
  void start();
  void stop();
  // One look at all accounts.
  void look(const Deadline& deadline);

  OrphanSettings settings() const { return deps_.settings ? deps_.settings() : read_settings(); }
  // As the FleetPolicy says at this moment.
  Result<OrphanSettings> live_settings(const Deadline& deadline) const;
  // Nothing: there was no look yet.
  std::optional<FoundOrphans> found(const ObjectKey& driver_cluster) const;
  // It carries a mark now.
  void set_mark(const ObjectKey& driver_cluster, const std::string& provider_id, Time since);
  // A live look found a reason to keep it until the next list.
  void keep(const ObjectKey& driver_cluster, const std::string& provider_id, const std::string& why);
  // There is nothing to do about it until the next look.
  void settle(const ObjectKey& driver_cluster, const std::string& provider_id);
  // One more of the cluster is about to be deleted.
  void count_deletion(const ObjectKey& driver_cluster);

 private:
  // The driver and the Secret that lead to an account.
  struct Source {
    std::string driver = {};
    std::string namespace_ = {};
    std::string secret = {};
    auto operator<=>(const Source&) const = default;
  };
  // Two names of one driver lead to the same accounts.
  struct AccountId {
    const Driver* driver = nullptr;
    std::string name = {};
    auto operator<=>(const AccountId&) const = default;
  };
  // What the last complete list of an account showed.
  struct Account {
    ProviderIds marks = {};
    std::vector<Finding> findings = {};
  };
  struct Memory {
    std::map<AccountId, Account> accounts = {};
    std::map<Source, AccountId> identities = {};  // at the last look
  };
  using ByCluster = std::map<ObjectKey, FoundOrphans>;

  void refresh_settings(const Deadline& deadline);
  OrphanSettings read_settings() const {
    return read_.with([](const OrphanSettings& settings) { return settings; });
  }
  static Source source_of(const api::ObjectMeta& object, std::string_view driver,
                          const std::optional<api::CredentialsRef>& ref);
  std::set<Source> sources() const;
  void add_sources_of_clusters(std::set<Source>& found) const;
  void look_at(const Source& source, std::set<AccountId>& listed, const Deadline& deadline);
  std::optional<AccountId> identify(const Source& source, const Credentials& credentials,
                                    const Deadline& deadline);
  void take_over(Account& account, const std::string& name, const Source& source, const std::vector<Vm>& vms);
  void change(const ObjectKey& driver_cluster, const std::string& provider_id,
              const std::function<void(Finding&)>& how);
  void forget_others(const std::set<Source>& sources);
  ByCluster by_cluster(const std::set<AccountId>& listed) const;
  void publish(ByCluster now);

  const OrphanSearchDeps deps_;
  std::function<void(const ObjectKey&)> wake_ = {};
  Memory memory_;  // of the one thread
  Guarded<OrphanSettings> read_;
  Guarded<std::optional<ByCluster>> found_;
  std::unique_ptr<Thread> thread_;
};

}  // namespace capstan::infrastructure
