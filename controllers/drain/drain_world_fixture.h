// A workload cluster with one Node "n" that is drained for Machine "m", for the tests of the drainer: a real
// embedded API server behind a client that records, Pods and budgets made through it. One thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "apiserver/api.h"
#include "controllers/drain/drainer.h"
#include "test/builders/node.h"
#include "test/fakes/fake_clock.h"
#include "test/fakes/fake_workload_clusters.h"
#include "test/fakes/memory_client.h"
#include "test/fakes/recording_client.h"

namespace capstan::controllers::drain {

struct PodWish {
  std::string name = {};
  std::string namespace_ = "default";
  std::map<std::string, std::string> labels = {};
  std::string daemon_set = {};
  std::string claim = {};
  int grace = 0;  // seconds; 0: gone as soon as it is evicted
  std::string node = "n";
  int priority = 0;
};

struct DrainWorld {
  DrainWorld();
  ~DrainWorld();

  // --- the cluster ---
  void pod(const PodWish& wish);
  void daemon_set(std::string_view name);
  void budget(std::string_view name, std::string_view app, std::string_view spec);
  void relax(std::string_view budget, std::string_view patch);
  // A PersistentVolume that the claim of that name has.
  void volume(std::string_view name, std::string_view claim);
  // A VolumeAttachment "<volume>-<node>".
  void attach(std::string_view volume, std::string_view node = "n");
  void detach(std::string_view volume, std::string_view node = "n");
  std::vector<std::string> attachments();
  void make(std::string_view path, std::string_view body);
  // The kubelet has ended it.
  void gone(std::string_view pod);
  bool has_pod(std::string_view name);
  boost::json::value node();
  void set_node(api::Node node);  // in the cache of Nodes
  // The kubelet reports it since then, on the server and in the cache of Nodes.
  void node_says(std::string_view type, std::string_view status, Time since);
  void settle();  // what the cluster's own controllers do

  // --- the drain ---
  StageReport turn();
  StageReport volumes();
  StageReport delete_attachments();
  // Turn by turn, as it wakes the Machine. Its last report when nothing happens any more.
  StageReport finish();
  void pass(Seconds span) { clock.advance(span); }
  // Until the drainer has asked for another turn since the last one; false: it never does.
  bool awake();
  // Until the watches have told so many more things: the end of each first list and every change since.
  void hear(std::uint64_t news);

  fakes::FakeClock clock;
  apiserver::Api api;
  fakes::MemoryClient memory;
  fakes::RecordingClient client;
  fakes::FakeWorkloadClusters clusters;
  api::Machine machine;
  api::Cluster cluster;
  std::vector<runtime::Snapshot<api::MachineDrainRule>> rules;
  std::optional<Time> started;
  ForceRules force;
  bool explain_budgets = false;
  std::optional<Seconds> eviction_time = {};
  std::optional<VolumeWaits> volumes_in_turn = {};
  bool vm_is_gone = false;
  api::Uid node_uid = {};
  Signal woken;
  std::uint64_t seen = 0;
  std::uint64_t heard = 0;
  std::map<std::string, std::string> daemon_set_uids;
  Metrics metrics;
  std::optional<Drainer> drainer;

 private:
  DrainRequest request();
  boost::json::value pod_of(const PodWish& wish) const;
};

}  // namespace capstan::controllers::drain
