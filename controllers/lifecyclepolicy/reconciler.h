// The MachineLifecyclePolicy controller: observe, decide, act, report, one status patch. It says in a
// policy's status what it selects and where another policy is in its way, and marks the failed Machines that
// the policy preserves, since that limit is one for all owners. Of every other behaviour the controller that
// owns it asks controllers/shared/policies.h. Called by the workers of its runtime/controller.h.
#pragma once

#include <optional>

#include "controllers/shared/turn.h"

namespace capstan::controllers::lifecyclepolicy {

class Reconciler final : public runtime::Reconciler {
 public:
  explicit Reconciler(const Deps& deps) : deps_(deps) {}
  // Before the first turn.
  void bind(const Host& host) { host_.emplace(host); }
  // Policies, and the labels of what they may select.
  void add_triggers(runtime::Queue& queue);

  Result<runtime::Outcome> reconcile(const runtime::Context& context, const kube::ObjectKey& key) override;

 private:
  const Deps deps_;
  std::optional<Host> host_;
  Contests contests_;
};

}  // namespace capstan::controllers::lifecyclepolicy
