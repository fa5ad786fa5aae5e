// The crdmigrator: writes every stored object of Cluster API's own kinds in the version that is stored today,
// so that a former one can go from the CustomResourceDefinition, and takes field managers of versions off
// that are not served any more. One page of objects a turn. Called by the worker of its runtime/controller.h.
#pragma once

#include <optional>
#include <string_view>

#include "controllers/crdmigration/effects.h"
#include "controllers/crdmigration/memory.h"
#include "controllers/crdmigration/plan.h"
#include "controllers/crdmigration/probes.h"
#include "controllers/shared/contests.h"
#include "controllers/shared/deps.h"
#include "runtime/reconcile.h"

namespace capstan::controllers::crdmigration {

// Whether objects of that definition are migrated: those that the conversion webhook converts whole.
bool is_migrated(std::string_view definition);

class Reconciler final : public runtime::Reconciler {
 public:
  explicit Reconciler(const Deps& deps, const Settings& settings = {})
      : deps_(deps), settings_(settings), probes_(deps.metrics) {}
  // Before the first turn.
  void bind(const Host& host) { host_.emplace(host); }
  void add_triggers(runtime::Queue& queue);

  Result<runtime::Outcome> reconcile(const runtime::Context& context, const kube::ObjectKey& key) override;

 private:
  Result<runtime::Outcome> take_turn(const runtime::Context& context, const kube::ObjectKey& key,
                                     Remembered& memory);
  Result<runtime::Outcome> conclude(const runtime::Context& context, const Observation& seen,
                                    const Plan& plan, Remembered& memory);
  void count(const Observation& seen, const Effects& effects, Remembered& memory) const;

  const Deps deps_;
  const Settings settings_;
  const Probes probes_;
  std::optional<Host> host_;
  Contests contests_;
  Memory memory_;
};

}  // namespace capstan::controllers::crdmigration
