// InfrastructureFixture: the infrastructure provider as a whole, under a baton: real controllers, informers
// and kubelets, a management API server and workload API servers in memory. The test plays the core provider.
// Everything runs under the baton of one fixture.
#pragma once

#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/core/node.h"
#include "api/driver/driver_machine_pool.h"
#include "api/driver/driver_machine_template.h"
#include "api/names.h"
#include "api/v1beta2/machine_pool.h"
#include "infrastructure/provider.h"
#include "infrastructure/remote/loopback.h"
#include "infrastructure/remote/remote_driver.h"
#include "infrastructure/sim/kubelet.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "test/fakes/baton.h"
#include "test/fakes/faulty_client.h"
#include "test/fakes/memory_client.h"
#include "test/fakes/memory_control_planes.h"

namespace capstan::infrastructure {

namespace json = boost::json;
using fakes::Baton;
using fakes::Call;
using fakes::Fault;
using fakes::FaultPoint;
using kube::ObjectKey;
using testing::HasSubstr;

inline const ObjectKey kCluster{.namespace_ = "default", .name = "c1"};
inline const Deadline kNever = Deadline::never();

ObjectKey named(std::string name);

template <typename T>
void must(const Result<T>& result, std::string_view what) {
  if (!result) ADD_FAILURE() << what << ": " << result.error().describe();
}

// A management cluster and what else writes there: the user and the core provider.
struct Management {
  apiserver::Api api;
  fakes::MemoryClient user;

  Management(Baton& baton, std::uint64_t seed);

  void install();
  template <typename T>
  T put(T object) {
    object.metadata.uid = {};
    object.metadata.resource_version = {};
    const auto made = kube::create(user, object, {}, kNever);
    must(made, "create");
    return made ? *made : object;
  }
  template <typename T>
  std::optional<T> get(const std::string& name) {
    const auto found = kube::get<T>(user, named(name), kNever);
    return found ? std::optional(*found) : std::nullopt;
  }
  template <typename T>
  void remove(const std::string& name) {
    must(kube::remove<T>(user, named(name), {}, kNever), "delete");
  }
  template <typename T>
  static api::OwnerReferences owners(const T& owner) {
    return api::OwnerReferences({{.api_version = Text(api::kApiVersion),
                                  .kind = Text(api::resource<T>.kind),
                                  .name = owner.metadata.name,
                                  .uid = owner.metadata.uid}});
  }
  template <typename T>
  void change(const std::string& name, const std::function<void(T&)>& how) {
    const auto before = get<T>(name);
    T after = *before;
    how(after);
    must(kube::patch(user, *before, after, kNever), "patch");
  }

  template <typename T>
  void freeze(const std::string& name) {
    change<T>(name, [](T& object) { object.metadata.annotations.set("capstan.dev/freeze", "audit"); });
  }
  template <typename T>
  void thaw(const std::string& name) {
    change<T>(name, [](T& object) { object.metadata.annotations.erase("capstan.dev/freeze"); });
  }
  template <typename T>
  void change_status(const std::string& name, const std::function<void(T&)>& how) {
    const auto before = get<T>(name);
    T after = *before;
    how(after);
    must(kube::patch_status(user, *before, after, kNever), "patch the status");
  }

  // What the core does once the DriverCluster says it is provisioned.
  void provision_cluster();
  // And while it does not reach the API server of the cluster, whose control plane is initialized.
  void probe_cluster(std::string_view status);
  void add_cluster();
  void add_data_secret(const std::string& name);
  // A Machine with bootstrap data, and the DriverMachine it owns.
  void add_machine(const std::string& name, api::DriverMachineSpec spec = {}, bool with_data = true);
  // A MachinePool with bootstrap data, and the DriverMachinePool it owns.
  void add_pool(const std::string& name, std::int32_t replicas, api::DriverMachinePoolSpec spec = {},
                bool with_data = true);
  void resize(const std::string& name, std::int32_t replicas);

  // How many instances the pool says it has, in both places.
  bool has(const std::string& name, std::int32_t instances);
  std::string pool_ready(const std::string& name);
  bool provisioned(const std::string& name);
  std::string ready_reason(const std::string& name);
};

// Everything around a provider, and the provider.
struct InfrastructureFixture {
  Baton baton;
  sim::Script script;
  Management management;
  fakes::MemoryControlPlanes planes;
  sim::SimCloud cloud;
  remote::Loopback protocol;
  remote::RemoteDriver behind_protocol;
  std::optional<Drivers> drivers = {};  // instead of the one cloud
  sim::Kubelets kubelets;
  std::map<std::pair<Call, std::string>, int> writes = {};  // by verb and kind, of the provider
  std::function<Fault(const FaultPoint&)> fault = {};
  std::uint64_t starts = 0;
  OrphanSettings orphans = {};      // as the FleetPolicy says
  bool settings_on_server = false;  // the FleetPolicy is an object, and `orphans` says nothing

  explicit InfrastructureFixture(sim::Script with = {}, std::uint64_t seed = 1);

  void run(const std::function<void()>& story);
  fakes::FaultPlan plan();
  // The cloud, or what stands between it and the provider.
  Drivers drivers_of_provider();
  // A provider process on that management cluster, started again whenever it dies, until the story lets go.
  class Process {
   public:
    Process(InfrastructureFixture& world, Management& management, const std::string& name = "provider");

   private:
    std::unique_ptr<Thread> thread_;
  };
  void live(Management& on, const std::stop_token& stop);
  void pause(Nanoseconds span, const std::stop_token& stop = {});
  bool eventually(const std::function<bool()>& holds, Nanoseconds within = std::chrono::minutes(5));
  void bring_cluster_up();

  std::optional<api::Node> node(const std::string& name);
  std::size_t vms_named(std::string_view name);
  int writes_of(Call call, const std::string& kind) { return writes[{call, kind}]; }
};

}  // namespace capstan::infrastructure
