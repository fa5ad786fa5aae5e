#include "test/simulation/toy_controller.h"

#include <algorithm>
#include <boost/json.hpp>

#include "base/try.h"
#include "kube/patch.h"
#include "kube/typed.h"

namespace capstan::simulation {

namespace json = boost::json;
using runtime::Context;
using runtime::ObjectKey;
using runtime::Outcome;

std::string_view to_string(Mutant mutant) {
  switch (mutant) {
    case Mutant::None: return "none";
    case Mutant::NoGate: return "no gate";
    case Mutant::ImpatientGate: return "impatient gate";
    case Mutant::ActsWhenOverdue: return "acts when overdue";
    case Mutant::ActsUnsynced: return "acts unsynced";
    case Mutant::ForgetsDeletions: return "forgets deletions";
    case Mutant::CountsLivingOnly: return "counts living only";
  }
  return "none";
}

Result<Outcome> ToyReconciler::reconcile(const Context& context, const ObjectKey& key) {
  const ToySeen seen = observe(key);
  if (!seen.set) return Outcome::done();
  const ToyPlan plan = decide(seen, deps_.mutant);
  const auto acted = act(context, seen, plan);
  TRY(patch_status(context, seen, report(seen)));
  if (!acted) return fail(acted.error());
  return Outcome::done();
}

ToySeen ToyReconciler::observe(const ObjectKey& key) const {
  ToySeen seen{.set = deps_.sets.get(key)};
  if (seen.set) seen.toys = deps_.toys.find(deps_.by_owner, seen.set->metadata.uid.str());
  return seen;
}

ToyPlan decide(const ToySeen& seen, Mutant mutant) {
  const bool going = seen.set->metadata.deleting();
  std::vector<runtime::Snapshot<Toy>> living;
  for (const auto& toy : seen.toys) {
    if (!toy->metadata.deleting()) living.push_back(toy);
  }
  const auto alive = static_cast<std::int32_t>(living.size());
  const auto total = static_cast<std::int32_t>(seen.toys.size());
  const std::int32_t wanted = going ? 0 : seen.set->spec.replicas;

  ToyPlan plan;
  plan.add_finalizer = !going && !seen.set->metadata.has_finalizer(kSetFinalizer);
  plan.remove_finalizer = going && total == 0 && seen.set->metadata.has_finalizer(kSetFinalizer);
  if (plan.add_finalizer) return plan;  // nothing is made before it can be cleaned up
  plan.create = std::max(0, wanted - (mutant == Mutant::CountsLivingOnly ? alive : total));
  // the youngest name goes: any total order that does not change between turns
  for (std::int32_t i = wanted; i < alive; ++i) plan.remove.push_back(living[static_cast<std::size_t>(i)]);
  return plan;
}

ToySetStatus report(const ToySeen& seen) {
  ToySetStatus status;
  for (const auto& toy : seen.toys) {
    ++status.replicas;
    if (toy->status.ready && !toy->metadata.deleting()) ++status.ready;
  }
  return status;
}

Result<void> ToyReconciler::act(const Context& context, const ToySeen& seen, const ToyPlan& plan) {
  if (plan.add_finalizer) return set_finalizer(context, seen, true);
  if (plan.remove_finalizer) return set_finalizer(context, seen, false);
  if (!context.fresh && deps_.mutant != Mutant::ActsWhenOverdue) return {};
  for (std::int32_t i = 0; i < plan.create; ++i) TRY(create_toy(context, seen));
  for (const auto& toy : plan.remove) TRY(remove_toy(context, seen, *toy));
  return {};
}

Result<void> ToyReconciler::create_toy(const Context& context, const ToySeen& seen) {
  const ObjectKey key = runtime::key_of(*seen.set);
  const ObjectKey name{.namespace_ = key.namespace_, .name = generate_name(deps_.names, key.name + "-")};
  const json::value toy = {{"apiVersion", kToys.api_version()},
                           {"kind", kToys.kind},
                           {"metadata",
                            {{"name", name.name},
                             {"namespace", name.namespace_},
                             {"finalizers", json::array{kToyFinalizer}},
                             {"annotations", {{kWantedAnnotation, std::to_string(seen.set->spec.replicas)}}},
                             {"ownerReferences", json::array{{{"apiVersion", kToySets.api_version()},
                                                              {"kind", kToySets.kind},
                                                              {"name", key.name},
                                                              {"uid", seen.set->metadata.uid.str()},
                                                              {"controller", true}}}}}}};
  if (deps_.mutant == Mutant::NoGate) {
    TRY(deps_.client.create(kToys, name, toy, {}, context.deadline));
    return {};
  }
  TRY(deps_.consistency->create(deps_.client, key, {.cache = deps_.toys, .resource = kToys, .key = name},
                                seen.set->metadata.uid, toy, {}, context.deadline));
  return {};
}

Result<void> ToyReconciler::remove_toy(const Context& context, const ToySeen& seen, const Toy& toy) {
  const ObjectKey name = runtime::key_of(toy);
  if (deps_.mutant == Mutant::NoGate) {
    TRY(deps_.client.remove(kToys, name, {.uid = toy.metadata.uid.str()}, context.deadline));
    return {};
  }
  return deps_.consistency->remove(deps_.client, runtime::key_of(*seen.set),
                                   {.cache = deps_.toys, .resource = kToys, .key = name}, toy.metadata.uid,
                                   {}, context.deadline);
}

Result<void> ToyReconciler::set_finalizer(const Context& context, const ToySeen& seen, bool present) {
  std::vector<std::string> finalizers;
  for (const Text& finalizer : *seen.set->metadata.finalizers) finalizers.push_back(finalizer.str());
  const auto patch = present ? kube::add_finalizer_patch(finalizers, kSetFinalizer)
                             : kube::remove_finalizer_patch(finalizers, kSetFinalizer);
  if (!patch) return {};
  const ObjectKey key = runtime::key_of(*seen.set);
  const auto patched = TRY(kube::patch_briefly(deps_.client, kToySets, key, *patch,
                                               {.type = kube::PatchType::Json}, context.deadline));
  deps_.consistency->wrote(key, deps_.sets, patched.metadata.resource_version);
  return {};
}

Result<void> ToyReconciler::patch_status(const Context& context, const ToySeen& seen,
                                         const ToySetStatus& status) {
  if (status == seen.set->status) return {};
  const ObjectKey key = runtime::key_of(*seen.set);
  const json::value body = {{"status", {{"replicas", status.replicas}, {"ready", status.ready}}}};
  auto patched =
      kube::patch_briefly(deps_.client, kToySets, key, body, {.subresource = "status"}, context.deadline);
  if (!patched && patched.error().code == Code::NotFound) return {};  // gone meanwhile
  if (!patched) return fail(std::move(patched).error());
  deps_.consistency->wrote(key, deps_.sets, patched->metadata.resource_version);
  return {};
}

}  // namespace capstan::simulation
