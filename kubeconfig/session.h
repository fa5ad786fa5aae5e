// One connection to one workload cluster, from the dial to the loss: the client and Nodes that others hold as
// a WorkloadCluster, and the Node watch that ends with the session. The registry's turns for that cluster own
// it; hooks come from the watch's threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/guarded.h"
#include "kube/watch_loop.h"
#include "kubeconfig/gated_client.h"
#include "kubeconfig/node_index.h"
#include "kubeconfig/probe.h"
#include "kubeconfig/workload_clusters.h"
#include "runtime/informer.h"

namespace capstan::kubeconfig {

class ConnectedCluster final : public WorkloadCluster {
 public:
  ConnectedCluster(std::unique_ptr<kube::Client> wire, Threads& threads, const Clock& clock,
                   const GateLimits& limits)
      : wire_(std::move(wire)), gate_(*wire_, threads, clock, limits) {}

  kube::Client& client() override { return gate_; }
  const runtime::Store<api::Node>& nodes() const override { return nodes_.store(); }
  std::vector<runtime::Snapshot<api::Node>> nodes_with(std::string_view provider_id) const override {
    return nodes_.with(provider_id);
  }

  kube::Client& wire() { return *wire_; }  // past the gate: for the Node watch and probes
  GatedClient& gate() { return gate_; }
  runtime::Store<api::Node>& store() { return nodes_.store(); }

 private:
  std::unique_ptr<kube::Client> wire_;
  NodeStore nodes_;
  GatedClient gate_;
};

class Session {
 public:
  struct Seams {
    const Clock& clock;
    Threads& threads;
    kube::WatchLoop& loop;
    Log log = {};
    std::uint64_t seed = 0;
    kube::WatchLimits watches = {};
    GateLimits gate = {};
  };
  struct Hooks {
    std::function<void(const runtime::Change<api::Node>&)> on_node = {};
    std::function<void()> on_news = {};  // the Nodes are listed, or something is wrong: look
  };
  Session(const Seams& seams, std::string server, std::unique_ptr<kube::Client> wire, Hooks hooks);
  ~Session();  // the watch ends; no hook is running any more
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start() { watch_.start(); }
  // The watch ends, as with the destructor; for a caller that can be stopped while it waits for that.
  void stop() { watch_.stop(); }

  const std::shared_ptr<ConnectedCluster>& cluster() const { return cluster_; }
  kube::Client& wire() { return cluster_->wire(); }
  GatedClient& gate() { return cluster_->gate(); }
  const std::string& server() const { return server_; }

  bool listed() const { return cluster_->nodes().synced(); }
  // Why the Nodes can't be listed.
  std::optional<Error> trouble() const;
  // When the server last gave a sign of life without being probed.
  std::optional<SteadyTime> heard() const;
  // Whether a request, or the watch, was answered with 401 since this was last asked.
  bool take_refused();

  // The registry's notes about it.
  std::uint64_t generation = 0;
  SteadyTime opened = {};
  std::optional<Probe> probe = {};  // once connected
  Health published = Health::Connected;

 private:
  void note_trouble(const Error& error);

  const std::string server_;
  const Hooks hooks_;
  Guarded<std::optional<Error>> trouble_;
  std::shared_ptr<ConnectedCluster> cluster_;
  runtime::Informer<api::Node> watch_;  // last: no hook comes once it is gone
};

}  // namespace capstan::kubeconfig
