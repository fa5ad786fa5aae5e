// The Cluster controller: provider objects owned, endpoint, flags and kubeconfig kept, status
// told, everything taken down in order. Called by the workers of its runtime/controller.h.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "base/guarded.h"
#include "controllers/cluster/effects.h"
#include "controllers/cluster/kubeconfig_keeper.h"
#include "controllers/shared/contests.h"
#include "controllers/shared/deps.h"
#include "controllers/shared/live_object.h"
#include "runtime/reconcile.h"

namespace capstan::controllers::cluster {

// Flags of this controller.
struct Settings {
  Seconds connection_grace = kConnectionGrace;  // --remote-connection-grace-period
};

class Reconciler final : public runtime::Reconciler {
 public:
  explicit Reconciler(const Deps& deps, Settings settings = {});
  // Before the first turn.
  void bind(const Host& host) { host_.emplace(host); }
  // Clusters themselves, what belongs to them, and the way to their API servers.
  void add_triggers(runtime::Queue& queue);

  Result<runtime::Outcome> reconcile(const runtime::Context& context, const kube::ObjectKey& key) override;

 private:
  Observation observe(const runtime::Context& context, Snapshot<api::Cluster> cluster);
  // The cache of a provider's kind may take a moment at first; nothing is said or done meanwhile.
  bool is_worth_waiting(const Observation& seen);
  void ask_for_what_no_cache_shows(const runtime::Context& context, Observation& seen);
  Result<runtime::Outcome> take_turn(const runtime::Context& context, const Observation& seen);
  Result<void> tell(const runtime::Context& context, const Observation& seen, const Effects& effects,
                    const api::Cluster& after);
  void record(const api::Cluster& cluster, const std::vector<Note>& notes);

  const Deps deps_;
  const Settings settings_;
  std::optional<Host> host_;
  KubeconfigKeeper kubeconfigs_;
  LiveLooks live_looks_;
  Contests contests_;
  Guarded<std::unordered_map<std::string, SteadyTime>> loading_since_;  // by group and kind
};

}  // namespace capstan::controllers::cluster
