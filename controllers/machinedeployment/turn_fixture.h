// MachineDeploymentFixture: a management cluster with MachineDeployment md1 and its controller, for tests of
// whole turns. The test plays MachineSets and users. in_simulation() and at_rest() tell a story under three
// seeds. Runs inside a Baton.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/admission/admission.h"
#include "controllers/machinedeployment/reconciler.h"
#include "controllers/shared/controller_fixture.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::machinedeployment {

namespace annotation = api::annotation;
namespace json = boost::json;
using builders::a_cluster;
using builders::a_machine_deployment;
using builders::a_machine_set;
using builders::kNamespace;
using fakes::FaultPoint;

inline const kube::Resource kInfraTemplates =
    provider_resource(api::group::kInfrastructure, "DockerMachineTemplate", "dockermachinetemplates");
inline const kube::Resource kConfigTemplates =
    provider_resource(api::group::kBootstrap, "KubeadmConfigTemplate", "kubeadmconfigtemplates");

// The server's own, which the manager's may be ahead of.
class LateClock final : public Clock {
 public:
  LateClock(const Clock& right, Seconds late) : right_(right), late_(late) {}
  WallTime now() const override { return right_.now() - late_; }
  SteadyTime steady_now() const override { return right_.steady_now(); }

 private:
  const Clock& right_;
  const Seconds late_;
};

// Lets the manager change every object but one.
class Gatekeeper final : public apiserver::Admission {
 public:
  std::optional<apiserver::Response> answer = {};  // while it keeps the manager away from MachineSet stray
  int asked = 0;

  std::expected<apiserver::ObjectPtr, apiserver::Response> mutate(
      const apiserver::AdmissionReviewRequest& request, std::vector<std::string>&) override;
  std::optional<apiserver::Response> validate(const apiserver::AdmissionReviewRequest& request,
                                              std::vector<std::string>&) override;
};

// What the server asks before it answers.
struct ServerParts {
  LateClock servers_clock;
  Gatekeeper gatekeeper = {};
};

class MachineDeploymentFixture : public ServerParts, public ControllerFixture<Reconciler> {
 public:
  explicit MachineDeploymentFixture(fakes::Baton& with, Seconds server_is_late = {});

  // --- users ---
  void make_template(const kube::Resource& resource, std::string_view name);
  void make_templates();
  // The deployment, its Cluster and its templates.
  void make_fleet(const api::MachineDeployment& deployment);
  template <typename T>
  void edit(std::string_view name, std::string_view body, std::string_view subresource = "") {
    patch(kube::resource_of<T>(), name, json::parse(body), subresource);
  }
  void edit(std::string_view body) { edit<api::MachineDeployment>("md1", body); }
  void remove_and_orphan() {
    FixtureServer::remove_and_orphan(kube::resource_of<api::MachineDeployment>(), "md1");
  }
  void settle(Nanoseconds span = Seconds(20)) { FixtureServer::settle(span); }
  void start();
  std::vector<std::string> writes_since_then() { return std::exchange(writes, {}); }

  // --- what is there ---
  using FixtureServer::key;
  static kube::ObjectKey key() { return key("md1"); }
  std::vector<api::MachineSet> sets();  // the oldest first
  std::vector<std::int32_t> sizes();    // of sets()
  api::MachineDeployment deployment() { return read<api::MachineDeployment>("md1"); }
  bool is_gone() { return !exists(kube::resource_of<api::MachineDeployment>(), "md1"); }
  std::string says(std::string_view type);

  // Every set gets the Machines it wants, all of them work; those of the newest set are up to date. One on
  // its way out reports nothing any more.
  void play_sets();
};

using Story = std::function<void(MachineDeploymentFixture&)>;
void in_simulation(const Story& story, Seconds server_is_late = {});
// A deployment of three at rest, all Machines available.
void at_rest(const Story& story, Seconds server_is_late = {});

}  // namespace capstan::controllers::machinedeployment
