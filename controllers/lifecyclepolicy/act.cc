#include "controllers/lifecyclepolicy/act.h"

#include "api/policy/names.h"
#include "kube/typed.h"

namespace capstan::controllers::lifecyclepolicy {
namespace {

namespace annotation = api::policy::annotation;

class Marking {
 public:
  Marking(const ObserveContext& with, const Observation& seen)
      : with_(with), seen_(seen), key_(kube::key_of(*seen.policy)) {}

  Result<void> run() const {
    for (const auto& machine : seen_.preservation.release) {
      api::Machine after = *machine;
      after.metadata.annotations.erase(annotation::kAutoPreserved);
      TRY(write(*machine, after));
    }
    for (const auto& machine : seen_.preservation.mark) {
      api::Machine after = *machine;
      after.metadata.annotations.set(annotation::kAutoPreserved, seen_.policy->metadata.name.view());
      TRY(write(*machine, after));
    }
    return {};
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

  const ObserveContext& with_;
  const Observation& seen_;
  const kube::ObjectKey key_;
};

}  // namespace

Result<void> act(const ObserveContext& with, const Observation& seen) { return Marking(with, seen).run(); }

}  // namespace capstan::controllers::lifecyclepolicy
