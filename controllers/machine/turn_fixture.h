// MachineFixture: a management cluster with one Machine on its way and the Machine controller, for tests of
// whole turns. Providers, the user and the workload cluster are played by the test; everything the controller
// asks of both clusters is recorded. in_simulation() plays a test under five seeds. Runs inside a Baton.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/machine/reconciler.h"
#include "controllers/shared/controller_fixture.h"
#include "test/fakes/scripted_client.h"

namespace capstan::controllers::machine {

namespace json = boost::json;

extern const kube::Resource kDockerMachines;
extern const kube::Resource kKubeadmConfigs;
const kube::Resource& machines();
const kube::Resource& clusters();

// A workload cluster that takes every write to its Nodes. Drains that are under way when a test ends ask it
// until the controller is gone.
struct ScriptedWorkload {
  ScriptedWorkload();

  fakes::ScriptedClient node_api;
  fakes::RecordingClient workload;
};

class MachineFixture : public ScriptedWorkload, public ControllerFixture<Reconciler> {
 public:
  explicit MachineFixture(fakes::Baton& with, const std::string& watch_filter = {});

  // --- the user and the owner ---
  // A Cluster c1 that runs, and m1 as upstream's core makes it: its objects first, to be taken over.
  void make_cluster();
  void make_machine();
  void make_clones();
  // A paused control plane Machine, so that Nodes of workers are drained.
  void make_control_plane_machine();

  // --- the providers ---
  void bootstrap_is_done();
  void infrastructure_is_done();

  void node_is_there(bool ready = true);

  // Starts the controller; call it when all is there that the controller is to find, or before.
  void start();
  void settle(Nanoseconds span = std::chrono::seconds(3)) { FixtureServer::settle(span); }

  api::Machine machine() const;
  std::vector<std::string> what_was_written() const { return client.described_writes(); }
  std::vector<std::string> what_the_node_got() const { return workload.described_writes(); }
  void forget_what_happened();
};

void in_simulation(const std::function<void(MachineFixture&)>& body, const std::string& watch_filter = {});

}  // namespace capstan::controllers::machine
