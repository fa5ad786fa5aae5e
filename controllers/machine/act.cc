#include "controllers/machine/act.h"

#include "base/safeguards.h"
#include "base/try.h"
#include "controllers/shared/claim_writes.h"
#include "controllers/shared/node_writes.h"
#include "kube/typed.h"

namespace capstan::controllers::machine {
namespace {

// One pass over a plan.
class Act {
 public:
  Act(const ActContext& with, Memory& memory, const Observation& seen)
      : with_(with), memory_(memory), seen_(seen), key_(kube::key_of(*seen.machine)) {
    effects_.machine = *seen.machine;
  }

  Effects run(const Plan& plan) {
    for (const Action& action : plan.actions) {
      const auto done = std::visit([&](const auto& each) { return perform(each); }, action);
      if (!done) effects_.errors.push_back(done.error());
      if (effects_.stopped) break;
    }
    return std::move(effects_);
  }

 private:
  // Another Machine of that name may be about to come, and its objects before it, while the cache still has
  // the one that was there.
  Result<void> perform(const ConfirmMachine&) {
    if (is_off(Safeguard::StillThere)) return {};
    const auto live = kube::get<api::Machine>(with_.deps.client, key_, with_.context.deadline);
    if (live && live->metadata.uid == seen_.machine->metadata.uid) return {};
    effects_.stopped = true;
    if (live || live.error().code == Code::NotFound)
      return fail(Code::Conflict, "the Machine is gone by now");
    return fail(live.error());
  }

  Result<void> perform(const PatchMachine& patch) {
    auto written = kube::patch(with_.deps.client, *patch.from, patch.to, with_.context.deadline);
    if (!written) {
      effects_.stopped = !patch.may_be_refused || is_transient(written.error().code);
      return fail(written.error());
    }
    if (!*written) return {};
    with_.host.consistency.wrote(key_, with_.deps.caches.machines, (*written)->metadata.resource_version);
    effects_.machine = std::move(**written);
    effects_.machine.spec.cluster_name = seen_.machine->spec.cluster_name;
    return {};
  }

  Result<void> perform(const ClaimObject& claim) {
    const bool bootstrap = claim.which == ClaimObject::Which::Bootstrap;
    return write_claim(with_, {.key = key_, .cluster = seen_.machine->spec.cluster_name},
                       bootstrap ? seen_.bootstrap : seen_.infra, claim.claim);
  }

  Result<void> perform(const ChangeNode& action) {
    const auto workload = TRY(with_.deps.workload_clusters.get(kube::key_of(*seen_.cluster)));
    return write_node(with_, memory_.node_writes, key_,
                      {.client = workload->client(), .node = *action.node, .change = action.change});
  }

  const ActContext& with_;
  Memory& memory_;
  const Observation& seen_;
  const kube::ObjectKey key_;
  Effects effects_ = {};
};

}  // namespace

Effects act(const ActContext& with, Memory& memory, const Observation& seen, const Plan& plan) {
  return Act(with, memory, seen).run(plan);
}

}  // namespace capstan::controllers::machine
