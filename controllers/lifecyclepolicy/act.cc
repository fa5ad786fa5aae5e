#include "controllers/lifecyclepolicy/act.h"

#include <utility>

#include "api/policy/names.h"
#include "kube/typed.h"

namespace capstan::controllers::lifecyclepolicy {
namespace {

namespace annotation = api::policy::annotation;

class Marking {
 public:
  Marking(const ActContext& with, const Observation& seen) : with_(with), key_(kube::key_of(*seen.policy)) {}

  Result<void> operator()(const ReleasePreserved& action) const {
    api::Machine after = *action.machine;
    after.metadata.annotations.erase(annotation::kAutoPreserved);
    return write(*action.machine, after);
  }
  Result<void> operator()(const MarkPreserved& action) const {
    api::Machine after = *action.machine;
    after.metadata.annotations.set(annotation::kAutoPreserved, action.to);
    return write(*action.machine, after);
  }

 private:
  // What a Machine has become meanwhile brings the next turn.
  Result<void> write(const api::Machine& from, const api::Machine& to) const {
    const auto written = kube::patch_part(with_.deps.client, from, to, kube::Part::Main, kube::Lock::Always,
                                          with_.context.deadline);
    if (!written) {
      const bool overtaken = written.error().code == Code::Conflict || written.error().code == Code::NotFound;
      return overtaken ? Result<void>() : fail(written.error().context("preserve a failed Machine"));
    }
    if (*written)
      with_.host.consistency.wrote(key_, with_.deps.caches.machines, (*written)->metadata.resource_version);
    return {};
  }

  const ActContext& with_;
  const kube::ObjectKey key_;
};

}  // namespace

Effects act(const ActContext& with, const Observation& seen, const Plan& plan) {
  const Marking marking(with, seen);
  Effects effects;
  for (const Action& action : plan.actions) {
    auto done = std::visit(marking, action);
    if (done) continue;
    effects.errors.push_back(std::move(done.error()));
    break;
  }
  return effects;
}

}  // namespace capstan::controllers::lifecyclepolicy
