// MachineSetFixture: a management cluster with MachineSet ms1 and its controller, for tests of whole turns.
// The test plays users and what becomes of Machines. in_simulation() plays a test under three seeds. Runs
// inside a Baton.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/machineset/reconciler.h"
#include "controllers/shared/controller_fixture.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/builders/machine_set.h"
#include "test/builders/node.h"

namespace capstan::controllers::machineset {

namespace json = boost::json;

inline const kube::Resource kInfraMachines =
    provider_resource(api::group::kInfrastructure, "DockerMachine", "dockermachines");
inline const kube::Resource kInfraTemplates =
    provider_resource(api::group::kInfrastructure, "DockerMachineTemplate", "dockermachinetemplates");
inline const kube::Resource kConfigs =
    provider_resource(api::group::kBootstrap, "KubeadmConfig", "kubeadmconfigs");
inline const kube::Resource kConfigTemplates =
    provider_resource(api::group::kBootstrap, "KubeadmConfigTemplate", "kubeadmconfigtemplates");
inline const kube::Resource kControlPlanes =
    provider_resource(api::group::kControlPlane, "KubeadmControlPlane", "kubeadmcontrolplanes");

class MachineSetFixture : public ControllerFixture<Reconciler> {
 public:
  explicit MachineSetFixture(fakes::Baton& with, bool braked = false);

  // --- users, and what becomes of Machines ---
  void make_template(const kube::Resource& resource, std::string_view name);
  // A cluster without control plane object, and both templates.
  void make_surroundings();
  void scale(int replicas);
  // What the Machine controller does in the end.
  void let_go_of_deleted();
  // Each Machine has one of its own name, and says so.
  void put_nodes(const kube::ObjectKey& cluster);
  // From now on the server keeps whatever a Machine says.
  void take_any_machine();
  // The first of three writes.
  void make_as_a_set_does(std::string_view name);
  void settle(Nanoseconds span = std::chrono::seconds(20)) { FixtureServer::settle(span); }
  void start();

  // --- what is there ---
  std::vector<json::value> all(const kube::Resource& resource);
  std::vector<std::string> names_of(const kube::Resource& resource);
  std::vector<api::Machine> machines();
  std::vector<std::string> machine_names() { return names_of(kube::resource_of<api::Machine>()); }
  api::Machine machine(std::string_view name) { return read<api::Machine>(name); }
  api::MachineSet set() { return read<api::MachineSet>("ms1"); }
  std::string says(std::string_view type);
  // "Machine ms1-xxxxc", its owners.
  std::vector<std::string> owners_of(const kube::Resource& resource);
};

void in_simulation(const std::function<void(MachineSetFixture&)>& body, bool braked = false);

std::size_t count_of(const std::vector<std::string>& writes, std::string_view what);

}  // namespace capstan::controllers::machineset
